/* printable.h - texts of users, such as names of files and of sequences, made safe to print.
 *
 * Changes   a byte of a control character (also of U+0080 to U+009F, and of those that change the direction in which a
 *           line is read, as U+202E does) and a byte that is no UTF-8 become \xHH: on a terminal the first could do
 *           anything, and JSON and SVG may not hold the second. All else stays.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

enum { PRINTABLE_BYTES = 5 /* of one character, with a NUL */ };

/** Take the next character of a text that has not ended.
 *
 * @param shown  out: what is to be printed for it
 * @return number of bytes that it takes in the text, at least 1
 */
size_t printable_next(const char *text, char shown[PRINTABLE_BYTES]);

/** Copy the first `length` bytes of a text, or all if it is shorter. What has no room in `size` bytes is cut, but no
 * character is. @return `to` */
char *printable_copy(char *to, size_t size, const char *text, size_t length);

/** Make a printable text as a new one. @return for free() */
char *printable_new(const char *text, size_t length);

/** Number of bytes to cut a text to, up to `most`, so that no character of it is cut. */
size_t printable_fit(const char *text, size_t most);

/** Append a blank and an argument of a command line that a person can paste into a shell: in quotes unless the shell
 *  leaves it as it is. */
void printable_append_argument(const char *argument, FILE *out);
