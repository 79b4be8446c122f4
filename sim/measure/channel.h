/* channel.h - the samples of a block's elements: the value of each, and the clock in which it counts.
 *
 * Models    what a tap beside a port would note of every element that passes (Lancaster et al. 2011, section III).
 * Values    latencies are clocks from an element's arrival at one port to its arrival at another; of an element that
 *           was not there yet, from the arrival of the word, seed, trip or match it came from. The other kinds: enum
 *           channel_kind in measure_plan.h. Origins are clocks in which a record, or what it came from, passed a port.
 * Ways      if frames end within the pass, samples are kept with their clocks until it is known which frame they
 *           belong to; if the pass is the only frame, they are only counted.
 * Lineage   which element came from which is found in stretches of some words and all that came from them: begin a
 *           block, then go to each stretch of elements, whose numbers count from the stretch's first. A stretch stays
 *           in a processor's innermost cache as long as words have few seeds.
 * Memory    the samples of a block, and of the elements on the board; a few bytes for each element of the longest
 *           stretch so far.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/tokens.h"
#include "sim/board/board.h"
#include "sim/board/board_fifos.h"
#include "sim/measure/measure_plan.h"
#include "traces/directive/tally.h"

/* --- lineage --- */

/** Start with {0}. */
struct lineage {
    const struct tokens *tokens;
    enum token_level deepest;
    /* Number in the block of the stretch's first element, down to level `deepest`. */
    size_t first[TOKEN_LEVELS];
    size_t count[TOKEN_LEVELS]; /* number of the stretch's elements */
    /* For each element of the stretch, the one on the level above it came from. */
    uint32_t *parents[TOKEN_LEVELS];
    size_t room[TOKEN_LEVELS];
};

void lineage_destroy(struct lineage *lineage);

/** Start a block.
 *
 * @param deepest  the deepest level that is asked for
 */
void lineage_begin(struct lineage *lineage, const struct tokens *tokens, enum token_level deepest);

/** Go to the next stretch of the block's elements. @return false after the last one */
bool lineage_next(struct lineage *lineage);

/** Hand clocks down from elements of the stretch to those that came from them.
 *
 * @param from     a level above `to`
 * @param clocks   the clocks of the stretch's elements of level `from`
 * @param first    the first of `count` elements of level `to` in the stretch
 * @param written  for each of these, the clock of the element it came from
 */
void lineage_hand_down(const struct lineage *lineage, enum token_level from, const int64_t *clocks,
                       enum token_level to, size_t first, size_t count, int64_t *written);

/* --- samples --- */

struct samples {
    int64_t *clocks; /* in order */
    int64_t *values;
    size_t count, room;
};

/** The deepest level that a channel looks at. */
enum token_level channel_depth(const struct channel_spec *channel);

/** Append the samples of a stretch of elements, or only count them, whatever their clocks.
 *
 * @param samples  NULL: they are counted; of latencies only (channels_count_seeds() has the others)
 * @param tally    counts them then
 * @param stretch  at least as deep as channel_depth()
 * @param times    the clocks of the block that the stretch belongs to
 */
void channel_sample(struct samples *samples, struct tally *tally, const struct channel_spec *channel,
                    const struct board_rules *rules, const struct lineage *stretch,
                    const struct board_times *times);

/** Write the origins of a stretch of records.
 *
 * @param samples  of the block's first record
 * @param stride   number of places from one record's origin to that of the next
 */
void channel_sample_origins(int64_t *samples, unsigned stride, enum board_port port,
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
