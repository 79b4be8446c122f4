#include "model/forecast/run_replicas.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_rng.h>

struct run_replicas {
    const struct sample_stratum *strata;
    size_t stratum_count;
    const size_t *numbers;
    size_t passes;
    size_t *drawn; /* of each pass of the replica */
    size_t *taken; /* from the urn of one stratum, so far */
    gsl_rng *random;
};

struct run_replicas *run_replicas_new(const struct sample_stratum *strata, size_t count,
                                      const size_t *numbers, uint64_t seed)
{
    struct run_replicas *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (struct run_replicas){.strata = strata, .stratum_count = count, .numbers = numbers};
    for (size_t h = 0; h < count; h++)
        r->passes += strata[h].passes;
    r->drawn = calloc(r->passes, sizeof *r->drawn);
    r->taken = calloc(r->passes, sizeof *r->taken);
    r->random = gsl_rng_alloc(gsl_rng_mt19937);
    if (r->drawn && r->taken && r->random) {
        gsl_rng_set(r->random, seed);
        return r;
    }
    run_replicas_destroy(r);
    return NULL;
}

void run_replicas_destroy(struct run_replicas *r)
{
    if (!r)
        return;
    free(r->drawn);
    free(r->taken);
    if (r->random)
        gsl_rng_free(r->random);
    free(r);
}

size_t run_replicas_passes(const struct run_replicas *r)
{
    return r->passes;
}

/* n a of the header: the weight with which a stratum's urn begins. */
static double urn_weight(const struct sample_stratum *s)
{
    const double n = (double)s->drawn, others = (double)(s->passes - s->drawn);
    return others > 0 ? fmax((n - 1) * (others - 1) / (others + 1) - 1, 0) : 0;
}

/* A number below `count`, which is 1 or more. */
static size_t below(gsl_rng *random, size_t count)
{
    return (size_t)((double)count * gsl_rng_uniform(random));
}

/* @param pass   first pass of the stratum
 * @param drawn  index of its first drawn one */
static void fill_stratum(struct run_replicas *r, const struct sample_stratum *s, size_t pass, size_t drawn)
{
    const double weight = urn_weight(s);
    const size_t first = drawn, end = pass + s->passes;
    for (size_t taken = 0; pass < end; pass++) {
        if (drawn < first + s->drawn && r->numbers[drawn] == pass) {
            r->drawn[pass] = drawn++;
            continue;
        }
        bool is_new = taken == 0 || gsl_rng_uniform(r->random) * (weight + (double)taken) < weight;
        r->drawn[pass] = is_new ? first + below(r->random, s->drawn) : r->taken[below(r->random, taken)];
        r->taken[taken++] = r->drawn[pass];
    }
}

const size_t *run_replicas_next(struct run_replicas *r)
{
    size_t pass = 0, drawn = 0;
    for (size_t h = 0; h < r->stratum_count; h++) {
        fill_stratum(r, &r->strata[h], pass, drawn);
        pass += r->strata[h].passes;
        drawn += r->strata[h].drawn;
    }
    return r->drawn;
}
