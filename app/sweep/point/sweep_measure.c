#include "app/sweep/point/sweep_measure.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/board/board_costs.h"
#include "sim/measure/machine_energy.h"
#include "sim/measure/machine_frame.h"
#include "sim/run/stream_stages.h"
#include "validate/validation.h"

/* --- names ----------------------------------------------------------------------------------------------- */

#define FIFO_COLUMNS(id, key, title, element, bytes, in, out, places, signal, margin, stage, meaning,        \
                     source, holds)                                                                          \
    {key "_fifo_mean", element, element}, {key "_fifo_max", element, element},                               \
        {key "_fifo_wait_ns", "ns", "mean"},                                                                 \
    {                                                                                                        \
        key "_fifo_back_pressure", "1", "share of clocks: " holds                                            \
    }

static const struct {
    const char *name, *unit, *meaning;
} names[] = {
    {"throughput_mwmers_per_s", "Mw-mers/s",
     "database w-mers over the time they stream, in millions per second, of all boards that have passes"},
    {"simulated_time_s", "s", "duration of the whole run, whose passes overlap as schedule.overlap says"},
    {"build_wait_s", "s", "for which boards wait for their tables to be built, added over the passes"},
    {"table_load_s", "s", "loading Bloom filters and tables over the bus, added over the passes"},
    {"stream_time_s", "s",
     "from the first word until the last element has left the board, added over the passes"},
    {"drain_s", "s",
     "time of the run in which a board neither waits for tables, loads nor streams, mean over those that have "
     "passes"},
    {"clocks", "clocks", "clocks of the FPGA while streaming"},
    {"passes", "passes", "segments x strands"},
    {"wmers", "w-mers", "w-mers streamed"},
    {"seeds", "seeds", "w-mers that pass the Bloom filter"},
    {"matches", "matches", "matches that stage 1b emits"},
    {"hsps", "HSPs", "matches that pass stage 2"},
    {"bloom_false_positive_rate", "1", "measured: false seeds per valid w-mer that is not in the segment"},
    {"bloom_false_positive_formula", "1", "(1 - (1 - 1/m)^n)^k, mean over the passes"},
    {"distinct_wmers", "w-mers", "distinct w-mers of a segment, mean over the passes"},
    {"table_load", "w-mers/slot", "distinct w-mers over slots"},
    {"table_occupied", "1", "share of slots with a w-mer"},
    {"table_colliding_wmers", "1", "share of the distinct w-mers whose slot another one also has"},
    {"table_colliding_wmers_formula", "1", "of a random hash function: 1 - (1 - 1/S)^(n-1)"},
    {"first_access_collisions", "1", "share of seeds whose first access leads to the duplicate table"},
    {"trips_per_seed", "trips/seed", "trips to the duplicate table, per seed"},
    {"sram_reads_per_seed", "reads/seed", "SRAM reads per seed, of primary and duplicate table"},
    {"block_ram_bits", "bits", "bits of the Bloom filter: hashes x bank bits"},
    {"sram_bits", "bits", "bits of primary table and duplicate lists, in the largest pass"},
    {"displacement_bits", "bits", "bits of the displacement table, 0 without one"},
    {"fifo_bits", "bits", "bits of all FIFOs of the board, and of bursts"},
    {"window_bits", "bits",
     "bits of the query segment and of the database's last words, for stage 2's windows"},
    {"memory_bits", "bits", "bits of all memories of one board: the five before this"},
    {"ramb18", "blocks",
     "block RAMs of 18 Kb for filter (all its copies), displacements, FIFOs and windows, of all boards"},
    {"ramb36", "blocks", "block RAMs of 36 Kb, if the FPGAs have these instead, of all boards"},
    {"sram_chips", "chips", "SRAM chips of 128K x 36 bits, two beside each other, of all boards"},
    {"fits", "1",
     "1 if the FPGA of fpga.device and the SRAM of sram.bytes hold what is on a board, 0 if not"},
    {"energy_j", "J", "energy of the whole run, the sum of the following five"},
    {"energy_sram_j", "J", "of reading and writing the tables in SRAM"},
    {"energy_block_ram_j", "J", "of accesses to filter, displacements, FIFOs and windows"},
    {"energy_bus_j", "J", "of bytes on the bus"},
    {"energy_cores_j", "J", "of the clocks in which the host's cores work"},
    {"energy_idle_j", "J", "of boards and hosts, whatever they do"},
    {"energy_nj_per_wmer", "nJ", "energy of the run over its w-mers"},
    {"utilisation_host", "1", "bytes supplied over what the host can supply"},
    {"utilisation_pcix", "1", "bytes carried over what the bus can carry"},
    {"utilisation_1a", "1", "words over clocks"},
    {"utilisation_1b", "1", "clocks of lookups and trips, not held, over clocks"},
    {"utilisation_sram", "1", "SRAM reads over clocks; of several trips under way, the busier table's"},
    {"utilisation_2", "1", "matches over clocks"},
    {"utilisation_3", "1", "time in which cores work over the cores' time in the whole run"},
    BOARD_FIFO_ROWS(FIFO_COLUMNS),
    {"host_queue_mean", "blocks",
     "mean number of blocks that the host has supplied and the bus has not moved yet"},
    {"host_queue_max", "blocks", "greatest number of such blocks"},
    {"host_queue_wait_ns", "ns", "mean wait of a block for the bus"},
    {"host_queue_back_pressure", "1",
     "share of clocks in which the host queue is full, so that the host waits"},
    {"inbox_mean", "HSPs", "mean number of HSPs that no core has begun, from the run's begin until joining"},
    {"inbox_max", "HSPs", "greatest number of such HSPs, of all passes together"},
    {"inbox_wait_ns", "ns", "mean wait of an HSP until a core begins it"},
    {"bottleneck", "", "resource with the highest utilisation: host, pcix, 1a, 1b, sram, 2, 3"},
    {"bottleneck_utilisation", "1", "utilisation of that resource"},
    {"next_bottleneck", "", "the resource with the second highest utilisation"},
    {"next_bottleneck_utilisation", "1", "utilisation of that resource"},
    {"mm1k_rho_pci", "1", "utilisation of the bus by M/M/1/K"},
    {"mm1k_rho_1a", "1", "of stage 1a by M/M/1/K"},
    {"mm1k_rho_1b", "1", "of stage 1b by M/M/1/K"},
    {"mm1k_rho_2", "1", "of stage 2 by M/M/1/K"},
    {"mm1k_N_Q_1a", "w-mers", "w-mers waiting for 1a by M/M/1/K"},
    {"mm1k_N_Q_1b", "seeds", "seeds waiting for 1b by M/M/1/K"},
    {"mm1k_N_Q_2", "matches", "matches waiting for stage 2 by M/M/1/K"},
    {"mm1k_P_BP_1a", "1", "back-pressure of 1a by M/M/1/K"},
    {"mm1k_P_BP_1b", "1", "back-pressure of 1b by M/M/1/K"},
    {"mm1k_P_BP_2", "1", "back-pressure of stage 2 by M/M/1/K"},
    {"mm1k_dor_rho_pci", "1", "utilisation of the bus by M/M/1/K (Dor)"},
    {"mm1k_dor_rho_1a", "1", "of stage 1a by M/M/1/K (Dor)"},
    {"mm1k_dor_rho_1b", "1", "of stage 1b by M/M/1/K (Dor)"},
    {"mm1k_dor_rho_2", "1", "of stage 2 by M/M/1/K (Dor)"},
    {"mm1k_dor_N_Q_1a", "w-mers", "w-mers waiting for 1a by M/M/1/K (Dor)"},
    {"mm1k_dor_N_Q_1b", "seeds", "seeds waiting for 1b by M/M/1/K (Dor)"},
    {"mm1k_dor_N_Q_2", "matches", "matches waiting for stage 2 by M/M/1/K (Dor)"},
    {"mm1k_dor_P_BP_1a", "1", "back-pressure of 1a by M/M/1/K (Dor)"},
    {"mm1k_dor_P_BP_1b", "1", "back-pressure of 1b by M/M/1/K (Dor)"},
    {"mm1k_dor_P_BP_2", "1", "back-pressure of stage 2 by M/M/1/K (Dor)"},
};

enum { NAME_COUNT = sizeof names / sizeof names[0] };
static_assert((int)NAME_COUNT <= (int)SWEEP_MEASURES_MAX, "room for every measure");

size_t sweep_measure_count(void)
{
    return NAME_COUNT;
}

const char *sweep_measure_name(size_t index)
{
    return names[index].name;
}

const char *sweep_measure_meaning(size_t index)
{
    return names[index].meaning;
}

const char *sweep_measure_unit(size_t index)
{
    return names[index].unit;
}

void sweep_measures_describe(FILE *out)
{
    fprintf(out, "name\tmeaning\n");
    for (size_t i = 0; i < NAME_COUNT; i++)
        fprintf(out, "%s\t%s\n", names[i].name, names[i].meaning);
}

const struct sweep_measure *sweep_measures_find(const struct sweep_measures *m, const char *name)
{
    for (unsigned i = 0; i < m->count; i++)
        if (strcmp(m->items[i].name, name) == 0)
            return &m->items[i];
    return NULL;
}

/* --- appending, in the order of `names` ------------------------------------------------------------------ */

static struct sweep_measure *next(struct sweep_measures *m, const char *name, enum sweep_measure_kind kind)
{
    assert(m->count < NAME_COUNT && strcmp(names[m->count].name, name) == 0);
    struct sweep_measure *item = &m->items[m->count];
    *item = (struct sweep_measure){.name = names[m->count].name, .kind = kind};
    m->count++;
    return item;
}

static void add_number(struct sweep_measures *m, const char *name, double value)
{
    next(m, name, MEASURE_NUMBER)->number = isfinite(value) ? value : NAN;
}

static void add_whole(struct sweep_measures *m, const char *name, uint64_t value)
{
    next(m, name, MEASURE_WHOLE)->whole = value;
}

static void add_text(struct sweep_measures *m, const char *name, const char *text)
{
    next(m, name, MEASURE_TEXT)->text = text;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* --- time and elements ----------------------------------------------------------------------------------- */

static void add_times(const struct sweep_facts *f, struct sweep_measures *m)
{
    const struct frame *run = f->run;
    double stream_s = frame_measured_s(run);
    add_number(m, "throughput_mwmers_per_s",
               share(run->boards * frame_count(run, S1A_WMERS) / 1e6, stream_s));
    add_number(m, "simulated_time_s", run->duration_s);
    add_number(m, "build_wait_s", frame_seconds(run, S3_BUILD_WAIT));
    add_number(m, "table_load_s", frame_seconds(run, PCIX_TABLE_LOAD));
    add_number(m, "stream_time_s", stream_s);
    add_number(m, "drain_s", frame_seconds(run, S3_DRAIN));
    add_whole(m, "clocks", run->clocks);
    add_whole(m, "passes", f->pass_count);
    add_whole(m, "wmers", run->counters[S1A_WMERS]);
    add_whole(m, "seeds", run->counters[S1A_SEEDS_OUT]);
    add_whole(m, "matches", run->counters[S1B_MATCHES_OUT]);
    add_whole(m, "hsps", run->counters[S2_HSPS_OUT]);
}

/* --- structures ------------------------------------------------------------------------------------------ */

/* Number of valid w-mers of the database that are not in the segment. */
static double negatives(const struct frame *frame)
{
    double seeds = frame_count(frame, S1A_SEEDS_OUT);
    double false_seeds = frame_count(frame, S1A_FALSE_POSITIVES);
    return frame_count(frame, S1A_WMERS) - frame_count(frame, S1A_INVALID_WMERS) - (seeds - false_seeds);
}

/* (1 - 1/places)^n, computed without cancellation. */
static double untouched(double places, double n)
{
    return places > 1 ? exp(n * log1p(-1 / places)) : n > 0 ? 0 : 1;
}

static void add_bloom(const struct sweep_facts *f, struct sweep_measures *m)
{
    const struct bloom_geometry *g = &f->hardware->pass.bloom;
    double expected = 0, all = 0;
    for (size_t i = 0; i < f->pass_count; i++) {
        double count = negatives(&f->passes[i]);
        expected += count * pow(1 - untouched(g->bank_bits, f->loads[i].distinct_wmers), g->hashes);
        all += count;
    }
    add_number(m, "bloom_false_positive_rate", share(frame_count(f->run, S1A_FALSE_POSITIVES), all));
    add_number(m, "bloom_false_positive_formula", share(expected, all));
}

struct loads {
    double distinct, occupied, colliding, colliding_formula;
    uint64_t most_bytes; /* size of the largest tables, without displacements */
};

static struct loads sum_loads(const struct sweep_facts *f, uint64_t displacement_bytes)
{
    struct loads sum = {0};
    double slots = f->hardware->pass.sram.slots;
    for (size_t i = 0; i < f->pass_count; i++) {
        const struct sram_load *load = &f->loads[i];
        uint64_t bytes = load->bytes - displacement_bytes;
        sum.distinct += load->distinct_wmers;
        sum.occupied += load->occupied_slots;
        sum.colliding += load->colliding_wmers;
        sum.colliding_formula +=
            load->distinct_wmers > 0
                ? load->distinct_wmers * (1 - untouched(slots, load->distinct_wmers - 1.0))
                : 0;
        sum.most_bytes = bytes > sum.most_bytes ? bytes : sum.most_bytes;
    }
    return sum;
}

static void add_tables(const struct sweep_facts *f, struct sweep_measures *m)
{
    const struct sram_geometry *g = &f->hardware->pass.sram;
    struct board_costs costs = board_costs_of(f->hardware);
    struct loads sum = sum_loads(f, costs.displacement_bits / 8);
    double passes = (double)f->pass_count, slots = passes * g->slots;
    double seeds = frame_count(f->run, S1B_SEEDS);
    add_number(m, "distinct_wmers", sum.distinct / passes);
    add_number(m, "table_load", sum.distinct / slots);
    add_number(m, "table_occupied", sum.occupied / slots);
    add_number(m, "table_colliding_wmers", share(sum.colliding, sum.distinct));
    add_number(m, "table_colliding_wmers_formula", share(sum.colliding_formula, sum.distinct));
    add_number(m, "first_access_collisions", share(frame_count(f->run, S1B_LOOKUPS_DUPLICATE), seeds));
    add_number(m, "trips_per_seed", share(frame_count(f->run, S1B_TRIPS), seeds));
    add_number(m, "sram_reads_per_seed", share(frame_count(f->run, S1B_SRAM_READS), seeds));
    uint64_t sram_bits = 8 * sum.most_bytes, boards = (uint64_t)f->hardware->boards * f->hardware->hosts;
    add_whole(m, "block_ram_bits", costs.bloom_bits);
    add_whole(m, "sram_bits", sram_bits);
    add_whole(m, "displacement_bits", costs.displacement_bits);
    add_whole(m, "fifo_bits", costs.fifo_bits);
    add_whole(m, "window_bits", costs.window_bits);
    add_whole(m, "memory_bits",
              costs.bloom_bits + sram_bits + costs.displacement_bits + costs.fifo_bits + costs.window_bits);
    add_whole(m, "ramb18", boards * costs.ramb18);
    add_whole(m, "ramb36", boards * costs.ramb36);
    add_whole(m, "sram_chips", boards * board_costs_sram_chips(f->hardware, sram_bits));
    bool named = f->hardware->fpga_device != FPGA_NONE;
    add_number(m, "fits", !named ? NAN : board_costs_fit(f->hardware, sram_bits) ? 1 : 0);
}

static void add_energy(const struct sweep_facts *f, struct sweep_measures *m)
{
    struct machine_energy e = machine_energy_of(f->run, f->hardware, f->pass_count);
    add_number(m, "energy_j", e.total_j);
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        char name[40];
        snprintf(name, sizeof name, "energy_%s_j", machine_energy_part_name(i));
        add_number(m, name, e.parts_j[i]);
    }
    add_number(m, "energy_nj_per_wmer", e.nj_per_wmer);
}

/* --- resources ------------------------------------------------------------------------------------------- */

enum { RESOURCES = 7 };

struct resource {
    const char *name, *measure;
    double utilisation;
};

/* Reads one after the other: of all tables, or of that which is read more if several trips may be under way. */
static double port_reads(const struct sweep_facts *f)
{
    double reads = frame_count(f->run, S1B_SRAM_READS), primary = frame_count(f->run, S1B_SEEDS);
    return f->hardware->board.trips_in_flight == 1 ? reads : fmax(primary, reads - primary);
}

static void list_resources(const struct sweep_facts *f, struct resource list[RESOURCES])
{
    const struct frame *run = f->run;
    double clocks = (double)run->clocks, stream_s = frame_measured_s(run);
    double supplied_s = frame_count(run, PCIX_DATABASE_BYTES) / f->hardware->host_supply;
    double core_s = frame_seconds(run, S3_CORE_BUSY);
    const struct resource all[RESOURCES] = {
        {"host", "utilisation_host", share(supplied_s, stream_s)},
        {"pcix", "utilisation_pcix",
         share(frame_count(run, PCIX_BUSY), frame_count(run, PCIX_MEASURED_TIME))},
        {"1a", "utilisation_1a", share(frame_count(run, S1A_WORDS), clocks)},
        {"1b", "utilisation_1b", share(stream_stages_work_1bd(run, &f->hardware->board), clocks)},
        {"sram", "utilisation_sram", share(port_reads(f), clocks)},
        {"2", "utilisation_2", share(frame_count(run, S2_MATCHES), clocks)},
        {"3", "utilisation_3", share(core_s, frame_seconds(run, S3_CORE_TIME))},
    };
    memcpy(list, all, sizeof all);
}

/* The busiest resource other than `not`; of equally busy ones the first of the pipeline. */
static const struct resource *busiest(const struct resource list[RESOURCES], const struct resource * not )
{
    const struct resource *best = NULL;
    for (unsigned i = 0; i < RESOURCES; i++)
        if (&list[i] != not &&(!best || list[i].utilisation > best->utilisation))
            best = &list[i];
    return best;
}

static void add_bottlenecks(const struct resource list[RESOURCES], struct sweep_measures *m)
{
    const struct resource *first = busiest(list, NULL), *second = busiest(list, first);
    add_text(m, "bottleneck", first->name);
    add_number(m, "bottleneck_utilisation", first->utilisation);
    add_text(m, "next_bottleneck", second->name);
    add_number(m, "next_bottleneck_utilisation", second->utilisation);
}

static void add_queues(const struct frame *run, struct sweep_measures *m)
{
    for (unsigned i = 0; i < machine_layout.queue_count; i++) {
        const struct fifo_measure *q = &run->queues[i];
        char name[64];
        snprintf(name, sizeof name, "%s_mean", machine_layout.queues[i].name);
        add_number(m, name, fifo_measure_mean(q));
        snprintf(name, sizeof name, "%s_max", machine_layout.queues[i].name);
        add_whole(m, name, q->most);
        snprintf(name, sizeof name, "%s_wait_ns", machine_layout.queues[i].name);
        add_number(m, name, fifo_measure_mean_sojourn(q) / run->clock_hz * 1e9);
        snprintf(name, sizeof name, "%s_back_pressure", machine_layout.queues[i].name);
        if (q->places)
            add_number(m, name, fifo_measure_back_pressure(q));
    }
}

/* --- theory ---------------------------------------------------------------------------------------------- */

/* Each of the remaining names is mm1k_ or mm1k_dor_, and a quantity. */
static void add_theory(const struct sweep_facts *f, struct sweep_measures *m)
{
    static const char prefix[] = "mm1k_", dor[] = "mm1k_dor_";
    struct validation validation;
    struct why why;
    bool answered = validation_of_frame(f->run, VERDICT_CHAINS, &validation, &why) == 0;
    while (m->count < NAME_COUNT) {
        const char *name = names[m->count].name;
        bool of_dor = strncmp(name, dor, sizeof dor - 1) == 0;
        int quantity = machine_quantity_find(name + (of_dor ? sizeof dor : sizeof prefix) - 1);
        enum pipeline_model model = of_dor ? PIPELINE_MM1K_DOR : PIPELINE_MM1K;
        add_number(m, name, answered ? verdict_of_four_stages(&validation.frames[0], quantity, model) : NAN);
    }
    if (answered)
        validation_destroy(&validation);
}

void sweep_measures_make(const struct sweep_facts *facts, struct sweep_measures *out)
{
    struct resource resources[RESOURCES];
    out->count = 0;
    list_resources(facts, resources);
    add_times(facts, out);
    add_bloom(facts, out);
    add_tables(facts, out);
    add_energy(facts, out);
    for (unsigned i = 0; i < RESOURCES; i++)
        add_number(out, resources[i].measure, resources[i].utilisation);
    add_queues(facts->run, out);
    add_bottlenecks(resources, out);
    add_theory(facts, out);
}
