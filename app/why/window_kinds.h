/* window_kinds.h - windows that are alike, and what the clock rules make of them.
 *
 * Models    window_laws.h. Windows are of a kind if their seeds per word, matches per seed, lookups with trips per seed
 *           and clocks of such a lookup are alike to 10%. The rules are asked once per kind, with the sum of its
 *           windows so far, and again each time that this sum has grown fourfold; where 1bd waits, once per kind and
 *           speed of words, in steps of 1/128 word per clock.
 * Error     docs/models.md, "At what scale theory holds".
 * Memory    34 KiB per kind, and 4 KiB per kind and speed.
 * Errors    if memory is exhausted, window_kinds_failed() says so after all.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "app/why/window_laws.h"

struct window_kinds;

/** @param rules  borrowed @return NULL if memory is exhausted */
struct window_kinds *window_kinds_new(const struct board_rules *rules);
void window_kinds_destroy(struct window_kinds *kinds);
bool window_kinds_failed(const struct window_kinds *kinds);

/** Count a window. @return number of its kind */
size_t window_kinds_add(struct window_kinds *kinds, const struct window *window);

/** What the rules make of a kind; until the next call. */
const struct window_idle *window_kinds_idle(struct window_kinds *kinds, size_t kind, double words_a_clock);
const struct window_busy *window_kinds_busy(struct window_kinds *kinds, size_t kind);
