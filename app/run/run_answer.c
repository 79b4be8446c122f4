#include "app/run/run_answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/printable.h"
#include "base/shown.h"
#include "sim/board/board_costs.h"
#include "sim/measure/machine_frame.h"
#include "sim/run/run_bottleneck.h"
#include "app/run/run_forecast.h"

enum { LABEL_WIDTH = 12, COLUMN_WIDTH = 9 };

/* A number as it is shown. */
struct shown {
    char text[SHOWN_BYTES];
};

/* --- numbers --------------------------------------------------------------------------------------------- */

/* Three digits, and a prefix of the unit. */
static struct shown scaled(double value, double scale, const char *const *units, unsigned unit_count)
{
    struct shown shown;
    unsigned unit = 0;
    while (unit + 1 < unit_count && value * scale >= 999.5) {
        value /= 1000;
        unit++;
    }
    snprintf(shown.text, sizeof shown.text, "%.3g %s", value * scale, units[unit]);
    return shown;
}

static struct shown bases(uint64_t count)
{
    static const char *const units[] = {"b", "kb", "Mb", "Gb"};
    return scaled((double)count, 1, units, 4);
}

static struct shown duration(double seconds)
{
    static const char *const units[] = {"us", "ms", "s"};
    return scaled(seconds, 1e6, units, 3);
}

static struct shown percent(double fraction)
{
    struct shown shown;
    shown_percent(fraction, 1, shown.text);
    return shown;
}

/* --- sentences ------------------------------------------------------------------------------------------- */

struct sentence {
    char words[512];
};

__attribute__((format(printf, 2, 3))) static void add(struct sentence *s, const char *format, ...)
{
    size_t length = strlen(s->words);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->words + length, sizeof s->words - length, format, arguments);
    va_end(arguments);
}

/* Write a label and the sentence after it. */
static void write_row(const char *label, const struct sentence *s, FILE *out)
{
    int column = fprintf(out, "%-*s ", LABEL_WIDTH - 1, label);
    shown_words(s->words, column, LABEL_WIDTH, out);
}

/* --- what was compared ----------------------------------------------------------------------------------- */

/* The name of a file without its directories and endings, at most `most` columns of it. */
static struct shown name_of(const char *path, int most)
{
    struct shown shown;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int length = (int)strcspn(name, ".");
    if (length == 0)
        length = (int)strlen(name);
    printable_copy(shown.text, (size_t)most + 1, name, (size_t)length);
    return shown;
}

static void write_inputs(const struct run_facts *f, FILE *out)
{
    fprintf(out, "%s (%s) x %s (%s)", name_of(f->of.query_path, 17).text, bases(f->of.query->bases).text,
            name_of(f->of.database_path, 17).text, bases(f->of.database->bases).text);
}

/* What to know of the search and the machine. That the machine cannot be built is of its FPGA: tables of this run in
 * SRAM are not looked at. */
static void write_warnings(const struct run_facts *f, FILE *out)
{
    struct sentence threshold, misfit = {"does not fit: "};
    char missing[BOARD_MISFIT_BYTES];
    if (run_report_tell_threshold(f, threshold.words, sizeof threshold.words))
        write_row("threshold", &threshold, out);
    add(&misfit, "%s", board_costs_misfit(&f->of.hardware, 0, missing));
    if (*missing)
        write_row("FPGA", &misfit, out);
}

static void write_mask(const struct run_facts *f, FILE *out)
{
    struct sentence s = {""};
    add(&s, "%" PRIu64 " of the query's %" PRIu64 " bases, which start no alignment", f->of.masking.bases,
        f->of.query->bases);
    if (f->of.masking.bases > 0)
        write_row("masked", &s, out);
}

static void write_network(const struct run_facts *f, const struct run_bottleneck *b, FILE *out)
{
    struct sentence s = {""};
    add(&s, "%" PRIu32 " hosts; one waits %s for %.3g MB of query and results, %s for other hosts (means)",
        f->of.hardware.hosts, duration(b->phase_s[PHASE_NETWORK]).text,
        (double)(f->result->network.query_bytes + f->result->network.result_bytes) / 1e6,
        duration(b->phase_s[PHASE_OTHERS]).text);
    write_row("network", &s, out);
}

static void write_times(const struct run_facts *f, const struct run_bottleneck *b, FILE *out)
{
    const uint32_t boards = f->result->run.boards, all = f->of.hardware.boards * f->of.hardware.hosts;
    const double join_s = frame_seconds(&f->result->run, S3_JOIN);
    struct sentence s = {""}, computed = {""};
    add(&s, "%s: ", duration(f->result->run.duration_s).text);
    if (b->phase_s[PHASE_BUILD] > 0)
        add(&s, "building %s, ", duration(b->phase_s[PHASE_BUILD]).text);
    add(&s, "tables %s, streaming %s, %s %s", duration(b->phase_s[PHASE_LOAD]).text,
        duration(b->phase_s[PHASE_STREAM]).text, boards > 1 ? "free" : "last of stage 3",
        duration(b->phase_s[PHASE_DRAIN]).text);
    if (join_s > 0)
        add(&s, " (%s of it to join)", duration(join_s).text);
    if (boards > 1)
        add(&s, "; means of %" PRIu32 " boards", boards);
    if (boards < all)
        add(&s, "; only %" PRIu32 " of %" PRIu32 " boards had passes", boards, all);
    write_row("simulated", &s, out);
    if (f->of.hardware.hosts > 1)
        write_network(f, b, out);
    add(&computed, "%s", duration(f->wall_s).text);
    write_row("computed in", &computed, out);
}

/* --- what the stages did --------------------------------------------------------------------------------- */

/* At most five columns: "0.026", "1.4", "456", "29.8k". */
static struct shown short_number(double value)
{
    static const char prefixes[] = {' ', 'k', 'M', 'G', 'T'};
    struct shown shown;
    unsigned prefix = 0;
    if (value < 9999.5) {
        snprintf(shown.text, sizeof shown.text, value >= 99.5 ? "%.0f" : "%.2g", value);
        return shown;
    }
    for (; value >= 999.5 && prefix < 4; prefix++)
        value /= 1000;
    snprintf(shown.text, sizeof shown.text, "%.3g%c", value, prefixes[prefix]);
    return shown;
}

static struct shown queue_of(const struct stage_evidence *s)
{
    struct shown shown = {"-"}, places;
    if (!s->has_queue)
        return shown;
    if (s->queue_mean > 0 && s->queue_mean < 0.01)
        snprintf(shown.text, sizeof shown.text, "~0");
    else
        shown = short_number(s->queue_mean);
    places = short_number((double)s->queue_places);
    if (s->queue_places > 0)
        snprintf(shown.text + strlen(shown.text), sizeof shown.text - strlen(shown.text), "/%.16s",
                 places.text);
    return shown;
}

/* The rows of the table of stages. */
enum row { ROW_NAME, ROW_BUSY, ROW_STALLED, ROW_QUEUE, ROWS };

static struct shown cell_of(const struct run_bottleneck *b, enum row row, unsigned stage)
{
    const struct stage_evidence *s = &b->stages[stage];
    struct shown shown = {"-"}; /* stage 3 stalls no one and is not stalled */
    if (row == ROW_NAME)
        snprintf(shown.text, sizeof shown.text, "%s", stage == STAGE_3 ? "stage 3" : s->name);
    else if (row == ROW_BUSY)
        shown = percent(s->active);
    else if (row == ROW_QUEUE)
        shown = queue_of(s);
    else if (stage != STAGE_3)
        shown = percent(s->stalled);
    return shown;
}

static void write_stages(const struct run_bottleneck *b, FILE *out)
{
    static const char *const labels[ROWS] = {"", "busy", "stalled", "queue"};
    int widths[RUN_STAGES];
    for (unsigned stage = 0; stage < RUN_STAGES; stage++) {
        widths[stage] = COLUMN_WIDTH;
        for (enum row row = 0; row < ROWS; row++) {
            int length = (int)strlen(cell_of(b, row, stage).text);
            widths[stage] = length < widths[stage] ? widths[stage] : length + 1;
        }
    }
    fputc('\n', out);
    for (enum row row = 0; row < ROWS; row++) {
        fprintf(out, "%-*s", LABEL_WIDTH, labels[row]);
        for (unsigned stage = 0; stage < RUN_STAGES; stage++)
            fprintf(out, "%-*s%s", stage + 1 < RUN_STAGES ? widths[stage] : 0, cell_of(b, row, stage).text,
                    stage + 1 < RUN_STAGES ? "" : "\n");
    }
}

/* --- what limits ----------------------------------------------------------------------------------------- */

static struct shown stage_name(const struct run_bottleneck *b, size_t stage)
{
    struct shown shown;
    const char *const outside[STAGE_OF_BOARD] = {[STAGE_HOST] = "the host's supply", [STAGE_BUS] = "the bus"};
    if (stage < STAGE_OF_BOARD)
        snprintf(shown.text, sizeof shown.text, "%s", outside[stage]);
    else
        snprintf(shown.text, sizeof shown.text, "stage %s", b->stages[stage].name);
    return shown;
}

static void write_bottleneck(const struct run_bottleneck *b, FILE *out)
{
    struct sentence limit, s = {""};
    if (b->limits) {
        run_limits_say(b->limits, limit.words, sizeof limit.words);
        write_row("bottleneck", &limit, out);
    }
    add(&s, "%s is busiest, %s of the time", stage_name(b, b->board.limit).text,
        percent(b->stages[b->board.limit].active).text);
    if (b->board.has_next)
        add(&s, ", then %s, %s", stage_name(b, b->board.next).text,
            percent(b->stages[b->board.next].active).text);
    write_row("streaming", &s, out);
}

/* --- what theory says ------------------------------------------------------------------------------------ */

/* By how much M/M/1's mean queues differ. */
static void compare_queues(const struct validation *v, struct sentence *s)
{
    static const enum machine_quantity queues[] = {N_Q_1A, N_Q_1B, N_Q_2};
    double least = INFINITY, most = -INFINITY;
    for (unsigned i = 0; i < 3; i++) {
        double simulated = verdict_simulated(&v->frames[0], queues[i]);
        double predicted = verdict_of_four_stages(&v->frames[0], queues[i], PIPELINE_MM1);
        if (isnan(predicted) || !(simulated > 0))
            continue;
        least = fmin(least, predicted / simulated - 1);
        most = fmax(most, predicted / simulated - 1);
    }
    if (least > most)
        add(s, "M/M/1 has no answer");
    else if (least <= 0 && most >= 0)
        add(s, "M/M/1 with these rates: queues %.3g%% too low to %.3g%% too high", -100 * least, 100 * most);
    else
        add(s, "M/M/1 with these rates: queues %.3g to %.3g%% too %s", 100 * fmin(fabs(least), fabs(most)),
            100 * fmax(fabs(least), fabs(most)), most < 0 ? "low" : "high");
}

static void write_theory(const struct validation *v, FILE *out)
{
    struct sentence s = {""};
    if (v)
        compare_queues(v, &s);
    else
        add(&s, "no answer: the rates are outside every model's domain");
    if (v && v->reason)
        add(&s, "; %s", v->reason);
    write_row("theory", &s, out);
}

/* --- a sample -------------------------------------------------------------------------------------------- */

/* Long times are this computer's. */
static struct shown amount_of(enum forecast_quantity q, double value)
{
    static const char *const counts[] = {"", "k", "M", "G", "T"}, *const minutes[] = {"min"},
                             *const hours[] = {"h"};
    if (q == FORECAST_WALL && value >= 600)
        return value < 36000 ? scaled(value, 1.0 / 60, minutes, 1) : scaled(value, 1.0 / 3600, hours, 1);
    return *forecast_rows[q].unit == 's' ? duration(value) : scaled(value, 1, counts, 5);
}

static void write_forecast(const struct run_forecast *f, enum forecast_quantity q, FILE *out)
{
    const struct sample_estimate e = f->totals[q].estimate;
    const struct sample_interval i = sample_interval(e);
    if (run_forecast_is_unseen(f, q)) {
        fprintf(out, "%-16s %10s   unknown: the drawn passes have none\n", forecast_rows[q].title, "-");
        return;
    }
    fprintf(out, "%-16s %10s   %10s to %-10s +- %.3g%%%s\n", forecast_rows[q].title,
            amount_of(q, e.total).text, amount_of(q, i.low).text, amount_of(q, i.high).text,
            100 * sample_width(e), run_forecast_is_doubtful(f, q) ? " (!)" : "");
}

/* The quantity that one pass dominates most, and what else there is. */
static void write_doubts(const struct run_forecast *f, FILE *out)
{
    const struct forecast_total *worst = NULL;
    struct sentence s = {"no interval with (!) is to be relied on"};
    bool doubtful = false, skewed = false, cut = false;
    for (enum forecast_quantity q = FORECAST_TIME; q < FORECAST_WALL; q++) {
        const struct forecast_total *t = &f->totals[q];
        if (!run_forecast_is_doubtful(f, q))
            continue;
        doubtful = true;
        skewed = skewed || (t->is_skewed && !t->is_dominated);
        cut = cut || t->is_cut;
        if (t->is_dominated && (!worst || t->largest.share > worst->largest.share))
            worst = t;
    }
    if (worst) {
        const enum forecast_quantity quantity = worst - f->totals;
        add(&s, ": pass %zu has %s of the drawn passes' %s; if no other is like it, the run has %s",
            f->sample->numbers[worst->largest.index] + 1, percent(worst->largest.share).text,
            forecast_rows[quantity].title, amount_of(quantity, worst->apart.total).text);
    }
    if (skewed)
        add(&s, "%s so few passes or windows are too unequal", worst ? ";" : ":");
    if (cut)
        add(&s, "%s windows cut alignments", worst || skewed ? ";" : ":");
    if (doubtful)
        write_row("doubt", &s, out);
}

static void write_sample(const struct run_facts *f, FILE *out)
{
    char title[128];
    fprintf(out, "%s\n", run_forecast_title(f->forecast, title));
    write_inputs(f, out);
    fprintf(out, ", E <= %g\n%-16s %10s   %s\n", f->of.e_value, "the whole run", "forecast", "95% interval");
    for (enum forecast_quantity q = FORECAST_TIME; q < FORECAST_QUANTITIES; q++)
        if (run_forecast_has(f->forecast, q))
            write_forecast(f->forecast, q, out);
    run_forecast_write_needed(f->forecast, out);
    write_warnings(f, out);
    write_doubts(f->forecast, out);
}

static void write_run(const struct run_facts *f, const struct validation *validation, FILE *out)
{
    const struct run_bottleneck b = run_report_bottleneck(f);
    write_inputs(f, out);
    fprintf(out, ": %zu alignment%s, E <= %g\n", f->alignments->count, f->alignments->count == 1 ? "" : "s",
            f->of.e_value);
    write_mask(f, out);
    write_warnings(f, out);
    write_times(f, &b, out);
    write_stages(&b, out);
    write_bottleneck(&b, out);
    write_theory(validation, out);
}

void run_answer_write(const struct run_facts *f, const struct validation *validation, const char *files,
                      FILE *out)
{
    if (f->forecast)
        write_sample(f, out);
    else
        write_run(f, validation, out);
    if (files)
        fputs(files, out);
}
