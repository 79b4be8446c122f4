/* sam.h - alignments as SAM, the format of sequencing's tools; the subjects are its references.
 *
 * Models    one line per alignment: CIGAR of = X I D between clips, SEQ in the reference's direction, no qualities.
 *           Flags and MAPQ are those of mapping.h: a query's first alignment is primary and has the whole query, soft
 *           clipped; supplementary (0x800) and secondary ones (0x100) are hard clipped. A query without alignments has
 *           a line with flag 4.
 * Tags      AS raw score, EV E-value, NM differing bases and gap columns, PI per cent identity, BS bit score, as
 *           blastn's -outfmt 17 has them. SAM's numbers are of single precision: E-values below 1e-45 are written as 0.
 *           MD, the reference where bases differ; SA, the other pieces (primary and supplementary) of a query that is
 *           aligned in several, with CIGARs that only have their lengths, as minimap2's: all in the primary line, 64 at
 *           most in a supplementary one, the primary one first.
 * Memory    the header, and one query at a time.
 * Errors    0, a WRITE_E* code (aligned.h) or SAM_ENAME.
 * Source    SAM specification 1.6; written by htslib.
 */
#ifndef MERCURY_BLAST_WRITE_SAM_H
#define MERCURY_BLAST_WRITE_SAM_H

#include "base/why.h"
#include "blast/write/aligned.h"

enum sam_error { SAM_ENAME = -3 };

/** Check that names and lengths can be written: no two references have the same name, and no name has a letter that SAM
 * does not allow.
 *
 * @param why  on error, one line
 * @return 0, SAM_ENAME, or -1 if memory is exhausted
 */
int sam_check(const struct sequences *query, const struct sequences *database, struct why *why);

/** Write a finished list with its header. */
int sam_write(FILE *file, const struct reported_search *search, const struct alignment_list *list);

/** Write the same as BAM, to a file that has a descriptor. */
int sam_write_bam(FILE *file, const struct reported_search *search, const struct alignment_list *list);

#endif
