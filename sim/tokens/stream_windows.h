/* stream_windows.h - the stream of a pass, cut into windows of so many words: what the words of each do in stages 1a
 * to 2.
 *
 * Models    nothing: tokens are counted (blast/stages12/tokens.h). A trip has the clocks that the board's rules give it
 *           if nothing holds it up.
 * Length    of a run's windows: so short that homologous regions are not averaged with what is beside them, and so long
 *           that a run has STREAM_WINDOWS_MOST at most, or as many as passes.
 * Memory    448 bytes per window.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "blast/sequence/sequence.h"
#include "blast/stages12/tokens.h"
#include "sim/board/board.h"

enum {
    STREAM_MATCHES_MOST = 15, /* matches of a group: more count as these */
    STREAM_WINDOWS_MOST = 1 << 14
};

/** What the words of a window do: whole numbers of them, as theory takes them. */
struct stream_window {
    double words, seeds, matches, records;
    double lookup_clocks;                    /* of 1bd */
    double trip_lookups, trip_clocks;        /* lookups that make trips, and their clocks */
    double batches[BASES_PER_WORD + 1];      /* words with so many seeds */
    double singles[STREAM_MATCHES_MOST + 1]; /* lookups without trips, with so many matches */
    double groups[STREAM_MATCHES_MOST + 1];  /* trips with so many matches */
};

/** The windows of a pass. All zero but `words`: none yet. */
struct stream_windows {
    uint64_t words; /* of a window; the last one may have fewer */
    struct stream_window *items;
    size_t count, room;
};

/** Clocks of a lookup in 1bd if nothing holds it up: one, or those of its trips. */
static inline uint64_t stream_lookup_clocks(const struct board_rules *rules, enum lookup_outcome outcome,
                                            unsigned groups)
{
    const uint64_t clocks = outcome == LOOKUP_DUPLICATE ? (uint64_t)groups * board_trip_cycles(rules) : 1;
    return clocks > 1 ? clocks : 1;
}

/** Count the tokens of the next words of the pass. */
void stream_windows_add(struct stream_windows *windows, const struct board_rules *rules,
                        const struct tokens *tokens);

/** Words of a window of a run that streams so many words in all its passes: a power of 4 from 256 on. */
uint64_t stream_windows_length(uint64_t words);
