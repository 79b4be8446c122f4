#include "model/queue/fluid_line.h"

#include <assert.h>
#include <math.h>

#define WORK_NONE  1e-6   /* of a window without any work: it takes next to no time */
#define LEVEL_NONE 1e-9   /* of a FIFO */
enum { ROUNDS_MAX = 24 }; /* of two stages that agree on their parts */

struct line {
    const struct fluid_line *of;
    struct fluid_stretch now;
    double done[FLUID_STAGES_MAX];  /* fraction of its window that a stage has done */
    double level[FLUID_STAGES_MAX]; /* of the FIFO before a stage */
};

static double work_of(const struct line *l, unsigned stage)
{
    return fmax(l->of->work[l->now.window[stage]][stage], WORK_NONE);
}

/* Elements per window of FIFO `stage` where stage `at` is. */
static double size_of(const struct line *l, unsigned at, unsigned stage)
{
    return l->now.window[at] < l->of->windows ? l->of->size[l->now.window[at]][stage] : 0;
}

static bool has_ended(const struct line *l, unsigned stage)
{
    return l->now.window[stage] >= l->of->windows;
}

/* --- speeds ---------------------------------------------------------------------------------------------- */

/* Lower speeds until no stage overtakes the one before, and nothing flows over. */
static void lower(const struct line *l, double *speed)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (unsigned j = 1; j < l->of->stages; j++)
            if (l->now.empty[j] && speed[j] > speed[j - 1]) {
                speed[j] = speed[j - 1];
                changed = true;
            }
        for (unsigned j = l->of->stages - 1; j >= 1; j--) {
            const double in = size_of(l, j - 1, j), out = speed[j] * size_of(l, j, j);
            if (l->now.full[j] && speed[j - 1] * in > out * (1 + 1e-12)) {
                speed[j - 1] = out / in;
                changed = true;
            }
        }
    }
}

/* Find the speeds if the two stages that share a server get these parts of it, and what they take of it. */
static void try_parts(struct line *l, double parts[2], double takes[2])
{
    double *speed = l->now.speed;
    for (unsigned j = 0; j < l->of->stages; j++)
        speed[j] = has_ended(l, j) ? 0 : 1 / work_of(l, j);
    for (unsigned i = 0; i < 2 && l->of->shared[1] > 0; i++)
        speed[l->of->shared[i]] *= parts[i];
    lower(l, speed);
    for (unsigned i = 0; i < 2; i++)
        takes[i] =
            has_ended(l, l->of->shared[i]) ? 0 : speed[l->of->shared[i]] * work_of(l, l->of->shared[i]);
}

static void settle(struct line *l)
{
    double parts[2] = {1, 1}, takes[2], wants[2];
    try_parts(l, parts, wants);
    if (l->of->shared[1] == 0)
        return;
    for (unsigned round = 0; round < ROUNDS_MAX && wants[0] + wants[1] > 1 + 1e-9; round++) {
        for (unsigned i = 0; i < 2; i++)
            parts[i] = fmax(0.5, 1 - wants[1 - i]);
        try_parts(l, parts, takes);
        for (unsigned i = 0; i < 2; i++)
            wants[i] = (wants[i] + takes[i]) / 2;
    }
}

/* --- time ------------------------------------------------------------------------------------------------ */

static double flow_into(const struct line *l, unsigned j)
{
    return l->now.speed[j - 1] * size_of(l, j - 1, j) - l->now.speed[j] * size_of(l, j, j);
}

static double ahead(const struct line *l, unsigned j)
{
    return (double)(l->now.window[j - 1] - l->now.window[j]) + l->done[j - 1] - l->done[j];
}

/* The time until something changes. */
static double time_left(const struct line *l)
{
    double time = INFINITY;
    for (unsigned j = 0; j < l->of->stages; j++) {
        const double speed = l->now.speed[j];
        if (speed > 0)
            time = fmin(time, (1 - l->done[j]) / speed);
        if (j == 0)
            continue;
        if (!l->now.empty[j] && speed > l->now.speed[j - 1])
            time = fmin(time, fmax(0, ahead(l, j)) / (speed - l->now.speed[j - 1]));
        const double flow = flow_into(l, j);
        if (!l->now.full[j] && flow > 0)
            time = fmin(time, fmax(0, l->of->places[j] - l->level[j]) / flow);
    }
    return time;
}

/* FIFOs that do not stay empty or full with these speeds are neither. */
static void leave(struct line *l)
{
    for (unsigned j = 1; j < l->of->stages; j++) {
        if (l->now.empty[j] && l->now.speed[j] < l->now.speed[j - 1] * (1 - 1e-12))
            l->now.empty[j] = false;
        if (l->now.full[j] && flow_into(l, j) < -1e-12 * l->now.speed[j] * size_of(l, j, j))
            l->now.full[j] = false;
    }
}

static void advance(struct line *l, double time)
{
    for (unsigned j = 1; j < l->of->stages; j++) {
        l->now.first[j] = l->level[j];
        l->level[j] = fmin(fmax(0, l->level[j] + time * flow_into(l, j)), l->of->places[j]);
        l->now.last[j] = l->level[j];
    }
    l->now.time = time;
    for (unsigned j = 0; j < l->of->stages; j++)
        l->done[j] += time * l->now.speed[j];
}

/* Stages that have come to the end of their window go to the next one, and FIFOs become empty or full. */
static void arrive(struct line *l)
{
    for (unsigned j = 0; j < l->of->stages; j++) {
        if (l->now.speed[j] > 0 && l->done[j] > 1 - 1e-9) {
            l->now.window[j]++;
            l->done[j] = 0;
        }
        if (j == 0)
            continue;
        if (l->now.empty[j] || ahead(l, j) < 1e-9) {
            l->now.empty[j] = true;
            l->now.window[j] = l->now.window[j - 1];
            l->done[j] = l->done[j - 1];
            l->level[j] = 0;
        }
        if (l->level[j] > l->of->places[j] * (1 - LEVEL_NONE))
            l->now.full[j] = true;
    }
}

double fluid_line_run(const struct fluid_line *line, fluid_see *see, void *data)
{
    struct line l = {.of = line};
    double time = 0;
    for (unsigned j = 1; j < line->stages; j++)
        l.now.empty[j] = true;
    while (!has_ended(&l, line->stages - 1)) {
        settle(&l);
        leave(&l);
        const double left = time_left(&l);
        assert(isfinite(left)); /* some stage moves: work is finite, and a last stage is never held up */
        advance(&l, left);
        see(data, &l.now);
        time += left;
        arrive(&l);
    }
    return time;
}
