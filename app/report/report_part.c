#include "app/report/report_part.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/draw/chart.h"

const char *report_time(double seconds, char text[32])
{
    struct report_unit unit = report_time_unit(seconds);
    char number[CHART_LABEL_BYTES];
    snprintf(text, 32, "%s %s", chart_label(seconds * unit.per_s, number), unit.name);
    return text;
}

struct report_unit report_time_unit(double most_s)
{
    static const struct report_unit units[] = {{"s", 1}, {"ms", 1e3}, {"µs", 1e6}, {"ns", 1e9}};
    unsigned i = 0;
    while (i < 3 && most_s < 1 / units[i].per_s)
        i++;
    return most_s > 0 ? units[i] : units[1];
}

void report_text(FILE *out, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    svg_escape(text, out);
}

const char *report_stage_name(const char *stage, char text[48])
{
    bool named = strcmp(stage, "host") == 0 || strcmp(stage, "bus") == 0;
    snprintf(text, 48, "%s %s", named ? "the" : "stage",
             strcmp(stage, "host") == 0 ? "host's supply" : stage);
    return text;
}

void report_part_write(const struct report_part *part, const struct run_files *run, FILE *out)
{
    struct svg svg = {.out = out, .in_page = true};
    const char *missing = part->missing(run);
    fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", part->what, part->title);
    if (missing) {
        fputs("<p class=\"empty\">", out);
        report_text(out, "%s", missing);
        fputs("</p>\n</section>\n", out);
        return;
    }
    if (part->introduce)
        part->introduce(run, out);
    fputs("<figure>\n", out);
    part->draw(run, &svg);
    fputs("</figure>\n", out);
    if (part->follow)
        part->follow(run, out);
    fputs("</section>\n", out);
}
