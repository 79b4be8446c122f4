#include "app/explore/explore_estimate.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/json_number.h"
#include "base/printable.h"
#include "base/draw/result_table.h"
#include "app/estimate/estimate_page.h"
#include "app/estimate/estimate_session.h"

/* Names in data/machines; nothing of a question ever becomes the name of a file. */
static const char *const machines[] = {"mercury-2010", "mercury-cluster", "mercury-pcie",
                                       "sp2-simple",   "sp2-detailed",    NULL};
static const char *const workloads[] = {"run", "blast", "titan", NULL};

enum { SET_BYTES = 100, ARGUMENTS_MAX = 2 * ESTIMATE_SESSION_SETS + 20 };

/* A question, as the arguments of the command, and what comes of them. */
struct estimate_question {
    const struct explored_run *run;
    const json_t *json;
    const char *arguments[ARGUMENTS_MAX];
    int count;
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
    struct why list = {""};
    for (size_t i = 0; choices[i]; i++) {
        if (text && strcmp(choices[i], text) == 0) {
            *chosen = choices[i];
            return 0;
        }
        why_append(&list, "%s%s", i > 0 ? ", " : "", choices[i]);
    }
    return why_refuse(q->why, "%s '%.40s': expected one of %s", name, text ? text : "", list.line);
}

/* @param option  NULL: none; value: NULL: it is not given */
static void add(struct estimate_question *q, const char *option, const char *value)
{
    if (value && option)
        q->arguments[q->count++] = option;
    if (value)
        q->arguments[q->count++] = value;
}

static int add_sets(struct estimate_question *q)
{
    const char *name;
    json_t *value;
    size_t count = 0;
    json_object_foreach((json_t *)json_object_get(q->json, "set"), name, value)
    {
        const char *text = json_string_value(value);
        if (!text || count == ESTIMATE_SESSION_SETS || strlen(name) >= SET_BYTES || strlen(text) >= SET_BYTES)
            return why_refuse(q->why, "%.40s: expected a text with its value, and at most %d of them", name,
                              ESTIMATE_SESSION_SETS);
        snprintf(q->sets[count], sizeof q->sets[0], "%.*s=%.*s", SET_BYTES, name, SET_BYTES - 2, text);
        add(q, "--set", q->sets[count++]);
    }
    return 0;
}

/* What is of the workload of the run. */
static int add_scale(struct estimate_question *q)
{
    const char *distribution = text_of(q, "distribution");
    const bool by_database = distribution && strcmp(distribution, "database") == 0;
    if (!*q->run->directory)
        return why_refuse(
            q->why,
            "the workload of this run is not known: expected mercury explore DIR, a directory with its "
            "summary.json");
    add(q, "--from", q->run->directory);
    add(q, "--segments", text_of(q, "segments"));
    add(q, "--database-bases", text_of(q, "database_bases"));
    add(q, "--distribution", by_database ? "database" : NULL);
    add(q, NULL, json_is_true(json_object_get(q->json, "synchronize")) ? "--synchronize" : NULL);
    return 0;
}

static int add_arguments(struct estimate_question *q, bool with_sets)
{
    const char *machine, *workload;
    q->count = 0;
    int status = choose(q, "machine", machines, &machine);
    if (status == 0)
        status = choose(q, "workload", workloads, &workload);
    if (status)
        return status;
    const bool of_run = strcmp(workload, "run") == 0;
    add(q, NULL, "estimate");
    add(q, NULL, machine);
    add(q, NULL, of_run ? NULL : workload);
    add(q, "--nodes", text_of(q, "nodes"));
    status = of_run ? add_scale(q) : 0;
    if (status == 0 && with_sets)
        status = add_sets(q);
    add(q, "--mode", json_is_true(json_object_get(q->json, "executed")) ? NULL : "arithmetic");
    return status;
}

static int write_command(const void *question, FILE *out)
{
    const struct estimate_question *q = question;
    fputs("mercury", out);
    for (int i = 0; i < q->count; i++)
        printable_append_argument(q->arguments[i], out);
    return 0;
}

/* Getopt puts the arguments in another order; the command is written before. */
static int read_question(struct estimate_question *q, bool with_sets, json_t **command)
{
    struct estimate_session *s = &q->session;
    estimate_session_release(s);
    *s = (struct estimate_session){.quiet = true};
    int status = add_arguments(q, with_sets);
    if (status)
        return status;
    *command = json_written(write_command, q);
    if (!*command)
        *command = json_string("the names of these files are no UTF-8");
    status = command_parse("estimate", estimate_session_options, q->count, (char **)q->arguments,
                           ESTIMATE_SESSION_FILES, s, q->why);
    for (int i = optind; status == 0 && i < q->count; i++)
        s->files[s->file_count++] = q->arguments[i];
    return status ? status : estimate_session_read(s, q->why);
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

static int write_table(const void *session, FILE *out)
{
    return result_table_end(estimate_page_table(session), RESULT_JSON, out);
}

static int write_page(const void *session, FILE *out)
{
    return estimate_page_write_parts(session, out);
}

/* The numbers before they are changed: the texts are read without the changes, and then again with them. */
int explore_estimate(const struct explored_run *run, const json_t *question, json_t **answer, struct why *why)
{
    struct estimate_question *q = calloc(1, sizeof *q);
    if (!q)
        return why_no_memory(why, COMMAND_REFUSED);
    *q = (struct estimate_question){.run = run, .json = question, .why = why};
    json_t *command = NULL, *numbers = NULL;
    struct estimate_number number;
    int status = read_question(q, false, &command);
    if (status == 0) {
        json_decref(command);
        command = NULL;
        numbers = json_array();
        for (unsigned i = 0; estimate_text_number(&q->session.text, i, &number); i++)
            json_array_append_new(numbers, number_json(&number));
        status = read_question(q, true, &command);
    }
    if (status == 0)
        status = estimate_session_make(&q->session, q->why);
    if (status == 0) {
        json_t *table = json_written(write_table, &q->session);
        *answer =
            json_pack("{s:o, s:o, s:O, s:O}", "estimate", json_loads(json_string_value(table), 0, NULL),
                      "page", json_written(write_page, &q->session), "command", command, "numbers", numbers);
        json_decref(table);
    }
    json_decref(command);
    json_decref(numbers);
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
