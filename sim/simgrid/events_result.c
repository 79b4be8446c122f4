#include "sim/simgrid/events.h"

#include <stdlib.h>

void events_result_destroy(struct events_result *result)
{
    for (size_t b = 0; b < result->block_count; b++)
        board_times_destroy(&result->times[b]);
    free(result->times);
    free(result->bus_free);
    *result = (struct events_result){0};
}
