#include "traces/statistics/quantile.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

unsigned quantile_bits(double error)
{
    unsigned bits = 0;
    while (bits < QUANTILE_BITS_MAX && ldexp(1, -(int)bits - 1) > error)
        bits++;
    return bits;
}

size_t quantile_buckets(unsigned bits)
{
    return (size_t)(65 - bits) << bits;
}

double quantile_bound(const struct quantile_sketch *s)
{
    return ldexp(1, -(int)s->bits - 1);
}

struct quantile_sketch *quantile_new(unsigned bits)
{
    assert(bits <= QUANTILE_BITS_MAX);
    size_t buckets = quantile_buckets(bits);
    struct quantile_sketch *s = memory_take(sizeof *s + buckets * sizeof s->weights[0]);
    *s = (struct quantile_sketch){.bits = bits, .buckets = buckets};
    return s;
}

void quantile_reach(struct quantile_sketch *s, size_t bucket)
{
    if (bucket < s->used)
        return;
    memset(s->weights + s->used, 0, (bucket + 1 - s->used) * sizeof s->weights[0]);
    s->used = bucket + 1;
}

void quantile_clear(struct quantile_sketch *s)
{
    s->weight = s->used = 0;
}

void quantile_merge(struct quantile_sketch *sum, const struct quantile_sketch *part)
{
    assert(sum->bits == part->bits);
    sum->weight += part->weight;
    if (part->used > 0)
        quantile_reach(sum, part->used - 1);
    for (size_t i = 0; i < part->used; i++)
        sum->weights[i] += part->weights[i];
}

/* The middle between the least and the greatest value of a bucket. */
static double middle(unsigned bits, size_t bucket)
{
    if (bucket >> (bits + 1) == 0)
        return (double)bucket;
    unsigned shift = (unsigned)(bucket >> bits) - 1;
    double least = ldexp((double)((bucket & (((size_t)1 << bits) - 1)) | ((size_t)1 << bits)), (int)shift);
    return least + (ldexp(1, (int)shift) - 1) / 2;
}

double quantile_of(const struct quantile_sketch *s, double q)
{
    assert(q >= 0 && q <= 1);
    if (s->weight == 0)
        return NAN;
    const double weight = (double)s->weight, rank = ceil(q * weight);
    uint64_t left = rank < 1         ? 1
                    : rank >= weight ? s->weight
                                     : (uint64_t)rank; /* weight up to the quantile */
    size_t bucket = 0;
    for (; s->weights[bucket] < left; bucket++)
        left -= s->weights[bucket];
    return middle(s->bits, bucket);
}

size_t quantile_largest(const struct quantile_sketch *s, double *values, size_t most)
{
    size_t count = 0;
    for (size_t bucket = s->used; bucket-- > 0 && count < most;)
        for (uint64_t i = 0; i < s->weights[bucket] && count < most; i++)
            values[count++] = middle(s->bits, bucket);
    return count;
}
