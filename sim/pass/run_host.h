/* run_host.h - the host of a run: it gets the tasks of stage 3 of all passes, and tells when they were done.
 *
 * Models    sim/host/host_run.h, by either of its engines. SimGrid's runs in a child of its own, since SimGrid has one
 *           engine per process; it is asked if an agent shares the cores, and to check the other.
 * Order     passes are added in the order of the run. The host follows them, or simulates them together afterwards.
 * Checks    a pass whose frame contradicts itself (Little's law, histograms, conservation) fails with PASS_EBUG.
 * Memory    that of the passes which overlap; the rest is in unnamed files.
 * Errors    an enum pass_error and one line.
 */
#ifndef MERCURY_SIM_PASS_RUN_HOST_H
#define MERCURY_SIM_PASS_RUN_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "traces/frame.h"
#include "sim/host/host_frame.h"
#include "sim/host/host_run.h"

struct run_host;

/** @param platform_file  that simgrid_load_platform() takes; it and the hardware are borrowed
 *  @return NULL if memory is exhausted or no unnamed file can be made */
struct run_host *run_host_new(const struct hardware *hardware, const char *platform_file, size_t pass_count);
void run_host_destroy(struct run_host *host);

/** Add the next pass, whose tasks are taken. */
int run_host_add(struct run_host *host, struct host_pass *pass, struct why *why);

/** Takes a pass whose times are known. Passes come in the order in which they finish. @return 0 or an enum pass_error
 */
typedef int host_pass_taker(void *data, const struct host_pass *pass, struct why *why);

/** Simulate the host without SimGrid while passes are added, and keep nothing in files: not for boards that hinge on
 *  each other. Comes before the first pass. @return false if memory is exhausted */
bool run_host_follow(struct run_host *host, host_pass_taker *take, void *data);

/** The last pass was added: complete what run_host_follow() began. */
int run_host_end(struct run_host *host, struct host_run_result *result, struct why *why);

/** Simulate the host, after the last pass was added, without SimGrid.
 *
 * @param check  simulate it in SimGrid, too, and compare: PASS_EENGINE if times differ by more than a picosecond, or
 *               than 1e-12 of a time above 1 s
 */
int run_host_compute(struct run_host *host, bool check, host_pass_taker *take, void *data,
                     struct host_run_result *result, struct why *why);

/** Simulate the host in SimGrid.
 *
 * @param agent_share  of a core, that the measurement agent takes; 0: there is none
 * @param agent_s      out: time of a core that it took
 */
int run_host_simulate(struct run_host *host, double agent_share, host_pass_taker *take, void *data,
                      struct host_run_result *result, double *agent_s, struct why *why);

void host_pass_destroy(struct host_pass *pass);

/** Complete a pass's frame (host_frame.h) and check it. */
int run_host_fill(const struct host_pass *pass, const struct hardware *hardware,
                  struct host_instruments *instruments, struct frame *frame, struct why *why);

/** Simulate the host of a run whose passes are all in memory, without SimGrid and without files, and complete the
 *  passes' frames as run_host_fill() does.
 *
 * @param passes  in the order of the run; their tasks are taken and destroyed, but for those of passes that had not
 *                begun when an error ended the run
 * @param frames  one per pass, without the host's side
 */
int run_host_of_passes(const struct hardware *hardware, size_t pass_count, struct host_pass *passes,
                       struct frame *frames, struct host_run_result *result, struct why *why);

#endif
