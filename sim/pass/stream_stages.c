#include "sim/pass/stream_stages.h"

#include <math.h>

#include "model/mercury_tandem.h"
#include "sim/measure/machine_frame.h"

struct stage_evidence stream_stages_evidence(const char *name, double active, double stalled, double of,
                                             const struct fifo_measure *queue)
{
    return (struct stage_evidence){
        .name = name,
        .active = of > 0 ? active / of : 0,
        .stalled = of > 0 ? stalled / of : 0,
        .queue_mean = queue ? fifo_measure_mean(queue) : 0,
        .queue_places = queue ? queue->places : 0,
        .has_queue = queue != NULL,
    };
}

/* Number of clocks that 1bd needs for what it did: one per lookup, and those by which its trips hold it, which may be
 * fewer than expected if several are under way. */
static double work_of_1bd(const struct frame *f, const struct hardware *hardware, double busy)
{
    double trips = frame_count(f, S1B_TRIPS);
    double hold =
        mercury_tandem_trip_share(board_trip_cycles(&hardware->board), hardware->board.trips_in_flight, trips,
                                  frame_count(f, S1B_LOOKUPS_MATCH));
    double work = frame_count(f, S1B_SEEDS) - frame_count(f, S1B_LOOKUPS_DUPLICATE) + hold * trips;
    return fmin(work, busy);
}

/* A stage works a clock for each element; of its other busy clocks it could have moved an element, had there been room
 * for it. */
static struct stage_evidence gather_stage(enum board_stage stage, const struct frame *f,
                                          const struct hardware *hardware)
{
    const struct board_stage_row *row = &board_stages[stage];
    const struct interval_moments *services = &f->intervals[row->services];
    const double busy = (double)(uint64_t)services->sum;
    double work = stage == BOARD_STAGE_1BD ? work_of_1bd(f, hardware, busy) : (double)services->count;
    return stream_stages_evidence(row->name, work, busy - work, (double)f->clocks, &f->queues[row->takes]);
}

void stream_stages_find(const struct frame *f, const struct hardware *hardware,
                        struct stage_evidence stages[static STREAM_STAGES])
{
    const struct fifo_measure *queue = &f->queues[QUEUE_HOST];
    const double supply_s = frame_count(f, PCIX_DATABASE_BYTES) / hardware->host_supply;
    stages[PART_HOST] = stream_stages_evidence("host", supply_s, 0, frame_measured_s(f), NULL);
    stages[PART_HOST].stalled = fmin(fifo_measure_back_pressure(queue), 1 - stages[PART_HOST].active);
    stages[PART_BUS] = stream_stages_evidence("bus", frame_count(f, PCIX_BUSY), frame_count(f, PCIX_STALLED),
                                              frame_count(f, PCIX_MEASURED_TIME), queue);
    for (enum board_stage stage = 0; stage < BOARD_STAGES; stage++)
        stages[PART_1A + stage] = gather_stage(stage, f, hardware);
}
