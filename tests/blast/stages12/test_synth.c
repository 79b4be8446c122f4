/* test_synth.c - synthetic genomes: lengths, composition, repeats, planted copies where the truth says, refusals. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"
#include "blast/sequence/fasta.h"
#include "blast/stages12/synth.h"
#include "app/commands.h"
#include "tests/run_suite.h"

static char directory[32];

static const char *path_of(const char *name)
{
    static char paths[4][128];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void make_directory(void)
{
    strcpy(directory, "/tmp/test_synth_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
}

static void remove_directory(void)
{
    static const char *const names[] = {"d.fa", "q.fa", "t.tsv", "t.tsv.partial"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(path_of(names[i]));
    ck_assert_int_eq(rmdir(directory), 0); /* nothing else was left behind */
}

/* --- helpers ---------------------------------------------------------------------------------------------------- */

static char *text_of(const struct synth *synth, size_t *bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);
    ck_assert_int_eq(synth_write_fasta(synth, out), 0);
    fclose(out);
    return text;
}

static struct synth *create(const struct synth_options *options, const struct sequences *plant)
{
    struct why why = {""};
    struct synth *synth = NULL;
    ck_assert_msg(synth_new(options, plant, &synth, &why) == 0, "%s", why.line);
    return synth;
}

/* The genome as Mercury reads it. */
static struct sequences read_back(const struct synth *synth)
{
    FILE *out = fopen(path_of("d.fa"), "w");
    ck_assert_int_eq(synth_write_fasta(synth, out), 0);
    fclose(out);
    struct sequences read;
    struct why why = {""};
    ck_assert_msg(sequences_read(path_of("d.fa"), &read, &why) == 0, "%s", why.line);
    return read;
}

static struct sequences genome(const struct synth_options *options)
{
    struct synth *synth = create(options, NULL);
    struct sequences read = read_back(synth);
    synth_destroy(synth);
    return read;
}

/* A query of two records, 3000 and 700 bases, the second with an N. */
static struct sequences query(void)
{
    FILE *out = fopen(path_of("q.fa"), "w");
    uint64_t state = 99;
    for (unsigned record = 0; record < 2; record++) {
        fprintf(out, ">q%u\n", record);
        for (unsigned i = 0; i < (record ? 700 : 3000); i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            fputc(record && i == 350 ? 'N' : "ACGT"[state >> 62], out);
        }
        fputc('\n', out);
    }
    fclose(out);
    struct sequences read;
    struct why why = {""};
    ck_assert_msg(sequences_read(path_of("q.fa"), &read, &why) == 0, "%s", why.line);
    return read;
}

static void count_codes(const struct sequences *s, uint64_t counts[16])
{
    memset(counts, 0, 16 * sizeof *counts);
    for (uint64_t i = 0; i < s->positions; i++)
        counts[sequences_code(s, i)]++;
}

/* |count - n p| <= sigmas sqrt(n p (1 - p)) */
static void assert_binomial(uint64_t count, uint64_t n, double p, double sigmas)
{
    double mean = (double)n * p, allowed = sigmas * sqrt(mean * (1 - p));
    ck_assert_double_eq_tol((double)count, mean, allowed + 1e-9);
}

/* --- core ------------------------------------------------------------------------------------------------------- */

START_TEST(test_length_is_exact_and_records_are_equal)
{
    static const uint64_t lengths[] = {1, 2, 69, 70, 71, 32767, 32768, 32769, 65537, 100003};
    struct synth_options o = synth_default();
    o.length = lengths[_i];
    o.records = _i > 2 ? 7 : 1;
    o.repeat_fraction = 0.3;
    o.n_fraction = 0.05;
    struct sequences read = genome(&o);
    ck_assert_uint_eq(read.bases, o.length);
    ck_assert_uint_eq(read.record_count, o.records);
    for (size_t i = 0; i < read.record_count; i++)
        ck_assert_uint_eq(read.records[i].bases, o.length / o.records + (i < o.length % o.records));
    ck_assert_str_eq(read.records[0].name, "synth_1");
    sequences_destroy(&read);
}
END_TEST

START_TEST(test_lines_have_the_width_asked_for)
{
    struct synth_options o = synth_default();
    o.length = 201;
    o.records = 2;
    o.line_bases = 50;
    struct synth *synth = create(&o, NULL);
    size_t bytes;
    char *text = text_of(synth, &bytes), *rest = text;
    static const int widths[] = {-1, 50, 50, 1, -1, 50, 50};
    for (unsigned i = 0; i < 7; i++) {
        const char *line = strsep(&rest, "\n");
        if (widths[i] < 0)
            ck_assert_int_eq(line[0], '>');
        else
            ck_assert_uint_eq(strlen(line), (size_t)widths[i]);
    }
    ck_assert_str_eq(rest, "");
    free(text);
    synth_destroy(synth);
}
END_TEST

/* 2 million independent bases: every count within 4 standard deviations. */
START_TEST(test_composition_is_as_asked)
{
    static const double contents[] = {0, 0.2, 0.41, 0.5, 0.9, 1};
    struct synth_options o = synth_default();
    o.length = 2000000;
    o.gc = contents[_i];
    struct sequences read = genome(&o);
    uint64_t counts[16];
    count_codes(&read, counts);
    for (unsigned code = 0; code < 4; code++)
        assert_binomial(counts[code], o.length, (code == BASE_C || code == BASE_G ? o.gc : 1 - o.gc) / 2, 4);
    ck_assert_uint_eq(read.ambiguous, 0);
    sequences_destroy(&read);
}
END_TEST

/* 4096 6-mers of 4 million at GC 0.5: chi-square of the non-overlapping ones has mean 4095 and standard deviation
 * sqrt(2 x 4095) = 90.5; 5 of them allowed. */
START_TEST(test_kmers_are_flat)
{
    struct synth_options o = synth_default();
    o.length = 4000000;
    o.gc = 0.5;
    struct sequences read = genome(&o);
    static double counts[4096];
    uint64_t total = o.length / 6;
    for (uint64_t k = 0; k < total; k++) {
        unsigned mer = 0;
        for (uint64_t i = 0; i < 6; i++)
            mer = mer << 2 | sequences_code(&read, 6 * k + i);
        counts[mer]++;
    }
    double expected = (double)total / 4096, chi = 0;
    for (unsigned i = 0; i < 4096; i++)
        chi += (counts[i] - expected) * (counts[i] - expected) / expected;
    ck_assert_double_eq_tol(chi, 4095, 5 * 90.5);
    sequences_destroy(&read);
}
END_TEST

static int compare_words(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The fraction of the positions whose 24-mer occurs elsewhere, too; by chance 1e6 / 4^24 of them, none. */
static double duplicated_fraction(const struct sequences *s)
{
    uint64_t count = s->bases - 23, mer = 0, twice = 0;
    uint64_t *mers = malloc(count * sizeof *mers);
    for (uint64_t i = 0; i < s->bases; i++) {
        mer = (mer << 2 | sequences_code(s, i)) & ((UINT64_C(1) << 48) - 1);
        if (i >= 23)
            mers[i - 23] = mer;
    }
    qsort(mers, count, sizeof *mers, compare_words);
    for (uint64_t i = 0; i < count; i++)
        twice += (i > 0 && mers[i] == mers[i - 1]) || (i + 1 < count && mers[i] == mers[i + 1]);
    free(mers);
    return (double)twice / (double)count;
}

/* Exact copies of 1000 bases have 977 24-mers inside, so a fraction f of repeats makes 0.977 f; at f = 0.3 the
 * fraction itself is kept to within a copy or two of 300 in a million bases, 0.002. */
START_TEST(test_exact_repeats_are_the_fraction_stated)
{
    static const double fractions[] = {0, 0.05, 0.3, 0.8, 1};
    struct synth_options o = synth_default();
    o.length = 1000000;
    o.gc = 0.5;
    o.repeat_fraction = fractions[_i];
    o.repeat_bases = 1000;
    o.repeat_divergence = 0;
    struct sequences read = genome(&o);
    /* With nothing between them copies also join in few ways (10 x 10): these 24-mers are duplicates, too. */
    double inside = fractions[_i] == 1 ? 1 : 0.977, allowed = fractions[_i] > 0.5 ? 0.008 : 0.004;
    allowed = fractions[_i] > 0 ? allowed : 1e-5;
    ck_assert_double_eq_tol(duplicated_fraction(&read), inside * fractions[_i], allowed);
    sequences_destroy(&read);
}
END_TEST

/* Two copies agree in all 24 places with probability about (1 - d)^48 or more: duplicates become few, not none. */
START_TEST(test_divergence_breaks_duplicates)
{
    struct synth_options o = synth_default();
    o.length = 500000;
    o.repeat_fraction = 0.4;
    o.repeat_divergence = 0;
    struct sequences exact = genome(&o);
    o.repeat_divergence = 0.3;
    struct sequences diverged = genome(&o);
    double before = duplicated_fraction(&exact), after = duplicated_fraction(&diverged);
    ck_assert_double_ge(before, 0.3);
    ck_assert_double_le(after, before / 5);
    sequences_destroy(&exact);
    sequences_destroy(&diverged);
}
END_TEST

START_TEST(test_runs_of_n_are_the_fraction_stated)
{
    struct synth_options o = synth_default();
    o.length = 1000000;
    o.n_fraction = 0.1;
    o.repeat_fraction = _i ? 0.9 : 0.2; /* 0.9: no background is left between them */
    struct sequences read = genome(&o);
    ck_assert_double_eq_tol((double)read.ambiguous, 1e5,
                            1e3); /* 5 runs of 100 and a copy or two beside them */
    sequences_destroy(&read);
}
END_TEST

START_TEST(test_same_seed_same_bytes)
{
    struct sequences q = query();
    struct synth_options o = synth_default();
    o.length = 300000;
    o.records = 3;
    o.repeat_fraction = 0.2;
    o.n_fraction = 0.01;
    o.plant_copies = 5;
    o.plant_identity = 0.9;
    o.plant_indels = 0.01;
    struct synth *first = create(&o, &q), *second = create(&o, &q);
    o.seed = 2;
    struct synth *other = create(&o, &q);
    size_t bytes[4];
    char *texts[] = {text_of(first, &bytes[0]), text_of(first, &bytes[1]), text_of(second, &bytes[2]),
                     text_of(other, &bytes[3])};
    for (unsigned i = 1; i < 3; i++) {
        ck_assert_uint_eq(bytes[i], bytes[0]);
        ck_assert_mem_eq(texts[i], texts[0], bytes[0]);
    }
    uint64_t equal = 0;
    for (size_t i = 0; i < bytes[0]; i++)
        equal += texts[0][i] == texts[3][i];
    ck_assert_double_le((double)equal / (double)bytes[0], 0.35); /* by chance 0.26, and the line ends */
    for (unsigned i = 0; i < 4; i++)
        free(texts[i]);
    synth_destroy(first);
    synth_destroy(second);
    synth_destroy(other);
    sequences_destroy(&q);
}
END_TEST

/* --- plants ----------------------------------------------------------------------------------------------------- */

/* The copy's codes, turned to the source's strand. */
static uint8_t *codes_planted(const struct sequences *read, const struct synth_plant *p)
{
    uint8_t *codes = malloc(p->bases);
    uint64_t begin = read->records[p->record].begin + p->begin;
    ck_assert_uint_le(p->begin + p->bases, read->records[p->record].bases);
    if (p->strand == STRAND_PLUS)
        sequences_unpack(read, STRAND_PLUS, begin, p->bases, codes);
    else
        sequences_unpack(read, STRAND_MINUS, read->positions - begin - p->bases, p->bases, codes);
    return codes;
}

static uint8_t *codes_of_source(const struct sequences *q, const struct synth_plant *p)
{
    uint8_t *codes = malloc(p->source_bases);
    sequences_unpack(q, STRAND_PLUS, q->records[p->source].begin + p->source_begin, p->source_bases, codes);
    return codes;
}

static uint64_t hamming(const uint8_t *a, const uint8_t *b, uint64_t bases)
{
    uint64_t differing = 0;
    for (uint64_t i = 0; i < bases; i++)
        differing += a[i] != b[i];
    return differing;
}

/* Levenshtein's distance, by the book. */
static uint64_t edit_distance(const uint8_t *a, uint64_t n, const uint8_t *b, uint64_t m)
{
    uint64_t *row = malloc((m + 1) * sizeof *row);
    for (uint64_t j = 0; j <= m; j++)
        row[j] = j;
    for (uint64_t i = 1; i <= n; i++) {
        uint64_t diagonal = row[0];
        row[0] = i;
        for (uint64_t j = 1; j <= m; j++) {
            uint64_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    uint64_t distance = row[m];
    free(row);
    return distance;
}

/* A line of the truth. */
struct planted {
    struct synth_plant plant;
    double identity;
};

static struct planted planted_of(const char *line, const struct sequences *q)
{
    struct planted p = {.identity = -1};
    struct synth_plant *at = &p.plant;
    char strand, source[100];
    ck_assert_int_eq(sscanf(line, "synth_%lu\t%lu\t%lu\t%c\t%99s\t%lu\t%lu\t%lf\t%lu\t%lu\t%lu\n",
                            &at->record, &at->begin, &at->bases, &strand, source, &at->source_begin,
                            &at->source_bases, &p.identity, &at->substituted, &at->inserted, &at->deleted),
                     11);
    at->record--;
    at->bases -= --at->begin;
    at->source_bases -= --at->source_begin;
    at->strand = strand == '-' ? STRAND_MINUS : STRAND_PLUS;
    while (strcmp(q->records[at->source].name, source) != 0)
        ck_assert_uint_lt(++at->source, q->record_count);
    return p;
}

/* The plants that the truth tells, for free(). @param q  what was planted */
static struct planted *read_truth(const struct synth *synth, const struct sequences *q, size_t *count)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    ck_assert_int_eq(synth_write_truth(synth, file), 0);
    fclose(file);
    struct planted *plants = calloc(size, sizeof *plants);
    *count = 0;
    for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1)
        plants[(*count)++] = planted_of(line, q);
    free(text);
    return plants;
}

static void assert_no_overlap(const struct planted *plants, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct synth_plant *before = &plants[i - 1].plant, *here = &plants[i].plant;
        ck_assert_uint_ge(here->record, before->record);
        if (here->record == before->record)
            ck_assert_uint_ge(here->begin, before->begin + before->bases);
    }
}

struct plant_case {
    uint64_t copies, bases, records;
    double identity, repeats;
};

static const struct plant_case plant_cases[] = {
    {1, 0, 1, 1, 0}, {20, 0, 4, 1, 0.3}, {20, 0, 4, 0.9, 0.3}, {60, 500, 9, 0.8, 0}, {50, 1, 3, 1, 0},
};

/* Without indels a copy is compared base by base; both strands must occur. */
START_TEST(test_plants_are_where_the_truth_says)
{
    const struct plant_case *c = &plant_cases[_i];
    struct sequences q = query();
    struct synth_options o = synth_default();
    o.length = 200000;
    o.records = c->records;
    o.repeat_fraction = c->repeats;
    o.plant_copies = c->copies;
    o.plant_bases = c->bases;
    o.plant_identity = c->identity;
    struct synth *synth = create(&o, &q);
    struct sequences read = read_back(synth);
    size_t count;
    struct planted *plants = read_truth(synth, &q, &count);
    ck_assert_uint_eq(count, 2 * c->copies);
    assert_no_overlap(plants, count);
    uint64_t bases = 0, substituted = 0, minus = 0;
    for (size_t i = 0; i < count; i++) {
        const struct synth_plant *p = &plants[i].plant;
        uint8_t *planted = codes_planted(&read, p), *source = codes_of_source(&q, p);
        ck_assert_uint_eq(p->bases, p->source_bases);
        ck_assert_uint_eq(p->bases, c->bases ? c->bases : q.records[p->source].bases);
        ck_assert_uint_eq(hamming(planted, source, p->bases), p->substituted);
        minus += p->strand == STRAND_MINUS;
        bases += p->bases;
        substituted += p->substituted;
        free(planted);
        free(source);
    }
    assert_binomial(substituted, bases, 1 - c->identity, 4);
    free(plants);
    if (count >= 40)
        assert_binomial(minus, count, 0.5, 4);
    ck_assert_uint_eq(read.bases, o.length);
    sequences_destroy(&read);
    synth_destroy(synth);
    sequences_destroy(&q);
}
END_TEST

/* The true alignment has e = substituted + inserted + deleted differences, so the edit distance is at most e; it
 * is less only where mutations happen to undo each other. */
START_TEST(test_indels_are_as_the_truth_counts)
{
    struct sequences q = query();
    struct synth_options o = synth_default();
    o.length = 100000;
    o.plant_copies = 10;
    o.plant_identity = 0.95;
    o.plant_indels = 0.01;
    struct synth *synth = create(&o, &q);
    struct sequences read = read_back(synth);
    size_t count;
    struct planted *plants = read_truth(synth, &q, &count);
    assert_no_overlap(plants, count);
    uint64_t gaps = 0, bases = 0;
    for (size_t i = 0; i < count; i++) {
        const struct synth_plant *p = &plants[i].plant;
        uint8_t *planted = codes_planted(&read, p), *source = codes_of_source(&q, p);
        uint64_t differences = p->substituted + p->inserted + p->deleted;
        uint64_t distance = edit_distance(source, p->source_bases, planted, p->bases);
        ck_assert_uint_eq(p->bases, p->source_bases + p->inserted - p->deleted);
        ck_assert_uint_le(distance, differences);
        ck_assert_uint_ge(10 * distance, 9 * differences);
        /* The N of the second record is neither equal nor counted as a difference; it may be deleted. */
        double unequal = (double)(differences + (p->source == 1)) / (double)(p->bases + p->deleted);
        double allowed = p->source == 1 ? 2e-3 : 1e-6;
        ck_assert_double_eq_tol(plants[i].identity, 1 - unequal, allowed);
        gaps += p->inserted + p->deleted;
        bases += p->source_bases;
        free(planted);
        free(source);
    }
    /* 1 % of 37,000 bases begin an indel, of about two bases on average: 740, and 4 sigma of 370 events whose length
     * has a second moment of 6 are 4 sqrt(370 x 6) = 190. */
    free(plants);
    ck_assert_double_eq_tol((double)gaps, 0.01 * 2 * (double)bases, 190);
    sequences_destroy(&read);
    synth_destroy(synth);
    sequences_destroy(&q);
}
END_TEST

START_TEST(test_plants_may_fill_the_database)
{
    struct sequences q = query();
    struct synth_options o = synth_default();
    o.length = 4 * (3000 + 700);
    o.plant_copies = 4;
    struct synth *synth = create(&o, &q);
    struct sequences read = read_back(synth);
    ck_assert_uint_eq(read.bases, o.length);
    ck_assert_uint_eq(read.ambiguous, 4);
    sequences_destroy(&read);
    synth_destroy(synth);
    struct why why = {""};
    o.length--;
    ck_assert_int_eq(synth_new(&o, &q, &synth, &why), SYNTH_EFIT);
    ck_assert_ptr_nonnull(strstr(why.line, "--length 14799"));
    o.length = 10000; /* the bases would fit, a record of 2000 does not take 3000 */
    o.records = 5;
    o.plant_copies = 1;
    ck_assert_int_eq(synth_new(&o, &q, &synth, &why), SYNTH_EFIT);
    ck_assert_ptr_nonnull(strstr(why.line, "'q0'"));
    o.records = 1;
    o.repeat_fraction = 0.7; /* 0.37 is planted */
    ck_assert_int_eq(synth_new(&o, &q, &synth, &why), SYNTH_EFIT);
    ck_assert_ptr_nonnull(strstr(why.line, "--repeats 0.7"));
    sequences_destroy(&q);
}
END_TEST

/* --- the command ------------------------------------------------------------------------------------------------ */

static int command(char *line, struct why *why)
{
    char *argv[32];
    int argc = 0;
    for (char *word; (word = strsep(&line, " "));)
        argv[argc++] = word;
    argv[argc] = NULL;
    return command_synth.call(argc, argv, why);
}

/* Insertions and deletions lie between the first and the last base, where an alignment of the copy ends. */
START_TEST(test_ends_of_a_copy_are_those_of_its_source)
{
    struct sequences q = query();
    struct synth_options o = synth_default();
    o.length = 200000;
    o.plant_copies = 50;
    o.plant_bases = 10;
    o.plant_identity = 1;
    o.plant_indels = 1;
    struct synth *synth = create(&o, &q);
    struct sequences read = read_back(synth);
    size_t count;
    struct planted *plants = read_truth(synth, &q, &count);
    ck_assert_uint_eq(count, 100);
    for (size_t i = 0; i < count; i++) {
        const struct synth_plant *p = &plants[i].plant;
        uint8_t *planted = codes_planted(&read, p), *source = codes_of_source(&q, p);
        ck_assert_uint_eq(planted[0], source[0]);
        ck_assert_uint_eq(planted[p->bases - 1], source[p->source_bases - 1]);
        free(planted);
        free(source);
    }
    free(plants);
    sequences_destroy(&read);
    synth_destroy(synth);
    sequences_destroy(&q);
}
END_TEST

START_TEST(test_command_writes_fasta_and_truth)
{
    struct sequences q = query(), read;
    char line[1024];
    struct why why = {""};
    snprintf(line, sizeof line,
             "synth --length 0.1M --records 2 --gc 0.5 --name chr --seed 3 --plant %s:4:0.9:0.005 --truth %s",
             path_of("q.fa"), path_of("t.tsv"));
    ck_assert_ptr_nonnull(freopen(path_of("d.fa"), "w", stdout));
    ck_assert_msg(command(line, &why) == 0, "%s", why.line);
    ck_assert_int_eq(sequences_read(path_of("d.fa"), &read, &why), 0);
    ck_assert_uint_eq(read.bases, 100000);
    ck_assert_str_eq(read.records[1].name, "chr_2");
    FILE *truth = fopen(path_of("t.tsv"), "r");
    char row[512];
    unsigned rows = 0;
    ck_assert_ptr_nonnull(fgets(row, sizeof row, truth));
    ck_assert_int_eq(strncmp(row, "record\tstart\tend\tstrand\tsource\t", 31), 0);
    while (fgets(row, sizeof row, truth)) {
        char record[32], source[32], strand;
        unsigned long start, end, source_start, source_end;
        double identity;
        ck_assert_int_eq(sscanf(row, "%31s %lu %lu %c %31s %lu %lu %lf", record, &start, &end, &strand,
                                source, &source_start, &source_end, &identity),
                         8);
        ck_assert(start >= 1 && end <= 50000 && source_start == 1);
        ck_assert_uint_eq(source_end, source[1] == '0' ? 3000 : 700);
        ck_assert_double_eq_tol(identity, 0.89, 0.06);
        rows++;
    }
    ck_assert_uint_eq(rows, 8);
    fclose(truth);
    sequences_destroy(&read);
    sequences_destroy(&q);
}
END_TEST

/* Arguments, and what the line must name. */
static const char *const refusals[][3] = {
    {"synth", "--length", NULL},
    {"synth --length", "needs a value", NULL},
    {"synth --length 0", "--length '0'", "1 to 1000G"},
    {"synth --length 1.5", "--length '1.5'", "1 to 1000G"},
    {"synth --length 1001G", "--length '1001G'", "1 to 1000G"},
    {"synth --length -5", "--length '-5'", "1 to 1000G"},
    {"synth --length nan", "--length 'nan'", "1 to 1000G"},
    {"synth --length 0x10", "--length '0x10'", "1 to 1000G"},
    {"synth --length 5T", "--length '5T'", "1 to 1000G"},
    {"synth --length 5kk", "--length '5kk'", "1 to 1000G"},
    {"synth --length 10 --records 11", "--records 11", "--length, 10"},
    {"synth --length 10 --records 0", "--records '0'", "1 to 10000000"},
    {"synth --length 10 --gc 1.01", "--gc '1.01'", "0 to 1"},
    {"synth --length 10 --gc inf", "--gc 'inf'", "0 to 1"},
    {"synth --length 10 --repeats 2", "--repeats '2'", "0 to 1"},
    {"synth --length 10 --repeats 0.1:5", "--repeats '0.1:5'", "10 to 100000"},
    {"synth --length 10 --repeats 0.1:50:0.8", "--repeats '0.1:50:0.8'", "0 to 0.75"},
    {"synth --length 10 --repeats 0.1:50:0.8:1", "--repeats", "FRACTION[:LENGTH"},
    {"synth --length 10 --repeats 0.6 --n-runs 0.6", "--n-runs 0.6", "at most 1"},
    {"synth --length 10 --n-runs x", "--n-runs 'x'", "0 to 1"},
    {"synth --length 10 --seed -1", "--seed '-1'", "0 to 18446744073709551615"},
    {"synth --length 10 --seed 18446744073709551616", "--seed", "0 to 18446744073709551615"},
    {"synth --length 10 --line 0", "--line '0'", "1 to 1000000"},
    {"synth --length 10 --name a\tb", "--name", "visible ASCII"},
    {"synth --length 10 --truth t", "--truth 't'", "--plant"},
    {"synth --length 10 --plant-length 5", "--plant-length", "--plant"},
    {"synth --length 10 --plant q:0", "--plant 'q:0'", "1 to 10000000"},
    {"synth --length 10 --plant q:1:0.2", "--plant 'q:1:0.2'", "0.25 to 1"},
    {"synth --length 10 --plant q:1:1:0.3", "--plant 'q:1:1:0.3'", "0 to 0.2"},
    {"synth --length 10 --plant a --plant b", "--plant 'b'", "once"},
    {"synth --length 10 --plant q --truth -", "--truth '-'", "standard output"},
    {"synth --length 10 --plant /nonexistent.fa", "/nonexistent.fa", NULL},
    {"synth --length 10 --colour", "--colour", "no such option"},
    {"synth --length 10 out.fa", "out.fa", NULL},
};

START_TEST(test_bad_arguments_are_refused_in_one_line)
{
    char line[256];
    struct why why = {""};
    snprintf(line, sizeof line, "%s", refusals[_i][0]);
    ck_assert_int_eq(command(line, &why), 2);
    for (unsigned i = 1; i < 3; i++)
        ck_assert_msg(!refusals[_i][i] || strstr(why.line, refusals[_i][i]), "%s", why.line);
    ck_assert_ptr_null(strchr(why.line, '\n'));
}
END_TEST

START_TEST(test_plant_longer_than_database_is_refused)
{
    struct sequences q = query();
    char line[512];
    struct why why = {""};
    snprintf(line, sizeof line, "synth --length 3000 --plant %s --truth %s", path_of("q.fa"),
             path_of("t.tsv"));
    ck_assert_int_eq(command(line, &why), 2);
    ck_assert_ptr_nonnull(strstr(why.line, "--length 3000"));
    ck_assert_int_ne(access(path_of("t.tsv"), F_OK), 0);
    ck_assert_int_ne(access(path_of("t.tsv.partial"), F_OK), 0);
    sequences_destroy(&q);
}
END_TEST

START_TEST(test_full_disk_is_told_and_leaves_no_truth)
{
    struct sequences q = query();
    char line[512];
    struct why why = {""};
    ck_assert_ptr_nonnull(freopen("/dev/full", "w", stdout));
    snprintf(line, sizeof line, "synth --length 1M --plant %s --truth %s", path_of("q.fa"), path_of("t.tsv"));
    ck_assert_int_eq(command(line, &why), 2);
    ck_assert_str_eq(why.line, "standard output cannot be written: No space left on device");
    ck_assert_int_ne(access(path_of("t.tsv"), F_OK), 0);
    ck_assert_int_ne(access(path_of("t.tsv.partial"), F_OK), 0);
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
    snprintf(line, sizeof line, "synth --length 1M --plant %s --truth /dev/full", path_of("q.fa"));
    ck_assert_int_eq(command(line, &why), 2);
    ck_assert_str_eq(why.line, "--truth /dev/full: cannot be written: No space left on device");
    snprintf(line, sizeof line, "synth --length 1M --plant %s --truth /nonexistent/t", path_of("q.fa"));
    ck_assert_int_eq(command(line, &why), 2);
    ck_assert_str_eq(why.line, "--truth /nonexistent/t: cannot be written: No such file or directory");
    sequences_destroy(&q);
}
END_TEST

static Suite *synth_suite(void)
{
    Suite *suite = suite_create("synth");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"), *errors = tcase_create("errors");
    tcase_set_timeout(core, 60);
    tcase_add_loop_test(core, test_length_is_exact_and_records_are_equal, 0, 10);
    tcase_add_test(core, test_lines_have_the_width_asked_for);
    tcase_add_loop_test(core, test_composition_is_as_asked, 0, 6);
    tcase_add_test(core, test_kmers_are_flat);
    tcase_add_loop_test(core, test_exact_repeats_are_the_fraction_stated, 0, 5);
    tcase_add_test(core, test_divergence_breaks_duplicates);
    tcase_add_loop_test(core, test_runs_of_n_are_the_fraction_stated, 0, 2);
    tcase_add_test(core, test_same_seed_same_bytes);
    tcase_add_loop_test(core, test_plants_are_where_the_truth_says, 0,
                        (int)(sizeof plant_cases / sizeof plant_cases[0]));
    tcase_add_test(core, test_indels_are_as_the_truth_counts);
    tcase_add_test(core, test_ends_of_a_copy_are_those_of_its_source);
    tcase_add_test(core, test_command_writes_fasta_and_truth);
    tcase_add_test(limits, test_plants_may_fill_the_database);
    tcase_add_loop_test(errors, test_bad_arguments_are_refused_in_one_line, 0,
                        (int)(sizeof refusals / sizeof refusals[0]));
    tcase_add_test(errors, test_plant_longer_than_database_is_refused);
    tcase_add_test(errors, test_full_disk_is_told_and_leaves_no_truth);
    TCase *const cases[] = {core, limits, errors};
    for (unsigned i = 0; i < 3; i++) {
        tcase_add_unchecked_fixture(cases[i], make_directory, remove_directory);
        suite_add_tcase(suite, cases[i]);
    }
    return suite;
}

int main(void)
{
    return run_suite(synth_suite());
}
