#include "sim/simgrid/host_actors.h"

#include <math.h>
#include <stdlib.h>

#include "sim/host/core_queue.h"
#include "sim/simgrid/simgrid_engine.h"

struct core {
    struct engine *engine;
    uint32_t number;
    sg_sem_t bell;
    bool is_idle;
};

/* What an open pass needs beside core_queue.h's. */
struct board {
    struct engine *engine;
    struct open_pass *pass; /* that the board waits for, if the run is serial */
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
    const struct host_run *run;
    struct core_queue queue;
    struct core *cores;
    struct board *boards;
    size_t begun, finished; /* number of passes */
    struct built *passes;   /* NULL: tables are built in no time */
    size_t built, building,
        started; /* number of passes whose tables are built; or being built; that have begun */
    double build_s;
    double boards_end_s;
    double agent_speed;  /* flops per second */
    sg_sem_t agent_bell; /* rings when all have ended */
    double agent_flops;  /* that the agent has done */
    bool ended;
    int status;
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
    for (uint32_t i = 0; i < e->run->boards; i++)
        if (e->boards[i].pass) {
            e->boards[i].pass = NULL;
            sg_sem_release(e->boards[i].done);
        }
    for (uint32_t i = 0; i < e->run->boards; i++)
        if (e->boards[i].waits)
            sg_sem_release(e->boards[i].turn);
    if (e->agent_bell)
        sg_sem_release(e->agent_bell);
}

static void fail(struct engine *e, enum host_run_error error)
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

/* --- building tables ------------------------------------------------------------------------------------- */

/* Whether all is built that a pass waits for. */
static bool has_tables(const struct engine *e, size_t number)
{
    const bool loads_next = e->run->loads_ahead && number + 1 < e->run->pass_count;
    return e->passes[number].is_done && (!loads_next || e->passes[number + 1].is_done);
}

/* One more pass begins, so that the tables of another one can be built. */
static void count_start(struct engine *e)
{
    e->started++;
    wake_cores(e);
}

/* Passes begin in their order. All that follows from a change happens before another actor runs. */
static void start_waiting(struct engine *e)
{
    for (uint32_t i = 0; i < e->run->boards; i++) {
        struct board *board = &e->boards[i];
        if (!board->waits || board->number != e->started || !has_tables(e, board->number))
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

/* --- boards ---------------------------------------------------------------------------------------------- */

static void finish_pass(struct engine *e, struct open_pass *pass)
{
    if (!e->run->finished(e->run->data, &pass->pass))
        fail(e, HOST_RUN_EPASS);
    open_pass_destroy(pass);
    e->finished++;
}

/* @return NULL if no pass is left, or after an error */
static struct open_pass *begin_pass(struct engine *e, struct board *board)
{
    const size_t nth = e->begun;
    struct host_pass pass = {.number = nth};
    double wait_s = 0;
    if (e->status || e->begun == e->run->pass_count)
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
        fail(e, HOST_RUN_EPASS);
        return NULL;
    }
    pass.begin_s = begin_s ? *begin_s : simgrid_get_clock();
    if (!begin_s) {
        pass.board = (uint32_t)(board - e->boards);
        pass.build_wait_s = wait_s;
    }
    if (e->passes)
        pass.build = e->passes[nth].times;
    struct open_pass *open =
        stage3_tasks_bring_back(&pass.tasks) ? open_pass_new(&pass, e->run->hardware) : NULL;
    if (!open) {
        stage3_tasks_destroy(&pass.tasks);
        fail(e, HOST_RUN_EMEMORY);
        return NULL;
    }
    if (e->passes && !e->passes[nth].is_done) {
        e->passes[nth].pass = open;
        open->undone++;
    }
    return open;
}

/* Let what comes next on a pass's board happen. What comes at one time is there before a core looks. No other actor
 * runs between the pass's last event, which makes nothing ready, and what the board does then: a core that does the
 * pass's last task meanwhile would free the pass. */
static bool stream_event(struct engine *e, struct open_pass *pass, double now_s)
{
    if (pass->ended)
        return core_queue_stream(&e->queue, pass);
    bool whole = true;
    while (whole && !pass->ended && open_pass_next_s(pass) <= now_s)
        whole = core_queue_stream(&e->queue, pass);
    wake_cores(e);
    return whole;
}

/* Let a pass's stream happen up to where its board is free. */
static void stream(struct engine *e, struct open_pass *pass)
{
    while (!pass->left && !e->ended) {
        double next_s = open_pass_next_s(pass);
        if (next_s > simgrid_get_clock())
            sg_actor_sleep_until(next_s);
        if (!stream_event(e, pass, next_s))
            fail(e, HOST_RUN_EMEMORY);
    }
}

static void board_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct board *board = sg_actor_self_get_data();
    struct engine *e = board->engine;
    struct open_pass *pass;
    while ((pass = begin_pass(e, board)) != NULL) {
        stream(e, pass);
        e->boards_end_s = simgrid_get_clock();
        if (e->run->serial && !open_pass_is_done(pass) && !e->ended) {
            board->pass = pass;
            sg_sem_acquire(board->done);
        }
        if (open_pass_is_done(pass))
            finish_pass(e, pass);
        check_end(e);
    }
}

/* --- cores ----------------------------------------------------------------------------------------------- */

static void pass_is_done(struct engine *e, struct open_pass *pass)
{
    for (uint32_t i = 0; i < e->run->boards; i++)
        if (e->boards[i].pass == pass) {
            e->boards[i].pass = NULL;
            sg_sem_release(e->boards[i].done);
            return;
        }
    finish_pass(e, pass);
    check_end(e);
}

static void work_on(struct core *core, const struct core_task *task)
{
    struct engine *e = core->engine;
    double begin_s = simgrid_get_clock();
    if (!core_queue_begin(&e->queue, task, begin_s))
        fail(e, HOST_RUN_EMEMORY);
    if (task->cycles > 0)
        sg_actor_execute(task->cycles); /* the host's speed is one flop per clock */
    if (!core_queue_done(&e->queue, task, core->number, begin_s, simgrid_get_clock()))
        fail(e, HOST_RUN_EMEMORY);
    if (open_pass_is_done(task->pass)) /* no other actor has run since the task was done */
        pass_is_done(e, task->pass);
    if (e->queue.count > 0)
        wake_cores(e);
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
    e->build_s += end_s - begin_s;
    e->queue.busy_s += end_s - begin_s;
    if (pass) {
        pass->pass.build = built->times;
        pass->pass.end_s = fmax(pass->pass.end_s, end_s);
        pass->undone--;
    }
    if (pass && open_pass_is_done(pass))
        pass_is_done(e, pass);
    start_waiting(e);
    check_end(e);
}

static void core_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct core *core = sg_actor_self_get_data();
    struct engine *e = core->engine;
    struct core_task task;
    size_t number;
    while (!e->ended) {
        if (take_build(e, &number)) {
            build(core, number);
            continue;
        }
        if (core_queue_take(&e->queue, &task)) {
            work_on(core, &task);
            continue;
        }
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
    simgrid_engine_make_stacks_small();
    sg_host_t host = sg_host_by_name("host");
    for (uint32_t i = 0; i < e->run->hardware->host_cores; i++) {
        e->cores[i] = (struct core){.engine = e, .number = i, .bell = sg_sem_init(0)};
        simgrid_engine_add_actor("stage 3", host, core_actor, &e->cores[i]);
    }
    for (uint32_t i = 0; i < e->run->boards; i++) {
        e->boards[i] = (struct board){.engine = e, .done = sg_sem_init(0), .turn = sg_sem_init(0)};
        simgrid_engine_add_actor("board", host, board_actor, &e->boards[i]);
    }
    e->agent_bell = e->agent_speed > 0 ? sg_sem_init(0) : NULL;
    if (e->agent_bell)
        simgrid_engine_add_actor("agent", host, agent_actor, e);
}

int host_actors_run(const struct host_run *run, const char *platform_file, double agent_share,
                    struct host_run_result *result, double *agent_s)
{
    struct engine e = {.run = run, .agent_speed = agent_share * run->hardware->host_clock_hz};
    core_queue_init(&e.queue, run->hardware);
    e.cores = calloc(run->hardware->host_cores, sizeof *e.cores);
    e.boards = calloc(run->boards, sizeof *e.boards);
    e.passes = host_run_builds(run) ? calloc(run->pass_count + 1, sizeof *e.passes) : NULL;
    if (e.cores && e.boards && (!host_run_builds(run) || e.passes)) {
        set_up(&e, platform_file);
        simgrid_run();
        *result = (struct host_run_result){
            .end_s = simgrid_get_clock(), .boards_end_s = e.boards_end_s, .build_s = e.build_s};
        *agent_s = e.agent_flops / run->hardware->host_clock_hz;
        if (!hardware_counts_clocks(run->hardware, result->end_s))
            fail(&e, HOST_RUN_ELONG);
        if (e.status == 0 && !core_queue_end(&e.queue, result->end_s, result))
            fail(&e, HOST_RUN_EMEMORY);
    } else {
        fail(&e, HOST_RUN_EMEMORY);
    }
    core_queue_destroy(&e.queue);
    free(e.cores);
    free(e.boards);
    free(e.passes);
    return e.status;
}
