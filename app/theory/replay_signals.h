/* replay_signals.h - which margin would make a signal of a replay come out as it was measured.
 *
 * Models    P_BP of 1b and of 2 are signals that nothing waits for: on in the clocks in which fewer places are free
 *           than their margin says (fifo.wmer_margin, fifo.stage2_margin). No publication gives the margins. So where
 *           such a cell comes out wrong, the same clocks are replayed with other margins, for the one nearest to the
 *           machine's own that puts the cell inside the interval asked for; no other cell changes.
 */
#ifndef MERCURY_APP_THEORY_REPLAY_SIGNALS_H
#define MERCURY_APP_THEORY_REPLAY_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "app/theory/replay.h"

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

/** @param options  of the replay that had `as_is`
 *  @param low, high  the interval that the cell should be in
 *  @return 0 or a negative REPLAY_E* code and one line */
int replay_signal_explain(const struct replay_options *options, const struct replay_result *as_is,
                          enum replay_cell cell, double low, double high, struct replay_signal *out,
                          struct why *why);

#endif
