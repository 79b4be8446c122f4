#include "traces/clock_tap.h"

#include <assert.h>
#include <stdlib.h>

#if defined(__x86_64__)
#define HAS_VECTORS 1
#include <immintrin.h>
#else
#define HAS_VECTORS 0
#endif

/* Lanes of 16 bits hold occupancies up to here. */
enum { LANE_PLACES_MAX = 32767 };

static bool vectors_fit(uint64_t places)
{
#if HAS_VECTORS
    return places <= LANE_PLACES_MAX && __builtin_cpu_supports("avx2");
#else
    (void)places;
    return false;
#endif
}

void clock_tap_init(struct clock_tap *tap, uint64_t places, uint64_t alert_at, bool alert_ignores_arrivals,
                    bool vectors)
{
    assert(places >= 1);
    *tap = (struct clock_tap){
        .measure = fifo_measure_none(places),
        .alert_at = alert_at,
        .alert_ignores_arrivals = alert_ignores_arrivals,
        .vectors = vectors && vectors_fit(places),
    };
}

void clock_tap_stays(struct clock_tap *tap, uint64_t sojourn_clocks)
{
    tap->measure.sojourn_clocks += sojourn_clocks;
}

bool clock_tap_count_exactly(struct clock_tap *tap)
{
    if (tap->measure.bin_width > 1 && !tap->exact)
        tap->exact = calloc(tap->measure.places + 1, sizeof *tap->exact);
    return tap->measure.bin_width == 1 || tap->exact;
}

const uint64_t *clock_tap_counts(const struct clock_tap *tap, size_t *occupancies)
{
    *occupancies = tap->measure.places + 1;
    return tap->measure.bin_width == 1 ? tap->measure.bins : tap->exact;
}

static inline void add_to_bin(struct fifo_measure *m, uint64_t occupancy, uint64_t clocks)
{
    uint64_t bin = occupancy / m->bin_width;
    *(bin < FIFO_BINS ? &m->bins[bin] : &m->overflow) += clocks;
}

void clock_tap_close(struct clock_tap *tap)
{
    if (!tap->exact)
        return;
    for (uint64_t occupancy = 0; occupancy <= tap->measure.places; occupancy++)
        add_to_bin(&tap->measure, occupancy, tap->exact[occupancy]);
}

void clock_tap_destroy(struct clock_tap *tap)
{
    free(tap->exact);
    tap->exact = NULL;
}

/* Clocks that ended with an occupancy. */
static inline void count_clocks(struct clock_tap *tap, uint64_t occupancy, uint64_t clocks)
{
    if (tap->exact && occupancy <= tap->measure.places)
        tap->exact[occupancy] += clocks;
    else
        add_to_bin(&tap->measure, occupancy, clocks);
}

static void take_clocks_portable(struct clock_tap *tap, const uint16_t *entered, const uint16_t *left,
                                 size_t clocks)
{
    struct fifo_measure *m = &tap->measure;
    uint64_t inside = tap->inside;
    for (size_t i = 0; i < clocks; i++) {
        uint64_t stayed =
            inside > left[i] ? inside - left[i] : 0; /* own arrivals may be among those that left */
        inside = inside + entered[i] - left[i];
        uint64_t seen = tap->alert_ignores_arrivals ? stayed : inside;
        count_clocks(tap, inside, 1);
        m->integral += inside;
        m->elements += entered[i];
        m->alert_clocks += seen >= tap->alert_at;
        m->most = inside > m->most ? inside : m->most;
    }
    tap->inside = inside;
}

#if HAS_VECTORS
#define TARGET __attribute__((target("avx2,popcnt")))

enum { LANES = 16, VECTORS = 4, STRETCH = LANES * VECTORS, FLUSH_CLOCKS = 1 << 12 };

/* Clocks by occupancy, counted down in lanes of 8 bits, of few enough stretches that these suffice: occupancy n in row n modulo their number.
 * Rows outside [begin, end) mean nothing. */
enum { TALLY_ROWS = 128, FEW_OCCUPANCIES = 40, ROWS_TOGETHER = 4 };

static_assert(2 * (FLUSH_CLOCKS / STRETCH) <= UINT8_MAX, "a lane counts two clocks of a stretch at most");

struct tally {
    __m256i rows[TALLY_ROWS];
    unsigned begin, end;
};

/* Lane i becomes the sum of lanes 0 .. i. */
TARGET static inline __m256i running_sums(__m256i x)
{
    const __m256i last_of_lower = _mm256_set1_epi16(0x0f0e);
    x = _mm256_add_epi16(x, _mm256_slli_si256(x, 2));
    x = _mm256_add_epi16(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi16(x, _mm256_slli_si256(x, 8));
    __m256i lower = _mm256_permute2x128_si256(x, x, 0x08);
    return _mm256_add_epi16(x, _mm256_shuffle_epi8(lower, last_of_lower));
}

TARGET static inline __m256i last_lane_everywhere(__m256i x)
{
    return _mm256_shuffle_epi8(_mm256_permute2x128_si256(x, x, 0x11), _mm256_set1_epi16(0x0f0e));
}

TARGET static inline uint16_t least_lane(__m256i x)
{
    __m128i least = _mm_min_epu16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return (uint16_t)_mm_cvtsi128_si32(_mm_minpos_epu16(least));
}

TARGET static inline uint16_t greatest_lane(__m256i x)
{
    return (uint16_t)~least_lane(_mm256_xor_si256(x, _mm256_set1_epi16(-1)));
}

TARGET static inline uint64_t sum_of_lanes_32(__m256i x)
{
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1)));
}

/* What a stretch adds up to, lane by lane. */
struct sums {
    __m256i inside;            /* at the end of the last clock, in every lane */
    __m256i integral, entered; /* lanes of 32 bits */
    __m256i alerts;            /* lanes of 16 */
};

TARGET static uint64_t sum_of_lanes_8(__m256i x)
{
    __m256i eights = _mm256_sad_epu8(x, _mm256_setzero_si256());
    __m128i sum = _mm_add_epi64(_mm256_castsi256_si128(eights), _mm256_extracti128_si256(eights, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum)));
}

TARGET static void flush_tally(struct clock_tap *tap, struct tally *t)
{
    const __m256i none = _mm256_setzero_si256();
    for (unsigned occupancy = t->begin; occupancy < t->end; occupancy++)
        count_clocks(tap, occupancy, sum_of_lanes_8(_mm256_sub_epi8(none, t->rows[occupancy % TALLY_ROWS])));
    t->begin = t->end = 0;
}

/* Have rows for the occupancies from `least` to `most`. */
TARGET static inline void cover(struct clock_tap *tap, struct tally *t, unsigned least, unsigned most)
{
    if (least >= t->begin && most < t->end)
        return;
    if (t->begin < t->end && (most >= t->begin + TALLY_ROWS || t->end > least + TALLY_ROWS))
        flush_tally(tap, t);
    if (t->begin == t->end)
        t->begin = t->end = least;
    while (t->begin > least)
        t->rows[--t->begin % TALLY_ROWS] = _mm256_setzero_si256();
    while (t->end <= most)
        t->rows[t->end++ % TALLY_ROWS] = _mm256_setzero_si256();
}

/* The clocks of a stretch whose occupancies lie close together. */
TARGET static inline void tally_stretch(struct clock_tap *tap, struct tally *t, const __m256i *occupancy,
                                        unsigned least, unsigned most)
{
    const __m256i from = _mm256_set1_epi16((short)(least - least % ROWS_TOGETHER)),
                  ones = _mm256_set1_epi8(1);
    __m256i lower =
        _mm256_packus_epi16(_mm256_sub_epi16(occupancy[0], from), _mm256_sub_epi16(occupancy[1], from));
    __m256i upper =
        _mm256_packus_epi16(_mm256_sub_epi16(occupancy[2], from), _mm256_sub_epi16(occupancy[3], from));
    __m256i wanted = _mm256_setzero_si256();
    unsigned value = least - least % ROWS_TOGETHER;
    cover(tap, t, value, most | (ROWS_TOGETHER - 1));
    for (; value <= most; value += ROWS_TOGETHER) {
        __m256i *row = &t->rows[value % TALLY_ROWS];
        for (unsigned i = 0; i < ROWS_TOGETHER; i++) {
            row[i] = _mm256_add_epi8(row[i], _mm256_cmpeq_epi8(lower, wanted)); /* -1 where it is */
            row[i] = _mm256_add_epi8(row[i], _mm256_cmpeq_epi8(upper, wanted));
            wanted = _mm256_add_epi8(wanted, ones);
        }
    }
}

TARGET static void count_each_clock(struct clock_tap *tap, const __m256i *occupancy, unsigned most)
{
    struct fifo_measure *m = &tap->measure;
    uint16_t values[STRETCH];
    for (unsigned v = 0; v < VECTORS; v++)
        _mm256_storeu_si256((__m256i *)(values + v * LANES), occupancy[v]);
    uint64_t *counts = tap->exact ? tap->exact : m->bins;
    if ((tap->exact && most <= m->places) || (m->bin_width == 1 && most < FIFO_BINS))
        for (unsigned i = 0; i < STRETCH; i++)
            counts[values[i]]++;
    else
        for (unsigned i = 0; i < STRETCH; i++)
            count_clocks(tap, values[i], 1);
}

/* @return the largest occupancy */
TARGET static inline unsigned count_stretch(struct clock_tap *tap, struct tally *tally,
                                            const __m256i *occupancy)
{
    __m256i low = _mm256_min_epu16(_mm256_min_epu16(occupancy[0], occupancy[1]),
                                   _mm256_min_epu16(occupancy[2], occupancy[3]));
    __m256i high = _mm256_max_epu16(_mm256_max_epu16(occupancy[0], occupancy[1]),
                                    _mm256_max_epu16(occupancy[2], occupancy[3]));
    unsigned least = least_lane(low), most = greatest_lane(high);
    tap->measure.most = most > tap->measure.most ? most : tap->measure.most;
    if (most - least < FEW_OCCUPANCIES)
        tally_stretch(tap, tally, occupancy, least, most);
    else
        count_each_clock(tap, occupancy, most);
    return most;
}

TARGET static inline void take_stretch(struct clock_tap *tap, struct sums *sums, struct tally *tally,
                                       const uint16_t *entered, const uint16_t *left, __m256i unseen,
                                       __m256i below_alert)
{
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i occupancy[VECTORS];
    for (unsigned v = 0; v < VECTORS; v++) {
        __m256i in = _mm256_loadu_si256((const __m256i *)(entered + v * LANES));
        __m256i out = _mm256_loadu_si256((const __m256i *)(left + v * LANES));
        occupancy[v] = _mm256_add_epi16(sums->inside, running_sums(_mm256_sub_epi16(in, out)));
        sums->inside = last_lane_everywhere(occupancy[v]);
        sums->integral = _mm256_add_epi32(sums->integral, _mm256_madd_epi16(occupancy[v], ones));
        sums->entered = _mm256_add_epi32(sums->entered, _mm256_madd_epi16(in, ones));
    }
    unsigned most = count_stretch(tap, tally, occupancy);
    for (unsigned v = 0; v < VECTORS && most >= tap->alert_at; v++) {
        __m256i in = _mm256_loadu_si256((const __m256i *)(entered + v * LANES));
        __m256i seen = _mm256_subs_epu16(occupancy[v], _mm256_and_si256(in, unseen));
        sums->alerts = _mm256_sub_epi16(sums->alerts, _mm256_cmpgt_epi16(seen, below_alert));
    }
}

/* Whole stretches, few enough for the lanes of the sums. @return the clocks taken */
TARGET static size_t take_stretches(struct clock_tap *tap, const uint16_t *entered, const uint16_t *left,
                                    size_t clocks)
{
    const __m256i zero = _mm256_setzero_si256();
    struct tally tally;
    tally.begin = tally.end = 0;
    struct sums sums = {_mm256_set1_epi16((short)tap->inside), zero, zero, zero};
    uint64_t alert_at = tap->alert_at <= LANE_PLACES_MAX ? tap->alert_at : LANE_PLACES_MAX + UINT64_C(1);
    __m256i below_alert = _mm256_set1_epi16((short)(alert_at - 1));
    __m256i unseen = _mm256_set1_epi16(tap->alert_ignores_arrivals ? -1 : 0);
    size_t taken = 0;
    for (; clocks - taken >= STRETCH && taken < FLUSH_CLOCKS; taken += STRETCH)
        take_stretch(tap, &sums, &tally, entered + taken, left + taken, unseen, below_alert);
    flush_tally(tap, &tally);
    tap->inside = (uint16_t)_mm256_extract_epi16(sums.inside, 0);
    tap->measure.integral += sum_of_lanes_32(sums.integral);
    tap->measure.elements += sum_of_lanes_32(sums.entered);
    tap->measure.alert_clocks += sum_of_lanes_32(_mm256_madd_epi16(sums.alerts, _mm256_set1_epi16(1)));
    return taken;
}
#endif

void clock_tap_clocks(struct clock_tap *tap, const uint16_t *entered, const uint16_t *left, size_t clocks)
{
    tap->measure.clocks += clocks;
#if HAS_VECTORS
    while (tap->vectors && clocks >= STRETCH) {
        size_t taken = take_stretches(tap, entered, left, clocks);
        entered += taken;
        left += taken;
        clocks -= taken;
    }
#endif
    take_clocks_portable(tap, entered, left, clocks);
}
