#include "base/file/whole_file.h"
#include "base/memory.h"
#include "base/file/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *whole_file_name(const char *path)
{
    return is_standard_input(path) ? "standard input" : path;
}

/* @param bytes  at least 1 */
static bool is_zero(const char *text, size_t bytes)
{
    return *text == '\0' && memcmp(text, text + 1, bytes - 1) == 0;
}

static int copy(FILE *in, size_t bytes_most, char **text, size_t *bytes)
{
    static const size_t part = 1 << 16;
    size_t got = 1;
    while (got > 0 && *bytes <= bytes_most && (*bytes < part || !is_zero(*text, part))) {
        *text = memory_grow(*text, *bytes + part + 1);
        got = fread(*text + *bytes, 1, part, in);
        *bytes += got;
        (*text)[*bytes] = '\0';
    }
    return ferror(in)            ? WHOLE_FILE_EREAD
           : *bytes > bytes_most ? WHOLE_FILE_ESIZE
           : got > 0             ? WHOLE_FILE_ETEXT
                                 : 0;
}

int whole_file_read(const char *path, size_t bytes_most, char **text, size_t *bytes, struct why *why)
{
    const char *name = whole_file_name(path);
    *text = NULL;
    *bytes = 0;
    FILE *in = is_standard_input(path) ? stdin : file_io_open(path, O_RDONLY);
    int status = in ? copy(in, bytes_most, text, bytes) : WHOLE_FILE_EREAD;
    int error = errno;
    if (in && in != stdin)
        fclose(in);
    if (status == 0)
        return 0;
    free(*text);
    *text = NULL;
    if (status == WHOLE_FILE_ESIZE)
        return why_say(why, status, "%.300s: found more than %zu bytes, expected a shorter text file", name,
                       bytes_most);
    if (status == WHOLE_FILE_ETEXT)
        return why_say(why, status, "%.300s: no text: its bytes are 0", name);
    return why_say(why, status, "%.300s: cannot be read: %s", name, why_error(error));
}
