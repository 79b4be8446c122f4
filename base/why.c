#include "base/why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

int why_say(struct why *why, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->line, sizeof why->line, format, arguments);
    va_end(arguments);
    return code;
}

const char *why_error(int error)
{
    struct rlimit bytes;
    switch (error) {
    case EMFILE:
    case ENFILE:
        return "too many open files; raise the limit (ulimit -n)";
    case ENOMEM:
        return "out of memory; free some or raise the limit (ulimit -v)";
    case ENODATA:
        return "the file is too short";
    case EFBIG:
        if (getrlimit(RLIMIT_FSIZE, &bytes) == 0 && bytes.rlim_cur != RLIM_INFINITY)
            return "File too large; raise the limit (ulimit -f)";
    }
    return strerror(error);
}

int why_no_memory(struct why *why, int code)
{
    return why_say(why, code, "%s", why_error(errno == EMFILE || errno == ENFILE ? errno : ENOMEM));
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
