#include "model/sums/operations.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_number.h"
#include "base/printable.h"
#include "base/file/whole_file.h"
#include "model/queue/mercury_tandem.h"
#include "model/predict/predict_inputs.h"
#include "model/predict/predict_summary.h"

#define BYTES_MAX (1ul << 30)
#define US_PER_S  1e6

/* Paths in the object of a pass. */
struct type_row {
    const char *name, *count;
    const char *less; /* path of what is subtracted, or NULL */
};

struct server_row {
    const char *name, *unit;
    struct type_row types[OPERATION_TYPES_MAX];
    const char *times[3]; /* paths whose sum is the measured time; what is NULL is none */
    double scale;         /* from their unit to the server's */
    const char *held_by;
};

static const struct server_row rows[OPERATION_SERVERS] = {
    [OPERATIONS_1A] =
        {"1a", "clocks", {{"word clock", "stage_1a.words", NULL}}, {NULL}, 1, "the full wmer FIFO"},
    [OPERATIONS_1BD] = {"1bd",
                        "clocks",
                        {{"primary lookup", "stage_1b.seeds", "stage_1b.lookups_duplicate"},
                         {"trip", "stage_1b.trips", NULL}},
                        {"stage_1b.duplicate_stage_clocks"},
                        1,
                        "the full stage-2 FIFO"},
    [OPERATIONS_BUS] = {"bus",
                        "us",
                        {{"table byte", "pcix.table_bytes", NULL},
                         {"database word", "pcix.words_in", NULL},
                         {"HSP record", "stage_2.hsps_out", NULL}},
                        {"pcix.table_load_s", "pcix.busy_s", "pcix.stalled_s"},
                        US_PER_S,
                        "a board without room"},
    [OPERATIONS_CORES] = {"cores",
                          "us",
                          {{"HSP check", "stage_3.hsps", NULL}, {"cell", "stage_3.cells", NULL}},
                          {"stage_3.core_busy_s"},
                          US_PER_S,
                          NULL},
};

struct reader {
    const json_t *frame; /* the run's object or a pass's */
    char where[32];
    char missing[96]; /* the first path that was not there, and where */
};

static double number(struct reader *r, const char *path)
{
    double value = json_number_at(r->frame, path);
    if (!(value >= 0) && !*r->missing)
        snprintf(r->missing, sizeof r->missing, "%s, no number %s", r->where, path);
    return value;
}

/* Services of 1a last from a word's arrival, or its predecessor's leaving, until it leaves: held or not. A pass without
 * words has none. */
static double clocks_of_1a(struct reader *r)
{
    double count = number(r, "stage_1a.service_times.count");
    return count > 0 ? round(count * number(r, "stage_1a.service_times.mean_clocks")) : 0;
}

static double measured_time(struct reader *r, int server)
{
    const struct server_row *row = &rows[server];
    double sum = server == OPERATIONS_1A ? clocks_of_1a(r) : 0;
    for (size_t i = 0; i < sizeof row->times / sizeof row->times[0] && row->times[i]; i++)
        sum += number(r, row->times[i]);
    return row->scale * sum;
}

static void read_pass(struct reader *r, size_t pass, struct operations *out)
{
    for (int s = 0; s < OPERATION_SERVERS; s++) {
        struct operation_server *server = &out->server[s];
        for (size_t i = 0; i < server->types; i++) {
            const struct type_row *type = &rows[s].types[i];
            server->counts[pass * server->types + i] =
                number(r, type->count) - (type->less ? number(r, type->less) : 0);
        }
        server->measured[pass] = measured_time(r, s);
    }
    out->clocks[pass] = number(r, "clocks");
}

/* --- durations ------------------------------------------------------------------------------------------- */

double operations_trip_share(const json_t *frame)
{
    const struct mercury_tandem_lookups lookups = {
        .seeds = json_number_at(frame, "stage_1b.seeds"),
        .reads = json_number_at(frame, "stage_1b.sram_reads_clocks"),
        .trips = json_number_at(frame, "stage_1b.trips"),
        .duplicates = json_number_at(frame, "stage_1b.lookups_duplicate"),
        .singles = json_number_at(frame, "stage_1b.lookups_match"),
    };
    double in_flight = json_number_at(frame, "stage_1b.trips_in_flight"); /* older summaries hold none */
    return mercury_tandem_trip_share(fmax(1, json_number_at(frame, "stage_1b.trip_cycles")), in_flight,
                                     &lookups);
}

static void read_board_durations(struct reader *r, struct operations *out)
{
    double byte_us = US_PER_S / number(r, "pcix.capacity_bytes_per_s");
    double words = number(r, "pcix.words_in"), bytes = number(r, "pcix.database_bytes");
    struct random_moments *bus = out->server[OPERATIONS_BUS].duration;
    out->server[OPERATIONS_1A].duration[0].mean = 1;
    out->server[OPERATIONS_1BD].duration[0].mean = 1;
    number(r, "stage_1b.trip_cycles");
    out->server[OPERATIONS_1BD].duration[1].mean = operations_trip_share(r->frame);
    bus[0].mean = byte_us;
    bus[1].mean = words > 0 ? byte_us * bytes / words : NAN;
    bus[2].mean = byte_us * number(r, "pcix.hsp_bytes");
}

/* Parameters are texts in run.json. */
static double parameter(const json_t *run, const char *name)
{
    const char *text = json_string_value(json_object_get(json_object_get(run, "configuration"), name));
    char *end = NULL;
    double value = text ? strtod(text, &end) : NAN;
    return text && end != text && *end == '\0' ? value : NAN;
}

static void read_core_durations(const json_t *run, struct operations *out)
{
    double cycle_us = US_PER_S / parameter(run, "host.clock");
    struct random_moments *cores = out->server[OPERATIONS_CORES].duration;
    cores[0].mean = cycle_us * parameter(run, "stage3.cycles_per_check");
    cores[1].mean = cycle_us * parameter(run, "stage3.cycles_per_cell");
}

/* --- tails ----------------------------------------------------------------------------------------------- */

static void read_tail(const char *name, const json_t *measurement, struct operations *out)
{
    const json_t *largest = json_object_get(measurement, "tail_largest");
    if (!largest || out->tails == OPERATION_TAILS_MAX)
        return;
    struct operation_tail *tail = &out->tail[out->tails++];
    snprintf(tail->name, sizeof tail->name, "%s", name);
    tail->elements = json_number_at(measurement, "weight");
    tail->tail = (struct tail_estimate){
        json_number_at(measurement, "tail_index"), json_number_at(measurement, "tail_low"),
        json_number_at(measurement, "tail_high"), (size_t)json_integer_value(largest)};
}

/* Latencies and jobs, as the default directives ask for them; a run may have none. */
static void read_tails(json_t *root, struct operations *out)
{
    const char *name;
    json_t *measurement;
    json_t *latencies = json_object_get(json_object_get(root, "measurements"), "latency");
    json_object_foreach(latencies, name, measurement) read_tail(name, measurement, out);
}

/* --- files ----------------------------------------------------------------------------------------------- */

static bool make_servers(struct operations *out)
{
    bool whole = (out->clocks = calloc(out->passes, sizeof *out->clocks)) != NULL;
    for (int s = 0; s < OPERATION_SERVERS; s++) {
        struct operation_server *server = &out->server[s];
        *server =
            (struct operation_server){.name = rows[s].name, .unit = rows[s].unit, .held_by = rows[s].held_by};
        for (; server->types < OPERATION_TYPES_MAX && rows[s].types[server->types].name; server->types++) {
            server->type[server->types] = rows[s].types[server->types].name;
            server->duration[server->types] = (struct random_moments){NAN, 0};
        }
        server->counts = calloc(out->passes * server->types, sizeof *server->counts);
        server->measured = calloc(out->passes, sizeof *server->measured);
        whole = whole && server->counts && server->measured;
    }
    return whole;
}

static int read_passes(const json_t *root, struct operations *out, struct why *why)
{
    const json_t *passes = json_object_get(root, "per_pass");
    struct reader r = {.frame = root, .where = "run"};
    out->passes = json_array_size(passes);
    if (out->passes < 2)
        return why_say(why, PREDICT_EINPUT,
                       "%.300s: %s in it; expected 2 passes or more, over which counts vary (a smaller "
                       "query.segment makes more)",
                       out->file, out->passes == 0 ? "no passes" : "one pass");
    if (!make_servers(out))
        return why_no_memory(why, PREDICT_EMEMORY);
    read_board_durations(&r, out);
    for (size_t i = 0; i < out->passes; i++) {
        r.frame = json_array_get(passes, i);
        snprintf(r.where, sizeof r.where, "pass %zu", i + 1);
        read_pass(&r, i, out);
    }
    if (*r.missing)
        return why_say(why, PREDICT_EINPUT, "%.300s: %s; expected a summary.json of mercury run or retime",
                       out->file, r.missing);
    return 0;
}

static json_t *read_json(const char *path, struct why *why)
{
    char *text;
    size_t bytes = 0;
    if (whole_file_read(path, BYTES_MAX, &text, &bytes, why) != 0)
        return NULL;
    json_t *root = predict_summary_parse(text, whole_file_name(path), why);
    free(text);
    return root;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A run.json that is of another run has other durations. */
static int take_run(const json_t *run, const char *path, const json_t *root, struct operations *out,
                    struct why *why)
{
    if (json_number_at(run, "simulated_time_s") != json_number_at(root, "simulated_time_s"))
        return why_say(why, PREDICT_EINPUT,
                       "%.300s: simulated_time_s is not that of %.300s; expected the files of one run", path,
                       out->file);
    read_core_durations(run, out);
    return 0;
}

/* The run.json beside a summary; without one the cores' durations stay unknown. */
static int read_run(const char *summary_path, const json_t *root, struct operations *out, struct why *why)
{
    char path[PATH_MAX];
    const char *slash = strrchr(summary_path, '/');
    int directory = slash ? (int)(slash - summary_path) + 1 : 0;
    int length = snprintf(path, sizeof path, "%.*srun.json", directory, summary_path);
    if (length >= (int)sizeof path || access(path, F_OK) != 0)
        return 0;
    json_t *run = read_json(path, why);
    int status = run ? take_run(run, path, root, out, why) : PREDICT_EINPUT;
    json_decref(run);
    return status;
}

int operations_read(const char *path, struct operations *out, struct why *why)
{
    char summary[PATH_MAX];
    *out = (struct operations){.passes = 0};
    if (snprintf(summary, sizeof summary, is_directory(path) ? "%s/summary.json" : "%s", path) >=
        (int)sizeof summary)
        return why_say(why, PREDICT_EINPUT, "%.300s: the path is too long", path);
    printable_copy(out->file, sizeof out->file, whole_file_name(summary), SIZE_MAX);
    json_t *root = read_json(summary, why);
    int status = root ? predict_summary_check(root, out->file, why) : PREDICT_EINPUT;
    if (status == 0)
        status = read_passes(root, out, why);
    if (status == 0)
        read_tails(root, out);
    if (status == 0 && strcmp(summary, "-") != 0)
        status = read_run(summary, root, out, why);
    json_decref(root);
    if (status)
        operations_free(out);
    return status;
}

void operations_free(struct operations *operations)
{
    for (int s = 0; s < OPERATION_SERVERS; s++) {
        free(operations->server[s].counts);
        free(operations->server[s].measured);
    }
    free(operations->clocks);
    *operations = (struct operations){.passes = 0};
}
