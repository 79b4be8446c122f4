#include "traces/statistics/histogram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

struct histogram *histogram_new(uint64_t low, uint64_t width, size_t bins)
{
    assert(width >= 1 && bins >= 1);
    struct histogram *h = memory_new(1, sizeof *h + bins * sizeof h->weights[0]);
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

void bin_writer_write(struct bin_writer *w, uint64_t from, uint64_t to, uint64_t weight)
{
    struct bin_share *share = &w->shares[weight % BIN_SHARES];
    if (share->length == 0 || share->weight != weight) {
        share->weight = weight;
        share->length = /* a number with nine digits, its point, sign and exponent fit */
            (uint8_t)snprintf(share->text, sizeof share->text, "%.9g", (double)weight / (double)w->all);
    }
    char text[4 * (NUMBER_DIGITS + 1) + sizeof share->text], *at = number_put_whole(text, from);
    *at++ = '\t';
    at = to < UINT64_MAX ? number_put_whole(at, to) : mempcpy(at, "inf", 3);
    *at++ = '\t';
    at = number_put_whole(at, weight);
    *at++ = '\t';
    at = mempcpy(at, share->text, share->length);
    fputs(w->before, w->out);
    fwrite(text, 1, (size_t)(at - text), w->out);
    fputs(w->after, w->out);
}
