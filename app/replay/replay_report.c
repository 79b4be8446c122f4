#include "app/replay/replay_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"

/* What a text has without --wide fits into 80 columns. */
enum {
    NARROW_COLUMNS = 7,
    OWN_COLUMNS = 8,
    WORST_CELLS = 3,
    COLUMNS = OWN_COLUMNS + DOR2010_FIGURES + VERDICT_MODELS
};

static struct dor2010_number published(const struct replay_report *r, enum machine_quantity cell)
{
    return dor2010_measured(r->published, cell);
}

static const struct verdict_cell *predicted(const struct replay_report *r, enum machine_quantity cell,
                                            enum verdict_model model)
{
    return &r->validation->frames[0].cells[cell][model];
}

double replay_report_difference(const struct replay_report *r, enum machine_quantity cell)
{
    double measured = published(r, cell).value;
    return measured > 0 ? (r->result->of[cell].mean - measured) / measured : NAN;
}

static bool rounds_to_published(const struct replay_report *r, enum machine_quantity cell)
{
    struct dor2010_number measured = published(r, cell);
    double mean = r->result->of[cell].mean;
    return mean >= measured.low && mean <= measured.high;
}

static bool is_within(const struct replay_report *r, enum machine_quantity cell)
{
    return rounds_to_published(r, cell) || fabs(replay_report_difference(r, cell)) <= r->tolerance;
}

const char *replay_report_verdict(const struct replay_report *r, enum machine_quantity cell)
{
    return rounds_to_published(r, cell) ? "rounds" : is_within(r, cell) ? "within" : "OFF";
}

/* --- signals --------------------------------------------------------------------------------------------- */

static const enum machine_quantity signals[REPLAY_SIGNALS] = {P_BP_1B, P_BP_2};

/* A larger margin makes the signal more frequent, so the margin nearest to the machine's own with which the cell
 * reaches the interval is found by halving, from the greatest or the least margin on. */
int replay_signal_explain(const struct replay_options *options, const struct replay_result *as_is,
                          enum machine_quantity cell, double low, double high, struct replay_signal *out,
                          struct why *why)
{
    struct hardware machine = *options->hardware;
    struct board_rules *board = &machine.board;
    struct replay_options other = *options;
    struct replay_result result;
    const bool of_1b = cell == P_BP_1B, too_often = as_is->of[cell].mean > high;
    uint32_t *margin = of_1b ? &board->wmer_margin : &board->stage2_margin, beyond = *margin,
             within = too_often ? 0
                      : of_1b   ? board->wmer_seeds
                                : board->stage2_matches;
    bool goes_on = beyond != within;
    *out = (struct replay_signal){.name = of_1b ? "fifo.wmer_margin" : "fifo.stage2_margin",
                                  .margin = beyond,
                                  .other_value = as_is->of[cell].mean};
    other.hardware = &machine;
    other.clocks = as_is->steady.clocks;
    other.events = other.windows = false;
    for (*margin = within; goes_on; *margin = (beyond + within) / 2) {
        const int status = replay_run(&other, &result, why);
        if (status)
            return status;
        const double value = result.of[cell].mean;
        if (*margin != within && (too_often ? value > high : value < low)) {
            beyond = *margin;
        } else {
            within = *margin;
            out->other_value = value;
        }
        goes_on = (beyond > within ? beyond - within : within - beyond) > 1;
    }
    out->other_margin = within;
    out->found = out->other_value >= low && out->other_value <= high;
    return 0;
}

/* --- the table ------------------------------------------------------------------------------------------ */

void replay_report_add_draws(struct result_table *table, const char *name, const struct replay_scenario *run)
{
    struct seed_fractions fractions = run->fractions;
    struct result_member members[SEED_FRACTIONS];
    struct why draws = {""};
    for (unsigned i = 0; i < SEED_FRACTIONS; i++) {
        const double value = *seed_fraction_at(&fractions, i);
        members[i] = (struct result_member){seed_fraction_names[i], NUMBER(value)};
        why_append(&draws, "%s%s=%g", i > 0 ? " " : "", seed_fraction_names[i], value);
    }
    result_table_add_object(table, name, draws.line, members, SEED_FRACTIONS);
}

void replay_report_add_machine(const struct run_options *shared, struct result_table *table)
{
    struct why sets = {""};
    if (shared->machine)
        result_table_add_fact(table, "machine", TEXT(shared->machine));
    for (size_t i = 0; i < shared->assignment_count; i++)
        why_append(&sets, "%s%s", i > 0 ? " " : "", shared->assignments[i]);
    if (*sets.line)
        result_table_add_fact(table, "set", TEXT(sets.line));
}

static void add_facts(const struct replay_report *r, struct result_table *table)
{
    const struct replay_result *result = r->result;
    result_table_add_fact(table, "run", TEXT(r->options->scenario->name));
    result_table_add_fact(table, "title", TEXT(r->options->scenario->title));
    replay_report_add_draws(table, "draws", r->options->scenario);
    replay_report_add_machine(r->shared, table);
    result_table_add_fact(table, "seed", NUMBER((double)r->options->seed));
    result_table_add_fact(table, "clocks", NUMBER((double)result->steady.clocks));
    result_table_add_fact(table, "warm_up_clocks", NUMBER((double)result->warm_up_clocks));
    result_table_add_fact(table, "frames", NUMBER((double)result->frames));
}

/* The columns of printed predictions: M/M/1, then M/M/1/K (Dor). */
static const enum dor2010_figure figures[DOR2010_FIGURES] = {DOR2010_FIGURE_17, DOR2010_FIGURE_12,
                                                             DOR2010_FIGURE_15};

/* How far a cell is from its measurement; cells without a relative difference are the farthest. */
static double badness(const struct replay_report *r, enum machine_quantity cell)
{
    double relative = fabs(replay_report_difference(r, cell));
    return rounds_to_published(r, cell) ? 0 : isnan(relative) ? INFINITY : relative;
}

static void note_worst(const struct replay_report *r, struct result_table *table)
{
    bool told[MACHINE_QUANTITIES] = {false};
    for (unsigned i = 0; i < WORST_CELLS; i++) {
        enum machine_quantity worst = replay_cells[0];
        for (unsigned k = 1; k < REPLAY_CELLS; k++) {
            const enum machine_quantity cell = replay_cells[k];
            if (told[worst] || (!told[cell] && badness(r, cell) > badness(r, worst)))
                worst = cell;
        }
        told[worst] = true;
        double mean = r->result->of[worst].mean, difference = replay_report_difference(r, worst);
        char simulated[32] = "undefined", relative[32] = "";
        if (!isnan(mean))
            snprintf(simulated, sizeof simulated, "%.4g", mean);
        if (!isnan(difference))
            snprintf(relative, sizeof relative, " (%+.1f%%)", 100 * difference);
        if (badness(r, worst) > 0)
            result_table_note(table, "worst cells, %u: %s %s, measured %s%s", i + 1,
                              machine_quantities[worst].name, simulated, published(r, worst).text, relative);
    }
}

static void note_signal(const struct replay_report *r, unsigned i, struct result_table *table)
{
    const struct replay_signal *signal = &r->signals[i];
    const enum machine_quantity cell = signals[i];
    struct dor2010_number measured = published(r, cell);
    if (!signal->name)
        return;
    char other[160] = "";
    if (signal->other_margin != signal->margin)
        snprintf(other, sizeof other, "; with a margin of %" PRIu32 ": %.3g, which %s", signal->other_margin,
                 signal->other_value, signal->found ? "would be as measured" : "is still not as measured");
    result_table_note(
        table,
        "%s is on in %.3g of the clocks when fewer than %" PRIu32
        " places are free (%s, a signal nothing waits for, of no published margin); %s stands for "
        "%.4g to %.4g%s",
        machine_quantities[cell].name, r->result->of[cell].mean, signal->margin, signal->name, measured.text,
        fmax(0, measured.low), measured.high, other);
}

/* Draws are alike everywhere, so that windows must change nothing. */
static void note_windows(const struct replay_report *r, struct result_table *table)
{
    const double(*n)[WINDOW_FIFOS] = r->result->by_theory;
    if (r->options->windows)
        result_table_note(
            table,
            "fluid and clocks, in windows of %d words: N_Q_1bp %.4g, N_Q_1bd %.4g, N_Q_2 %.4g; in one "
            "window: %.4g, %.4g, %.4g",
            REPLAY_WINDOW_WORDS, n[0][FIFO_WMER], n[0][FIFO_SRAM], n[0][FIFO_STAGE2], n[1][FIFO_WMER],
            n[1][FIFO_SRAM], n[1][FIFO_STAGE2]);
}

static void add_notes(const struct replay_report *r, struct result_table *table)
{
    const struct replay_result *result = r->result;
    unsigned rounding = 0, within = 0;
    for (unsigned i = 0; i < REPLAY_CELLS; i++) {
        rounding += rounds_to_published(r, replay_cells[i]);
        within += is_within(r, replay_cells[i]);
    }
    result_table_note(table, "%u of %d cells within %g%% of what was measured (%u round to it)", within,
                      REPLAY_CELLS, 100 * r->tolerance, rounding);
    note_worst(r, table);
    for (unsigned i = 0; i < REPLAY_SIGNALS; i++)
        note_signal(r, i, table);
    note_windows(r, table);
    struct verdict_group group;
    for (unsigned i = 0; i < REPLAY_CELLS; i++)
        for (unsigned model = 0; model < VERDICT_MODELS; model++)
            if (verdict_group(predicted(r, replay_cells[i], 0), VERDICT_MODELS, NULL, model, &group))
                result_table_note(table, "%s, %s: %s", machine_quantities[replay_cells[i]].name, group.models,
                                  group.text);
    if (!result->narrow && r->options->clocks == 0)
        result_table_note(table, "intervals are not as narrow as asked: --most-clocks ended the run");
    if (result->correlated > 0)
        result_table_note(table,
                          "neighbouring frames resemble each other in %u cells: intervals are too narrow",
                          result->correlated);
}

static struct result_table *make_table(const struct replay_report *r, enum result_format format,
                                       const char **columns)
{
    static const char *const own[OWN_COLUMNS] = {"parameter",  "unit",        "published", "simulated",
                                                 "half_width", "difference%", "verdict",   "median"};
    memcpy(columns, own, sizeof own);
    if (format != RESULT_TEXT) /* R keeps this name */
        columns[5] = "difference_percent";
    for (unsigned i = 0; i < DOR2010_FIGURES; i++)
        columns[OWN_COLUMNS + i] = dor2010_figures[figures[i]].column;
    for (unsigned model = 0; model < VERDICT_MODELS; model++)
        columns[OWN_COLUMNS + DOR2010_FIGURES + model] = verdict_model_name(model);
    const unsigned count = format == RESULT_TEXT && !r->wide ? NARROW_COLUMNS : COLUMNS;
    struct result_table *table = result_table_new_styled(
        columns, count,
        &(struct result_style){.schema = "mercury-replay-2", .wide = r->wide, .facts_last = true});
    add_facts(r, table);
    for (unsigned k = 0; k < REPLAY_CELLS; k++) {
        const enum machine_quantity cell = replay_cells[k];
        const struct estimate *estimate = &r->result->of[cell];
        result_table_add(table, TEXT(machine_quantities[cell].name),
                         TEXT(cell == N_Q_1BD ? "seeds" /* as printed */
                                              : machine_quantities[cell].unit),
                         TEXT(published(r, cell).text), NUMBER(estimate->mean), NUMBER(estimate->half_width),
                         NUMBER(round(1e6 * replay_report_difference(r, cell)) / 1e4),
                         TEXT(replay_report_verdict(r, cell)));
        if (count == NARROW_COLUMNS)
            continue;
        result_table_add(table, NUMBER(r->result->medians[cell]));
        for (unsigned i = 0; i < DOR2010_FIGURES; i++)
            result_table_add(table, NUMBER(dor2010_predicted(r->published, cell, figures[i]).value));
        for (unsigned model = 0; model < VERDICT_MODELS; model++)
            result_table_add(table, NUMBER(predicted(r, cell, model)->predicted));
    }
    add_notes(r, table);
    return table;
}

int replay_report_explain(struct replay_report *r, struct why *why)
{
    int status = 0;
    for (unsigned i = 0; i < REPLAY_SIGNALS && status == 0; i++) {
        struct dor2010_number measured = published(r, signals[i]);
        double off = r->tolerance * measured.value;
        if (!is_within(r, signals[i]))
            status = replay_signal_explain(r->options, r->result, signals[i],
                                           fmin(measured.low, measured.value - off),
                                           fmax(measured.high, measured.value + off), &r->signals[i], why);
    }
    return status;
}

int replay_report_save(const struct replay_report *r, enum result_format format, const char *path,
                       struct why *why)
{
    const char *columns[COLUMNS];
    return result_table_save(make_table(r, format, columns), format, path, why);
}

int replay_report_judge(const struct replay_report *r, struct why *why)
{
    unsigned off = 0;
    enum machine_quantity worst = replay_cells[0];
    for (unsigned i = 0; i < REPLAY_CELLS; i++) {
        off += !is_within(r, replay_cells[i]);
        if (badness(r, replay_cells[i]) > badness(r, worst))
            worst = replay_cells[i];
    }
    if (off == 0)
        return 0;
    return why_say(
        why, COMMAND_FAILED,
        "%u of %d cells are more than %g%% off what was measured; the worst is %s, %.4g against %s", off,
        REPLAY_CELLS, 100 * r->tolerance, machine_quantities[worst].name, r->result->of[worst].mean,
        published(r, worst).text);
}
