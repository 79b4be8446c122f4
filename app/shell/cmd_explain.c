#include "app/commands.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "traces/explain.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_frame.h"
#include "sim/measure/machine_taps.h"
#include "app/estimate/estimate_page.h"
#include "app/sweep/point/sweep_measure.h"
#include "app/why/assumption_board.h"

static const struct command_option options[] = {COMMAND_OPTIONS_END};

/* A row of another table. */
static void add(struct explanations *all, const char *name, const char *meaning, const char *unit,
                const char *computed)
{
    explain_add(all, &(struct explain_row){name, meaning, unit, computed}, 1);
}

static void begin(struct explanations *all, const char *owner)
{
    explain_add(all, &(struct explain_row){.owner = owner}, 1);
}

/* Add what other tables explain themselves: parameters, columns of sweeps and estimates, steps. */
static void add_tables(struct explanations *all)
{
    begin(all, "parameter");
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        add(all, hardware_parameter_name(i), hardware_parameter_range(i).meaning, hardware_parameter_unit(i),
            "chosen: --set NAME=VALUE or a <prop>; mercury run --dump-config shows its range");
    begin(all, "sweep");
    const struct sweep_measures *measures = &sweep_measures_of_nothing;
    for (const struct sweep_measure *m = measures->items; m < measures->items + measures->count; m++)
        add(all, m->name, m->meaning, m->unit, "of every point of a sweep: mercury sweep export");
    begin(all, "step");
    for (size_t i = 0; i < ASSUMPTIONS; i++)
        add(all, assumptions[i].name, assumptions[i].meaning, NULL, "a step of mercury validate --why");
    begin(all, "estimate");
    for (size_t i = 0; i < ESTIMATE_COLUMNS; i++)
        add(all, estimate_columns[i].name, estimate_columns[i].meaning, estimate_columns[i].unit,
            "of every number of nodes: mercury estimate");
}

/* A model's column "M/M/1_covers" is explained once for all models, and so are quantiles and P[N >= n] for all n. */
static const char *word_of(const char *name)
{
    if (strncmp(name, "P[N", 3) == 0)
        return "P[N=n]";
    if (strncmp(name, "N_G_p", 5) == 0 || strncmp(name, "W_G_p", 5) == 0)
        return "N_G_p90";
    static const char end[] = "_covers";
    size_t length = strlen(name), ends = sizeof end - 1;
    return length > ends && strcmp(name + length - ends, end) == 0 ? end + 1 : name;
}

static int explain(const struct explanations *all, char **names, int count, struct why *why)
{
    if (count == 0)
        explain_write_list(all, stdout);
    for (int i = 0; i < count; i++) {
        if (explain_knows(all, word_of(names[i])))
            continue;
        const char *nearest = explain_nearest(all, names[i]);
        return why_refuse(why, "explain '%.100s': no such word; %s%s%s", names[i],
                          nearest ? "did you mean '" : "", nearest ? nearest : "mercury explain lists all",
                          nearest ? "'?" : "");
    }
    for (int i = 0; i < count; i++) {
        if (i > 0)
            putchar('\n');
        explain_write(all, word_of(names[i]), stdout);
    }
    return COMMAND_OK;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct explanations all;
    int status = command_parse("explain", options, argc, argv, argc, NULL, why);
    if (status)
        return status;
    explain_begin(&all, &machine_layout, &machine_catalogue);
    explain_add_words(&all);
    add_tables(&all);
    status = explain(&all, argv + optind, argc - optind, why);
    explain_end(&all);
    return status;
}

const struct command command_explain = {options, run_command};
