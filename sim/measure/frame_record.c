#include "sim/measure/frame_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file/file_io.h"
#include "base/file/scratch_file.h"

/* --- what was measured ----------------------------------------------------------------------------------- */

bool measured_init(struct measured *m, const struct measurement *measurement)
{
    *m = (struct measured){0};
    return aggregate_init(&m->aggregate, &measurement->plan);
}

void measured_destroy(struct measured *m)
{
    aggregate_destroy(&m->aggregate);
}

void measured_clear(struct measured *m)
{
    aggregate_clear(&m->aggregate);
    m->fraction = (struct fraction){0};
}

void measured_add(struct measured *sum, const struct measured *part)
{
    aggregate_merge(&sum->aggregate, &part->aggregate);
    sum->fraction.part += part->fraction.part;
    sum->fraction.whole += part->fraction.whole;
}

uint64_t measured_weight(const struct measurement *measurement, const struct measured *m)
{
    return measurement->aggregated ? m->aggregate.moments.weight : m->fraction.whole;
}

static double fraction_value(const struct measurement *measurement, const struct fraction *f)
{
    return f->whole ? measurement->factor * (double)f->part / (double)f->whole : NAN;
}

unsigned measured_values(const struct measurement *measurement, const struct measured *measured,
                         double *values)
{
    const struct directive *d = measurement->directive;
    const struct aggregate *a = &measured->aggregate;
    const bool any = a->moments.weight > 0;
    unsigned count = 0;
    if (!measurement->aggregated) {
        values[0] = fraction_value(measurement, &measured->fraction);
        return 1;
    }
    values[count++] = moments_mean(&a->moments);
    if (d->aggregates & AGGREGATE_MIN)
        values[count++] = any ? (double)a->moments.least : NAN;
    if (d->aggregates & AGGREGATE_MAX)
        values[count++] = any ? (double)a->moments.most : NAN;
    if (d->aggregates & AGGREGATE_DEVIATION)
        values[count++] = moments_deviation(&a->moments);
    if (d->aggregates & AGGREGATE_QUANTILE)
        for (unsigned i = 0; i < d->quantile_count; i++)
            values[count++] = aggregate_quantile(a, d->quantiles[i]);
    return count;
}

void measured_value_name(const struct measurement *measurement, unsigned index, char *name, size_t size)
{
    const struct directive *d = measurement->directive;
    if (index == 0) {
        snprintf(name, size, "mean");
        return;
    }
    index--;
    for (unsigned i = 1; 1U << i <= AGGREGATE_DEVIATION; i++) /* least, greatest, deviation */
        if (d->aggregates >> i & 1 && index-- == 0) {
            snprintf(name, size, "%s", catalogue_aggregates[i]);
            return;
        }
    snprintf(name, size, "quantile(%.9g)", d->quantiles[index]);
}

/* --- records --------------------------------------------------------------------------------------------- */

static bool write_bytes(FILE *file, const void *data, size_t bytes)
{
    return fwrite(data, 1, bytes, file) == bytes;
}

static bool read_bytes(FILE *file, void *data, size_t bytes)
{
    return fread(data, 1, bytes, file) == bytes;
}

/* Weights are written from the first to the last that is not 0. */
static bool write_weights(FILE *file, const uint64_t *weights, uint64_t count)
{
    uint64_t range[2] = {0, count};
    while (range[1] > 0 && weights[range[1] - 1] == 0)
        range[1]--;
    while (range[0] < range[1] && weights[range[0]] == 0)
        range[0]++;
    return write_bytes(file, range, sizeof range) &&
           write_bytes(file, weights + range[0], (range[1] - range[0]) * sizeof *weights);
}

static bool read_weights(FILE *file, uint64_t *weights, uint64_t count)
{
    uint64_t range[2];
    return read_bytes(file, range, sizeof range) && range[0] <= range[1] && range[1] <= count &&
           read_bytes(file, weights + range[0], (range[1] - range[0]) * sizeof *weights);
}

static bool read_buckets(FILE *file, struct quantile_sketch *q)
{
    uint64_t used;
    if (!read_bytes(file, &q->weight, sizeof q->weight) || !read_bytes(file, &used, sizeof used) ||
        used > q->buckets)
        return false;
    if (used > 0)
        quantile_reach(q, used - 1);
    return read_weights(file, q->weights, used);
}

bool frame_record_write(FILE *file, const struct frame_head *head, const struct measured *m)
{
    const struct histogram *h = m->aggregate.histogram;
    const struct quantile_sketch *q = m->aggregate.quantile;
    bool written = write_bytes(file, head, sizeof *head) &&
                   write_bytes(file, &m->aggregate.moments, sizeof m->aggregate.moments) &&
                   write_bytes(file, &m->fraction, sizeof m->fraction);
    if (h)
        written = written && write_bytes(file, &h->under, sizeof h->under) &&
                  write_bytes(file, &h->over, sizeof h->over) && write_weights(file, h->weights, h->bins);
    if (q)
        written = written && write_bytes(file, &q->weight, sizeof q->weight) &&
                  write_bytes(file, &(uint64_t){q->used}, sizeof(uint64_t)) &&
                  write_weights(file, q->weights, q->used);
    return written;
}

bool frame_record_change_part(FILE *file, off_t at, uint64_t part)
{
    const off_t part_at = at + (off_t)(sizeof(struct frame_head) + sizeof(struct moments));
    const off_t end = ftello(file);
    return end >= 0 && fseeko(file, part_at, SEEK_SET) == 0 && write_bytes(file, &part, sizeof part) &&
           fseeko(file, end, SEEK_SET) == 0;
}

bool frame_record_read_head(FILE *file, struct frame_head *head)
{
    return read_bytes(file, head, sizeof *head);
}

bool frame_record_read(FILE *file, struct measured *m)
{
    struct histogram *h = m->aggregate.histogram;
    struct quantile_sketch *q = m->aggregate.quantile;
    measured_clear(m);
    bool whole = read_bytes(file, &m->aggregate.moments, sizeof m->aggregate.moments) &&
                 read_bytes(file, &m->fraction, sizeof m->fraction);
    if (h)
        whole = whole && read_bytes(file, &h->under, sizeof h->under) &&
                read_bytes(file, &h->over, sizeof h->over) && read_weights(file, h->weights, h->bins);
    if (q)
        whole = whole && read_buckets(file, q);
    return whole;
}

/* --- frames of the run ----------------------------------------------------------------------------------- */

struct piece {
    uint64_t measurement, frame, clocks;
    off_t at; /* where its frame record is in the file */
};

struct run_frames {
    const struct measure_plan *plan;
    FILE *file;
    struct piece *pieces;
    size_t count, room;
    bool sorted;
    struct measured *parts; /* for each measurement: the piece that is being read */
};

struct run_frames *run_frames_new(const struct measure_plan *plan)
{
    struct run_frames *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    *f = (struct run_frames){.plan = plan,
                             .file = scratch_file_open(),
                             .parts = calloc(plan->measurement_count + 1, sizeof *f->parts)};
    bool made = f->file && f->parts;
    for (size_t i = 0; made && i < plan->measurement_count; i++)
        made = measured_init(&f->parts[i], &plan->measurements[i]);
    if (made)
        return f;
    run_frames_destroy(f);
    return NULL;
}

void run_frames_destroy(struct run_frames *f)
{
    if (!f)
        return;
    for (size_t i = 0; f->parts && i < f->plan->measurement_count; i++)
        measured_destroy(&f->parts[i]);
    if (f->file)
        fclose(f->file);
    free(f->parts);
    free(f->pieces);
    free(f);
}

bool run_frames_add(struct run_frames *f, const struct frame_head *head, const struct measured *measured)
{
    off_t at = ftello(f->file);
    if (at < 0 || !array_reserve(&f->pieces, &f->room, f->count, 1, sizeof *f->pieces))
        return false;
    f->pieces[f->count++] = (struct piece){head->measurement, head->frame, head->clocks, at};
    f->sorted = false;
    return frame_record_write(f->file, head, measured);
}

/* --- frames ---------------------------------------------------------------------------------------------- */

static const struct frame_timer *timer_of(const struct run_frames *f, size_t measurement)
{
    return &f->plan->timers[f->plan->measurements[measurement].timer];
}

uint64_t run_frames_count(const struct run_frames *f, size_t measurement, const struct run_times *times)
{
    if (times->end <= 0)
        return 0;
    return timer_frames_before(timer_of(f, measurement), f->plan->hardware, times->end - 1) + 1;
}

static struct frame_head head_of(const struct run_frames *f, const struct run_times *times,
                                 size_t measurement, uint64_t frame)
{
    const struct frame_timer *timer = timer_of(f, measurement);
    int64_t begin = frame > 1 ? timer_border(timer, f->plan->hardware, frame - 1) : 0;
    int64_t end = timer_border(timer, f->plan->hardware, frame);
    struct frame_head head = {
        .measurement = (uint32_t)measurement, .partial = end > times->end, .frame = frame, .begin = begin};
    head.clocks = (uint64_t)((head.partial ? times->end : end) - begin);
    return head;
}

/* Number of what a fraction's clocks are those of: the machine, its buses or its boards. */
static uint64_t sharers_of(const struct measurement *m, const struct hardware *hardware)
{
    const unsigned metric = m->directive->metric;
    if (metric == METRIC_RATE || metric == METRIC_BYTE_RATE)
        return 1;
    return m->source == SOURCE_BUS ? hardware->buses : hardware->boards;
}

/* Add the clocks of the frame in which boards had no pass: queues are empty, and nothing is counted. */
static void add_idle(const struct measurement *m, const struct hardware *hardware, uint64_t clocks,
                     uint64_t idle, struct measured *measured)
{
    if (m->source == SOURCE_OCCUPANCY && idle > 0)
        aggregate_add(&measured->aggregate, 0, idle);
    if (!m->aggregated && m->source != SOURCE_SAMPLE_SHARE)
        measured->fraction.whole = clocks * sharers_of(m, hardware);
}

/* --- putting together ------------------------------------------------------------------------------------ */

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *left = a, *right = b;
    if (left->measurement != right->measurement)
        return left->measurement < right->measurement ? -1 : 1;
    if (left->frame != right->frame)
        return left->frame < right->frame ? -1 : 1;
    return (left->at > right->at) - (left->at < right->at);
}

static bool sort_pieces(struct run_frames *f)
{
    if (f->sorted)
        return true;
    if (f->count > 0)
        qsort(f->pieces, f->count, sizeof *f->pieces, compare_pieces);
    f->sorted = true;
    return file_io_flush(f->file);
}

/* Index of the first piece of a frame, or of a later one. */
static size_t find_piece(const struct run_frames *f, size_t measurement, uint64_t frame)
{
    const struct piece wanted = {.measurement = measurement, .frame = frame, .at = -1};
    size_t begin = 0, end = f->count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (compare_pieces(&f->pieces[middle], &wanted) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static bool read_piece(struct run_frames *f, const struct piece *piece, struct measured *part)
{
    struct frame_head head;
    return fseeko(f->file, piece->at, SEEK_SET) == 0 && frame_record_read_head(f->file, &head) &&
           frame_record_read(f->file, part);
}

bool run_frames_read(struct run_frames *f, const struct run_times *times, size_t measurement, uint64_t frame,
                     struct frame_head *head, struct measured *measured)
{
    const struct measurement *m = &f->plan->measurements[measurement];
    const struct hardware *hardware = f->plan->hardware;
    const bool of_boards = timer_of(f, measurement)->side != SIDE_HOST_OF_RUN;
    uint64_t measured_clocks = 0;
    if (!sort_pieces(f))
        return false;
    *head = head_of(f, times, measurement, frame);
    measured_clear(measured);
    for (size_t i = find_piece(f, measurement, frame);
         i < f->count && f->pieces[i].measurement == measurement && f->pieces[i].frame == frame; i++) {
        if (!read_piece(f, &f->pieces[i], &f->parts[measurement]))
            return false;
        measured_add(measured, &f->parts[measurement]);
        measured_clocks += f->pieces[i].clocks;
    }
    const uint64_t clocks = head->clocks * (of_boards ? hardware->boards : 1);
    if (measured_clocks > clocks)
        return false;
    if (of_boards)
        add_idle(m, hardware, head->clocks, clocks - measured_clocks, measured);
    return true;
}
