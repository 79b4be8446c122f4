#include "app/chain/chain_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file/line_reader.h"
#include "base/file/whole_file.h"
#include "app/run/run_options.h"

/* The rows of data/words/chain_columns.tsv. */
#include "app/chain_columns.inc"
#include "base/command.h"

/* @param d  its times are the numbers; it is a trace after an error, too, and the caller closes it */
static int read_list(const char *path, bool times, struct duration *d, struct why *why)
{
    const double most = times ? 1e15 : 1e4;
    struct line_reader lines;
    size_t room = 0;
    int status = line_reader_open(&lines, path, times ? "a list of times" : "a list of outputs", why);
    *d = (struct duration){.law = DURATION_TRACE};
    while (status == 0 && (status = line_reader_next(&lines)) == 1) {
        struct words words = {.word_bytes = word_bytes_to_blank};
        words_set_line(&words, lines.line.s, lines.line.l, lines.number);
        const struct word number = words_next(&words);
        status = 0;
        if (!number.text || *number.text == '#')
            continue;
        array_reserve(&d->times, &room, d->count, 1, sizeof *d->times);
        if (!word_number_within(number, 0, most, !times, &d->times[d->count++]) || words_next(&words).text)
            status = line_reader_refuse_line(
                &lines, LINE_READER_EREAD, "'%s': expected one %s a line, from 0 to %g",
                word_show(word_of(lines.line.s)).text, times ? "time in seconds" : "whole number", most);
    }
    double sum = 0;
    for (size_t i = 0; i < d->count; i++)
        sum += d->times[i];
    if (status == 0 && !(sum > 0))
        status = line_reader_refuse(&lines, LINE_READER_EREAD, "expected %s, one above 0 at least",
                                    times ? "times in seconds" : "whole numbers");
    return command_status_of(line_reader_close(&lines, status));
}

/* Read the numbers of outputs that trace:FILE lists. @param counts  out: for free(), also after an error */
static int read_outputs(struct word text, const char *what, double **counts, size_t *count, struct why *why)
{
    struct word rest = text, kind = word_cut(&rest, ":");
    char path[PATH_MAX];
    struct duration list;
    if (!word_is(kind, "trace") || rest.length == 0 || rest.length >= sizeof path)
        return command_refuse(what, word_show(text).text, "trace:FILE, whole numbers of outputs, one a line",
                              why);
    int status = read_list(word_copy(rest, path, sizeof path), false, &list, why);
    *counts = list.times;
    *count = list.count;
    return status;
}

int duration_file_read(struct word text, const char *what, const char *expected, struct duration *d,
                       double *mean_s, struct why *why)
{
    struct word rest = text, kind = word_cut(&rest, ":");
    double number = 1, ratio = 1;
    char path[PATH_MAX];
    *mean_s = NAN;
    if (word_is(kind, "trace") && rest.length > 0 && rest.length < sizeof path) {
        const int status = read_list(word_copy(rest, path, sizeof path), true, d, why);
        if (status == 0)
            *d = duration_trace(d->times, d->count, mean_s);
        return status;
    }
    bool good = true;
    if (word_is(kind, "mixture")) {
        struct word fraction = word_cut(&rest, ":");
        good = word_number_within(fraction, 0, 1, false, &number) &&
               word_number_within(rest, 1, 1e6, false, &ratio);
        *d = duration_mixture(number, ratio);
    } else if (word_is(kind, "erlang")) {
        good = word_number_within(rest, 1, 10000, true, &number);
        *d = duration_gamma(1 / number);
    } else if (word_is(kind, "gamma")) {
        good = word_number_within(rest, 1e-4, 1e4, false, &number);
        *d = duration_gamma(number);
    } else {
        const bool constant = word_is(kind, "deterministic");
        good = !rest.text && (constant || word_is(kind, "exponential") || word_is(kind, "poisson"));
        *d = duration_gamma(constant ? 0 : 1);
    }
    return good ? 0 : command_refuse(what, word_show(text).text, expected, why);
}

void duration_file_close(struct duration *d)
{
    if (d->law == DURATION_TRACE)
        free(d->times);
    *d = (struct duration){.law = DURATION_EXPONENTIAL};
}

#define ID(id, ...) id
enum column { CHAIN_COLUMN_ROWS(ID) COLUMNS };

#define COLUMN(id, least, most, otherwise, whole, ...) [id] = {__VA_ARGS__, least, most, otherwise, whole}

static const struct {
    const char *name, *unit, *expected; /* unit NULL: not a number */
    double least, most, otherwise;      /* otherwise NaN: the column is needed */
    bool whole;
} columns[COLUMNS] = {CHAIN_COLUMN_ROWS(COLUMN)};

struct reader {
    struct words words;
    struct chain *chain;
    enum column order[COLUMNS]; /* what each column of the table is */
    unsigned count;
};

static bool is_given(struct word field)
{
    return field.length > 0 && !word_is(field, "NA");
}

/* --- the header ------------------------------------------------------------------------------------------ */

/* The number of a column in the table; a greater one than `count` if it has none. */
static unsigned number_of(const struct reader *r, enum column column)
{
    unsigned i = 0;
    while (i < r->count && r->order[i] != column)
        i++;
    return i + 1;
}

static void refuse_column(struct reader *r, struct word name, struct names known)
{
    const char *nearest = names_nearest(known, name);
    words_refuse(
        &r->words, NULL,
        "column %u, '%s': expected stage, C, R, M, S, F, P_f, K, overdrive, almost_full, service, out, on "
        "or to%s%s%s",
        r->count + 1, word_show(name).text, nearest ? "; did you mean " : "", nearest ? nearest : "",
        nearest ? "?" : "");
}

static void take_header(struct reader *r, struct word rest)
{
    const struct names known = {columns, sizeof *columns, COLUMNS, false};
    while (rest.text && r->words.status == 0) {
        struct word name = word_cut(&rest, "\t");
        int column = names_find(known, name);
        if (column < 0) {
            refuse_column(r, name, known);
            return;
        }
        for (unsigned i = 0; i < r->count; i++)
            if ((int)r->order[i] == column)
                words_refuse(&r->words, NULL, "column %u, '%s': columns %u and %u have one name",
                             r->count + 1, columns[column].name, i + 1, r->count + 1);
        if (r->words.status == 0)
            r->order[r->count++] = (enum column)column;
    }
    for (int column = 0; column < COLUMNS; column++)
        if (number_of(r, (enum column)column) > r->count && isnan(columns[column].otherwise))
            words_refuse(&r->words, NULL,
                         "no column '%s': expected a header line with tabs, such as stage<TAB>C<TAB>M<TAB>K",
                         columns[column].name);
}

static void stage_close(struct queue_line_stage *stage)
{
    duration_file_close(&stage->service);
    free(stage->outputs);
}

/* --- a stage --------------------------------------------------------------------------------------------- */

/* F below 1 packs whole numbers of elements: 1/n, as a quotient or rounded to six digits. */
static bool read_factor(struct word field, double *factor)
{
    struct word divisor = field;
    bool quotient = word_is(word_cut(&divisor, "/"), "1") && divisor.text;
    if (!word_number(quotient ? divisor : field, "", factor))
        return false;
    if (!quotient && *factor >= 1)
        return true;
    double packed = quotient ? *factor : 1 / *factor;
    *factor = 1 / round(packed);
    return fabs(packed / round(packed) - 1) < 1e-6;
}

/* Writes the number of a field to *to, which stays what it was if the field holds none of its column. */
static void take_number(struct reader *r, unsigned at, struct word field, double *to)
{
    enum column column = r->order[at];
    const char *name = columns[column].name, *expected = columns[column].expected;
    double number;
    if (!is_given(field)) {
        if (isnan(columns[column].otherwise) && column != CLOCK)
            words_refuse(&r->words, NULL, "column %u, %s: expected %s", at + 1, name, expected);
        return;
    }
    bool read =
        column == FACTOR ? read_factor(field, &number) : word_number(field, columns[column].unit, &number);
    if (read && number >= columns[column].least && number <= columns[column].most &&
        (!columns[column].whole || number == floor(number)))
        *to = number;
    else
        words_refuse(&r->words, NULL, "column %u, %s '%s': expected %s", at + 1, name, word_show(field).text,
                     expected);
}

static void take_name(struct reader *r, unsigned at, struct word field, char name[QUEUE_NETWORK_NAME_BYTES])
{
    if (!word_name(field, name, QUEUE_NETWORK_NAME_BYTES))
        words_refuse(&r->words, NULL, "column %u, stage '%s': expected a name of 1 to %d ASCII characters",
                     at + 1, word_show(field).text, QUEUE_NETWORK_NAME_BYTES - 1);
    if (names_find((struct names){r->chain->stages, sizeof *r->chain->stages, r->chain->count, true},
                   field) >= 0)
        words_refuse(&r->words, NULL, "column %u, stage '%s': an earlier stage has this name", at + 1, name);
}

/* What an element of the stage before becomes here. */
static double factor_of_outputs(const struct queue_line_stage *before)
{
    double sum = 0;
    for (size_t i = 0; i < before->output_count; i++)
        sum += before->outputs[i];
    return sum / ((double)before->output_count * before->pass_fraction);
}

static void add_stage(struct reader *r, struct queue_line_stage *line)
{
    struct chain *chain = r->chain;
    const struct queue_line_stage *before = chain->count > 0 ? &chain->stages[chain->count - 1] : NULL;
    if (r->words.status)
        return;
    if (line->almost_full > 0 && (line->almost_full >= line->places || chain->count == 0))
        words_refuse(&r->words, NULL,
                     "almost_full %u: expected a stage after the first, and fewer places than its K",
                     line->almost_full);
    if (before && before->outputs && line->factor != 1)
        words_refuse(&r->words, NULL,
                     "F: the stage before lists with 'out' what each element becomes; expected no F");
    if (line->places > 0 && line->places < line->servers)
        words_refuse(&r->words, NULL, "K %u: expected at least the places of the %u servers", line->places,
                     line->servers);
    if (chain->count == CHAIN_STAGES_MAX)
        words_refuse(&r->words, NULL, "stage %d: expected at most %d stages", CHAIN_STAGES_MAX + 1,
                     CHAIN_STAGES_MAX);
    array_reserve(&chain->stages, &chain->room, chain->count, 1, sizeof *chain->stages);
    if (before && before->outputs && before->pass_fraction > 0)
        line->factor = factor_of_outputs(before);
    if (r->words.status == 0)
        chain->stages[chain->count++] = *line;
}

static void take_service(struct reader *r, struct word field, struct duration *service, double *mean_s)
{
    struct why why;
    if (r->words.status == 0 && is_given(field) &&
        duration_file_read(field, "service", DURATION_EXPECTED, service, mean_s, &why) != 0)
        words_refuse(&r->words, NULL, "column %u, %s", number_of(r, SERVICE), why.line);
}

/* The part that is passed on is that of the list. */
static void take_outputs(struct reader *r, struct word field, struct queue_line_stage *line)
{
    struct why why;
    size_t some = 0;
    if (r->words.status || !is_given(field))
        return;
    if (line->pass_fraction != 1)
        words_refuse(&r->words, NULL, "out and P_f both say what is passed on: expected one of them");
    else if (read_outputs(field, "out", &line->outputs, &line->output_count, &why) != 0)
        words_refuse(&r->words, NULL, "column %u, %s", number_of(r, OUT), why.line);
    for (size_t i = 0; r->words.status == 0 && i < line->output_count; i++)
        some += line->outputs[i] > 0;
    if (r->words.status == 0)
        line->pass_fraction = (double)some / (double)line->output_count;
}

/* The index of the stage that a field names. */
static unsigned find_stage(struct reader *r, enum column column, struct word name, size_t stages)
{
    const struct names known = {r->chain->stages, sizeof *r->chain->stages, stages, true};
    const int found = names_find(known, name);
    const char *nearest = found < 0 ? names_nearest(known, name) : NULL;
    if (found < 0)
        words_refuse(&r->words, NULL, "%s '%s': expected an earlier stage%s%s%s%s", columns[column].name,
                     word_show(name).text,
                     column == TO ? ", or this one, and a probability, such as NAME:0.2" : "",
                     nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return found < 0 ? 0 : (unsigned)found;
}

/* Where a stage is served, and where it sends elements back to. */
static void take_places(struct reader *r, struct word on, struct word to, struct queue_line_stage *line)
{
    if (r->words.status == 0 && is_given(on)) {
        line->on = 1 + find_stage(r, ON, on, r->chain->count);
        struct queue_line_stage *port = r->words.status ? line : &r->chain->stages[line->on - 1];
        if (line->servers > 1 || port->servers > 1 || (port->on > 0 && port->on != line->on))
            words_refuse(&r->words, NULL,
                         "on '%s': expected a stage with one server of its own, and S 1 here",
                         word_show(on).text);
        port->on = line->on;
    }
    if (r->words.status || !is_given(to))
        return;
    struct word part = to, name = word_cut(&part, ":");
    line->back_to =
        word_is(name, line->name) ? (unsigned)r->chain->count : find_stage(r, TO, name, r->chain->count);
    if (!word_number_within(part, 0, 0.99, false, &line->back_fraction))
        words_refuse(&r->words, NULL, "to '%s': expected NAME:P, P from 0 to 0.99", word_show(to).text);
}

static void take_stage(struct reader *r, struct word rest)
{
    struct queue_line_stage line = {.servers = 1};
    double numbers[COLUMNS], mean_s = NAN;
    struct word texts[COLUMNS] = {{0}};
    unsigned at = 0;
    for (int column = 0; column < COLUMNS; column++)
        numbers[column] = columns[column].otherwise;
    for (; rest.text && at < r->count; at++) {
        const enum column column = r->order[at];
        struct word field = texts[column] = word_cut(&rest, "\t");
        if (column == STAGE)
            take_name(r, at, field, line.name);
        else if (columns[column].unit)
            take_number(r, at, field, &numbers[column]);
    }
    if (rest.text || at < r->count)
        words_refuse(&r->words, NULL, "column %u: %sexpected %u columns, as the header has", at + 1,
                     rest.text ? "" : "nothing; ", r->count);
    line.factor = numbers[FACTOR];
    line.added_per_s = numbers[OVERDRIVE];
    line.pass_fraction = numbers[PASS];
    line.places = (uint32_t)numbers[PLACES];
    line.servers = (uint32_t)numbers[SERVERS];
    line.almost_full = (uint32_t)numbers[MARGIN];
    take_service(r, texts[SERVICE], &line.service, &mean_s);
    if (isnan(numbers[CLOCK]) && isnan(mean_s))
        words_refuse(&r->words, NULL, "column %u, C: expected %s, or a trace of services",
                     number_of(r, CLOCK), columns[CLOCK].expected);
    line.mu_per_s =
        isnan(numbers[CLOCK]) ? 1 / mean_s : numbers[PER_CLOCK] * numbers[CLOCK] / numbers[PER_ELEMENT];
    take_outputs(r, texts[OUT], &line);
    take_places(r, texts[ON], texts[TO], &line);
    add_stage(r, &line);
    if (r->words.status)
        stage_close(&line);
}

/* --- the file -------------------------------------------------------------------------------------------- */

int chain_file_read(const char *path, struct chain *chain, struct why *why)
{
    char found[PATH_MAX];
    path = run_options_find_file(path, "chains", ".tsv", found);
    struct reader r = {.words = {.file = whole_file_name(path), .code = CHAIN_FILE_EFORMAT, .why = why},
                       .chain = chain};
    struct line_reader lines;
    *chain = (struct chain){0};
    int status = line_reader_open(&lines, path, "a table of stages", why);
    while (status == 0 && (status = line_reader_next(&lines)) == 1) {
        r.words.line = lines.number;
        struct word line = {lines.line.s, lines.line.l};
        if (memchr(line.text, '\0', line.length))
            words_refuse(&r.words, NULL, "a NUL character: expected text");
        else if (*line.text != '#' && line.text[strspn(line.text, " \t")] != '\0')
            r.count == 0 ? take_header(&r, line) : take_stage(&r, line);
        status = r.words.status;
    }
    if (status == 0 && chain->count == 0)
        status = line_reader_refuse(&lines, CHAIN_FILE_EFORMAT,
                                    "no stage: expected a header line and a line per stage");
    status = line_reader_close(&lines, status);
    if (status)
        chain_file_close(chain);
    return status;
}

void chain_file_close(struct chain *chain)
{
    for (size_t i = 0; i < chain->count; i++)
        stage_close(&chain->stages[i]);
    free(chain->stages);
    *chain = (struct chain){0};
}

double chain_first_rate_per_s(const struct chain *chain, double input_per_s)
{
    return (input_per_s + chain->stages[0].added_per_s) * chain->stages[0].factor;
}
