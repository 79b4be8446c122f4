#include "base/draw/page.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/file/output.h"

static const char style[] =
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:1060px;padding:0 16px 48px;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif}\n"
    "h1{font-size:1.5rem;margin:1.2em 0 .3em;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:2em 0 .4em;"
    "border-bottom:1px solid var(--grid);padding-bottom:.2em}h3{font-size:1rem;margin:1.4em 0 .4em}\n"
    "p,li,dd{max-width:75ch}.answer{font-size:1.08rem}.note,.where{color:var(--muted);font-size:.9rem}\n"
    ".empty{border:1px dashed var(--axis);padding:.8em 1em;color:var(--muted)}\n"
    "nav{font-size:.9rem;color:var(--muted)}nav a{white-space:nowrap}a{color:var(--blue)}\n"
    "figure,.scroll{margin:.8em 0;overflow-x:auto}figure svg{display:block;width:100%;min-width:760px;height:auto}\n"
    "table{border-collapse:collapse;font-size:.85rem}th,td{padding:.2em .8em .2em 0;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--grid)}td{overflow-wrap:anywhere}.scroll td{overflow-wrap:normal;white-space:nowrap}"
    ".scroll table{font-size:.78rem}.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".scroll .numbers th,.scroll .numbers td{white-space:normal;padding-right:.5em}"
    ".scroll .numbers .n{white-space:nowrap}"
    "thead th{white-space:nowrap}th{font-weight:600}\n"
    "dt{margin-top:.6em}dd{margin:0 0 0 1.5em}code{font-size:.9em}details summary{cursor:pointer;margin:.8em 0}\n"
    "@media print{@page{size:A4;margin:14mm}body{max-width:none;padding:0;font-size:10pt}nav{display:none}"
    "figure svg{min-width:0;max-height:240mm}figure,.scroll{overflow:visible}figure{break-inside:avoid}"
    "h2,h3,section>p:first-of-type,dt{break-after:avoid}p,li,dd,tr{break-inside:avoid}"
    ".scroll table{font-size:6.5pt}}\n";

/* --- text ------------------------------------------------------------------------------------------------ */

/* Write the value of one conversion, which ends with its letter. */
static void put_value(FILE *out, const char *conversion, char letter, va_list *arguments)
{
    char text[64];
    if (letter == 's') {
        int most = strchr(conversion, '*') ? va_arg(*arguments, int) : INT_MAX;
        const char *value = va_arg(*arguments, const char *);
        char *shown = value ? strndup(value, (size_t)most) : NULL;
        svg_escape(shown, out);
        free(shown);
        return;
    }
    if (letter == '%')
        strcpy(text, "%");
    else if (strchr("efg", letter)) {
        double value = va_arg(*arguments, double);
        snprintf(text, sizeof text, conversion, value);
    } else if (strpbrk(conversion, "lz")) {
        long value = va_arg(*arguments, long);
        snprintf(text, sizeof text, conversion, value);
    } else
        snprintf(text, sizeof text, conversion, va_arg(*arguments, int));
    fputs(text, out);
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

void page_words(struct page *p, const void *words)
{
    const struct page_words *w = words;
    fputs("<dl>\n", p->out);
    for (size_t i = 0; i < w->count; i++)
        page_put(p->out, "<dt><code>%s</code></dt><dd>%s</dd>\n", w->words[i][0], w->words[i][1]);
    fprintf(p->out, "</dl>\n<p class=\"note\">%s</p>\n", w->note);
}

void page_table(struct page *p, struct result_table *table)
{
    p->status |= result_table_end(table, RESULT_HTML, p->out);
}

void page_picture(struct page *p, picture_draw *draw, const void *picture)
{
    struct svg svg = {.out = p->out, .in_page = true};
    fputs("<figure>\n", p->out);
    draw(picture, &svg);
    p->status |= svg.failed;
    fputs("</figure>\n", p->out);
}

/* --- the page -------------------------------------------------------------------------------------------- */

int page_write_sections(const struct page_section *sections, size_t count, FILE *out)
{
    struct page page = {.out = out};
    for (size_t i = 0; i < count; i++) {
        const struct page_section *s = &sections[i];
        if (!s->write)
            continue;
        if (s->title)
            page_put(out, "<section id=\"%s\">\n<h2>%s</h2>\n", s->name, s->title);
        s->write(&page, s->data);
        if (s->title)
            fputs("</section>\n", out);
    }
    return page.status;
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
        if (!s->title || !s->write)
            continue;
        fputs(between, out);
        page_put(out, "<a href=\"#%s\">%s</a>", s->name, s->link ? s->link : s->title);
        between = " · ";
    }
    fputs("</nav>\n", out);
    int status = page_write_sections(sections, count, output.file);
    fputs("</body>\n</html>\n", output.file);
    if (status && !ferror(output.file)) /* output_end() says why a file cannot be written */
        return output_end(&output, why_no_memory(why, COMMAND_REFUSED), why);
    return output_end(&output, 0, why);
}
