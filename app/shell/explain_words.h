/* explain_words.h - what mercury explain knows beyond the numbers of a run: words that reports, verdicts and documents
 * use, parameters of the machine, columns of sweeps and estimates.
 *
 * Sources   parameters are explained by their own table (hardware.h), columns by theirs (sweep_measure.h,
 *           estimate_page.h); only words have theirs here.
 */
#pragma once

#include <stdbool.h>

#include "traces/explain.h"

/** Add them all. @return false if memory is exhausted; the explanations stay as they were */
bool explain_words_add(struct explanations *all);
