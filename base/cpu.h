/* cpu.h - which vector instructions the hot loops may use, and how they prefetch.
 *
 * Every hot loop has a portable form in plain C. Wider forms are chosen at run time and give the same results to the
 * bit, which the tests check for each level. If a loop has no form for a level, the form of the level below is used.
 *
 * Tests define CPU_EMULATES_AVX512, so that the compiler takes functions of SIMDe for the AVX-512 instructions; any
 * processor with AVX2 then has that level.
 */
#pragma once

#if defined(__x86_64__)
#define CPU_HAS_VECTORS 1
#define CPU_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))
#ifdef CPU_EMULATES_AVX512
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#define CPU_TARGET_AVX512 CPU_TARGET_AVX2
#else
#define CPU_TARGET_AVX512                                                                                    \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,bmi,bmi2,popcnt,lzcnt")))
#endif
#else
#define CPU_HAS_VECTORS 0
#endif

enum cpu_level { CPU_PORTABLE, CPU_AVX2, CPU_AVX512, CPU_LEVELS };

/** The widest level this processor has. */
static inline enum cpu_level cpu_best_level(void)
{
#ifdef CPU_EMULATES_AVX512
    return CPU_AVX512;
#elif CPU_HAS_VECTORS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("bmi2"))
        return CPU_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return CPU_AVX2;
#endif
    return CPU_PORTABLE;
}

/** Begin to bring a line, which will be read, to the level-2 cache. Many more lines can be under way there at once than
 * to the level-1 cache, so that tables which other work has driven out of the caches are read several times faster. The
 * address need not be valid. */
static inline void cpu_prefetch(const void *line)
{
    enum { TO_READ = 0, LEVEL_2 = 2 };
    __builtin_prefetch(line, TO_READ, LEVEL_2);
}
