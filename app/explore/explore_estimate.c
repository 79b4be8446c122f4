#include "app/explore/explore_estimate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/printable.h"
#include "base/draw/result_table.h"
#include "app/estimate/estimate_page.h"
#include "app/estimate/estimate_session.h"

/* Names in data/machines; nothing of a question ever becomes the name of a file. */
static const char *const machines[] = {"mercury-2010", "mercury-cluster", "mercury-pcie",
                                       "sp2-simple",   "sp2-detailed",    NULL};
static const char *const workloads[] = {"run", "blast", "titan", NULL};

enum { SET_BYTES = 100 };

/* A question and what it asks of a session. */
struct estimate_question {
    const struct explored_run *run;
    const json_t *json;
    char sets[ESTIMATE_SESSION_SETS][2 * SET_BYTES];
    struct estimate_session session;
    struct why *why;
};

/* --- the question ---------------------------------------------------------------------------------------- */

/* @return NULL if it is not given, or empty */
static const char *text_of(const struct estimate_question *q, const char *name)
{
    const char *text = json_string_value(json_object_get(q->json, name));
    return text && *text ? text : NULL;
}

static int choose(struct estimate_question *q, const char *name, const char *const *choices,
                  const char **chosen)
{
    const char *text = text_of(q, name);
    char list[160] = "";
    for (size_t i = 0; choices[i]; i++) {
        size_t used = strlen(list);
        if (text && strcmp(choices[i], text) == 0) {
            *chosen = choices[i];
            return 0;
        }
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", choices[i]);
    }
    return why_say(q->why, COMMAND_REFUSED, "%s '%.40s': expected one of %s", name, text ? text : "", list);
}

static int take_number(struct estimate_question *q, const char *name, const char *option, double least,
                       double most, double *to)
{
    const char *text = text_of(q, name);
    char range[64];
    if (!text || command_number(text, least, most, to) == 0)
        return 0;
    snprintf(range, sizeof range, "a number from %g to %g", least, most);
    return command_refuse(option, text, range, q->why);
}

static int take_sets(struct estimate_question *q)
{
    const char *name;
    json_t *value;
    struct estimate_session *s = &q->session;
    json_object_foreach((json_t *)json_object_get(q->json, "set"), name, value)
    {
        const char *text = json_string_value(value);
        if (!text || s->set_count == ESTIMATE_SESSION_SETS || strlen(name) >= SET_BYTES ||
            strlen(text) >= SET_BYTES)
            return why_say(q->why, COMMAND_REFUSED,
                           "%.40s: expected a text with its value, and at most %d of them", name,
                           ESTIMATE_SESSION_SETS);
        snprintf(q->sets[s->set_count], sizeof q->sets[0], "%.*s=%.*s", SET_BYTES, name, SET_BYTES - 2, text);
        s->sets[s->set_count] = q->sets[s->set_count];
        s->set_count++;
    }
    return 0;
}

/* What is of the workload of the run. */
static int take_scale(struct estimate_question *q)
{
    struct estimate_session *s = &q->session;
    const char *distribution = text_of(q, "distribution");
    int status = take_number(q, "segments", "--segments", 1, 1e9, &s->scale.segments);
    if (status == 0)
        status = take_number(q, "database_bases", "--database-bases", 16, 1e15, &s->scale.bases);
    if (status == 0 && s->scale.segments != (double)(uint64_t)s->scale.segments)
        status =
            why_say(q->why, COMMAND_REFUSED, "--segments %g: expected a whole number", s->scale.segments);
    s->scale.by_database = distribution && strcmp(distribution, "database") == 0;
    s->scale.synchronize = json_is_true(json_object_get(q->json, "synchronize"));
    s->from = q->run->directory;
    if (!*q->run->directory)
        return why_say(
            q->why, COMMAND_REFUSED,
            "the workload of this run is not known: expected mercury explore DIR, a directory with its "
            "summary.json");
    return status;
}

static int take_question(struct estimate_question *q)
{
    struct estimate_session *s = &q->session;
    const char *workload;
    int status = choose(q, "machine", machines, &s->files[0]);
    if (status == 0)
        status = choose(q, "workload", workloads, &workload);
    if (status)
        return status;
    s->file_count = 1;
    if (strcmp(workload, "run") == 0)
        status = take_scale(q);
    else
        s->files[s->file_count++] = workload;
    s->nodes = text_of(q, "nodes");
    s->mode = json_is_true(json_object_get(q->json, "executed")) ? ESTIMATE_BOTH : ESTIMATE_ARITHMETIC;
    s->quiet = true;
    return status;
}

/* --- the answer ------------------------------------------------------------------------------------------ */

static json_t *number_json(const struct estimate_number *number)
{
    static const char *const units[] = {[ESTIMATE_COUNT] = "1",
                                        [ESTIMATE_BYTES] = "bytes",
                                        [ESTIMATE_BYTES_RATE] = "B/s",
                                        [ESTIMATE_RATE] = "1/s",
                                        [ESTIMATE_TIME] = "s"};
    char value[32];
    snprintf(value, sizeof value, "%.12g", number->value);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:b, s:b}", "name", number->name, "of",
                     number->object, "value", value, "unit", units[number->kind], "meaning", number->meaning,
                     "least", number->least, "most", number->most, "whole", number->whole, "timing", true);
}

static json_t *numbers_json(const struct estimate_text *text)
{
    json_t *numbers = json_array();
    struct estimate_number number;
    for (unsigned i = 0; estimate_text_number(text, i, &number); i++)
        json_array_append_new(numbers, number_json(&number));
    return numbers;
}

static json_t *command_json(const struct estimate_question *q)
{
    const struct estimate_session *s = &q->session;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fputs("mercury estimate", out);
    for (size_t i = 0; i < s->file_count; i++)
        printable_append_argument(s->files[i], out);
    if (s->from) {
        fputs(" --from", out);
        printable_append_argument(s->from, out);
    }
    if (s->nodes) {
        fputs(" --nodes", out);
        printable_append_argument(s->nodes, out);
    }
    if (s->scale.segments > 0)
        fprintf(out, " --segments %.12g", s->scale.segments);
    if (s->scale.bases > 0)
        fprintf(out, " --database-bases %.12g", s->scale.bases);
    fputs(s->scale.by_database ? " --distribution database" : "", out);
    fputs(s->scale.synchronize ? " --synchronize" : "", out);
    for (size_t i = 0; i < s->set_count; i++) {
        fputs(" --set", out);
        printable_append_argument(s->sets[i], out);
    }
    fputs(s->mode == ESTIMATE_ARITHMETIC ? " --mode arithmetic" : "", out);
    fclose(out);
    json_t *command = json_string(text);
    free(text);
    return command ? command : json_string("the names of these files are no UTF-8");
}

/* The table and the sections of the page, as texts. @return NULL if memory is exhausted */
static json_t *estimate_json(const struct estimate_report *r)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    int status = out ? result_table_end(estimate_report_table(r), RESULT_JSON, out) : -1;
    if (out && fclose(out) != 0)
        status = -1;
    json_t *json = status == 0 ? json_loadb(text, bytes, 0, NULL) : NULL;
    free(text);
    return json;
}

static json_t *page_json(const struct estimate_report *r)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    int status = out ? estimate_page_write_parts(r, out) : -1;
    if (out && fclose(out) != 0)
        status = -1;
    json_t *json = status == 0 ? json_stringn(text, bytes) : NULL;
    free(text);
    return json;
}

/* @param numbers  is released */
static int write_answer(struct estimate_question *q, json_t *numbers, FILE *out)
{
    struct estimate_report r = estimate_session_report(&q->session);
    json_t *answer = json_pack("{s:o, s:o, s:o, s:o}", "estimate", estimate_json(&r), "page", page_json(&r),
                               "command", command_json(q), "numbers", numbers);
    if (!answer)
        return why_no_memory(q->why, COMMAND_REFUSED);
    int status = json_dumpf(answer, out, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(answer);
    return status == 0 ? 0 : why_say(q->why, COMMAND_FAILED, "the answer cannot be written");
}

/* The numbers before they are changed: read without the changes, and then again with them. */
static int answer(struct estimate_question *q, FILE *out)
{
    struct estimate_session *s = &q->session;
    int status = take_question(q);
    if (status == 0)
        status = estimate_session_read(s, q->why);
    json_t *numbers = status == 0 ? numbers_json(&s->text) : NULL;
    estimate_session_release(s);
    *s = (struct estimate_session){0};
    if (status == 0)
        status = take_question(q);
    if (status == 0)
        status = take_sets(q);
    if (status == 0)
        status = estimate_session_read(s, q->why);
    if (status == 0)
        status = estimate_session_make(s, q->why);
    if (status == 0)
        return write_answer(q, numbers, out);
    json_decref(numbers);
    return status;
}

int explore_estimate_write(const struct explored_run *run, const json_t *question, FILE *out, struct why *why)
{
    struct estimate_question *q = calloc(1, sizeof *q);
    if (!q)
        return why_no_memory(why, COMMAND_REFUSED);
    q->run = run;
    q->json = question;
    q->why = why;
    int status = answer(q, out);
    estimate_session_release(&q->session);
    free(q);
    return status;
}

/* --- what can be chosen ---------------------------------------------------------------------------------- */

static json_t *names_json(const char *const *names)
{
    json_t *array = json_array();
    while (*names)
        json_array_append_new(array, json_string(*names++));
    return array;
}

json_t *explore_estimate_choices(const struct explored_run *run)
{
    return json_pack("{s:o, s:o}", "machines", names_json(machines), "workloads",
                     names_json(*run->directory ? workloads : workloads + 1));
}
