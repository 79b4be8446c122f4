#include "blast/compare/agreement.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "blast/write/aligned.h"

/* The text lists at most LISTED_MAX missed alignments. */
enum { LISTED_MAX = 20, DETAIL_SIZE = 256 };

/* --- judging --------------------------------------------------------------------------------------------- */

static bool is_covered(const struct agreement *a, const struct judged *j, size_t i)
{
    return j->coverages[i].share >= a->least_share;
}

static int judge(struct agreement *a, struct judged *j, const struct judged *by)
{
    j->coverages = malloc((j->count + 1) * sizeof *j->coverages);
    j->is_judged = malloc((j->count + 1) * sizeof *j->is_judged);
    if (!j->coverages || !j->is_judged ||
        coverage_measure(j->list, j->count, by->list, by->count, j->coverages) != 0)
        return -1;
    for (size_t i = 0; i < j->count; i++) {
        j->is_judged[i] = j->list[i].hit.e_value <= a->e_value;
        j->judged_count += j->is_judged[i];
        j->covered_count += j->is_judged[i] && is_covered(a, j, i);
        j->same_count += j->is_judged[i] && j->coverages[i].same;
    }
    return 0;
}

/* Printed E-values below `least` are 0 or have few digits. */
static double e_value_ratio(double a, double b)
{
    static const double least = 1e-170;
    if (a < least || b < least)
        return 1;
    return a > b ? a / b : b / a;
}

/* Tables have four digits of bits at most, and whole bits from 100 on. */
static bool bits_differ(double a, double b)
{
    double step = a > 99999 ? 1e-3 * a : a > 99.9 ? 1 : 0.1;
    return fabs(a - b) > step;
}

static void compare_same(struct agreement *a, const struct hit *other, const struct hit *mercury)
{
    char printed[PRINTED_SCORE_BYTES];
    printed_e_value(mercury->e_value, printed); /* rounded as the other program's */
    double ratio = e_value_ratio(other->e_value, atof(printed));
    a->counts_differ += other->columns != mercury->columns || other->mismatches != mercury->mismatches ||
                        other->gap_openings != mercury->gap_openings;
    a->bits_differ += bits_differ(other->bits, mercury->bits);
    if (ratio > a->greatest_e_value_ratio)
        a->greatest_e_value_ratio = ratio;
}

int agreement_judge(const struct located_hit *other, size_t other_count, const struct located_hit *mercury,
                    size_t mercury_count, double least_share, double e_value, struct agreement *a)
{
    *a = (struct agreement){
        .other = {.list = other, .count = other_count},
        .mercury = {.list = mercury, .count = mercury_count},
        .least_share = least_share,
        .e_value = e_value,
        .greatest_e_value_ratio = 1,
    };
    if (judge(a, &a->other, &a->mercury) != 0 || judge(a, &a->mercury, &a->other) != 0)
        return -1;
    for (size_t i = 0; i < other_count; i++)
        if (a->other.is_judged[i] && a->other.coverages[i].same)
            compare_same(a, &other[i].hit, &mercury[a->other.coverages[i].best].hit);
    return 0;
}

void agreement_destroy(struct agreement *a)
{
    struct judged *both[] = {&a->other, &a->mercury};
    for (int i = 0; i < 2; i++) {
        free(both[i]->coverages);
        free(both[i]->is_judged);
    }
    free(a->losses);
    *a = (struct agreement){0};
}

double agreement_share(const struct agreement *a)
{
    return a->other.judged_count ? (double)a->other.covered_count / (double)a->other.judged_count : 1;
}

/* --- tracing --------------------------------------------------------------------------------------------- */

static bool is_missed(const struct agreement *a, size_t i)
{
    return a->other.is_judged[i] && !is_covered(a, &a->other, i);
}

int agreement_trace(struct agreement *a, const struct search *search)
{
    struct located_hit *missed = malloc((a->other.count + 1) * sizeof *missed);
    struct lost_at *losses = malloc((a->other.count + 1) * sizeof *losses);
    size_t count = 0;
    a->losses = calloc(a->other.count + 1, sizeof *a->losses);
    int status = missed && losses && a->losses ? 0 : -1;
    for (size_t i = 0; i < a->other.count && status == 0; i++)
        if (is_missed(a, i))
            missed[count++] = a->other.list[i];
    if (status == 0 && count > 0)
        status = lost_at_trace(search, missed, count, a->least_share, losses);
    for (size_t i = 0, next = 0; i < a->other.count && status == 0; i++)
        if (is_missed(a, i)) {
            a->losses[i] = losses[next++];
            a->lost[a->losses[i].stage]++;
        }
    a->traced = status == 0;
    free(missed);
    free(losses);
    return status;
}

/* --- a line for each ------------------------------------------------------------------------------------- */

/* The four numbers of a table that locate an alignment. */
static void write_place(const struct hit *h, FILE *file)
{
    bool minus = h->strand == STRAND_MINUS;
    int64_t query_start = minus ? 1 - h->query_end : h->query_begin + 1;
    int64_t query_end = minus ? -h->query_begin : h->query_end;
    int64_t first = h->subject_begin + 1, last = h->subject_end;
    fprintf(file, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64, query_start, query_end,
            minus ? last : first, minus ? first : last);
}

static void write_hit(const struct hit *h, FILE *file)
{
    char e_value[PRINTED_SCORE_BYTES], bits[PRINTED_SCORE_BYTES];
    printed_e_value(h->e_value, e_value);
    printed_bits(h->bits, bits);
    fprintf(file, "%s\t%s\t%.3f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", h->query, h->subject, h->identity,
            h->columns, h->mismatches, h->gap_openings);
    write_place(h, file);
    fprintf(file, "\t%s\t%s", e_value, bits);
}

static void write_counterpart(const struct judged *by, const struct coverage *coverage, FILE *file)
{
    if (coverage->best >= 0)
        write_place(&by->list[coverage->best].hit, file);
    else
        fputs("-\t-\t-\t-", file);
}

static void write_row(const struct judged *j, const struct judged *by, size_t i, const char *program,
                      const char *verdict, const char *stage, const char *detail, FILE *file)
{
    fprintf(file, "%s\t%s\t%.2f\t%s\t%s\t", program, verdict, 100 * j->coverages[i].share, stage, detail);
    write_hit(&j->list[i].hit, file);
    fputc('\t', file);
    write_counterpart(by, &j->coverages[i], file);
    fputc('\n', file);
}

static void write_other(const struct agreement *a, size_t i, int threshold, FILE *file)
{
    const char *verdict = a->other.coverages[i].same ? "same" : "covered", *stage = "-";
    char detail[DETAIL_SIZE] = "-";
    if (is_missed(a, i)) {
        verdict = "missed";
        if (a->traced) {
            stage = lost_at_stage_name(a->losses[i].stage);
            lost_at_describe(&a->losses[i], threshold, detail, sizeof detail);
        }
    }
    write_row(&a->other, &a->mercury, i, "other", verdict, stage, detail, file);
}

int agreement_write_tsv(const struct agreement *a, int threshold, FILE *file)
{
    fputs("program\tverdict\tcovered_percent\tlost_at\tdetail\t"
          "qseqid\tsseqid\tpident\tlength\tmismatch\tgapopen\tqstart\tqend\tsstart\tsend\tevalue\tbitscore\t"
          "by_qstart\tby_qend\tby_sstart\tby_send\n",
          file);
    for (size_t i = 0; i < a->other.count && !ferror(file); i++)
        if (a->other.is_judged[i])
            write_other(a, i, threshold, file);
    for (size_t i = 0; i < a->mercury.count && !ferror(file); i++)
        if (a->mercury.is_judged[i])
            write_row(&a->mercury, &a->other, i, "mercury",
                      a->mercury.coverages[i].same    ? "same"
                      : is_covered(a, &a->mercury, i) ? "covered"
                                                      : "extra",
                      "-", "-", file);
    return fflush(file) != 0 || ferror(file) ? -1 : 0;
}

/* --- for people ------------------------------------------------------------------------------------------ */

static void write_row_of(FILE *file, const char *what, size_t count, const char *meaning)
{
    fprintf(file, "  %-14s%9zu   %s\n", what, count, meaning);
}

static void write_agreeing(const struct agreement *a, FILE *file)
{
    char meaning[200];
    snprintf(meaning, sizeof meaning,
             "%.3f%%: at least %g%% of the columns, same strand, same pairs of positions",
             100 * agreement_share(a), 100 * a->least_share);
    write_row_of(file, "covered", a->other.covered_count, meaning);
    snprintf(
        meaning, sizeof meaning,
        "with the same ends; %zu of them with other counts, %zu with another score, E-values within %.2g%%",
        a->counts_differ, a->bits_differ, 100 * (a->greatest_e_value_ratio - 1));
    write_row_of(file, "  same", a->other.same_count, meaning);
}

static void write_lost(const struct agreement *a, FILE *file)
{
    static const char *const meanings[LOST_AT_STAGES] = {
        [LOST_AT_NO_PATH] = "not the best alignment between its ends under these scores: cannot be traced",
        [LOST_AT_NO_SEED] = "no 11 equal bases in a row: nothing to start from",
        [LOST_AT_STAGE_1] = "a seed the Bloom filter or a table lost: a bug of Mercury's, please report it",
        [LOST_AT_STAGE_2] = "every window on it below stage2.threshold",
        [LOST_AT_STAGE_3] = "extended to something else, or not kept",
        [LOST_AT_CULLED] = "found, then dropped for a better one that encloses it or shares an end",
        [LOST_AT_E_VALUE] = "found, with an E-value above the limit",
    };
    char what[32];
    for (int i = 0; i < LOST_AT_STAGES && a->traced; i++)
        if (a->lost[i] > 0) {
            snprintf(what, sizeof what, "  %s", lost_at_stage_name((enum lost_at_stage)i));
            write_row_of(file, what, a->lost[i], meanings[i]);
        }
}

static void list_missed(const struct agreement *a, int threshold, FILE *file)
{
    size_t listed = 0, missed = a->other.judged_count - a->other.covered_count;
    char detail[DETAIL_SIZE] = "";
    if (missed > 0)
        fputs("\nmissed:\n", file);
    for (size_t i = 0; i < a->other.count && listed < LISTED_MAX; i++) {
        if (!is_missed(a, i))
            continue;
        fputs("  ", file);
        write_hit(&a->other.list[i].hit, file);
        if (a->traced)
            lost_at_describe(&a->losses[i], threshold, detail, sizeof detail);
        fprintf(file, "\n      %.0f%% covered%s%s%s%s\n", 100 * a->other.coverages[i].share,
                a->traced ? "; " : "", a->traced ? lost_at_stage_name(a->losses[i].stage) : "",
                a->traced ? ": " : "", detail);
        listed++;
    }
    if (missed > listed)
        fprintf(file, "  and %zu more; -o FILE has all\n", missed - listed);
}

int agreement_write_text(const struct agreement *a, int threshold, FILE *file)
{
    size_t missed = a->other.judged_count - a->other.covered_count;
    fprintf(file, "%zu alignments of the other program with E <= %g, %zu of Mercury's\n",
            a->other.judged_count, a->e_value, a->mercury.judged_count);
    write_agreeing(a, file);
    write_row_of(file, "missed", missed, a->traced || missed == 0 ? "" : "-q and -d tell at which stage");
    write_lost(a, file);
    write_row_of(file, "extra", a->mercury.judged_count - a->mercury.covered_count,
                 "of Mercury's that the other program does not cover");
    list_missed(a, threshold, file);
    return ferror(file) ? -1 : 0;
}
