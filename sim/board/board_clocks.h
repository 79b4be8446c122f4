/* board_clocks.h - clocks of many times at once.
 *
 * Models    board_clock_after() of each time, to the unit.
 * Forms     plain C, and AVX2 (base/cpu.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

/** Find the first clock at or after each time, rounded to ticks: board_clock_after().
 *
 * @param times_s   since clock 0, in seconds
 * @param clock_hz  clocks per second
 * @param clocks    out: `count` of them
 */
void board_clocks_after(const double *times_s, size_t count, double clock_hz, int64_t *clocks);

/** Find them by the form of a level, which the processor must have. */
void board_clocks_after_at(enum cpu_level level, const double *times_s, size_t count, double clock_hz,
                           int64_t *clocks);
