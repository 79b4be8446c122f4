#include "model/closed/parallel_runs.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/closed/linearizer.h"
#include "model/model_error.h"

/* Which programs run, and the group of each: a byte per program, 0 if it has ended, else 1 + its group. */
struct combination {
    uint64_t groups;
    double progress[PARALLEL_RUNS_MAX]; /* of those that run */
};

/* A program on its way. */
struct walker {
    size_t frame, group_end; /* frames of the same group as `frame`, up to group_end */
    double left_s;           /* of its time alone, until the end of the group */
    bool ended;
};

struct walk {
    const struct isolated_run *runs;
    unsigned count;
    double service_s;
    enum parallel_model model;
    bool is_linearized;
    struct walker walkers[PARALLEL_RUNS_MAX];
    void *combinations; /* that are known: a tree (tsearch()) */
};

static const struct isolated_group *group_of(const struct walk *w, unsigned i)
{
    return &w->runs[i].groups[w->runs[i].group[w->walkers[i].frame]];
}

/* --- fair shares ----------------------------------------------------------------------------------------- */

/* The fraction of the bus that all use if no direction of a board gets more than `share`. */
static double used_with(struct fair_shares_board *boards, unsigned count, double share)
{
    double used = 0;
    for (unsigned i = 0; i < count; i++) {
        struct fair_shares_board *b = &boards[i];
        double most = fmax(b->in, b->out);
        b->progress = most > share ? share / most : 1;
        used += b->progress * (b->in + b->out);
    }
    return used;
}

double fair_shares_divide(struct fair_shares_board *boards, unsigned count)
{
    enum { HALVINGS = 60 };
    double least = 0, most = 1; /* with shares of `least`, the bus has room */
    double used = used_with(boards, count, HUGE_VAL);
    if (used <= 1)
        return used;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (least + most) / 2;
        if (used_with(boards, count, middle) > 1)
            most = middle;
        else
            least = middle;
    }
    return used_with(boards, count, most);
}

/* --- one combination ---------------------------------------------------------------------------------------- */

/* Programs that run and ask for something. @param number  out: their numbers */
static unsigned find_asking(const struct walk *w, unsigned number[PARALLEL_RUNS_MAX])
{
    unsigned asking = 0;
    for (unsigned i = 0; i < w->count; i++)
        if (!w->walkers[i].ended && group_of(w, i)->x_per_s > 0)
            number[asking++] = i;
    return asking;
}

static int solve_mva(struct walk *w, double *progress)
{
    unsigned number[PARALLEL_RUNS_MAX], asking = find_asking(w, number);
    struct closed_network network = {.centre_count = asking + 1, .class_count = asking};
    double *speeds[PARALLEL_RUNS_MAX] = {NULL};
    network.centres[asking] = (struct closed_centre){.mu_per_s = 1 / w->service_s, .servers = 1};
    for (unsigned k = 0; k < asking; k++) {
        const struct private_centre *c = &group_of(w, number[k])->centre;
        network.centres[k] = (struct closed_centre){.mu_per_s = c->mu_per_s, .servers = c->servers};
        if (c->alpha > 0)
            network.centres[k].speeds = speeds[k] = closed_power_speeds(c->alpha, c->population);
        network.centres[k].speed_count = c->population;
        network.centres[k].visits[k] = network.centres[asking].visits[k] = 1;
        network.population[k] = c->population;
    }
    if (asking == 0)
        return 0;
    struct closed_result r;
    bool large = closed_network_states(&network) > PARALLEL_RUNS_STATES_MOST;
    int status = large ? MODEL_EREACH : closed_network_solve(&network, &r);
    if (status == MODEL_EREACH) {
        w->is_linearized = true;
        status = linearizer_solve(&network, &r);
    }
    for (unsigned k = 0; k < asking && status == 0; k++)
        progress[number[k]] = r.x_per_s[k] / group_of(w, number[k])->centre.x_per_s;
    for (unsigned k = 0; k < asking; k++)
        free(speeds[k]);
    return status;
}

static void solve_fair_shares(const struct walk *w, double *progress)
{
    unsigned number[PARALLEL_RUNS_MAX], asking = find_asking(w, number);
    struct fair_shares_board boards[PARALLEL_RUNS_MAX];
    for (unsigned k = 0; k < asking; k++) {
        const struct isolated_group *g = group_of(w, number[k]);
        boards[k] = (struct fair_shares_board){g->x_per_s * w->service_s, g->others_per_s * w->service_s, 1};
    }
    fair_shares_divide(boards, asking);
    for (unsigned k = 0; k < asking; k++)
        progress[number[k]] = boards[k].progress;
}

/* --- combinations that are known ---------------------------------------------------------------------------- */

static int compare(const void *one, const void *other)
{
    const struct combination *a = one, *b = other;
    return (a->groups > b->groups) - (a->groups < b->groups);
}

static int find_progress(struct walk *w, const double **progress)
{
    struct combination now = {.groups = 0};
    for (unsigned i = 0; i < w->count; i++) {
        now.progress[i] = 1;
        if (!w->walkers[i].ended)
            now.groups |= (uint64_t)(1 + w->runs[i].group[w->walkers[i].frame]) << (8 * i);
    }
    struct combination *const *known = tfind(&now, &w->combinations, compare);
    if (known) {
        *progress = (*known)->progress;
        return 0;
    }
    int status = 0;
    if (w->model == PARALLEL_MVA)
        status = solve_mva(w, now.progress);
    else
        solve_fair_shares(w, now.progress);
    for (unsigned i = 0; i < w->count; i++)
        now.progress[i] = fmin(now.progress[i], 1);
    struct combination *kept = memory_take(sizeof *kept);
    if (!tsearch(memcpy(kept, &now, sizeof now), &w->combinations, compare))
        memory_exhausted();
    *progress = kept->progress;
    return status;
}

/* --- from group to group ------------------------------------------------------------------------------------ */

static void enter_group(const struct isolated_run *run, struct walker *walker, size_t frame)
{
    *walker = (struct walker){.frame = frame, .group_end = frame, .ended = frame == run->frame_count};
    while (walker->group_end < run->frame_count && run->group[walker->group_end] == run->group[frame])
        walker->left_s += run->frames[walker->group_end++].length_s;
}

/* @return whether a program runs */
static bool go_on(struct walk *w, const double *progress, double *now_s, double *end_s)
{
    static const double NONE_LEFT = 1e-12; /* of what was left: rounding */
    double step_s = INFINITY;
    bool runs = false;
    for (unsigned i = 0; i < w->count; i++)
        if (!w->walkers[i].ended)
            step_s = fmin(step_s, w->walkers[i].left_s / progress[i]);
    *now_s += step_s;
    for (unsigned i = 0; i < w->count; i++) {
        struct walker *walker = &w->walkers[i];
        if (walker->ended)
            continue;
        double before_s = walker->left_s;
        walker->left_s -= step_s * progress[i];
        if (walker->left_s <= NONE_LEFT * before_s)
            enter_group(&w->runs[i], walker, walker->group_end);
        if (walker->ended)
            end_s[i] = *now_s;
        runs = runs || !walker->ended;
    }
    return runs;
}

int parallel_runs_predict(const struct isolated_run *runs, unsigned count, double service_s,
                          enum parallel_model model, double *end_s, bool *is_linearized)
{
    struct walk w = {.runs = runs, .count = count, .service_s = service_s, .model = model};
    double now_s = 0;
    int status = 0;
    for (unsigned i = 0; i < count; i++)
        enter_group(&runs[i], &w.walkers[i], 0);
    for (bool runs_on = true; runs_on && status == 0;) {
        const double *progress;
        status = find_progress(&w, &progress);
        if (status == 0)
            runs_on = go_on(&w, progress, &now_s, end_s);
    }
    tdestroy(w.combinations, free);
    *is_linearized = w.is_linearized;
    return status;
}
