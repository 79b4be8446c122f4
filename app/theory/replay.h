/* replay.h - a published run of the machine again: the board's clock rules, fed with random seeds.
 *
 * Models    one long pass of a database whose seeds are drawn (seed_draws.h) through the board (board.h), until every
 *           measured cell's confidence interval is narrow. Bus and host are as in a real pass (system.h): the host
 *           supplies host.supply bytes/s from the first clock on, a block's transfer begins when it is being supplied
 *           and the bus has done with the block before; a word takes the bus as long as the block alone would, or
 *           longer by the records of earlier blocks that are still on their way.
 * Measured  as in a real pass, by its taps (machine_frame.h), in data frames: a frame is a stretch of whole blocks, at
 *           least REPLAY_FRAME_WORDS words, and what it measures is what its own elements did, wherever they were when
 *           the next frame began: the difference of two readings, each taken as if the board drained there. The first
 *           REPLAY_WARM_UP_FRAMES frames, which begin with an empty board, are left out; the others are the batches of
 *           batch_means.h.
 * Stop      after REPLAY_LEAST_FRAMES frames or more, when every cell's half-width is at most `interval` of its mean,
 *           or of replay_cell_floor() where the mean is smaller than that: nothing published tells smaller values
 *           apart. The rule is looked at every REPLAY_LOOK_FRAMES frames only; that makes the intervals a little too
 *           narrow.
 * Engines   fast: recurrences. events: the same words once more, every element by SimGrid actors (events.h), and
 *           measured there; needs memory for all tokens. Every count and clock must be that of the recurrences; a
 *           difference is a bug and ends the run.
 * Errors    a negative REPLAY_E* code and one line.
 */
#ifndef MERCURY_APP_THEORY_REPLAY_H
#define MERCURY_APP_THEORY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "traces/batch_means.h"
#include "sim/board/hardware.h"
#include "app/theory/replay_cells.h"
#include "traces/frame.h"

enum {
    REPLAY_FRAME_WORDS = 262144,
    REPLAY_WARM_UP_FRAMES = 1,
    REPLAY_LEAST_FRAMES = 32,
    REPLAY_LOOK_FRAMES = 8,
};

enum replay_error {
    REPLAY_EMEMORY = -1,
    REPLAY_EBUG = -2,    /* a measurement contradicts itself */
    REPLAY_EENGINE = -3, /* the events cannot be run */
};

struct replay_options {
    const struct replay_scenario *scenario;
    const struct hardware *hardware; /* checked */
    unsigned long seed;
    double interval;      /* half-width asked for, relative, > 0 */
    uint64_t clocks;      /* measure so many, whatever the intervals; 0: until they are narrow */
    uint64_t most_clocks; /* give up behind so many */
    bool events;          /* move every element by events, too */
    bool quiet;           /* no progress */
};

struct replay_result {
    struct estimate cells[REPLAY_CELLS];
    struct frame steady; /* of all measured frames, without histograms */
    size_t frames;       /* of these */
    uint64_t warm_up_clocks;
    bool narrow;         /* every interval is as narrow as asked */
    unsigned correlated; /* cells whose frames are too short (batch_means_are_correlated) */
};

/** @param result  filled on success */
int replay_run(const struct replay_options *options, struct replay_result *result, struct why *why);

#endif
