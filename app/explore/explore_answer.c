#include "app/explore/explore_answer.h"

#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/json_number.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/printable.h"
#include "base/draw/result_table.h"
#include "sim/board/board_costs.h"
#include "sim/measure/machine_energy.h"
#include "sim/run/run_bottleneck.h"
#include "sim/run/run_limits.h"
#include "sim/measure/machine_frame.h"
#include "app/report/report.h"
#include "app/run/run_output.h"
#include "app/advise/fifo_search.h"
#include "app/sweep/draw/front.h"
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

static void write_command(const void *question, FILE *out)
{
    const struct estimate_question *q = question;
    fputs("mercury", out);
    for (int i = 0; i < q->count; i++)
        printable_append_argument(q->arguments[i], out);
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

static void write_table(const void *session, FILE *out)
{
    result_table_end(estimate_page_table(session), RESULT_JSON, out);
}

/* The numbers before they are changed: the texts are read without the changes, and then again with them. */
int explore_estimate(const struct explored_run *run, const json_t *question, json_t **answer, struct why *why)
{
    auto_free struct estimate_question *q = memory_new(1, sizeof *q);
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
        json_auto_t *table = json_written(write_table, &q->session);
        *answer = json_pack("{s:o, s:o, s:O, s:O}", "estimate", json_loads(json_string_value(table), 0, NULL),
                            "page", json_written(estimate_page_write_parts, &q->session), "command", command,
                            "numbers", numbers);
    }
    json_decref(command);
    json_decref(numbers);
    estimate_session_release(&q->session);
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

/* --- timing ---------------------------------------------------------------------------------------------- */

/* Time passes of the record.
 * @param limits  receives what limits the run, if these are all of its passes; NULL: nobody asks */
static int time_passes(const struct explored_run *run, const struct hardware *hardware, size_t every,
                       struct run_limits *limits, struct passes_result *result, struct why *why)
{
    const struct run_options options = run_options_default();
    const size_t count = pass_set_taken(run->facts->pass_count, every);
    if (platform_rewrite(run->platform, hardware, why) != 0)
        return COMMAND_FAILED;
    struct host_brief *brief = limits ? host_brief_new(hardware, count) : NULL;
    struct passes passes = passes_of_record(hardware, platform_simgrid_file(run->platform), run->record,
                                            count, run_options_jobs(&options, count));
    passes.recorded_every = every;
    passes.how.brief = brief;
    passes.how.only_times = hardware->free_parts != 0; /* a stage that takes no time has nothing to measure */
    int status = passes_run(&passes, result, why);
    if (status == 0 && limits) {
        const size_t sampled = run_limits_every(hardware, count, run->facts->database->word_count);
        status = run_limits_find(&passes, sampled, true, result, limits, why);
        if (status)
            passes_result_destroy(result);
    }
    host_brief_destroy(brief);
    return status ? COMMAND_FAILED : 0;
}

static int take_run(const struct explored_run *run, const struct hardware *hardware, size_t every,
                    const struct passes_result *result, const struct run_limits *limits,
                    struct run_files *files, struct why *why)
{
    const size_t passes = pass_set_taken(run->facts->pass_count, every);
    auto_free struct query_segment *segments = memory_new(passes, sizeof *segments);
    const struct run_options options = run_options_default();
    struct run_facts facts = {
        .options = &options,
        .of = *run->facts,
        .record_path = run->record_path,
        .result = result,
        .alignments = &token_record_run(run->record)->alignments,
        .run_limits = limits,
        .jobs = 1,
    };
    facts.of.hardware = *hardware;
    facts.of.pass_count = passes;
    facts.of.segments = segments;
    for (size_t i = 0; i < passes; i++)
        segments[i] = run->facts->segments[pass_set_nth_taken(i, every)];
    return run_files_open_result(run_output_summary(&facts), run_output_run(&facts), result, &facts.of, files,
                                 why);
}

/* --- the answer ------------------------------------------------------------------------------------------ */

static const enum report_number parts[] = {REPORT_PART_pipeline, REPORT_PART_time, REPORT_PART_queues,
                                           REPORT_PART_models};

enum { PARTS = sizeof parts / sizeof parts[0] };

static void draw_part(const void *data, FILE *out)
{
    const struct report_section *p = data;
    p->part->draw(p->run, &(struct svg){.out = out, .ends = p->ends, .in_page = true});
}

static json_t *part_json(enum report_number number, const struct run_files *files,
                         const json_t *ends_of_others)
{
    const struct report_part *part = report_parts[number];
    struct svg_ends ends = {0};
    const struct report_section data = {part, files, &ends};
    json_t *list = json_array();
    for (unsigned i = 0; i < SVG_ENDS; i++)
        ends.at[i] = json_number_value(json_array_get(ends_of_others, i));
    const char *missing = part->missing ? part->missing(files) : NULL;
    if (missing)
        return json_pack("{s:s, s:s, s:s, s:o}", "what", report_names[number], "title", part->title,
                         "missing", missing, "ends", list);
    json_t *picture = json_written(draw_part, &data);
    for (unsigned i = 0; i < ends.count; i++)
        json_array_append_new(list, json_real(ends.at[i]));
    return json_pack("{s:s, s:s, s:o*, s:o*, s:o}", "what", report_names[number], "title", part->title,
                     "introduction",
                     part->says || part->introduce ? json_written(report_introduce, &data) : NULL, "picture",
                     picture, "ends", list);
}

/* How long all passes take, if some do as `result` says. Passes after the first ones of the boards add what they load
 * and stream, but not a further end in which only stage 3 works, unless each of them waits for it; and all of their
 * work for stage 3 is to be done. */
static double estimate_s(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                         const struct passes_result *result)
{
    const struct run_bottleneck b =
        run_bottleneck_find(&result->run, hardware, result->host.longest_s, &result->network, NULL);
    const double all = (double)run->facts->pass_count, boards = hardware->boards * hardware->hosts,
                 more = ceil(all / boards) / ceil((double)passes / boards), run_s = result->run.duration_s,
                 board_s = b.phase_s[PHASE_LOAD] + b.phase_s[PHASE_STREAM];
    return hardware->overlap == OVERLAP_SERIAL
               ? more * run_s
               : fmax(run_s + (more - 1) * board_s, all / (double)passes * b.spread_s);
}

static json_t *answer_json(const struct run_files *files, const json_t *question, size_t passes,
                           size_t all_passes, double all_s)
{
    json_t *queues = json_array(), *pictures = json_array(), *ends = json_object_get(question, "ends");
    for (unsigned i = 0; i < MACHINE_QUEUES; i++) { /* the host's queue comes before the board's */
        const struct run_queue_state *q = &files->queues[i == 0 ? QUEUE_HOST : i < QUEUE_INBOX ? i - 1 : i];
        json_array_append_new(queues, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", q->name,
                                                "title", q->title, "element", q->element, "places",
                                                json_number(q->places), "mean", json_number(q->mean), "p99",
                                                json_number(q->p99), "max", json_number(q->most),
                                                "back_pressure", json_number(q->back_pressure)));
    }
    for (unsigned i = 0; i < PARTS; i++)
        json_array_append_new(pictures, part_json(parts[i], files, json_array_get(ends, i)));
    return json_pack("{s:b, s:I, s:I, s:f, s:f, s:O*, s:o, s:o}", "exact", passes == all_passes, "passes",
                     (json_int_t)passes, "all_passes", (json_int_t)all_passes, "simulated_time_s",
                     files->simulated_s, "estimated_time_s", all_s, "bottleneck",
                     json_object_get(files->summary, "bottleneck"), "queues", queues, "parts", pictures);
}

/* What the FIFOs among the queues are made of. */
static void tell_memory(json_t *queues, const struct hardware *hardware)
{
    for (enum board_fifo fifo = 0; fifo < BOARD_FIFOS; fifo++) {
        size_t i;
        json_t *queue;
        json_array_foreach(queues, i, queue)
        {
            if (strcmp(json_string_value(json_object_get(queue, "name")), board_fifos[fifo].name) == 0)
                json_object_update_new(queue, json_pack("{s:I, s:I}", "element_bits",
                                                        (json_int_t)board_costs_element_bits(fifo, hardware),
                                                        "ramb18",
                                                        (json_int_t)board_costs_fifo_blocks(fifo, hardware)));
        }
    }
}

int explore_answer(const struct explored_run *run, const struct hardware *hardware, const json_t *question,
                   size_t every, json_t **answer, struct why *why)
{
    double begin_s = progress_wall_s();
    auto_by(passes_result_destroy) struct passes_result result = {0};
    auto_by(run_files_close) struct run_files read = {0};
    struct run_limits limits;
    struct run_limits *found = every > 0 ? NULL : &limits;
    const size_t all = run->facts->pass_count, passes = pass_set_taken(all, every);
    int status = time_passes(run, hardware, every, found, &result, why);
    if (status)
        return status;
    status = take_run(run, hardware, every, &result, found, &read, why);
    if (status == 0 &&
        (*answer = answer_json(&read, question, passes, all, estimate_s(run, hardware, passes, &result)))) {
        tell_memory(json_object_get(*answer, "queues"), hardware);
        json_object_set_new(*answer, "command", explored_run_command(run, hardware));
        json_object_set_new(*answer, "new_tokens", json_boolean(run->is_nameless));
        json_object_set_new(*answer, "wall_time_s", json_number(progress_wall_s() - begin_s));
    }
    return status;
}

/* --- numbers --------------------------------------------------------------------------------------------- */

enum { POINTS_MOST = 128 };

/* Seconds in which the database streams, of all passes together. */
static double streaming_s(const struct passes_result *result, size_t passes)
{
    double sum_s = 0;
    for (size_t i = 0; i < passes; i++)
        sum_s += result->pass_times[i].board_free_s - result->pass_times[i].stream_begin_s;
    return sum_s;
}

static double throughput_of(const struct frame *run)
{
    const double stream_s = frame_measured_s(run);
    return stream_s > 0 ? run->boards * frame_count(run, S1A_WMERS) / 1e6 / stream_s : 0;
}

int explore_numbers(const struct explored_run *run, const struct hardware *hardware, size_t every,
                    json_t **answer, struct why *why)
{
    const size_t passes = pass_set_taken(run->facts->pass_count, every);
    const struct board_costs costs = board_costs_of(hardware);
    const uint64_t boards = (uint64_t)hardware->boards * hardware->hosts;
    auto_by(passes_result_destroy) struct passes_result result = {0};
    double bytes = 0; /* of the largest tables */
    if (time_passes(run, hardware, every, NULL, &result, why) != 0)
        return COMMAND_FAILED;
    *answer = json_pack("{s:f, s:f, s:I, s:I}", FRONT_TIME, result.run.duration_s, "stream_s",
                        streaming_s(&result, passes), "passes", (json_int_t)passes, "all_passes",
                        (json_int_t)run->facts->pass_count);
    if (hardware->free_parts)
        return 0;
    for (size_t i = 0; i < run->facts->pass_count; i++)
        bytes = fmax(bytes, (double)token_record_table_bytes(run->record, i));
    const uint64_t bits = board_costs_sram_bits(hardware, bytes), blocks = boards * costs.ramb18,
                   chips = boards * board_costs_sram_chips(hardware, bits);
    const struct run_bottleneck found =
        run_bottleneck_find(&result.run, hardware, result.host.longest_s, &result.network, NULL);
    json_object_update_new(*answer,
                           json_pack("{s:f, s:f, s:s, s:I, s:I, s:f}", "estimated_time_s",
                                     estimate_s(run, hardware, passes, &result), "throughput_mwmers_per_s",
                                     throughput_of(&result.run), "limit",
                                     found.stages[found.board.limit].name, front_cost_measures[FRONT_RAMB18],
                                     (json_int_t)blocks, front_cost_measures[FRONT_SRAM_CHIPS],
                                     (json_int_t)chips, front_cost_measures[FRONT_ENERGY],
                                     machine_energy_of(&result.run, hardware, passes).total_j));
    return 0;
}

json_t *explore_find_knee(const json_t *question)
{
    struct front_point points[POINTS_MOST];
    const json_t *list = json_object_get(question, "points");
    const size_t count = json_array_size(list) < POINTS_MOST ? json_array_size(list) : POINTS_MOST;
    for (size_t i = 0; i < count; i++) {
        const json_t *point = json_array_get(list, i);
        points[i] = (struct front_point){.time_s = json_number_value(json_object_get(point, FRONT_TIME))};
        points[i].counts = points[i].time_s > 0;
        for (enum front_cost cost = 0; cost < FRONT_COSTS; cost++)
            points[i].costs[cost] = json_number_value(json_object_get(point, front_cost_measures[cost]));
    }
    bool is_unpriced;
    const size_t knee = front_find_knee(points, count, FRONT_KEEP, &is_unpriced);
    return json_pack("{s:o, s:b}", "knee", knee < count ? json_integer((json_int_t)knee) : json_null(),
                     "unpriced", is_unpriced);
}

/* --- what would help ------------------------------------------------------------------------------------- */

/* Share of the quickest machine's speed that the smallest FIFOs keep. */
static const double KEEP = 0.99;

struct searcher {
    const struct explored_run *run;
    size_t every;
    struct why *why;
};

/* The `try_machine` of fifo_search.h. @return 0 or a command's status */
static int try_machine(void *data, const struct hardware *hardware, struct machine_merit *merit)
{
    const struct searcher *s = data;
    struct hardware machine = *hardware;
    auto_by(passes_result_destroy) struct passes_result result = {0};
    if (hardware_check(&machine, s->why) != 0)
        return COMMAND_REFUSED;
    if (time_passes(s->run, &machine, s->every, NULL, &result, s->why) != 0)
        return COMMAND_FAILED;
    *merit = (struct machine_merit){
        .throughput = throughput_of(&result.run),
        .total_s = result.run.duration_s,
        .allowed = true,
    };
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        merit->fifo_most[i] = (double)result.run.queues[i].most;
    return 0;
}

int explore_search_fifos(const struct explored_run *run, const struct hardware *hardware, size_t every,
                         json_t **answer, struct why *why)
{
    struct searcher s = {run, every, why};
    struct fifo_search search = {.loss = 1 - KEEP,
                                 .slowest_s = INFINITY,
                                 .most_ramb18 = UINT64_MAX,
                                 .try_machine = try_machine,
                                 .data = &s};
    struct hardware machine = *hardware;
    struct fifo_result result;
    int status = fifo_search_run(&search, &machine, &result);
    if (status)
        return status;
    json_t *fifos = json_array();
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        json_array_append_new(fifos,
                              json_pack("{s:s, s:I, s:I, s:I, s:I}", "parameter", board_fifos[i].parameter,
                                        "depth", (json_int_t)board_fifo_places(i, &machine.board), "before",
                                        (json_int_t)board_fifo_places(i, &hardware->board), "element_bits",
                                        (json_int_t)board_costs_element_bits((enum board_fifo)i, &machine),
                                        "element_bits_before",
                                        (json_int_t)board_costs_element_bits((enum board_fifo)i, hardware)));
    *answer = json_pack("{s:f, s:o, s:I, s:I, s:f, s:f, s:I, s:I}", "keep", KEEP, "fifos", fifos, "ramb18",
                        (json_int_t)board_costs_of(&machine).ramb18, "ramb18_before",
                        (json_int_t)board_costs_of(hardware).ramb18, "unbounded_s", result.unbounded.total_s,
                        "bounded_s", result.bounded.total_s, "passes",
                        (json_int_t)pass_set_taken(run->facts->pass_count, every), "all_passes",
                        (json_int_t)run->facts->pass_count);
    return 0;
}
