#include "sim/measure/measure_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file_io.h"
#include "traces/statistics/batch_means.h"
#include "traces/statistics/series_summary.h"
#include "base/json_number.h"
#include "base/draw/result_table.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"
#include "model/sums/tail_index.h"
#include "sim/measure/machine_taps.h"

/* What has been gathered of a measurement. */
struct gathered {
    struct measured run;   /* the whole run */
    struct measured frame; /* the frame that is being read */
    struct series all;     /* means of all full frames */
    struct series pass;    /* means of the full frames of the present pass */
    struct series steady;  /* the same of all passes, without the warm-ups */
    struct series passes;  /* mean of each pass without its warm-up */
    uint64_t full, partial;
    uint64_t warmed_passes, dropped_points;
};

/* Four times; a number of 64 bits may have 309 digits before its point. */
enum { STAMPS_BYTES = 4 * 330 };

/* What was printed last of the borders of a frame. */
struct stamps {
    enum clock_domain domain;
    int64_t begin;
    uint64_t clocks;
    char text[STAMPS_BYTES]; /* empty: nothing of this pass yet */
};

struct measure_report {
    const struct measure_plan *plan;
    struct gathered *gathered;
    uint64_t passes;
    char pass[24]; /* what the column of that name says: the pass that is being taken in, from 1, or run */
    bool of_run;   /* the frames that are being taken in are of the run */
    const struct machine_clocks *clocks; /* those of the pass that is being taken in */
    struct stamps stamps;                /* by these clocks */
    struct run_frames *run_frames;       /* pieces of the frames of the run */
    FILE *frames, *histograms;           /* rows of the two files */
};

/* --- rows ------------------------------------------------------------------------------------------------ */

static const char *unit_of(const struct measurement *m)
{
    const struct directive *d = m->directive;
    return d->metric == METRIC_OCCUPANCY ? machine_catalogue.taps[d->tap].element
                                         : machine_catalogue.metrics[d->metric].unit;
}

static void tap_name(const struct directive *d, char *text, size_t size)
{
    const struct tap_spec *taps = machine_catalogue.taps;
    if (d->to == d->tap)
        snprintf(text, size, "%s", taps[d->tap].name);
    else
        snprintf(text, size, "%s to %s", taps[d->tap].name, taps[d->to].name);
}

/* What the clock of the frame's side shows at its borders: the same in all rows of a timer's frame. */
static const char *print_stamps(struct measure_report *r, const struct frame_head *head,
                                const struct frame_timer *timer)
{
    struct stamps *s = &r->stamps;
    const enum clock_domain domain = timer->side == SIDE_BOARD ? DOMAIN_FPGA : DOMAIN_HOST;
    if (s->text[0] && s->domain == domain && s->begin == head->begin && s->clocks == head->clocks)
        return s->text;
    struct clock_reading begin = machine_clocks_read(r->clocks, domain, head->begin, r->of_run);
    struct clock_reading end =
        machine_clocks_read(r->clocks, domain, head->begin + (int64_t)head->clocks, r->of_run);
    *s = (struct stamps){.domain = domain, .begin = head->begin, .clocks = head->clocks};
    int used = snprintf(s->text, sizeof s->text, "\t%.12f\t%.12f", begin.local_s, end.local_s);
    if (isfinite(begin.virtual_s) && isfinite(end.virtual_s))
        snprintf(s->text + used, sizeof s->text - (size_t)used, "\t%.12f\t%.12f\n", begin.virtual_s,
                 end.virtual_s);
    else
        snprintf(s->text + used, sizeof s->text - (size_t)used, "\tNA\tNA\n");
    return s->text;
}

/* A row for each value of a frame. */
static void write_rows(struct measure_report *r, const struct frame_head *head,
                       const struct measured *measured, const double *values, unsigned count)
{
    const struct measurement *m = &r->plan->measurements[head->measurement];
    const char *stamps = print_stamps(r, head, &r->plan->timers[m->timer]);
    char tap[96], name[64], frame[512];
    tap_name(m->directive, tap, sizeof tap);
    snprintf(frame, sizeof frame,
             "%s\t%s\t%s\t%s\t%s\t%" PRIu64 "\t%" PRId64 "\t%" PRIu64 "\t%d\t%" PRIu64 "\t",
             m->directive->name, machine_catalogue.metrics[m->directive->metric].name, tap, unit_of(m),
             r->pass, head->frame, head->begin, head->clocks, head->partial, measured_weight(m, measured));
    for (unsigned i = 0; i < count; i++) {
        aggregate_value_name(m->directive, i, name, sizeof name);
        fputs(frame, r->frames);
        fputs(name, r->frames);
        fprintf(r->frames, isfinite(values[i]) ? "\t%.12g" : "\tNA", values[i]);
        fputs(stamps, r->frames);
    }
}

static void write_bins(const struct measure_report *r, const struct frame_head *head,
                       const struct measured *measured)
{
    const struct measurement *m = &r->plan->measurements[head->measurement];
    const struct histogram *h = measured->aggregate.histogram;
    if (!h)
        return;
    char frame[256];
    struct bin_writer writer = {
        .out = r->histograms, .all = measured->aggregate.moments.weight, .before = frame, .after = "\n"};
    snprintf(frame, sizeof frame, "%s\t%s\t%s\t%" PRIu64 "\t", m->directive->name, unit_of(m), r->pass,
             head->frame);
    for (size_t i = 0; i < h->bins + 2; i++) { /* the bins, those below and those above them */
        bool under = i == 0, over = i == h->bins + 1;
        uint64_t weight = under ? h->under : over ? h->over : h->weights[i - 1];
        if (weight > 0)
            bin_writer_write(&writer, under ? 0 : h->low + (i - 1) * h->width,
                             over ? UINT64_MAX : h->low + i * h->width - 1, weight);
    }
}

/* --- gathering ------------------------------------------------------------------------------------------- */

static void add_frame(struct measure_report *r, const struct frame_head *head, struct gathered *g)
{
    double values[AGGREGATE_VALUES_MAX];
    unsigned count = measured_values(&r->plan->measurements[head->measurement], &g->frame, values);
    write_rows(r, head, &g->frame, values, count);
    write_bins(r, head, &g->frame);
    g->full += !head->partial;
    g->partial += head->partial;
    if (!head->partial) {
        series_add(&g->all, values[0]);
        series_add(&g->pass, values[0]);
    }
}

static void add_steady(struct gathered *g)
{
    struct warm_up warm_up = warm_up_of(g->pass.points, g->pass.count);
    double sum = 0;
    g->warmed_passes += warm_up.found;
    g->dropped_points += warm_up.dropped;
    for (size_t i = warm_up.dropped; i < g->pass.count; i++) {
        sum += g->pass.points[i];
        series_add(&g->steady, g->pass.points[i]);
    }
    size_t left = g->pass.count - warm_up.dropped;
    series_destroy(&g->pass);
    series_add(&g->passes, left ? sum / (double)left : NAN);
}

static bool is_of_run(const struct measure_report *r, size_t measurement)
{
    return r->plan->timers[r->plan->measurements[measurement].timer].spec.of_run;
}

static bool take_record(struct measure_report *r, const struct frame_head *head, FILE *file)
{
    if (head->measurement >= r->plan->measurement_count)
        return false;
    struct gathered *g = &r->gathered[head->measurement];
    if (!frame_record_read(file, &g->frame))
        return false;
    if (is_of_run(r, head->measurement))
        return head->is_pass || run_frames_add(r->run_frames, head, &g->frame);
    if (head->is_pass) {
        measured_add(&g->run, &g->frame);
        add_steady(g);
    } else {
        add_frame(r, head, g);
    }
    return true;
}

/* Number of measurements that a pass has on both sides, or that the host has over the run. */
static size_t count_measurements(const struct measure_plan *plan, bool host_of_run)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->measurement_count; i++)
        count += (plan->timers[plan->measurements[i].timer].side == SIDE_HOST_OF_RUN) == host_of_run;
    return count;
}

/* @param wholes  less the number of records of a whole pass that the part has */
static bool take_records(struct measure_report *r, const struct frame_records *part, size_t *wholes)
{
    struct frame_head head;
    bool taken = fseeko(part->file, part->begin, SEEK_SET) == 0;
    while (taken && ftello(part->file) < part->end && frame_record_read_head(part->file, &head)) {
        taken = take_record(r, &head, part->file);
        *wholes -= head.is_pass;
    }
    return taken;
}

static bool are_rows_written(const struct measure_report *r)
{
    return !ferror(r->frames) && !ferror(r->histograms);
}

/* Let the borders of frames be read from these clocks, which may have changed since they were read last. */
static void read_by(struct measure_report *r, const struct machine_clocks *clocks, bool of_run)
{
    r->clocks = clocks;
    r->of_run = of_run;
    r->stamps.text[0] = '\0';
}

bool measure_report_add_pass(struct measure_report *r, const struct frame_records sides[2],
                             const struct machine_clocks *clocks)
{
    size_t wholes = count_measurements(r->plan, false);
    read_by(r, clocks, false);
    snprintf(r->pass, sizeof r->pass, "%" PRIu64, ++r->passes);
    return take_records(r, &sides[0], &wholes) && take_records(r, &sides[1], &wholes) && wholes == 0 &&
           are_rows_written(r);
}

/* What boards gave to a bus by their own clocks may be more than the bus can carry in a frame. */
static bool settle_bus(struct measure_report *r, size_t measurement, const struct run_times *times,
                       uint64_t frames, struct bus_frames *bus)
{
    const struct measurement *m = &r->plan->measurements[measurement];
    struct measured *seen = &r->gathered[measurement].frame;
    struct frame_head head;
    for (uint64_t frame = 1; m->source == SOURCE_BUS && frame <= frames; frame++) {
        if (!run_frames_read(r->run_frames, times, measurement, frame, &head, seen))
            return false;
        bus_frames_add(bus, &(struct bus_frame){.can = (uint64_t)((double)seen->fraction.whole / m->factor),
                                                .came = seen->fraction.part});
    }
    bus_frames_settle(bus, UINT64_MAX);
    return true;
}

/* Put the frames of the run together; all of them are one pass, as far as warm-up and intervals go. */
static bool gather_run(struct measure_report *r, size_t measurement, const struct run_times *times)
{
    struct gathered *g = &r->gathered[measurement];
    const uint64_t frames = run_frames_count(r->run_frames, measurement, times);
    auto_by(bus_frames_destroy) struct bus_frames bus = {0};
    struct frame_head head;
    if (!settle_bus(r, measurement, times, frames, &bus))
        return false;
    for (uint64_t frame = 1; frame <= frames; frame++) {
        if (!run_frames_read(r->run_frames, times, measurement, frame, &head, &g->frame))
            return false;
        if (bus.count > 0)
            g->frame.fraction.part = bus.frames[frame - 1].moved;
        measured_add(&g->run, &g->frame);
        add_frame(r, &head, g);
    }
    add_steady(g);
    return true;
}

bool measure_report_end_run(struct measure_report *r, const struct frame_records *records,
                            const struct run_times *times, const struct machine_clocks *clocks)
{
    size_t wholes = count_measurements(r->plan, true);
    read_by(r, clocks, true);
    snprintf(r->pass, sizeof r->pass, "run");
    bool taken = take_records(r, records, &wholes) && wholes == 0;
    for (size_t i = 0; i < r->plan->measurement_count && taken; i++)
        taken = !is_of_run(r, i) || gather_run(r, i, times);
    return taken && are_rows_written(r);
}

/* --- summary.json ---------------------------------------------------------------------------------------- */

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *spread_object(const struct five_numbers *f)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "min", json_number(f->least),
                     "lower_quartile", json_number(f->lower_quartile), "median", json_number(f->median),
                     "upper_quartile", json_number(f->upper_quartile), "max", json_number(f->most),
                     "lower_whisker", json_number(f->lower_whisker), "upper_whisker",
                     json_number(f->upper_whisker), "outliers", integer(f->outliers));
}

static json_t *steady_object(const struct gathered *g)
{
    bool replications = g->passes.count >= BATCHES_LEAST;
    struct point_estimate p = replications ? batch_means_of_replications(g->passes.points, g->passes.count)
                                           : batch_means_of_points(g->steady.points, g->steady.count);
    const struct estimate *e = &p.estimate;
    return json_pack("{s:s, s:o, s:o, s:f, s:o, s:o, s:o, s:b}", "method",
                     replications ? "passes" : "batch means", "mean", json_number(e->mean), "half_width",
                     json_number(e->half_width), "level", 0.95, "batches", integer(p.batches), "batch_points",
                     integer(p.batch_points), "lag1", json_number(e->lag1), "independent",
                     p.batches > 0 && !batch_means_are_correlated(e, p.batches));
}

static json_t *frames_object(const struct gathered *g)
{
    const struct five_numbers spread = five_numbers_of(g->all.points, g->all.count);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:o}", "full", integer(g->full), "partial",
                     integer(g->partial), "missing", integer(g->all.missing), "frames_per_point",
                     integer(g->all.frames_per_point ? g->all.frames_per_point : 1), "spread",
                     spread_object(&spread), "warm_up", "passes", integer(g->warmed_passes), "dropped_points",
                     integer(g->dropped_points), "steady", steady_object(g));
}

static json_t *histogram_array(const struct histogram *h)
{
    json_t *bins = json_array();
    for (size_t i = 0; i < h->bins; i++)
        if (h->weights[i] > 0)
            json_array_append_new(bins, json_pack("[o, o, o]", integer(h->low + i * h->width),
                                                  integer(h->low + (i + 1) * h->width - 1),
                                                  integer(h->weights[i])));
    return json_pack("{s:o, s:o, s:o}", "under", integer(h->under), "over", integer(h->over), "bins", bins);
}

static json_t *quantile_array(const struct measurement *m, const struct measured *run)
{
    const struct directive *d = m->directive;
    json_t *array = json_array();
    for (unsigned i = 0; i < d->quantile_count; i++)
        json_array_append_new(array,
                              json_pack("{s:f, s:o, s:f}", "q", d->quantiles[i], "value",
                                        json_number(aggregate_quantile(&run->aggregate, d->quantiles[i])),
                                        "relative_error", quantile_bound(run->aggregate.quantile)));
    return array;
}

/* Add what the largest values say of the tail, if the sketch has values and not times. */
static void add_tail(json_t *object, const struct quantile_sketch *sketch)
{
    size_t room = sketch->weight < TAIL_LARGEST_MOST ? sketch->weight + 1 : TAIL_LARGEST_MOST + 1;
    auto_free double *largest = memory_take(room * sizeof *largest);
    struct tail_estimate tail = tail_index(largest, quantile_largest(sketch, largest, room), sketch->weight);
    json_object_set_new(object, "tail_index", json_number(tail.index));
    json_object_set_new(object, "tail_low", json_number(tail.low));
    json_object_set_new(object, "tail_high", json_number(tail.high));
    json_object_set_new(object, "tail_largest", integer(tail.largest));
}

static void add_values(json_t *object, const struct measurement *m, const struct measured *run)
{
    double values[AGGREGATE_VALUES_MAX];
    unsigned count = measured_values(m, run, values);
    for (unsigned i = 0; i < count; i++) {
        char name[64];
        aggregate_value_name(m->directive, i, name, sizeof name);
        if (!strchr(name, '('))
            json_object_set_new(object, name, json_number(values[i]));
    }
    if (run->aggregate.quantile)
        json_object_set_new(object, "quantiles", quantile_array(m, run));
    if (run->aggregate.quantile && m->source != SOURCE_OCCUPANCY)
        add_tail(object, run->aggregate.quantile);
    if (run->aggregate.histogram)
        json_object_set_new(object, "histogram", histogram_array(run->aggregate.histogram));
}

static json_t *measurement_object(const struct measure_report *r, size_t index)
{
    const struct measurement *m = &r->plan->measurements[index];
    const struct gathered *g = &r->gathered[index];
    char tap[96], frame[96];
    tap_name(m->directive, tap, sizeof tap);
    frame_spec_text(&m->directive->frame, frame, sizeof frame);
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "metric",
                               machine_catalogue.metrics[m->directive->metric].name, "tap", tap, "unit",
                               unit_of(m), "frame", frame, "weighted_by",
                               m->source == SOURCE_OCCUPANCY ? "clocks"
                               : m->aggregated               ? "elements"
                                                             : "none",
                               "weight", integer(measured_weight(m, &g->run)));
    add_values(object, m, &g->run);
    json_object_set_new(object, "frames", frames_object(g));
    return object;
}

/* Put an object into the groups that its dotted name says. */
static void set_dotted(json_t *root, const char *name, json_t *object)
{
    const char *dot;
    while ((dot = strchr(name, '.'))) {
        char group[DIRECTIVE_NAME_MAX];
        snprintf(group, sizeof group, "%.*s", (int)(dot - name), name);
        json_t *inner = json_object_get(root, group);
        if (!inner) {
            inner = json_object();
            json_object_set_new(root, group, inner);
        }
        root = inner;
        name = dot + 1;
    }
    json_object_set_new(root, name, object);
}

json_t *measure_report_json(const struct measure_report *r)
{
    json_t *root = json_object();
    for (size_t i = 0; i < r->plan->measurement_count; i++)
        set_dotted(root, r->plan->measurements[i].directive->name, measurement_object(r, i));
    return root;
}

/* --- the table for people --------------------------------------------------------------------------------- */

/* Say of which time those measurements are that a run's answer has of another. */
static void note_times(const struct measure_report *r, struct result_table *table)
{
    bool host = false, held = false;
    for (size_t i = 0; i < r->plan->measurement_count; i++) {
        const struct measurement *m = &r->plan->measurements[i];
        host |=
            r->plan->timers[m->timer].side == SIDE_HOST && m->source != SOURCE_HOST_SPAN; /* passes overlap */
        held |= m->source == SOURCE_INTEGRAL && m->queue == BOARD_SERVER;
    }
    if (host) {
        result_table_note(table,
                          "inbox and stage_3: of the time of each pass, until stage 3 has finished it;");
        result_table_note(table, "times of passes overlap. Queue and busy of stage 3 above are of the run");
    }
    if (held)
        result_table_note(table,
                          "utilisation at stage_1bd: with the clocks in which it is held, stalled above");
}

void measure_report_write_text(const struct measure_report *r, FILE *out)
{
    static const char *const columns[] = {"measured", "value", "", "unit"};
    static const int widths[] = {-34, -15, 0, -10};
    struct result_table *table =
        result_table_new_styled(columns, 4, &(struct result_style){.title = "", .widths = widths});
    for (size_t i = 0; i < r->plan->measurement_count; i++) {
        const struct measurement *m = &r->plan->measurements[i];
        double values[AGGREGATE_VALUES_MAX];
        unsigned count = measured_values(m, &r->gathered[i].run, values);
        for (unsigned value = 0; value < count; value++) {
            char name[64];
            aggregate_value_name(m->directive, value, name, sizeof name);
            result_table_add(table, TEXT(value == 0 ? m->directive->name : ""), TEXT(name),
                             NUMBER(values[value]), TEXT(unit_of(m)));
        }
    }
    note_times(r, table);
    result_table_end(table, RESULT_TEXT, out);
}

/* --- files ----------------------------------------------------------------------------------------------- */

static int copy_rows(FILE *rows, FILE *out)
{
    return file_io_flush(rows) && file_io_copy(out, false, fileno(rows), (uint64_t)ftello(rows)) ? 0 : -1;
}

int measure_report_write_frames(const struct measure_report *r, FILE *out)
{
    fprintf(
        out,
        "measurement\tmetric\ttap\tunit\tpass\tframe\tbegin_clock\tclocks\tpartial\tweight\taggregate\tvalue\t"
        "begin_local_s\tend_local_s\tbegin_virtual_s\tend_virtual_s\n");
    return copy_rows(r->frames, out);
}

int measure_report_write_histograms(const struct measure_report *r, FILE *out)
{
    fprintf(out, "measurement\tunit\tpass\tframe\tfrom\tto\tweight\tfraction\n");
    return copy_rows(r->histograms, out);
}

/* --- setting up ------------------------------------------------------------------------------------------ */

struct measure_report *measure_report_new(const struct measure_plan *plan)
{
    struct measure_report *r = memory_take(sizeof *r);
    *r = (struct measure_report){.plan = plan,
                                 .gathered = memory_new(plan->measurement_count, sizeof *r->gathered),
                                 .run_frames = run_frames_new(plan),
                                 .frames = scratch_file_open(),
                                 .histograms = scratch_file_open()};
    for (size_t i = 0; i < plan->measurement_count; i++) {
        measured_init(&r->gathered[i].run, &plan->measurements[i]);
        measured_init(&r->gathered[i].frame, &plan->measurements[i]);
    }
    if (r->run_frames && r->frames && r->histograms)
        return r;
    measure_report_destroy(r);
    return NULL;
}

static void destroy_gathered(struct gathered *g)
{
    measured_destroy(&g->run);
    measured_destroy(&g->frame);
    series_destroy(&g->all);
    series_destroy(&g->pass);
    series_destroy(&g->steady);
    series_destroy(&g->passes);
}

void measure_report_destroy(struct measure_report *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->plan->measurement_count; i++)
        destroy_gathered(&r->gathered[i]);
    free(r->gathered);
    run_frames_destroy(r->run_frames);
    file_io_end(r->frames);
    file_io_end(r->histograms);
    free(r);
}
