#include "model/closed/residual_life.h"

#include <math.h>
#include <stdlib.h>

#include "model/model_error.h"
#include "model/numbers.h"

/* The network with each population up to its own. */
struct recursion {
    struct residual_life_class *classes;
    unsigned count;
    double shared_s, rest; /* rest: of the service under way, as a part of a mean service */
    size_t stride[CLOSED_CLASSES_MAX];
    double *shared, *busy;               /* mean number at the shared server, and in service there */
    double *private[CLOSED_CLASSES_MAX]; /* mean number at each private centre */
};

static int check(const struct residual_life_class *classes, unsigned count, double shared_s, double scv)
{
    if (count < 1 || count > CLOSED_CLASSES_MAX)
        return MODEL_ECLOSED;
    double states = 1;
    for (unsigned r = 0; r < count; r++) {
        if (!is_not_negative(classes[r].private_s))
            return MODEL_ESERVICE;
        if (classes[r].population < 1)
            return MODEL_EPOPULATION;
        states *= classes[r].population + 1.0;
    }
    if (!is_positive(shared_s))
        return MODEL_ESERVICE;
    if (!is_not_negative(scv))
        return MODEL_ESCV;
    return states > RESIDUAL_LIFE_STATES_MOST ? MODEL_EREACH : 0;
}

/* One population, whose smaller ones have been solved. */
static void step(struct recursion *c, size_t state)
{
    double x_per_s[CLOSED_CLASSES_MAX], time_s[CLOSED_CLASSES_MAX][2], load = 0;
    for (unsigned r = 0; r < c->count; r++) {
        size_t customers = state / c->stride[r] % (c->classes[r].population + 1);
        x_per_s[r] = 0;
        if (customers == 0)
            continue;
        size_t less = state - c->stride[r];
        time_s[r][0] = c->classes[r].private_s * (1 + c->private[r][less]);
        time_s[r][1] = c->shared_s * (1 + c->shared[less] - c->busy[less] * (1 - c->rest));
        x_per_s[r] = (double)customers / (time_s[r][0] + time_s[r][1]);
        load += x_per_s[r] * c->shared_s;
    }
    double cut = load > 1 ? 1 / load : 1;
    c->shared[state] = 0;
    c->busy[state] = fmin(load, 1);
    for (unsigned r = 0; r < c->count; r++) {
        size_t customers = state / c->stride[r] % (c->classes[r].population + 1);
        x_per_s[r] *= cut;
        c->private[r][state] = customers > 0 ? x_per_s[r] * time_s[r][0] : 0;
        c->shared[state] += (double)customers - c->private[r][state];
        c->classes[r].x_per_s = x_per_s[r];
    }
}

int residual_life_solve(struct residual_life_class *classes, unsigned count, double shared_s, double scv)
{
    int status = check(classes, count, shared_s, scv);
    if (status)
        return status;
    struct recursion c = {.classes = classes, .count = count, .shared_s = shared_s, .rest = (1 + scv) / 2};
    size_t states = 1;
    for (unsigned r = 0; r < count; r++) {
        c.stride[r] = states;
        states *= classes[r].population + 1;
    }
    double *numbers = calloc(states * (count + 2), sizeof *numbers);
    if (!numbers)
        return MODEL_EMEMORY;
    c.shared = numbers;
    c.busy = numbers + states;
    for (unsigned r = 0; r < count; r++)
        c.private[r] = numbers + (r + 2) * states;
    for (size_t state = 1; state < states; state++)
        step(&c, state);
    free(numbers);
    return 0;
}
