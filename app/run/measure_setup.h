/* measure_setup.h - what a run measures: from the file of directives to a plan for its machine.
 *
 * Default   data/directives/default.tt, found as the default platform is. With "none", and without a directory for the
 *           results, only the frames of passes are measured.
 * Sets      what is neither a path with a slash nor a file is the name of a set of directives beside default.tt, with
 *           or without its ".tt": timetrial2011.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <limits.h>

#include "base/why.h"
#include "sim/board/hardware.h"
#include "app/run/run_options.h"

struct measure_setup {
    struct directives directives;
    struct measure_plan *plan;     /* NULL if nothing is asked for */
    struct measure_report *report; /* NULL if nothing is asked for */
    bool of_run; /* frames of the run are asked for: the run is timed first, and measured then */
};

/** Find a file of directives or a set of them. @param name  a path, "-", or the name of a set; @param path  out */
int measure_setup_find(const char *name, char path[PATH_MAX], struct why *why);

/** Read the file that --measure names and bind it to the machine. @param hardware  checked; borrowed */
int measure_setup_open(struct measure_setup *setup, const struct run_options *options,
                       const struct hardware *hardware, struct why *why);
void measure_setup_close(struct measure_setup *setup);
