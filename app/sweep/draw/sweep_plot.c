#include "app/sweep/draw/sweep_plot.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/draw/page.h"
#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "sim/board/hardware.h"
#include "app/sweep/draw/sweep_answer.h"

enum { POINTS_MOST = 200 };

/* --- files ----------------------------------------------------------------------------------------------- */

struct plotter {
    const char *store; /* its file */
    const char *path;  /* of the directory, or of the page */
    const struct sweep_view *view;
    bool formats[PICTURE_FORMATS];
    struct why *why;
};

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

/* Draw a file, up to the name. @param file  in the directory */
static int draw_file(const struct plotter *p, const struct sweep_picture *picture, const char *suffix,
                     struct output *output)
{
    char path[PATH_MAX];
    struct file_uses uses = {0};
    *output = (struct output){0};
    snprintf(path, sizeof path, "%.3800s/%s.%s", p->path, picture->name, suffix);
    file_uses_read(&uses, "the store", p->store);
    file_uses_write(&uses, "-o", path);
    if (file_uses_check(&uses, p->why) != 0 || output_open(output, path, p->why) != 0)
        return COMMAND_REFUSED;
    int status = strcmp(suffix, "tsv") == 0
                     ? sweep_picture_write_data(picture, output->file, p->why)
                     : picture_write(sweep_picture_draw, picture, suffix, output->file, p->why);
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
    if (status == 0 && output_hold_directory(p->path, p->why) != 0)
        status = COMMAND_REFUSED;
    if (status)
        return status;
    struct output *outputs = calloc(FILES_MAX, sizeof *outputs);
    status = outputs ? write_files(p, pictures, count, outputs) : why_no_memory(p->why, COMMAND_REFUSED);
    free(outputs);
    return status;
}

/* --- the page -------------------------------------------------------------------------------------------- */

/* Measures that a row of a machine has. */
static const char *const measures[] = {
    "simulated_time_s", "throughput_mwmers_per_s", "ramb18",    "sram_chips",
    "energy_j",         "first_access_collisions", "bottleneck"};

enum { MEASURES = sizeof measures / sizeof measures[0] };

struct content {
    const char *store;
    const struct sweep_view *view;
    const struct sweep_ask *ask;
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    size_t picture_count;
    struct sweep_scale scales[MEASURES];
    struct why *why;
};

/* --- the tables of the page ----------------------------------------------------------------------------- */

static void write_measure(const struct content *c, unsigned measure, size_t row, FILE *out)
{
    double value = sweep_view_number(c->view, row, measures[measure]);
    double shown = value * c->scales[measure].factor;
    if (value >= 0)
        page_put(out, shown < 1e5 ? "<td class=\"n\">%.4g</td>" : "<td class=\"n\">%.0f</td>", shown);
    else
        page_put(out, "<td class=\"n\">%s</td>", sweep_view_text(c->view, row, measures[measure]));
}

/* A point that is no machine has its own values, and says what it is. */
static void write_row(const struct content *c, size_t row, FILE *out)
{
    const struct sweep_view *v = c->view;
    fputs("<tr>", out);
    for (size_t i = 0; i < v->varied_count; i++) {
        size_t rank = v->varied[i].ranks[row];
        page_put(out, "<td>%s</td>",
                 rank != SIZE_MAX ? sweep_view_value(v, i, rank)
                                  : sweep_view_file(sweep_view_text(v, row, sweep_view_name(v, i))));
    }
    for (unsigned m = 0; m < MEASURES; m++)
        write_measure(c, m, row, out);
    if (v->kinds[row] != SWEEP_MACHINE)
        page_put(out, "<td>%s</td>", sweep_picture_probe(v->kinds[row]).text);
    fputs("</tr>\n", out);
}

/* @param rows  NULL: the first ones */
static void write_table(const struct content *c, const size_t *rows, size_t count, FILE *out)
{
    fputs("<div class=\"scroll\"><table><thead><tr>", out);
    for (size_t i = 0; i < c->view->varied_count; i++)
        page_put(out, "<th>%s</th>", sweep_view_name(c->view, i));
    for (unsigned m = 0; m < MEASURES; m++)
        page_put(out, "<th class=\"n\">%s</th>", c->scales[m].title);
    fputs("</tr></thead>\n", out);
    for (size_t i = 0; i < count; i++)
        write_row(c, rows ? rows[i] : i, out);
    fputs("</table></div>\n", out);
}

/* --- sections -------------------------------------------------------------------------------------------- */

static void write_best(struct page *p, const void *content)
{
    const struct content *c = content;
    size_t best[SWEEP_BEST], count = sweep_answer_best(c->view, best), knee = sweep_answer_knee(c->view);
    char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES];
    size_t line_count = c->view->machine_count > 0 ? sweep_answer_changes(c->view, lines) : 0;
    fputs("<p>The best by the time of the run:</p>\n", p->out);
    write_table(c, best, count, p->out);
    if (knee != SIZE_MAX) {
        page_put(p->out, "<h3>The knee</h3>\n<p>It has " SWEEP_KNEE_MEANING ":</p>\n", 100 * c->ask->keep);
        write_table(c, &knee, 1, p->out);
    }
    fputs("<h3>Where the bottleneck changes</h3>\n<ul>\n", p->out);
    for (size_t i = 0; i < line_count; i++)
        page_put(p->out, "<li>%s</li>\n", lines[i]);
    fputs("</ul>\n", p->out);
}

static void write_picture(struct page *p, const void *picture)
{
    page_picture(p, sweep_picture_draw, picture);
}

static void write_points(struct page *p, const void *content)
{
    const struct content *c = content;
    size_t count = c->view->table->count, shown = count < POINTS_MOST ? count : POINTS_MOST;
    page_put(
        p->out,
        "<p>%zu points%s, of which %zu are machines; mercury sweep export --store %s prints all numbers.</p>\n",
        count, shown < count ? ", here the first 200" : "", c->view->machine_count, c->store);
    write_table(c, NULL, shown, p->out);
}

/* Inputs are files, with a digest in the next column. */
static void write_setup(struct page *p, const void *content)
{
    const struct sweep_view *v = ((const struct content *)content)->view;
    const size_t end = SWEEP_TABLE_INPUTS + hardware_parameter_count();
    size_t row = 0;
    while (row < v->table->count && v->kinds[row] != SWEEP_MACHINE)
        row++;
    fputs("<table>\n", p->out);
    for (size_t column = 1; column < end && row < v->table->count; column++) {
        const char *name = sweep_table_column_name(column), *unit = sweep_table_column_unit(column),
                   *text = sweep_view_text(v, row, name);
        const char *next = column + 1 < end ? sweep_table_column_name(column + 1) : "";
        bool has_unit = *unit && strcmp(unit, "1") != 0;
        if (sweep_view_find(v, name) != SIZE_MAX ||
            (strstr(name, "_xxh3") && sweep_view_find(v, sweep_table_column_name(column - 1)) != SIZE_MAX))
            continue;
        if (strncmp(next, name, strlen(name)) == 0 && strstr(next, "_xxh3"))
            text = sweep_view_file(text);
        page_put(p->out, "<tr><th>%s</th><td>%s%s%s</td></tr>\n", name, text, has_unit ? " " : "",
                 has_unit ? unit : "");
    }
    fputs("</table>\n", p->out);
}

static int write_page(struct content *c, const char *path)
{
    struct page_section sections[SWEEP_PICTURES_MAX + 3] = {
        {"best", "The best machines", write_best, c, NULL}};
    char titles[SWEEP_PICTURES_MAX][200], inputs[300];
    size_t count = 1;
    int status = sweep_pictures_choose(c->view, c->ask, c->pictures, &c->picture_count, c->why);
    if (status)
        return status;
    for (unsigned m = 0; m < MEASURES; m++)
        c->scales[m] = sweep_scale_for(c->view, NULL, (size_t)sweep_table_column(measures[m]));
    for (size_t i = 0; i < c->picture_count; i++)
        sections[count++] = (struct page_section){
            c->pictures[i].name, sweep_picture_title(&c->pictures[i], titles[i], sizeof titles[i]),
            write_picture, &c->pictures[i], NULL};
    sections[count++] = (struct page_section){"points", "The points", write_points, c, NULL};
    sections[count++] = (struct page_section){"setup", "What all machines share", write_setup, c, NULL};
    return page_write(path, sweep_picture_inputs(c->view, inputs, sizeof inputs),
                      "Machines on the same inputs", sections, count, c->why);
}

/* --- both ------------------------------------------------------------------------------------------------ */

static int write_page_file(const struct plotter *p, const struct sweep_ask *ask)
{
    struct file_uses uses = {0};
    struct content content = {.store = p->store, .view = p->view, .ask = ask, .why = p->why};
    file_uses_read(&uses, "the store", p->store);
    file_uses_write(&uses, "-o", p->path);
    return file_uses_check(&uses, p->why) != 0 ? COMMAND_REFUSED : write_page(&content, p->path);
}

int sweep_plot(struct sweep_store *store, const char *name, const char *path, const char *formats,
               const struct sweep_ask *ask, struct why *why)
{
    struct sweep_table table;
    struct sweep_view view;
    struct plotter p = {.store = name, .path = path, .view = &view, .why = why};
    int status = formats ? parse_formats(formats, p.formats, why) : 0;
    if (status == 0)
        status = command_status_of(sweep_store_load(store, 0, &table, why));
    if (status)
        return status;
    status = command_status_of(sweep_view_make(&table, ask->keep, &view, why));
    if (status == 0) {
        status = (formats ? write_pictures : write_page_file)(&p, ask);
        sweep_view_destroy(&view);
    }
    sweep_table_destroy(&table);
    return status;
}
