#include "traces/statistics/moments.h"

#include <math.h>
#include <stdbool.h>

#define SQUARES_MAX ((wide_uint)1 << 127)

void moments_add_square(struct moments *m, uint64_t value, uint64_t weight)
{
    const double square = (double)value * (double)value * (double)weight;
    const bool fits = (double)m->squares + square < 0x1.fp126;
    m->squares = fits ? m->squares + (wide_uint)value * value * weight : SQUARES_MAX;
}

/* Values below 2^EACH_BITS: 64 bits hold the sum of the squares of EACH_MOST of them. */
enum { EACH_BITS = 28, EACH_MOST = 256 };

static void add_small(struct moments *m, const uint64_t *values, size_t count)
{
    uint64_t least = values[0], most = values[0], sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
        sum += values[i];
        squares += values[i] * values[i];
    }
    m->least = m->weight == 0 || least < m->least ? least : m->least;
    m->most = m->weight == 0 || most > m->most ? most : m->most;
    m->weight += count;
    m->sum += sum;
    m->squares += squares;
}

void moments_add_each(struct moments *m, const uint64_t *values, size_t count)
{
    for (size_t part; count > 0; count -= part, values += part) {
        uint64_t bits = 0;
        part = count < EACH_MOST ? count : EACH_MOST;
        for (size_t i = 0; i < part; i++)
            bits |= values[i];
        if (bits >> EACH_BITS == 0)
            add_small(m, values, part);
        for (size_t i = 0; bits >> EACH_BITS > 0 && i < part; i++)
            moments_add(m, values[i], 1);
    }
}

/* Values added together by sums alone: 3 bits are left of 64 if weights are below 2^32. */
enum { RUN_MOST = 512, RUN_WEIGHT_BITS = 32 };

/* Add up to RUN_MOST values below 2^40 with weights below 2^32. Of value first + i, the weights from i on are added up:
 * the sum of these sums over i >= 1 is that of w i, and the sum of theirs that of w i (i + 1) / 2. */
static void add_run(struct moments *m, uint64_t first, const uint64_t *weights, size_t count)
{
    uint64_t weight = 0, sum = 0, sums = 0;
    while (count > 0 && weights[count - 1] == 0)
        count--;
    if (count == 0)
        return;
    struct moments part = {.most = first + count - 1};
    for (size_t i = count - 1; i > 0; i--) {
        weight += weights[i];
        sum += weight;
        sums += sum;
    }
    weight += weights[0];
    size_t least = 0;
    while (weights[least] == 0)
        least++;
    part.least = first + least;
    part.weight = weight;
    part.sum = (wide_uint)first * weight + sum;
    part.squares = (wide_uint)first * first * weight + 2 * (wide_uint)first * sum + 2 * (wide_uint)sums - sum;
    moments_merge(m, &part);
}

void moments_add_run(struct moments *m, uint64_t first, const uint64_t *weights, size_t count)
{
    for (size_t part; count > 0; count -= part, weights += part, first += part) {
        uint64_t bits = 0;
        part = count < RUN_MOST ? count : RUN_MOST;
        for (size_t i = 0; i < part; i++)
            bits |= weights[i];
        const bool fits = bits >> RUN_WEIGHT_BITS == 0 && first < UINT64_C(1) << 39;
        if (fits)
            add_run(m, first, weights, part);
        for (size_t i = 0; !fits && i < part; i++)
            moments_add(m, first + i, weights[i]);
    }
}

void moments_merge(struct moments *sum, const struct moments *part)
{
    if (part->weight == 0)
        return;
    if (sum->weight == 0 || part->least < sum->least)
        sum->least = part->least;
    if (sum->weight == 0 || part->most > sum->most)
        sum->most = part->most;
    sum->weight += part->weight;
    sum->sum += part->sum;
    const bool fits = sum->squares < SQUARES_MAX && part->squares < SQUARES_MAX;
    sum->squares = fits ? sum->squares + part->squares : SQUARES_MAX;
}

/* The whole number next to the mean. */
static uint64_t middle(const struct moments *m)
{
    return (uint64_t)((m->sum + m->weight / 2) / m->weight);
}

/* S1 = sum of w (v - middle), exact. */
static wide_int first_about(const struct moments *m, uint64_t middle)
{
    return (wide_int)m->sum - (wide_int)((wide_uint)middle * m->weight);
}

double moments_mean(const struct moments *m)
{
    if (m->weight == 0)
        return NAN;
    uint64_t about = middle(m);
    return (double)about + (double)first_about(m, about) / (double)m->weight;
}

double moments_variance(const struct moments *m)
{
    if (m->weight == 0 || m->squares >= SQUARES_MAX)
        return NAN;
    uint64_t about = middle(m);
    wide_int first = first_about(m, about);
    /* sum w (v - a)^2 = squares - a^2 W - 2 a S1 */
    wide_int second =
        (wide_int)(m->squares - (wide_uint)about * about * m->weight) - 2 * (wide_int)about * first;
    double offset = (double)first / (double)m->weight;
    return (double)second / (double)m->weight - offset * offset;
}

double moments_deviation(const struct moments *m)
{
    return sqrt(moments_variance(m));
}

void real_moments_add(struct real_moments *m, double value, double weight)
{
    if (!(weight > 0))
        return;
    struct real_moments one = {.weight = weight, .mean = value, .least = value, .most = value};
    real_moments_merge(m, &one);
}

void real_moments_merge(struct real_moments *sum, const struct real_moments *part)
{
    if (!(part->weight > 0))
        return;
    if (!(sum->weight > 0)) {
        *sum = *part;
        return;
    }
    double weight = sum->weight + part->weight, apart = part->mean - sum->mean;
    sum->mean += apart * (part->weight / weight);
    sum->m2 += part->m2 + apart * apart * sum->weight * (part->weight / weight);
    sum->weight = weight;
    sum->least = fmin(sum->least, part->least);
    sum->most = fmax(sum->most, part->most);
}

double real_moments_variance(const struct real_moments *m)
{
    return m->weight > 0 ? m->m2 / m->weight : NAN;
}
