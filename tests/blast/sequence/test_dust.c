/* test_dust.c - does the fast search mask what the definition of perfect intervals says? */
#include "blast/sequence/fasta.h"
#include "blast/sequence/dust.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"
#include "tests/run_suite.h"

enum { BASES_MAX = 400 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static unsigned random_below(uint64_t *state, unsigned limit)
{
    return (unsigned)((next_random(state) >> 32) * limit >> 32);
}

/* Random pieces and repeats of short units, partly changed. */
static void random_text(char *text, size_t length, uint64_t *state)
{
    size_t i = 0;
    while (i < length) {
        char unit[8];
        unsigned unit_bases = 1 + random_below(state, 8), bases = 1 + random_below(state, 80);
        unsigned random_every = random_below(state, 3) ? 12 : 1;
        for (unsigned j = 0; j < unit_bases; j++)
            unit[j] = "ACGT"[random_below(state, 4)];
        for (unsigned j = 0; j < bases && i < length; j++)
            text[i++] =
                random_below(state, random_every) ? unit[j % unit_bases] : "ACGT"[random_below(state, 4)];
    }
    text[length] = '\0';
}

/* One record from letters. */
static struct sequences sequences_of(const char *text)
{
    struct sequences s = {.positions = strlen(text), .record_count = 1};
    s.word_count = (s.positions + BASES_PER_WORD - 1) / BASES_PER_WORD;
    s.words = malloc(s.word_count * sizeof *s.words);
    s.records = calloc(1, sizeof *s.records);
    ck_assert(s.words && s.records);
    memset(s.words, 0xff, s.word_count * sizeof *s.words);
    for (uint64_t p = 0; p < s.positions; p++) {
        uint64_t code = (uint64_t)(strchr("ACGTN", text[p]) - "ACGTN");
        s.words[p / 16] ^= (code ^ 15) << (4 * (p % 16));
    }
    s.records[0].bases = s.bases = s.positions;
    return s;
}

/* Text with the masked bases as '*'. */
static void mask_text(const char *text, const struct dust_rule *rule, char *masked)
{
    struct sequences s = sequences_of(text);
    struct mask mask = {0};
    dust_mask_sequences(&s, rule, &mask);
    strcpy(masked, text);
    mask_overwrite(&mask, 0, s.positions, false, '*', (uint8_t *)masked);
    mask_destroy(&mask);
    sequences_destroy(&s);
}

/* --- the definition -------------------------------------------------------------------------------------- */

/* Score of triplets begin .. end, both included, of upper case letters. */
static double interval_score(const char *text, size_t begin, size_t end)
{
    unsigned counts[4][4][4] = {{{0}}}, sum = 0;
    for (size_t i = begin; i <= end; i++) {
        const char *bases = "ACGT";
        unsigned *count = &counts[strchr(bases, text[i]) - bases][strchr(bases, text[i + 1]) - bases]
                                 [strchr(bases, text[i + 2]) - bases];
        sum += (*count)++;
    }
    return end > begin ? (double)sum / (double)(end - begin) : 0;
}

/* best[i % 64]: greatest score of an interval that begins at i or later and ends at `end` or before. */
static void mask_naively(const char *text, const struct dust_rule *rule, char *masked)
{
    static double inside[BASES_MAX][64];
    size_t length = strlen(text), triplets = length - 2, reach = rule->window - 2;
    strcpy(masked, text);
    memset(inside, 0, sizeof inside);
    for (size_t n = 1; n < reach; n++)
        for (size_t begin = 0; begin + n < triplets; begin++) {
            double score = interval_score(text, begin, begin + n);
            double left = inside[begin][n - 1], right = inside[begin + 1][n - 1];
            double most = left > right ? left : right;
            if (score > rule->level / 10.0 + 1e-9 && score >= most - 1e-9)
                memset(masked + begin, '*', n + 3);
            inside[begin][n] = score > most ? score : most;
        }
}

/* Gaps of fewer than `linker` bases between masked ones. */
static void link_naively(const char *text, const struct dust_rule *rule, char *masked)
{
    size_t length = strlen(text);
    for (size_t i = 1; i < length; i++) {
        size_t gap = 0;
        while (i + gap < length && masked[i + gap] != '*')
            gap++;
        if (masked[i - 1] == '*' && gap < rule->linker && i + gap < length)
            memset(masked + i, '*', gap);
    }
}

static const struct dust_rule rules[] = {{20, 64, 1}, {20, 64, 10}, {10, 32, 1},
                                         {2, 8, 32},  {64, 64, 3},  {21, 50, 1}};

START_TEST(test_masked_is_what_the_definition_says)
{
    uint64_t state = 88172645463325252u + (uint64_t)_i;
    size_t masked_bases = 0, bases = 0;
    for (int i = 0; i < 40; i++) {
        char text[BASES_MAX + 1], found[BASES_MAX + 1], expected[BASES_MAX + 1];
        random_text(text, 4 + random_below(&state, BASES_MAX - 4), &state);
        mask_text(text, &rules[_i], found);
        mask_naively(text, &rules[_i], expected);
        link_naively(text, &rules[_i], expected);
        ck_assert_str_eq(found, expected);
        bases += strlen(text);
        for (const char *c = found; *c; c++)
            masked_bases += *c == '*';
    }
    ck_assert_uint_gt(masked_bases, bases / 50); /* else the inputs prove nothing */
    ck_assert_uint_lt(masked_bases, bases);
}
END_TEST

/* --- dustmasker ------------------------------------------------------------------------------------------ */

/* The ranges dustmasker prints, "first - last" counted from 0 behind a line ">name" for every record. */
static void read_intervals(const char *path, const struct dust_rule *rule, const struct sequences *s,
                           struct mask *out)
{
    char command[300], line[1000];
    size_t record = 0;
    snprintf(command, sizeof command, "dustmasker -in %s -level %u -window %u -linker %u -outfmt interval",
             path, rule->level, rule->window, rule->linker);
    FILE *file = popen(command, "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        unsigned long first, last;
        if (line[0] == '>') {
            record++;
            continue;
        }
        ck_assert_int_eq(sscanf(line, "%lu - %lu", &first, &last), 2);
        ck_assert(record > 0 && record <= s->record_count);
        uint64_t begin = s->records[record - 1].begin;
        mask_add(out, begin + first, begin + last + 1);
    }
    ck_assert_int_eq(pclose(file), 0);
    ck_assert_uint_eq(record, s->record_count);
}

static void compare_with_dustmasker(const char *path, const struct dust_rule *rule)
{
    struct sequences s;
    struct mask found = {0}, expected = {0};
    struct why why = {""};
    ck_assert_msg(sequences_read(path, &s, &why) == 0, "%s", why.line);
    dust_mask_sequences(&s, rule, &found);
    read_intervals(path, rule, &s, &expected);
    ck_assert_uint_gt(found.count, 0);
    ck_assert_uint_eq(found.count, expected.count);
    for (size_t i = 0; i < found.count; i++) {
        ck_assert_uint_eq(found.ranges[i].begin, expected.ranges[i].begin);
        ck_assert_uint_eq(found.ranges[i].end, expected.ranges[i].end);
    }
    mask_destroy(&found);
    mask_destroy(&expected);
    sequences_destroy(&s);
}

START_TEST(test_random_sequences_are_masked_as_by_dustmasker)
{
    char path[] = "/tmp/test_dust.XXXXXX";
    uint64_t state = 4711 + (uint64_t)_i;
    FILE *file = fdopen(mkstemp(path), "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 100; i++) {
        char text[BASES_MAX + 1];
        random_text(text, 4 + random_below(&state, BASES_MAX - 4), &state);
        fprintf(file, ">r%d\n%s\n", i, text);
    }
    fclose(file);
    compare_with_dustmasker(path, &rules[_i]);
    unlink(path);
}
END_TEST

static const char *const genomes[] = {
    "/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz",
    "/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz",
    "/usr/share/doc/sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz",
};

START_TEST(test_genomes_are_masked_as_by_dustmasker)
{
    char path[] = "/tmp/test_dust.XXXXXX", command[300];
    struct dust_rule rule = dust_rule_default();
    close(mkstemp(path));
    snprintf(command, sizeof command, "gzip -dc %s >%s", genomes[_i], path);
    ck_assert_int_eq(system(command), 0);
    compare_with_dustmasker(path, &rule);
    unlink(path);
}
END_TEST

/* --- other facts ----------------------------------------------------------------------------------------- */

START_TEST(test_the_reverse_complement_is_masked_alike)
{
    uint64_t state = 7;
    struct dust_rule rule = dust_rule_default();
    for (int i = 0; i < 50; i++) {
        char text[BASES_MAX + 1], reversed[BASES_MAX + 1], one[BASES_MAX + 1], other[BASES_MAX + 1];
        random_text(text, BASES_MAX, &state);
        for (int j = 0; j < BASES_MAX; j++)
            reversed[j] = "TGCA"[strchr("ACGT", text[BASES_MAX - 1 - j]) - "ACGT"];
        reversed[BASES_MAX] = '\0';
        mask_text(text, &rule, one);
        mask_text(reversed, &rule, other);
        for (int j = 0; j < BASES_MAX; j++)
            ck_assert_int_eq(one[j] == '*', other[BASES_MAX - 1 - j] == '*');
    }
}
END_TEST

/* n equal bases are n - 2 triplets, and score (n - 2) / 2: more than 2 from 7 on. */
START_TEST(test_seven_equal_bases_are_masked_and_six_are_not)
{
    char found[40];
    struct dust_rule rule = dust_rule_default();
    mask_text("GTCAAAAAACTG", &rule, found);
    ck_assert_str_eq(found, "GTCAAAAAACTG");
    mask_text("GTCAAAAAAACTG", &rule, found);
    ck_assert_str_eq(found, "GTC*******CTG");
    mask_text("A", &rule, found);
    ck_assert_str_eq(found, "A");
}
END_TEST

START_TEST(test_no_interval_contains_an_ambiguous_base)
{
    char found[40];
    struct dust_rule rule = dust_rule_default();
    mask_text("GTCAAAANAAAACTG", &rule, found);
    ck_assert_str_eq(found, "GTCAAAANAAAACTG");
    mask_text("AAAAAAAANTTTTTTTTGCG", &rule, found);
    ck_assert_str_eq(found, "********N********GCG");
}
END_TEST

START_TEST(test_records_are_masked_apart)
{
    struct sequences s = sequences_of("AAAAAAAAAAAAAAAA");
    struct sequence_record halves[2] = {{NULL, 0, 5}, {NULL, 6, 10}};
    struct sequences two = {.records = halves, .record_count = 2, .words = s.words, .positions = 16};
    struct dust_rule rule = dust_rule_default();
    struct mask mask = {0};
    dust_mask_sequences(&two, &rule, &mask);
    ck_assert_uint_eq(mask.count, 1);
    ck_assert_uint_eq(mask.ranges[0].begin, 6);
    ck_assert_uint_eq(mask.ranges[0].end, 16);
    mask_destroy(&mask);
    sequences_destroy(&s);
}
END_TEST

static const char *const refused[] = {"",
                                      "maybe",
                                      "20",
                                      "20 64",
                                      "20 64 1 1",
                                      "1 64 1",
                                      "65 64 1",
                                      "20 7 1",
                                      "20 65 1",
                                      "20 64 0",
                                      "20 64 33",
                                      "-20 64 1",
                                      "20,64,1",
                                      "2e1 64 1",
                                      "yes ",
                                      "20.5 64 1",
                                      "99999999999999999999 64 1"};

START_TEST(test_bad_rules_are_refused)
{
    struct dust_rule rule = {1, 2, 3};
    struct why why = {""};
    ck_assert_int_eq(dust_rule_parse(refused[_i], &rule, &why), WHY_SAID);
    ck_assert_ptr_nonnull(strstr(why.line, "20 64 1"));
    ck_assert(rule.level == 1 && rule.window == 2 && rule.linker == 3);
}
END_TEST

START_TEST(test_rules_are_read)
{
    struct dust_rule rule;
    struct why why;
    ck_assert_int_eq(dust_rule_parse("yes", &rule, &why), 0);
    ck_assert(rule.level == 20 && rule.window == 64 && rule.linker == 1);
    ck_assert_int_eq(dust_rule_parse(" 2  8 32 ", &rule, &why), 0);
    ck_assert(rule.level == 2 && rule.window == 8 && rule.linker == 32);
}
END_TEST

/* dustmasker and the genomes are in Debian's packages. @return whether all are here */
static bool can_compare(void)
{
    bool can = system("command -v dustmasker >/dev/null 2>&1") == 0;
    for (int i = 0; i < COUNT_OF(genomes); i++)
        can = can && access(genomes[i], R_OK) == 0;
    return can;
}

int main(void)
{
    bool compared = can_compare();
    Suite *suite = suite_create("dust");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"), *errors = tcase_create("errors");
    tcase_set_timeout(core, 60);
    tcase_add_loop_test(core, test_masked_is_what_the_definition_says, 0, COUNT_OF(rules));
    if (compared) {
        tcase_add_loop_test(core, test_random_sequences_are_masked_as_by_dustmasker, 0, COUNT_OF(rules));
        tcase_add_loop_test(core, test_genomes_are_masked_as_by_dustmasker, 0, COUNT_OF(genomes));
    }
    tcase_add_test(core, test_the_reverse_complement_is_masked_alike);
    tcase_add_test(core, test_rules_are_read);
    tcase_add_test(limits, test_seven_equal_bases_are_masked_and_six_are_not);
    tcase_add_test(limits, test_no_interval_contains_an_ambiguous_base);
    tcase_add_test(limits, test_records_are_masked_apart);
    tcase_add_loop_test(errors, test_bad_rules_are_refused, 0, COUNT_OF(refused));
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    int status = run_suite(suite);
    return status == EXIT_SUCCESS && !compared ? SUITE_SKIPPED : status;
}
