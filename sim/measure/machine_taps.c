#include "sim/measure/machine_taps.h"

#include "traces/sources.h"

#define METRIC(id, aggregates, between, ...) [id] = {__VA_ARGS__, aggregates, between}

static const struct metric_spec metrics[MACHINE_METRICS] = {MACHINE_METRIC_ROWS(METRIC)};

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
    [TAP_HOST_QUEUE] = {"host_queue", "blocks", 0, false, FIFO,
                        "blocks of the database that the host prepares ahead of the bus"},
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
    [TAP_HOST_QUEUE] = {QUEUE_OF_INBOX, false, HOST_ARRIVED}, /* the queue of its own side (measure_plan.h) */
};

const struct catalogue machine_catalogue = {
    .metrics = metrics,
    .metric_count = MACHINE_METRICS,
    .taps = taps,
    .tap_count = MACHINE_TAPS,
};
