#include "sim/pass/run_hosts.h"

#include <math.h>
#include <stdlib.h>

#include "sim/board/machine_part.h"
#include "sim/pass/pass_simulation.h"

/* Takes a host's pass for the taker of the run's passes. */
struct host_taker {
    const struct hardware *hardware;
    uint32_t host;
    host_pass_taker *take;
    void *data;
};

struct run_hosts {
    struct run_hosts_request request;
    struct run_host *hosts[HARDWARE_HOSTS_MAX];
    struct host_taker takers[HARDWARE_HOSTS_MAX];
    struct network_host ends[HARDWARE_HOSTS_MAX]; /* of the network: the hosts that have passes */
    size_t added;
};

/* --- the hosts that have passes -------------------------------------------------------------------------- */

static size_t passes_of(const struct run_hosts *h, uint32_t host)
{
    return hardware_passes_of(h->request.hardware, host, h->request.query.pass_count);
}

/* They are the first ones. */
static uint32_t count_working(const struct run_hosts *h)
{
    size_t passes = h->request.query.pass_count;
    return passes < h->request.hardware->hosts ? (uint32_t)passes : h->request.hardware->hosts;
}

/* --- what they have done together ------------------------------------------------------------------------ */

static void add_host(struct run_hosts *h, uint32_t host, const struct host_run_result *one,
                     struct host_run_result *all)
{
    h->ends[host].work_s = one->end_s;
    fifo_measure_add(&all->inbox, &one->inbox);
    all->end_s = fmax(all->end_s, one->end_s);
    all->boards_end_s = fmax(all->boards_end_s, one->boards_end_s);
    all->busy_s += one->busy_s;
    all->longest_s = fmax(all->longest_s, one->longest_s);
}

/* While a host waits for the network or for other hosts, its inbox is empty. */
static void complete_inbox(const struct run_hosts *h, struct host_run_result *all)
{
    const struct hardware *hardware = h->request.hardware;
    uint64_t clocks = hardware->hosts * ((uint64_t)(all->end_s * hardware->fpga_clock_hz) + 1);
    uint64_t idle = clocks > all->inbox.clocks ? clocks - all->inbox.clocks : 0;
    all->inbox.clocks += idle;
    all->inbox.bins[0] += idle;
}

/* Hosts begin at once, and their results are there as soon as they have finished. */
static void leave_out_network(struct run_hosts *h, uint32_t count)
{
    for (uint32_t host = 0; host < count; host++) {
        h->ends[host].begin_s = 0;
        h->ends[host].arrived_s = h->ends[host].work_s;
    }
}

/* Find when each host began, and when the run has ended. */
static int join_hosts(struct run_hosts *h, struct run_hosts_result *result, struct why *why)
{
    const struct run_hosts_request *r = &h->request;
    const uint32_t count = count_working(h);
    for (uint32_t host = 1; host < count; host++)
        h->ends[host].query_bytes = run_network_query_bytes(r->hardware, &r->query, host);
    int status = 0;
    if (machine_part_is_free(r->hardware, PART_NETWORK))
        leave_out_network(h, count);
    else
        status = run_network(r->platform_file, h->ends, count, &result->network, why);
    if (status)
        return status;
    double boards = 0, arrived_s = 0, waited_s = 0; /* summed up over boards that have passes */
    for (uint32_t host = 0; host < count; host++) {
        const struct network_host *end = &h->ends[host];
        const double share = hardware_boards_at_work(r->hardware, host, r->query.pass_count);
        result->begins_s[host] = end->begin_s;
        result->host.end_s = fmax(result->host.end_s, end->arrived_s);
        boards += share;
        arrived_s += share * end->arrived_s;
        waited_s += share * (end->begin_s + end->arrived_s - end->end_s);
    }
    result->network.wait_s = waited_s / boards;
    result->network.idle_s = result->host.end_s - arrived_s / boards;
    if (!hardware_counts_clocks(r->hardware, result->host.end_s))
        return pass_explain_long_run(why);
    complete_inbox(h, &result->host);
    return 0;
}

/* --- passes in files ------------------------------------------------------------------------------------- */

struct run_hosts *run_hosts_new(const struct run_hosts_request *request)
{
    struct run_hosts *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->request = *request;
    for (uint32_t host = 0; host < count_working(h); host++) {
        h->hosts[host] = run_host_new(request->hardware, request->platform_file, passes_of(h, host));
        if (!h->hosts[host]) {
            run_hosts_destroy(h);
            return NULL;
        }
    }
    return h;
}

void run_hosts_destroy(struct run_hosts *h)
{
    for (uint32_t host = 0; h && host < HARDWARE_HOSTS_MAX; host++)
        run_host_destroy(h->hosts[host]);
    free(h);
}

static void add_results(struct run_hosts *h, uint32_t host, size_t alignments)
{
    h->ends[host].result_bytes += (uint64_t)h->request.hardware->network_result_bytes * alignments;
}

int run_hosts_add(struct run_hosts *h, struct host_pass *pass, struct why *why)
{
    uint32_t host = hardware_host_of(h->request.hardware, h->added++);
    add_results(h, host, pass->alignments);
    return run_host_add(h->hosts[host], pass, why);
}

static int take_pass(void *data, const struct host_pass *pass, struct why *why)
{
    const struct host_taker *t = data;
    struct host_pass in_run = *pass;
    in_run.host = t->host;
    in_run.number = hardware_pass_of(t->hardware, t->host, pass->number);
    return t->take(t->data, &in_run, why);
}

/* Passes of a host go to the taker of the run's passes. */
static void set_taker(struct run_hosts *h, uint32_t host, host_pass_taker *take, void *data)
{
    h->takers[host] = (struct host_taker){h->request.hardware, host, take, data};
}

static struct run_hosts_result nothing_yet(void)
{
    return (struct run_hosts_result){.host = {.inbox = fifo_measure_none(0)}};
}

static int run_host(struct run_hosts *h, uint32_t number, const struct run_hosts_engine *engine,
                    struct run_hosts_result *result, struct why *why)
{
    struct run_host *host = h->hosts[number];
    struct host_taker *taker = &h->takers[number];
    struct host_run_result one = {0};
    double agent_s = 0;
    int status = !engine ? run_host_end(host, &one, why)
                 : engine->agent_share > 0
                     ? run_host_simulate(host, engine->agent_share, take_pass, taker, &one, &agent_s, why)
                     : run_host_compute(host, engine->check, take_pass, taker, &one, why);
    if (status)
        return status;
    result->agent_s += agent_s;
    add_host(h, number, &one, &result->host);
    return 0;
}

/* @param engine  NULL: the hosts have followed the passes */
static int run_all(struct run_hosts *h, const struct run_hosts_engine *engine,
                   struct run_hosts_result *result, struct why *why)
{
    int status = 0;
    *result = nothing_yet();
    for (uint32_t host = 0; host < count_working(h) && status == 0; host++)
        status = run_host(h, host, engine, result, why);
    return status == 0 && h->request.hardware->hosts > 1 ? join_hosts(h, result, why) : status;
}

bool run_hosts_follow(struct run_hosts *h, host_pass_taker *take, void *data)
{
    bool follow = true;
    for (uint32_t host = 0; host < count_working(h) && follow; host++) {
        set_taker(h, host, take, data);
        follow = run_host_follow(h->hosts[host], take_pass, &h->takers[host]);
    }
    return follow;
}

int run_hosts_end(struct run_hosts *h, struct run_hosts_result *result, struct why *why)
{
    return run_all(h, NULL, result, why);
}

int run_hosts_run(struct run_hosts *h, const struct run_hosts_engine *engine, host_pass_taker *take,
                  void *data, struct run_hosts_result *result, struct why *why)
{
    for (uint32_t host = 0; host < count_working(h); host++)
        set_taker(h, host, take, data);
    return run_all(h, engine, result, why);
}

/* --- passes in memory ------------------------------------------------------------------------------------ */

/* A host's passes and frames, next to each other. */
struct dealt {
    struct host_pass *passes;
    struct frame *frames;
    size_t count;
};

static bool deal(struct run_hosts *h, uint32_t host, const struct host_pass *passes,
                 const struct frame *frames, struct dealt *d)
{
    *d = (struct dealt){.count = passes_of(h, host)};
    d->passes = malloc(d->count * sizeof *d->passes);
    d->frames = malloc(d->count * sizeof *d->frames);
    if (!d->passes || !d->frames)
        return false;
    for (size_t i = 0; i < d->count; i++) {
        size_t number = hardware_pass_of(h->request.hardware, host, i);
        d->passes[i] = passes[number];
        d->frames[i] = frames[number];
        add_results(h, host, passes[number].alignments);
    }
    return true;
}

/* Tasks that nobody has taken are still the caller's. */
static void give_back(const struct run_hosts *h, uint32_t host, const struct dealt *d,
                      struct host_pass *passes, struct frame *frames)
{
    for (size_t i = 0; i < d->count; i++) {
        size_t number = hardware_pass_of(h->request.hardware, host, i);
        passes[number] = d->passes[i];
        frames[number] = d->frames[i];
    }
}

static int run_host_in_memory(struct run_hosts *h, uint32_t host, struct host_pass *passes,
                              struct frame *frames, struct run_hosts_result *result, struct why *why)
{
    struct dealt dealt;
    struct host_run_result one = {0};
    int status = why_no_memory(why, PASS_EMEMORY);
    if (deal(h, host, passes, frames, &dealt)) {
        status = run_host_of_passes(h->request.hardware, dealt.count, dealt.passes, dealt.frames, &one, why);
        give_back(h, host, &dealt, passes, frames);
    }
    free(dealt.passes);
    free(dealt.frames);
    if (status == 0)
        add_host(h, host, &one, &result->host);
    return status;
}

int run_hosts_of_passes(const struct run_hosts_request *request, struct host_pass *passes,
                        struct frame *frames, struct run_hosts_result *result, struct why *why)
{
    const struct hardware *hardware = request->hardware;
    struct run_hosts h = {.request = *request};
    int status = 0;
    *result = nothing_yet();
    if (hardware->hosts == 1)
        return run_host_of_passes(hardware, request->query.pass_count, passes, frames, &result->host, why);
    for (uint32_t host = 0; host < count_working(&h) && status == 0; host++)
        status = run_host_in_memory(&h, host, passes, frames, result, why);
    if (status == 0)
        status = join_hosts(&h, result, why);
    for (size_t i = 0; i < request->query.pass_count && status == 0; i++)
        frames[i].begin_s += result->begins_s[hardware_host_of(hardware, i)];
    return status;
}
