#include "app/sweep/draw/sweep_page.h"

#include <stdint.h>
#include <string.h>

#include "base/command.h"
#include "base/file/file_uses.h"
#include "sim/board/hardware.h"
#include "app/report/report_page.h"
#include "app/report/report_part.h"
#include "app/sweep/draw/sweep_answer.h"
#include "app/sweep/draw/sweep_plot.h"

enum { POINTS_MOST = 200 };

/* Measures that a row of a machine has. */
static const char *const measures[] = {
    "simulated_time_s", "throughput_mwmers_per_s", "ramb18",    "sram_chips",
    "energy_j",         "first_access_collisions", "bottleneck"};

enum { MEASURES = sizeof measures / sizeof measures[0] };

struct page {
    const char *store;
    const struct sweep_view *view;
    const struct sweep_ask *ask;
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    size_t picture_count;
    struct sweep_scale scales[MEASURES];
    FILE *out;
    struct why *why;
};

/* --- tables ---------------------------------------------------------------------------------------------- */

static void write_head(const struct page *p)
{
    fputs("<div class=\"scroll\"><table><thead><tr>", p->out);
    for (size_t i = 0; i < p->view->varied_count; i++) {
        fputs("<th>", p->out);
        report_text(p->out, "%s", sweep_view_name(p->view, i));
        fputs("</th>", p->out);
    }
    for (unsigned m = 0; m < MEASURES; m++) {
        fputs("<th class=\"n\">", p->out);
        report_text(p->out, "%s", p->scales[m].title);
        fputs("</th>", p->out);
    }
    fputs("</tr></thead>\n", p->out);
}

static void write_measure(const struct page *p, unsigned measure, size_t row)
{
    const char *text = sweep_view_text(p->view, row, measures[measure]);
    double value = sweep_view_number(p->view, row, measures[measure]);
    double shown = value * p->scales[measure].factor;
    fputs("<td class=\"n\">", p->out);
    if (value >= 0)
        report_text(p->out, shown < 1e5 ? "%.4g" : "%.0f", shown);
    else
        report_text(p->out, "%s", text);
    fputs("</td>", p->out);
}

/* A point that is no machine has its own values, and says what it is. */
static void write_row(const struct page *p, size_t row)
{
    fputs("<tr>", p->out);
    for (size_t i = 0; i < p->view->varied_count; i++) {
        size_t rank = p->view->varied[i].ranks[row];
        fputs("<td>", p->out);
        report_text(p->out, "%s",
                    rank != SIZE_MAX
                        ? sweep_view_value(p->view, i, rank)
                        : sweep_view_file(sweep_view_text(p->view, row, sweep_view_name(p->view, i))));
        fputs("</td>", p->out);
    }
    for (unsigned m = 0; m < MEASURES; m++)
        write_measure(p, m, row);
    if (p->view->kinds[row] != SWEEP_MACHINE) {
        fputs("<td>", p->out);
        report_text(p->out, "%s", sweep_picture_probe(p->view->kinds[row]).text);
        fputs("</td>", p->out);
    }
    fputs("</tr>\n", p->out);
}

static void end_table(const struct page *p)
{
    fputs("</table></div>\n", p->out);
}

/* --- sections -------------------------------------------------------------------------------------------- */

static void write_answer(const struct page *p)
{
    size_t best[SWEEP_BEST], count = sweep_answer_best(p->view, best, p->why);
    size_t knee = sweep_answer_knee(p->view, p->ask->keep, p->why);
    char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES];
    size_t line_count = p->view->machine_count > 0 ? sweep_answer_changes(p->view, lines, p->why) : 0;
    fputs("<section id=\"best\">\n<h2>The best machines</h2>\n<p>The best by the time of the run:</p>\n",
          p->out);
    write_head(p);
    for (size_t i = 0; i < count; i++)
        write_row(p, best[i]);
    end_table(p);
    if (knee != SIZE_MAX) {
        fprintf(p->out, "<h3>The knee</h3>\n<p>It has " SWEEP_KNEE_MEANING ":</p>\n", 100 * p->ask->keep);
        write_head(p);
        write_row(p, knee);
        end_table(p);
    }
    fputs("<h3>Where the bottleneck changes</h3>\n<ul>\n", p->out);
    for (size_t i = 0; i < line_count; i++) {
        fputs("<li>", p->out);
        report_text(p->out, "%s", lines[i]);
        fputs("</li>\n", p->out);
    }
    fputs("</ul>\n</section>\n", p->out);
}

static int write_picture(const struct page *p, const struct sweep_picture *picture)
{
    char title[200];
    struct svg svg = {.out = p->out, .in_page = true};
    fprintf(p->out, "<section id=\"%s\">\n<h2>", picture->name);
    report_text(p->out, "%s", sweep_picture_title(p->view, picture, title, sizeof title));
    fputs("</h2>\n<figure>\n", p->out);
    int status = command_status_of(sweep_plot_draw(p->view, picture, &svg, p->why));
    fputs("</figure>\n</section>\n", p->out);
    return status;
}

static void write_points(const struct page *p)
{
    size_t count = p->view->table->count, shown = count < POINTS_MOST ? count : POINTS_MOST;
    fputs("<section id=\"points\">\n<h2>The points</h2>\n<p>", p->out);
    report_text(
        p->out,
        "%zu points%s, of which %zu are machines; mercury sweep export --store %.300s prints all numbers.",
        count, shown < count ? ", here the first 200" : "", p->view->machine_count, p->store);
    fputs("</p>\n", p->out);
    write_head(p);
    for (size_t i = 0; i < shown; i++)
        write_row(p, i);
    end_table(p);
    fputs("</section>\n", p->out);
}

/* What all machines share. */
static void write_setup(const struct page *p)
{
    fputs("<section id=\"setup\">\n<h2>What all machines share</h2>\n<table>\n", p->out);
    size_t end = SWEEP_TABLE_INPUTS + hardware_parameter_count();
    size_t row = 0;
    while (row < p->view->table->count && p->view->kinds[row] != SWEEP_MACHINE)
        row++;
    for (size_t column = 1; column < end && row < p->view->table->count; column++) {
        const char *name = sweep_table_column_name(column), *unit = sweep_table_column_unit(column);
        bool has_file = column + 1 < end &&
                        strncmp(sweep_table_column_name(column + 1), name, strlen(name)) == 0 &&
                        strstr(sweep_table_column_name(column + 1), "_xxh3");
        if (sweep_view_find(p->view, name) != SIZE_MAX ||
            (strstr(name, "_xxh3") &&
             sweep_view_find(p->view, sweep_table_column_name(column - 1)) != SIZE_MAX))
            continue;
        fputs("<tr><th>", p->out);
        report_text(p->out, "%s", name);
        fputs("</th><td>", p->out);
        report_text(p->out, "%s%s%s",
                    has_file ? sweep_view_file(sweep_view_text(p->view, row, name))
                             : sweep_view_text(p->view, row, name),
                    *unit && strcmp(unit, "1") != 0 ? " " : "", strcmp(unit, "1") != 0 ? unit : "");
        fputs("</td></tr>\n", p->out);
    }
    fputs("</table>\n</section>\n", p->out);
}

static void write_links(const struct page *p)
{
    fputs("<nav><a href=\"#best\">The best machines</a> · ", p->out);
    for (size_t i = 0; i < p->picture_count; i++) {
        char title[200];
        fprintf(p->out, "<a href=\"#%s\">", p->pictures[i].name);
        report_text(p->out, "%s", sweep_picture_title(p->view, &p->pictures[i], title, sizeof title));
        fputs("</a> · ", p->out);
    }
    fputs("<a href=\"#points\">The points</a> · <a href=\"#setup\">What all machines share</a></nav>\n",
          p->out);
}

static int write_page(struct page *p)
{
    char inputs[300];
    int status = sweep_pictures_choose(p->view, p->ask, p->pictures, &p->picture_count, p->why);
    if (status)
        return status;
    for (unsigned m = 0; m < MEASURES; m++)
        p->scales[m] = sweep_picture_scale(p->view, false, (size_t)sweep_table_column(measures[m]));
    report_page_begin(sweep_picture_inputs(p->view, inputs, sizeof inputs), "Machines on the same inputs",
                      p->out);
    write_links(p);
    write_answer(p);
    for (size_t i = 0; i < p->picture_count && status == 0; i++)
        status = write_picture(p, &p->pictures[i]);
    write_points(p);
    write_setup(p);
    report_page_end(p->out);
    return status;
}

static int write_content(void *page, FILE *out, struct why *why)
{
    struct page *p = page;
    p->out = out;
    p->why = why;
    return write_page(p);
}

static int write_file(struct page *p, const char *path, struct why *why)
{
    struct file_uses uses = {0};
    file_uses_read(&uses, "the store", p->store);
    file_uses_write(&uses, "-o", path);
    return file_uses_check(&uses, why) != 0 ? COMMAND_REFUSED
                                            : report_page_write_file(path, write_content, p, why);
}

int sweep_page_write(struct sweep_store *store, const char *name, const char *path,
                     const struct sweep_ask *ask, struct why *why)
{
    struct sweep_table table;
    struct sweep_view view;
    int status = command_status_of(sweep_store_load(store, 0, &table, why));
    if (status)
        return status;
    status = command_status_of(sweep_view_make(&table, &view, why));
    if (status == 0) {
        status = write_file(&(struct page){.store = name, .view = &view, .ask = ask}, path, why);
        sweep_view_destroy(&view);
    }
    sweep_table_destroy(&table);
    return status;
}
