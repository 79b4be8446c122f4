/* mapping.h - which of a query's alignments is its place, and how sure that is.
 *
 * Role      a query's first alignment is primary. A later one is supplementary if at least half of its bases are not
 *           covered yet by primary or supplementary ones, else secondary.
 * Quality   of primary and supplementary alignments min(60, 40 (1 - r) ln b), rounded: b is the bit score, and r the
 *           mean over the alignment's bases of min(1, b' / b), with b' the best bit score of the query's other
 *           alignments that cover the base, or 0. So a place that nothing else competes with has 60, and one of two
 *           equal places 0; so do all secondary ones. This is minimap2's rule (Li, Bioinformatics 34, 2018, equation 5)
 *           with bit scores for chaining scores, base by base, and without its factor for chains of few seeds.
 * Memory    some 17 bytes per base of the query record while they are computed.
 */
#ifndef MERCURY_BLAST_WRITE_MAPPING_H
#define MERCURY_BLAST_WRITE_MAPPING_H

#include <stddef.h>
#include <stdint.h>

#include "blast/sequence/sequence.h"
#include "blast/stage3/alignment.h"

enum mapping_role { MAPPING_PRIMARY, MAPPING_SUPPLEMENTARY, MAPPING_SECONDARY };

struct mapping {
    enum mapping_role role;
    uint8_t quality; /* 0 to 60 */
};

/** Those of the alignments of one query record, in their order.
 *
 * @return `count` mappings, which the caller frees; NULL if memory is exhausted
 */
struct mapping *mapping_new(const struct sequences *query, const struct alignment *items, size_t count);

#endif
