#include "app/estimate/estimate_detailed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/progress.h"
#include "app/run/recorded_run.h"

/* The numbers of a machine that the detailed simulator can be given. */
struct machine {
    double hosts, boards, buses, cores;                               /* boards, buses and cores of a host */
    double fpga_hz, core_hz, supply, bus, network, network_latency_s; /* B/s; network: 0 if there is none */
};

/* --- the estimated machine ------------------------------------------------------------------------------- */

static int find_nodeset(const struct estimate_text *t, const char *name)
{
    for (unsigned i = 0; i < t->nodeset_count; i++)
        if (strcmp(t->nodesets[i].object.name, name) == 0)
            return (int)i;
    return -1;
}

static const struct estimate_linkset *find_linkset(const struct estimate_text *t, int from, int to)
{
    for (unsigned i = 0; i < t->linkset_count; i++)
        if (t->linksets[i].from == from && t->linksets[i].to == to)
            return &t->linksets[i];
    return NULL;
}

/* Members of a linkset as its steps use them. */
static double count_links(const struct estimate_program *p, const struct estimate_linkset *l)
{
    for (unsigned i = 0; i < p->resource_count; i++)
        if (p->resources[i].linkset == (int)(l - p->text->linksets) && p->resources[i].nodeset < 0)
            return p->resources[i].members;
    return 0;
}

/* @return whether the machine is one that the simulator knows */
static bool find_machine(const struct estimate_text *t, const struct estimate_program *p, struct machine *m)
{
    int host = find_nodeset(t, "host"), core = find_nodeset(t, "core"), board = find_nodeset(t, "board");
    int disk = find_nodeset(t, "disk");
    if (host < 0 || core < 0 || board < 0 || disk < 0 || t->nodesets[board].type != ESTIMATE_CPU ||
        t->nodesets[core].type != ESTIMATE_CPU || p->members[disk] != p->members[host])
        return false;
    const struct estimate_linkset *storage = find_linkset(t, disk, host), *bus = find_linkset(t, host, board);
    const struct estimate_linkset *network = find_linkset(t, host, host);
    if (!storage || !bus || bus->duplex != ESTIMATE_FULL)
        return false;
    double hosts = p->members[host];
    *m = (struct machine){.hosts = hosts,
                          .boards = p->members[board] / hosts,
                          .buses = count_links(p, bus) / hosts,
                          .cores = p->members[core] / hosts,
                          .fpga_hz = t->nodesets[board].floatspeed,
                          .core_hz = t->nodesets[core].floatspeed,
                          .supply = storage->bandwidth,
                          .bus = bus->bandwidth,
                          .network = network ? network->bandwidth : 0,
                          .network_latency_s = network ? network->latency_s : 0};
    return m->boards == floor(m->boards) && m->buses == floor(m->buses) && m->cores == floor(m->cores) &&
           m->boards >= 1 && m->buses >= 1 && m->cores >= 1 && m->supply > 0 && m->bus > 0;
}

/* --- the run itself -------------------------------------------------------------------------------------- */

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

static bool is_of_run(const struct machine *m, const struct hardware *h)
{
    return m->hosts == h->hosts && m->boards == h->boards && m->buses == h->buses &&
           m->cores == h->host_cores && is_near(m->fpga_hz, h->fpga_clock_hz) &&
           is_near(m->core_hz, h->host_clock_hz) && is_near(m->supply, h->host_supply) &&
           is_near(m->bus, hardware_bus_bytes_per_s(h));
}

static bool is_scaled(const struct estimate_scale *scale, const struct estimate_workload *w)
{
    return (scale->segments > 0 && 2 * scale->segments != w->passes) ||
           (scale->bases > 0 && fabs(scale->bases - w->bases) >= 16);
}

/* --- a re-timing ----------------------------------------------------------------------------------------- */

/* The network of a machine that has none takes no time. */
#define NO_TIME_RATE 1e15 /* B/s */

/* The bus has the run's bursts, and their clocks take as much of it as before. */
static int set_machine(const struct estimate_detailed *d, const struct machine *m, struct hardware *hardware,
                       struct why *why)
{
    const struct hardware *h = &d->workload->hardware;
    const double bursts = hardware_link_bytes_per_s(h) / hardware_bus_bytes_per_s(h);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"fpga.clock", m->fpga_hz},
                   {"host.clock", m->core_hz},
                   {"host.cores", m->cores},
                   {"host.supply", m->supply},
                   {"pcix.bandwidth", m->bus * bursts},
                   {"pcix.efficiency", 1},
                   {"boards", m->boards},
                   {"bus.count", m->buses},
                   {"hosts", m->hosts},
                   {"network.bandwidth", m->network > 0 ? m->network : NO_TIME_RATE},
                   {"network.latency", m->network_latency_s}};
    int status = hardware_set(hardware, "schedule.overlap", d->scale->synchronize ? "serial" : "drain", why);
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0] && status == 0; i++) {
        char text[40];
        snprintf(text, sizeof text, "%.12g", numbers[i].value);
        status = hardware_set(hardware, numbers[i].name, text, why);
    }
    return status;
}

static int time_again(const struct estimate_detailed *d, const struct machine *m, struct token_record *record,
                      struct passes_result *result, struct why *why)
{
    const struct token_record_facts *facts = &token_record_run(record)->facts;
    struct hardware hardware = hardware_default();
    struct platform *platform = NULL;
    int status = recorded_machine_open(facts, &hardware, &platform, why);
    if (status == 0)
        status = set_machine(d, m, &hardware, why);
    if (status == 0)
        status = recorded_machine_check(facts, &hardware, d->record, false, why);
    if (status == 0)
        status = recorded_run_time(record, &hardware, platform, result, why);
    platform_close(platform);
    return status;
}

static int retime(const struct estimate_detailed *d, const struct machine *m, struct estimate_row *row,
                  struct why *why)
{
    struct token_record *record = NULL;
    struct passes_result result = {0};
    double begin_s = progress_wall_s();
    int status = token_record_open(d->record, &record, why);
    if (status == 0)
        status = time_again(d, m, record, &result, why);
    if (status == 0) {
        row->detailed_s = result.run.duration_s;
        row->detailed_wall_s = progress_wall_s() - begin_s;
    }
    passes_result_destroy(&result);
    token_record_close(record);
    return status ? why_precede(why, COMMAND_REFUSED, "--record: ") : 0;
}

/* --- a row ----------------------------------------------------------------------------------------------- */

static int find(const struct estimate_detailed *d, const struct estimate_program *p, struct estimate_row *row,
                struct why *why)
{
    struct machine m;
    const struct hardware *h = &d->workload->hardware;
    bool serial = h->overlap == OVERLAP_SERIAL;
    if (is_scaled(d->scale, d->workload) || !find_machine(d->text, p, &m) ||
        (d->scale->by_database && m.hosts * m.boards > 1) ||
        (h->distribution == DISTRIBUTION_DATABASE && m.hosts > 1))
        return 0;
    if (d->workload->has_machine && h->overlap != OVERLAP_TABLES && serial == d->scale->synchronize &&
        is_of_run(&m, h))
        row->detailed_s = d->workload->simulated_s;
    bool can = m.hosts <= HARDWARE_HOSTS_MAX && m.boards <= HARDWARE_BOARDS_MAX &&
               m.cores <= HARDWARE_CORES_MAX && m.buses <= m.boards;
    return isnan(row->detailed_s) && d->record && can ? retime(d, &m, row, why) : 0;
}

int estimate_detailed_find(const struct estimate_detailed *d, struct estimate_row *row, struct why *why)
{
    struct estimate_program *p = malloc(sizeof *p);
    if (!p)
        return why_no_memory(why, COMMAND_FAILED);
    int status = command_status_of(estimate_program_make(d->text, row->nodes, p, why));
    if (status == 0)
        status = find(d, p, row, why);
    free(p);
    return status;
}
