/* frenkel_report.h - the identities of random sums (validate/frenkel.h), printed for `mercury reproduce frenkel`. */
#ifndef MERCURY_APP_THEORY_FRENKEL_REPORT_H
#define MERCURY_APP_THEORY_FRENKEL_REPORT_H

#include "base/draw/result_table.h"
#include "base/why.h"

/** Compute, simulate and print them on standard output.
 *
 * @param seed  1 to 2^32 - 1
 * @return an enum command_status: COMMAND_FAILED if a cell is not admitted
 */
int frenkel_report(unsigned long seed, enum result_format format, struct why *why);

#endif
