/* cigar.h - an alignment's columns as SAM and PAF write them: in the direction of the reference, which is the subject.
 *
 * Operations  = equal bases, X different or ambiguous ones, I a base of the query only, D one of the subject only;
 *             clips are added by whoever needs them.
 * MD          numbers of equal columns, between them the reference's letter where bases differ, and ^ before those that
 *             the query lacks (SAM optional fields, MD).
 * Memory      cigar_destroy() frees the operations; a struct that is all 0 is empty.
 * Errors      false if memory is exhausted
 */
#ifndef MERCURY_BLAST_WRITE_CIGAR_H
#define MERCURY_BLAST_WRITE_CIGAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <htslib/kstring.h>

#include "blast/write/aligned.h"

struct cigar {
    uint32_t *operations; /* as in BAM: htslib/sam.h */
    size_t count, room;
};

/** Add an operation, such as a clip; it is split if it is longer than BAM allows. Length 0 adds none. */
bool cigar_add(struct cigar *cigar, int operation, uint64_t length);

/** Add all columns. @param strand  the alignment's: on the minus strand `aligned` runs against the reference */
bool cigar_add_columns(struct cigar *cigar, const struct aligned *aligned, enum strand strand);

/** Append the operations as text. */
bool cigar_print(const struct cigar *cigar, kstring_t *text);

/** Append the text of an MD tag. */
bool cigar_print_md(const struct aligned *aligned, enum strand strand, kstring_t *text);

void cigar_destroy(struct cigar *cigar);

#endif
