#include "app/sweep/point/sweep_measure.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "sim/board/board_costs.h"
#include "sim/measure/machine_energy.h"
#include "sim/measure/machine_frame.h"
#include "sim/run/stream_stages.h"
#include "validate/validation.h"

/* --- appending ------------------------------------------------------------------------------------------- */

static struct sweep_measure *next(struct sweep_measures *m, const char *name, const char *unit,
                                  const char *meaning, enum sweep_measure_kind kind)
{
    assert(m->count < SWEEP_MEASURES_MAX);
    struct sweep_measure *item = &m->items[m->count++];
    *item = (struct sweep_measure){.name = name, .unit = unit, .meaning = meaning, .kind = kind};
    return item;
}

static void add_number(struct sweep_measures *m, const char *name, const char *unit, const char *meaning,
                       double value)
{
    next(m, name, unit, meaning, MEASURE_NUMBER)->number = isfinite(value) ? value : NAN;
}

static void add_whole(struct sweep_measures *m, const char *name, const char *unit, const char *meaning,
                      uint64_t value)
{
    next(m, name, unit, meaning, MEASURE_WHOLE)->number = (double)value;
}

static void add_text(struct sweep_measures *m, const char *name, const char *meaning, const char *text)
{
    next(m, name, "", meaning, MEASURE_TEXT)->text = text;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* --- time and elements ----------------------------------------------------------------------------------- */

static void add_times(const struct sweep_facts *f, struct sweep_measures *m)
{
    const struct frame *run = f->run;
    const double stream_s = frame_measured_s(run);
    add_number(
        m, "throughput_mwmers_per_s", "Mw-mers/s",
        "database w-mers over the time they stream, in millions per second, of all boards that have passes",
        share(run->boards * frame_count(run, S1A_WMERS) / 1e6, stream_s));
    add_number(m, "simulated_time_s", "s",
               "duration of the whole run, whose passes overlap as schedule.overlap says", run->duration_s);
    add_number(m, "build_wait_s", "s",
               "for which boards wait for their tables to be built, added over the passes",
               frame_seconds(run, S3_BUILD_WAIT));
    add_number(m, "table_load_s", "s", "loading Bloom filters and tables over the bus, added over the passes",
               frame_seconds(run, PCIX_TABLE_LOAD));
    add_number(m, "stream_time_s", "s",
               "from the first word until the last element has left the board, added over the passes",
               stream_s);
    add_number(
        m, "drain_s", "s",
        "time of the run in which a board neither waits for tables, loads nor streams, mean over those that have "
        "passes",
        frame_seconds(run, S3_DRAIN));
    add_whole(m, "clocks", "clocks", "clocks of the FPGA while streaming", run->clocks);
    add_whole(m, "passes", "passes", "segments x strands", f->pass_count);
    add_whole(m, "wmers", "w-mers", "w-mers streamed", run->counters[S1A_WMERS]);
    add_whole(m, "seeds", "seeds", "w-mers that pass the Bloom filter", run->counters[S1A_SEEDS_OUT]);
    add_whole(m, "matches", "matches", "matches that stage 1b emits", run->counters[S1B_MATCHES_OUT]);
    add_whole(m, "hsps", "HSPs", "matches that pass stage 2", run->counters[S2_HSPS_OUT]);
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
        double count = negatives(&f->passes[i].frame);
        expected += count * pow(1 - untouched(g->bank_bits, f->passes[i].tables.distinct_wmers), g->hashes);
        all += count;
    }
    add_number(m, "bloom_false_positive_rate", "1",
               "measured: false seeds per valid w-mer that is not in the segment",
               share(frame_count(f->run, S1A_FALSE_POSITIVES), all));
    add_number(m, "bloom_false_positive_formula", "1", "(1 - (1 - 1/m)^n)^k, mean over the passes",
               share(expected, all));
}

/* @param displacement_bytes  of each table, which are not the SRAM's. @return size of the largest tables in SRAM */
static uint64_t add_tables(const struct sweep_facts *f, uint64_t displacement_bytes, struct sweep_measures *m)
{
    const double passes = (double)f->pass_count, slots = f->hardware->pass.sram.slots;
    const double seeds = frame_count(f->run, S1B_SEEDS);
    double distinct = 0, occupied = 0, colliding = 0, colliding_formula = 0;
    uint64_t most_bytes = 0;
    for (size_t i = 0; i < f->pass_count; i++) {
        const struct sram_load *load = &f->passes[i].tables;
        const uint64_t bytes = load->bytes - displacement_bytes;
        const double count = load->distinct_wmers;
        distinct += count;
        occupied += load->occupied_slots;
        colliding += load->colliding_wmers;
        colliding_formula += count > 0 ? count * (1 - untouched(slots, count - 1)) : 0;
        most_bytes = bytes > most_bytes ? bytes : most_bytes;
    }
    add_number(m, "distinct_wmers", "w-mers", "distinct w-mers of a segment, mean over the passes",
               distinct / passes);
    add_number(m, "table_load", "w-mers/slot", "distinct w-mers over slots", distinct / (passes * slots));
    add_number(m, "table_occupied", "1", "share of slots with a w-mer", occupied / (passes * slots));
    add_number(m, "table_colliding_wmers", "1",
               "share of the distinct w-mers whose slot another one also has", share(colliding, distinct));
    add_number(m, "table_colliding_wmers_formula", "1", "of a random hash function: 1 - (1 - 1/S)^(n-1)",
               share(colliding_formula, distinct));
    add_number(m, "first_access_collisions", "1",
               "share of seeds whose first access leads to the duplicate table",
               share(frame_count(f->run, S1B_LOOKUPS_DUPLICATE), seeds));
    add_number(m, "trips_per_seed", "trips/seed", "trips to the duplicate table, per seed",
               share(frame_count(f->run, S1B_TRIPS), seeds));
    add_number(m, "sram_reads_per_seed", "reads/seed", "SRAM reads per seed, of primary and duplicate table",
               share(frame_count(f->run, S1B_SRAM_READS), seeds));
    return most_bytes;
}

static void add_memories(const struct hardware *h, const struct board_costs *c, uint64_t sram_bits,
                         struct sweep_measures *m)
{
    const uint64_t boards = (uint64_t)h->boards * h->hosts;
    add_whole(m, "block_ram_bits", "bits", "bits of the Bloom filter: hashes x bank bits", c->bloom_bits);
    add_whole(m, "sram_bits", "bits", "bits of primary table and duplicate lists, in the largest pass",
              sram_bits);
    add_whole(m, "displacement_bits", "bits", "bits of the displacement table, 0 without one",
              c->displacement_bits);
    add_whole(m, "fifo_bits", "bits", "bits of all FIFOs of the board, and of bursts", c->fifo_bits);
    add_whole(m, "window_bits", "bits",
              "bits of the query segment and of the database's last words, for stage 2's windows",
              c->window_bits);
    add_whole(m, "memory_bits", "bits", "bits of all memories of one board: the five before this",
              c->bloom_bits + sram_bits + c->displacement_bits + c->fifo_bits + c->window_bits);
    add_whole(
        m, "ramb18", "blocks",
        "block RAMs of 18 Kb for filter (all its copies), displacements, FIFOs and windows, of all boards",
        boards * c->ramb18);
    add_whole(m, "ramb36", "blocks", "block RAMs of 36 Kb, if the FPGAs have these instead, of all boards",
              boards * c->ramb36);
    add_whole(m, "sram_chips", "chips", "SRAM chips of 128K x 36 bits, two beside each other, of all boards",
              boards * board_costs_sram_chips(h, sram_bits));
    add_number(m, "fits", "1",
               "1 if the FPGA of fpga.device and the SRAM of sram.bytes hold what is on a board, 0 if not",
               h->fpga_device == FPGA_NONE ? NAN : (double)board_costs_fit(h, sram_bits));
}

static void add_energy(const struct sweep_facts *f, struct sweep_measures *m)
{
    static const struct {
        const char *name, *meaning;
    } parts[ENERGY_PARTS] = {
        [ENERGY_SRAM] = {"energy_sram_j", "of reading and writing the tables in SRAM"},
        [ENERGY_BLOCK_RAM] = {"energy_block_ram_j",
                              "of accesses to filter, displacements, FIFOs and windows"},
        [ENERGY_BUS] = {"energy_bus_j", "of bytes on the bus"},
        [ENERGY_CORES] = {"energy_cores_j", "of the clocks in which the host's cores work"},
        [ENERGY_IDLE] = {"energy_idle_j", "of boards and hosts, whatever they do"},
    };
    const struct machine_energy e = machine_energy_of(f->run, f->hardware, f->pass_count);
    add_number(m, "energy_j", "J", "energy of the whole run, the sum of the following five", e.total_j);
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        add_number(m, parts[i].name, "J", parts[i].meaning, e.parts_j[i]);
    add_number(m, "energy_nj_per_wmer", "nJ", "energy of the run over its w-mers", e.nj_per_wmer);
}

/* --- resources ------------------------------------------------------------------------------------------- */

enum { RESOURCES = 7 };

struct resource {
    const char *name, *measure, *meaning;
    double utilisation;
};

/* The busiest resource other than one that is left out; of equally busy ones the first of the pipeline. */
static const struct resource *busiest(const struct resource list[RESOURCES], const struct resource *left_out)
{
    const struct resource *best = NULL;
    for (const struct resource *r = list; r < list + RESOURCES; r++)
        if (r != left_out && (!best || r->utilisation > best->utilisation))
            best = r;
    return best;
}

/* What is measured at a queue of a frame, in the order of machine_layout's. */
struct queue_words {
    const char *mean, *most, *wait, *back_pressure; /* names; no back-pressure: NULL */
    const char *unit, *means, *most_means, *waits, *holds;
};

#define FIFO_WORDS(id, key, title, element, bytes, in, out, places, signal, margin, stage, meaning, source,  \
                   holds)                                                                                    \
    {                                                                                                        \
        key "_fifo_mean", key "_fifo_max", key "_fifo_wait_ns", key "_fifo_back_pressure", element, element, \
            element, "mean", "share of clocks: " holds                                                       \
    }

static const struct queue_words queue_words[] = {
    BOARD_FIFO_ROWS(FIFO_WORDS),
    {"host_queue_mean", "host_queue_max", "host_queue_wait_ns", "host_queue_back_pressure", "blocks",
     "mean number of blocks that the host has supplied and the bus has not moved yet",
     "greatest number of such blocks", "mean wait of a block for the bus",
     "share of clocks in which the host queue is full, so that the host waits"},
    {"inbox_mean", "inbox_max", "inbox_wait_ns", NULL, "HSPs",
     "mean number of HSPs that no core has begun, from the run's begin until joining",
     "greatest number of such HSPs, of all passes together", "mean wait of an HSP until a core begins it",
     NULL},
};

static void add_queues(const struct frame *run, struct sweep_measures *m)
{
    for (unsigned i = 0; i < sizeof queue_words / sizeof queue_words[0]; i++) {
        const struct queue_words *w = &queue_words[i];
        const struct fifo_measure *q = &run->queues[i];
        add_number(m, w->mean, w->unit, w->means, fifo_measure_mean(q));
        add_whole(m, w->most, w->unit, w->most_means, q->most);
        add_number(m, w->wait, "ns", w->waits, fifo_measure_mean_sojourn(q) / run->clock_hz * 1e9);
        if (w->back_pressure)
            add_number(m, w->back_pressure, "1", w->holds, fifo_measure_back_pressure(q));
    }
}

static void add_resources(const struct sweep_facts *f, struct sweep_measures *m)
{
    const struct frame *run = f->run;
    const double clocks = (double)run->clocks, stream_s = frame_measured_s(run),
                 reads = frame_count(run, S1B_SRAM_READS), primary = frame_count(run, S1B_SEEDS);
    /* reads one after the other: of all tables, or of that which is read more if several trips may be under way */
    const double port_reads =
        f->hardware->board.trips_in_flight == 1 ? reads : fmax(primary, reads - primary);
    const struct resource all[RESOURCES] = {
        {"host", "utilisation_host", "bytes supplied over what the host can supply",
         share(frame_count(run, PCIX_DATABASE_BYTES) / f->hardware->host_supply, stream_s)},
        {"bus", "utilisation_bus", "bytes carried over what the bus can carry",
         share(frame_count(run, PCIX_BUSY), frame_count(run, PCIX_MEASURED_TIME))},
        {"1a", "utilisation_1a", "words over clocks", share(frame_count(run, S1A_WORDS), clocks)},
        {"1b", "utilisation_1b", "clocks of lookups and trips, not held, over clocks",
         share(stream_stages_work_1bd(run, &f->hardware->board), clocks)},
        {"sram", "utilisation_sram", "SRAM reads over clocks; of several trips under way, the busier table's",
         share(port_reads, clocks)},
        {"2", "utilisation_2", "matches over clocks", share(frame_count(run, S2_MATCHES), clocks)},
        {"3", "utilisation_3", "time in which cores work over the cores' time in the whole run",
         share(frame_seconds(run, S3_CORE_BUSY), frame_seconds(run, S3_CORE_TIME))},
    };
    const struct resource *first = busiest(all, NULL), *second = busiest(all, first);
    for (unsigned i = 0; i < RESOURCES; i++)
        add_number(m, all[i].measure, "1", all[i].meaning, all[i].utilisation);
    add_queues(run, m);
    add_text(m, "bottleneck", "resource with the highest utilisation: host, bus, 1a, 1b, sram, 2, 3",
             first->name);
    add_number(m, "bottleneck_utilisation", "1", "utilisation of that resource", first->utilisation);
    add_text(m, "next_bottleneck", "the resource with the second highest utilisation", second->name);
    add_number(m, "next_bottleneck_utilisation", "1", "utilisation of that resource", second->utilisation);
}

/* --- theory ---------------------------------------------------------------------------------------------- */

#define THEORY(quantity, name, unit, meaning)                                                                \
    {                                                                                                        \
        quantity, unit, {"mm1k_" name, "mm1k_dor_" name},                                                    \
        {                                                                                                    \
            meaning " by M/M/1/K", meaning " by M/M/1/K (Dor)"                                               \
        }                                                                                                    \
    }

static const struct {
    enum machine_quantity quantity;
    const char *unit, *names[2], *meanings[2];
} theory[] = {
    THEORY(RHO_PCI, "rho_pci", "1", "utilisation of the bus"),
    THEORY(RHO_1A, "rho_1a", "1", "of stage 1a"),
    THEORY(RHO_1B, "rho_1b", "1", "of stage 1b"),
    THEORY(RHO_2, "rho_2", "1", "of stage 2"),
    THEORY(N_Q_1A, "N_Q_1a", "w-mers", "w-mers waiting for 1a"),
    THEORY(N_Q_1B, "N_Q_1b", "seeds", "seeds waiting for 1b"),
    THEORY(N_Q_2, "N_Q_2", "matches", "matches waiting for stage 2"),
    THEORY(P_BP_1A, "P_BP_1a", "1", "back-pressure of 1a"),
    THEORY(P_BP_1B, "P_BP_1b", "1", "back-pressure of 1b"),
    THEORY(P_BP_2, "P_BP_2", "1", "back-pressure of stage 2"),
};

static void add_theory(const struct sweep_facts *f, struct sweep_measures *m)
{
    static const enum pipeline_model models[2] = {PIPELINE_MM1K, PIPELINE_MM1K_DOR};
    struct validation validation;
    struct why why;
    bool answered = validation_of_frame(f->run, VERDICT_CHAINS, &validation, &why) == 0;
    for (unsigned model = 0; model < 2; model++)
        for (unsigned i = 0; i < sizeof theory / sizeof theory[0]; i++)
            add_number(m, theory[i].names[model], theory[i].unit, theory[i].meanings[model],
                       answered
                           ? verdict_of_four_stages(&validation.frames[0], theory[i].quantity, models[model])
                           : NAN);
    if (answered)
        validation_destroy(&validation);
}

/* --- all ------------------------------------------------------------------------------------------------- */

void sweep_measures_make(const struct sweep_facts *facts, struct sweep_measures *out)
{
    out->count = 0;
    add_times(facts, out);
    const struct board_costs costs = board_costs_of(facts->hardware);
    add_bloom(facts, out);
    const uint64_t bytes = add_tables(facts, costs.displacement_bits / 8, out);
    add_memories(facts->hardware, &costs, 8 * bytes, out);
    add_energy(facts, out);
    add_resources(facts, out);
    add_theory(facts, out);
}

const struct sweep_measures *sweep_measures_of_nothing(void)
{
    static struct sweep_measures measures;
    static const struct frame nothing;
    if (measures.count == 0) {
        const struct hardware hardware = hardware_default();
        sweep_measures_make(&(struct sweep_facts){&hardware, &nothing, NULL, 0}, &measures);
    }
    return &measures;
}

void sweep_measures_describe(FILE *out)
{
    const struct sweep_measures *m = sweep_measures_of_nothing();
    fprintf(out, "name\tmeaning\n");
    for (unsigned i = 0; i < m->count; i++)
        fprintf(out, "%s\t%s\n", m->items[i].name, m->items[i].meaning);
}

const struct sweep_measure *sweep_measures_find(const struct sweep_measures *m, const char *name)
{
    for (unsigned i = 0; i < m->count; i++)
        if (strcmp(m->items[i].name, name) == 0)
            return &m->items[i];
    return NULL;
}
