#include "app/estimate/estimate_detailed.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command.h"
#include "base/file/output.h"
#include "base/progress.h"
#include "base/process/signals.h"

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

enum { SETS = 12, SET_BYTES = 64, SAID_BYTES = 600 };

/* The bus has the run's bursts, and their clocks take as much of it as before. */
static unsigned write_sets(const struct machine *m, const struct hardware *h, bool synchronize,
                           char sets[SETS][SET_BYTES])
{
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
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        snprintf(sets[count++], SET_BYTES, "%s=%.12g", numbers[i].name, numbers[i].value);
    snprintf(sets[count++], SET_BYTES, "schedule.overlap=%s", synchronize ? "serial" : "drain");
    return count;
}

static void become_retime(const char *record, const char *directory, char sets[SETS][SET_BYTES],
                          unsigned count)
{
    const char *arguments[2 * SETS + 16] = {"mercury", "retime",      record,      "-o",  directory,
                                            "--quiet", "--no-report", "--measure", "none"};
    unsigned used = 9;
    for (unsigned i = 0; i < count; i++) {
        arguments[used++] = "--set";
        arguments[used++] = sets[i];
    }
    execv("/proc/self/exe", (char *const *)arguments);
    _exit(127);
}

/* Start a re-timing whose words come through a pipe. @return its process, or -1 */
static pid_t start_retime(const char *record, const char *directory, char sets[SETS][SET_BYTES],
                          unsigned count, int *words)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    fflush(NULL);
    pid_t child = signals_fork_writer();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR);
        if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(ends[1], 2) < 0)
            _exit(127);
        become_retime(record, directory, sets, count);
    }
    close(ends[1]);
    *words = ends[0];
    if (child < 0)
        close(ends[0]);
    return child;
}

static void read_words(int file, char words[SAID_BYTES])
{
    size_t length = 0;
    char rest[256];
    ssize_t got;
    while ((got = read(file, length < SAID_BYTES - 1 ? words + length : rest,
                       length < SAID_BYTES - 1 ? SAID_BYTES - 1 - length : sizeof rest)) > 0)
        length += length < SAID_BYTES - 1 ? (size_t)got : 0;
    words[length] = '\0';
    words[strcspn(words, "\n")] = '\0';
    close(file);
}

static int retime_into(const struct estimate_detailed *d, const struct machine *m, const char *directory,
                       struct estimate_row *row, struct why *why)
{
    char sets[SETS][SET_BYTES], words[SAID_BYTES] = "";
    int file = -1, ended = 0;
    double begin_s = progress_wall_s();
    unsigned count = write_sets(m, &d->workload->hardware, d->scale->synchronize, sets);
    pid_t child = start_retime(d->record, directory, sets, count, &file);
    if (child < 0)
        return why_say(why, COMMAND_FAILED, "cannot start mercury retime");
    read_words(file, words);
    waitpid(child, &ended, 0);
    signals_forget_writer();
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0) {
        const char *said = strncmp(words, "mercury: ", 9) == 0 ? words + 9 : words;
        return why_say(why, COMMAND_REFUSED, "--record: %.500s",
                       *said ? said : "mercury retime has ended early");
    }
    struct estimate_workload retimed;
    int status = estimate_workload_read(directory, &retimed, why);
    row->detailed_s = status ? NAN : retimed.simulated_s;
    row->detailed_wall_s = status ? NAN : progress_wall_s() - begin_s;
    return status;
}

/* What a re-timing leaves is guarded, the directory last, so that a signal leaves none of it. */
static const char *const written[] = {
    "alignments.tsv", "summary.json", "summary.txt", "histograms.tsv", "frames.tsv",
    "validation.tsv", "passes.tsv",   "records.tsv", "run.json",       "frame_histograms.tsv"};

enum { WRITTEN = sizeof written / sizeof written[0] };

/* @param directory  in: as for mkdtemp(); out: its name */
static bool make_guarded_directory(char *directory, int guards[WRITTEN + 1])
{
    char path[512];
    sigset_t before;
    signals_hold(&before);
    const bool made = mkdtemp(directory);
    for (unsigned i = 0; i < WRITTEN && made; i++) {
        snprintf(path, sizeof path, "%.400s/%s", directory, written[i]);
        guards[i] = output_guard(path);
    }
    if (made)
        guards[WRITTEN] = output_guard(directory);
    signals_release(&before);
    return made;
}

static int retime(const struct estimate_detailed *d, const struct machine *m, struct estimate_row *row,
                  struct why *why)
{
    char directory[320];
    int guards[WRITTEN + 1];
    const char *folder = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%.280s/mercury-estimate-XXXXXX",
             folder && *folder ? folder : "/tmp");
    if (!make_guarded_directory(directory, guards))
        return why_say(why, COMMAND_REFUSED, "%.280s: cannot make a directory for a re-timing", directory);
    int status = retime_into(d, m, directory, row, why);
    for (unsigned i = 0; i <= WRITTEN; i++)
        output_guard_end(guards[i]);
    return status;
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
