/* share_theory.h - boards that share a bus: what was simulated, and what theory says from each board alone.
 *
 * Models    those of model/closed/parallel_runs.h, of frames of the time alone: their length, and what of blocks,
 *           tables and records is in each. The service of the bus is the transfer of a whole block, alone.
 * Memory    share_boards_destroy() frees what was timed.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_SHARE_SHARE_THEORY_H
#define MERCURY_APP_SHARE_SHARE_THEORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "model/closed/parallel_runs.h"
#include "sim/board/hardware.h"
#include "sim/pass/board_runs.h"
#include "sim/tokens/token_record.h"

/** A number of boards, simulated. */
struct share_case {
    const struct hardware *hardware;
    unsigned count;                                   /* number of boards, 1 to PARALLEL_RUNS_MAX */
    const char *names[PARALLEL_RUNS_MAX];             /* of the runs */
    const struct board_run *alone[PARALLEL_RUNS_MAX]; /* runs that are the same may have the same */
    const struct board_run *together[PARALLEL_RUNS_MAX];
};

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

/** What is chosen for a prediction. */
struct share_choice {
    double step_s;     /* length of a frame; 0: the default of share_theory_step_s() */
    unsigned clusters; /* number of groups per run */
    uint64_t seed;
    double bus_rate; /* the models take the bus for so many times as fast as it is; 1: as it is */
};

struct share_prediction {
    double end_s[PARALLEL_MODELS][PARALLEL_RUNS_MAX];
    struct isolated_fit fit[PARALLEL_RUNS_MAX];
    unsigned groups[PARALLEL_RUNS_MAX]; /* number of groups that were found */
    bool is_linearized;                 /* MVA was too large: Linearizer took its place */
};

int share_theory_predict(const struct share_case *boards, const struct share_choice *choice,
                         struct share_prediction *out, struct why *why);

/** How much longer a run takes beside the others, as a part of its time alone. */
double share_theory_simulated(const struct share_case *boards, unsigned run);
double share_theory_modelled(const struct share_case *boards, const struct share_prediction *prediction,
                             enum parallel_model model, unsigned run);

/** The mean over all runs of the absolute difference of both. */
double share_theory_error(const struct share_case *boards, const struct share_prediction *prediction,
                          enum parallel_model model);

/** Bytes that were moved, of requests for which a board waits or of all transfers. */
double share_theory_bytes(const struct board_run *run, bool only_awaited);

/** The fraction of its time alone in which a run keeps the bus busy. */
double share_theory_bus(const struct share_case *boards, unsigned run);

/** The time that a block takes on the bus alone. */
double share_theory_block_s(const struct share_case *boards);

/** The length of a frame that is chosen; by default half of that, or longer if a run would have more than 200,000
 *  frames. */
double share_theory_step_s(const struct share_case *boards, const struct share_choice *choice);

/** Names of the models, for tables and pictures. */
extern const char *const share_theory_names[PARALLEL_MODELS];

#endif
