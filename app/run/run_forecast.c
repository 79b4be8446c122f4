#include "app/run/run_forecast.h"

#include <math.h>
#include <stdlib.h>

#include "base/command.h"
#include "model/crossed_sample.h"
#include "sim/measure/machine_frame.h"

const double run_forecast_widths[FORECAST_WIDTHS] = {0.05, 0.02, 0.01};

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

void run_forecast_count_alignments(const struct alignment_list *list, const struct pass_sample *sample,
                                   const struct query_segment *run_segments,
                                   const struct run_windows *windows, double *counts)
{
    const size_t step = windows ? run_windows_sample(windows)->count : 1;
    for (size_t i = 0; i < sample->count * step; i++)
        counts[i] = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t window = windows ? run_windows_at(windows, list->items[i].database_begin) : 0;
        if (window < step)
            count_alignment(&list->items[i], sample, run_segments, counts + window, step);
    }
}

/* --- what a pass took ------------------------------------------------------------------------------------ */

/* What a forecast is made of, while it is made. */
struct making {
    const struct forecast_input *in;
    struct run_forecast *out;
    double *values, *room; /* of each drawn pass */
    double *loads;         /* likewise: fill_loads() */
    double *pairs;         /* of each drawn pass in each drawn window; NULL if there are no windows */
    double *columns;       /* of each drawn window */
    struct sample_estimate of_windows; /* of the sum that was made last, with the error of drawing windows */
};

/* The pass that was on a pass's board before it; NULL if it was the first there. */
static const struct pass_times *find_before(const struct forecast_input *in, size_t drawn)
{
    const struct pass_times *times = in->result->pass_times;
    for (size_t i = drawn; i-- > 0;)
        if (times[i].board == times[drawn].board)
            return &times[i];
    return NULL;
}

static double load_s(const struct pass_times *t)
{
    return t->stream_begin_s - t->begin_s;
}

static double stream_s(const struct pass_times *t)
{
    return t->board_free_s - t->stream_begin_s;
}

/* Time for which a pass keeps its board from others. With tables it is that from stream to stream: of loading tables
 * and streaming the longer one, since the next pass loads while this one streams. */
static double board_s(const struct forecast_input *in, size_t drawn)
{
    const struct pass_times *t = &in->result->pass_times[drawn];
    const struct pass_times *before = find_before(in, drawn);
    switch (in->hardware->overlap) {
    case OVERLAP_SERIAL:
        return fmax(t->end_s, t->board_free_s) - t->begin_s;
    case OVERLAP_DRAIN:
        return t->board_free_s - t->begin_s;
    default:
        return before ? t->stream_begin_s - before->stream_begin_s : fmax(load_s(t), stream_s(t));
    }
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
        return frame_seconds(frame, S3_CORE_BUSY);
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
               run_windows_scale(in->windows) / (double)run_windows_whole(in->windows)->positions;
    default:
        return 0;
    }
}

/* What a pass has that does not grow with the database: loading tables, the first word, the drain. Counts have none. */
static double fixed_of(const struct forecast_input *in, enum forecast_quantity quantity, size_t drawn)
{
    const struct frame *frame = &in->result->passes[drawn];
    const struct window_reading all = run_windows_growth_of_all(in->windows, drawn);
    const double positions =
        (double)run_windows_whole(in->windows)->positions / run_windows_scale(in->windows);
    switch (quantity) {
    case FORECAST_TIME:
    case FORECAST_STREAM:
    case FORECAST_WALL:
        return value_of(in, quantity, drawn) - value_of_reading(in, quantity, drawn, all, positions);
    case FORECAST_BUS_BYTES:
        return frame_count(frame, PCIX_TABLE_BYTES);
    default:
        return 0;
    }
}

static void fill_pairs(struct making *m, enum forecast_quantity quantity)
{
    const struct forecast_input *in = m->in;
    const struct pass_sample *w = run_windows_sample(in->windows);
    const double positions = (double)run_windows_whole(in->windows)->positions / (double)w->passes;
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
    const struct pass_sample *s = m->in->sample, *w = run_windows_sample(m->in->windows);
    const struct crossed_strata strata = {s->strata, w->strata, s->stratum_count, w->stratum_count};
    struct crossed_estimate sum = {0};
    fill_pairs(m, quantity);
    crossed_sample_total(&strata, m->pairs, m->values, m->columns, &sum);
    m->of_windows = sum.of_columns;
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
    total->largest = sample_largest(m->values, s->count, m->room);
    total->is_dominated =
        sample_is_dominated(&total->largest, s->count) &&
        sample_total_apart(s->strata, s->stratum_count, m->values, total->largest.index, &total->apart) == 0;
    if (total->is_dominated)
        total->apart = sample_sum(total->apart, error_of_windows(m));
    total->apart = sample_scaled(total->apart, factor);
}

/* A quantity whose total is the sum over the passes. */
static void forecast_sum(struct making *m, enum forecast_quantity quantity, double factor)
{
    struct forecast_total *total = &m->out->totals[quantity];
    total->estimate = sample_scaled(sum_up(m, quantity), factor);
    judge(m, total, factor);
}

/* What is known but for the chance of one value: the mean of values and their deviation as the error of one more. */
static struct sample_estimate one_more(const double *values, size_t count)
{
    double mean = 0, squares = 0, n = (double)count;
    for (size_t i = 0; i < count; i++)
        mean += values[i] / n;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return (struct sample_estimate){mean, n > 1 ? sqrt(squares / (n - 1) * (1 + 1 / n)) : 0, fmax(n - 1, 1)};
}

/* The end of a run on several boards: on the average all but one have half a pass less to do than the last one. */
static struct sample_estimate boards_end(const struct making *m, double board_s)
{
    double boards = m->in->hardware->boards, pass_s = board_s / (double)m->in->sample->passes;
    double share = (boards - 1) / boards * pass_s;
    return (struct sample_estimate){share / 2, share / sqrt(12), INFINITY};
}

/* With tables the sum over passes goes up to where the last one streams. The first one of a board may stream longer
 * than its tables loaded, and then had less than its share. */
static struct sample_estimate after_tables(const struct making *m, struct sample_estimate stream)
{
    const struct forecast_input *in = m->in;
    const struct pass_times *first = &in->result->pass_times[0], *last = first + in->sample->count - 1;
    stream.total =
        stream_s(last) + fmax(last->end_s - last->board_free_s, 0) - fmax(stream_s(first) - load_s(first), 0);
    return stream;
}

static double tail_s(const struct pass_times *t)
{
    return fmax(t->end_s - t->board_free_s, 0);
}

/* Whether the last pass of the run was drawn as a stratum of its own. */
static bool has_last(const struct pass_sample *s)
{
    return s->strata[s->stratum_count - 1].passes == 1;
}

/* What stage 3 has still to do when the last board is free, while passes that are like the drawn ones end `step_s`
 * after each other: the longest of their own rests, each less the time since then. The distribution of this maximum is
 * the product of those of the rests, which is integrated. */
struct rests {
    const struct pass_times *times;
    size_t count;
    double first_s,
        step_s;    /* time since the pass before the last one has left its board, and between two others */
    double most_s; /* of the rests */
};

/* Part of the drawn passes whose rest is not longer. */
static double part_within(const struct rests *r, double s)
{
    size_t within = 0;
    for (size_t i = 0; i < r->count; i++)
        within += tail_s(&r->times[i]) <= s;
    return (double)within / (double)r->count;
}

static double chance_within(const struct rests *r, double s)
{
    double chance = 1;
    for (double since_s = r->first_s; s + since_s < r->most_s && chance > 0; since_s += r->step_s)
        chance *= part_within(r, s + since_s);
    return chance;
}

/* @param least_s  the rest of the last pass itself; 0 if it is not known */
static struct sample_estimate longest_rest(const struct rests *r, double least_s)
{
    enum { STEPS = 500 };
    const double width_s = fmax(r->most_s - r->first_s - least_s, 0) / STEPS;
    double mean = least_s, square = least_s * least_s;
    for (unsigned i = 0; i < STEPS && width_s > 0; i++) {
        double s = least_s + (i + 0.5) * width_s, beyond = 1 - chance_within(r, s);
        mean += beyond * width_s;
        square += 2 * s * beyond * width_s;
    }
    return (struct sample_estimate){mean, sqrt(fmax(square - mean * mean, 0)), fmax((double)r->count - 1, 1)};
}

/* Stage 3 after the last board is free, in a run of passes that are drained. */
static struct sample_estimate rest_of_drained(const struct making *m)
{
    const struct pass_sample *s = m->in->sample;
    const struct pass_times *times = m->in->result->pass_times, *last = &times[s->count - 1];
    const double boards = m->in->hardware->boards;
    const double scale = m->in->windows ? run_windows_scale(m->in->windows) : 1;
    const bool known = has_last(s);
    struct rests r = {.times = times, .count = s->count};
    for (size_t i = 0; i < s->count; i++) {
        r.step_s += scale * (times[i].board_free_s - times[i].begin_s) / (double)s->count / boards;
        r.most_s = fmax(r.most_s, tail_s(&times[i]));
    }
    r.first_s = known ? scale * (last->board_free_s - last->begin_s) / boards : 0;
    return longest_rest(&r, known ? tail_s(last) : 0);
}

/* Windows cut long alignments, so that stage 3 has less to do after them: the error is as large as the rest. */
static struct sample_estimate doubt_of_windows(const struct making *m, struct sample_estimate tail)
{
    return (struct sample_estimate){0, m->in->windows ? tail.total : 0, INFINITY};
}

/* What comes after the sum over passes: stage 3 after the last board is free; with tables also streaming, which is as
 * in the passes that were drawn of the last stratum. */
static struct sample_estimate end_of_run(struct making *m)
{
    const struct pass_sample *s = m->in->sample;
    const size_t count = s->strata[s->stratum_count - 1 - has_last(s)].drawn;
    const struct pass_times *times = m->in->result->pass_times + (s->count - has_last(s) - count);
    if (m->in->hardware->overlap == OVERLAP_SERIAL)
        return (struct sample_estimate){0, 0, INFINITY};
    if (m->in->hardware->overlap == OVERLAP_DRAIN) {
        struct sample_estimate rest = rest_of_drained(m);
        return sample_sum(rest, doubt_of_windows(m, rest));
    }
    for (size_t i = 0; i < count; i++)
        m->room[i] = stream_s(&times[i]);
    return after_tables(m, one_more(m->room, count));
}

/* Whether two passes of the run are neighbours on one strand, so that alignments can go on from one to the other. */
static bool is_border(const struct forecast_input *in, size_t pass)
{
    return pass > 0 && in->run_segments[pass].strand == in->run_segments[pass - 1].strand;
}

/* Number of borders of the run over those that the drawn passes have. */
static double borders_per_drawn(const struct forecast_input *in)
{
    const struct pass_sample *s = in->sample;
    double all = 0, drawn = 0;
    size_t next = 0; /* of the drawn passes */
    for (size_t pass = 0; pass < s->passes; pass++) {
        bool before = next > 0 && s->numbers[next - 1] + 1 == pass;
        bool here = next < s->count && s->numbers[next] == pass;
        all += is_border(in, pass);
        drawn += is_border(in, pass) && (before || here);
        next += here;
    }
    return drawn > 0 ? all / drawn : 0;
}

/* Joining alignments: on all cores, but no sooner than the longest of the drawn ones. How many there are is chance. */
static struct sample_estimate joining(const struct forecast_input *in)
{
    const struct stitch_work *join = &in->result->join;
    const struct hardware *h = in->hardware;
    const double cell_s = h->stage3_cycles_per_cell / h->host_clock_hz, factor = borders_per_drawn(in);
    double cells = 0, squares = 0, most = 0;
    for (size_t i = 0; i < join->count; i++) {
        double job = (double)join->cells[i];
        cells += job;
        squares += job * job;
        most = fmax(most, job);
    }
    double per_core = cell_s * factor / h->host_cores * (in->windows ? run_windows_scale(in->windows) : 1);
    double error = per_core * sqrt(squares * fmax(1 - 1 / fmax(factor, 1), 0));
    return (struct sample_estimate){fmax(per_core * cells, cell_s * most), error, INFINITY};
}

/* What may take the longest: the boards, or the cores of the host. */
struct path {
    enum forecast_quantity
        values; /* of each pass, whose sum over the run is shared by `share` boards or cores */
    double share;
    struct sample_estimate after; /* what comes after this sum */
    struct sample_estimate whole;
};

static struct path path_of(struct making *m, enum forecast_quantity values, double share,
                           struct sample_estimate after)
{
    struct path path = {values, share, sample_sum(after, joining(m->in)), {0}};
    path.whole = sample_sum(sample_scaled(sum_up(m, values), 1 / share), path.after);
    return path;
}

static struct path boards_path(struct making *m)
{
    const double boards = m->in->hardware->boards;
    double sum_s = sum_up(m, FORECAST_TIME).total;
    return path_of(m, FORECAST_TIME, boards, sample_sum(end_of_run(m), boards_end(m, sum_s)));
}

/* The cores begin with the first pass's HSPs. */
static struct path cores_path(struct making *m)
{
    double pass_s = sum_up(m, FORECAST_TIME).total / (double)m->in->sample->passes;
    return path_of(m, FORECAST_STAGE3, m->in->hardware->host_cores,
                   (struct sample_estimate){pass_s, 0, INFINITY});
}

/* How many windows are needed if passes remain as they are. */
static void find_needed_windows(struct making *m, struct sample_estimate beside)
{
    const struct pass_sample *s = m->in->sample, *w = run_windows_sample(m->in->windows);
    struct sample_estimate passes = {0};
    sample_total(s->strata, s->stratum_count, m->values, &passes);
    passes.total = 0;
    for (unsigned i = 0; i < FORECAST_WIDTHS; i++)
        m->out->needed_windows[i] = sample_needed(w->strata, w->stratum_count, m->columns,
                                                  sample_sum(passes, beside), run_forecast_widths[i]);
}

static void find_needed(struct making *m, struct sample_estimate beside)
{
    const struct pass_sample *s = m->in->sample;
    if (m->in->windows)
        find_needed_windows(m, beside);
    beside = sample_sum(beside, error_of_windows(m));
    for (unsigned i = 0; i < FORECAST_WIDTHS; i++)
        m->out->needed[i] =
            sample_needed(s->strata, s->stratum_count, m->values, beside, run_forecast_widths[i]);
    m->out->needed_until = sample_needed(s->strata, s->stratum_count, m->values, beside, m->in->until);
}

static void forecast_time(struct making *m)
{
    struct forecast_total *totals = m->out->totals, *time = &totals[FORECAST_TIME];
    struct path boards = boards_path(m), longest = boards;
    time->estimate = boards.whole;
    if (m->in->hardware->overlap != OVERLAP_SERIAL) {
        struct path cores = cores_path(m);
        time->estimate = sample_greater(boards.whole, cores.whole);
        longest = cores.whole.total > boards.whole.total ? cores : boards;
    }
    sum_up(m, longest.values);
    judge(m, time, 1 / longest.share);
    find_needed(m, sample_scaled(longest.after, longest.share));
    time->apart = time->is_dominated ? sample_sum(time->apart, longest.after) : time->apart;
    double busy_s = totals[FORECAST_LOAD].estimate.total + totals[FORECAST_STREAM].estimate.total;
    totals[FORECAST_STAGE3].estimate = longest.after;
    totals[FORECAST_STAGE3].estimate.total = fmax(time->estimate.total - busy_s, 0);
    totals[FORECAST_STAGE3].largest.share = NAN;
}

/* --- this computer --------------------------------------------------------------------------------------- */

static void forecast_wall(struct making *m)
{
    const struct forecast_input *in = m->in;
    const struct pass_sample *s = in->sample;
    double passes = (double)s->passes, jobs = fmin(in->jobs, passes), part = passes / (double)s->count;
    double scale = in->windows ? run_windows_scale(in->windows) : 1;
    double read_s = in->read_s * (in->windows && run_windows_are_indexed(in->windows) ? scale : 1);
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
    const size_t passes = in->sample->count,
                 windows = in->windows ? run_windows_sample(in->windows)->count : 1;
    struct making m = {.in = in,
                       .out = out,
                       .values = calloc(passes, sizeof(double)),
                       .room = calloc(passes, sizeof(double)),
                       .loads = calloc(passes, sizeof(double)),
                       .pairs = calloc(passes * windows, sizeof(double)),
                       .columns = calloc(windows, sizeof(double))};
    bool made = m.values && m.room && m.loads && m.pairs && m.columns;
    *out = (struct run_forecast){.sample = in->sample, .until = in->until, .windows = in->windows};
    if (in->windows)
        out->bias = run_windows_bias(in->windows);
    if (made) {
        fill_loads(&m);
        for (enum forecast_quantity q = FORECAST_LOAD; q < FORECAST_WALL; q++)
            if (q != FORECAST_STAGE3)
                forecast_sum(&m, q, q < FORECAST_STAGE3 ? per_board : 1);
        forecast_time(&m);
        forecast_wall(&m);
    }
    free(m.values);
    free(m.room);
    free(m.loads);
    free(m.pairs);
    free(m.columns);
    return made ? 0 : why_no_memory(why, COMMAND_REFUSED);
}

bool run_forecast_is_narrow(const struct run_forecast *f)
{
    return f->until == 0 || sample_width(f->totals[FORECAST_TIME].estimate) <= f->until;
}

bool run_forecast_is_unseen(const struct run_forecast *f, enum forecast_quantity quantity)
{
    return !(f->totals[quantity].estimate.total > 0);
}
