/* measure_channel.h - the samples of a block's elements: what each is worth, and in which clock it counts.
 *
 * Models    what a tap beside a port would note of every element that passes (Lancaster et al. 2011, section III).
 * Values    latencies are clocks from an element's arrival at one port to its arrival at another; an element's origin
 *           is the word, seed, trip or match it came from. Origins are clocks, of records only. Other kinds:
 *           measure_plan.h.
 * Memory    the samples of a block, and of elements on the board.
 */
#ifndef MERCURY_SIM_MEASURE_CHANNEL_H
#define MERCURY_SIM_MEASURE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/tokens.h"
#include "sim/board.h"
#include "sim/measure_plan.h"

struct samples {
    int64_t *clocks; /* in order; filled only where asked for */
    int64_t *values;
    size_t count, room;
};

/** Append a block's samples.
 *
 * @param with_clocks  fill in clocks, too
 * @return false when memory is out
 */
bool channel_sample(struct samples *samples, const struct channel_spec *channel,
                    const struct board_rules *rules, const struct tokens *tokens,
                    const struct board_times *times, bool with_clocks);

/** Drop the first `count`. */
void samples_drop(struct samples *samples, size_t count);
void samples_destroy(struct samples *samples);

#endif
