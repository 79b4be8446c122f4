/* alignment_limit.h - of a finished list, only the best.
 *
 * Models    a query record's best subjects, by E-value, then score, then the later in the database, and of each its best
 *           alignments: the first ones of a finished list. Everything was found and evaluated before, so that these are
 *           the best. (blastn applies its -max_target_seqs to preliminary scores already, keeping somewhat more than N
 *           subjects; one that would be among the best in the end may be lost.)
 */
#ifndef MERCURY_BLAST_STAGE3_ALIGNMENT_LIMIT_H
#define MERCURY_BLAST_STAGE3_ALIGNMENT_LIMIT_H

#include <stdint.h>

#include "blast/stage3/alignment.h"

/** Drop what is beyond the limits from a list of alignment_list_finish().
 *
 * @param subjects    of a query record, 0: no limit
 * @param alignments  of a subject, 0: no limit
 */
void alignment_list_limit(struct alignment_list *list, uint64_t subjects, uint64_t alignments);

#endif
