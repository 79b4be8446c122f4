#include "sim/measure/frame_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/file/file_io.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"
#include "base/order.h"

void bus_frames_add(struct bus_frames *f, const struct bus_frame *frame)
{
    *ARRAY_NEXT(f->frames, f->count, f->room) = *frame;
}

void bus_frames_destroy(struct bus_frames *f)
{
    free(f->frames);
    *f = (struct bus_frames){0};
}

/* Move what is too much for a frame into the frames after it. @return what is left after the last one */
static uint64_t move_later(struct bus_frames *f)
{
    uint64_t waits = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct bus_frame *frame = &f->frames[i];
        const uint64_t there = frame->came + waits;
        frame->moved = MIN(there, frame->can);
        waits = there - frame->moved;
    }
    return waits;
}

uint64_t bus_frames_settle(struct bus_frames *f, uint64_t most)
{
    uint64_t waits = move_later(f), sum = 0;
    for (size_t i = 0; i < f->count; i++)
        sum += f->frames[i].moved;
    uint64_t over = sum > most ? sum - most : 0, under = sum < most ? MIN(most - sum, waits) : 0;
    for (size_t i = f->count; i-- > 0 && over + under > 0;) {
        struct bus_frame *frame = &f->frames[i];
        const uint64_t less = MIN(over, frame->moved), more = MIN(under, frame->can - frame->moved);
        frame->moved = frame->moved - less + more;
        over -= less;
        under -= more;
        sum = sum - less + more;
    }
    return sum;
}

/* --- what was measured ----------------------------------------------------------------------------------- */

void measured_init(struct measured *m, const struct measurement *measurement)
{
    *m = (struct measured){0};
    aggregate_init(&m->aggregate, &measurement->plan);
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
    if (measurement->aggregated)
        return aggregate_values(&measured->aggregate, measurement->directive, values);
    values[0] = fraction_value(measurement, &measured->fraction);
    return 1;
}

/* --- records --------------------------------------------------------------------------------------------- */

/* Bytes of a record, which are written or read: one list of its members serves both. */
static bool move_bytes(FILE *file, bool writes, void *data, size_t bytes)
{
    return (writes ? fwrite(data, 1, bytes, file) : fread(data, 1, bytes, file)) == bytes;
}

/* Weights are written from the first to the last that is not 0. */
static bool move_weights(FILE *file, bool writes, uint64_t *weights, uint64_t count)
{
    uint64_t range[2] = {0, count};
    while (writes && range[1] > 0 && weights[range[1] - 1] == 0)
        range[1]--;
    while (writes && range[0] < range[1] && weights[range[0]] == 0)
        range[0]++;
    return move_bytes(file, writes, range, sizeof range) && range[0] <= range[1] && range[1] <= count &&
           move_bytes(file, writes, weights + range[0], (range[1] - range[0]) * sizeof *weights);
}

static bool move_sketch(FILE *file, bool writes, struct quantile_sketch *q)
{
    uint64_t used = q->used;
    if (!move_bytes(file, writes, &q->weight, sizeof q->weight) ||
        !move_bytes(file, writes, &used, sizeof used) || used > q->buckets)
        return false;
    if (!writes && used > 0)
        quantile_reach(q, used - 1);
    return move_weights(file, writes, q->weights, used);
}

static bool move_measured(FILE *file, bool writes, struct measured *m)
{
    struct aggregate *a = &m->aggregate;
    struct histogram *h = a->histogram;
    return move_bytes(file, writes, &a->moments, sizeof a->moments) &&
           move_bytes(file, writes, &m->fraction, sizeof m->fraction) &&
           (!h || (move_bytes(file, writes, &h->under, sizeof h->under) &&
                   move_bytes(file, writes, &h->over, sizeof h->over) &&
                   move_weights(file, writes, h->weights, h->bins))) &&
           (!a->quantile || move_sketch(file, writes, a->quantile));
}

bool frame_record_write(FILE *file, const struct frame_head *head, const struct measured *m)
{
    return fwrite(head, 1, sizeof *head, file) == sizeof *head &&
           move_measured(file, true, (struct measured *)m); /* it is only read */
}

bool frame_record_change_part(FILE *file, off_t at, uint64_t part)
{
    const off_t part_at = at + (off_t)(sizeof(struct frame_head) + sizeof(struct moments));
    const off_t end = ftello(file);
    return end >= 0 && fseeko(file, part_at, SEEK_SET) == 0 && move_bytes(file, true, &part, sizeof part) &&
           fseeko(file, end, SEEK_SET) == 0;
}

bool frame_record_read_head(FILE *file, struct frame_head *head)
{
    return move_bytes(file, false, head, sizeof *head);
}

bool frame_record_read(FILE *file, struct measured *m)
{
    measured_clear(m);
    return move_measured(file, false, m);
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
    FILE *file = scratch_file_open();
    if (!file)
        return NULL;
    struct run_frames *f = memory_take(sizeof *f);
    *f = (struct run_frames){
        .plan = plan, .file = file, .parts = memory_new(plan->measurement_count, sizeof *f->parts)};
    for (size_t i = 0; i < plan->measurement_count; i++)
        measured_init(&f->parts[i], &plan->measurements[i]);
    return f;
}

void run_frames_destroy(struct run_frames *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->plan->measurement_count; i++)
        measured_destroy(&f->parts[i]);
    fclose(f->file);
    free(f->parts);
    free(f->pieces);
    free(f);
}

bool run_frames_add(struct run_frames *f, const struct frame_head *head, const struct measured *measured)
{
    off_t at = ftello(f->file);
    if (at < 0)
        return false;
    *ARRAY_NEXT(f->pieces, f->count, f->room) =
        (struct piece){head->measurement, head->frame, head->clocks, at};
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
    return ORDER_BY({(int64_t)left->measurement, (int64_t)right->measurement},
                    {(int64_t)left->frame, (int64_t)right->frame}, {left->at, right->at});
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
    return ORDER_FIRST(i, f->count, compare_pieces(&f->pieces[i], &wanted) >= 0);
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
