#include "validate/run_operations.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_number.h"
#include "model/predict/predict_inputs.h"
#include "model/queue/mercury_tandem.h"

#define US_PER_S 1e6

enum { TIMES_MAX = 3, NONE = -1 };

/* What is known of every run's servers, and the counters of their operations and times. */
struct server_row {
    struct operation_server is;
    int counts[OPERATION_TYPES_MAX], less[OPERATION_TYPES_MAX]; /* less: what is subtracted, or NONE */
    int times[TIMES_MAX]; /* counters whose sum is the measured time; the first NONE ends them */
    double scale;         /* from their unit to the server's */
};

static const struct server_row rows[OPERATION_SERVERS] = {
    [OPERATIONS_1A] =
        {{"1a", "clocks", "the full w-mer FIFO", 1, {"word clock"}}, {S1A_WORDS}, {NONE}, {NONE}, 1},
    [OPERATIONS_1BD] = {{"1bd", "clocks", "the full stage-2 FIFO", 2, {"primary lookup", "trip"}},
                        {S1B_SEEDS, S1B_TRIPS},
                        {S1B_LOOKUPS_DUPLICATE, NONE},
                        {S1B_DUPLICATE_STAGE, NONE},
                        1},
    [OPERATIONS_BUS] =
        {{"bus", "us", "a board without room", 3, {"table byte", "database word", "HSP record"}},
         {PCIX_TABLE_BYTES, PCIX_WORDS_IN, S2_HSPS_OUT},
         {NONE, NONE, NONE},
         {PCIX_TABLE_LOAD, PCIX_BUSY, PCIX_STALLED},
         US_PER_S},
    [OPERATIONS_CORES] = {{"cores", "us", NULL, 2, {"HSP check", "cell"}},
                          {S3_HSPS, S3_CELLS},
                          {NONE, NONE},
                          {S3_CORE_BUSY, NONE},
                          US_PER_S},
};

/* @return whether the summary had all numbers: that of an older version may lack some */
static bool take_pass(const struct frame_values *f, size_t pass, struct operations *out)
{
    bool whole = true;
    for (int s = 0; s < OPERATION_SERVERS; s++) {
        struct operation_server *server = &out->server[s];
        double sum = 0;
        /* Services of 1a last from a word's arrival, or its predecessor's leaving, until it leaves: held or not. A pass
         * without words has none. */
        if (s == OPERATIONS_1A && f->intervals[SERVICES_1A].count > 0)
            sum = round(f->intervals[SERVICES_1A].count * f->intervals[SERVICES_1A].mean_clocks);
        for (size_t i = 0; i < server->types; i++) {
            const int less = rows[s].less[i];
            server->counts[pass * server->types + i] =
                f->counters[rows[s].counts[i]] - (less == NONE ? 0 : f->counters[less]);
        }
        for (unsigned i = 0; i < TIMES_MAX && rows[s].times[i] != NONE; i++)
            sum += f->counters[rows[s].times[i]];
        server->measured[pass] = rows[s].scale * sum;
        whole = whole && sum >= 0;
    }
    out->clocks[pass] = f->clocks;
    return whole;
}

/* --- durations ------------------------------------------------------------------------------------------- */

double run_trip_share(const struct frame_values *f)
{
    const struct mercury_tandem_lookups lookups = {
        .seeds = f->counters[S1B_SEEDS],
        .reads = f->counters[S1B_SRAM_READS],
        .trips = f->counters[S1B_TRIPS],
        .duplicates = f->counters[S1B_LOOKUPS_DUPLICATE],
        .singles = f->counters[S1B_LOOKUPS_MATCH],
    };
    return mercury_tandem_trip_share(fmax(1, f->gauges[GAUGE_TRIP_CYCLES]), f->gauges[GAUGE_TRIPS_IN_FLIGHT],
                                     &lookups);
}

static void take_durations(const struct run *run, struct operations *out)
{
    const struct frame_values *f = &run->whole;
    const struct hardware *h = &run->hardware;
    double byte_us = US_PER_S / f->gauges[GAUGE_CAPACITY_BYTES_PER_S], words = f->counters[PCIX_WORDS_IN];
    struct random_moments *bus = out->server[OPERATIONS_BUS].duration,
                          *cores = out->server[OPERATIONS_CORES].duration;
    out->server[OPERATIONS_1A].duration[0].mean = 1;
    out->server[OPERATIONS_1BD].duration[0].mean = 1;
    out->server[OPERATIONS_1BD].duration[1].mean = run_trip_share(f);
    out->server[OPERATIONS_1BD].lag1 = f->intervals[SERVICES_1BD].lag1;
    bus[0].mean = byte_us;
    bus[1].mean = words > 0 ? byte_us * f->counters[PCIX_DATABASE_BYTES] / words : NAN;
    bus[2].mean = byte_us * f->gauges[GAUGE_HSP_BYTES];
    if (run->has_machine) {
        double cycle_us = US_PER_S / h->host_clock_hz;
        cores[0].mean = cycle_us * h->stage3_cycles_per_check;
        cores[1].mean = cycle_us * h->stage3_cycles_per_cell;
    }
}

/* Latencies and jobs, as the default directives ask for them; a run may have none. */
static void take_tails(const json_t *summary, struct operations *out)
{
    const char *name;
    json_t *row;
    json_object_foreach(json_object_get(json_object_get(summary, "measurements"), "latency"), name, row)
    {
        const json_t *largest = json_object_get(row, "tail_largest");
        if (!largest || out->tails == OPERATION_TAILS_MAX)
            continue;
        struct operation_tail *tail = &out->tail[out->tails++];
        snprintf(tail->name, sizeof tail->name, "%s", name);
        tail->elements = json_number_at(row, "weight");
        tail->tail =
            (struct tail_estimate){json_number_at(row, "tail_index"), json_number_at(row, "tail_low"),
                                   json_number_at(row, "tail_high"), (size_t)json_integer_value(largest)};
    }
}

/* --- all of it ------------------------------------------------------------------------------------------- */

static bool make_servers(struct operations *out)
{
    bool whole = (out->clocks = calloc(out->passes, sizeof *out->clocks)) != NULL;
    for (int s = 0; s < OPERATION_SERVERS; s++) {
        struct operation_server *server = &out->server[s];
        *server = rows[s].is;
        server->lag1 = NAN;
        for (size_t i = 0; i < server->types; i++)
            server->duration[i].mean = NAN;
        server->counts = calloc(out->passes * server->types, sizeof *server->counts);
        server->measured = calloc(out->passes, sizeof *server->measured);
        whole = whole && server->counts && server->measured;
    }
    return whole;
}

int run_operations_take(const struct run *run, struct operations *out, struct why *why)
{
    *out = (struct operations){.passes = run->pass_count, .servers = OPERATION_SERVERS};
    snprintf(out->file, sizeof out->file, "%s", run->name);
    if (out->passes < 2)
        return why_say(why, PREDICT_EINPUT,
                       "%.300s: %s in it; expected 2 passes or more, over which counts vary (a smaller "
                       "query.segment makes more)",
                       out->file, out->passes == 0 ? "no passes" : "one pass");
    if (!make_servers(out)) {
        run_operations_free(out);
        return why_no_memory(why, PREDICT_EMEMORY);
    }
    take_durations(run, out);
    bool whole = true;
    for (size_t i = 0; i < out->passes; i++)
        whole = take_pass(&run->passes[i], i, out) && whole;
    take_tails(run->summary, out);
    if (whole)
        return 0;
    run_operations_free(out);
    return why_say(why, PREDICT_EINPUT, "%.300s: its passes lack numbers; run mercury again to write it",
                   run->name);
}

void run_operations_free(struct operations *operations)
{
    for (int s = 0; s < OPERATION_SERVERS; s++) {
        free(operations->server[s].counts);
        free(operations->server[s].measured);
    }
    free(operations->clocks);
    free(operations->names);
    free(operations->type_names);
    *operations = (struct operations){.passes = 0};
}
