#include "sim/measure/machine_taps.h"

#include "traces/sources.h"

static const struct metric_spec metrics[MACHINE_METRICS] = {
    [METRIC_RATE] = {"rate", "elements/s", "elements that come to a tap per second of the frame",
                     "elements / frame length", TIMETRIAL, AGGREGATE_MEAN, false},
    [METRIC_BYTE_RATE] = {"byte_rate", "bytes/s", "bytes that come to a tap per second of the frame",
                          "elements x their size / frame length", TIMETRIAL, AGGREGATE_MEAN, false},
    [METRIC_UTILISATION] = {"utilisation", "1", "fraction of the frame's clocks in which a stage works",
                            "clocks in which it took an element, or held one in service / clocks", TIMETRIAL,
                            AGGREGATE_MEAN, false},
    [METRIC_OCCUPANCY] = {"occupancy", "elements", "number of elements stored in a queue",
                          "read at the end of every clock", TIMETRIAL, AGGREGATE_ALL, false},
    [METRIC_BACK_PRESSURE] = {"back_pressure", "1",
                              "fraction of clocks in which a queue holds back the stage that pushes",
                              "clocks with the queue's signal / clocks", TIMETRIAL, AGGREGATE_MEAN, false},
    [METRIC_LATENCY] = {"latency", "clocks",
                        "time that an element takes through a queue, or from one tap to another",
                        "departure - arrival, of the elements that leave in the frame", TIMETRIAL,
                        AGGREGATE_ALL, true},
    [METRIC_FALSE_POSITIVES] =
        {"false_positives", "1",
         "fraction of w-mers that pass the Bloom filter although they are not in the query",
         "false positives / w-mers", "Bloom, CACM 13, 1970", AGGREGATE_MEAN, false},
    [METRIC_COLLISIONS] = {"collisions", "1", "fraction of lookups that need the duplicate table",
                           "lookups_duplicate / lookups", TIMETRIAL ", section IV.B", AGGREGATE_MEAN, false},
    [METRIC_READS_PER_SEED] = {"reads_per_seed", "reads", "SRAM reads per seed",
                               "1, and ceil(positions/2) for each trip", DOR ", section 4.3.5", AGGREGATE_ALL,
                               false},
    [METRIC_TRIPS_PER_SEED] = {"trips_per_seed", "trips", "trips to the duplicate table per seed",
                               "ceil(positions/5) of the seed's entries", DOR ", section 6.1", AGGREGATE_ALL,
                               false},
    [METRIC_MATCHES_PER_SEED] = {"matches_per_seed", "matches", "matches per seed", "counted for every seed",
                                 DOR_INPUTS, AGGREGATE_ALL, false},
};

#define OFFERS(metric) (UINT64_C(1) << (metric))
#define MOVES          (OFFERS(METRIC_RATE) | OFFERS(METRIC_UTILISATION))
#define FIFO                                                                                                 \
    (OFFERS(METRIC_RATE) | OFFERS(METRIC_OCCUPANCY) | OFFERS(METRIC_BACK_PRESSURE) | OFFERS(METRIC_LATENCY))
#define FIFO_TAP(id, key, title, element, bytes, in, out, places, signal, margin, stage, meaning, source,    \
                 holds)                                                                                      \
    [TAP_##id##_FIFO] = {                                                                                    \
        key "_fifo", element, bytes, true, FIFO | ((bytes) > 0 ? OFFERS(METRIC_BYTE_RATE) : 0), meaning}

/* What only one stage offers. */
#define OF_1A OFFERS(METRIC_FALSE_POSITIVES)
#define OF_1BD                                                                                               \
    (OFFERS(METRIC_COLLISIONS) | OFFERS(METRIC_READS_PER_SEED) | OFFERS(METRIC_TRIPS_PER_SEED) |             \
     OFFERS(METRIC_MATCHES_PER_SEED))
#define OF_STAGE(stage) ((stage) == BOARD_STAGE_1A ? OF_1A : (stage) == BOARD_STAGE_1BD ? OF_1BD : 0)
#define STAGE_TAP(id, name, takes, elements, does, ...)                                                      \
    [TAP_STAGE_##id] = {"stage_" name, elements, 0, true, MOVES | OF_STAGE(BOARD_STAGE_##id), does}

static const struct tap_spec taps[MACHINE_TAPS] = {
    BOARD_FIFO_ROWS(FIFO_TAP),
    BOARD_STAGE_ROWS(STAGE_TAP),
    [TAP_BUS_IN] = {"bus_in", "words", 8, true, MOVES | OFFERS(METRIC_BYTE_RATE),
                    "database words the bus delivers to the board"},
    [TAP_SRAM] = {"sram", "reads", 0, false, OFFERS(METRIC_UTILISATION),
                  "the memory's port: primary reads and trips"},
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

#define FIFO_PLACE(id, ...)               [TAP_##id##_FIFO] = {.queue = FIFO_##id}
#define STAGE_PLACE(id, name, takes, ...) [TAP_STAGE_##id] = {.queue = FIFO_##takes, .leaves = true}

const struct tap_place machine_tap_places[MACHINE_TAPS] = {
    BOARD_FIFO_ROWS(FIFO_PLACE),
    BOARD_STAGE_ROWS(STAGE_PLACE),
    [TAP_BUS_IN] = {.queue = FIFO_INGRESS},
    [TAP_BUS_OUT] = {.queue = FIFO_EGRESS, .leaves = true},
    [TAP_INBOX] = {QUEUE_OF_INBOX, false, HOST_ARRIVED},
    [TAP_JOB] = {QUEUE_OF_INBOX, true, HOST_TAKEN},
    [TAP_STAGE_3] = {QUEUE_OF_CORES, true, HOST_DONE},
};

const struct catalogue machine_catalogue = {
    .metrics = metrics,
    .metric_count = MACHINE_METRICS,
    .taps = taps,
    .tap_count = MACHINE_TAPS,
};
