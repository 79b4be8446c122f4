#include "sim/simgrid/host_actors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "sim/host/inbox_tap.h"
#include "sim/host/task_log.h"
#include "sim/simgrid/simgrid_engine.h"

/* A pass between its begin and its end. */
struct open_pass {
    struct host_pass pass; /* its clusters are all, until it is finished */
    struct pass_clock clock;
    size_t arrived;                       /* number of HSPs that have come */
    size_t taken_clusters, came_clusters; /* clusters closed before the next HSP to take; by what has come */
    uint64_t *waiting;                    /* per cluster: number of its HSPs that are not done yet */
    size_t undone;                        /* number of tasks that are not done yet */
    bool ended;                           /* the stream has ended */
    bool left;                            /* its board is free, or waits for stage 3 */
};

/* Consecutive HSPs of a pass, or a cluster. */
struct task {
    struct open_pass *pass;
    size_t first, count; /* HSPs; count 0: the cluster `first` */
    size_t cluster;      /* that the last HSP waits for, if it does */
    double cycles;       /* of a core */
    double ready_s;      /* of a cluster: when it became ready */
};

struct core {
    struct engine *engine;
    uint32_t number;
    sg_sem_t bell;
    bool is_idle;
};

struct board {
    struct engine *engine;
    struct open_pass *streams; /* a pass whose stream has not ended, or NULL */
    struct open_pass *pass;    /* that the board waits for, if the run is serial */
    sg_sem_t done;
    bool waits;    /* for the tables of its next pass, or for the pass before that */
    size_t number; /* of that pass */
    sg_sem_t turn;
};

/* The tables of a pass. */
struct built {
    struct task_times times;
    bool is_done;
    struct open_pass *pass; /* if it has begun before */
};

struct engine {
    const struct host_schedule *run;
    struct hsp_work work;
    struct task *tasks; /* from `first` on those that can be begun, in the order in which they became ready */
    size_t first, end, room;
    uint64_t hsps; /* number of HSPs among them */
    struct inbox_tap inbox;
    struct core *cores;
    struct board *boards;
    size_t begun, finished; /* number of passes */
    struct built *passes;   /* NULL: tables are built in no time */
    size_t built, building; /* number of passes whose tables are built; or being built */
    size_t started;         /* number of passes that have begun */
    double agent_speed;     /* flops per second */
    sg_sem_t agent_bell;    /* rings when all have ended */
    double agent_flops;     /* that the agent has done */
    bool ended;
    int status;
    struct host_schedule_result result;
};

/* The agent's work is done in pieces of this length, of which it does up to a half: short enough that what remains of
 * one is exact to the clock, long enough that there are few. */
static const double AGENT_EXEC_S = 1000;

static void wake_cores(struct engine *e)
{
    for (uint32_t i = 0; i < e->run->hardware->host_cores; i++)
        if (e->cores[i].is_idle) {
            e->cores[i].is_idle = false;
            sg_sem_release(e->cores[i].bell);
        }
}

/* Let all actors end, boards that wait for stage 3 after an error, too. */
static void end_all(struct engine *e)
{
    if (e->ended)
        return;
    e->ended = true;
    wake_cores(e);
    for (uint32_t i = 0; i < e->run->hardware->boards; i++)
        if (e->boards[i].pass) {
            e->boards[i].pass = NULL;
            sg_sem_release(e->boards[i].done);
        }
    for (uint32_t i = 0; i < e->run->hardware->boards; i++)
        if (e->boards[i].waits)
            sg_sem_release(e->boards[i].turn);
    if (e->agent_bell)
        sg_sem_release(e->agent_bell);
}

static void fail(struct engine *e, enum host_error error)
{
    if (e->status == 0)
        e->status = error;
    end_all(e);
}

static void check_end(struct engine *e)
{
    const size_t all = e->run->pass_count;
    if (e->finished == all && (!e->passes || e->built == all))
        end_all(e);
}

/* --- passes ---------------------------------------------------------------------------------------------- */

static void destroy_pass(struct open_pass *p)
{
    stage3_tasks_destroy(&p->pass.tasks);
    free(p->pass.hsps);
    free(p->pass.clusters);
    free(p->waiting);
    free(p);
}

/* Open a pass that begins now. @return NULL, and its tasks are freed, if these cannot be read */
static struct open_pass *open_pass(struct host_pass *pass, const struct hardware *hardware)
{
    const struct stage3_tasks *t = &pass->tasks;
    if (!stage3_tasks_bring_back(&pass->tasks)) {
        stage3_tasks_destroy(&pass->tasks);
        return NULL;
    }
    struct open_pass *p = memory_take(sizeof *p);
    *p = (struct open_pass){.pass = *pass,
                            .clock = pass_clock_of(pass, hardware),
                            .undone = t->hsp_count + t->cluster_count,
                            .waiting = memory_new(t->cluster_count + 1, sizeof *p->waiting)};
    p->pass.end_s = pass->begin_s;
    p->pass.hsps = memory_new(t->hsp_count, sizeof *p->pass.hsps);
    p->pass.clusters = memory_new(t->cluster_count, sizeof *p->pass.clusters);
    for (size_t i = 0, cluster = 0; i < t->hsp_count; i++) {
        cluster += t->hsps[i].closes;
        p->waiting[cluster] += t->hsps[i].waits;
    }
    return p;
}

static double arrival_s(const struct open_pass *p, size_t hsp)
{
    return pass_clock_arrival_s(&p->clock, &p->pass.tasks.hsps[hsp]);
}

/* Time of the next event on a pass's board: an HSP arrives, the end of the stream, then the board is free. */
static double next_event_s(const struct open_pass *p)
{
    return p->arrived < p->pass.tasks.hsp_count
               ? arrival_s(p, p->arrived)
               : p->pass.begin_s + (p->ended ? p->pass.board_s : p->pass.tasks.end_s);
}

static bool is_done(const struct open_pass *p)
{
    return p->left && p->undone == 0;
}

static void finish_pass(struct engine *e, struct open_pass *p)
{
    struct host_pass *pass = &p->pass;
    pass->cluster_count = 0;
    for (size_t i = 0; i < pass->tasks.cluster_count; i++)
        if (pass->tasks.clusters[i] > 0)
            pass->clusters[pass->cluster_count++] = pass->clusters[i];
    if (!e->run->finished(e->run->data, pass))
        fail(e, HOST_EPASS);
    destroy_pass(p);
    e->finished++;
}

/* A pass of which a core has done the last task: its board, if it waits for it, finishes it. */
static void check_pass(struct engine *e, struct open_pass *pass)
{
    if (!is_done(pass))
        return;
    for (uint32_t i = 0; i < e->run->hardware->boards; i++)
        if (e->boards[i].pass == pass) {
            e->boards[i].pass = NULL;
            sg_sem_release(e->boards[i].done);
            return;
        }
    finish_pass(e, pass);
    check_end(e);
}

/* --- the queue ------------------------------------------------------------------------------------------- */

static void append(struct engine *e, struct task task)
{
    if (e->first > e->end / 2) { /* the tasks move to the begin of the array */
        e->end -= e->first;
        memmove(e->tasks, e->tasks + e->first, e->end * sizeof *e->tasks);
        e->first = 0;
    }
    *ARRAY_NEXT(e->tasks, e->end, e->room) = task;
}

/* Whether a cluster that has become ready goes before another task that has become ready at the same time: those of
 * earlier passes go first, then earlier clusters, then HSPs, which have come with the one that closes the cluster. */
static bool goes_before(const struct task *cluster, const struct task *other)
{
    const size_t pass = cluster->pass->pass.number, of_other = other->pass->pass.number;
    const double ready_s = other->count > 0 ? arrival_s(other->pass, other->first) : other->ready_s;
    return host_times_are_same(ready_s, cluster->ready_s) &&
           (pass != of_other ? pass < of_other : other->count == 0 && cluster->first < other->first);
}

/* A cluster without cells was complete without any work. */
static void cluster_is_ready(struct engine *e, struct open_pass *p, size_t cluster, double now_s)
{
    const uint64_t cells = p->pass.tasks.clusters[cluster];
    const struct task task = {
        .pass = p, .first = cluster, .cycles = (double)cells * e->work.cycles_per_cell, .ready_s = now_s};
    p->undone -= cells == 0;
    if (cells == 0)
        return;
    append(e, task);
    for (size_t at = e->end - 1; at > e->first && goes_before(&task, &e->tasks[at - 1]); at--) {
        e->tasks[at] = e->tasks[at - 1];
        e->tasks[at - 1] = task;
    }
}

/* The stream has passed the next cluster. */
static void close_cluster(struct engine *e, struct open_pass *p, double now_s)
{
    const size_t cluster = p->came_clusters++;
    if (p->waiting[cluster] == 0)
        cluster_is_ready(e, p, cluster, now_s);
}

/* The next event on a pass's board happens. A cluster that an arriving HSP closes is ready before it. HSPs of a pass
 * that come after each other wait as one task. */
static void stream_event(struct engine *e, struct open_pass *p)
{
    if (p->arrived < p->pass.tasks.hsp_count) {
        const size_t hsp = p->arrived++;
        const double now_s = arrival_s(p, hsp);
        inbox_times_add(&e->inbox.arrivals, now_s);
        if (p->pass.tasks.hsps[hsp].closes)
            close_cluster(e, p, now_s);
        e->hsps++;
        struct task *last = e->end > e->first ? &e->tasks[e->end - 1] : NULL;
        if (last && last->pass == p && last->count > 0)
            last->count++;
        else
            append(e, (struct task){.pass = p, .first = hsp, .count = 1});
    } else if (!p->ended) {
        const double now_s = next_event_s(p);
        p->ended = true;
        close_cluster(e, p, now_s);
    } else {
        p->left = true;
        p->pass.end_s = fmax(p->pass.end_s, p->pass.begin_s + p->pass.board_s);
    }
}

static double cycles_of(const struct engine *e, const struct stage3_hsp *hsp)
{
    return e->work.cycles_per_check + hsp->cells * e->work.cycles_per_cell;
}

/* Take a cluster, or a batch from the front of a task: a core's share of the HSPs that are there. @return false if
 * there is none */
static bool take_task(struct engine *e, struct task *task)
{
    if (e->first == e->end)
        return false;
    const struct hardware *hardware = e->run->hardware;
    const uint64_t share = (e->hsps + hardware->host_cores - 1) / hardware->host_cores;
    const size_t most = share < hardware->stage3_batch ? share : hardware->stage3_batch;
    struct task *front = &e->tasks[e->first];
    *task = *front;
    if (front->count > 0) {
        *task =
            (struct task){.pass = front->pass, .first = front->first, .cluster = front->pass->taken_clusters};
        for (bool waits = false; task->count < front->count && task->count < most && !waits; task->count++) {
            const struct stage3_hsp *hsp = &front->pass->pass.tasks.hsps[task->first + task->count];
            task->cluster += hsp->closes;
            task->cycles += cycles_of(e, hsp);
            waits = hsp->waits;
        }
        front->pass->taken_clusters = task->cluster;
        front->first += task->count;
        front->count -= task->count;
        e->hsps -= task->count;
    }
    e->first += front->count == 0;
    return true;
}

/* --- building tables ------------------------------------------------------------------------------------- */

/* One more pass begins, so that the tables of another one can be built. */
static void count_start(struct engine *e)
{
    e->started++;
    wake_cores(e);
}

/* Passes begin in their order, when all is built that they wait for. All that follows from a change happens before
 * another actor runs. */
static void start_waiting(struct engine *e)
{
    for (uint32_t i = 0; i < e->run->hardware->boards; i++) {
        struct board *board = &e->boards[i];
        const size_t next = board->number + 1;
        if (!board->waits || board->number != e->started || !e->passes[board->number].is_done ||
            (e->run->hardware->overlap == OVERLAP_TABLES && next < e->run->pass_count &&
             !e->passes[next].is_done))
            continue;
        board->waits = false;
        count_start(e);
        sg_sem_release(board->turn);
        i = UINT32_MAX; /* from the first board on again */
    }
}

/* A board is free for a pass, and waits for its tables. @return the time for which it has waited */
static double wait_for_tables(struct engine *e, struct board *board, size_t number)
{
    const double free_s = simgrid_get_clock();
    board->number = number;
    board->waits = true;
    start_waiting(e);
    while (board->waits && !e->ended)
        sg_sem_acquire(board->turn);
    return simgrid_get_clock() - free_s;
}

/* @param number  out: of the pass whose tables are next, if they can be built */
static bool take_build(struct engine *e, size_t *number)
{
    if (!e->passes || e->building == e->run->pass_count ||
        e->building >= e->started + e->run->hardware->host_build_ahead)
        return false;
    *number = e->building++;
    return true;
}

static void build(struct core *core, size_t number)
{
    struct engine *e = core->engine;
    struct built *built = &e->passes[number];
    const double begin_s = simgrid_get_clock(),
                 cycles = host_build_cycles(e->run->hardware, e->run->build_operations[number]);
    if (cycles > 0)
        sg_actor_execute(cycles);
    const double end_s = simgrid_get_clock();
    struct open_pass *pass = built->pass;
    built->times = (struct task_times){begin_s, end_s, core->number};
    built->is_done = true;
    e->built++;
    e->result.build_s += end_s - begin_s;
    e->result.busy_s += end_s - begin_s;
    if (pass) {
        pass->pass.build = built->times;
        pass->pass.end_s = fmax(pass->pass.end_s, end_s);
        pass->undone--;
        check_pass(e, pass);
    }
    start_waiting(e);
    check_end(e);
    if (cycles > 0)
        sg_actor_yield(); /* other cores end their tasks before this one looks for one */
}

/* --- boards ---------------------------------------------------------------------------------------------- */

/* @return NULL if no pass is left, or after an error */
static struct open_pass *begin_pass(struct engine *e, struct board *board)
{
    const size_t nth = e->begun;
    struct host_pass pass = {.number = nth};
    double wait_s = 0;
    if (e->status || nth == e->run->pass_count)
        return NULL;
    const double *begin_s = e->run->begins_s ? &e->run->begins_s[nth] : NULL;
    e->begun++;
    if (begin_s && *begin_s > simgrid_get_clock())
        sg_actor_sleep_until(*begin_s);
    if (e->passes && begin_s)
        count_start(e);
    else if (e->passes)
        wait_s = wait_for_tables(e, board, nth);
    if (e->ended)
        return NULL;
    if (!e->run->load(e->run->data, &pass)) {
        fail(e, HOST_EPASS);
        return NULL;
    }
    pass.begin_s = begin_s ? *begin_s : simgrid_get_clock();
    if (!begin_s) {
        pass.board = (uint32_t)(board - e->boards);
        pass.build_wait_s = wait_s;
    }
    if (e->passes)
        pass.build = e->passes[nth].times;
    struct open_pass *open = open_pass(&pass, e->run->hardware);
    if (!open) {
        fail(e, HOST_EFILE);
    } else if (e->passes && !e->passes[nth].is_done) {
        e->passes[nth].pass = open;
        open->undone++;
    }
    return open;
}

/* All that comes now, but for rounding, comes before a core looks, on whichever board: of what comes at the same time
 * that of earlier passes first. */
static void let_hsps_come(struct engine *e, double now_s)
{
    struct open_pass *first;
    do {
        double first_s = INFINITY;
        first = NULL;
        for (uint32_t i = 0; i < e->run->hardware->boards; i++) {
            struct open_pass *p = e->boards[i].streams;
            if (!p || p->ended)
                continue;
            const double at_s = next_event_s(p);
            const bool comes = at_s <= now_s || host_times_are_same(at_s, now_s);
            if (comes && (at_s < first_s || (at_s == first_s && p->pass.number < first->pass.number))) {
                first = p;
                first_s = at_s;
            }
        }
        if (first)
            stream_event(e, first);
    } while (first);
}

/* Let a pass's stream happen up to where its board is free. What comes at one time is there before a core looks. So is
 * what comes a rounding later: SimGrid would sleep for its precision, and passes would begin later and later. No other
 * actor runs between the pass's last event, which makes nothing ready, and what the board does then: a core that does
 * the pass's last task meanwhile would free the pass. */
static void stream(struct board *board, struct open_pass *pass)
{
    struct engine *e = board->engine;
    board->streams = pass;
    while (!pass->left && !e->ended) {
        const double next_s = next_event_s(pass);
        if (next_s - simgrid_get_clock() > SIMGRID_PRECISION_S)
            sg_actor_sleep_until(next_s);
        if (pass->ended) {
            stream_event(e, pass);
            continue;
        }
        let_hsps_come(e, next_s);
        wake_cores(e);
    }
    board->streams = NULL;
}

static void board_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct board *board = sg_actor_self_get_data();
    struct engine *e = board->engine;
    struct open_pass *pass;
    while ((pass = begin_pass(e, board)) != NULL) {
        stream(board, pass);
        e->result.boards_end_s = simgrid_get_clock();
        if (e->run->hardware->overlap == OVERLAP_SERIAL && !is_done(pass) && !e->ended) {
            board->pass = pass;
            sg_sem_acquire(board->done);
        }
        if (is_done(pass))
            finish_pass(e, pass);
        check_end(e);
    }
}

/* --- cores ----------------------------------------------------------------------------------------------- */

/* Spread the time of a batch over its HSPs in proportion to their cycles. */
static void set_times(const struct engine *e, const struct task *task, struct task_times times)
{
    const struct host_pass *pass = &task->pass->pass;
    const double second_per_cycle = task->cycles > 0 ? (times.end_s - times.begin_s) / task->cycles : 0;
    double at_s = times.begin_s;
    for (size_t i = task->first; i < task->first + task->count; i++) {
        const double until_s = at_s + second_per_cycle * cycles_of(e, &pass->tasks.hsps[i]);
        pass->hsps[i] = (struct task_times){at_s, until_s, times.core};
        at_s = until_s;
    }
    if (task->count > 0)
        pass->hsps[task->first + task->count - 1].end_s = times.end_s;
    else
        pass->clusters[task->first] = times;
}

/* A core has done a task. */
static void end_task(struct engine *e, const struct task *task, struct task_times times)
{
    struct open_pass *p = task->pass;
    const double work_s = times.end_s - times.begin_s;
    set_times(e, task, times);
    e->result.busy_s += work_s;
    p->pass.end_s = fmax(p->pass.end_s, times.end_s);
    if (task->count == 0) {
        e->result.longest_s = fmax(e->result.longest_s, work_s);
        p->undone--;
        return;
    }
    p->undone -= task->count;
    if (p->pass.tasks.hsps[task->first + task->count - 1].waits && --p->waiting[task->cluster] == 0 &&
        task->cluster < p->came_clusters)
        cluster_is_ready(e, p, task->cluster, times.end_s);
}

/* The HSPs of a task leave the inbox one after the other, if the core works undisturbed. SimGrid's time is rounded: it
 * may lie before that of an HSP which has just come. */
static void work_on(struct core *core, const struct task *task)
{
    struct engine *e = core->engine;
    const double begin_s = simgrid_get_clock();
    double at_s = begin_s;
    inbox_tap_run(&e->inbox, begin_s);
    for (size_t i = task->first; i < task->first + task->count; i++) {
        inbox_times_add(&e->inbox.begins, fmax(at_s, arrival_s(task->pass, i)));
        at_s += hsp_work_s(&e->work, &task->pass->pass.tasks.hsps[i]);
    }
    if (task->cycles > 0)
        sg_actor_execute(task->cycles); /* the host's speed is one flop per clock */
    end_task(e, task, (struct task_times){begin_s, simgrid_get_clock(), core->number});
    check_pass(e, task->pass); /* no other actor has run since the task was done */
    if (e->end > e->first)
        wake_cores(e);
    if (task->cycles > 0)
        sg_actor_yield(); /* other cores end their tasks before this one looks for one */
}

static void core_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct core *core = sg_actor_self_get_data();
    struct engine *e = core->engine;
    struct task task;
    size_t number;
    for (; !e->ended; let_hsps_come(e, simgrid_get_clock()))
        if (take_build(e, &number)) {
            build(core, number);
        } else if (take_task(e, &task)) {
            work_on(core, &task);
        } else {
            core->is_idle = true;
            sg_sem_acquire(core->bell);
        }
}

/* --- the agent ------------------------------------------------------------------------------------------- */

/* The agent works beside stage 3, on any core, with at most its share of one core. It waits for no piece of its work
 * and ends each itself: SimGrid frees a piece when one actor cancels it, although another one waits for it. */
static void agent_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct engine *e = sg_actor_self_get_data();
    const double flops = e->agent_speed * AGENT_EXEC_S;
    while (!e->ended) {
        sg_exec_t exec = sg_actor_exec_init(flops);
        sg_exec_set_bound(exec, e->agent_speed);
        sg_exec_start(exec);
        sg_sem_acquire_timeout(e->agent_bell, AGENT_EXEC_S / 2);
        e->agent_flops += flops - sg_exec_get_remaining(exec);
        sg_exec_cancel(exec);
    }
}

/* --- setting up ------------------------------------------------------------------------------------------ */

static void set_up(struct engine *e, const char *platform_file)
{
    simgrid_engine_start(platform_file);
    sg_host_t host = sg_host_by_name("host");
    for (uint32_t i = 0; i < e->run->hardware->host_cores; i++) {
        e->cores[i] = (struct core){.engine = e, .number = i, .bell = sg_sem_init(0)};
        simgrid_engine_add_actor("stage 3", host, core_actor, &e->cores[i]);
    }
    for (uint32_t i = 0; i < e->run->hardware->boards; i++) {
        e->boards[i] = (struct board){.engine = e, .done = sg_sem_init(0), .turn = sg_sem_init(0)};
        simgrid_engine_add_actor("board", host, board_actor, &e->boards[i]);
    }
    e->agent_bell = e->agent_speed > 0 ? sg_sem_init(0) : NULL;
    if (e->agent_bell)
        simgrid_engine_add_actor("agent", host, agent_actor, e);
}

int host_actors_run(const struct host_schedule *run, const char *platform_file, double agent_share,
                    struct host_schedule_result *result, double *agent_s)
{
    struct engine e = {.run = run,
                       .work = hsp_work_of(run->hardware),
                       .cores = memory_new(run->hardware->host_cores, sizeof *e.cores),
                       .boards = memory_new(run->hardware->boards, sizeof *e.boards),
                       .passes =
                           host_schedule_builds(run) ? memory_new(run->pass_count, sizeof *e.passes) : NULL,
                       .agent_speed = agent_share * run->hardware->host_clock_hz};
    inbox_tap_init(&e.inbox, run->hardware->fpga_clock_hz);
    set_up(&e, platform_file);
    simgrid_run();
    e.result.end_s = simgrid_get_clock();
    if (!hardware_counts_clocks(run->hardware, e.result.end_s))
        fail(&e, HOST_ELONG);
    else if (e.status == 0)
        e.result.inbox = *inbox_tap_close(&e.inbox, e.result.end_s);
    *result = e.result;
    *agent_s = e.agent_flops / run->hardware->host_clock_hz;
    inbox_tap_destroy(&e.inbox);
    free(e.tasks);
    free(e.cores);
    free(e.boards);
    free(e.passes);
    return e.status;
}
