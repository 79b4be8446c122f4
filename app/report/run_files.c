#include "app/report/run_files.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/command.h"
#include "base/file/file_io.h"
#include "base/json_number.h"
#include "base/memory.h"
#include "base/file/tsv.h"
#include "blast/write/format.h"
#include "traces/summary.h"
#include "sim/board/board_fifos.h"
#include "sim/board/hardware.h"
#include "sim/run/run_bottleneck.h"

/* Significant digits of the models' inputs, as those of mercury validate by default. */
enum { INPUT_DIGITS = 3 };

/* --- its files ----------------------------------------------------------------------------------------- */

static const char *path_of(const struct run_files *f, const char *name, char path[PATH_MAX])
{
    return file_io_path(f->directory, name, path);
}

/* Number of bytes of a file; -1 if it is not there. */
static off_t bytes_of(const struct run_files *f, const char *name)
{
    char path[PATH_MAX];
    struct stat about;
    return stat(path_of(f, name, path), &about) == 0 ? about.st_size : -1;
}

static bool is_there(const struct run_files *f, const char *name)
{
    return bytes_of(f, name) >= 0;
}

void run_files_note(const char *directory, void (*note)(struct file_uses *, const char *, const char *),
                    const char *role, struct file_uses *uses)
{
#define NAME(what, name, is_measured) name,
    static const char *const names[] = {RUN_FILES(NAME)};
    char path[PATH_MAX];
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        note(uses, role, file_io_path(directory, names[i], path));
    for (const struct alignment_format *const *f = alignment_formats; *f; f++)
        for (int i = 0; i < 2; i++)
            if (f == alignment_formats || strcmp(f[-1]->files[i], f[0]->files[i]) != 0)
                note(uses, role, file_io_path(directory, (*f)->files[i], path));
}

/* --- JSON ------------------------------------------------------------------------------------------------ */

static void take_stages(struct run_files *f)
{
    static const char *const names[] = {"active_fraction", "stalled_fraction", "starved_fraction"};
    const json_t *bottleneck = json_object_get(f->summary, "bottleneck"), *stage;
    f->has_limits = run_limits_read(json_object_get(bottleneck, "run"), &f->limits);
    /* the stage that limits the run; none if several do, or it only may; that of the stream if only that is known */
    const struct run_limits *l = &f->limits;
    const bool is_known = !run_limits_are_shared(l) && l->parts[l->first].certainty != PART_BOUND;
    const char *limit = !f->has_limits ? json_text_at(bottleneck, "limit")
                        : is_known     ? machine_parts[l->first].stage
                                       : NULL;
    size_t i;
    json_array_foreach(json_object_get(bottleneck, "stages"), i, stage)
    {
        if (i == RUN_STAGES_MAX)
            break;
        struct run_stage *s = &f->stages[f->stage_count++];
        double *const fractions[] = {&s->active, &s->stalled, &s->starved};
        snprintf(s->name, sizeof s->name, "%s", json_text_at(stage, "stage"));
        s->limits = limit && strcmp(s->name, limit) == 0;
        for (unsigned n = 0; n < 3; n++)
            *fractions[n] = json_number_at(stage, names[n]);
    }
}

static void take_queues(struct run_files *f)
{
    for (unsigned i = 0; i < MACHINE_QUEUES; i++) {
        const struct queue_spec *spec = &machine_layout.queues[i];
        const struct queue_values *q = &f->numbers.whole.queues[i];
        f->queues[i] = (struct run_queue_state){
            .name = spec->name,
            .title = i < BOARD_FIFOS   ? board_fifos[i].title
                     : i == QUEUE_HOST ? "host queue"
                                       : "inbox of stage 3",
            .element = strcmp(spec->element, "hsps") == 0 ? "HSPs" : spec->element,
            .places = q->places,
            .mean = q->mean,
            .most = q->most,
            .back_pressure = q->signal,
            .elements = q->elements,
            .p99 = NAN,
        };
    }
}

static int take_summary(struct run_files *f, struct why *why)
{
    char path[PATH_MAX];
    path_of(f, "summary.json", path);
    if (strcmp(json_text_at(f->summary, "schema"), SUMMARY_SCHEMA) != 0)
        return command_status_of(run_place_refuse(f->summary, path, SUMMARY_SCHEMA, why));
    if (run_take(json_incref(f->summary), path, &f->numbers, why) != 0)
        return COMMAND_REFUSED;
    f->simulated_s = f->numbers.whole.simulated_s;
    f->stream_s = json_number_at(f->summary, "measured_time_s");
    f->clock_hz = f->numbers.whole.clock_hz;
    take_queues(f);
    take_stages(f);
    return 0;
}

static void find_misfit(struct run_files *f, const struct hardware *hardware)
{
    double bytes = 0; /* of the largest tables */
    for (size_t i = 0; i < f->numbers.pass_count; i++)
        bytes = fmax(bytes, f->numbers.passes[i].counters[PCIX_TABLE_BYTES]);
    board_costs_misfit(hardware, board_costs_sram_bits(hardware, bytes), f->misfit);
}

static void take_models(struct run_files *f)
{
    f->has_models = true;
    f->has_chains = prediction_make_chains(&f->validation.frames[0].inputs, &f->chains) == 0;
}

static void make_models(struct run_files *f)
{
    if (validation_make(&f->numbers, INPUT_DIGITS, VERDICT_EVERY_MODEL, VERDICT_CHAINS, &f->validation,
                        &f->no_models) == 0)
        take_models(f);
}

/* --- tables ---------------------------------------------------------------------------------------------- */

/* Find the number of elements that a queue does not exceed in 99% of the time; within a bin all are taken to be as
 * frequent. */
static void find_p99(struct run_queue_state *queue)
{
    double sum = 0;
    for (size_t i = 0; i < queue->bin_count && isnan(queue->p99); i++) {
        const struct queue_bin *bin = &queue->bins[i];
        const double end = fmin(bin->to, queue->most), part = fmin(1, (0.99 - sum) / bin->fraction);
        sum += bin->fraction;
        if (sum >= 0.99 || i + 1 == queue->bin_count)
            queue->p99 = fmax(bin->from, ceil(bin->from - 1 + part * (end - bin->from + 1)));
    }
}

/* A table, and what takes a row of it: 0, TSV_EFORMAT, or ENOUGH if no further row is wanted. */
enum { ENOUGH = 1 };

struct table {
    const char *name;
    size_t needed; /* number of the first numbers that must be there, from 0 */
    struct tsv_columns columns;
    int (*take)(struct run_files *f, const struct tsv *row);
};

/* The run's rows come first. */
static int take_bin(struct run_files *f, const struct tsv *row)
{
    const double *n = row->numbers;
    if (strcmp(row->texts[1], "run") != 0)
        return ENOUGH;
    for (struct run_queue_state *q = f->queues; q < f->queues + MACHINE_QUEUES; q++) {
        if (strcmp(q->name, row->texts[0]) != 0)
            continue;
        *ARRAY_NEXT(q->bins, q->bin_count, q->bin_room) = (struct queue_bin){n[0], n[1], n[2]};
    }
    return 0;
}

static const struct table histograms_table = {
    "histograms.tsv", 3, {{"queue", "pass"}, {"from", "to", "fraction"}}, take_bin};

/* The numbers but the last are the first members of struct run_pass, in their order. */
enum { PASS_NUMBERS = offsetof(struct run_pass, board) / sizeof(double) };

static int take_pass(struct run_files *f, const struct tsv *row)
{
    const int boards_most = HARDWARE_BOARDS_MAX * HARDWARE_HOSTS_MAX;
    if (!(row->numbers[PASS_NUMBERS] >= 1 && row->numbers[PASS_NUMBERS] <= boards_most))
        return tsv_refuse(row, "a board from 1 to %d", boards_most);
    struct run_pass *pass = ARRAY_NEXT(f->passes, f->pass_count, f->pass_room);
    memcpy(pass, row->numbers, offsetof(struct run_pass, board));
    pass->minus = strcmp(row->texts[0], "minus") == 0;
    pass->board = (unsigned)row->numbers[PASS_NUMBERS];
    return 0;
}

static const struct table passes_table = {
    "passes.tsv",
    offsetof(struct run_pass, busy) / sizeof(double),
    {{"strand"},
     {"build_wait_s",   "begin_s",        "stream_begin_s", "board_free_s", "end_s",     "clocks",
      "words",          "seeds",          "matches",        "hsps",         "bus_busy",  "stage_1a_busy",
      "stage_1bp_busy", "stage_1bd_busy", "stage_2_busy",   "ingress_fifo", "wmer_fifo", "sram_fifo",
      "stage2_fifo",    "egress_fifo",    "tables_s",       "board"}},
    take_pass};

static int take_record(struct run_files *f, const struct tsv *row)
{
    struct run_records *list = strcmp(row->texts[0], "query") == 0 ? &f->query : &f->database;
    *ARRAY_NEXT(list->items, list->count, list->room) =
        (struct run_record){memory_text(row->texts[1]), row->numbers[0], row->numbers[1]};
    return 0;
}

static const struct table records_table = {
    "records.tsv", 2, {{"side", "record"}, {"bases", "bases_before"}}, take_record};

/* @return 0, also if the table is optional and not there */
static int read_table(struct run_files *f, const struct table *table, bool optional, struct why *why)
{
    auto_by(tsv_close) struct tsv row = {0};
    char path[PATH_MAX];
    int more = 1, taken = 0;
    if (optional && !is_there(f, table->name))
        return 0;
    int status = tsv_open(&row, path_of(f, table->name, path), &table->columns, why);
    while (status == 0 && taken == 0 && (more = tsv_next(&row)) > 0) {
        for (size_t i = 0; i < row.number_count && status == 0; i++)
            if ((i < table->needed && !(row.numbers[i] >= 0)) ||
                (isinf(row.numbers[i]) && strcmp(table->columns.numbers[i], "to") != 0))
                status = tsv_refuse(&row, "a number from 0 as %s", table->columns.numbers[i]);
        if (status == 0)
            taken = table->take(f, &row);
    }
    return status || taken < 0 || more < 0 ? COMMAND_REFUSED : 0;
}

static int read_histograms(struct run_files *f, bool optional, struct why *why)
{
    int status = read_table(f, &histograms_table, optional, why);
    for (unsigned i = 0; i < MACHINE_QUEUES; i++)
        find_p99(&f->queues[i]);
    return status;
}

/* --- rates over time ------------------------------------------------------------------------------------- */

static struct run_rate *find_rate(struct run_files *f, const char *name, const char *unit)
{
    for (size_t i = 0; i < f->rate_count; i++)
        if (strcmp(f->rates[i].name, name) == 0)
            return &f->rates[i];
    if (f->rate_count == RUN_RATES_MAX)
        return NULL;
    struct run_rate *rate = &f->rates[f->rate_count++];
    snprintf(rate->name, sizeof rate->name, "%s", name);
    snprintf(rate->unit, sizeof rate->unit, "%s", unit);
    return rate;
}

/* Put every two points together, so that there is room for more: the mean over both and what is between them. */
static void halve(struct run_rate *rate)
{
    size_t half = 0;
    for (size_t i = 0; i + 1 < rate->count; i += 2) {
        struct rate_point *a = &rate->points[i], *b = &rate->points[i + 1];
        double a_s = a->end_s - a->begin_s, b_s = b->end_s - b->begin_s;
        rate->points[half++] = (struct rate_point){
            a->begin_s, b->end_s, (a->value * a_s + b->value * b_s) / (b->end_s - a->begin_s)};
    }
    if (rate->count % 2)
        rate->points[half++] = rate->points[rate->count - 1];
    rate->count = half;
}

static void push_point(struct run_rate *rate, double begin_s, double end_s, double value)
{
    if (end_s - begin_s > 1e-9)
        rate->points[rate->count++] = (struct rate_point){begin_s, end_s, value};
}

/* What overlaps is cut where one of both begins or ends, and has their sum. */
void run_files_add_rate(struct run_rate *rate, struct rate_point point)
{
    struct rate_point tail[2 * RUN_RATE_POINTS];
    size_t first = rate->count;
    double at_s = point.begin_s;
    if (isnan(point.value) || !(point.begin_s >= 0))
        return;
    while (first > 0 && rate->points[first - 1].end_s > point.begin_s + 1e-9)
        first--;
    const size_t count = rate->count - first;
    array_reserve(&rate->points, &rate->room, rate->count, 3 * count + 1, sizeof *rate->points);
    if (count > 0)
        memcpy(tail, rate->points + first, count * sizeof *tail);
    rate->count = first;
    rate->is_sum |= count > 0;
    for (const struct rate_point *p = tail; p < tail + count; p++) {
        push_point(rate, p->begin_s, fmin(p->end_s, point.begin_s), p->value);
        push_point(rate, at_s, fmin(p->begin_s, point.end_s), point.value);
        push_point(rate, fmax(p->begin_s, point.begin_s), fmin(p->end_s, point.end_s),
                   p->value + point.value);
        push_point(rate, fmax(p->begin_s, point.end_s), p->end_s, p->value);
        at_s = fmax(at_s, p->end_s);
    }
    push_point(rate, at_s, point.end_s, point.value);
    while (rate->count > 2 * RUN_RATE_POINTS)
        halve(rate);
}

static int take_frame(struct run_files *f, const struct tsv *row)
{
    const char *pass = row->texts[3];
    const double *n = row->numbers;
    char *end;
    const unsigned long number = strtoul(pass, &end, 10);
    const bool of_run = strcmp(pass, "run") == 0, of_pass = !*end && number >= 1 && number <= f->pass_count;
    struct run_rate *rate =
        strcmp(row->texts[0], "rate") == 0 ? find_rate(f, row->texts[1], row->texts[2]) : NULL;
    if (!rate || !(of_run || of_pass) || isnan(n[2]))
        return 0;
    const double begin_s = n[0] / f->clock_hz + (of_pass ? f->passes[number - 1].stream_begin_s : 0);
    struct rate_point point = {begin_s, begin_s + n[1] / f->clock_hz, n[2]};
    run_files_add_rate(rate, point);
    return 0;
}

static const struct table frames_table = {
    "frames.tsv",
    2,
    {{"metric", "measurement", "unit", "pass"}, {"begin_clock", "clocks", "value"}},
    take_frame};

/* --- alignments ------------------------------------------------------------------------------------------ */

/* Count the rows of a table of alignments. @param standard  out: whether the first has the standard columns */
static size_t count_rows(const char *path, bool *standard)
{
    unsigned long long positions[4]; /* by which the columns show what they are */
    auto_free char *line = NULL;
    size_t room = 0, rows = 0;
    FILE *file = file_io_open(path, O_RDONLY);
    *standard = true;
    while (file && getline(&line, &room, file) > 0)
        if (!hit_table_is_comment(line) && rows++ == 0)
            *standard =
                sscanf(line,
                       "%*[^\t]\t%*[^\t]\t%*[0-9.]\t%*[0-9]\t%*[0-9]\t%*[0-9]\t%llu\t%llu\t%llu\t%llu\t",
                       &positions[0], &positions[1], &positions[2], &positions[3]) == 4;
    file_io_end(file);
    return rows;
}

static int check_alignments(const struct run_files *f, const char *path, size_t count, struct why *why)
{
    double expected = json_number_at(f->run, "alignments");
    if ((double)count == expected)
        return 0;
    return why_refuse(why,
                      "%.600s: has %zu alignments where run.json has %.0f; run mercury again to write it",
                      path, count, expected);
}

static int read_alignments(struct run_files *f, struct why *why)
{
    char path[PATH_MAX];
    const struct alignment_format *const *format = alignment_formats;
    for (; *format && !f->alignments_name; format++)
        for (int i = 0; i < 2 && !f->alignments_name; i++)
            f->alignments_name = is_there(f, (*format)->files[i]) ? (*format)->files[i] : NULL;
    if (!f->alignments_name || format[-1] != &format_tabular) /* only tables can be drawn */
        return 0;
    bool standard;
    size_t rows = count_rows(path_of(f, f->alignments_name, path), &standard);
    if (!standard)
        return check_alignments(f, path, rows, why);
    int status = hit_table_read(path, &f->hits, why);
    f->has_hits = status == 0;
    return status ? command_status_of(status) : check_alignments(f, path, f->hits.count, why);
}

/* --- all of it ------------------------------------------------------------------------------------------- */

static int read_numbers(struct run_files *f, struct why *why)
{
    char path[PATH_MAX];
    if (!f->summary)
        f->summary = run_read_json(path_of(f, "summary.json", path), SUMMARY_JSON, why);
    if (f->summary)
        f->run = run_read_json(path_of(f, "run.json", path), RUN_JSON, why);
    int status = f->run ? take_summary(f, why) : COMMAND_REFUSED;
    /* the pages write the texts of the machine */
    for (size_t i = 0; i < hardware_parameter_count() && status == 0; i++)
        if (!json_object_get(json_object_get(f->run, "configuration"), hardware_parameter_name(i)))
            status = why_refuse(why, "%.600s: no text configuration.%s; run mercury again to write it", path,
                                hardware_parameter_name(i));
    const struct hardware *h = &f->numbers.hardware;
    if (status == 0)
        status = command_status_of(run_take_machine(f->run, path, &f->numbers, why));
    if (status == 0)
        find_misfit(f, h);
    for (uint32_t host = 0; status == 0 && host < h->hosts; host++)
        f->board_count += hardware_boards_at_work(h, host, f->numbers.pass_count);
    return status;
}

int run_files_read_tables(struct run_files *f, struct why *why)
{
    int status = read_histograms(f, false, why);
    const struct table *const tables[] = {&passes_table, &records_table, &frames_table};
    for (unsigned i = 0; i < sizeof tables / sizeof *tables && status == 0; i++)
        if (bytes_of(f, tables[i]->name) <= FRAMES_BYTES_MAX || tables[i] != &frames_table)
            status = read_table(f, tables[i], true, why);
    return status;
}

int run_files_open(const char *directory, json_t *summary, struct run_files *f, struct why *why)
{
    *f = (struct run_files){.directory = directory, .summary = json_incref(summary)};
    summary_round(summary);
    int status = read_numbers(f, why);
    if (status == 0)
        status = run_files_read_tables(f, why);
    const double passes = json_number_at(f->summary, "passes");
    if (status == 0 && f->passes && (double)f->pass_count != passes)
        return why_refuse(
            why,
            "%.600s/passes.tsv: has %zu passes where summary.json has %.0f; run mercury again to write it",
            f->directory, f->pass_count, passes);
    if (status == 0)
        status = read_alignments(f, why);
    if (status == 0)
        make_models(f);
    return status;
}

int run_files_open_numbers(const char *directory, struct run_files *f, struct why *why)
{
    struct run_place place;
    *f = (struct run_files){.directory = directory};
    int status = command_status_of(run_place_find_directory(directory, &place, why));
    return status ? status : read_numbers(f, why);
}

static void take_bins(const struct fifo_measure *m, struct run_queue_state *q)
{
    q->bins = memory_new(FIFO_BINS + 1, sizeof *q->bins);
    for (unsigned i = 0; i <= FIFO_BINS; i++) {
        const uint64_t clocks = i < FIFO_BINS ? m->bins[i] : m->overflow;
        const double from = (double)fifo_measure_bin_begin(m, i),
                     to = i < FIFO_BINS ? (double)fifo_measure_bin_begin(m, i + 1) - 1 : INFINITY;
        if (clocks > 0)
            q->bins[q->bin_count++] = (struct queue_bin){from, to, (double)clocks / (double)m->clocks};
    }
    find_p99(q);
}

static struct run_pass pass_of(const struct frame *frame, const struct pass_times *times, bool minus,
                               const struct hardware *hardware)
{
    const struct run_bottleneck found = run_bottleneck_find(frame, hardware, 0, NULL, NULL);
    struct run_pass pass = {.build_wait_s = frame_seconds(frame, S3_BUILD_WAIT),
                            .begin_s = times->begin_s,
                            .stream_begin_s = times->stream_begin_s,
                            .board_free_s = times->board_free_s,
                            .end_s = times->end_s,
                            .clocks = (double)frame->clocks,
                            .words = frame_count(frame, PCIX_WORDS_IN),
                            .seeds = frame_count(frame, S1B_SEEDS),
                            .matches = frame_count(frame, S2_MATCHES),
                            .hsps = frame_count(frame, S2_HSPS_OUT),
                            .tables_s = frame_seconds(frame, PCIX_TABLE_LOAD),
                            .board = times->board + 1,
                            .minus = minus};
    for (unsigned i = 0; i < PASS_STAGES; i++)
        pass.busy[i] = found.stages[STAGE_BUS + i].active;
    for (unsigned i = 0; i < PASS_FIFOS; i++)
        pass.fifos[i] = fifo_measure_mean(&frame->queues[i]);
    return pass;
}

int run_files_open_result(json_t *summary, json_t *run, const struct passes_result *result,
                          const struct token_record_facts *facts, struct run_files *f, struct why *why)
{
    const size_t count = facts->pass_count;
    *f = (struct run_files){.directory = "/dev/null",
                            .summary = summary,
                            .run = run,
                            .board_count = result->run.boards,
                            .passes = memory_new(count, sizeof *f->passes)};
    summary_round(summary);
    const int status = take_summary(f, why);
    for (unsigned i = 0; i < MACHINE_QUEUES; i++)
        take_bins(&result->run.queues[i], &f->queues[i]);
    for (; f->pass_count < count; f->pass_count++) {
        const size_t i = f->pass_count;
        f->passes[i] = pass_of(&result->passes[i], &result->pass_times[i],
                               facts->segments[i].strand != STRAND_PLUS, &facts->hardware);
    }
    if (status == 0) {
        find_misfit(f, &facts->hardware);
        make_models(f);
    }
    return status;
}

int run_files_complete(const char *directory, struct run_files *f, struct why *why)
{
    f->directory = *directory ? directory : "/dev/null";
    f->summary = json_incref(f->numbers.summary);
    take_queues(f);
    take_models(f);
    char path[PATH_MAX];
    if (is_there(f, "run.json") && !(f->run = run_read_json(path_of(f, "run.json", path), RUN_JSON, why)))
        return COMMAND_REFUSED;
    return read_histograms(f, true, why);
}

static void free_records(struct run_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        free(records->items[i].name);
    free(records->items);
}

void run_files_close(struct run_files *f)
{
    for (unsigned i = 0; i < MACHINE_QUEUES; i++)
        free(f->queues[i].bins);
    for (size_t i = 0; i < f->rate_count; i++)
        free(f->rates[i].points);
    free_records(&f->query);
    free_records(&f->database);
    free(f->passes);
    if (f->has_hits)
        hit_table_destroy(&f->hits);
    validation_destroy(&f->validation);
    run_close(&f->numbers);
    json_decref(f->summary);
    json_decref(f->run);
    *f = (struct run_files){0};
}

/* The last part of the path of an input. */
static const char *input_name(const struct run_files *f, const char *side)
{
    const char *file = json_string_value(json_object_get(json_object_get(f->run, side), "file"));
    return !file ? "?" : strcmp(file, "-") == 0 ? "standard input" : basename(file);
}

const char *run_files_title(const struct run_files *f, char title[RUN_FILES_TITLE_BYTES])
{
    if (!f->run)
        return strcpy(title, "A run");
    snprintf(title, RUN_FILES_TITLE_BYTES, "%.500s × %.500s", input_name(f, "query"),
             input_name(f, "database"));
    return title;
}

const struct run_stage *run_files_stage(const struct run_files *f, const char *name)
{
    for (size_t i = 0; i < f->stage_count; i++)
        if (strcmp(f->stages[i].name, name) == 0)
            return &f->stages[i];
    return NULL;
}
