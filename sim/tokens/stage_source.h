/* stage_source.h - where the elements of a pass come from: from the stages themselves, or from a token record.
 *
 * The machine's time depends on the data only through tokens and cells (blast/stages12/tokens.h). These calls hide who
 * computes them. They are made in stream order: block after block, and HSPs in the order in which stage 2 passed them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stage3/stage3.h"
#include "blast/stages12/pass.h"
#include "blast/stages12/tokens.h"

struct stage_source {
    void *data;
    uint64_t database_words;
    uint64_t table_bytes;      /* Bloom filter and SRAM tables, which cross the bus before the first word */
    uint64_t build_operations; /* of building them (sram_table.h) */
    uint64_t next_table_bytes; /* those of the next pass, which cross the bus meanwhile; 0: none do */
    bool tables_are_loaded;    /* the pass's own were loaded so while the pass before was on the board */
    /* Number of alignments that stage 3 has found, known after the last HSP; NULL if nobody counts them. */
    const size_t *alignments;

    /** Run stages 1a to 2 for words [first, first + count), or for the first of them if these have very many matches
     *  already (PASS_PART_MATCHES; TOKEN_PART_MATCHES if they are read from a record).
     *  @param count   > 0
     *  @param tokens  cleared and filled
     *  @param counts  sums that grow
     *  @return number of words; 0 if a record cannot be read or written */
    uint64_t (*scan)(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                     struct pass_counts *counts);

    /** Run stage 3 for a number of HSPs.
     *  @param work  out: one per HSP (blast/stage3/stage3.h)
     *  @return false if a record cannot be read */
    bool (*extend)(void *data, const struct hsp *hsps, size_t count, struct stage3_work *work);

    /** After the last HSP, extend the segments that wait for their cluster to be complete; NULL if none ever waits.
     *  @param cells  out: DP cells */
    bool (*finish)(void *data, uint64_t *cells);
};
