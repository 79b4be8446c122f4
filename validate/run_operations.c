#include "validate/run_operations.h"

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file_io.h"
#include "base/json_number.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/words.h"
#include "base/file/whole_file.h"
#include "model/predict/predict_inputs.h"
#include "model/queue/mercury_tandem.h"
#include "model/sums/random_sum.h"

struct counted_run {
    char name[OPERATION_NAME_BYTES];
    double seconds;
    of_types counts; /* NaN: not given */
};

struct reader {
    struct words words;
    struct counted_run *runs;
    size_t run_count, run_room, types;
    char names[OPERATION_TYPES_MAX][OPERATION_NAME_BYTES];
    unsigned columns;                     /* of a table; 0: none */
    struct word first, present, next_run; /* first name in the present run; names of it and of the next one */
    bool started;                         /* a run is to begin */
};

/* The first byte of a pipe, which stays in it. It stays open here, too: its writer is not left without a reader. */
static char peek(const char *path)
{
    char first = '{';
    int copy[2], in = open(path, O_RDONLY | O_CLOEXEC);
    if (in >= 0 && pipe2(copy, O_CLOEXEC) == 0) {
        if (tee(in, copy[1], 1, 0) != 1 || read(copy[0], &first, 1) != 1)
            first = '\0';
        close(copy[0]);
        close(copy[1]);
    }
    return first;
}

bool counts_file_is(const char *path)
{
    struct stat about;
    const bool standard = strcmp(path, "-") == 0;
    if (!standard && stat(path, &about) == 0 && S_ISFIFO(about.st_mode))
        return peek(path) != '{';
    if (!standard && (stat(path, &about) != 0 || !S_ISREG(about.st_mode)))
        return false;
    FILE *in = standard ? stdin : fopen(path, "r");
    const int c = in ? getc(in) : '{';
    if (standard)
        ungetc(c, in);
    else
        file_io_end(in);
    return c != '{';
}

/* --- lines ----------------------------------------------------------------------------------------------- */

static bool is_same(struct word a, struct word b)
{
    return a.text && a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* The present run, or a new one. @param run  its name, or missing; name  of what the line counts */
static struct counted_run *find_run(struct reader *r, struct word run, struct word name)
{
    if (r->run_count > 0 && !r->started && (run.text ? is_same(run, r->present) : !is_same(name, r->first)))
        return &r->runs[r->run_count - 1];
    struct counted_run *new = ARRAY_NEXT(r->runs, r->run_count, r->run_room);
    *new = (struct counted_run){.seconds = NAN};
    snprintf(new->name, sizeof new->name, "%zu", r->run_count);
    r->present = run.text ? run : r->next_run;
    if (r->present.length > 0)
        printable_copy(new->name, sizeof new->name, r->present.text, r->present.length);
    for (size_t i = 0; i < OPERATION_TYPES_MAX; i++)
        new->counts[i] = NAN;
    r->first = name;
    r->next_run = (struct word){NULL, 0};
    r->started = false;
    return new;
}

static void add_count(struct reader *r, struct counted_run *run, struct word name, double count)
{
    const struct names known = {r->names, sizeof r->names[0], r->types, true};
    int type = names_find(known, name);
    if (name.length == 0 || name.length >= OPERATION_NAME_BYTES ||
        (type < 0 && r->types == OPERATION_TYPES_MAX))
        words_refuse(&r->words, name.text,
                     "'%s': expected at most %d operations, with names of 1 to %d characters",
                     word_show(name).text, OPERATION_TYPES_MAX, OPERATION_NAME_BYTES - 1);
    else if (type >= 0 && !isnan(run->counts[type]))
        words_refuse(&r->words, name.text, "run %s has %s already; expected one line for each", run->name,
                     r->names[type]);
    if (r->words.status)
        return;
    if (type < 0)
        word_copy(name, r->names[type = (int)r->types++], OPERATION_NAME_BYTES);
    run->counts[type] = count;
}

static bool take_number(struct word field, double *number)
{
    *number = NAN;
    return field.length == 0 || word_is(field, "NA") || word_number_within(field, 0, 1e30, false, number);
}

static void take_row(struct reader *r, struct word rest)
{
    struct word run = {NULL, 0}, fields[3] = {{NULL, 0}};
    double count, seconds;
    if (r->columns == 4)
        run = word_cut(&rest, "\t");
    for (int i = 0; i < 3; i++)
        fields[i] = rest.text ? word_cut(&rest, "\t") : rest;
    if (!fields[2].text || rest.text || !take_number(fields[1], &count) || !take_number(fields[2], &seconds))
        words_refuse(&r->words, NULL,
                     "expected the header's %u columns, with numbers from 0 for count and seconds",
                     r->columns);
    struct counted_run *at = r->words.status == 0 ? find_run(r, run, fields[0]) : NULL;
    if (at && !isnan(seconds) && !isnan(at->seconds) && seconds != at->seconds)
        words_refuse(&r->words, NULL, "run %s has other seconds already; expected one time for each run",
                     at->name);
    if (!at || r->words.status)
        return;
    at->seconds = isnan(seconds) ? at->seconds : seconds;
    add_count(r, at, fields[0], count);
}

static void take_event(struct reader *r, struct word rest)
{
    const char *mark = memchr(rest.text, ';', rest.length) ? ";" : ",";
    struct word value = word_cut(&rest, mark), unit = word_cut(&rest, mark), event = word_cut(&rest, mark);
    double number, ignored;
    const double scale = word_is(unit, "ns") ? 1e-9 : word_is(unit, "msec") ? 1e-3 : 0;
    if (value.length == 0 || *value.text == '<') /* a metric, or not counted */
        return;
    if (event.length == 0 || !take_number(value, &number) || word_number(unit, "", &ignored))
        words_refuse(&r->words, NULL,
                     "expected the header name, count, seconds, perhaps with run before them, and tabs "
                     "between them; or lines COUNT,UNIT,EVENT,... of perf stat -x, (without -A and -I)");
    struct counted_run *at = r->words.status == 0 ? find_run(r, (struct word){NULL, 0}, event) : NULL;
    if (at && scale == 0)
        add_count(r, at, event, number);
    else if (at && (isnan(at->seconds) || word_is(event, "duration_time")))
        at->seconds = scale * number;
}

static void take_line(struct reader *r, struct word line)
{
    if (words_take(&r->words, "#")) {
        r->started = words_take(&r->words, "started") || r->started;
        r->next_run = words_take(&r->words, "run") ? words_rest(&r->words) : r->next_run;
    } else if (r->columns > 0)
        take_row(r, line);
    else if (word_is(line, "name\tcount\tseconds"))
        r->columns = 3;
    else if (word_is(line, "run\tname\tcount\tseconds"))
        r->columns = 4;
    else if (words_peek(&r->words).text)
        take_event(r, line);
}

/* --- all of it ------------------------------------------------------------------------------------------- */

/* Every run has a count of every operation, and its seconds, if any has. */
static int check(const struct reader *r, bool timed, struct why *why)
{
    const char *file = r->words.file;
    if (r->run_count < 2 || r->types == 0)
        return why_say(why, PREDICT_EINPUT, "%s: %s in it; expected 2 runs or more, over which counts vary",
                       file, r->run_count == 1 && r->types > 0 ? "one run" : "no counts");
    for (size_t j = 0; j < r->run_count; j++) {
        const struct counted_run *run = &r->runs[j];
        for (size_t i = 0; i < r->types; i++)
            if (isnan(run->counts[i]))
                return why_say(why, PREDICT_EINPUT,
                               "%s: run %s has no count of %s; expected one in every run", file, run->name,
                               r->names[i]);
        if ((timed || !isnan(r->runs[0].seconds)) && !(run->seconds > 0))
            return why_say(why, PREDICT_EINPUT,
                           "%s: run %s has no seconds above 0; expected them in the column seconds, or from "
                           "perf stat -e duration_time,...",
                           file, run->name);
    }
    return 0;
}

static int make_program(const struct reader *r, bool has_durations, struct operations *out, struct why *why)
{
    struct operation_server *p = &out->server[0];
    *out = (struct operations){.passes = r->run_count, .servers = 1};
    *p = (struct operation_server){.name = "program", .unit = "s", .types = r->types, .lag1 = NAN};
    snprintf(out->file, sizeof out->file, "%s", r->words.file);
    out->names = memory_new(r->run_count, sizeof *out->names);
    out->type_names = memory_new(r->types, sizeof *out->type_names);
    p->counts = memory_new(r->run_count * r->types, sizeof *p->counts);
    p->measured = memory_new(r->run_count, sizeof *p->measured);
    for (size_t i = 0; i < r->types; i++) {
        p->type[i] =
            printable_copy(out->type_names[i], sizeof *out->type_names, r->names[i], OPERATION_NAME_BYTES);
        p->duration[i] = NAN;
    }
    for (size_t j = 0; j < r->run_count; j++) {
        strcpy(out->names[j], r->runs[j].name);
        p->measured[j] = r->runs[j].seconds;
        memcpy(p->counts + j * r->types, r->runs[j].counts, r->types * sizeof(double));
    }
    const size_t unclear =
        has_durations ? random_sum_fit_durations(p->counts, p->measured, r->run_count, r->types, p->duration)
                      : 0;
    return unclear == 0
               ? 0
               : why_say(why, PREDICT_EINPUT,
                         "%s: the duration of %s cannot be told from these %zu runs, since its counts follow "
                         "from those of the operations before it; leave it out, or add runs",
                         out->file, p->type[unclear - 1], r->run_count);
}

int counts_file_take(const char *path, bool has_durations, struct operations *out, struct why *why)
{
    char *text, file[320];
    size_t bytes;
    if (whole_file_read(path, SIZE_MAX, &text, &bytes, why) != 0)
        return PREDICT_EINPUT;
    const char *name = whole_file_name(path);
    struct reader r = {.words = {.file = printable_copy(file, sizeof file, name, strlen(name)),
                                 .code = PREDICT_EINPUT,
                                 .why = why,
                                 .word_bytes = word_bytes_to_blank}};
    words_begin(&r.words, text, bytes);
    while (words_next_line(&r.words))
        take_line(&r, (struct word){r.words.begin, (size_t)(r.words.end - r.words.begin)});
    int status = r.words.status ? r.words.status : check(&r, has_durations, why);
    if (status == 0)
        status = make_program(&r, has_durations, out, why);
    free(text);
    free(r.runs);
    return status;
}

/* --- a run's servers ------------------------------------------------------------------------------------- */

#define US_PER_S 1e6

/* @return whether the summary had all numbers: that of an older version may lack some */
static bool take_pass(const struct frame_values *f, size_t pass, struct operations *out)
{
    const double *n = f->counters;
    /* Services of 1a last from a word's arrival, or its predecessor's leaving, until it leaves: held or not. A pass
     * without words has none. */
    const struct interval_values *words = &f->intervals[SERVICES_1A];
    const struct {
        of_types counts;
        double measured;
    } did[OPERATION_SERVERS] = {
        [OPERATIONS_1A] = {{n[S1A_WORDS]}, words->count > 0 ? round(words->count * words->mean_clocks) : 0},
        [OPERATIONS_1BD] = {{n[S1B_SEEDS] - n[S1B_LOOKUPS_DUPLICATE], n[S1B_TRIPS]}, n[S1B_DUPLICATE_STAGE]},
        [OPERATIONS_BUS] = {{n[PCIX_TABLE_BYTES], n[PCIX_WORDS_IN], n[S2_HSPS_OUT]},
                            US_PER_S * (n[PCIX_TABLE_LOAD] + n[PCIX_BUSY] + n[PCIX_STALLED])},
        [OPERATIONS_CORES] = {{n[S3_HSPS], n[S3_CELLS]}, US_PER_S * n[S3_CORE_BUSY]},
    };
    bool whole = true;
    for (int s = 0; s < OPERATION_SERVERS; s++) {
        const size_t types = out->server[s].types;
        memcpy(out->server[s].counts + pass * types, did[s].counts, types * sizeof(double));
        out->server[s].measured[pass] = did[s].measured;
        whole = whole && did[s].measured >= 0;
    }
    out->clocks[pass] = f->clocks;
    return whole;
}

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

static void make_servers(const struct run *run, struct operations *out)
{
    const struct frame_values *f = &run->whole;
    const struct hardware *h = &run->hardware;
    const double byte_us = US_PER_S / f->gauges[GAUGE_CAPACITY_BYTES_PER_S],
                 words = f->counters[PCIX_WORDS_IN],
                 word_us = words > 0 ? byte_us * f->counters[PCIX_DATABASE_BYTES] / words : NAN,
                 record_us = byte_us * f->gauges[GAUGE_HSP_BYTES],
                 cycle_us = run->has_machine ? US_PER_S / h->host_clock_hz : NAN;
    const struct operation_server servers[OPERATION_SERVERS] = {
        [OPERATIONS_1A] = {"1a", "clocks", "the full w-mer FIFO", 1, {"word clock"}, {1}},
        [OPERATIONS_1BD] =
            {"1bd", "clocks", "the full stage-2 FIFO", 2, {"primary lookup", "trip"}, {1, run_trip_share(f)}},
        [OPERATIONS_BUS] = {"bus",
                            "us",
                            "a board without room",
                            3,
                            {"table byte", "database word", "HSP record"},
                            {byte_us, word_us, record_us}},
        [OPERATIONS_CORES] = {"cores",
                              "us",
                              NULL,
                              2,
                              {"HSP check", "cell"},
                              {cycle_us * h->stage3_cycles_per_check, cycle_us * h->stage3_cycles_per_cell}},
    };
    out->clocks = memory_new(out->passes, sizeof *out->clocks);
    for (int s = 0; s < OPERATION_SERVERS; s++) {
        struct operation_server *server = &out->server[s];
        *server = servers[s];
        server->lag1 = s == OPERATIONS_1BD ? f->intervals[SERVICES_1BD].lag1 : NAN;
        server->counts = memory_new(out->passes * server->types, sizeof *server->counts);
        server->measured = memory_new(out->passes, sizeof *server->measured);
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

int run_operations_take(const struct run *run, struct operations *out, struct why *why)
{
    *out = (struct operations){.passes = run->pass_count, .servers = OPERATION_SERVERS};
    snprintf(out->file, sizeof out->file, "%s", run->name);
    if (out->passes < 2)
        return why_say(why, PREDICT_EINPUT,
                       "%.300s: %s in it; expected 2 passes or more, over which counts vary (a smaller "
                       "query.segment makes more)",
                       out->file, out->passes == 0 ? "no passes" : "one pass");
    make_servers(run, out);
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
