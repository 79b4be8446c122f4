#include "sim/host/host_brief.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "sim/host/host_times.h"

/* The work of tasks is counted in as many clocks of a core. */
enum { UNIT_CLOCKS = 1024 };

struct brief_task {
    double after_s; /* since the stream began */
    uint32_t units;
    bool is_cluster;
};

struct kept_pass {
    struct brief_pass took;
    uint64_t build_operations;
    struct brief_task *tasks; /* in the order in which they come */
    size_t count, room;
};

struct host_brief {
    const struct hardware *hardware;
    struct kept_pass *passes;
    size_t pass_count, added;
};

struct host_brief *host_brief_new(const struct hardware *hardware, size_t pass_count)
{
    struct host_brief *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    *b = (struct host_brief){hardware, calloc(pass_count, sizeof *b->passes), pass_count, 0};
    if (b->passes)
        return b;
    host_brief_destroy(b);
    return NULL;
}

void host_brief_destroy(struct host_brief *b)
{
    if (!b)
        return;
    for (size_t i = 0; b->passes && i < b->pass_count; i++)
        free(b->passes[i].tasks);
    free(b->passes);
    free(b);
}

/* --- adding a pass --------------------------------------------------------------------------------------- */

/* Work that has come since the last task was added. What is less than a unit is left for the next. */
struct piece {
    double clocks;
    size_t hsps;
};

static bool add_task(struct kept_pass *pass, double after_s, double *clocks, bool is_cluster)
{
    const double units = *clocks / UNIT_CLOCKS;
    const uint32_t whole = units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
    if (whole == 0)
        return true;
    if (!array_reserve(&pass->tasks, &pass->room, pass->count, 1, sizeof *pass->tasks))
        return false;
    pass->tasks[pass->count++] = (struct brief_task){after_s, whole, is_cluster};
    *clocks -= (double)whole * UNIT_CLOCKS;
    return true;
}

/* The stream has passed a cluster. */
static bool add_cluster(struct kept_pass *pass, double after_s, double clocks, double small_clocks,
                        struct piece *piece)
{
    if (clocks < small_clocks) {
        piece->clocks += clocks;
        return true;
    }
    bool added = add_task(pass, after_s, &clocks, true);
    piece->clocks += clocks;
    return added;
}

static double cluster_clocks(const struct hardware *h, const struct stage3_tasks *tasks, size_t cluster)
{
    return cluster < tasks->cluster_count ? (double)tasks->clusters[cluster] * h->stage3_cycles_per_cell : 0;
}

static bool add_tasks(const struct hardware *h, const struct host_pass *from, struct kept_pass *pass,
                      struct stage3_cursor *cursor)
{
    const struct stage3_tasks *t = &from->tasks;
    const size_t hsps_a_piece = t->hsp_count / BRIEF_PIECES + 1;
    const double tick_s = 1 / (h->fpga_clock_hz * (double)BOARD_TICKS_PER_CLOCK);
    double small_clocks = 0, after_s = 0;
    struct piece piece = {0};
    size_t cluster = 0;
    bool added = true;
    for (size_t i = 0; i < t->cluster_count; i++)
        small_clocks += cluster_clocks(h, t, i) / BRIEF_CLUSTERS;
    for (size_t i = 0; i < t->hsp_count && added; i++) {
        const struct stage3_hsp *hsp = stage3_cursor_hsp(cursor, i);
        after_s = (double)hsp->arrived * tick_s;
        if (hsp->closes)
            added = add_cluster(pass, after_s, cluster_clocks(h, t, cluster++), small_clocks, &piece);
        piece.clocks += h->stage3_cycles_per_check + hsp->cells * h->stage3_cycles_per_cell;
        if (++piece.hsps >= hsps_a_piece) {
            added = added && add_task(pass, after_s, &piece.clocks, false);
            piece.hsps = 0;
        }
    }
    const double end_s =
        t->end_s - from->stream_begin_s > after_s ? t->end_s - from->stream_begin_s : after_s;
    for (; cluster < t->cluster_count && added; cluster++)
        added = add_cluster(pass, end_s, cluster_clocks(h, t, cluster), small_clocks, &piece);
    return added && add_task(pass, end_s, &piece.clocks, false);
}

int host_brief_add(struct host_brief *b, const struct host_pass *pass)
{
    struct kept_pass *kept = &b->passes[b->added++];
    struct stage3_cursor cursor = stage3_cursor_new(&pass->tasks);
    kept->build_operations = pass->build_operations;
    kept->took = (struct brief_pass){pass->stream_begin_s, pass->board_s - pass->stream_begin_s};
    bool added = add_tasks(b->hardware, pass, kept, &cursor);
    int status = cursor.failed ? HOST_EFILE : added ? 0 : HOST_EMEMORY;
    stage3_cursor_destroy(&cursor);
    return status;
}

struct brief_pass host_brief_pass(const struct host_brief *b, size_t pass)
{
    return b->passes[pass].took;
}

/* --- the run again --------------------------------------------------------------------------------------- */

struct retiming {
    const struct host_brief *brief;
    const struct brief_pass *passes;
    struct hardware hardware; /* whose units are the work of tasks */
    uint32_t host;
    bool shares_alignments;
};

/* Add a task, or as many as there are cores for its equal shares. */
static bool load_task(const struct retiming *r, const struct brief_task *task, double stretch,
                      struct stage3_tasks *tasks)
{
    const uint32_t shares = r->shares_alignments && task->is_cluster ? r->hardware.host_cores : 1;
    const int64_t arrived =
        (int64_t)(task->after_s * stretch * r->hardware.fpga_clock_hz * (double)BOARD_TICKS_PER_CLOCK);
    bool added = true;
    for (uint32_t i = 0; i < shares && added; i++) {
        const struct stage3_work work = {.cells = task->units / shares + (i < task->units % shares)};
        added = stage3_tasks_add(tasks, 1, &arrived, &work, NULL);
    }
    return added;
}

static bool load(void *data, struct host_pass *pass)
{
    const struct retiming *r = data;
    const size_t number = hardware_pass_of(&r->hardware, r->host, pass->number);
    const struct kept_pass *kept = &r->brief->passes[number];
    const struct brief_pass *now = &r->passes[number];
    const double stretch = kept->took.stream_s > 0 ? now->stream_s / kept->took.stream_s : 1;
    bool added = true;
    pass->stream_begin_s = now->load_s;
    pass->board_s = now->load_s + now->stream_s;
    pass->tasks = (struct stage3_tasks){0};
    for (size_t i = 0; i < kept->count && added; i++)
        added = load_task(r, &kept->tasks[i], stretch, &pass->tasks);
    stage3_tasks_end(&pass->tasks, pass->board_s, 0);
    return added;
}

/* The operations of building of a host's passes. @return NULL if memory is exhausted */
static uint64_t *list_operations(const struct retiming *r)
{
    const size_t count = hardware_passes_of(&r->hardware, r->host, r->brief->pass_count);
    uint64_t *operations = malloc((count + 1) * sizeof *operations);
    for (size_t i = 0; operations && i < count; i++)
        operations[i] = r->brief->passes[hardware_pass_of(&r->hardware, r->host, i)].build_operations;
    return operations;
}

int host_brief_time(const struct host_brief *b, enum machine_part part, const struct brief_pass *passes,
                    const double *begins_s, double *run_s)
{
    struct retiming r = {b, passes, *b->hardware, 0, part == PART_ALIGNMENT};
    struct hardware *h = &r.hardware;
    int status = 0;
    h->stage3_cycles_per_check = 0;
    h->stage3_cycles_per_cell = UNIT_CLOCKS;
    h->stage3_batch = 1;
    if (part == PART_CORES || part == PART_BUILD || part == PART_TABLES)
        machine_part_free(h, part);
    *run_s = 0;
    for (; r.host < h->hosts && status == 0; r.host++) {
        uint64_t *operations = list_operations(&r);
        const struct host_schedule run = {
            .hardware = h,
            .pass_count = hardware_passes_of(h, r.host, b->pass_count),
            .boards = h->boards,
            .serial = h->overlap == OVERLAP_SERIAL,
            .build_operations = operations,
            .loads_ahead = h->overlap == OVERLAP_TABLES,
            .load = load,
            .data = &r,
        };
        struct host_schedule_result result = {0};
        status = operations ? host_times_compute(&run, &result) : HOST_EMEMORY;
        free(operations);
        *run_s = fmax(*run_s, run.pass_count > 0 ? begins_s[r.host] + result.end_s : 0);
    }
    return status;
}
