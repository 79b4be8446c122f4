#include "app/commands.h"

#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/progress.h"
#include "base/why.h"
#include "base/command.h"
#include "base/words.h"
#include "base/draw/page.h"
#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "app/sweep/draw/sweep_answer.h"
#include "app/sweep/draw/sweep_picture.h"
#include "app/sweep/point/sweep_run.h"
#include "app/sweep/sweep_setup.h"
#include "app/sweep/point/sweep_store.h"
#include "sim/board/hardware.h"
#include "app/options.inc"

/* --- pictures and the page ----------------------------------------------------------------------------- */

/* The pictures of the points in a store, as files or as a page.
 *
 * Pictures  sweep_picture.h says which. Each is NAME.svg, or NAME.png and NAME.pdf where asked for,
 *           and its points are beside it in NAME.tsv. There are all files of a call, or none is new.
 * Page      one HTML file with the pictures, the best machines, the knee, where the bottleneck changes, the first 200
 *           points (`mercury sweep export` has all), and the numbers that all points share.
 */

enum { POINTS_MOST = 200, FILES_MAX = SWEEP_PICTURES_MAX * (PICTURE_FORMATS + 1) };

/* Measures that a row of a machine has on the page. */
static const char *const page_measures[] = {
    "simulated_time_s", "bottleneck", "throughput_mwmers_per_s", "ramb18",
    "sram_chips",       "energy_j",   "first_access_collisions"};

enum { PAGE_MEASURES = sizeof page_measures / sizeof page_measures[0] };

struct plot {
    const char *store; /* its file */
    const char *path;  /* of the directory, or of the page */
    const struct sweep_view *view;
    const struct sweep_ask *ask;
    struct sweep_picture pictures[SWEEP_PICTURES_MAX];
    size_t picture_count;
    bool formats[PICTURE_FORMATS];
    struct sweep_scale scales[PAGE_MEASURES];
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
    int status = strcmp(suffix, "tsv") == 0
                     ? sweep_picture_write_data(picture, output->file, p->why)
                     : picture_write(sweep_picture_draw, picture, suffix, output->file, p->why);
    return status == 0 && output_settle(output, p->why) != 0 ? COMMAND_REFUSED : status;
}

/* Nothing gets its name before everything is drawn and on disk, so that there are all pictures or none. */
static int write_files(const struct plot *p)
{
    struct output *outputs = calloc(FILES_MAX, sizeof *outputs);
    size_t drawn = 0;
    int status = outputs ? 0 : why_no_memory(p->why, COMMAND_REFUSED);
    if (status == 0 && output_hold_directory(p->path, p->why) != 0)
        status = COMMAND_REFUSED;
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
    free(outputs);
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
                 rank != SIZE_MAX ? sweep_view_value(v, i, rank)
                                  : sweep_view_file(sweep_view_text(v, row, sweep_view_name(v, i))));
    }
    for (unsigned m = 0; m < PAGE_MEASURES; m++) {
        const double value = sweep_view_number(v, row, page_measures[m]), shown = value * p->scales[m].factor;
        if (value >= 0)
            page_put(out, shown < 1e5 ? "<td class=\"n\">%.4g</td>" : "<td class=\"n\">%.0f</td>", shown);
        else
            page_put(out, "<td class=\"n\">%s</td>", sweep_view_text(v, row, page_measures[m]));
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
    for (unsigned m = 0; m < PAGE_MEASURES; m++)
        page_put(out, "<th class=\"n\">%s</th>", p->scales[m].title);
    fputs("</tr></thead>\n", out);
    for (size_t i = 0; i < count; i++)
        write_row(p, rows ? rows[i] : i, out);
    fputs("</table></div>\n", out);
}

/* --- the page -------------------------------------------------------------------------------------------- */

static void write_best(struct page *page, const void *plot)
{
    const struct plot *p = plot;
    size_t best[SWEEP_BEST], count = sweep_answer_best(p->view, best), knee = sweep_answer_knee(p->view);
    char lines[SWEEP_CHANGES][SWEEP_CHANGE_BYTES];
    size_t line_count = p->view->machine_count > 0 ? sweep_answer_changes(p->view, lines) : 0;
    fputs("<p>The best by the time of the run:</p>\n", page->out);
    write_table(p, best, count, page->out);
    if (knee != SIZE_MAX) {
        page_put(page->out, "<h3>The knee</h3>\n<p>It has " SWEEP_KNEE_MEANING ":</p>\n", 100 * p->ask->keep);
        write_table(p, &knee, 1, page->out);
    }
    if (!sweep_view_has_front(p->view))
        page_put(page->out, "<p>No Pareto front: the time of the run changes by %.2g%% only.</p>\n",
                 100 * sweep_view_slowness(p->view));
    fputs("<h3>Where the bottleneck changes</h3>\n<ul>\n", page->out);
    for (size_t i = 0; i < line_count; i++)
        page_put(page->out, "<li>%s</li>\n", lines[i]);
    fputs("</ul>\n", page->out);
}

static void write_picture(struct page *page, const void *picture)
{
    page_picture(page, sweep_picture_draw, picture);
}

static void write_points(struct page *page, const void *plot)
{
    const struct plot *p = plot;
    size_t count = p->view->table->count, shown = count < POINTS_MOST ? count : POINTS_MOST;
    page_put(
        page->out,
        "<p>%zu points%s, of which %zu are machines; mercury sweep export --store %s prints all numbers.</p>\n",
        count, shown < count ? ", here the first 200" : "", p->view->machine_count, p->store);
    write_table(p, NULL, shown, page->out);
}

/* Inputs are files, with a digest in the next column. */
static void write_setup(struct page *page, const void *plot)
{
    const struct sweep_view *v = ((const struct plot *)plot)->view;
    const size_t end = v->machine_count > 0 ? SWEEP_TABLE_INPUTS + hardware_parameter_count() : 0;
    fputs("<table>\n", page->out);
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
        page_put(page->out, "<tr><th>%s</th><td>%s%s%s</td></tr>\n", name, text, has_unit ? " " : "",
                 has_unit ? unit : "");
    }
    fputs("</table>\n", page->out);
}

static int write_page(struct plot *p)
{
    struct page_section sections[SWEEP_PICTURES_MAX + 3] = {
        {"best", "The best machines", write_best, p, NULL}};
    char titles[SWEEP_PICTURES_MAX][200], inputs[300];
    size_t count = 1;
    for (unsigned m = 0; m < PAGE_MEASURES; m++)
        p->scales[m] = sweep_scale_for(p->view, NULL, (size_t)sweep_table_column(page_measures[m]));
    for (size_t i = 0; i < p->picture_count; i++)
        sections[count++] = (struct page_section){
            p->pictures[i].name, sweep_picture_title(&p->pictures[i], titles[i], sizeof titles[i]),
            write_picture, &p->pictures[i], NULL};
    sections[count++] = (struct page_section){"points", "The points", write_points, p, NULL};
    sections[count++] = (struct page_section){"setup", "What all machines share", write_setup, p, NULL};
    return page_write(p->path, sweep_picture_inputs(p->view, inputs, sizeof inputs),
                      "Machines on the same inputs", sections, count, p->why);
}

/* --- both ------------------------------------------------------------------------------------------------ */

/* Draw into a directory, which is made if it is missing, or write the page.
 *
 * @param name     of the store's file, which is not overwritten
 * @param path     of the directory, or of the page; "-" is then standard output
 * @param formats  of svg, png and pdf, separated by commas; NULL: the page
 */
static int sweep_plot(struct sweep_store *store, const char *name, const char *path, const char *formats,
                      const struct sweep_ask *ask, struct why *why)
{
    struct sweep_table table;
    struct sweep_view view;
    struct plot p = {.store = name, .path = path, .view = &view, .ask = ask, .why = why};
    int status = formats ? parse_formats(formats, p.formats, why) : 0;
    if (status == 0)
        status = command_status_of(sweep_store_load(store, 0, &table, why));
    if (status)
        return status;
    status = command_status_of(sweep_view_make(&table, ask->keep, &view, why));
    if (status == 0) {
        status = formats ? 0 : check_output(&p, path);
        if (status == 0)
            status = sweep_pictures_choose(&view, ask, p.pictures, &p.picture_count, why);
        if (status == 0)
            status = formats ? write_files(&p) : write_page(&p);
        sweep_view_destroy(&view);
    }
    sweep_table_destroy(&table);
    return status;
}

/* --- the command ------------------------------------------------------------------------------------------ */

static const struct command_option options[] = COMMAND_OPTIONS(SWEEP_OPTIONS);

enum { ANSWER_MOST = 20000 /* points; more take long to read */ };

struct session {
    struct sweep_options options;
    struct sweep_setup setup;
    struct sweep_store *store;
    struct sweep_run run;
    struct sweep_runner *runner;
    size_t sweep;      /* its number in the store */
    size_t found;      /* number of points that were in the store before */
    size_t first, end; /* the points of this job */
    struct why *why;
};

/* --- the sweep ------------------------------------------------------------------------------------------- */

static int wants(void *data, size_t point, struct why *why)
{
    struct session *s = data;
    if (point < s->first || point >= s->end)
        return 0;
    int found = sweep_store_has(s->store, s->setup.plan.points[point].identity, why);
    s->found += found == 1;
    return found < 0 ? found : !found;
}

static int take(void *data, size_t point, const struct sweep_measures *measures, struct why *why)
{
    struct session *s = data;
    return sweep_store_put(s->store, &s->setup.plan, point, POINT_PLANNED, measures, why);
}

static void add_words(FILE *out, const char *word, const char *const *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s %s", ftello(out) > 0 ? " " : "", word, values[i]);
}

/* What was asked for in one line, which `status` shows. @return NULL if memory is exhausted */
static char *describe(const struct sweep_options *o)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    add_words(out, "query", o->queries, o->query_count);
    add_words(out, "database", o->databases, o->database_count);
    add_words(out, "set", o->shared.assignments, o->shared.assignment_count);
    add_words(out, "vary", o->axes, o->axis_count);
    if (o->samples > 0)
        fprintf(out, " samples %zu seed %" PRIu64, o->samples, o->seed);
    return fclose(out) == 0 ? text : NULL;
}

/* --points I/N: the I-th of N parts of neighbouring points, which share the most. */
static int find_part(struct session *s)
{
    const char *part = s->options.part;
    const size_t points = s->setup.plan.point_count;
    char copy[48] = "1/1", *slash;
    uint64_t i = 0, n = 0;
    snprintf(copy, sizeof copy, "%s", part ? part : "1/1");
    if ((slash = strchr(copy, '/')))
        *slash++ = '\0';
    if (!slash || command_whole(slash, 1, SWEEP_POINTS_MAX, &n) != 0 ||
        command_whole(copy, 1, (double)n, &i) != 0)
        return command_refuse("--points", part, "I/N, the I-th of N parts, such as 1/4", s->why);
    s->first = (size_t)(points * (i - 1) / n);
    s->end = (size_t)(points * i / n);
    return 0;
}

/* Make the plan and what every rank needs to work on it; under mpirun the ranks share the processors. */
static int make_plan(struct session *s)
{
    const struct run_options *o = &s->options.shared;
    int status = sweep_setup_read(&s->setup, &s->options, s->why);
    if (status == 0)
        status = sweep_plan_make(&s->setup.request, &s->setup.plan, s->why);
    s->run = (struct sweep_run){
        .plan = &s->setup.plan,
        .link = s->setup.link,
        .jobs = run_options_jobs(o, s->setup.link && o->jobs == 0 ? 1 : SIZE_MAX),
        .quiet = o->quiet,
        .kept = "are stored, and the same command goes on",
        .wants = wants,
        .take = take,
        .data = s,
    };
    return command_status_of(status);
}

/* The point that a sweep begins with: after 0, 1/2, 1/4, 3/4, 1/8, ... of the points (van der Corput's sequence), so
 * that sweeps of the same points in one store meet late. */
static int register_sweep(struct session *s)
{
    char description[8192], *asked = describe(&s->options);
    if (!asked)
        return why_no_memory(s->why, COMMAND_REFUSED);
    printable_copy(description, sizeof description, asked, SIZE_MAX);
    free(asked);
    int status = sweep_store_plan(s->store, &s->setup.plan, description, &s->sweep, s->why);
    double place = 0, digit = 0.5;
    for (size_t left = s->sweep - 1; left > 0; left >>= 1, digit /= 2)
        place += left & 1 ? digit : 0;
    s->run.begin = (size_t)(place * (double)s->setup.plan.point_count);
    return command_status_of(status);
}

/* Say what the points of this sweep show, those that were there before included. */
static int answer(struct session *s)
{
    struct sweep_table table;
    struct sweep_view view;
    if (s->setup.plan.point_count > ANSWER_MOST) {
        printf("For more than %d points, see mercury sweep plot and export.\n", ANSWER_MOST);
        return 0;
    }
    int status = command_status_of(sweep_store_load(s->store, s->sweep, &table, s->why));
    if (status)
        return status;
    status = command_status_of(sweep_view_make(&table, s->options.ask.keep, &view, s->why));
    if (status == 0) {
        sweep_answer_write(&view, s->options.ask.keep, stdout);
        sweep_view_destroy(&view);
    }
    sweep_table_destroy(&table);
    return status;
}

static int work(struct session *s)
{
    int status = s->options.store ? make_plan(s) : why_refuse(s->why, "needs a store: --store FILE");
    if (status == 0)
        status = find_part(s);
    if (status == 0)
        status = command_status_of(sweep_store_open(s->options.store, true, &s->store, s->why));
    if (status == 0)
        status = register_sweep(s);
    if (status)
        return status;
    s->runner = sweep_runner_new(&s->run);
    return s->runner ? sweep_runner_work(s->runner, s->why) : why_no_memory(s->why, COMMAND_REFUSED);
}

static int lead(struct session *s, int status, bool *lost)
{
    const struct sweep_plan *plan = &s->setup.plan;
    double begin_s = progress_wall_s();
    if (status == 0)
        status = work(s);
    *lost = s->runner ? sweep_runner_destroy(s->runner) : rank_link_dismiss(s->setup.link, NULL, NULL);
    if (status || s->options.shared.quiet)
        return status;
    char found[32] = "none";
    if (s->found > 0)
        snprintf(found, sizeof found, "%zu", s->found);
    printf("%zu point%s computed in %.3g s (%zu search%s); %s %s in the store\n",
           s->end - s->first - s->found, s->end - s->first - s->found == 1 ? "" : "s",
           progress_wall_s() - begin_s, plan->search_count, plan->search_count == 1 ? "" : "es", found,
           s->found > 1 ? "were" : "was");
    if (plan->unbuildable > 0)
        printf("%zu points left out: no slot of table.slot_bytes holds table.inline_positions\n",
               plan->unbuildable);
    return answer(s);
}

static int sweep(int argc, char **argv, struct why *why)
{
    struct session s = {.why = why};
    bool lost = false;
    int status;
    if (!rank_link_open("the sweep", &s.setup.link, &status, why))
        return status;
    status = sweep_options_parse("sweep", options, argc, argv, &s.options, why);
    bool first = rank_link_rank(s.setup.link) == 0;
    if (status == COMMAND_HELP) {
        status = first ? COMMAND_HELP : COMMAND_OK;
    } else if (first) {
        status = lead(&s, status, &lost);
    } else {
        s.run.link = s.setup.link;
        if (status == 0)
            status = make_plan(&s);
        lost = !sweep_run_serve(&s.run, status ? why->line : NULL);
        status = 0;
    }
    sweep_store_close(s.store);
    rank_link_close(s.setup.link, !lost);
    sweep_setup_destroy(&s.setup);
    sweep_options_destroy(&s.options);
    return status;
}

/* --- looking at a store ---------------------------------------------------------------------------------- */

static const struct command_option look_options[] = COMMAND_OPTIONS(SWEEP_LOOK_OPTIONS);

static const struct command_option export_options[] = COMMAND_OPTIONS(SWEEP_EXPORT_OPTIONS);

static const struct command_option report_options[] = COMMAND_OPTIONS(SWEEP_REPORT_OPTIONS);

static const struct command_option plot_options[] = COMMAND_OPTIONS(SWEEP_PLOT_OPTIONS);

/* What looks at a store, and what it says if its output has no name. */
static const struct look {
    const char *name;
    const struct command_option *options;
    const char *needs;
} looks[] = {{"status", look_options, NULL},
             {"export", export_options, NULL},
             {"plot", plot_options, "plot needs a directory: -o DIR"},
             {"report", report_options, "report needs a file: -o FILE, e.g. -o sweep.html"},
             {"columns", look_options, NULL}};
enum { LOOK_STATUS, LOOK_EXPORT, LOOK_PLOT, LOOK_REPORT, LOOK_COLUMNS, LOOKS };

static int look(unsigned look, int argc, char **argv, struct why *why)
{
    struct sweep_options o = {0};
    struct sweep_store *store = NULL;
    int status = sweep_options_parse("sweep", looks[look].options, argc, argv, &o, why);
    const char *formats = look == LOOK_REPORT ? NULL : o.formats ? o.formats : "svg";
    if (status == 0 && look != LOOK_COLUMNS)
        status = o.store ? command_status_of(sweep_store_open(o.store, false, &store, why))
                         : why_refuse(why, "needs a store: --store FILE");
    if (status == 0 && looks[look].needs && !o.shared.directory)
        status = why_refuse(why, "%s", looks[look].needs);
    else if (status == 0 && look == LOOK_COLUMNS)
        sweep_measures_describe(stdout);
    else if (status == 0 && look == LOOK_STATUS)
        status = command_status_of(sweep_store_write_status(store, stdout, why));
    else if (status == 0 && look == LOOK_EXPORT)
        status = command_status_of(sweep_store_export(store, o.columns, stdout, why));
    else if (status == 0)
        status = sweep_plot(store, o.store, o.shared.directory, formats, &o.ask, why);
    sweep_store_close(store);
    sweep_options_destroy(&o);
    return status;
}

static int run_command(int argc, char **argv, struct why *why)
{
    for (unsigned i = 0; argc > 1 && i < LOOKS; i++)
        if (strcmp(argv[1], looks[i].name) == 0)
            return look(i, argc - 1, argv + 1, why);
    return sweep(argc, argv, why);
}

const struct command command_sweep = {options, run_command};
