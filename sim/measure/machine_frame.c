#include "sim/measure/machine_frame.h"

#include <assert.h>

#include "sim/measure/machine_batches.h"

/* --- the layout ------------------------------------------------------------------------------------------ */

enum {
    PCIX_WORDS_IN,
    PCIX_DATABASE_BYTES,
    PCIX_TABLE_BYTES,
    PCIX_RECORD_BYTES,
    PCIX_LOAD,
    PCIX_BUSY,
    PCIX_STALLED,
    PCIX_MEASURED,
    S1A_WORDS,
    S1A_INPUT,
    S1A_WMERS,
    S1A_INVALID_WMERS,
    S1A_SEEDS,
    S1A_FALSE,
    S1A_FILTERED,
    S1B_SEEDS,
    S1B_INPUT,
    S1B_SRAM,
    S1B_LOOKUP,
    S1B_EMPTY,
    S1B_MISMATCH,
    S1B_MATCH,
    S1B_DUPLICATE,
    S1B_DUPLICATE_FALSE,
    S1B_FALSE,
    S1B_TRIPS,
    S1B_MATCHES,
    S2_MATCHES,
    S2_INPUT,
    S2_FILTERED,
    S2_HSPS,
    S3_HSPS,
    S3_CONTAINED,
    S3_EXTENDED,
    S3_CELLS,
    S3_DRAIN,
    S3_BUSY,
    S3_CORE_TIME,
    S3_JOINED,
    S3_JOIN_CELLS,
    S3_JOIN,
    COUNTER_COUNT_ALL,
};

static const struct counter_spec counters[COUNTER_COUNT_ALL] = {
    [PCIX_WORDS_IN] = {"pcix", "words_in", COUNTER_FLOW},
    [PCIX_DATABASE_BYTES] = {"pcix", "database_bytes", COUNTER_FLOW},
    [PCIX_TABLE_BYTES] = {"pcix", "table_bytes", COUNTER_COUNT},
    [PCIX_RECORD_BYTES] = {"pcix", "record_bytes", COUNTER_FLOW},
    [PCIX_LOAD] = {"pcix", "table_load", COUNTER_TIME},
    [PCIX_BUSY] = {"pcix", "busy", COUNTER_TIME},
    [PCIX_STALLED] = {"pcix", "stalled", COUNTER_TIME},
    [PCIX_MEASURED] = {"pcix", "measured_time", COUNTER_TIME},
    [S1A_WORDS] = {"stage_1a", "words", COUNTER_FLOW},
    [S1A_INPUT] = {"stage_1a", "input", COUNTER_BUSY},
    [S1A_WMERS] = {"stage_1a", "wmers", COUNTER_FLOW},
    [S1A_INVALID_WMERS] = {"stage_1a", "invalid_wmers", COUNTER_COUNT},
    [S1A_SEEDS] = {"stage_1a", "seeds_out", COUNTER_FLOW},
    [S1A_FALSE] = {"stage_1a", "false_positives", COUNTER_COUNT},
    [S1A_FILTERED] = {"stage_1a", "wmers_filtered", COUNTER_COUNT},
    [S1B_SEEDS] = {"stage_1b", "seeds", COUNTER_FLOW},
    [S1B_INPUT] = {"stage_1b", "input", COUNTER_BUSY},
    [S1B_SRAM] = {"stage_1b", "sram_reads", COUNTER_BUSY},
    [S1B_LOOKUP] = {"stage_1b", "duplicate_stage", COUNTER_BUSY},
    [S1B_EMPTY] = {"stage_1b", "lookups_empty", COUNTER_COUNT},
    [S1B_MISMATCH] = {"stage_1b", "lookups_mismatch", COUNTER_COUNT},
    [S1B_MATCH] = {"stage_1b", "lookups_match", COUNTER_COUNT},
    [S1B_DUPLICATE] = {"stage_1b", "lookups_duplicate", COUNTER_COUNT},
    [S1B_DUPLICATE_FALSE] = {"stage_1b", "lookups_duplicate_without_match", COUNTER_COUNT},
    [S1B_FALSE] = {"stage_1b", "seeds_filtered", COUNTER_COUNT},
    [S1B_TRIPS] = {"stage_1b", "trips", COUNTER_COUNT},
    [S1B_MATCHES] = {"stage_1b", "matches_out", COUNTER_FLOW},
    [S2_MATCHES] = {"stage_2", "matches", COUNTER_FLOW},
    [S2_INPUT] = {"stage_2", "input", COUNTER_BUSY},
    [S2_FILTERED] = {"stage_2", "matches_filtered", COUNTER_COUNT},
    [S2_HSPS] = {"stage_2", "hsps_out", COUNTER_FLOW},
    [S3_HSPS] = {"stage_3", "hsps", COUNTER_FLOW},
    [S3_CONTAINED] = {"stage_3", "hsps_contained", COUNTER_COUNT},
    [S3_EXTENDED] = {"stage_3", "hsps_extended", COUNTER_COUNT},
    [S3_CELLS] = {"stage_3", "cells", COUNTER_COUNT},
    [S3_DRAIN] = {"stage_3", "drain", COUNTER_TIME},
    [S3_BUSY] = {"stage_3", "core_busy", COUNTER_TIME},
    [S3_CORE_TIME] = {"stage_3", "core_time", COUNTER_TIME},
    [S3_JOINED] = {"stage_3", "alignments_joined", COUNTER_COUNT},
    [S3_JOIN_CELLS] = {"stage_3", "join_cells", COUNTER_COUNT},
    [S3_JOIN] = {"stage_3", "join", COUNTER_TIME},
};

static const struct ratio_spec ratios[] = {
    {"pcix", "utilisation", PCIX_BUSY, PCIX_MEASURED},
    {"stage_1a", "seeds_per_wmer", S1A_SEEDS, S1A_WMERS},
    {"stage_1a", "false_positives_per_wmer", S1A_FALSE, S1A_WMERS},
    {"stage_1b", "matches_per_seed", S1B_MATCHES, S1B_SEEDS},
    {"stage_1b", "sram_reads_per_seed", S1B_SRAM, S1B_SEEDS},
    {"stage_1b", "trips_per_seed", S1B_TRIPS, S1B_SEEDS},
    {"stage_1b", "input_per_sram_read", S1B_INPUT, S1B_SRAM},
    {"stage_2", "hsps_per_match", S2_HSPS, S2_MATCHES},
    {"stage_3", "utilisation", S3_BUSY, S3_CORE_TIME},
    {"stage_3", "cells_per_hsp", S3_CELLS, S3_HSPS},
};

#define QUEUE_ROW(id, key, title, element, bytes, in, out, places, signal, margin, stage, ...)               \
    [FIFO_##id] = {stage, key "_fifo", element}

static const struct queue_spec queues[MACHINE_QUEUES] = {
    BOARD_FIFO_ROWS(QUEUE_ROW),
    [QUEUE_INBOX] = {"stage_3", "inbox", "hsps"},
};

enum {
    GAUGE_BUS,
    GAUGE_SUPPLY,
    GAUGE_RECORD_BYTES,
    GAUGE_CLOCK,
    GAUGE_CORES,
    GAUGE_TRIP,
    GAUGE_FETCH,
    GAUGE_WMER_MARGIN,
    GAUGE_SRAM_MARGIN,
    GAUGE_STAGE2_MARGIN,
    GAUGE_COUNT
};

static const struct gauge_spec gauges[GAUGE_COUNT] = {
    [GAUGE_BUS] = {"pcix", "capacity_bytes_per_s"},
    [GAUGE_SUPPLY] = {"pcix", "host_supply_bytes_per_s"},
    [GAUGE_RECORD_BYTES] = {"pcix", "hsp_bytes"},
    [GAUGE_CLOCK] = {"stage_1a", "clock_hz"},
    [GAUGE_CORES] = {"stage_3", "cores"},
    [GAUGE_TRIP] = {"stage_1b", "trip_cycles"},
    [GAUGE_FETCH] = {"stage_2", "fetch_cycles"},
    [GAUGE_WMER_MARGIN] = {"stage_1b", "wmer_margin"},
    [GAUGE_SRAM_MARGIN] = {"stage_1b", "sram_margin"},
    [GAUGE_STAGE2_MARGIN] = {"stage_2", "stage2_margin"},
};

#define INTERVAL_ROWS(id, name, takes, object, arrivals, services)                                           \
    [ARRIVALS_##id] = {object, arrivals}, [SERVICES_##id] = {object, services}

static const struct interval_spec intervals[BOARD_INTERVALS] = {BOARD_STAGE_ROWS(INTERVAL_ROWS)};

const struct frame_layout machine_layout = {
    .counters = counters,
    .ratios = ratios,
    .queues = queues,
    .gauges = gauges,
    .intervals = intervals,
    .estimates = machine_estimates,
    .interval_count = BOARD_INTERVALS,
    .counter_count = COUNTER_COUNT_ALL,
    .ratio_count = sizeof ratios / sizeof ratios[0],
    .queue_count = MACHINE_QUEUES,
    .gauge_count = GAUGE_COUNT,
    .estimate_count = MACHINE_ESTIMATES,
};

static_assert((int)COUNTER_COUNT_ALL <= (int)FRAME_COUNTERS_MAX, "room for every counter");
static_assert((int)MACHINE_QUEUES <= (int)FRAME_QUEUES_MAX, "room for every queue");
static_assert((int)BOARD_INTERVALS <= (int)FRAME_INTERVALS_MAX, "room for every stream of times");
static_assert((int)GAUGE_COUNT <= (int)FRAME_GAUGES_MAX, "room for every gauge");

/* --- the frame ------------------------------------------------------------------------------------------- */

static void fill_board_counters(uint64_t *to, const struct pass_counts *c)
{
    to[PCIX_WORDS_IN] = to[S1A_WORDS] = to[S1A_INPUT] = c->words;
    to[S1A_WMERS] = c->wmers;
    to[S1A_INVALID_WMERS] = c->invalid_wmers;
    to[S1A_SEEDS] = to[S1B_SEEDS] = to[S1B_INPUT] = c->seeds;
    to[S1A_FALSE] = to[S1B_FALSE] = c->bloom_false;
    to[S1A_FILTERED] = c->wmers - c->seeds;
    to[S1B_SRAM] = c->sram_reads;
    to[S1B_EMPTY] = c->lookups_empty;
    to[S1B_MISMATCH] = c->lookups_mismatch;
    to[S1B_MATCH] = c->lookups_match;
    to[S1B_DUPLICATE] = c->lookups_duplicate;
    to[S1B_DUPLICATE_FALSE] = c->duplicate_false;
    to[S1B_TRIPS] = c->trips;
    to[S1B_MATCHES] = to[S2_MATCHES] = to[S2_INPUT] = c->matches;
    to[S2_FILTERED] = c->matches - c->hsps;
    to[S2_HSPS] = c->hsps;
}

static void fill_host_counters(uint64_t *to, const struct host_counts *h)
{
    to[PCIX_DATABASE_BYTES] = h->database_bytes;
    to[PCIX_TABLE_BYTES] = h->table_bytes;
    to[PCIX_RECORD_BYTES] = h->record_bytes;
    to[PCIX_LOAD] = h->load_ps;
    to[PCIX_BUSY] = h->bus_busy_ps;
    to[PCIX_STALLED] = h->bus_stalled_ps;
    to[S3_DRAIN] = h->drain_ps;
    to[S3_HSPS] = h->hsps;
    to[S3_CONTAINED] = h->hsps_contained;
    to[S3_EXTENDED] = h->hsps - h->hsps_contained;
    to[S3_CELLS] = h->cells;
    to[S3_BUSY] = h->core_busy_ps;
}

void machine_frame_fill(struct frame *frame, const struct board_taps *taps, int64_t end,
                        const struct hardware *hardware, const struct pass_counts *counts,
                        const struct host_counts *host, const struct fifo_measure *inbox, double duration_s)
{
    *frame = (struct frame){
        .duration_s = duration_s, .clock_hz = hardware->fpga_clock_hz, .clocks = (uint64_t)end};
    fill_board_counters(frame->counters, counts);
    fill_host_counters(frame->counters, host);
    frame->counters[S1B_LOOKUP] = board_taps_lookup_busy_clocks(taps);
    frame->counters[PCIX_MEASURED] = frame_picoseconds((double)end / hardware->fpga_clock_hz);
    frame->counters[S3_CORE_TIME] = frame_picoseconds(duration_s * hardware->host_cores);
    frame->gauges[GAUGE_BUS] = hardware_bus_bytes_per_s(hardware);
    frame->gauges[GAUGE_SUPPLY] = hardware->host_supply;
    frame->gauges[GAUGE_RECORD_BYTES] = hardware->hsp_bytes;
    frame->gauges[GAUGE_CLOCK] = hardware->fpga_clock_hz;
    frame->gauges[GAUGE_CORES] = hardware->host_cores;
    frame->gauges[GAUGE_TRIP] = hardware->board.sram_trip_cycles;
    frame->gauges[GAUGE_FETCH] = hardware->board.stage2_fetch_cycles;
    frame->gauges[GAUGE_WMER_MARGIN] = hardware->board.wmer_margin;
    frame->gauges[GAUGE_SRAM_MARGIN] = hardware->board.sram_margin;
    frame->gauges[GAUGE_STAGE2_MARGIN] = hardware->board.stage2_margin;
    for (unsigned i = 0; i < BOARD_INTERVALS; i++)
        frame->intervals[i] = taps->intervals.taps[i].moments;
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++)
        frame->queues[fifo] = *board_taps_measure(taps, fifo);
    frame->queues[QUEUE_INBOX] = *inbox;
}

static double join_job_s(const struct stitch_work *join, size_t job, const struct hardware *hardware)
{
    return (double)join->cells[job] * hardware->stage3_cycles_per_cell / hardware->host_clock_hz;
}

/* Seconds until the last core is done, jobs taken in order by whoever is free first. */
static double makespan_s(const struct stitch_work *join, const struct hardware *hardware)
{
    double busy_until_s[HARDWARE_CORES_MAX] = {0}, last_s = 0;
    for (size_t i = 0; i < join->count; i++) {
        uint32_t free_first = 0;
        for (uint32_t core = 1; core < hardware->host_cores; core++)
            if (busy_until_s[core] < busy_until_s[free_first])
                free_first = core;
        busy_until_s[free_first] += join_job_s(join, i, hardware);
        if (busy_until_s[free_first] > last_s)
            last_s = busy_until_s[free_first];
    }
    return last_s;
}

void machine_frame_add_join(struct frame *run, const struct stitch_work *join,
                            const struct hardware *hardware)
{
    double join_s = makespan_s(join, hardware);
    run->counters[S3_JOINED] += join->count;
    for (size_t i = 0; i < join->count; i++) {
        run->counters[S3_JOIN_CELLS] += join->cells[i];
        run->counters[S3_BUSY] += frame_picoseconds(join_job_s(join, i, hardware));
    }
    run->counters[S3_JOIN] += frame_picoseconds(join_s);
    run->counters[S3_CORE_TIME] += frame_picoseconds(join_s * hardware->host_cores);
    run->duration_s += join_s;
}

const char *machine_frame_find_loss(const struct frame *frame)
{
    const uint64_t *c = frame->counters;
    const struct fifo_measure *q = frame->queues;
    const struct {
        const char *what;
        uint64_t in, out;
    } balances[] = {
        {"words through the ingress FIFO", c[S1A_WORDS], q[FIFO_INGRESS].elements},
        {"w-mers of stage 1a", c[S1A_WMERS], c[S1A_SEEDS] + c[S1A_FILTERED]},
        {"seeds through the wmer FIFO", c[S1A_SEEDS], q[FIFO_WMER].elements},
        {"lookups through the SRAM FIFO", c[S1B_SEEDS], q[FIFO_SRAM].elements},
        {"lookups by outcome", c[S1B_SEEDS],
         c[S1B_EMPTY] + c[S1B_MISMATCH] + c[S1B_MATCH] + c[S1B_DUPLICATE]},
        {"seeds filtered by stage 1b", c[S1B_FALSE], c[S1B_EMPTY] + c[S1B_MISMATCH] + c[S1B_DUPLICATE_FALSE]},
        {"matches through the stage-2 FIFO", c[S1B_MATCHES], q[FIFO_STAGE2].elements},
        {"matches of stage 2", c[S2_MATCHES], c[S2_HSPS] + c[S2_FILTERED]},
        {"records through the egress FIFO", c[S2_HSPS], q[FIFO_EGRESS].elements},
        {"HSPs through stage 3's inbox", c[S2_HSPS], q[QUEUE_INBOX].elements},
        {"HSPs of stage 3", c[S3_HSPS], c[S2_HSPS]},
        {"HSPs by what became of them", c[S3_HSPS], c[S3_CONTAINED] + c[S3_EXTENDED]},
        {"database bytes on the bus", c[PCIX_DATABASE_BYTES], c[PCIX_WORDS_IN] * BYTES_PER_WORD},
        {"record bytes on the bus", c[PCIX_RECORD_BYTES],
         c[S2_HSPS] * (uint64_t)frame->gauges[GAUGE_RECORD_BYTES]},
    };
    for (size_t i = 0; i < sizeof balances / sizeof balances[0]; i++)
        if (balances[i].in != balances[i].out)
            return balances[i].what;
    return NULL;
}
