#include "sim/host/host_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scratch.h"
#include "sim/host/inbox_tap.h"
#include "sim/host/task_log.h"

/* The HSPs that wait for a cluster with cells, and what is known of the time at which it becomes ready. A cluster without
 * cells is complete without any work. */
struct cluster {
    size_t number;  /* in the pass */
    size_t undone;  /* number of its HSPs that have not begun */
    double ready_s; /* the cluster is not ready before this time */
    /* The HSP that closes the cluster: the cluster is ready before this HSP, and after those that came at the same
     * time. */
    size_t closer;
};

/* A pass that has begun. */
struct stream {
    struct scratch memory;     /* of the clusters */
    struct task_log *log;      /* the pass's, kept for its memory */
    struct stream *next_spare; /* of those kept for their memory */
    struct host_pass pass;
    struct cluster *clusters;            /* those with cells */
    struct stage3_cursor next, arriving; /* the HSPs from `taken` on, and those from `counted` on */
    struct pass_clock clock;
    double next_s;         /* when the next HSP that has not begun arrives; INFINITY if there is none */
    double arriving_s;     /* when the next HSP that has not come arrives; likewise */
    size_t taken, counted; /* number of HSPs that have begun; number that have come by the present time */
    size_t cluster;        /* number of clusters closed by the HSPs that have begun */
    size_t left;   /* number of clusters with cells before that one, or before one that was asked for */
    size_t undone; /* number of tasks that have not begun */
};

/* HSPs that are counted together. */
enum { MANY_HSPS = 64 };

struct ready_cluster {
    struct stream *stream;
    size_t cluster; /* of those with cells */
    double ready_s;
};

struct host_times {
    struct host_run run;
    const struct hardware *hardware;
    struct hsp_work work;
    double *boards_s; /* when each board is free; INFINITY as long as that is unknown */
    struct free_core {
        double free_s;
        uint32_t core;
    } * cores;               /* a ring in order of time, then of their numbers */
    uint32_t first_core;     /* its place in the ring */
    struct stream *spare;    /* kept for their memory */
    struct stream **streams; /* those with tasks that have not begun, in the order in which they began */
    size_t stream_count, stream_room;
    struct ready_cluster *ready; /* a heap */
    size_t ready_count, ready_room;
    uint64_t waiting; /* number of HSPs that have come by the present time and have not begun */
    size_t begun;     /* number of passes */
    struct inbox_tap inbox;
    struct host_run_result result;
    size_t loadable; /* number of passes that can be loaded */
    int status;
};

static void fail(struct host_times *e, enum host_run_error error)
{
    if (e->status == 0)
        e->status = error;
}

/* fmax() and fmin() of numbers, without a call. */
static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline double less(double a, double b)
{
    return a < b ? a : b;
}

/* --- streams --------------------------------------------------------------------------------------------- */

static double arrival_s(const struct stream *s, struct stage3_cursor *cursor, size_t hsp)
{
    return pass_clock_arrival_s(&s->clock, stage3_cursor_hsp(cursor, hsp));
}

/* A stream that has nothing but its memory. @return NULL if memory is exhausted */
static struct stream *take_stream(struct host_times *e)
{
    struct stream *s = e->spare;
    if (!s)
        return calloc(1, sizeof *s);
    e->spare = s->next_spare;
    *s = (struct stream){.memory = s->memory, .log = s->log};
    return s;
}

static void put_stream_back(struct host_times *e, struct stream *s)
{
    stage3_cursor_destroy(&s->next);
    stage3_cursor_destroy(&s->arriving);
    stage3_tasks_destroy(&s->pass.tasks);
    if (s->log)
        task_log_begin(s->log, false); /* which closes its file */
    s->next_spare = e->spare;
    e->spare = s;
}

/* The same of an HSP that may be after the last one: INFINITY. */
static double next_arrival_s(const struct stream *s, struct stage3_cursor *cursor, size_t hsp)
{
    return hsp < s->pass.tasks.hsp_count ? arrival_s(s, cursor, hsp) : INFINITY;
}

/* When the stream ends: with the last HSP at the earliest, which rounding may place later. */
static double end_s(const struct stream *s, struct stage3_cursor *cursor)
{
    const struct stage3_tasks *t = &s->pass.tasks;
    double stream_end_s = s->pass.begin_s + t->end_s;
    return t->hsp_count > 0 ? greater(stream_end_s, arrival_s(s, cursor, t->hsp_count - 1)) : stream_end_s;
}

/* List the clusters with cells: of each the HSPs that wait for it. It is not ready before the stream has passed it.
 * @return false if HSPs cannot be read */
static bool list_clusters(struct stream *s)
{
    const struct stage3_tasks *t = &s->pass.tasks;
    struct stage3_cursor cursor = stage3_cursor_new(t);
    struct cluster *next = s->clusters;
    for (size_t i = 0; i < t->cluster_count; i++)
        if (t->clusters[i] > 0)
            *next++ = (struct cluster){.number = i};
    *next = (struct cluster){.number = SIZE_MAX};
    next = s->clusters;
    for (size_t at = 0, count, cluster = 0; at < t->hsp_count; at += count) {
        count = t->hsp_count - at;
        const struct stage3_hsp *hsps = stage3_cursor_hsps(&cursor, at, &count);
        for (size_t i = 0; i < count; i++) {
            if (hsps[i].closes && cluster++ == next->number) {
                next->closer = at + i;
                next++->ready_s = pass_clock_arrival_s(&s->clock, &hsps[i]);
            }
            if (hsps[i].waits && cluster == next->number)
                next->undone++;
        }
    }
    if (next->number != SIZE_MAX) {
        next->ready_s = end_s(s, &cursor);
        next->closer = t->hsp_count;
    }
    bool whole = !cursor.failed;
    stage3_cursor_destroy(&cursor);
    return whole;
}

static size_t count_clusters(const struct stage3_tasks *tasks)
{
    size_t count = 0;
    for (size_t i = 0; i < tasks->cluster_count; i++)
        count += tasks->clusters[i] > 0;
    return count;
}

static bool stream_init(struct stream *s, const struct hardware *hardware)
{
    const struct stage3_tasks *t = &s->pass.tasks;
    s->pass.cluster_count = count_clusters(t);
    const size_t clusters = (s->pass.cluster_count + 1) * sizeof *s->clusters;
    const size_t cluster_times = s->pass.cluster_count * sizeof *s->pass.clusters;
    if (!s->log)
        s->log = task_log_new(hardware);
    if (!s->log || !scratch_begin(&s->memory, clusters + cluster_times))
        return false;
    task_log_begin(s->log, t->in_file > 0);
    s->pass.hsps = NULL;
    s->pass.log = s->log;
    s->clusters = scratch_take(&s->memory, clusters);
    s->pass.clusters = scratch_take(&s->memory, cluster_times);
    s->clock = pass_clock_of(&s->pass, hardware);
    s->next = stage3_cursor_new(t);
    s->arriving = stage3_cursor_new(t);
    s->pass.end_s = s->pass.begin_s + s->pass.board_s;
    s->undone = t->hsp_count + s->pass.cluster_count;
    s->next_s = s->arriving_s = next_arrival_s(s, &s->next, 0);
    return list_clusters(s);
}

/* --- clusters -------------------------------------------------------------------------------------------- */

static bool is_earlier(const struct ready_cluster *a, const struct ready_cluster *b)
{
    if (a->ready_s != b->ready_s)
        return a->ready_s < b->ready_s;
    size_t left = a->stream->pass.number, right = b->stream->pass.number;
    return left != right ? left < right : a->cluster < b->cluster;
}

static void swap(struct ready_cluster *a, struct ready_cluster *b)
{
    struct ready_cluster cluster = *a;
    *a = *b;
    *b = cluster;
}

static void push_cluster(struct host_times *e, struct ready_cluster cluster)
{
    if (!array_reserve(&e->ready, &e->ready_room, e->ready_count, 1, sizeof *e->ready)) {
        fail(e, HOST_RUN_EMEMORY);
        return;
    }
    size_t at = e->ready_count++;
    e->ready[at] = cluster;
    for (; at > 0 && is_earlier(&e->ready[at], &e->ready[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&e->ready[at], &e->ready[(at - 1) / 2]);
}

static struct ready_cluster pop_cluster(struct host_times *e)
{
    struct ready_cluster least = e->ready[0];
    e->ready[0] = e->ready[--e->ready_count];
    for (size_t at = 0, child; (child = 2 * at + 1) < e->ready_count; at = child) {
        child += child + 1 < e->ready_count && is_earlier(&e->ready[child + 1], &e->ready[child]);
        if (!is_earlier(&e->ready[child], &e->ready[at]))
            break;
        swap(&e->ready[at], &e->ready[child]);
    }
    return least;
}

/* No HSP that waits for a cluster is left. */
static void complete_cluster(struct host_times *e, struct stream *s, size_t cluster)
{
    push_cluster(e, (struct ready_cluster){s, cluster, s->clusters[cluster].ready_s});
}

/* An HSP that waits for the next cluster is done at a time. */
static void leave_cluster(struct host_times *e, struct stream *s, double done_s)
{
    while (s->clusters[s->left].number < s->cluster)
        s->left++;
    struct cluster *c = &s->clusters[s->left];
    if (c->number != s->cluster)
        return;
    c->ready_s = greater(c->ready_s, done_s);
    if (--c->undone == 0)
        complete_cluster(e, s, s->left);
}

/* --- passes ---------------------------------------------------------------------------------------------- */

/* All tasks of a pass have begun, so that all its times are known. */
static void finish_pass(struct host_times *e, struct stream *s)
{
    size_t at = 0;
    if (!hardware_counts_clocks(e->hardware, s->pass.end_s))
        fail(e, HOST_RUN_ELONG);
    else if (!e->run.finished(e->run.data, &s->pass))
        fail(e, HOST_RUN_EPASS);
    e->result.end_s = greater(e->result.end_s, s->pass.end_s);
    if (e->run.serial)
        e->boards_s[s->pass.board] = s->pass.end_s;
    while (e->streams[at] != s)
        at++;
    for (e->stream_count--; at < e->stream_count; at++)
        e->streams[at] = e->streams[at + 1];
    put_stream_back(e, s);
}

/* Begin the next pass on a board that is free. */
static void begin_pass(struct host_times *e, uint32_t board, double begin_s)
{
    struct stream *s = take_stream(e);
    if (!s || !array_reserve(&e->streams, &e->stream_room, e->stream_count, 1, sizeof(struct stream *))) {
        if (s)
            put_stream_back(e, s);
        fail(e, HOST_RUN_EMEMORY);
        return;
    }
    e->streams[e->stream_count++] = s;
    s->pass.number = e->begun++;
    if (!e->run.load(e->run.data, &s->pass))
        fail(e, HOST_RUN_EPASS);
    if (!e->run.begins_s)
        s->pass.board = board;
    s->pass.begin_s = begin_s;
    if (e->status == 0 && !stream_init(s, e->hardware))
        fail(e, HOST_RUN_EMEMORY);
    if (e->status)
        return;
    for (size_t i = 0; i < s->pass.cluster_count; i++)
        if (s->clusters[i].undone == 0)
            complete_cluster(e, s, i);
    e->boards_s[s->pass.board] = e->run.serial ? INFINITY : s->pass.end_s;
    e->result.boards_end_s = greater(e->result.boards_end_s, s->pass.end_s);
    if (s->undone == 0)
        finish_pass(e, s);
}

/* The board that is free first. */
static uint32_t next_board(const struct host_times *e)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < e->run.boards; i++)
        first = e->boards_s[i] < e->boards_s[first] ? i : first;
    return first;
}

/* When the next pass begins; INFINITY if none is left, or if no board is known to become free. */
static double next_begin_s(const struct host_times *e, uint32_t board)
{
    if (e->begun == e->run.pass_count)
        return INFINITY;
    return e->run.begins_s ? e->run.begins_s[e->begun] : e->boards_s[board];
}

/* --- tasks ----------------------------------------------------------------------------------------------- */

/* The core that is free first. */
static const struct free_core *first_core(const struct host_times *e)
{
    return &e->cores[e->first_core];
}

/* Whether a core comes after another in the ring. */
static bool is_after(const struct free_core *core, const struct free_core *other)
{
    return core->free_s > other->free_s || (core->free_s == other->free_s && core->core > other->core);
}

/* The core that was free first works until a time: it mostly becomes one of the last. */
static void occupy_core(struct host_times *e, double until_s)
{
    const struct free_core core = {until_s, first_core(e)->core};
    const uint32_t last = e->hardware->host_cores - 1, first = e->first_core < last ? e->first_core + 1 : 0;
    uint32_t at = e->first_core;
    while (at != first) {
        const uint32_t before = at > 0 ? at - 1 : last;
        if (!is_after(&e->cores[before], &core))
            break;
        e->cores[at] = e->cores[before];
        at = before;
    }
    e->cores[at] = core;
    e->first_core = first;
}

static void take_cluster(struct host_times *e, double begin_s)
{
    struct ready_cluster c = pop_cluster(e);
    struct host_pass *pass = &c.stream->pass;
    const uint64_t cells = pass->tasks.clusters[c.stream->clusters[c.cluster].number];
    double cycles = (double)cells * e->hardware->stage3_cycles_per_cell;
    double end_s = begin_s + cycles / e->hardware->host_clock_hz;
    pass->clusters[c.cluster] = (struct task_times){begin_s, end_s, first_core(e)->core};
    pass->end_s = greater(pass->end_s, end_s);
    occupy_core(e, end_s);
    e->result.busy_s += end_s - begin_s;
    e->result.longest_s = greater(e->result.longest_s, end_s - begin_s);
    if (--c.stream->undone == 0)
        finish_pass(e, c.stream);
}

/* Count the HSPs of a stream that have come by a time: at least one has. Not all have been counted as long as
 * `arriving_s` says so. @return false if memory is exhausted */
static bool count_hsps(struct host_times *e, struct stream *s, double now_s)
{
    size_t most = s->pass.tasks.hsp_count - s->counted, came = 0;
    most = most < MANY_HSPS ? most : MANY_HSPS;
    const struct stage3_hsp *hsps = stage3_cursor_hsps(&s->arriving, s->counted, &most);
    double *arrivals_s = inbox_times_room(&e->inbox.arrivals, most), arriving_s = s->arriving_s;
    if (!arrivals_s)
        return false;
    do {
        arrivals_s[came++] = arriving_s;
        arriving_s = came < most ? pass_clock_arrival_s(&s->clock, &hsps[came]) : INFINITY;
    } while (arriving_s <= now_s);
    e->inbox.arrivals.count += came;
    e->waiting += came;
    s->counted += came;
    s->arriving_s = came < most ? arriving_s : next_arrival_s(s, &s->arriving, s->counted);
    return true;
}

/* Count the HSPs that have come by a time. */
static void count_waiting(struct host_times *e, double now_s)
{
    bool told = true;
    for (size_t i = 0; i < e->stream_count; i++)
        while (told && e->streams[i]->arriving_s <= now_s)
            told = count_hsps(e, e->streams[i], now_s);
    if (!told || !inbox_tap_run(&e->inbox, now_s))
        fail(e, HOST_RUN_EMEMORY);
}

/* Whether the cluster that is ready first comes before a stream's next HSP. */
static bool cluster_is_before(const struct host_times *e, const struct stream *s)
{
    const struct ready_cluster *c = e->ready;
    return e->ready_count > 0 &&
           (c->ready_s < s->next_s ||
            (c->ready_s == s->next_s && (c->stream != s || s->clusters[c->cluster].closer <= s->taken)));
}

/* Whether an HSP of another pass comes before a stream's next HSP. */
static bool other_is_before(const struct host_times *e, const struct stream *stream)
{
    bool before = false;
    for (size_t i = 0; i < e->stream_count && !before; i++)
        before = e->streams[i] != stream && e->streams[i]->next_s <= stream->next_s;
    return before;
}

/* When something happens at the earliest that has nothing to do with the HSPs of a stream: a pass begins, a cluster is
 * ready, or an HSP of another pass comes. */
static double next_other_s(const struct host_times *e, const struct stream *stream, double pass_s)
{
    double next_s = e->ready_count > 0 ? less(pass_s, e->ready[0].ready_s) : pass_s;
    for (size_t i = 0; i < e->stream_count; i++)
        if (e->streams[i] != stream)
            next_s = less(next_s, e->streams[i]->next_s);
    return next_s;
}

/* The first free core does the next HSPs of a stream, which lie together, one after the other: up to one that waits for
 * its cluster, and before one that comes at `other_s` or later, but for the first.
 *
 * @param at_s  when it begins; out: when it has done them
 * @return number of HSPs, >= 1, or 0 if memory is exhausted */
static size_t do_hsps(struct host_times *e, struct stream *s, const struct stage3_hsp *hsps, size_t most,
                      double other_s, double *at_s)
{
    const struct hsp_work work = e->work;
    const double begin_s = *at_s, arrival_s = pass_clock_arrival_s(&s->clock, hsps);
    double *begins_s = inbox_times_room(&e->inbox.begins, most), end_s = begin_s;
    size_t count = 0, closed = 0;
    if (!begins_s)
        return 0;
    do {
        begins_s[count] = end_s;
        end_s += hsp_work_s(&work, &hsps[count]);
        closed += hsps[count].closes;
    } while (++count < most && !hsps[count - 1].waits &&
             pass_clock_arrival_s(&s->clock, &hsps[count]) < other_s);
    *at_s = end_s;
    if (!task_log_add(s->log, first_core(e)->core, count, begin_s, end_s, arrival_s))
        return 0;
    e->inbox.begins.count += count;
    s->taken += count;
    s->cluster += closed;
    return count;
}

/* A core takes its share of the HSPs that are there. */
static void take_hsps(struct host_times *e, struct stream *s, double begin_s)
{
    const uint64_t share = (e->waiting + e->hardware->host_cores - 1) / e->hardware->host_cores;
    const size_t most = share < e->hardware->stage3_batch ? share : e->hardware->stage3_batch,
                 first = s->taken;
    const double other_s = next_other_s(e, s, INFINITY);
    double at_s = begin_s;
    bool waits = false, told = true;
    while (s->taken - first < most && s->taken < s->counted && !waits && told) {
        size_t left = most - (s->taken - first), here = s->counted - s->taken;
        if (s->taken > first && s->next_s >= other_s && (cluster_is_before(e, s) || other_is_before(e, s)))
            break;
        here = here < left ? here : left;
        const struct stage3_hsp *hsps = stage3_cursor_hsps(&s->next, s->taken, &here);
        const size_t count = do_hsps(e, s, hsps, here, other_s, &at_s);
        told = count > 0;
        waits = told && hsps[count - 1].waits;
        s->next_s = next_arrival_s(s, &s->next, s->taken);
    }
    if (waits)
        leave_cluster(e, s, at_s);
    if (!told)
        fail(e, HOST_RUN_EMEMORY);
    if (s->next.failed || s->arriving.failed)
        fail(e, HOST_RUN_EFILE);
    e->waiting -= s->taken - first;
    occupy_core(e, at_s);
    e->result.busy_s += at_s - begin_s;
    s->pass.end_s = greater(s->pass.end_s, at_s);
    s->undone -= s->taken - first;
    if (s->undone == 0)
        finish_pass(e, s);
}

/* Whether HSPs of a stream that come one by one, each to a core that is free, can be taken without a look at anything
 * else. */
static bool is_quiet(const struct host_times *e, const struct stream *s)
{
    return e->waiting == 0 && s->counted == s->taken && first_core(e)->free_s <= s->next_s;
}

/* What take_hsps() does with HSPs that come one by one, each to a core that is free, for as long as nothing else
 * happens and they lie together.
 *
 * @param until_s  when something else may happen
 * @return whether there was any */
static bool take_single_hsps(struct host_times *e, struct stream *s, double until_s)
{
    size_t left = s->pass.tasks.hsp_count - s->taken, count = 0;
    const struct stage3_hsp *hsps = stage3_cursor_hsps(&s->next, s->taken, &left);
    double next_s = s->next_s;
    while (count < left && next_s < until_s && first_core(e)->free_s <= next_s && !s->next.failed) {
        const struct stage3_hsp *hsp = &hsps[count];
        const double end_s = next_s + hsp_work_s(&e->work, hsp);
        const double after_s = count + 1 < left ? pass_clock_arrival_s(&s->clock, hsp + 1)
                                                : next_arrival_s(s, &s->arriving, s->taken + 1);
        if (hsp->waits || after_s <= next_s || !hardware_counts_clocks(e->hardware, next_s))
            break;
        if (!task_log_add(s->log, first_core(e)->core, 1, next_s, end_s, next_s))
            fail(e, HOST_RUN_EMEMORY);
        s->taken++;
        s->cluster += hsp->closes;
        occupy_core(e, end_s);
        e->result.busy_s += end_s - next_s;
        s->pass.end_s = greater(s->pass.end_s, end_s);
        next_s = after_s;
        count++;
    }
    if (s->next.failed || s->arriving.failed)
        fail(e, HOST_RUN_EFILE);
    s->next_s = s->arriving_s = next_s;
    s->counted = s->taken;
    inbox_tap_pass(&e->inbox, count);
    if (count == 0)
        return false;
    s->undone -= count;
    if (s->undone == 0)
        finish_pass(e, s);
    return true;
}

/* --- the run --------------------------------------------------------------------------------------------- */

/* The stream whose HSP comes next; NULL if there is none. */
static struct stream *next_stream(const struct host_times *e, double *ready_s)
{
    struct stream *first = NULL;
    *ready_s = INFINITY;
    for (size_t i = 0; i < e->stream_count; i++)
        if (e->streams[i]->next_s < *ready_s) {
            first = e->streams[i];
            *ready_s = first->next_s;
        }
    return first;
}

/* Begin the next pass or the next task. @return false if there is none */
static bool step(struct host_times *e)
{
    double hsp_s, cluster_s = e->ready_count > 0 ? e->ready[0].ready_s : INFINITY;
    struct stream *s = next_stream(e, &hsp_s);
    uint32_t board = next_board(e);
    double ready_s = less(hsp_s, cluster_s), pass_s = next_begin_s(e, board);
    double begin_s = greater(ready_s, first_core(e)->free_s);
    if (pass_s <= begin_s && pass_s < INFINITY) {
        if (e->begun == e->loadable)
            return false;
        begin_pass(e, board, pass_s);
        return e->status == 0;
    }
    if (isinf(ready_s))
        return false;
    if (!hardware_counts_clocks(e->hardware, begin_s)) {
        fail(e, HOST_RUN_ELONG);
        return false;
    }
    if (s && is_quiet(e, s) && take_single_hsps(e, s, next_other_s(e, s, pass_s)))
        return e->status == 0;
    count_waiting(e, begin_s);
    if (!s || cluster_is_before(e, s))
        take_cluster(e, begin_s);
    else
        take_hsps(e, s, begin_s);
    return e->status == 0;
}

struct host_times *host_times_new(const struct host_run *run)
{
    struct host_times *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    *e = (struct host_times){.run = *run, .hardware = run->hardware};
    e->work = hsp_work_of(run->hardware);
    inbox_tap_init(&e->inbox, run->hardware->fpga_clock_hz);
    e->boards_s = calloc(run->boards, sizeof *e->boards_s);
    e->cores = calloc(run->hardware->host_cores, sizeof *e->cores);
    if (!e->boards_s || !e->cores) {
        host_times_destroy(e);
        return NULL;
    }
    for (uint32_t i = 0; i < run->hardware->host_cores; i++)
        e->cores[i].core = i;
    return e;
}

void host_times_destroy(struct host_times *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->stream_count; i++)
        put_stream_back(e, e->streams[i]);
    while (e->spare) {
        struct stream *s = e->spare;
        e->spare = s->next_spare;
        scratch_destroy(&s->memory);
        task_log_destroy(s->log);
        free(s);
    }
    inbox_tap_destroy(&e->inbox);
    free(e->streams);
    free(e->ready);
    free(e->boards_s);
    free(e->cores);
    free(e);
}

int host_times_advance(struct host_times *e, size_t passes)
{
    e->loadable = passes;
    while (e->status == 0 && step(e))
        ;
    return e->status;
}

int host_times_end(struct host_times *e, struct host_run_result *result)
{
    host_times_advance(e, e->run.pass_count);
    const struct fifo_measure *inbox = e->status ? NULL : inbox_tap_close(&e->inbox, e->result.end_s);
    if (inbox)
        e->result.inbox = *inbox;
    else
        fail(e, HOST_RUN_EMEMORY);
    *result = e->result;
    return e->status;
}

int host_times_compute(const struct host_run *run, struct host_run_result *result)
{
    struct host_times *times = host_times_new(run);
    int status = times ? host_times_end(times, result) : HOST_RUN_EMEMORY;
    host_times_destroy(times);
    return status;
}
