#include "base/huge_pages.h"

#include <stdint.h>
#include <sys/mman.h>

static const size_t page = (size_t)2 << 20;

static size_t whole_pages(size_t bytes)
{
    return (bytes + page - 1) / page * page;
}

/* Give back the memory before the first whole page and after the last. */
static uint8_t *trim(uint8_t *begin, size_t room)
{
    size_t before = -(uintptr_t)begin % page, after = page - before;
    if (before > 0)
        munmap(begin, before);
    munmap(begin + before + room, after);
    return begin + before;
}

/* Bytes of the whole pages that are worth zeroing: of the last one, a quarter is used at least. */
static size_t huge_part(size_t bytes)
{
    return (bytes + page - page / 4) / page * page;
}

void *huge_pages_new(size_t bytes)
{
    if (bytes > SIZE_MAX - 3 * page)
        return NULL;
    size_t room = whole_pages(bytes > 0 ? bytes : 1);
    void *begin = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED)
        return NULL;
    uint8_t *memory = trim(begin, room);
#ifdef MADV_HUGEPAGE
    if (huge_part(bytes) > 0)
        madvise(memory, huge_part(bytes), MADV_HUGEPAGE);
#endif
    return memory;
}

void huge_pages_destroy(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, whole_pages(bytes > 0 ? bytes : 1));
}
