#include "traces/histogram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct histogram *histogram_new(uint64_t low, uint64_t width, size_t bins)
{
    assert(width >= 1 && bins >= 1);
    struct histogram *h = calloc(1, sizeof *h + bins * sizeof h->weights[0]);
    if (!h)
        return NULL;
    h->low = low;
    h->width = width;
    h->bins = bins;
    return h;
}

uint64_t histogram_width(uint64_t places, size_t bins)
{
    return places ? places / bins + 1 : 1; /* ceil((places + 1) / bins) */
}

void histogram_clear(struct histogram *h)
{
    h->under = h->over = 0;
    memset(h->weights, 0, h->bins * sizeof h->weights[0]);
}

void histogram_merge(struct histogram *sum, const struct histogram *part)
{
    assert(sum->low == part->low && sum->width == part->width && sum->bins == part->bins);
    sum->under += part->under;
    sum->over += part->over;
    for (size_t i = 0; i < sum->bins; i++)
        sum->weights[i] += part->weights[i];
}

uint64_t histogram_weight(const struct histogram *h)
{
    uint64_t weight = h->under + h->over;
    for (size_t i = 0; i < h->bins; i++)
        weight += h->weights[i];
    return weight;
}
