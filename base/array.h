/* array.h - room for more elements in an array that grows.
 *
 * Memory    an array belongs to the caller, who frees it with free(). A null pointer with room 0 is an empty array.
 *           What may come to MiB is better a long array: realloc() copies such memory whenever something lies after it,
 *           and each page to which it copies has to be made. A long array of ARRAY_LONG_BYTES or more is in memory of
 *           huge_pages.h, which grows without a copy; array_free_long() frees it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Memory for work that is done again and again: it is reserved once and grows to the largest work.
 *
 * Workload  some MiB per pass, in a process that forks between passes. Children do not inherit this memory: otherwise
 *           each fork would make every page of it fault again.
 * Memory    of the largest work so far, and half of it again, in whole pages of 2 MiB from 1 MiB on; it is not zeroed
 *           again.
 */

/** Start with {0}. */
struct scratch {
    char *memory;
    size_t room, used; /* bytes */
};

void scratch_destroy(struct scratch *scratch);

/** Begin a work that takes up to `bytes`; what was taken before is lost. */
void scratch_begin(struct scratch *scratch, size_t bytes);

/** Take memory of the present work, in multiples of 8 bytes; all that is taken must have been reserved. */
void *scratch_take(struct scratch *scratch, size_t bytes);

/** Do what array_reserve() does if an array has no room. */
void array_grow(void *array, size_t *room, size_t extra, size_t element_bytes);

/** Make sure that an array has room for `extra` elements after its first `count`; if it has not, it grows by at least
 *  half. After it the array is no null pointer, to which nothing may be added, also if nothing is to be.
 *
 * @param array  address of the pointer to the array; the pointer changes if the array moves
 * @param room   number of elements that the array has room for, >= count
 */
static inline void array_reserve(void *array, size_t *room, size_t count, size_t extra, size_t element_bytes)
{
    if (*room == 0 || extra > *room - count)
        array_grow(array, room, extra, element_bytes);
}

/** Where the next element of an array goes, which has room for it and counts it from now on, as in *ARRAY_NEXT(...) =
 *  element. What is assigned must not depend on the array, nor on its count. */
#define ARRAY_NEXT(array, count, room)                                                                       \
    (array_reserve(&(array), &(room), (count), 1, sizeof *(array)), &(array)[(count)++])

enum { ARRAY_LONG_BYTES = 1 << 16 };

/** Do what array_reserve_long() does if an array has no room. */
void array_grow_long(void *array, size_t *room, size_t count, size_t extra, size_t element_bytes);

/** Do what array_reserve() does, for a long array. Only its first `count` elements stay if it grows.
 *
 * @param room  besides, 0 for an array in memory of malloc(), whatever its length
 */
static inline void array_reserve_long(void *array, size_t *room, size_t count, size_t extra,
                                      size_t element_bytes)
{
    if (*room == 0 || extra > *room - count)
        array_grow_long(array, room, count, extra, element_bytes);
}

/** Free a long array. @param room  as array_reserve_long() left it, or 0 for memory of malloc() */
void array_free_long(void *array, size_t room, size_t element_bytes);

/** Write the elements of an array, which may be empty, to a file. @return false if it cannot be written */
static inline bool array_write(const void *array, size_t count, size_t element_bytes, FILE *out)
{
    return count == 0 || fwrite(array, element_bytes, count, out) == count; /* fwrite() must not get NULL */
}

/** Read an array that array_write() wrote. The file may claim more elements than it has: memory is taken as they come.
 *
 * @return for free(), no null pointer if there are no elements; NULL if the file ends too early
 */
void *array_read(size_t count, size_t element_bytes, FILE *in);
