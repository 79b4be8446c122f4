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
    __typeof__(system_run) *run_system;
    __typeof__(host_actors_run) *run_host;
    __typeof__(network_actors_run) *run_network;
    __typeof__(events_run) *run_events;
    __typeof__(queue_line_run) *run_queue_line;
    __typeof__(queue_network_run) *run_queue_network;
    __typeof__(script_actors_run) *run_script;
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
