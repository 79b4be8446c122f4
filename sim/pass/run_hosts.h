/* run_hosts.h - all hosts of a run: the cores of each (run_host.h), and the network that joins them (run_network.h).
 *
 * Models    hosts that are all alike. Passes are dealt to them one by one (hardware_host_of()); each host works through
 *           its own, from when it has its part of the query. A host's cores hinge on no other host, so each is
 *           simulated from its own time 0, and the network says when that is in the run. The run ends when the last
 *           results have arrived at the first host. One host needs no network.
 * Inbox     each host has its own, from the run's begin to its end. Their elements, their waits and their clocks are
 *           added: the mean of the sum is that of one host's inbox, as the mean of a FIFO is that of one board's.
 * Errors    an enum pass_error and one line.
 */
#ifndef MERCURY_SIM_PASS_RUN_HOSTS_H
#define MERCURY_SIM_PASS_RUN_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "traces/frame.h"
#include "sim/pass/run_host.h"
#include "sim/pass/run_network.h"

struct run_hosts_result {
    struct host_run_result host; /* of all hosts: its times are of the run */
    double agent_s;              /* time of a core that the measurement agents took, added over the hosts */
    double begins_s[HARDWARE_HOSTS_MAX]; /* of each host */
    struct network_use network;          /* all zero if there is one host */
};

/** What a run's hosts are simulated for. Everything is borrowed. */
struct run_hosts_request {
    const struct hardware *hardware;
    const char *platform_file;  /* that simgrid_load_platform() takes, written for this hardware */
    struct network_query query; /* needed by more than one host; its pass_count always is */
};

struct run_hosts;

/** @return NULL if memory is exhausted or no unnamed file can be made */
struct run_hosts *run_hosts_new(const struct run_hosts_request *request);
void run_hosts_destroy(struct run_hosts *hosts);

/** Add the run's next pass, whose tasks are taken. */
int run_hosts_add(struct run_hosts *hosts, struct host_pass *pass, struct why *why);

/** Simulate the cores while passes are added, as run_host_follow() does.
 *
 * @param take  gets the passes by their numbers in the run; their times are those since their hosts began
 * @return false if memory is exhausted
 */
bool run_hosts_follow(struct run_hosts *hosts, host_pass_taker *take, void *data);

/** The last pass was added: complete what run_hosts_follow() began. */
int run_hosts_end(struct run_hosts *hosts, struct run_hosts_result *result, struct why *why);

/** How the cores are simulated. */
struct run_hosts_engine {
    bool check;         /* simulate them in SimGrid, too, and compare */
    double agent_share; /* of a core of each host, that a measurement agent takes; 0: there is none */
};

/** Simulate all hosts, after the last pass was added. */
int run_hosts_run(struct run_hosts *hosts, const struct run_hosts_engine *engine, host_pass_taker *take,
                  void *data, struct run_hosts_result *result, struct why *why);

/** Simulate the hosts of a run whose passes are all in memory, and complete the passes' frames, as
 *  run_host_of_passes() does. */
int run_hosts_of_passes(const struct run_hosts_request *request, struct host_pass *passes,
                        struct frame *frames, struct run_hosts_result *result, struct why *why);

#endif
