/* report_dots.h - where the alignments are: a dot plot, and the best of them as a table.
 *
 * Axes      positions in the database and in the query, record after record, with a line between records. Without
 *           records.tsv a record is as long as its last alignment.
 * Strands   differ by colour, and by slope: the query's minus strand runs down.
 * Many      an alignment that is shorter than a pixel, on a pixel that has one of its strand, is left out; LINES_MAX
 *           lines are drawn at most, the longest ones.
 */
#ifndef MERCURY_APP_REPORT_REPORT_DOTS_H
#define MERCURY_APP_REPORT_REPORT_DOTS_H

#include "app/report/report_part.h"

extern const struct report_part report_dots;

#endif
