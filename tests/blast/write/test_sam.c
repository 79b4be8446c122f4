/* test_sam.c - is it SAM, and does it say what the alignments say? */
#include "blast/write/format.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <htslib/sam.h>

#include "base/why.h"
#include "tests/blast/small_search.h"
#include "tests/run_suite.h"

START_TEST(test_lines_of_both_strands)
{
    struct small_search s;
    small_search_create(&s);
    char *text = small_search_print(&s, &format_sam);
    ck_assert_str_eq(
        text, "@HD\tVN:1.6\tSO:unsorted\tGO:query\n@SQ\tSN:s1\tLN:19\n@SQ\tSN:s2\tLN:14\n"
              "@PG\tID:mercury\tPN:mercury\tVN:1.2\n"
              "q1\t0\ts1\t4\t0\t2S4=1D2=1X1=1X4=2S\t*\t0\t0\tTTACGTACGTAGGCATT\t*\tAS:i:10\tEV:f:0\tNM:i:3\t"
              "MD:Z:4^T2C1N4\tPI:f:78.5714\tBS:f:81.84\tSA:Z:s1,7,+,15S2M,60,0;\n"
              "q1\t256\ts1\t4\t0\t2H4=1D2=1X1=1X4=2H\t*\t0\t0\tACGTACGTAGGCA\t*\tAS:i:10\tEV:f:0\tNM:i:3\t"
              "MD:Z:4^T2C1N4\tPI:f:78.5714\tBS:f:81.84\n"
              "q1\t2048\ts1\t7\t60\t15H2=\t*\t0\t0\tTT\t*\tAS:i:2\tEV:f:0.05\tNM:i:0\tMD:Z:2\tPI:f:100\t"
              "BS:f:9.96\tSA:Z:s1,4,+,2S13M1D2S,0,3;\n"
              "q2\t16\ts2\t3\t60\t3=1I4=1D2=2S\t*\t0\t0\tACGTGGAACCTT\t*\tAS:i:7\tEV:f:6.2e-14\tNM:i:2\t"
              "MD:Z:7^A2\tPI:f:81.8182\tBS:f:613.9\n");
    free(text);
    small_search_destroy(&s);
}
END_TEST

START_TEST(test_a_query_without_alignments_is_there)
{
    struct small_search s;
    small_search_create(&s);
    s.list.count = 0;
    char *text = small_search_print(&s, &format_sam);
    ck_assert_ptr_nonnull(strstr(text, "\nq1\t4\t*\t0\t0\t*\t*\t0\t0\tTTACGTACGTAGGCATT\t*\nq2\t4\t*"));
    free(text);
    small_search_destroy(&s);
}
END_TEST

/* Read by htslib, line by line: what is = and X in the bases themselves. */
static void check_line(const struct small_search *s, const bam1_t *line)
{
    const uint32_t *cigar = bam_get_cigar(line);
    uint64_t at = s->database.records[line->core.tid].begin + (uint64_t)line->core.pos, differences = 0;
    int base = 0;
    for (uint32_t i = 0; i < line->core.n_cigar; i++) {
        int operation = bam_cigar_op(cigar[i]);
        for (uint32_t j = 0; j < bam_cigar_oplen(cigar[i]); j++) {
            if (operation == BAM_CEQUAL || operation == BAM_CDIFF)
                ck_assert_int_eq(seq_nt16_str[bam_seqi(bam_get_seq(line), base)] ==
                                     "ACGT????????????"[sequences_code(&s->database, at)],
                                 operation == BAM_CEQUAL);
            at += (bam_cigar_type(operation) & 2) != 0;
            base += (bam_cigar_type(operation) & 1) != 0;
            differences += operation == BAM_CDIFF || operation == BAM_CINS || operation == BAM_CDEL;
        }
    }
    ck_assert_int_eq(bam_aux2i(bam_aux_get(line, "NM")), (int64_t)differences);
}

START_TEST(test_htslib_reads_it_and_the_bases_agree)
{
    struct small_search s;
    char path[] = "/tmp/test_sam.XXXXXX";
    int descriptor = mkstemp(path), lines = 0;
    FILE *file = fdopen(descriptor, "w");
    small_search_create(&s);
    ck_assert_int_eq(format_sam.write(&format_sam, file, &s.search, &s.list), 0);
    fclose(file);
    samFile *in = sam_open(path, "r");
    sam_hdr_t *header = sam_hdr_read(in);
    bam1_t *line = bam_init1();
    ck_assert(in && header && line);
    for (; sam_read1(in, header, line) >= 0; lines++)
        check_line(&s, line);
    ck_assert_int_eq(lines, 4);
    bam_destroy1(line);
    sam_hdr_destroy(header);
    sam_close(in);
    unlink(path);
    small_search_destroy(&s);
}
END_TEST

static const struct {
    const char *query, *database, *what;
} refused[] = {
    {">q\nA\n", ">s\nA\n>t\nA\n>s\nA\n", "'s'"},
    {">q\nA\n", ">a,b\nA\n", "a,b"},
    {">q\nA\n", ">*a\nA\n", "\\*a"},
    {">q\nA\n", ">=a\nA\n", "=a"},
    {">q\nA\n", ">caf\xc3\xa9\nA\n", "caf"},
    {">q@r\nA\n", ">s\nA\n", "q@r"},
};

START_TEST(test_names_that_sam_does_not_allow_are_refused)
{
    struct sequences query, database;
    struct why why = {""};
    small_search_read(refused[_i].query, &query);
    small_search_read(refused[_i].database, &database);
    ck_assert_int_eq(format_sam.check(&query, &database, &why), WRITE_ENAME);
    ck_assert_msg(strstr(why.line, refused[_i].what + (refused[_i].what[0] == '\\')) != NULL, "%s", why.line);
    sequences_destroy(&query);
    sequences_destroy(&database);
}
END_TEST

START_TEST(test_a_query_name_may_have_254_letters)
{
    struct sequences query, database;
    char fasta[300];
    struct why why = {""};
    small_search_read(">gi|1|ref|N_1.1|\nA\n>a*=b\nA\n", &database);
    for (int letters = 254; letters <= 255; letters++) {
        memset(fasta, 'q', sizeof fasta);
        fasta[0] = '>';
        strcpy(fasta + 1 + letters, "\nA\n");
        small_search_read(fasta, &query);
        ck_assert_int_eq(format_sam.check(&query, &database, &why), letters == 254 ? 0 : WRITE_ENAME);
        sequences_destroy(&query);
    }
    sequences_destroy(&database);
}
END_TEST

START_TEST(test_full_device_is_an_error)
{
    small_search_check_full_device(&format_sam, WRITE_EFILE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sam");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"), *errors = tcase_create("errors");
    tcase_add_test(core, test_lines_of_both_strands);
    tcase_add_test(core, test_a_query_without_alignments_is_there);
    tcase_add_test(core, test_htslib_reads_it_and_the_bases_agree);
    tcase_add_test(limits, test_a_query_name_may_have_254_letters);
    tcase_add_loop_test(errors, test_names_that_sam_does_not_allow_are_refused, 0, COUNT_OF(refused));
    tcase_add_test(errors, test_full_device_is_an_error);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
