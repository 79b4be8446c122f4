#include "app/explore/explore_answer.h"

#include <math.h>
#include <stdbool.h>

#include "base/command.h"
#include "base/json_number.h"
#include "base/progress.h"
#include "sim/run/run_limits.h"
#include "sim/measure/machine_frame.h"
#include "app/report/report.h"
#include "app/run/run_output.h"
#include "app/advise/fifo_search.h"
#include "app/advise/machine_freedom.h"

/* --- timing ---------------------------------------------------------------------------------------------- */

/* Time the first passes of the record.
 * @param limits  receives what limits the run, if these are all of its passes; NULL: nobody asks */
static int time_passes(const struct explored_run *run, const struct hardware *hardware, size_t count,
                       struct run_limits *limits, struct passes_result *result, struct why *why)
{
    const struct run_options options = run_options_default();
    if (platform_rewrite(run->platform, hardware, why) != 0)
        return COMMAND_FAILED;
    struct host_brief *brief = limits ? host_brief_new(hardware, count) : NULL;
    if (limits && !brief)
        return why_no_memory(why, COMMAND_FAILED);
    struct passes passes = passes_of_record(hardware, platform_simgrid_file(run->platform), run->record,
                                            count, run_options_jobs(&options, count));
    passes.how.brief = brief;
    int status = passes_run(&passes, result, why);
    if (status == 0 && limits) {
        const size_t every = run_limits_every(hardware, count, run->facts->database->word_count);
        status = run_limits_find(&passes, every, true, result, limits, why);
        if (status)
            passes_result_destroy(result);
    }
    host_brief_destroy(brief);
    return status ? COMMAND_FAILED : 0;
}

static int take_run(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                    const struct passes_result *result, const struct run_limits *limits,
                    struct run_files *files, struct why *why)
{
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
    return run_files_open_result(run_output_summary(&facts), run_output_run(&facts), result, &facts.of, files,
                                 why);
}

/* --- the answer ------------------------------------------------------------------------------------------ */

static const enum report_number parts[] = {REPORT_PART_pipeline, REPORT_PART_time, REPORT_PART_queues,
                                           REPORT_PART_models};

enum { PARTS = sizeof parts / sizeof parts[0] };

static int draw_part(const void *data, FILE *out)
{
    const struct report_section *p = data;
    p->part->draw(p->run, &(struct svg){.out = out, .in_page = true});
    return 0;
}

static int introduce_part(const void *data, FILE *out)
{
    report_introduce(data, out);
    return 0;
}

static json_t *part_json(enum report_number number, const struct run_files *files)
{
    const struct report_part *part = report_parts[number];
    const struct report_section data = {part, files};
    const char *missing = part->missing ? part->missing(files) : NULL;
    if (missing)
        return json_pack("{s:s, s:s, s:s}", "what", report_names[number], "title", part->title, "missing",
                         missing);
    return json_pack("{s:s, s:s, s:o*, s:o*}", "what", report_names[number], "title", part->title,
                     "introduction",
                     part->says || part->introduce ? json_written(introduce_part, &data) : NULL, "picture",
                     json_written(draw_part, &data));
}

/* Cores that work more than this are what a run waits for. */
static const double ALWAYS = 0.95;

/* The first passes are followed by all of a run's end, in which only stage 3 still works. Unless its cores always work,
 * this phase does not grow with the number of passes. */
static double estimate_s(const struct run_files *files, double factor)
{
    const struct run_stage *stage3 = run_files_stage(files, "3");
    double load_s = run_files_number(files, "bottleneck.phases.load_s"),
           stream_s = run_files_number(files, "bottleneck.phases.stream_s");
    return stage3 && stage3->active > ALWAYS ? factor * files->simulated_s
                                             : files->simulated_s + (factor - 1) * (load_s + stream_s);
}

static json_t *answer_json(const struct run_files *files, size_t passes, size_t all_passes)
{
    json_t *queues = json_array(), *pictures = json_array();
    for (const struct run_queue_state *q = files->queues; q < files->queues + RUN_QUEUES; q++)
        json_array_append_new(queues, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", q->name,
                                                "title", q->title, "element", q->element, "places",
                                                json_number(q->places), "mean", json_number(q->mean), "p99",
                                                json_number(q->p99), "max", json_number(q->most),
                                                "back_pressure", json_number(q->back_pressure)));
    for (unsigned i = 0; i < PARTS; i++)
        json_array_append_new(pictures, part_json(parts[i], files));
    return json_pack("{s:b, s:I, s:I, s:f, s:f, s:O*, s:o, s:o}", "exact", passes == all_passes, "passes",
                     (json_int_t)passes, "all_passes", (json_int_t)all_passes, "simulated_time_s",
                     files->simulated_s, "estimated_time_s",
                     estimate_s(files, (double)all_passes / (double)passes), "bottleneck",
                     json_object_get(files->summary, "bottleneck"), "queues", queues, "parts", pictures);
}

int explore_answer(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                   json_t **answer, struct why *why)
{
    double begin_s = progress_wall_s();
    struct passes_result result;
    struct run_files read = {0};
    struct run_limits limits;
    const bool whole = passes == run->facts->pass_count;
    int status = time_passes(run, hardware, passes, whole ? &limits : NULL, &result, why);
    if (status)
        return status;
    status = take_run(run, hardware, passes, &result, whole ? &limits : NULL, &read, why);
    if (status == 0 && (*answer = answer_json(&read, passes, run->facts->pass_count))) {
        json_object_set_new(*answer, "command", explored_run_command(run, hardware));
        json_object_set_new(*answer, "new_tokens", json_boolean(run->is_nameless));
        json_object_set_new(*answer, "wall_time_s", json_number(progress_wall_s() - begin_s));
    }
    run_files_close(&read);
    passes_result_destroy(&result);
    return status;
}

/* --- what would help ------------------------------------------------------------------------------------- */

/* Share of the quickest machine's speed that the smallest FIFOs keep. */
static const double KEEP = 0.99;

struct searcher {
    const struct explored_run *run;
    size_t passes;
    struct why *why;
};

/* The `try_machine` of fifo_search.h. @return 0 or a command's status */
static int try_machine(void *data, const struct hardware *hardware, struct machine_merit *merit)
{
    const struct searcher *s = data;
    struct hardware machine = *hardware;
    struct passes_result result;
    if (hardware_check(&machine, s->why) != 0)
        return COMMAND_REFUSED;
    if (time_passes(s->run, &machine, s->passes, NULL, &result, s->why) != 0)
        return COMMAND_FAILED;
    double stream_s = frame_measured_s(&result.run);
    *merit = (struct machine_merit){
        .throughput =
            stream_s > 0 ? result.run.boards * frame_count(&result.run, S1A_WMERS) / 1e6 / stream_s : 0,
        .total_s = result.run.duration_s,
        .allowed = true,
    };
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        merit->fifo_most[i] = (double)result.run.queues[i].most;
    passes_result_destroy(&result);
    return 0;
}

static json_t *merit_json(const struct machine_merit *merit)
{
    return json_pack("{s:o, s:o}", "throughput", json_number(merit->throughput), "total_s",
                     json_number(merit->total_s));
}

/* @param answer  NULL: memory is exhausted */
static json_t *add_passes(const struct searcher *s, json_t *answer)
{
    json_object_set_new(answer, "passes", json_integer((json_int_t)s->passes));
    json_object_set_new(answer, "all_passes", json_integer((json_int_t)s->run->facts->pass_count));
    return answer;
}

/* Machines that a freedom would take out of the allowed ranges are left out. */
int explore_search_limits(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                          json_t **answer, struct why *why)
{
    struct searcher s = {run, passes, why};
    struct machine_merit base, merit;
    json_t *list = json_array();
    int status = try_machine(&s, hardware, &base);
    for (unsigned i = 0; i < MACHINE_FREEDOMS && status == 0; i++) {
        struct hardware machine = *hardware;
        machine_freedoms[i].make(&machine);
        if (!machine_is_allowed(&machine) || (status = try_machine(&s, &machine, &merit)))
            continue;
        json_t *row = merit_json(&merit);
        json_object_set_new(row, "stage", json_string(machine_freedoms[i].stage));
        json_object_set_new(row, "meaning", json_string(machine_freedoms[i].meaning));
        json_array_append_new(list, row);
    }
    if (status == 0)
        *answer = add_passes(&s, json_pack("{s:o, s:O}", "base", merit_json(&base), "free", list));
    json_decref(list);
    return status;
}

int explore_search_fifos(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                         json_t **answer, struct why *why)
{
    struct searcher s = {run, passes, why};
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
        json_array_append_new(fifos, json_pack("{s:s, s:I, s:I}", "parameter", board_fifos[i].parameter,
                                               "depth", (json_int_t)board_fifo_places(i, &machine.board),
                                               "before", (json_int_t)board_fifo_places(i, &hardware->board)));
    *answer =
        add_passes(&s, json_pack("{s:f, s:o, s:o, s:o}", "keep", KEEP, "fifos", fifos, "unbounded",
                                 merit_json(&result.unbounded), "bounded", merit_json(&result.bounded)));
    return 0;
}
