#include "app/share/share_theory.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/command.h"
#include "model/model_error.h"
#include "sim/pass/board_runs.h"
#include "app/run/run_output.h"

const char *const share_theory_names[PARALLEL_MODELS] = {
    [PARALLEL_MVA] = "MVA",
    [PARALLEL_FAIR_SHARES] = "shares",
};

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

static void add_request(const struct cutter *c, const struct transfer *t, double next_s)
{
    double blocks = (double)t->bytes / c->block_bytes;
    SPREAD(c, t->begin_s, next_s, blocks, requests);
    SPREAD(c, t->begin_s, next_s, t->end_s - t->begin_s, at_centre_s);
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

static int make_frames(const struct board_run *run, const char *name, double step_s, double block_bytes,
                       struct isolated_frame **frames, size_t *count, struct why *why)
{
    struct cutter c = {.run = run, .step_s = step_s, .block_bytes = block_bytes};
    double steps = ceil(run->end_s / step_s);
    if (steps > FRAMES_MOST)
        return why_say(
            why, COMMAND_REFUSED,
            "%.300s: %.9g ms in frames of %.9g us are more than %d frames; use a longer --stepsize", name,
            1e3 * run->end_s, 1e6 * step_s, FRAMES_MOST);
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

/* --- boards alone and together --------------------------------------------------------------------------- */

/* Number of the first board with the same record. */
static unsigned first_board(const struct share_runs *r, unsigned board)
{
    unsigned first = 0;
    while (r->records[first] != r->records[board])
        first++;
    return first;
}

/* Every different record alone, then all boards together. @return number of sets */
static size_t plan(const struct share_runs *r, const struct hardware *machine, struct board_runs *sets)
{
    size_t count = 0;
    struct board_runs all = {.hardware = machine, .platform_file = r->platform_file, .count = r->count};
    for (unsigned i = 0; i < r->count; i++) {
        all.records[i] = r->records[i];
        if (first_board(r, i) < i)
            continue;
        sets[count] = (struct board_runs){.hardware = machine, .platform_file = r->platform_file, .count = 1};
        sets[count++].records[0] = r->records[i];
    }
    sets[count++] = all;
    return count;
}

/* The runs of one machine, as plan() ordered them. @return what comes after them */
static const struct board_run *take(const struct share_runs *r, const struct hardware *machine,
                                    const struct board_run *runs, struct share_case *out)
{
    unsigned alone = 0;
    *out = (struct share_case){.hardware = machine, .count = r->count};
    for (unsigned i = 0; i < r->count; i++) {
        unsigned first = first_board(r, i);
        out->names[i] = r->names[i];
        out->alone[i] = first < i ? out->alone[first] : &runs[alone++];
    }
    for (unsigned i = 0; i < r->count; i++)
        out->together[i] = &runs[alone + i];
    return runs + alone + r->count;
}

int share_boards_time(const struct share_runs *r, const struct hardware *machines, size_t count,
                      struct share_boards *out, struct why *why)
{
    struct board_runs *sets = calloc(count * (r->count + 1), sizeof *sets);
    size_t set_count = 0;
    *out = (struct share_boards){.cases = calloc(count, sizeof *out->cases),
                                 .runs = calloc(count * 2 * r->count, sizeof *out->runs)};
    int status = sets && out->cases && out->runs ? 0 : why_no_memory(why, COMMAND_FAILED);
    for (size_t m = 0; m < count && status == 0; m++)
        set_count += plan(r, &machines[m], &sets[set_count]);
    if (status == 0) {
        unsigned jobs = r->jobs < set_count ? r->jobs : (unsigned)set_count;
        status = run_output_status(board_runs_time(sets, set_count, jobs, out->runs, why));
    }
    const struct board_run *at = out->runs;
    for (size_t m = 0; m < count && status == 0; m++)
        at = take(r, &machines[m], at, &out->cases[m]);
    if (status == 0)
        out->run_count = (size_t)(at - out->runs);
    free(sets);
    return status;
}

void share_boards_destroy(struct share_boards *boards)
{
    for (size_t i = 0; i < boards->run_count; i++)
        transfer_log_destroy(&boards->runs[i].log);
    free(boards->runs);
    free(boards->cases);
    *boards = (struct share_boards){0};
}

/* --- predictions ----------------------------------------------------------------------------------------- */

/* The runs' frames and groups. */
struct isolated_runs {
    struct isolated_frame *frames[PARALLEL_RUNS_MAX];
    struct isolated_run runs[PARALLEL_RUNS_MAX];
};

double share_theory_block_s(const struct share_case *boards)
{
    return boards->hardware->pcix_block_bytes / hardware_bus_bytes_per_s(boards->hardware);
}

double share_theory_step_s(const struct share_case *boards, const struct share_choice *choice)
{
    static const double FRAMES_BY_DEFAULT = 200000;
    double step_s = share_theory_block_s(boards) / 2;
    for (unsigned i = 0; i < boards->count; i++)
        step_s = fmax(step_s, boards->alone[i]->end_s / FRAMES_BY_DEFAULT);
    return choice->step_s > 0 ? choice->step_s : step_s;
}

static double service_s(const struct share_case *boards, const struct share_choice *choice)
{
    return share_theory_block_s(boards) / choice->bus_rate;
}

static int say(const char *name, int error, struct why *why)
{
    if (error == MODEL_EMEMORY)
        return why_no_memory(why, COMMAND_FAILED);
    return why_say(why, COMMAND_FAILED, "%.300s: %s", name, model_error_text(error));
}

/* The first run that is the same: its groups serve both. */
static unsigned first_of(const struct share_case *boards, unsigned i)
{
    unsigned first = 0;
    while (boards->alone[first] != boards->alone[i])
        first++;
    return first;
}

static int fit(const struct share_case *boards, const struct share_choice *choice, unsigned i,
               struct isolated_runs *all, struct why *why)
{
    size_t count = 0;
    if (first_of(boards, i) < i) {
        all->runs[i] = all->runs[first_of(boards, i)];
        return 0;
    }
    int status = make_frames(boards->alone[i], boards->names[i], share_theory_step_s(boards, choice),
                             boards->hardware->pcix_block_bytes, &all->frames[i], &count, why);
    if (status)
        return status;
    int error = isolated_run_fit(all->frames[i], count, choice->clusters, choice->seed,
                                 service_s(boards, choice), &all->runs[i]);
    return error ? say(boards->names[i], error, why) : 0;
}

int share_theory_predict(const struct share_case *boards, const struct share_choice *choice,
                         struct share_prediction *out, struct why *why)
{
    struct isolated_runs *all = calloc(1, sizeof *all);
    int status = all ? 0 : why_no_memory(why, COMMAND_FAILED);
    *out = (struct share_prediction){.is_linearized = false};
    for (unsigned i = 0; i < boards->count && status == 0; i++) {
        status = fit(boards, choice, i, all, why);
        out->fit[i] = isolated_run_find_fit(&all->runs[i]);
        out->groups[i] = all->runs[i].group_count;
    }
    for (unsigned model = 0; model < PARALLEL_MODELS && status == 0; model++) {
        bool is_linearized = false;
        int error = parallel_runs_predict(all->runs, boards->count, service_s(boards, choice),
                                          (enum parallel_model)model, out->end_s[model], &is_linearized);
        out->is_linearized = out->is_linearized || is_linearized;
        status = error ? say(share_theory_names[model], error, why) : 0;
    }
    for (unsigned i = 0; all && i < boards->count; i++) {
        if (first_of(boards, i) < i)
            continue;
        isolated_run_destroy(&all->runs[i]);
        free(all->frames[i]);
    }
    free(all);
    return status;
}

double share_theory_simulated(const struct share_case *boards, unsigned run)
{
    return boards->together[run]->end_s / boards->alone[run]->end_s - 1;
}

double share_theory_modelled(const struct share_case *boards, const struct share_prediction *prediction,
                             enum parallel_model model, unsigned run)
{
    return prediction->end_s[model][run] / boards->alone[run]->end_s - 1;
}

double share_theory_error(const struct share_case *boards, const struct share_prediction *prediction,
                          enum parallel_model model)
{
    double sum = 0;
    for (unsigned i = 0; i < boards->count; i++)
        sum += fabs(share_theory_modelled(boards, prediction, model, i) - share_theory_simulated(boards, i));
    return sum / boards->count;
}

double share_theory_bytes(const struct board_run *run, bool only_awaited)
{
    double bytes = 0;
    for (size_t i = 0; i < run->log.count; i++)
        if (!only_awaited || run->log.transfers[i].kind == TRANSFER_AWAITED)
            bytes += (double)run->log.transfers[i].bytes;
    return bytes;
}

double share_theory_bus(const struct share_case *boards, unsigned run)
{
    const struct board_run *alone = boards->alone[run];
    return share_theory_bytes(alone, false) / hardware_bus_bytes_per_s(boards->hardware) / alone->end_s;
}
