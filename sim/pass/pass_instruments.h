/* pass_instruments.h - what observes a pass, opened and closed in the process that simulates it.
 *
 * Models    nothing. What a pass measures goes to its report's file; what is drawn of it to the run's
 *           files (run_drawings.h).
 * Errors    an enum pass_error and one line.
 */
#ifndef MERCURY_SIM_PASS_PASS_INSTRUMENTS_H
#define MERCURY_SIM_PASS_PASS_INSTRUMENTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/why.h"
#include "sim/measure/measure.h"
#include "sim/pass/pass_report.h"
#include "sim/pass/pass_set.h"
#include "sim/pass/run_drawings.h"

struct open_instruments {
    struct pass_instruments tools;
    FILE *records; /* of the report; NULL if nothing is measured */
};

/** Whether a pass is drawn. */
bool pass_is_drawn(const struct passes *passes, size_t pass);

/** Finish what is measured in a pass, and see that all of it is in its file. */
int pass_finish_measure(struct measure *measure, FILE *records, size_t pass, struct why *why);

/** Open the instruments of a report's pass.
 *
 * @param drawings  files of the pass that is drawn
 * @param words     counter for a display of progress
 */
int pass_instruments_open(struct open_instruments *open, const struct passes *passes,
                          const struct run_drawings *drawings, atomic_ullong *words,
                          struct pass_report *report);

/** Close them, and complete what they have observed. @param status  of the pass, which an error of theirs replaces */
int pass_instruments_close(struct open_instruments *open, struct pass_report *report, int status);

#endif
