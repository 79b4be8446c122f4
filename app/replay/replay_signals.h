/* replay_signals.h - the margin with which a signal of a replay would be as it was measured.
 *
 * Models    P_BP of 1b and of 2 are signals for which nothing waits: they are on in clocks with fewer free places than
 *           their margin (fifo.wmer_margin, fifo.stage2_margin). No publication gives the margins. If such a cell
 *           differs from the measurement, the same clocks are replayed with other margins, to find the margin nearest
 *           to the machine's own with which the cell is inside a given interval; no other cell changes.
 */
#ifndef MERCURY_APP_THEORY_REPLAY_SIGNALS_H
#define MERCURY_APP_THEORY_REPLAY_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "app/replay/replay.h"

struct replay_signal {
    const char *name; /* of the margin, such as fifo.wmer_margin */
    uint32_t margin;  /* the machine's own */
    /** The nearest margin with which the cell reaches or passes the interval; the last one tried if none does. */
    uint32_t other_margin;
    double other_value; /* of the cell with `other_margin` */
    bool found;         /* whether `other_value` is inside the interval */
};

/** Whether a cell is a signal that nothing waits for. */
bool replay_cell_is_signal(enum replay_cell cell);

/** Search the margin for a cell.
 *
 *  @param options  of the replay whose result is `as_is`
 *  @param low, high  the interval that the cell should be in
 *  @return 0 or a negative REPLAY_E* code and one line */
int replay_signal_explain(const struct replay_options *options, const struct replay_result *as_is,
                          enum replay_cell cell, double low, double high, struct replay_signal *out,
                          struct why *why);

#endif
