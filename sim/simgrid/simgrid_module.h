/* simgrid_module.h - the part of Mercury that is linked to SimGrid: all that the rest of Mercury knows of SimGrid.
 *
 * Models    SimGrid and the libraries that it needs take 3 ms to load, and 26 ms with those that Mercury never uses
 *           (absent_libraries.py). So everything that sees it is a module, mercury-simgrid.so, which the program loads
 *           when there is something to simulate (base/process/module.h).
 * Linked    tests are linked to its parts instead (simgrid_module_linked.c); the functions below are the same.
 * State     the module has its own copies of what it calls in blast/, traces/ and sim/; none of them keeps any state.
 */
#pragma once

#include "base/why.h"
#include "sim/simgrid/events.h"
#include "sim/simgrid/host_actors.h"
#include "sim/simgrid/network_actors.h"
#include "sim/simgrid/queue_network.h"
#include "sim/simgrid/script_actors.h"
#include "sim/simgrid/system.h"

struct simgrid_module {
    void (*start_for_children)(const char *platform_file);  /* simgrid_engine_start_for_children() */
    const char *(*try_platform)(const char *platform_file); /* simgrid_engine_try() */
    int (*run_system)(const struct system_run *run);        /* system_run() */
    int (*run_host)(const struct host_schedule *run, const char *platform_file, double agent_share,
                    struct host_schedule_result *result, double *agent_s); /* host_actors_run() */
    void (*run_network)(const char *platform_file, struct network_host *hosts, uint32_t count,
                        struct network_use *use); /* network_actors_run() */
    int (*run_events)(const struct board_rules *rules, const struct events_block *blocks, size_t count,
                      struct events_result *out, struct why *why);
    int (*run_queue_line)(const struct queue_line *tandem, struct queue_line_result *result, struct why *why);
    int (*run_queue_network)(const struct queue_network *network, struct queue_network_result *result,
                             struct why *why);
    int (*run_script)(const struct estimate_program *program, double *time_s, struct why *why);
};

/** The functions of the module, and the one symbol that is looked up in it. */
extern const struct simgrid_module mercury_simgrid;

/** Begin to load the module in a thread. The caller must wait for it before the process forks or ends. */
void simgrid_module_begin(void);

/** Wait until nothing is being loaded, whether or not loading succeeded. */
void simgrid_module_wait(void);

/** Load the module, or wait until it is loaded. Only one thread may call this.
 *
 * @return NULL if it cannot be loaded: see why
 */
const struct simgrid_module *simgrid_module(struct why *why);
