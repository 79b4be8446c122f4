#include "app/share/share_theory.h"

#include <math.h>
#include <stdlib.h>

#include "base/command.h"
#include "base/memory.h"
#include "base/order.h"
#include "model/model_error.h"
#include "sim/pass/board_runs.h"
#include "app/run/run_output.h"

/* --- what a board moved alone, as frames ----------------------------------------------------------------- */

/* Requests are the blocks and tables that a board waits for, in units of a whole block; tables are as many blocks as
 * they have room for. From the time when one is asked for until the next one is, all frames have their part of it,
 * whatever the bus did meanwhile: a frame may be shorter than a block. Records are spread over the same time, and
 * tables of a later pass, which load meanwhile, over the stream beside them. */
enum { FRAMES_MOST = 2000000 };

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

/* Add a transfer for which nobody waits, spread from its begin to that of the next one. */
static void add_other(const struct cutter *c, const struct transfer *t, double begin_s, double next_s)
{
    SPREAD(c, begin_s, next_s, (double)t->bytes / c->block_bytes, others);
    SPREAD(c, begin_s, next_s, t->end_s - t->begin_s, others_at_s);
    SPREAD(c, t->begin_s, t->end_s, t->end_s - t->begin_s, others_number_s);
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

/* Requests are asked for one after the other, so that they end in the same order. */
static void find_asked(struct cutter *c)
{
    const struct transfer_log *log = &c->run->log;
    c->asked_s = memory_take((log->count + 2) * sizeof *c->asked_s);
    for (size_t i = 0; i < log->count; i++)
        if (log->transfers[i].kind == TRANSFER_AWAITED)
            c->asked_s[c->asked_count++] = log->transfers[i].begin_s;
    if (c->asked_count == 0)
        c->asked_s[c->asked_count++] = 0;
    c->asked_s[c->asked_count] = c->run->end_s;
}

static int make_frames(const struct board_run *run, const char *name, double step_s, double block_bytes,
                       struct isolated_frame **frames, size_t *count, struct why *why)
{
    struct cutter c = {.run = run, .step_s = step_s, .block_bytes = block_bytes};
    double steps = ceil(run->end_s / step_s);
    if (steps > FRAMES_MOST)
        return why_refuse(
            why, "%.300s: %.9g ms in frames of %.9g us are more than %d frames; use a longer --stepsize",
            name, 1e3 * run->end_s, 1e6 * step_s, FRAMES_MOST);
    c.count = steps > 1 ? (size_t)steps : 1;
    c.frames = memory_new(c.count, sizeof *c.frames);
    find_asked(&c);
    for (size_t i = 0; i < c.count; i++)
        c.frames[i].length_s = fmin(step_s, run->end_s - (double)i * step_s);
    size_t request = 0;
    for (size_t i = 0; i < run->log.count; i++) {
        const struct transfer *t = &run->log.transfers[i];
        double blocks = (double)t->bytes / block_bytes, time_s = t->end_s - t->begin_s;
        if (t->kind == TRANSFER_AWAITED) {
            double next_s = c.asked_s[++request];
            SPREAD(&c, t->begin_s, next_s, blocks, requests);
            SPREAD(&c, t->begin_s, next_s, time_s, at_centre_s);
            SPREAD(&c, t->begin_s, t->end_s, time_s, number_s);
        } else if (t->kind == TRANSFER_RECORDS) {
            const size_t beside = /* the last request that was asked for by then; the first if none was */
                ORDER_LAST(k, c.asked_count, c.asked_s[k] <= t->begin_s);
            add_other(&c, t, c.asked_s[beside], c.asked_s[beside + 1]);
        } else
            add_other(&c, t, t->begin_s, next_ahead_s(&c, i));
    }
    free(c.asked_s);
    *frames = c.frames;
    *count = c.count;
    return 0;
}

/* --- boards alone and together --------------------------------------------------------------------------- */

/* The runs on one machine. */
struct boards {
    const struct share_runs *runs;
    const struct hardware *hardware;
    const struct board_run *alone[PARALLEL_RUNS_MAX], *together[PARALLEL_RUNS_MAX];
};

/* Every different run alone, then all boards together. @return number of sets */
static size_t plan(const struct share_runs *r, const struct hardware *machine, struct board_runs *sets)
{
    size_t count = 0;
    struct board_runs all = {.hardware = machine, .platform_file = r->platform_file, .count = r->count};
    for (unsigned i = 0; i < r->count; i++) {
        all.records[i] = r->records[r->first[i]];
        if (r->first[i] < i)
            continue;
        sets[count] = (struct board_runs){.hardware = machine, .platform_file = r->platform_file, .count = 1};
        sets[count++].records[0] = r->records[i];
    }
    sets[count++] = all;
    return count;
}

static double bytes_of(const struct board_run *run, bool only_awaited)
{
    double bytes = 0;
    for (size_t i = 0; i < run->log.count; i++)
        if (!only_awaited || run->log.transfers[i].kind == TRANSFER_AWAITED)
            bytes += (double)run->log.transfers[i].bytes;
    return bytes;
}

static void measure(const struct boards *b, const struct share_choice *choice, struct share_answer *a)
{
    static const double FRAMES_BY_DEFAULT = 200000;
    const double bus_per_s = hardware_bus_bytes_per_s(b->hardware);
    double all = 0, awaited = 0;
    *a = (struct share_answer){.block_s = b->hardware->pcix_block_bytes / bus_per_s};
    a->step_s = a->block_s / 2;
    for (unsigned i = 0; i < b->runs->count; i++) {
        double bytes = bytes_of(b->alone[i], false);
        a->alone_s[i] = b->alone[i]->end_s;
        a->bus[i] = bytes / bus_per_s / a->alone_s[i];
        a->slower[i] = b->together[i]->end_s / a->alone_s[i] - 1;
        a->step_s = fmax(a->step_s, a->alone_s[i] / FRAMES_BY_DEFAULT);
        all += bytes;
        awaited += bytes_of(b->alone[i], true);
    }
    a->step_s = choice->step_s > 0 ? choice->step_s : a->step_s;
    a->unawaited = all > 0 ? 1 - awaited / all : 0;
}

/* --- predictions ----------------------------------------------------------------------------------------- */

static int say(const char *name, int error, struct why *why)
{
    return why_say(why, COMMAND_FAILED, "%.300s: %s", name, model_error_text(error));
}

/* Runs that are the same have the same groups. */
static int fit(const struct boards *b, const struct share_choice *choice, const struct share_answer *a,
               unsigned i, struct isolated_run *runs, struct why *why)
{
    struct isolated_frame *frames = NULL;
    size_t count = 0;
    if (b->runs->first[i] < i) {
        runs[i] = runs[b->runs->first[i]];
        return 0;
    }
    int status = make_frames(b->alone[i], b->runs->names[i], a->step_s, b->hardware->pcix_block_bytes,
                             &frames, &count, why);
    if (status)
        return status;
    int error = isolated_run_fit(frames, count, choice->clusters, choice->seed, a->block_s / choice->bus_rate,
                                 choice->servers, choice->alpha, &runs[i]);
    return error ? say(b->runs->names[i], error, why) : 0;
}

static int predict(const struct boards *b, const struct share_choice *choice, struct share_answer *a,
                   struct why *why)
{
    struct isolated_run *runs = a->runs = memory_new(PARALLEL_RUNS_MAX, sizeof *runs);
    const unsigned count = b->runs->count;
    int status = 0;
    for (unsigned i = 0; i < count && status == 0; i++)
        status = fit(b, choice, a, i, runs, why);
    for (unsigned model = 0; model < PARALLEL_MODELS && status == 0; model++) {
        double end_s[PARALLEL_RUNS_MAX];
        bool is_linearized = false;
        int error = parallel_runs_predict(runs, count, a->block_s / choice->bus_rate,
                                          (enum parallel_model)model, end_s, &is_linearized);
        a->is_linearized = a->is_linearized || is_linearized;
        status = error ? say(model == PARALLEL_MVA ? SHARE_MVA : SHARE_FAIR_SHARES, error, why) : 0;
        for (unsigned i = 0; i < count && status == 0; i++) {
            a->modelled[model][i] = end_s[i] / a->alone_s[i] - 1;
            a->error[model] += fabs(a->modelled[model][i] - a->slower[i]) / count;
        }
    }
    return status;
}

void share_answer_close(const struct share_runs *r, struct share_answer *a)
{
    for (unsigned i = 0; a->runs && i < r->count; i++) {
        if (r->first[i] < i)
            continue;
        free((struct isolated_frame *)a->runs[i].frames);
        isolated_run_destroy(&a->runs[i]);
    }
    free(a->runs);
    a->runs = NULL;
}

int share_theory_answer(const struct share_runs *r, const struct hardware *machines, size_t count,
                        const struct share_choice *choice, struct share_answer *answers, struct why *why)
{
    auto_free struct board_runs *sets = memory_new(count * (r->count + 1), sizeof *sets);
    auto_free struct board_run *timed = memory_new(count * 2 * r->count, sizeof *timed);
    const struct board_run *at = timed;
    size_t set_count = 0, run_count = 0;
    for (size_t m = 0; m < count; m++)
        set_count += plan(r, &machines[m], &sets[set_count]);
    unsigned jobs = r->jobs < set_count ? r->jobs : (unsigned)set_count;
    int status = run_output_status(board_runs_time(sets, set_count, jobs, timed, why));
    for (size_t i = 0; i < set_count && status == 0; i++)
        run_count += sets[i].count;
    for (size_t m = 0; m < count && status == 0; m++) {
        struct boards boards = {.runs = r, .hardware = &machines[m]};
        for (unsigned i = 0; i < r->count; i++) /* in the order of plan() */
            boards.alone[i] = r->first[i] < i ? boards.alone[r->first[i]] : at++;
        for (unsigned i = 0; i < r->count; i++)
            boards.together[i] = at++;
        measure(&boards, choice, &answers[m]);
        status = predict(&boards, choice, &answers[m], why);
        if (count > 1)
            share_answer_close(r, &answers[m]);
    }
    for (size_t i = 0; i < run_count; i++)
        transfer_log_destroy(&timed[i].log);
    return status;
}
