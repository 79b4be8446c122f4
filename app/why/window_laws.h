/* window_laws.h - what the clock rules make of a window of words: how long the FIFOs are how often.
 *
 * Idle      1bd waits for lookups. Words come at a rate, each with one of the window's numbers of seeds: the w-mer
 *           FIFO and the SRAM FIFO are queues of clocks (clocked_queue.h). In the stage-2 FIFO is what 1bp sent within
 *           the clocks of a fetch; the matches of a trip come together.
 * Busy      lookups wait for 1bd. It takes one in each clock, unless its matches have no room, until one makes trips,
 *           in which the stage-2 FIFO is emptied. If 1bp fills the SRAM FIFO up, its level follows: reads in flight
 *           enter beyond the mark, and are missing below it.
 * Omits     the order of words and lookups inside the window.
 * Source    docs/hardware.md, "One clock, in this order".
 */
#pragma once

#include <math.h>
#include <stddef.h>

#include "model/queue/clocked_queue.h"
#include "sim/board/board.h"
#include "sim/tokens/stream_windows.h"

enum { WINDOW_LEVELS = 4096 }; /* elements of a FIFO: more count as these */

struct window_idle {
    struct clocked_law wmer, sram, stage2;
};

struct window_busy {
    double lookup_clocks; /* of a lookup without trips, with the time in which its matches find no room */
    struct clocked_law stage2;
    double sram[WINDOW_LEVELS]; /* P[N = n] if the FIFO is as full as 1bp makes it */
};

/** The index of a length. */
static inline size_t window_level(double n)
{
    return (size_t)fmin(fmax(0, round(n)), WINDOW_LEVELS - 1);
}

void window_idle_find(const struct board_rules *rules, const struct stream_window *window,
                      double words_a_clock, struct window_idle *idle);
void window_busy_find(const struct board_rules *rules, const struct stream_window *window,
                      struct window_busy *busy);

/* Windows that are alike, and what the clock rules make of them.
 *
 * Models    Windows are of a kind if their seeds per word, matches per seed, lookups with trips per seed
 *           and clocks of such a lookup are alike to 10%. The rules are asked once per kind, with the sum of its
 *           windows so far, and again each time that this sum has grown fourfold; where 1bd waits, once per kind and
 *           speed of words, in steps of 1/128 word per clock.
 * Error     docs/models.md, "At what scale theory holds".
 * Memory    34 KiB per kind, and 4 KiB per kind and speed.
 */

struct window_kinds;

/** @param rules  borrowed */
struct window_kinds *window_kinds_new(const struct board_rules *rules);
void window_kinds_destroy(struct window_kinds *kinds);

/** Count a window. @return number of its kind */
size_t window_kinds_add(struct window_kinds *kinds, const struct stream_window *window);

/** What the rules make of a kind; until the next call. */
const struct window_idle *window_kinds_idle(struct window_kinds *kinds, size_t kind, double words_a_clock);
const struct window_busy *window_kinds_busy(struct window_kinds *kinds, size_t kind);
