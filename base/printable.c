#include "base/printable.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The ranges of the second byte leave out long forms, surrogates, and what is above U+10FFFF; here also U+0080 to
 * U+009F, which are control characters. */
static const struct {
    unsigned char first, last, second_first, second_last, bytes;
} sequences[] = {
    {0x20, 0x7e, 0, 0, 1},       {0xc2, 0xc2, 0xa0, 0xbf, 2}, {0xc3, 0xdf, 0x80, 0xbf, 2},
    {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
    {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
    {0xf4, 0xf4, 0x80, 0x8f, 4},
};

/* Whether the whole character of a text changes the direction in which a line is read (UAX #9, section 2): U+061C,
 * U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069. */
static bool turns_text(const unsigned char *byte)
{
    if (byte[0] != 0xe2)
        return byte[0] == 0xd8 && byte[1] == 0x9c;
    return byte[1] == 0x80 ? (byte[2] & 0xfe) == 0x8e || (byte[2] >= 0xaa && byte[2] <= 0xae)
                           : byte[1] == 0x81 && byte[2] >= 0xa6 && byte[2] <= 0xa9;
}

/* @return number of bytes of the character that a text begins with, or 0 if it is to be escaped */
static size_t count_bytes(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        if (byte[0] < sequences[i].first || byte[0] > sequences[i].last)
            continue;
        if (sequences[i].bytes > 1 &&
            (byte[1] < sequences[i].second_first || byte[1] > sequences[i].second_last))
            return 0;
        for (size_t j = 2; j < sequences[i].bytes; j++)
            if ((byte[j] & 0xc0) != 0x80)
                return 0;
        return turns_text(byte) ? 0 : sequences[i].bytes;
    }
    return 0;
}

size_t printable_next(const char *text, char shown[PRINTABLE_BYTES])
{
    size_t bytes = count_bytes(text);
    if (bytes == 0) {
        snprintf(shown, PRINTABLE_BYTES, "\\x%02X", (unsigned char)*text);
        return 1;
    }
    memcpy(shown, text, bytes);
    shown[bytes] = '\0';
    return bytes;
}

char *printable_copy(char *to, size_t size, const char *text, size_t length)
{
    char *end = to, shown[PRINTABLE_BYTES];
    for (size_t at = 0; at < length && text[at];) {
        size_t taken = printable_next(text + at, shown);
        size_t bytes = strlen(shown);
        if (at + taken > length || bytes >= size - (size_t)(end - to))
            break;
        memcpy(end, shown, bytes);
        end += bytes;
        at += taken;
    }
    *end = '\0';
    return to;
}

char *printable_new(const char *text, size_t length)
{
    size_t size = (PRINTABLE_BYTES - 1) * length + 1;
    char *to = printable_copy(memory_take(size), size, text, length);
    return memory_grow(to, strlen(to) + 1);
}

size_t printable_fit(const char *text, size_t most)
{
    size_t bytes = strnlen(text, most + 1);
    if (bytes <= most)
        return bytes;
    for (bytes = most; bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80;)
        bytes--;
    return bytes;
}

void printable_append_argument(const char *argument, FILE *out)
{
    bool plain =
        *argument && strspn(argument, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "-_.,:=+/@%^") == strlen(argument);
    fprintf(out, plain ? " " : " '");
    for (const char *c = argument; *c; c++) {
        bool shown = (unsigned char)*c >= ' ' && *c != '\x7f';
        if (*c == '\'')
            fputs("'\\''", out);
        else
            fputc(shown ? *c : '?', out);
    }
    if (!plain)
        fputc('\'', out);
}
