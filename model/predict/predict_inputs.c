#include "model/predict/predict_inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/shown.h"
#include "base/words.h"
#include "model/queue/mercury_tandem.h"

enum kind { REAL, WHOLE };

struct description {
    const char *name, *unit;
    double otherwise; /* NaN: none */
    double least, most;
    enum kind kind;
    const char *meaning;
};

#define DESCRIPTION(id, otherwise, least, most, kind, name, unit, meaning)                                   \
    [id] = {name, unit, otherwise, least, most, kind, meaning}

/* Ranges only refuse impossible numbers; the models say which numbers they cannot take. */
static const struct description descriptions[PREDICT_INPUTS] = {PREDICT_INPUT_ROWS(DESCRIPTION)};

const char *predict_input_name(enum predict_input input)
{
    return descriptions[input].name;
}

void predict_inputs_describe(FILE *out)
{
    for (int i = 0; i < PREDICT_INPUTS; i++) {
        const struct description *d = &descriptions[i];
        char otherwise[32] = "-";
        if (!isnan(d->otherwise))
            snprintf(otherwise, sizeof otherwise, "%g", d->otherwise);
        const int column =
            fprintf(out, "  %-15s %-11s %-7s ", d->name, strcmp(d->unit, "1") == 0 ? "" : d->unit, otherwise);
        shown_words(d->meaning, column, column, out);
    }
}

/* --- one case -------------------------------------------------------------------------------------------- */

struct predict_case predict_case_default(const char *name)
{
    struct predict_case c = {.measured = false};
    snprintf(c.name, sizeof c.name, "%s", name);
    for (int i = 0; i < PREDICT_INPUTS; i++)
        c.value[i] = descriptions[i].otherwise;
    return c;
}

bool predict_case_is_queue(const struct predict_case *c)
{
    return c->given[PREDICT_LAMBDA] || c->given[PREDICT_MU];
}

static const struct names input_names = {descriptions, sizeof *descriptions, PREDICT_INPUTS, false};

static int take_value(struct predict_case *c, int input, struct word text, struct why *why)
{
    const struct description *d = &descriptions[input];
    double value;
    c->given[input] = word_number_within(text, d->least, d->most, d->kind == WHOLE, &value);
    if (c->given[input]) {
        c->value[input] = value;
        return 0;
    }
    if (isinf(d->least))
        return why_say(why, PREDICT_EINPUT, "%s is '%s': expected a number", d->name, word_show(text).text);
    return why_say(why, PREDICT_EINPUT, "%s is '%s': expected a %snumber from %g to %g", d->name,
                   word_show(text).text, d->kind == WHOLE ? "whole " : "", d->least, d->most);
}

int predict_case_assign(struct predict_case *c, const char *assignment, struct why *why)
{
    struct word value = word_of(assignment), name = word_cut(&value, "=");
    int input = names_find(input_names, name);
    if (!value.text)
        return why_say(why, PREDICT_EINPUT, "--set %.60s: expected NAME=VALUE, e.g. --set lambda_in=895",
                       assignment);
    if (input < 0) {
        const char *nearest = names_nearest(input_names, name);
        return why_say(why, PREDICT_EINPUT,
                       "--set %.60s: no such input; %s%s%smercury predict --list has them", assignment,
                       nearest ? "did you mean " : "", nearest ? nearest : "", nearest ? "? " : "");
    }
    if (c->given[input])
        return why_say(why, PREDICT_EINPUT, "--set %s is given twice: expected each name once",
                       descriptions[input].name);
    return take_value(c, input, value, why);
}

static int check_kind(const struct predict_case *c, struct why *why)
{
    bool queue = predict_case_is_queue(c);
    for (int i = 0; i < PREDICT_INPUTS; i++)
        if (c->given[i] && (i >= PREDICT_LAMBDA) != queue)
            return why_say(
                why, PREDICT_EINPUT,
                "%s is no input of %s; one queue (lambda, mu, ...) and the accelerator (lambda_in, ...) are "
                "different cases",
                descriptions[i].name, queue ? "one queue" : "the accelerator");
    return 0;
}

static int check_needed(const struct predict_case *c, struct why *why)
{
    static const enum predict_input mercury[] = {PREDICT_LAMBDA_IN, PREDICT_P_1A, PREDICT_P_1B, PREDICT_P_2};
    static const enum predict_input queue[] = {PREDICT_LAMBDA, PREDICT_MU};
    bool is_queue = predict_case_is_queue(c);
    const enum predict_input *needed = is_queue ? queue : mercury;
    for (size_t i = 0; i < (is_queue ? sizeof queue / sizeof queue[0] : sizeof mercury / sizeof mercury[0]);
         i++)
        if (!c->given[needed[i]])
            return why_say(
                why, PREDICT_EINPUT, "%s is missing; a case needs %s", descriptions[needed[i]].name,
                is_queue ? "lambda and mu" : "lambda_in, P_1a, P_1b and P_2, or lambda and mu for one queue");
    if (c->given[PREDICT_BATCH_MEAN] != c->given[PREDICT_BATCH_SECOND])
        return why_say(why, PREDICT_EINPUT, "batch_mean and batch_second: expected both or none");
    if (c->given[PREDICT_M_1B] && c->given[PREDICT_MU_1B])
        return why_say(why, PREDICT_EINPUT,
                       "M_1b and mu_1b: expected one of them; mu_1b = clock x M_2 / M_1b");
    if (!is_queue && c->value[PREDICT_TRIPS_IN_FLIGHT] > 1 && !c->given[PREDICT_TRIPS])
        return why_say(
            why, PREDICT_EINPUT,
            "trips_in_flight: expected trips with it, since M_1b and M_2 do not tell them if several are "
            "under way");
    if (c->given[PREDICT_MU_1B] && !c->given[PREDICT_M_2])
        return why_say(
            why, PREDICT_EINPUT,
            "mu_1b: expected M_2 with it, since mu_1b = clock x M_2 / M_1b: the SRAM's utilisation if "
            "1b is saturated, else --set M_2=1");
    return 0;
}

int predict_case_complete(struct predict_case *c, struct why *why)
{
    int status = check_kind(c, why);
    if (status == 0)
        status = check_needed(c, why);
    if (status || predict_case_is_queue(c))
        return status;
    double *v = c->value;
    if (c->given[PREDICT_MU_1B])
        v[PREDICT_M_1B] = v[PREDICT_CLOCK] * v[PREDICT_M_2] / v[PREDICT_MU_1B];
    if (!c->given[PREDICT_TRIPS] && (c->given[PREDICT_M_1B] || c->given[PREDICT_MU_1B]))
        v[PREDICT_TRIPS] = mercury_tandem_trips(v[PREDICT_M_1B], v[PREDICT_M_2], v[PREDICT_TRIP_CYCLES]);
    if (!c->given[PREDICT_DUPLICATES])
        v[PREDICT_DUPLICATES] = isnan(v[PREDICT_TRIPS]) ? NAN : fmin(1, v[PREDICT_TRIPS]);
    return 0;
}

/* --- lists ----------------------------------------------------------------------------------------------- */

void predict_cases_add(struct predict_cases *list, const struct predict_case *c)
{
    *ARRAY_NEXT(list->cases, list->count, list->room) = *c;
}

void predict_cases_free(struct predict_cases *list)
{
    free(list->cases);
    *list = (struct predict_cases){NULL, 0, 0};
}

/* --- the table ------------------------------------------------------------------------------------------- */

enum { COLUMNS_MAX = PREDICT_INPUTS + 1, COLUMN_CASE = PREDICT_INPUTS };

struct table {
    struct words words;
    int columns[COLUMNS_MAX]; /* inputs, or COLUMN_CASE */
    int count;
    const struct predict_case *base;
    struct predict_cases *list;
};

static void take_header(struct table *t, struct word rest)
{
    while (rest.text && t->words.status == 0) {
        struct word name = word_cut(&rest, "\t");
        int input = word_is(name, "case") ? COLUMN_CASE : names_find(input_names, name);
        if (input < 0)
            words_refuse(&t->words, NULL,
                         "'%s' is no input's name; expected a header line of tab-separated names "
                         "(mercury predict --list has them)",
                         word_show(name).text);
        for (int i = 0; i < t->count; i++)
            if (t->columns[i] == input)
                words_refuse(&t->words, NULL, "column %s is there twice", word_show(name).text);
        if (t->words.status == 0)
            t->columns[t->count++] = input;
    }
}

static void take_row(struct table *t, struct word rest)
{
    struct predict_case c = *t->base;
    int column = 0;
    snprintf(c.name, sizeof c.name, "line %llu", (unsigned long long)t->words.line);
    for (; rest.text && column < t->count && t->words.status == 0; column++) {
        struct word field = word_cut(&rest, "\t");
        if (t->columns[column] == COLUMN_CASE && !word_name(field, c.name, sizeof c.name))
            words_refuse(&t->words, NULL, "case is '%s': expected 1 to %d ASCII characters",
                         word_show(field).text, PREDICT_NAME_BYTES - 1);
        else if (t->columns[column] != COLUMN_CASE && field.length > 0 && !word_is(field, "NA") &&
                 !word_is(field, "-"))
            t->words.status = take_value(&c, t->columns[column], field, t->words.why);
    }
    if (rest.text || column < t->count)
        words_refuse(&t->words, NULL, "%s fields than the header's %d columns", rest.text ? "more" : "fewer",
                     t->count);
    if (t->words.status == 0)
        t->words.status = predict_case_complete(&c, t->words.why);
    if (t->words.status == 0)
        predict_cases_add(t->list, &c);
}

int predict_cases_parse(const char *text, const char *name, const struct predict_case *base,
                        struct predict_cases *list, struct why *why)
{
    struct table t = {.words = {.code = PREDICT_EINPUT, .why = why}, .base = base, .list = list};
    const size_t before = list->count;
    words_begin(&t.words, text, strlen(text));
    while (words_next_line(&t.words)) {
        struct word line = {t.words.begin, (size_t)(t.words.end - t.words.begin)};
        if (line.length > 0 && *line.text != '#')
            (t.count == 0 ? take_header : take_row)(&t, line);
    }
    if (t.words.status == PREDICT_EINPUT)
        return why_precede(why, PREDICT_EINPUT, "%.300s, line %llu: ", name,
                           (unsigned long long)t.words.line);
    if (t.words.status == 0 && list->count == before)
        return why_say(why, PREDICT_EINPUT,
                       "%.300s: no case in it; expected a header line of names and a line per case", name);
    return t.words.status;
}
