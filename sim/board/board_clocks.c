#include "sim/board/board_clocks.h"

#include "sim/board/board.h"

#if CPU_HAS_VECTORS
#include <immintrin.h>
#endif

static void clocks_portable(const double *times_s, size_t count, double clock_hz, int64_t *clocks)
{
    for (size_t i = 0; i < count; i++)
        clocks[i] = board_clock_after(times_s[i] * clock_hz);
}

#if CPU_HAS_VECTORS
enum { VECTOR = 4 };

/* Whole numbers below 2^51 become the lower bits of a double when this is added. */
#define WHOLE 0x1.8p52

/* Times of at most this many clocks, before or after clock 0, are rounded in vectors. */
#define CLOCKS_IN_VECTORS 0x1p40

/* Doubles hold all steps without rounding: ticks that have a part are fewer than 2^52. */
CPU_TARGET_AVX2 static inline __m256i four_clocks(__m256d clocks)
{
    const __m256d half = _mm256_set1_pd(0.5), one = _mm256_set1_pd(1), whole = _mm256_set1_pd(WHOLE);
    __m256d number = _mm256_mul_pd(clocks, _mm256_set1_pd((double)BOARD_TICKS_PER_CLOCK));
    __m256d ticks = _mm256_round_pd(number, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    __m256d rest = _mm256_sub_pd(number, ticks);
    __m256d more = _mm256_and_pd(_mm256_cmp_pd(rest, half, _CMP_GE_OQ), one);
    __m256d less =
        _mm256_and_pd(_mm256_cmp_pd(rest, _mm256_sub_pd(_mm256_setzero_pd(), half), _CMP_LE_OQ), one);
    ticks = _mm256_sub_pd(_mm256_add_pd(ticks, more), less);
    __m256d after = _mm256_mul_pd(ticks, _mm256_set1_pd(1 / (double)BOARD_TICKS_PER_CLOCK));
    after = _mm256_round_pd(after, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    return _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(after, whole)), _mm256_castpd_si256(whole));
}

CPU_TARGET_AVX2 static void clocks_avx2(const double *times_s, size_t count, double clock_hz, int64_t *clocks)
{
    const __m256d sign = _mm256_set1_pd(-0.0), most = _mm256_set1_pd(CLOCKS_IN_VECTORS);
    size_t i = 0;
    for (; i + VECTOR <= count; i += VECTOR) {
        __m256d four = _mm256_mul_pd(_mm256_loadu_pd(times_s + i), _mm256_set1_pd(clock_hz));
        if (_mm256_movemask_pd(_mm256_cmp_pd(_mm256_andnot_pd(sign, four), most, _CMP_NLE_UQ)) == 0)
            _mm256_storeu_si256((__m256i *)(clocks + i), four_clocks(four));
        else
            clocks_portable(times_s + i, VECTOR, clock_hz, clocks + i);
    }
    clocks_portable(times_s + i, count - i, clock_hz, clocks + i);
}
#endif

void board_clocks_after_at(enum cpu_level level, const double *times_s, size_t count, double clock_hz,
                           int64_t *clocks)
{
#if CPU_HAS_VECTORS
    if (level >= CPU_AVX2) {
        clocks_avx2(times_s, count, clock_hz, clocks);
        return;
    }
#endif
    (void)level;
    clocks_portable(times_s, count, clock_hz, clocks);
}

void board_clocks_after(const double *times_s, size_t count, double clock_hz, int64_t *clocks)
{
    board_clocks_after_at(cpu_best_level(), times_s, count, clock_hz, clocks);
}
