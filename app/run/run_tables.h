/* run_tables.h - what a run leaves for those who draw it: a table of its passes, and one of its sequences.
 *
 * passes.tsv  One row per pass: which part of the query, when it was where on the machine (struct pass_times), how much
 *             passed each stage, how busy each stage was, and how full each queue was. Shares
 *             and means are over the clocks of the pass.
 * records.tsv One row per record of query and database, in their order: name, number of bases, and what lies before it.
 * Bytes       the same run writes the same bytes.
 */
#ifndef MERCURY_APP_RUN_RUN_TABLES_H
#define MERCURY_APP_RUN_RUN_TABLES_H

#include <stdio.h>

#include "app/run/run_report.h"
#include "sim/pass/passes.h"

/** @return 0, or -1 if memory is exhausted or the file cannot be written */
int run_tables_write_passes(const struct run_facts *facts, const struct passes_result *result, FILE *out);
int run_tables_write_records(const struct run_facts *facts, FILE *out);

#endif
