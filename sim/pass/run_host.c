#include "sim/pass/run_host.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/child_words.h"
#include "base/file/scratch_file.h"
#include "base/process/signals.h"
#include "sim/measure/machine_frame.h"
#include "sim/host/host_times.h"
#include "sim/host/task_log.h"
#include "sim/pass/pass_simulation.h"
#include "sim/simgrid/simgrid_module.h"

/* What the child tells, in memory that it shares with its parent. */
struct told {
    int status; /* of struct host_run, or 1 until the child has ended as it should */
    struct host_run_result result;
    double agent_s;
    struct told_pass {
        double begin_s, end_s;
        struct task_times build;
        double build_wait_s;
        uint32_t board;
        size_t clusters; /* number of those with cells */
        off_t times;     /* where its times are in the file of times */
    } passes[];
};

struct run_host {
    const struct hardware *hardware;
    const char *platform_file;
    size_t pass_count, added;
    FILE *tasks, *times;
    off_t *at; /* where each pass is in the file of tasks */
    /* Of boards that hinge on each other: when each pass begins, and the passes in this order. */
    struct begin {
        double begin_s;
        size_t pass;
        uint64_t operations;
    } * begins;
    double *begins_s;     /* in this order */
    uint64_t *operations; /* of building tables; likewise, or of the passes that were added */
    struct told *told;
    struct host_times *following; /* NULL: passes are kept in the file of tasks */
    /* A ring of the passes that were added and that it has not loaded yet. */
    struct host_pass *added_passes;
    size_t loaded, room;
    /* Of run_host_compute() and run_host_follow(): */
    bool check;
    host_pass_taker *take;
    void *data;
    struct why *why;
    int status;
};

static size_t told_bytes(size_t pass_count)
{
    return sizeof(struct told) + pass_count * sizeof(struct told_pass);
}

struct run_host *run_host_new(const struct hardware *hardware, const char *platform_file, size_t pass_count)
{
    struct run_host *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    *h = (struct run_host){.hardware = hardware, .platform_file = platform_file, .pass_count = pass_count};
    h->tasks = scratch_file_open();
    h->times = scratch_file_open();
    h->at = calloc(pass_count + 1, sizeof *h->at);
    h->begins = calloc(pass_count + 1, sizeof *h->begins);
    h->begins_s = calloc(pass_count + 1, sizeof *h->begins_s);
    h->operations = calloc(pass_count + 1, sizeof *h->operations);
    h->told = mmap(NULL, told_bytes(pass_count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (h->told == MAP_FAILED)
        h->told = NULL;
    if (h->tasks && h->times && h->at && h->begins && h->begins_s && h->operations && h->told)
        return h;
    run_host_destroy(h);
    return NULL;
}

void run_host_destroy(struct run_host *h)
{
    if (!h)
        return;
    host_times_destroy(h->following);
    for (size_t i = h->loaded; h->added_passes && i < h->added; i++)
        stage3_tasks_destroy(&h->added_passes[i % h->room].tasks);
    if (h->tasks)
        fclose(h->tasks);
    if (h->times)
        fclose(h->times);
    if (h->told)
        munmap(h->told, told_bytes(h->pass_count));
    free(h->at);
    free(h->begins);
    free(h->begins_s);
    free(h->operations);
    free(h->added_passes);
    free(h);
}

void host_pass_destroy(struct host_pass *pass)
{
    stage3_tasks_destroy(&pass->tasks);
    free(pass->hsps);
    free(pass->clusters);
    pass->hsps = pass->clusters = NULL;
}

static int explain(int status, int exit_status, struct why *why)
{
    if (status == HOST_RUN_EMEMORY)
        return why_no_memory(why, PASS_EMEMORY);
    if (WIFSIGNALED(exit_status))
        return why_say(why, PASS_EPROCESS, "the process of the host's cores was ended by signal %d (%s)",
                       WTERMSIG(exit_status), strsignal(WTERMSIG(exit_status)));
    if (status == HOST_RUN_ELONG)
        return pass_explain_long_run(why);
    if (status == HOST_RUN_EFILE)
        return why_say(why, PASS_EFILE, "the tasks of stage 3 cannot be read back, or memory is out");
    return scratch_file_refuse_bytes("what the host's cores do", why, PASS_EFILE);
}

/* What host_times.h answers, unless a pass was refused. */
static int explain_times(const struct run_host *h, int status)
{
    return h->status ? h->status : status ? explain(status, 0, h->why) : 0;
}

static int keep_pass(struct run_host *h, struct host_pass *pass, struct why *why)
{
    h->begins[pass->number] = (struct begin){pass->begin_s, pass->number, pass->build_operations};
    h->at[pass->number] = ftello(h->tasks);
    bool kept =
        fwrite(pass, sizeof *pass, 1, h->tasks) == 1 && stage3_tasks_write(&pass->tasks, true, h->tasks);
    stage3_tasks_destroy(&pass->tasks);
    return kept ? 0 : scratch_file_refuse_bytes("the tasks of stage 3", why, PASS_EFILE);
}

int run_host_add(struct run_host *h, struct host_pass *pass, struct why *why)
{
    pass->number = h->added++;
    h->operations[pass->number] = pass->build_operations;
    if (!h->following)
        return keep_pass(h, pass, why);
    h->added_passes[pass->number % h->room] = *pass;
    pass->tasks = (struct stage3_tasks){0};
    h->why = why;
    return explain_times(h, host_times_advance(h->following, h->added));
}

static bool read_pass(struct run_host *h, size_t number, struct host_pass *pass)
{
    return fseeko(h->tasks, h->at[number], SEEK_SET) == 0 && fread(pass, sizeof *pass, 1, h->tasks) == 1 &&
           stage3_tasks_read(&pass->tasks, h->tasks);
}

/* --- the engines ----------------------------------------------------------------------------------------- */

static bool load(void *data, struct host_pass *pass)
{
    struct run_host *h = data;
    return read_pass(h, h->begins[pass->number].pass, pass) &&
           (!h->check || stage3_tasks_bring_back(&pass->tasks));
}

static int compare_begins(const void *left, const void *right)
{
    const struct begin *a = left, *b = right;
    return a->begin_s != b->begin_s ? (a->begin_s < b->begin_s ? -1 : 1)
                                    : (a->pass > b->pass) - (a->pass < b->pass);
}

/* Boards that hinge on each other have said when passes begin; otherwise passes begin in their order. */
static void order_passes(struct run_host *h)
{
    if (!hardware_couples_boards(h->hardware))
        return;
    qsort(h->begins, h->added, sizeof *h->begins, compare_begins);
    for (size_t i = 0; i < h->added; i++)
        h->begins_s[i] = h->begins[i].begin_s;
    for (size_t i = 0; i < h->added; i++)
        h->operations[i] = h->begins[i].operations;
}

static bool keep_times(void *data, const struct host_pass *pass)
{
    struct run_host *h = data;
    const struct stage3_tasks *t = &pass->tasks;
    h->told->passes[pass->number] = (struct told_pass){.begin_s = pass->begin_s,
                                                       .end_s = pass->end_s,
                                                       .build = pass->build,
                                                       .build_wait_s = pass->build_wait_s,
                                                       .board = pass->board,
                                                       .clusters = pass->cluster_count,
                                                       .times = ftello(h->times)};
    return fwrite(pass->hsps, sizeof *pass->hsps, t->hsp_count, h->times) == t->hsp_count &&
           fwrite(pass->clusters, sizeof *pass->clusters, pass->cluster_count, h->times) ==
               pass->cluster_count;
}

static struct host_run run_of(struct run_host *h)
{
    return (struct host_run){
        .hardware = h->hardware,
        .pass_count = h->pass_count,
        .boards = h->hardware->boards,
        .serial = h->hardware->overlap == OVERLAP_SERIAL,
        .begins_s = hardware_couples_boards(h->hardware) ? h->begins_s : NULL,
        .build_operations = h->operations,
        .loads_ahead = h->hardware->overlap == OVERLAP_TABLES,
        .load = load,
        .finished = keep_times,
        .data = h,
    };
}

static void simulate(struct run_host *h, const struct simgrid_module *simgrid, double agent_share)
{
    const struct host_run run = run_of(h);
    int status = simgrid->run_host(&run, h->platform_file, agent_share, &h->told->result, &h->told->agent_s);
    if (status == 0 && fflush(h->times) != 0)
        status = HOST_RUN_EPASS;
    h->told->status = status;
}

/* --- in the parent --------------------------------------------------------------------------------------- */

/* Run SimGrid's engine in a child, which keeps the times. */
static int run_child(struct run_host *h, double agent_share, struct host_run_result *result, double *agent_s,
                     struct why *why)
{
    const struct simgrid_module *simgrid = simgrid_module(why);
    int exit_status = 0;
    if (!simgrid)
        return PASS_EENGINE;
    h->told->status = 1;
    rewind(h->times);
    fflush(NULL);
    int words = child_words_new();
    pid_t process = signals_fork();
    if (process == 0) {
        child_words_keep(words);
        simulate(h, simgrid, agent_share);
        _exit(0);
    }
    if (process < 0 || waitpid(process, &exit_status, 0) < 0) {
        child_words_drop(words);
        return why_say(why, errno == ENOMEM ? PASS_EMEMORY : PASS_EPROCESS,
                       "cannot start a process for the host's cores: %s", strerror(errno));
    }
    if (child_words_end(words, exit_status))
        h->told->status = HOST_RUN_EMEMORY;
    if (exit_status || h->told->status)
        return explain(h->told->status, exit_status, why);
    *result = h->told->result;
    *agent_s = h->told->agent_s;
    return 0;
}

static bool read_times(struct run_host *h, struct host_pass *pass)
{
    const struct told_pass *told = &h->told->passes[pass->number];
    const struct stage3_tasks *t = &pass->tasks;
    pass->begin_s = told->begin_s;
    pass->end_s = told->end_s;
    pass->board = told->board;
    pass->build = told->build;
    pass->build_wait_s = told->build_wait_s;
    pass->cluster_count = told->clusters;
    pass->hsps = malloc((t->hsp_count + 1) * sizeof *pass->hsps);
    pass->clusters = malloc((pass->cluster_count + 1) * sizeof *pass->clusters);
    return pass->hsps && pass->clusters && fseeko(h->times, told->times, SEEK_SET) == 0 &&
           fread(pass->hsps, sizeof *pass->hsps, t->hsp_count, h->times) == t->hsp_count &&
           fread(pass->clusters, sizeof *pass->clusters, pass->cluster_count, h->times) ==
               pass->cluster_count;
}

static int read_kept(struct run_host *h, size_t number, struct host_pass *pass, struct why *why)
{
    *pass = (struct host_pass){0};
    if (!read_pass(h, number, pass) || !stage3_tasks_bring_back(&pass->tasks))
        return why_say(why, PASS_EFILE, "the tasks of stage 3 cannot be read back, or memory is out");
    if (read_times(h, pass))
        return 0;
    host_pass_destroy(pass);
    return why_say(why, PASS_EFILE, "the times of stage 3 cannot be read back, or memory is out");
}

int run_host_simulate(struct run_host *h, double agent_share, host_pass_taker *take, void *data,
                      struct host_run_result *result, double *agent_s, struct why *why)
{
    order_passes(h);
    int status = run_child(h, agent_share, result, agent_s, why);
    for (size_t i = 0; i < h->pass_count && status == 0; i++) {
        struct host_pass pass;
        status = read_kept(h, i, &pass, why);
        if (status == 0)
            status = take(data, &pass, why);
        host_pass_destroy(&pass);
    }
    return status;
}

/* --- without SimGrid ------------------------------------------------------------------------------------- */

/* A picosecond, or this part of a time above 1 s: SimGrid adds up the durations of all tasks, and doubles round. */
static bool differ(double a_s, double b_s)
{
    return fabs(a_s - b_s) > 1e-12 * fmax(1, b_s);
}

static bool are_same(const struct task_times *a, const struct task_times *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (differ(a[i].begin_s, b[i].begin_s) || differ(a[i].end_s, b[i].end_s))
            return false;
    return true;
}

/* Whether a pass, whose HSPs have these times, is what SimGrid made of it. */
static bool is_same_pass(const struct host_pass *pass, const struct task_times *hsps,
                         const struct host_pass *other)
{
    return !differ(pass->begin_s, other->begin_s) && are_same(&pass->build, &other->build, 1) &&
           are_same(hsps, other->hsps, pass->tasks.hsp_count) &&
           pass->cluster_count == other->cluster_count &&
           are_same(pass->clusters, other->clusters, pass->cluster_count);
}

/* Compare a pass with what SimGrid made of it. */
static int compare(struct run_host *h, const struct host_pass *pass)
{
    struct host_pass other;
    int status = read_kept(h, pass->number, &other, h->why);
    struct task_times *hsps = status == 0 ? task_reader_all(pass, h->hardware) : NULL;
    if (status == 0 && !hsps)
        status = why_no_memory(h->why, PASS_EMEMORY);
    if (status == 0 && !is_same_pass(pass, hsps, &other))
        status = why_say(h->why, PASS_EENGINE,
                         "pass %zu: SimGrid's cores and Mercury's do not agree to the picosecond: a bug of "
                         "Mercury's, please report it",
                         pass->number + 1);
    free(hsps);
    host_pass_destroy(&other);
    return status;
}

static bool take_pass(void *data, const struct host_pass *pass)
{
    struct run_host *h = data;
    h->status = h->check ? compare(h, pass) : 0;
    if (h->status == 0)
        h->status = h->take(h->data, pass, h->why);
    return h->status == 0;
}

int run_host_compute(struct run_host *h, bool check, host_pass_taker *take, void *data,
                     struct host_run_result *result, struct why *why)
{
    double agent_s;
    order_passes(h);
    struct host_run run = run_of(h);
    h->check = check;
    h->take = take;
    h->data = data;
    h->why = why;
    h->status = check ? run_child(h, 0, result, &agent_s, why) : 0;
    if (h->status)
        return h->status;
    run.finished = take_pass;
    return explain_times(h, host_times_compute(&run, result));
}

/* --- while passes are added ------------------------------------------------------------------------------- */

static bool load_added(void *data, struct host_pass *pass)
{
    struct run_host *h = data;
    *pass = h->added_passes[h->loaded++ % h->room];
    return true;
}

bool run_host_follow(struct run_host *h, host_pass_taker *take, void *data)
{
    struct host_run run = run_of(h);
    run.load = load_added;
    run.finished = take_pass;
    h->take = take;
    h->data = data;
    /* What is built ahead of a pass that is next is known when it has been added. */
    h->room = (size_t)h->hardware->host_build_ahead + 2;
    h->added_passes = calloc(h->room, sizeof *h->added_passes);
    h->following = host_times_new(&run);
    return h->added_passes && h->following;
}

int run_host_end(struct run_host *h, struct host_run_result *result, struct why *why)
{
    h->why = why;
    return explain_times(h, host_times_end(h->following, result));
}

int run_host_fill(const struct host_pass *pass, const struct hardware *hardware,
                  struct host_instruments *instruments, struct frame *frame, struct why *why)
{
    static const char message[] = "pass %zu: %s %s: a bug of Mercury's, please report it";
    if (!host_frame_fill(pass, hardware, instruments, frame))
        return why_no_memory(why, PASS_EMEMORY);
    const char *broken = frame_find_inconsistency(frame, &machine_layout);
    const char *lost = broken ? NULL : machine_frame_find_loss(frame);
    if (broken)
        return why_say(why, PASS_EBUG, message, pass->number + 1,
                       "Little's law or the histogram's time does not hold for", broken);
    return lost ? why_say(why, PASS_EBUG, message, pass->number + 1, "something is lost among the", lost) : 0;
}

/* --- passes in memory ------------------------------------------------------------------------------------ */

struct passes_in_memory {
    const struct hardware *hardware;
    struct host_pass *passes;
    struct frame *frames;
    struct scratch scratch;
    int status; /* of the last frame that was completed */
    struct why *why;
};

/* The tasks move to the engine, which destroys them. */
static bool hand_over(void *data, struct host_pass *pass)
{
    const struct passes_in_memory *m = data;
    size_t number = pass->number;
    *pass = m->passes[number];
    pass->number = number;
    m->passes[number].tasks = (struct stage3_tasks){0};
    return true;
}

static bool complete_frame(void *data, const struct host_pass *pass)
{
    struct passes_in_memory *m = data;
    struct host_instruments none = {.scratch = &m->scratch};
    m->status = run_host_fill(pass, m->hardware, &none, &m->frames[pass->number], m->why);
    return m->status == 0;
}

int run_host_of_passes(const struct hardware *hardware, size_t pass_count, struct host_pass *passes,
                       struct frame *frames, struct host_run_result *result, struct why *why)
{
    struct passes_in_memory memory = {.hardware = hardware, .passes = passes, .frames = frames, .why = why};
    struct run_host machine = {.hardware = hardware, .pass_count = pass_count};
    machine.operations = calloc(pass_count + 1, sizeof *machine.operations);
    if (!machine.operations)
        return why_no_memory(why, PASS_EMEMORY);
    for (size_t i = 0; i < pass_count; i++)
        machine.operations[i] = passes[i].build_operations;
    struct host_run run = run_of(&machine);
    run.load = hand_over;
    run.finished = complete_frame;
    run.data = &memory;
    int status = host_times_compute(&run, result);
    scratch_destroy(&memory.scratch);
    free(machine.operations);
    if (memory.status)
        return memory.status;
    return status ? explain(status, 0, why) : 0;
}
