#include "base/why.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int why_say(struct why *why, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->line, sizeof why->line, format, arguments);
    va_end(arguments);
    return code;
}

int why_no_memory(struct why *why, int code)
{
    bool files = errno == EMFILE || errno == ENFILE;
    return why_say(why, code, "%s",
                   files ? "too many open files; raise the limit (ulimit -n)"
                         : "out of memory; free some or raise the limit (ulimit -v)");
}

int why_precede(struct why *why, int code, const char *format, ...)
{
    struct why rest = *why;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->line, sizeof why->line, format, arguments);
    va_end(arguments);
    why_append(why, "%s", rest.line);
    return code;
}

void why_append_list(struct why *why, const char *format, va_list arguments)
{
    size_t length = strlen(why->line);
    vsnprintf(why->line + length, sizeof why->line - length, format, arguments);
}

void why_append(struct why *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    why_append_list(why, format, arguments);
    va_end(arguments);
}
