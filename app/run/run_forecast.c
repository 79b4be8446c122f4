#include "app/run/run_forecast.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "base/command.h"
#include "base/json_number.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/shown.h"
#include "blast/stage3/stage3.h"
#include "model/forecast/crossed_sample.h"
#include "model/forecast/run_end.h"
#include "model/forecast/sampled_jobs.h"
#include "sim/measure/machine_frame.h"

static const double widths[FORECAST_WIDTHS] = {0.05, 0.02, 0.01};

/* --- alignments ------------------------------------------------------------------------------------------ */

/* The pass of the run whose own part of the query, from its segment's begin to the next one's, has a position. */
static size_t pass_at(int strand, uint64_t position, const struct query_segment *segments, size_t passes)
{
    return ORDER_LAST(i, passes,
                      (int)segments[i].strand < strand ||
                          ((int)segments[i].strand == strand && segments[i].begin <= position));
}

/* An alignment that lies in several passes' parts is found by each of them, and has a share in each. */
void sampled_run_count_alignments(struct sampled_run *in, const struct alignment_list *list)
{
    const struct run_windows *windows = in->windows;
    const struct pass_sample *sample = in->sample;
    const size_t step = windows ? windows->sample->count : 1;
    in->cuts_alignments = false;
    for (size_t i = 0; i < sample->count * step; i++)
        in->alignments[i] = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct alignment *a = &list->items[i];
        const size_t window = windows ? run_windows_at(windows, a->database_begin) : 0;
        const size_t first = pass_at(a->strand, a->query_begin, in->run_segments, sample->passes);
        const size_t last = pass_at(a->strand, a->query_end - 1, in->run_segments, sample->passes);
        for (size_t k = 0; k < sample->count && window < step; k++)
            if (sample->numbers[k] >= first && sample->numbers[k] <= last)
                in->alignments[k * step + window] += 1.0 / (double)(last - first + 1);
        if (windows && run_windows_cuts(windows, a->database_begin, a->database_end))
            in->cuts_alignments = true;
    }
}

/* --- what a pass took ------------------------------------------------------------------------------------ */

/* Quantile of the normal distribution. */
#define NORMAL_97_5 1.959964

/* What a forecast is made of, while it is made. */
struct making {
    const struct sampled_run *in;
    struct run_forecast *out;
    struct run_machine machine;
    struct run_pass *simulated;         /* of each drawn pass: as it was simulated */
    struct run_pass *passes;            /* likewise: as it is in the run, fill_passes() */
    double load_per_byte_s, mean_bytes; /* of tables: find_load_per_byte() */
    double *values;                     /* of each drawn pass: of what was summed up last */
    double *pairs;                      /* of each drawn pass in each drawn window */
    double *columns;                    /* of each drawn window */
    struct sample_estimate of_windows;  /* of the sum that was made last, with the error of drawing windows */
    bool is_skewed;                     /* of this sum */
};

/* How long a pass's tables load. With tables that is only known of a pass that has to wait for them, as the first
 * one: the others load while the pass before on their board streams, and take as long as those of the first one, but no
 * longer. */
static double load_s(const struct sampled_run *in, size_t drawn)
{
    const struct pass_times *first = in->result->pass_times, *t = &first[drawn], *before = t;
    while (before > first && (before == t || before->board != t->board))
        before--;
    if (in->hardware->overlap != OVERLAP_TABLES || before == t || before->board != t->board)
        return t->stream_begin_s - t->begin_s;
    const double most_s = t->stream_begin_s - before->stream_begin_s;
    return t->stream_begin_s > before->board_free_s ? most_s
                                                    : fmin(first->stream_begin_s - first->begin_s, most_s);
}

/* A drawn pass as it was simulated. Cores work for a pass and for its tables. */
static struct run_pass simulated_pass(const struct sampled_run *in, size_t drawn)
{
    const struct pass_times *t = &in->result->pass_times[drawn];
    const struct frame *frame = &in->result->passes[drawn];
    const double build_s = frame_seconds(frame, S3_BUILD);
    return (struct run_pass){.load_s = load_s(in, drawn),
                             .stream_s = t->board_free_s - t->stream_begin_s,
                             .work_s = frame_seconds(frame, S3_CORE_BUSY) + build_s,
                             .rest_s = fmax(t->end_s - t->board_free_s, 0),
                             .build_s = build_s,
                             .wait_s = frame_seconds(frame, S3_BUILD_WAIT)};
}

/* --- amounts --------------------------------------------------------------------------------------------- */

static double table_bytes_of(const struct sampled_run *in, size_t drawn)
{
    return in->table_bytes[in->sample->numbers[drawn]];
}

/* Number of drawn passes that load their own tables, as the first ones on their boards, where those of all others are
 * loaded by the pass before; else none. */
static size_t first_loads(const struct sampled_run *in)
{
    const size_t boards = in->hardware->overlap == OVERLAP_TABLES ? in->hardware->boards : 0;
    return boards < in->sample->count ? boards : in->sample->count;
}

/* For which a pass loads its tables or those of the next one, without first_load_s(). */
static double table_load_s(const struct sampled_run *in, size_t drawn)
{
    return frame_seconds(&in->result->passes[drawn], PCIX_TABLE_LOAD) -
           (drawn < first_loads(in) ? load_s(in, drawn) : 0);
}

/* How long a board loads before its first pass, on the average: as long as their bytes take. */
static double first_load_s(const struct sampled_run *in)
{
    double loads_s = 0, drawn_bytes = 0, bytes = 0;
    for (size_t i = 0; i < first_loads(in); i++) {
        loads_s += load_s(in, i) / (double)first_loads(in);
        drawn_bytes += table_bytes_of(in, i);
        bytes += in->table_bytes[i];
    }
    return drawn_bytes > 0 ? loads_s * bytes / drawn_bytes : 0;
}

/* What a byte more makes loading tables longer, where a pass has its bus alone meanwhile: by least squares over the
 * drawn passes. */
static void find_load_per_byte(struct making *m)
{
    const struct sampled_run *in = m->in;
    const size_t count = in->sample->count;
    double *bytes = m->values, *load_s = m->pairs;
    m->mean_bytes = gsl_stats_mean(in->table_bytes, 1, in->sample->passes);
    if (hardware_couples_boards(in->hardware) || in->hardware->overlap == OVERLAP_TABLES)
        return;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = table_bytes_of(in, i);
        load_s[i] = table_load_s(in, i);
    }
    const double squares = gsl_stats_variance(bytes, 1, count);
    m->load_per_byte_s = squares > 0 ? gsl_stats_covariance(bytes, 1, load_s, 1, count) / squares : 0;
}

/* What a pass has of each quantity, or a part of it. */
struct amounts {
    double of[FORECAST_QUANTITIES];
};

/* Its tables have as many bytes as the mean of all, and how long it loads is without what they have more: uncertain is
 * only what bytes do not tell (Cochran, chapter 7: the regression estimator). */
static struct amounts amounts_of(const struct making *m, size_t drawn)
{
    const struct sampled_run *in = m->in;
    const double more_bytes = table_bytes_of(in, drawn) - m->mean_bytes;
    const struct frame *frame = &in->result->passes[drawn];
    return (struct amounts){{
        [FORECAST_TIME] = run_pass_board_s(&m->machine, &m->simulated[drawn]),
        [FORECAST_LOAD] = table_load_s(in, drawn) - m->load_per_byte_s * more_bytes,
        [FORECAST_STREAM] = frame_measured_s(frame),
        [FORECAST_STAGE3] = m->simulated[drawn].work_s,
        [FORECAST_HSPS] = frame_count(frame, S2_HSPS_OUT),
        [FORECAST_ALIGNMENTS] = in->windows ? 0 : in->alignments[drawn],
        [FORECAST_CELLS] = frame_count(frame, S3_CELLS),
        [FORECAST_TRIPS] = frame_count(frame, S1B_TRIPS),
        [FORECAST_BUS_BYTES] =
            frame_count(frame, PCIX_DATABASE_BYTES) + frame_count(frame, PCIX_RECORD_BYTES) + m->mean_bytes,
        [FORECAST_WALL] = in->result->processor_s[drawn],
    }};
}

/* What a number of words, HSPs and so on make. @param positions  of the database */
static struct amounts amounts_of_reading(const struct sampled_run *in, size_t drawn, struct window_reading r,
                                         double positions)
{
    const struct hardware *h = in->hardware;
    const double clocks_s = (double)r.clock / h->fpga_clock_hz;
    const double tables_s =
        (in->result->wall.tables_s - in->result->wall.index_s) / (double)in->sample->count;
    return (struct amounts){{
        [FORECAST_TIME] = clocks_s,
        [FORECAST_STREAM] = clocks_s,
        [FORECAST_STAGE3] =
            ((double)r.hsps * h->stage3_cycles_per_check + (double)r.cells * h->stage3_cycles_per_cell) /
            h->host_clock_hz,
        [FORECAST_HSPS] = (double)r.hsps,
        [FORECAST_CELLS] = (double)r.cells,
        [FORECAST_TRIPS] = (double)r.trips,
        [FORECAST_BUS_BYTES] = positions * BYTES_PER_WORD / BASES_PER_WORD + (double)r.hsps * h->hsp_bytes,
        [FORECAST_WALL] = fmax(in->result->processor_s[drawn] - tables_s, 0) * positions *
                          run_windows_scale(in->windows) / (double)in->windows->whole.positions,
    }};
}

/* What a pass has that does not grow with the database: loading tables, the first word, the drain. Counts have none. */
static struct amounts fixed_of(const struct making *m, size_t drawn)
{
    const struct sampled_run *in = m->in;
    const struct frame *frame = &in->result->passes[drawn];
    const double positions = (double)in->windows->whole.positions / run_windows_scale(in->windows);
    const struct amounts pass = amounts_of(m, drawn),
                         streamed = amounts_of_reading(
                             in, drawn, run_windows_growth(in->windows, drawn, RUN_WINDOWS_ALL), positions);
    return (struct amounts){{
        [FORECAST_TIME] = pass.of[FORECAST_TIME] - streamed.of[FORECAST_TIME],
        [FORECAST_LOAD] = pass.of[FORECAST_LOAD],
        [FORECAST_STREAM] = pass.of[FORECAST_STREAM] - streamed.of[FORECAST_STREAM],
        [FORECAST_STAGE3] = frame_seconds(frame, S3_BUILD),
        [FORECAST_BUS_BYTES] = m->mean_bytes,
        [FORECAST_WALL] = pass.of[FORECAST_WALL] - streamed.of[FORECAST_WALL],
    }};
}

static void fill_pairs(struct making *m, enum forecast_quantity quantity)
{
    const struct sampled_run *in = m->in;
    const struct pass_sample *w = in->windows->sample;
    const double windows = (double)w->passes, positions = (double)in->windows->whole.positions / windows;
    double *pair = m->pairs;
    for (size_t i = 0; i < in->sample->count; i++) {
        const double fixed = fixed_of(m, i).of[quantity] / windows;
        for (size_t j = 0; j < w->count; j++, pair++) {
            struct amounts found =
                amounts_of_reading(in, i, run_windows_growth(in->windows, i, j), positions);
            found.of[FORECAST_ALIGNMENTS] = in->alignments[i * w->count + j];
            *pair = fixed + found.of[quantity];
        }
    }
}

/* The error of drawing windows alone, as a part of a total. */
static struct sample_estimate error_of_windows(const struct making *m)
{
    return (struct sample_estimate){0, m->of_windows.error,
                                    m->in->windows ? m->of_windows.freedom : INFINITY};
}

/* Sum a quantity up over the passes of the run, and over windows if these were drawn. `values` are then those of this
 * quantity. */
static struct sample_estimate sum_up(struct making *m, enum forecast_quantity quantity)
{
    const struct pass_sample *s = m->in->sample;
    struct sample_estimate sum = {0};
    if (m->in->windows) {
        const struct pass_sample *w = m->in->windows->sample;
        const struct crossed_strata strata = {s->strata, w->strata, s->stratum_count, w->stratum_count};
        struct crossed_estimate crossed = {0};
        fill_pairs(m, quantity);
        crossed_sample_total(&strata, m->pairs, m->values, m->columns, &crossed);
        m->of_windows = crossed.of_columns;
        m->is_skewed = crossed.is_skewed;
        return crossed.whole;
    }
    for (size_t i = 0; i < s->count; i++)
        m->values[i] = amounts_of(m, i).of[quantity];
    sample_total(s->strata, s->stratum_count, m->values, &sum);
    return sum;
}

/* --- totals ---------------------------------------------------------------------------------------------- */

/* What one pass carries, and what the total is without its likes. @param factor  of the sum over passes */
static void judge(struct making *m, struct forecast_total *total, double factor)
{
    const struct pass_sample *s = m->in->sample;
    total->is_skewed = m->is_skewed;
    total->largest = sample_largest(m->values, s->count);
    total->is_dominated =
        sample_is_dominated(&total->largest, s->count) &&
        sample_total_apart(s->strata, s->stratum_count, m->values, total->largest.index, &total->apart) == 0;
    if (total->is_dominated)
        total->apart = sample_sum(total->apart, error_of_windows(m));
    total->apart = sample_scaled(total->apart, factor);
}

/* An error beside that of drawing. */
static struct sample_estimate doubt(double error)
{
    return (struct sample_estimate){0, error, INFINITY};
}

/* What a warm-up may leave: its interval reaches as far as what half of it leaves. */
static struct sample_estimate doubt_of_warm_up(const struct making *m, double bias, double total)
{
    return doubt(m->in->windows && !isnan(bias) ? fabs(bias) * total / NORMAL_97_5 : 0);
}

/* A quantity whose total is the sum over the passes. */
static void forecast_sum(struct making *m, enum forecast_quantity quantity, double factor)
{
    struct forecast_total *total = &m->out->totals[quantity];
    const double bias = quantity == FORECAST_STREAM ? m->out->bias.time
                        : quantity == FORECAST_HSPS ? m->out->bias.hsps
                                                    : NAN;
    total->estimate = sample_scaled(sum_up(m, quantity), factor);
    judge(m, total, factor);
    total->is_cut = (quantity == FORECAST_ALIGNMENTS || quantity == FORECAST_CELLS) && m->in->cuts_alignments;
    total->estimate = sample_sum(total->estimate, doubt_of_warm_up(m, bias, total->estimate.total));
    if (quantity == FORECAST_LOAD)
        total->estimate.total += first_load_s(m->in);
}

/* --- the time --------------------------------------------------------------------------------------------- */

/* The drawn passes with their own rests, and, if they have streamed windows only, with what they do in the whole
 * database. */
static void fill_passes(struct making *m)
{
    const size_t count = m->in->sample->count;
    memcpy(m->passes, m->simulated, count * sizeof *m->passes);
    run_end_find_rests(&m->machine, m->passes, count);
    if (!m->in->windows)
        return;
    sum_up(m, FORECAST_TIME);
    for (size_t i = 0; i < count; i++)
        m->passes[i].stream_s += m->values[i] - run_pass_board_s(&m->machine, &m->simulated[i]);
    sum_up(m, FORECAST_STAGE3);
    for (size_t i = 0; i < count; i++)
        m->passes[i].work_s = m->values[i];
}

static bool shares_bus(const struct making *m)
{
    return m->in->hardware->buses < m->in->hardware->boards;
}

/* How long a drawn pass keeps its board, on the average. */
static double mean_board_s(const struct making *m)
{
    double sum_s = 0;
    for (size_t i = 0; i < m->in->sample->count; i++)
        sum_s += run_pass_board_s(&m->machine, &m->passes[i]);
    return sum_s / (double)m->in->sample->count;
}

/* What comes after a sum over passes. Windows cut long alignments, so that stage 3 has less to do at the end: the error
 * is as large as what it does. On several boards other passes meet on the host than did in the sample, and all boards
 * but the last one end sooner by up to a pass: the end is known to the share of a pass that the others have. If they
 * share a bus, so is the begin, at which all of them load at the same time. */
static struct sample_estimate end_after(const struct making *m, struct sample_estimate end,
                                        struct sample_estimate joining)
{
    const double in_windows = m->in->windows ? 1 : 0, boards = m->machine.boards;
    const struct sample_estimate of_windows =
        sample_sum(doubt(in_windows * fmax(end.total, 0)), doubt(in_windows * fmax(joining.total, 0)));
    const double share_s = (boards - 1) / boards * mean_board_s(m) * (shares_bus(m) ? sqrt(2) : 1);
    return sample_sum(sample_sum(end, joining), sample_sum(of_windows, doubt(share_s / sqrt(12))));
}

/* An alignment that was joined is found by each pass in whose part of the query it lies, but for a first or last one
 * that finds it whole; of windows, if it is in one that was drawn. */
static struct sampled_job joined_job(const struct sampled_run *in, size_t number)
{
    const struct pass_sample *s = in->sample;
    const struct stitch_reach r = in->result->join.reaches[number];
    const double cell_s = in->hardware->stage3_cycles_per_cell / in->hardware->host_clock_hz;
    size_t first = pass_at(r.strand, r.query_begin, in->run_segments, s->passes);
    size_t last = pass_at(r.strand, r.query_end - 1, in->run_segments, s->passes);
    if (first < last && !stage3_cuts_off(&in->run_segments[first], r.query_begin, r.query_end))
        first++;
    if (first < last && !stage3_cuts_off(&in->run_segments[last], r.query_begin, r.query_end))
        last--;
    const double chance = sampled_jobs_chance(s->strata, s->stratum_count, first, last);
    return (struct sampled_job){cell_s * (double)in->result->join.cells[number],
                                chance / (in->windows ? fmax(run_windows_scale(in->windows), 1) : 1)};
}

/* Joining alignments on all cores. */
static struct sample_estimate estimate_joining(const struct sampled_run *in)
{
    const struct stitch_work *join = &in->result->join;
    auto_free struct sampled_job *jobs = memory_new(join->count + 1, sizeof *jobs);
    assert(join->count == 0 || join->reaches);
    for (size_t i = 0; i < join->count; i++)
        jobs[i] = joined_job(in, i);
    struct sample_estimate joining;
    sampled_jobs_makespan(jobs, join->count, in->hardware->host_cores, in->sample->seed, &joining);
    return joining;
}

/* Whether nothing is known of joining, though alignments may reach over borders between passes. */
static bool knows_no_joining(const struct sampled_run *in)
{
    const struct query_segment *segments = in->run_segments;
    bool has_border = false;
    for (size_t i = 1; i < in->sample->passes; i++)
        has_border = has_border || segments[i].strand == segments[i - 1].strand;
    return has_border && in->result->join.count == 0;
}

/* How many passes are needed, and how many windows if passes remain as they are. */
static void find_needed(struct making *m, struct sample_estimate beside)
{
    const struct pass_sample *s = m->in->sample, *w = m->in->windows ? m->in->windows->sample : NULL;
    struct run_forecast *f = m->out;
    const struct sample_estimate more = sample_sum(beside, error_of_windows(m));
    struct sample_estimate passes = {0};
    sample_total(s->strata, s->stratum_count, m->values, &passes);
    passes.total = 0;
    for (unsigned i = 0; i < FORECAST_WIDTHS; i++) {
        f->needed[i] = sample_needed(s->strata, s->stratum_count, m->values, more, widths[i]);
        if (w)
            f->needed_windows[i] =
                sample_needed(w->strata, w->stratum_count, m->columns, sample_sum(passes, beside), widths[i]);
    }
    f->needed_until = sample_needed(s->strata, s->stratum_count, m->values, more, m->in->until);
}

/* What windows do not tell is known no better than to itself. */
static void doubt_windows(const struct making *m, struct sample_estimate *e)
{
    if (m->in->windows)
        e->error = fmax(e->error, e->total);
}

/* What all passes take of their boards if they differ as the shortest and the longest drawn one. */
static double range_s(struct making *m, enum forecast_quantity quantity)
{
    const size_t count = m->in->sample->count;
    double least_s = 0, most_s = 0;
    for (size_t i = 0; i < count; i++)
        m->values[i] = amounts_of(m, i).of[quantity];
    gsl_stats_minmax(&least_s, &most_s, m->values, 1, count);
    return (double)m->in->sample->passes * (most_s - least_s) / m->machine.boards;
}

/* Where boards share a bus, others load and stream meanwhile than did in the sample, whose passes are nearer to the
 * begin, at which all boards load at once. It is not known how many passes load as long as which drawn one; and what
 * they load longer than alone is known to half of it. @return seconds by which the interval of loading reaches farther
 */
static double sharing_s(struct making *m)
{
    const struct sampled_run *in = m->in;
    const double bytes = (double)in->sample->passes * m->mean_bytes,
                 alone_s = bytes / hardware_bus_bytes_per_s(in->hardware) / m->machine.boards,
                 more_s = m->out->totals[FORECAST_LOAD].estimate.total - alone_s;
    return shares_bus(m) ? fmax(range_s(m, FORECAST_LOAD), more_s / 2) : 0;
}

/* What boards wait for tables after the first ones. */
static double later_builds_s(const struct making *m, double build_s)
{
    return fmax(build_s - m->passes->build_s, 0);
}

/* Where boards wait for tables again and again, these decide about the end: they are built several at a time, so that
 * it is known to the share of a pass that the others have; and shorter segments, which are few, may not be drawn, or
 * stand for others: the drawn ones' lengths say how much. */
static struct sample_estimate doubt_of_building(struct making *m, double build_s)
{
    const struct pass_sample *s = m->in->sample;
    const double at_once = fmin(m->machine.build_ahead, m->machine.cores),
                 later_s = later_builds_s(m, build_s);
    struct sample_estimate drawn = {0};
    double bases = 0;
    if (!(later_s > 0))
        return doubt(0);
    for (size_t i = 0; i < s->passes; i++)
        bases += m->in->run_segments[i].length;
    for (size_t i = 0; i < s->count; i++)
        m->values[i] = m->in->run_segments[s->numbers[i]].length;
    sample_total(s->strata, s->stratum_count, m->values, &drawn);
    const double batch_s = fmin((at_once - 1) / at_once * m->passes->build_s / sqrt(12), later_s);
    return doubt(batch_s + later_s * fabs(drawn.total / bases - 1) / NORMAL_97_5);
}

/* A core that works on a long alignment builds no tables meanwhile. Where all cores are at work in most of the run, one
 * of these alignments may hold a board that no drawn pass has waited for: as long as it takes, but for the passes whose
 * tables are built. @return seconds; no more than the forecast itself */
static double holding_s(const struct making *m, double build_s)
{
    const struct passes_result *result = m->in->result;
    const double busy = pow(frame_seconds(&result->run, S3_CORE_BUSY) /
                                frame_seconds(&result->run, S3_CORE_TIME),
                            m->machine.cores),
                 ahead = (double)m->machine.build_ahead - 1,
                 held_s = result->host.longest_s - ahead * mean_board_s(m) / m->machine.boards;
    return busy > 0.5 ? fmin(fmax(busy * held_s, 0), build_s) : 0;
}

/* What loading takes longer, streaming and waiting for tables, but for the first ones, may take less. */
static void forecast_building(struct making *m, struct sample_estimate build)
{
    struct forecast_total *totals = m->out->totals;
    struct sample_estimate *load = &totals[FORECAST_LOAD].estimate,
                           *stream = &totals[FORECAST_STREAM].estimate;
    const double load_s = sharing_s(m), stream_s = range_s(m, FORECAST_STREAM);
    *load = sample_sum(*load, doubt(load_s / NORMAL_97_5));
    *stream = sample_sum(*stream, doubt(fmin(load_s, stream_s) / NORMAL_97_5));
    build = sample_sum(build, doubt(fmin(load_s, later_builds_s(m, build.total)) / NORMAL_97_5));
    totals[FORECAST_BUILD].estimate = sample_sum(build, doubt(holding_s(m, build.total)));
    totals[FORECAST_BUILD].largest.share = NAN;
}

static void forecast_time(struct making *m)
{
    const struct pass_sample *s = m->in->sample;
    const struct run_machine *machine = &m->machine;
    struct forecast_total *totals = m->out->totals, *time = &totals[FORECAST_TIME];
    const struct sample_estimate joining = estimate_joining(m->in);
    struct run_end end;
    fill_passes(m);
    run_end_estimate(machine, s->strata, s->stratum_count, s->numbers, m->passes, s->seed, &end);
    const struct sample_estimate warm_up = doubt_of_warm_up(m, m->out->bias.time,
                                                            totals[FORECAST_STREAM].estimate.total),
                                 building = doubt_of_building(m, end.build.total),
                                 after = sample_sum(end_after(m, end.after, joining),
                                                    sample_sum(warm_up, building));
    const double share = end.is_of_cores ? machine->cores : machine->boards;
    const struct sample_estimate sum = sum_up(m, end.is_of_cores ? FORECAST_STAGE3 : FORECAST_TIME);
    time->estimate = sample_sum(sample_scaled(sum, 1 / share), after);
    judge(m, time, 1 / share);
    find_needed(m, sample_scaled(after, share));
    time->apart = time->is_dominated ? sample_sum(time->apart, after) : time->apart;
    end.build = sample_sum(end.build, building);
    forecast_building(m, end.build);
    const double busy_s =
        end.build.total + totals[FORECAST_LOAD].estimate.total + totals[FORECAST_STREAM].estimate.total;
    struct sample_estimate *rest = &totals[FORECAST_STAGE3].estimate;
    *rest = sample_sum(end_after(m, end.rest, joining), end.build);
    if (machine->overlap == RUN_TABLES) /* of which replicas leave loading out */
        *rest = sample_sum(*rest, totals[FORECAST_LOAD].estimate);
    rest->total = fmax(time->estimate.total - busy_s, 0);
    doubt_windows(m, rest);
    totals[FORECAST_STAGE3].largest.share = NAN;
    time->is_unjoined = totals[FORECAST_STAGE3].is_unjoined = knows_no_joining(m->in);
}

/* The time of this computer. */
static void forecast_wall(struct making *m)
{
    const struct sampled_run *in = m->in;
    const struct pass_sample *s = in->sample;
    double passes = (double)s->passes, jobs = fmin(in->jobs, passes), part = passes / (double)s->count;
    double scale = in->windows ? run_windows_scale(in->windows) : 1;
    double read_s = in->read_s * (in->windows && in->windows->index ? scale : 1);
    double once_s = read_s + scale * in->result->wall.index_s;
    double all_s = part * scale * (in->result->wall.host_s / jobs + in->retime_s);
    forecast_sum(m, FORECAST_WALL, 1 / jobs);
    struct forecast_total *wall = &m->out->totals[FORECAST_WALL];
    wall->estimate.total += once_s + all_s;
    doubt_windows(m, &wall->estimate); /* each is begun anew, which takes time, too */
    wall->apart.total += wall->is_dominated ? once_s + all_s : 0;
}

/* --- the whole ------------------------------------------------------------------------------------------- */

void run_forecast_make(const struct sampled_run *in, struct run_forecast *out)
{
    static const enum run_overlap overlaps[] = {
        [OVERLAP_SERIAL] = RUN_SERIAL, [OVERLAP_DRAIN] = RUN_DRAIN, [OVERLAP_TABLES] = RUN_TABLES};
    const struct hardware *h = in->hardware;
    const size_t passes = in->sample->count, windows = in->windows ? in->windows->sample->count : 1;
    struct making m = {.in = in,
                       .out = out,
                       .machine = {h->boards, h->host_cores, overlaps[h->overlap],
                                   h->host_build_clocks > 0 ? h->host_build_ahead : 0},
                       .simulated = memory_new(2 * passes, sizeof *m.simulated),
                       .values = memory_new(passes * (1 + windows) + windows, sizeof *m.values)};
    *out = (struct run_forecast){.sample = in->sample, .until = in->until, .windows = in->windows};
    if (in->windows)
        out->bias = run_windows_bias(in->windows);
    m.passes = m.simulated + passes;
    m.columns = m.values + passes;
    m.pairs = m.columns + windows;
    for (size_t i = 0; i < passes; i++)
        m.simulated[i] = simulated_pass(in, i);
    find_load_per_byte(&m);
    for (enum forecast_quantity q = FORECAST_LOAD; q < FORECAST_WALL; q++)
        if (q != FORECAST_STAGE3)
            forecast_sum(&m, q, q < FORECAST_STAGE3 ? 1.0 / h->boards : 1);
    out->totals[FORECAST_HSPS].is_unaligned = out->totals[FORECAST_CELLS].is_unaligned =
        out->totals[FORECAST_BUS_BYTES].is_unaligned = run_forecast_is_unseen(out, FORECAST_ALIGNMENTS);
    forecast_time(&m);
    forecast_wall(&m);
    free(m.simulated);
    free(m.values);
}

bool run_forecast_is_narrow(const struct run_forecast *f)
{
    return f->until == 0 || sample_width(f->totals[FORECAST_TIME].estimate) <= f->until;
}

/* One pass that took long here may have had to wait for this computer. Of what is known to a millionth nothing is left
 * to doubt. */
bool run_forecast_is_doubtful(const struct run_forecast *f, enum forecast_quantity quantity)
{
    const struct forecast_total *t = &f->totals[quantity];
    return quantity != FORECAST_WALL && (t->is_dominated || t->is_cut || t->is_unjoined || t->is_unaligned ||
                                         (t->is_skewed && sample_width(t->estimate) > 1e-6));
}

bool run_forecast_has(const struct run_forecast *f, enum forecast_quantity quantity)
{
    return quantity != FORECAST_BUILD || f->totals[quantity].estimate.total > 0;
}

bool run_forecast_is_unseen(const struct run_forecast *f, enum forecast_quantity quantity)
{
    return !(f->totals[quantity].estimate.total > 0);
}

#define FORECAST_ROW(id, ...) [id] = {__VA_ARGS__}
const struct forecast_row forecast_rows[FORECAST_QUANTITIES] = {FORECAST_ROWS(FORECAST_ROW)};

/* --- for people ------------------------------------------------------------------------------------------ */

const char *run_forecast_title(const struct run_forecast *f, char text[128])
{
    if (f->windows)
        snprintf(text, 128,
                 "SAMPLE of %zu of %zu passes and %zu of %zu windows (seed %" PRIu64 "): a forecast",
                 f->sample->count, f->sample->passes, f->windows->sample->count, f->windows->sample->passes,
                 f->sample->seed);
    else
        snprintf(text, 128, "SAMPLE of %zu of %zu passes (seed %" PRIu64 "): a forecast, not the whole run",
                 f->sample->count, f->sample->passes, f->sample->seed);
    return text;
}

/* "5%: 12, 2% or less: all": what needs all is said once. */
static void write_numbers(const size_t *needed, size_t all, FILE *out)
{
    unsigned i = 0;
    for (; i < FORECAST_WIDTHS && needed[i] < all; i++)
        fprintf(out, "%s %g%%: %zu", i > 0 ? "," : "", 100 * widths[i], needed[i]);
    if (i < FORECAST_WIDTHS)
        fprintf(out, "%s %g%%%s: all", i > 0 ? "," : "", 100 * widths[i],
                i + 1 < FORECAST_WIDTHS ? " or less" : "");
    fputc('\n', out);
}

void run_forecast_write_needed(const struct run_forecast *f, FILE *out)
{
    if (run_forecast_is_narrow(f))
        fputs("passes to draw for a time within", out);
    else
        fprintf(out, "half of the passes are too few for %.3g%%; draw for", 100 * f->until);
    write_numbers(f->needed, f->sample->passes, out);
    if (!f->windows)
        return;
    const struct sample_windows sizes = f->windows->sizes;
    fputs("or windows", out);
    write_numbers(f->needed_windows, f->windows->sample->passes, out);
    shown_print(
        out, "windows of %.4g kb, warm-up %.4g kb; with half of it: time %+.2g%%, HSPs %+.2g%% (%zu twice)",
        1e-3 * (double)sizes.window_bases, 1e-3 * (double)sizes.warm_up_bases, 100 * f->bias.time,
        100 * (isnan(f->bias.hsps) ? 0 : f->bias.hsps), f->windows->repeated);
}

/* --- JSON ------------------------------------------------------------------------------------------------ */

static json_t *estimate_object(struct sample_estimate e)
{
    struct sample_interval i = sample_interval(e);
    if (!(e.total > 0))
        i.high = INFINITY;
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "total", json_number(e.total), "low", json_number(i.low),
                     "high", json_number(i.high), "standard_error", json_number(e.error),
                     "degrees_of_freedom", json_number(e.freedom));
}

/* Numbers of passes are from 1. */
static json_t *total_object(const struct run_forecast *f, enum forecast_quantity q)
{
    const struct forecast_row *row = &forecast_rows[q];
    const struct forecast_total *t = &f->totals[q];
    json_t *object = json_pack("{s:s, s:s}", "quantity", row->name, "unit", row->unit);
    json_object_update_new(object, estimate_object(t->estimate));
    if (!isnan(t->largest.share))
        json_object_update_new(
            object, json_pack("{s:I, s:o, s:b, s:b, s:b, s:o}", "largest_pass",
                              (json_int_t)f->sample->numbers[t->largest.index] + 1, "largest_share",
                              json_number(t->largest.share), "dominated", (int)t->is_dominated, "skewed",
                              (int)t->is_skewed, "cut", (int)t->is_cut, "total_if_alone",
                              t->is_dominated ? json_number(t->apart.total) : json_null()));
    json_object_update_new(object,
                           json_pack("{s:b, s:b, s:b}", "unjoined", (int)t->is_unjoined, "unaligned",
                                     (int)t->is_unaligned, "doubtful", (int)run_forecast_is_doubtful(f, q)));
    return object;
}

static json_t *drawn_array(const struct pass_sample *s)
{
    json_t *array = json_array();
    for (size_t i = 0; i < s->count; i++)
        json_array_append_new(array, json_integer((json_int_t)s->numbers[i] + 1));
    return array;
}

static json_t *strata_array(const struct pass_sample *s, const char *what)
{
    json_t *array = json_array();
    for (size_t h = 0; h < s->stratum_count; h++)
        json_array_append_new(array, json_pack("{s:I, s:I}", what, (json_int_t)s->strata[h].passes, "drawn",
                                               (json_int_t)s->strata[h].drawn));
    return array;
}

static json_t *draw_object(const struct run_forecast *f)
{
    return json_pack("{s:I, s:I, s:I}", "run_passes", (json_int_t)f->sample->passes, "drawn",
                     (json_int_t)f->sample->count, "seed", (json_int_t)f->sample->seed);
}

/* How many of what are drawn are needed: "passes_for_5_percent" and so on. */
static void add_needed(json_t *object, const char *what, const size_t *needed)
{
    for (unsigned i = 0; i < FORECAST_WIDTHS; i++)
        json_object_set_new(object, shown_text("%s_for_%g_percent", what, 100 * widths[i]).text,
                            json_integer((json_int_t)needed[i]));
}

static json_t *windows_object(const struct run_forecast *f)
{
    const struct run_windows *w = f->windows;
    const struct pass_sample *s = w->sample;
    json_t *object =
        json_pack("{s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "windows", (json_int_t)s->passes,
                  "drawn", (json_int_t)s->count, "drawn_windows", drawn_array(s), "strata",
                  strata_array(s, "windows"), "window_bases", (json_int_t)w->sizes.window_bases,
                  "warm_up_bases", (json_int_t)w->sizes.warm_up_bases, "repeated", (json_int_t)w->repeated,
                  "bias_of_time", json_number(f->bias.time), "bias_of_hsps", json_number(f->bias.hsps),
                  "streamed_share", json_number(1 / run_windows_scale(w)));
    add_needed(object, "windows", f->needed_windows);
    return object;
}

json_t *run_forecast_json(const struct run_forecast *f)
{
    json_t *object = draw_object(f), *totals = json_array();
    for (enum forecast_quantity q = 0; q < FORECAST_WALL; q++)
        if (run_forecast_has(f, q))
            json_array_append_new(totals, total_object(f, q));
    json_object_update_new(object,
                           json_pack("{s:o, s:o, s:o}", "drawn_passes", drawn_array(f->sample), "strata",
                                     strata_array(f->sample, "passes"), "forecast", totals));
    add_needed(object, "passes", f->needed);
    if (f->windows)
        json_object_set_new(object, "database", windows_object(f));
    if (f->until > 0)
        json_object_update_new(object, json_pack("{s:o, s:b}", "until", json_number(f->until), "reached",
                                                 (int)run_forecast_is_narrow(f)));
    return object;
}

json_t *run_forecast_run_json(const struct run_forecast *f)
{
    json_t *object = draw_object(f);
    json_object_set_new(object, "wall_time_s", estimate_object(f->totals[FORECAST_WALL].estimate));
    return object;
}
