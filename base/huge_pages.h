/* huge_pages.h - zeroed memory in pages of 2 MiB, for a pass's tables.
 *
 * Workload  some MiB per pass, written once and read in any order. With pages of 4 KiB most reads would miss the
 *           processor's table of pages, and the 2,000 first accesses of a pass in a process of its own would take
 *           several milliseconds.
 * Memory    rounded up to whole pages. If the system gives no huge pages, ordinary ones are used; so they are where a
 *           page would be used by less than a quarter, since zeroing it takes longer than some first accesses.
 * Errors    NULL if memory is exhausted.
 */
#ifndef MERCURY_BASE_HUGE_PAGES_H
#define MERCURY_BASE_HUGE_PAGES_H

#include <stddef.h>

/** Reserve a number of zeroed bytes. */
void *huge_pages_new(size_t bytes);

/** @param bytes  the number that was reserved; any number if `memory` is NULL */
void huge_pages_destroy(void *memory, size_t bytes);

#endif
