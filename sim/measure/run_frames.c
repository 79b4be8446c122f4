#include "sim/measure/run_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file/scratch_file.h"

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
    return fflush(f->file) == 0;
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
    const bool of_boards = timer_of(f, measurement)->side == SIDE_BOARD;
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
