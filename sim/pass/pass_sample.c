#include "sim/pass/pass_sample.h"

#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort_ulong.h>

#include "base/memory.h"
#include "base/random.h"

/* --- strata ---------------------------------------------------------------------------------------------- */

/* Whether a pass begins another record, or another strand, than the pass before it. */
static bool begins_group(const struct query_segment *segments, size_t pass, const struct sequences *query)
{
    const struct query_segment *before = &segments[pass - 1], *segment = &segments[pass];
    return before->strand != segment->strand ||
           segment_first_record(before, query) != segment_first_record(segment, query);
}

/* Whether a number of passes is enough for a stratum. */
static bool is_enough(const struct pass_sample *s, size_t passes, size_t count)
{
    return (double)passes * (double)count >= (double)PASS_STRATUM_LEAST * (double)s->passes;
}

/* The last passes, if they are too few, belong to the stratum before; but the very last one, if enough others are
 * drawn, is a stratum of its own. */
static void make_strata(struct pass_sample *s, const struct query_segment *segments,
                        const struct sequences *query, size_t count)
{
    const size_t apart = count >= PASS_LAST_LEAST, end = s->passes - apart;
    size_t begin = 0;
    for (size_t i = 1; i <= end; i++) {
        bool ends = i == end || begins_group(segments, i, query);
        if (ends && is_enough(s, i - begin, count - apart)) {
            s->strata[s->stratum_count++].passes = i - begin;
            begin = i;
        }
    }
    if (s->stratum_count == 0)
        s->stratum_count = 1;
    s->strata[s->stratum_count - 1].passes += end - begin;
    if (apart)
        s->strata[s->stratum_count++] = (struct sample_stratum){1, 1};
    s->count = apart;
}

/* Put the passes of each stratum into a random order. */
static void shuffle(struct pass_sample *s)
{
    gsl_rng *random = random_new(s->seed);
    size_t *stratum = s->order;
    for (size_t i = 0; i < s->passes; i++)
        s->order[i] = i;
    for (size_t h = 0; h < s->stratum_count; h++) {
        gsl_ran_shuffle(random, stratum, s->strata[h].passes, sizeof *stratum);
        stratum += s->strata[h].passes;
    }
    gsl_rng_free(random);
}

/* --- how many of each ------------------------------------------------------------------------------------ */

/* What a stratum lacks of its share of `count` passes, if it has its `drawn` ones. */
static double lack_of(const struct pass_sample *s, const struct sample_stratum *stratum, size_t count)
{
    double share = (double)count * (double)stratum->passes / (double)s->passes;
    return stratum->drawn < stratum->passes ? share - (double)stratum->drawn : -1;
}

/* Draw pass by pass, each of the stratum that lacks most. */
static void share_out(struct pass_sample *s, size_t count)
{
    for (; s->count < count; s->count++) {
        struct sample_stratum *most = s->strata;
        for (size_t h = 1; h < s->stratum_count; h++)
            if (lack_of(s, &s->strata[h], count) > lack_of(s, most, count))
                most = &s->strata[h];
        most->drawn++;
    }
}

void pass_sample_grow(struct pass_sample *s, size_t count)
{
    const size_t *stratum = s->order;
    size_t taken = 0;
    share_out(s, count < s->passes ? count : s->passes);
    for (size_t h = 0; h < s->stratum_count; h++) {
        for (size_t i = 0; i < s->strata[h].drawn; i++)
            s->numbers[taken++] = stratum[i];
        stratum += s->strata[h].passes;
    }
    gsl_sort_ulong(s->numbers, 1, s->count);
}

/* --- the whole ------------------------------------------------------------------------------------------- */

struct pass_sample *pass_sample_new(const struct query_segment *segments, size_t passes,
                                    const struct sequences *query, size_t count, uint64_t seed)
{
    struct pass_sample *s = memory_new(1, sizeof *s);
    *s = (struct pass_sample){.seed = seed,
                              .passes = passes,
                              .numbers = memory_new(passes, sizeof *s->numbers),
                              .strata = memory_new(passes, sizeof *s->strata),
                              .order = memory_new(passes, sizeof *s->order)};
    make_strata(s, segments, query, count);
    shuffle(s);
    pass_sample_grow(s, count);
    return s;
}

void pass_sample_destroy(struct pass_sample *s)
{
    if (!s)
        return;
    free(s->numbers);
    free(s->strata);
    free(s->order);
    free(s);
}
