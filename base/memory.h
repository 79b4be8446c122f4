/* memory.h - memory that is there: where it is exhausted, the process ends.
 *
 * Why       no function of Mercury can go on without the memory that it asks for, and what the user can do about it is
 *           the same everywhere. So none of them has a status for it, nor looks for a null pointer: what they return
 *           tells of their input and their output.
 * End       main() says how its process ends: unfinished files are removed, and one line is said. A child
 *           (signals_fork()) writes the line to standard error, where its parent finds it (child_words.h), and ends
 *           with status 1; its parent then names the work that the child had.
 * Libraries Jansson and libxml2 take memory from here (app/main.c, sim/platform/platform.c); SimGrid and SQLite do not.
 * Memory    all of it is for free(), unless said otherwise.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Set how this process ends where memory is exhausted.
 *  @param end  does not return; NULL for a line on standard error and status 1, which is how a process begins */
void memory_set_end(void (*end)(void));

/** End the process as it was set, where memory of another kind (mmap(), a library's) is exhausted. */
_Noreturn void memory_exhausted(void);

/** Memory of `bytes` bytes, undefined. @return no null pointer, also for 0 bytes */
void *memory_take(size_t bytes) __attribute__((malloc, alloc_size(1), returns_nonnull));

/** `count` elements of `bytes` bytes, all zero. @return no null pointer, also for none */
void *memory_new(size_t count, size_t bytes) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));

/** Zeroed memory that this process shares with the children that it forks later; for munmap(). */
void *memory_shared(size_t bytes) __attribute__((returns_nonnull));

/** Let memory, or a null pointer, have `bytes` bytes; what they had before stays. @return as realloc() */
void *memory_grow(void *memory, size_t bytes) __attribute__((alloc_size(2), returns_nonnull));

/** A copy of a text, or of its first bytes, at most `length`. */
char *memory_text(const char *text) __attribute__((malloc, returns_nonnull));
char *memory_text_part(const char *text, size_t length) __attribute__((malloc, returns_nonnull));

/** A new text, as printf() and as vprintf() make it. */
char *memory_print(const char *format, ...) __attribute__((format(printf, 1, 2), malloc, returns_nonnull));
char *memory_print_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0), malloc));

/** Before a variable that begins with a value: end(&variable) is called where its block ends, by any way out of it, and
 *  after what the block returns has been computed. An end that closes a file may change errno. */
#define auto_by(end) __attribute__((cleanup(end)))

/** Before a pointer that begins with a value: what it points to is freed where its block ends, by any way out of it.
 *  errno stays: free() of the C library keeps it. */
#define auto_free auto_by(memory_free_at)
static inline void memory_free_at(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

/** A stream that writes to memory, as open_memstream().
 *  @param text, bytes  out, when memory_stream_end() has returned */
FILE *memory_stream(char **text, size_t *bytes) __attribute__((returns_nonnull));

/** Close a stream of memory_stream(): all that was written is there. */
void memory_stream_end(FILE *stream);
