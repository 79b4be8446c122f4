/* test_host_schedule.c - the host of a run: which core does which task of stage 3 when. Both engines against an oracle
 * that lists every task in the order in which it became ready, and against each other, on random runs; what batches
 * must keep; and what an agent takes.
 * MERCURY_SOURCE_DIR names the folder that data/ is in; the current one where it is not set.
 */
#include "sim/host/host_schedule.h"
#include "sim/host/host_times.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/why.h"
#include "sim/board/board.h"
#include "sim/host/task_log.h"
#include "sim/simgrid/host_actors.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"
#include "tests/sim/platform/prepared_platform.h"
#include "tests/sim/board/random_tokens.h"

enum { PASSES_MAX = 5, HSPS_MAX = 150, CLUSTERS_MAX = HSPS_MAX + 1 };

#define PICOSECOND 1e-12

static struct why why;
static struct hardware hardware;

static void set_up(void)
{
    hardware = hardware_default();
}

static void set(const char *name, double value)
{
    char assignment[80];
    snprintf(assignment, sizeof assignment, "%s=%.15g", name, value);
    ck_assert_msg(hardware_set_assignment(&hardware, assignment, &why) == 0, "%s", why.line);
}

/* --- runs made up here ----------------------------------------------------------------------------------- */

/* What a pass hands to the host. */
struct made_pass {
    struct stage3_hsp hsps[HSPS_MAX];
    uint64_t clusters[CLUSTERS_MAX];
    size_t hsp_count, cluster_count;
    double stream_begin_s, end_s, board_s;
};

struct made_run {
    struct made_pass passes[PASSES_MAX];
    size_t pass_count;
    uint32_t boards;
    bool serial;
    bool builds, loads_ahead, has_begins;
    uint64_t operations[PASSES_MAX]; /* of building */
    double begins_s[PASSES_MAX];
};

/* When it was done. A value without pointers, so that a process can tell it to another. */
struct timed_run {
    int status;
    struct timed_pass {
        unsigned finished; /* how often */
        double begin_s, end_s, wait_s;
        struct task_times build;
        struct task_times hsps[HSPS_MAX], clusters[CLUSTERS_MAX];
    } passes[PASSES_MAX];
    struct host_schedule_result result;
    double agent_s;
};

static double fraction(struct dice *dice)
{
    return (double)dice_below(dice, 1u << 30) / (double)(1u << 30);
}

/* Seconds of a core. */
static double hsp_s(const struct stage3_hsp *hsp)
{
    return (hardware.stage3_cycles_per_check + hsp->cells * hardware.stage3_cycles_per_cell) /
           hardware.host_clock_hz;
}

static double cluster_s(uint64_t cells)
{
    return (double)cells * hardware.stage3_cycles_per_cell / hardware.host_clock_hz;
}

static double ticks_s(int64_t ticks)
{
    return (double)ticks / (hardware.fpga_clock_hz * (double)BOARD_TICKS_PER_CLOCK);
}

static double build_s(uint64_t operations)
{
    return (double)operations * hardware.host_build_clocks / hardware.host_clock_hz;
}

/* HSPs that come one by one or, if `bursts`, often several at a time. */
static void make_pass(struct made_pass *pass, struct dice *dice, bool bursts)
{
    const uint64_t pause = UINT64_C(1) << dice_between(dice, 20, 38); /* ticks */
    const unsigned recognised = (unsigned)dice_below(dice, 101), together = bursts ? 70 : 0;
    const uint64_t cells = dice_between(dice, 1000, 1000000);
    int64_t ticks = 0;
    *pass = (struct made_pass){.hsp_count = dice_chance(dice, 90) ? dice_between(dice, 1, HSPS_MAX) : 0,
                               .stream_begin_s = 1e-3 * fraction(dice)};
    for (size_t i = 0; i < pass->hsp_count; i++) {
        struct stage3_hsp *hsp = &pass->hsps[i];
        ticks += i > 0 && dice_chance(dice, together) ? 0 : (int64_t)dice_between(dice, 1, pause);
        *hsp = (struct stage3_hsp){.arrived = ticks, .closes = dice_chance(dice, 15)};
        if (hsp->closes)
            pass->clusters[pass->cluster_count++] = dice_chance(dice, 80) ? dice_below(dice, 30000000) : 0;
        if (!dice_chance(dice, recognised)) {
            hsp->cells = (uint32_t)dice_between(dice, 1, cells);
            hsp->waits = dice_chance(dice, 40);
        }
    }
    pass->clusters[pass->cluster_count++] = dice_chance(dice, 80) ? dice_below(dice, 30000000) : 0;
    /* The stream often ends with the last HSP, as it does in a run: rounding must not let it end before. */
    pass->end_s = pass->stream_begin_s + ticks_s(ticks) + (dice_chance(dice, 50) ? 1e-4 * fraction(dice) : 0);
    pass->board_s = pass->end_s + (dice_chance(dice, 50) ? 1e-4 * fraction(dice) : 0);
}

/* Two runs of three build tables; one of three is told when its passes begin. */
static void make_building(struct made_run *made, struct dice *dice)
{
    double free_s[3] = {0}, begin_s = 0; /* of each board */
    made->builds = dice_chance(dice, 67);
    made->loads_ahead = !made->serial && dice_chance(dice, 50);
    made->has_begins = !made->serial && dice_chance(dice, 33);
    set("host.build_clocks", 1 + fraction(dice) * (dice_chance(dice, 50) ? 10 : 1000));
    set("host.build_ahead", (double)dice_between(dice, 1 + made->loads_ahead, 4));
    for (size_t i = 0; i < made->pass_count; i++) {
        made->operations[i] = dice_between(dice, 1, 1000000);
        uint32_t board = 0;
        for (uint32_t k = 1; k < made->boards; k++)
            board = free_s[k] < free_s[board] ? k : board;
        made->begins_s[i] = begin_s = fmax(begin_s, free_s[board]) + 1e-2 * fraction(dice);
        free_s[board] = begin_s + made->passes[i].board_s;
    }
}

static void make_run(struct made_run *made, uint64_t seed, bool bursts)
{
    struct dice dice = {seed};
    set_up();
    set("host.cores", (double)dice_between(&dice, 1, 9));
    set("stage3.batch", 1);
    set("stage3.cycles_per_cell", 0.036); /* fine enough that hardly two HSPs take equally long */
    set("host.clock", 1e9 * (1 + 3 * fraction(&dice)));
    made->pass_count = dice_between(&dice, 1, PASSES_MAX);
    made->boards = (uint32_t)dice_between(&dice, 1, 3);
    made->serial = dice_chance(&dice, 50);
    for (size_t i = 0; i < made->pass_count; i++)
        make_pass(&made->passes[i], &dice, bursts);
    make_building(made, &dice);
}

/* --- the engines ----------------------------------------------------------------------------------------- */

struct callbacks {
    const struct made_run *made;
    struct timed_run *timed;
};

static void *copy_of(const void *array, size_t bytes)
{
    void *copy = malloc(bytes + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, array, bytes);
    return copy;
}

static bool load(void *data, struct host_pass *pass)
{
    const struct made_pass *made = &((struct callbacks *)data)->made->passes[pass->number];
    pass->board_s = made->board_s;
    pass->stream_begin_s = made->stream_begin_s;
    pass->tasks =
        (struct stage3_tasks){.hsps = copy_of(made->hsps, made->hsp_count * sizeof *made->hsps),
                              .clusters = copy_of(made->clusters, made->cluster_count * sizeof(uint64_t)),
                              .hsp_count = made->hsp_count,
                              .cluster_count = made->cluster_count,
                              .end_s = made->end_s};
    return true;
}

static bool finished(void *data, const struct host_pass *pass)
{
    struct timed_pass *timed = &((struct callbacks *)data)->timed->passes[pass->number];
    timed->finished++;
    timed->begin_s = pass->begin_s;
    timed->end_s = pass->end_s;
    timed->build = pass->build;
    timed->wait_s = pass->build_wait_s;
    struct task_times *hsps = task_reader_all(pass, &hardware);
    ck_assert_ptr_nonnull(hsps);
    memcpy(timed->hsps, hsps, pass->tasks.hsp_count * sizeof *timed->hsps);
    free(hsps);
    size_t next = 0;
    for (size_t i = 0; i < pass->tasks.cluster_count; i++)
        if (pass->tasks.clusters[i] > 0)
            timed->clusters[i] = pass->clusters[next++];
    ck_assert_uint_eq(next, pass->cluster_count);
    return true;
}

static struct host_schedule run_of(struct callbacks *callbacks)
{
    const struct made_run *of = callbacks->made;
    hardware.boards = hardware.buses = of->boards; /* which no board shares */
    hardware.overlap = of->serial ? OVERLAP_SERIAL : of->loads_ahead ? OVERLAP_TABLES : OVERLAP_DRAIN;
    return (struct host_schedule){.hardware = &hardware,
                                  .pass_count = callbacks->made->pass_count,
                                  .begins_s = callbacks->made->has_begins ? callbacks->made->begins_s : NULL,
                                  .build_operations =
                                      callbacks->made->builds ? callbacks->made->operations : NULL,
                                  .load = load,
                                  .finished = finished,
                                  .data = callbacks};
}

static void compute(const struct made_run *made, struct timed_run *timed)
{
    struct callbacks callbacks = {made, timed};
    const struct host_schedule run = run_of(&callbacks);
    memset(timed, 0, sizeof *timed);
    timed->status = host_times_compute(&run, &timed->result);
    ck_assert_int_eq(timed->status, 0);
}

/* In a process of its own: SimGrid has one engine a process. */
static void simulate(const struct made_run *made, double agent_share, struct timed_run *timed)
{
    struct platform *platform = prepared_platform(&hardware);
    struct timed_run *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        struct callbacks callbacks = {made, shared};
        const struct host_schedule run = run_of(&callbacks);
        shared->status = host_actors_run(&run, platform_simgrid_file(platform), agent_share, &shared->result,
                                         &shared->agent_s);
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(process, &status, 0), process);
    ck_assert_int_eq(status, 0);
    *timed = *shared;
    munmap(shared, sizeof *shared);
    platform_close(platform);
    ck_assert_int_eq(timed->status, 0);
}

/* --- the oracle: all tasks, in the order in which they become ready -------------------------------------- */

/* A task: HSPs first, then clusters. */
struct listed_task {
    double ready_s; /* INFINITY as long as that is not known */
    double rank;    /* order of tasks that the stream makes ready at the same time */
    double work_s, end_s;
    bool is_done;
};

struct listed_pass {
    const struct made_pass *made;
    struct timed_pass *timed;
    struct listed_task hsps[HSPS_MAX], clusters[CLUSTERS_MAX];
    size_t cluster_of[HSPS_MAX]; /* that an HSP waits for, or SIZE_MAX */
    bool has_begun;
};

struct list {
    struct listed_pass passes[PASSES_MAX];
    double core_free_s[HARDWARE_CORES_MAX];
    size_t board_has[3]; /* the pass of each board, or SIZE_MAX */
    size_t begun, built;
};

static void begin_listed(struct listed_pass *p, double begin_s)
{
    size_t cluster = 0;
    p->has_begun = true;
    p->timed->begin_s = begin_s;
    for (size_t i = 0; i < p->made->hsp_count; i++) {
        const struct stage3_hsp *hsp = &p->made->hsps[i];
        cluster += hsp->closes;
        p->cluster_of[i] = hsp->waits ? cluster : SIZE_MAX;
        p->hsps[i] =
            (struct listed_task){.ready_s = begin_s + p->made->stream_begin_s + ticks_s(hsp->arrived),
                                 .rank = (double)i,
                                 .work_s = hsp_s(hsp)};
    }
    for (size_t i = 0; i < p->made->cluster_count; i++)
        p->clusters[i] = (struct listed_task){.ready_s = INFINITY,
                                              .work_s = cluster_s(p->made->clusters[i]),
                                              .is_done = p->made->clusters[i] == 0};
}

/* The time at which the stream has passed a cluster. @param rank  out: before that of the HSP that shows it */
static double closed_s(const struct listed_pass *p, size_t cluster, double *rank)
{
    for (size_t i = 0; i < p->made->hsp_count; i++)
        if (p->made->hsps[i].closes && cluster-- == 0) {
            *rank = (double)i - 0.5;
            return p->hsps[i].ready_s;
        }
    *rank = HSPS_MAX;
    double end_s = p->timed->begin_s + p->made->end_s;
    return p->made->hsp_count > 0 ? fmax(end_s, p->hsps[p->made->hsp_count - 1].ready_s) : end_s;
}

/* When a cluster can begin: when all HSPs that wait for it are done and the stream has passed it. */
static void find_ready(struct listed_pass *p, size_t cluster)
{
    struct listed_task *task = &p->clusters[cluster];
    task->ready_s = closed_s(p, cluster, &task->rank);
    for (size_t i = 0; i < p->made->hsp_count; i++)
        if (p->cluster_of[i] == cluster)
            task->ready_s = p->hsps[i].is_done ? fmax(task->ready_s, p->hsps[i].end_s) : INFINITY;
}

static bool all_done(const struct listed_task *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!tasks[i].is_done)
            return false;
    return true;
}

static bool is_done(const struct listed_pass *p)
{
    return all_done(p->hsps, p->made->hsp_count) && all_done(p->clusters, p->made->cluster_count);
}

/* When board and stage 3 have finished with a pass all of whose tasks are done. */
static double done_s(const struct listed_pass *p)
{
    double end_s = p->timed->begin_s + p->made->board_s;
    for (size_t i = 0; i < p->made->hsp_count; i++)
        end_s = fmax(end_s, p->hsps[i].end_s);
    for (size_t i = 0; i < p->made->cluster_count; i++)
        end_s = fmax(end_s, p->clusters[i].end_s);
    return end_s;
}

static struct listed_task *first_of(struct listed_task *a, struct listed_task *b)
{
    return a->is_done                 ? b
           : b->is_done               ? a
           : a->ready_s != b->ready_s ? (a->ready_s < b->ready_s ? a : b)
                                      : (a->rank < b->rank ? a : b);
}

/* The task that is not done and became ready first. */
static struct listed_task *first_ready(struct list *list, size_t pass_count)
{
    static struct listed_task none = {.ready_s = INFINITY, .rank = INFINITY};
    struct listed_task *first = &none;
    for (size_t n = 0; n < pass_count; n++) {
        struct listed_pass *p = &list->passes[n];
        for (size_t i = 0; p->has_begun && i < p->made->cluster_count; i++) {
            find_ready(p, i);
            first = first_of(first, &p->clusters[i]);
        }
        for (size_t i = 0; p->has_begun && i < p->made->hsp_count; i++)
            first = first_of(first, &p->hsps[i]);
    }
    return first;
}

static unsigned first_core(const struct list *list)
{
    unsigned core = 0;
    for (unsigned i = 1; i < hardware.host_cores; i++)
        core = list->core_free_s[i] < list->core_free_s[core] ? i : core;
    return core;
}

static double do_task(struct list *list, struct listed_task *task)
{
    const unsigned core = first_core(list);
    double begin_s = fmax(task->ready_s, list->core_free_s[core]);
    task->is_done = true;
    task->end_s = list->core_free_s[core] = begin_s + task->work_s;
    return begin_s;
}

/* Time at which a board is free for the next pass; INFINITY if that is not known yet. */
static double board_free_s(const struct list *list, size_t board, bool serial)
{
    if (list->board_has[board] == SIZE_MAX)
        return 0;
    const struct listed_pass *p = &list->passes[list->board_has[board]];
    return !serial ? p->timed->begin_s + p->made->board_s : is_done(p) ? done_s(p) : INFINITY;
}

/* When the tables of the next pass can be built; INFINITY if that is not known yet. */
static double buildable_s(const struct list *list, const struct made_run *made)
{
    const size_t ahead = hardware.host_build_ahead;
    if (!made->builds || list->built == made->pass_count)
        return INFINITY;
    if (list->built < ahead)
        return 0;
    const struct listed_pass *before = &list->passes[list->built - ahead];
    return before->has_begun ? before->timed->begin_s : INFINITY;
}

static void build_tables(struct list *list, const struct made_run *made, double begin_s)
{
    const unsigned core = first_core(list);
    const double end_s = begin_s + build_s(made->operations[list->built]);
    list->passes[list->built].timed->build = (struct task_times){begin_s, end_s, core};
    list->core_free_s[core] = end_s;
    list->built++;
}

/* When the tables are built that a pass waits for, and the pass before it has begun. */
static double tables_s(const struct list *list, const struct made_run *made, size_t pass)
{
    double ready_s = pass > 0 ? list->passes[pass - 1].timed->begin_s : 0;
    for (size_t i = pass; i <= pass + made->loads_ahead && i < made->pass_count; i++)
        ready_s = i < list->built ? fmax(ready_s, list->passes[i].timed->build.end_s) : INFINITY;
    return ready_s;
}

/* Begin the next pass if it can before the next task begins. */
static bool begin_next(struct list *list, const struct made_run *made, double task_s)
{
    size_t board = 0;
    if (list->begun == made->pass_count)
        return false;
    for (size_t i = 1; i < made->boards; i++)
        if (board_free_s(list, i, made->serial) < board_free_s(list, board, made->serial))
            board = i;
    double free_s = board_free_s(list, board, made->serial);
    double begin_s = made->has_begins ? made->begins_s[list->begun]
                     : made->builds   ? fmax(free_s, tables_s(list, made, list->begun))
                                      : free_s;
    if (isinf(begin_s) || begin_s > task_s)
        return false;
    list->board_has[board] = list->begun;
    list->passes[list->begun].timed->wait_s = made->has_begins ? 0 : begin_s - free_s;
    begin_listed(&list->passes[list->begun++], begin_s);
    return true;
}

static void tell_times(const struct listed_task *tasks, size_t count, struct task_times *times)
{
    for (size_t i = 0; i < count; i++)
        if (tasks[i].work_s > 0)
            times[i].end_s = tasks[i].end_s;
}

static void tell_pass(const struct listed_pass *p, struct timed_run *timed)
{
    p->timed->end_s = fmax(done_s(p), p->timed->build.end_s);
    timed->result.build_s += p->timed->build.end_s - p->timed->build.begin_s;
    timed->result.busy_s += p->timed->build.end_s - p->timed->build.begin_s;
    tell_times(p->hsps, p->made->hsp_count, p->timed->hsps);
    tell_times(p->clusters, p->made->cluster_count, p->timed->clusters);
    timed->result.end_s = fmax(timed->result.end_s, p->timed->end_s);
    timed->result.boards_end_s = fmax(timed->result.boards_end_s, p->timed->begin_s + p->made->board_s);
    for (size_t i = 0; i < p->made->hsp_count; i++)
        timed->result.busy_s += p->hsps[i].work_s;
    for (size_t i = 0; i < p->made->cluster_count; i++)
        timed->result.busy_s += p->clusters[i].work_s;
}

/* Where a task's begin is told: the list knows only its end. */
static struct task_times *times_of(struct list *list, size_t pass_count, const struct listed_task *task)
{
    for (size_t n = 0; n < pass_count; n++) {
        struct listed_pass *p = &list->passes[n];
        if (task >= p->hsps && task < p->hsps + HSPS_MAX)
            return &p->timed->hsps[task - p->hsps];
        if (task >= p->clusters && task < p->clusters + CLUSTERS_MAX)
            return &p->timed->clusters[task - p->clusters];
    }
    return NULL;
}

static void list_run(const struct made_run *made, struct timed_run *timed)
{
    struct list *list = calloc(1, sizeof *list);
    memset(timed, 0, sizeof *timed);
    for (size_t i = 0; i < made->pass_count; i++)
        list->passes[i] = (struct listed_pass){.made = &made->passes[i], .timed = &timed->passes[i]};
    for (size_t i = 0; i < made->boards; i++)
        list->board_has[i] = SIZE_MAX;
    for (;;) {
        struct listed_task *task = first_ready(list, made->pass_count);
        const double free_s = list->core_free_s[first_core(list)];
        const double task_s = fmax(task->ready_s, free_s), begin_s = fmax(buildable_s(list, made), free_s);
        if (begin_next(list, made, fmin(task_s, begin_s)))
            continue;
        /* An idle core takes the last HSP of a pass when it comes, then the board begins the next pass. */
        const bool idle =
            fabs(buildable_s(list, made) - task->ready_s) < PICOSECOND && free_s < task->ready_s - PICOSECOND;
        if (!isinf(begin_s) && begin_s <= task_s && !idle) {
            build_tables(list, made, begin_s);
            continue;
        }
        if (isinf(task->ready_s))
            break;
        struct task_times *times = times_of(list, made->pass_count, task);
        times->begin_s = do_task(list, task);
    }
    for (size_t i = 0; i < made->pass_count; i++) {
        ck_assert(list->passes[i].has_begun && is_done(&list->passes[i]));
        tell_pass(&list->passes[i], timed);
    }
    free(list);
}

/* --- comparing ------------------------------------------------------------------------------------------- */

static void assert_time(double got_s, double expected_s, const char *what, size_t pass, size_t number)
{
    ck_assert_msg(fabs(got_s - expected_s) < PICOSECOND, "pass %zu: %s %zu: %.15g s, not %.15g s", pass, what,
                  number, got_s, expected_s);
}

static void assert_times(const struct task_times *got, const struct task_times *expected, size_t count,
                         const char *what, size_t pass)
{
    for (size_t i = 0; i < count; i++) {
        assert_time(got[i].begin_s, expected[i].begin_s, what, pass, i);
        assert_time(got[i].end_s, expected[i].end_s, what, pass, i);
    }
}

static void assert_same_run(const struct timed_run *got, const struct timed_run *expected,
                            const struct made_run *made)
{
    for (size_t n = 0; n < made->pass_count; n++) {
        const struct timed_pass *a = &got->passes[n], *b = &expected->passes[n];
        assert_time(a->begin_s, b->begin_s, "its begin", n, 0);
        assert_time(a->wait_s, b->wait_s, "its wait for tables", n, 0);
        assert_times(&a->build, &b->build, 1, "building", n);
        assert_times(a->hsps, b->hsps, made->passes[n].hsp_count, "HSP", n);
        assert_times(a->clusters, b->clusters, made->passes[n].cluster_count, "cluster", n);
        assert_time(a->end_s, b->end_s, "its end", n, 0);
    }
    assert_time(got->result.end_s, expected->result.end_s, "the run's end", 0, 0);
    assert_time(got->result.boards_end_s, expected->result.boards_end_s, "the boards' end", 0, 0);
    assert_close(got->result.busy_s, expected->result.busy_s, 1e-12);
    assert_close(got->result.build_s, expected->result.build_s, 1e-12);
}

/* --- what holds for every run ---------------------------------------------------------------------------- */

/* A task that some core did. */
struct done_task {
    double ready_s, begin_s, end_s;
    uint32_t core;
    bool is_cluster, waits; /* waits: it is an HSP whose segment waits */
    bool is_build;          /* of tables; is_cluster is true, too */
};

static int by_core_and_begin(const void *a, const void *b)
{
    const struct done_task *x = a, *y = b;
    return x->core != y->core         ? (x->core > y->core) - (x->core < y->core)
           : x->begin_s != y->begin_s ? (x->begin_s > y->begin_s) - (x->begin_s < y->begin_s)
                                      : (x->end_s > y->end_s) - (x->end_s < y->end_s);
}

static double latest_of_cluster(const struct made_pass *made, const struct timed_pass *timed, size_t wanted)
{
    size_t cluster = 0;
    double ready_s = wanted + 1 == made->cluster_count ? timed->begin_s + made->end_s : 0;
    for (size_t i = 0; i < made->hsp_count; i++) {
        if (made->hsps[i].closes && cluster++ == wanted)
            ready_s = fmax(ready_s, timed->begin_s + made->stream_begin_s + ticks_s(made->hsps[i].arrived));
        if (made->hsps[i].waits && cluster == wanted)
            ready_s = fmax(ready_s, timed->hsps[i].end_s);
    }
    return ready_s;
}

static size_t list_done(const struct made_pass *made, const struct timed_pass *timed, struct done_task *tasks)
{
    size_t count = 0;
    ck_assert_uint_eq(timed->finished, 1);
    for (size_t i = 0; i < made->hsp_count; i++) {
        const struct task_times *t = &timed->hsps[i];
        double ready_s = timed->begin_s + made->stream_begin_s + ticks_s(made->hsps[i].arrived);
        tasks[count++] =
            (struct done_task){ready_s, t->begin_s, t->end_s, t->core, false, made->hsps[i].waits};
        assert_time(t->end_s - t->begin_s, hsp_s(&made->hsps[i]), "the time of HSP", 0, i);
    }
    for (size_t i = 0; i < made->cluster_count; i++) {
        const struct task_times *t = &timed->clusters[i];
        if (made->clusters[i] > 0)
            tasks[count++] = (struct done_task){
                latest_of_cluster(made, timed, i), t->begin_s, t->end_s, t->core, true, false};
        assert_time(t->end_s - t->begin_s, cluster_s(made->clusters[i]), "the time of cluster", 0, i);
    }
    return count;
}

/* A core has nothing to do from `from_s` to `until_s`. A cluster that is ready is begun; an HSP that is ready has
 * begun, or is part of another core's batch, before which that core has not paused. */
static void assert_nothing_waits(const struct done_task *tasks, size_t count, double from_s, double until_s)
{
    for (size_t i = 0; i < count; i++) {
        const struct done_task *task = &tasks[i];
        double since_s = fmax(from_s, task->ready_s);
        if (since_s + PICOSECOND >= fmin(until_s, task->begin_s))
            continue;
        ck_assert_msg(!task->is_cluster, "a cluster is ready at %.15g s, and a core is idle", since_s);
        size_t ahead = 0, at = i;
        while (at > 0 && tasks[at].begin_s > since_s + PICOSECOND) {
            const struct done_task *before = &tasks[--at];
            ahead++;
            ck_assert_msg(before->core == task->core && before->end_s >= tasks[at + 1].begin_s - PICOSECOND &&
                              !before->is_cluster && !before->waits,
                          "an HSP is ready at %.15g s, and a core is idle", since_s);
        }
        ck_assert_uint_lt(ahead, hardware.stage3_batch);
    }
}

static void assert_cores_are_not_idle(const struct done_task *tasks, size_t count, double end_s)
{
    for (uint32_t core = 0; core < hardware.host_cores; core++) {
        double free_s = 0;
        for (size_t i = 0; i < count; i++) {
            if (tasks[i].core != core)
                continue;
            if (tasks[i].begin_s > free_s + PICOSECOND)
                assert_nothing_waits(tasks, count, free_s, tasks[i].begin_s);
            free_s = tasks[i].end_s;
        }
        assert_nothing_waits(tasks, count, free_s, end_s);
    }
}

/* No cluster begins while tables can be built and are not. */
static void assert_building_goes_first(const struct done_task *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < count && tasks[i].is_build; n++)
            ck_assert_msg(tasks[n].is_build || !tasks[n].is_cluster ||
                              tasks[n].begin_s < tasks[i].ready_s + PICOSECOND ||
                              tasks[n].begin_s > tasks[i].begin_s - PICOSECOND,
                          "a cluster begins at %.15g s, before tables that can be built", tasks[n].begin_s);
}

static int64_t clock_of(double time_s)
{
    return board_clock_at(llround(time_s * hardware.fpga_clock_hz * (double)BOARD_TICKS_PER_CLOCK));
}

/* An HSP is in the inbox from when it is in memory until a core begins it. */
static void assert_inbox(const struct done_task *tasks, size_t count,
                         const struct host_schedule_result *result)
{
    uint64_t hsps = 0, clocks = 0;
    for (size_t i = 0; i < count; i++)
        if (!tasks[i].is_cluster) {
            hsps++;
            clocks += (uint64_t)(clock_of(tasks[i].begin_s) - clock_of(tasks[i].ready_s));
        }
    ck_assert(fifo_measure_is_consistent(&result->inbox));
    ck_assert_uint_eq(result->inbox.elements, hsps);
    ck_assert_uint_eq(result->inbox.sojourn_clocks, clocks);
    ck_assert_uint_eq(result->inbox.integral, clocks);
    ck_assert_uint_eq(result->inbox.clocks, (uint64_t)clock_of(result->end_s) + 1);
}

static void assert_rules_hold(const struct made_run *made, const struct timed_run *timed)
{
    static struct done_task tasks[PASSES_MAX * (HSPS_MAX + CLUSTERS_MAX + 1)];
    size_t count = 0;
    double busy_s = 0;
    for (size_t n = 0; n < made->pass_count; n++)
        count += list_done(&made->passes[n], &timed->passes[n], tasks + count);
    for (size_t n = 0; n < made->pass_count && made->builds; n++) {
        const struct task_times *t = &timed->passes[n].build;
        const size_t ahead = hardware.host_build_ahead;
        const double ready_s = n < ahead ? 0 : timed->passes[n - ahead].begin_s;
        assert_time(t->end_s - t->begin_s, build_s(made->operations[n]), "the time of building", n, 0);
        ck_assert(made->has_begins || timed->passes[n].begin_s > t->end_s - PICOSECOND);
        tasks[count++] = (struct done_task){ready_s, t->begin_s, t->end_s, t->core, true, false, true};
    }
    qsort(tasks, count, sizeof *tasks, by_core_and_begin);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_lt(tasks[i].core, hardware.host_cores);
        ck_assert_msg(tasks[i].begin_s > tasks[i].ready_s - PICOSECOND, "a task begins before it is ready");
        if (i > 0 && tasks[i].core == tasks[i - 1].core)
            ck_assert_msg(tasks[i].begin_s > tasks[i - 1].end_s - PICOSECOND,
                          "a core does two things at a time");
        busy_s += tasks[i].end_s - tasks[i].begin_s;
    }
    assert_close(timed->result.busy_s, busy_s, 1e-9);
    assert_cores_are_not_idle(tasks, count, timed->result.end_s);
    assert_building_goes_first(tasks, count);
    assert_inbox(tasks, count, &timed->result);
}

/* --- without SimGrid ------------------------------------------------------------------------------------- */

enum { RUNS_A_TEST = 20 };

static struct made_run made;
static struct timed_run timed, expected;

START_TEST(test_times_are_those_of_the_list)
{
    for (int n = 0; n < tests_some(RUNS_A_TEST); n++) {
        make_run(&made, UINT64_C(1000000) + (uint64_t)(_i * 1000 + n), false);
        compute(&made, &timed);
        list_run(&made, &expected);
        assert_same_run(&timed, &expected, &made);
    }
}
END_TEST

/* HSPs that come at the same time are begun in their order. */
START_TEST(test_bursts_are_served_in_their_order)
{
    for (int n = 0; n < tests_some(RUNS_A_TEST); n++) {
        make_run(&made, UINT64_C(2000000) + (uint64_t)(_i * 1000 + n), true);
        compute(&made, &timed);
        list_run(&made, &expected);
        assert_same_run(&timed, &expected, &made);
    }
}
END_TEST

static const unsigned batches[] = {1, 2, 4, 16, 1000};

START_TEST(test_what_holds_for_batches_of_any_size)
{
    for (int n = 0; n < tests_some(RUNS_A_TEST); n++) {
        make_run(&made, UINT64_C(3000000) + (uint64_t)(_i * 1000 + n), n % 2);
        set("stage3.batch", batches[_i % COUNT_OF(batches)]);
        compute(&made, &timed);
        assert_rules_hold(&made, &timed);
    }
}
END_TEST

/* Two cores have an HSP each, of 1 us, when seven more come. The first core to be free takes three, the most of a
 * batch; the other half of the four that are left, but stops at the first, whose segment waits; 1 us later half of the
 * last three, rounded up. */
START_TEST(test_a_core_takes_its_share_of_what_is_there)
{
    static const uint32_t core_of[] = {0, 1, 0, 0, 0, 1, 1, 1, 0};
    set("host.cores", 2);
    set("host.clock", 2.4e9);
    set("stage3.batch", 3);
    set("stage3.cycles_per_check", 2400);
    made = (struct made_run){.pass_count = 1, .boards = 1};
    made.passes[0] = (struct made_pass){.hsp_count = 9, .cluster_count = 1, .end_s = 1e-3, .board_s = 1e-3};
    for (int i = 0; i < 9; i++)
        made.passes[0].hsps[i].arrived = i < 2 ? i : 2;
    made.passes[0].hsps[5].waits = true;
    made.passes[0].hsps[5].cells = 1;
    compute(&made, &timed);
    assert_rules_hold(&made, &timed);
    for (int i = 0; i < 9; i++)
        ck_assert_msg(timed.passes[0].hsps[i].core == core_of[i], "HSP %d is done by core %u", i,
                      timed.passes[0].hsps[i].core);
}
END_TEST

/* Two cores become free at the same time, first the one with the higher number, then the other: an HSP gets the one
 * with the lower number whichever was free first. */
START_TEST(test_of_cores_that_become_free_together_the_first_is_taken)
{
    static const uint32_t cells[] = {1, 2, 1, 3, 2, 1, 1}, core_of[] = {0, 1, 0, 0, 1, 1, 0};
    set("host.cores", 2);
    set("host.clock", 1 << 30);
    set("stage3.batch", 1);
    set("stage3.cycles_per_check", 0);
    set("stage3.cycles_per_cell", 1 << 10);
    made = (struct made_run){.pass_count = 1, .boards = 1};
    made.passes[0] =
        (struct made_pass){.hsp_count = COUNT_OF(cells), .cluster_count = 1, .end_s = 1e-3, .board_s = 1e-3};
    for (int i = 0; i < COUNT_OF(cells); i++)
        made.passes[0].hsps[i].cells = cells[i];
    compute(&made, &timed);
    assert_rules_hold(&made, &timed);
    for (int i = 0; i < COUNT_OF(cells); i++)
        ck_assert_msg(timed.passes[0].hsps[i].core == core_of[i], "HSP %d is done by core %u", i,
                      timed.passes[0].hsps[i].core);
}
END_TEST

/* A pass without HSPs takes its board's time. */
START_TEST(test_passes_without_hsps_follow_each_other)
{
    made = (struct made_run){.pass_count = 3, .boards = 1, .serial = _i};
    for (int n = 0; n < 3; n++)
        made.passes[n] = (struct made_pass){.cluster_count = 1, .end_s = 2e-3, .board_s = 2e-3};
    compute(&made, &timed);
    assert_time(timed.result.end_s, 6e-3, "the run's end", 0, 0);
    ck_assert_double_eq(timed.result.busy_s, 0);
    ck_assert_uint_eq(timed.result.inbox.elements, 0);
}
END_TEST

/* A pass of 1 ms on the board that keeps a core for 3 ms afterwards: serial passes wait for it, others do not. */
START_TEST(test_passes_overlap_unless_they_are_serial)
{
    set("host.cores", 4);
    set("host.clock", 2.4e9);
    set("stage3.cycles_per_cell", 12);
    made = (struct made_run){.pass_count = 3, .boards = 1, .serial = _i};
    for (int n = 0; n < 3; n++)
        made.passes[n] =
            (struct made_pass){.cluster_count = 1, .clusters = {600000}, .end_s = 1e-3, .board_s = 1e-3};
    compute(&made, &timed);
    assert_time(timed.result.end_s, _i ? 12e-3 : 6e-3, "the run's end", 0, 0);
    assert_time(timed.passes[1].begin_s, _i ? 4e-3 : 1e-3, "its begin", 1, 0);
    assert_time(timed.result.boards_end_s, _i ? 9e-3 : 3e-3, "the boards' end", 0, 0);
}
END_TEST

/* Passes of 4 ms on one board and one core, whose tables take 1 ms each. */
static void make_building_passes(unsigned ahead)
{
    set("host.cores", 1);
    set("host.clock", 1e9);
    set("stage3.cycles_per_check", 0);
    set("stage3.cycles_per_cell", 1000);
    set("host.build_clocks", 10);
    set("host.build_ahead", ahead);
    made = (struct made_run){.pass_count = 3, .boards = 1, .builds = true};
    for (int n = 0; n < 3; n++) {
        made.passes[n] = (struct made_pass){.cluster_count = 1, .end_s = 4e-3, .board_s = 4e-3};
        made.operations[n] = 100000;
    }
}

/* An HSP that comes after half a millisecond. @param ms  of a core */
static void add_hsp(struct made_pass *pass, uint32_t ms)
{
    pass->hsp_count = 1;
    pass->hsps[0] = (struct stage3_hsp){.cells = ms * 1000};
    pass->stream_begin_s = 0.5e-3;
}

static void assert_building(int pass, double build_ms, double begin_ms, double wait_ms)
{
    const struct timed_pass *p = &timed.passes[pass];
    assert_time(p->build.begin_s, 1e-3 * build_ms, "building begins", (size_t)pass, 0);
    assert_time(p->build.end_s, 1e-3 * (build_ms + 1), "building ends", (size_t)pass, 0);
    assert_time(p->begin_s, 1e-3 * begin_ms, "its begin", (size_t)pass, 0);
    assert_time(p->wait_s, 1e-3 * wait_ms, "its wait for tables", (size_t)pass, 0);
}

/* The first pass's HSP keeps the core from 2 to 12 ms. The tables of the third pass can be built when the second one
 * begins, at 5 ms, but the core is free at 12 ms. It builds before it takes the second pass's HSP, which has waited
 * since 5.5 ms. */
START_TEST(test_building_waits_for_a_core_and_goes_before_hsps)
{
    make_building_passes(1);
    add_hsp(&made.passes[0], 10);
    add_hsp(&made.passes[1], 1);
    compute(&made, &timed);
    assert_building(0, 0, 1, 1);
    assert_building(1, 1, 5, 0);
    assert_building(2, 12, 13, 4);
    assert_time(timed.passes[0].hsps[0].begin_s, 2e-3, "HSP", 0, 0);
    assert_time(timed.passes[1].hsps[0].begin_s, 13e-3, "HSP", 1, 0);
    assert_time(timed.result.end_s, 17e-3, "the run's end", 0, 0);
    assert_close(timed.result.build_s, 3e-3, 1e-12);
    assert_close(timed.result.busy_s, 14e-3, 1e-12);
    simulate(&made, 0, &expected);
    assert_same_run(&timed, &expected, &made);
}
END_TEST

/* Two HSPs without work come at 5 ms, when the board is free and the third pass's tables can be built: a core that is
 * idle does both. The first one makes a cluster ready, behind the second, which closes it; the core goes on with that,
 * too, and builds at 6 ms. */
START_TEST(test_tasks_of_no_time_go_before_what_they_make_ready_and_before_building)
{
    make_building_passes(1);
    made.passes[0].stream_begin_s = made.passes[0].end_s;
    made.passes[0].hsp_count = made.passes[0].cluster_count = 2;
    made.passes[0].hsps[0] = (struct stage3_hsp){.waits = true};
    made.passes[0].hsps[1] = (struct stage3_hsp){.closes = true};
    made.passes[0].clusters[0] = 1000;
    compute(&made, &timed);
    for (int i = 0; i < 2; i++)
        assert_time(timed.passes[0].hsps[i].end_s, 5e-3, "HSP", 0, (size_t)i);
    assert_time(timed.passes[0].clusters[0].begin_s, 5e-3, "cluster", 0, 0);
    assert_building(2, 6, 9, 0);
    simulate(&made, 0, &expected);
    assert_same_run(&timed, &expected, &made);
}
END_TEST

/* All tables are built at the run's begin: only the first pass waits. A cluster that keeps the core for
 * longer than the board works delays nothing. */
START_TEST(test_tables_built_ahead_delay_no_pass)
{
    make_building_passes(3);
    made.passes[0].clusters[0] = 20000;
    compute(&made, &timed);
    assert_building(0, 0, 1, 1);
    assert_building(1, 1, 5, 0);
    assert_building(2, 2, 9, 0);
    assert_time(timed.passes[0].clusters[0].begin_s, 5e-3, "cluster", 0, 0);
    assert_time(timed.result.end_s, 25e-3, "the run's end", 0, 0);
}
END_TEST

/* A board that loads tables ahead waits for those of two passes. */
START_TEST(test_a_board_that_loads_ahead_waits_for_two_tables)
{
    make_building_passes(2);
    made.loads_ahead = true;
    made.passes[0].board_s = made.passes[0].end_s = 0.5e-3;
    compute(&made, &timed);
    assert_building(0, 0, 2, 2);
    assert_building(1, 1, 3, 0.5);
    assert_building(2, 2, 7, 0);
}
END_TEST

/* As if nothing were known of building. */
START_TEST(test_building_of_no_clocks_takes_no_time)
{
    make_run(&made, UINT64_C(5000000) + (uint64_t)_i, false);
    made.builds = true;
    set("host.build_clocks", 0);
    compute(&made, &timed);
    made.builds = false;
    compute(&made, &expected);
    assert_same_run(&timed, &expected, &made);
    ck_assert_double_eq(timed.result.end_s, expected.result.end_s);
    ck_assert_double_eq(timed.result.build_s, 0);
}
END_TEST

/* --- errors ---------------------------------------------------------------------------------------------- */

static bool load_none(void *data, struct host_pass *pass)
{
    (void)data, (void)pass;
    return false;
}

static bool refuse_finished(void *data, const struct host_pass *pass)
{
    (void)data, (void)pass;
    return false;
}

START_TEST(test_a_callback_that_fails_ends_the_run)
{
    struct callbacks callbacks = {&made, &timed};
    made = (struct made_run){.pass_count = 1, .boards = 1};
    made.passes[0] = (struct made_pass){.hsp_count = 5, .cluster_count = 1, .end_s = 1e-3, .board_s = 1e-3};
    struct host_schedule run = run_of(&callbacks);
    if (_i)
        run.finished = refuse_finished;
    else
        run.load = load_none;
    ck_assert_int_eq(host_times_compute(&run, &timed.result), HOST_EPASS);
}
END_TEST

/* --- in SimGrid ------------------------------------------------------------------------------------------ */

START_TEST(test_actors_do_what_is_computed)
{
    static const unsigned sizes[] = {1, 4, 16};
    make_run(&made, UINT64_C(4000000) + (uint64_t)_i, _i % 2);
    set("stage3.batch", sizes[_i / 2 % 3]);
    compute(&made, &timed);
    simulate(&made, 0, &expected);
    assert_rules_hold(&made, &expected);
    assert_same_run(&timed, &expected, &made);
    ck_assert_mem_eq(&timed.result.inbox, &expected.result.inbox, sizeof expected.result.inbox);
    ck_assert_double_eq(expected.agent_s, 0);
}
END_TEST

/* Tasks of few lengths that come in bursts: many cores are done at the same time, and many clusters ready. */
START_TEST(test_actors_agree_on_what_happens_at_the_same_time)
{
    static const unsigned sizes[] = {1, 4, 16};
    make_run(&made, UINT64_C(6000000) + (uint64_t)_i, true);
    set("stage3.batch", sizes[_i % 3]);
    set("stage3.cycles_per_cell", 12);
    for (size_t n = 0; n < made.pass_count; n++) {
        for (size_t i = 0; i < made.passes[n].hsp_count; i++)
            made.passes[n].hsps[i].cells = 1 + made.passes[n].hsps[i].cells % 3 * 1000;
        for (size_t i = 0; i < made.passes[n].cluster_count; i++)
            made.passes[n].clusters[i] = made.passes[n].clusters[i] % 4 * 10000;
        made.operations[n] = 100000;
    }
    compute(&made, &timed);
    simulate(&made, 0, &expected);
    assert_same_run(&timed, &expected, &made);
}
END_TEST

/* `hsps` HSPs of a second each for every core, all there from the begin. */
static void keep_cores_busy(unsigned cores, unsigned hsps)
{
    set("host.cores", cores);
    set("stage3.batch", 1);
    set("stage3.cycles_per_check", 0);
    set("stage3.cycles_per_cell", 1200);
    set("host.clock", 2.4e9);
    made = (struct made_run){.pass_count = 1, .boards = 1};
    made.passes[0] =
        (struct made_pass){.hsp_count = cores * hsps, .cluster_count = 1, .end_s = 1e-6, .board_s = 1e-6};
    for (unsigned i = 0; i < cores * hsps; i++)
        made.passes[0].hsps[i].cells = 2000000;
}

/* The agent takes its share of a core; all cores share what is left. */
START_TEST(test_an_agent_slows_busy_cores_by_its_share)
{
    static const double shares[] = {0.05, 0.27, 0.6, 1};
    const unsigned cores = 2 + (unsigned)_i % 7;
    const double share = shares[_i % COUNT_OF(shares)];
    keep_cores_busy(cores, 3);
    simulate(&made, share, &timed);
    double taken = fmin(share, cores / (cores + 1.0)); /* no more than a fair share */
    assert_close(timed.result.end_s, 3 * cores / (cores - taken), 1e-6);
    assert_close(timed.agent_s, taken * timed.result.end_s, 1e-6);
    assert_close(timed.result.busy_s, cores * timed.result.end_s, 1e-6);
}
END_TEST

/* What the cores do lasts as long as the agent lets it, and the rules hold all the same. */
START_TEST(test_no_time_is_lost_to_the_agent_without_work)
{
    made = (struct made_run){.pass_count = 2, .boards = 1};
    for (int n = 0; n < 2; n++)
        made.passes[n] = (struct made_pass){.cluster_count = 1, .end_s = 2e-3, .board_s = 2e-3};
    simulate(&made, 0.27, &timed);
    assert_time(timed.result.end_s, 4e-3, "the run's end", 0, 0);
    assert_close(timed.agent_s, 0.27 * 4e-3, 1e-9);
}
END_TEST

/* --- suite ----------------------------------------------------------------------------------------------- */

int main(void)
{
    Suite *suite = suite_create("host_schedule");
    TCase *computed = tcase_create("computed"), *simulated = tcase_create("simulated");
    tcase_add_checked_fixture(computed, set_up, NULL);
    tcase_set_timeout(computed, 120);
    tcase_add_loop_test(computed, test_times_are_those_of_the_list, 0, 40);
    tcase_add_loop_test(computed, test_bursts_are_served_in_their_order, 0, 20);
    tcase_add_loop_test(computed, test_what_holds_for_batches_of_any_size, 0, 4 * COUNT_OF(batches));
    tcase_add_test(computed, test_a_core_takes_its_share_of_what_is_there);
    tcase_add_test(computed, test_of_cores_that_become_free_together_the_first_is_taken);
    tcase_add_loop_test(computed, test_passes_without_hsps_follow_each_other, 0, 2);
    tcase_add_loop_test(computed, test_passes_overlap_unless_they_are_serial, 0, 2);
    tcase_add_test(computed, test_building_waits_for_a_core_and_goes_before_hsps);
    tcase_add_test(computed, test_tasks_of_no_time_go_before_what_they_make_ready_and_before_building);
    tcase_add_test(computed, test_tables_built_ahead_delay_no_pass);
    tcase_add_test(computed, test_a_board_that_loads_ahead_waits_for_two_tables);
    tcase_add_loop_test(computed, test_building_of_no_clocks_takes_no_time, 0, 8);
    tcase_add_loop_test(computed, test_a_callback_that_fails_ends_the_run, 0, 2);
    suite_add_tcase(suite, computed);
    tcase_add_checked_fixture(simulated, set_up, NULL);
    tcase_set_timeout(simulated, 120);
    tcase_add_loop_test(simulated, test_actors_do_what_is_computed, 0, tests_some(120));
    tcase_add_loop_test(simulated, test_actors_agree_on_what_happens_at_the_same_time, 0, tests_some(120));
    tcase_add_loop_test(simulated, test_an_agent_slows_busy_cores_by_its_share, 0, 8);
    tcase_add_test(simulated, test_no_time_is_lost_to_the_agent_without_work);
    suite_add_tcase(suite, simulated);
    return run_suite(suite);
}
