/* equal_steps.h - times at equal distances, kept as the first, the distance and their number. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** Whether a time is the next of `count` times, first, first + step, ...; after one time any is.
 *
 * @param step  in and out: of one time it becomes the distance to the next
 */
static inline bool equal_steps_go_on(int64_t first, int64_t *step, int64_t count, int64_t next)
{
    *step = count == 1 ? next - first : *step;
    return next == first + count * *step;
}
