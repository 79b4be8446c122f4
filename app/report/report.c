#include "app/report/report.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/command.h"
#include "base/nearest.h"
#include "base/output.h"
#include "base/svg_convert.h"
#include "app/report/report_boxes.h"
#include "app/report/report_dots.h"
#include "app/report/report_latency.h"
#include "app/report/report_models.h"
#include "app/report/report_pipeline.h"
#include "app/report/report_queues.h"
#include "app/report/report_setup.h"
#include "app/report/report_time.h"
#include "app/report/run_files.h"

static const struct report_part *const parts[] = {&report_pipeline, &report_time_part, &report_queues,
                                                  &report_models,   &report_boxes,     &report_latency,
                                                  &report_dots};

enum { PARTS = sizeof parts / sizeof parts[0] };

/* --- the page -------------------------------------------------------------------------------------------- */

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
    "thead th{white-space:nowrap}th{font-weight:600}\n"
    "dt{margin-top:.6em}dd{margin:0 0 0 1.5em}code{font-size:.9em}details summary{cursor:pointer;margin:.8em 0}\n"
    "@media print{@page{size:A4;margin:14mm}body{max-width:none;padding:0;font-size:10pt}nav{display:none}"
    "figure svg{min-width:0;max-height:240mm}figure,.scroll{overflow:visible}figure{break-inside:avoid}"
    "h2,h3,section>p:first-of-type,dt{break-after:avoid}p,li,dd,tr{break-inside:avoid}"
    ".scroll table{font-size:6.5pt}}\n";

/* The last part of the path of an input. */
static const char *file_of(const struct run_files *run, const char *side)
{
    const char *file = json_string_value(json_object_get(json_object_get(run->run, side), "file"));
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : !file ? "?" : strcmp(file, "-") == 0 ? "standard input" : file;
}

static void write_head(const struct run_files *run, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
          out);
    report_text(out, "%s × %s - Mercury", file_of(run, "query"), file_of(run, "database"));
    fputs("</title>\n<style>\n", out);
    svg_write_variables(out);
    fputs(style, out);
    fputs("</style>\n</head>\n<body>\n<h1>", out);
    report_text(out, "%s × %s", file_of(run, "query"), file_of(run, "database"));
    fputs(
        "</h1>\n<p class=\"where\">A run of the Mercury BLAST accelerator, simulated by mercury " MERCURY_VERSION
        ".</p>\n<nav>",
        out);
    for (unsigned i = 0; i < PARTS; i++)
        fprintf(out, "<a href=\"#%s\">%s</a> · ", parts[i]->what, parts[i]->title);
    fputs("<a href=\"#setup\">What was run</a> · <a href=\"#words\">The words</a></nav>\n", out);
}

static void write_part(const struct report_part *part, const struct run_files *run, FILE *out)
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

static void write_page(const struct run_files *run, FILE *out)
{
    write_head(run, out);
    for (unsigned i = 0; i < PARTS; i++)
        write_part(parts[i], run, out);
    fputs("<section id=\"setup\">\n<h2>What was run</h2>\n", out);
    report_setup_write(run, out);
    fputs("</section>\n<section id=\"words\">\n<h2>The words</h2>\n", out);
    report_setup_write_words(out);
    fputs("</section>\n</body>\n</html>\n", out);
}

int report_write(const char *directory, const char *path, struct why *why)
{
    struct run_files run;
    struct output output;
    char own[PATH_MAX];
    snprintf(own, sizeof own, "%.3800s/" REPORT_FILE, directory);
    int status = run_files_open(directory, &run, why);
    if (status == 0 && output_open(&output, path ? path : own, why) != 0)
        status = COMMAND_REFUSED;
    if (status == 0) {
        write_page(&run, output.file);
        status = output_commit(&output, why) != 0 ? COMMAND_REFUSED : 0;
    }
    run_files_close(&run);
    return status;
}

/* --- a picture ------------------------------------------------------------------------------------------- */

static int find_part(const char *what, const struct report_part **part, struct why *why)
{
    struct nearest search = {.wanted = what, .length = strlen(what)};
    for (unsigned i = 0; i < PARTS; i++) {
        *part = parts[i];
        if (strcmp(parts[i]->what, what) == 0)
            return 0;
        nearest_look_at(&search, parts[i]->what);
    }
    why_say(why, COMMAND_REFUSED, "--what '%.40s': no such picture; %s%s%s", what,
            search.name ? "did you mean " : "", search.name ? search.name : "", search.name ? "? " : "");
    why_append(why, "there are");
    for (unsigned i = 0; i < PARTS; i++)
        why_append(why, "%s %s", i > 0 ? "," : "", parts[i]->what);
    return COMMAND_REFUSED;
}

/* The format that the end of a name asks for; NULL if it is unknown. */
static const char *format_of(const char *path)
{
    static const char *const formats[] = {"svg", "png", "pdf"};
    const char *dot = strrchr(path, '.');
    if (strcmp(path, "-") == 0)
        return formats[0];
    for (unsigned i = 0; dot && i < 3; i++)
        if (strcasecmp(dot + 1, formats[i]) == 0)
            return formats[i];
    return NULL;
}

static int convert(const struct report_part *part, const struct run_files *run, const char *format, FILE *out,
                   struct why *why)
{
    struct svg svg = {.out = tmpfile()};
    if (!svg.out)
        return why_say(why, COMMAND_REFUSED, "no temporary file can be made: is the disk full?");
    part->draw(run, &svg);
    int status = svg_convert(svg.out, format, out, why);
    fclose(svg.out);
    return status;
}

static int write_picture(const struct report_part *part, const struct run_files *run, const char *path,
                         const char *format, struct why *why)
{
    struct output output;
    int status = 0;
    if (output_open(&output, path, why) != 0)
        return COMMAND_REFUSED;
    if (strcmp(format, "svg") == 0)
        part->draw(run, &(struct svg){.out = output.file});
    else
        status = convert(part, run, format, output.file, why);
    if (status == 0)
        return output_commit(&output, why) != 0 ? COMMAND_REFUSED : 0;
    output_discard(&output);
    return status;
}

int report_plot(const char *directory, const char *what, const char *path, struct why *why)
{
    const struct report_part *part;
    struct run_files run;
    const char *format = format_of(path), *missing;
    int status = find_part(what, &part, why);
    if (status == 0 && !format)
        status = why_say(why, COMMAND_REFUSED,
                         "-o '%.200s': expected a name that ends in .svg, .png or .pdf, or - for SVG", path);
    if (status)
        return status;
    status = run_files_open(directory, &run, why);
    missing = status == 0 ? part->missing(&run) : NULL;
    if (missing)
        status = why_say(why, COMMAND_REFUSED, "%.400s: nothing to draw: %s", directory, missing);
    if (status == 0)
        status = write_picture(part, &run, path, format, why);
    run_files_close(&run);
    return status;
}
