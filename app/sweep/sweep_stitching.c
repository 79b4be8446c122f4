#include "app/sweep/sweep_stitching.h"

#include <stdint.h>
#include <stdlib.h>

#include "blast/stage3/stage3.h"

/* Of one search. */
struct joining {
    struct alignment_list *passes; /* NULL before the first comes */
    bool *there;
    bool joined;
    struct stitch_work work;
};

struct sweep_stitching {
    const struct sweep_plan *plan;
    struct joining *searches;
    size_t count;
};

struct sweep_stitching *sweep_stitching_new(const struct sweep_plan *plan)
{
    struct sweep_stitching *j = calloc(1, sizeof *j);
    if (j)
        j->plan = plan;
    return j;
}

static void destroy_search(struct joining *joining, size_t passes)
{
    for (size_t pass = 0; joining->passes && pass < passes; pass++)
        alignment_list_destroy(&joining->passes[pass]);
    free(joining->passes);
    free(joining->there);
    free(joining->work.cells);
}

void sweep_stitching_destroy(struct sweep_stitching *j)
{
    if (!j)
        return;
    for (size_t i = 0; i < j->count; i++)
        destroy_search(&j->searches[i], j->plan->searches[i].pass_count);
    free(j->searches);
    free(j);
}

bool sweep_stitching_grow(struct sweep_stitching *j)
{
    struct joining *searches = realloc(j->searches, (j->plan->search_count + 1) * sizeof *searches);
    if (!searches)
        return false;
    j->searches = searches;
    for (; j->count < j->plan->search_count; j->count++)
        j->searches[j->count] = (struct joining){0};
    return true;
}

int sweep_stitching_keep(struct sweep_stitching *j, size_t search, size_t pass,
                         const struct alignment *alignments, size_t count)
{
    struct joining *joining = &j->searches[search];
    size_t passes = j->plan->searches[search].pass_count;
    if (!joining->passes) {
        joining->passes = calloc(passes, sizeof *joining->passes);
        joining->there = calloc(passes, sizeof *joining->there);
    }
    if (!joining->passes || !joining->there)
        return -1;
    if (joining->joined || joining->there[pass])
        return 0;
    for (size_t i = 0; i < count; i++)
        if (alignment_list_append(&joining->passes[pass], &alignments[i]) != 0)
            return -1;
    joining->there[pass] = true;
    return 0;
}

/* The whole query on both strands, without borders; codes are for free(). */
static bool whole_strands(const struct sweep_search *search, const struct sweep_input *input,
                          struct stage3_pass strands[2], uint8_t *codes[2])
{
    for (enum strand strand = STRAND_PLUS; strand <= STRAND_MINUS; strand++) {
        codes[strand] = malloc(input->query->positions);
        if (codes[strand])
            sequences_unpack(input->query, strand, 0, input->query->positions, codes[strand]);
        strands[strand] = (struct stage3_pass){
            .query = codes[strand],
            .query_positions = input->query->positions,
            .strand = strand,
            .database = input->database,
            .statistics = &search->statistics,
            .least_score = search->least_score,
        };
    }
    return codes[STRAND_PLUS] && codes[STRAND_MINUS];
}

static bool join(const struct sweep_stitching *j, size_t number)
{
    const struct sweep_search *search = &j->plan->searches[number];
    struct joining *joining = &j->searches[number];
    struct alignment_list all = {0};
    struct stage3_pass strands[2];
    uint8_t *codes[2] = {NULL, NULL};
    bool ready = whole_strands(search, &j->plan->request->inputs[search->input], strands, codes);
    for (size_t pass = 0; pass < search->pass_count && ready; pass++)
        for (size_t i = 0; i < joining->passes[pass].count && ready; i++)
            ready = alignment_list_append(&all, &joining->passes[pass].items[i]) == 0;
    ready = ready && stitch_alignments(&all, strands, &joining->work) == 0;
    for (size_t pass = 0; pass < search->pass_count && ready; pass++)
        alignment_list_destroy(&joining->passes[pass]);
    alignment_list_destroy(&all);
    free(codes[STRAND_PLUS]);
    free(codes[STRAND_MINUS]);
    return ready;
}

const struct stitch_work *sweep_stitching_work(struct sweep_stitching *j, size_t search)
{
    struct joining *joining = &j->searches[search];
    joining->joined = joining->joined || join(j, search);
    return joining->joined ? &joining->work : NULL;
}
