#include "app/estimate/estimate_session.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/words.h"
#include "base/process/child_words.h"
#include "base/progress.h"
#include "base/json_number.h"
#include "base/printable.h"
#include "sim/simgrid/simgrid_module.h"
#include "sim/run/run.h"
#include "app/run/run_options.h"
#include "app/run/recorded_run.h"
#include "app/options.inc"

/* --- the workload of a run ------------------------------------------------------------------------------- */

/* The workload of a run of the detailed simulator, as text for an estimate: what an application
 * emulator is in PetaSIM.
 *
 * Counts    are means over the run's passes: bytes of tables, bases, seeds, matches, HSPs and the clocks that a
 *           stage or a core spends on each. The work of clusters that is left when a pass has been streamed is apart,
 *           since no two cores share it; so is the joining of alignments at the end.
 * Passes    differ: up to ESTIMATE_PASSES_MAX of them have factors of these means, so that hosts with few passes have
 *           what the run deals them. Of longer runs only the means are known.
 * Scaled    more segments are more passes; a longer database has more bases, seeds, matches and HSPs in each.
 * Machine   the text expects nodesets disk, host, core and board, as data/machines/mercury-2010 has them.
 */

/* The share of the time for which cores work where they limit. */
#define SATURATED 0.9

enum { STRANDS = 2, BASES_OF_WORD = 16 };

/* What differs from pass to pass. */
enum { VARIES_LOOKUPS, VARIES_MATCHES, VARIES_HSPS, VARIES_CLUSTERS, VARIATIONS };

/* The most passes that are told apart. */
enum { ESTIMATE_PASSES_MAX = 1000 };

/* The work of cores in a run. */
struct core_work {
    double hsps_s; /* without clusters */
    /* What is left for one core when passes have been streamed. If no passes are told apart, the last one's is left out
     * of clusters_s, and is last_s, because nothing overlaps it. */
    double clusters_s, last_s;
    unsigned told_apart;                             /* passes, or 0 */
    double factors[VARIATIONS][ESTIMATE_PASSES_MAX]; /* of each, over the mean */
};

/* --- reading --------------------------------------------------------------------------------------------- */

/* What is left of passes for the cores when they have been streamed. */
struct tails {
    double work_s;         /* of cores, for all passes */
    double all_s, alone_s; /* sum over all passes but the last; over those that no earlier pass held up */
    double others, alone;  /* number of these */
    double earlier_end_s;  /* when stage 3 of all passes so far had ended */
};

/* @return what is left of this pass */
static double take_pass(const struct frame_values *pass, double longest_s, bool is_last, struct tails *t)
{
    double drain_s = pass->counters[S3_DRAIN], end_s = pass->begin_s + pass->simulated_s;
    double left_s = longest_s >= 0 ? fmin(drain_s, longest_s) : drain_s;
    bool is_alone = t->earlier_end_s <= end_s - drain_s;
    t->work_s += pass->counters[S3_CORE_BUSY];
    t->earlier_end_s = fmax(t->earlier_end_s, end_s);
    if (is_last)
        return left_s;
    t->others++;
    t->all_s += left_s;
    t->alone += is_alone;
    t->alone_s += is_alone ? left_s : 0;
    return left_s;
}

/* Whether the duplicate stage limits lookups, and not the reads of the SRAM. */
static bool stage_limits(const struct run *run)
{
    const double *n = run->whole.counters;
    return !(n[S1B_SRAM_READS] > n[S1B_DUPLICATE_STAGE]);
}

/* Divide values by their mean. @return their sum */
static double divide_by_mean(double *values, unsigned count)
{
    double sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += values[i];
    for (unsigned i = 0; i < count; i++)
        values[i] = sum > 0 ? values[i] * count / sum : 1;
    return sum;
}

/* What each pass has of its own. The work of clusters is that of all passes then, the last one among them.
 *
 * @param own  share of what is left of a pass that is its own, and not of earlier ones */
static void tell_apart(const struct run *run, double own, struct core_work *w)
{
    w->told_apart = (unsigned)run->pass_count;
    for (unsigned i = 0; i < w->told_apart; i++) {
        const double *n = run->passes[i].counters;
        double left_s = fmin(w->factors[VARIES_CLUSTERS][i] * own, n[S3_CORE_BUSY]);
        w->factors[VARIES_CLUSTERS][i] = left_s;
        w->factors[VARIES_HSPS][i] = n[S3_CORE_BUSY] - left_s;
        w->factors[VARIES_LOOKUPS][i] = n[stage_limits(run) ? S1B_DUPLICATE_STAGE : S1B_SRAM_READS];
        w->factors[VARIES_MATCHES][i] = n[S2_MATCHES];
    }
    divide_by_mean(w->factors[VARIES_LOOKUPS], w->told_apart);
    divide_by_mean(w->factors[VARIES_MATCHES], w->told_apart);
    w->hsps_s = divide_by_mean(w->factors[VARIES_HSPS], w->told_apart);
    w->clusters_s = divide_by_mean(w->factors[VARIES_CLUSTERS], w->told_apart);
    w->last_s = 0;
}

static void take_cores(const struct run *run, const struct hardware *hardware, struct core_work *w)
{
    double longest_s = json_number_at(run->summary, "bottleneck.longest_cluster_s"),
           drain_s = json_number_at(run->summary, "bottleneck.phases.drain_s"),
           join_s = run->whole.counters[S3_JOIN];
    struct tails t = {0};
    for (size_t i = 0; i < run->pass_count; i++) {
        double left_s = take_pass(&run->passes[i], longest_s, i + 1 == run->pass_count, &t);
        if (i < ESTIMATE_PASSES_MAX)
            w->factors[VARIES_CLUSTERS][i] = left_s;
    }
    /* Where the cores limit, passes end late because of earlier ones: those that none held up tell their own part. */
    double cores = run->whole.gauges[GAUGE_CORES];
    bool saturated = t.work_s > SATURATED * cores * hardware->hosts * (run->whole.simulated_s - join_s);
    double tails_s = saturated && t.alone > 0 ? t.alone_s / t.alone * t.others : t.all_s;
    w->clusters_s = fmin(tails_s, t.work_s);
    w->hsps_s = t.work_s - w->clusters_s;
    w->last_s = fmax((drain_s >= 0 ? drain_s : 0) - join_s, 0);
    if (run->pass_count > 1 && run->pass_count <= ESTIMATE_PASSES_MAX)
        tell_apart(run, w->clusters_s / fmax(t.all_s, DBL_MIN), w);
}

/* --- writing --------------------------------------------------------------------------------------------- */

/* The datasets, in the order in which they are written. */
enum { BUILDS, TABLES, DATABASE, LOOKUPS, MATCHES, HSPS, CLUSTERS, LAST, JOINS, DATASETS };

struct dataset {
    const char *name;
    double units, bytes, operations; /* of a unit */
    const char *more;
    const double *factors; /* of what differs from pass to pass; NULL: nothing does */
};

/* A dataset without units has none. @return whether it was written */
static bool write_dataset(const struct dataset *d, unsigned factor_count, FILE *out)
{
    if (!(d->units > 0 && d->bytes + d->operations > 0))
        return false;
    fprintf(out, "dataset %-8s type grid1dim  units %.12g", d->name, d->units);
    if (d->bytes > 0)
        fprintf(out, "  bytesperunit %.9g", d->bytes);
    if (d->operations > 0)
        fprintf(out, "  operationsperunit %.9g", d->operations);
    fputs(d->more, out);
    for (unsigned i = 0; d->factors && i < factor_count; i++)
        fprintf(out, "%s %.4g", i > 0 ? "," : "  varies", d->factors[i]);
    fputc('\n', out);
    return true;
}

/* @param longer  bases of a pass of the text, over those of the run; @param is  out: which of them are written */
static void write_datasets(const struct run *run, const struct estimate_workload *about,
                           const struct core_work *w, double longer, double passes, FILE *out,
                           bool is[DATASETS])
{
    char block[64];
    const double *n = run->whole.counters, clock_hz = about->hardware.host_clock_hz, seeds = n[S1B_SEEDS],
                 lookups_clocks = fmax(n[S1B_DUPLICATE_STAGE], n[S1B_SRAM_READS]),
                 hsps = n[S3_HSPS] / about->passes, build_clocks = n[S3_BUILD] * clock_hz / about->passes,
                 cores_clocks = w->hsps_s * clock_hz / about->passes,
                 hsp_clocks = hsps > 0 ? (cores_clocks + build_clocks) / hsps : 0;
    snprintf(block, sizeof block, "  aggregate %g B", (double)about->hardware.pcix_block_bytes);
    const struct dataset sets[DATASETS] = {
        [BUILDS] = {"builds", 1, 0, build_clocks, "  parallel 1", NULL},
        [TABLES] = {"tables", 1, n[PCIX_TABLE_BYTES] / about->passes, 0, "", NULL},
        [DATABASE] = {"database", about->bases * longer, 0.5, 1.0 / BASES_OF_WORD, block, NULL},
        [LOOKUPS] = {"lookups", seeds / about->passes * longer, 0, seeds > 0 ? lookups_clocks / seeds : 0, "",
                     w->factors[VARIES_LOOKUPS]},
        [MATCHES] = {"matches", n[S2_MATCHES] / about->passes * longer, 0, 1, "", w->factors[VARIES_MATCHES]},
        [HSPS] = {"hsps", hsps * longer, run->whole.gauges[GAUGE_HSP_BYTES], hsp_clocks, "",
                  w->factors[VARIES_HSPS]},
        [CLUSTERS] = {"clusters", 1, 0, w->clusters_s * clock_hz / about->passes, "  parallel 1",
                      w->factors[VARIES_CLUSTERS]},
        [LAST] = {"last", 1, 0, w->last_s * clock_hz, "  parallel 1", NULL},
        [JOINS] = {"joins", 1, 0, n[S3_JOIN] * clock_hz * (passes / about->passes), "  parallel 1", NULL},
    };
    for (unsigned i = 0; i < DATASETS; i++)
        is[i] = write_dataset(&sets[i], w->told_apart, out);
}

static void write_script(const bool is[DATASETS], const struct estimate_scale *scale, double passes,
                         bool told_apart, FILE *out)
{
    fputs("\ndistribution blocks type block1dim\nuse distribution blocks on ", out);
    if (scale->by_database)
        fprintf(out, "database%s%s%s", is[LOOKUPS] ? ", lookups" : "", is[MATCHES] ? ", matches" : "",
                is[HSPS] ? ", hsps" : "");
    else
        fputs(is[HSPS] ? "hsps" : "database", out);
    if (is[BUILDS])
        fputs("\n\ncompute builds on core\nsynchronize", out);
    fprintf(out, "\n\nrepeat %.0f%s\n", passes, scale->by_database ? "" : " over board");
    if (is[CLUSTERS] && !told_apart)
        fputs("  compute clusters on core  # of the pass before\n", out);
    if (scale->synchronize)
        fputs("  synchronize\n", out);
    if (is[TABLES])
        fputs("  send tables from host to board\n", out);
    fputs("  move database from disk to host\n  move database from host to board\n", out);
    fprintf(out, "  compute database%s%s on board\n", is[LOOKUPS] ? ", lookups" : "",
            is[MATCHES] ? ", matches" : "");
    if (is[HSPS])
        fputs("  move hsps from board to host\n  compute hsps on core\n", out);
    if (is[CLUSTERS] && told_apart)
        fputs("  compute clusters on core\n", out);
    if (is[LAST] || is[JOINS])
        fputs("synchronize\n", out);
    if (is[LAST])
        fputs("compute last on core\n", out);
    if (is[JOINS])
        fputs("compute joins on core\n", out);
}

/* Write the text. */
static void write_workload(const struct run *run, const struct estimate_workload *about,
                           const struct estimate_scale *scale, FILE *out)
{
    auto_free struct core_work *w = memory_new(1, sizeof *w);
    double longer = scale->bases > 0 ? scale->bases / about->parts / about->bases : 1;
    double passes = scale->segments > 0 ? about->passes_per_segment * scale->segments : about->passes;
    char name[256];
    bool is[DATASETS];
    take_cores(run, &about->hardware, w);
    fprintf(out, "# The workload of %s: %.0f passes of %.0f bases, by its means over %.0f passes.\n#\n",
            printable_copy(name, sizeof name, about->path, sizeof name), passes, about->bases * longer,
            about->passes);
    fputs(
        "# Operations are clocks: of a board for a word of 16 bases, for a lookup in SRAM, for a match in stage 2; of\n"
        "# a core for an HSP, with its part of building tables. builds: the tables of the first pass; those of others\n"
        "# are built meanwhile. clusters: what is left for one core when a pass has been streamed; ",
        out);
    fputs(
        w->told_apart > 0
            ? "joins: alignments\n# that segments share; varies: what each pass of the run had, over the mean.\n"
            : "last: after the last\n# pass; joins: alignments that segments share.\n",
        out);
    write_datasets(run, about, w, longer, passes, out, is);
    write_script(is, scale, passes, w->told_apart > 0, out);
}

/* --- the session ----------------------------------------------------------------------------------------- */

/* The numbers of a machine that the detailed simulator can be given. */
struct machine {
    double hosts, boards, buses, cores;                               /* boards, buses and cores of a host */
    double fpga_hz, core_hz, supply, bus, network, network_latency_s; /* B/s; network: 0 if there is none */
};

static const char *const mode_names[] = {"both", "arithmetic", "executed", NULL};
static const char *const distribution_names[] = {"queries", "database", NULL};

const struct command_option estimate_session_options[] = COMMAND_OPTIONS(ESTIMATE_SESSION_OPTIONS);

/* --- the estimated machine ------------------------------------------------------------------------------- */

static int find_nodeset(const struct estimate_text *t, const char *name)
{
    return names_find((struct names){t->nodesets, sizeof *t->nodesets, t->nodeset_count, true},
                      word_of(name));
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
    if (t->nodesets[board].unlike.count > 0 || t->nodesets[core].unlike.count > 0)
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

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

/* --- a re-timing ----------------------------------------------------------------------------------------- */

/* The network of a machine that has none takes no time. */
#define NO_TIME_RATE 1e15 /* B/s */

/* The bus has the run's bursts, and their clocks take as much of it as before. */
static int set_machine(const struct estimate_session *s, const struct machine *m, struct hardware *hardware,
                       struct why *why)
{
    const struct hardware *h = &s->workload.hardware;
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
    int status = hardware_set(hardware, "schedule.overlap", s->scale.synchronize ? "serial" : "drain", why);
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0] && status == 0; i++) {
        char text[40];
        snprintf(text, sizeof text, "%.12g", numbers[i].value);
        status = hardware_set(hardware, numbers[i].name, text, why);
    }
    return status;
}

static int retime(const struct estimate_session *s, const struct machine *m, struct estimate_row *row,
                  struct why *why)
{
    struct token_record *record = NULL;
    auto_by(passes_result_destroy) struct passes_result result = {0};
    struct hardware hardware = hardware_default();
    struct platform *platform = NULL;
    double begin_s = progress_wall_s();
    int status = token_record_open(s->record, &record, why);
    const struct token_record_facts *facts = status == 0 ? &token_record_run(record)->facts : NULL;
    if (status == 0)
        status = recorded_machine_open(facts, &hardware, &platform, why);
    if (status == 0)
        status = set_machine(s, m, &hardware, why);
    if (status == 0)
        status = recorded_machine_check(facts, &hardware, s->record, false, why);
    if (status == 0)
        status = recorded_run_time(record, &hardware, platform, &result, why);
    platform_close(platform);
    if (status == 0) {
        row->detailed_s = result.run.duration_s;
        row->detailed_wall_s = progress_wall_s() - begin_s;
    }
    token_record_close(record);
    return status ? why_precede(why, COMMAND_REFUSED, "--record: ") : 0;
}

/* Fill a row's detailed times. */
static int find(const struct estimate_session *s, const struct estimate_program *p, struct estimate_row *row,
                struct why *why)
{
    struct machine m;
    const struct hardware *h = &s->workload.hardware;
    const struct estimate_workload *w = &s->workload;
    bool serial = h->overlap == OVERLAP_SERIAL;
    bool scaled = (s->scale.segments > 0 && w->passes_per_segment * s->scale.segments != w->passes) ||
                  (s->scale.bases > 0 && fabs(s->scale.bases / w->parts - w->bases) >= 16);
    const bool known = find_machine(&s->text, p, &m);
    row->other_cores = known && w->has_machine && m.cores != h->host_cores;
    if (scaled || !known || (s->scale.by_database && m.hosts * m.boards > 1) ||
        (h->distribution == DISTRIBUTION_DATABASE && m.hosts > 1))
        return 0;
    bool is_of_run =
        m.hosts == h->hosts && m.boards == h->boards && m.buses == h->buses && m.cores == h->host_cores &&
        is_near(m.fpga_hz, h->fpga_clock_hz) && is_near(m.core_hz, h->host_clock_hz) &&
        is_near(m.supply, h->host_supply) && is_near(m.bus, hardware_bus_bytes_per_s(h)) &&
        (m.hosts == 1 ||
         (is_near(m.network, h->network_bandwidth) && is_near(m.network_latency_s, h->network_latency_s)));
    if (w->has_machine && h->overlap != OVERLAP_TABLES && serial == s->scale.synchronize && is_of_run)
        row->detailed_s = w->simulated_s;
    bool can = m.hosts <= HARDWARE_HOSTS_MAX && m.boards <= HARDWARE_BOARDS_MAX &&
               m.cores <= HARDWARE_CORES_MAX && m.buses <= m.boards;
    return isnan(row->detailed_s) && s->record && can ? retime(s, &m, row, why) : 0;
}

/* --- numbers of nodes ------------------------------------------------------------------------------------ */

static int add_nodes(struct estimate_session *s, double nodes, struct why *why)
{
    if (s->count == ESTIMATE_ROWS_MAX)
        return why_refuse(why, "--nodes '%.60s': more than %d numbers", s->nodes, ESTIMATE_ROWS_MAX);
    s->rows[s->count++] =
        (struct estimate_row){(uint32_t)nodes, NAN, NAN, NAN, NAN, NAN, NAN, .differences = 0};
    return 0;
}

/* A..B: A, 2A, 4A ... and B */
static int take_range(struct estimate_session *s, struct word from, struct why *why)
{
    const char *dots = memmem(from.text, from.length, "..", 2), *end = from.text + from.length;
    double nodes, last;
    int status = 0;
    if (dots)
        from.length = (size_t)(dots - from.text);
    if (!word_number_within(from, 1, ESTIMATE_NODES_MAX, true, &nodes) ||
        !word_number_within(dots ? (struct word){dots + 2, (size_t)(end - dots) - 2} : from, nodes,
                            ESTIMATE_NODES_MAX, true, &last))
        return command_refuse("--nodes", s->nodes, "numbers from 1 to 1000000, such as 1,15,64 or 1..64",
                              why);
    for (; nodes < last && status == 0; nodes *= 2)
        status = add_nodes(s, nodes, why);
    return status ? status : add_nodes(s, last, why);
}

static int take_nodes(struct estimate_session *s, struct why *why)
{
    int status = 0;
    if (!s->nodes)
        return add_nodes(s, estimate_program_nodes(&s->text), why);
    for (struct word rest = word_of(s->nodes); rest.text && status == 0;)
        status = take_range(s, word_cut(&rest, ","), why);
    return status;
}

/* --- texts ----------------------------------------------------------------------------------------------- */

/* A name on the command line is a file, or else one of data/machines. A name in a file is beside that file, or else one
 * of data/machines. @return for free() */
char *estimate_session_find_file(const char *name, const char *from)
{
    char path[2 * PATH_MAX];
    struct stat about;
    const char *slash = from && *name != '/' ? strrchr(from, '/') : NULL;
    snprintf(path, sizeof path, "%.*s%.4000s", slash ? (int)(slash + 1 - from) : 0, slash ? from : "", name);
    bool is_file = stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
    if (strcmp(name, "-") != 0 && !is_file && *name)
        run_options_find_data(path, "machines/%s", name);
    return memory_text(path);
}

static int make_workload(struct estimate_session *s, struct why *why)
{
    size_t bytes = 0;
    auto_by(run_close) struct run run = {0};
    struct estimate_workload *w = &s->workload;
    if (!s->from)
        return 0;
    int status = command_status_of(run_read(s->from, &run, why));
    const double *n = run.whole.counters;
    *w = (struct estimate_workload){.has_machine = run.has_machine,
                                    .hardware = run.has_machine ? run.hardware : hardware_default()};
    snprintf(w->path, sizeof w->path, "%s", run.path);
    if (status == 0 && !(run.pass_count >= 1 && run.whole.simulated_s > 0 && n[S1A_WORDS] > 0 &&
                         n[S3_JOIN] + n[S3_BUILD] >= 0))
        status = why_refuse(why, "%.300s: the run has no passes, no words or no time", w->path);
    if (status == 0) {
        w->simulated_s = run.whole.simulated_s;
        const bool is_dealt = w->hardware.distribution == DISTRIBUTION_DATABASE;
        w->passes = (double)run.pass_count;
        w->parts = is_dealt ? w->hardware.hosts : 1;
        w->passes_per_segment = w->parts * (run.is_of_one_strand ? 1 : STRANDS);
        w->bases = n[S1A_WORDS] * (BASES_OF_WORD / w->passes);
        FILE *memory = memory_stream(&s->workload_text, &bytes);
        write_workload(&run, w, &s->scale, memory);
        memory_stream_end(memory);
    }
    if (status || s->file_count == 0)
        return status;
    const bool works = s->text.dataset_count > 0;
    status = estimate_text_parse(&s->text, s->workload_text, bytes, "the workload of --from", NULL, why);
    if (status && works)
        why_append(why, "; the other files have a workload, too: leave it out beside --from");
    return command_status_of(status);
}

/* Set the number that varies, and find its value as a number. */
static int vary(struct estimate_session *s, struct why *why)
{
    struct estimate_number number;
    int status = command_status_of(estimate_text_set(&s->text, s->varied, why));
    for (unsigned i = 0; status == 0 && estimate_text_number(&s->text, i, &number); i++)
        if (strncmp(number.name, s->varied, strlen(number.name)) == 0 &&
            s->varied[strlen(number.name)] == '=') {
            s->varied_to = number.value;
            return 0;
        }
    return status ? why_precede(why, status, "--vary: ")
                  : why_refuse(why, "--vary %.60s: expected a number, such as disk.number=1,4", s->varied);
}

int estimate_session_read(struct estimate_session *s, struct why *why)
{
    int status = 0;
    if (s->scale.segments != floor(s->scale.segments))
        return why_refuse(why, "--segments %g: expected a whole number", s->scale.segments);
    for (size_t i = 0; i < s->file_count && status == 0; i++) {
        auto_free char *path = estimate_session_find_file(s->files[i], NULL);
        const int read = estimate_text_read(&s->text, path, estimate_session_find_file, why);
        status = command_status_of(read);
        if (read == ESTIMATE_TEXT_EREAD)
            run_options_suggest_file(s->files[i], "machines", why);
    }
    if (status == 0)
        status = make_workload(s, why);
    for (size_t i = 0; i < s->set_count && status == 0; i++)
        status = command_status_of(estimate_text_set(&s->text, s->sets[i], why));
    if (status == 0 && s->varied)
        status = vary(s, why);
    return status ? status : take_nodes(s, why);
}

/* --- a process that executes ----------------------------------------------------------------------------- */

/* In memory that parent and child share. */
struct execution {
    const struct simgrid_module *simgrid;
    const struct estimate_program *program;
    bool has_ended;
    int status;
    double time_s, wall_s;
    struct why why;
};

static void execute_in_child(void *data)
{
    struct execution *e = data;
    double begin_s = progress_wall_s();
    e->status = e->simgrid->run_script(e->program, &e->time_s, &e->why);
    e->wall_s = progress_wall_s() - begin_s;
    e->has_ended = true;
}

static int execute(const struct simgrid_module *simgrid, const struct estimate_program *program,
                   struct estimate_row *row, struct why *why)
{
    int ended = 0;
    struct execution *e = memory_shared(sizeof *e);
    *e = (struct execution){.simgrid = simgrid, .program = program};
    int status = 0;
    if (child_words_run(execute_in_child, e, &ended) == CHILD_NO_MEMORY)
        status = why_no_memory(why, COMMAND_REFUSED);
    else if (!e->has_ended)
        status = why_say(why, COMMAND_FAILED,
                         "the process that executes the script on %u nodes has ended early (%s %d)",
                         row->nodes, WIFSIGNALED(ended) ? "signal" : "status",
                         WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended));
    else if (e->status) {
        *why = e->why;
        status = COMMAND_FAILED;
    }
    row->executed_s = e->time_s;
    row->executed_wall_s = e->wall_s;
    munmap(e, sizeof *e);
    return status;
}

/* --- rows ------------------------------------------------------------------------------------------------ */

/* Make the program of a row. */
static int make_program(const struct estimate_session *s, const struct estimate_row *row,
                        struct estimate_program *program, struct why *why)
{
    int status = estimate_program_make(&s->text, row->nodes, program, why);
    if (status == 0 && s->mode != ESTIMATE_ARITHMETIC)
        status = estimate_execution_check(program, why);
    return command_status_of(status);
}

static int make_row(const struct estimate_session *s, const struct simgrid_module *simgrid,
                    struct estimate_program *program, struct estimate_row *row, struct why *why)
{
    struct estimate_result result;
    int status = make_program(s, row, program, why);
    double begin_s = progress_wall_s();
    if (status)
        return status;
    estimate_arithmetic(program, &result);
    row->estimated_wall_s = progress_wall_s() - begin_s;
    row->estimated_s = result.time_s;
    estimate_limits(program, &result, &row->limits);
    if (s->mode == ESTIMATE_EXECUTED)
        row->estimated_s = row->estimated_wall_s = NAN;
    row->differences = estimate_differences(program);
    if (simgrid)
        status = execute(simgrid, program, row, why);
    return status == 0 && s->from ? find(s, program, row, why) : status;
}

int estimate_session_make(struct estimate_session *s, struct why *why)
{
    auto_free struct estimate_program *program = memory_take(sizeof *program);
    const struct simgrid_module *simgrid = NULL;
    struct progress progress;
    int status = 0;
    for (unsigned i = 0; status == 0 && i < s->count; i++)
        status = make_program(s, &s->rows[i], program, why);
    if (status == 0 && s->mode != ESTIMATE_ARITHMETIC && !(simgrid = simgrid_module(why)))
        status = COMMAND_REFUSED;
    progress_begin(&progress, "numbers of nodes", s->count, s->quiet);
    for (unsigned i = 0; status == 0 && i < s->count; i++) {
        status = make_row(s, simgrid, program, &s->rows[i], why);
        progress_update(&progress, i + 1);
    }
    progress_end(&progress);
    return status;
}

/* Add a session with the same questions behind all others, and give it a value. */
static void add_session(struct estimate_session *first, unsigned machine, const char *against,
                        const char *vary, const char *at, unsigned value)
{
    struct estimate_session *s = first, *last = first;
    if (machine > 0 || value > 0) {
        while (last->next)
            last = last->next;
        s = last->next = memory_take(sizeof *s);
        *s = *first;
        s->next = NULL;
        s->varied = NULL;
        s->files[0] = machine > 0 ? against : first->files[0];
    }
    s->machine = machine;
    s->value = value;
    if (vary)
        s->varied =
            memory_print("%.*s%.*s", (int)(strchr(vary, '=') + 1 - vary), vary, (int)strcspn(at, ","), at);
}

int estimate_session_spread(struct estimate_session *first, const char *against, const char *vary,
                            struct why *why)
{
    const char *values = vary ? strchr(vary, '=') : NULL;
    if (vary && (!values || !values[1] || strlen(vary) > 400))
        return command_refuse("--vary", vary, "NAME.KEY=VALUE,VALUE ..., such as disk.number=1,4,16", why);
    for (unsigned machine = 0; machine < (against ? ESTIMATE_MACHINES : 1); machine++) {
        const char *at = vary ? values + 1 : "";
        for (unsigned value = 0; at; value++) {
            if (value == ESTIMATE_VALUES_MAX)
                return why_refuse(why, "--vary '%.60s': more than %d values", vary, ESTIMATE_VALUES_MAX);
            add_session(first, machine, against, vary, at, value);
            at = strchr(at, ',');
            at = at ? at + 1 : NULL;
        }
    }
    return 0;
}

void estimate_session_release(struct estimate_session *s)
{
    if (s->next)
        estimate_session_release(s->next);
    free(s->next);
    free(s->varied);
    s->next = NULL;
    s->varied = NULL;
    estimate_text_release(&s->text);
    free(s->workload_text);
    s->workload_text = NULL;
}
