/* huge_pages.h - zeroed memory in pages of 2 MiB, for a pass's tables.
 *
 * Workload  some MiB a pass, written once and asked in any order. In pages of 4 KiB most questions miss the processor's
 *           table of pages, and the 2,000 first touches of a pass that has a process of its own are several milliseconds.
 * Memory    rounded up to whole pages. Where the system gives no huge ones, ordinary ones do.
 * Errors    NULL where memory is out.
 */
#ifndef MERCURY_BASE_HUGE_PAGES_H
#define MERCURY_BASE_HUGE_PAGES_H

#include <stddef.h>

/** So many zeroed bytes, for huge_pages_destroy(). */
void *huge_pages_new(size_t bytes);

/** @param bytes  as they were asked for; of NULL, any */
void huge_pages_destroy(void *memory, size_t bytes);

#endif
