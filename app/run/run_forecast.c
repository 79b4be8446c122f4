#include "app/run/run_forecast.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/command.h"
#include "base/json_number.h"
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
    size_t first = 0, end = passes;
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        const struct query_segment *s = &segments[middle];
        bool is_before = (int)s->strand < strand || ((int)s->strand == strand && s->begin <= position);
        if (is_before)
            first = middle;
        else
            end = middle;
    }
    return first;
}

/* An alignment that lies in several passes' parts is found by each of them, and has a share in each. */
static void count_alignment(const struct alignment *a, const struct pass_sample *sample,
                            const struct query_segment *run_segments, double *counts, size_t step)
{
    size_t first = pass_at(a->strand, a->query_begin, run_segments, sample->passes);
    size_t last = pass_at(a->strand, a->query_end - 1, run_segments, sample->passes);
    for (size_t i = 0; i < sample->count; i++)
        if (sample->numbers[i] >= first && sample->numbers[i] <= last)
            counts[i * step] += 1.0 / (double)(last - first + 1);
}

bool run_forecast_count_alignments(const struct alignment_list *list, const struct pass_sample *sample,
                                   const struct query_segment *run_segments,
                                   const struct run_windows *windows, double *counts)
{
    const size_t step = windows ? windows->sample->count : 1;
    bool cut = false;
    for (size_t i = 0; i < sample->count * step; i++)
        counts[i] = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t window = windows ? run_windows_at(windows, list->items[i].database_begin) : 0;
        if (window < step)
            count_alignment(&list->items[i], sample, run_segments, counts + window, step);
        cut = cut || (windows &&
                      run_windows_cuts(windows, list->items[i].database_begin, list->items[i].database_end));
    }
    return cut;
}

/* --- what a pass took ------------------------------------------------------------------------------------ */

/* Quantile of the normal distribution. */
#define NORMAL_97_5 1.959964

/* What a forecast is made of, while it is made. */
struct making {
    const struct forecast_input *in;
    struct run_forecast *out;
    double *values;          /* of each drawn pass */
    double *loads;           /* likewise: fill_loads() */
    struct run_pass *passes; /* likewise: fill_passes() */
    double *pairs;           /* of each drawn pass in each drawn window; NULL if there are no windows */
    double *columns;         /* of each drawn window */
    struct sample_estimate of_windows; /* of the sum that was made last, with the error of drawing windows */
    bool is_skewed;                    /* of this sum */
};

static struct run_machine machine_of(const struct hardware *h)
{
    static const enum run_overlap overlaps[] = {
        [OVERLAP_SERIAL] = RUN_SERIAL, [OVERLAP_DRAIN] = RUN_DRAIN, [OVERLAP_TABLES] = RUN_TABLES};
    return (struct run_machine){h->boards, h->host_cores, overlaps[h->overlap],
                                h->host_build_clocks > 0 ? h->host_build_ahead : 0};
}

/* The pass that was on a pass's board before it; NULL if it was the first there. */
static const struct pass_times *find_before(const struct forecast_input *in, size_t drawn)
{
    const struct pass_times *times = in->result->pass_times;
    for (size_t i = drawn; i-- > 0;)
        if (times[i].board == times[drawn].board)
            return &times[i];
    return NULL;
}

/* How long a pass's tables load. With tables that is only known of a pass that has to wait for them, as the first
 * one: the others load while the pass before streams, and take as long as those of the first one, but no longer. */
static double load_s(const struct forecast_input *in, size_t drawn)
{
    const struct pass_times *t = &in->result->pass_times[drawn], *first = in->result->pass_times;
    const struct pass_times *before = in->hardware->overlap == OVERLAP_TABLES ? find_before(in, drawn) : NULL;
    if (!before)
        return t->stream_begin_s - t->begin_s;
    const double most_s = t->stream_begin_s - before->stream_begin_s;
    return t->stream_begin_s > before->board_free_s ? most_s
                                                    : fmin(first->stream_begin_s - first->begin_s, most_s);
}

/* The time of cores for a pass and its tables. */
static double cores_s(const struct frame *pass)
{
    return frame_seconds(pass, S3_CORE_BUSY) + frame_seconds(pass, S3_BUILD);
}

/* A drawn pass as it was simulated. */
static struct run_pass simulated_pass(const struct forecast_input *in, size_t drawn)
{
    const struct pass_times *t = &in->result->pass_times[drawn];
    return (struct run_pass){.load_s = load_s(in, drawn),
                             .stream_s = t->board_free_s - t->stream_begin_s,
                             .work_s = cores_s(&in->result->passes[drawn]),
                             .rest_s = fmax(t->end_s - t->board_free_s, 0),
                             .build_s = frame_seconds(&in->result->passes[drawn], S3_BUILD)};
}

/* Time for which a pass keeps its board from others. */
static double board_s(const struct forecast_input *in, size_t drawn)
{
    const struct run_machine machine = machine_of(in->hardware);
    const struct run_pass pass = simulated_pass(in, drawn);
    return run_pass_board_s(&machine, &pass);
}

static double bus_bytes(const struct frame *frame)
{
    return frame_count(frame, PCIX_DATABASE_BYTES) + frame_count(frame, PCIX_TABLE_BYTES) +
           frame_count(frame, PCIX_RECORD_BYTES);
}

/* Without windows. */
static double value_of(const struct forecast_input *in, enum forecast_quantity quantity, size_t drawn)
{
    const struct frame *frame = &in->result->passes[drawn];
    switch (quantity) {
    case FORECAST_TIME:
        return board_s(in, drawn);
    case FORECAST_LOAD:
        return frame_seconds(frame, PCIX_TABLE_LOAD);
    case FORECAST_STREAM:
        return frame_measured_s(frame);
    case FORECAST_STAGE3:
        return cores_s(frame);
    case FORECAST_HSPS:
        return frame_count(frame, S2_HSPS_OUT);
    case FORECAST_ALIGNMENTS:
        return in->windows ? 0 : in->alignments[drawn];
    case FORECAST_CELLS:
        return frame_count(frame, S3_CELLS);
    case FORECAST_TRIPS:
        return frame_count(frame, S1B_TRIPS);
    case FORECAST_BUS_BYTES:
        return bus_bytes(frame);
    default:
        return in->result->processor_s[drawn];
    }
}

/* --- tables ---------------------------------------------------------------------------------------------- */

static double table_bytes_of(const struct forecast_input *in, size_t drawn)
{
    return in->table_bytes[in->sample->numbers[drawn]];
}

/* What a byte more makes loading tables longer: by least squares over the drawn passes. */
static double load_per_byte_s(const struct forecast_input *in)
{
    const double n = (double)in->sample->count;
    double bytes = 0, load = 0, product = 0, squares = 0;
    for (size_t i = 0; i < in->sample->count; i++) {
        bytes += table_bytes_of(in, i) / n;
        load += frame_seconds(&in->result->passes[i], PCIX_TABLE_LOAD) / n;
    }
    for (size_t i = 0; i < in->sample->count; i++) {
        double more = table_bytes_of(in, i) - bytes;
        product += more * (frame_seconds(&in->result->passes[i], PCIX_TABLE_LOAD) - load);
        squares += more * more;
    }
    return squares > 0 ? product / squares : 0;
}

/* How long a pass loads, but for what its tables have more bytes than the mean of all: uncertain is only what bytes do
 * not tell (Cochran, chapter 7: the regression estimator). */
static void fill_loads(struct making *m)
{
    const struct forecast_input *in = m->in;
    const double slope_s = in->table_bytes ? load_per_byte_s(in) : 0;
    double mean = 0;
    for (size_t i = 0; in->table_bytes && i < in->sample->passes; i++)
        mean += in->table_bytes[i] / (double)in->sample->passes;
    for (size_t i = 0; i < in->sample->count; i++)
        m->loads[i] = frame_seconds(&in->result->passes[i], PCIX_TABLE_LOAD) -
                      (in->table_bytes ? slope_s * (table_bytes_of(in, i) - mean) : 0);
}

/* --- windows --------------------------------------------------------------------------------------------- */

/* What of a quantity a number of words, HSPs and so on make. @param positions  of the database */
static double value_of_reading(const struct forecast_input *in, enum forecast_quantity quantity, size_t drawn,
                               struct window_reading r, double positions)
{
    const struct hardware *h = in->hardware;
    const double tables_s =
        (in->result->wall.tables_s - in->result->wall.index_s) / (double)in->sample->count;
    switch (quantity) {
    case FORECAST_TIME:
    case FORECAST_STREAM:
        return (double)r.clock / h->fpga_clock_hz;
    case FORECAST_STAGE3:
        return ((double)r.hsps * h->stage3_cycles_per_check + (double)r.cells * h->stage3_cycles_per_cell) /
               h->host_clock_hz;
    case FORECAST_HSPS:
        return (double)r.hsps;
    case FORECAST_CELLS:
        return (double)r.cells;
    case FORECAST_TRIPS:
        return (double)r.trips;
    case FORECAST_BUS_BYTES:
        return positions * BYTES_PER_WORD / BASES_PER_WORD + (double)r.hsps * h->hsp_bytes;
    case FORECAST_WALL:
        return fmax(in->result->processor_s[drawn] - tables_s, 0) * positions *
               run_windows_scale(in->windows) / (double)in->windows->whole.positions;
    default:
        return 0;
    }
}

/* What a pass has that does not grow with the database: loading tables, the first word, the drain. Counts have none. */
static double fixed_of(const struct forecast_input *in, enum forecast_quantity quantity, size_t drawn)
{
    const struct frame *frame = &in->result->passes[drawn];
    const struct window_reading all = run_windows_growth_of_all(in->windows, drawn);
    const double positions = (double)in->windows->whole.positions / run_windows_scale(in->windows);
    switch (quantity) {
    case FORECAST_TIME:
    case FORECAST_STREAM:
    case FORECAST_WALL:
        return value_of(in, quantity, drawn) - value_of_reading(in, quantity, drawn, all, positions);
    case FORECAST_BUS_BYTES:
        return frame_count(frame, PCIX_TABLE_BYTES);
    case FORECAST_STAGE3:
        return frame_seconds(frame, S3_BUILD);
    default:
        return 0;
    }
}

static void fill_pairs(struct making *m, enum forecast_quantity quantity)
{
    const struct forecast_input *in = m->in;
    const struct pass_sample *w = in->windows->sample;
    const double positions = (double)in->windows->whole.positions / (double)w->passes;
    for (size_t i = 0; i < in->sample->count; i++) {
        const double fixed =
            (quantity == FORECAST_LOAD ? m->loads[i] : fixed_of(in, quantity, i)) / (double)w->passes;
        for (size_t j = 0; j < w->count; j++)
            m->pairs[i * w->count + j] =
                fixed +
                (quantity == FORECAST_ALIGNMENTS
                     ? in->alignments[i * w->count + j]
                     : value_of_reading(in, quantity, i, run_windows_growth(in->windows, i, j), positions));
    }
}

/* Sum a quantity up over passes and windows. */
static struct sample_estimate sum_pairs(struct making *m, enum forecast_quantity quantity)
{
    const struct pass_sample *s = m->in->sample, *w = m->in->windows->sample;
    const struct crossed_strata strata = {s->strata, w->strata, s->stratum_count, w->stratum_count};
    struct crossed_estimate sum = {0};
    fill_pairs(m, quantity);
    crossed_sample_total(&strata, m->pairs, m->values, m->columns, &sum);
    m->of_windows = sum.of_columns;
    m->is_skewed = sum.is_skewed;
    return sum.whole;
}

/* The error of drawing windows alone, as a part of a total. */
static struct sample_estimate error_of_windows(const struct making *m)
{
    return (struct sample_estimate){0, m->of_windows.error,
                                    m->in->windows ? m->of_windows.freedom : INFINITY};
}

/* Sum a quantity of passes up over the run. `values` are then those of this quantity. */
static struct sample_estimate sum_up(struct making *m, enum forecast_quantity quantity)
{
    const struct pass_sample *s = m->in->sample;
    struct sample_estimate sum = {0};
    if (m->in->windows)
        return sum_pairs(m, quantity);
    for (size_t i = 0; i < s->count; i++)
        m->values[i] = quantity == FORECAST_LOAD ? m->loads[i] : value_of(m->in, quantity, i);
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

/* What a warm-up may leave: its interval reaches as far as what half of it leaves. */
static struct sample_estimate doubt_of_warm_up(const struct making *m, double bias, double total)
{
    return (struct sample_estimate){0, m->in->windows && !isnan(bias) ? fabs(bias) * total / NORMAL_97_5 : 0,
                                    INFINITY};
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
}

/* --- the time --------------------------------------------------------------------------------------------- */

/* The drawn passes with their own rests, and, if they have streamed windows only, with what they do in the whole
 * database. */
static void fill_passes(struct making *m, const struct run_machine *machine)
{
    const size_t count = m->in->sample->count;
    for (size_t i = 0; i < count; i++)
        m->passes[i] = simulated_pass(m->in, i);
    run_end_find_rests(machine, m->passes, count);
    if (!m->in->windows)
        return;
    sum_up(m, FORECAST_TIME);
    for (size_t i = 0; i < count; i++)
        m->passes[i].stream_s += m->values[i] - board_s(m->in, i);
    sum_up(m, FORECAST_STAGE3);
    for (size_t i = 0; i < count; i++)
        m->passes[i].work_s = m->values[i];
}

/* On several boards other passes meet on the host than did in the sample, and all boards but the last one end sooner
 * by up to a pass. The end is known to the share of a pass that the others have. */
static struct sample_estimate doubt_of_boards(const struct making *m)
{
    const struct run_machine machine = machine_of(m->in->hardware);
    double pass_s = 0, boards = machine.boards;
    for (size_t i = 0; i < m->in->sample->count; i++)
        pass_s += run_pass_board_s(&machine, &m->passes[i]) / (double)m->in->sample->count;
    return (struct sample_estimate){0, (boards - 1) / boards * pass_s / sqrt(12), INFINITY};
}

/* Windows cut long alignments, so that stage 3 has less to do at the end: the error is as large as what it does. */
static struct sample_estimate doubt_of_windows(const struct making *m, struct sample_estimate end)
{
    return (struct sample_estimate){0, m->in->windows ? fmax(end.total, 0) : 0, INFINITY};
}

/* What comes after a sum over passes. */
static struct sample_estimate end_after(const struct making *m, struct sample_estimate end,
                                        struct sample_estimate joining)
{
    const struct sample_estimate of_windows =
        sample_sum(doubt_of_windows(m, end), doubt_of_windows(m, joining));
    return sample_sum(sample_sum(end, joining), sample_sum(of_windows, doubt_of_boards(m)));
}

/* An alignment that was joined is found by each pass in whose part of the query it lies, but for a first or last one
 * that finds it whole; of windows, if it is in one that was drawn. */
static struct sampled_job joined_job(const struct forecast_input *in, size_t number)
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
static int estimate_joining(const struct forecast_input *in, struct sample_estimate *out)
{
    const struct stitch_work *join = &in->result->join;
    struct sampled_job *jobs = calloc(join->count + 1, sizeof *jobs);
    assert(join->count == 0 || join->reaches);
    for (size_t i = 0; i < join->count && jobs; i++)
        jobs[i] = joined_job(in, i);
    bool made = jobs && sampled_jobs_makespan(jobs, join->count, in->hardware->host_cores, in->sample->seed,
                                              out) == 0;
    free(jobs);
    return made ? 0 : -1;
}

/* How many windows are needed if passes remain as they are. */
static void find_needed_windows(struct making *m, struct sample_estimate beside)
{
    const struct pass_sample *s = m->in->sample, *w = m->in->windows->sample;
    struct sample_estimate passes = {0};
    sample_total(s->strata, s->stratum_count, m->values, &passes);
    passes.total = 0;
    for (unsigned i = 0; i < FORECAST_WIDTHS; i++)
        m->out->needed_windows[i] =
            sample_needed(w->strata, w->stratum_count, m->columns, sample_sum(passes, beside), widths[i]);
}

static void find_needed(struct making *m, struct sample_estimate beside)
{
    const struct pass_sample *s = m->in->sample;
    if (m->in->windows)
        find_needed_windows(m, beside);
    beside = sample_sum(beside, error_of_windows(m));
    for (unsigned i = 0; i < FORECAST_WIDTHS; i++)
        m->out->needed[i] = sample_needed(s->strata, s->stratum_count, m->values, beside, widths[i]);
    m->out->needed_until = sample_needed(s->strata, s->stratum_count, m->values, beside, m->in->until);
}

static int forecast_time(struct making *m)
{
    const struct pass_sample *s = m->in->sample;
    const struct run_machine machine = machine_of(m->in->hardware);
    struct forecast_total *totals = m->out->totals, *time = &totals[FORECAST_TIME];
    struct sample_estimate joining;
    struct run_end end;
    fill_passes(m, &machine);
    if (run_end_estimate(&machine, s->strata, s->stratum_count, s->numbers, m->passes, s->seed, &end) != 0 ||
        estimate_joining(m->in, &joining) != 0)
        return -1;
    const struct sample_estimate after =
        sample_sum(end_after(m, end.after, joining),
                   doubt_of_warm_up(m, m->out->bias.time, totals[FORECAST_STREAM].estimate.total));
    const double share = end.is_of_cores ? machine.cores : machine.boards;
    const struct sample_estimate sum = sum_up(m, end.is_of_cores ? FORECAST_STAGE3 : FORECAST_TIME);
    time->estimate = sample_sum(sample_scaled(sum, 1 / share), after);
    judge(m, time, 1 / share);
    find_needed(m, sample_scaled(after, share));
    time->apart = time->is_dominated ? sample_sum(time->apart, after) : time->apart;
    totals[FORECAST_BUILD].estimate = end.build;
    totals[FORECAST_BUILD].largest.share = NAN;
    const double busy_s =
        end.build.total + totals[FORECAST_LOAD].estimate.total + totals[FORECAST_STREAM].estimate.total;
    totals[FORECAST_STAGE3].estimate = sample_sum(end_after(m, end.rest, joining), end.build);
    totals[FORECAST_STAGE3].estimate.total = fmax(time->estimate.total - busy_s, 0);
    totals[FORECAST_STAGE3].largest.share = NAN;
    return 0;
}

/* --- this computer --------------------------------------------------------------------------------------- */

static void forecast_wall(struct making *m)
{
    const struct forecast_input *in = m->in;
    const struct pass_sample *s = in->sample;
    double passes = (double)s->passes, jobs = fmin(in->jobs, passes), part = passes / (double)s->count;
    double scale = in->windows ? run_windows_scale(in->windows) : 1;
    double read_s = in->read_s * (in->windows && in->windows->index ? scale : 1);
    double once_s = read_s + scale * in->result->wall.index_s;
    double all_s = part * scale * (in->result->wall.host_s / jobs + in->retime_s);
    forecast_sum(m, FORECAST_WALL, 1 / jobs);
    struct forecast_total *wall = &m->out->totals[FORECAST_WALL];
    wall->estimate.total += once_s + all_s;
    wall->apart.total += wall->is_dominated ? once_s + all_s : 0;
}

/* --- the whole ------------------------------------------------------------------------------------------- */

int run_forecast_make(const struct forecast_input *in, struct run_forecast *out, struct why *why)
{
    const double per_board = 1.0 / in->hardware->boards;
    const size_t passes = in->sample->count, windows = in->windows ? in->windows->sample->count : 1;
    struct making m = {.in = in,
                       .out = out,
                       .values = calloc(passes, sizeof(double)),
                       .loads = calloc(passes, sizeof(double)),
                       .passes = calloc(passes, sizeof(struct run_pass)),
                       .pairs = calloc(passes * windows, sizeof(double)),
                       .columns = calloc(windows, sizeof(double))};
    bool made = m.values && m.loads && m.passes && m.pairs && m.columns;
    *out = (struct run_forecast){.sample = in->sample, .until = in->until, .windows = in->windows};
    if (in->windows)
        out->bias = run_windows_bias(in->windows);
    if (made) {
        fill_loads(&m);
        for (enum forecast_quantity q = FORECAST_LOAD; q < FORECAST_WALL; q++)
            if (q != FORECAST_STAGE3)
                forecast_sum(&m, q, q < FORECAST_STAGE3 ? per_board : 1);
        made = forecast_time(&m) == 0;
        forecast_wall(&m);
    }
    free(m.values);
    free(m.loads);
    free(m.passes);
    free(m.pairs);
    free(m.columns);
    return made ? 0 : why_no_memory(why, COMMAND_REFUSED);
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
    return quantity != FORECAST_WALL &&
           (t->is_dominated || t->is_cut || (t->is_skewed && sample_width(t->estimate) > 1e-6));
}

bool run_forecast_has(const struct run_forecast *f, enum forecast_quantity quantity)
{
    return quantity != FORECAST_BUILD || f->totals[quantity].estimate.total > 0;
}

bool run_forecast_is_unseen(const struct run_forecast *f, enum forecast_quantity quantity)
{
    return !(f->totals[quantity].estimate.total > 0);
}

/* --- names ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *title, *unit;
} quantities[FORECAST_QUANTITIES] = {
    [FORECAST_TIME] = {"simulated_time_s", "simulated time", "s"},
    [FORECAST_BUILD] = {"build_wait_s", "building tables", "s"},
    [FORECAST_LOAD] = {"table_load_s", "loading tables", "s"},
    [FORECAST_STREAM] = {"streaming_s", "streaming", "s"},
    [FORECAST_STAGE3] = {"stage_3_alone_s", "last of stage 3", "s"},
    [FORECAST_HSPS] = {"hsps", "HSPs", "HSPs"},
    [FORECAST_ALIGNMENTS] = {"alignments", "alignments", "alignments"},
    [FORECAST_CELLS] = {"cells", "cells", "cells"},
    [FORECAST_TRIPS] = {"trips", "trips", "trips"},
    [FORECAST_BUS_BYTES] = {"bus_bytes", "bytes on the bus", "bytes"},
    [FORECAST_WALL] = {"wall_time_s", "wall time here", "s"},
};

const char *forecast_quantity_title(enum forecast_quantity quantity)
{
    return quantities[quantity].title;
}

const char *forecast_quantity_unit(enum forecast_quantity quantity)
{
    return quantities[quantity].unit;
}

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

static void write_numbers(const size_t *needed, size_t all, FILE *out)
{
    for (unsigned i = 0; i < FORECAST_WIDTHS; i++) {
        char number[24] = "all";
        if (needed[i] < all)
            snprintf(number, sizeof number, "%zu", needed[i]);
        fprintf(out, "%s %g%%: %s", i > 0 ? "," : "", 100 * widths[i], number);
    }
    fputc('\n', out);
}

static void write_windows(const struct run_forecast *f, FILE *out)
{
    const struct sample_windows sizes = f->windows->sizes;
    fputs("or windows", out);
    write_numbers(f->needed_windows, f->windows->sample->passes, out);
    fprintf(out,
            "windows of %.4g kb, warm-up %.4g kb; with half of it: time %+.2g%%, HSPs %+.2g%% (%zu twice)\n",
            1e-3 * (double)sizes.window_bases, 1e-3 * (double)sizes.warm_up_bases, 100 * f->bias.time,
            100 * (isnan(f->bias.hsps) ? 0 : f->bias.hsps), f->windows->repeated);
}

void run_forecast_write_needed(const struct run_forecast *f, FILE *out)
{
    if (run_forecast_is_narrow(f))
        fputs("passes to draw for a time within", out);
    else
        fprintf(out, "half of the passes are too few for %.3g%%; draw for", 100 * f->until);
    write_numbers(f->needed, f->sample->passes, out);
    if (f->windows)
        write_windows(f, out);
}

static void write_total(const struct run_forecast *f, enum forecast_quantity q, FILE *out)
{
    const struct sample_estimate e = f->totals[q].estimate;
    struct sample_interval i = sample_interval(e);
    if (run_forecast_is_unseen(f, q)) {
        fprintf(out, "  %-16s %12s   unknown: the drawn passes have none\n", quantities[q].title, "-");
        return;
    }
    fprintf(out, "  %-16s %12.5g %12.5g %12.5g   +- %.3g%%\n", quantities[q].title, e.total, i.low, i.high,
            100 * sample_width(e));
}

static void write_doubt(const struct run_forecast *f, enum forecast_quantity q, FILE *out)
{
    const struct forecast_total *t = &f->totals[q];
    struct sample_interval i = sample_interval(t->apart);
    fprintf(out, "  %s: pass %zu has %.0f%% of the drawn ones', so do not rely on the interval",
            quantities[q].title, f->sample->numbers[t->largest.index] + 1, 100 * t->largest.share);
    fprintf(out, "; if no other pass is\n    like it: %.4g (%.4g to %.4g)\n", t->apart.total, i.low, i.high);
}

/* Say of which totals one pass carries so much that their intervals mean little, and what they are if there is no other
 * such pass. */
static void write_doubts(const struct run_forecast *f, FILE *out)
{
    for (enum forecast_quantity q = 0; q < FORECAST_WALL; q++) {
        const struct forecast_total *t = &f->totals[q];
        if (!run_forecast_is_doubtful(f, q))
            continue;
        if (t->is_dominated)
            write_doubt(f, q, out);
        if (t->is_cut || (t->is_skewed && !t->is_dominated))
            fprintf(out, "  %s: %s, so do not rely on the interval\n", quantities[q].title,
                    t->is_cut ? "windows cut alignments" : "so few passes or windows are too unequal");
    }
}

void run_forecast_write_text(const struct run_forecast *f, bool wall, FILE *out)
{
    char title[128];
    fprintf(out, "%s\n\n  %-16s %12s %12s %12s\n", run_forecast_title(f, title), "the whole run", "forecast",
            "95% from", "to");
    for (enum forecast_quantity q = 0; q < FORECAST_QUANTITIES; q++)
        if (run_forecast_has(f, q) && (wall || q != FORECAST_WALL))
            write_total(f, q, out);
    fprintf(out, "  times in s; ");
    run_forecast_write_needed(f, out);
    write_doubts(f, out);
    fprintf(out, "\nWhat follows is of the drawn passes only, as if they were a run:\n\n");
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
static json_t *largest_object(const struct run_forecast *f, const struct forecast_total *t)
{
    const struct sample_largest *l = &t->largest;
    return json_pack("{s:I, s:o, s:b, s:b, s:b, s:b, s:o}", "largest_pass",
                     (json_int_t)f->sample->numbers[l->index] + 1, "largest_share", json_number(l->share),
                     "dominated", (int)t->is_dominated, "skewed", (int)t->is_skewed, "cut", (int)t->is_cut,
                     "doubtful", (int)run_forecast_is_doubtful(f, (enum forecast_quantity)(t - f->totals)),
                     "total_if_alone", t->is_dominated ? json_number(t->apart.total) : json_null());
}

static json_t *total_object(const struct run_forecast *f, enum forecast_quantity q)
{
    json_t *object = json_pack("{s:s, s:s}", "quantity", quantities[q].name, "unit", quantities[q].unit);
    json_t *estimate = estimate_object(f->totals[q].estimate);
    json_object_update(object, estimate);
    json_decref(estimate);
    if (!isnan(f->totals[q].largest.share)) {
        json_t *largest = largest_object(f, &f->totals[q]);
        json_object_update(object, largest);
        json_decref(largest);
    }
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

static json_t *windows_object(const struct run_forecast *f)
{
    const struct run_windows *w = f->windows;
    const struct pass_sample *s = w->sample;
    const struct sample_windows sizes = w->sizes;
    return json_pack(
        "{s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:I}", "windows", (json_int_t)s->passes,
        "drawn", (json_int_t)s->count, "drawn_windows", drawn_array(s), "strata", strata_array(s, "windows"),
        "window_bases", (json_int_t)sizes.window_bases, "warm_up_bases", (json_int_t)sizes.warm_up_bases,
        "repeated", (json_int_t)w->repeated, "bias_of_time", json_number(f->bias.time), "bias_of_hsps",
        json_number(f->bias.hsps), "streamed_share", json_number(1 / run_windows_scale(w)),
        "windows_for_5_percent", (json_int_t)f->needed_windows[0], "windows_for_2_percent",
        (json_int_t)f->needed_windows[1], "windows_for_1_percent", (json_int_t)f->needed_windows[2]);
}

json_t *run_forecast_json(const struct run_forecast *f)
{
    json_t *object = draw_object(f), *totals = json_array();
    for (enum forecast_quantity q = 0; q < FORECAST_WALL; q++)
        if (run_forecast_has(f, q))
            json_array_append_new(totals, total_object(f, q));
    json_object_set_new(object, "drawn_passes", drawn_array(f->sample));
    json_object_set_new(object, "strata", strata_array(f->sample, "passes"));
    json_object_set_new(object, "forecast", totals);
    json_object_set_new(object, "passes_for_5_percent", json_integer((json_int_t)f->needed[0]));
    json_object_set_new(object, "passes_for_2_percent", json_integer((json_int_t)f->needed[1]));
    json_object_set_new(object, "passes_for_1_percent", json_integer((json_int_t)f->needed[2]));
    if (f->windows)
        json_object_set_new(object, "database", windows_object(f));
    if (f->until > 0) {
        json_object_set_new(object, "until", json_number(f->until));
        json_object_set_new(object, "reached", json_boolean(run_forecast_is_narrow(f)));
    }
    return object;
}

json_t *run_forecast_run_json(const struct run_forecast *f)
{
    json_t *object = draw_object(f);
    json_object_set_new(object, "wall_time_s", estimate_object(f->totals[FORECAST_WALL].estimate));
    return object;
}
