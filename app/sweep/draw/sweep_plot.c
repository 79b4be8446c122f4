#include "app/sweep/draw/sweep_plot.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/draw/picture.h"
#include "app/sweep/draw/sweep_lines.h"
#include "app/sweep/draw/sweep_map.h"
#include "app/sweep/draw/sweep_pareto.h"

struct plotter {
    const char *store; /* its file */
    const char *directory;
    const struct sweep_view *view;
    bool formats[PICTURE_FORMATS];
    struct why *why;
};

void sweep_plot_draw(const void *drawing, struct svg *svg)
{
    const struct sweep_drawing *d = drawing;
    const enum sweep_picture_kind kind = d->picture->kind;
    int status = (kind == SWEEP_FRONT ? sweep_pareto_draw
                  : kind == SWEEP_MAP ? sweep_map_draw
                                      : sweep_lines_draw)(d->view, d->picture, svg, d->why);
    if (status)
        *d->status = COMMAND_FAILED;
}

static int parse_formats(const char *text, bool formats[PICTURE_FORMATS], struct why *why)
{
    while (*text) {
        size_t length = strcspn(text, ","), f = 0;
        while (f < PICTURE_FORMATS &&
               (strlen(picture_formats[f]) != length || strncmp(text, picture_formats[f], length) != 0))
            f++;
        if (f == PICTURE_FORMATS)
            return command_refuse("--format", text, "svg, png or pdf, or several of them separated by commas",
                                  why);
        formats[f] = true;
        text += length + (text[length] == ',');
    }
    return 0;
}

static int write_format(const struct plotter *p, const struct sweep_picture *picture, const char *format,
                        FILE *out)
{
    int drawn = 0;
    int status = picture_write(sweep_plot_draw, &(struct sweep_drawing){p->view, picture, &drawn, p->why},
                               format, out, p->why);
    return drawn ? drawn : status;
}

/* Draw a file, up to the name. @param file  in the directory */
static int draw_file(const struct plotter *p, const struct sweep_picture *picture, const char *suffix,
                     struct output *output)
{
    char path[PATH_MAX];
    struct file_uses uses = {0};
    *output = (struct output){0};
    snprintf(path, sizeof path, "%.3800s/%s.%s", p->directory, picture->name, suffix);
    file_uses_read(&uses, "the store", p->store);
    file_uses_write(&uses, "-o", path);
    if (file_uses_check(&uses, p->why) != 0 || output_open(output, path, p->why) != 0)
        return COMMAND_REFUSED;
    int status = strcmp(suffix, "tsv") == 0 ? sweep_picture_write_data(p->view, picture, output->file, p->why)
                                            : write_format(p, picture, suffix, output->file);
    return status == 0 && output_settle(output, p->why) != 0 ? COMMAND_REFUSED : status;
}

enum { FILES_MAX = SWEEP_PICTURES_MAX * (PICTURE_FORMATS + 1) };

/* Nothing gets its name before everything is drawn and on disk, so that there are all pictures or none. */
static int write_files(const struct plotter *p, const struct sweep_picture *pictures, size_t count,
                       struct output outputs[FILES_MAX])
{
    size_t drawn = 0;
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        status = draw_file(p, &pictures[i], "tsv", &outputs[drawn++]);
        for (unsigned f = 0; f < PICTURE_FORMATS && status == 0; f++)
            if (p->formats[f])
                status = draw_file(p, &pictures[i], picture_formats[f], &outputs[drawn++]);
    }
    for (size_t i = 0; i < drawn && status == 0; i++)
        status = output_commit(&outputs[i], p->why) != 0 ? COMMAND_REFUSED : 0;
    for (size_t i = 0; i < drawn; i++)
        output_discard(&outputs[i]);
    return status;
}

static int write_pictures(const struct plotter *p, const struct sweep_ask *ask)
{
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    size_t count;
    int status = sweep_pictures_choose(p->view, ask, pictures, &count, p->why);
    if (status == 0 && output_hold_directory(p->directory, p->why) != 0)
        status = COMMAND_REFUSED;
    if (status)
        return status;
    struct output *outputs = calloc(FILES_MAX, sizeof *outputs);
    status = outputs ? write_files(p, pictures, count, outputs) : why_no_memory(p->why, COMMAND_REFUSED);
    free(outputs);
    return status;
}

int sweep_plot(struct sweep_store *store, const char *name, const char *directory, const char *formats,
               const struct sweep_ask *ask, struct why *why)
{
    struct sweep_table table;
    struct sweep_view view;
    struct plotter p = {.store = name, .directory = directory, .view = &view, .why = why};
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
