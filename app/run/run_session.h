/* run_session.h - a run of `mercury run`, from what is asked for to the files it leaves.
 *
 * Models    nothing itself: reads the machine and the input, has the passes simulated (passes.h) with what is to be
 *           measured and recorded, limits the alignments that are kept, and writes all (run_output.h).
 * Checks    what can be found wrong is found before the first pass is simulated.
 * Signals   that end the process remove partial files first.
 * Errors    COMMAND_* and one line.
 */
#ifndef MERCURY_APP_RUN_RUN_SESSION_H
#define MERCURY_APP_RUN_RUN_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/dust.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/run/search_options.h"

/** What is asked for. Texts are borrowed. */
struct run_request {
    struct run_options shared;
    struct search_options search;
    const char *scores;    /* a preset's name; NULL: the platform's */
    const char *record;    /* the file for mercury retime; NULL: none */
    const char *paje;      /* the file for the first pass's events, which `events` has; NULL: none */
    bool events;           /* also move every element through SimGrid */
    bool dust, lower_case; /* what is masked of the query */
    struct dust_rule dust_rule;
    uint64_t max_subjects, max_alignments; /* of a query, of a subject; 0: all */
    bool dump_config;                      /* print the machine's numbers to standard output instead */
};

int run_session(const struct run_request *request, struct why *why);

#endif
