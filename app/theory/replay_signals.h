/* replay_signals.h - which margin would make a signal of a replay come out as it was measured.
 *
 * Models    P_BP of 1b and of 2 are signals that nothing waits for: on in the clocks in which fewer places are free than their
 *           margin says (fifo.wmer_margin, fifo.stage2_margin). No publication gives the margins. So where such a cell comes
 *           out wrong, the same clocks are replayed with other margins, for the one nearest to the machine's own that puts
 *           the cell inside the interval asked for; no other cell changes.
 */
#ifndef MERCURY_APP_THEORY_REPLAY_SIGNALS_H
#define MERCURY_APP_THEORY_REPLAY_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "app/theory/replay.h"

struct replay_signal {
    const char *name; /* of the margin */
    uint32_t margin;  /* the machine's own */
    uint32_t
        other_margin; /* nearest to it of those that reach the interval or pass it; the last where none does */
    double other_value; /* of the cell with it */
    bool found;         /* which is inside */
};

/** Whether a cell is such a signal. */
bool replay_cell_is_signal(enum replay_cell cell);

/** @param options  of the replay that had `as_is`
 *  @param low, high  what is looked for
 *  @return 0 or a negative REPLAY_E* code and one line */
int replay_signal_explain(const struct replay_options *options, const struct replay_result *as_is,
                          enum replay_cell cell, double low, double high, struct replay_signal *out,
                          struct why *why);

#endif
