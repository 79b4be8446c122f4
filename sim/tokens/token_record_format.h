/* token_record_format.h - the layout of token_record.h's file, its facts as bytes and back, and whether its values can
 * stand together: for its writer and its reader only.
 *
 * Why       a checksum says that a record is as it was written, not by whom. What is read is compared with the rest
 *           of the record before anything is computed from it, so that a record is refused or gives what it says.
 * Source    how a run makes these values: sequence.h, segment.h, pass.h, alignment.h.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/tokens/token_record.h"

enum { TOKEN_RECORD_VERSION = 9 };

enum section_kind { SECTION_FACTS = 1, SECTION_PASS = 2, SECTION_ALIGNMENTS = 3, SECTION_JOIN = 4 };

struct preamble {
    char magic[8];
    uint64_t version;
};

struct section_head {
    uint32_t kind, number;
    uint64_t bytes;
};

/* Follows the stream of a pass. */
struct pass_tail {
    uint64_t table_bytes, build_operations, database_words, alignments;
    struct pass_counts counts;
};

/* An alignment is written as its numbers from its ranges to its records, score and strand, then bits and E-value. */
enum {
    ALIGNMENT_NUMBERS_BYTES = offsetof(struct alignment, strand) - offsetof(struct alignment, query_begin),
    ALIGNMENT_BYTES = ALIGNMENT_NUMBERS_BYTES + 2 * sizeof(int32_t) + 2 * sizeof(double)
};

_Static_assert(sizeof(struct section_head) == 16, "a section head in the file has 16 bytes");
_Static_assert(sizeof(struct pass_tail) == 18 * sizeof(uint64_t),
               "the tail of a pass in the file has 18 numbers");
_Static_assert((int)ALIGNMENT_BYTES == 112, "an alignment in the file has 112 bytes");

/** What the writer of a record tells the processes that read it meanwhile, and they tell it; in memory that they share.
 */
struct token_record_growth {
    atomic_size_t passes; /* number of passes that have been appended */
    atomic_uint busy;     /* number of processes that do not wait for one */
};

/** Tell of every pass from now on.
 *
 * @param at  out: where the first one begins in the file
 * @return a descriptor for reading the file; -1, and errno says why there is none
 */
int token_record_tell(struct token_record_writer *writer, struct token_record_growth *growth, uint64_t *at);

/** The checksum of a section. */
uint64_t token_record_checksum(const struct section_head *head, const void *bytes);

/* --- facts --- */

/** Append the facts of a run to bytes. */
void token_record_pack_facts(const struct token_record_facts *facts, struct byte_buffer *bytes);

/** Read facts.
 *
 * @param facts    out, but for `query` and `database`: what it points to is the caller's, also after an error
 * @param query    out, likewise
 * @param program  out, likewise: the version of the program that wrote them
 * @return 0; TOKEN_RECORD_EDAMAGED if they are not whole, TOKEN_RECORD_EFORMAT if the machine has
 *         other parameters than this program's
 */
int token_record_unpack_facts(const uint8_t *bytes, size_t count, struct token_record_facts *facts,
                              struct sequences *query, struct sequences *database, char **program);

/* --- checks: false if the record contradicts itself --- */

/** Sequences, machine and segments. */
bool token_record_facts_agree(const struct token_record_facts *facts);

/** What is said of a pass, with the facts, which agree. */
bool token_record_pass_agrees(const struct token_record_facts *facts, size_t pass,
                              const struct pass_tail *tail);

/** An alignment, with the facts, which agree. */
bool token_record_alignment_agrees(const struct token_record_facts *facts, const struct alignment *alignment);

/** What stage 3 did with an HSP. @param positions  of the query */
bool token_record_work_agrees(const struct stage3_work *work, uint64_t positions);
