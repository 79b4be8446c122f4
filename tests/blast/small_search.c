#include "blast/sequence/fasta.h"
#include "tests/blast/small_search.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"
#include "tests/run_suite.h"

void small_search_read(const char *fasta, struct sequences *out)
{
    char path[] = "/tmp/small_search.XXXXXX";
    struct why why = {""};
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, fasta, strlen(fasta)), (ssize_t)strlen(fasta));
    close(file);
    int status = sequences_read(path, out, &why);
    unlink(path);
    ck_assert_msg(status == 0, "%s", why.line);
}

/* s2 begins at position 20; on the minus strand q2 comes first. */
static void add_alignments(struct alignment_list *list)
{
    static const struct gapped_run plus_runs[] = {{GAPPED_PAIR, 4}, {GAPPED_DATABASE, 1}, {GAPPED_PAIR, 9}};
    static const struct gapped_run end_runs[] = {{GAPPED_PAIR, 2}};
    static const struct gapped_run minus_runs[] = {
        {GAPPED_PAIR, 3}, {GAPPED_QUERY, 1}, {GAPPED_PAIR, 4}, {GAPPED_DATABASE, 1}, {GAPPED_PAIR, 2}};
    struct alignment plus = {.query_begin = 2,
                             .query_end = 15,
                             .database_begin = 3,
                             .database_end = 17,
                             .columns = 14,
                             .identities = 11,
                             .mismatches = 2,
                             .gaps = 1,
                             .gap_openings = 1,
                             .score = 10,
                             .bits = 81.84,
                             .e_value = 2.756e-100};
    struct alignment end = {.query_begin = 15,
                            .query_end = 17,
                            .database_begin = 6,
                            .database_end = 8,
                            .columns = 2,
                            .identities = 2,
                            .score = 2,
                            .bits = 9.96,
                            .e_value = 0.05};
    struct alignment minus = {.query_begin = 0,
                              .query_end = 10,
                              .database_begin = 22,
                              .database_end = 32,
                              .columns = 11,
                              .identities = 9,
                              .gaps = 2,
                              .gap_openings = 2,
                              .query_record = 1,
                              .database_record = 1,
                              .strand = STRAND_MINUS,
                              .score = 7,
                              .bits = 613.9,
                              .e_value = 6.2e-14};
    alignment_list_append_path(list, &plus, plus_runs, 3);
    alignment_list_append_path(list, &plus, plus_runs, 3);
    alignment_list_append_path(list, &end, end_runs, 1);
    alignment_list_append_path(list, &minus, minus_runs, 5);
}

void small_search_create(struct small_search *s)
{
    struct scoring scoring = scoring_presets[0];
    struct why why;
    *s = (struct small_search){.list = {.items = NULL}};
    small_search_read(">q1 first  query \nTTACGTACGTAGGCATT\n>q2\nAAGGTTCCACGT\n", &s->query);
    small_search_read(">s1\tone\nGGGACGTTACCTNGGCAGG\n>s2\nCCACGGGAAACCCC\n", &s->database);
    ck_assert_int_eq(scoring_statistics_compute(&scoring, &s->statistics, &why), 0);
    s->search = (struct reported_search){&s->query, &s->database, "db", "1.2", &s->statistics};
    add_alignments(&s->list);
}

void small_search_destroy(struct small_search *s)
{
    alignment_list_destroy(&s->list);
    sequences_destroy(&s->query);
    sequences_destroy(&s->database);
}

char *small_search_print(const struct small_search *s, const struct alignment_format *format)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(format->write(format, file, &s->search, &s->list), 0);
    fclose(file);
    return text;
}

void small_search_check_full_device(const struct alignment_format *format, int error)
{
    struct small_search s;
    FILE *file = fopen("/dev/full", "w");
    small_search_create(&s);
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(format->write(format, file, &s.search, &s.list), error);
    fclose(file);
    small_search_destroy(&s);
}
