/* mapping.h - an alignment as SAM and PAF see it: whether it is its query's place, how sure that is, and its CIGAR.
 *
 * Role      a query's first alignment is primary. A later one is supplementary if at least half of its bases are not
 *           covered yet by primary or supplementary ones, else secondary.
 * Quality   of primary and supplementary alignments min(60, 40 (1 - r) ln b), rounded: b is the bit score, and r the
 *           mean over the alignment's bases of min(1, b' / b), with b' the best bit score of the query's other
 *           alignments that cover the base, or 0. So a place that nothing else competes with has 60, and one of two
 *           equal places 0; so do all secondary ones. This is minimap2's rule (Li, Bioinformatics 34, 2018, equation 5)
 *           with bit scores for chaining scores, base by base, and without its factor for chains of few seeds.
 * CIGAR     in the direction of the reference, which is the subject: = equal bases, X different or ambiguous ones, I a
 *           base of the query only, D one of the subject only; clips are added by whoever needs them.
 * MD        numbers of equal columns, between them the reference's letter where bases differ, and ^ before those that
 *           the query lacks (SAM optional fields, MD).
 * Memory    some 17 bytes per base of the query record while mappings are computed; a cigar of zeros is empty.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <htslib/kstring.h>

#include "blast/write/aligned.h"

enum mapping_role { MAPPING_PRIMARY, MAPPING_SUPPLEMENTARY, MAPPING_SECONDARY };

struct mapping {
    enum mapping_role role;
    uint8_t quality; /* 0 to 60 */
};

/** Those of the alignments of one query record, in their order. @return `count` mappings, for free() */
struct mapping *mapping_new(const struct sequences *query, const struct alignment *items, size_t count);

struct cigar {
    uint32_t *operations; /* as in BAM: htslib/sam.h */
    size_t count, room;
};

/** Add an operation, such as a clip; it is split if it is longer than BAM allows. Length 0 adds none. */
void cigar_add(struct cigar *cigar, int operation, uint64_t length);

/** Add all columns. @param strand  the alignment's: on the minus strand `aligned` runs against the reference */
void cigar_add_columns(struct cigar *cigar, const struct aligned *aligned, enum strand strand);

/** Append the operations as text. */
void cigar_print(const struct cigar *cigar, kstring_t *text);

/** Append the text of an MD tag. */
void cigar_print_md(const struct aligned *aligned, enum strand strand, kstring_t *text);

void cigar_destroy(struct cigar *cigar);
