/* simgrid_engine.h - the one place that starts SimGrid.
 *
 * Time      SimGrid merges times closer than its precision (1e-9 s by default, an FPGA clock is 7.5e-9 s): it is set
 *           to 1e-13 s here, right after the start.
 * Bus       the default network model mimics TCP; a bus is CM02 without cross-traffic: N bytes over B bytes/s take
 *           exactly N/B, two opposite flows get B/2 each.
 * Limits    one engine a process: who simulates twice, forks.
 * Versions  3.32 (Debian 12) and later, where names changed.
 */
#ifndef MERCURY_SIM_SIMGRID_SIMGRID_ENGINE_H
#define MERCURY_SIM_SIMGRID_SIMGRID_ENGINE_H

#include <stdbool.h>

#include <simgrid/actor.h>
#include <simgrid/disk.h>
#include <simgrid/engine.h>
#include <simgrid/exec.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>
#include <simgrid/semaphore.h>

#define SIMGRID_PRECISION_S 1e-13

/** Start the engine of this process and load a platform; SimGrid aborts the process on a bad one. */
void simgrid_engine_start(const char *platform_file);

/** Start it with a platform of one host, for what needs only a clock and actors; its speed means nothing.
 *  @return false when that cannot be handed over */
bool simgrid_engine_start_one_host(void);

/** Start it in a process that is to end: whether the platform has what Mercury needs. SimGrid says on standard error
 *  what it does not like.
 *  @return NULL, or what is missing */
const char *simgrid_engine_try(const char *platform_file);

/** The host's disk of a name, or NULL. */
sg_disk_t simgrid_engine_disk(sg_host_t host, const char *name);

/** Create an actor that runs `code` and finds `data` by sg_actor_self_get_data(). */
void simgrid_engine_add_actor(const char *name, sg_host_t host, void (*code)(int, char **), void *data);

#endif
