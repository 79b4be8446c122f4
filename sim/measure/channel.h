/* channel.h - the samples of a block's elements: the value of each, and the clock in which it counts.
 *
 * Models    what a tap beside a port would note of every element that passes (Lancaster et al. 2011, section III).
 * Values    latencies are clocks from an element's arrival at one port to its arrival at another; of an element that
 *           was not there yet, from the arrival of the word, seed, trip or match it came from. Origins are clocks, of
 *           records only. The other kinds: enum channel_kind in measure_plan.h.
 * Ways      if frames end within the pass, samples are kept with their clocks until it is known which frame they belong
 *           to; if the pass is the only frame, they are only counted.
 * Memory    the samples of a block, and of the elements on the board.
 */
#ifndef MERCURY_SIM_MEASURE_CHANNEL_H
#define MERCURY_SIM_MEASURE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/tokens.h"
#include "sim/board/board.h"
#include "sim/measure/lineage.h"
#include "sim/measure/measure_plan.h"
#include "traces/directive/tally.h"

struct samples {
    int64_t *clocks; /* in order */
    int64_t *values;
    size_t count, room;
};

/** The deepest level that a channel looks at. */
enum token_level channel_depth(const struct channel_spec *channel);

/** Append the samples of a stretch of elements; not of CHANNEL_ORIGIN.
 *
 * @param stretch  at least as deep as channel_depth()
 * @param times    the clocks of the block that the stretch belongs to
 * @return false if memory is exhausted
 */
bool channel_sample(struct samples *samples, const struct channel_spec *channel,
                    const struct board_rules *rules, const struct lineage *stretch,
                    const struct board_times *times);

/** Write the samples of a channel of kind CHANNEL_ORIGIN, which are those of a stretch of records.
 *
 * @param samples  of the block's first record
 * @param stride   number of places from one record's sample to that of the next
 */
void channel_sample_origins(int64_t *samples, unsigned stride, const struct channel_spec *channel,
                            const struct board_rules *rules, const struct lineage *stretch,
                            const struct board_times *times);

/** Count the latencies of a stretch of elements, whatever their clocks. */
void channel_count_latencies(struct tally *to, const struct channel_spec *channel,
                             const struct board_rules *rules, const struct lineage *stretch,
                             const struct board_times *times);

/** Count what a block's seeds and trips are worth, whenever they were.
 *
 * @param to  the tally of each kind's samples; NULL: nobody asks for them
 */
void channels_count_seeds(struct tally *const to[CHANNEL_KINDS], const struct tokens *tokens);

/** Drop the first `count`. */
void samples_drop(struct samples *samples, size_t count);
void samples_destroy(struct samples *samples);

#endif
