/* scratch.h - memory for work that is done again and again: it is reserved once and grows to the largest work.
 *
 * Workload  some MiB per pass, in a process that forks between passes. Children do not inherit this memory: otherwise
 *           each fork would make every page of it fault again.
 * Memory    of the largest work so far, and half of it again, in whole pages of 2 MiB from 1 MiB on; it is not zeroed
 *           again.
 * Errors    false if memory is exhausted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** Start with {0}. */
struct scratch {
    char *memory;
    size_t room, used; /* bytes */
};

void scratch_destroy(struct scratch *scratch);

/** Begin a work that takes up to `bytes`; what was taken before is lost. */
bool scratch_begin(struct scratch *scratch, size_t bytes);

/** Take memory of the present work, in multiples of 8 bytes; all that is taken must have been reserved. */
void *scratch_take(struct scratch *scratch, size_t bytes);
