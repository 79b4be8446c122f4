#include "app/share/share_theory.h"

#include <math.h>
#include <stdlib.h>

#include "base/command.h"
#include "model/model_error.h"
#include "app/share/isolated_frames.h"

const char *const share_theory_names[PARALLEL_MODELS] = {
    [PARALLEL_MVA] = "MVA",
    [PARALLEL_RESIDUAL_LIFE] = "Reiser",
    [PARALLEL_FAIR_SHARES] = "shares",
};

/* The runs' frames and groups. */
struct isolated_runs {
    struct isolated_frame *frames[PARALLEL_RUNS_MAX];
    struct isolated_run runs[PARALLEL_RUNS_MAX];
};

double share_theory_block_s(const struct share_case *boards)
{
    return boards->hardware->pcix_block_bytes / hardware_bus_bytes_per_s(boards->hardware);
}

double share_theory_default_step_s(const struct share_case *boards)
{
    static const double FRAMES_MOST = 200000;
    double step_s = share_theory_block_s(boards) / 2;
    for (unsigned i = 0; i < boards->count; i++)
        step_s = fmax(step_s, boards->alone[i]->end_s / FRAMES_MOST);
    return step_s;
}

double share_theory_step_s(const struct share_case *boards, const struct share_choice *choice)
{
    return choice->step_s > 0 ? choice->step_s : share_theory_default_step_s(boards);
}

static double service_s(const struct share_case *boards, const struct share_choice *choice)
{
    return share_theory_block_s(boards) / choice->bus_rate;
}

static int say(const char *name, int error, struct why *why)
{
    if (error == MODEL_EMEMORY)
        return why_no_memory(why, COMMAND_FAILED);
    return why_say(why, COMMAND_FAILED, "%.300s: %s", name, model_error_text(error));
}

/* The first run that is the same: its groups serve both. */
static unsigned first_of(const struct share_case *boards, unsigned i)
{
    unsigned first = 0;
    while (boards->alone[first] != boards->alone[i])
        first++;
    return first;
}

static int fit(const struct share_case *boards, const struct share_choice *choice, unsigned i,
               struct isolated_runs *all, struct why *why)
{
    size_t count = 0;
    if (first_of(boards, i) < i) {
        all->runs[i] = all->runs[first_of(boards, i)];
        return 0;
    }
    int status = isolated_frames_make(boards->alone[i], boards->names[i], share_theory_step_s(boards, choice),
                                      boards->hardware->pcix_block_bytes, &all->frames[i], &count, why);
    if (status)
        return status;
    int error = isolated_run_fit(all->frames[i], count, choice->clusters, choice->seed,
                                 service_s(boards, choice), &all->runs[i]);
    return error ? say(boards->names[i], error, why) : 0;
}

int share_theory_predict(const struct share_case *boards, const struct share_choice *choice,
                         struct share_prediction *out, struct why *why)
{
    struct isolated_runs *all = calloc(1, sizeof *all);
    int status = all ? 0 : why_no_memory(why, COMMAND_FAILED);
    *out = (struct share_prediction){.is_linearized = false};
    for (unsigned i = 0; i < boards->count && status == 0; i++) {
        status = fit(boards, choice, i, all, why);
        out->fit[i] = isolated_run_find_fit(&all->runs[i]);
        out->groups[i] = all->runs[i].group_count;
    }
    for (unsigned model = 0; model < PARALLEL_MODELS && status == 0; model++) {
        bool is_linearized = false;
        int error = parallel_runs_predict(all->runs, boards->count, service_s(boards, choice),
                                          (enum parallel_model)model, out->end_s[model], &is_linearized);
        out->is_linearized = out->is_linearized || is_linearized;
        status = error ? say(share_theory_names[model], error, why) : 0;
    }
    for (unsigned i = 0; all && i < boards->count; i++) {
        if (first_of(boards, i) < i)
            continue;
        isolated_run_destroy(&all->runs[i]);
        free(all->frames[i]);
    }
    free(all);
    return status;
}

double share_theory_simulated(const struct share_case *boards, unsigned run)
{
    return boards->together[run]->end_s / boards->alone[run]->end_s - 1;
}

double share_theory_modelled(const struct share_case *boards, const struct share_prediction *prediction,
                             enum parallel_model model, unsigned run)
{
    return prediction->end_s[model][run] / boards->alone[run]->end_s - 1;
}

double share_theory_error(const struct share_case *boards, const struct share_prediction *prediction,
                          enum parallel_model model)
{
    double sum = 0;
    for (unsigned i = 0; i < boards->count; i++)
        sum += fabs(share_theory_modelled(boards, prediction, model, i) - share_theory_simulated(boards, i));
    return sum / boards->count;
}

double share_theory_bus(const struct share_case *boards, unsigned run)
{
    const struct board_run *alone = boards->alone[run];
    return isolated_frames_bytes(alone, false) / hardware_bus_bytes_per_s(boards->hardware) / alone->end_s;
}
