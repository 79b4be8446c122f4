/* share_theory.h - boards that share a bus: what was simulated, and what theory says from each board alone.
 *
 * Models    those of model/closed/parallel_runs.h, of frames of the time alone: their length, and what of blocks,
 *           tables and records is in each. The service of the bus is the transfer of a whole block, alone.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "model/closed/parallel_runs.h"
#include "sim/board/hardware.h"

/** The runs; everything is borrowed. */
struct share_runs {
    unsigned count; /* number of boards, 2 to PARALLEL_RUNS_MAX */
    const char *names[PARALLEL_RUNS_MAX];
    struct token_record *records[PARALLEL_RUNS_MAX]; /* of the first board that does a run; NULL of others */
    unsigned first[PARALLEL_RUNS_MAX];               /* number of that board */
    const char *platform_file;                       /* as in struct board_runs */
    unsigned jobs;                                   /* number of machines to simulate at a time */
};

/** What is chosen for a prediction. */
struct share_choice {
    /* Length of a frame; 0: half of a block's time on the bus, or longer if a run had more than 200,000 frames. */
    double step_s;
    unsigned clusters; /* number of groups per run */
    uint64_t seed;
    unsigned servers; /* of the private centres; without alpha */
    double alpha; /* the private centres' rate is this power of their load; 0: it is that of busy servers */
    double bus_rate; /* the models take the bus for so many times as fast as it is; 1: as it is */
};

/** Runs on one machine. How much slower a run is, is a part of its time alone. */
struct share_answer {
    double block_s;                                      /* the time that a block takes on the bus alone */
    double step_s;                                       /* length of a frame */
    double alone_s[PARALLEL_RUNS_MAX];                   /* time of a run alone */
    double bus[PARALLEL_RUNS_MAX];                       /* fraction of that in which it keeps the bus busy */
    double slower[PARALLEL_RUNS_MAX];                    /* beside the others, simulated */
    double modelled[PARALLEL_MODELS][PARALLEL_RUNS_MAX]; /* by each model */
    double error[PARALLEL_MODELS];                       /* mean over all runs of the difference of both */
    double unawaited;                                    /* fraction of all bytes for which no board waits */
    struct isolated_run *runs; /* frames, groups and what was fitted; equal runs have the same ones */
    bool is_linearized;        /* MVA was too large: Linearizer took its place */
};

/** Time the runs on `count` machines, which have a board for each and one bus, and predict the same. With several
 * machines the answers have no frames and groups. That of one is closed by share_answer_close(), after an error too. */
int share_theory_answer(const struct share_runs *runs, const struct hardware *machines, size_t count,
                        const struct share_choice *choice, struct share_answer *answers, struct why *why);

void share_answer_close(const struct share_runs *runs, struct share_answer *answer);

/** Names of the models, for pictures and messages. */
#define SHARE_MVA         "MVA"
#define SHARE_FAIR_SHARES "shares"
