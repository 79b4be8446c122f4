/* joined_hosts.h - all hosts of a run: they get the tasks of stage 3 of all passes, and tell when these were done; and
 * the network that joins them.
 *
 * Models    hosts that are all alike. Passes are dealt to them one by one (hardware_host_of()); each host works through
 *           its own (sim/host/host_schedule.h), from when it has its part of the query. A host's cores depend on no
 *           other host, so each is simulated from its own time 0, and the network says when that is in the run. The
 *           run ends when the last results have arrived at the first host. One host needs no network.
 * Engines   hosts follow the passes while these are added, by recurrences; where boards depend on each other, up to
 *           the first pass of which it is not known when it begins. If SimGrid is to simulate the cores, since an agent
 *           shares them or to check the recurrences, hosts are simulated after the last pass was added. SimGrid runs in
 *           a child, as it has one engine per process.
 * Inbox     each host has its own, from the run's begin to its end. Their elements, their waits and their clocks are
 *           added: the mean of the sum is that of one host's inbox, as the mean of a FIFO is that of one board's.
 * Network   sim/simgrid/network_actors.h. What hosts get is their part of the query, packed as on the bus, 16 bases in
 *           a word of 8 bytes: the segments of their passes, or, if the database is dealt, the whole query once. What
 *           they send is network.result_bytes for each alignment that their passes found, before they are culled.
 * Memory    that of the passes which overlap; hosts that do not follow keep passes in unnamed files.
 * Errors    an enum pass_error and one line.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/segment.h"
#include "traces/frame.h"
#include "sim/host/host_taps.h"
#include "sim/host/host_schedule.h"
#include "sim/simgrid/network_actors.h"

struct joined_hosts_result {
    struct host_schedule_result host; /* of all hosts: its times are of the run */
    double agent_s;     /* time of a core that the measurement agents took, added over the hosts */
    double agent_share; /* of a core: their mean while they were there; 0: there were none */
    double begins_s[HARDWARE_HOSTS_MAX]; /* of each host */
    struct network_use network;          /* all zero if there is one host */
};

/** The query, as far as it matters on the network. */
struct network_query {
    uint64_t positions;                   /* of the whole query */
    const struct query_segment *segments; /* of each pass */
    size_t pass_count;
};

/** Takes a pass whose times are known, since its host began. Passes come in the order in which they finish on each
 *  host. @return 0 or an enum pass_error */
typedef int host_pass_taker(void *data, const struct host_pass *pass, struct why *why);

/** What a run's hosts are simulated for. Everything is borrowed. */
struct joined_hosts_request {
    const struct hardware *hardware;
    const char *platform_file;  /* that simgrid_load_platform() takes, written for this hardware */
    struct network_query query; /* needed by more than one host; its pass_count always is */
    host_pass_taker *take;
    void *data;         /* of `take` */
    bool only_times;    /* passes have no log of their HSPs, and there is no inbox */
    double agent_share; /* of a core of each host, that a measurement agent takes; 0: there is none */
    /* Simulate the cores in SimGrid, too: PASS_EENGINE if times differ by more than 1 ps, or 1e-12 of one above 1 s. */
    bool check;
};

struct joined_hosts;

/** @return NULL if no unnamed file can be made */
struct joined_hosts *joined_hosts_new(const struct joined_hosts_request *request);
void joined_hosts_destroy(struct joined_hosts *hosts);

/** Add the run's next pass, whose tasks are taken. */
int joined_hosts_add(struct joined_hosts *hosts, struct host_pass *pass, struct why *why);

/** The last pass was added: simulate what is left. */
int joined_hosts_end(struct joined_hosts *hosts, struct joined_hosts_result *result, struct why *why);

/** Complete a pass's frame (host_taps.h). @return also PASS_EBUG, if the frame contradicts itself: Little's law,
 *  histograms, conservation */
int joined_hosts_fill(const struct host_pass *pass, const struct hardware *hardware,
                      struct host_instruments *instruments, struct frame *frame, struct why *why);

/** Number of bytes of the query that a host gets. */
uint64_t joined_hosts_query_bytes(const struct hardware *hardware, const struct network_query *query,
                                  uint32_t host);

/** Simulate the network between `count` hosts, the first of hardware->hosts. */
int joined_hosts_network(const char *platform_file, struct network_host *hosts, uint32_t count,
                         struct network_use *use, struct why *why);
