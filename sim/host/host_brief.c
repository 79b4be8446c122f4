#include "sim/host/host_brief.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
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
    struct host_brief *b = memory_take(sizeof *b);
    *b = (struct host_brief){hardware, memory_new(pass_count, sizeof *b->passes), pass_count, 0};
    return b;
}

void host_brief_destroy(struct host_brief *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->pass_count; i++)
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

static void add_task(struct kept_pass *pass, double after_s, double *clocks, bool is_cluster)
{
    const double units = *clocks / UNIT_CLOCKS;
    const uint32_t whole = units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
    if (whole == 0)
        return;
    *ARRAY_NEXT(pass->tasks, pass->count, pass->room) = (struct brief_task){after_s, whole, is_cluster};
    *clocks -= (double)whole * UNIT_CLOCKS;
}

/* The stream has passed a cluster. */
static void add_cluster(struct kept_pass *pass, double after_s, double clocks, double small_clocks,
                        struct piece *piece)
{
    if (clocks >= small_clocks)
        add_task(pass, after_s, &clocks, true);
    piece->clocks += clocks;
}

static double cluster_clocks(const struct hardware *h, const struct stage3_tasks *tasks, size_t cluster)
{
    return cluster < tasks->cluster_count ? (double)tasks->clusters[cluster] * h->stage3_cycles_per_cell : 0;
}

static void add_tasks(const struct hardware *h, const struct host_pass *from, struct kept_pass *pass,
                      struct stage3_cursor *cursor)
{
    const struct stage3_tasks *t = &from->tasks;
    const size_t hsps_a_piece = t->hsp_count / BRIEF_PIECES + 1;
    const double tick_s = 1 / (h->fpga_clock_hz * (double)BOARD_TICKS_PER_CLOCK);
    double small_clocks = 0, after_s = 0;
    struct piece piece = {0};
    size_t cluster = 0;
    for (size_t i = 0; i < t->cluster_count; i++)
        small_clocks += cluster_clocks(h, t, i) / BRIEF_CLUSTERS;
    for (size_t i = 0; i < t->hsp_count; i++) {
        const struct stage3_hsp *hsp = stage3_cursor_hsp(cursor, i);
        after_s = (double)hsp->arrived * tick_s;
        if (hsp->closes)
            add_cluster(pass, after_s, cluster_clocks(h, t, cluster++), small_clocks, &piece);
        piece.clocks += h->stage3_cycles_per_check + hsp->cells * h->stage3_cycles_per_cell;
        if (++piece.hsps >= hsps_a_piece) {
            add_task(pass, after_s, &piece.clocks, false);
            piece.hsps = 0;
        }
    }
    const double end_s =
        t->end_s - from->stream_begin_s > after_s ? t->end_s - from->stream_begin_s : after_s;
    for (; cluster < t->cluster_count; cluster++)
        add_cluster(pass, end_s, cluster_clocks(h, t, cluster), small_clocks, &piece);
    add_task(pass, end_s, &piece.clocks, false);
}

int host_brief_add(struct host_brief *b, const struct host_pass *pass)
{
    struct kept_pass *kept = &b->passes[b->added++];
    auto_by(stage3_cursor_destroy) struct stage3_cursor cursor = stage3_cursor_new(&pass->tasks);
    kept->build_operations = pass->build_operations;
    kept->took = (struct brief_pass){pass->stream_begin_s, pass->board_s - pass->stream_begin_s};
    add_tasks(b->hardware, pass, kept, &cursor);
    return cursor.failed ? HOST_EFILE : 0;
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
static void load_task(const struct retiming *r, const struct brief_task *task, double stretch,
                      struct stage3_tasks *tasks)
{
    const uint32_t shares = r->shares_alignments && task->is_cluster ? r->hardware.host_cores : 1;
    const int64_t arrived =
        (int64_t)(task->after_s * stretch * r->hardware.fpga_clock_hz * (double)BOARD_TICKS_PER_CLOCK);
    for (uint32_t i = 0; i < shares; i++) {
        const struct stage3_work work = {.cells = task->units / shares + (i < task->units % shares)};
        stage3_tasks_add(tasks, 1, &arrived, &work, NULL); /* which go to no file */
    }
}

static bool load(void *data, struct host_pass *pass)
{
    const struct retiming *r = data;
    const size_t number = hardware_pass_of(&r->hardware, r->host, pass->number);
    const struct kept_pass *kept = &r->brief->passes[number];
    const struct brief_pass *now = &r->passes[number];
    const double stretch = kept->took.stream_s > 0 ? now->stream_s / kept->took.stream_s : 1;
    pass->stream_begin_s = now->load_s;
    pass->board_s = now->load_s + now->stream_s;
    pass->tasks = (struct stage3_tasks){0};
    for (size_t i = 0; i < kept->count; i++)
        load_task(r, &kept->tasks[i], stretch, &pass->tasks);
    stage3_tasks_end(&pass->tasks, pass->board_s, 0);
    return true;
}

/* The operations of building of a host's passes. */
static uint64_t *list_operations(const struct retiming *r)
{
    const size_t count = hardware_passes_of(&r->hardware, r->host, r->brief->pass_count);
    uint64_t *operations = memory_take(count * sizeof *operations);
    for (size_t i = 0; i < count; i++)
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
        auto_free uint64_t *operations = list_operations(&r);
        const struct host_schedule run = {
            .hardware = h,
            .pass_count = hardware_passes_of(h, r.host, b->pass_count),
            .build_operations = operations,
            .only_times = true,
            .load = load,
            .data = &r,
        };
        struct host_schedule_result result = {0};
        status = host_times_compute(&run, &result);
        *run_s = fmax(*run_s, run.pass_count > 0 ? begins_s[r.host] + result.end_s : 0);
    }
    return status;
}
