/* test_bus_rules.c - what bus and host give every block of a pass, and when its records are in memory: SimGrid's
 * transfers against docs/hardware.md, "Bus, host and egress", computed here once more, from the HSPs of each block
 * alone, on real DNA. The judge and the engines of the board take these numbers as given. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/why.h"
#include "blast/sequence/fasta.h"
#include "blast/stages12/pass.h"
#include "sim/simgrid/system.h"
#include "tests/run_suite.h"
#include "tests/sim/platform/prepared_platform.h"

#define TICKS 1048576.0 /* per clock */

/* A pass as the document says it is, in clocks of the board since the stream began. */
struct ruled_pass {
    struct hardware hardware;
    struct pass *stages;
    struct board *board;
    struct board_times times;
    uint64_t words, block_words; /* of the database; of the blocks so far in the one at hand */
    double *supply_begin;        /* of every block */
    double *moved;               /* when the bus had moved it */
    size_t block, blocks;
    double transfer_end; /* of the last block */
    /* Records on the bus, the first of them, and behind it: one transfer for each block. */
    struct crossing {
        size_t first, count; /* among all */
        double clocks;       /* of the bus, that it still takes */
    } line[4096];
    size_t line_first, line_end;
    double *closed, *arrives; /* per record: its burst; it is in memory */
    size_t records, closed_room, arrives_room;
    size_t turns; /* transfers of records between blocks */
    double worst; /* greatest difference, in ticks */
    const char *what;
};

static void compare(struct ruled_pass *p, const char *what, double ruled, double simulated)
{
    const double difference = fabs(ruled - simulated);
    if (difference <= p->worst)
        return;
    p->worst = difference;
    p->what = what;
}

/* What bytes take of the bus, as bytes; and clocks of the board that a byte takes. */
static double on_bus(const struct hardware *h, double bytes, double bursts)
{
    return bytes + 8 * (bursts * h->pcix_burst_clocks + h->pcix_setup_clocks);
}

static double byte_clocks(const struct hardware *h)
{
    return h->fpga_clock_hz / (h->pcix_bandwidth * h->pcix_efficiency);
}

static size_t burst_records(const struct hardware *h)
{
    return h->hsp_flush_clocks > 0 ? h->pcix_burst_bytes / h->hsp_bytes : 1;
}

/* Records of a block are through at a clock: they arrive in bursts, as much later as the last one does. */
static void arrive(struct ruled_pass *p, const struct crossing *records, double through)
{
    const size_t end = records->first + records->count;
    const double late = fmax(0, through - p->closed[end - 1]);
    for (size_t i = records->first; i < end; i++)
        p->arrives[i] = fmax(i > 0 ? p->arrives[i - 1] : 0, p->closed[i] + late);
}

/* Let records cross from a clock on for as long as they have the bus, or half of it beside a block that takes
 * `clocks` of the bus. @return clocks of the bus that they took */
static double cross(struct ruled_pass *p, double begin, double clocks, bool beside)
{
    double taken = 0;
    while (clocks > taken && p->line_first < p->line_end) {
        struct crossing *records = &p->line[p->line_first];
        const double now = fmin(records->clocks, clocks - taken);
        taken += now;
        records->clocks -= now;
        if (records->clocks <= 0) {
            arrive(p, records, begin + (beside ? 2 : 1) * taken);
            p->line_first++;
        }
    }
    return taken;
}

/* Close the bursts of the block: full, or waited for long enough, or the block's last. */
static void close_bursts(struct ruled_pass *p, const int64_t *left, size_t count)
{
    const struct hardware *h = &p->hardware;
    const size_t most = burst_records(h);
    double bursts = 0;
    for (size_t i = 0, end; i < count; i = end) {
        const double deadline = (double)left[i] / TICKS + h->hsp_flush_clocks;
        for (end = i + 1; end < count && end - i < most && (double)left[end] / TICKS <= deadline; end++)
            ;
        const bool waits = end - i < most && end < count;
        for (size_t j = i; j < end; j++)
            p->closed[p->records + j] = waits ? deadline : (double)left[end - 1] / TICKS;
        bursts++;
    }
    if (count > 0)
        ck_assert_uint_lt(p->line_end, COUNT_OF(p->line));
    p->line[p->line_end++] = (struct crossing){
        p->records, count, on_bus(h, (double)(count * h->hsp_bytes), bursts) * byte_clocks(h)};
    p->records += count;
}

/* Between blocks records have all of the bus, beside one half of it. @return clocks of the bus that they took beside */
static double share_bus(struct ruled_pass *p, double begin, double alone)
{
    cross(p, p->transfer_end, begin - p->transfer_end, false);
    return cross(p, begin, alone, true);
}

/* The records of one block after the other cross before the next block; where blocks go first, only those that begin
 * more than a clock before it can. @return when the block begins, that can at `ready` */
static double take_turns(struct ruled_pass *p, double ready)
{
    double now = p->transfer_end;
    while (p->line_first < p->line_end &&
           (p->hardware.pcix_priority == BUS_RECORDS_FIRST || now + 1 < ready)) {
        const double clocks = p->line[p->line_first].clocks;
        cross(p, now, clocks, false);
        now += clocks;
        p->turns++;
    }
    return fmax(now, ready);
}

/* The share of the next block. */
static struct bus_share rule_share(struct ruled_pass *p, double words)
{
    const struct hardware *h = &p->hardware;
    const double supply = 8 / h->host_supply * h->fpga_clock_hz, bytes = 8 * words;
    const double alone = on_bus(h, bytes, ceil(bytes / h->pcix_burst_bytes)) * byte_clocks(h);
    const size_t k = p->block, places = h->host_queue_blocks, most = burst_records(h);
    double begin = k > 0 ? p->moved[k - 1] : 0;
    p->supply_begin[k] = k > 0 ? p->supply_begin[k - 1] + (double)p->block_words * supply : 0;
    if (k >= places)
        p->supply_begin[k] = fmax(p->supply_begin[k], p->moved[k - places]);
    begin = fmax(begin, p->supply_begin[k]);
    const double beside = h->pcix_priority == BUS_FAIR ? share_bus(p, begin, alone) : 0;
    if (h->pcix_priority != BUS_FAIR)
        begin = take_turns(p, begin);
    p->transfer_end = begin + alone + beside;
    if (p->line_first == p->line_end)
        p->line_first = p->line_end = 0;
    const double record = (h->hsp_bytes + 8.0 * h->pcix_burst_clocks / (double)most) * byte_clocks(h);
    return (struct bus_share){.begin = llround(begin * TICKS),
                              .word_ticks = llround(alone / words * TICKS),
                              .record_ticks = llround(record * TICKS),
                              .beside_ticks = llround(beside * TICKS),
                              .supply_first = llround(p->supply_begin[k] * TICKS) + llround(supply * TICKS),
                              .supply_ticks = llround(supply * TICKS)};
}

static void watch(void *data, const struct tokens *tokens, const struct bus_share *given)
{
    struct ruled_pass *p = data;
    const struct bus_share ruled = rule_share(p, (double)tokens->word_count);
    p->block_words = tokens->word_count;
    compare(p, "begin", (double)ruled.begin, (double)given->begin);
    compare(p, "w", (double)ruled.word_ticks, (double)given->word_ticks);
    compare(p, "v", (double)ruled.record_ticks, (double)given->record_ticks);
    compare(p, "r", (double)ruled.beside_ticks, (double)given->beside_ticks);
    compare(p, "h of the first word", (double)ruled.supply_first, (double)given->supply_first);
    compare(p, "h of a word", (double)ruled.supply_ticks, (double)given->supply_ticks);
    board_advance(p->board, tokens, given, &p->times);
    array_reserve(&p->closed, &p->closed_room, p->records, tokens->hsp_count, sizeof *p->closed);
    array_reserve(&p->arrives, &p->arrives_room, p->records, tokens->hsp_count, sizeof *p->arrives);
    p->moved[p->block++] = fmax(p->transfer_end, (double)board_bus_free(p->board) / TICKS);
    close_bursts(p, p->times.record_left, tokens->hsp_count);
}

static uint64_t scan(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                     struct pass_counts *counts)
{
    const struct ruled_pass *p = data;
    pass_scan(p->stages, first, count, tokens, counts);
    return count;
}

static bool extend(void *data, const struct hsp *hsps, size_t count, struct stage3_work *work)
{
    (void)data, (void)hsps;
    for (size_t i = 0; i < count; i++)
        work[i] = (struct stage3_work){0};
    return true;
}

/* Simulate the pass, and compare it block by block, and HSP by HSP. */
static void simulate(struct ruled_pass *p, const char *platform_file)
{
    static struct frame frame;
    struct host_pass host;
    struct system_wall wall = {0};
    struct system_pass system = {.source = {.data = p,
                                            .database_words = p->words,
                                            .table_bytes = 1500000,
                                            .scan = scan,
                                            .extend = extend},
                                 .instruments = {.only_times = true, .watch_block = watch, .watcher = p},
                                 .frame = &frame,
                                 .host = &host,
                                 .wall = &wall};
    ck_assert_int_eq(system_run(&(struct system_run){.hardware = &p->hardware,
                                                     .platform_file = platform_file,
                                                     .boards = 1,
                                                     .pass_count = 1,
                                                     .only = &system}),
                     0);
    cross(p, p->transfer_end, INFINITY, false);
    ck_assert_uint_eq(p->block, p->blocks);
    ck_assert_uint_eq(host.tasks.hsp_count, p->records);
    for (size_t i = 0; i < p->records; i++)
        compare(p, "arrival", p->arrives[i] * TICKS, (double)host.tasks.hsps[i].arrived);
    stage3_tasks_destroy(&host.tasks);
}

static const struct genomes {
    const char *query, *database;
    size_t query_record, database_record;
    const char *set[4];
    double read_s; /* within which SimGrid ends the reads that the bus waits for; 0: it waits for none */
} genomes[] = {
    {"/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz",
     "/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz",
     0,
     0,
     {NULL}},
    {"/usr/share/doc/sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz",
     "/usr/share/doc/sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz",
     0,
     1,
     {NULL}},
    /* The host waits for places, records contend, and bursts close early. */
    {"/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz",
     "/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz",
     0,
     0,
     {"host.supply=5e9", "host.queue=2", "hsp.bytes=40", "hsp.flush_clocks=60"}},
    {"/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz",
     "/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz",
     0,
     0,
     {"pcix.burst=1216", "hsp.flush_clocks=0", "host.supply=1e15", "pcix.setup_clocks=100"}},
    /* The bus waits for the host. */
    {"/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz",
     "/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz",
     0,
     0,
     {"host.supply=3e8", "host.queue=2", "pcix.block=8192"},
     1e-5},
};

/* A machine whose bus waits for no read of the host; the n-th is always the same. */
static void draw_machine(struct hardware *hardware, unsigned n)
{
    static const struct {
        const char *format;
        unsigned values[4];
    } numbers[] = {{"pcix.block=%u", {8192, 16384, 65536, 131072}},
                   {"host.supply=%u", {1200000000, 2000000000, 3000000000, 4000000000}},
                   {"host.queue=%u", {2, 3, 4, 16}},
                   {"hsp.bytes=%u", {8, 16, 40, 64}},
                   {"pcix.burst=%u", {64, 256, 1024, 8192}},
                   {"pcix.setup_clocks=%u", {0, 7, 100, 665}},
                   {"hsp.flush_clocks=%u", {0, 60, 1024, 10000}},
                   {"fifo.egress=%u", {1, 16, 512, 4096}},
                   {"sram.trip_cycles=%u", {7, 20, 23, 200}}};
    uint32_t state = n * 2654435761u + 12345;
    for (unsigned i = 0; i < COUNT_OF(numbers); i++) {
        char assignment[64];
        struct why why;
        state = state * 1664525u + 1013904223u;
        snprintf(assignment, sizeof assignment, numbers[i].format, numbers[i].values[state >> 30]);
        ck_assert_msg(hardware_set_assignment(hardware, assignment, &why) == 0, "%s", why.line);
    }
}

/* All is rounded to ticks. The board gets SimGrid's shares, since a tick can decide on a clock. */
static const double most_ticks = 1;

enum { GENOMES = 3 * sizeof genomes / sizeof genomes[0] };

START_TEST(test_bus_and_host_give_what_the_document_says)
{
    static const char *const priorities[] = {"fair", "blocks", "records"};
    const unsigned drawn = _i < GENOMES ? 0 : (unsigned)(_i - GENOMES) / 3 + 1;
    const struct genomes *g = &genomes[drawn ? 0 : _i / 3];
    struct ruled_pass p = {.hardware = hardware_default()};
    struct sequences query, database;
    struct why why;
    size_t segment_count;
    double most;
    if (access(g->query, R_OK) != 0 || access(g->database, R_OK) != 0)
        return;
    if (g->read_s > 0 &&
        _i % 3 == 1) /* whether records go before a block that the host has not quite supplied */
        return;      /* would depend on when SimGrid ends the read */
    for (unsigned i = 0; i < 4 && g->set[i]; i++)
        ck_assert_int_eq(hardware_set_assignment(&p.hardware, g->set[i], &why), 0);
    if (drawn)
        draw_machine(&p.hardware, drawn);
    ck_assert_int_eq(hardware_set(&p.hardware, "pcix.priority", priorities[_i % 3], &why), 0);
    most = most_ticks + g->read_s * p.hardware.fpga_clock_hz * TICKS;
    struct platform *platform = prepared_platform(&p.hardware);
    ck_assert_int_eq(sequences_read(g->query, &query, &why), 0);
    ck_assert_int_eq(sequences_read(g->database, &database, &why), 0);
    struct query_segment *segments = segments_cut(query.records[0].bases, p.hardware.query_segment,
                                                  p.hardware.query_overlap, STRANDS_BOTH, &segment_count);
    p.words = database.word_count;
    p.blocks = (p.words * 8 + p.hardware.pcix_block_bytes - 1) / p.hardware.pcix_block_bytes;
    for (size_t i = 0; i < (drawn ? 1 : (size_t)tests_some((int)segment_count)); i++) {
        pid_t process = fork();
        ck_assert_int_ge(process, 0);
        if (process == 0) {
            p.stages = pass_new(&p.hardware.pass, &query, &segments[i], &database, NULL);
            p.board = board_new(&p.hardware.board);
            p.supply_begin = calloc(p.blocks, sizeof *p.supply_begin);
            p.moved = calloc(p.blocks, sizeof *p.moved);
            simulate(&p, platform_simgrid_file(platform));
            if (p.worst > most)
                fprintf(stderr, "pass %zu of %s (machine %u, %s): %s differs by %g ticks\n", i + 1, g->query,
                        drawn, priorities[_i % 3], p.what, p.worst);
            _exit(p.worst > most || (_i % 3 == 2 && p.turns == 0));
        }
        int status = 0;
        ck_assert_int_eq(waitpid(process, &status, 0), process);
        ck_assert_int_eq(status, 0);
    }
    free(segments);
    sequences_destroy(&query);
    sequences_destroy(&database);
    platform_close(platform);
}
END_TEST

static Suite *bus_rules_suite(void)
{
    Suite *suite = suite_create("bus_rules");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_bus_and_host_give_what_the_document_says, 0, GENOMES + 3 * tests_some(20));
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(bus_rules_suite());
}
