#include "traces/clock_tap.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

#if defined(__x86_64__)
#define HAS_VECTORS 1
#include <immintrin.h>
#else
#define HAS_VECTORS 0
#endif

/* Up to this number of places, 15 bits can count the elements that come or go in one clock. */
enum { VECTOR_PLACES_MAX = (1 << 14) - 1 };

static bool vectors_fit(uint64_t places)
{
#if HAS_VECTORS
    return places <= VECTOR_PLACES_MAX && __builtin_cpu_supports("avx2");
#else
    (void)places;
    return false;
#endif
}

void clock_tap_init(struct clock_tap *tap, uint64_t places, uint64_t back_pressure_at, bool ignores_arrivals,
                    bool vectors)
{
    assert(places >= 1);
    *tap = (struct clock_tap){
        .measure = fifo_measure_none(places),
        .back_pressure_at = back_pressure_at,
        .ignores_arrivals = ignores_arrivals,
        .vectors = vectors && vectors_fit(places),
    };
}

void clock_tap_count_exactly(struct clock_tap *tap)
{
    if (tap->measure.bin_width > 1 && !tap->exact)
        tap->exact = memory_new(tap->measure.places + 1, sizeof *tap->exact);
}

const uint64_t *clock_tap_counts(const struct clock_tap *tap, size_t *occupancies)
{
    *occupancies = tap->measure.places + 1;
    return tap->measure.bin_width == 1 ? tap->measure.bins : tap->exact;
}

static inline void add_to_bin(struct fifo_measure *m, uint64_t occupancy, uint64_t clocks)
{
    const uint64_t bin = fifo_measure_bin(m, occupancy);
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

/* Count clocks that ended with the same occupancy. */
static inline void count_clocks(struct clock_tap *tap, uint64_t occupancy, uint64_t clocks)
{
    if (tap->exact && occupancy <= tap->measure.places)
        tap->exact[occupancy] += clocks;
    else
        add_to_bin(&tap->measure, occupancy, clocks);
}

/* Count the clocks that ended with each of the occupancies from `first` on. */
static void count_each(struct clock_tap *tap, uint64_t first, const uint64_t *clocks, uint64_t count)
{
    const uint64_t width = tap->measure.bin_width;
    uint64_t bin = first / width, within = first % width;
    for (uint64_t i = 0; tap->exact && i < count; i++)
        if (clocks[i] > 0)
            count_clocks(tap, first + i, clocks[i]);
    for (uint64_t i = 0; !tap->exact && i < count; i++) {
        *(bin < FIFO_BINS ? &tap->measure.bins[bin] : &tap->measure.overflow) += clocks[i];
        within = within + 1 == width ? 0 : within + 1;
        bin += within == 0;
    }
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
        uint64_t seen = tap->ignores_arrivals ? stayed : inside;
        count_clocks(tap, inside, 1);
        m->integral += inside;
        m->elements += entered[i];
        m->back_pressure_clocks += seen >= tap->back_pressure_at;
        m->most = inside > m->most ? inside : m->most;
    }
    tap->inside = inside;
}

/* Take clocks in which nothing comes or goes. */
static void stay(struct clock_tap *tap, uint64_t clocks)
{
    count_clocks(tap, tap->inside, clocks);
    tap->measure.integral += (wide_uint)tap->inside * clocks;
    tap->measure.back_pressure_clocks += tap->inside >= tap->back_pressure_at ? clocks : 0;
}

#if HAS_VECTORS
#define TARGET __attribute__((target("avx2")))

/* A stretch of clocks is taken in two vectors of 8-bit lanes. A lane holds the occupancy at the end of its clock,
 * relative to that before the stretch, plus MIDDLE. */
enum {
    VECTOR = 32,          /* clocks per vector */
    STRETCH = 2 * VECTOR, /* clocks per stretch */
    MIDDLE = 128,
    SURE = 127,             /* lanes suffice if at most SURE elements came in and at most SURE went out */
    FLUSH_CLOCKS = 1 << 10, /* clocks after which the tally is added to the tap */
};

/* A tally counts clocks by occupancy, in lanes of 8 bits: occupancy n in row n modulo TALLY_ROWS. Rows outside [begin,
 * end) mean nothing. */
enum {
    TALLY_ROWS = 128,
    FEW_OCCUPANCIES = 40, /* a stretch with more different occupancies is counted clock by clock */
    ROWS_TOGETHER = 4,    /* rows are cleared, filled and flushed in groups of this size */
};

static_assert(2 * (FLUSH_CLOCKS / STRETCH) <= UINT8_MAX, "a lane counts two clocks of a stretch at most");

struct tally {
    __m256i rows[TALLY_ROWS];
    uint64_t begin, end; /* multiples of ROWS_TOGETHER */
};

/* Sums over stretches: in 64-bit lanes, of back-pressure in 8-bit lanes; and of the occupancies that lanes are relative
 * to. */
struct sums {
    __m256i integral, entered, back_pressure;
    uint64_t bases;
};

/* A lane for each clock of a stretch: its elements, or its occupancy. */
struct stretch {
    __m256i lower, upper;
};

/* Elements of VECTOR clocks, 8 bits per clock, in the order 0-7, 16-23, 8-15, 24-31. */
TARGET static inline __m256i load_marks(const uint16_t *marks)
{
    return _mm256_packus_epi16(_mm256_loadu_si256((const __m256i *)marks),
                               _mm256_loadu_si256((const __m256i *)(marks + VECTOR / 2)));
}

TARGET static inline __m256i in_order(__m256i x)
{
    return _mm256_permute4x64_epi64(x, 0xd8);
}

TARGET static inline __m256i sums_of_eights(struct stretch s)
{
    const __m256i zero = _mm256_setzero_si256();
    return _mm256_add_epi64(_mm256_sad_epu8(s.lower, zero), _mm256_sad_epu8(s.upper, zero));
}

TARGET static inline uint64_t sum_of_lanes_64(__m256i x)
{
    __m128i sum = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum)));
}

/* Lane i becomes the sum of lanes 0 .. i. */
TARGET static inline __m256i running_sums(__m256i x)
{
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 1));
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 2));
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 8));
    __m256i lower = _mm256_permute2x128_si256(x, x, 0x08);
    return _mm256_add_epi8(x, _mm256_shuffle_epi8(lower, _mm256_set1_epi8(15)));
}

TARGET static inline __m256i last_lane_everywhere(__m256i x)
{
    return _mm256_shuffle_epi8(_mm256_permute2x128_si256(x, x, 0x11), _mm256_set1_epi8(15));
}

TARGET static inline struct stretch occupancies(struct stretch in, struct stretch out)
{
    __m256i lower = running_sums(in_order(_mm256_sub_epi8(in.lower, out.lower)));
    __m256i upper = running_sums(in_order(_mm256_sub_epi8(in.upper, out.upper)));
    lower = _mm256_add_epi8(lower, _mm256_set1_epi8((char)MIDDLE));
    return (struct stretch){lower, _mm256_add_epi8(upper, last_lane_everywhere(lower))};
}

/* Sums of four rows. */
TARGET static inline __m256i sums_of_rows(const __m256i *rows)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i a = _mm256_sad_epu8(rows[0], zero), b = _mm256_sad_epu8(rows[1], zero);
    __m256i c = _mm256_sad_epu8(rows[2], zero), d = _mm256_sad_epu8(rows[3], zero);
    __m256i ab = _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    __m256i cd = _mm256_add_epi64(_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
    return _mm256_add_epi64(_mm256_permute2x128_si256(ab, cd, 0x20), _mm256_permute2x128_si256(ab, cd, 0x31));
}

TARGET static void flush_tally(struct clock_tap *tap, struct tally *t)
{
    uint64_t clocks[TALLY_ROWS];
    uint64_t begin = t->begin;
    for (; t->begin < t->end; t->begin += ROWS_TOGETHER)
        _mm256_storeu_si256((__m256i *)(clocks + (t->begin - begin)),
                            sums_of_rows(t->rows + t->begin % TALLY_ROWS));
    count_each(tap, begin, clocks, t->end - begin);
}

TARGET static inline void clear_rows(struct tally *t, uint64_t occupancy)
{
    for (unsigned i = 0; i < ROWS_TOGETHER; i++)
        t->rows[(occupancy + i) % TALLY_ROWS] = _mm256_setzero_si256();
}

/* Make rows for the occupancies in [begin, end). */
TARGET static inline void cover(struct clock_tap *tap, struct tally *t, uint64_t begin, uint64_t end)
{
    if (begin >= t->begin && end <= t->end)
        return;
    if (end > t->begin + TALLY_ROWS || t->end > begin + TALLY_ROWS)
        flush_tally(tap, t);
    if (t->begin == t->end)
        t->begin = t->end = begin;
    for (; t->begin > begin; t->begin -= ROWS_TOGETHER)
        clear_rows(t, t->begin - ROWS_TOGETHER);
    for (; t->end < end; t->end += ROWS_TOGETHER)
        clear_rows(t, t->end);
}

/* Count the clocks of a stretch whose occupancies, from `least` to `most`, lie close together; a lane of 0 means
 * `base`. */
TARGET static inline void tally_stretch(struct clock_tap *tap, struct tally *t, struct stretch occupancy,
                                        uint64_t base, uint64_t least, uint64_t most)
{
    const __m256i ones = _mm256_set1_epi8(1);
    uint64_t value = least - least % ROWS_TOGETHER;
    __m256i wanted = _mm256_set1_epi8((char)(value - base));
    cover(tap, t, value, (most | (ROWS_TOGETHER - 1)) + 1);
    for (; value <= most; value += ROWS_TOGETHER) {
        __m256i *row = &t->rows[value % TALLY_ROWS];
        for (unsigned i = 0; i < ROWS_TOGETHER; i++) {
            __m256i found = _mm256_add_epi8(_mm256_cmpeq_epi8(occupancy.lower, wanted),
                                            _mm256_cmpeq_epi8(occupancy.upper, wanted));
            row[i] = _mm256_sub_epi8(row[i], found); /* -1 where it is */
            wanted = _mm256_add_epi8(wanted, ones);
        }
    }
}

TARGET static void count_each_clock(struct clock_tap *tap, struct stretch occupancy, uint64_t base)
{
    uint8_t values[STRETCH];
    _mm256_storeu_si256((__m256i *)values, occupancy.lower);
    _mm256_storeu_si256((__m256i *)(values + VECTOR), occupancy.upper);
    for (unsigned i = 0; i < STRETCH; i++)
        count_clocks(tap, base + values[i], 1);
}

/* The least lane, and 255 minus the greatest. */
struct lane_range {
    unsigned least, from_greatest;
};

TARGET static inline struct lane_range range_of(struct stretch s)
{
    __m256i low = _mm256_min_epu8(s.lower, s.upper);
    __m256i high = _mm256_xor_si256(_mm256_max_epu8(s.lower, s.upper), _mm256_set1_epi8(-1));
    __m256i both = _mm256_min_epu8(_mm256_permute2x128_si256(low, high, 0x20),
                                   _mm256_permute2x128_si256(low, high, 0x31));
    both = _mm256_min_epu8(both, _mm256_srli_epi16(both, 8));
    return (struct lane_range){
        (unsigned)_mm_cvtsi128_si32(_mm_minpos_epu16(_mm256_castsi256_si128(both))) & UINT8_MAX,
        (unsigned)_mm_cvtsi128_si32(_mm_minpos_epu16(_mm256_extracti128_si256(both, 1))) & UINT8_MAX};
}

/* Lanes of clocks in which back-pressure is asserted. */
TARGET static inline __m256i back_pressure_in(const struct clock_tap *tap, __m256i occupancy, __m256i in,
                                              uint64_t base)
{
    int64_t at = (int64_t)(tap->back_pressure_at - base); /* lanes reach it if they do */
    __m256i back_pressure_at = _mm256_set1_epi8((char)(tap->back_pressure_at == 0 || at < 0 ? 0 : at));
    __m256i seen = tap->ignores_arrivals ? _mm256_subs_epu8(occupancy, in_order(in)) : occupancy;
    return _mm256_cmpeq_epi8(_mm256_max_epu8(seen, back_pressure_at), seen);
}

/* What has been seen of a stretch. */
struct seen {
    struct stretch occupancy; /* minus base */
    uint64_t base, least, most;
    const uint16_t *entered;
};

/* @return the number of stretches to be counted: 1, or 0 if nothing came or went, or 8-bit lanes may not suffice */
TARGET static inline size_t see_stretch(struct clock_tap *tap, struct sums *sums, const uint16_t *entered,
                                        const uint16_t *left, struct seen *seen)
{
    struct stretch in = {load_marks(entered), load_marks(entered + VECTOR)},
                   out = {load_marks(left), load_marks(left + VECTOR)};
    __m256i entered_eights = sums_of_eights(in);
    uint64_t moved = sum_of_lanes_64(
        _mm256_add_epi64(entered_eights, _mm256_slli_epi64(sums_of_eights(out), 32))); /* in, out << 32 */
    if (moved == 0) {
        stay(tap, STRETCH);
        return 0;
    }
    if (moved & ~(SURE + ((uint64_t)SURE << 32))) {
        take_clocks_portable(tap, entered, left, STRETCH);
        return 0;
    }
    const uint64_t base = tap->inside - MIDDLE; /* modulo 2^64 */
    struct stretch occupancy = occupancies(in, out);
    struct lane_range range = range_of(occupancy);
    *seen =
        (struct seen){occupancy, base, base + range.least, base + UINT8_MAX - range.from_greatest, entered};
    tap->inside += (uint32_t)moved - (moved >> 32);
    sums->entered = _mm256_add_epi64(sums->entered, entered_eights);
    sums->integral = _mm256_add_epi64(sums->integral, sums_of_eights(occupancy));
    sums->bases += base;
    return 1;
}

TARGET static inline void count_stretch(struct clock_tap *tap, struct sums *sums, struct tally *tally,
                                        const struct seen *seen)
{
    assert(seen->most < UINT64_MAX / 2); /* else more had left than entered */
    if (seen->most - seen->least < FEW_OCCUPANCIES)
        tally_stretch(tap, tally, seen->occupancy, seen->base, seen->least, seen->most);
    else
        count_each_clock(tap, seen->occupancy, seen->base);
    if (seen->most >= tap->back_pressure_at) {
        sums->back_pressure =
            _mm256_sub_epi8(sums->back_pressure, back_pressure_in(tap, seen->occupancy.lower,
                                                                  load_marks(seen->entered), seen->base));
        sums->back_pressure = _mm256_sub_epi8(
            sums->back_pressure,
            back_pressure_in(tap, seen->occupancy.upper, load_marks(seen->entered + VECTOR), seen->base));
    }
    tap->measure.most = seen->most > tap->measure.most ? seen->most : tap->measure.most;
}

/* Take whole stretches, few enough for the lanes of the sums. @return the number of clocks taken */
TARGET static size_t take_stretches(struct clock_tap *tap, const uint16_t *entered, const uint16_t *left,
                                    size_t clocks)
{
    const __m256i zero = _mm256_setzero_si256();
    struct tally tally;
    struct seen seen[FLUSH_CLOCKS / STRETCH];
    tally.begin = tally.end = 0;
    struct sums sums = {zero, zero, zero, 0};
    size_t taken = 0, count = 0;
    for (; clocks - taken >= STRETCH && taken < FLUSH_CLOCKS; taken += STRETCH)
        count += see_stretch(tap, &sums, entered + taken, left + taken, &seen[count]);
    for (size_t i = 0; i < count; i++)
        count_stretch(tap, &sums, &tally, &seen[i]);
    flush_tally(tap, &tally);
    tap->measure.integral += sum_of_lanes_64(sums.integral) + STRETCH * sums.bases;
    tap->measure.elements += sum_of_lanes_64(sums.entered);
    tap->measure.back_pressure_clocks += sum_of_lanes_64(_mm256_sad_epu8(sums.back_pressure, zero));
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

void clock_tap_rest(struct clock_tap *tap, uint64_t clocks)
{
    tap->measure.clocks += clocks;
    stay(tap, clocks);
}
