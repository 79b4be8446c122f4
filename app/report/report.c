#include "app/report/report.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/command.h"
#include "base/file/file_uses.h"
#include "base/nearest.h"
#include "base/file/output.h"
#include "base/file/scratch_file.h"
#include "base/draw/svg_convert.h"
#include "app/report/report_boxes.h"
#include "app/report/report_dots.h"
#include "app/report/report_forecast.h"
#include "app/report/report_latency.h"
#include "app/report/report_models.h"
#include "app/report/report_page.h"
#include "app/report/report_pipeline.h"
#include "app/report/report_queues.h"
#include "app/report/report_setup.h"
#include "app/report/report_time.h"
#include "app/report/run_files.h"

static const struct report_part *const parts[] = {&report_forecast, &report_pipeline, &report_time_part,
                                                  &report_queues,   &report_models,   &report_boxes,
                                                  &report_latency,  &report_dots};

enum { PARTS = sizeof parts / sizeof parts[0] };

/* Number of the first part: a forecast is a part only of a sample's page. */
static unsigned first_part(const struct run_files *run)
{
    return report_forecast_is_needed(run) ? 0 : 1;
}

/* --- the page -------------------------------------------------------------------------------------------- */

static void write_head(const struct run_files *run, FILE *out)
{
    char title[RUN_FILES_TITLE_BYTES];
    report_page_begin(run_files_title(run, title), "A run of the Mercury BLAST accelerator", out);
    fputs("<nav>", out);
    for (unsigned i = first_part(run); i < PARTS; i++)
        fprintf(out, "<a href=\"#%s\">%s</a> · ", parts[i]->what, parts[i]->title);
    fputs("<a href=\"#setup\">What was run</a> · <a href=\"#words\">The words</a></nav>\n", out);
    if (report_forecast_is_needed(run))
        report_forecast_write_banner(run, out);
}

static int write_page(void *data, FILE *out, struct why *why)
{
    const struct run_files *run = data;
    (void)why;
    write_head(run, out);
    for (unsigned i = first_part(run); i < PARTS; i++)
        report_part_write(parts[i], run, out);
    fputs("<section id=\"setup\">\n<h2>What was run</h2>\n", out);
    report_setup_write(run, out);
    fputs("</section>\n<section id=\"words\">\n<h2>The words</h2>\n", out);
    report_setup_write_words(out);
    fputs("</section>\n", out);
    report_page_end(out);
    return 0;
}

static int check_output(const char *directory, const char *path, struct why *why)
{
    struct file_uses uses = {0};
    run_files_note(directory, &uses);
    file_uses_write(&uses, "-o", path);
    return command_status_of(file_uses_check(&uses, why));
}

int report_write(const char *directory, const char *path, json_t *summary, struct why *why)
{
    struct run_files run;
    char own[PATH_MAX];
    snprintf(own, sizeof own, "%.3800s/" REPORT_FILE, directory);
    int status = check_output(directory, path, why);
    if (status)
        return status;
    status = run_files_open_written(directory, summary, &run, why);
    if (status == 0)
        status = report_page_write_file(path ? path : own, write_page, &run, why);
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
    struct svg svg = {.out = scratch_file_open()};
    if (!svg.out)
        return scratch_file_refuse(why, COMMAND_REFUSED);
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
    status = check_output(directory, path, why);
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
