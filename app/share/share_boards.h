/* share_boards.h - recorded runs on boards that share a bus, timed alone and together on a number of machines.
 *
 * Memory    share_boards_destroy() frees what was timed.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_SHARE_BOARDS_H
#define MERCURY_APP_THEORY_SHARE_BOARDS_H

#include <stddef.h>

#include "base/why.h"
#include "sim/tokens/token_record.h"
#include "app/share/share_theory.h"

/** The runs; everything is borrowed. */
struct share_runs {
    unsigned count; /* number of boards, 2 to PARALLEL_RUNS_MAX */
    const char *names[PARALLEL_RUNS_MAX];
    const struct token_record *records[PARALLEL_RUNS_MAX]; /* boards of the same run have the same */
    const char *platform_file;                             /* as in struct board_runs */
    unsigned jobs;                                         /* number of machines to simulate at a time */
};

/** What was timed; 0 for share_boards_destroy(). */
struct share_boards {
    struct share_case *cases; /* of each machine */
    struct board_run *runs;
    size_t run_count;
};

/** Time the runs on `count` machines, which have a board for each and one bus. */
int share_boards_time(const struct share_runs *runs, const struct hardware *machines, size_t count,
                      struct share_boards *out, struct why *why);
void share_boards_destroy(struct share_boards *boards);

#endif
