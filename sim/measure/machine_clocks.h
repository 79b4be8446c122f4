/* machine_clocks.h - the machine's two clocks, and one time for both.
 *
 * Models    TimeTrial's time (Lancaster et al. 2011, section III): the board stamps by its clock, the host by its own, each with
 *           a rate error and an offset (parameters clock.*); a linear map estimated from stamps that they exchange
 *           takes the board's to the host's, which is virtual time (traces/clocks.h). The board's stamps count its
 *           clocks, so they are that coarse; the host's are as fine as a double.
 *           A rate error is of stamps only. The machine itself runs at fpga.clock and host.clock, in true time: a
 *           duration in local stamps differs from the true one by the rate error, and the map undoes it.
 * Messages  those of the blocks, no others. A block in: the host stamps when its transfer begins, the board when its first
 *           word is there. Records out: the board stamps when the last of a block's enters the egress FIFO, the host
 *           when they are in its memory. Delays are what the simulated bus and FIFOs make them, and nothing is taken to be
 *           known about them.
 * Run       clocks run on from pass to pass. The map of a pass's frames is made of the stamps up to the pass's end, as
 *           an agent that maps on line has them; the one reported of those of the whole run. A run whose passes sent
 *           records in fewer than two places in time has none, and virtual times of the board are missing.
 * Memory    STAMPS_MAX messages: what can bound a line, thinned where that is more.
 * Errors    MACHINE_CLOCKS_E*.
 */
#ifndef MERCURY_SIM_MEASURE_MACHINE_CLOCKS_H
#define MERCURY_SIM_MEASURE_MACHINE_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/why.h"
#include "sim/board/hardware.h"
#include "traces/clocks.h"

enum machine_clocks_error {
    MACHINE_CLOCKS_EMEMORY = -1,
    MACHINE_CLOCKS_EBUG =
        -2, /* stamps contradict each other, or the truth is outside the estimate's bounds */
};

enum { STAMPS_MAX = 512 };

/** Messages, kept: clock_s is when the board stamped, reference_s when the host did. All zero: none. */
struct stamp_log {
    struct stamp_pair pairs[STAMPS_MAX];
    size_t count;
    uint64_t to_board, from_board; /* all there were */
};

void stamp_log_add(struct stamp_log *log, enum stamp_direction direction, double board_s, double host_s);

/** What a pass tells of its time: in true seconds since it began, and clocks since its first. */
struct pass_stamps {
    struct stamp_log messages;
    double stream_begin_s; /* clock 0 */
    int64_t board_end;     /* the clock in which the board is empty */
};

struct machine_clocks;

/** @param hardware  checked; borrowed
 *  @return NULL when memory is out */
struct machine_clocks *machine_clocks_new(const struct hardware *hardware);
void machine_clocks_destroy(struct machine_clocks *clocks);

/** Take in the next pass, and make the map anew. @param begin_s  of the pass, in true time of the run */
int machine_clocks_add_pass(struct machine_clocks *clocks, const struct pass_stamps *stamps, double begin_s,
                            struct why *why);

enum clock_domain { DOMAIN_FPGA, DOMAIN_HOST };

struct clock_reading {
    double local_s;
    double virtual_s; /* NaN where there is no map */
};

/** What a clock shows in a clock of the pass last taken in, and the virtual time of that stamp. */
struct clock_reading machine_clocks_read(const struct machine_clocks *clocks, enum clock_domain domain,
                                         int64_t clock);

/** For summary.json: "local_clocks"; NULL when memory is out. */
json_t *machine_clocks_json(const struct machine_clocks *clocks);

/** For people: a paragraph, or nothing where both clocks are right. */
void machine_clocks_write_text(const struct machine_clocks *clocks, FILE *out);

#endif
