#include "base/draw/page.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/file/output.h"
#include "base/memory.h"

static const char style[] =
#include "base/page_style.inc"
    ;

/* --- text ------------------------------------------------------------------------------------------------ */

/* Write the value of one conversion, which ends with its letter. */
static void put_value(FILE *out, const char *conversion, char letter, va_list *arguments)
{
    if (letter == 's') {
        int most = strchr(conversion, '*') ? va_arg(*arguments, int) : INT_MAX;
        const char *value = va_arg(*arguments, const char *);
        auto_free char *shown = memory_text_part(value ? value : "", (size_t)most);
        svg_escape(shown, out);
    } else if (letter == '%') {
        fputc('%', out);
    } else if (strchr("efg", letter)) {
        const double value = va_arg(*arguments, double);
        fprintf(out, conversion, value);
    } else if (strpbrk(conversion, "lz")) {
        const long value = va_arg(*arguments, long);
        fprintf(out, conversion, value);
    } else {
        const int value = va_arg(*arguments, int);
        fprintf(out, conversion, value);
    }
}

void page_put(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    while (*format) {
        char conversion[16];
        size_t length = strcspn(format, "%");
        fwrite(format, 1, length, out);
        format += length;
        if (!*format)
            break;
        length = 2 + strcspn(format + 1, "sduefg%");
        snprintf(conversion, sizeof conversion, "%.*s", (int)length, format);
        put_value(out, conversion, format[length - 1], &arguments);
        format += length;
    }
    va_end(arguments);
}

void page_words(const void *words, FILE *out)
{
    const char *line = words;
    fputs("<dl>\n", out);
    for (const char *tab; (tab = strchr(line, '\t')); line = strchr(tab, '\n') + 1)
        page_put(out, "<dt><code>%.*s</code></dt><dd>%.*s</dd>\n", (int)(tab - line), line,
                 (int)strcspn(tab + 1, "\n"), tab + 1);
    fprintf(out, "</dl>\n<p class=\"note\">%.*s</p>\n", (int)strcspn(line, "\n"), line);
}

void page_picture(picture_draw *draw, const void *picture, FILE *out)
{
    struct svg svg = {.out = out, .in_page = true};
    fputs("<figure>\n", out);
    draw(picture, &svg);
    fputs("</figure>\n", out);
}

/* --- the page -------------------------------------------------------------------------------------------- */

static bool is_there(const struct page_section *s)
{
    return s->write || s->draw;
}

void page_write_sections(const struct page_section *sections, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct page_section *s = &sections[i];
        if (!is_there(s))
            continue;
        if (s->title)
            page_put(out, "<section id=\"%s\">\n<h2>%s</h2>\n", s->name, s->title);
        if (s->says)
            fputs(s->says, out);
        if (s->write)
            s->write(s->data, out);
        if (s->draw)
            page_picture(s->draw, s->data, out);
        if (s->title)
            fputs("</section>\n", out);
    }
}

int page_write(const char *path, const char *title, const char *what, const struct page_section *sections,
               size_t count, struct why *why)
{
    struct output output;
    if (output_open(&output, path, why) != 0)
        return COMMAND_REFUSED;
    FILE *out = output.file;
    const char *between = "<nav>";
    page_put(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
             "style-src 'unsafe-inline'; img-src data:\"/>\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
             "<title>%s - Mercury</title>\n<style>\n",
             title);
    svg_write_variables(out);
    fputs(style, out);
    page_put(out,
             "</style>\n</head>\n<body>\n<h1>%s</h1>\n"
             "<p class=\"where\">%s, simulated by mercury " MERCURY_VERSION ".</p>\n",
             title, what);
    for (const struct page_section *s = sections; s < sections + count; s++) {
        if (!s->title || !is_there(s))
            continue;
        fputs(between, out);
        page_put(out, "<a href=\"#%s\">%s</a>", s->name, s->link ? s->link : s->title);
        between = " · ";
    }
    fputs("</nav>\n", out);
    page_write_sections(sections, count, out);
    fputs("</body>\n</html>\n", out);
    return output_end(&output, 0, why);
}
