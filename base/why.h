/* why.h - the one line that says why something failed.
 *
 * A function that can refuse its input, or fail for a reason of the system's, takes a `struct why` and fills it with
 * one line for the user: which file and line, what was expected, what to do. Nobody below main() prints it.
 * Codes     a function returns 0 or a negative code: WHY_SAID, unless its module has codes that callers tell apart.
 *           None has one for memory: base/memory.h.
 */
#pragma once

#include <stdarg.h>

enum { WHY_BYTES = 1024, WHY_SAID = -2 };

struct why {
    char line[WHY_BYTES]; /* without a line feed at its end; undefined until a function has failed */
};

/** Fill the line, as printf does; a longer text is cut.
 *
 * @return `code`, so that a function can end with `return why_say(...)`
 */
int why_say(struct why *why, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** An errno of a file or of a process in words, and what the user can do about it. */
const char *why_error(int error);

/** Say that memory is exhausted; or open files, if errno says so, because what opens a stream fails for want of either.
 * @return `code` */
int why_no_memory(struct why *why, int code);

/** Put a text before the line, such as "FILE:7: " before what is wrong with that line. @return `code` */
int why_precede(struct why *why, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Append a text to the line, as printf and as vprintf do. */
void why_append(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

void why_append_list(struct why *why, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
