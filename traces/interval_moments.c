#include "traces/interval_moments.h"

#include <math.h>

enum { CHUNK = 512 };

__extension__ typedef __int128 signed_sum;

/* --- taking in ------------------------------------------------------------------------------------------- */

/* Times that sum up to this at most fit 16 bits, and the sums of their squares and products 32. */
enum { SMALL_SUM = INT16_MAX };

struct chunk_sums {
    moments_sum sum, squares, products;
};

static struct chunk_sums add_up(const int64_t *times, size_t count)
{
    struct chunk_sums sums = {0};
    for (size_t i = 0; i < count; i++) {
        sums.sum += (uint64_t)times[i];
        sums.squares += (moments_sum)times[i] * (moments_sum)times[i];
        sums.products += i > 0 ? (moments_sum)times[i - 1] * (moments_sum)times[i] : 0;
    }
    return sums;
}

static struct chunk_sums add_up_small(const int16_t *times, size_t count)
{
    int32_t sum = times[0], squares = times[0] * times[0], products = 0;
    for (size_t i = 1; i < count; i++) {
        sum += times[i];
        squares += times[i] * times[i];
        products += times[i - 1] * times[i];
    }
    return (struct chunk_sums){(uint32_t)sum, (uint32_t)squares, (uint32_t)products};
}

static void add_chunk(struct interval_moments *m, struct chunk_sums sums, int64_t first, int64_t last,
                      size_t count)
{
    if (m->count == 0) {
        m->streams = 1;
        m->firsts = (uint64_t)first;
    } else {
        m->products += (moments_sum)m->lasts * (moments_sum)first;
    }
    m->count += count;
    m->lasts = (uint64_t)last;
    m->sum += sums.sum;
    m->squares += sums.squares;
    m->products += sums.products;
}

static void add_times(struct interval_moments *m, const int64_t *times, size_t count)
{
    add_chunk(m, add_up(times, count), times[0], times[count - 1], count);
}

static void add_small_times(struct interval_moments *m, const int16_t *times, size_t count)
{
    add_chunk(m, add_up_small(times, count), times[0], times[count - 1], count);
}

void interval_tap_times(struct interval_tap *tap, const int64_t *times, size_t count)
{
    for (size_t done = 0; done < count; done += CHUNK)
        add_times(&tap->moments, times + done, count - done < CHUNK ? count - done : CHUNK);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A chunk of arrivals, the one before them in clock `before`. */
static void add_arrivals(struct interval_moments *m, int64_t before, const int64_t *clocks, size_t count)
{
    int64_t times[CHUNK];
    times[0] = clocks[0] - before;
    for (size_t i = 1; i < count; i++)
        times[i] = clocks[i] - clocks[i - 1];
    add_times(m, times, count);
}

static void add_small_arrivals(struct interval_moments *m, int64_t before, const int64_t *clocks,
                               size_t count)
{
    int16_t times[CHUNK];
    times[0] = (int16_t)(clocks[0] - before);
    for (size_t i = 1; i < count; i++)
        times[i] = (int16_t)(clocks[i] - clocks[i - 1]);
    add_small_times(m, times, count);
}

void interval_tap_clocks(struct interval_tap *tap, const int64_t *clocks, size_t count)
{
    size_t done = 0, part;
    if (!tap->begun && count > 0) {
        tap->begun = true;
        tap->clock = clocks[done++];
    }
    for (; done < count; done += part) {
        const int64_t *from = clocks + done;
        part = count - done < CHUNK ? count - done : CHUNK;
        bool small = from[part - 1] - tap->clock <= SMALL_SUM;
        (small ? add_small_arrivals : add_arrivals)(&tap->moments, tap->clock, from, part);
        tap->clock = from[part - 1];
    }
}

/* A chunk of services, the departure before them in clock `before`. */
static void add_services(struct interval_moments *m, int64_t before, const int64_t *arrived, int64_t delay,
                         const int64_t *left, size_t count)
{
    int64_t times[CHUNK];
    times[0] = left[0] - later(arrived[0] + delay, before);
    for (size_t i = 1; i < count; i++)
        times[i] = left[i] - later(arrived[i] + delay, left[i - 1]);
    add_times(m, times, count);
}

/* In 16 bits the sooner of two ends is the lesser of two differences. */
static void add_small_services(struct interval_moments *m, int64_t before, const int64_t *arrived,
                               int64_t delay, const int64_t *left, size_t count)
{
    int16_t times[CHUNK];
    times[0] = (int16_t)(left[0] - later(arrived[0] + delay, before));
    for (size_t i = 1; i < count; i++) {
        int16_t stay = (int16_t)(left[i] - arrived[i] - delay), between = (int16_t)(left[i] - left[i - 1]);
        times[i] = stay < between ? stay : between;
    }
    add_small_times(m, times, count);
}

void interval_tap_services(struct interval_tap *tap, const int64_t *arrived, int64_t delay,
                           const int64_t *left, size_t count)
{
    for (size_t done = 0, part; done < count; done += part) {
        const int64_t *from = arrived + done, *to = left + done;
        part = count - done < CHUNK ? count - done : CHUNK;
        bool small = to[part - 1] - from[0] - delay <= SMALL_SUM;
        (small ? add_small_services : add_services)(&tap->moments, tap->clock, from, delay, to, part);
        tap->clock = to[part - 1];
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
