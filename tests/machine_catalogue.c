#include "tests/machine_catalogue.h"

enum {
    RATE,
    BYTE_RATE,
    UTILISATION,
    OCCUPANCY,
    BACK_PRESSURE,
    LATENCY,
    FALSE_POSITIVES,
    COLLISIONS,
    READS_PER_SEED,
    TRIPS_PER_SEED,
    MATCHES_PER_SEED,
    METRICS
};

static const struct metric_spec metrics[METRICS] = {
    [RATE] = {"rate", "elements/s", "elements that came to a tap in a second", AGGREGATE_MEAN, false},
    [BYTE_RATE] = {"byte_rate", "bytes/s", "their bytes", AGGREGATE_MEAN, false},
    [UTILISATION] = {"utilisation", "1", "fraction of the time at work", AGGREGATE_MEAN, false},
    [OCCUPANCY] = {"occupancy", "elements", "elements stored, at the end of a clock, weighted by time",
                   AGGREGATE_ALL, false},
    [BACK_PRESSURE] = {"back_pressure", "1", "fraction of the clocks in which the queue's signal is asserted",
                       AGGREGATE_MEAN, false},
    [LATENCY] = {"latency", "clocks", "from the arrival at a tap to the departure from it, or to another tap",
                 AGGREGATE_ALL, true},
    [FALSE_POSITIVES] = {"false_positives", "1", "w-mers that pass the Bloom filter for nothing, of all",
                         AGGREGATE_MEAN, false},
    [COLLISIONS] = {"collisions", "1", "lookups that need the duplicate table, of all", AGGREGATE_MEAN,
                    false},
    [READS_PER_SEED] = {"reads_per_seed", "reads", "SRAM reads a seed takes", AGGREGATE_ALL, false},
    [TRIPS_PER_SEED] = {"trips_per_seed", "trips", "trips to the duplicate table a seed takes", AGGREGATE_ALL,
                        false},
    [MATCHES_PER_SEED] = {"matches_per_seed", "matches", "matches a seed yields", AGGREGATE_ALL, false},
};

#define OFFERS(metric) (UINT64_C(1) << (metric))
#define FIFO           (OFFERS(RATE) | OFFERS(OCCUPANCY) | OFFERS(BACK_PRESSURE) | OFFERS(LATENCY))

static const struct tap_spec taps[] = {
    {"bus_in", "words", 8, 1, OFFERS(RATE) | OFFERS(BYTE_RATE) | OFFERS(UTILISATION),
     "database words the bus delivers to the board"},
    {"ingress_fifo", "words", 8, 2, FIFO | OFFERS(BYTE_RATE), "queue between the bus and stage 1a"},
    {"stage_1a", "words", 8, 0, OFFERS(RATE) | OFFERS(UTILISATION) | OFFERS(FALSE_POSITIVES),
     "the Bloom filter, a word of 16 w-mers a clock"},
    {"wmer_fifo", "seeds", 0, 3, FIFO, "queue between stages 1a and 1bp"},
    {"stage_1bp", "seeds", 0, 0, OFFERS(RATE) | OFFERS(UTILISATION), "issues primary reads"},
    {"sram", "reads", 0, 0, OFFERS(UTILISATION), "the memory's port: primary reads and trips"},
    {"sram_fifo", "lookups", 0, 4, FIFO, "queue between the SRAM and stage 1bd"},
    {"stage_1bd", "lookups", 0, 0,
     OFFERS(RATE) | OFFERS(UTILISATION) | OFFERS(COLLISIONS) | OFFERS(READS_PER_SEED) |
         OFFERS(TRIPS_PER_SEED) | OFFERS(MATCHES_PER_SEED),
     "takes lookups, makes trips to the duplicate table"},
    {"stage2_fifo", "matches", 0, 5, FIFO, "queue between stages 1bd and 2"},
    {"stage_2", "matches", 0, 0, OFFERS(RATE) | OFFERS(UTILISATION), "ungapped extension, a match a clock"},
    {"egress_fifo", "records", 16, 6, FIFO | OFFERS(BYTE_RATE), "queue between stage 2 and the bus"},
    {"bus_out", "records", 16, 7, OFFERS(RATE) | OFFERS(BYTE_RATE), "HSP records that reached the host"},
    {"inbox", "hsps", 0, 8, OFFERS(RATE) | OFFERS(OCCUPANCY) | OFFERS(LATENCY),
     "stage 3's queue in software"},
    {"stage_3", "hsps", 0, 9, OFFERS(RATE) | OFFERS(UTILISATION), "gapped extension on the host's cores"},
};

const struct catalogue machine_catalogue = {
    .metrics = metrics,
    .metric_count = METRICS,
    .taps = taps,
    .tap_count = sizeof taps / sizeof taps[0],
};
