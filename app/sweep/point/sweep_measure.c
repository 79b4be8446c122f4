#include "app/sweep/point/sweep_measure.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "traces/statistics/series_summary.h"
#include "sim/board/board_costs.h"
#include "sim/measure/machine_energy.h"
#include "sim/measure/machine_frame.h"
#include "sim/run/stream_stages.h"
#include "validate/validation.h"

/* --- the rows -------------------------------------------------------------------------------------------- */

/* Those of data/words/sweep_measures.tsv; those of FIFOs have the words of board_fifos.h. */
#include "app/sweep_measures.inc"

#define ID(id, ...) id
#define MEASURE(id, kind, name, unit, ...)                                                                   \
    {                                                                                                        \
        name, unit, __VA_ARGS__, kind                                                                        \
    }
#define BY_MM1K(id, name, unit, meaning)                                                                     \
    {                                                                                                        \
        "mm1k_" name, unit, meaning " by M/M/1/K", MEASURE_NUMBER                                            \
    }
#define BY_MM1K_DOR(id, name, unit, meaning)                                                                 \
    {                                                                                                        \
        "mm1k_dor_" name, unit, meaning " by M/M/1/K (Dor)", MEASURE_NUMBER                                  \
    }
#define FIFO_MEASURES(id, key, title, element, bytes, in, out, places, signal, margin, stage, meaning,       \
                      source, holds)                                                                         \
    {key "_fifo_mean", element, element, MEASURE_NUMBER},                                                    \
        {key "_fifo_max", element, element, MEASURE_WHOLE},                                                  \
        {key "_fifo_wait_ns", "ns", "mean", MEASURE_NUMBER},                                                 \
    {                                                                                                        \
        key "_fifo_back_pressure", "1", "share of clocks: " holds, MEASURE_NUMBER                            \
    }

static const enum machine_quantity theory[] = {SWEEP_THEORY_ROWS(ID)};
static const enum pipeline_model models[] = {PIPELINE_MM1K, PIPELINE_MM1K_DOR};

enum { MODELS = sizeof models / sizeof *models, QUANTITIES = sizeof theory / sizeof *theory };

/* Their numbers; those of each queue follow each other. */
enum {
    SWEEP_MEASURE_ROWS(ID) FIRST_OF_QUEUES,
    LAST_OF_FIFOS = FIRST_OF_QUEUES + 4 * BOARD_FIFOS - 1,
    SWEEP_LAST_MEASURE_ROWS(ID) FIRST_OF_THEORY,
    MEASURES = FIRST_OF_THEORY + MODELS * QUANTITIES
};

const struct sweep_measures sweep_measures_of_nothing = {
    .items = {SWEEP_MEASURE_ROWS(MEASURE) BOARD_FIFO_ROWS(FIFO_MEASURES),
              SWEEP_LAST_MEASURE_ROWS(MEASURE) SWEEP_THEORY_ROWS(BY_MM1K) SWEEP_THEORY_ROWS(BY_MM1K_DOR)},
    .count = MEASURES};

static void set(struct sweep_measures *m, unsigned row, double value)
{
    m->items[row].number = isfinite(value) ? value : NAN;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* --- time and elements ----------------------------------------------------------------------------------- */

static void set_times(const struct sweep_facts *f, struct sweep_measures *m)
{
    const struct frame *run = f->run;
    const double stream_s = frame_measured_s(run);
    set(m, THROUGHPUT_MWMERS_PER_S, share(run->boards * frame_count(run, S1A_WMERS) / 1e6, stream_s));
    set(m, SIMULATED_TIME_S, run->duration_s);
    set(m, BUILD_WAIT_S, frame_seconds(run, S3_BUILD_WAIT));
    set(m, TABLE_LOAD_S, frame_seconds(run, PCIX_TABLE_LOAD));
    set(m, STREAM_TIME_S, stream_s);
    set(m, DRAIN_S, frame_seconds(run, S3_DRAIN));
    set(m, CLOCKS, (double)run->clocks);
    set(m, PASSES, (double)f->pass_count);
    set(m, WMERS, (double)run->counters[S1A_WMERS]);
    set(m, SEEDS, (double)run->counters[S1A_SEEDS_OUT]);
    set(m, MATCHES, (double)run->counters[S1B_MATCHES_OUT]);
    set(m, HSPS, (double)run->counters[S2_HSPS_OUT]);
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

static void set_bloom(const struct sweep_facts *f, struct sweep_measures *m)
{
    const struct bloom_geometry *g = &f->hardware->pass.bloom;
    double expected = 0, all = 0;
    for (size_t i = 0; i < f->pass_count; i++) {
        double count = negatives(&f->passes[i].frame);
        expected += count * pow(1 - untouched(g->bank_bits, f->passes[i].tables.distinct_wmers), g->hashes);
        all += count;
    }
    set(m, BLOOM_FALSE_POSITIVE_RATE, share(frame_count(f->run, S1A_FALSE_POSITIVES), all));
    set(m, BLOOM_FALSE_POSITIVE_FORMULA, share(expected, all));
}

/* @param displacement_bytes  of each table, which are not the SRAM's. @return size of the largest tables in SRAM */
static uint64_t set_tables(const struct sweep_facts *f, uint64_t displacement_bytes, struct sweep_measures *m)
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
    set(m, DISTINCT_WMERS, distinct / passes);
    set(m, TABLE_LOAD, distinct / (passes * slots));
    set(m, TABLE_OCCUPIED, occupied / (passes * slots));
    set(m, TABLE_COLLIDING_WMERS, share(colliding, distinct));
    set(m, TABLE_COLLIDING_WMERS_FORMULA, share(colliding_formula, distinct));
    set(m, FIRST_ACCESS_COLLISIONS, share(frame_count(f->run, S1B_LOOKUPS_DUPLICATE), seeds));
    set(m, TRIPS_PER_SEED, share(frame_count(f->run, S1B_TRIPS), seeds));
    set(m, SRAM_READS_PER_SEED, share(frame_count(f->run, S1B_SRAM_READS), seeds));
    return most_bytes;
}

static void set_memories(const struct hardware *h, const struct board_costs *c, uint64_t sram_bits,
                         struct sweep_measures *m)
{
    const uint64_t boards = (uint64_t)h->boards * h->hosts;
    set(m, BLOCK_RAM_BITS, (double)c->bloom_bits);
    set(m, SRAM_BITS, (double)sram_bits);
    set(m, DISPLACEMENT_BITS, (double)c->displacement_bits);
    set(m, FIFO_BITS, (double)c->fifo_bits);
    set(m, WINDOW_BITS, (double)c->window_bits);
    set(m, MEMORY_BITS,
        (double)(c->bloom_bits + sram_bits + c->displacement_bits + c->fifo_bits + c->window_bits));
    set(m, RAMB18, (double)(boards * c->ramb18));
    set(m, RAMB36, (double)(boards * c->ramb36));
    set(m, SRAM_CHIPS, (double)(boards * board_costs_sram_chips(h, sram_bits)));
    set(m, FITS, h->fpga_device == FPGA_NONE ? NAN : (double)board_costs_fit(h, sram_bits));
}

static void set_energy(const struct sweep_facts *f, struct sweep_measures *m)
{
    const struct machine_energy e = machine_energy_of(f->run, f->hardware, f->pass_count);
    set(m, ENERGY_J, e.total_j);
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        set(m, ENERGY_SRAM_J + i, e.parts_j[i]);
    set(m, ENERGY_NJ_PER_WMER, e.nj_per_wmer);
}

/* --- medians --------------------------------------------------------------------------------------------- */

static double sram_use(const struct frame *pass)
{
    return share(frame_count(pass, S1B_SRAM_READS), (double)pass->clocks);
}

static double waiting_for_1b(const struct frame *pass)
{
    return fifo_measure_mean(&pass->queues[FIFO_WMER]) + fifo_measure_mean(&pass->queues[FIFO_SRAM]);
}

/* NaN without passes. */
static double median(const struct sweep_facts *f, double (*of)(const struct frame *pass))
{
    double *values = memory_new(f->pass_count + 1, sizeof *values), middle = NAN;
    for (size_t i = 0; i < f->pass_count; i++)
        values[i] = of(&f->passes[i].frame);
    if (f->pass_count > 0)
        middle = five_numbers_of(values, f->pass_count).median;
    free(values);
    return middle;
}

/* --- resources ------------------------------------------------------------------------------------------- */

enum { STREAM_RESOURCES = 6, RESOURCES }; /* stage 3, the last one, works through the whole run */

struct resource {
    const char *name;
    double utilisation;
};

/* The busiest resource of the stream other than one that is left out; of equally busy ones the first. */
static const struct resource *busiest(const struct resource list[RESOURCES], const struct resource *left_out)
{
    const struct resource *best = NULL;
    for (const struct resource *r = list; r < list + STREAM_RESOURCES; r++)
        if (r != left_out && (!best || r->utilisation > best->utilisation))
            best = r;
    return best;
}

static void set_queues(const struct frame *run, struct sweep_measures *m)
{
    unsigned row = FIRST_OF_QUEUES;
    for (unsigned i = 0; i < MACHINE_QUEUES; i++) {
        const struct fifo_measure *q = &run->queues[i];
        set(m, row++, fifo_measure_mean(q));
        set(m, row++, (double)q->most);
        set(m, row++, fifo_measure_mean_sojourn(q) / run->clock_hz * 1e9);
        if (i != QUEUE_INBOX) /* which has no bound */
            set(m, row++, fifo_measure_back_pressure(q));
    }
}

static void set_resources(const struct sweep_facts *f, struct sweep_measures *m)
{
    const struct frame *run = f->run;
    const double clocks = (double)run->clocks, stream_s = frame_measured_s(run),
                 reads = frame_count(run, S1B_SRAM_READS), primary = frame_count(run, S1B_SEEDS);
    /* reads one after the other: of all tables, or of that which is read more if several trips may be under way */
    const double port_reads =
        f->hardware->board.trips_in_flight == 1 ? reads : fmax(primary, reads - primary);
    const struct resource all[RESOURCES] = {
        {"host", share(frame_count(run, PCIX_DATABASE_BYTES) / f->hardware->host_supply, stream_s)},
        {"bus", share(frame_count(run, PCIX_BUSY), frame_count(run, PCIX_MEASURED_TIME))},
        {"1a", share(frame_count(run, S1A_WORDS), clocks)},
        {"1b", share(stream_stages_work_1bd(run, &f->hardware->board), clocks)},
        {"sram", share(port_reads, clocks)},
        {"2", share(stream_stages_work_2(run, &f->hardware->board), clocks)},
        {"3", share(frame_seconds(run, S3_CORE_BUSY), frame_seconds(run, S3_CORE_TIME))},
    };
    const struct resource *first = busiest(all, NULL), *second = busiest(all, first);
    for (unsigned i = 0; i < RESOURCES; i++)
        set(m, UTILISATION_HOST + i, all[i].utilisation);
    set(m, UTILISATION_SRAM_MEDIAN, median(f, sram_use));
    set(m, N_Q_1B_MEDIAN, median(f, waiting_for_1b));
    set_queues(run, m);
    m->items[BOTTLENECK].text = first->name;
    set(m, BOTTLENECK_UTILISATION, first->utilisation);
    m->items[NEXT_BOTTLENECK].text = second->name;
    set(m, NEXT_BOTTLENECK_UTILISATION, second->utilisation);
}

/* --- theory ---------------------------------------------------------------------------------------------- */

static void set_theory(const struct sweep_facts *f, struct sweep_measures *m)
{
    auto_by(validation_destroy) struct validation validation = {0};
    struct why why;
    bool answered = validation_of_frame(f->run, VERDICT_CHAINS, &validation, &why) == 0;
    for (unsigned model = 0; model < MODELS; model++)
        for (unsigned i = 0; i < QUANTITIES; i++)
            set(m, FIRST_OF_THEORY + model * QUANTITIES + i,
                answered ? verdict_of_four_stages(&validation.frames[0], theory[i], models[model]) : NAN);
}

/* --- all ------------------------------------------------------------------------------------------------- */

void sweep_measures_make(const struct sweep_facts *facts, struct sweep_measures *out)
{
    *out = sweep_measures_of_nothing;
    set_times(facts, out);
    const struct board_costs costs = board_costs_of(facts->hardware);
    set_bloom(facts, out);
    const uint64_t bytes = set_tables(facts, costs.displacement_bits / 8, out);
    set_memories(facts->hardware, &costs, 8 * bytes, out);
    set_energy(facts, out);
    set_resources(facts, out);
    set_theory(facts, out);
}

void sweep_measures_describe(FILE *out)
{
    fprintf(out, "name\tmeaning\n");
    for (const struct sweep_measure *m = sweep_measures_of_nothing.items;
         m < sweep_measures_of_nothing.items + MEASURES; m++)
        fprintf(out, "%s\t%s\n", m->name, m->meaning);
}

const struct sweep_measure *sweep_measures_find(const struct sweep_measures *m, const char *name)
{
    for (unsigned i = 0; i < m->count; i++)
        if (strcmp(m->items[i].name, name) == 0)
            return &m->items[i];
    return NULL;
}
