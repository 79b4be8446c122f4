/* test_lookup_cache.c - the answers that are known beforehand against lookups in the tables. */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "blast/stages12/lookup_cache.h"
#include "blast/stages12/sram_table.h"
#include "tests/blast/stages12/one_wmer.h"
#include "tests/run_suite.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

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

enum { ENTRIES = 3000 };

/* Entries with one to five positions a w-mer, and the bits of these w-mers and of others. */
struct keys {
    struct sram_entry entries[ENTRIES];
    uint64_t bits[WMER_COUNT / 64];
};

static struct keys *random_keys(uint32_t others, uint64_t *state)
{
    struct keys *k = calloc(1, sizeof *k);
    ck_assert_ptr_nonnull(k);
    uint32_t wmer = 0, left = 0;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        if (left == 0) {
            wmer += 1 + random_below(state, random_below(state, 2) ? 3 : 2 * WMER_COUNT / ENTRIES);
            left = 1 + random_below(state, 5);
        }
        left--;
        k->entries[i] = (struct sram_entry){wmer, i};
        ck_assert_uint_lt(wmer, WMER_COUNT);
        k->bits[wmer / 64] |= UINT64_C(1) << wmer % 64;
    }
    for (uint32_t i = 0; i < others; i++) {
        uint32_t other = random_below(state, WMER_COUNT);
        k->bits[other / 64] |= UINT64_C(1) << other % 64;
    }
    return k;
}

static struct lookup_cache empty_cache(void)
{
    struct lookup_cache cache = {.blocks = malloc(LOOKUP_BLOCKS * sizeof *cache.blocks),
                                 .of_passing = malloc(WMER_COUNT * sizeof *cache.of_passing)};
    ck_assert(cache.blocks && cache.of_passing);
    return cache;
}

static void destroy_cache(struct lookup_cache *cache)
{
    free(cache->blocks);
    free(cache->of_passing);
    lookup_cache_destroy(cache);
}

static void check_list(const struct answer_list *list, const struct sram_table *table, struct lookup found,
                       uint32_t wmer)
{
    uint32_t own = 0;
    for (uint32_t i = 0; i < found.entry_count; i++)
        own += found.entries[i].wmer == wmer;
    ck_assert_ptr_eq(sram_table_entries(table) + list->first, found.entries);
    ck_assert_uint_eq(list->entries, found.entry_count);
    ck_assert_uint_eq(list->own, own);
    ck_assert_int_eq(list->duplicate, found.outcome == LOOKUP_DUPLICATE);
}

static void check_answer(const struct lookup_cache *a, const struct sram_table *table, struct answer answer,
                         uint32_t wmer)
{
    struct lookup found = sram_table_lookup(table, wmer);
    bool inside = found.outcome == LOOKUP_MATCH && found.entry_count <= 2;
    switch (answer_kind(answer)) {
    case ANSWER_EMPTY:
        ck_assert_int_eq(found.outcome, LOOKUP_EMPTY);
        break;
    case ANSWER_MISMATCH:
        ck_assert_int_eq(found.outcome, LOOKUP_MISMATCH);
        break;
    case ANSWER_ONE:
    case ANSWER_TWO:
        ck_assert(inside && found.entry_count == (answer_kind(answer) == ANSWER_TWO ? 2 : 1));
        ck_assert_uint_eq(answer.first >> ANSWER_KIND_BITS, found.entries[0].position);
        if (found.entry_count == 2)
            ck_assert_uint_eq(answer.second, found.entries[1].position);
        break;
    case ANSWER_LIST:
        ck_assert(!inside && found.outcome >= LOOKUP_MATCH);
        check_list(lookup_cache_list(a, answer), table, found, wmer);
        break;
    default:
        ck_abort_msg("w-mer %u: an answer of no kind", wmer);
    }
}

static const struct sram_geometry geometries[] = {
    {131072, HASH_DISPLACED, 2, 5, 8192, 1}, {2000, HASH_DISPLACED, 2, 5, 100, 2}, {512, HASH_H3, 2, 3, 0, 3},
    {4096, HASH_XXH3, 1, 5, 0, 4},           {8192, HASH_XXH3, 4, 1, 0, 5},        {1, HASH_XXH3, 2, 5, 0, 6},
};

/* Numbers count the passing w-mers in order; each has its lookup's answer. The bits may lie where the blocks come. */
START_TEST(test_every_passing_wmer_is_answered_as_looked_up)
{
    uint64_t state = 88172645463325252u + (uint64_t)_i;
    struct keys *keys = random_keys(_i == 5 ? 50 : 2000, &state);
    struct sram_table *table = sram_table_new(&geometries[_i], keys->entries, ENTRIES);
    struct lookup_cache answers = empty_cache();
    ck_assert_ptr_nonnull(table);
    memcpy(lookup_cache_bits(&answers), keys->bits, sizeof keys->bits);
    lookup_cache_load(&answers, table, _i % 2 ? keys->bits : lookup_cache_bits(&answers));
    uint32_t number = 0;
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer++) {
        if (!(keys->bits[wmer / 64] >> wmer % 64 & 1))
            continue;
        ck_assert_uint_eq(lookup_cache_number(&answers, wmer), number);
        check_answer(&answers, table, answers.of_passing[number], wmer);
        number++;
    }
    ck_assert_uint_eq(answers.passing_count, number);
    destroy_cache(&answers);
    sram_table_destroy(table);
    free(keys);
}
END_TEST

START_TEST(test_no_wmer_passes)
{
    uint64_t state = 88172645463325252u;
    struct keys *keys = random_keys(0, &state);
    memset(keys->bits, 0, sizeof keys->bits);
    struct sram_table *table = sram_table_new(&geometries[0], keys->entries, 0);
    struct lookup_cache answers = empty_cache();
    ck_assert_ptr_nonnull(table);
    lookup_cache_load(&answers, table, keys->bits);
    ck_assert_uint_eq(answers.passing_count, 0);
    ck_assert_uint_eq(lookup_cache_number(&answers, WMER_COUNT - 1), 0);
    destroy_cache(&answers);
    sram_table_destroy(table);
    free(keys);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("answers");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits");
    tcase_add_loop_test(core, test_every_passing_wmer_is_answered_as_looked_up, 0, COUNT_OF(geometries));
    tcase_add_test(limits, test_no_wmer_passes);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    return run_suite(suite);
}
