#include "blast/stage3/search.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/progress.h"
#include "blast/stage3/stitch.h"
#include "blast/stages12/bloom.h"

enum { WORDS_AT_A_TIME = 8192 };

/* Results of a segment's pass, kept until all passes have ended. */
struct segment_result {
    struct alignment_list alignments;
    struct search_counts counts;
};

struct crew {
    const struct search *search;
    struct segment_result *results; /* one per segment */
    struct bloom_index *index;      /* NULL if it does not pay */
    atomic_size_t next;
    pthread_mutex_t lock; /* of what follows */
    struct progress progress;
    size_t done; /* number of passes */
};

int *search_least_scores(const struct scoring_statistics *statistics, const struct sequences *query,
                         const struct sequences *database, double e_value)
{
    int *least = memory_take(query->record_count * sizeof *least);
    for (size_t i = 0; i < query->record_count; i++)
        least[i] = scoring_least_score(statistics, e_value,
                                       scoring_search_space(statistics, query->records[i].bases,
                                                            database->bases, database->record_count));
    return least;
}

/* The watcher of a search, and the segment whose pass it watches. */
struct pass_watcher {
    const struct search *search;
    const struct query_segment *segment;
};

static void watch_pass(void *data, uint64_t query_position, uint64_t database_position,
                       enum stage3_outcome outcome)
{
    const struct pass_watcher *w = data;
    w->search->watch(w->search->watch_data, w->segment, query_position, database_position, outcome);
}

static void extend_all(struct stage3 *stage3, const struct tokens *tokens, uint64_t segment_begin,
                       uint64_t *all_cells)
{
    for (size_t i = 0; i < tokens->hsp_count; i++) {
        struct stage3_work work;
        stage3_extend(stage3, segment_begin + tokens->hsps[i].query_position,
                      tokens->hsps[i].database_position, &work);
        *all_cells += work.cells + work.cluster_cells;
    }
}

static void stream(const struct search *search, const struct query_segment *segment, struct pass *pass,
                   struct stage3 *stage3, struct search_counts *counts)
{
    auto_by(tokens_destroy) struct tokens tokens = {0};
    struct pass_scanner *scanner = pass_scanner_new(pass);
    uint64_t words = search->searched.database->word_count, cells = 0;
    for (uint64_t first = 0, count; first < words; first += count) {
        uint64_t left = words - first;
        count = pass_scanner_part(scanner, first, left < WORDS_AT_A_TIME ? left : WORDS_AT_A_TIME, &tokens,
                                  &counts->pass);
        extend_all(stage3, &tokens, segment->begin, &counts->cells);
    }
    pass_scanner_destroy(scanner);
    stage3_flush(stage3, &cells);
    counts->cells += cells;
}

static void search_segment(const struct search *search, const struct query_segment *segment,
                           const struct bloom_index *index, struct segment_result *result)
{
    struct stage3_pass rules = stage3_pass_whole(&search->searched, segment->strand);
    struct pass *pass =
        pass_new(search->rules, search->searched.query, segment, search->searched.database, index);
    stage3_pass_bound(&rules, segment);
    struct stage3 *stage3 = stage3_new(&rules, &result->alignments);
    struct pass_watcher watcher = {search, segment};
    if (search->watch)
        stage3_watch(stage3, watch_pass, &watcher);
    stream(search, segment, pass, stage3, &result->counts);
    result->counts.stage3 = stage3_counts(stage3);
    stage3_destroy(stage3);
    pass_destroy(pass);
}

static void *work(void *data)
{
    struct crew *crew = data;
    const struct search *search = crew->search;
    size_t i;
    while ((i = atomic_fetch_add(&crew->next, 1)) < search->segment_count)
        if (!search->selection || search->selection[i]) {
            search_segment(search, &search->segments[i], crew->index, &crew->results[i]);
            pthread_mutex_lock(&crew->lock);
            progress_update(&crew->progress, (double)++crew->done);
            pthread_mutex_unlock(&crew->lock);
        }
    return NULL;
}

/* Let up to `jobs` threads work. If a thread cannot be started, the others do its work. */
static void work_together(struct crew *crew, unsigned jobs)
{
    auto_free pthread_t *threads = memory_new(jobs, sizeof *threads);
    unsigned started = 0;
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, work, crew) == 0)
        started++;
    work(crew);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

static void add_counts(struct search_counts *sum, const struct search_counts *add)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)add;
    _Static_assert(sizeof *sum % sizeof *to == 0, "counts are uint64_t");
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

static void stitch(const struct search *search, struct alignment_list *out, struct search_counts *counts)
{
    auto_by(stitch_work_destroy) struct stitch_work work = {0};
    stitch_alignments(out, &search->searched, &work);
    for (size_t i = 0; i < work.count; i++)
        counts->cells += work.cells[i];
}

void search_run(const struct search *search, struct alignment_list *out, struct search_counts *counts)
{
    struct crew crew = {.search = search,
                        .results = memory_new(search->segment_count, sizeof *crew.results),
                        .lock = PTHREAD_MUTEX_INITIALIZER};
    *counts = (struct search_counts){0};
    size_t passes = 0;
    for (size_t i = 0; i < search->segment_count; i++)
        passes += !search->selection || search->selection[i];
    if (bloom_index_pays(&search->rules->bloom, search->searched.database->word_count, passes))
        crew.index = bloom_index_new(&search->rules->bloom, search->searched.database);
    progress_begin(&crew.progress, "passes", (double)passes, search->quiet);
    work_together(&crew, search->jobs);
    progress_end(&crew.progress);
    bloom_index_destroy(crew.index);
    for (size_t i = 0; i < search->segment_count; i++) {
        struct segment_result *result = &crew.results[i];
        add_counts(counts, &result->counts);
        alignment_list_append_list(out, &result->alignments);
        alignment_list_destroy(&result->alignments);
    }
    free(crew.results);
    stitch(search, out, counts);
}
