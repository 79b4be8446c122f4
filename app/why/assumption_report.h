/* assumption_report.h - the shares of assumptions as text, TSV and JSON.
 *
 * Text      a table per kind of quantity (N_Q, P_BP, rho, lambda): a row per step with its share, and what is left.
 * TSV, JSON a row per quantity and step: what the step makes of the quantity, with its joint interval, and its share.
 * Errors    of result_table.h.
 */
#ifndef MERCURY_APP_WHY_ASSUMPTION_REPORT_H
#define MERCURY_APP_WHY_ASSUMPTION_REPORT_H

#include <stdio.h>

#include "base/draw/result_table.h"
#include "app/why/assumption_shares.h"

/** Write the shares. @param name  of the run, for the heading. @return 0, or negative if memory is exhausted or `out`
 *  cannot be written */
int assumption_report_write(const struct assumption_shares *shares, const char *name,
                            enum result_format format, FILE *out);

#endif
