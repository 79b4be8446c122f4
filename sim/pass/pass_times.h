/* pass_times.h - when a pass was where in a run.
 *
 * Time      seconds since the run began.
 */
#ifndef MERCURY_SIM_PASS_PASS_TIMES_H
#define MERCURY_SIM_PASS_PASS_TIMES_H

#include <stdint.h>

/** When a pass was where on the simulated machine, in seconds since the run began. */
struct pass_times {
    double begin_s;        /* the board begins to load its tables */
    double stream_begin_s; /* the first word of the database is on the bus */
    double board_free_s;   /* the last record has left the board */
    double end_s;          /* stage 3 has finished with its HSPs, too */
    uint32_t board;        /* from 0, counted over all hosts */
};

#endif
