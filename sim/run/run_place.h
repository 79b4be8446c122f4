/* run_place.h - which run a user means who names its directory or its summary, and where its files are.
 *
 * Versions  are looked at here, for every command: a run.json whose layout this version does not read is refused. A
 *           summary is looked at by run_read(), or by run_place_check() where nobody reads it.
 * Errors    a negative RUN_E* code and one line that says what to do.
 */
#pragma once

#include <limits.h>

#include <jansson.h>

#include "base/why.h"

enum run_error { RUN_EINPUT = -2 };

/* The layouts of run.json: of mercury run and retime, and of mercury queue. */
#define RUN_SCHEMA      "mercury-run-1"
#define LINE_RUN_SCHEMA "mercury-queue-run-1"
/* That of summary.json, and the one of an older version, which is read as well. */
#define SUMMARY_SCHEMA        "mercury-summary-2"
#define SUMMARY_SCHEMA_BEFORE "mercury-summary-1"

/** The file in the directory of a run that has not ended: the passes that have (sim/pass/pass_store.h), and the command
 *  that asked for the run. It is gone when the run has written everything else. */
#define RUN_UNFINISHED "unfinished.passes"

enum run_kind {
    RUN_OF_UNKNOWN, /* no run.json, or one that tells nothing */
    RUN_OF_BOARDS,
    RUN_OF_PIPELINE, /* of mercury queue */
};

struct run_place {
    char directory[PATH_MAX]; /* "" if the summary is not called summary.json: nothing is known beside it */
    char summary[PATH_MAX];   /* "-" is standard input */
    char run[PATH_MAX];       /* run.json, which may not be there; "" without a directory */
    enum run_kind kind;
};

/** Find a run of which there may be only parts. @param path  of its directory or of its summary, or "-" */
int run_place_look(const char *path, struct run_place *place, struct why *why);

/** Find a run that has finished, if the path is a directory: run.json is the last file that a run writes. */
int run_place_find(const char *path, struct run_place *place, struct why *why);

/** Find a run that has finished, and refuse a path that is no directory. */
int run_place_find_directory(const char *path, struct run_place *place, struct why *why);

/** Refuse what begins as a sweep's store, a token record or FASTA, and name the command that reads it. @return 0 for
 *  anything else */
int run_place_know_file(const char *begin, const char *path, struct why *why);

/** Refuse a summary of a version that this one does not read, or what is none. */
int run_place_know_summary(const json_t *root, const char *path, struct why *why);

/** Refuse a pipeline, and the version of a summary that nobody will read. It may be missing. */
int run_place_check(const struct run_place *place, struct why *why);

/** Refuse a file of another version. The line names that version if the file tells it, or run.json beside it.
 *  @param known  the layouts that are read */
int run_place_refuse(const json_t *root, const char *path, const char *known, struct why *why);
