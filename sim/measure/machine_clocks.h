/* machine_clocks.h - the machine's two clocks, and one time for both.
 *
 * Models    TimeTrial's time (Lancaster et al. 2011, section III): the board stamps by its own clock and the host by
 *           its own, each with a rate error and an offset (parameters clock.*). A linear map, estimated from stamps
 *           that they exchange, takes the board's stamps to the host's time, which is virtual time (traces/clocks.h).
 *           The board's stamps count its clocks, so they are that coarse; the host's are as fine as a double. A rate
 *           error affects stamps only: the machine itself runs at fpga.clock and host.clock, in true time. A duration
 *           in local stamps differs from the true one by the rate error, and the map corrects it.
 * Messages  are those of the blocks, no others. Of a block that comes in, the host stamps the begin of the transfer,
 *           the board its first word. Of records that leave, the board stamps when the last one of a block enters the
 *           egress FIFO, the host when they are in its memory. Delays are those of the simulated bus and FIFOs;
 *           nothing is assumed of them.
 * Run       the clocks run on from pass to pass. The map for a pass's frames is made of the stamps up to the end of
 *           the pass, as an agent that maps while the machine runs has them; the map that is reported is made of the
 *           stamps of the whole run. If passes sent records at fewer than two times, there is no map, and virtual
 *           times are missing.
 * Memory    STAMPS_MAX messages: those that can bound a line, thinned if there are more.
 * Errors    MACHINE_CLOCKS_E*.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/why.h"
#include "traces/clocks.h"
#include "sim/board/hardware.h"

/* Stamps contradict each other, or the truth is outside the bounds of the estimate. */
enum machine_clocks_error { MACHINE_CLOCKS_EBUG = -2 };

enum { STAMPS_MAX = 512 };

/** Messages: clock_s is the time of the board's stamp, reference_s of the host's. All zero: none yet. */
struct stamp_log {
    struct stamp_pair pairs[STAMPS_MAX];
    size_t count;
    uint64_t to_board, from_board; /* number of all messages, kept or not */
};

void stamp_log_add(struct stamp_log *log, enum stamp_direction direction, double board_s, double host_s);

/** The stamps of a pass, in true seconds since it began. */
struct pass_stamps {
    struct stamp_log messages;
    double stream_begin_s; /* time of clock 0 */
    int64_t board_end;     /* the clock in which the board is empty */
};

struct machine_clocks;

/** @param hardware  checked; borrowed */
struct machine_clocks *machine_clocks_new(const struct hardware *hardware);
void machine_clocks_destroy(struct machine_clocks *clocks);

/** Take in the next pass and make the map anew. @param begin_s  begin of the pass, in true time of the run */
int machine_clocks_add_pass(struct machine_clocks *clocks, const struct pass_stamps *stamps, double begin_s,
                            struct why *why);

enum clock_domain { DOMAIN_FPGA, DOMAIN_HOST };

struct clock_reading {
    double local_s;
    double virtual_s; /* NaN if there is no map */
};

/** What a clock of the machine shows in a clock of the last pass taken in, or of the run (frame_record.h), and the
 *  virtual time of that stamp by the map of the passes taken in so far. */
struct clock_reading machine_clocks_read(const struct machine_clocks *clocks, enum clock_domain domain,
                                         int64_t clock, bool of_run);

/** The object "local_clocks" of summary.json. */
json_t *machine_clocks_json(const struct machine_clocks *clocks);

/** Write a paragraph for people, or nothing if both clocks are right. */
void machine_clocks_write_text(const struct machine_clocks *clocks, FILE *out);
