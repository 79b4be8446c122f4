/* reproduce_page.h - the page of the published runs: printed predictions and measurements beside what the formulas and
 * the simulated machine give, as pictures and as numbers, with marks where printed numbers do not hold (page.h).
 *
 * Simulated the runs are replayed on the machine as published (dor2010) by random seeds with their fractions, as by
 *           `mercury replay --machine dor2010`.
 * Machine   a row per measured quantity and run; the axis is value / measured value, so that quantities of any unit
 *           stand below each other. If 0 or about 0 was measured, the row has the numbers as text.
 * Formulas  a row per printed prediction; the axis is the difference in per cent, the band the printed rounding.
 * Ends      What is beyond the ends of an axis stands at the end.
 * Errors    an enum command_status and one line. The file is whole or not there.
 */
#ifndef MERCURY_APP_REPRODUCE_REPRODUCE_PAGE_H
#define MERCURY_APP_REPRODUCE_REPRODUCE_PAGE_H

#include <stdbool.h>

#include "base/draw/result_table.h"
#include "base/why.h"
#include "validate/dor2010.h"

/** The inputs of a run, printed and used. @param title  of a text; NULL: none; @param widths  borrowed, as title */
struct result_table *reproduction_inputs(const struct reproduction *of, const char *title,
                                         const int widths[4]);

/** Replay the runs and write the page.
 *
 * @param wanted  whether the page has a run
 * @param quiet   show no progress
 * @param path    "-" is standard output
 */
int reproduce_page_write(const bool wanted[DOR2010_RUNS], bool quiet, const char *path, struct why *why);

#endif
