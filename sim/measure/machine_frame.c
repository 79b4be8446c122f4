#include "sim/measure/machine_frame.h"

#include <assert.h>

#include "model/forecast/list_schedule.h"
#include "traces/sources.h"
#include "sim/board/machine_part.h"
#include "sim/measure/machine_quantities.h"

/* --- the layout ------------------------------------------------------------------------------------------ */

#define COUNTER(id, kind, stage, name, ...) [id] = {stage, name, kind, __VA_ARGS__}
#define GAUGE(id, ...)                      [id] = {__VA_ARGS__}
#define RATIO(above, below, stage, name, ...)                                                                \
    {                                                                                                        \
        stage, name, above, below, __VA_ARGS__                                                               \
    }

static const struct counter_spec counters[MACHINE_COUNTERS] = {MACHINE_COUNTER_ROWS(COUNTER)};

static const struct ratio_spec ratios[] = {MACHINE_RATIO_ROWS(RATIO)};

#define QUEUE_ROW(id, key, title, element, bytes, in, out, places, signal, margin, stage, meaning, source,   \
                  ...)                                                                                       \
    [FIFO_##id] = {stage, key "_fifo", element, meaning, source}

static const struct queue_spec queues[MACHINE_QUEUES] = {
    BOARD_FIFO_ROWS(QUEUE_ROW),
    [QUEUE_HOST] = {"pcix", "host_queue", "blocks",
                    "blocks of the database in the host's memory that the bus has not moved yet", TIMETRIAL},
    [QUEUE_INBOX] = {"stage_3", "inbox", "hsps", "stage 3's queue in software, which has no bound",
                     TIMETRIAL},
};

static const struct gauge_spec gauges[MACHINE_GAUGES] = {MACHINE_GAUGE_ROWS(GAUGE)};

#define INTERVAL_ROWS(id, name, takes, elements, does, free, object, arrivals, arrivals_meaning, services,   \
                      services_meaning)                                                                      \
    [ARRIVALS_##id] = {object, arrivals, arrivals_meaning},                                                  \
    [SERVICES_##id] = {object, services, services_meaning}

static const struct interval_spec intervals[BOARD_INTERVALS] = {BOARD_STAGE_ROWS(INTERVAL_ROWS)};

const struct frame_layout machine_layout = {
    .counters = counters,
    .ratios = ratios,
    .queues = queues,
    .gauges = gauges,
    .intervals = intervals,
    .estimates = machine_estimates,
    .counter_count = MACHINE_COUNTERS,
    .ratio_count = sizeof ratios / sizeof ratios[0],
    .queue_count = MACHINE_QUEUES,
    .gauge_count = MACHINE_GAUGES,
    .interval_count = BOARD_INTERVALS,
    .estimate_count = MACHINE_ESTIMATES,
};

static_assert((int)MACHINE_COUNTERS <= (int)FRAME_COUNTERS_MAX, "room for every counter");
static_assert((int)MACHINE_QUEUES <= (int)FRAME_QUEUES_MAX, "room for every queue");
static_assert((int)BOARD_INTERVALS <= (int)FRAME_INTERVALS_MAX, "room for every stream of times");
static_assert((int)MACHINE_GAUGES <= (int)FRAME_GAUGES_MAX, "room for every gauge");

/* --- the frame ------------------------------------------------------------------------------------------- */

static void fill_board_counters(wide_uint *to, const struct pass_counts *c)
{
    to[PCIX_WORDS_IN] = to[S1A_WORDS] = to[S1A_INPUT] = c->words;
    to[S1A_WMERS] = c->wmers;
    to[S1A_INVALID_WMERS] = c->invalid_wmers;
    to[S1A_SEEDS_OUT] = to[S1B_SEEDS] = to[S1B_INPUT] = c->seeds;
    to[S1A_FALSE_POSITIVES] = to[S1B_SEEDS_FILTERED] = c->bloom_false;
    to[S1A_WMERS_FILTERED] = c->wmers - c->seeds;
    to[S1B_SRAM_READS] = c->sram_reads;
    to[S1B_LOOKUPS_EMPTY] = c->lookups_empty;
    to[S1B_LOOKUPS_MISMATCH] = c->lookups_mismatch;
    to[S1B_LOOKUPS_MATCH] = c->lookups_match;
    to[S1B_LOOKUPS_DUPLICATE] = c->lookups_duplicate;
    to[S1B_LOOKUPS_DUPLICATE_WITHOUT_MATCH] = c->duplicate_false;
    to[S1B_TRIPS] = c->trips;
    to[S1B_MATCHES_OUT] = to[S2_MATCHES] = to[S2_INPUT] = c->matches;
    to[S2_MATCHES_FILTERED] = c->matches - c->hsps;
    to[S2_HSPS_OUT] = c->hsps;
}

static void fill_bus_counters(wide_uint *to, const struct bus_counts *b)
{
    to[PCIX_DATABASE_BYTES] = b->database_bytes;
    to[PCIX_TABLE_BYTES] = b->table_bytes;
    to[PCIX_RECORD_BYTES] = b->record_bytes;
    to[PCIX_RECORD_BURSTS] = b->record_bursts;
    to[PCIX_TABLE_LOAD] = b->load_ps;
    to[PCIX_BUSY] = b->bus_busy_ps;
    to[PCIX_STALLED] = b->bus_stalled_ps;
}

void machine_frame_fill(struct frame *frame, const struct board_taps *taps, int64_t end,
                        const struct hardware *hardware, const struct pass_counts *counts,
                        const struct bus_counts *bus, const struct fifo_measure *host_queue)
{
    *frame = (struct frame){.clock_hz = hardware->fpga_clock_hz, .clocks = (uint64_t)end, .boards = 1};
    fill_board_counters(frame->counters, counts);
    fill_bus_counters(frame->counters, bus);
    frame->counters[S1B_DUPLICATE_STAGE] = board_taps_lookup_busy_clocks(taps);
    frame->counters[PCIX_MEASURED_TIME] = frame_picoseconds((double)end / hardware->fpga_clock_hz);
    frame->gauges[GAUGE_CAPACITY_BYTES_PER_S] = hardware_bus_bytes_per_s(hardware);
    frame->gauges[GAUGE_HOST_SUPPLY_BYTES_PER_S] = hardware->host_supply;
    frame->gauges[GAUGE_HSP_BYTES] = hardware->hsp_bytes;
    frame->gauges[GAUGE_CLOCK_HZ] = hardware->fpga_clock_hz;
    frame->gauges[GAUGE_CORES] = hardware->host_cores;
    frame->gauges[GAUGE_TRIP_CYCLES] = board_trip_cycles(&hardware->board);
    frame->gauges[GAUGE_TRIPS_IN_FLIGHT] = hardware->board.trips_in_flight;
    frame->gauges[GAUGE_FETCH_CYCLES] = hardware->board.stage2_fetch_cycles;
    frame->gauges[GAUGE_WMER_MARGIN] = hardware->board.wmer_margin;
    frame->gauges[GAUGE_SRAM_MARGIN] = hardware->board.sram_margin;
    frame->gauges[GAUGE_STAGE2_MARGIN] = hardware->board.stage2_margin;
    for (unsigned i = 0; i < BOARD_INTERVALS; i++)
        frame->intervals[i] = taps->intervals.taps[i].moments;
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++)
        frame->queues[fifo] = taps->fifos[fifo].measure;
    frame->queues[QUEUE_HOST] = *host_queue;
}

void machine_frame_fill_host(struct frame *frame, const struct hardware *hardware,
                             const struct host_counts *counts, const struct fifo_measure *inbox)
{
    wide_uint *to = frame->counters;
    to[S3_DRAIN] = frame_picoseconds(counts->drain_s);
    to[S3_HSPS] = counts->hsps;
    to[S3_HSPS_CONTAINED] = counts->hsps_contained;
    to[S3_HSPS_EXTENDED] = counts->hsps - counts->hsps_contained;
    to[S3_CELLS] = counts->cells;
    to[S3_CORE_BUSY] = frame_picoseconds(counts->busy_s);
    to[S3_BUILD_OPERATIONS] = counts->build_operations;
    to[S3_BUILD] = frame_picoseconds(counts->build_s);
    to[S3_BUILD_WAIT] = frame_picoseconds(counts->build_wait_s);
    to[S3_CORE_TIME] = frame_picoseconds(counts->duration_s * hardware->host_cores);
    frame->queues[QUEUE_INBOX] = *inbox;
    frame->begin_s = counts->begin_s;
    frame->duration_s = counts->duration_s;
}

/* Each of `parts` was rounded: cores that work all the time seem to work a picosecond longer for each. */
static void round_work(struct frame *run, size_t parts)
{
    const wide_uint time = run->counters[S3_CORE_TIME];
    if (run->counters[S3_CORE_BUSY] > time && run->counters[S3_CORE_BUSY] - time <= parts)
        run->counters[S3_CORE_BUSY] = time;
}

void machine_frame_end_run(struct frame *run, const struct hardware *hardware, size_t passes,
                           double duration_s, const struct fifo_measure *inbox)
{
    run->boards = 0;
    for (uint32_t host = 0; host < hardware->hosts; host++)
        run->boards += hardware_boards_at_work(hardware, host, passes);
    wide_uint boards_ps =
        (run->counters[PCIX_TABLE_LOAD] + run->counters[S3_BUILD_WAIT] + run->counters[PCIX_MEASURED_TIME]) /
        run->boards;
    wide_uint run_ps = frame_picoseconds(duration_s);
    run->duration_s = duration_s;
    run->counters[S3_CORE_BUSY] += run->counters[S3_BUILD];
    run->counters[S3_DRAIN] = run_ps > boards_ps ? run_ps - boards_ps : 0;
    run->counters[S3_CORE_TIME] = frame_picoseconds(duration_s * hardware->host_cores * hardware->hosts);
    round_work(run, passes);
    run->queues[QUEUE_INBOX] = *inbox;
}

static double join_job_s(const struct stitch_work *join, size_t job, const struct hardware *hardware)
{
    return machine_part_is_free(hardware, PART_JOIN)
               ? 0
               : (double)join->cells[job] * hardware->stage3_cycles_per_cell / hardware->host_clock_hz;
}

uint64_t machine_frame_bus_bytes(const struct frame *f)
{
    return f->counters[PCIX_TABLE_BYTES] + f->counters[PCIX_DATABASE_BYTES] + f->counters[PCIX_RECORD_BYTES];
}

double machine_frame_join_s(const struct stitch_work *join, const struct hardware *hardware)
{
    double busy_until_s[HARDWARE_CORES_MAX] = {0};
    struct list_schedule schedule = {busy_until_s, hardware->host_cores, 0};
    double all_s = 0;
    for (size_t i = 0; i < join->count; i++) {
        list_schedule_add(&schedule, join_job_s(join, i, hardware));
        all_s += join_job_s(join, i, hardware);
    }
    return machine_part_is_free(hardware, PART_ALIGNMENT) ? all_s / hardware->host_cores : schedule.last_s;
}

void machine_frame_add_join(struct frame *run, const struct stitch_work *join,
                            const struct hardware *hardware)
{
    double join_s = machine_frame_join_s(join, hardware);
    run->counters[S3_ALIGNMENTS_JOINED] += join->count;
    for (size_t i = 0; i < join->count; i++) {
        run->counters[S3_JOIN_CELLS] += join->cells[i];
        run->counters[S3_CORE_BUSY] += frame_picoseconds(join_job_s(join, i, hardware));
    }
    run->counters[S3_JOIN] += frame_picoseconds(join_s);
    run->counters[S3_DRAIN] += frame_picoseconds(join_s);
    run->counters[S3_CORE_TIME] += frame_picoseconds(join_s * hardware->host_cores * hardware->hosts);
    round_work(run, join->count);
    run->duration_s += join_s;
}

const char *machine_frame_find_loss(const struct frame *frame)
{
    const wide_uint *c = frame->counters;
    const struct fifo_measure *q = frame->queues;
    const struct {
        const char *what;
        wide_uint in, out;
    } balances[] = {
        {"words through the ingress FIFO", c[S1A_WORDS], q[FIFO_INGRESS].elements},
        {"w-mers of stage 1a", c[S1A_WMERS], c[S1A_SEEDS_OUT] + c[S1A_WMERS_FILTERED]},
        {"seeds through the w-mer FIFO", c[S1A_SEEDS_OUT], q[FIFO_WMER].elements},
        {"lookups through the SRAM FIFO", c[S1B_SEEDS], q[FIFO_SRAM].elements},
        {"lookups by outcome", c[S1B_SEEDS],
         c[S1B_LOOKUPS_EMPTY] + c[S1B_LOOKUPS_MISMATCH] + c[S1B_LOOKUPS_MATCH] + c[S1B_LOOKUPS_DUPLICATE]},
        {"seeds filtered by stage 1b", c[S1B_SEEDS_FILTERED],
         c[S1B_LOOKUPS_EMPTY] + c[S1B_LOOKUPS_MISMATCH] + c[S1B_LOOKUPS_DUPLICATE_WITHOUT_MATCH]},
        {"matches through the stage-2 FIFO", c[S1B_MATCHES_OUT], q[FIFO_STAGE2].elements},
        {"matches of stage 2", c[S2_MATCHES], c[S2_HSPS_OUT] + c[S2_MATCHES_FILTERED]},
        {"records through the egress FIFO", c[S2_HSPS_OUT], q[FIFO_EGRESS].elements},
        {"HSPs through stage 3's inbox", c[S2_HSPS_OUT], q[QUEUE_INBOX].elements},
        {"HSPs of stage 3", c[S3_HSPS], c[S2_HSPS_OUT]},
        {"HSPs by what became of them", c[S3_HSPS], c[S3_HSPS_CONTAINED] + c[S3_HSPS_EXTENDED]},
        {"database bytes on the bus", c[PCIX_DATABASE_BYTES], c[PCIX_WORDS_IN] * BYTES_PER_WORD},
        {"record bytes on the bus", c[PCIX_RECORD_BYTES],
         c[S2_HSPS_OUT] * (uint64_t)frame->gauges[GAUGE_HSP_BYTES]},
    };
    for (size_t i = 0; i < sizeof balances / sizeof balances[0]; i++)
        if (balances[i].in != balances[i].out)
            return balances[i].what;
    return NULL;
}
