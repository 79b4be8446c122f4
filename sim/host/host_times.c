#include "sim/host/host_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/huge_pages.h"
#include "base/memory.h"
#include "sim/board/machine_part.h"
#include "sim/host/inbox_tap.h"
#include "sim/host/task_log.h"

/* A cluster with cells: one without is complete without any work. */
struct cluster {
    size_t undone;  /* number of its HSPs that have not begun */
    double ready_s; /* the cluster is not ready before this time */
    size_t closer;  /* the HSP that closes it: the cluster is ready before it, and after others of its time */
};

/* A pass that has begun. */
struct stream {
    struct scratch memory;     /* of the clusters */
    struct task_log *log;      /* the pass's, kept for its memory */
    struct stream *next_spare; /* of those kept for their memory */
    struct host_pass pass;
    size_t nth;                          /* of those that have begun, from 0 */
    struct cluster *clusters;            /* those with cells */
    struct stage3_cursor next, arriving; /* the HSPs from `taken` on, and those from `counted` on */
    struct pass_clock clock;
    double next_s;         /* when the next HSP that has not begun arrives; INFINITY if there is none */
    double arriving_s;     /* when the next HSP that has not come arrives; likewise */
    size_t taken, counted; /* number of HSPs that have begun; number that have come by the present time */
    size_t cluster;        /* number of clusters closed by the HSPs that have begun */
    size_t passed, left;   /* a number of clusters, <= `cluster`, and of those with cells among them */
    size_t undone;         /* number of tasks that have not begun */
};

/* HSPs that are counted together. */
enum { MANY_HSPS = 256 };

/* HSPs are fetched so early: those of a pass have been written by another processor, or fell out of the cache. */
enum { AHEAD_HSPS = 128 };

/* The tables of a pass. */
struct built {
    struct task_times times;
    double begin_s; /* of the pass */
};

struct ready_cluster {
    struct stream *stream;
    size_t cluster; /* of those with cells */
    double ready_s;
    uint64_t cells;
};

struct host_times {
    struct host_schedule run;
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
    struct stream *first;        /* whose HSP comes next; NULL if it has to be looked for */
    double other_s;              /* when an HSP of another stream comes at the earliest */
    struct ready_cluster *ready; /* a heap */
    size_t ready_count, ready_room;
    uint64_t waiting;     /* number of HSPs that have come by now, were counted, and have not begun */
    size_t begun;         /* number of passes */
    struct built *passes; /* NULL: tables are built in no time */
    size_t built;         /* number of passes whose tables are built, or being built */
    struct inbox_tap inbox;
    struct host_schedule_result result;
    size_t loadable; /* number of passes that can be loaded */
    int status;
};

static void fail(struct host_times *e, enum host_error error)
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

/* A stream that has nothing but its memory. */
static struct stream *take_stream(struct host_times *e)
{
    struct stream *s = e->spare;
    if (!s)
        return memory_new(1, sizeof *s);
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

/* When an HSP arrives that may be after the last one: INFINITY. */
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

static bool has_cells(const struct stage3_tasks *tasks, size_t cluster)
{
    return cluster < tasks->cluster_count && tasks->clusters[cluster] > 0;
}

/* List the clusters with cells: of each the HSPs that wait for it. It is not ready before the stream has passed it.
 * @return false if HSPs cannot be read */
static bool list_clusters(struct stream *s)
{
    const struct stage3_tasks *t = &s->pass.tasks;
    auto_by(stage3_cursor_destroy) struct stage3_cursor cursor = stage3_cursor_new(t);
    struct cluster *next = s->clusters;
    size_t cluster = 0;
    bool counts = has_cells(t, 0);
    next->undone = 0;
    for (size_t at = 0, count; at < t->hsp_count; at += count) {
        count = t->hsp_count - at;
        const struct stage3_hsp *hsps = stage3_cursor_hsps(&cursor, at, &count);
        for (size_t i = 0; i < count; i++) {
            __builtin_prefetch(&hsps[i + AHEAD_HSPS]);
            if (hsps[i].closes) {
                next->closer = at + i;
                next->ready_s = pass_clock_arrival_s(&s->clock, &hsps[i]);
                next += counts;
                counts = has_cells(t, ++cluster);
                next->undone = 0;
            }
            next->undone += hsps[i].waits;
        }
    }
    next->ready_s = end_s(s, &cursor);
    next->closer = t->hsp_count;
    return !cursor.failed;
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
    const size_t clusters = (s->pass.cluster_count + 1) * sizeof *s->clusters,
                 times = (s->pass.cluster_count + 1) * sizeof *s->pass.clusters;
    if (!s->log)
        s->log = task_log_new();
    scratch_begin(&s->memory, clusters + times);
    huge_pages_expect(s->memory.memory, s->memory.room, 0); /* most passes use a small part of it */
    task_log_begin(s->log, t->in_file > 0);
    s->pass.hsps = NULL;
    s->pass.log = s->log;
    s->clusters = scratch_take(&s->memory, clusters);
    s->pass.clusters = scratch_take(&s->memory, times);
    s->clock = pass_clock_of(&s->pass, hardware);
    s->next = stage3_cursor_new(t);
    s->arriving = stage3_cursor_new(t);
    s->pass.end_s = s->pass.begin_s + s->pass.board_s;
    s->undone += t->hsp_count + s->pass.cluster_count;
    s->next_s = s->arriving_s = next_arrival_s(s, &s->next, 0);
    return list_clusters(s);
}

/* --- clusters -------------------------------------------------------------------------------------------- */

static bool is_earlier(const struct ready_cluster *a, const struct ready_cluster *b)
{
    if (!host_times_are_same(a->ready_s, b->ready_s))
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
    array_reserve(&e->ready, &e->ready_room, e->ready_count, 1, sizeof *e->ready);
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

/* No HSP that waits for a cluster with cells is left. @param cluster  among those */
static void complete_cluster(struct host_times *e, struct stream *s, size_t cluster, uint64_t cells)
{
    push_cluster(e, (struct ready_cluster){s, cluster, s->clusters[cluster].ready_s, cells});
}

/* An HSP has been done whose segment waits for the next cluster. */
static void leave_cluster(struct host_times *e, struct stream *s, double done_s)
{
    const struct stage3_tasks *t = &s->pass.tasks;
    for (; s->passed < s->cluster; s->passed++)
        s->left += has_cells(t, s->passed);
    if (!has_cells(t, s->cluster))
        return;
    struct cluster *c = &s->clusters[s->left];
    c->ready_s = greater(c->ready_s, done_s);
    if (--c->undone == 0)
        complete_cluster(e, s, s->left, t->clusters[s->cluster]);
}

/* --- passes ---------------------------------------------------------------------------------------------- */

/* All tasks of a pass have begun, so that all its times are known. */
static void finish_pass(struct host_times *e, struct stream *s)
{
    size_t at = 0;
    if (!hardware_counts_clocks(e->hardware, s->pass.end_s))
        fail(e, HOST_ELONG);
    else if (e->run.finished && !e->run.finished(e->run.data, &s->pass))
        fail(e, HOST_EPASS);
    e->result.end_s = greater(e->result.end_s, s->pass.end_s);
    if (e->hardware->overlap == OVERLAP_SERIAL)
        e->boards_s[s->pass.board] = s->pass.end_s;
    while (e->streams[at] != s)
        at++;
    e->first = NULL;
    for (e->stream_count--; at < e->stream_count; at++)
        e->streams[at] = e->streams[at + 1];
    put_stream_back(e, s);
}

/* Clusters for which no HSP waits. */
static void complete_lonely_clusters(struct host_times *e, struct stream *s)
{
    const struct stage3_tasks *t = &s->pass.tasks;
    for (size_t i = 0, cluster = 0; i < t->cluster_count; i++)
        if (has_cells(t, i) && s->clusters[cluster++].undone == 0)
            complete_cluster(e, s, cluster - 1, t->clusters[i]);
}

/* What is known of its tables. If it has begun before they are built (`begins_s`), that is a task left undone. */
static void tell_building(struct host_times *e, struct stream *s)
{
    struct built *built = &e->passes[s->nth];
    built->begin_s = s->pass.begin_s;
    s->pass.build = built->times;
    s->undone = s->nth >= e->built;
    if (!e->run.begins_s)
        s->pass.build_wait_s = s->pass.begin_s - e->boards_s[s->pass.board];
}

/* Begin the next pass on a board that is free. */
static void begin_pass(struct host_times *e, uint32_t board, double begin_s)
{
    struct stream *s = take_stream(e);
    array_reserve(&e->streams, &e->stream_room, e->stream_count, 1, sizeof(struct stream *));
    e->streams[e->stream_count++] = s;
    e->first = NULL;
    s->pass.number = s->nth = e->begun++;
    if (!e->run.load(e->run.data, &s->pass))
        fail(e, HOST_EPASS);
    if (!e->run.begins_s)
        s->pass.board = board;
    s->pass.begin_s = begin_s;
    if (e->passes)
        tell_building(e, s);
    if (e->status == 0 && !stream_init(s, e->hardware))
        fail(e, HOST_EFILE);
    if (e->status)
        return;
    complete_lonely_clusters(e, s);
    e->boards_s[s->pass.board] = e->hardware->overlap == OVERLAP_SERIAL ? INFINITY : s->pass.end_s;
    e->result.boards_end_s = greater(e->result.boards_end_s, s->pass.end_s);
    s->pass.end_s = greater(s->pass.end_s, s->pass.build.end_s);
    if (s->undone == 0)
        finish_pass(e, s);
}

/* The board that is free first. */
static uint32_t next_board(const struct host_times *e)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < e->hardware->boards; i++)
        first = e->boards_s[i] < e->boards_s[first] ? i : first;
    return first;
}

/* When all is built that the next pass waits for, and the one before it has begun; INFINITY if that is unknown. */
static double tables_ready_s(const struct host_times *e)
{
    const bool loads_ahead = e->hardware->overlap == OVERLAP_TABLES;
    const size_t last = e->begun + (loads_ahead && e->begun + 1 < e->run.pass_count);
    if (last >= e->built)
        return INFINITY;
    const double before_s = e->begun > 0 ? e->passes[e->begun - 1].begin_s : 0;
    return greater(before_s, greater(e->passes[e->begun].times.end_s, e->passes[last].times.end_s));
}

/* When the next pass begins; INFINITY if none is left, or if no board is known to become free. */
static double next_begin_s(const struct host_times *e, uint32_t board)
{
    if (e->begun == e->run.pass_count)
        return INFINITY;
    if (e->run.begins_s)
        return e->run.begins_s[e->begun];
    return e->passes ? greater(e->boards_s[board], tables_ready_s(e)) : e->boards_s[board];
}

/* When the tables can be built that are next; INFINITY if none are left, or if that is unknown. */
static double next_build_s(const struct host_times *e)
{
    const size_t ahead = e->hardware->host_build_ahead;
    if (!e->passes || e->built == e->run.pass_count || e->built >= e->begun + ahead)
        return INFINITY;
    return e->built < ahead ? 0 : e->passes[e->built - ahead].begin_s;
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

/* The core that was free first works until a time: it mostly becomes one of the last. A task that takes no time leaves
 * it as free as it was: it goes on with all that is there before tables can be built that wait for the present time. */
static void occupy_core(struct host_times *e, double begin_s, double until_s)
{
    if (until_s == begin_s)
        return;
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

/* The pass whose tables are being built may have begun (`begins_s`). */
static void tell_late_building(struct host_times *e, size_t nth)
{
    for (size_t i = 0; i < e->stream_count; i++) {
        struct stream *s = e->streams[i];
        if (s->nth != nth)
            continue;
        s->pass.build = e->passes[nth].times;
        s->pass.end_s = greater(s->pass.end_s, s->pass.build.end_s);
        if (--s->undone == 0)
            finish_pass(e, s);
        return;
    }
}

/* The first free core builds the tables that are next. */
static void take_build(struct host_times *e, double begin_s)
{
    const size_t nth = e->built++;
    const double cycles = host_build_cycles(e->hardware, e->run.build_operations[nth]);
    const double end_s = begin_s + cycles / e->work.clock_hz;
    if (!hardware_counts_clocks(e->hardware, end_s))
        fail(e, HOST_ELONG);
    e->passes[nth].times = (struct task_times){begin_s, end_s, first_core(e)->core};
    occupy_core(e, begin_s, end_s);
    e->result.busy_s += end_s - begin_s;
    e->result.build_s += end_s - begin_s;
    e->result.end_s = greater(e->result.end_s, end_s);
    if (nth < e->begun)
        tell_late_building(e, nth);
}

static void take_cluster(struct host_times *e, double begin_s)
{
    struct ready_cluster c = pop_cluster(e);
    struct host_pass *pass = &c.stream->pass;
    const uint32_t shares = machine_part_is_free(e->hardware, PART_ALIGNMENT) ? e->hardware->host_cores : 1;
    const double share_s = (double)c.cells * e->work.cycles_per_cell / shares / e->work.clock_hz;
    struct task_times *times = &pass->clusters[c.cluster];
    *times = (struct task_times){begin_s, begin_s, first_core(e)->core};
    for (uint32_t i = 0; i < shares; i++) {
        const double at_s = i > 0 ? greater(begin_s, first_core(e)->free_s) : begin_s;
        const double end_s = at_s + share_s;
        times->end_s = greater(times->end_s, end_s);
        occupy_core(e, at_s, end_s);
        e->result.busy_s += end_s - at_s;
    }
    pass->end_s = greater(pass->end_s, times->end_s);
    e->result.longest_s = greater(e->result.longest_s, times->end_s - begin_s);
    if (--c.stream->undone == 0)
        finish_pass(e, c.stream);
}

/* Count the HSPs of a stream that have come by a time: at least one has. Not all have been counted as long as
 * `arriving_s` says so. */
static void count_hsps(struct host_times *e, struct stream *s, double now_s)
{
    size_t most = s->pass.tasks.hsp_count - s->counted, came = 0;
    most = most < MANY_HSPS ? most : MANY_HSPS;
    const struct stage3_hsp *hsps = stage3_cursor_hsps(&s->arriving, s->counted, &most);
    double *arrivals_s = inbox_times_room(&e->inbox.arrivals, most), arriving_s = s->arriving_s;
    do {
        __builtin_prefetch(&hsps[came + AHEAD_HSPS]);
        arrivals_s[came++] = arriving_s;
        arriving_s = came < most ? pass_clock_arrival_s(&s->clock, &hsps[came]) : INFINITY;
    } while (arriving_s <= now_s);
    e->inbox.arrivals.count += came;
    e->waiting += came;
    s->counted += came;
    s->arriving_s = came < most ? arriving_s : next_arrival_s(s, &s->arriving, s->counted);
}

/* Whether the HSPs that have come need not be counted: there are enough for a batch of every core, and enough of a
 * stream, whose HSPs are next, for its batch. */
static bool knows_enough(const struct host_times *e, const struct stream *s)
{
    const uint64_t batch = e->hardware->stage3_batch;
    return !inbox_tap_is_full(&e->inbox) && e->waiting >= batch * e->hardware->host_cores &&
           (!s || s->counted - s->taken >= batch);
}

/* Count the HSPs that have come by a time. */
static void count_waiting(struct host_times *e, double now_s)
{
    for (size_t i = 0; i < e->stream_count; i++)
        while (e->streams[i]->arriving_s <= now_s)
            count_hsps(e, e->streams[i], now_s);
    if (e->run.only_times)
        inbox_tap_forget(&e->inbox);
    else
        inbox_tap_run(&e->inbox, now_s);
}

/* Whether the cluster that is ready first comes before a stream's next HSP: at the same time that of an earlier pass,
 * and of the same pass one that no later HSP closes. */
static bool cluster_is_before(const struct host_times *e, const struct stream *s)
{
    const struct ready_cluster *c = e->ready;
    return e->ready_count > 0 &&
           (c->ready_s < s->next_s ||
            (c->ready_s == s->next_s && (c->stream == s ? s->clusters[c->cluster].closer <= s->taken
                                                        : c->stream->pass.number < s->pass.number)));
}

/* Whether an HSP of another pass comes before a stream's next HSP: at the same time that of an earlier pass. */
static bool other_is_before(const struct host_times *e, const struct stream *stream)
{
    bool before = false;
    for (size_t i = 0; i < e->stream_count && !before; i++) {
        const struct stream *other = e->streams[i];
        before = other->next_s < stream->next_s ||
                 (other->next_s == stream->next_s && other->pass.number < stream->pass.number);
    }
    return before;
}

/* When something happens at the earliest that has nothing to do with the HSPs of the first stream: a pass begins, a
 * cluster is ready, or an HSP of another pass comes. */
static double next_other_s(const struct host_times *e, double pass_s)
{
    const double other_s = less(e->other_s, pass_s);
    return e->ready_count > 0 ? less(other_s, e->ready[0].ready_s) : other_s;
}

/* The first free core does the next HSPs of a stream, which lie together, one after the other: up to one that waits for
 * its cluster, and before one that comes at `other_s` or later, but for the first.
 *
 * @param at_s  when it begins; out: when it has done them
 * @return number of HSPs, >= 1, or 0 if the log cannot be written */
static size_t do_hsps(struct host_times *e, struct stream *s, const struct stage3_hsp *hsps, size_t most,
                      double other_s, double *at_s)
{
    const struct hsp_work work = e->work;
    const double begin_s = *at_s;
    double *begins_s = inbox_times_room(&e->inbox.begins, most), end_s = begin_s;
    size_t count = 0, closed = 0;
    do {
        __builtin_prefetch(&hsps[count + AHEAD_HSPS]);
        begins_s[count] = end_s;
        end_s += hsp_work_s(&work, &hsps[count]);
        closed += hsps[count].closes;
    } while (++count < most && !hsps[count - 1].waits &&
             pass_clock_arrival_s(&s->clock, &hsps[count]) < other_s);
    *at_s = end_s;
    const struct task_batch batch = {begin_s, first_core(e)->core, (uint32_t)count};
    if (!e->run.only_times && !task_log_add(s->log, batch))
        return 0;
    e->inbox.begins.count += count;
    s->taken += count;
    s->cluster += closed;
    return count;
}

/* A core takes its share of the first stream's HSPs that are there. */
static void take_hsps(struct host_times *e, struct stream *s, double begin_s)
{
    const uint64_t share = (e->waiting + e->hardware->host_cores - 1) / e->hardware->host_cores;
    const size_t most = share < e->hardware->stage3_batch ? share : e->hardware->stage3_batch,
                 first = s->taken;
    const double other_s = next_other_s(e, INFINITY);
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
    if (waits) /* what came by the time at which HSPs are done in no time was there before */
        leave_cluster(e, s, at_s > begin_s ? at_s : nextafter(at_s, INFINITY));
    if (!told || s->next.failed || s->arriving.failed)
        fail(e, HOST_EFILE);
    e->waiting -= s->taken - first;
    occupy_core(e, begin_s, at_s);
    e->result.busy_s += at_s - begin_s;
    s->pass.end_s = greater(s->pass.end_s, at_s);
    s->undone -= s->taken - first;
    if (s->undone == 0)
        finish_pass(e, s);
}

/* --- the run --------------------------------------------------------------------------------------------- */

/* Find the stream whose HSP comes next, unless it is still the one that was found before.
 * @return NULL if there is none */
static struct stream *find_first(struct host_times *e)
{
    if (e->first && e->first->next_s < e->other_s)
        return e->first;
    double first_s = INFINITY;
    e->first = NULL;
    e->other_s = INFINITY;
    for (size_t i = 0; i < e->stream_count; i++) {
        struct stream *s = e->streams[i];
        if (s->next_s < first_s) {
            e->other_s = first_s;
            first_s = s->next_s;
            e->first = s;
        } else {
            e->other_s = less(e->other_s, s->next_s);
        }
    }
    return e->first;
}

/* Whether a core that is idle finds a task before tables that can be built at the same time: a pass begins, which lets
 * them be built, after the last HSP of the pass before has come. */
static bool goes_before_building(const struct host_times *e, double ready_s, double tables_s)
{
    return ready_s < INFINITY && host_times_are_same(ready_s, tables_s) && first_core(e)->free_s < tables_s &&
           !host_times_are_same(first_core(e)->free_s, tables_s);
}

/* Whether it is not known yet when the next pass begins. */
static bool awaits_begin(const struct host_times *e)
{
    return e->run.begins_s && e->begun == e->loadable && e->begun < e->run.pass_count;
}

/* Begin the next pass, the next building of tables or the next task. @return false if there is none, or if it is not
 * known yet */
static bool step(struct host_times *e)
{
    if (awaits_begin(e))
        return false;
    const double cluster_s = e->ready_count > 0 ? e->ready[0].ready_s : INFINITY;
    struct stream *s = find_first(e);
    const double hsp_s = s ? s->next_s : INFINITY;
    uint32_t board = next_board(e);
    double ready_s = less(hsp_s, cluster_s), pass_s = next_begin_s(e, board);
    double begin_s = greater(ready_s, first_core(e)->free_s);
    const double tables_s = next_build_s(e), build_s = greater(tables_s, first_core(e)->free_s);
    if (pass_s <= begin_s && pass_s <= build_s && pass_s < INFINITY) {
        if (e->begun == e->loadable)
            return false;
        begin_pass(e, board, pass_s);
        return e->status == 0;
    }
    if (build_s <= begin_s && build_s < INFINITY && !goes_before_building(e, ready_s, tables_s)) {
        if (e->built == e->loadable)
            return false;
        take_build(e, build_s);
        return e->status == 0;
    }
    if (isinf(ready_s))
        return false;
    if (!hardware_counts_clocks(e->hardware, begin_s)) {
        fail(e, HOST_ELONG);
        return false;
    }
    if (!knows_enough(e, s))
        count_waiting(e, begin_s);
    if (!s || cluster_is_before(e, s))
        take_cluster(e, begin_s);
    else
        take_hsps(e, s, begin_s);
    return e->status == 0;
}

struct host_times *host_times_new(const struct host_schedule *run)
{
    struct host_times *e = memory_take(sizeof *e);
    *e = (struct host_times){.run = *run, .hardware = run->hardware};
    e->work = hsp_work_of(run->hardware);
    inbox_tap_init(&e->inbox, run->hardware->fpga_clock_hz);
    e->boards_s = memory_new(run->hardware->boards, sizeof *e->boards_s);
    e->cores = memory_new(run->hardware->host_cores, sizeof *e->cores);
    if (host_schedule_builds(run))
        e->passes = memory_new(run->pass_count, sizeof *e->passes);
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
        auto_free struct stream *s = e->spare;
        e->spare = s->next_spare;
        scratch_destroy(&s->memory);
        task_log_destroy(s->log);
    }
    inbox_tap_destroy(&e->inbox);
    free(e->streams);
    free(e->ready);
    free(e->passes);
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

int host_times_end(struct host_times *e, struct host_schedule_result *result)
{
    host_times_advance(e, e->run.pass_count);
    if (e->status == 0 && !e->run.only_times)
        e->result.inbox = *inbox_tap_close(&e->inbox, e->result.end_s);
    *result = e->result;
    return e->status;
}

int host_times_compute(const struct host_schedule *run, struct host_schedule_result *result)
{
    struct host_times *times = host_times_new(run);
    int status = host_times_end(times, result);
    host_times_destroy(times);
    return status;
}
