#include "validate/counts_file.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/printable.h"
#include "base/words.h"
#include "base/file/whole_file.h"
#include "model/predict/predict_inputs.h"
#include "model/sums/random_sum.h"
#include "validate/run_operations.h"

enum { RUNS_MAX = 100000 };

struct counted_run {
    char name[OPERATION_NAME_BYTES];
    double seconds;
    of_types counts; /* NaN: not given */
};

enum column { RUN, NAME, COUNT, SECONDS, TAU, COLUMNS };
static const char *const column_names[] = {"run", "name", "count", "seconds", "tau", NULL};

struct reader {
    struct words words;
    struct counted_run *runs;
    size_t run_count, run_room;
    char names[OPERATION_TYPES_MAX][OPERATION_NAME_BYTES];
    of_types tau;
    size_t types;
    enum column order[COLUMNS]; /* of a table */
    unsigned columns;
    struct word first;                    /* event of the present run */
    bool started, timed;                  /* a run is to begin; its duration is known */
    char next_name[OPERATION_NAME_BYTES]; /* of the run that begins */
};

bool counts_file_is(const char *path)
{
    struct stat about;
    int c = '{';
    if (strcmp(path, "-") == 0)
        ungetc(c = getc(stdin), stdin);
    else if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
        FILE *in = fopen(path, "r");
        c = in ? getc(in) : c;
        if (in)
            fclose(in);
    }
    return c != '{';
}

/* --- runs and operations --------------------------------------------------------------------------------- */

/* Begin a run. @param name  missing: its number */
static void begin_run(struct reader *r, struct word name)
{
    if (r->run_count == RUNS_MAX)
        words_refuse(&r->words, NULL, "expected at most %d runs", RUNS_MAX);
    else if (!array_reserve(&r->runs, &r->run_room, r->run_count, 1, sizeof *r->runs))
        words_fail_memory(&r->words);
    if (r->words.status)
        return;
    struct counted_run *run = &r->runs[r->run_count++];
    *run = (struct counted_run){.seconds = NAN};
    if (name.length > 0)
        printable_copy(run->name, sizeof run->name, name.text, name.length);
    else
        snprintf(run->name, sizeof run->name, "%zu", r->run_count);
    for (size_t i = 0; i < OPERATION_TYPES_MAX; i++)
        run->counts[i] = NAN;
    r->started = r->timed = false;
    r->next_name[0] = 0;
}

/* The operation of a name, which is a new one if it was not there before; -1 if there is no room. */
static int find_type(struct reader *r, struct word name)
{
    const struct names known = {r->names, sizeof r->names[0], r->types, true};
    int type = names_find(known, name);
    if (type >= 0)
        return type;
    if (name.length == 0 || name.length >= OPERATION_NAME_BYTES)
        words_refuse(&r->words, name.text, "'%s': expected the name of an operation, of 1 to %d characters",
                     word_show(name).text, OPERATION_NAME_BYTES - 1);
    else if (r->types == OPERATION_TYPES_MAX)
        words_refuse(&r->words, name.text, "'%s': expected at most %d operations", word_show(name).text,
                     OPERATION_TYPES_MAX);
    if (r->words.status)
        return -1;
    printable_copy(r->names[r->types], OPERATION_NAME_BYTES, name.text, name.length);
    r->tau[r->types] = NAN;
    return (int)r->types++;
}

/* A number from 0, NaN if it is not given. */
static double take_number(struct reader *r, struct word field, const char *what)
{
    double number = NAN;
    if (field.length > 0 && !word_is(field, "NA") && !word_number_within(field, 0, 1e30, false, &number))
        words_refuse(&r->words, field.text, "%s is '%s': expected a number from 0", what,
                     word_show(field).text);
    return number;
}

/* --- a table --------------------------------------------------------------------------------------------- */

static void take_header(struct reader *r, struct word rest)
{
    bool has[COLUMNS] = {false};
    while (rest.text && r->words.status == 0) {
        struct word name = word_cut(&rest, "\t");
        int column = names_find(names_listed(column_names), name);
        if (column < 0 || has[column])
            words_refuse(
                &r->words, name.text,
                "'%s': expected a header line with name, count and seconds, and perhaps run and tau, "
                "each once, with tabs between them, or the output of perf stat -x,",
                word_show(name).text);
        else
            has[r->order[r->columns++] = (enum column)column] = true;
    }
    if (r->words.status == 0 && !(has[NAME] && has[COUNT]))
        words_refuse(&r->words, NULL,
                     "no column '%s': expected name, count and seconds, with tabs between them",
                     column_names[has[NAME] ? COUNT : NAME]);
}

static void take_row(struct reader *r, struct word rest)
{
    struct word fields[COLUMNS] = {{NULL, 0}};
    unsigned column = 0;
    for (; rest.text && column < r->columns; column++)
        fields[r->order[column]] = word_cut(&rest, "\t");
    if (rest.text || column < r->columns)
        words_refuse(&r->words, NULL, "%s fields than the header's %u columns", rest.text ? "more" : "fewer",
                     r->columns);
    const int type = r->words.status == 0 ? find_type(r, fields[NAME]) : -1;
    const double count = take_number(r, fields[COUNT], "count"),
                 seconds = take_number(r, fields[SECONDS], "seconds"),
                 tau = take_number(r, fields[TAU], "tau");
    if (r->words.status)
        return;
    struct counted_run *run = r->run_count > 0 ? &r->runs[r->run_count - 1] : NULL;
    if (!run ||
        (fields[RUN].text ? strcmp(run->name, word_show(fields[RUN]).text) != 0 : !isnan(run->counts[type])))
        begin_run(r, fields[RUN]);
    if (r->words.status)
        return;
    run = &r->runs[r->run_count - 1];
    if (!isnan(run->counts[type]) || (!isnan(seconds) && !isnan(run->seconds) && seconds != run->seconds))
        words_refuse(&r->words, NULL, "run %s has %s already; expected one %s", run->name,
                     isnan(run->counts[type]) ? "other seconds" : r->names[type],
                     isnan(run->counts[type]) ? "time for each run" : "line for each operation of a run");
    else if (!isnan(tau) && !isnan(r->tau[type]) && tau != r->tau[type])
        words_refuse(&r->words, NULL,
                     "tau of %s is not that of an earlier line; expected one tau for each name",
                     r->names[type]);
    run->counts[type] = count;
    run->seconds = isnan(seconds) ? run->seconds : seconds;
    r->tau[type] = isnan(tau) ? r->tau[type] : tau;
}

/* --- perf stat ------------------------------------------------------------------------------------------- */

static bool is_same(struct word a, struct word b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static void take_event(struct reader *r, struct word rest)
{
    const char *mark = memchr(rest.text, ';', rest.length) ? ";" : ",";
    struct word value = word_cut(&rest, mark), unit = word_cut(&rest, mark), event = word_cut(&rest, mark);
    double number = NAN, ignored;
    const double scale = word_is(unit, "ns") ? 1e-9 : word_is(unit, "msec") ? 1e-3 : 0;
    if (value.length == 0 || *value.text == '<') /* a metric, or not counted */
        return;
    if (event.length == 0 || !word_number(value, "", &number) || !(number >= 0) ||
        word_number(unit, "", &ignored))
        words_refuse(
            &r->words, NULL,
            "expected a line COUNT,UNIT,EVENT,... of perf stat -x, (without -A and -I), or a header line "
            "with name, count and seconds and tabs between them");
    const int type = r->words.status == 0 && scale == 0 ? find_type(r, event) : -1;
    struct counted_run *run = r->run_count > 0 ? &r->runs[r->run_count - 1] : NULL;
    if (r->words.status == 0 &&
        (!run || r->started || is_same(event, r->first) || (type >= 0 && !isnan(run->counts[type])))) {
        begin_run(r, word_of(r->next_name));
        r->first = event;
    }
    if (r->words.status)
        return;
    run = &r->runs[r->run_count - 1];
    if (type >= 0)
        run->counts[type] = number;
    else if (word_is(event, "duration_time") || (!r->timed && isnan(run->seconds))) {
        run->seconds = scale * number;
        r->timed = word_is(event, "duration_time");
    }
}

/* "# started on ..." begins a run, "# run NAME" names it; other notes are for people. */
static void take_note(struct reader *r)
{
    words_next(&r->words);
    r->started = words_take(&r->words, "started") || r->started;
    if (words_take(&r->words, "run"))
        word_copy(words_rest(&r->words), r->next_name, sizeof r->next_name);
}

/* --- all of it ------------------------------------------------------------------------------------------- */

static int read_runs(struct reader *r, const char *path, const char *text, size_t bytes)
{
    words_begin(&r->words, text, bytes);
    while (words_next_line(&r->words)) {
        struct word line = {r->words.begin, (size_t)(r->words.end - r->words.begin)};
        if (line.length > 0 && *line.text == '#')
            take_note(r);
        else if (words_peek(&r->words).text && r->columns > 0)
            take_row(r, line);
        else if (words_peek(&r->words).text)
            (r->run_count > 0 || r->types > 0 || !memchr(line.text, '\t', line.length)
                 ? take_event
                 : take_header)(r, line);
    }
    if (r->words.status == 0 && r->run_count < 2)
        return why_say(r->words.why, PREDICT_EINPUT,
                       "%.300s: %s in it; expected 2 runs or more, over which counts vary",
                       whole_file_name(path), r->run_count == 0 ? "no counts" : "one run");
    return r->words.status;
}

/* Every run has a count of every operation, and its seconds. */
static int check_runs(const struct reader *r, bool needs_seconds, struct why *why)
{
    bool any = needs_seconds;
    for (size_t j = 0; j < r->run_count; j++)
        any = any || !isnan(r->runs[j].seconds);
    for (size_t j = 0; j < r->run_count; j++) {
        for (size_t i = 0; i < r->types; i++)
            if (isnan(r->runs[j].counts[i]))
                return why_say(why, PREDICT_EINPUT,
                               "%.300s: run %s has no count of %s; expected one in every run", r->words.file,
                               r->runs[j].name, r->names[i]);
        if (any && !(r->runs[j].seconds > 0))
            return why_say(
                why, PREDICT_EINPUT,
                "%.300s: run %s has no seconds above 0; expected them in a column seconds, or from "
                "perf stat -e duration_time,...",
                r->words.file, r->runs[j].name);
    }
    return r->types > 0
               ? 0
               : why_say(why, PREDICT_EINPUT, "%.300s: no operations in it; expected counts", r->words.file);
}

static int find_durations(const struct reader *r, struct operation_server *program, struct why *why)
{
    size_t known = 0;
    for (size_t i = 0; i < r->types; i++) {
        known += !isnan(r->tau[i]);
        program->duration[i].mean = r->tau[i];
    }
    if (known == r->types)
        return 0;
    if (known > 0)
        return why_say(why, PREDICT_EINPUT,
                       "%.300s: %zu of %zu operations have a tau; expected it for all or none", r->words.file,
                       known, r->types);
    const size_t unclear = random_sum_fit_durations(program->counts, program->measured, r->run_count,
                                                    r->types, program->duration);
    return unclear == 0
               ? 0
               : why_say(
                     why, PREDICT_EINPUT,
                     "%.300s: the duration of %s cannot be told from these %zu runs, since its counts follow from "
                     "those of the operations before it; leave it out, add runs, or give tau",
                     r->words.file, r->names[unclear - 1], r->run_count);
}

static int make_program(const struct reader *r, bool needs_seconds, struct operations *out, struct why *why)
{
    struct operation_server *program = &out->server[0];
    *out = (struct operations){.passes = r->run_count, .servers = 1};
    *program = (struct operation_server){.name = "program", .unit = "s", .types = r->types, .lag1 = NAN};
    snprintf(out->file, sizeof out->file, "%s", r->words.file);
    out->names = calloc(r->run_count, sizeof *out->names);
    out->type_names = calloc(r->types, sizeof *out->type_names);
    program->counts = calloc(r->run_count * r->types, sizeof *program->counts);
    program->measured = calloc(r->run_count, sizeof *program->measured);
    if (!out->names || !out->type_names || !program->counts || !program->measured)
        return why_no_memory(why, PREDICT_EMEMORY);
    for (size_t i = 0; i < r->types; i++) {
        program->type[i] = strcpy(out->type_names[i], r->names[i]);
        program->duration[i].mean = NAN;
    }
    for (size_t j = 0; j < r->run_count; j++) {
        strcpy(out->names[j], r->runs[j].name);
        program->measured[j] = r->runs[j].seconds;
        memcpy(program->counts + j * r->types, r->runs[j].counts, r->types * sizeof(double));
    }
    return needs_seconds ? find_durations(r, program, why) : 0;
}

int counts_file_take(const char *path, bool needs_seconds, struct operations *out, struct why *why)
{
    char *text, file[320];
    size_t bytes;
    if (whole_file_read(path, SIZE_MAX, &text, &bytes, why) != 0)
        return PREDICT_EINPUT;
    printable_copy(file, sizeof file, whole_file_name(path), strlen(whole_file_name(path)));
    struct reader *r = calloc(1, sizeof *r);
    int status = r ? 0 : why_no_memory(why, PREDICT_EMEMORY);
    if (status == 0) {
        r->words = (struct words){.file = file, .code = PREDICT_EINPUT, .why = why};
        status = read_runs(r, path, text, bytes);
    }
    if (status == 0)
        status = check_runs(r, needs_seconds, why);
    if (status == 0)
        status = make_program(r, needs_seconds, out, why);
    if (status)
        run_operations_free(out);
    free(text);
    if (r)
        free(r->runs);
    free(r);
    return status;
}
