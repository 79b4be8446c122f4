#include "sim/board/record_bursts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/equal_steps.h"
#include "sim/board/board.h"

uint32_t record_burst_records(const struct hardware *hardware)
{
    return hardware->hsp_flush_clocks > 0 ? hardware->pcix_burst_bytes / hardware->hsp_bytes : 1;
}

double record_bus_share(const struct hardware *h, uint64_t words)
{
    const uint64_t records = record_burst_records(h), bytes = words * BYTES_PER_WORD;
    const double burst = (double)(records * h->hsp_bytes + BYTES_PER_WORD * h->pcix_burst_clocks);
    return burst / (double)records / (double)hardware_link_bytes(h, bytes, hardware_bursts(h, bytes));
}

bool record_burst_join(struct record_burst *burst, const struct hardware *hardware, int64_t left)
{
    const int64_t flush = (int64_t)hardware->hsp_flush_clocks * BOARD_TICKS_PER_CLOCK;
    if (burst->records >= record_burst_records(hardware))
        return false;
    if (burst->records > 0 && left > burst->first + flush) {
        burst->closed = burst->first + flush;
        return false;
    }
    *burst = (struct record_burst){burst->records + 1, burst->records > 0 ? burst->first : left, left};
    return true;
}

/* The last run has ended: it may be the one before once more. */
static void join_last(struct record_bursts *b)
{
    if (b->run_count < 2)
        return;
    const struct burst_run *last = &b->runs[b->run_count - 1];
    struct burst_run *run = &b->runs[b->run_count - 2];
    if (run->bursts == last->bursts && run->records == last->records && run->step == last->step &&
        equal_steps_go_on(run->closed, &run->period, (int64_t)run->times, last->closed)) {
        run->times++;
        b->run_count--;
    }
}

void record_bursts_close(struct record_bursts *b)
{
    const struct record_burst burst = b->open;
    struct burst_run *last = b->run_count > 0 ? &b->runs[b->run_count - 1] : NULL;
    b->count++;
    if (last && last->records == burst.records &&
        equal_steps_go_on(last->closed, &last->step, (int64_t)last->bursts, burst.closed)) {
        last->bursts++;
        return;
    }
    join_last(b);
    *ARRAY_NEXT(b->runs, b->run_count, b->room) = (struct burst_run){1, 1, burst.records, burst.closed, 0, 0};
}

void record_bursts_add(struct record_bursts *b, const struct hardware *hardware, const int64_t *left,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (record_burst_join(&b->open, hardware, left[i]))
            continue;
        record_bursts_close(b);
        b->open = (struct record_burst){1, left[i], left[i]};
    }
}

void record_bursts_destroy(struct record_bursts *b)
{
    free(b->runs);
    *b = (struct record_bursts){0};
}
