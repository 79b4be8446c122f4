#include "base/huge_pages.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

static const size_t page = (size_t)2 << 20, small_page = (size_t)4 << 10;

static size_t whole_pages(size_t bytes)
{
    return (bytes + page - 1) / page * page;
}

/* Bytes of the whole pages that are worth zeroing: of the last one, half is used at least. */
static size_t huge_part(size_t bytes)
{
    return (bytes + page / 2) / page * page;
}

void huge_pages_expect(void *memory, size_t room, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const size_t huge = huge_part(bytes), all = whole_pages(room > 0 ? room : 1);
    if (huge > 0)
        madvise(memory, huge, MADV_HUGEPAGE);
    if (huge < all) /* otherwise a system that always gives huge pages would */
        madvise((uint8_t *)memory + huge, all - huge, MADV_NOHUGEPAGE);
#else
    (void)memory, (void)room, (void)bytes;
#endif
}

void *huge_pages_new(size_t bytes)
{
    if (bytes > SIZE_MAX - 3 * page)
        memory_exhausted();
    size_t room = whole_pages(bytes > 0 ? bytes : 1);
    void *begin = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED)
        memory_exhausted();
    size_t before = -(uintptr_t)begin % page;
    uint8_t *memory = (uint8_t *)begin + before;
    if (before > 0) /* give back what lies before the first whole page and after the last */
        munmap(begin, before);
    munmap(memory + room, page - before);
    huge_pages_expect(memory, bytes, bytes);
    return memory;
}

void *huge_pages_grow(void *memory, size_t bytes, size_t kept, size_t larger)
{
    char *from = memory, *to = huge_pages_new(larger);
    /* one by one: one call cannot move pages that came to their places by several calls; fewer of them are moved if the
     * system is out of memory for its own tables */
    size_t moved = 0;
    while (moved < huge_part(bytes) &&
           mremap(from + moved, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, to + moved) != MAP_FAILED)
        moved += page;
    if (kept > moved)
        memcpy(to + moved, from + moved, kept - moved);
    if (moved < whole_pages(bytes))
        munmap(from + moved, whole_pages(bytes) - moved);
    return to;
}

size_t huge_pages_room(size_t bytes)
{
    const size_t few = page / 2 - small_page;
    return bytes <= few ? few : whole_pages(bytes);
}

void huge_pages_destroy(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, whole_pages(bytes > 0 ? bytes : 1));
}
