/* test_search.c - whole searches without a clock: scores against full dynamic programming, and hard inputs. */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_PARASAIL
#include <parasail.h>
#endif

#include "base/why.h"
#include "blast/stage3/search.h"
#include "tests/run_suite.h"

enum { OVERLAP = 64, LONGEST_REGION = 6000 };

/* A query and a database as text, searched. */
struct scene {
    struct sequences query, database;
    uint8_t *codes[2];
    struct query_segment *segments;
    size_t segment_count;
    struct scoring_statistics statistics;
    struct alignment_list found;
    struct search_counts counts;
};

static uint64_t state;

static uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % n;
}

static char *random_letters(size_t count)
{
    char *letters = malloc(count + 1);
    ck_assert_ptr_nonnull(letters);
    for (size_t i = 0; i < count; i++)
        letters[i] = "ACGT"[random_below(4)];
    letters[count] = '\0';
    return letters;
}

/* Records separated by '|'. */
static struct sequences sequences_of(const char *letters)
{
    struct sequences s = {.positions = strlen(letters), .record_count = 1};
    for (const char *c = letters; *c; c++)
        s.record_count += *c == '|';
    s.word_count = (s.positions + BASES_PER_WORD - 1) / BASES_PER_WORD;
    s.words = malloc(s.word_count * sizeof *s.words);
    s.records = calloc(s.record_count, sizeof *s.records);
    ck_assert(s.words && s.records);
    memset(s.words, 0xff, s.word_count * sizeof *s.words);
    size_t record = 0;
    for (uint64_t p = 0; p < s.positions; p++) {
        const char *base = strchr("ACGT", letters[p]);
        unsigned code = letters[p] == '|' ? BASE_SEPARATOR : base ? (unsigned)(base - "ACGT") : BASE_N;
        s.words[p / 16] ^= (uint64_t)(code ^ 15u) << (4 * (p % 16));
        if (code == BASE_SEPARATOR)
            s.records[++record].begin = p + 1;
        else
            s.records[record].bases++;
        s.bases += code != BASE_SEPARATOR;
    }
    for (size_t i = 0; i < s.record_count; i++)
        s.records[i].name = strdup("r");
    return s;
}

static void search_scene(struct scene *s, const char *query, const char *database, uint32_t segment,
                         int threshold)
{
    struct scoring scoring = scoring_presets[0];
    struct pass_rules rules = {
        .bloom = {.hashes = 6, .bank_bits = 131072, .family = HASH_XXH3, .seed = 1},
        .sram = {.slots = 131072, .inline_positions = 2, .trip_positions = 5, .family = HASH_XXH3, .seed = 2},
        .stage2 = {.window = 64, .match = 1, .mismatch = -3, .threshold = threshold, .edge_rule = true},
    };
    struct why why;
    *s = (struct scene){.query = sequences_of(query), .database = sequences_of(database)};
    ck_assert_int_eq(scoring_statistics_compute(&scoring, &s->statistics, &why), 0);
    for (enum strand strand = STRAND_PLUS; strand <= STRAND_MINUS; strand++) {
        s->codes[strand] = sequences_unpack_strand(&s->query, strand);
        ck_assert_ptr_nonnull(s->codes[strand]);
    }
    s->segments = segments_cut(s->query.positions, segment, OVERLAP, STRANDS_BOTH, &s->segment_count);
    int *least_scores = search_least_scores(&s->statistics, &s->query, &s->database, 1e-3);
    ck_assert_ptr_nonnull(least_scores);
    struct search search = {
        .rules = &rules,
        .searched = {.query = &s->query,
                     .database = &s->database,
                     .codes = {s->codes[0], s->codes[1]},
                     .statistics = &s->statistics,
                     .least.scores = least_scores},
        .segments = s->segments,
        .segment_count = s->segment_count,
        .jobs = 2,
    };
    search_run(&search, &s->found, &s->counts);
    free(least_scores);
    alignment_list_finish(&s->found, &s->statistics, &s->query, &s->database, 1e-3);
}

static void drop_scene(struct scene *s)
{
    alignment_list_destroy(&s->found);
    free(s->segments);
    free(s->codes[0]);
    free(s->codes[1]);
    sequences_destroy(&s->query);
    sequences_destroy(&s->database);
}

/* --- oracles --------------------------------------------------------------------------------------------- */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Smith and Waterman's best local score with affine gaps, all cells, one row at a time. */
static int full_score(const struct scoring *s, const uint8_t *query, size_t rows, const uint8_t *database,
                      size_t columns)
{
    int *best = calloc(columns + 1, sizeof *best), *up = calloc(columns + 1, sizeof *up), top = 0;
    ck_assert(best && up);
    for (size_t j = 0; j <= columns; j++)
        up[j] = -1000000;
    for (size_t i = 0; i < rows; i++) {
        int diagonal = 0, left = -1000000;
        for (size_t j = 1; j <= columns; j++) {
            int match = query[i] <= BASE_T && query[i] == database[j - 1];
            int pair = diagonal + (match ? s->match : s->mismatch);
            up[j] = larger(up[j] - s->gap_extend, best[j] - s->gap_open - s->gap_extend);
            left = larger(left - s->gap_extend, best[j - 1] - s->gap_open - s->gap_extend);
            diagonal = best[j];
            best[j] = larger(larger(0, pair), larger(up[j], left));
            top = larger(top, best[j]);
        }
    }
    free(best);
    free(up);
    return top;
}

static int region_score(const struct scene *s, const struct alignment *a, uint64_t around)
{
    const struct sequence_record *d = &s->database.records[a->database_record];
    uint64_t begin = a->database_begin - d->begin > around ? a->database_begin - around : d->begin;
    uint64_t end =
        d->begin + d->bases - a->database_end > around ? a->database_end + around : d->begin + d->bases;
    uint64_t query_begin = a->query_begin > around ? a->query_begin - around : 0;
    uint64_t query_end =
        s->query.positions - a->query_end > around ? a->query_end + around : s->query.positions;
    uint8_t *codes = malloc(end - begin);
    ck_assert_ptr_nonnull(codes);
    sequences_unpack(&s->database, STRAND_PLUS, begin, end - begin, codes);
    int score = full_score(&s->statistics.scoring, s->codes[a->strand] + query_begin, query_end - query_begin,
                           codes, end - begin);
    free(codes);
    return score;
}

/* The score of an alignment's counts. */
static int counted_score(const struct scoring *s, const struct alignment *a)
{
    return (int)a->identities * s->match + (int)a->mismatches * s->mismatch -
           (int)a->gap_openings * s->gap_open - (int)a->gaps * s->gap_extend;
}

static void check_scores(const struct scene *s)
{
    for (size_t i = 0; i < s->found.count; i++) {
        const struct alignment *a = &s->found.items[i];
        ck_assert_int_eq(a->score, counted_score(&s->statistics.scoring, a));
        ck_assert_uint_eq(a->columns, a->identities + a->mismatches + a->gaps);
        if (a->columns < LONGEST_REGION)
            ck_assert_int_le(a->score, region_score(s, a, 0));
    }
}

/* --- scores ---------------------------------------------------------------------------------------------- */

/* A copy with 4 substitutions and a gap of 1 to 3 bases in about 100: nothing an X-drop of 50 could stop at. */
static char *mutated(const char *from, size_t bases)
{
    char *copy = malloc(2 * bases + 1), *to = copy;
    ck_assert_ptr_nonnull(copy);
    for (size_t i = 0; i < bases; i++) {
        uint32_t dice = random_below(200);
        if (dice < 8 && i > 20 && i + 20 < bases)
            *to++ = "ACGT"[random_below(4)];
        else if (dice == 8 && i > 20 && i + 20 < bases)
            i += random_below(3);
        else
            *to++ = from[i];
        if (dice == 9 && i > 20 && i + 20 < bases)
            for (uint32_t j = random_below(3) + 1; j > 0; j--)
                *to++ = "ACGT"[random_below(4)];
    }
    *to = '\0';
    return copy;
}

START_TEST(test_planted_copy_scores_what_full_dynamic_programming_scores)
{
    state = (uint64_t)_i + 12345;
    char *query = random_letters(1500), *before = random_letters(700), *behind = random_letters(700),
         *database;
    char *copy = mutated(query + 200, 1000);
    ck_assert_int_gt(asprintf(&database, "%s%s%s", before, copy, behind), 0);
    struct scene s;
    search_scene(&s, query, database, 65400, 13);
    ck_assert_uint_eq(s.found.count, 1);
    check_scores(&s);
    ck_assert_int_eq(s.found.items[0].score, region_score(&s, &s.found.items[0], 300));
    drop_scene(&s);
    free(query);
    free(before);
    free(behind);
    free(copy);
    free(database);
}
END_TEST

/* The plain matrix above by another program's. */
START_TEST(test_oracle_agrees_with_parasail)
{
#ifdef HAVE_PARASAIL
    struct scoring scoring = scoring_presets[0];
    parasail_matrix_t *matrix = parasail_matrix_create("ACGT", scoring.match, scoring.mismatch);
    for (int i = 0; i < 50; i++) {
        uint8_t codes[2][400];
        state = (uint64_t)i + 777;
        char *a = random_letters(200), *b = mutated(a, 200);
        size_t lengths[2] = {strlen(a), strlen(b)};
        for (size_t j = 0; j < lengths[0]; j++)
            codes[0][j] = (uint8_t)(strchr("ACGT", a[j]) - "ACGT");
        for (size_t j = 0; j < lengths[1]; j++)
            codes[1][j] = (uint8_t)(strchr("ACGT", b[j]) - "ACGT");
        parasail_result_t *result =
            parasail_sw(a, (int)lengths[0], b, (int)lengths[1], scoring.gap_open + scoring.gap_extend,
                        scoring.gap_extend, matrix);
        ck_assert_int_eq(full_score(&scoring, codes[0], lengths[0], codes[1], lengths[1]), result->score);
        parasail_result_free(result);
        free(a);
        free(b);
    }
    parasail_matrix_free(matrix);
#else
    puts("parasail (libparasail-dev) is not there: the oracle is not compared with it");
#endif
}
END_TEST

/* --- hard inputs ----------------------------------------------------------------------------------------- */

/* AC x 2048 (a quarter where cases are few) against itself: alignments closer than 50 diagonals to a longer one are in
 * it, so there are about 4096 / 50 to either side of the main diagonal; memory is what the traceback may take. */
START_TEST(test_tandem_repeat_against_itself_ends)
{
    enum { UNITS_MAX = 2048 };
    const unsigned units = tests_are_few() ? UNITS_MAX / 4 : UNITS_MAX;
    char letters[2 * UNITS_MAX + 1];
    for (unsigned i = 0; i < units; i++)
        memcpy(letters + 2 * i, "AC", 3);
    struct scene s;
    search_scene(&s, letters, letters, 65400, 16);
    ck_assert_uint_ge(s.found.count, 1);
    ck_assert_uint_le(s.found.count, 2 * (2 * units / 50) + 1);
    ck_assert_uint_eq(s.found.items[0].identities, 2 * units);
    check_scores(&s);
    drop_scene(&s);
}
END_TEST

/* The whole query, with its ends, whether it fits a segment, lacks a base of it, or has one more. */
START_TEST(test_query_about_as_long_as_a_segment)
{
    enum { SEGMENT = 3000 };
    state = 4242;
    size_t bases = (size_t)(SEGMENT - 1 + _i);
    char *query = random_letters(bases);
    struct scene s;
    search_scene(&s, query, query, SEGMENT, 16);
    ck_assert_uint_eq(s.segment_count, bases > SEGMENT ? 4 : 2);
    ck_assert_uint_eq(s.found.count, 1);
    ck_assert_uint_eq(s.found.items[0].identities, bases);
    ck_assert_uint_eq(s.found.items[0].query_begin, 0);
    ck_assert_uint_eq(s.found.items[0].query_end, bases);
    drop_scene(&s);
    free(query);
}
END_TEST

/* A copy that begins in one segment and ends in the next, or the one after it, comes out whole and once. */
START_TEST(test_alignment_across_segment_borders)
{
    static const size_t lengths[] = {100, 600, 2500};
    state = 99;
    char *query = random_letters(5000), *before = random_letters(3000), *database;
    size_t begin = 1000 - lengths[_i] / 4;
    ck_assert_int_gt(asprintf(&database, "%s%.*s", before, (int)lengths[_i], query + begin), 0);
    struct scene s;
    search_scene(&s, query, database, 1000, 16);
    ck_assert_uint_eq(s.found.count, 1);
    const struct alignment *a = &s.found.items[0];
    ck_assert_uint_le(a->query_begin, begin);
    ck_assert_uint_ge(a->query_end, begin + lengths[_i]);
    ck_assert_uint_ge(a->identities, lengths[_i]);
    ck_assert_uint_eq(a->gaps, 0);
    ck_assert_uint_eq(a->database_end, 3000 + lengths[_i]);
    check_scores(&s);
    drop_scene(&s);
    free(query);
    free(before);
    free(database);
}
END_TEST

/* 10 Ns in the copy cost 2 each, which 300 bases on either side outweigh; 200 are none that are crossed. */
START_TEST(test_runs_of_n)
{
    static const struct {
        int run;
        size_t alignments;
    } cases[] = {{10, 1}, {200, 2}};
    state = 5;
    char *query = random_letters(600 + (size_t)cases[_i].run), *database = strdup(query);
    memset(database + 300, 'N', (size_t)cases[_i].run);
    struct scene s;
    search_scene(&s, query, database, 65400, 16);
    ck_assert_uint_eq(s.found.count, cases[_i].alignments);
    if (cases[_i].alignments == 1) {
        ck_assert_uint_eq(s.found.items[0].mismatches, 10);
        ck_assert_int_eq(s.found.items[0].score, 600 - 10 * 2);
    } else {
        check_scores(&s);
    }
    drop_scene(&s);
    free(query);
    free(database);
}
END_TEST

/* The separator of two records, across which no alignment goes, has a base as its partner. */
START_TEST(test_reverse_strand_mirrors)
{
    enum { FIRST = 300, LENGTH = 400 };
    state = 31;
    char *query = random_letters(LENGTH), *reverse = strdup(query);
    for (size_t i = 0; i < LENGTH; i++)
        reverse[i] = "TGCA"[strchr("ACGT", query[LENGTH - 1 - i]) - "ACGT"];
    query[FIRST] = '|';
    struct scene s;
    search_scene(&s, query, reverse, 65400, 16);
    ck_assert_uint_eq(s.found.count, 2);
    for (size_t i = 0; i < s.found.count; i++) {
        ck_assert_int_eq(s.found.items[i].strand, STRAND_MINUS);
        ck_assert_uint_eq(s.found.items[i].query_record, i);
        ck_assert_uint_eq(s.found.items[i].identities, i == 0 ? FIRST : LENGTH - FIRST - 1);
    }
    drop_scene(&s);
    free(query);
    free(reverse);
}
END_TEST

/* Records of 60 bases without anything between them, as database or as query: each is found by itself alone. */
START_TEST(test_ten_thousand_short_records)
{
    enum { RECORDS = 10000, BASES = 60 };
    state = 8;
    char *records = random_letters(RECORDS * (BASES + 1) - 1), *one;
    for (size_t i = 1; i < RECORDS; i++)
        records[i * (BASES + 1) - 1] = '|';
    ck_assert_int_gt(asprintf(&one, "%.*s", 3 * BASES + 2, records + 5000 * (BASES + 1)), 0);
    struct scene s;
    search_scene(&s, _i ? records : one, _i ? one : records, 65400, 16);
    ck_assert_uint_eq(s.found.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct alignment *a = &s.found.items[i];
        ck_assert_uint_eq(a->identities, BASES);
        ck_assert_uint_eq(a->columns, BASES);
        ck_assert_uint_eq(_i ? a->query_record : a->database_record, 5000 + i);
        ck_assert_uint_eq(_i ? a->database_record : a->query_record, i);
    }
    drop_scene(&s);
    free(records);
    free(one);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("search");
    TCase *scores = tcase_create("scores"), *inputs = tcase_create("inputs");
    tcase_set_timeout(scores, 60);
    tcase_set_timeout(inputs, 60);
    tcase_add_loop_test(scores, test_planted_copy_scores_what_full_dynamic_programming_scores, 0, 20);
    tcase_add_test(scores, test_oracle_agrees_with_parasail);
    tcase_add_test(inputs, test_tandem_repeat_against_itself_ends);
    tcase_add_loop_test(inputs, test_query_about_as_long_as_a_segment, 0, 3);
    tcase_add_loop_test(inputs, test_alignment_across_segment_borders, 0, 3);
    tcase_add_loop_test(inputs, test_runs_of_n, 0, 2);
    tcase_add_test(inputs, test_reverse_strand_mirrors);
    tcase_add_loop_test(inputs, test_ten_thousand_short_records, 0, 2);
    suite_add_tcase(suite, scores);
    suite_add_tcase(suite, inputs);
    return run_suite(suite);
}
