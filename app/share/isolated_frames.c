#include "app/share/isolated_frames.h"

#include <math.h>
#include <stdlib.h>

#include "base/command.h"

struct cutter {
    const struct board_run *run;
    double step_s, block_bytes;
    struct isolated_frame *frames;
    size_t count;
    double *asked_s; /* when each request was asked for, and the end of the run */
    size_t asked_count;
};

/* The frame of a time, which lies in the run. */
static size_t frame_at(const struct cutter *c, double time_s)
{
    size_t frame = (size_t)(time_s / c->step_s);
    return frame < c->count ? frame : c->count - 1;
}

/* Add the parts of a whole that frames have of a time, to the field that `offset` names. */
static void spread(const struct cutter *c, double begin_s, double end_s, double whole, size_t offset)
{
    if (!(end_s > begin_s))
        return;
    for (size_t i = frame_at(c, begin_s); i <= frame_at(c, end_s); i++) {
        double from_s = fmax(begin_s, (double)i * c->step_s);
        double to_s = i + 1 < c->count ? fmin(end_s, (double)(i + 1) * c->step_s) : end_s;
        if (to_s > from_s)
            *(double *)((char *)&c->frames[i] + offset) += whole * (to_s - from_s) / (end_s - begin_s);
    }
}

#define SPREAD(cutter, begin_s, end_s, whole, member)                                                        \
    spread(cutter, begin_s, end_s, whole, offsetof(struct isolated_frame, member))

static void add_request(const struct cutter *c, const struct transfer *t, double next_s)
{
    double blocks = (double)t->bytes / c->block_bytes, whole = floor(blocks), rest = blocks - whole;
    SPREAD(c, t->begin_s, next_s, blocks, requests);
    SPREAD(c, t->begin_s, next_s, t->end_s - t->begin_s, at_centre_s);
    SPREAD(c, t->begin_s, next_s, whole + (rest > 0), services);
    SPREAD(c, t->begin_s, next_s, whole + rest * rest, square_sums);
    SPREAD(c, t->begin_s, t->end_s, t->end_s - t->begin_s, number_s);
}

/* The number of the last request that was asked for at a time or before; 0 if there is none. */
static size_t request_at(const struct cutter *c, double time_s)
{
    size_t low = 0, high = c->asked_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (c->asked_s[middle] <= time_s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* When the tables of another pass begin to load, or the end of the run. */
static double next_ahead_s(const struct cutter *c, size_t transfer)
{
    const struct transfer_log *log = &c->run->log;
    for (size_t i = transfer + 1; i < log->count; i++)
        if (log->transfers[i].kind == TRANSFER_AHEAD)
            return log->transfers[i].begin_s;
    return c->run->end_s;
}

static void add_transfer(const struct cutter *c, size_t number, size_t *request)
{
    const struct transfer *t = &c->run->log.transfers[number];
    double blocks = (double)t->bytes / c->block_bytes;
    size_t beside = t->kind == TRANSFER_RECORDS ? request_at(c, t->begin_s) : 0;
    if (t->kind == TRANSFER_AWAITED)
        add_request(c, t, c->asked_s[++*request]);
    else if (t->kind == TRANSFER_RECORDS)
        SPREAD(c, c->asked_s[beside], c->asked_s[beside + 1], blocks, others);
    else
        SPREAD(c, t->begin_s, next_ahead_s(c, number), blocks, others);
}

/* Requests are asked for one after the other, so that they end in the same order. */
static int find_asked(struct cutter *c)
{
    const struct transfer_log *log = &c->run->log;
    c->asked_s = malloc((log->count + 2) * sizeof *c->asked_s);
    if (!c->asked_s)
        return -1;
    for (size_t i = 0; i < log->count; i++)
        if (log->transfers[i].kind == TRANSFER_AWAITED)
            c->asked_s[c->asked_count++] = log->transfers[i].begin_s;
    if (c->asked_count == 0)
        c->asked_s[c->asked_count++] = 0;
    c->asked_s[c->asked_count] = c->run->end_s;
    return 0;
}

int isolated_frames_make(const struct board_run *run, const char *name, double step_s, double block_bytes,
                         struct isolated_frame **frames, size_t *count, struct why *why)
{
    struct cutter c = {.run = run, .step_s = step_s, .block_bytes = block_bytes};
    double steps = ceil(run->end_s / step_s);
    if (steps > ISOLATED_FRAMES_MOST)
        return why_say(
            why, COMMAND_REFUSED,
            "%.300s: %.9g ms in frames of %.9g us are more than %d frames; use a longer --stepsize", name,
            1e3 * run->end_s, 1e6 * step_s, ISOLATED_FRAMES_MOST);
    c.count = steps > 1 ? (size_t)steps : 1;
    c.frames = calloc(c.count, sizeof *c.frames);
    if (!c.frames || find_asked(&c) != 0) {
        free(c.frames);
        return why_no_memory(why, COMMAND_FAILED);
    }
    for (size_t i = 0; i < c.count; i++)
        c.frames[i].length_s = fmin(step_s, run->end_s - (double)i * step_s);
    size_t request = 0;
    for (size_t i = 0; i < run->log.count; i++)
        add_transfer(&c, i, &request);
    free(c.asked_s);
    *frames = c.frames;
    *count = c.count;
    return 0;
}

double isolated_frames_bytes(const struct board_run *run, bool only_awaited)
{
    double bytes = 0;
    for (size_t i = 0; i < run->log.count; i++)
        if (!only_awaited || run->log.transfers[i].kind == TRANSFER_AWAITED)
            bytes += (double)run->log.transfers[i].bytes;
    return bytes;
}
