/* token_record_format.h - the layout of token_record.h's file, for its writer and its reader only. */
#ifndef MERCURY_SIM_TOKENS_TOKEN_RECORD_FORMAT_H
#define MERCURY_SIM_TOKENS_TOKEN_RECORD_FORMAT_H

#include <stdint.h>

#include "blast/stages12/pass.h"

#define TOKEN_RECORD_MAGIC "MERCTOKN" /* without the zero */

enum { TOKEN_RECORD_VERSION = 2 };

enum section_kind { SECTION_FACTS = 1, SECTION_PASS = 2, SECTION_ALIGNMENTS = 3, SECTION_JOIN = 4 };

struct preamble {
    char magic[8];
    uint64_t version;
};

struct section_head {
    uint32_t kind, number;
    uint64_t bytes;
};

/* Behind a pass's stream. */
struct pass_tail {
    uint64_t table_bytes;
    struct pass_counts counts;
};

/* What a finished alignment is written with. */
struct kept_alignment {
    uint64_t query_begin, query_end, database_begin, database_end;
    uint64_t columns, identities, mismatches, gaps, gap_openings;
    uint64_t query_record, database_record;
    int32_t score, strand;
    double bits, e_value;
};

_Static_assert(sizeof(struct section_head) == 16, "the format's");
_Static_assert(sizeof(struct pass_tail) == 15 * sizeof(uint64_t), "the format's");
_Static_assert(sizeof(struct kept_alignment) == 112, "the format's");

#endif
