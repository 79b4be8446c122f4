#include "base/array.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/huge_pages.h"
#include "base/memory.h"

void scratch_destroy(struct scratch *s)
{
    huge_pages_destroy(s->memory, s->room);
    *s = (struct scratch){0};
}

void scratch_begin(struct scratch *s, size_t bytes)
{
    s->used = 0;
    if (bytes < s->room)
        return;
    scratch_destroy(s);
    const size_t enough = bytes + bytes / 2 + 1;
    s->memory = huge_pages_new(enough);
    s->room = huge_pages_room(enough);
    /* A hint: a child that inherits it is slower, not wrong. It is given for whole pages, since the system makes no
     * huge page of which only a part is inherited. */
    madvise(s->memory, s->room, MADV_DONTFORK);
}

void *scratch_take(struct scratch *s, size_t bytes)
{
    char *memory = s->memory + s->used;
    assert(bytes <= s->room - s->used && bytes % sizeof(long long) == 0);
    s->used += bytes;
    return memory;
}

/* The pointer to an array may have any type. */
static void *elements_of(const void *array)
{
    void *elements;
    memcpy(&elements, array, sizeof elements);
    return elements;
}

static void set_elements(void *array, size_t *room, void *elements, size_t larger)
{
    memcpy(array, &elements, sizeof elements);
    *room = larger;
}

/* An array can grow by `extra` if the numbers of its bytes, also if it grows by more, are numbers. */
static void check_growth(size_t room, size_t extra, size_t element_bytes)
{
    const size_t most = SIZE_MAX / 4 / element_bytes;
    if (extra > most || room > most)
        memory_exhausted();
}

void array_grow(void *array, size_t *room, size_t extra, size_t element_bytes)
{
    check_growth(*room, extra, element_bytes);
    size_t larger = *room + *room / 2 + extra + 64;
    set_elements(array, room, memory_grow(elements_of(array), larger * element_bytes), larger);
}

/* --- long arrays ------------------------------------------------------------------------------------------- */

/* AddressSanitizer sees what is read beyond the end, and what nobody frees, in its own memory only. */
#if defined(__SANITIZE_ADDRESS__)
#define CHECKS_ADDRESSES 1
#elif defined(__has_feature)
#define CHECKS_ADDRESSES __has_feature(address_sanitizer)
#else
#define CHECKS_ADDRESSES 0
#endif

static bool is_long(size_t room, size_t element_bytes)
{
    return !CHECKS_ADDRESSES && room * element_bytes >= ARRAY_LONG_BYTES;
}

void array_grow_long(void *array, size_t *room, size_t count, size_t extra, size_t element_bytes)
{
    check_growth(count, extra, element_bytes);
    void *elements = elements_of(array);
    size_t needed = count + extra, larger = needed + needed / 2 + 64;
    if (!is_long(larger, element_bytes)) {
        set_elements(array, room, memory_grow(elements, larger * element_bytes), larger);
        return;
    }
    larger = huge_pages_room((needed + needed / 8) * element_bytes) / element_bytes;
    const size_t bytes = *room * element_bytes, kept = count * element_bytes;
    if (bytes >= ARRAY_LONG_BYTES) {
        set_elements(array, room, huge_pages_grow(elements, bytes, kept, larger * element_bytes), larger);
        return;
    }
    void *pages = huge_pages_new(larger * element_bytes);
    if (kept > 0)
        memcpy(pages, elements, kept);
    free(elements);
    set_elements(array, room, pages, larger);
}

void array_free_long(void *array, size_t room, size_t element_bytes)
{
    if (is_long(room, element_bytes))
        huge_pages_destroy(array, room * element_bytes);
    else
        free(array);
}

/* --- files ------------------------------------------------------------------------------------------------- */

void *array_read(size_t count, size_t element_bytes, FILE *in)
{
    enum { PORTION = 1 << 14 }; /* elements */
    char *array = NULL;
    size_t room = 0, taken = 0;
    array_reserve(&array, &room, 0, 1, element_bytes);
    while (taken < count) {
        size_t left = count - taken, portion = left < PORTION ? left : PORTION;
        array_reserve(&array, &room, taken, portion, element_bytes);
        if (fread(array + taken * element_bytes, element_bytes, portion, in) != portion) {
            free(array);
            return NULL;
        }
        taken += portion;
    }
    return array;
}
