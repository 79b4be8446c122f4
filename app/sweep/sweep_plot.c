#include "app/sweep/sweep_plot.h"

#include <limits.h>
#include <string.h>

#include "base/command.h"
#include "base/output.h"
#include "base/svg_convert.h"
#include "app/sweep/sweep_lines.h"
#include "app/sweep/sweep_map.h"
#include "app/sweep/sweep_pareto.h"

static const char *const format_names[] = {"svg", "png", "pdf"};

enum { FORMATS = sizeof format_names / sizeof format_names[0] };

struct plotter {
    const char *directory;
    const struct sweep_view *view;
    bool formats[FORMATS];
    struct why *why;
};

int sweep_plot_draw(const struct sweep_view *view, const struct sweep_picture *p, struct svg *svg,
                    struct why *why)
{
    return p->kind == SWEEP_FRONT ? sweep_pareto_draw(view, p, svg, why)
           : p->kind == SWEEP_MAP ? sweep_map_draw(view, p, svg, why)
                                  : sweep_lines_draw(view, p, svg, why);
}

static int parse_formats(const char *text, bool formats[FORMATS], struct why *why)
{
    while (*text) {
        size_t length = strcspn(text, ","), f = 0;
        while (f < FORMATS &&
               (strlen(format_names[f]) != length || strncmp(text, format_names[f], length) != 0))
            f++;
        if (f == FORMATS)
            return command_refuse("--format", text, "svg, png or pdf, or several of them separated by commas",
                                  why);
        formats[f] = true;
        text += length + (text[length] == ',');
    }
    return 0;
}

/* Write as SVG, or by way of an unnamed file in another format. */
static int write_format(const struct plotter *p, const struct sweep_picture *picture, const char *format,
                        FILE *out)
{
    if (strcmp(format, "svg") == 0)
        return command_status_of(sweep_plot_draw(p->view, picture, &(struct svg){.out = out}, p->why));
    struct svg svg = {.out = tmpfile()};
    if (!svg.out)
        return why_say(p->why, COMMAND_REFUSED, "no temporary file can be made: is the disk full?");
    int status = command_status_of(sweep_plot_draw(p->view, picture, &svg, p->why));
    if (status == 0)
        status = svg_convert(svg.out, format, out, p->why);
    fclose(svg.out);
    return status;
}

static int write_file(const struct plotter *p, const struct sweep_picture *picture, const char *suffix)
{
    char path[PATH_MAX];
    struct output output;
    snprintf(path, sizeof path, "%.3800s/%s.%s", p->directory, picture->name, suffix);
    if (output_open(&output, path, p->why) != 0)
        return COMMAND_REFUSED;
    int status = strcmp(suffix, "tsv") == 0 ? sweep_picture_write_data(p->view, picture, output.file, p->why)
                                            : write_format(p, picture, suffix, output.file);
    if (status == 0)
        return output_commit(&output, p->why) != 0 ? COMMAND_REFUSED : 0;
    output_discard(&output);
    return status;
}

static int write_pictures(const struct plotter *p, const struct sweep_ask *ask)
{
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    size_t count;
    int status = sweep_pictures_choose(p->view, ask, pictures, &count, p->why);
    if (status == 0 && output_make_directory(p->directory, p->why) != 0)
        status = COMMAND_REFUSED;
    for (size_t i = 0; i < count && status == 0; i++) {
        status = write_file(p, &pictures[i], "tsv");
        for (unsigned f = 0; f < FORMATS && status == 0; f++)
            status = p->formats[f] ? write_file(p, &pictures[i], format_names[f]) : 0;
    }
    return status;
}

int sweep_plot(struct sweep_store *store, const char *directory, const char *formats,
               const struct sweep_ask *ask, struct why *why)
{
    struct sweep_table table;
    struct sweep_view view;
    struct plotter p = {.directory = directory, .view = &view, .why = why};
    int status = parse_formats(formats ? formats : "svg", p.formats, why);
    if (status == 0)
        status = command_status_of(sweep_store_load(store, 0, &table, why));
    if (status)
        return status;
    status = command_status_of(sweep_view_make(&table, &view, why));
    if (status == 0) {
        status = write_pictures(&p, ask);
        sweep_view_destroy(&view);
    }
    sweep_table_destroy(&table);
    return status;
}
