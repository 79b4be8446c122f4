#include "sim/pass/joined_hosts.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/array.h"
#include "base/file/file_io.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"
#include "base/process/child_words.h"
#include "sim/board/machine_part.h"
#include "sim/host/host_times.h"
#include "sim/host/task_log.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/pass_simulation.h"
#include "sim/simgrid/simgrid_module.h"

/* What the child of a host tells, in memory that it shares with its parent. */
struct told {
    int status; /* of struct host_schedule, or 1 until the child has ended as it should */
    int fault;  /* file_io_fault() */
    struct host_schedule_result result;
    double agent_s;
    off_t at[]; /* where each pass is in the file of times */
};

/* A host, and its passes by their numbers among those of this host. */
struct host {
    struct joined_hosts *run;
    uint32_t number;
    size_t pass_count, added;
    struct kept {
        double begin_s;
        size_t pass;
        uint64_t operations;
        off_t at;         /* in the file of tasks */
    } * kept;             /* of the passes that were added, in the order in which they begin */
    size_t settled;       /* number of the first of these that no pass which is added later can come before */
    double *begins_s;     /* of these, when they begin */
    uint64_t *operations; /* of these, of building tables */
    /* A host that follows: the passes by their numbers; their tasks until it has loaded them. */
    struct host_times *following;
    struct host_pass *passes;
    /* A host that does not: passes are in files until all have been added. */
    FILE *tasks, *times;
    struct told *told;
    size_t compared; /* number of tasks that were compared with SimGrid's */
};

struct joined_hosts {
    struct joined_hosts_request request;
    bool follow;
    uint32_t working; /* number of hosts that have passes: the first ones */
    struct host hosts[HARDWARE_HOSTS_MAX];
    struct network_host ends[HARDWARE_HOSTS_MAX]; /* of the network */
    size_t added;
    int status; /* an enum pass_error, of what failed first */
    struct why *why;
};

/* @return whether nothing has failed, now or before */
static bool passed(struct joined_hosts *run, int status)
{
    run->status = run->status ? run->status : status;
    return run->status == 0;
}

/* --- in a child ------------------------------------------------------------------------------------------ */

/* Call work(data) in a child. @param exit_status  out, of waitpid() */
static int call_in_child(void (*work)(void *), void *data, const char *what, int *exit_status,
                         struct why *why)
{
    if (!simgrid_module(why)) /* which children then have */
        return PASS_EENGINE;
    switch (child_words_run(work, data, exit_status)) {
    case CHILD_NONE:
        return why_say(why, PASS_EPROCESS, "cannot start a process for %s: %s", what, why_error(errno));
    case CHILD_NO_MEMORY:
        return why_no_memory(why, PASS_EMEMORY);
    default:
        return 0;
    }
}

/* --- passes ---------------------------------------------------------------------------------------------- */

static void destroy_pass(struct host_pass *pass)
{
    stage3_tasks_destroy(&pass->tasks);
    free(pass->hsps);
    free(pass->clusters);
    pass->hsps = pass->clusters = NULL;
}

/* What host_schedule.h answers, unless something was refused before.
 * @param exit_status  of the child, if there was one */
static bool host_passed(struct joined_hosts *run, int status, int exit_status)
{
    struct why *why = run->why;
    if (run->status || (status == 0 && exit_status == 0))
        return run->status == 0;
    if (WIFSIGNALED(exit_status))
        return passed(run, why_say(why, PASS_EPROCESS,
                                   "the process of the host's cores was ended by signal %d (%s)",
                                   WTERMSIG(exit_status), strsignal(WTERMSIG(exit_status))));
    if (status == HOST_ELONG)
        return passed(run, pass_explain_long_run(why));
    if (status == HOST_EFILE)
        return passed(run, scratch_file_refuse_bytes("the tasks of stage 3", why, PASS_EFILE));
    return passed(run, scratch_file_refuse_bytes("what the host's cores do", why, PASS_EFILE));
}

/* Put the pass that is added into the order in which passes begin: of those that begin together, the later one is after
 * the others. Boards that do not depend on each other take the passes in their order. */
static void order_pass(struct host *h, const struct host_pass *pass, off_t at)
{
    size_t place = pass->number;
    for (; hardware_couples_boards(h->run->request.hardware) && place > 0 &&
           h->kept[place - 1].begin_s > pass->begin_s;
         place--)
        h->kept[place] = h->kept[place - 1];
    h->kept[place] = (struct kept){pass->begin_s, pass->number, pass->build_operations, at};
}

/* No pass that is added later begins before a time; one that begins then comes after those that were added. */
static void settle(struct host *h, double time_s)
{
    for (; h->settled < h->added && h->kept[h->settled].begin_s <= time_s; h->settled++) {
        h->begins_s[h->settled] = h->kept[h->settled].begin_s;
        h->operations[h->settled] = h->kept[h->settled].operations;
    }
}

static void keep_pass(struct host *h, struct host_pass *pass)
{
    order_pass(h, pass, ftello(h->tasks));
    bool kept =
        array_write(pass, 1, sizeof *pass, h->tasks) && stage3_tasks_write(&pass->tasks, true, h->tasks);
    stage3_tasks_destroy(&pass->tasks);
    if (!kept)
        passed(h->run, scratch_file_refuse_bytes("the tasks of stage 3", h->run->why, PASS_EFILE));
}

static bool read_pass(struct host *h, const struct kept *kept, struct host_pass *pass)
{
    return fseeko(h->tasks, kept->at, SEEK_SET) == 0 && fread(pass, sizeof *pass, 1, h->tasks) == 1 &&
           stage3_tasks_read(&pass->tasks, NULL, h->tasks);
}

/* Complete a pass, whose tasks are there, by what the child has left of it. */
static bool read_times(struct host *h, struct host_pass *pass)
{
    const struct stage3_tasks tasks = pass->tasks;
    const bool read = fseeko(h->times, h->told->at[pass->number], SEEK_SET) == 0 &&
                      fread(pass, sizeof *pass, 1, h->times) == 1;
    pass->tasks = tasks;
    pass->hsps = read ? array_read(tasks.hsp_count, sizeof *pass->hsps, h->times) : NULL;
    pass->clusters = pass->hsps ? array_read(pass->cluster_count, sizeof *pass->clusters, h->times) : NULL;
    return pass->clusters != NULL;
}

/* A picosecond, and what doubles round: both add up the durations of all tasks of a core, one by one, so that each of
 * `tasks` can add half of the last place of a time to either. That is less than a nanosecond for a million tasks within
 * a second; tasks in another order differ by the time of one, which is microseconds. */
static bool differ(double a_s, double b_s, size_t tasks)
{
    return fabs(a_s - b_s) > 1e-12 * fmax(1, b_s) + (double)tasks * DBL_EPSILON * b_s;
}

static bool are_same(const struct task_times *a, const struct task_times *b, size_t count, size_t tasks)
{
    for (size_t i = 0; i < count; i++)
        if (differ(a[i].begin_s, b[i].begin_s, tasks) || differ(a[i].end_s, b[i].end_s, tasks))
            return false;
    return true;
}

/* Whether a pass, whose HSPs have these times, is what SimGrid made of it. @param tasks  of the host, up to it */
static bool is_same_pass(const struct host_pass *pass, const struct task_times *hsps,
                         const struct host_pass *other, size_t tasks)
{
    return !differ(pass->begin_s, other->begin_s, tasks) && are_same(&pass->build, &other->build, 1, tasks) &&
           are_same(hsps, other->hsps, pass->tasks.hsp_count, tasks) &&
           pass->cluster_count == other->cluster_count &&
           are_same(pass->clusters, other->clusters, pass->cluster_count, tasks);
}

/* Compare a pass with what SimGrid made of it. */
static void compare(struct host *h, const struct host_pass *pass)
{
    const struct hardware *hardware = h->run->request.hardware;
    struct host_pass other = {.number = pass->number, .tasks.hsp_count = pass->tasks.hsp_count};
    auto_free struct task_times *hsps = task_reader_all(pass, hardware);
    h->compared += 1 + pass->tasks.hsp_count + pass->cluster_count;
    if (!read_times(h, &other))
        passed(h->run, scratch_file_refuse_bytes("what the host's cores do", h->run->why, PASS_EFILE));
    else if (!is_same_pass(pass, hsps, &other, h->compared))
        passed(h->run,
               why_say(h->run->why, PASS_EENGINE,
                       "pass %zu: SimGrid's cores and Mercury's do not agree to the picosecond: a bug "
                       "of Mercury's, please report it",
                       hardware_pass_of(hardware, h->number, pass->number) + 1));
    destroy_pass(&other);
}

/* Let the taker have a pass by its number in the run. */
static void hand_over(const struct host *h, const struct host_pass *pass)
{
    const struct joined_hosts_request *r = &h->run->request;
    struct host_pass in_run = *pass;
    in_run.host = h->number;
    in_run.number = hardware_pass_of(r->hardware, h->number, pass->number);
    passed(h->run, r->take(r->data, &in_run, h->run->why));
}

/* --- what the engines call ------------------------------------------------------------------------------- */

static bool load_added(void *data, struct host_pass *pass)
{
    struct host *h = data;
    struct host_pass *added = &h->passes[h->kept[pass->number].pass];
    *pass = *added;
    added->tasks = (struct stage3_tasks){0};
    return true;
}

static bool load_kept(void *data, struct host_pass *pass)
{
    struct host *h = data;
    return read_pass(h, &h->kept[pass->number], pass) &&
           (!h->run->request.check || stage3_tasks_bring_back(&pass->tasks));
}

static bool take_pass(void *data, const struct host_pass *pass)
{
    struct host *h = data;
    if (h->run->request.check)
        compare(h, pass);
    if (h->run->status == 0)
        hand_over(h, pass);
    return h->run->status == 0;
}

/* In the child. */
static bool keep_times(void *data, const struct host_pass *pass)
{
    struct host *h = data;
    h->told->at[pass->number] = ftello(h->times);
    return array_write(pass, 1, sizeof *pass, h->times) &&
           array_write(pass->hsps, pass->tasks.hsp_count, sizeof *pass->hsps, h->times) &&
           array_write(pass->clusters, pass->cluster_count, sizeof *pass->clusters, h->times);
}

static struct host_schedule run_of(struct host *h)
{
    const struct hardware *hardware = h->run->request.hardware;
    return (struct host_schedule){
        .hardware = hardware,
        .pass_count = h->pass_count,
        .begins_s = hardware_couples_boards(hardware) ? h->begins_s : NULL,
        .build_operations = h->operations,
        .only_times = h->run->request.only_times,
        .load = h->run->follow ? load_added : load_kept,
        .finished = take_pass,
        .data = h,
    };
}

/* --- a host that does not follow ------------------------------------------------------------------------- */

/* In the child. */
static void simulate(void *host)
{
    struct host *h = host;
    struct host_schedule run = run_of(h);
    struct why loaded;
    run.finished = keep_times;
    int status =
        simgrid_module(&loaded)->run_host(&run, h->run->request.platform_file, h->run->request.agent_share,
                                          &h->told->result, &h->told->agent_s);
    h->told->status = status == 0 && !file_io_flush(h->times) ? HOST_EPASS : status;
    h->told->fault = file_io_fault();
}

static bool run_simgrid(struct host *h)
{
    int exit_status = 0;
    h->told->status = 1;
    h->told->fault = file_io_fault();
    rewind(h->times);
    const bool called =
        passed(h->run, call_in_child(simulate, h, "the host's cores", &exit_status, h->run->why));
    file_io_fail(h->told->fault);
    return called && host_passed(h->run, h->told->status, exit_status);
}

/* Hand a pass over as SimGrid has simulated it. */
static void take_simulated(struct host *h, const struct kept *kept)
{
    struct host_pass pass = {0};
    const bool has_tasks = read_pass(h, kept, &pass) && stage3_tasks_bring_back(&pass.tasks);
    if (has_tasks && read_times(h, &pass))
        hand_over(h, &pass);
    else
        passed(h->run, why_say(h->run->why, PASS_EFILE, "the %s of stage 3 cannot be read back",
                               has_tasks ? "times" : "tasks"));
    destroy_pass(&pass);
}

/* If the agent shares the cores, SimGrid's times are taken. */
static void simulate_kept(struct host *h, struct host_schedule_result *result)
{
    const struct joined_hosts_request *r = &h->run->request;
    const struct host_schedule run = run_of(h);
    if ((r->agent_share > 0 || r->check) && !run_simgrid(h))
        return;
    if (r->agent_share == 0)
        host_passed(h->run, host_times_compute(&run, result), 0);
    else
        *result = h->told->result;
    for (size_t i = 0; i < h->pass_count && h->run->status == 0 && r->agent_share > 0; i++)
        take_simulated(h, &h->kept[i]);
}

/* --- what the hosts have done together ------------------------------------------------------------------- */

static void add_host(struct joined_hosts *run, uint32_t host, const struct host_schedule_result *one,
                     struct host_schedule_result *all)
{
    run->ends[host].work_s = one->end_s;
    fifo_measure_add(&all->inbox, &one->inbox);
    all->end_s = fmax(all->end_s, one->end_s);
    all->boards_end_s = fmax(all->boards_end_s, one->boards_end_s);
    all->busy_s += one->busy_s;
    all->longest_s = fmax(all->longest_s, one->longest_s);
}

/* While a host waits for the network or for other hosts, its inbox is empty. */
static void complete_inbox(const struct hardware *hardware, struct host_schedule_result *all)
{
    uint64_t clocks = hardware->hosts * ((uint64_t)(all->end_s * hardware->fpga_clock_hz) + 1);
    uint64_t idle = clocks > all->inbox.clocks ? clocks - all->inbox.clocks : 0;
    all->inbox.clocks += idle;
    all->inbox.bins[0] += idle;
}

/* Hosts begin at once, and their results are there as soon as they have finished. */
static void leave_out_network(struct joined_hosts *run)
{
    for (uint32_t host = 0; host < run->working; host++) {
        run->ends[host].begin_s = 0;
        run->ends[host].arrived_s = run->ends[host].work_s;
    }
}

static uint64_t packed_bytes(uint64_t positions)
{
    return (positions + BASES_PER_WORD - 1) / BASES_PER_WORD * BYTES_PER_WORD;
}

uint64_t joined_hosts_query_bytes(const struct hardware *hardware, const struct network_query *query,
                                  uint32_t host)
{
    size_t passes = hardware_passes_of(hardware, host, query->pass_count);
    uint64_t bytes = 0;
    if (hardware_deals_database(hardware))
        return packed_bytes(query->positions);
    for (size_t i = 0; i < passes; i++)
        bytes += packed_bytes(query->segments[hardware_pass_of(hardware, host, i)].length);
    return bytes;
}

/* The network, in memory that a child shares. */
struct network {
    const char *platform_file;
    uint32_t count;
    bool ended;
    struct network_use use;
    struct network_host hosts[HARDWARE_HOSTS_MAX];
};

static void simulate_network(void *network)
{
    struct network *n = network;
    struct why loaded;
    simgrid_module(&loaded)->run_network(n->platform_file, n->hosts, n->count, &n->use);
    n->ended = true;
}

int joined_hosts_network(const char *platform_file, struct network_host *hosts, uint32_t count,
                         struct network_use *use, struct why *why)
{
    struct network *n = memory_shared(sizeof *n);
    int exit_status = 0;
    n->platform_file = platform_file;
    n->count = count;
    memcpy(n->hosts, hosts, count * sizeof *hosts);
    int status = call_in_child(simulate_network, n, "the network of the hosts", &exit_status, why);
    if (status == 0 && !n->ended)
        status = why_say(why, PASS_EPROCESS, "the process of the network ended too early (status %d)",
                         exit_status);
    memcpy(hosts, n->hosts, count * sizeof *hosts);
    *use = n->use;
    munmap(n, sizeof *n);
    return status;
}

/* Find when each host began, and when the run has ended. */
static void join_hosts(struct joined_hosts *run, struct joined_hosts_result *result)
{
    const struct joined_hosts_request *r = &run->request;
    for (uint32_t host = 1; host < run->working; host++)
        run->ends[host].query_bytes = joined_hosts_query_bytes(r->hardware, &r->query, host);
    if (machine_part_is_free(r->hardware, PART_NETWORK))
        leave_out_network(run);
    else if (!passed(run, joined_hosts_network(r->platform_file, run->ends, run->working, &result->network,
                                               run->why)))
        return;
    double boards = 0, arrived_s = 0, waited_s = 0; /* summed up over boards that have passes */
    for (uint32_t host = 0; host < run->working; host++) {
        const struct network_host *end = &run->ends[host];
        const double share = hardware_boards_at_work(r->hardware, host, r->query.pass_count);
        result->begins_s[host] = end->begin_s;
        result->host.end_s = fmax(result->host.end_s, end->arrived_s);
        boards += share;
        arrived_s += share * end->arrived_s;
        waited_s += share * (end->begin_s + end->arrived_s - end->end_s);
    }
    result->network.wait_s = waited_s / boards;
    result->network.idle_s = result->host.end_s - arrived_s / boards;
    if (hardware_counts_clocks(r->hardware, result->host.end_s))
        complete_inbox(r->hardware, &result->host);
    else
        passed(run, pass_explain_long_run(run->why));
}

/* --- the whole ------------------------------------------------------------------------------------------- */

static void begin_to_follow(struct host *h)
{
    const struct host_schedule run = run_of(h);
    h->passes = memory_new(h->pass_count, sizeof *h->passes);
    h->following = host_times_new(&run);
}

static size_t told_bytes(size_t pass_count)
{
    return sizeof(struct told) + pass_count * sizeof(off_t);
}

static bool open_files(struct host *h)
{
    h->tasks = scratch_file_open();
    h->times = scratch_file_open();
    h->told = memory_shared(told_bytes(h->pass_count));
    return h->tasks && h->times;
}

struct joined_hosts *joined_hosts_new(const struct joined_hosts_request *r)
{
    const size_t passes = r->query.pass_count;
    struct joined_hosts *run = memory_new(1, sizeof *run);
    bool made = true;
    run->request = *r;
    run->follow = !r->check && r->agent_share == 0;
    run->working = passes < r->hardware->hosts ? (uint32_t)passes : r->hardware->hosts;
    for (uint32_t i = 0; i < run->working && made; i++) {
        struct host *h = &run->hosts[i];
        *h = (struct host){.run = run, .number = i, .pass_count = hardware_passes_of(r->hardware, i, passes)};
        h->kept = memory_new(h->pass_count, sizeof *h->kept);
        h->begins_s = memory_new(h->pass_count, sizeof *h->begins_s);
        h->operations = memory_new(h->pass_count, sizeof *h->operations);
        if (run->follow)
            begin_to_follow(h);
        else
            made = open_files(h);
    }
    if (made)
        return run;
    joined_hosts_destroy(run);
    return NULL;
}

static void destroy_host(struct host *h)
{
    host_times_destroy(h->following);
    for (size_t i = 0; h->passes && i < h->added; i++)
        stage3_tasks_destroy(&h->passes[i].tasks);
    file_io_end(h->tasks);
    file_io_end(h->times);
    if (h->told)
        munmap(h->told, told_bytes(h->pass_count));
    free(h->kept);
    free(h->begins_s);
    free(h->operations);
    free(h->passes);
}

void joined_hosts_destroy(struct joined_hosts *run)
{
    for (uint32_t i = 0; run && i < run->working; i++)
        destroy_host(&run->hosts[i]);
    free(run);
}

int joined_hosts_add(struct joined_hosts *run, struct host_pass *pass, struct why *why)
{
    const struct hardware *hardware = run->request.hardware;
    struct host *h = &run->hosts[hardware_host_of(hardware, run->added++)];
    run->why = why;
    run->ends[h->number].result_bytes += (uint64_t)hardware->network_result_bytes * pass->alignments;
    pass->number = h->added++;
    if (run->follow) {
        h->passes[pass->number] = *pass;
        pass->tasks = (struct stage3_tasks){0};
        order_pass(h, pass, 0);
        settle(h, hardware_couples_boards(hardware) ? pass->dealt_s : INFINITY);
        host_passed(run, host_times_advance(h->following, h->settled), 0);
    } else {
        keep_pass(h, pass);
    }
    return run->status;
}

int joined_hosts_end(struct joined_hosts *run, struct joined_hosts_result *result, struct why *why)
{
    run->why = why;
    double agents_s = 0; /* for which there were agents, added over the hosts */
    *result = (struct joined_hosts_result){.host = {.inbox = fifo_measure_none(0)}};
    for (uint32_t i = 0; i < run->working && run->status == 0; i++) {
        struct host *h = &run->hosts[i];
        struct host_schedule_result one = {0};
        settle(h, INFINITY);
        if (run->follow)
            host_passed(run, host_times_end(h->following, &one), 0);
        else
            simulate_kept(h, &one);
        result->agent_s += run->follow ? 0 : h->told->agent_s;
        agents_s += one.end_s;
        if (run->status == 0)
            add_host(run, i, &one, &result->host);
    }
    result->agent_share = agents_s > 0 ? result->agent_s / agents_s : 0;
    if (run->status == 0 && run->request.hardware->hosts > 1)
        join_hosts(run, result);
    return run->status;
}

int joined_hosts_fill(const struct host_pass *pass, const struct hardware *hardware,
                      struct host_instruments *instruments, struct frame *frame, struct why *why)
{
    static const char message[] = "pass %zu: %s %s: a bug of Mercury's, please report it";
    if (!host_taps_fill_frame(pass, hardware, instruments, frame))
        return scratch_file_refuse_bytes("the tasks of stage 3", why, PASS_EFILE);
    const char *broken = frame_find_inconsistency(frame, &machine_layout);
    const char *lost = broken ? NULL : machine_frame_find_loss(frame);
    if (broken)
        return why_say(why, PASS_EBUG, message, pass->number + 1,
                       "Little's law or the histogram's time does not hold for", broken);
    return lost ? why_say(why, PASS_EBUG, message, pass->number + 1, "something is lost among the", lost) : 0;
}
