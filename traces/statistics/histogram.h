/* histogram.h - weight by value, in bins of equal width, with the values below and above counted apart.
 *
 * Models    TimeTrial's histogram of whole numbers (Lancaster et al. 2011, section III).
 * Bins      bin i holds the values low + i width .. low + (i + 1) width - 1.
 * Memory    8 bytes per bin. A histogram is made once and cleared for every frame.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct histogram {
    uint64_t low, width; /* width >= 1 */
    size_t bins;
    uint64_t under, over; /* weight of values below low, and above the last bin */
    uint64_t weights[];
};

/** An empty histogram.
 *
 * @param width  number of values per bin, >= 1
 * @param bins   >= 1
 */
struct histogram *histogram_new(uint64_t low, uint64_t width, size_t bins);

/** Width of `bins` bins from 0 that hold the occupancies 0 .. places; 1 if the queue is unbounded (places is 0). */
uint64_t histogram_width(uint64_t places, size_t bins);

void histogram_clear(struct histogram *histogram);

static inline void histogram_add(struct histogram *h, uint64_t value, uint64_t weight)
{
    if (value < h->low) {
        h->under += weight;
        return;
    }
    uint64_t bin = h->width == 1 ? value - h->low : (value - h->low) / h->width;
    if (bin < h->bins)
        h->weights[bin] += weight;
    else
        h->over += weight;
}

/** Add a histogram with the same bins. */
void histogram_merge(struct histogram *sum, const struct histogram *part);

enum { BIN_SHARES = 64 };

/** Writes the bins of a histogram as rows. Runs write 10^5 bins and more, and the weights of many are equal: a writer
 *  keeps the text of shares that it has printed. Start with .out, .all, .before and .after; all else is 0. */
struct bin_writer {
    FILE *out;
    uint64_t all;               /* the weight that shares are of */
    const char *before, *after; /* what a row begins and ends with */
    struct bin_share {
        uint64_t weight;
        uint8_t length; /* 0: no share is kept here */
        char text[23];
    } shares[BIN_SHARES]; /* at the remainder of their weight */
};

/** Write the row of a bin: four columns separated by tabs, which are its first and its last value, its weight, and its
 *  share of all.
 *
 * @param to  UINT64_MAX, written as "inf", if the bin has no end
 */
void bin_writer_write(struct bin_writer *writer, uint64_t from, uint64_t to, uint64_t weight);
