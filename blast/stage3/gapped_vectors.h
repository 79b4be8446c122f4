/* gapped_vectors.h - 64 scores of a byte each, in two vector registers (for gapped_lanes.c and gapped_short.c only).
 *
 * Models    arithmetic that saturates, and choices, lane by lane.
 * Errors    none; needs AVX2, for which the caller has asked the processor (cpu.h).
 */
#ifndef MERCURY_BLAST_STAGE3_GAPPED_VECTORS_H
#define MERCURY_BLAST_STAGE3_GAPPED_VECTORS_H

#include "base/cpu.h"

enum { DEAD_LANE = -128 };

#if CPU_HAS_VECTORS
#include <immintrin.h>

#define LANES_FUNCTION CPU_TARGET_AVX2 __attribute__((always_inline)) static inline

/* Lanes 0 to 31 and 32 to 63; a narrow row does not use the high half. */
struct lanes {
    __m256i low, high;
};

LANES_FUNCTION __m256i every(int value)
{
    return _mm256_set1_epi8((char)value);
}

LANES_FUNCTION struct lanes subtract(struct lanes a, __m256i b)
{
    return (struct lanes){_mm256_subs_epi8(a.low, b), _mm256_subs_epi8(a.high, b)};
}

LANES_FUNCTION struct lanes larger(struct lanes a, struct lanes b)
{
    return (struct lanes){_mm256_max_epi8(a.low, b.low), _mm256_max_epi8(a.high, b.high)};
}

LANES_FUNCTION struct lanes is_greater(struct lanes a, struct lanes b)
{
    return (struct lanes){_mm256_cmpgt_epi8(a.low, b.low), _mm256_cmpgt_epi8(a.high, b.high)};
}

/* Take b in lanes of which the mask is set, else a. */
LANES_FUNCTION struct lanes choose(struct lanes a, struct lanes b, struct lanes mask)
{
    return (struct lanes){_mm256_blendv_epi8(a.low, b.low, mask.low),
                          _mm256_blendv_epi8(a.high, b.high, mask.high)};
}

LANES_FUNCTION struct lanes all(__m256i value)
{
    return (struct lanes){value, value};
}

#endif

#endif
