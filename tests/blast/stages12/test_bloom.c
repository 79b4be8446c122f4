/* test_bloom.c - the hash families and the Bloom filter, against exact sets and against the formulas. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "tests/blast/stages12/one_wmer.h"
#include "blast/stages12/bloom.h"
#include "blast/stages12/hash.h"
#include "tests/run_suite.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* xorshift64*, so that the inputs do not come from the module under test. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)((next_random(state) >> 32) * limit >> 32);
}

static uint64_t random_state(int loop_index)
{
    return 88172645463325252u + (uint64_t)loop_index * 7919;
}

static void *must_allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

static struct bloom *must_new(const struct bloom_geometry *geometry)
{
    struct bloom *bloom = bloom_new(geometry);
    ck_assert_ptr_nonnull(bloom);
    return bloom;
}

/* --- hash functions -------------------------------------------------------------------------------------- */

static const uint32_t any_ranges[] = {1, 2, 3, 10, 1000, 4099, 131072, 1000003, 1u << 22, 1u << 31};
static const uint32_t powers_of_two[] = {1, 2, 64, 4096, 131072, 1u << 20, 1u << 22};

START_TEST(test_xxh3_values_lie_in_the_range)
{
    struct wmer_hash hash;
    wmer_hash_init(&hash, HASH_XXH3, any_ranges[_i], 5);
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer += 7)
        if (wmer_hash(&hash, wmer) >= any_ranges[_i])
            ck_abort_msg("w-mer %u: %u is not below %u", wmer, wmer_hash(&hash, wmer), any_ranges[_i]);
}
END_TEST

/* Full rank: 4^11 w-mers spread evenly, exactly 4^11 / range on each value. */
START_TEST(test_h3_hits_every_value_equally_often)
{
    uint32_t range = powers_of_two[_i];
    struct wmer_hash hash;
    wmer_hash_init(&hash, HASH_H3, range, 17);
    uint32_t *hits = must_allocate(range * sizeof *hits);
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer++) {
        uint32_t value = wmer_hash(&hash, wmer);
        if (value >= range)
            ck_abort_msg("w-mer %u: %u is not below %u", wmer, value, range);
        hits[value]++;
    }
    for (uint32_t value = 0; value < range; value++)
        if (hits[value] != WMER_COUNT / range)
            ck_abort_msg("value %u: %u hits, not %u", value, hits[value], WMER_COUNT / range);
    free(hits);
}
END_TEST

/* With more than 22 bits out, full rank means that no two w-mers share a value, hence only 0 maps to 0. */
START_TEST(test_h3_is_injective_above_22_bits)
{
    struct wmer_hash hash;
    wmer_hash_init(&hash, HASH_H3, 1u << 31, 3);
    for (uint32_t wmer = 1; wmer < WMER_COUNT; wmer++)
        if (wmer_hash(&hash, wmer) == 0)
            ck_abort_msg("w-mer %u maps to 0", wmer);
}
END_TEST

/* Three draws in ten have full rank at 22 x 22 bits. The others are drawn again. */
START_TEST(test_h3_is_drawn_until_its_rank_is_full)
{
    struct wmer_hash hash;
    wmer_hash_init(&hash, HASH_H3, WMER_COUNT, (uint64_t)_i);
    for (uint32_t wmer = 1; wmer < WMER_COUNT; wmer++)
        if (wmer_hash(&hash, wmer) == 0)
            ck_abort_msg("w-mer %u maps to 0", wmer);
}
END_TEST

START_TEST(test_h3_is_linear)
{
    uint64_t state = random_state(_i);
    struct wmer_hash hash;
    wmer_hash_init(&hash, HASH_H3, powers_of_two[_i], (uint64_t)_i + 1);
    for (int i = 0; i < 20000; i++) {
        uint32_t a = random_below(&state, WMER_COUNT), b = random_below(&state, WMER_COUNT);
        ck_assert_uint_eq(wmer_hash(&hash, a ^ b), wmer_hash(&hash, a) ^ wmer_hash(&hash, b));
    }
    ck_assert_uint_eq(wmer_hash(&hash, 0), 0);
}
END_TEST

/* Chi-square over all w-mers: sum (hits - e)^2 / e with `range` cells has mean range - 1 and variance 2
 * (range - 1); for 999 degrees of freedom it is nearly normal. Both tails at 4 sigma: too even is not random
 * either. */
START_TEST(test_xxh3_is_uniform_by_chi_square)
{
    enum { RANGE = 1000 };
    struct wmer_hash hash;
    wmer_hash_init(&hash, HASH_XXH3, RANGE, (uint64_t)_i);
    double hits[RANGE] = {0}, expected = (double)WMER_COUNT / RANGE, chi_square = 0;
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer++)
        hits[wmer_hash(&hash, wmer)]++;
    for (int value = 0; value < RANGE; value++)
        chi_square += (hits[value] - expected) * (hits[value] - expected) / expected;
    ck_assert_double_eq_tol(chi_square, RANGE - 1, 4 * sqrt(2.0 * (RANGE - 1)));
}
END_TEST

/* Two independent functions agree on 1 in `range` w-mers: binomial, mean 65,536 / 64 = 1024, sigma 31.7. For
 * H3 the difference of two functions is a linear map itself, whose kernel holds 2^-rank of all w-mers: at
 * most 1 in 2. */
START_TEST(test_different_seeds_give_different_functions)
{
    enum hash_family family = _i == 0 ? HASH_XXH3 : HASH_H3;
    uint64_t state = random_state(_i);
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct wmer_hash one, other;
        wmer_hash_init(&one, family, 64, seed);
        wmer_hash_init(&other, family, 64, seed + 1);
        int equal = 0;
        for (int i = 0; i < 65536; i++) {
            uint32_t wmer = random_below(&state, WMER_COUNT);
            equal += wmer_hash(&one, wmer) == wmer_hash(&other, wmer);
        }
        ck_assert_int_lt(equal, family == HASH_XXH3 ? 1024 + 4 * 32 : 65536 / 2 + 4 * 128);
    }
}
END_TEST

START_TEST(test_equal_seeds_give_equal_functions)
{
    enum hash_family family = _i == 0 ? HASH_XXH3 : HASH_H3;
    struct wmer_hash one, other;
    wmer_hash_init(&one, family, 131072, 42);
    wmer_hash_init(&other, family, 131072, 42);
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer += 101)
        ck_assert_uint_eq(wmer_hash(&one, wmer), wmer_hash(&other, wmer));
}
END_TEST

/* SplitMix64 from seed 0: the first outputs of Vigna's reference code. */
START_TEST(test_derived_seeds_are_splitmix64)
{
    ck_assert_uint_eq(hash_derive_seed(0, 0), UINT64_C(0xe220a8397b1dcdaf));
    ck_assert_uint_eq(hash_derive_seed(0, 1), UINT64_C(0x6e789e6aa1b965f4));
    ck_assert_uint_eq(hash_derive_seed(0, 2), UINT64_C(0x06c45d188009454f));
}
END_TEST

START_TEST(test_impossible_ranges_are_refused)
{
    for (enum hash_family family = HASH_XXH3; family <= HASH_DISPLACED; family++) {
        ck_assert(!hash_family_allows_range(family, 0));
        ck_assert(hash_family_allows_range(family, 1));
        ck_assert(hash_family_allows_range(family, UINT64_C(1) << 31));
        ck_assert(!hash_family_allows_range(family, (UINT64_C(1) << 31) + 1));
        ck_assert(!hash_family_allows_range(family, UINT64_C(1) << 32));
        ck_assert(!hash_family_allows_range(family, UINT64_MAX));
    }
    ck_assert(hash_family_allows_range(HASH_XXH3, 1000));
    ck_assert(hash_family_allows_range(HASH_DISPLACED, 1000));
}
END_TEST

START_TEST(test_h3_takes_powers_of_two_only)
{
    for (uint64_t range = 1; range <= 70000; range++) {
        bool power_of_two = false;
        for (uint64_t p = 1; p <= range; p *= 2)
            power_of_two |= p == range;
        ck_assert_int_eq(hash_family_allows_range(HASH_H3, range), power_of_two);
    }
}
END_TEST

/* --- Bloom filter ---------------------------------------------------------------------------------------- */

/* A filter and the exact set of what was put in. */
struct filled {
    struct bloom *bloom;
    bool *is_member; /* by w-mer */
    uint32_t members;
};

static struct filled fill(const struct bloom_geometry *geometry, uint32_t members, uint64_t *state)
{
    struct filled f = {must_new(geometry), must_allocate(WMER_COUNT * sizeof(bool)), members};
    for (uint32_t n = 0; n < members;) {
        uint32_t wmer = random_below(state, WMER_COUNT);
        if (f.is_member[wmer])
            continue;
        f.is_member[wmer] = true;
        bloom_add(f.bloom, wmer);
        n++;
    }
    return f;
}

static void empty(struct filled *f)
{
    bloom_destroy(f->bloom);
    free(f->is_member);
}

static struct bloom_geometry random_geometry(uint64_t *state)
{
    struct bloom_geometry g = {
        .hashes = 1 + random_below(state, BLOOM_HASHES_MAX),
        .family = random_below(state, 2) ? HASH_XXH3 : HASH_H3,
        .seed = next_random(state),
    };
    g.bank_bits = g.family == HASH_H3 ? 1u << random_below(state, 18) : 1 + random_below(state, 200000);
    return g;
}

START_TEST(test_no_false_negative)
{
    uint64_t state = random_state(_i);
    struct bloom_geometry g = random_geometry(&state);
    struct filled f = fill(&g, random_below(&state, 20000), &state);
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer++)
        if (f.is_member[wmer] && !bloom_may_contain(f.bloom, wmer))
            ck_abort_msg("w-mer %u was put in and is not found", wmer);
    empty(&f);
}
END_TEST

START_TEST(test_xxh3_is_the_library_s)
{
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct wmer_hash hash;
        wmer_hash_init(&hash, HASH_XXH3, 131072, hash_derive_seed(seed, 3));
        uint32_t wmer = (uint32_t)hash_derive_seed(seed, 4) % WMER_COUNT;
        ck_assert_uint_eq(wmer_xxh3(wmer, hash.flip), XXH3_64bits_withSeed(&wmer, sizeof wmer, hash.seed));
    }
}
END_TEST

/* Any number of w-mers, around those that vectors hold; nothing behind them is written. */
START_TEST(test_many_at_a_time_are_hashed_as_one)
{
    enum { MANY = 40, UNTOUCHED = 12345 };
    uint64_t state = random_state(_i);
    for (uint32_t i = 0; i < 2000; i++) {
        enum hash_family family = i % 2 ? HASH_XXH3 : HASH_H3;
        uint32_t power = 1u << random_below(&state, 32), wmers[MANY], values[MANY + 1],
                 count = i % (MANY + 1);
        uint32_t range = family == HASH_H3 || i % 4 == 1 ? power : 1 + random_below(&state, 1u << 31);
        struct wmer_hash hash;
        wmer_hash_init(&hash, family, range, next_random(&state));
        for (uint32_t w = 0; w < MANY; w++)
            wmers[w] = random_below(&state, WMER_COUNT);
        for (enum cpu_level level = CPU_PORTABLE; level <= cpu_best_level(); level++) {
            values[count] = UNTOUCHED;
            wmer_hash_many(&hash, level, wmers, values, count);
            for (uint32_t w = 0; w < count; w++)
                ck_assert_uint_eq(values[w], wmer_hash(&hash, wmers[w]));
            ck_assert_uint_eq(values[count], UNTOUCHED);
        }
    }
}
END_TEST

static const struct bloom_geometry tabulated[] = {
    {6, 131072, HASH_XXH3, 1},
    {6, 131072, HASH_H3, 1},
    {2, 1000, HASH_XXH3, 9},
    {1, 64, HASH_H3, 9},
};

static uint32_t count_bits(const uint64_t *bits)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < WMER_COUNT / 64; i++)
        count += (uint32_t)__builtin_popcountll(bits[i]);
    return count;
}

START_TEST(test_tabulate_equals_may_contain_for_all_wmers)
{
    uint64_t state = random_state(_i);
    struct filled f = fill(&tabulated[_i], _i < 2 ? 50000 : 40, &state);
    uint64_t *bits = malloc(WMER_COUNT / 8);
    ck_assert_ptr_nonnull(bits);
    for (enum cpu_level level = CPU_PORTABLE; level <= cpu_best_level(); level++) {
        memset(bits, 0x5a, WMER_COUNT / 8); /* shall be overwritten */
        uint32_t passing = bloom_tabulate(f.bloom, level, bits);
        ck_assert_uint_eq(passing, count_bits(bits));
        for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer++)
            if ((bits[wmer / 64] >> (wmer % 64) & 1) != bloom_may_contain(f.bloom, wmer))
                ck_abort_msg("w-mer %u differs at vector level %d", wmer, (int)level);
    }
    free(bits);
    empty(&f);
}
END_TEST

/* The w-mers that end somewhere in a sequence, valid ones, by a loop; for free(). */
static bool *wmers_of(const struct sequences *s)
{
    bool *has = calloc(WMER_COUNT, sizeof *has);
    ck_assert_ptr_nonnull(has);
    uint32_t wmer = 0;
    unsigned good = 0;
    for (uint64_t p = 0; p < s->word_count * BASES_PER_WORD; p++) {
        unsigned code = sequences_code(s, p);
        good = code <= BASE_T ? good + 1 : 0;
        wmer = wmer >> 2 | (code & 3) << (WMER_BITS - 2);
        if (good >= WMER_BASES)
            has[wmer] = true;
    }
    return has;
}

static struct sequences random_database(uint64_t words, uint64_t *state)
{
    struct sequences s = {.word_count = words, .words = malloc(words * sizeof *s.words)};
    ck_assert_ptr_nonnull(s.words);
    for (uint64_t i = 0; i < words; i++)
        s.words[i] = next_random(state) & 0x3333333333333333u;
    s.words[random_below(state, (uint32_t)words)] |= UINT64_C(15) << 8;
    s.positions = words * BASES_PER_WORD;
    return s;
}

/* Whatever the database has is answered as without an index; the rest is clear or answered so, too. */
static void check_indexed(const struct filled *f, const struct bloom_index *index, const bool *has)
{
    uint64_t *all = malloc(WMER_COUNT / 8), *bits = malloc(WMER_COUNT / 8);
    ck_assert(all && bits);
    bloom_tabulate(f->bloom, CPU_PORTABLE, all);
    for (enum cpu_level level = CPU_PORTABLE; level <= cpu_best_level(); level++) {
        memset(bits, 0x5a, WMER_COUNT / 8); /* shall be overwritten */
        uint32_t passing = bloom_tabulate_index(f->bloom, level, index, bits);
        ck_assert_uint_eq(passing, count_bits(bits));
        for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer++) {
            bool expected = all[wmer / 64] >> (wmer % 64) & 1, found = bits[wmer / 64] >> (wmer % 64) & 1;
            if (has[wmer] ? found != expected : found && !expected)
                ck_abort_msg("w-mer %u differs at vector level %d", wmer, (int)level);
        }
    }
    free(all);
    free(bits);
}

START_TEST(test_an_index_answers_for_what_the_database_has)
{
    uint64_t state = random_state(_i);
    struct filled f = fill(&tabulated[_i], _i < 2 ? 50000 : 40, &state);
    struct sequences database = random_database(_i % 2 ? 7 : 30000, &state);
    struct bloom_index *index = bloom_index_new(&tabulated[_i], &database);
    bool *has = wmers_of(&database);
    ck_assert_ptr_nonnull(index);
    check_indexed(&f, index, has);
    free(has);
    bloom_index_destroy(index);
    sequences_destroy(&database);
    empty(&f);
}
END_TEST

/* Such a database is not read: the index has all w-mers. */
START_TEST(test_an_index_of_a_large_database_has_all)
{
    uint64_t state = random_state(_i);
    struct filled f = fill(&tabulated[_i], 5000, &state);
    struct sequences database = {.word_count = UINT64_C(1) << 40};
    struct bloom_index *index = bloom_index_new(&tabulated[_i], &database);
    bool *has = malloc(WMER_COUNT * sizeof *has);
    ck_assert(index && has);
    memset(has, true, WMER_COUNT * sizeof *has);
    check_indexed(&f, index, has);
    free(has);
    bloom_index_destroy(index);
    empty(&f);
}
END_TEST

START_TEST(test_an_index_pays_for_many_passes_or_a_small_database_and_usual_banks)
{
    struct bloom_geometry g = tabulated[0];
    ck_assert(!bloom_index_pays(&g, 1u << 20, 1));
    ck_assert(bloom_index_pays(&g, 1u << 20, 100));
    ck_assert(bloom_index_pays(&g, UINT64_MAX, 100));
    ck_assert(bloom_index_pays(&g, 1000, 1));
    g.bank_bits = 1u << 26;
    ck_assert(!bloom_index_pays(&g, 1u << 20, 100));
    ck_assert(!bloom_index_pays(&g, 1000, 1));
}
END_TEST

static uint32_t count_false_positives(const struct filled *f)
{
    uint32_t count = 0;
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer++)
        count += !f->is_member[wmer] && bloom_may_contain(f->bloom, wmer);
    return count;
}

/* Variance of the fraction of bits set in one bank (balls into bins, n balls, m bins):
 * Var(empty) = m (m-1) (1-2/m)^n + m (1-1/m)^n - m^2 (1-1/m)^2n. */
static double load_variance(double n, double m)
{
    double none = pow(1 - 1 / m, n);
    double none_of_two = pow(1 - 2 / m, n);
    return ((m - 1) / m) * none_of_two + none / m - none * none;
}

/* Probability that none of n members, out of the 4^11 w-mers, is among `others` given w-mers
 * (hypergeometric). */
static double none_among(double others, double n, double wmers)
{
    double none = 1;
    for (double i = 0; i < others; i++)
        none *= (wmers - n - i) / (wmers - i);
    return none;
}

/* The bit that a w-mer which was not put in finds in one bank is set by any of the n members:
 * xxh3  each member hits it with 1/m, independently: 1-(1-1/m)^n.
 * h3    a full-rank linear map puts exactly b = 4^11/m w-mers on each bit, so b-1 others share this one, and
 *       it is set when a member is among these, out of 4^11 - 1 w-mers. With the default geometry b = 32,
 *       which makes h3's false positives 11% fewer than xxh3's. */
static double chance_of_a_set_bit(const struct bloom_geometry *g, double n)
{
    if (g->family == HASH_XXH3)
        return 1 - pow(1 - 1.0 / g->bank_bits, n);
    return 1 - none_among((double)WMER_COUNT / g->bank_bits - 1, n, WMER_COUNT - 1);
}

/* Expectation p = (chance of a set bit)^k, since the k banks are independent. Of Q questions to one filter
 * the false positives scatter for two reasons: the questions (binomial, Q p (1-p)) and the banks' loads (p
 * is a product of k loads, so its relative variance is k Var(load) / load^2; for h3, which spreads more
 * evenly, an upper bound). */
static void check_false_positives(const struct bloom_geometry *g, uint32_t n, uint64_t *state)
{
    struct filled f = fill(g, n, state);
    double load = chance_of_a_set_bit(g, n);
    double p = pow(load, g->hashes), questions = WMER_COUNT - n;
    double relative = g->hashes * load_variance(n, g->bank_bits) / (load * load);
    double sigma = sqrt(questions * p * (1 - p) + questions * questions * p * p * relative);
    uint32_t found = count_false_positives(&f);
    ck_assert_msg(fabs(found - questions * p) <= 4 * sigma, "%u false positives, expected %.0f +- %.0f",
                  found, questions * p, sigma);
    empty(&f);
}

/* Three decades of bank size, full, half-full and thinly filled banks, a few and many hashes. */
static const struct {
    uint32_t bank_bits, members;
    unsigned hashes;
} loads[] = {
    {256, 100, 2},      {4096, 2048, 6},    {16384, 1600, 2},   {65536, 65536, 16},
    {131072, 53100, 6}, {131072, 65390, 6}, {262144, 30000, 3},
};

START_TEST(test_false_positives_follow_the_formula_xxh3)
{
    uint64_t state = random_state(_i);
    struct bloom_geometry g = {loads[_i].hashes, loads[_i].bank_bits, HASH_XXH3, 1000 + (uint64_t)_i};
    check_false_positives(&g, loads[_i].members, &state);
}
END_TEST

START_TEST(test_false_positives_follow_the_formula_h3)
{
    uint64_t state = random_state(_i + 100);
    struct bloom_geometry g = {loads[_i].hashes, loads[_i].bank_bits, HASH_H3, 2000 + (uint64_t)_i};
    check_false_positives(&g, loads[_i].members, &state);
}
END_TEST

/* This check with one bank too few in the formula has to fail, or it checks nothing. */
START_TEST(test_wrong_number_of_banks_would_be_noticed)
{
    uint64_t state = random_state(0);
    struct bloom_geometry g = {5, 131072, HASH_XXH3, 1};
    struct filled f = fill(&g, 53100, &state);
    double p = pow(1 - pow(1 - 1.0 / 131072, 53100), 6), questions = WMER_COUNT - 53100;
    ck_assert_double_gt(count_false_positives(&f), questions * p + 100 * sqrt(questions * p));
    empty(&f);
}
END_TEST

/* A bit is set with 1-(1-1/m)^n, under h3 when one of its 4^11/m w-mers is a member; variance
 * load_variance(n, m). */
START_TEST(test_bank_loads_follow_the_formula)
{
    uint64_t state = random_state(_i);
    struct bloom_geometry g = {6, 131072, _i == 0 ? HASH_XXH3 : HASH_H3, 77};
    struct filled f = fill(&g, 53100, &state);
    double none = _i == 0 ? pow(1 - 1.0 / 131072, 53100) : none_among(WMER_COUNT / 131072, 53100, WMER_COUNT);
    for (unsigned bank = 0; bank < g.hashes; bank++)
        ck_assert_double_eq_tol(bloom_bank_load(f.bloom, bank), 1 - none,
                                4 * sqrt(load_variance(53100, 131072)));
    empty(&f);
}
END_TEST

START_TEST(test_one_wmer_sets_one_bit_a_bank)
{
    struct bloom_geometry g = {BLOOM_HASHES_MAX, 1000, HASH_XXH3, 4};
    struct bloom *bloom = must_new(&g);
    for (int again = 0; again < 3; again++)
        bloom_add(bloom, WMER_COUNT - 1);
    for (unsigned bank = 0; bank < g.hashes; bank++)
        ck_assert_double_eq_tol(bloom_bank_load(bloom, bank), 0.001, 1e-12);
    ck_assert(bloom_may_contain(bloom, WMER_COUNT - 1));
    bloom_destroy(bloom);
}
END_TEST

START_TEST(test_empty_filter_contains_nothing)
{
    struct bloom_geometry g = {1, 1, _i == 0 ? HASH_XXH3 : HASH_H3, 0};
    struct bloom *bloom = must_new(&g);
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer += 13)
        ck_assert(!bloom_may_contain(bloom, wmer));
    ck_assert_double_eq_tol(bloom_bank_load(bloom, 0), 0, 1e-12);
    bloom_destroy(bloom);
}
END_TEST

START_TEST(test_banks_of_one_bit_contain_everything_after_one_insertion)
{
    struct bloom_geometry g = {3, 1, _i == 0 ? HASH_XXH3 : HASH_H3, 0};
    struct bloom *bloom = must_new(&g);
    bloom_add(bloom, 0);
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer += 13)
        ck_assert(bloom_may_contain(bloom, wmer));
    for (unsigned bank = 0; bank < g.hashes; bank++)
        ck_assert_double_eq_tol(bloom_bank_load(bloom, bank), 1, 1e-12);
    bloom_destroy(bloom);
}
END_TEST

/* Bank sizes around the 64-bit words they are stored in: a bank must not leak into its neighbour. */
START_TEST(test_banks_that_end_inside_a_storage_word)
{
    uint64_t state = random_state(_i);
    struct bloom_geometry g = {4, 61 + (uint32_t)_i, HASH_XXH3, (uint64_t)_i};
    struct filled f = fill(&g, 2000, &state);
    for (unsigned bank = 0; bank < g.hashes; bank++)
        ck_assert_double_eq_tol(bloom_bank_load(f.bloom, bank), 1,
                                1e-12); /* (1-1/67)^2000 = 1e-13: none unset */
    empty(&f);
}
END_TEST

static void add_core_tests(TCase *core)
{
    tcase_add_loop_test(core, test_h3_is_linear, 0, COUNT_OF(powers_of_two));
    tcase_add_loop_test(core, test_h3_hits_every_value_equally_often, 3, COUNT_OF(powers_of_two));
    tcase_add_loop_test(core, test_xxh3_is_uniform_by_chi_square, 0, 2);
    tcase_add_loop_test(core, test_different_seeds_give_different_functions, 0, 2);
    tcase_add_loop_test(core, test_equal_seeds_give_equal_functions, 0, 2);
    tcase_add_test(core, test_derived_seeds_are_splitmix64);
    tcase_add_loop_test(core, test_no_false_negative, 0, 10);
    tcase_add_test(core, test_xxh3_is_the_library_s);
    tcase_add_test(core, test_an_index_pays_for_many_passes_or_a_small_database_and_usual_banks);
    tcase_add_loop_test(core, test_false_positives_follow_the_formula_xxh3, 0, COUNT_OF(loads));
    tcase_add_loop_test(core, test_false_positives_follow_the_formula_h3, 0, COUNT_OF(loads));
    tcase_add_test(core, test_wrong_number_of_banks_would_be_noticed);
    tcase_add_loop_test(core, test_bank_loads_follow_the_formula, 0, 2);
}

/* What vectors do. */
static void add_level_tests(TCase *levels)
{
    tcase_add_loop_test(levels, test_many_at_a_time_are_hashed_as_one, 0, 3);
    tcase_add_loop_test(levels, test_tabulate_equals_may_contain_for_all_wmers, 0, COUNT_OF(tabulated));
    tcase_add_loop_test(levels, test_an_index_answers_for_what_the_database_has, 0, COUNT_OF(tabulated));
    tcase_add_loop_test(levels, test_an_index_of_a_large_database_has_all, 0, COUNT_OF(tabulated));
}

static void add_limit_tests(TCase *limits)
{
    tcase_add_loop_test(limits, test_xxh3_values_lie_in_the_range, 0, COUNT_OF(any_ranges));
    tcase_add_test(limits, test_h3_is_injective_above_22_bits);
    tcase_add_loop_test(limits, test_h3_is_drawn_until_its_rank_is_full, 1, 5);
    tcase_add_test(limits, test_one_wmer_sets_one_bit_a_bank);
    tcase_add_loop_test(limits, test_empty_filter_contains_nothing, 0, 2);
    tcase_add_loop_test(limits, test_banks_of_one_bit_contain_everything_after_one_insertion, 0, 2);
    tcase_add_loop_test(limits, test_banks_that_end_inside_a_storage_word, 0, 7);
}

static Suite *bloom_suite(void)
{
    Suite *suite = suite_create("bloom");
    TCase *core = tcase_create("core"), *levels = tcase_create("levels");
    TCase *limits = tcase_create("limits"), *errors = tcase_create("errors");
    tcase_set_timeout(core, 30);
    tcase_set_timeout(levels, 120);
    tcase_set_timeout(limits, 30);
    add_core_tests(core);
    add_level_tests(levels);
    add_limit_tests(limits);
    tcase_add_test(errors, test_impossible_ranges_are_refused);
    tcase_add_test(errors, test_h3_takes_powers_of_two_only);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, levels);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(bloom_suite());
}
