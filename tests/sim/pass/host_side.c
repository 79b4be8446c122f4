#include "tests/sim/pass/host_side.h"

#include <check.h>

#include "sim/pass/joined_hosts.h"

void host_side_hand_over(struct host_pass *pass, FILE *file)
{
    ck_assert_uint_eq(fwrite(pass, sizeof *pass, 1, file), 1);
    ck_assert(stage3_tasks_write(&pass->tasks, true, file));
    ck_assert_int_eq(fflush(file), 0);
    stage3_tasks_destroy(&pass->tasks);
}

/* What completes the frame. */
struct completion {
    const struct hardware *hardware;
    struct frame *frame;
};

static int complete(void *data, const struct host_pass *pass, struct why *why)
{
    struct completion *c = data;
    struct host_instruments instruments = {0};
    return joined_hosts_fill(pass, c->hardware, &instruments, c->frame, why);
}

double host_side_complete(FILE *file, const struct hardware *hardware, const char *platform_file,
                          double agent_share, struct frame *frame)
{
    struct completion completion = {hardware, frame};
    const struct joined_hosts_request request = {.hardware = hardware,
                                                 .platform_file = platform_file,
                                                 .query.pass_count = 1,
                                                 .take = complete,
                                                 .data = &completion,
                                                 .agent_share = agent_share};
    struct joined_hosts *run = joined_hosts_new(&request);
    struct joined_hosts_result result;
    struct host_pass pass;
    struct why why = {""};
    rewind(file);
    ck_assert_uint_eq(fread(&pass, sizeof pass, 1, file), 1);
    ck_assert(stage3_tasks_read(&pass.tasks, NULL, file));
    ck_assert_msg(joined_hosts_add(run, &pass, &why) == 0, "%s", why.line);
    stage3_tasks_destroy(&pass.tasks);
    ck_assert_msg(joined_hosts_end(run, &result, &why) == 0, "%s", why.line);
    joined_hosts_destroy(run);
    return result.agent_s;
}
