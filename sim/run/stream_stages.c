#include "sim/run/stream_stages.h"

#include <math.h>

#include "model/queue/mercury_tandem.h"
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

/* Clocks in which a stage is busy. */
static double busy_clocks(const struct frame *f, enum board_stage stage)
{
    return (double)(uint64_t)f->intervals[board_stages[stage].services].sum;
}

/* Trips may hold 1bd for fewer clocks than expected if several are under way. */
double stream_stages_work_1bd(const struct frame *f, const struct board_rules *board)
{
    const struct mercury_tandem_lookups lookups = {
        .seeds = frame_count(f, S1B_SEEDS),
        .reads = frame_count(f, S1B_SRAM_READS),
        .trips = frame_count(f, S1B_TRIPS),
        .duplicates = frame_count(f, S1B_LOOKUPS_DUPLICATE),
        .singles = frame_count(f, S1B_LOOKUPS_MATCH),
    };
    double hold = mercury_tandem_trip_share(board_trip_cycles(board), board->trips_in_flight, &lookups);
    return fmin(lookups.seeds - lookups.duplicates + hold * lookups.trips, busy_clocks(f, BOARD_STAGE_1BD));
}

double stream_stages_work_2(const struct frame *f, const struct board_rules *board)
{
    const double fetch = board->free_stages & BOARD_FREE_2 ? 0 : board->stage2_fetch_cycles,
                 places = (double)f->queues[FIFO_STAGE2].places;
    return frame_count(f, S2_MATCHES) * (places > 0 ? fmax(1, fetch / places) : 1);
}

/* A stage works a clock for each element, but for those whose memory holds them; of its other busy clocks it could have
 * moved an element, had there been room for it. While stage 2 is held, bases are fetched. */
void stream_stages_find(const struct frame *f, const struct hardware *hardware,
                        struct stage_evidence stages[static STREAM_STAGES])
{
    const struct fifo_measure *queue = &f->queues[QUEUE_HOST];
    const double supply_s = frame_count(f, PCIX_DATABASE_BYTES) / hardware->host_supply;
    stages[PART_HOST] = stream_stages_evidence("host", supply_s, 0, frame_measured_s(f), NULL);
    stages[PART_HOST].stalled = fmin(fifo_measure_back_pressure(queue), 1 - stages[PART_HOST].active);
    stages[PART_BUS] = stream_stages_evidence("bus", frame_count(f, PCIX_BUSY), frame_count(f, PCIX_STALLED),
                                              frame_count(f, PCIX_MEASURED_TIME), queue);
    for (enum board_stage stage = 0; stage < BOARD_STAGES; stage++) {
        const struct board_stage_row *row = &board_stages[stage];
        const double count = (double)f->intervals[row->services].count, clocks = (double)f->clocks;
        const double work = stage == BOARD_STAGE_1BD ? stream_stages_work_1bd(f, &hardware->board)
                            : stage == BOARD_STAGE_2 ? stream_stages_work_2(f, &hardware->board)
                                                     : count;
        const double held = busy_clocks(f, stage) - (stage == BOARD_STAGE_2 ? count : work);
        stages[PART_1A + stage] = stream_stages_evidence(row->name, work, fmin(held, clocks - work), clocks,
                                                         &f->queues[row->takes]);
    }
}
