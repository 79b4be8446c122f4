#include "traces/interval_moments.h"

#include <math.h>

enum { CHUNK = 512 };

__extension__ typedef __int128 signed_sum;

/* --- taking in ------------------------------------------------------------------------------------------- */

static void add_large(struct interval_moments *m, const int64_t *times, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        m->squares += (moments_sum)times[i] * (moments_sum)times[i];
        m->products += i > 0 ? (moments_sum)times[i - 1] * (moments_sum)times[i] : 0;
    }
}

/* Times that sum up to less than 2^32 have squares and products that sum up to less than 2^64. */
static void add_small(struct interval_moments *m, const int64_t *times, size_t count)
{
    uint64_t squares = (uint64_t)(uint32_t)times[0] * (uint32_t)times[0], products = 0;
    for (size_t i = 1; i < count; i++) {
        squares += (uint64_t)(uint32_t)times[i] * (uint32_t)times[i];
        products += (uint64_t)(uint32_t)times[i - 1] * (uint32_t)times[i];
    }
    m->squares += squares;
    m->products += products;
}

static void add_chunk(struct interval_moments *m, const int64_t *times, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (uint64_t)times[i];
    if (m->count == 0) {
        m->streams = 1;
        m->firsts = (uint64_t)times[0];
    } else {
        m->products += (moments_sum)m->lasts * (moments_sum)times[0];
    }
    m->count += count;
    m->lasts = (uint64_t)times[count - 1];
    m->sum += sum;
    (sum < UINT64_C(1) << 32 ? add_small : add_large)(m, times, count);
}

void interval_tap_times(struct interval_tap *tap, const int64_t *times, size_t count)
{
    for (size_t done = 0; done < count; done += CHUNK)
        add_chunk(&tap->moments, times + done, count - done < CHUNK ? count - done : CHUNK);
}

void interval_tap_clocks(struct interval_tap *tap, const int64_t *clocks, size_t count)
{
    int64_t times[CHUNK];
    size_t i = 0;
    if (!tap->begun && count > 0) {
        tap->begun = true;
        tap->clock = clocks[i++];
    }
    while (i < count) {
        size_t part = count - i < CHUNK ? count - i : CHUNK;
        times[0] = clocks[i] - tap->clock;
        for (size_t j = 1; j < part; j++)
            times[j] = clocks[i + j] - clocks[i + j - 1];
        add_chunk(&tap->moments, times, part);
        i += part;
        tap->clock = clocks[i - 1];
    }
}

void interval_moments_merge(struct interval_moments *sum, const struct interval_moments *part)
{
    sum->count += part->count;
    sum->streams += part->streams;
    sum->firsts += part->firsts;
    sum->lasts += part->lasts;
    sum->sum += part->sum;
    sum->squares += part->squares;
    sum->products += part->products;
}

/* --- what follows from it -------------------------------------------------------------------------------- */

double interval_moments_mean(const struct interval_moments *m)
{
    return m->count ? (double)m->sum / (double)m->count : NAN;
}

static signed_sum middle(const struct interval_moments *m)
{
    return (signed_sum)((m->sum + m->count / 2) / m->count);
}

/* Sum of (x - mean)^2; d, the mean less `middle`, is at most 1/2. */
static double sum_of_squares(const struct interval_moments *m, double *d)
{
    signed_sum c = middle(m), n = (signed_sum)m->count;
    signed_sum first = (signed_sum)m->sum - n * c;
    signed_sum second = (signed_sum)m->squares - 2 * c * (signed_sum)m->sum + n * c * c;
    *d = (double)first / (double)n;
    return fmax(0, (double)second - (double)first * *d);
}

double interval_moments_scv(const struct interval_moments *m)
{
    double d, mean = interval_moments_mean(m);
    return mean > 0 ? sum_of_squares(m, &d) / (double)m->count / (mean * mean) : NAN;
}

double interval_moments_lag1(const struct interval_moments *m)
{
    if (m->count == 0)
        return NAN;
    double d, squares = sum_of_squares(m, &d);
    signed_sum c = middle(m), pairs = (signed_sum)(m->count - m->streams);
    signed_sum both =
        2 * (signed_sum)m->sum - (signed_sum)m->firsts - (signed_sum)m->lasts; /* of all pairs */
    signed_sum about = both - 2 * pairs * c;
    signed_sum products = (signed_sum)m->products - c * both + pairs * c * c;
    return squares > 0 ? ((double)products - d * (double)about + (double)pairs * d * d) / squares : NAN;
}
