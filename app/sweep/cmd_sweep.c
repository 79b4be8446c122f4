#include "app/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/printable.h"
#include "base/progress.h"
#include "base/why.h"
#include "app/sweep/draw/sweep_answer.h"
#include "app/sweep/draw/sweep_plot.h"
#include "app/sweep/point/sweep_run.h"
#include "app/sweep/sweep_setup.h"
#include "app/sweep/point/sweep_store.h"
#include "app/options.inc"

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

/* What was asked for in one line, which `status` shows. @return for free() */
static char *describe(const struct sweep_options *o)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    add_words(out, "query", o->queries, o->query_count);
    add_words(out, "database", o->databases, o->database_count);
    add_words(out, "set", o->shared.assignments, o->shared.assignment_count);
    add_words(out, "vary", o->axes, o->axis_count);
    add_words(out, "platform", &o->shared.platform, o->shared.platform != NULL);
    add_words(out, "machine", &o->shared.machine, o->shared.machine != NULL);
    add_words(out, "device", &fpga_device_names[o->device], o->device != FPGA_NONE);
    fprintf(out, " strand %s evalue %.12g", search_options_strand_name(o->search.strands), o->search.e_value);
    if (o->samples > 0)
        fprintf(out, " samples %zu seed %" PRIu64, o->samples, o->seed);
    memory_stream_end(out);
    return text;
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
    auto_by(sweep_table_destroy) struct sweep_table table = {0};
    auto_by(sweep_view_destroy) struct sweep_view view = {0};
    if (s->setup.plan.point_count > ANSWER_MOST) {
        printf("For more than %d points, see mercury sweep plot and export.\n", ANSWER_MOST);
        return 0;
    }
    int status = command_status_of(sweep_store_load(s->store, s->sweep, &table, s->why));
    if (status)
        return status;
    sweep_view_make(&table, s->options.ask.keep, &view);
    sweep_answer_write(&view, stdout);
    return 0;
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
    return sweep_runner_work(s->runner, s->why);
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

enum { LOOK_STATUS, LOOK_EXPORT, LOOK_PLOT, LOOK_REPORT, LOOK_COLUMNS, LOOKS };

static const struct command_word looks[] = {
    [LOOK_STATUS] = {"status", look_options},   [LOOK_EXPORT] = {"export", export_options},
    [LOOK_PLOT] = {"plot", plot_options},       [LOOK_REPORT] = {"report", report_options},
    [LOOK_COLUMNS] = {"columns", look_options}, [LOOKS] = {NULL, NULL},
};

/* What is said if the output has no name. */
static const char *const needs[LOOKS] = {
    [LOOK_PLOT] = "plot needs a directory: -o DIR",
    [LOOK_REPORT] = "report needs a file: -o FILE, e.g. -o sweep.html",
};

static int look(unsigned look, int argc, char **argv, struct why *why)
{
    auto_by(sweep_options_destroy) struct sweep_options o = {0};
    struct sweep_store *store = NULL;
    int status = sweep_options_parse("sweep", looks[look].options, argc, argv, &o, why);
    const char *formats = look == LOOK_REPORT ? NULL : o.formats ? o.formats : "svg";
    if (status == 0 && look != LOOK_COLUMNS)
        status = o.store ? command_status_of(sweep_store_open(o.store, false, &store, why))
                         : why_refuse(why, "needs a store: --store FILE");
    if (status == 0 && needs[look] && !o.shared.directory)
        status = why_refuse(why, "%s", needs[look]);
    else if (status == 0 && look == LOOK_COLUMNS)
        sweep_measures_describe(stdout);
    else if (status == 0 && look == LOOK_STATUS)
        status = command_status_of(sweep_store_write_status(store, stdout, why));
    else if (status == 0 && look == LOOK_EXPORT)
        status = command_status_of(sweep_store_export(store, o.columns, stdout, why));
    else if (status == 0)
        status = sweep_plot(store, o.store, o.shared.directory, formats, &o.ask, NULL, why);
    sweep_store_close(store);
    return status;
}

static int run_command(int argc, char **argv, struct why *why)
{
    for (unsigned i = 0; argc > 1 && i < LOOKS; i++)
        if (strcmp(argv[1], looks[i].name) == 0)
            return look(i, argc - 1, argv + 1, why);
    return sweep(argc, argv, why);
}

const struct command command_sweep = {options, run_command, looks};
