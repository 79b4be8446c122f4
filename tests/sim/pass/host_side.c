#include "tests/sim/pass/host_side.h"

#include <check.h>

#include "sim/pass/run_host.h"

void host_side_hand_over(struct host_pass *pass, FILE *file)
{
    ck_assert_uint_eq(fwrite(pass, sizeof *pass, 1, file), 1);
    ck_assert(stage3_tasks_write(&pass->tasks, true, file));
    ck_assert_int_eq(fflush(file), 0);
    stage3_tasks_destroy(&pass->tasks);
}

static void take_over(struct run_host *run, FILE *file)
{
    struct host_pass pass;
    struct why why;
    rewind(file);
    ck_assert_uint_eq(fread(&pass, sizeof pass, 1, file), 1);
    ck_assert(stage3_tasks_read(&pass.tasks, file));
    ck_assert_msg(run_host_add(run, &pass, &why) == 0, "%s", why.line);
    stage3_tasks_destroy(&pass.tasks);
}

/* What completes the frame. */
struct completion {
    const struct hardware *hardware;
    struct frame *frame;
    uint64_t events;
};

static int complete(void *data, const struct host_pass *pass, struct why *why)
{
    struct completion *c = data;
    struct host_instruments instruments = {0};
    int status = run_host_fill(pass, c->hardware, &instruments, c->frame, why);
    c->events = instruments.events;
    return status;
}

struct host_side host_side_complete(FILE *file, const struct hardware *hardware, const char *platform_file,
                                    double agent_share, struct frame *frame)
{
    struct run_host *run = run_host_new(hardware, platform_file, 1);
    struct completion completion = {hardware, frame, 0};
    struct host_run_result result;
    double agent_s = 0;
    struct why why = {""};
    take_over(run, file);
    int status = agent_share > 0
                     ? run_host_simulate(run, agent_share, complete, &completion, &result, &agent_s, &why)
                     : run_host_compute(run, false, complete, &completion, &result, &why);
    ck_assert_msg(status == 0, "%s", why.line);
    run_host_destroy(run);
    return (struct host_side){completion.events, agent_s};
}
