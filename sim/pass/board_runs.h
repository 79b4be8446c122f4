/* board_runs.h - recorded runs that have a board each: alone, and together on one bus.
 *
 * Models    boards that share one bus. Each does the passes of a recorded run, one after the other, and nothing else
 *           (sim/simgrid/system.h): the passes of a run stay on its board, whichever board is free. All begin at time
 *           0.
 *           Stage 3 of a run never holds its board, so the host's cores are left out, and so is building tables.
 * Answers   what moved over the bus for each board and when, and when each board was free for good.
 * How       SimGrid has one engine per process: every set of boards is timed in a child of its own (pass_pool.h).
 * Memory    24 bytes per transfer, and the HSPs of the passes that are on the boards.
 * Errors    an enum pass_error and one line.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "sim/board/hardware.h"
#include "sim/simgrid/system_pass.h"
#include "sim/tokens/token_record.h"

/** Boards that work at the same time. Everything is borrowed. */
struct board_runs {
    const struct hardware *hardware;                         /* has at least `count` boards, and one bus */
    const char *platform_file;                               /* platform_simgrid_file() of that machine */
    const struct token_record *records[HARDWARE_BOARDS_MAX]; /* of each board */
    uint32_t count;
};

/** What one board did. */
struct board_run {
    struct transfer_log log; /* for transfer_log_destroy() */
    double end_s;            /* when the board was free for good */
};

/** Time sets of boards, each by itself.
 *
 * @param jobs  number of sets to time at once, >= 1
 * @param out   a board_run per board of each set, set after set; on an error there is nothing to destroy
 */
int board_runs_time(const struct board_runs *sets, size_t set_count, unsigned jobs, struct board_run *out,
                    struct why *why);
