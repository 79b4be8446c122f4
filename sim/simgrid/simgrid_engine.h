/* simgrid_engine.h - the one place that starts SimGrid.
 *
 * Time      SimGrid merges times that are closer than its precision (1e-9 s by default; a clock of the FPGA is 7.5e-9
 *           s), so this module sets it to 1e-13 s right after the start.
 * Bus       the default network model imitates TCP. A bus is the model CM02 without cross-traffic: N bytes over B
 *           bytes/s take exactly N/B, and two opposite flows get B/2 each.
 * Limits    one engine per process: a second simulation needs a fork. To start takes as long as to simulate a small
 *           pass, so a process that forks many may start the engine for all of them.
 * Versions  3.32 (Debian 12) and later; tested with 4.0 (Debian 13), too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <simgrid/actor.h>
#include <simgrid/disk.h>
#include <simgrid/engine.h>
#include <simgrid/exec.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>
#include <simgrid/semaphore.h>
#include <simgrid/version.h>

#define SIMGRID_PRECISION_S 1e-13

/** What SimGrid calls its precision: the one name of those that Mercury uses that has changed, in 3.34. */
#if SIMGRID_VERSION >= 33400
#define SIMGRID_PRECISION_KEY "precision/timing"
#else
#define SIMGRID_PRECISION_KEY "surf/precision"
#endif

/** Start the engine of this process and load a platform, unless that has been done, here or in the process that this
 *  one was forked from: then it was the same platform. SimGrid aborts the process if the platform is bad. */
void simgrid_engine_start(const char *platform_file);

/** Start it for processes that this one will fork, on a platform of the machine. Actors read, compute and send nothing,
 *  in no time, unless the bus has a latency: SimGrid makes a thousand variables of a model when it needs the first,
 *  and children have them already. */
void simgrid_engine_start_for_children(const char *platform_file);

/** From now on latency limits no bandwidth. SimGrid's models have a window of TCP, 4 MiB under way at most, by which a
 *  link of 5 s carries less than 420 kB/s. */
void simgrid_engine_drop_window(void);

/** Start the engine with a platform that is in memory, unless it has been started.
 *  @return false if the platform cannot be handed to SimGrid: errno says why */
bool simgrid_engine_start_text(const char *platform, size_t bytes);

/** Start the engine with a platform of one host, for what needs only a clock and actors; the host's speed has no
 *  meaning.
 *  @return as simgrid_engine_start_text() */
bool simgrid_engine_start_one_host(void);

/** Start the engine in a process of its own to find out whether the platform has what Mercury needs. SimGrid writes to
 *  standard error what it refuses.
 *  @return NULL, or what is missing */
const char *simgrid_engine_try(const char *platform_file);

/** The disk of a host that has this name, or NULL. */
sg_disk_t simgrid_engine_disk(sg_host_t host, const char *name);

/** The mailbox of the part of a machine that has a number. */
sg_mailbox_t simgrid_engine_mailbox(const char *name, uint32_t number);

/** Create an actor that runs `code` and gets `data` from sg_actor_self_get_data(). */
void simgrid_engine_add_actor(const char *name, sg_host_t host, void (*code)(int, char **), void *data);
