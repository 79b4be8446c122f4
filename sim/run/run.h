/* run.h - a run as a value: its frames, from the process that has simulated it or from its summary.json.
 *
 * Frames    have the numbers of the file (traces/summary.h), by the enumerators of machine_frame.h.
 * Files     are what data/schemas says: each member is there, of its type and within its bounds.
 * Layouts   mercury-summary-2 has every number of this version. Of mercury-summary-1, which an older version wrote,
 *           what is not there is NaN.
 * Memory    run_close() frees it.
 * Errors    a negative RUN_E* code and one line that names the file.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/why.h"
#include "sim/measure/machine_frame.h"
#include "sim/run/run_place.h"
#include "traces/summary.h"

struct run {
    char path[PATH_MAX], name[320]; /* of the summary; its name is printable */
    json_t *summary;                /* for its sections, which are no frames; NULL of a run without a file */
    struct frame_values whole, *passes; /* `pass_count` passes; none if only the run's frame is known */
    size_t pass_count;
    bool has_machine;      /* the run.json that is beside the summary has told it */
    bool is_of_one_strand; /* so has it that one strand of the query was searched alone */
    struct hardware hardware;
};

/** The frame of a run alone. Nothing is to be closed. */
struct run run_of_frame(const struct frame *frame);

/** Take what run_read_json() or this process has made. @param summary  is released by run_close(), also after an error
 *  @param name  for messages */
int run_take(json_t *summary, const char *name, struct run *run, struct why *why);

/** Take the text of a summary.json. */
int run_parse(const char *text, const char *name, struct run *run, struct why *why);

/** Read a run, and its machine if run.json is beside a summary.json. @param path  as of run_place_look() */
int run_read(const char *path, struct run *run, struct why *why);

/** Take the machine of a run.json. Parameters that it does not have keep their defaults.
 *
 * @param path  of the run.json, for messages
 */
int run_take_machine(const json_t *facts, const char *path, struct run *run, struct why *why);

/** The files of a run that are JSON. */
enum run_file { RUN_JSON, SUMMARY_JSON };

/** Read the object of JSON that a file of a run holds. @return NULL after an error */
json_t *run_read_json(const char *path, enum run_file file, struct why *why);

void run_close(struct run *run);
