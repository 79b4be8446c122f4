#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_demand_at(bool holds, const char *promise, const char *file, int line)
{
    if (holds)
        return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, promise);
    abort();
}

bool fuzz_succeeded(int status, const struct why *why)
{
    if (status == 0)
        return true;
    fuzz_demand(status < 0 || status == 2);
    fuzz_demand(memchr(why->line, '\0', sizeof why->line) != NULL);
    fuzz_demand(why->line[0] != '\0'); /* main() makes what it quotes printable */
    return false;
}

const char *fuzz_file(const void *data, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file >= 0)
        close(file);
    file = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_demand(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_demand(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

uint8_t *fuzz_copy(const uint8_t *data, size_t size)
{
    return (uint8_t *)fuzz_text(data, size);
}
