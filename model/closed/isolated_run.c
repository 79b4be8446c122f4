#include "model/closed/isolated_run.h"

#include <math.h>
#include <stdlib.h>

#include "model/model_error.h"

static const double BUSY_MOST = 1 - 1e-6; /* of the shared centre, so that there is a private one */

static double part(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static int find_groups(struct isolated_run *run, unsigned groups, uint64_t seed)
{
    struct k_means_point *points = malloc(run->frame_count * sizeof *points);
    run->group = malloc(run->frame_count * sizeof *run->group);
    int status = points && run->group ? 0 : MODEL_EMEMORY;
    for (size_t i = 0; i < run->frame_count && status == 0; i++) {
        const struct isolated_frame *f = &run->frames[i];
        points[i] = (struct k_means_point){part(f->requests, f->length_s), part(f->at_centre_s, f->requests)};
    }
    if (status == 0)
        status = k_means(points, run->frame_count, groups, seed, run->group, &run->group_count);
    free(points);
    return status;
}

/* Sums over the frames of a group. */
static struct isolated_frame sum_of_group(const struct isolated_run *run, unsigned group)
{
    struct isolated_frame sum = {0};
    for (size_t i = 0; i < run->frame_count; i++) {
        const struct isolated_frame *f = &run->frames[i];
        if (run->group[i] != group)
            continue;
        sum.length_s += f->length_s;
        sum.requests += f->requests;
        sum.at_centre_s += f->at_centre_s;
        sum.number_s += f->number_s;
        sum.others += f->others;
    }
    return sum;
}

static int fit_group(const struct isolated_frame *sum, double service_s, struct isolated_group *g)
{
    *g = (struct isolated_group){
        .length_s = sum->length_s,
        .x_per_s = part(sum->requests, sum->length_s),
        .w_s = part(sum->at_centre_s, sum->requests),
        .n = part(sum->number_s, sum->length_s),
        .others_per_s = part(sum->others, sum->length_s),
    };
    if (!(g->x_per_s > 0))
        return 0;
    bool met;
    return private_centre_fit(fmin(g->x_per_s, BUSY_MOST / service_s), g->w_s, service_s, 1, &g->centre,
                              &met);
}

int isolated_run_fit(const struct isolated_frame *frames, size_t frame_count, unsigned groups, uint64_t seed,
                     double service_s, struct isolated_run *out)
{
    *out = (struct isolated_run){.frames = frames, .frame_count = frame_count};
    double requests = 0;
    for (size_t i = 0; i < frame_count; i++) {
        requests += frames[i].requests;
        out->length_s += frames[i].length_s;
    }
    if (!(requests > 0))
        return MODEL_EREQUESTS;
    int status = find_groups(out, groups, seed);
    for (unsigned k = 0; k < out->group_count && status == 0; k++) {
        struct isolated_frame sum = sum_of_group(out, k);
        status = fit_group(&sum, service_s, &out->groups[k]);
    }
    return status;
}

struct isolated_fit isolated_run_find_fit(const struct isolated_run *run)
{
    struct isolated_fit off = {0, 0, 0, 0};
    double requests = 0, at_centre_s = 0, number_s = 0;
    for (unsigned k = 0; k < run->group_count; k++) {
        const struct isolated_group *g = &run->groups[k];
        const struct private_centre *c = &g->centre;
        off.throughput += g->length_s * fabs(c->x_per_s - g->x_per_s);
        off.time += g->length_s * g->x_per_s * fabs(c->w_s - g->w_s);
        off.number += g->length_s * fabs(c->x_per_s * c->w_s - g->n);
    }
    for (size_t i = 0; i < run->frame_count; i++) {
        const struct isolated_frame *f = &run->frames[i];
        off.little += fabs(f->at_centre_s - f->number_s);
        requests += f->requests;
        at_centre_s += f->at_centre_s;
        number_s += f->number_s;
    }
    return (struct isolated_fit){part(off.throughput, requests), part(off.time, at_centre_s),
                                 part(off.number, number_s), part(off.little, number_s)};
}

void isolated_run_destroy(struct isolated_run *run)
{
    free(run->group);
    *run = (struct isolated_run){0};
}
