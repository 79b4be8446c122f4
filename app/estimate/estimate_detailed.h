/* estimate_detailed.h - what the detailed simulator says of a machine that is estimated, if it can simulate it.
 *
 * Machine   is told by names: nodesets host, core and board, the linkset between host and board, the one from disk to
 *           host, and one of type across on host, without which the network takes no time. Boards on a host share buses
 *           as linksets do.
 * Time      of the run itself, if the machine is the run's; with a record, of a re-timing. It is unknown, NaN, if the
 *           workload was scaled, if the database is dealt over boards, or if the machine is none that the simulator
 *           knows.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_ESTIMATE_ESTIMATE_DETAILED_H
#define MERCURY_APP_ESTIMATE_ESTIMATE_DETAILED_H

#include "base/why.h"
#include "app/estimate/estimate_rows.h"
#include "app/estimate/estimate_workload.h"

struct estimate_detailed {
    const struct estimate_text *text;
    const struct estimate_workload *workload;
    const struct estimate_scale *scale;
    const char *record; /* NULL: there is none */
};

/** Fill a row's detailed times. */
int estimate_detailed_find(const struct estimate_detailed *detailed, struct estimate_row *row,
                           struct why *why);

#endif
