/* quantile.h - quantiles of whole numbers from a sketch with a proven bound.
 *
 * Models    the value that a fraction q of the weight does not exceed: the least v with weight(values <= v) >= q W.
 * Sketch    weights in buckets that are linear within each power of two (the buckets of HdrHistogram with DDSketch's
 *           guarantee, Masson et al., VLDB 12, 2019, in whole numbers). With p bits, each value below 2^(p+1) has its
 *           own bucket; a value from 2^e on (e > p) shares its bucket with 2^(e-p) - 1 others.
 * Error     the answer is the middle of the bucket of the true quantile, at most 2^(e-p-1) away from a value of at
 *           least 2^e: the relative error is at most 2^-(p+1), and 0 below 2^(p+1).
 * Memory    room for (65 - p) 2^p buckets of 8 bytes, however many values are added: 30 KB at 1%. Buckets above that of
 *           the greatest value added so far are neither cleared nor read, so that most pages are never touched.
 * Merging   adds buckets, so it is exact in any order.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { QUANTILE_BITS_MAX = 20 };

struct quantile_sketch {
    unsigned bits; /* p */
    size_t buckets;
    size_t used; /* the weights of this bucket and of those above are 0, and are not in memory */
    uint64_t weight;
    uint64_t weights[]; /* [used] */
};

/** The bits that give a relative error of at most `error`, in (0, 1); at most QUANTILE_BITS_MAX. */
unsigned quantile_bits(double error);

/** Number of buckets of a sketch. */
size_t quantile_buckets(unsigned bits);

/** The relative error that a sketch guarantees. */
double quantile_bound(const struct quantile_sketch *sketch);

/** An empty sketch. */
struct quantile_sketch *quantile_new(unsigned bits);

void quantile_clear(struct quantile_sketch *sketch);

static inline size_t quantile_bucket(unsigned bits, uint64_t value)
{
    if (value >> (bits + 1) == 0)
        return (size_t)value;
    unsigned shift = 63u - (unsigned)__builtin_clzll(value) - bits;
    return ((size_t)shift << bits) + (size_t)(value >> shift);
}

/** Let the weights of buckets up to `bucket` be in memory. */
void quantile_reach(struct quantile_sketch *sketch, size_t bucket);

static inline void quantile_add(struct quantile_sketch *s, uint64_t value, uint64_t weight)
{
    const size_t bucket = quantile_bucket(s->bits, value);
    if (__builtin_expect(bucket >= s->used, 0))
        quantile_reach(s, bucket);
    s->weights[bucket] += weight;
    s->weight += weight;
}

/** Add a sketch with the same bits. */
void quantile_merge(struct quantile_sketch *sum, const struct quantile_sketch *part);

/** @param q  in [0, 1]; 0 gives the bucket of the least value
 *  @return the quantile, or NaN if the sketch is empty */
double quantile_of(const struct quantile_sketch *sketch, double q);

/** The largest values, falling, each with the error of a quantile. The weights are to be numbers of values.
 *  @param values  out: room for `most`
 *  @return how many there are, at most `most` */
size_t quantile_largest(const struct quantile_sketch *sketch, double *values, size_t most);
