#include "blast/sequence/equal_lines.h"

#include <stdbool.h>
#include <string.h>

struct line_shape line_shape_of(const char *text, size_t bytes)
{
    const char *end = memchr(text, '\n', bytes);
    if (!end)
        return (struct line_shape){0};
    size_t length = (size_t)(end - text);
    return (struct line_shape){length - (length > 0 && end[-1] == '\r'), length + 1};
}

static inline bool has_end(const char *line, struct line_shape shape)
{
    return line[shape.whole - 1] == '\n' && (shape.whole - shape.letters == 1 || line[shape.letters] == '\r');
}

/* Copy letters, and a few bytes after them: copies of a fixed length take less time than those of any length. */
static inline void copy_roughly(char *to, const char *from, size_t count)
{
    for (size_t i = 0; i < count; i += EQUAL_LINES_SPARE)
        memcpy(to + i, from + i, EQUAL_LINES_SPARE);
}

size_t equal_lines_join(const char *text, size_t bytes, struct line_shape shape, char *joined, size_t room)
{
    size_t in_text = bytes > EQUAL_LINES_SPARE ? (bytes - EQUAL_LINES_SPARE) / shape.whole : 0;
    size_t in_room = room / shape.letters, most = in_text < in_room ? in_text : in_room, lines = 0;
    for (; lines < most && has_end(text, shape); lines++, text += shape.whole, joined += shape.letters)
        copy_roughly(joined, text, shape.letters);
    return lines;
}
