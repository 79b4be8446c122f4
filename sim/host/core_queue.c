#include "sim/host/core_queue.h"

#include <math.h>
#include <stdlib.h>

#include "sim/board/board.h"

/* --- passes ---------------------------------------------------------------------------------------------- */

/* Count for each cluster the HSPs whose segments wait for it. */
static void count_waiting(struct open_pass *p)
{
    const struct stage3_tasks *t = &p->pass.tasks;
    size_t cluster = 0;
    for (size_t i = 0; i < t->hsp_count; i++) {
        cluster += t->hsps[i].closes;
        if (t->hsps[i].waits)
            p->waiting[cluster]++;
    }
}

/* Number the clusters with cells. */
static void place_clusters(struct open_pass *p)
{
    const struct stage3_tasks *t = &p->pass.tasks;
    for (size_t i = 0; i < t->cluster_count; i++) {
        p->places[i] = p->pass.cluster_count;
        p->pass.cluster_count += t->clusters[i] > 0;
    }
}

struct open_pass *open_pass_new(const struct host_pass *pass, const struct hardware *hardware)
{
    struct open_pass *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    const struct stage3_tasks *t = &pass->tasks;
    p->pass = *pass;
    p->pass.end_s = pass->begin_s;
    p->pass.cluster_count = 0;
    p->clock_0_s = pass->begin_s + pass->stream_begin_s;
    p->tick_s = 1 / (hardware->fpga_clock_hz * (double)BOARD_TICKS_PER_CLOCK);
    p->undone = t->hsp_count + t->cluster_count;
    p->waiting = calloc(t->cluster_count + 1, sizeof *p->waiting);
    p->places = calloc(t->cluster_count + 1, sizeof *p->places);
    p->pass.hsps = calloc(t->hsp_count + 1, sizeof *p->pass.hsps);
    p->pass.clusters = calloc(t->cluster_count + 1, sizeof *p->pass.clusters);
    if (!p->waiting || !p->places || !p->pass.hsps || !p->pass.clusters) {
        p->pass.tasks = (struct stage3_tasks){0};
        open_pass_destroy(p);
        return NULL;
    }
    count_waiting(p);
    place_clusters(p);
    return p;
}

void open_pass_destroy(struct open_pass *p)
{
    if (!p)
        return;
    stage3_tasks_destroy(&p->pass.tasks);
    free(p->pass.hsps);
    free(p->pass.clusters);
    free(p->waiting);
    free(p->places);
    free(p);
}

static double arrival_s(const struct open_pass *p, size_t hsp)
{
    return p->clock_0_s + (double)p->pass.tasks.hsps[hsp].arrived * p->tick_s;
}

double open_pass_next_s(const struct open_pass *p)
{
    return p->arrived < p->pass.tasks.hsp_count ? arrival_s(p, p->arrived)
           : !p->ended                          ? p->pass.begin_s + p->pass.tasks.end_s
           : !p->left                           ? p->pass.begin_s + p->pass.board_s
                                                : INFINITY;
}

bool open_pass_is_done(const struct open_pass *p)
{
    return p->left && p->undone == 0;
}

/* --- the queue ------------------------------------------------------------------------------------------- */

/* Make the ring larger; its tasks move to its beginning. */
static bool grow(struct core_queue *q)
{
    size_t room = q->room ? 2 * q->room : 64;
    struct core_task *ring = malloc(room * sizeof *ring);
    if (!ring)
        return false;
    for (size_t i = 0; i < q->count; i++)
        ring[i] = q->tasks[(q->first + i) % q->room];
    free(q->tasks);
    q->tasks = ring;
    q->room = room;
    q->first = 0;
    return true;
}

void core_queue_init(struct core_queue *queue, const struct hardware *hardware)
{
    *queue = (struct core_queue){.hardware = hardware};
    inbox_tap_init(&queue->inbox, hardware->fpga_clock_hz);
}

void core_queue_destroy(struct core_queue *queue)
{
    inbox_tap_destroy(&queue->inbox);
    free(queue->tasks);
}

static bool append(struct core_queue *q, struct core_task task)
{
    if (q->count == q->room && !grow(q))
        return false;
    q->tasks[(q->first + q->count++) % q->room] = task;
    return true;
}

/* Whether a cluster that has become ready goes before the last task in the ring. */
static bool goes_before(const struct core_task *cluster, const struct core_task *last)
{
    const size_t pass = cluster->pass->pass.number, of_last = last->pass->pass.number;
    return last->count == 0 && host_times_are_same(last->ready_s, cluster->ready_s) &&
           (pass != of_last ? pass < of_last : cluster->first < last->first);
}

static bool append_cluster(struct core_queue *q, struct core_task cluster)
{
    if (!append(q, cluster))
        return false;
    for (size_t at = q->first + q->count - 1; at > q->first; at--) {
        struct core_task *before = &q->tasks[(at - 1) % q->room];
        if (!goes_before(&cluster, before))
            break;
        q->tasks[at % q->room] = *before;
        *before = cluster;
    }
    return true;
}

/* A cluster without cells was complete without any work. */
static bool cluster_is_ready(struct core_queue *q, struct open_pass *p, size_t cluster, double now_s)
{
    uint64_t cells = p->pass.tasks.clusters[cluster];
    if (cells == 0) {
        p->undone--;
        return true;
    }
    return append_cluster(q, (struct core_task){.pass = p,
                                                .first = cluster,
                                                .cycles = (double)cells * q->hardware->stage3_cycles_per_cell,
                                                .ready_s = now_s});
}

/* The stream has passed the next cluster. */
static bool close_cluster(struct core_queue *q, struct open_pass *p, double now_s)
{
    size_t cluster = p->came_clusters++;
    return p->waiting[cluster] > 0 || cluster_is_ready(q, p, cluster, now_s);
}

/* HSPs of a pass that come after each other wait as one entry. */
static bool append_hsp(struct core_queue *q, struct open_pass *p, size_t hsp)
{
    struct core_task *last = q->count > 0 ? &q->tasks[(q->first + q->count - 1) % q->room] : NULL;
    q->hsps++;
    if (!last || last->pass != p || last->count == 0)
        return append(q, (struct core_task){.pass = p, .first = hsp, .count = 1});
    last->count++;
    return true;
}

static bool take_in_hsp(struct core_queue *q, struct open_pass *p)
{
    size_t hsp = p->arrived++;
    const double now_s = arrival_s(p, hsp);
    return inbox_times_add(&q->inbox.arrivals, now_s) &&
           (!p->pass.tasks.hsps[hsp].closes || close_cluster(q, p, now_s)) && append_hsp(q, p, hsp);
}

bool core_queue_stream(struct core_queue *queue, struct open_pass *pass)
{
    if (pass->arrived < pass->pass.tasks.hsp_count)
        return take_in_hsp(queue, pass);
    if (!pass->ended) {
        const double now_s = open_pass_next_s(pass);
        pass->ended = true;
        return close_cluster(queue, pass, now_s);
    }
    pass->left = true;
    pass->pass.end_s = fmax(pass->pass.end_s, pass->pass.begin_s + pass->pass.board_s);
    return true;
}

/* The share of a core of the HSPs that are there. */
static size_t batch_limit(const struct core_queue *q)
{
    uint64_t share = (q->hsps + q->hardware->host_cores - 1) / q->hardware->host_cores;
    return share < q->hardware->stage3_batch ? share : q->hardware->stage3_batch;
}

static double cycles_of(const struct core_queue *q, const struct stage3_hsp *hsp)
{
    return q->hardware->stage3_cycles_per_check + hsp->cells * q->hardware->stage3_cycles_per_cell;
}

/* Cut a batch from the front of an entry. */
static void cut_batch(struct core_queue *q, struct core_task *entry, struct core_task *task)
{
    const struct stage3_hsp *hsps = entry->pass->pass.tasks.hsps;
    size_t most = batch_limit(q), cluster = entry->pass->taken_clusters;
    *task = (struct core_task){.pass = entry->pass, .first = entry->first};
    for (bool waits = false; task->count < entry->count && task->count < most && !waits; task->count++) {
        const struct stage3_hsp *hsp = &hsps[task->first + task->count];
        cluster += hsp->closes;
        task->cycles += cycles_of(q, hsp);
        waits = hsp->waits;
    }
    task->cluster = entry->pass->taken_clusters = cluster;
    entry->first += task->count;
    entry->count -= task->count;
    q->hsps -= task->count;
}

bool core_queue_take(struct core_queue *q, struct core_task *task)
{
    if (q->count == 0)
        return false;
    struct core_task *front = &q->tasks[q->first];
    if (front->count > 0)
        cut_batch(q, front, task);
    else
        *task = *front;
    if (front->count == 0) {
        q->first = (q->first + 1) % q->room;
        q->count--;
    }
    return true;
}

/* --- work ------------------------------------------------------------------------------------------------ */

bool core_queue_begin(struct core_queue *q, const struct core_task *task, double now_s)
{
    const struct stage3_hsp *hsps = task->pass->pass.tasks.hsps;
    double begin_s = now_s;
    if (!inbox_tap_run(&q->inbox, now_s))
        return false;
    for (size_t i = task->first; i < task->first + task->count; i++) {
        /* SimGrid's time is rounded: it may lie before that of an HSP which has just come. */
        if (!inbox_times_add(&q->inbox.begins, fmax(begin_s, arrival_s(task->pass, i))))
            return false;
        begin_s += cycles_of(q, &hsps[i]) / q->hardware->host_clock_hz;
    }
    return true;
}

/* Spread the time of a batch over its HSPs in proportion to their cycles. */
static void set_times(const struct core_queue *q, const struct core_task *task, uint32_t core, double begin_s,
                      double end_s)
{
    const struct host_pass *pass = &task->pass->pass;
    double second_per_cycle = task->cycles > 0 ? (end_s - begin_s) / task->cycles : 0, at_s = begin_s;
    for (size_t i = task->first; i < task->first + task->count; i++) {
        double until_s = at_s + second_per_cycle * cycles_of(q, &pass->tasks.hsps[i]);
        pass->hsps[i] = (struct task_times){at_s, until_s, core};
        at_s = until_s;
    }
    if (task->count > 0)
        pass->hsps[task->first + task->count - 1].end_s = end_s;
    else
        pass->clusters[task->pass->places[task->first]] = (struct task_times){begin_s, end_s, core};
}

bool core_queue_done(struct core_queue *q, const struct core_task *task, uint32_t core, double begin_s,
                     double end_s)
{
    struct open_pass *p = task->pass;
    set_times(q, task, core, begin_s, end_s);
    q->busy_s += end_s - begin_s;
    if (task->count == 0)
        q->longest_s = fmax(q->longest_s, end_s - begin_s);
    p->undone -= task->count > 0 ? task->count : 1;
    p->pass.end_s = fmax(p->pass.end_s, end_s);
    if (task->count == 0 || !p->pass.tasks.hsps[task->first + task->count - 1].waits)
        return true;
    p->waiting[task->cluster]--;
    return p->waiting[task->cluster] > 0 || task->cluster >= p->came_clusters ||
           cluster_is_ready(q, p, task->cluster, end_s);
}

bool core_queue_end(struct core_queue *q, double end_s, struct host_run_result *result)
{
    const struct fifo_measure *inbox = inbox_tap_close(&q->inbox, end_s);
    if (!inbox)
        return false;
    result->inbox = *inbox;
    result->busy_s = q->busy_s;
    result->longest_s = q->longest_s;
    return true;
}
