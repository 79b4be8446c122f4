#include "app/sweep/draw/sweep_plot.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/memory.h"
#include "base/words.h"
#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "sim/board/hardware.h"
#include "app/sweep/draw/sweep_answer.h"

enum { POINTS_MOST = 200, FILES_MAX = SWEEP_PICTURES_MAX * (PICTURE_FORMATS + 1) };

/* Measures that a row of a machine has on the page. */
static const char *const measures[] = {"simulated_time_s", "bottleneck", "throughput_mwmers_per_s", "ramb18",
                                       "sram_chips",       "energy_j",   "first_access_collisions"};

enum { MEASURE_BOTTLENECK = 1, MEASURES = sizeof measures / sizeof measures[0] };

struct plot {
    const char *store; /* its file */
    const char *path;  /* of the directory, or of the page */
    const struct sweep_view *view;
    const struct sweep_ask *ask;
    const struct page_section *first;
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    size_t picture_count;
    bool formats[PICTURE_FORMATS];
    struct sweep_scale scales[MEASURES];
    struct why *why;
};

/* --- files ----------------------------------------------------------------------------------------------- */

static int parse_formats(const char *text, bool formats[PICTURE_FORMATS], struct why *why)
{
    struct word rest = word_of(text);
    while (rest.length > 0) {
        const struct word name = word_cut(&rest, ",");
        unsigned f = 0;
        while (f < PICTURE_FORMATS && !word_is(name, picture_formats[f]))
            f++;
        if (f == PICTURE_FORMATS)
            return command_refuse("--format", name.text,
                                  "svg, png or pdf, or several of them separated by commas", why);
        formats[f] = true;
    }
    return 0;
}

/* Whether a file is no other one that is read. */
static int check_output(const struct plot *p, const char *path)
{
    struct file_uses uses = {0};
    file_uses_read(&uses, "the store", p->store);
    file_uses_write(&uses, "-o", path);
    return file_uses_check(&uses, p->why) != 0 ? COMMAND_REFUSED : 0;
}

/* Draw a file, up to the name. @param file  in the directory */
static int draw_file(const struct plot *p, const struct sweep_picture *picture, const char *suffix,
                     struct output *output)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.3800s/%s.%s", p->path, picture->name, suffix);
    if (check_output(p, path) != 0 || output_open(output, path, p->why) != 0)
        return COMMAND_REFUSED;
    int status = 0;
    if (strcmp(suffix, "tsv") == 0)
        sweep_picture_write_data(picture, output->file);
    else
        status = picture_write(sweep_picture_draw, picture, NULL, suffix, output->file, p->why);
    return status == 0 && output_settle(output, p->why) != 0 ? COMMAND_REFUSED : status;
}

/* Fronts that an earlier call has left, of a store that had some, are not of this one. A front is one if its points are
 * beside it: other files keep their names. */
static void remove_older(const struct plot *p)
{
    static const char *const suffixes[] = {"svg", "png", "pdf", "tsv"};
    for (enum front_cost cost = 0; cost < FRONT_COSTS; cost++) {
        char path[PATH_MAX], line[4096] = "";
        bool is_drawn = false;
        for (size_t i = 0; i < p->picture_count; i++)
            is_drawn = is_drawn || strcmp(p->pictures[i].name, sweep_front_names[cost]) == 0;
        snprintf(path, sizeof path, "%.3800s/%s.tsv", p->path, sweep_front_names[cost]);
        FILE *points = is_drawn ? NULL : fopen(path, "r");
        if (!points)
            continue;
        const bool is_front =
            fgets(line, sizeof line, points) && strncmp(line, "kind\t", 5) == 0 && strstr(line, "\tplace\n");
        fclose(points);
        for (unsigned s = 0; s < sizeof suffixes / sizeof suffixes[0] && is_front; s++) {
            snprintf(path, sizeof path, "%.3800s/%s.%s", p->path, sweep_front_names[cost], suffixes[s]);
            unlink(path);
        }
    }
}

/* Nothing gets its name before everything is drawn and on disk, so that there are all pictures or none. */
static int write_files(const struct plot *p)
{
    auto_free struct output *outputs = memory_new(FILES_MAX, sizeof *outputs);
    size_t drawn = 0;
    int status = output_hold_directory(p->path, p->why) != 0 ? COMMAND_REFUSED : 0;
    for (size_t i = 0; i < p->picture_count && status == 0; i++) {
        status = draw_file(p, &p->pictures[i], "tsv", &outputs[drawn++]);
        for (unsigned f = 0; f < PICTURE_FORMATS && status == 0; f++)
            if (p->formats[f])
                status = draw_file(p, &p->pictures[i], picture_formats[f], &outputs[drawn++]);
    }
    for (size_t i = 0; i < drawn && status == 0; i++)
        status = output_commit(&outputs[i], p->why) != 0 ? COMMAND_REFUSED : 0;
    for (size_t i = 0; i < drawn; i++)
        output_discard(&outputs[i]);
    if (status == 0 && !p->ask->x && !p->ask->y && !p->ask->by)
        remove_older(p);
    return status;
}

/* --- the tables of the page ------------------------------------------------------------------------------ */

/* A point that is no machine has its own values, and says what it is. */
static void write_row(const struct plot *p, size_t row, FILE *out)
{
    const struct sweep_view *v = p->view;
    fputs("<tr>", out);
    for (size_t i = 0; i < v->varied_count; i++) {
        size_t rank = v->varied[i].ranks[row];
        page_put(out, "<td>%s</td>",
                 rank != SIZE_MAX ? sweep_view_value(v, i, rank) : sweep_view_value_of(v, i, row));
    }
    for (unsigned m = 0; m < MEASURES; m++) {
        const double value = sweep_view_number(v, row, measures[m]), shown = value * p->scales[m].factor;
        if (value >= 0)
            page_put(out, shown < 1e5 ? "<td class=\"n\">%.4g</td>" : "<td class=\"n\">%.0f</td>", shown);
        else
            page_put(out, "<td class=\"n\">%s</td>",
                     m == MEASURE_BOTTLENECK ? sweep_answer_bottleneck(v, row)
                                             : sweep_view_text(v, row, measures[m]));
    }
    if (v->kinds[row] != SWEEP_MACHINE)
        page_put(out, "<td>%s</td>", sweep_picture_probe(v->kinds[row]).text);
    fputs("</tr>\n", out);
}

/* @param rows  NULL: the first ones */
static void write_table(const struct plot *p, const size_t *rows, size_t count, FILE *out)
{
    fputs("<div class=\"scroll\"><table class=\"numbers\"><thead><tr>", out);
    for (size_t i = 0; i < p->view->varied_count; i++)
        page_put(out, "<th>%s</th>", sweep_view_name(p->view, i));
    for (unsigned m = 0; m < MEASURES; m++)
        page_put(out, "<th class=\"n\">%s</th>", p->scales[m].title);
    fputs("</tr></thead>\n", out);
    for (size_t i = 0; i < count; i++)
        write_row(p, rows ? rows[i] : i, out);
    fputs("</table></div>\n", out);
}

/* --- the page -------------------------------------------------------------------------------------------- */

static void write_best(const void *plot, FILE *out)
{
    const struct plot *p = plot;
    size_t best[SWEEP_BEST], count = sweep_answer_best(p->view, best), knee = sweep_answer_knee(p->view);
    char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES], misfit[SWEEP_MISFIT_BYTES];
    size_t line_count = p->view->machine_count > 0 ? sweep_answer_changes(p->view, lines) : 0;
    if (*sweep_view_misfit(p->view, misfit))
        page_put(out, "<p>%s</p>\n", misfit);
    fputs("<p>The best by the time of the run:</p>\n", out);
    write_table(p, best, count, out);
    if (knee != SIZE_MAX) {
        page_put(out, "<h3>The knee</h3>\n<p>It is %s:</p>\n", p->view->knee_meaning);
        write_table(p, &knee, 1, out);
    }
    if (!sweep_view_has_front(p->view))
        page_put(out,
                 sweep_view_slowness(p->view) > SWEEP_SAME
                     ? "<p>No Pareto front: the time of the run changes by %.2g%% only.</p>\n"
                     : "<p>No Pareto front: the time of the run does not change.</p>\n",
                 100 * sweep_view_slowness(p->view));
    fputs("<h3>Where the bottleneck changes</h3>\n<p>Here it is the " SWEEP_BOTTLENECK_MEANING
          ".</p>\n<ul>\n",
          out);
    for (size_t i = 0; i < line_count; i++)
        page_put(out, "<li>%s</li>\n", lines[i]);
    fputs("</ul>\n", out);
}

static void write_points(const void *plot, FILE *out)
{
    const struct plot *p = plot;
    size_t count = p->view->table->count, shown = count < POINTS_MOST ? count : POINTS_MOST;
    page_put(
        out,
        "<p>%zu points%s, of which %zu are machines; mercury sweep export --store %s prints all numbers%s.</p>\n",
        count, shown < count ? ", here the first 200" : "", p->view->machine_count,
        p->store ? p->store : "FILE", p->store ? "" : " of what was kept by --store FILE");
    write_table(p, NULL, shown, out);
}

/* Inputs are files, with a digest in the next column. */
static void write_setup(const void *plot, FILE *out)
{
    const struct sweep_view *v = ((const struct plot *)plot)->view;
    const size_t end = v->machine_count > 0 ? SWEEP_TABLE_INPUTS + hardware_parameter_count() : 0;
    fputs("<table>\n", out);
    for (size_t column = 1; column < end; column++) {
        const char *name = sweep_table_column_name(column), *unit = sweep_table_column_unit(column),
                   *text = sweep_view_text(v, v->machines[0], name);
        const char *next = column + 1 < end ? sweep_table_column_name(column + 1) : "";
        bool has_unit = *unit && strcmp(unit, "1") != 0;
        if (sweep_view_find(v, name) != SIZE_MAX ||
            (strstr(name, "_xxh3") && sweep_view_find(v, sweep_table_column_name(column - 1)) != SIZE_MAX))
            continue;
        if (strncmp(next, name, strlen(name)) == 0 && strstr(next, "_xxh3"))
            text = sweep_view_file(text);
        page_put(out, "<tr><th>%s</th><td>%s%s%s</td></tr>\n", name, text, has_unit ? " " : "",
                 has_unit ? unit : "");
    }
    fputs("</table>\n", out);
}

static int write_page(struct plot *p)
{
    struct page_section sections[SWEEP_PICTURES_MAX + 3] = {
        p->first ? *p->first : (struct page_section){"best", "The best machines", write_best, p}};
    char titles[SWEEP_PICTURES_MAX][200], inputs[300];
    size_t count = 1;
    for (unsigned m = 0; m < MEASURES; m++)
        p->scales[m] = sweep_scale_for(p->view, NULL, (size_t)sweep_table_column(measures[m]));
    for (size_t i = 0; i < p->picture_count; i++)
        sections[count++] = (struct page_section){
            p->pictures[i].name, sweep_picture_title(&p->pictures[i], titles[i], sizeof titles[i]),
            .draw = sweep_picture_draw, .data = &p->pictures[i]};
    sections[count++] = (struct page_section){"points", "The points", write_points, p};
    sections[count++] = (struct page_section){"setup", "What all machines share", write_setup, p};
    return page_write(p->path, sweep_picture_inputs(p->view, inputs, sizeof inputs),
                      "Machines on the same inputs", sections, count, p->why);
}

/* --- both ------------------------------------------------------------------------------------------------ */

int sweep_plot(struct sweep_store *store, const char *name, const char *path, const char *formats,
               const struct sweep_ask *ask, const struct page_section *first, struct why *why)
{
    auto_by(sweep_table_destroy) struct sweep_table table = {0};
    auto_by(sweep_view_destroy) struct sweep_view view = {0};
    struct plot p = {.store = name, .path = path, .view = &view, .ask = ask, .first = first, .why = why};
    int status = formats ? parse_formats(formats, p.formats, why) : 0;
    if (status == 0)
        status = command_status_of(sweep_store_load(store, 0, &table, why));
    if (status)
        return status;
    sweep_view_make(&table, ask->keep, &view);
    status = formats ? 0 : check_output(&p, path);
    if (status == 0)
        status = sweep_pictures_choose(&view, ask, p.pictures, &p.picture_count, why);
    if (first && p.picture_count == 0)
        status = 0; /* the page has something to say without pictures */
    return status ? status : formats ? write_files(&p) : write_page(&p);
}
