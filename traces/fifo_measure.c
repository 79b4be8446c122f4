#include "traces/fifo_measure.h"

#include <assert.h>

struct fifo_measure fifo_measure_none(uint64_t places)
{
    return (struct fifo_measure){
        .places = places,
        .bin_width = places ? (places + FIFO_BINS) / FIFO_BINS : 1,
    };
}

void fifo_measure_add(struct fifo_measure *sum, const struct fifo_measure *frame)
{
    assert(sum->clocks == 0 || sum->bin_width == frame->bin_width);
    sum->places = frame->places;
    sum->bin_width = frame->bin_width;
    sum->clocks += frame->clocks;
    sum->elements += frame->elements;
    sum->integral += frame->integral;
    sum->sojourn_clocks += frame->sojourn_clocks;
    sum->back_pressure_clocks += frame->back_pressure_clocks;
    sum->overflow += frame->overflow;
    if (frame->most > sum->most)
        sum->most = frame->most;
    for (unsigned i = 0; i < FIFO_BINS; i++)
        sum->bins[i] += frame->bins[i];
}

static double ratio(wide_uint part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0.0;
}

double fifo_measure_mean(const struct fifo_measure *m)
{
    return ratio(m->integral, m->clocks);
}

double fifo_measure_mean_sojourn(const struct fifo_measure *m)
{
    return ratio(m->sojourn_clocks, m->elements);
}

double fifo_measure_back_pressure(const struct fifo_measure *m)
{
    return ratio(m->back_pressure_clocks, m->clocks);
}

bool fifo_measure_is_consistent(const struct fifo_measure *m)
{
    uint64_t clocks = m->overflow;
    for (unsigned i = 0; i < FIFO_BINS; i++)
        clocks += m->bins[i];
    return clocks == m->clocks && m->integral == m->sojourn_clocks;
}
