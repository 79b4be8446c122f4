#include "traces/interval_moments.h"

#include <math.h>

#if defined(__x86_64__)
#define HAS_VECTORS 1
#include <immintrin.h>
#else
#define HAS_VECTORS 0
#endif

/* So many times are added up together; the first by itself, the others in whole vectors. */
enum { LANES = 16, CHUNK = 1 + 64 * LANES };

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

#if HAS_VECTORS
#define TARGET __attribute__((target("avx2")))

/* Sums of small times, lane by lane. */
struct lanes {
    __m256i sum;               /* of 16 bits */
    __m256i squares, products; /* of 32 */
    __m256i before;            /* the last times: their neighbours come next */
};

/* So many differences less something, in 16 bits, which they must fit: pairs 0 2 4 6 1 3 5 7 of them. */
TARGET static inline __m256i pairs_of_differences(const int64_t *a, const int64_t *b, __m256i less)
{
    __m256i parts[4];
    for (unsigned i = 0; i < 4; i++)
        parts[i] = _mm256_sub_epi64(_mm256_loadu_si256((const __m256i *)(a + 4 * i)),
                                    _mm256_loadu_si256((const __m256i *)(b + 4 * i)));
    __m256 lower = _mm256_shuffle_ps(_mm256_castsi256_ps(parts[0]), _mm256_castsi256_ps(parts[1]), 0x88);
    __m256 upper = _mm256_shuffle_ps(_mm256_castsi256_ps(parts[2]), _mm256_castsi256_ps(parts[3]), 0x88);
    return _mm256_packs_epi32(_mm256_sub_epi32(_mm256_castps_si256(lower), less),
                              _mm256_sub_epi32(_mm256_castps_si256(upper), less));
}

TARGET static inline __m256i pairs_in_order(__m256i pairs)
{
    return _mm256_permutevar8x32_epi32(pairs, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

TARGET static inline void add_lanes(struct lanes *s, __m256i times)
{
    __m256i middle = _mm256_permute2x128_si256(s->before, times, 0x21);
    __m256i neighbours = _mm256_alignr_epi8(times, middle, 14);
    s->sum = _mm256_add_epi16(s->sum, times);
    s->squares = _mm256_add_epi32(s->squares, _mm256_madd_epi16(times, times));
    s->products = _mm256_add_epi32(s->products, _mm256_madd_epi16(times, neighbours));
    s->before = times;
}

TARGET static inline uint32_t sum_of_lanes(__m256i x)
{
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1)));
}

/* Services, or with `arrived` NULL the times between arrivals `left`. */
TARGET static inline __attribute__((always_inline)) void add_vectors(struct interval_moments *m,
                                                                     int64_t before, const int64_t *arrived,
                                                                     int64_t delay, const int64_t *left,
                                                                     size_t count)
{
    const __m256i none = _mm256_setzero_si256(), delays = _mm256_set1_epi32((int32_t)delay);
    const int64_t first = left[0] - (arrived ? later(arrived[0] + delay, before) : before);
    struct lanes s = {none, none, none, _mm256_insert_epi16(none, (int16_t)first, LANES - 1)};
    size_t i = 1;
    for (; i + LANES <= count; i += LANES) {
        __m256i pairs = pairs_of_differences(left + i, left + i - 1, none);
        if (arrived)
            pairs = _mm256_min_epi16(pairs, pairs_of_differences(left + i, arrived + i, delays));
        add_lanes(&s, pairs_in_order(pairs));
    }
    uint32_t sum = (uint32_t)first + sum_of_lanes(_mm256_madd_epi16(s.sum, _mm256_set1_epi16(1)));
    uint32_t squares = (uint32_t)(first * first) + sum_of_lanes(s.squares),
             products = sum_of_lanes(s.products);
    uint32_t last = (uint16_t)_mm256_extract_epi16(s.before, LANES - 1);
    for (; i < count; i++) {
        int64_t begin = arrived ? later(arrived[i] + delay, left[i - 1]) : left[i - 1];
        uint32_t time = (uint32_t)(left[i] - begin);
        sum += time;
        squares += time * time;
        products += last * time;
        last = time;
    }
    add_chunk(m, (struct chunk_sums){sum, squares, products}, first, last, count);
}

TARGET static void add_small_arrivals_vectors(struct interval_moments *m, int64_t before,
                                              const int64_t *clocks, size_t count)
{
    add_vectors(m, before, NULL, 0, clocks, count);
}

TARGET static void add_small_services_vectors(struct interval_moments *m, int64_t before,
                                              const int64_t *arrived, int64_t delay, const int64_t *left,
                                              size_t count)
{
    add_vectors(m, before, arrived, delay, left, count);
}
#else
/* Not called. */
static void add_small_arrivals_vectors(struct interval_moments *m, int64_t before, const int64_t *clocks,
                                       size_t count)
{
    add_small_arrivals(m, before, clocks, count);
}

static void add_small_services_vectors(struct interval_moments *m, int64_t before, const int64_t *arrived,
                                       int64_t delay, const int64_t *left, size_t count)
{
    add_small_services(m, before, arrived, delay, left, count);
}
#endif

static bool uses_vectors(const struct interval_tap *tap)
{
#if HAS_VECTORS
    return !tap->portable && __builtin_cpu_supports("avx2");
#else
    (void)tap;
    return false;
#endif
}

static void take_arrivals(struct interval_tap *tap, const int64_t *clocks, size_t count)
{
    struct interval_moments *m = &tap->moments;
    if (clocks[count - 1] - tap->clock > SMALL_SUM)
        add_arrivals(m, tap->clock, clocks, count);
    else if (uses_vectors(tap))
        add_small_arrivals_vectors(m, tap->clock, clocks, count);
    else
        add_small_arrivals(m, tap->clock, clocks, count);
    tap->clock = clocks[count - 1];
}

void interval_tap_clocks(struct interval_tap *tap, const int64_t *clocks, size_t count)
{
    size_t done = 0, part;
    if (!tap->begun && count > 0) {
        tap->begun = true;
        tap->clock = clocks[done++];
    }
    for (; done < count; done += part) {
        part = count - done < CHUNK ? count - done : CHUNK;
        take_arrivals(tap, clocks + done, part);
    }
}

static void take_services(struct interval_tap *tap, const int64_t *arrived, int64_t delay,
                          const int64_t *left, size_t count)
{
    struct interval_moments *m = &tap->moments;
    if (left[count - 1] - arrived[0] - delay > SMALL_SUM)
        add_services(m, tap->clock, arrived, delay, left, count);
    else if (uses_vectors(tap))
        add_small_services_vectors(m, tap->clock, arrived, delay, left, count);
    else
        add_small_services(m, tap->clock, arrived, delay, left, count);
    tap->clock = left[count - 1];
}

void interval_tap_services(struct interval_tap *tap, const int64_t *arrived, int64_t delay,
                           const int64_t *left, size_t count)
{
    for (size_t done = 0, part; done < count; done += part) {
        part = count - done < CHUNK ? count - done : CHUNK;
        take_services(tap, arrived + done, delay, left + done, part);
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
