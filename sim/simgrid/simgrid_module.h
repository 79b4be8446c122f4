/* simgrid_module.h - the part of Mercury that SimGrid is linked to: all that the rest of it knows of SimGrid.
 *
 * Models    SimGrid brings twenty libraries, most of them ns-3's: 30 ms to load. So what sees it is a module,
 *           mercury-simgrid.so, that the program is not linked to and loads when there is something to simulate.
 * Where     beside the program in a build, installed in Mercury's directory of libdir: the program's RPATH says so.
 * Linked    tests are linked to its parts instead (simgrid_module_linked.c); the functions below are the same.
 * State     the module has its own copies of what it calls in blast/, traces/ and sim/; none of these keeps any.
 */
#ifndef MERCURY_SIM_SIMGRID_SIMGRID_MODULE_H
#define MERCURY_SIM_SIMGRID_SIMGRID_MODULE_H

#include "base/why.h"
#include "sim/simgrid/events.h"
#include "sim/simgrid/queue_line.h"
#include "sim/simgrid/system.h"

struct simgrid_module {
    const char *(*try_platform)(const char *platform_file); /* simgrid_engine_try() */
    int (*run_system)(const struct system_pass *pass, struct frame *frame, struct system_wall *wall);
    int (*run_events)(const struct board_rules *rules, const struct events_block *blocks, size_t count,
                      const struct events_options *options, struct events_result *out, struct why *why);
    int (*run_queue_line)(const struct queue_line *tandem, struct queue_line_result *result, struct why *why);
};

/** What the module has to offer, and the one symbol that is asked of it. */
extern const struct simgrid_module mercury_simgrid;

/** Begin to load it in a thread, beside what the caller does next. Before the process forks or ends, it is to be waited
 * for. */
void simgrid_module_begin(void);

/** Wait until nothing is being loaded, whatever came of it. */
void simgrid_module_wait(void);

/** Load it, or wait for that. Not for several threads.
 *
 * @param why  one line, where it cannot be
 * @return NULL then
 */
const struct simgrid_module *simgrid_module(struct why *why);

#endif
