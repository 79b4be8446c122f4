/* huge_pages.h - zeroed memory in pages of 2 MiB, for a pass's tables and long arrays.
 *
 * Workload  some MiB per pass, written once and read in any order. With pages of 4 KiB most reads would miss the
 *           processor's table of pages, and the 2,000 first accesses of a pass in a process of its own would take
 *           several milliseconds.
 * Memory    rounded up to whole pages. If the system gives no huge pages, ordinary ones are used; so they are where
 *           less than half of a page would be used, since memory would be lost, and zeroing a page takes longer than
 *           some first accesses.
 */
#pragma once

#include <stddef.h>

/** Reserve a number of zeroed bytes. */
void *huge_pages_new(size_t bytes);

/** Make memory larger. Its huge pages move to the new address as they are; only what comes after them is copied.
 *
 * @param bytes   number of bytes that the memory has
 * @param kept    number of the first bytes that stay; those after them have any value
 * @param larger  number of bytes that it shall have, >= `bytes`
 * @return the memory
 */
void *huge_pages_grow(void *memory, size_t bytes, size_t kept, size_t larger);

/** The number of bytes, at least `bytes`, that memory which grows may as well have: less than half a page, in small
 *  pages, or whole pages. What is not used of them takes no memory until it is. */
size_t huge_pages_room(size_t bytes);

/** Say how many of the first bytes will be used, when this is known only after memory was reserved: they get the pages
 *  that so many reserved bytes would have, and what comes after them gets small pages. What was used before stays as it
 *  is, and anything reserved may still be used.
 *
 * @param room  number of bytes that were reserved, >= `bytes`
 */
void huge_pages_expect(void *memory, size_t room, size_t bytes);

/** @param bytes  the number that was reserved; any number if `memory` is NULL */
void huge_pages_destroy(void *memory, size_t bytes);
