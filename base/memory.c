#include "base/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/why.h"

static void (*end_of_process)(void);

void memory_set_end(void (*end)(void))
{
    end_of_process = end;
}

/* Nothing here may ask for memory. */
void memory_exhausted(void)
{
    if (end_of_process)
        end_of_process();
    char line[WHY_BYTES];
    int length = snprintf(line, sizeof line, "%s\n", why_error(ENOMEM));
    ssize_t written = write(STDERR_FILENO, line, (size_t)length);
    (void)written; /* there is no one to be told */
    _exit(1);
}

static void *there(void *memory)
{
    if (!memory)
        memory_exhausted();
    return memory;
}

void *memory_take(size_t bytes)
{
    return there(malloc(bytes > 0 ? bytes : 1));
}

void *memory_new(size_t count, size_t bytes)
{
    return there(count > 0 && bytes > 0 ? calloc(count, bytes) : calloc(1, 1));
}

void *memory_shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return there(memory == MAP_FAILED ? NULL : memory);
}

void *memory_grow(void *memory, size_t bytes)
{
    return there(realloc(memory, bytes > 0 ? bytes : 1));
}

char *memory_text(const char *text)
{
    return there(strdup(text));
}

char *memory_text_part(const char *text, size_t length)
{
    return there(strndup(text, length));
}

char *memory_print_list(const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        memory_exhausted();
    return text;
}

char *memory_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_print_list(format, arguments);
    va_end(arguments);
    return text;
}

FILE *memory_stream(char **text, size_t *bytes)
{
    return there(open_memstream(text, bytes));
}

void memory_stream_end(FILE *stream)
{
    const bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed)
        memory_exhausted();
}
