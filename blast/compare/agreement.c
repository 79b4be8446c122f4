#include "blast/compare/agreement.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/param.h>

#include "base/file/file_io.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/shown.h"
#include "blast/stages12/ungapped_window.h"
#include "blast/stages12/wmer.h"
#include "blast/write/aligned.h"

/* The text lists at most LISTED_MAX missed alignments. */
enum { LISTED_MAX = 20, DETAIL_SIZE = 256 };

/* --- judging --------------------------------------------------------------------------------------------- */

static bool is_covered(const struct agreement *a, const struct judged *j, size_t i)
{
    return j->coverages[i].share >= a->least_share;
}

static void judge(struct agreement *a, struct judged *j, const struct judged *by)
{
    j->coverages = memory_take(j->count * sizeof *j->coverages);
    j->is_judged = memory_take(j->count * sizeof *j->is_judged);
    coverage_measure(j->list, j->count, by->list, by->count, j->coverages);
    for (size_t i = 0; i < j->count; i++) {
        j->is_judged[i] = j->list[i].hit.e_value <= a->e_value;
        j->judged_count += j->is_judged[i];
        j->covered_count += j->is_judged[i] && is_covered(a, j, i);
        j->same_count += j->is_judged[i] && j->coverages[i].same;
    }
}

/* Printed E-values below `least` are 0 or have few digits: they count as it. */
static double e_value_ratio(double a, double b)
{
    static const double least = 1e-170;
    return fmax(fmax(a, b), least) / fmax(fmin(a, b), least);
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
    const double e_value = atof(printed), ratio = e_value_ratio(other->e_value, e_value);
    a->counts_differ += other->columns != mercury->columns || other->mismatches != mercury->mismatches ||
                        other->gap_openings != mercury->gap_openings;
    a->bits_differ += bits_differ(other->bits, mercury->bits);
    a->scores_differ += fabs(other->bits - mercury->bits) > 0.01 * fmax(other->bits, mercury->bits);
    if ((other->e_value == 0) != (e_value == 0))
        a->one_is_0++;
    else if (ratio > a->greatest_e_value_ratio)
        a->greatest_e_value_ratio = ratio;
}

void agreement_judge(const struct located_hit *other, size_t other_count, const struct located_hit *mercury,
                     size_t mercury_count, double least_share, double e_value, struct agreement *a)
{
    *a = (struct agreement){
        .other = {.list = other, .count = other_count},
        .mercury = {.list = mercury, .count = mercury_count},
        .least_share = least_share,
        .e_value = e_value,
        .greatest_e_value_ratio = 1,
    };
    judge(a, &a->other, &a->mercury);
    judge(a, &a->mercury, &a->other);
    for (size_t i = 0; i < other_count; i++)
        if (a->other.is_judged[i] && a->other.coverages[i].same)
            compare_same(a, &other[i].hit, &mercury[a->other.coverages[i].best].hit);
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

/* --- tracing: where alignments are lost ------------------------------------------------------------------ */

/* No window scores less than -PASS_ALL_SCORE. */
enum { PASS_ALL_SCORE = 1000000 };

/* A missed alignment that has a path, and what is found out about it. */
struct traced {
    const struct located_hit *hit;
    struct lost_at *loss;
    uint64_t reach; /* greatest database end of those of its strand up to this one */
};

struct tracer {
    const struct search *search;
    struct agreement *agreement;
    struct traced *items; /* strand by strand, in the order of the database */
    size_t ends[2];       /* index after the last item of each strand */
    bool *selection;      /* segments in which any of them lies */
    bool searched[2];     /* strands that have segments */
    pthread_mutex_t lock; /* of the losses, while passes run */
};

static const struct path_block *last_block(const struct located_hit *p)
{
    return &p->path.blocks[p->path.count - 1];
}

static uint64_t database_end(const struct located_hit *p)
{
    return last_block(p)->database + last_block(p)->length;
}

static uint64_t query_end(const struct located_hit *p)
{
    return last_block(p)->query + last_block(p)->length;
}

/* --- the missed alignments ------------------------------------------------------------------------------- */

static bool is_missed(const struct agreement *a, size_t i)
{
    return a->other.is_judged[i] && !is_covered(a, &a->other, i);
}

static int compare_traced(const void *left, const void *right)
{
    const struct located_hit *a = ((const struct traced *)left)->hit,
                             *b = ((const struct traced *)right)->hit;
    return ORDER_BY({a->hit.strand, b->hit.strand}, {a->path.blocks[0].database, b->path.blocks[0].database},
                    {a - b, 0});
}

static void list_traced(struct tracer *t)
{
    const struct agreement *a = t->agreement;
    size_t count = 0;
    for (size_t i = 0; i < a->other.count; i++)
        if (is_missed(a, i) && a->other.list[i].path.blocks)
            t->items[count++] = (struct traced){.hit = &a->other.list[i], .loss = &a->losses[i]};
    qsort(t->items, count, sizeof *t->items, compare_traced);
    t->ends[STRAND_MINUS] = count;
    for (size_t i = 0; i < count; i++) {
        const bool plus = t->items[i].hit->hit.strand == STRAND_PLUS;
        const uint64_t before = i > 0 && (plus || i > t->ends[STRAND_PLUS]) ? t->items[i - 1].reach : 0;
        t->ends[STRAND_PLUS] += plus;
        t->items[i].reach = MAX(before, database_end(t->items[i].hit));
    }
}

/* The first item of a strand that reaches beyond a database position, or the strand's end. */
static size_t first_reaching(const struct tracer *t, enum strand strand, uint64_t database)
{
    const size_t begin = strand == STRAND_PLUS ? 0 : t->ends[STRAND_PLUS];
    return begin + ORDER_FIRST(i, t->ends[strand] - begin, t->items[begin + i].reach > database);
}

/* --- stage 1: what reaches stage 2 ----------------------------------------------------------------------- */

/* Count the w-mers of equal bases on a path that lie whole in a segment. */
static void count_seeds(const struct search *search, const struct query_segment *segment,
                        const struct located_hit *p, struct lost_at *loss)
{
    for (size_t i = 0; i < p->path.count; i++) {
        const struct path_block *block = &p->path.blocks[i];
        unsigned run = 0;
        for (uint64_t j = 0; j < block->length; j++) {
            uint64_t query = block->query + j;
            run = path_pair_is_match(search->searched.codes[segment->strand], query,
                                     search->searched.database, block->database + j)
                      ? run + 1
                      : 0;
            if (run >= WMER_BASES && query - (WMER_BASES - 1) >= segment->begin &&
                query < segment->begin + segment->length)
                loss->seeds++;
        }
    }
}

static void look_at_match(const struct search *search, const struct query_segment *segment,
                          const uint8_t *codes, const struct hsp *match, const struct located_hit *p,
                          struct lost_at *loss)
{
    if (!path_contains(&p->path, segment->begin + match->query_position, match->database_position,
                       WMER_BASES))
        return;
    struct ungapped_result window =
        ungapped_extend(&search->rules->stage2, codes, segment->length, match->query_position,
                        search->searched.database, match->database_position);
    loss->matches++;
    loss->best_window = window.score > loss->best_window ? window.score : loss->best_window;
}

/* Look at all that stage 1 emits along an alignment. */
static void scan_alignment(const struct search *search, const struct query_segment *segment,
                           struct pass *pass, const uint8_t *codes, const struct located_hit *p,
                           struct lost_at *loss)
{
    auto_by(tokens_destroy) struct tokens tokens = {0};
    struct pass_counts counts = {0};
    uint64_t first = p->path.blocks[0].database / BASES_PER_WORD;
    uint64_t end = (database_end(p) - 1) / BASES_PER_WORD + 1;
    pass_scan(pass, first, end - first, &tokens, &counts);
    for (size_t i = 0; i < tokens.hsp_count; i++)
        look_at_match(search, segment, codes, &tokens.hsps[i], p, loss);
}

/* Trace the alignments of one segment through stage 1: in this pass, stage 2 passes everything. */
static void trace_stage_1(struct tracer *t, size_t index)
{
    const struct search *search = t->search;
    const struct query_segment *segment = &search->segments[index];
    struct pass_rules rules = *search->rules;
    rules.stage2.threshold = -PASS_ALL_SCORE;
    struct pass *pass = NULL;
    for (size_t i = 0; i < t->ends[STRAND_MINUS]; i++) {
        const struct traced *item = &t->items[i];
        if (item->hit->hit.strand != segment->strand ||
            item->hit->path.blocks[0].query >= segment->begin + segment->length ||
            query_end(item->hit) <= segment->begin)
            continue;
        t->selection[index] = true;
        if (!pass)
            pass = pass_new(&rules, search->searched.query, segment, search->searched.database, NULL);
        count_seeds(search, segment, item->hit, item->loss);
        scan_alignment(search, segment, pass, search->searched.codes[segment->strand] + segment->begin,
                       item->hit, item->loss);
    }
    pass_destroy(pass);
}

/* --- stages 2 and 3: what becomes of HSPs ---------------------------------------------------------------- */

static void watch(void *data, const struct query_segment *segment, uint64_t query, uint64_t database,
                  enum stage3_outcome outcome)
{
    struct tracer *t = data;
    for (size_t i = first_reaching(t, segment->strand, database); i < t->ends[segment->strand]; i++) {
        const struct path *path = &t->items[i].hit->path;
        if (path->blocks[0].database > database)
            break;
        if (!path_contains(path, query, database, WMER_BASES))
            continue;
        pthread_mutex_lock(&t->lock);
        t->items[i].loss->hsps++;
        t->items[i].loss->outcomes[outcome]++;
        pthread_mutex_unlock(&t->lock);
    }
}

/* Measure how much of the other program's alignments a list covers. All of these have a place: they are alignments of
 * the searched sequences, whose records have names of their own (sequences_check_names()). */
static void cover(const struct tracer *t, const struct alignment_list *list, struct coverage *coverages)
{
    const struct search *search = t->search;
    const struct hit_sources places = {.searched = &search->searched};
    auto_by(hit_table_destroy) struct hit_table table = {0};
    struct located_hit *hits = NULL;
    struct why why;
    hit_table_of_alignments(list, search->searched.query, search->searched.database, &table);
    located_hits_new(&table, &places, "", &hits, &why);
    coverage_measure(t->agreement->other.list, t->agreement->other.count, hits, table.count, coverages);
    located_hits_destroy(hits, table.count);
}

/* What of an alignment is left after each step that drops some. */
struct left {
    struct coverage *culled, *kept;
};

static enum lost_at_stage stage_of(const struct tracer *t, size_t i, const struct left *left)
{
    const struct agreement *a = t->agreement;
    const struct lost_at *loss = &a->losses[i];
    if (!a->other.list[i].path.blocks)
        return LOST_AT_NO_PATH;
    if (!t->searched[a->other.list[i].hit.strand])
        return LOST_AT_OPTIONS;
    if (loss->seeds == 0)
        return LOST_AT_NO_SEED;
    if (loss->matches != loss->seeds)
        return LOST_AT_STAGE_1;
    if (loss->share >= a->least_share)
        return left->culled[i].share < a->least_share ? LOST_AT_CULLED
               : left->kept[i].share < a->least_share ? LOST_AT_E_VALUE
                                                      : LOST_AT_OPTIONS;
    return loss->hsps == 0 ? LOST_AT_STAGE_2 : LOST_AT_STAGE_3;
}

static void trace_stage_3(struct tracer *t)
{
    struct agreement *a = t->agreement;
    struct search search = *t->search;
    auto_by(alignment_list_destroy) struct alignment_list list = {0};
    struct search_counts counts;
    auto_free struct coverage *coverages = memory_take(a->other.count * sizeof *coverages);
    auto_free struct coverage *kept = memory_take(a->other.count * sizeof *kept);
    search.selection = t->selection;
    search.watch = watch;
    search.watch_data = t;
    search_run(&search, &list, &counts);
    cover(t, &list, coverages);
    for (size_t i = 0; i < a->other.count; i++)
        a->losses[i].share = coverages[i].share;
    alignment_list_cull(&list);
    cover(t, &list, coverages);
    alignment_list_finish(&list, search.searched.statistics, search.searched.query, search.searched.database,
                          a->e_value);
    cover(t, &list, kept);
    for (size_t i = 0; i < a->other.count; i++)
        if (is_missed(a, i)) {
            a->losses[i].stage = stage_of(t, i, &(struct left){coverages, kept});
            a->lost[a->losses[i].stage]++;
        }
}

void agreement_trace(struct agreement *a, const struct search *search)
{
    struct tracer t = {.search = search,
                       .agreement = a,
                       .items = memory_take(a->other.count * sizeof *t.items),
                       .selection = memory_new(search->segment_count, sizeof *t.selection)};
    a->losses = memory_new(a->other.count, sizeof *a->losses);
    pthread_mutex_init(&t.lock, NULL);
    a->traced = true;
    for (size_t i = 0; i < search->segment_count; i++)
        t.searched[search->segments[i].strand] = true;
    if (a->other.covered_count < a->other.judged_count) {
        list_traced(&t);
        for (size_t i = 0; i < search->segment_count; i++)
            trace_stage_1(&t, i);
        trace_stage_3(&t);
    }
    pthread_mutex_destroy(&t.lock);
    free(t.items);
    free(t.selection);
}

/* --- words ----------------------------------------------------------------------------------------------- */

#define LOST_STAGE(id, ...) [id] = {__VA_ARGS__}

static const struct {
    const char *name, *meaning;
} stages[LOST_AT_STAGES] = {LOST_STAGE_ROWS(LOST_STAGE)};

static void describe_outcomes(const struct lost_at *loss, char *text, size_t text_size)
{
    static const char *const names[STAGE3_OUTCOMES] = {
        [STAGE3_CONTAINED] = "on another alignment", [STAGE3_REPEATED] = "on an extended diagonal",
        [STAGE3_WEAK] = "below the gap trigger",     [STAGE3_ENCLOSED] = "inside a better alignment",
        [STAGE3_UNKEPT] = "scored too low",          [STAGE3_ALIGNED] = "aligned",
    };
    int used =
        snprintf(text, text_size, "%llu HSP%s:", (unsigned long long)loss->hsps, loss->hsps == 1 ? "" : "s");
    const char *comma = "";
    for (int i = 0; i < STAGE3_OUTCOMES; i++) {
        if (loss->outcomes[i] == 0 || used < 0 || (size_t)used >= text_size)
            continue;
        used += snprintf(text + used, text_size - (size_t)used, "%s %llu %s", comma,
                         (unsigned long long)loss->outcomes[i], names[i]);
        comma = ",";
    }
}

/* What the stages saw of an alignment: "7 seeds, best window 14 of 16". */
static void describe_loss(const struct lost_at *loss, int threshold, char *text, size_t text_size)
{
    switch (loss->stage) {
    case LOST_AT_NO_PATH:
        snprintf(text, text_size, "not the best alignment between its ends under these scores");
        return;
    case LOST_AT_NO_SEED:
        snprintf(text, text_size, "no %d equal bases in a row", WMER_BASES);
        return;
    case LOST_AT_STAGE_1:
        snprintf(text, text_size, "%llu of %llu seeds passed: a bug of Mercury's, please report it",
                 (unsigned long long)loss->matches, (unsigned long long)loss->seeds);
        return;
    case LOST_AT_STAGE_2:
        snprintf(text, text_size, "%llu seed%s, best window %d of %d", (unsigned long long)loss->seeds,
                 loss->seeds == 1 ? "" : "s", loss->best_window, threshold);
        return;
    case LOST_AT_OPTIONS:
        snprintf(text, text_size, "%s",
                 loss->hsps > 0 ? "the search finds it, Mercury's alignments are without it"
                                : "its strand was not searched");
        return;
    default:
        describe_outcomes(loss, text, text_size);
    }
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

static void write_row(const struct judged *j, const struct judged *by, size_t i, const char *program,
                      const char *verdict, const char *stage, const char *detail, FILE *file)
{
    fprintf(file, "%s\t%s\t%.2f\t%s\t%s\t", program, verdict, 100 * j->coverages[i].share, stage, detail);
    write_hit(&j->list[i].hit, file);
    fputc('\t', file);
    if (j->coverages[i].best >= 0)
        write_place(&by->list[j->coverages[i].best].hit, file);
    else
        fputs("-\t-\t-\t-", file);
    fputc('\n', file);
}

static void write_other(const struct agreement *a, size_t i, int threshold, FILE *file)
{
    const char *verdict = a->other.coverages[i].same ? "same" : "covered", *stage = "-";
    char detail[DETAIL_SIZE] = "-";
    if (is_missed(a, i)) {
        verdict = "missed";
        if (a->traced) {
            stage = stages[a->losses[i].stage].name;
            describe_loss(&a->losses[i], threshold, detail, sizeof detail);
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
    return !file_io_flush(file) ? -1 : 0;
}

/* --- for people ------------------------------------------------------------------------------------------ */

static void write_row_of(FILE *file, const char *what, size_t count, const char *meaning)
{
    const int column = fprintf(file, "  %-14s%9zu%s", what, count, *meaning ? "   " : "");
    shown_words(meaning, column, column, file);
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
        "with the same ends; %zu of them with other counts, %zu with another score, %sE-values within %.2g%%",
        a->counts_differ, a->bits_differ,
        a->one_is_0 > 0 ? shown_text("%zu with E 0 in one program only, other ", a->one_is_0).text : "",
        100 * (a->greatest_e_value_ratio - 1));
    write_row_of(file, "  same", a->other.same_count,
                 a->other.same_count > 0 ? meaning : "with the same ends");
    if (2 * a->scores_differ > a->other.same_count)
        write_row_of(
            file, "  other scores", a->scores_differ,
            "of these differ by more than 1% in bits: the programs had different scores. Choose the "
            "other's, if they are +2/-3 by --set score.match=2 --set score.mismatch=-3, or by -a with a "
            "run of --scores blastn");
}

static void write_lost(const struct agreement *a, FILE *file)
{
    char what[32];
    for (int i = 0; i < LOST_AT_STAGES && a->traced; i++)
        if (a->lost[i] > 0) {
            snprintf(what, sizeof what, "  %s", stages[i].name);
            write_row_of(file, what, a->lost[i], stages[i].meaning);
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
            describe_loss(&a->losses[i], threshold, detail, sizeof detail);
        fprintf(file, "\n      %.0f%% covered%s%s%s%s\n", 100 * a->other.coverages[i].share,
                a->traced ? "; " : "", a->traced ? stages[a->losses[i].stage].name : "",
                a->traced ? ": " : "", detail);
        listed++;
    }
    if (missed > listed)
        fprintf(file, "  and %zu more; -o FILE has all\n", missed - listed);
}

int agreement_write_text(const struct agreement *a, int threshold, FILE *file)
{
    size_t missed = a->other.judged_count - a->other.covered_count;
    fprintf(file, "%zu alignment%s of the other program with E <= %g, %zu of Mercury's\n",
            a->other.judged_count, a->other.judged_count == 1 ? "" : "s", a->e_value,
            a->mercury.judged_count);
    write_agreeing(a, file);
    write_row_of(file, "missed", missed, a->traced || missed == 0 ? "" : "-q and -d tell at which stage");
    write_lost(a, file);
    write_row_of(file, "extra", a->mercury.judged_count - a->mercury.covered_count,
                 "of Mercury's that the other program does not cover");
    list_missed(a, threshold, file);
    return ferror(file) ? -1 : 0;
}
