#include "blast/compare/lost_at.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/order.h"
#include "blast/stages12/ungapped.h"
#include "blast/stages12/wmer.h"

/* No window scores less than -PASS_ALL_SCORE. */
enum { PASS_ALL_SCORE = 1000000 };

/* Alignments of one strand in the order of the database, to find out on which of them a position lies. */
struct paths {
    const struct located_hit **items;
    struct lost_at **losses;
    uint64_t *reach; /* greatest database end of the items up to this one */
    size_t count;
};

struct tracer {
    const struct search *search;
    const struct located_hit *missed;
    size_t count;
    struct lost_at *losses;
    struct paths strands[2];
    bool *selection;
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

/* --- the alignments of a strand -------------------------------------------------------------------------- */

static int compare_begin(const void *left, const void *right)
{
    const struct located_hit *a = *(const struct located_hit *const *)left,
                             *b = *(const struct located_hit *const *)right;
    return ORDER_BY({a->path.blocks[0].database, b->path.blocks[0].database}, {a - b, 0});
}

static int paths_new(struct tracer *t, enum strand strand)
{
    struct paths *paths = &t->strands[strand];
    *paths = (struct paths){.items = malloc((t->count + 1) * sizeof *paths->items),
                            .losses = malloc((t->count + 1) * sizeof *paths->losses),
                            .reach = malloc((t->count + 1) * sizeof *paths->reach)};
    if (!paths->items || !paths->losses || !paths->reach)
        return -1;
    for (size_t i = 0; i < t->count; i++)
        if (t->missed[i].path.blocks && t->missed[i].hit.strand == strand)
            paths->items[paths->count++] = &t->missed[i];
    qsort(paths->items, paths->count, sizeof *paths->items, compare_begin);
    for (size_t i = 0; i < paths->count; i++) {
        uint64_t before = i > 0 ? paths->reach[i - 1] : 0, end = database_end(paths->items[i]);
        paths->losses[i] = &t->losses[paths->items[i] - t->missed];
        paths->reach[i] = end > before ? end : before;
    }
    return 0;
}

static size_t first_reaching(const struct paths *paths, uint64_t database)
{
    size_t low = 0, high = paths->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (paths->reach[middle] <= database)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* --- stage 1: what reaches stage 2 ----------------------------------------------------------------------- */

static bool segment_holds(const struct query_segment *segment, uint64_t first, uint64_t last)
{
    return first >= segment->begin && last < segment->begin + segment->length;
}

/* Count the w-mers of equal bases on a path that lie whole in a segment. */
static void count_seeds(const struct search *search, const struct query_segment *segment,
                        const struct located_hit *p, struct lost_at *loss)
{
    for (size_t i = 0; i < p->path.count; i++) {
        const struct path_block *block = &p->path.blocks[i];
        unsigned run = 0;
        for (uint64_t j = 0; j < block->length; j++) {
            uint64_t query = block->query + j;
            run = path_pair_is_match(search->codes[segment->strand], query, search->database,
                                     block->database + j)
                      ? run + 1
                      : 0;
            if (run >= WMER_BASES && segment_holds(segment, query - (WMER_BASES - 1), query))
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
                        search->database, match->database_position);
    loss->matches++;
    loss->best_window = window.score > loss->best_window ? window.score : loss->best_window;
}

/* Look at all that stage 1 emits along an alignment. */
static int scan_alignment(const struct search *search, const struct query_segment *segment, struct pass *pass,
                          const uint8_t *codes, const struct located_hit *p, struct lost_at *loss)
{
    struct tokens tokens = {0};
    struct pass_counts counts = {0};
    uint64_t first = p->path.blocks[0].database / BASES_PER_WORD;
    uint64_t end = (database_end(p) - 1) / BASES_PER_WORD + 1;
    bool scanned = pass_scan(pass, first, end - first, &tokens, &counts);
    for (size_t i = 0; i < tokens.hsp_count && scanned; i++)
        look_at_match(search, segment, codes, &tokens.hsps[i], p, loss);
    tokens_destroy(&tokens);
    return scanned ? 0 : -1;
}

static bool lies_in(const struct query_segment *segment, const struct located_hit *p)
{
    return p->path.blocks && p->hit.strand == segment->strand &&
           p->path.blocks[0].query < segment->begin + segment->length && query_end(p) > segment->begin;
}

/* Trace the alignments of one segment through stage 1: in this pass, stage 2 passes everything. */
static int trace_stage_1(struct tracer *t, size_t index)
{
    const struct search *search = t->search;
    const struct query_segment *segment = &search->segments[index];
    struct pass_rules rules = *search->rules;
    rules.stage2.threshold = -PASS_ALL_SCORE;
    struct pass *pass = NULL;
    int status = 0;
    for (size_t i = 0; i < t->count && status == 0; i++) {
        if (!lies_in(segment, &t->missed[i]))
            continue;
        t->selection[index] = true;
        if (!pass)
            pass = pass_new(&rules, search->query, segment, search->database, NULL);
        count_seeds(search, segment, &t->missed[i], &t->losses[i]);
        status = pass ? scan_alignment(search, segment, pass, search->codes[segment->strand] + segment->begin,
                                       &t->missed[i], &t->losses[i])
                      : -1;
    }
    pass_destroy(pass);
    return status;
}

/* --- stages 2 and 3: what becomes of HSPs ---------------------------------------------------------------- */

static void watch(void *data, const struct query_segment *segment, uint64_t query, uint64_t database,
                  enum stage3_outcome outcome)
{
    struct tracer *t = data;
    const struct paths *paths = &t->strands[segment->strand];
    for (size_t i = first_reaching(paths, database); i < paths->count; i++) {
        if (paths->items[i]->path.blocks[0].database > database)
            break;
        if (!path_contains(&paths->items[i]->path, query, database, WMER_BASES))
            continue;
        pthread_mutex_lock(&t->lock);
        paths->losses[i]->hsps++;
        paths->losses[i]->outcomes[outcome]++;
        pthread_mutex_unlock(&t->lock);
    }
}

/* Measure how much of the missed alignments a list covers. */
static int cover(const struct tracer *t, const struct alignment_list *list, struct coverage *coverages)
{
    const struct search *search = t->search;
    struct hit_sources places = {
        .query = search->query,
        .database = search->database,
        .codes = {search->codes[0], search->codes[1]},
        .statistics = search->statistics,
    };
    struct hit_table table = {0};
    struct located_hit *hits = NULL;
    struct why why;
    int status = hit_table_of_alignments(list, search->query, search->database, &table);
    if (status == 0)
        status = located_hits_new(&table, &places, "", &hits, &why);
    if (status == 0)
        status = coverage_measure(t->missed, t->count, hits, table.count, coverages);
    located_hits_destroy(hits, table.count);
    hit_table_destroy(&table);
    return status;
}

static enum lost_at_stage judge(const struct tracer *t, size_t i, double least_share, double culled_share)
{
    const struct lost_at *loss = &t->losses[i];
    if (!t->missed[i].path.blocks)
        return LOST_AT_NO_PATH;
    if (loss->seeds == 0)
        return LOST_AT_NO_SEED;
    if (loss->matches != loss->seeds)
        return LOST_AT_STAGE_1;
    if (loss->share >= least_share)
        return culled_share >= least_share ? LOST_AT_E_VALUE : LOST_AT_CULLED;
    return loss->hsps == 0 ? LOST_AT_STAGE_2 : LOST_AT_STAGE_3;
}

static int trace_stage_3(struct tracer *t, double least_share)
{
    struct search search = *t->search;
    struct alignment_list list = {0};
    struct search_counts counts;
    struct coverage *coverages = malloc((t->count + 1) * sizeof *coverages);
    search.selection = t->selection;
    search.watch = watch;
    search.watch_data = t;
    int status = coverages ? search_run(&search, &list, &counts) : -1;
    if (status == 0)
        status = cover(t, &list, coverages);
    for (size_t i = 0; i < t->count && status == 0; i++)
        t->losses[i].share = coverages[i].share;
    if (status == 0)
        status = alignment_list_cull(&list);
    if (status == 0)
        status = cover(t, &list, coverages);
    for (size_t i = 0; i < t->count && status == 0; i++)
        t->losses[i].stage = judge(t, i, least_share, coverages[i].share);
    alignment_list_destroy(&list);
    free(coverages);
    return status;
}

int lost_at_trace(const struct search *search, const struct located_hit *missed, size_t count,
                  double least_share, struct lost_at *losses)
{
    struct tracer t = {.search = search, .missed = missed, .count = count, .losses = losses};
    t.selection = calloc(search->segment_count, sizeof *t.selection);
    pthread_mutex_init(&t.lock, NULL);
    for (size_t i = 0; i < count; i++)
        losses[i] = (struct lost_at){0};
    int status = t.selection ? 0 : -1;
    for (enum strand strand = STRAND_PLUS; strand <= STRAND_MINUS && status == 0; strand++)
        status = paths_new(&t, strand);
    for (size_t i = 0; i < search->segment_count && status == 0; i++)
        status = trace_stage_1(&t, i);
    if (status == 0)
        status = trace_stage_3(&t, least_share);
    for (int i = 0; i < 2; i++) {
        free(t.strands[i].items);
        free(t.strands[i].losses);
        free(t.strands[i].reach);
    }
    pthread_mutex_destroy(&t.lock);
    free(t.selection);
    return status;
}

/* --- for people ------------------------------------------------------------------------------------------ */

const char *lost_at_stage_name(enum lost_at_stage stage)
{
    static const char *const names[LOST_AT_STAGES] = {
        [LOST_AT_NO_PATH] = "no path", [LOST_AT_NO_SEED] = "no seed", [LOST_AT_STAGE_1] = "stage 1",
        [LOST_AT_STAGE_2] = "stage 2", [LOST_AT_STAGE_3] = "stage 3", [LOST_AT_CULLED] = "culled",
        [LOST_AT_E_VALUE] = "E-value",
    };
    return names[stage];
}

static void describe_outcomes(const struct lost_at *loss, char *text, size_t text_size)
{
    static const char *const names[STAGE3_OUTCOMES] = {
        [STAGE3_CONTAINED] = "on another alignment", [STAGE3_REPEATED] = "on an extended diagonal",
        [STAGE3_WEAK] = "below the gap trigger",     [STAGE3_ENCLOSED] = "inside a better alignment",
        [STAGE3_UNKEPT] = "scored too low",          [STAGE3_ALIGNED] = "aligned",
    };
    int used = snprintf(text, text_size, "%llu HSPs:", (unsigned long long)loss->hsps);
    const char *comma = "";
    for (int i = 0; i < STAGE3_OUTCOMES; i++) {
        if (loss->outcomes[i] == 0 || used < 0 || (size_t)used >= text_size)
            continue;
        used += snprintf(text + used, text_size - (size_t)used, "%s %llu %s", comma,
                         (unsigned long long)loss->outcomes[i], names[i]);
        comma = ",";
    }
}

void lost_at_describe(const struct lost_at *loss, int threshold, char *text, size_t text_size)
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
        snprintf(text, text_size, "%llu seeds, best window %d of %d", (unsigned long long)loss->seeds,
                 loss->best_window, threshold);
        return;
    default:
        describe_outcomes(loss, text, text_size);
    }
}
