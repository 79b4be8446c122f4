#include "app/explore/explore_search.h"

#include <math.h>

#include "base/command.h"
#include "base/json_number.h"
#include "sim/measure/machine_frame.h"
#include "app/explore/explore_answer.h"
#include "app/advise/fifo_search.h"
#include "app/advise/machine_freedom.h"

/* Share of the quickest machine's speed that the smallest FIFOs keep. */
static const double KEEP = 0.99;

struct searcher {
    const struct explored_run *run;
    size_t passes;
    struct why *why;
};

/* A machine_trier. @return 0, or the negative of a command's status */
static int try_machine(void *data, const struct hardware *hardware, struct machine_merit *merit)
{
    const struct searcher *s = data;
    struct hardware machine = *hardware;
    struct passes_result result;
    if (hardware_check(&machine, s->why) != 0)
        return -COMMAND_REFUSED;
    if (explore_answer_time(s->run, &machine, s->passes, &result, s->why) != 0)
        return -COMMAND_FAILED;
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

static int write_answer(const struct searcher *s, json_t *answer, FILE *out)
{
    json_object_set_new(answer, "passes", json_integer((json_int_t)s->passes));
    json_object_set_new(answer, "all_passes", json_integer((json_int_t)s->run->facts->pass_count));
    int status = answer ? json_dumpf(answer, out, JSON_COMPACT | JSON_REAL_PRECISION(12)) : -1;
    json_decref(answer);
    return status == 0 ? 0 : why_no_memory(s->why, COMMAND_REFUSED);
}

/* --- limits ---------------------------------------------------------------------------------------------- */

/* Machines that a freedom would take out of the allowed ranges are left out. */
static int try_freedoms(struct searcher *s, const struct hardware *hardware, json_t *list)
{
    int status = 0;
    for (unsigned i = 0; i < MACHINE_FREEDOMS && status == 0; i++) {
        struct hardware machine = *hardware;
        struct machine_merit merit;
        machine_freedoms[i].make(&machine);
        if (!machine_is_allowed(&machine))
            continue;
        status = try_machine(s, &machine, &merit);
        if (status)
            continue;
        json_t *row = merit_json(&merit);
        json_object_set_new(row, "stage", json_string(machine_freedoms[i].stage));
        json_object_set_new(row, "meaning", json_string(machine_freedoms[i].meaning));
        json_array_append_new(list, row);
    }
    return status;
}

int explore_search_limits(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                          FILE *out, struct why *why)
{
    struct searcher s = {run, passes, why};
    struct machine_merit base;
    json_t *list = json_array();
    int status = try_machine(&s, hardware, &base);
    if (status == 0)
        status = try_freedoms(&s, hardware, list);
    if (status == 0)
        return write_answer(&s, json_pack("{s:o, s:o}", "base", merit_json(&base), "free", list), out);
    json_decref(list);
    return -status;
}

/* --- FIFOs ----------------------------------------------------------------------------------------------- */

int explore_search_fifos(const struct explored_run *run, const struct hardware *hardware, size_t passes,
                         FILE *out, struct why *why)
{
    struct searcher s = {run, passes, why};
    struct fifo_search search = {.loss = 1 - KEEP,
                                 .slowest_s = INFINITY,
                                 .most_ramb18 = UINT64_MAX,
                                 .try_machine = try_machine,
                                 .data = &s};
    int status = fifo_search_run(&search, hardware);
    if (status)
        return -status;
    json_t *fifos = json_array();
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        json_array_append_new(fifos, json_pack("{s:s, s:I, s:I}", "parameter", board_fifos[i].parameter,
                                               "depth", (json_int_t)search.depths[i], "before",
                                               (json_int_t)search.before[i]));
    return write_answer(&s,
                        json_pack("{s:f, s:o, s:o, s:o}", "keep", KEEP, "fifos", fifos, "unbounded",
                                  merit_json(&search.unbounded), "bounded", merit_json(&search.bounded)),
                        out);
}
