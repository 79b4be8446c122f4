#include "app/chain/queue_watch.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/file/output.h"
#include "base/memory.h"
#include "base/shown.h"
#include "traces/directive/aggregate.h"
#include "traces/directive/directive.h"
#include "traces/drawing/timeline.h"
#include "traces/drawing/vcd.h"
#include "app/chain/queue_report.h"

enum tap { TAP_STAGE, TAP_QUEUE, TAP_IN, TAPS };

static const char *const tap_ends[TAPS] = {"", "_queue", "_in"};

enum { STAGES_MAX = 31, MEASURED_MAX = CATALOGUE_NAMES_MAX / TAPS, WORD_BYTES = 48, FILES = 3 };

enum metric { METRIC_RATE, METRIC_UTILISATION, METRIC_OCCUPANCY, METRIC_BACK_PRESSURE, METRICS };

static const struct metric_spec metrics[METRICS] = {
    [METRIC_RATE] = {"rate", "elements/s", "elements that leave a stage, or come into it, per second",
                     .aggregates = AGGREGATE_MEAN},
    [METRIC_UTILISATION] = {"utilisation", "1", "share of a stage's servers that serve",
                            .aggregates = AGGREGATE_MEAN},
    [METRIC_OCCUPANCY] = {"occupancy", "elements", "number of elements in a stage, or in its queue",
                          .aggregates = AGGREGATE_ALL},
    [METRIC_BACK_PRESSURE] = {"back_pressure", "1", "share of the time in which somebody waits outside",
                              .aggregates = AGGREGATE_MEAN},
};

/* A directive, and what the present frame has so far. */
struct measurement {
    const struct directive *directive;
    struct aggregate frame, run;
    uint64_t number;                  /* of the frame, from 1 */
    double begin, end;                /* of the frame, in units */
    uint64_t count_before, count_run; /* elements that had left, or come, when the frame, the run, began */
    bool ended;
};

struct queue_watch {
    const struct queue_line *line;
    const struct queue_watch_request *request;
    double units_per_s, begin, end; /* of the run without its warm-up, in units; INFINITY: not known yet */
    double last;                    /* when `states` began, in units */
    char names[STAGES_MAX][WORD_BYTES], tap_names[MEASURED_MAX * TAPS][WORD_BYTES + 8];
    struct tap_spec taps[MEASURED_MAX * TAPS];
    struct directives directives;
    struct measurement *measurements;
    struct output files[FILES]; /* vcd, timeline, measured */
    struct vcd *vcd;
    struct timeline *timeline;
    struct queue_line_state states[STAGES_MAX];
    struct queue_watcher watcher;
};

/* The name of a stage as viewers and directives can write it. */
static void name_stage(const struct queue_line *line, unsigned stage, char name[WORD_BYTES])
{
    const char *given = line->stages[stage].name;
    snprintf(name, WORD_BYTES, "%s%.32s", isdigit((unsigned char)*given) ? "stage_" : "", given);
    for (char *c = name; *c; c++)
        *c = (char)(isalnum((unsigned char)*c) ? tolower((unsigned char)*c) : '_');
}

static void name_taps(struct queue_watch *w, unsigned stage)
{
    static const struct tap_spec specs[TAPS] = {
        [TAP_STAGE] = {.metrics = (1 << METRICS) - 1, .meaning = "a stage"},
        [TAP_QUEUE] = {.metrics = 1 << METRIC_OCCUPANCY, .meaning = "its queue"},
        [TAP_IN] = {.metrics = 1 << METRIC_RATE, .meaning = "what comes into it"},
    };
    for (unsigned tap = 0; tap < TAPS; tap++) {
        char *name = w->tap_names[stage * TAPS + tap];
        snprintf(name, sizeof w->tap_names[0], "%s%s", w->names[stage], tap_ends[tap]);
        w->taps[stage * TAPS + tap] = specs[tap];
        w->taps[stage * TAPS + tap].name = name;
        w->taps[stage * TAPS + tap].element = "elements";
    }
}

/* --- frames ------------------------------------------------------------------------------------------------ */

static unsigned stage_of(const struct measurement *m)
{
    return m->directive->tap / TAPS;
}

/* The elements that a rate counts. */
static uint64_t count_of(const struct measurement *m, const struct queue_line_state *s)
{
    return m->directive->tap % TAPS == TAP_IN ? s->entered : s->departed;
}

static uint64_t value_of(const struct measurement *m, const struct queue_line_state *s)
{
    const bool of_queue = m->directive->tap % TAPS == TAP_QUEUE;
    return m->directive->metric == METRIC_UTILISATION     ? s->serving
           : m->directive->metric == METRIC_BACK_PRESSURE ? s->holds_up
           : of_queue                                     ? s->waiting
                                                          : s->inside;
}

static void write_value(const struct queue_watch *w, const struct measurement *m, bool of_run,
                        const char *aggregate, double value)
{
    FILE *out = w->files[2].file;
    const double begin = of_run ? w->begin : m->begin, end = of_run ? w->end : fmin(m->end, w->end);
    char frame[24] = "run";
    if (!of_run)
        snprintf(frame, sizeof frame, "%" PRIu64, m->number);
    fprintf(out, "%s\t%s\t%s\t%s\t%s\t%.9g\t%.9g\t%s\t", m->directive->name,
            metrics[m->directive->metric].name, w->taps[m->directive->tap].name,
            metrics[m->directive->metric].unit, frame, begin / w->units_per_s, end / w->units_per_s,
            aggregate);
    fprintf(out, isnan(value) ? "NA\n" : "%.9g\n", value);
}

static void write_bins(const struct queue_watch *w, const struct measurement *m, bool of_run,
                       const struct aggregate *a)
{
    const struct histogram *h = a->histogram;
    for (size_t i = 0; h && i < h->bins + 2; i++) {
        const bool under = i == 0, over = i == h->bins + 1;
        const uint64_t weight = under  ? h->under
                                : over ? h->over
                                       : h->weights[i - 1],
                       from = under ? 0 : h->low + (i - 1) * h->width,
                       to = under ? h->low - 1 : from + h->width - 1;
        const struct shown last = over ? (struct shown){""} : shown_text("%" PRIu64, to);
        if (weight > 0)
            write_value(w, m, of_run, shown_text("share[%" PRIu64 "..%s]", from, last.text).text,
                        (double)weight / (double)a->moments.weight);
    }
}

/* @param count  number of elements that left the stage, or came, in the frame */
static void write_frame(const struct queue_watch *w, const struct measurement *m, bool of_run, uint64_t count)
{
    const struct aggregate *a = of_run ? &m->run : &m->frame;
    const struct directive *d = m->directive;
    double values[AGGREGATE_VALUES_MAX];
    const unsigned value_count = aggregate_values(a, d, values);
    if (d->metric == METRIC_RATE)
        values[0] = (double)count / ((double)a->moments.weight / w->units_per_s);
    if (d->metric == METRIC_UTILISATION)
        values[0] /= w->line->stages[stage_of(m)].servers;
    for (unsigned i = d->aggregates & AGGREGATE_MEAN ? 0 : 1; i < value_count; i++) {
        char name[64];
        aggregate_value_name(d, i, name, sizeof name);
        write_value(w, m, of_run, name, values[i]);
    }
    write_bins(w, m, of_run, a);
}

static void end_frame(const struct queue_watch *w, struct measurement *m)
{
    const uint64_t count = count_of(m, &w->states[stage_of(m)]);
    if (m->directive->frame.kind == FRAME_SECONDS)
        write_frame(w, m, false, count - m->count_before);
    aggregate_merge(&m->run, &m->frame);
    aggregate_clear(&m->frame);
    m->count_before = count;
    m->begin = m->end;
    m->end += m->directive->frame.seconds * w->units_per_s;
    m->number++;
}

/* The states have held from `last` to a time. */
static void measure(const struct queue_watch *w, struct measurement *m, double to)
{
    const struct queue_line_state *state = &w->states[stage_of(m)];
    double from = fmax(w->last, w->begin);
    if (w->last <= w->begin)
        m->count_before = m->count_run = count_of(m, state);
    for (to = fmin(to, w->end); from < to;) {
        const double end = fmin(to, m->end);
        aggregate_add(&m->frame, value_of(m, state), (uint64_t)(end - from));
        from = end;
        if (from == m->end || from == w->end)
            end_frame(w, m);
    }
    if (from == w->end && !m->ended) {
        m->ended = true;
        if (m->frame.moments.weight > 0) /* the source was held when the run ended */
            end_frame(w, m);
        write_frame(w, m, true, count_of(m, state) - m->count_run);
    }
}

/* --- instants ---------------------------------------------------------------------------------------------- */

static void see(void *data, double at, double end, const struct queue_line_state *states)
{
    struct queue_watch *w = data;
    const double at_s = at / w->line->scale, now = round(at_s * w->units_per_s), ps = at_s * 1e12;
    const uint64_t at_ps = ps < 1e19 ? (uint64_t)llround(fmin(ps, 9e18)) : UINT64_MAX;
    if (isinf(w->end)) /* a run that is doubled ends later if a full stage holds the source just then */
        w->end = fmax(round(end / w->line->scale * w->units_per_s), w->last);
    for (size_t i = 0; i < w->directives.count; i++)
        measure(w, &w->measurements[i], now);
    w->last = now;
    memcpy(w->states, states, w->line->stage_count * sizeof *states);
    for (unsigned i = 0; i < w->line->stage_count; i++) {
        const uint64_t values[] = {states[i].waiting, states[i].serving, states[i].holds_up};
        for (unsigned k = 0; w->vcd && k < 3; k++)
            vcd_change(w->vcd, 3 * i + k, at_ps, values[k]);
        for (unsigned k = 0; w->timeline && k < 2; k++)
            timeline_count(w->timeline, (int)(2 * i + k), at_ps, (double)values[k]);
    }
}

/* --- the watch --------------------------------------------------------------------------------------------- */

static void begin_drawings(struct queue_watch *w)
{
    const struct vcd_options options = {.comment = "a pipeline, simulated by mercury queue\n",
                                        .end_ps = UINT64_MAX,
                                        .bytes_max = WATCH_BYTES};
    w->vcd = w->request->vcd ? vcd_open(w->files[0].file, &options) : NULL;
    w->timeline = w->request->timeline ? timeline_open(w->files[1].file, WATCH_BYTES) : NULL;
    for (unsigned i = 0; i < w->line->stage_count; i++) {
        if (w->vcd) {
            vcd_begin_scope(w->vcd, w->names[i]);
            vcd_add_signal(w->vcd, "waiting", 32);
            vcd_add_signal(w->vcd, "serving", 16);
            vcd_add_signal(w->vcd, "holds_up", 1);
            vcd_end_scope(w->vcd);
        }
        if (w->timeline) {
            const int process = timeline_add_process(w->timeline, "%s", w->names[i]);
            timeline_add_track(w->timeline, process, "elements", "waiting");
            timeline_add_track(w->timeline, process, "servers", "serving");
        }
    }
}

/* Directives could not tell apart what two stages call alike: A and a, or a stage x_queue and the queue of x. */
static int check_taps(const struct queue_watch *w, struct why *why)
{
    for (unsigned i = 0; i < TAPS * w->line->stage_count; i++)
        for (unsigned k = 0; k < i; k++)
            if (strcmp(w->taps[i].name, w->taps[k].name) == 0)
                return why_refuse(why, "--measure: stages '%s' and '%s' both have a tap %s; rename one",
                                  w->line->stages[k / TAPS].name, w->line->stages[i / TAPS].name,
                                  w->taps[i].name);
    return 0;
}

static int begin_measuring(struct queue_watch *w, struct why *why)
{
    const struct catalogue catalogue = {metrics, METRICS, w->taps, TAPS * w->line->stage_count};
    int status = check_taps(w, why);
    if (status == 0)
        status = command_status_of(directives_read(w->request->measure, &catalogue, &w->directives, why));
    w->measurements = memory_new(w->directives.count, sizeof *w->measurements);
    for (size_t i = 0; i < w->directives.count && status == 0; i++) {
        const struct directive *d = &w->directives.items[i];
        struct measurement *m = &w->measurements[i];
        const struct aggregate_plan plan = aggregate_plan_of(d, w->line->stages[d->tap / TAPS].places);
        *m = (struct measurement){.directive = d, .number = 1, .begin = w->begin, .end = INFINITY};
        if (d->frame.kind == FRAME_SECONDS)
            m->end = w->begin + d->frame.seconds * w->units_per_s;
        else if (d->frame.kind != FRAME_PASS)
            return why_refuse(why, "%.300s:%u: expected frames of seconds, as in every 1 ms",
                              w->request->measure, d->line);
        if (!(m->end >= w->begin + 1))
            return why_refuse(why, "%.300s:%u: the frame is shorter than a service by far",
                              w->request->measure, d->line);
        aggregate_init(&m->frame, &plan);
        aggregate_init(&m->run, &plan);
    }
    return status;
}

static int open_files(struct queue_watch *w, struct why *why)
{
    const char *const paths[FILES] = {w->request->vcd, w->request->timeline,
                                      w->request->measure ? w->request->measured : NULL};
    for (unsigned i = 0; i < FILES; i++)
        if (paths[i] && output_open(&w->files[i], paths[i], why) != 0)
            return COMMAND_REFUSED;
    if (w->files[2].file)
        fputs("measurement\tmetric\ttap\tunit\tframe\tbegin_s\tend_s\taggregate\tvalue\n", w->files[2].file);
    return 0;
}

void queue_watch_note(const struct queue_watch_request *r, struct file_uses *uses)
{
    file_uses_read(uses, "--measure", r->measure);
    file_uses_write(uses, "--vcd", r->vcd);
    file_uses_write(uses, "--timeline", r->timeline);
    file_uses_write(uses, "-o", r->measured);
}

struct queue_watch *queue_watch_begin(const struct queue_watch_request *request, struct queue_line *line,
                                      struct why *why)
{
    double fastest = 0;
    const unsigned most = request->measure ? MEASURED_MAX : STAGES_MAX;
    if (line->stage_count > most) {
        why_refuse(why, "%s: expected at most %u stages, found %u",
                   request->measure ? "--measure" : "--vcd, --timeline", most, line->stage_count);
        return NULL;
    }
    struct queue_watch *w = memory_new(1, sizeof *w);
    for (unsigned i = 0; i < line->stage_count; i++) {
        fastest = fmax(fastest, line->stages[i].mu_per_s);
        name_stage(line, i, w->names[i]);
        if (request->measure)
            name_taps(w, i);
    }
    const double length = line->run.customers / line->lambda_per_s, units = WATCH_UNITS * fastest;
    w->line = line;
    w->request = request;
    w->units_per_s = units * line->scale;
    w->begin = round(length * line->run.warm_up * units);
    w->end = line->run.until_width > 0 ? INFINITY : round(length * units);
    w->watcher = (struct queue_watcher){see, w};
    if ((request->measure && begin_measuring(w, why) != 0) || open_files(w, why) != 0) {
        queue_watch_end(w, COMMAND_REFUSED, &(bool){false}, why);
        return NULL;
    }
    begin_drawings(w);
    line->watcher = &w->watcher;
    return w;
}

int queue_watch_end(struct queue_watch *w, int status, bool *cut, struct why *why)
{
    *cut = false;
    if (!w)
        return status;
    for (size_t i = 0; i < w->directives.count && w->measurements; i++) {
        struct measurement *m = &w->measurements[i];
        if (status == 0)
            measure(w, m, w->end);
        aggregate_destroy(&m->frame);
        aggregate_destroy(&m->run);
    }
    const double end_ps = w->last / w->units_per_s * 1e12;
    const uint64_t end = end_ps < 9e18 ? (uint64_t)end_ps : UINT64_MAX;
    const int waves = w->vcd ? vcd_close(w->vcd, end, NULL) : DRAWING_WHOLE,
              counters = w->timeline ? timeline_close(w->timeline, end, NULL) : DRAWING_WHOLE;
    *cut = waves == DRAWING_CUT || counters == DRAWING_CUT;
    for (unsigned i = 0; i < FILES; i++)
        if (w->files[i].file)
            status = output_end(&w->files[i], status, why);
    directives_destroy(&w->directives);
    free(w->measurements);
    free(w);
    return status;
}
