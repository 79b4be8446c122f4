#include "traces/statistics/interval_moments.h"

#include <assert.h>
#include <math.h>
#include <sys/param.h>

#if defined(__x86_64__)
#define HAS_VECTORS 1
#include <immintrin.h>
#define TARGET __attribute__((target("avx2")))
#else
#define HAS_VECTORS 0
#endif

/* --- taking in ------------------------------------------------------------------------------------------- */

struct sums {
    uint64_t sum, squares, products;
};

/* Add successive times of a stream by their sums, the first one and the last one; products are those of neighbours. */
static void add_times(struct interval_moments *m, struct sums sums, uint64_t first, uint64_t last,
                      size_t count)
{
    if (m->count == 0) {
        m->streams = 1;
        m->firsts = first;
    } else {
        m->products += (wide_uint)m->lasts * first;
    }
    m->count += count;
    m->lasts = last;
    m->sum += sums.sum;
    m->squares += sums.squares;
    m->products += sums.products;
}

static void add_time(struct interval_moments *m, int64_t time)
{
    uint64_t x = (uint64_t)time;
    add_times(m, (struct sums){.sum = x}, x, x, 1);
    m->squares += (wide_uint)x * x;
}

void interval_tap_add(struct interval_tap *tap, const int64_t *arrived, int64_t delay, const int64_t *left,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t begin = arrived ? MAX(arrived[i] + delay, tap->clock) : tap->clock;
        if (arrived || tap->begun)
            add_time(&tap->moments, left[i] - begin);
        tap->begun = true;
        tap->clock = left[i];
    }
}

/* --- close together -------------------------------------------------------------------------------------- */

#if HAS_VECTORS
/* The low 32 bits of eight clocks; the clocks are in order within each half of the vector. */
TARGET static inline __m256i low_halves(const int64_t *clocks)
{
    return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_loadu_ps((const float *)clocks),
                                                 _mm256_loadu_ps((const float *)(clocks + 4)), 0x88));
}

/* By hand, because gcc needs twice as many instructions. @return the number of clocks shortened */
TARGET static size_t shorten_vectors(const int64_t *clocks, size_t count, uint16_t *to)
{
    const __m256i low = _mm256_set1_epi32(UINT16_MAX), order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m256i shorts = _mm256_packus_epi32(_mm256_and_si256(low_halves(clocks + i), low),
                                             _mm256_and_si256(low_halves(clocks + i + 8), low));
        _mm256_storeu_si256((__m256i *)(to + i), _mm256_permutevar8x32_epi32(shorts, order));
    }
    return i;
}
#endif

void intervals_shorten(const int64_t *clocks, size_t count, uint16_t *to)
{
    size_t i = 0;
#if HAS_VECTORS
    if (__builtin_cpu_supports("avx2"))
        i = shorten_vectors(clocks, count, to);
#endif
    for (; i < count; i++)
        to[i] = (uint16_t)clocks[i];
}

/* The time of service i: the smaller one of two differences, because the service begins at the later of two clocks. If
 * `arrived` is NULL, the time between two departures. */
static inline __attribute__((always_inline)) int16_t short_time(const uint16_t *arrived, uint16_t delay,
                                                                const uint16_t *left, size_t i)
{
    int16_t between = (int16_t)(left[i] - left[i - 1]);
    if (!arrived)
        return between;
    int16_t stay = (int16_t)(left[i] - arrived[i] - delay);
    return stay < between ? stay : between;
}

/* Add the times 1 .. count - 1 and their products with their predecessors to the given first time. The times are so
 * short that 16 bits hold their sum, and 32 bits the sums of squares and of products. */
static inline __attribute__((always_inline)) struct sums
add_up(uint16_t first, const uint16_t *arrived, uint16_t delay, const uint16_t *left, size_t count)
{
    uint16_t sum = first;
    uint32_t squares = (uint32_t)first * first, products = 0;
    if (count > 1) {
        int16_t time = short_time(arrived, delay, left, 1);
        sum = (uint16_t)(sum + time);
        squares += (uint32_t)(time * time);
        products += first * (uint32_t)time;
    }
    for (size_t i = 2; i < count; i++) {
        int16_t before = short_time(arrived, delay, left, i - 1), time = short_time(arrived, delay, left, i);
        sum = (uint16_t)(sum + time);
        squares += (uint32_t)(time * time);
        products += (uint32_t)(before * time);
    }
    return (struct sums){sum, squares, products};
}

static inline __attribute__((always_inline)) struct sums
add_up_any(uint16_t first, const uint16_t *arrived, uint16_t delay, const uint16_t *left, size_t count)
{
    return arrived ? add_up(first, arrived, delay, left, count) : add_up(first, NULL, 0, left, count);
}

#if HAS_VECTORS
TARGET static struct sums add_up_avx2(uint16_t first, const uint16_t *arrived, uint16_t delay,
                                      const uint16_t *left, size_t count)
{
    return add_up_any(first, arrived, delay, left, count);
}
#endif

static struct sums add_up_best(uint16_t first, const uint16_t *arrived, uint16_t delay, const uint16_t *left,
                               size_t count)
{
#if HAS_VECTORS
    if (__builtin_cpu_supports("avx2"))
        return add_up_avx2(first, arrived, delay, left, count);
#endif
    return add_up_any(first, arrived, delay, left, count);
}

void interval_tap_add_short(struct interval_tap *tap, const uint16_t *arrived, int64_t delay,
                            const uint16_t *left, size_t count, int64_t last_left)
{
    if (count == 0)
        return;
    assert(arrived || (tap->begun && last_left - tap->clock <= INTERVALS_SHORT));
    int64_t first_left = last_left - (uint16_t)(left[count - 1] - left[0]);
    int64_t first = first_left - tap->clock;
    if (arrived) {
        int64_t stay = (int16_t)(left[0] - arrived[0] - delay);
        first = stay < first ? stay : first;
    }
    int64_t last = count > 1 ? short_time(arrived, (uint16_t)delay, left, count - 1) : first;
    struct sums sums = add_up_best((uint16_t)first, arrived, (uint16_t)delay, left, count);
    add_times(&tap->moments, sums, (uint64_t)first, (uint64_t)last, count);
    tap->begun = true;
    tap->clock = last_left;
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

static wide_int middle(const struct interval_moments *m)
{
    return (wide_int)((m->sum + m->count / 2) / m->count);
}

/* Sum of (x - mean)^2; d, the mean minus `middle`, is at most 1/2. */
static double sum_of_squares(const struct interval_moments *m, double *d)
{
    wide_int c = middle(m), n = (wide_int)m->count;
    wide_int first = (wide_int)m->sum - n * c;
    wide_int second = (wide_int)m->squares - 2 * c * (wide_int)m->sum + n * c * c;
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
    wide_int c = middle(m), pairs = (wide_int)(m->count - m->streams);
    wide_int both = 2 * (wide_int)m->sum - (wide_int)m->firsts - (wide_int)m->lasts; /* of all pairs */
    wide_int about = both - 2 * pairs * c;
    wide_int products = (wide_int)m->products - c * both + pairs * c * c;
    return squares > 0 ? ((double)products - d * (double)about + (double)pairs * d * d) / squares : NAN;
}
