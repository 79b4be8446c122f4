#include "blast/write/mapping.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "blast/write/aligned.h"

#define QUALITY_MOST   60.0
#define QUALITY_FACTOR 40.0

/* The two best alignments that cover a base of the query. */
struct best {
    float bits, second_bits;
    uint32_t holder; /* number of the first of them, from 1; 0 if there is none */
    bool covered;    /* by a primary or supplementary one */
};

static void compete(struct best *bases, struct aligned_range range, float bits, uint32_t holder)
{
    for (uint64_t i = range.first - 1; i < range.last; i++) {
        struct best *b = &bases[i];
        if (bits > b->bits || b->holder == 0) {
            b->second_bits = b->bits;
            b->bits = bits;
            b->holder = holder;
        } else if (bits > b->second_bits) {
            b->second_bits = bits;
        }
    }
}

static enum mapping_role take_role(struct best *bases, struct aligned_range range, bool is_first)
{
    uint64_t uncovered = 0, length = range.last - range.first + 1;
    for (uint64_t i = range.first - 1; i < range.last; i++)
        uncovered += !bases[i].covered;
    if (!is_first && 2 * uncovered < length)
        return MAPPING_SECONDARY;
    for (uint64_t i = range.first - 1; i < range.last; i++)
        bases[i].covered = true;
    return is_first ? MAPPING_PRIMARY : MAPPING_SUPPLEMENTARY;
}

static uint8_t quality_of(const struct best *bases, struct aligned_range range, double bits, uint32_t holder)
{
    double sum = 0;
    for (uint64_t i = range.first - 1; i < range.last; i++) {
        double other = bases[i].holder == holder ? bases[i].second_bits : bases[i].bits;
        sum += other < bits ? other / bits : 1;
    }
    double share = sum / (double)(range.last - range.first + 1);
    double quality = bits > 1 ? QUALITY_FACTOR * (1 - share) * log(bits) : 0;
    return (uint8_t)round(quality < QUALITY_MOST ? quality : QUALITY_MOST);
}

struct mapping *mapping_new(const struct sequences *query, const struct alignment *items, size_t count)
{
    struct mapping *mappings = calloc(count + 1, sizeof *mappings);
    struct best *bases =
        count > 0 ? calloc(sequence_record_whole(&query->records[items[0].query_record]), sizeof *bases)
                  : NULL;
    if (!mappings || (count > 0 && !bases)) {
        free(mappings);
        free(bases);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        compete(bases, aligned_query_range(query, &items[i]), (float)items[i].bits, (uint32_t)i + 1);
    for (size_t i = 0; i < count; i++) {
        struct aligned_range range = aligned_query_range(query, &items[i]);
        mappings[i].role = take_role(bases, range, i == 0);
        if (mappings[i].role != MAPPING_SECONDARY)
            mappings[i].quality = quality_of(bases, range, (float)items[i].bits, (uint32_t)i + 1);
    }
    free(bases);
    return mappings;
}
