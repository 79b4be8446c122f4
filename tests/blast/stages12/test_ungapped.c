/* test_ungapped.c - stage 2 against a plain scan over every segment that contains the w-mer. */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "blast/stages12/ungapped_window.h"
#include "blast/stages12/wmer.h"
#include "tests/run_suite.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* --- sequences made by hand ------------------------------------------------------------------------------ */

static unsigned code_of(char letter)
{
    switch (letter) {
    case 'A':
        return BASE_A;
    case 'C':
        return BASE_C;
    case 'G':
        return BASE_G;
    case 'T':
        return BASE_T;
    case '|':
        return BASE_SEPARATOR;
    default:
        return BASE_AMBIGUOUS;
    }
}

static struct sequences database_of(const char *letters)
{
    struct sequences s = {.positions = strlen(letters)};
    s.word_count = (s.positions + BASES_PER_WORD - 1) / BASES_PER_WORD;
    s.words = malloc(s.word_count * sizeof *s.words);
    ck_assert_ptr_nonnull(s.words);
    memset(s.words, 0xff, s.word_count * sizeof *s.words);
    for (uint64_t p = 0; p < s.positions; p++)
        s.words[p / 16] ^= (uint64_t)(code_of(letters[p]) ^ 15u) << (4 * (p % 16));
    return s;
}

static uint8_t *segment_of(const char *letters)
{
    size_t length = strlen(letters);
    uint8_t *codes = malloc(length);
    ck_assert_ptr_nonnull(codes);
    for (size_t i = 0; i < length; i++)
        codes[i] = (uint8_t)code_of(letters[i]);
    return codes;
}

static struct ungapped_result extend(const struct ungapped_rule *rule, const char *query,
                                     uint32_t query_position, const char *database,
                                     uint64_t database_position)
{
    struct sequences s = database_of(database);
    uint8_t *segment = segment_of(query);
    struct ungapped_result result =
        ungapped_extend(rule, segment, (uint32_t)strlen(query), query_position, &s, database_position);
    free(segment);
    sequences_destroy(&s);
    return result;
}

/* --- the plain scan -------------------------------------------------------------------------------------- */

struct pair {
    const char *query, *database;
    long query_last, database_last; /* of the w-mer */
};

/* Score of the pair of bases `offset` behind the w-mer's last; letters decide, not codes. */
static int score_at(const struct ungapped_rule *rule, const struct pair *p, long offset)
{
    char a = p->query[p->query_last + offset], b = p->database[p->database_last + offset];
    return a == b && strchr("ACGT", a) ? rule->match : rule->mismatch;
}

static bool exists(const struct pair *p, long offset)
{
    long q = p->query_last + offset, d = p->database_last + offset;
    return q >= 0 && d >= 0 && q < (long)strlen(p->query) && d < (long)strlen(p->database);
}

static struct ungapped_result scan(const struct ungapped_rule *rule, const struct pair *p)
{
    long before = ((long)rule->window - WMER_BASES) / 2, after = (long)rule->window - WMER_BASES - before;
    struct ungapped_result best = {.score = INT32_MIN};
    for (long left = 0; left <= before && exists(p, -WMER_BASES + 1 - left); left++) {
        int score = 0;
        for (long offset = -WMER_BASES + 1 - left; offset <= 0; offset++)
            score += score_at(rule, p, offset);
        for (long right = 0; right <= after && exists(p, right); right++) {
            if (right > 0)
                score += score_at(rule, p, right);
            bool longer = left + right >= (long)(best.left + best.right);
            if (score > best.score || (score == best.score && longer))
                best = (struct ungapped_result){score, (unsigned)left, (unsigned)right, false};
        }
    }
    bool at_edge = (long)best.left == before || (long)best.right == after;
    best.passed = best.score >= rule->threshold || (rule->edge_rule && at_edge);
    return best;
}

static void check_equal(struct ungapped_result found, struct ungapped_result expected)
{
    ck_assert_int_eq(found.score, expected.score);
    ck_assert_uint_eq(found.left, expected.left);
    ck_assert_uint_eq(found.right, expected.right);
    ck_assert_int_eq(found.passed, expected.passed);
}

static struct database_stretch *must_load(const struct sequences *s, uint64_t first, uint64_t count)
{
    struct database_stretch *stretch = malloc(sizeof *stretch);
    ck_assert_ptr_nonnull(stretch);
    database_stretch_load(stretch, s, first, count);
    return stretch;
}

static bool kernel_passes(const struct ungapped_rule *rule, const struct pair *p, enum cpu_level level)
{
    struct sequences s = database_of(p->database);
    uint8_t *segment = segment_of(p->query), passed = 2;
    uint64_t word = (uint64_t)p->database_last / BASES_PER_WORD;
    struct match match = {(uint32_t)p->query_last, (uint32_t)(p->database_last % BASES_PER_WORD)};
    struct hsp hsp;
    struct database_stretch *stretch = must_load(&s, word, 1);
    struct ungapped_kernel *kernel = ungapped_kernel_new(rule, segment, (uint32_t)strlen(p->query), level);
    ck_assert_ptr_nonnull(kernel);
    size_t kept = ungapped_kernel_filter(kernel, stretch, &match, 1, &passed, &hsp);
    ck_assert_uint_eq(kept, passed);
    if (passed == 1)
        ck_assert(hsp.query_position == (uint32_t)p->query_last &&
                  hsp.database_position == (uint64_t)p->database_last);
    free(stretch);
    ungapped_kernel_destroy(kernel);
    free(segment);
    sequences_destroy(&s);
    return passed == 1;
}

/* The fast form, at every vector level this processor has: its answer, and by other thresholds its score. */
static void check_kernels(const struct ungapped_rule *rule, const struct pair *p,
                          struct ungapped_result expected)
{
    struct ungapped_rule reached = *rule, missed = *rule;
    reached.edge_rule = missed.edge_rule = false;
    reached.threshold = expected.score;
    missed.threshold = expected.score + 1;
    for (enum cpu_level level = CPU_PORTABLE; level <= cpu_best_level(); level++) {
        ck_assert_int_eq(kernel_passes(rule, p, level), expected.passed);
        ck_assert(kernel_passes(&reached, p, level));
        ck_assert(!kernel_passes(&missed, p, level));
    }
}

static void check_against_scan(const struct ungapped_rule *rule, const struct pair *p)
{
    struct ungapped_result expected = scan(rule, p);
    check_kernels(rule, p, expected);
    struct ungapped_result found =
        extend(rule, p->query, (uint32_t)p->query_last, p->database, (uint64_t)p->database_last);
    check_equal(found, expected);
}

/* --- random pairs ---------------------------------------------------------------------------------------- */

enum { LONGEST = 700 };

static char random_letter(unsigned *seed, int odd_percent)
{
    return rand_r(seed) % 100 < odd_percent ? "N|"[rand_r(seed) % 2] : "ACGT"[rand_r(seed) % 4];
}

static int random_below(unsigned *seed, int limit)
{
    return rand_r(seed) % limit;
}

/* A query, and a database that is its copy at some shift with mutations, Ns and separators; both hold the
 * w-mer. */
static struct pair random_pair(unsigned *seed, char query[LONGEST + 1], char database[LONGEST + 1])
{
    int query_length = WMER_BASES + random_below(seed, LONGEST / 2);
    int database_length = WMER_BASES + random_below(seed, LONGEST / 2);
    struct pair p = {query, database, WMER_BASES - 1 + random_below(seed, query_length - WMER_BASES + 1),
                     WMER_BASES - 1 + random_below(seed, database_length - WMER_BASES + 1)};
    int mutation_percent = random_below(seed, 50), odd_percent = random_below(seed, 3) ? 0 : 4;
    memset(query, 0, LONGEST + 1);
    memset(database, 0, LONGEST + 1);
    for (int i = 0; i < query_length; i++)
        query[i] = random_letter(seed, odd_percent);
    for (int i = 0; i < WMER_BASES; i++)
        query[p.query_last - i] = random_letter(seed, 0);
    for (long i = 0; i < database_length; i++) {
        long twin = p.query_last + i - p.database_last;
        bool in_wmer = i <= p.database_last && i > p.database_last - WMER_BASES;
        bool copied = twin >= 0 && twin < query_length && random_below(seed, 100) >= mutation_percent;
        /* N under N and | under | are copied, too: these shall not match */
        database[i] = in_wmer || copied ? query[twin] : random_letter(seed, odd_percent);
    }
    return p;
}

static struct ungapped_rule random_rule(unsigned *seed, unsigned window)
{
    static const int scores[][2] = {{1, -3}, {1, -3}, {1, -2}, {1, -1}, {5, -4},
                                    {2, -3}, {2, -4}, {1, -4}, {1, -5}};
    int which = random_below(seed, COUNT_OF(scores));
    return (struct ungapped_rule){
        .window = window,
        .match = scores[which][0],
        .mismatch = scores[which][1],
        .threshold = scores[which][0] * (WMER_BASES + random_below(seed, 20)),
        .edge_rule = window > WMER_BASES + 1 && random_below(seed, 2), /* both sides have bases, so an edge */
    };
}

static const unsigned windows[] = {11, 12, 13, 14, 20, 33, 63, 64, 65, 100, 128, 255, 256};

START_TEST(test_result_is_the_best_of_all_segments)
{
    char query[LONGEST + 1], database[LONGEST + 1];
    unsigned seed = 100 + (unsigned)_i;
    for (int i = 0; i < 150; i++) {
        struct pair p = random_pair(&seed, query, database);
        struct ungapped_rule rule = random_rule(&seed, windows[_i]);
        check_against_scan(&rule, &p);
    }
}
END_TEST

enum { MANY = 100 };

/* Mostly near the diagonal that both sequences share; a match need not have a w-mer in common. */
static struct hsp random_match(unsigned *seed, const struct pair *p)
{
    int query_length = (int)strlen(p->query), database_length = (int)strlen(p->database);
    int query = WMER_BASES - 1 + random_below(seed, query_length - WMER_BASES + 1);
    long database =
        p->database_last + query - p->query_last + (random_below(seed, 3) ? 0 : random_below(seed, 5));
    if (database < WMER_BASES - 1 || database >= database_length)
        database = WMER_BASES - 1 + random_below(seed, database_length - WMER_BASES + 1);
    return (struct hsp){(uint32_t)query, (uint64_t)database};
}

static void check_filter(const struct ungapped_kernel *kernel, const struct database_stretch *stretch,
                         const struct hsp *given, const bool *passes, size_t count)
{
    enum { UNTOUCHED = 7 };
    struct match matches[MANY] = {{0}};
    struct hsp hsps[MANY];
    uint8_t passed[MANY + 1];
    for (size_t i = 0; i < count; i++)
        matches[i] = (struct match){given[i].query_position, (uint32_t)given[i].database_position};
    passed[count] = UNTOUCHED;
    size_t kept = ungapped_kernel_filter(kernel, stretch, matches, count, passed, hsps), expected = 0;
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(passed[i], passes[i]);
        if (passes[i])
            ck_assert(hsps[expected].query_position == given[i].query_position &&
                      hsps[expected].database_position == given[i].database_position);
        expected += passes[i];
    }
    ck_assert_uint_eq(kept, expected);
    ck_assert_uint_eq(passed[count], UNTOUCHED);
}

/* Any number of matches, around those that vectors hold. */
START_TEST(test_many_matches_as_one_by_one)
{
    char query[LONGEST + 1], database[LONGEST + 1];
    unsigned seed = 300 + (unsigned)_i;
    for (int i = 0; i < MANY; i++) {
        struct pair p = random_pair(&seed, query, database);
        struct ungapped_rule rule = random_rule(&seed, windows[_i]);
        struct sequences s = database_of(database);
        uint8_t *segment = segment_of(query);
        uint32_t length = (uint32_t)strlen(query);
        struct hsp matches[MANY];
        bool passes[MANY];
        for (int m = 0; m < MANY; m++) {
            matches[m] = random_match(&seed, &p);
            passes[m] = ungapped_extend(&rule, segment, length, matches[m].query_position, &s,
                                        matches[m].database_position)
                            .passed;
        }
        for (enum cpu_level level = CPU_PORTABLE; level <= cpu_best_level(); level++) {
            struct ungapped_kernel *kernel = ungapped_kernel_new(&rule, segment, length, level);
            ck_assert_ptr_nonnull(kernel);
            struct database_stretch *stretch = must_load(&s, 0, s.word_count);
            check_filter(kernel, stretch, matches, passes, (size_t)i);
            check_filter(kernel, stretch, matches, passes, MANY);
            free(stretch);
            ungapped_kernel_destroy(kernel);
        }
        free(segment);
        sequences_destroy(&s);
    }
}
END_TEST

/* Every place of the w-mer in a short query and in a short database: all ends of both. */
START_TEST(test_every_end_of_segment_and_database)
{
    static const char query[] = "ACGGTACCATTGACGTTAGCA", database[] = "TTACGGTACCATTGACGTTAGCATT";
    struct ungapped_rule rule = {windows[_i], 1, -3, 14, windows[_i] > 12};
    for (long q = WMER_BASES - 1; q < (long)sizeof query - 1; q++) {
        struct pair p = {query, database, q, q + 2};
        check_against_scan(&rule, &p);
        struct pair swapped = {database, query, q + 2, q};
        check_against_scan(&rule, &swapped);
    }
}
END_TEST

/* --- hand-computed --------------------------------------------------------------------------------------- */

static const char poly_a[] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                             "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
static const struct ungapped_rule usual = {.window = 64, .match = 1, .mismatch = -3, .threshold = 16};

/* floor((64 - 11) / 2) = 26 bases before the w-mer and 27 after it; all 64 match. */
START_TEST(test_window_has_26_bases_before_and_27_after)
{
    struct ungapped_result r = extend(&usual, poly_a, 50, poly_a, 50);
    ck_assert_uint_eq(r.left, 26);
    ck_assert_uint_eq(r.right, 27);
    ck_assert_int_eq(r.score, 64);
    ck_assert(r.passed);
}
END_TEST

/* 11 bases of the w-mer and 4 right of it match: 15, one less than the threshold. */
START_TEST(test_threshold_is_reached_not_exceeded)
{
    struct ungapped_rule rule = usual;
    for (rule.threshold = 14; rule.threshold <= 17; rule.threshold++) {
        struct ungapped_result r = extend(&rule, "CACGTACGTACGAAAAC", 11, "TACGTACGTACGAAAAT", 11);
        ck_assert_int_eq(r.score, 15);
        ck_assert_int_eq(r.passed, rule.threshold <= 15);
    }
}
END_TEST

/* Right of the w-mer: 3 matches, 1 mismatch, then `gain` matches. 3 gains nothing but length: the longest is
 * taken. */
START_TEST(test_of_equally_good_segments_the_longest)
{
    static const struct {
        const char *database;
        int score;
        unsigned right;
    } cases[] = {
        {"ACGTACGTACGAAACAACCCC", 14, 3}, /* 3 - 3 + 2 = 2 < 3 */
        {"ACGTACGTACGAAACAAACCC", 14, 7}, /* 3 - 3 + 3 = 3: as good, longer */
        {"ACGTACGTACGAAACAAAACC", 15, 8},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        struct ungapped_result r = extend(&usual, "ACGTACGTACGAAAAAAAAAA", 10, cases[i].database, 10);
        ck_assert_int_eq(r.score, cases[i].score);
        ck_assert_uint_eq(r.right, cases[i].right);
    }
}
END_TEST

/* Window 13: one base on either side. It matches on one side only, and does not suffice for the threshold. */
START_TEST(test_edge_rule_passes_what_touches_the_edge)
{
    struct ungapped_rule rule = {.window = 13, .match = 1, .mismatch = -3, .threshold = 20};
    static const struct {
        const char *database;
        bool touches;
    } cases[] = {{"CACGTACGTACGC", false}, {"TACGTACGTACGC", true}, {"CACGTACGTACGT", true}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        rule.edge_rule = false;
        ck_assert(!extend(&rule, "TACGTACGTACGT", 11, cases[i].database, 11).passed);
        rule.edge_rule = true;
        ck_assert_int_eq(extend(&rule, "TACGTACGTACGT", 11, cases[i].database, 11).passed, cases[i].touches);
    }
}
END_TEST

/* The best segment runs to the last base of query and database, but the window would go on. */
START_TEST(test_end_of_the_sequence_is_not_the_windows_edge)
{
    struct ungapped_rule rule = {
        .window = 64, .match = 1, .mismatch = -3, .threshold = 30, .edge_rule = true};
    struct ungapped_result r = extend(&rule, "ACGTACGTACGT", 10, "ACGTACGTACGT", 10);
    ck_assert_int_eq(r.score, 12);
    ck_assert(!r.passed);
    r = extend(&rule, "TACGTACGTACG", 11, "TACGTACGTACG", 11);
    ck_assert_int_eq(r.score, 12);
    ck_assert(!r.passed);
}
END_TEST

/* The filling of the database's last word does not exist for stage 2, whatever stands there. */
START_TEST(test_filling_behind_the_database_is_not_looked_at)
{
    struct sequences s = database_of("ACGTACGTACG");
    s.words[0] &= (UINT64_C(1) << 44) - 1; /* A after A */
    uint8_t *segment = segment_of("ACGTACGTACGAAAAA");
    struct ungapped_result r = ungapped_extend(&usual, segment, 16, 10, &s, 10);
    ck_assert_int_eq(r.score, 11);
    ck_assert_uint_eq(r.right, 0);
    free(segment);
    sequences_destroy(&s);
}
END_TEST

START_TEST(test_window_of_the_wmer_alone_scores_the_wmer)
{
    struct ungapped_rule rule = {.window = WMER_BASES, .match = 1, .mismatch = -3, .threshold = 11};
    struct ungapped_result r = extend(&rule, poly_a, 50, poly_a, 50);
    ck_assert_int_eq(r.score, 11);
    ck_assert_uint_eq(r.left + r.right, 0);
    ck_assert(r.passed);
    rule.threshold = 12;
    ck_assert(!extend(&rule, poly_a, 50, poly_a, 50).passed);
}
END_TEST

START_TEST(test_far_positions_of_a_long_database)
{
    enum { LENGTH = 100000 };
    char *letters = malloc(LENGTH + 1);
    ck_assert_ptr_nonnull(letters);
    memset(letters, 'A', LENGTH);
    letters[LENGTH] = '\0';
    struct ungapped_result r = extend(&usual, poly_a, 50, letters, LENGTH - 1);
    ck_assert_uint_eq(r.left, 26);
    ck_assert_uint_eq(r.right, 0);
    r = extend(&usual, poly_a, 50, letters, LENGTH - 28);
    ck_assert_uint_eq(r.right, 27);
    free(letters);
}
END_TEST

/* --- errors: letters that never match -------------------------------------------------------------------- */

START_TEST(test_ambiguous_bases_and_separators_match_nothing)
{
    static const char *const odd[] = {"NACGTACGTACGN", "|ACGTACGTACG|"};
    for (int i = 0; i < COUNT_OF(odd); i++)
        for (int k = 0; k < COUNT_OF(odd); k++) {
            struct ungapped_result r = extend(&usual, odd[i], 11, odd[k], 11);
            ck_assert_int_eq(r.score, 11);
            ck_assert_uint_eq(r.left + r.right, 0);
        }
}
END_TEST

/* 5 matches outweigh one mismatch: an N inside costs 3 and does not stop the extension. */
START_TEST(test_extension_goes_on_behind_an_ambiguous_base)
{
    struct ungapped_result r = extend(&usual, "ACGTACGTACGNAAAAA", 10, "ACGTACGTACGNAAAAA", 10);
    ck_assert_int_eq(r.score, 13);
    ck_assert_uint_eq(r.right, 6);
}
END_TEST

static Suite *ungapped_suite(void)
{
    Suite *suite = suite_create("ungapped");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"), *errors = tcase_create("errors");
    tcase_set_timeout(core, 30);
    tcase_add_loop_test(core, test_result_is_the_best_of_all_segments, 0, COUNT_OF(windows));
    tcase_add_loop_test(core, test_many_matches_as_one_by_one, 0, COUNT_OF(windows));
    tcase_add_test(core, test_window_has_26_bases_before_and_27_after);
    tcase_add_test(core, test_threshold_is_reached_not_exceeded);
    tcase_add_test(core, test_of_equally_good_segments_the_longest);
    tcase_add_test(core, test_edge_rule_passes_what_touches_the_edge);
    tcase_add_loop_test(limits, test_every_end_of_segment_and_database, 0, COUNT_OF(windows));
    tcase_add_test(limits, test_end_of_the_sequence_is_not_the_windows_edge);
    tcase_add_test(limits, test_filling_behind_the_database_is_not_looked_at);
    tcase_add_test(limits, test_window_of_the_wmer_alone_scores_the_wmer);
    tcase_add_test(limits, test_far_positions_of_a_long_database);
    tcase_add_test(errors, test_ambiguous_bases_and_separators_match_nothing);
    tcase_add_test(errors, test_extension_goes_on_behind_an_ambiguous_base);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(ungapped_suite());
}
