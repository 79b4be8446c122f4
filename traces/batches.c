#include "traces/batches.h"

#include <string.h>

static void end_batch(struct batches *b, const uint64_t *sums)
{
    memcpy(b->ends[b->count++], sums, sizeof b->ends[0]);
}

static void join_pairs(struct batches *b)
{
    b->count /= 2;
    for (size_t i = 0; i < b->count; i++)
        memcpy(b->ends[i], b->ends[2 * i + 1], sizeof b->ends[0]);
    b->doublings++;
}

uint64_t batches_length(const struct batches *b)
{
    return UINT64_C(1) << b->doublings;
}

void batches_read(struct batches *b, const uint64_t *sums)
{
    b->readings++;
    if (b->readings % batches_length(b) == 0)
        end_batch(b, sums);
    if (b->count == BATCHES_MAX)
        join_pairs(b);
}

void batches_close(struct batches *b, const uint64_t *sums)
{
    uint64_t left = b->readings % batches_length(b);
    if (b->count > 0 && 2 * left < batches_length(b))
        b->count--; /* it ends here */
    end_batch(b, sums);
}

uint64_t batches_growth(const struct batches *b, size_t batch, unsigned sum)
{
    return b->ends[batch][sum] - (batch > 0 ? b->ends[batch - 1][sum] : 0);
}
