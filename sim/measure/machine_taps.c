#include "sim/measure/machine_taps.h"

static const struct metric_spec metrics[MACHINE_METRICS] = {
    [METRIC_RATE] = {"rate", "elements/s", "elements that came to a tap in a second", AGGREGATE_MEAN, false},
    [METRIC_BYTE_RATE] = {"byte_rate", "bytes/s", "their bytes", AGGREGATE_MEAN, false},
    [METRIC_UTILISATION] = {"utilisation", "1", "fraction of the time at work", AGGREGATE_MEAN, false},
    [METRIC_OCCUPANCY] = {"occupancy", "elements", "elements stored, at the end of a clock, weighted by time",
                          AGGREGATE_ALL, false},
    [METRIC_BACK_PRESSURE] = {"back_pressure", "1",
                              "fraction of the clocks in which the queue's signal is asserted",
                              AGGREGATE_MEAN, false},
    [METRIC_LATENCY] = {"latency", "clocks",
                        "from the arrival at a tap to the departure from it, or to another tap",
                        AGGREGATE_ALL, true},
    [METRIC_FALSE_POSITIVES] = {"false_positives", "1",
                                "w-mers that pass the Bloom filter for nothing, of all", AGGREGATE_MEAN,
                                false},
    [METRIC_COLLISIONS] = {"collisions", "1", "lookups that need the duplicate table, of all", AGGREGATE_MEAN,
                           false},
    [METRIC_READS_PER_SEED] = {"reads_per_seed", "reads", "SRAM reads a seed takes", AGGREGATE_ALL, false},
    [METRIC_TRIPS_PER_SEED] = {"trips_per_seed", "trips", "trips to the duplicate table a seed takes",
                               AGGREGATE_ALL, false},
    [METRIC_MATCHES_PER_SEED] = {"matches_per_seed", "matches", "matches a seed yields", AGGREGATE_ALL,
                                 false},
};

#define OFFERS(metric) (UINT64_C(1) << (metric))
#define MOVES          (OFFERS(METRIC_RATE) | OFFERS(METRIC_UTILISATION))
#define FIFO                                                                                                 \
    (OFFERS(METRIC_RATE) | OFFERS(METRIC_OCCUPANCY) | OFFERS(METRIC_BACK_PRESSURE) | OFFERS(METRIC_LATENCY))
#define FIFO_TAP(id, key, title, element, bytes, in, out, places, signal, margin, stage, meaning, source,    \
                 holds)                                                                                      \
    [TAP_##id##_FIFO] = {                                                                                    \
        key "_fifo", element, bytes, true, FIFO | ((bytes) > 0 ? OFFERS(METRIC_BYTE_RATE) : 0), meaning}

static const struct tap_spec taps[MACHINE_TAPS] = {
    BOARD_FIFO_ROWS(FIFO_TAP),
    [TAP_BUS_IN] = {"bus_in", "words", 8, true, MOVES | OFFERS(METRIC_BYTE_RATE),
                    "database words the bus delivers to the board"},
    [TAP_STAGE_1A] = {"stage_1a", "words", 8, true, MOVES | OFFERS(METRIC_FALSE_POSITIVES),
                      "the Bloom filter, a word of 16 w-mers a clock"},
    [TAP_STAGE_1BP] = {"stage_1bp", "seeds", 0, true, MOVES, "issues primary reads"},
    [TAP_SRAM] = {"sram", "reads", 0, false, OFFERS(METRIC_UTILISATION),
                  "the memory's port: primary reads and trips"},
    [TAP_STAGE_1BD] = {"stage_1bd", "lookups", 0, true,
                       MOVES | OFFERS(METRIC_COLLISIONS) | OFFERS(METRIC_READS_PER_SEED) |
                           OFFERS(METRIC_TRIPS_PER_SEED) | OFFERS(METRIC_MATCHES_PER_SEED),
                       "takes lookups, makes trips to the duplicate table"},
    [TAP_STAGE_2] = {"stage_2", "matches", 0, true, MOVES, "ungapped extension, a match a clock"},
    [TAP_BUS_OUT] = {"bus_out", "records", 16, true, OFFERS(METRIC_RATE) | OFFERS(METRIC_BYTE_RATE),
                     "HSP records that have left on the bus"},
    [TAP_INBOX] = {"inbox", "hsps", 0, true,
                   OFFERS(METRIC_RATE) | OFFERS(METRIC_OCCUPANCY) | OFFERS(METRIC_LATENCY),
                   "stage 3's queue in software"},
    [TAP_JOB] = {"job", "hsps", 0, true, OFFERS(METRIC_RATE),
                 "HSPs whose job has begun: a core takes those of a block together"},
    [TAP_STAGE_3] = {"stage_3", "hsps", 0, true, MOVES,
                     "HSPs extended or discarded: the job that took them is done; at work, the host's cores"},
};

#define FIFO_PLACE(id, ...)               [TAP_##id##_FIFO] = {.fifo = FIFO_##id}
#define STAGE_PLACE(id, name, takes, ...) [TAP_STAGE_##id] = {.fifo = takes, .leaves = true}

const struct tap_place machine_tap_places[MACHINE_TAPS] = {
    BOARD_FIFO_ROWS(FIFO_PLACE),           BOARD_STAGE_ROWS(STAGE_PLACE),
    [TAP_BUS_IN] = {.fifo = FIFO_INGRESS}, [TAP_BUS_OUT] = {.fifo = FIFO_EGRESS, .leaves = true},
    [TAP_INBOX] = {.event = HOST_ARRIVED}, [TAP_JOB] = {.event = HOST_TAKEN},
    [TAP_STAGE_3] = {.event = HOST_DONE},
};

const struct catalogue machine_catalogue = {
    .metrics = metrics,
    .metric_count = MACHINE_METRICS,
    .taps = taps,
    .tap_count = MACHINE_TAPS,
};
