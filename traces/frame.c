#include "traces/frame.h"

#include <assert.h>
#include <string.h>

const char *frame_suffix(enum counter_kind kind)
{
    return kind == COUNTER_BUSY ? "_clocks" : kind == COUNTER_TIME ? "_s" : "";
}

void frame_add(struct frame *sum, const struct frame *frame, const struct frame_layout *layout)
{
    assert(layout->counter_count <= FRAME_COUNTERS_MAX && layout->queue_count <= FRAME_QUEUES_MAX);
    sum->duration_s += frame->duration_s;
    sum->clock_hz = frame->clock_hz;
    sum->clocks += frame->clocks;
    for (unsigned i = 0; i < layout->counter_count; i++)
        sum->counters[i] += frame->counters[i];
    memcpy(sum->gauges, frame->gauges, sizeof sum->gauges);
    for (unsigned i = 0; i < layout->queue_count; i++)
        fifo_measure_add(&sum->queues[i], &frame->queues[i]);
    for (unsigned i = 0; i < layout->interval_count; i++)
        interval_moments_merge(&sum->intervals[i], &frame->intervals[i]);
}

double frame_measured_s(const struct frame *frame)
{
    return (double)frame->clocks / frame->clock_hz;
}

const char *frame_find_inconsistency(const struct frame *frame, const struct frame_layout *layout)
{
    for (unsigned i = 0; i < layout->queue_count; i++)
        if (!fifo_measure_is_consistent(&frame->queues[i]))
            return layout->queues[i].name;
    return NULL;
}
