/* estimate_session.h - an estimate, from what is asked for to its rows, the times of a program on several numbers of
 * nodes: of the command, and of the explorer's page.
 *
 * Order     estimate_session_read(), then estimate_session_make(), each of a session and of those that it is spread to.
 * Processes each execution in SimGrid has one of its own, since SimGrid has one engine per process. All numbers of
 *           nodes are checked before the first execution begins.
 * Memory    what the session points to stays with its caller. Start with a struct of zeros, and release it, also after
 *           an error.
 * Errors    an enum command_status and one line, which speaks of the command's options.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/command.h"
#include "base/why.h"
#include "model/estimate/estimate_arithmetic.h"
#include <limits.h>
#include "sim/board/hardware.h"

/** The run whose workload is estimated. */
struct estimate_workload {
    char path[PATH_MAX];              /* of summary.json */
    double simulated_s;               /* time of the run */
    double passes, bases;             /* of the run; of a pass, mean */
    double passes_per_segment, parts; /* of the query; that the database is dealt in */
    bool has_machine;                 /* run.json was beside it */
    struct hardware hardware;         /* of the run, or the default one with the numbers of summary.json */
};

/** What the text is to be scaled to; 0: as the run. */
struct estimate_scale {
    double segments, bases;
    bool by_database; /* the database is dealt over all boards; otherwise passes are */
    bool synchronize; /* schedule.overlap = serial: a pass begins when the last one's clusters are done */
};

enum {
    ESTIMATE_SESSION_FILES = 16,
    ESTIMATE_SESSION_SETS = 128,
    ESTIMATE_ROWS_MAX = 64,
    ESTIMATE_MACHINES = 2,
    ESTIMATE_VALUES_MAX = 6, /* of a number that varies */
};

/** What is asked for; the first is both. */
enum estimate_mode { ESTIMATE_BOTH, ESTIMATE_ARITHMETIC, ESTIMATE_EXECUTED };

/** Times are NaN if they are not known. */
struct estimate_row {
    uint32_t nodes;
    double detailed_s, executed_s, estimated_s; /* simulated */
    double detailed_wall_s, executed_wall_s, estimated_wall_s;
    struct estimate_limits limits; /* by arithmetic */
    unsigned differences;          /* bits of enum estimate_difference */
    bool other_cores;              /* the run whose workload it is had another number of cores a host */
};

struct estimate_session {
    /* What is asked for; NULL and 0: not given. */
    const char *files[ESTIMATE_SESSION_FILES], *sets[ESTIMATE_SESSION_SETS];
    size_t file_count, set_count;
    const char *nodes, *from, *record;
    enum estimate_mode mode;
    struct estimate_scale scale;
    bool quiet, wall; /* wall: the table has wall times */
    /* What has come of it. */
    struct estimate_text text;
    struct estimate_workload workload;
    char *workload_text; /* NULL without `from` */
    struct estimate_row rows[ESTIMATE_ROWS_MAX];
    unsigned count;
    /* What tells sessions apart that one was spread to; 0 and NULL if it was not. */
    unsigned machine, value;       /* which of the machines, and of the values */
    char *varied;                  /* "disk.number=4" */
    double varied_to;              /* that value, as the texts have it */
    struct estimate_session *next; /* machine by machine, value by value */
};

/** The options that say what is asked for, but for the record. */
extern const struct command_option estimate_session_options[];

/** The file that a name of the command line, or in another text, leads to: that file, or one of data/machines.
 *  @param from  the text with the name; NULL: the command line
 *  @return for free() */
char *estimate_session_find_file(const char *name, const char *from);

/** Read the texts and the run, change what is to be changed, and find the numbers of nodes. */
int estimate_session_read(struct estimate_session *session, struct why *why);

/** Make the rows, with the detailed times that are known. */
int estimate_session_make(struct estimate_session *session, struct why *why);

/** Spread a session that was not yet read to a second machine in place of its first file, and to values of a number.
 *  @param against  that machine; vary  NAME.KEY=VALUE,VALUE ...; NULL: there is none */
int estimate_session_spread(struct estimate_session *session, const char *against, const char *vary,
                            struct why *why);

/** Release it, and those that it was spread to. */
void estimate_session_release(struct estimate_session *session);
