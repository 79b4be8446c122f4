#include "app/sweep/point/sweep_stitching.h"

#include <stdint.h>
#include <stdlib.h>

#include "blast/stage3/stage3.h"

/* What the passes of one search have found. */
struct findings {
    struct alignment_list *passes; /* NULL before the first of them is kept */
    bool *kept;                    /* of every pass */
    bool stitched;
    struct stitch_work work;
};

struct sweep_stitching {
    const struct sweep_plan *plan;
    struct findings *searches;
    size_t count;
};

struct sweep_stitching *sweep_stitching_new(const struct sweep_plan *plan)
{
    struct sweep_stitching *s = calloc(1, sizeof *s);
    if (s)
        s->plan = plan;
    return s;
}

static void drop_alignments(struct findings *findings, size_t pass_count)
{
    for (size_t pass = 0; findings->passes && pass < pass_count; pass++)
        alignment_list_destroy(&findings->passes[pass]);
}

void sweep_stitching_destroy(struct sweep_stitching *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++) {
        drop_alignments(&s->searches[i], s->plan->searches[i].pass_count);
        free(s->searches[i].passes);
        free(s->searches[i].kept);
        stitch_work_destroy(&s->searches[i].work);
    }
    free(s->searches);
    free(s);
}

bool sweep_stitching_grow(struct sweep_stitching *s)
{
    struct findings *searches = realloc(s->searches, (s->plan->search_count + 1) * sizeof *searches);
    if (!searches)
        return false;
    s->searches = searches;
    for (; s->count < s->plan->search_count; s->count++)
        s->searches[s->count] = (struct findings){0};
    return true;
}

bool sweep_stitching_keep(struct sweep_stitching *s, size_t search, size_t pass,
                          const struct alignment_list *alignments)
{
    struct findings *findings = &s->searches[search];
    size_t passes = s->plan->searches[search].pass_count;
    if (!findings->passes) {
        findings->passes = calloc(passes, sizeof *findings->passes);
        findings->kept = calloc(passes, sizeof *findings->kept);
    }
    if (!findings->passes || !findings->kept)
        return false;
    if (findings->stitched || findings->kept[pass])
        return true;
    findings->kept[pass] = alignment_list_append_list(&findings->passes[pass], alignments) == 0;
    return findings->kept[pass];
}

static bool stitch(const struct sweep_plan *plan, size_t number, struct findings *findings)
{
    const struct sweep_search *search = &plan->searches[number];
    const struct sweep_input *input = &plan->request->inputs[search->input];
    struct alignment_list all = {0};
    uint8_t *plus = sequences_unpack_strand(input->query, STRAND_PLUS);
    uint8_t *minus = sequences_unpack_strand(input->query, STRAND_MINUS);
    struct stage3_query query = {
        input->query, input->database, {plus, minus}, &search->statistics, {search->least_scores, 0}};
    bool ready = plus && minus;
    for (size_t pass = 0; pass < search->pass_count && ready; pass++)
        ready = alignment_list_append_list(&all, &findings->passes[pass]) == 0;
    ready = ready && stitch_alignments(&all, &query, &findings->work) == 0;
    if (ready)
        drop_alignments(findings, search->pass_count);
    alignment_list_destroy(&all);
    free(plus);
    free(minus);
    return ready;
}

const struct stitch_work *sweep_stitching_work(struct sweep_stitching *s, size_t search)
{
    struct findings *findings = &s->searches[search];
    findings->stitched = findings->stitched || stitch(s->plan, search, findings);
    return findings->stitched ? &findings->work : NULL;
}
