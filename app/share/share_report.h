/* share_report.h - the table of `mercury share`, in the form of Tables 5.2 and 5.3 of Leonards (2023).
 *
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_SHARE_REPORT_H
#define MERCURY_APP_THEORY_SHARE_REPORT_H

#include "base/draw/result_table.h"
#include "app/share/share_theory.h"

/** Write a row per run, and what led to it. @param path  NULL or "-": standard output */
int share_report_save(const struct share_case *boards, const struct share_choice *choice,
                      const struct share_prediction *prediction, enum result_format format, const char *path,
                      struct why *why);

#endif
