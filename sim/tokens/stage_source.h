/* stage_source.h - where the elements of a pass come from: the stages at work, or a record of them.
 *
 * The machine's time depends on the data only through tokens and cells (blast/tokens.h); who computes them is behind
 * these calls. They are made in stream order: blocks one after the other, HSPs in the order they were passed.
 */
#ifndef MERCURY_SIM_TOKENS_STAGE_SOURCE_H
#define MERCURY_SIM_TOKENS_STAGE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/pass.h"
#include "blast/stages12/tokens.h"

/** What stage 3 did with some HSPs. */
struct extension_counts {
    uint64_t hsps;
    uint64_t contained; /* on an alignment already found: only the check */
    uint64_t cells;     /* of dynamic programming */
};

struct stage_source {
    void *data;
    uint64_t database_words;
    uint64_t table_bytes; /* Bloom filter and SRAM tables, over the bus before the first word */

    /** Stages 1a to 2 for words [first, first + count).
     *  @param tokens  cleared and filled
     *  @param counts  added to
     *  @return false when memory is out */
    bool (*scan)(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                 struct pass_counts *counts);

    /** Stage 3 for some HSPs.
     *  @param counts  added to
     *  @return false when memory is out */
    bool (*extend)(void *data, const struct hsp *hsps, size_t count, struct extension_counts *counts);

    /** After the last HSP: extend what stage 3 has held back to see it together. NULL: it holds nothing back.
     *  @param counts  cells are added to */
    bool (*finish)(void *data, struct extension_counts *counts);
};

#endif
