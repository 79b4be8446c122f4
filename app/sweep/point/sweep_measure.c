#include "app/sweep/point/sweep_measure.h"

#include <assert.h>
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

/* --- appending ------------------------------------------------------------------------------------------- */

/* The rows of data/words/sweep_measures.tsv. */
#include "app/sweep_measures.inc"

#define MEASURE_ID(id, ...)                id
#define MEASURE(id, kind, name, unit, ...) [id] = {name, unit, __VA_ARGS__, kind}

enum { SWEEP_MEASURE_ROWS(MEASURE_ID) };
static const struct sweep_measure rows[] = {SWEEP_MEASURE_ROWS(MEASURE)};

static struct sweep_measure *append(struct sweep_measures *m, struct sweep_measure words, double value)
{
    assert(m->count < SWEEP_MEASURES_MAX);
    struct sweep_measure *item = &m->items[m->count++];
    *item = words;
    item->number = isfinite(value) ? value : NAN;
    return item;
}

static struct sweep_measure *add(struct sweep_measures *m, unsigned row, double value)
{
    return append(m, rows[row], value);
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
    add(m, THROUGHPUT_MWMERS_PER_S, share(run->boards * frame_count(run, S1A_WMERS) / 1e6, stream_s));
    add(m, SIMULATED_TIME_S, run->duration_s);
    add(m, BUILD_WAIT_S, frame_seconds(run, S3_BUILD_WAIT));
    add(m, TABLE_LOAD_S, frame_seconds(run, PCIX_TABLE_LOAD));
    add(m, STREAM_TIME_S, stream_s);
    add(m, DRAIN_S, frame_seconds(run, S3_DRAIN));
    add(m, CLOCKS, (double)run->clocks);
    add(m, PASSES, (double)f->pass_count);
    add(m, WMERS, (double)run->counters[S1A_WMERS]);
    add(m, SEEDS, (double)run->counters[S1A_SEEDS_OUT]);
    add(m, MATCHES, (double)run->counters[S1B_MATCHES_OUT]);
    add(m, HSPS, (double)run->counters[S2_HSPS_OUT]);
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
    add(m, BLOOM_FALSE_POSITIVE_RATE, share(frame_count(f->run, S1A_FALSE_POSITIVES), all));
    add(m, BLOOM_FALSE_POSITIVE_FORMULA, share(expected, all));
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
    add(m, DISTINCT_WMERS, distinct / passes);
    add(m, TABLE_LOAD, distinct / (passes * slots));
    add(m, TABLE_OCCUPIED, occupied / (passes * slots));
    add(m, TABLE_COLLIDING_WMERS, share(colliding, distinct));
    add(m, TABLE_COLLIDING_WMERS_FORMULA, share(colliding_formula, distinct));
    add(m, FIRST_ACCESS_COLLISIONS, share(frame_count(f->run, S1B_LOOKUPS_DUPLICATE), seeds));
    add(m, TRIPS_PER_SEED, share(frame_count(f->run, S1B_TRIPS), seeds));
    add(m, SRAM_READS_PER_SEED, share(frame_count(f->run, S1B_SRAM_READS), seeds));
    return most_bytes;
}

static void add_memories(const struct hardware *h, const struct board_costs *c, uint64_t sram_bits,
                         struct sweep_measures *m)
{
    const uint64_t boards = (uint64_t)h->boards * h->hosts;
    add(m, BLOCK_RAM_BITS, (double)c->bloom_bits);
    add(m, SRAM_BITS, (double)sram_bits);
    add(m, DISPLACEMENT_BITS, (double)c->displacement_bits);
    add(m, FIFO_BITS, (double)c->fifo_bits);
    add(m, WINDOW_BITS, (double)c->window_bits);
    add(m, MEMORY_BITS,
        (double)(c->bloom_bits + sram_bits + c->displacement_bits + c->fifo_bits + c->window_bits));
    add(m, RAMB18, (double)(boards * c->ramb18));
    add(m, RAMB36, (double)(boards * c->ramb36));
    add(m, SRAM_CHIPS, (double)(boards * board_costs_sram_chips(h, sram_bits)));
    add(m, FITS, h->fpga_device == FPGA_NONE ? NAN : (double)board_costs_fit(h, sram_bits));
}

static void add_energy(const struct sweep_facts *f, struct sweep_measures *m)
{
    const struct machine_energy e = machine_energy_of(f->run, f->hardware, f->pass_count);
    add(m, ENERGY_J, e.total_j);
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        add(m, ENERGY_SRAM_J + i, e.parts_j[i]);
    add(m, ENERGY_NJ_PER_WMER, e.nj_per_wmer);
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

enum { RESOURCES = 7 };

struct resource {
    const char *name;
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
        append(m, (struct sweep_measure){w->mean, w->unit, w->means, MEASURE_NUMBER}, fifo_measure_mean(q));
        append(m, (struct sweep_measure){w->most, w->unit, w->most_means, MEASURE_WHOLE}, (double)q->most);
        append(m, (struct sweep_measure){w->wait, "ns", w->waits, MEASURE_NUMBER},
               fifo_measure_mean_sojourn(q) / run->clock_hz * 1e9);
        if (w->back_pressure)
            append(m, (struct sweep_measure){w->back_pressure, "1", w->holds, MEASURE_NUMBER},
                   fifo_measure_back_pressure(q));
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
        {"host", share(frame_count(run, PCIX_DATABASE_BYTES) / f->hardware->host_supply, stream_s)},
        {"bus", share(frame_count(run, PCIX_BUSY), frame_count(run, PCIX_MEASURED_TIME))},
        {"1a", share(frame_count(run, S1A_WORDS), clocks)},
        {"1b", share(stream_stages_work_1bd(run, &f->hardware->board), clocks)},
        {"sram", share(port_reads, clocks)},
        {"2", share(frame_count(run, S2_MATCHES), clocks)},
        {"3", share(frame_seconds(run, S3_CORE_BUSY), frame_seconds(run, S3_CORE_TIME))},
    };
    const struct resource *first = busiest(all, NULL), *second = busiest(all, first);
    for (unsigned i = 0; i < RESOURCES; i++)
        add(m, UTILISATION_HOST + i, all[i].utilisation);
    add(m, UTILISATION_SRAM_MEDIAN, median(f, sram_use));
    add(m, N_Q_1B_MEDIAN, median(f, waiting_for_1b));
    add_queues(run, m);
    add(m, BOTTLENECK, 0)->text = first->name;
    add(m, BOTTLENECK_UTILISATION, first->utilisation);
    add(m, NEXT_BOTTLENECK, 0)->text = second->name;
    add(m, NEXT_BOTTLENECK_UTILISATION, second->utilisation);
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
} theory[] = {SWEEP_THEORY_ROWS(THEORY)};

static void add_theory(const struct sweep_facts *f, struct sweep_measures *m)
{
    static const enum pipeline_model models[2] = {PIPELINE_MM1K, PIPELINE_MM1K_DOR};
    struct validation validation;
    struct why why;
    bool answered = validation_of_frame(f->run, VERDICT_CHAINS, &validation, &why) == 0;
    for (unsigned model = 0; model < 2; model++)
        for (unsigned i = 0; i < sizeof theory / sizeof theory[0]; i++)
            append(m,
                   (struct sweep_measure){theory[i].names[model], theory[i].unit, theory[i].meanings[model],
                                          MEASURE_NUMBER},
                   answered ? verdict_of_four_stages(&validation.frames[0], theory[i].quantity, models[model])
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
