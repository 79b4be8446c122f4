#include "base/shown.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

static const double LEAST = 1e-12;

const char *shown_number(double value, const char *format, char text[SHOWN_BYTES])
{
    if (value != 0 && fabs(value) < LEAST)
        return strcpy(text, "~0");
    snprintf(text, SHOWN_BYTES, format, value == 0 ? 0.0 : value); /* no -0 */
    return text;
}

struct shown shown_text(const char *format, ...)
{
    struct shown shown;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(shown.text, sizeof shown.text, format, arguments);
    va_end(arguments);
    return shown;
}

struct shown shown_digits(double value, int digits)
{
    const bool whole = fabs(value) >= pow(10, digits) - 0.5;
    return shown_text(whole ? "%.*f" : "%.*g", whole ? 0 : digits, value);
}

struct shown shown_percent(double fraction, double tenths_below)
{
    const double percent = 100 * fraction;
    const bool tenths = percent < tenths_below - 0.05 || (percent > 99.05 && percent < 99.95);
    return shown_text(isnan(percent)   ? "-"
                      : percent < 1e-9 ? "0%%"
                      : percent < 0.05 ? "~0%%"
                      : tenths         ? "%.1f%%"
                                       : "%.0f%%",
                      percent);
}

void shown_words(const char *words, int column, int indent, FILE *out)
{
    for (bool is_first = true; *words; is_first = false) {
        int length = (int)strcspn(words, " ");
        if (!is_first && column + 1 + length > SHOWN_COLUMNS) {
            column = fprintf(out, "\n%*s", indent, "") - 1;
            is_first = true;
        }
        column += fprintf(out, "%s%.*s", is_first ? "" : " ", length, words);
        words += length + strspn(words + length, " ");
    }
    fputc('\n', out);
}

void shown_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    auto_free char *line = memory_print_list(format, arguments);
    va_end(arguments);
    int blanks = (int)strspn(line, " ");
    fprintf(out, "%*s", blanks, "");
    shown_words(line + blanks, blanks, blanks + 2, out);
}
