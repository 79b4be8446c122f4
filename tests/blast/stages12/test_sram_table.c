/* test_sram_table.c - the primary and the duplicate table against a plain sorted list. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "blast/stages12/sram_table.h"
#include "tests/blast/stages12/one_wmer.h"
#include "tests/run_suite.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* --- entry sets ------------------------------------------------------------------------------------------ */

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

static int compare_entries(const void *a, const void *b)
{
    const struct sram_entry *x = a, *y = b;
    if (x->wmer != y->wmer)
        return x->wmer < y->wmer ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* The sorted list that stands for the truth: `count` positions, each with one of about `kinds` w-mers. */
struct list {
    struct sram_entry *entries;
    size_t count;
};

static struct list random_list(uint32_t count, uint32_t kinds, uint64_t *state)
{
    struct list list = {malloc((count + 1) * sizeof *list.entries), count};
    uint32_t *wmers = malloc(kinds * sizeof *wmers);
    ck_assert(list.entries && wmers);
    for (uint32_t i = 0; i < kinds; i++)
        wmers[i] = random_below(state, WMER_COUNT);
    for (uint32_t i = 0; i < count; i++)
        list.entries[i] = (struct sram_entry){wmers[random_below(state, kinds)], i + 10};
    qsort(list.entries, count, sizeof *list.entries, compare_entries);
    free(wmers);
    return list;
}

/* `count` different w-mers with one position each: an odd multiplier permutes the 22-bit numbers. */
static struct list distinct_list(uint32_t count, uint64_t *state)
{
    struct list list = {malloc((count + 1) * sizeof *list.entries), count};
    ck_assert_ptr_nonnull(list.entries);
    uint32_t odd = random_below(state, WMER_COUNT) | 1, start = random_below(state, WMER_COUNT);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = (start + i) * odd % WMER_COUNT;
        x ^= x >> 11; /* a permutation as well, and not linear */
        list.entries[i] = (struct sram_entry){x * odd % WMER_COUNT, i};
    }
    qsort(list.entries, count, sizeof *list.entries, compare_entries);
    return list;
}

/* The key's positions in the list: its first entry and how many. */
static const struct sram_entry *find_positions(const struct list *list, uint32_t wmer, uint32_t *count)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->entries[middle].wmer < wmer)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < list->count && list->entries[low + *count].wmer == wmer)
        ++*count;
    return &list->entries[low];
}

static struct sram_table *must_build(const struct sram_geometry *g, const struct list *list)
{
    struct sram_table *table = sram_table_new(g, list->entries, list->count);
    ck_assert_ptr_nonnull(table);
    return table;
}

/* --- what every table has to hold ------------------------------------------------------------------------ */

static bool same_entries(const struct sram_entry *a, const struct sram_entry *b, uint32_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

static uint32_t count_keys(const struct lookup *found)
{
    uint32_t keys = 0;
    for (uint32_t i = 0; i < found->entry_count; i++)
        keys += i == 0 || found->entries[i].wmer != found->entries[i - 1].wmer;
    return keys;
}

/* A list of a flagged slot: in order, each key whole, and each of its keys leads to it. */
static void check_slot_list(const struct sram_table *table, const struct list *list,
                            const struct lookup *found)
{
    for (uint32_t i = 0; i < found->entry_count;) {
        uint32_t wmer = found->entries[i].wmer, positions;
        const struct sram_entry *expected = find_positions(list, wmer, &positions);
        struct lookup other = sram_table_lookup(table, wmer);
        bool whole = positions > 0 && i + positions <= found->entry_count;
        if (!whole || !same_entries(&found->entries[i], expected, positions))
            ck_abort_msg("w-mer %u is not whole in its list", wmer);
        if (i > 0 && found->entries[i - 1].wmer >= wmer)
            ck_abort_msg("w-mer %u is out of order in its list", wmer);
        if (other.outcome != LOOKUP_DUPLICATE || other.entries != found->entries ||
            other.entry_count != found->entry_count)
            ck_abort_msg("w-mer %u is in a list that it does not lead to", wmer);
        i += positions;
    }
}

/* A key that was put in: match with just its positions, or a list that a flag explains and that holds them
 * all. */
static void check_key(const struct sram_table *table, const struct sram_geometry *g, const struct list *list,
                      const struct sram_entry *expected, uint32_t positions)
{
    struct lookup found = sram_table_lookup(table, expected->wmer);
    if (found.outcome == LOOKUP_MATCH) {
        if (positions > g->inline_positions || found.entry_count != positions ||
            !same_entries(found.entries, expected, positions))
            ck_abort_msg("w-mer %u: a match with %u positions", expected->wmer, found.entry_count);
        return;
    }
    if (found.outcome != LOOKUP_DUPLICATE)
        ck_abort_msg("w-mer %u: outcome %d", expected->wmer, (int)found.outcome);
    if (positions <= g->inline_positions && count_keys(&found) < 2)
        ck_abort_msg("w-mer %u: its slot is flagged without a reason", expected->wmer);
    struct list slot = {(struct sram_entry *)found.entries, found.entry_count};
    uint32_t listed;
    const struct sram_entry *in_slot = find_positions(&slot, expected->wmer, &listed);
    if (listed != positions || !same_entries(in_slot, expected, positions))
        ck_abort_msg("w-mer %u: %u of %u positions in its list", expected->wmer, listed, positions);
    if (in_slot == found.entries) /* once a slot is enough */
        check_slot_list(table, list, &found);
}

/* Number of positions of the w-mer that an entry is the first of. */
static uint32_t own_positions(const struct list *list, size_t first)
{
    size_t end = first;
    while (end < list->count && list->entries[end].wmer == list->entries[first].wmer)
        end++;
    return (uint32_t)(end - first);
}

/* Load figures, recomputed from what the lookups show: a slot is counted at its first key. */
static void check_load(const struct sram_table *table, const struct sram_geometry *g, const struct list *list)
{
    struct sram_load load = {0}, found = sram_table_load(table);
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0 && list->entries[i].wmer == list->entries[i - 1].wmer)
            continue;
        load.distinct_wmers++;
        struct lookup lookup = sram_table_lookup(table, list->entries[i].wmer);
        uint32_t keys = count_keys(&lookup);
        load.colliding_wmers += keys > 1;
        if (lookup.outcome == LOOKUP_DUPLICATE)
            load.bytes += g->collision == COLLISION_TRIP
                              ? 8 * own_positions(list, i)
                              : (own_positions(list, i) + g->inline_positions - 1) / g->inline_positions *
                                    g->slot_bytes;
        if (lookup.entries[0].wmer != list->entries[i].wmer)
            continue;
        load.occupied_slots++;
        load.collided_slots += keys > 1;
        load.duplicate_slots += keys == 1 && lookup.entry_count > g->inline_positions;
        load.duplicate_entries += lookup.outcome == LOOKUP_DUPLICATE ? lookup.entry_count : 0;
    }
    load.bytes += g->slot_bytes * (uint64_t)g->slots;
    load.bytes += g->family == HASH_DISPLACED ? 4 * (uint64_t)g->displacements : 0;
    ck_assert_uint_eq(found.distinct_wmers, load.distinct_wmers);
    ck_assert_uint_eq(found.occupied_slots, load.occupied_slots);
    ck_assert_uint_eq(found.collided_slots, load.collided_slots);
    ck_assert_uint_eq(found.colliding_wmers, load.colliding_wmers);
    ck_assert_uint_eq(found.duplicate_slots, load.duplicate_slots);
    ck_assert_uint_eq(found.duplicate_entries, load.duplicate_entries);
    ck_assert_uint_eq(found.bytes, load.bytes);
    ck_assert_uint_le(found.occupied_slots, g->slots);
    ck_assert_uint_eq(found.distinct_wmers - found.colliding_wmers,
                      found.occupied_slots - found.collided_slots);
}

/* Another w-mer: never a match, and a list that is read in vain is a list of other keys. */
static void check_absent(const struct sram_table *table, uint32_t wmer, uint32_t outcomes[4])
{
    struct lookup found = sram_table_lookup(table, wmer);
    if (found.outcome == LOOKUP_MATCH)
        ck_abort_msg("w-mer %u was never put in", wmer);
    for (uint32_t i = 0; found.outcome == LOOKUP_DUPLICATE && i < found.entry_count; i++)
        if (found.entries[i].wmer == wmer)
            ck_abort_msg("w-mer %u is in a list and was never put in", wmer);
    outcomes[found.outcome]++;
}

static void check_table(const struct sram_geometry *g, const struct list *list, uint64_t *state)
{
    struct sram_table *table = must_build(g, list);
    for (size_t i = 0; i < list->count;) {
        uint32_t positions;
        const struct sram_entry *expected = find_positions(list, list->entries[i].wmer, &positions);
        check_key(table, g, list, expected, positions);
        i += positions;
    }
    check_load(table, g, list);
    uint32_t outcomes[4] = {0}, positions;
    for (int i = 0; i < 300; i++) {
        uint32_t wmer = random_below(state, WMER_COUNT);
        find_positions(list, wmer, &positions);
        if (positions == 0)
            check_absent(table, wmer, outcomes);
    }
    struct sram_load load = sram_table_load(table);
    if (load.occupied_slots == g->slots)
        ck_assert_uint_eq(outcomes[LOOKUP_EMPTY], 0);
    if (load.collided_slots + load.duplicate_slots == 0)
        ck_assert_uint_eq(outcomes[LOOKUP_DUPLICATE], 0);
    sram_table_destroy(table);
}

/* --- core ------------------------------------------------------------------------------------------------ */

static struct sram_geometry random_geometry(uint64_t *state, enum hash_family family)
{
    static const uint32_t slots[] = {1, 2, 16, 256, 1024, 8192}, inline_positions[] = {1, 2, 4};
    struct sram_geometry g = {
        .slots = slots[random_below(state, COUNT_OF(slots))],
        .family = family,
        .inline_positions = inline_positions[random_below(state, COUNT_OF(inline_positions))],
        .trip_positions = 5,
        .displacements = 1 + random_below(state, 300),
        .seed = next_random(state),
        .slot_bytes = 16,
        .collision = random_below(state, 2) ? COLLISION_PROBE : COLLISION_TRIP,
    };
    if (family != HASH_H3)
        g.slots += random_below(state, g.slots); /* no power of two */
    return g;
}

static void check_random_tables(enum hash_family family, int loop_index)
{
    uint64_t state = random_state(loop_index);
    for (int i = 0; i < 10; i++) {
        struct sram_geometry g = random_geometry(&state, family);
        uint32_t count = random_below(&state, 1500);
        struct list list = random_list(count, 1 + random_below(&state, 1 + (1u << (i + 1))), &state);
        check_table(&g, &list, &state);
        free(list.entries);
    }
}

START_TEST(test_every_position_is_found_xxh3)
{
    check_random_tables(HASH_XXH3, _i);
}
END_TEST

START_TEST(test_every_position_is_found_h3)
{
    check_random_tables(HASH_H3, _i);
}
END_TEST

START_TEST(test_every_position_is_found_displaced)
{
    check_random_tables(HASH_DISPLACED, _i);
}
END_TEST

/* --- the displacements, searched one by one ----------------------------------------------------------------- */

/* The keys of a list, by the functions that the table hashes with, bucket by bucket. */
struct plain_buckets {
    uint32_t count;
    uint32_t *wmers, *addresses, *buckets, *sizes;
    bool *taken;
};

static struct plain_buckets plain_buckets_of(const struct sram_geometry *g, const struct list *list)
{
    struct plain_buckets b = {.wmers = calloc(3 * (list->count + 1), sizeof *b.wmers),
                              .sizes = calloc(g->displacements, sizeof *b.sizes),
                              .taken = calloc(g->slots, sizeof *b.taken)};
    ck_assert(b.wmers && b.sizes && b.taken);
    b.addresses = b.wmers + list->count + 1;
    b.buckets = b.addresses + list->count + 1;
    struct wmer_hash address, bucket;
    wmer_hash_init(&address, HASH_XXH3, g->slots, hash_derive_seed(g->seed, 100));
    wmer_hash_init(&bucket, HASH_XXH3, g->displacements, hash_derive_seed(g->seed, 101));
    for (size_t i = 0; i < list->count; i++) {
        uint32_t wmer = list->entries[i].wmer;
        if (i > 0 && wmer == list->entries[i - 1].wmer)
            continue;
        b.wmers[b.count] = wmer;
        b.addresses[b.count] = wmer_hash(&address, wmer);
        b.buckets[b.count] = wmer_hash(&bucket, wmer);
        b.sizes[b.buckets[b.count++]]++;
    }
    return b;
}

static uint32_t plain_slot(const struct sram_geometry *g, uint32_t address, uint32_t displacement)
{
    return (uint32_t)(((uint64_t)address + displacement) % g->slots);
}

/* The first of all displacements that brings the fewest keys of a bucket to taken slots. */
static uint32_t plain_displacement(const struct sram_geometry *g, const struct plain_buckets *b,
                                   uint32_t bucket)
{
    enum { TRIES = 16384 };
    uint32_t best = 0, fewest = UINT32_MAX;
    for (uint32_t d = 0; d < TRIES && d < g->slots && fewest > 0; d++) {
        uint32_t taken = 0;
        for (uint32_t i = 0; i < b->count; i++)
            taken += b->buckets[i] == bucket && b->taken[plain_slot(g, b->addresses[i], d)];
        if (taken < fewest) {
            fewest = taken;
            best = d;
        }
    }
    return best;
}

/* The largest bucket that has not been placed, of equal ones the first. */
static uint32_t largest_bucket(const struct sram_geometry *g, const struct plain_buckets *b)
{
    uint32_t largest = 0;
    for (uint32_t i = 1; i < g->displacements; i++)
        if (b->sizes[i] > b->sizes[largest])
            largest = i;
    return largest;
}

/* Place all buckets, and hold every key's slot against the table's. */
static void check_displacements(const struct sram_geometry *g, const struct list *list)
{
    struct plain_buckets b = plain_buckets_of(g, list);
    struct sram_table *table = must_build(g, list);
    uint32_t bucket;
    while (b.sizes[bucket = largest_bucket(g, &b)] > 0) {
        uint32_t displacement = plain_displacement(g, &b, bucket);
        for (uint32_t i = 0; i < b.count; i++) {
            if (b.buckets[i] != bucket)
                continue;
            uint32_t slot = plain_slot(g, b.addresses[i], displacement), found;
            b.taken[slot] = true;
            sram_table_find_slots(table, &b.wmers[i], &found, 1);
            ck_assert_msg(found == slot, "w-mer %u: slot %u instead of %u", b.wmers[i], found, slot);
        }
        b.sizes[bucket] = 0;
    }
    sram_table_destroy(table);
    free(b.wmers);
    free(b.sizes);
    free(b.taken);
}

/* Tables with much room and with little, and such as cannot hold their keys: the last displacements are second best. */
START_TEST(test_displacements_equal_a_plain_search)
{
    static const uint32_t slots[] = {1, 7, 63, 64, 65, 200, 511, 1000};
    uint64_t state = random_state(_i);
    for (int i = 0; i < 12; i++) {
        struct sram_geometry g = {.slots = slots[random_below(&state, COUNT_OF(slots))],
                                  .family = HASH_DISPLACED,
                                  .inline_positions = 2,
                                  .trip_positions = 5,
                                  .displacements = 1 + random_below(&state, 60),
                                  .seed = next_random(&state)};
        uint32_t kinds = 1 + random_below(&state, g.slots + g.slots / 4);
        struct list list = random_list(2 * kinds, kinds, &state);
        check_displacements(&g, &list);
        free(list.entries);
    }
}
END_TEST

/* One key with 1 .. 6 positions, alone in its table: its outcome follows from the number alone. */
START_TEST(test_a_lone_key_is_flagged_above_inline_positions)
{
    unsigned inline_positions = (unsigned)_i;
    struct sram_geometry g = {100, HASH_XXH3, inline_positions, 5, 0, 1};
    struct sram_entry entries[6];
    for (uint32_t n = 1; n <= 6; n++) {
        entries[n - 1] = (struct sram_entry){12345, 100 * n};
        struct list list = {entries, n};
        struct sram_table *table = must_build(&g, &list);
        struct lookup found = sram_table_lookup(table, 12345);
        ck_assert_int_eq(found.outcome, n <= inline_positions ? LOOKUP_MATCH : LOOKUP_DUPLICATE);
        ck_assert_uint_eq(found.entry_count, n);
        ck_assert(same_entries(found.entries, entries, n));
        ck_assert_uint_eq(sram_table_load(table).collided_slots, 0);
        sram_table_destroy(table);
    }
}
END_TEST

/* One slot: the outcome of every lookup is known without knowing the hash function. */
START_TEST(test_outcomes_in_a_table_of_one_slot)
{
    struct sram_geometry g = {1, (enum hash_family)_i, 2, 5, 7, 3};
    static struct sram_entry entries[] = {{5, 10}, {5, 20}, {9, 15}};
    struct list none = {entries, 0}, one_key = {entries, 2}, two_keys = {entries, 3};
    struct sram_table *table = must_build(&g, &none);
    ck_assert_int_eq(sram_table_lookup(table, 5).outcome, LOOKUP_EMPTY);
    sram_table_destroy(table);
    table = must_build(&g, &one_key);
    ck_assert_int_eq(sram_table_lookup(table, 5).outcome, LOOKUP_MATCH);
    ck_assert_int_eq(sram_table_lookup(table, 9).outcome, LOOKUP_MISMATCH);
    sram_table_destroy(table);
    table = must_build(&g, &two_keys);
    for (uint32_t wmer = 0; wmer < 20; wmer++) {
        struct lookup found = sram_table_lookup(table, wmer);
        ck_assert_int_eq(found.outcome, LOOKUP_DUPLICATE);
        ck_assert_uint_eq(found.entry_count, 3);
        ck_assert(same_entries(found.entries, entries, 3));
    }
    sram_table_destroy(table);
}
END_TEST

/* Balls into bins, n keys, S slots. Occupied: mean S (1 - e1), variance S (S-1) e2 + S e1 - S^2 e1^2, with
 * e1 = (1-1/S)^n (a slot stays empty) and e2 = (1-2/S)^n (two given ones do). Keys alone in their slot: mean
 * n (1-1/S)^(n-1); each slot hit or not moves it by at most 2, so 4 sqrt(n) is a bound beyond 4 sigma. */
START_TEST(test_random_hashing_collides_as_often_as_the_formula_says)
{
    static const uint32_t keys[] = {1000, 4096, 20000};
    enum { SLOTS = 8192 };
    uint64_t state = random_state(_i);
    uint32_t n = keys[_i / 2];
    struct sram_geometry g = {SLOTS, _i % 2 ? HASH_H3 : HASH_XXH3, 2, 5, 0, (uint64_t)_i};
    struct list list = distinct_list(n, &state);
    struct sram_table *table = must_build(&g, &list);
    struct sram_load load = sram_table_load(table);
    double empty = pow(1 - 1.0 / SLOTS, n), two_empty = pow(1 - 2.0 / SLOTS, n);
    double variance =
        SLOTS * (SLOTS - 1.0) * two_empty + SLOTS * empty - (double)SLOTS * SLOTS * empty * empty;
    ck_assert_uint_eq(load.distinct_wmers, n);
    ck_assert_double_eq_tol(load.occupied_slots, SLOTS * (1 - empty), 4 * sqrt(variance));
    ck_assert_double_eq_tol(n - load.colliding_wmers, n * pow(1 - 1.0 / SLOTS, n - 1), 4 * sqrt(n));
    sram_table_destroy(table);
    free(list.entries);
}
END_TEST

/* Displacement cannot part two keys of one bucket that also share A. With n keys, D buckets and S slots
 * there are n^2 / (2 D S) such pairs on average (Poisson); at half load everything else finds free slots.
 * Each pair makes two colliding keys. Plain hashing has n (1 - e^(-1/2)) = 39% of the keys collide here. */
START_TEST(test_displacement_leaves_only_collisions_it_cannot_part)
{
    static const uint32_t slots[] = {1024, 4096, 16384};
    uint32_t s = slots[_i], n = s / 2;
    uint64_t state = random_state(_i);
    struct list list = distinct_list(n, &state);
    struct sram_geometry g = {s, HASH_DISPLACED, 2, 5, s / 8, 11};
    struct sram_table *table = must_build(&g, &list);
    double pairs = (double)n * n / (2.0 * g.displacements * s);
    ck_assert_uint_le(sram_table_load(table).colliding_wmers, (uint32_t)(2 * (pairs + 4 * sqrt(pairs))));
    sram_table_destroy(table);
    g.family = HASH_XXH3;
    table = must_build(&g, &list);
    ck_assert_uint_ge(sram_table_load(table).colliding_wmers, n / 3); /* the control: the same keys collide */
    sram_table_destroy(table);
    free(list.entries);
}
END_TEST

/* Two keys have the free slots' full choice, so each goes to an empty one unless they share bucket and A. */
START_TEST(test_displacement_parts_two_keys)
{
    uint64_t state = random_state(0);
    uint32_t collided = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct list list = distinct_list(2, &state);
        struct sram_geometry g = {64, HASH_DISPLACED, 2, 5, 64, seed};
        struct sram_table *table = must_build(&g, &list);
        collided += sram_table_load(table).collided_slots;
        sram_table_destroy(table);
        free(list.entries);
    }
    ck_assert_uint_le(collided, 2); /* 200 / 64^2 = 0.05 expected; 200 / 64 = 3 without displacement */
}
END_TEST

START_TEST(test_equal_seeds_give_equal_tables)
{
    uint64_t state = random_state(_i);
    struct list list = random_list(2000, 1500, &state);
    struct sram_geometry g = {1024, (enum hash_family)_i, 2, 5, 256, 99};
    struct sram_table *one = must_build(&g, &list), *other = must_build(&g, &list);
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer += 97) {
        struct lookup a = sram_table_lookup(one, wmer), b = sram_table_lookup(other, wmer);
        bool same = a.outcome == b.outcome && a.entry_count == b.entry_count;
        if (!same || !same_entries(a.entries, b.entries, a.entry_count))
            ck_abort_msg("w-mer %u is looked up differently", wmer);
    }
    sram_table_destroy(one);
    sram_table_destroy(other);
    free(list.entries);
}
END_TEST

/* --- limits ---------------------------------------------------------------------------------------------- */

/* One w-mer at every position of a full segment. */
START_TEST(test_one_key_with_65400_positions)
{
    uint64_t state = random_state(_i);
    struct sram_geometry g = {131072, (enum hash_family)_i, 2, 5, 32768, 1};
    struct list list = random_list(65400, 1, &state);
    struct sram_table *table = must_build(&g, &list);
    struct lookup found = sram_table_lookup(table, list.entries[0].wmer);
    ck_assert_int_eq(found.outcome, LOOKUP_DUPLICATE);
    ck_assert_uint_eq(found.entry_count, 65400);
    ck_assert(same_entries(found.entries, list.entries, 65400));
    check_load(table, &g, &list);
    sram_table_destroy(table);
    free(list.entries);
}
END_TEST

/* The default geometry, a full segment with some repeats. */
START_TEST(test_a_full_segment_in_the_default_table)
{
    uint64_t state = random_state(_i);
    struct sram_geometry g = {131072, (enum hash_family)_i, 2, 5, 32768, 1};
    struct list list = random_list(65390, 60000, &state);
    check_table(&g, &list, &state);
    free(list.entries);
}
END_TEST

static const struct sram_geometry corners[] = {
    {1, HASH_DISPLACED, 1, 1, 1, 0},
    {2, HASH_DISPLACED, 16, 255, 1000, 0},
    {2, HASH_H3, 2, 5, 0, 0},
    {3, HASH_XXH3, 2, 5, 0, 0},
    {1u << 20, HASH_H3, 2, 5, 0, 0},
    {1000003, HASH_XXH3, 4, 5, 0, 0},
    {1000003, HASH_DISPLACED, 2, 5, 1, 0},
    {50, HASH_DISPLACED, 2, 5, 20, 0},
};

START_TEST(test_corners_of_the_geometry)
{
    uint64_t state = random_state(_i);
    for (uint32_t count = 0; count <= 200; count += 50) {
        struct list list = random_list(count, 150, &state);
        check_table(&corners[_i], &list, &state);
        free(list.entries);
    }
}
END_TEST

START_TEST(test_first_and_last_wmer)
{
    static struct sram_entry entries[] = {{0, 10}, {WMER_COUNT - 1, UINT32_MAX}};
    struct sram_geometry g = {64, (enum hash_family)_i, 2, 5, 16, 5};
    struct list list = {entries, 2};
    uint64_t state = random_state(_i);
    check_table(&g, &list, &state);
}
END_TEST

/* --- errors ---------------------------------------------------------------------------------------------- */

START_TEST(test_table_without_entries_is_empty_everywhere)
{
    struct sram_geometry g = {1024, (enum hash_family)_i, 2, 5, 64, 5};
    struct sram_table *table = sram_table_new(&g, NULL, 0);
    ck_assert_ptr_nonnull(table);
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer += 11)
        if (sram_table_lookup(table, wmer).outcome != LOOKUP_EMPTY)
            ck_abort_msg("w-mer %u is not empty", wmer);
    struct sram_load load = sram_table_load(table);
    ck_assert_uint_eq(load.occupied_slots + load.duplicate_entries + load.distinct_wmers, 0);
    sram_table_destroy(table);
}
END_TEST

/* Each single w-mer that was not put in, against every slot of a small table. */
START_TEST(test_no_key_is_found_that_was_not_put_in)
{
    uint64_t state = random_state(_i);
    struct sram_geometry g = {512, (enum hash_family)_i, 2, 5, 64, 8};
    struct list list = random_list(300, 200, &state);
    struct sram_table *table = must_build(&g, &list);
    uint32_t outcomes[4] = {0}, positions;
    for (uint32_t wmer = 0; wmer < WMER_COUNT; wmer += 61) {
        find_positions(&list, wmer, &positions);
        if (positions == 0)
            check_absent(table, wmer, outcomes);
    }
    ck_assert_uint_gt(outcomes[LOOKUP_EMPTY], 0);
    ck_assert_uint_gt(outcomes[LOOKUP_MISMATCH], 0);
    sram_table_destroy(table);
    free(list.entries);
}
END_TEST

static void add_core_tests(TCase *core)
{
    tcase_add_loop_test(core, test_every_position_is_found_xxh3, 0, 8);
    tcase_add_loop_test(core, test_every_position_is_found_h3, 0, 8);
    tcase_add_loop_test(core, test_every_position_is_found_displaced, 0, 8);
    tcase_add_loop_test(core, test_displacements_equal_a_plain_search, 0, 8);
    tcase_add_loop_test(core, test_a_lone_key_is_flagged_above_inline_positions, 1, 6);
    tcase_add_loop_test(core, test_outcomes_in_a_table_of_one_slot, HASH_XXH3, HASH_DISPLACED + 1);
    tcase_add_loop_test(core, test_random_hashing_collides_as_often_as_the_formula_says, 0, 6);
    tcase_add_loop_test(core, test_displacement_leaves_only_collisions_it_cannot_part, 0, 3);
    tcase_add_test(core, test_displacement_parts_two_keys);
    tcase_add_loop_test(core, test_equal_seeds_give_equal_tables, HASH_XXH3, HASH_DISPLACED + 1);
}

static Suite *sram_table_suite(void)
{
    Suite *suite = suite_create("sram_table");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"), *errors = tcase_create("errors");
    tcase_set_timeout(core, 30);
    tcase_set_timeout(limits, 30);
    add_core_tests(core);
    tcase_add_loop_test(limits, test_one_key_with_65400_positions, HASH_XXH3, HASH_DISPLACED + 1);
    tcase_add_loop_test(limits, test_a_full_segment_in_the_default_table, HASH_XXH3, HASH_DISPLACED + 1);
    tcase_add_loop_test(limits, test_corners_of_the_geometry, 0, COUNT_OF(corners));
    tcase_add_loop_test(limits, test_first_and_last_wmer, HASH_XXH3, HASH_DISPLACED + 1);
    tcase_add_loop_test(errors, test_table_without_entries_is_empty_everywhere, HASH_XXH3,
                        HASH_DISPLACED + 1);
    tcase_add_loop_test(errors, test_no_key_is_found_that_was_not_put_in, HASH_XXH3, HASH_DISPLACED + 1);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(sram_table_suite());
}
