#include "sim/host/host_times.h"

#include <math.h>
#include <stdlib.h>

#include "sim/host/core_queue.h"

struct core {
    struct core_task task;
    double begin_s, end_s; /* end_s is INFINITY if the core has no task */
};

struct engine {
    const struct host_run *run;
    struct core_queue queue;
    struct open_pass **boards; /* the pass of each board; NULL if none is left for it */
    struct core *cores;
    size_t begun; /* number of passes */
    double now_s, boards_end_s;
    int status;
};

static void fail(struct engine *e, enum host_run_error error)
{
    if (e->status == 0)
        e->status = error;
}

/* --- passes ---------------------------------------------------------------------------------------------- */

/* @return NULL if no pass is left, or after an error */
static struct open_pass *begin_pass(struct engine *e)
{
    struct host_pass pass = {.number = e->begun};
    if (e->status || e->begun == e->run->pass_count)
        return NULL;
    e->begun++;
    if (!e->run->load(e->run->data, &pass)) {
        fail(e, HOST_RUN_EPASS);
        return NULL;
    }
    pass.begin_s = e->now_s;
    struct open_pass *open = open_pass_new(&pass, e->run->hardware);
    if (!open) {
        stage3_tasks_destroy(&pass.tasks);
        fail(e, HOST_RUN_EMEMORY);
    }
    return open;
}

static void finish_pass(struct engine *e, struct open_pass *pass)
{
    if (!e->run->finished(e->run->data, &pass->pass))
        fail(e, HOST_RUN_EPASS);
    open_pass_destroy(pass);
}

static void board_is_free(struct engine *e, uint32_t board)
{
    struct open_pass *pass = e->boards[board];
    bool done = open_pass_is_done(pass);
    if (e->run->serial && !done)
        return;
    e->boards[board] = begin_pass(e);
    if (done)
        finish_pass(e, pass);
}

static void board_event(struct engine *e, uint32_t board)
{
    struct open_pass *pass = e->boards[board];
    if (!core_queue_stream(&e->queue, pass))
        fail(e, HOST_RUN_EMEMORY);
    if (!pass->left)
        return;
    e->boards_end_s = e->now_s;
    board_is_free(e, board);
}

/* The board on which a pass still is, or the number of boards. */
static uint32_t board_of(const struct engine *e, const struct open_pass *pass)
{
    uint32_t board = 0;
    while (board < e->run->boards && e->boards[board] != pass)
        board++;
    return board;
}

/* --- cores ----------------------------------------------------------------------------------------------- */

static void core_event(struct engine *e, uint32_t number)
{
    struct core *core = &e->cores[number];
    struct open_pass *pass = core->task.pass;
    if (!core_queue_done(&e->queue, &core->task, number, core->begin_s, core->end_s))
        fail(e, HOST_RUN_EMEMORY);
    core->end_s = INFINITY;
    if (!open_pass_is_done(pass))
        return;
    uint32_t board = board_of(e, pass);
    if (board < e->run->boards)
        board_is_free(e, board);
    else
        finish_pass(e, pass);
}

static void give_tasks(struct engine *e)
{
    for (uint32_t i = 0; i < e->run->hardware->host_cores && e->status == 0; i++) {
        struct core *core = &e->cores[i];
        if (core->end_s < INFINITY || !core_queue_take(&e->queue, &core->task))
            continue;
        core->begin_s = e->now_s;
        core->end_s = e->now_s + core->task.cycles / e->run->hardware->host_clock_hz;
        if (!core_queue_begin(&e->queue, &core->task, e->now_s))
            fail(e, HOST_RUN_EMEMORY);
    }
}

/* --- the run --------------------------------------------------------------------------------------------- */

/* Let the next event happen: of cores first, if there are several at a time. @return false if there is none */
static bool step(struct engine *e)
{
    uint32_t core = 0, board = 0;
    double board_s = INFINITY;
    for (uint32_t i = 1; i < e->run->hardware->host_cores; i++)
        if (e->cores[i].end_s < e->cores[core].end_s)
            core = i;
    for (uint32_t i = 0; i < e->run->boards; i++)
        if (e->boards[i] && open_pass_next_s(e->boards[i]) < board_s) {
            board = i;
            board_s = open_pass_next_s(e->boards[i]);
        }
    e->now_s = fmin(e->cores[core].end_s, board_s);
    if (isinf(e->now_s))
        return false;
    if (e->cores[core].end_s <= board_s)
        core_event(e, core);
    else
        board_event(e, board);
    give_tasks(e);
    return e->status == 0;
}

static void run_to_end(struct engine *e, struct host_run_result *result)
{
    double end_s = 0;
    for (uint32_t i = 0; i < e->run->hardware->host_cores; i++)
        e->cores[i].end_s = INFINITY;
    for (uint32_t i = 0; i < e->run->boards; i++)
        e->boards[i] = begin_pass(e);
    while (step(e))
        end_s = e->now_s;
    *result = (struct host_run_result){.end_s = end_s, .boards_end_s = e->boards_end_s};
    if (e->status == 0 && !core_queue_end(&e->queue, end_s, result))
        fail(e, HOST_RUN_EMEMORY);
}

static void destroy_open_passes(struct engine *e)
{
    for (uint32_t i = 0; e->boards && i < e->run->boards; i++)
        open_pass_destroy(e->boards[i]);
}

int host_times_compute(const struct host_run *run, struct host_run_result *result)
{
    struct engine e = {.run = run};
    core_queue_init(&e.queue, run->hardware);
    e.boards = calloc(run->boards, sizeof(struct open_pass *));
    e.cores = calloc(run->hardware->host_cores, sizeof *e.cores);
    if (e.boards && e.cores)
        run_to_end(&e, result);
    else
        fail(&e, HOST_RUN_EMEMORY);
    destroy_open_passes(&e);
    core_queue_destroy(&e.queue);
    free(e.boards);
    free(e.cores);
    return e.status;
}
