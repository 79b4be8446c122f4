#include "sim/measure/frame_record.h"

#include <math.h>

/* --- what was measured ----------------------------------------------------------------------------------- */

bool measured_init(struct measured *m, const struct measurement *measurement)
{
    *m = (struct measured){0};
    return aggregate_init(&m->aggregate, &measurement->plan);
}

void measured_destroy(struct measured *m)
{
    aggregate_destroy(&m->aggregate);
}

void measured_clear(struct measured *m)
{
    aggregate_clear(&m->aggregate);
    m->fraction = (struct fraction){0};
}

void measured_add(struct measured *sum, const struct measured *part)
{
    aggregate_merge(&sum->aggregate, &part->aggregate);
    sum->fraction.part += part->fraction.part;
    sum->fraction.whole += part->fraction.whole;
}

uint64_t measured_weight(const struct measurement *measurement, const struct measured *m)
{
    return measurement->aggregated ? m->aggregate.moments.weight : m->fraction.whole;
}

static double fraction_value(const struct measurement *measurement, const struct fraction *f)
{
    return f->whole ? measurement->factor * (double)f->part / (double)f->whole : NAN;
}

unsigned measured_values(const struct measurement *measurement, const struct measured *measured,
                         double *values)
{
    const struct directive *d = measurement->directive;
    const struct aggregate *a = &measured->aggregate;
    const bool any = a->moments.weight > 0;
    unsigned count = 0;
    if (!measurement->aggregated) {
        values[0] = fraction_value(measurement, &measured->fraction);
        return 1;
    }
    values[count++] = moments_mean(&a->moments);
    if (d->aggregates & AGGREGATE_MIN)
        values[count++] = any ? (double)a->moments.least : NAN;
    if (d->aggregates & AGGREGATE_MAX)
        values[count++] = any ? (double)a->moments.most : NAN;
    if (d->aggregates & AGGREGATE_DEVIATION)
        values[count++] = moments_deviation(&a->moments);
    if (d->aggregates & AGGREGATE_QUANTILE)
        for (unsigned i = 0; i < d->quantile_count; i++)
            values[count++] = aggregate_quantile(a, d->quantiles[i]);
    return count;
}

void measured_value_name(const struct measurement *measurement, unsigned index, char *name, size_t size)
{
    const struct directive *d = measurement->directive;
    if (index == 0) {
        snprintf(name, size, "mean");
        return;
    }
    index--;
    for (unsigned i = 1; 1U << i <= AGGREGATE_DEVIATION; i++) /* least, greatest, deviation */
        if (d->aggregates >> i & 1 && index-- == 0) {
            snprintf(name, size, "%s", catalogue_aggregates[i]);
            return;
        }
    snprintf(name, size, "quantile(%.9g)", d->quantiles[index]);
}

/* --- records --------------------------------------------------------------------------------------------- */

static bool write_bytes(FILE *file, const void *data, size_t bytes)
{
    return fwrite(data, 1, bytes, file) == bytes;
}

static bool read_bytes(FILE *file, void *data, size_t bytes)
{
    return fread(data, 1, bytes, file) == bytes;
}

enum { PAIRS_TOGETHER = 128 };

/* Weights are written as pairs of index and weight, without those that are 0; many pairs at once, as each call of the C
 * library takes longer than a pair. */
struct pairs {
    uint64_t pair[PAIRS_TOGETHER][2];
    size_t count;
};

static bool write_pairs(FILE *file, struct pairs *p)
{
    const size_t count = p->count;
    p->count = 0;
    return write_bytes(file, p->pair, count * sizeof p->pair[0]);
}

static bool write_weights(FILE *file, const uint64_t *weights, size_t count)
{
    uint64_t all = 0;
    struct pairs some;
    some.count = 0;
    for (size_t i = 0; i < count; i++)
        all += weights[i] > 0;
    bool written = write_bytes(file, &all, sizeof all);
    for (uint64_t i = 0; i < count && written; i++) {
        some.pair[some.count][0] = i;
        some.pair[some.count][1] = weights[i];
        some.count += weights[i] > 0;
        if (some.count == PAIRS_TOGETHER)
            written = write_pairs(file, &some);
    }
    return written && write_pairs(file, &some);
}

/* Read some of the pairs that are left. @param end  every index is below it */
static bool read_pairs(FILE *file, uint64_t *left, size_t end, struct pairs *p)
{
    p->count = *left < PAIRS_TOGETHER ? (size_t)*left : PAIRS_TOGETHER;
    *left -= p->count;
    bool whole = read_bytes(file, p->pair, p->count * sizeof p->pair[0]);
    for (size_t i = 0; i < p->count && whole; i++)
        whole = p->pair[i][0] < end;
    return whole;
}

static bool read_weights(FILE *file, struct histogram *h)
{
    uint64_t left = 0;
    struct pairs some;
    bool whole = read_bytes(file, &left, sizeof left);
    while (left > 0 && whole && (whole = read_pairs(file, &left, h->bins, &some)))
        for (size_t i = 0; i < some.count; i++)
            h->weights[some.pair[i][0]] = some.pair[i][1];
    return whole;
}

static bool read_buckets(FILE *file, struct quantile_sketch *q)
{
    uint64_t left = 0;
    struct pairs some;
    bool whole = read_bytes(file, &left, sizeof left);
    while (left > 0 && whole && (whole = read_pairs(file, &left, q->buckets, &some)))
        for (size_t i = 0; i < some.count; i++)
            quantile_add_to_bucket(q, some.pair[i][0], some.pair[i][1]);
    return whole;
}

bool frame_record_write(FILE *file, const struct frame_head *head, const struct measured *m)
{
    const struct histogram *h = m->aggregate.histogram;
    const struct quantile_sketch *q = m->aggregate.quantile;
    bool written = write_bytes(file, head, sizeof *head) &&
                   write_bytes(file, &m->aggregate.moments, sizeof m->aggregate.moments) &&
                   write_bytes(file, &m->fraction, sizeof m->fraction);
    if (h)
        written = written && write_bytes(file, &h->under, sizeof h->under) &&
                  write_bytes(file, &h->over, sizeof h->over) && write_weights(file, h->weights, h->bins);
    if (q)
        written = written && write_bytes(file, &q->weight, sizeof q->weight) &&
                  write_weights(file, q->weights, q->used);
    return written;
}

bool frame_record_change_part(FILE *file, off_t at, uint64_t part)
{
    const off_t part_at = at + (off_t)(sizeof(struct frame_head) + sizeof(struct moments));
    const off_t end = ftello(file);
    return end >= 0 && fseeko(file, part_at, SEEK_SET) == 0 && write_bytes(file, &part, sizeof part) &&
           fseeko(file, end, SEEK_SET) == 0;
}

bool frame_record_read_head(FILE *file, struct frame_head *head)
{
    return read_bytes(file, head, sizeof *head);
}

bool frame_record_read(FILE *file, struct measured *m)
{
    struct histogram *h = m->aggregate.histogram;
    struct quantile_sketch *q = m->aggregate.quantile;
    measured_clear(m);
    bool whole = read_bytes(file, &m->aggregate.moments, sizeof m->aggregate.moments) &&
                 read_bytes(file, &m->fraction, sizeof m->fraction);
    if (h)
        whole = whole && read_bytes(file, &h->under, sizeof h->under) &&
                read_bytes(file, &h->over, sizeof h->over) && read_weights(file, h);
    if (q)
        whole = whole && read_bytes(file, &q->weight, sizeof q->weight) && read_buckets(file, q);
    return whole;
}
