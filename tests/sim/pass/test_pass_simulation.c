/* test_pass_simulation.c - whole passes through the simulated machine, on small DNA made up here.
 *
 * Every pass runs in a process of its own, since SimGrid has one engine a process; results come back in
 * shared memory. Blocks are of 4096 bytes, 8192 bases, so that small databases have several.
 * MERCURY_SOURCE_DIR names the folder that data/ is in; the current one where it is not set.
 */
#include "sim/pass/pass_simulation.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/why.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/passes.h"
#include "sim/platform/platform.h"
#include "sim/run/run_bottleneck.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"
#include "tests/sim/pass/host_side.h"

enum { ALIGNMENTS_MAX = 2000, WMER = 11 };

static struct why why;

/* --- DNA ------------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)((random_state * UINT64_C(0x2545f4914f6cdd1d) >> 32) * limit >> 32);
}

static char *random_dna(size_t bases, uint64_t seed)
{
    char *text = malloc(bases + 1);
    random_state = seed * 7919 + 88172645463325252u;
    for (size_t i = 0; i < bases; i++)
        text[i] = "ACGT"[random_below(4)];
    text[bases] = '\0';
    return text;
}

static void plant(char *database, size_t at, const char *query, size_t from, size_t bases)
{
    memcpy(database + at, query + from, bases);
}

static void plant_reverse_complement(char *database, size_t at, const char *query, size_t from, size_t bases)
{
    for (size_t i = 0; i < bases; i++)
        database[at + i] = "TGCA"[strchr("ACGT", query[from + bases - 1 - i]) - "ACGT"];
}

static uint64_t code_of(char base)
{
    const char *found = strchr("ACGT", base);
    return found ? (uint64_t)(found - "ACGT") : BASE_AMBIGUOUS;
}

/* One record, packed by hand (sequence.h). */
static struct sequences sequences_of(const char *text)
{
    struct sequences s = {.record_count = 1, .bases = strlen(text), .positions = strlen(text)};
    s.word_count = (s.positions + BASES_PER_WORD - 1) / BASES_PER_WORD;
    s.words = calloc(s.word_count, sizeof *s.words);
    s.records = calloc(1, sizeof *s.records);
    s.records[0] = (struct sequence_record){.name = strdup("made up"), .bases = s.bases};
    for (uint64_t i = 0; i < s.word_count * BASES_PER_WORD; i++) {
        uint64_t code = i < s.positions ? code_of(text[i]) : BASE_SEPARATOR;
        s.words[i / BASES_PER_WORD] |= code << (4 * (i % BASES_PER_WORD));
        s.ambiguous += code == BASE_AMBIGUOUS;
    }
    return s;
}

/* Slow and obvious: w-mers of ACGT in the database that are in the query too, and pairs of equal ones. */
struct naive {
    uint64_t seeds, matches;
};

static struct naive count_naively(const char *query, const char *database)
{
    struct naive naive = {0};
    size_t query_bases = strlen(query), bases = strlen(database);
    for (size_t d = 0; d + WMER <= bases; d++) {
        uint64_t before = naive.matches;
        if (strspn(database + d, "ACGT") < WMER)
            continue;
        for (size_t q = 0; q + WMER <= query_bases; q++)
            naive.matches += memcmp(query + q, database + d, WMER) == 0;
        naive.seeds += naive.matches > before;
    }
    return naive;
}

/* --- the machine ----------------------------------------------------------------------------------------- */

static struct hardware hardware;
static struct platform *platform;
static struct scoring_statistics statistics;
static const int least_scores[] = {20};

static void set(const char *assignment)
{
    ck_assert_msg(hardware_set_assignment(&hardware, assignment, &why) == 0, "%s", why.line);
}

static void prepare(void)
{
    ck_assert_msg(hardware_check(&hardware, &why) == 0, "%s", why.line);
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
}

static void open_platform(const char *path)
{
    platform_close(platform); /* that of the fixture, where a test opens another */
    platform = NULL;
    hardware = hardware_default();
    ck_assert_msg(platform_open(path, &hardware, &platform, &why) == 0, "%s", why.line);
    ck_assert_int_eq(scoring_statistics_compute(&hardware.scoring, &statistics, &why), 0);
    set("pcix.block=4096");
    set("bloom.hashes=3"); /* half of the default: the filter is tabulated in half the time */
}

static void open_shipped_platform(void)
{
    char path[4096];
    const char *source = getenv("MERCURY_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/data/platforms/mercury-2010.xml", source ? source : ".");
    open_platform(path);
}

static void close_platform(void)
{
    platform_close(platform);
    platform = NULL;
}

/* What comes back from a pass's process. */
struct outcome {
    int status;
    struct frame frame;
    struct sram_load tables;
    uint64_t words_done;
    size_t alignment_count;
    struct alignment alignments[ALIGNMENTS_MAX];
};

static atomic_uint scan_threads = 1;

static void simulate_here(const struct sequences *query, const struct sequences *database, FILE *tasks,
                          struct outcome *outcome)
{
    uint8_t *codes = malloc(query->positions);
    atomic_ullong words_done = 0;
    struct pass_result result;
    sequences_unpack(query, STRAND_PLUS, 0, query->positions, codes);
    struct pass_simulation pass = {
        .hardware = &hardware,
        .platform_file = platform_simgrid_file(platform),
        .query = query,
        .query_codes = codes,
        .database = database,
        .segment = {.strand = STRAND_PLUS, .length = (uint32_t)query->positions},
        .statistics = &statistics,
        .least.scores = least_scores,
        .threads = &scan_threads,
        .instruments = {.words_done = &words_done},
    };
    outcome->status = pass_simulate(&pass, &result);
    free(codes);
    if (outcome->status)
        return;
    host_side_hand_over(&result.host, tasks);
    outcome->frame = result.frame;
    outcome->tables = result.tables;
    outcome->words_done = atomic_load(&words_done);
    outcome->alignment_count =
        result.alignments.count < ALIGNMENTS_MAX ? result.alignments.count : ALIGNMENTS_MAX;
    if (outcome->alignment_count > 0)
        memcpy(outcome->alignments, result.alignments.items,
               outcome->alignment_count * sizeof outcome->alignments[0]);
    alignment_list_destroy(&result.alignments);
}

/* The pass in a process of its own, then its host. In shared memory, until the test's process ends. */
static const struct outcome *simulate(const char *query, const char *database)
{
    struct outcome *outcome =
        mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(outcome, MAP_FAILED);
    struct sequences q = sequences_of(query), d = sequences_of(database);
    FILE *tasks = tmpfile();
    outcome->status = 1;
    int exit_status;
    pid_t child = fork();
    if (child == 0) {
        simulate_here(&q, &d, tasks, outcome);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &exit_status, 0), child);
    ck_assert_msg(exit_status == 0, "the pass ended with %#x", (unsigned)exit_status);
    ck_assert_int_eq(outcome->status, 0);
    host_side_complete(tasks, &hardware, platform_simgrid_file(platform), 0, &outcome->frame);
    fclose(tasks);
    sequences_destroy(&q);
    sequences_destroy(&d);
    return outcome;
}

static double input_bytes_per_s(const struct frame *frame)
{
    return (double)frame->counters[PCIX_DATABASE_BYTES] / frame_measured_s(frame);
}

/* Nothing lost, Little's law to the unit in every queue, and the parts make up the time. @param built_s  for which
 * boards waited for tables */
static void assert_parts(const struct frame *f, double built_s)
{
    const char *lost = machine_frame_find_loss(f), *broken = frame_find_inconsistency(f, &machine_layout);
    ck_assert_msg(!lost, "lost: %s", lost);
    ck_assert_msg(!broken, "Little's law: %s", broken);
    for (unsigned i = 0; i < machine_layout.queue_count; i++) {
        ck_assert_uint_eq(f->queues[i].integral, f->queues[i].sojourn_clocks);
        if (f->queues[i].places)
            ck_assert_uint_le(f->queues[i].most, f->queues[i].places);
    }
    uint64_t words = f->counters[S1A_WORDS], hsps = f->counters[S3_HSPS];
    ck_assert_uint_eq(f->counters[PCIX_WORDS_IN], words);
    ck_assert_uint_eq(f->counters[PCIX_DATABASE_BYTES], words * BYTES_PER_WORD);
    ck_assert_uint_eq(f->counters[S1A_WMERS], words * BASES_PER_WORD);
    ck_assert_uint_eq(f->counters[PCIX_RECORD_BYTES], hsps * hardware.hsp_bytes);
    ck_assert_uint_eq(f->counters[S3_HSPS_CONTAINED] + f->counters[S3_HSPS_EXTENDED], hsps);
    ck_assert_uint_ge(f->counters[S1B_SRAM_READS], f->counters[S1B_SEEDS]);
    double parts_s =
        (double)(f->counters[PCIX_TABLE_LOAD] + f->counters[S3_DRAIN]) / 1e12 + frame_measured_s(f);
    assert_close(built_s + parts_s, f->duration_s, 1e-6);
}

/* A pass has begun when its tables are built. */
static void assert_sound(const struct frame *f)
{
    assert_parts(f, 0);
}

/* As fast as the tables' bytes, then the database's, can be moved, and no faster. */
static void assert_time_bounds(const struct frame *f)
{
    double bus = hardware_bus_bytes_per_s(&hardware), slowest = fmin(bus, hardware.host_supply);
    double load_s = (double)f->counters[PCIX_TABLE_BYTES] / bus;
    double stream_s = (double)f->counters[PCIX_DATABASE_BYTES] / slowest;
    assert_close((double)f->counters[PCIX_TABLE_LOAD] / 1e12, load_s, 1e-6);
    ck_assert_double_ge(f->duration_s, (load_s + stream_s) * (1 - 1e-6));
    ck_assert_double_ge(frame_measured_s(f), stream_s * (1 - 1e-6));
    ck_assert_double_ge((double)f->clocks, (double)f->counters[S1A_WORDS]);
}

/* 60,000 bases (8 blocks) with four copies of parts of a query of 1000. */
static char *shared_query, *shared_database;

static void make_dna(void)
{
    open_shipped_platform();
    shared_query = random_dna(1000, 1);
    shared_database = random_dna(60000, 2);
    plant(shared_database, 500, shared_query, 100, 200);
    plant(shared_database, 8100, shared_query, 0, 300); /* across the end of the first block */
    plant(shared_database, 30000, shared_query, 400, 600);
    plant(shared_database, 59900, shared_query, 900, 100); /* the database's end */
}

static void drop_dna(void)
{
    close_platform();
    free(shared_query);
    free(shared_database);
}

static const struct outcome *simulate_shared(void)
{
    prepare();
    return simulate(shared_query, shared_database);
}

/* --- core ------------------------------------------------------------------------------------------------ */

START_TEST(test_nothing_is_lost_and_littles_law_holds)
{
    const struct outcome *out = simulate_shared();
    assert_sound(&out->frame);
    assert_time_bounds(&out->frame);
    ck_assert_uint_eq(out->frame.counters[S1A_WORDS], 60000 / 16);
    ck_assert_uint_eq(out->words_done, 60000 / 16);
    ck_assert_uint_gt(out->frame.counters[S2_HSPS_OUT], 500);
}
END_TEST

START_TEST(test_seeds_and_matches_equal_a_naive_count)
{
    struct naive naive = count_naively(shared_query, shared_database);
    const struct frame *frame = &simulate_shared()->frame;
    uint64_t seeds = frame->counters[S1B_SEEDS];
    ck_assert_uint_ge(naive.seeds, 1160); /* four copies of 200, 300, 600 and 100 bases */
    ck_assert_uint_eq(seeds - frame->counters[S1A_FALSE_POSITIVES], naive.seeds);
    ck_assert_uint_eq(frame->counters[S1B_MATCHES_OUT], naive.matches);
    ck_assert_uint_eq(frame->queues[FIFO_WMER].elements, seeds);
    ck_assert_uint_eq(frame->queues[FIFO_STAGE2].elements, naive.matches);
}
END_TEST

static bool is_found(const struct outcome *out, uint64_t query_begin, uint64_t database_begin, uint64_t bases)
{
    for (size_t i = 0; i < out->alignment_count; i++) {
        const struct alignment *a = &out->alignments[i];
        if (a->query_begin <= query_begin && a->query_end >= query_begin + bases && a->identities >= bases &&
            a->database_begin <= database_begin && a->database_end >= database_begin + bases)
            return true;
    }
    return false;
}

START_TEST(test_planted_copies_are_aligned)
{
    const struct outcome *out = simulate_shared();
    ck_assert(is_found(out, 100, 500, 200));
    ck_assert(is_found(out, 0, 8100, 300));
    ck_assert(is_found(out, 400, 30000, 600));
    ck_assert(is_found(out, 900, 59900, 100));
}
END_TEST

/* Loop index = threads that scan in the second run. */
START_TEST(test_two_runs_are_equal_to_the_byte)
{
    const struct outcome *one = simulate_shared();
    atomic_store(&scan_threads, (unsigned)_i);
    const struct outcome *two = simulate(shared_query, shared_database);
    atomic_store(&scan_threads, 1);
    ck_assert_mem_eq(one, two, sizeof *one);
}
END_TEST

/* How the database is cut into blocks changes the times a little, and nothing that is counted. */
START_TEST(test_the_block_length_changes_no_count)
{
    struct frame one = simulate_shared()->frame;
    set("pcix.block=65536");
    prepare();
    struct frame two = simulate(shared_query, shared_database)->frame;
    static const enum machine_counter counters[] = {S1A_WORDS,       S1B_SEEDS,   S1B_SRAM_READS, S1B_TRIPS,
                                                    S1B_MATCHES_OUT, S2_HSPS_OUT, S3_HSPS,        S3_CELLS};
    for (int i = 0; i < COUNT_OF(counters); i++)
        ck_assert_uint_eq(one.counters[counters[i]], two.counters[counters[i]]);
}
END_TEST

/* Each balance, broken by one element. */
static const struct {
    bool is_counter; /* else the elements of a queue */
    unsigned index;
    const char *named;
} losses[] = {
    {true, S1A_WORDS, "ingress FIFO"},
    {false, FIFO_INGRESS, "ingress FIFO"},
    {true, S1A_WMERS_FILTERED, "w-mers of stage 1a"},
    {true, S1A_WMERS, "w-mers of stage 1a"},
    {false, FIFO_WMER, "w-mer FIFO"},
    {true, S1B_SEEDS, "SRAM FIFO"},
    {false, FIFO_SRAM, "SRAM FIFO"},
    {true, S1B_LOOKUPS_EMPTY, "lookups by outcome"},
    {true, S1B_LOOKUPS_MATCH, "lookups by outcome"},
    {true, S1B_LOOKUPS_DUPLICATE, "lookups by outcome"},
    {true, S1B_SEEDS_FILTERED, "filtered by stage 1b"},
    {true, S1B_LOOKUPS_DUPLICATE_WITHOUT_MATCH, "filtered by stage 1b"},
    {true, S1B_MATCHES_OUT, "stage-2 FIFO"},
    {false, FIFO_STAGE2, "stage-2 FIFO"},
    {true, S2_MATCHES, "matches of stage 2"},
    {true, S2_MATCHES_FILTERED, "matches of stage 2"},
    {false, FIFO_EGRESS, "egress FIFO"},
    {false, QUEUE_INBOX, "inbox"},
    {true, S3_HSPS, "HSPs of stage 3"},
};

START_TEST(test_each_broken_balance_is_noticed)
{
    struct frame whole = simulate_shared()->frame;
    for (int i = 0; i < COUNT_OF(losses); i++) {
        struct frame frame = whole;
        if (losses[i].is_counter)
            frame.counters[losses[i].index]++;
        else
            frame.queues[losses[i].index].elements++;
        const char *lost = machine_frame_find_loss(&frame);
        ck_assert_msg(lost && strstr(lost, losses[i].named), "%d: %s instead of %s", i,
                      lost ? lost : "nothing", losses[i].named);
    }
}
END_TEST

/* --- core: what limits the rate -------------------------------------------------------------------------- */

/* 1,000,000 bases: 500,000 bytes take 0.56 ms, the ends a microsecond. */
START_TEST(test_a_slow_host_sets_the_rate)
{
    char *query = random_dna(200, 3), *database = random_dna(1000000, 4);
    prepare();
    const struct frame *frame = &simulate(query, database)->frame;
    assert_close(input_bytes_per_s(frame), 895e6, 0.01);
    ck_assert_double_le(input_bytes_per_s(frame), 895e6 * (1 + 1e-6));
    assert_sound(frame);
    free(query);
    free(database);
}
END_TEST

START_TEST(test_a_slow_bus_sets_the_rate)
{
    char *query = random_dna(200, 3), *database = random_dna(1000000, 4);
    set("host.supply=1e12");
    prepare();
    const struct frame *frame = &simulate(query, database)->frame;
    assert_close(input_bytes_per_s(frame), 1064e6 * 0.95, 0.01);
    ck_assert_double_le(input_bytes_per_s(frame), 1064e6 * 0.95 * (1 + 1e-6));
    assert_sound(frame);
    free(query);
    free(database);
}
END_TEST

/* A word a clock at most: 8 x 133e6 bytes/s, with a host and a bus that could do more. */
START_TEST(test_the_clock_sets_the_rate)
{
    char *query = random_dna(200, 3), *database = random_dna(1000000, 4);
    set("host.supply=1e12");
    set("pcix.bandwidth=1e12");
    prepare();
    const struct frame *frame = &simulate(query, database)->frame;
    assert_close(input_bytes_per_s(frame), 8 * 133e6, 0.01);
    ck_assert_double_le(input_bytes_per_s(frame), 8 * 133e6 * (1 + 1e-6));
    free(query);
    free(database);
}
END_TEST

/* A query of one 11-mer ten times over, and a database full of it: every such seed makes two trips. */
START_TEST(test_slow_trips_lower_the_rate_and_raise_back_pressure)
{
    char *query = random_dna(400, 5), *database = random_dna(40000, 6);
    for (size_t i = 0; i < 10; i++)
        memcpy(query + 30 * i, "ACCGTTAGGCA", WMER);
    for (size_t i = 0; i + WMER < 40000; i += 500)
        memcpy(database + i, "ACCGTTAGGCA", WMER);
    set("fifo.sram=41"); /* one lookup beside the margin, so that the w-mer FIFO fills */
    set("sram.trip_cycles=3");
    prepare();
    struct frame fast = simulate(query, database)->frame;
    set("sram.trip_cycles=600");
    prepare();
    struct frame slow = simulate(query, database)->frame;
    ck_assert_uint_ge(fast.counters[S1B_TRIPS], 160);
    ck_assert_uint_eq(fast.counters[S1B_TRIPS], slow.counters[S1B_TRIPS]);
    ck_assert_double_lt(input_bytes_per_s(&slow), 0.2 * input_bytes_per_s(&fast));
    ck_assert_double_gt(fifo_measure_back_pressure(&slow.queues[FIFO_WMER]),
                        fifo_measure_back_pressure(&fast.queues[FIFO_WMER]) + 0.1);
    ck_assert_uint_ge(slow.clocks, 600 * slow.counters[S1B_TRIPS]);
    assert_sound(&fast);
    assert_sound(&slow);
    free(query);
    free(database);
}
END_TEST

/* Every match a record of 4096 bytes, 4 us of the bus: the egress FIFO decides. */
START_TEST(test_large_records_limit_the_board_and_all_drain)
{
    set("hsp.bytes=4096");
    set("pcix.burst=4096");
    set("fifo.egress=4");
    set("stage2.threshold=-1000000");
    const struct frame *frame = &simulate_shared()->frame;
    uint64_t records = frame->counters[S2_HSPS_OUT];
    ck_assert_uint_eq(records, frame->counters[S2_MATCHES]);
    ck_assert_uint_ge(records, 1160);
    ck_assert_uint_eq(frame->queues[FIFO_EGRESS].most, 4);
    ck_assert_uint_eq(frame->counters[S3_HSPS], records);
    assert_sound(frame);
    assert_time_bounds(frame);
    double bytes = (double)records * 4096;
    ck_assert_uint_eq(frame->counters[PCIX_RECORD_BURSTS], records);
    ck_assert_double_ge(frame->duration_s, bytes / hardware_bus_bytes_per_s(&hardware));
}
END_TEST

START_TEST(test_more_cores_are_never_slower)
{
    static const char *const cores[] = {"host.cores=1", "host.cores=2", "host.cores=8"};
    double before_s = INFINITY, alone_s = 0;
    uint64_t busy_ps = 0;
    set("stage3.cycles_per_cell=500");
    for (int i = 0; i < COUNT_OF(cores); i++) {
        set(cores[i]);
        const struct frame *frame = &simulate_shared()->frame;
        ck_assert_double_le(frame->duration_s, before_s * (1 + 1e-9));
        before_s = frame->duration_s;
        if (i == 0)
            alone_s = frame->duration_s;
        if (i > 0)
            ck_assert_uint_eq(frame->counters[S3_CORE_BUSY], busy_ps);
        busy_ps = frame->counters[S3_CORE_BUSY];
        ck_assert_double_le((double)busy_ps / 1e12, frame->duration_s * hardware.host_cores);
    }
    ck_assert_double_lt(before_s, 0.8 * alone_s); /* the copies lie in four blocks */
}
END_TEST

/* Clocks of cells and checks, on one core: nothing else takes a core's time. */
START_TEST(test_core_time_follows_the_cells)
{
    set("stage3.cycles_per_check=0");
    set("stage3.cycles_per_cell=24");
    const struct frame *frame = &simulate_shared()->frame;
    uint64_t cells = frame->counters[S3_CELLS];
    ck_assert_uint_gt(cells, 1000);
    assert_close((double)frame->counters[S3_CORE_BUSY] / 1e12, (double)cells * 24 / 2.4e9, 1e-6);
    assert_close(frame_seconds(frame, S3_BUILD), frame_count(frame, S3_BUILD_OPERATIONS) * 12 / 2.4e9, 1e-6);
}
END_TEST

/* --- core: all passes of a run --------------------------------------------------------------------------- */

static struct passes_result run_passes(const struct sequences *query, const struct sequences *database,
                                       unsigned jobs)
{
    size_t count = 0;
    struct query_segment *segments =
        segments_cut(query->positions, hardware.query_segment, hardware.query_overlap, STRANDS_BOTH, &count);
    struct passes passes = {
        .hardware = &hardware,
        .platform_file = platform_simgrid_file(platform),
        .query = query,
        .database = database,
        .segments = segments,
        .pass_count = count,
        .statistics = &statistics,
        .least.scores = least_scores,
        .how = {.jobs = jobs, .quiet = true},
    };
    struct passes_result result;
    ck_assert_msg(passes_run(&passes, &result, &why) == 0, "%s", why.line);
    free(segments);
    return result;
}

/* Segments of 500 of a query of 1000: [0, 500), [436, 936), [872, 1000), both strands, a copy on each. */
START_TEST(test_jobs_change_neither_frames_nor_alignments)
{
    plant_reverse_complement(shared_database, 45000, shared_query, 300, 300);
    struct sequences query = sequences_of(shared_query), database = sequences_of(shared_database);
    set("query.segment=500");
    prepare();
    struct passes_result one = run_passes(&query, &database, 1), three = run_passes(&query, &database, 3);
    ck_assert_mem_eq(one.passes, three.passes, 6 * sizeof one.passes[0]);
    ck_assert_mem_eq(&one.run, &three.run, sizeof one.run);
    ck_assert_uint_eq(one.alignments.count, three.alignments.count);
    alignment_list_finish(&one.alignments, &statistics, &query, &database, 1e-3);
    alignment_list_finish(&three.alignments, &statistics, &query, &database, 1e-3);
    ck_assert_uint_eq(one.alignments.count, three.alignments.count);
    ck_assert_uint_ge(one.alignments.count, 5);
    ck_assert_mem_eq(one.alignments.items, three.alignments.items,
                     one.alignments.count * sizeof one.alignments.items[0]);
    passes_result_destroy(&one);
    passes_result_destroy(&three);
    sequences_destroy(&query);
    sequences_destroy(&database);
}
END_TEST

START_TEST(test_a_runs_frame_is_the_sum_of_its_passes)
{
    struct sequences query = sequences_of(shared_query), database = sequences_of(shared_database);
    set("schedule.overlap=serial");
    prepare();
    struct passes_result result = run_passes(&query, &database, 2);
    const struct frame *plus = &result.passes[0], *minus = &result.passes[1];
    const double built_s = frame_seconds(plus, S3_BUILD_WAIT) + frame_seconds(minus, S3_BUILD_WAIT);
    ck_assert_double_gt(frame_seconds(plus, S3_BUILD_WAIT), 0);
    ck_assert_double_eq_tol(result.run.duration_s, built_s + plus->duration_s + minus->duration_s, 1e-12);
    ck_assert_uint_eq(result.run.clocks, plus->clocks + minus->clocks);
    ck_assert_uint_eq(result.run.counters[S1A_WORDS], 2 * 60000 / 16);
    ck_assert_uint_gt(plus->counters[S2_HSPS_OUT], minus->counters[S2_HSPS_OUT]);
    assert_parts(&result.run, built_s);
    const struct outcome *alone = simulate(shared_query, shared_database);
    ck_assert_mem_eq(plus, &alone->frame, sizeof *plus);
    passes_result_destroy(&result);
    sequences_destroy(&query);
    sequences_destroy(&database);
}
END_TEST

/* Passes that overlap: the next is on the board while stage 3, made slow here, works on the one before. The run is
 * shorter than its passes together, as long as the host says, and all that is counted stays the same. */
START_TEST(test_passes_that_overlap_make_a_run_shorter)
{
    struct sequences query = sequences_of(shared_query), database = sequences_of(shared_database);
    set("query.segment=500");
    set("stage3.cycles_per_cell=500");
    set("schedule.overlap=serial");
    prepare();
    struct passes_result serial = run_passes(&query, &database, 2);
    set("schedule.overlap=drain");
    struct passes_result drain = run_passes(&query, &database, 2);
    double board_s = 0, passes_s = 0;
    for (int i = 0; i < 6; i++) {
        const struct frame *f = &drain.passes[i];
        board_s += (double)f->counters[PCIX_TABLE_LOAD] / 1e12 + frame_measured_s(f);
        passes_s += f->duration_s;
        ck_assert_mem_eq(f->queues, serial.passes[i].queues, BOARD_FIFOS * sizeof f->queues[0]);
    }
    ck_assert_double_lt(drain.run.duration_s, 0.98 * serial.run.duration_s);
    ck_assert_double_lt(drain.run.duration_s, passes_s);
    ck_assert_double_ge(drain.run.duration_s, board_s);
    assert_close(drain.run.duration_s, drain.host.end_s, 1e-12);
    ck_assert_uint_eq(drain.run.counters[S3_CELLS], serial.run.counters[S3_CELLS]);
    ck_assert_uint_eq(drain.run.counters[S3_HSPS], serial.run.counters[S3_HSPS]);
    ck_assert_uint_eq(drain.alignments.count, serial.alignments.count);
    ck_assert_ptr_null(machine_frame_find_loss(&drain.run));
    passes_result_destroy(&serial);
    passes_result_destroy(&drain);
    sequences_destroy(&query);
    sequences_destroy(&database);
}
END_TEST

/* A map from the messages of real passes: what was configured, within its bounds, and the same by any number of jobs.
 */
START_TEST(test_clocks_of_a_run_are_recovered)
{
    struct sequences query = sequences_of(shared_query), database = sequences_of(shared_database);
    set("query.segment=500");
    set("clock.fpga_rate_error=-80e-6");
    set("clock.fpga_offset=-3");
    set("clock.host_rate_error=20e-6");
    set("clock.host_offset=70");
    prepare();
    struct passes_result one = run_passes(&query, &database, 1), three = run_passes(&query, &database, 3);
    json_t *told = machine_clocks_json(one.clocks), *again = machine_clocks_json(three.clocks);
    double rate = (1 + 20e-6) / (1 - 80e-6), half = 0;
    ck_assert(json_equal(told, again));
    ck_assert_int_eq(json_integer_value(json_object_get(told, "messages_to_board")), 6 * 8);
    half = (json_real_value(json_object_get(told, "rate_most")) -
            json_real_value(json_object_get(told, "rate_least"))) /
           2;
    ck_assert_double_lt(half, 2e-3);
    ck_assert_double_eq_tol(json_real_value(json_object_get(told, "rate")), rate, half * (1 + 1e-9));
    ck_assert_double_eq_tol(json_real_value(json_object_get(told, "true_offset_s")), 70 + 3 * rate, 1e-12);
    double bound_s = json_real_value(json_object_get(told, "virtual_error_bound_s"));
    ck_assert_double_lt(bound_s, 2 * 4096 / 895e6); /* two blocks */
    for (int64_t clock = 0; clock < (int64_t)one.passes[5].clocks; clock += 100)
        ck_assert_double_le(fabs(machine_clocks_read(one.clocks, DOMAIN_FPGA, clock, false).virtual_s -
                                 machine_clocks_read(one.clocks, DOMAIN_HOST, clock, false).local_s),
                            bound_s + 1.01 / 133e6);
    json_decref(told);
    json_decref(again);
    passes_result_destroy(&one);
    passes_result_destroy(&three);
    sequences_destroy(&query);
    sequences_destroy(&database);
}
END_TEST

/* Clocks are for stamps only: the machine is as fast with any. */
START_TEST(test_clocks_change_no_time)
{
    struct frame right = simulate_shared()->frame;
    set("clock.fpga_rate_error=0.01");
    set("clock.host_rate_error=-0.01");
    set("clock.host_offset=1e6");
    const struct frame wrong = simulate_shared()->frame;
    ck_assert_mem_eq(&right, &wrong, sizeof right);
}
END_TEST

/* --- limits ---------------------------------------------------------------------------------------------- */

/* The database is the query's first 16 bases: six w-mers, one word. */
START_TEST(test_a_database_of_one_word)
{
    char *query = random_dna(100, 7), database[17] = "";
    memcpy(database, query, 16);
    prepare();
    const struct frame *frame = &simulate(query, database)->frame;
    ck_assert_uint_eq(frame->counters[S1A_WORDS], 1);
    ck_assert_uint_eq(frame->counters[S1A_INVALID_WMERS], 10);
    ck_assert_uint_eq(frame->counters[S1B_MATCHES_OUT], 6);
    assert_sound(frame);
    assert_time_bounds(frame);
    free(query);
}
END_TEST

/* 100,000 bytes/s: the only word is there after 80 us, the rest is a microsecond. */
START_TEST(test_a_word_waits_for_a_slow_host)
{
    char *query = random_dna(100, 7), database[17] = "";
    memcpy(database, query, 16);
    set("host.supply=1e5");
    prepare();
    const struct frame *frame = &simulate(query, database)->frame;
    assert_close(frame_measured_s(frame), 80e-6, 0.02);
    assert_time_bounds(frame);
    free(query);
}
END_TEST

START_TEST(test_a_database_of_one_base)
{
    char *query = random_dna(100, 7);
    prepare();
    const struct frame *frame = &simulate(query, "A")->frame;
    ck_assert_uint_eq(frame->counters[S1A_WORDS], 1);
    ck_assert_uint_eq(frame->counters[S1B_SEEDS], 0);
    assert_sound(frame);
    free(query);
}
END_TEST

/* 5000 bases have 4990 w-mers, each of which is there. */
START_TEST(test_a_query_equal_to_the_database)
{
    char *dna = random_dna(5000, 8);
    struct naive naive = count_naively(dna, dna);
    prepare();
    const struct outcome *out = simulate(dna, dna);
    ck_assert_uint_eq(naive.seeds, 4990);
    ck_assert_uint_eq(out->frame.counters[S1B_SEEDS], 4990);
    ck_assert_uint_eq(out->frame.counters[S1B_MATCHES_OUT], naive.matches);
    ck_assert(is_found(out, 0, 0, 5000));
    assert_sound(&out->frame);
    free(dna);
}
END_TEST

/* A query without a w-mer: an empty filter passes nothing, the database streams by, nothing comes back. */
START_TEST(test_no_seed_at_all)
{
    prepare();
    const struct outcome *out = simulate("NNNNNNNNNNNNNNNNACGTACGTAN", shared_database);
    ck_assert_uint_eq(out->frame.counters[S1B_SEEDS], 0);
    ck_assert_uint_eq(out->frame.counters[S3_HSPS], 0);
    ck_assert_uint_eq(out->frame.counters[PCIX_RECORD_BYTES], 0);
    ck_assert_uint_eq(out->alignment_count, 0);
    ck_assert_double_eq(fifo_measure_mean(&out->frame.queues[FIFO_WMER]), 0);
    assert_sound(&out->frame);
    assert_time_bounds(&out->frame);
}
END_TEST

/* One w-mer in a database of N, across two words: 32,000 w-mers, one of them valid. */
START_TEST(test_everything_n_but_11_bases)
{
    char *query = random_dna(100, 9), *database = malloc(32001);
    memset(database, 'N', 32000);
    database[32000] = '\0';
    memcpy(database + 16010, query + 40, WMER);
    prepare();
    const struct frame *frame = &simulate(query, database)->frame;
    ck_assert_uint_eq(frame->counters[S1A_INVALID_WMERS], 31999);
    ck_assert_uint_eq(frame->counters[S1B_SEEDS], 1);
    ck_assert_uint_eq(frame->counters[S2_MATCHES], 1);
    assert_sound(frame);
    free(query);
    free(database);
}
END_TEST

/* The last block has one word of its own. */
START_TEST(test_a_last_block_of_one_word)
{
    char *query = random_dna(300, 10), *database = random_dna(2 * 8192 + 1, 11);
    plant(database, 2 * 8192 + 1 - 50, query, 0, 50);
    prepare();
    const struct outcome *out = simulate(query, database);
    ck_assert_uint_eq(out->frame.counters[S1A_WORDS], 1025);
    ck_assert(is_found(out, 0, 2 * 8192 + 1 - 50, 50));
    assert_sound(&out->frame);
    assert_time_bounds(&out->frame);
    free(query);
    free(database);
}
END_TEST

/* The least machine: every queue as small as allowed. Slower, but nothing else changes. */
START_TEST(test_the_smallest_queues_lose_nothing)
{
    static const char *const smallest[] = {
        "sram.read_cycles=1", "fifo.ingress=1", "fifo.wmer=16",          "fifo.sram_margin=0", "fifo.sram=1",
        "fifo.stage2=5",      "fifo.egress=1",  "stage2.fetch_cycles=0", "pcix.burst=16",
    };
    struct naive naive = count_naively(shared_query, shared_database);
    for (int i = 0; i < COUNT_OF(smallest); i++)
        set(smallest[i]);
    const struct frame *frame = &simulate_shared()->frame;
    ck_assert_uint_eq(frame->counters[S1B_MATCHES_OUT], naive.matches);
    assert_sound(frame);
    assert_time_bounds(frame);
}
END_TEST

/* --- errors ---------------------------------------------------------------------------------------------- */

/* A platform that SimGrid ends the process for, past the checks: the run names the pass, and ends. */
START_TEST(test_a_pass_that_dies_is_reported)
{
    struct sequences query = sequences_of(shared_query), database = sequences_of(shared_database);
    struct query_segment segment = {.strand = STRAND_PLUS, .length = 1000};
    struct passes passes = {
        .hardware = &hardware,
        .platform_file = "/nowhere/platform.xml",
        .query = &query,
        .database = &database,
        .segments = &segment,
        .pass_count = 1,
        .statistics = &statistics,
        .least.scores = least_scores,
        .how = {.jobs = 2, .quiet = true},
    };
    struct passes_result result;
    prepare();
    ck_assert_int_eq(passes_run(&passes, &result, &why), PASS_EPROCESS);
    ck_assert_msg(strstr(why.line, "pass 1: its process") != NULL, "%s", why.line);
    sequences_destroy(&query);
    sequences_destroy(&database);
}
END_TEST

/* --- what limits ----------------------------------------------------------------------------------------- */

/* What the bus would need for all its bytes at its full rate. */
static double bus_needs_s(const struct frame *f)
{
    const uint64_t database = frame_count(f, PCIX_DATABASE_BYTES),
                   records = frame_count(f, PCIX_RECORD_BYTES);
    const uint64_t blocks = database / hardware.pcix_block_bytes, rest = database % hardware.pcix_block_bytes;
    const uint64_t bursts = blocks * hardware_bursts(&hardware, hardware.pcix_block_bytes) +
                            hardware_bursts(&hardware, rest) + frame_count(f, PCIX_RECORD_BURSTS);
    return (double)hardware_link_bytes(&hardware, database + records, bursts) /
           hardware_link_bytes_per_s(&hardware);
}

/* Every stage's time at work and its stalls are measured, each by itself, and leave a share of the time, none or some.
 */
static void assert_shares(const struct frame *f)
{
    struct run_bottleneck b = run_bottleneck_find(f, &hardware, 0, NULL, NULL);
    for (unsigned i = 0; i < RUN_STAGES; i++) {
        const struct stage_evidence *s = &b.stages[i];
        ck_assert_msg(s->active >= 0 && s->stalled >= 0 && s->active + s->stalled <= 1 + 1e-9,
                      "%s: %.12g at work, %.12g stalled", s->name, s->active, s->stalled);
    }
    ck_assert_double_le(b.board.saturation, 1 + 1e-9);
    ck_assert_double_ge(b.board.growth_to_limit, 1);
    ck_assert_double_le(frame_seconds(f, PCIX_BUSY), bus_needs_s(f) + 1e-11);
}

/* Databases shorter than a block and longer ones, with a bus, a host, records or trips that limit. Copies of the query
 * at the database's end leave records that cross when the board is empty already. */
static const struct {
    size_t bases;
    const char *set[3];
} loads[] = {
    {1000, {NULL}},
    {4000, {"hsp.bytes=400"}},
    {16, {"pcix.bandwidth=20e6"}},
    {4000, {"pcix.bandwidth=20e6"}},
    {60000, {"host.supply=1e12"}},
    {60000, {"host.supply=1e12", "hsp.bytes=400"}},
    {60000, {"host.supply=1e12", "hsp.bytes=400", "fifo.egress=1"}},
    {60000, {"host.supply=1e12", "fifo.stage2=5", "stage2.fetch_cycles=50"}},
    {60000, {"host.supply=1e12", "sram.trip_cycles=3"}},
    {60000, {"pcix.bandwidth=1e12", "sram.trip_cycles=600", "fifo.sram=41"}},
    {60000, {"host.supply=100e6"}},
};

START_TEST(test_no_stage_is_more_than_all_the_time_at_work)
{
    char *query = random_dna(400, 11), *database = random_dna(loads[_i].bases, 12);
    for (size_t i = 0; i < 4; i++)
        memcpy(query + 50 * i, "ACCGTTAGGCA", WMER);
    for (size_t end = loads[_i].bases; end >= 500; end -= end / 3)
        plant(database, end - 400, query, 0, 400);
    for (unsigned i = 0; i < 3 && loads[_i].set[i]; i++)
        set(loads[_i].set[i]);
    prepare();
    const struct frame *f = &simulate(query, database)->frame;
    assert_sound(f);
    assert_shares(f);
    free(query);
    free(database);
}
END_TEST

/* A saturated bus, a block, and its records, which all cross after it: what the board's time has room for is not all
 * that crosses. */
START_TEST(test_records_after_the_board_are_not_in_its_time)
{
    char *query = random_dna(400, 13), *database = random_dna(8000, 14);
    for (size_t i = 0; i < 10; i++)
        plant(database, 100 + 780 * i, query, 40 * i, 25);
    set("host.supply=1e12");
    prepare();
    const struct frame *f = &simulate(query, database)->frame;
    ck_assert_double_gt(bus_needs_s(f), frame_measured_s(f)); /* or this test would say nothing */
    ck_assert_uint_le(f->counters[PCIX_BUSY], f->counters[PCIX_MEASURED_TIME]);
    assert_shares(f);
    free(query);
    free(database);
}
END_TEST

/* Without records all bytes cross in time, and SimGrid's transfers take what their bytes need. */
START_TEST(test_the_bus_is_at_work_for_its_bytes)
{
    char *query = random_dna(200, 3), *database = random_dna(100000, 4);
    prepare();
    const struct frame *f = &simulate(query, database)->frame;
    assert_close(frame_seconds(f, PCIX_BUSY), bus_needs_s(f), 1e-7);
    free(query);
    free(database);
}
END_TEST

/* --- the host queue -------------------------------------------------------------------------------------- */

/* The frame of a pass whose host queue has `places` places. */
static struct frame frame_of_queue(const char *places, const char *other, const char *query,
                                   const char *database)
{
    set(places);
    if (other)
        set(other);
    prepare();
    return simulate(query, database)->frame;
}

/* How far the host may be ahead of the bus changes nothing on the board, as long as it may be ahead. */
START_TEST(test_a_longer_host_queue_changes_nothing_on_the_board)
{
    char *query = random_dna(1000, 1), *database = random_dna(600000, 2);
    plant(database, 100000, query, 0, 900);
    struct frame some = frame_of_queue("host.queue=64", NULL, query, database);
    struct frame all = frame_of_queue("host.queue=1000000", NULL, query, database);
    ck_assert_mem_eq(some.queues, all.queues, BOARD_FIFOS * sizeof some.queues[0]);
    ck_assert_mem_eq(some.counters, all.counters, sizeof some.counters);
    ck_assert_mem_eq(some.intervals, all.intervals, sizeof some.intervals);
    ck_assert_uint_eq(some.clocks, all.clocks);
    ck_assert_double_eq(some.duration_s, all.duration_s);
    ck_assert_uint_le(some.queues[QUEUE_HOST].most, 64);
    ck_assert_uint_eq(some.queues[QUEUE_HOST].elements, all.queues[QUEUE_HOST].elements);
    free(query);
    free(database);
}
END_TEST

/* 74 blocks of 4096 bytes to a board that takes 160 MB/s: the host, which supplies 895 MB/s, is soon ahead by two
 * blocks, and waits for a place nearly all the time. Where the board takes all that comes, 100 MB/s never fill it. */
START_TEST(test_the_host_queue_says_who_waits)
{
    char *query = random_dna(200, 3), *database = random_dna(600000, 4);
    const struct fifo_measure *queue;
    struct frame slow_board = frame_of_queue("host.queue=2", "fpga.clock=20e6", query, database);
    queue = &slow_board.queues[QUEUE_HOST];
    ck_assert_uint_eq(queue->elements, 74);
    ck_assert_uint_eq(queue->most, 2);
    ck_assert_uint_eq(queue->places, 2);
    ck_assert_double_gt(fifo_measure_back_pressure(queue), 0.95);
    assert_sound(&slow_board);
    set("fpga.clock=133e6");
    struct frame slow_host = frame_of_queue("host.queue=4", "host.supply=100e6", query, database);
    queue = &slow_host.queues[QUEUE_HOST];
    ck_assert_double_lt(fifo_measure_back_pressure(queue), 0.01);
    ck_assert_double_le(fifo_measure_mean(queue), 1.05); /* the block that is being supplied */
    assert_sound(&slow_host);
    free(query);
    free(database);
}
END_TEST

/* The reader stops: a block begins to be supplied when the second before it has left the bus. On average both places
 * are taken while the board limits, and by Little's law a block spends two blocks' times in the queue. */
START_TEST(test_the_reader_stops_at_a_full_queue)
{
    char *query = random_dna(200, 3), *database = random_dna(600000, 4);
    struct frame frame = frame_of_queue("host.queue=2", "fpga.clock=20e6", query, database);
    const struct fifo_measure *queue = &frame.queues[QUEUE_HOST];
    assert_close(fifo_measure_mean_sojourn(queue), 2 * 512, 0.05); /* a block has 512 words, one a clock */
    ck_assert_uint_eq(queue->integral, queue->sojourn_clocks);
    free(query);
    free(database);
}
END_TEST

/* Where trips limit, the bus is held for all the time it does not move data, beginning and end aside. */
START_TEST(test_a_held_bus_is_stalled)
{
    char *query = random_dna(400, 5), *database = random_dna(60000, 6);
    for (size_t i = 0; i < 10; i++)
        memcpy(query + 30 * i, "ACCGTTAGGCA", WMER);
    for (size_t i = 0; i + WMER < 60000; i += 50)
        memcpy(database + i, "ACCGTTAGGCA", WMER);
    set("sram.trip_cycles=600");
    set("fifo.wmer=16"); /* soon empty at the end */
    set("fifo.sram=41");
    prepare();
    const struct frame *f = &simulate(query, database)->frame;
    struct run_bottleneck b = run_bottleneck_find(f, &hardware, 0, NULL, NULL);
    assert_shares(f);
    ck_assert_str_eq(b.stages[b.board.limit].name, "1bd");
    ck_assert(b.board.confirmed);
    ck_assert_double_gt(b.stages[1].stalled, 0.5);
    ck_assert_int_eq(bottleneck_role(&b.board, b.stages, 1), STAGE_VICTIM);
    free(query);
    free(database);
}
END_TEST

/* A slow stage 3 makes its tail the longest phase, and does not limit the stream. */
START_TEST(test_a_slow_stage_3_works_longest)
{
    set("host.cores=1");
    set("stage3.cycles_per_check=20000");
    const struct frame slow = simulate_shared()->frame;
    struct run_bottleneck b = run_bottleneck_find(&slow, &hardware, 0, NULL, NULL);
    json_t *json = run_bottleneck_json(&b);
    set("stage3.cycles_per_check=0");
    set("stage3.cycles_per_cell=0");
    const struct frame quick = simulate_shared()->frame;
    ck_assert_int_eq(b.longest, PHASE_DRAIN);
    ck_assert(json_is_null(json_object_get(json, "limit_of_run"))); /* nobody has timed the run again */
    ck_assert_str_ne(json_string_value(json_object_get(json, "limit")), "3");
    ck_assert_double_gt(b.stages[STAGE_3].active, 0.8);
    ck_assert_double_gt(b.stages[STAGE_3].queue_mean, 1);
    ck_assert_double_le(b.spread_s, slow.duration_s);
    b = run_bottleneck_find(&quick, &hardware, 0, NULL, NULL);
    ck_assert_int_ne(b.longest, PHASE_DRAIN);
    json_decref(json);
}
END_TEST

/* --- suite ----------------------------------------------------------------------------------------------- */

static TCase *core(void)
{
    TCase *tcase = tcase_create("core");
    tcase_add_checked_fixture(tcase, make_dna, drop_dna);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, test_nothing_is_lost_and_littles_law_holds);
    tcase_add_test(tcase, test_seeds_and_matches_equal_a_naive_count);
    tcase_add_test(tcase, test_planted_copies_are_aligned);
    tcase_add_loop_test(tcase, test_two_runs_are_equal_to_the_byte, 1, 4);
    tcase_add_test(tcase, test_the_block_length_changes_no_count);
    tcase_add_test(tcase, test_each_broken_balance_is_noticed);
    tcase_add_test(tcase, test_a_slow_host_sets_the_rate);
    tcase_add_test(tcase, test_a_slow_bus_sets_the_rate);
    tcase_add_test(tcase, test_the_clock_sets_the_rate);
    tcase_add_test(tcase, test_slow_trips_lower_the_rate_and_raise_back_pressure);
    tcase_add_test(tcase, test_large_records_limit_the_board_and_all_drain);
    tcase_add_test(tcase, test_more_cores_are_never_slower);
    tcase_add_test(tcase, test_core_time_follows_the_cells);
    tcase_add_test(tcase, test_jobs_change_neither_frames_nor_alignments);
    tcase_add_test(tcase, test_a_runs_frame_is_the_sum_of_its_passes);
    tcase_add_test(tcase, test_passes_that_overlap_make_a_run_shorter);
    tcase_add_test(tcase, test_clocks_of_a_run_are_recovered);
    tcase_add_test(tcase, test_clocks_change_no_time);
    return tcase;
}

static TCase *limits(void)
{
    TCase *tcase = tcase_create("limits");
    tcase_add_checked_fixture(tcase, make_dna, drop_dna);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, test_a_database_of_one_word);
    tcase_add_test(tcase, test_a_word_waits_for_a_slow_host);
    tcase_add_test(tcase, test_a_database_of_one_base);
    tcase_add_test(tcase, test_a_query_equal_to_the_database);
    tcase_add_test(tcase, test_no_seed_at_all);
    tcase_add_test(tcase, test_everything_n_but_11_bases);
    tcase_add_test(tcase, test_a_last_block_of_one_word);
    tcase_add_test(tcase, test_the_smallest_queues_lose_nothing);
    return tcase;
}

static TCase *bottlenecks(void)
{
    TCase *tcase = tcase_create("bottlenecks");
    tcase_add_checked_fixture(tcase, make_dna, drop_dna);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_no_stage_is_more_than_all_the_time_at_work, 0, COUNT_OF(loads));
    tcase_add_test(tcase, test_records_after_the_board_are_not_in_its_time);
    tcase_add_test(tcase, test_the_bus_is_at_work_for_its_bytes);
    tcase_add_test(tcase, test_a_longer_host_queue_changes_nothing_on_the_board);
    tcase_add_test(tcase, test_the_host_queue_says_who_waits);
    tcase_add_test(tcase, test_the_reader_stops_at_a_full_queue);
    tcase_add_test(tcase, test_a_held_bus_is_stalled);
    tcase_add_test(tcase, test_a_slow_stage_3_works_longest);
    return tcase;
}

static TCase *errors(void)
{
    TCase *tcase = tcase_create("errors");
    tcase_add_checked_fixture(tcase, make_dna, drop_dna);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, test_a_pass_that_dies_is_reported);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("machine");
    suite_add_tcase(suite, core());
    suite_add_tcase(suite, limits());
    suite_add_tcase(suite, bottlenecks());
    suite_add_tcase(suite, errors());
    return run_suite(suite);
}
