/* test_scan_ahead.c - blocks scanned by several threads against the plain scan, block after block. */
#include "sim/tokens/scan_ahead.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/board/hardware.h"
#include "tests/run_suite.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* More matches than a seed of these tests has. */
enum { MATCHES_OF_SEED = 700 };

/* --- sequences --------------------------------------------------------------------------------------------- */

/* What a pass is made of. */
struct input {
    struct sequences query, database;
    struct pass *pass;
};

static struct sequences sequences_of(uint64_t words)
{
    uint64_t bases = words * BASES_PER_WORD;
    struct sequences s = {.word_count = words, .positions = bases, .bases = bases};
    s.words = calloc(words, sizeof *s.words);
    ck_assert_ptr_nonnull(s.words);
    return s;
}

/* Random bases; every 200th word has one that is none. */
static struct sequences random_sequences(uint64_t words, uint64_t *state)
{
    struct sequences s = sequences_of(words);
    for (uint64_t i = 0; i < words; i++) {
        s.words[i] = next_random(state) & 0x3333333333333333u;
        if (i % 200 == 100)
            s.words[i] |= UINT64_C(4) << 4 * (next_random(state) % BASES_PER_WORD);
    }
    return s;
}

/* One word again and again: every w-mer is a seed, and its list has a sixteenth of the query's positions. */
static struct sequences repetitive_sequences(uint64_t words)
{
    struct sequences s = sequences_of(words);
    for (uint64_t i = 0; i < words; i++)
        s.words[i] = 0x3120013322103021u;
    return s;
}

static void load(struct input *input)
{
    struct hardware hardware = hardware_default();
    struct query_segment segment = {.length = (uint32_t)input->query.positions, .strand = STRAND_PLUS};
    input->pass = pass_new(&hardware.pass, &input->query, &segment, &input->database, NULL);
    ck_assert_ptr_nonnull(input->pass);
}

/* A database of which every other hundred words are of the query. */
static void make_random(struct input *input, uint64_t words)
{
    uint64_t state = 88172645463325252u;
    input->query = random_sequences(300, &state);
    input->database = random_sequences(words, &state);
    for (uint64_t i = 50; i + 100 < words; i += 200)
        memcpy(input->database.words + i, input->query.words + next_random(&state) % 200,
               100 * sizeof *input->query.words);
    load(input);
}

static void make_repetitive(struct input *input, uint64_t query_words, uint64_t words)
{
    input->query = repetitive_sequences(query_words);
    input->database = repetitive_sequences(words);
    load(input);
}

static void destroy(struct input *input)
{
    pass_destroy(input->pass);
    sequences_destroy(&input->query);
    sequences_destroy(&input->database);
}

/* --- comparing --------------------------------------------------------------------------------------------- */

static void check_same(const void *a, const void *b, size_t a_count, size_t b_count, size_t size)
{
    ck_assert_uint_eq(a_count, b_count);
    ck_assert(a_count == 0 || memcmp(a, b, a_count * size) == 0);
}

/* Tokens with bytes between their members are compared by members. */
static void check_tokens(const struct tokens *a, const struct tokens *b)
{
    check_same(a->words, b->words, a->word_count, b->word_count, sizeof *a->words);
    check_same(a->groups, b->groups, a->group_count, b->group_count, sizeof *a->groups);
    check_same(a->matches, b->matches, a->match_count, b->match_count, sizeof *a->matches);
    ck_assert_uint_eq(a->seed_count, b->seed_count);
    for (size_t i = 0; i < a->seed_count; i++)
        if (a->seeds[i].outcome != b->seeds[i].outcome || a->seeds[i].groups != b->seeds[i].groups)
            ck_abort_msg("seed %zu differs", i);
    ck_assert_uint_eq(a->hsp_count, b->hsp_count);
    for (size_t i = 0; i < a->hsp_count; i++)
        if (a->hsps[i].query_position != b->hsps[i].query_position ||
            a->hsps[i].database_position != b->hsps[i].database_position)
            ck_abort_msg("HSP %zu differs", i);
}

/* The plain scan and the one under test, side by side. */
struct pair {
    const struct input *input;
    struct scan_ahead *scan;
    struct tokens plain, tokens;
    struct pass_counts plain_counts, counts;
    uint64_t block_words, done; /* words */
};

static void begin(struct pair *p, const struct input *input, uint64_t block_words, const atomic_uint *threads)
{
    *p = (struct pair){.input = input, .block_words = block_words};
    p->scan = scan_ahead_new(input->pass, input->database.word_count, threads);
    ck_assert_ptr_nonnull(p->scan);
}

static void append(struct tokens *all, const struct tokens *part)
{
    tokens_reserve(all, part->word_count, part->seed_count, part->group_count, part->match_count);
    for (size_t i = 0; i < part->word_count; i++)
        tokens_add_word(all, part->words[i]);
    for (size_t i = 0; i < part->seed_count; i++)
        all->seeds[all->seed_count++] = part->seeds[i];
    for (size_t i = 0; i < part->group_count; i++)
        all->groups[all->group_count++] = part->groups[i];
    for (size_t i = 0; i < part->match_count; i++)
        tokens_add_match(all, part->matches[i]);
    for (size_t i = 0; i < part->hsp_count; i++)
        tokens_add_hsp(all, part->hsps[i]);
}

/* Take the next block, in parts that have at most PASS_PART_MATCHES matches and those of a word more, and compare it.
 * */
static void take(struct pair *p)
{
    struct tokens part = {0};
    uint64_t left = p->input->database.word_count - p->done;
    uint64_t count = left < p->block_words ? left : p->block_words;
    pass_scan(p->input->pass, p->done, count, &p->plain, &p->plain_counts);
    tokens_clear(&p->tokens);
    for (uint64_t done = 0, words; done < count; done += words) {
        words = scan_ahead_take(p->scan, p->done + done, count - done, &part, &p->counts);
        ck_assert_uint_gt(words, 0);
        ck_assert_uint_eq(part.word_count, words);
        ck_assert_uint_lt(part.match_count, PASS_PART_MATCHES + (BASES_PER_WORD + 1) * MATCHES_OF_SEED);
        append(&p->tokens, &part);
    }
    tokens_destroy(&part);
    check_tokens(&p->plain, &p->tokens);
    ck_assert_int_eq(memcmp(&p->plain_counts, &p->counts, sizeof p->counts), 0);
    p->done += count;
}

static void end(struct pair *p)
{
    scan_ahead_destroy(p->scan);
    tokens_destroy(&p->plain);
    tokens_destroy(&p->tokens);
}

/* @return the number of matches */
static uint64_t compare(const struct input *input, uint64_t block_words, unsigned thread_count)
{
    atomic_uint threads = thread_count;
    struct pair pair;
    begin(&pair, input, block_words, &threads);
    while (pair.done < input->database.word_count)
        take(&pair);
    end(&pair);
    ck_assert_uint_gt(pair.counts.hsps, 0);
    return pair.counts.matches;
}

/* --- tests ------------------------------------------------------------------------------------------------- */

static const unsigned thread_counts[] = {1, 2, 3, 5};

/* 301 blocks, the last one of 7 words; windows and w-mers reach over the borders of blocks. */
START_TEST(test_random_blocks_equal_those_of_the_plain_scan)
{
    struct input input;
    make_random(&input, 300 * 37 + 7);
    compare(&input, 37, thread_counts[_i]);
    compare(&input, 2000, thread_counts[_i]);
    destroy(&input);
}
END_TEST

START_TEST(test_repetitive_blocks_equal_those_of_the_plain_scan)
{
    struct input input;
    make_repetitive(&input, 20, 1000);
    compare(&input, 30, thread_counts[_i]);
    destroy(&input);
}
END_TEST

/* 100 words are 1600 seeds of 600 matches each: a block comes in four parts. */
START_TEST(test_large_blocks_equal_those_of_the_plain_scan)
{
    struct input input;
    make_repetitive(&input, 600, 1500);
    ck_assert_uint_gt(compare(&input, 100, thread_counts[_i]), UINT64_C(1500) * BASES_PER_WORD * 590);
    destroy(&input);
}
END_TEST

START_TEST(test_blocks_may_be_fewer_than_threads)
{
    for (uint64_t blocks = 1; blocks <= 6; blocks++) {
        struct input input;
        make_random(&input, 200 * blocks);
        compare(&input, 200, 5);
        compare(&input, 200, SCAN_AHEAD_THREADS_MAX + 1);
        destroy(&input);
    }
}
END_TEST

START_TEST(test_no_number_of_threads_is_one)
{
    struct input input;
    struct pair pair;
    make_random(&input, 1000);
    begin(&pair, &input, 100, NULL);
    while (pair.done < 1000)
        take(&pair);
    end(&pair);
    compare(&input, 100, 0);
    destroy(&input);
}
END_TEST

/* As passes begin and end beside this one. */
START_TEST(test_the_number_of_threads_may_change_at_any_time)
{
    struct input input;
    struct pair pair;
    atomic_uint threads = 1;
    make_random(&input, 20000);
    begin(&pair, &input, 50, &threads);
    for (uint64_t block = 0; pair.done < 20000; block++) {
        if (block % 25 == 24)
            atomic_store(&threads, (unsigned)(7 * block % 6));
        take(&pair);
    }
    end(&pair);
    destroy(&input);
}
END_TEST

/* Loop index = blocks taken before. The helpers get time to fill all room. */
START_TEST(test_a_scan_may_be_left_at_any_time)
{
    struct input input;
    struct pair pair;
    atomic_uint threads = 3;
    make_random(&input, 3000);
    begin(&pair, &input, 50, &threads);
    for (int i = 0; i < _i; i++)
        take(&pair);
    if (_i % 2)
        usleep(20000);
    end(&pair);
    destroy(&input);
}
END_TEST

/* The helpers run out of room and rest, and are woken again. */
START_TEST(test_all_blocks_come_after_a_pause)
{
    struct input input;
    struct pair pair;
    atomic_uint threads = 3;
    make_random(&input, 5000);
    begin(&pair, &input, 50, &threads);
    for (int i = 0; pair.done < 5000; i++) {
        if (i % 20 == 10)
            usleep(10000);
        take(&pair);
    }
    end(&pair);
    destroy(&input);
}
END_TEST

/* There are enough blocks for threads to meet at every place. */
START_TEST(test_many_small_blocks_equal_those_of_the_plain_scan)
{
    enum { BLOCKS = 20000, BLOCK_WORDS = 3 };
    struct input input;
    make_random(&input, BLOCKS * BLOCK_WORDS);
    compare(&input, BLOCK_WORDS, thread_counts[_i]);
    destroy(&input);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scan_ahead");
    TCase *tcase = tcase_create("core");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_random_blocks_equal_those_of_the_plain_scan, 0, COUNT_OF(thread_counts));
    tcase_add_loop_test(tcase, test_repetitive_blocks_equal_those_of_the_plain_scan, 0,
                        COUNT_OF(thread_counts));
    tcase_add_loop_test(tcase, test_large_blocks_equal_those_of_the_plain_scan, 0, COUNT_OF(thread_counts));
    tcase_add_test(tcase, test_blocks_may_be_fewer_than_threads);
    tcase_add_test(tcase, test_no_number_of_threads_is_one);
    tcase_add_test(tcase, test_the_number_of_threads_may_change_at_any_time);
    tcase_add_loop_test(tcase, test_a_scan_may_be_left_at_any_time, 0, 6);
    tcase_add_test(tcase, test_all_blocks_come_after_a_pause);
    tcase_add_loop_test(tcase, test_many_small_blocks_equal_those_of_the_plain_scan, 0,
                        COUNT_OF(thread_counts));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
