/* explain_table.h - explanations of the numbers that are not in a frame's layout, for explain.c only. */
#ifndef MERCURY_TRACES_EXPLAIN_TABLE_H
#define MERCURY_TRACES_EXPLAIN_TABLE_H

#include "traces/explain.h"

extern const struct explanation explain_table[];
extern const size_t explain_table_count;

#endif
