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
