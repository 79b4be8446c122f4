/* paf.h - alignments as PAF, the format of long-read mappers, and as BED, that of genome browsers.
 *
 * PAF       one line per alignment: query, its length, begin and end (from 0, on its plus strand), strand; the same of
 *           the subject; equal bases, columns, mapping quality (mapping.h). Tags: tp:A:P of primary and supplementary
 *           alignments, S of secondary ones; NM and AS as in SAM; de, the share of differing columns, with a gap of any
 *           length as one; cg, the CIGAR with = and X.
 * BED       one line per alignment: subject, begin and end (from 0), query, mapping quality, strand; the first three
 *           columns are those of `bedtools bamtobed`, in the order of the alignments.
 * Errors    0 or a WRITE_E* code (aligned.h).
 * Source    Li, minimap2's manual page, "Output format"; the BED specification 1.0 of hts-specs
 */
#ifndef MERCURY_BLAST_WRITE_PAF_H
#define MERCURY_BLAST_WRITE_PAF_H

#include "blast/write/aligned.h"

/** Write a finished list. */
int paf_write(FILE *file, const struct reported_search *search, const struct alignment_list *list);

int bed_write(FILE *file, const struct reported_search *search, const struct alignment_list *list);

#endif
