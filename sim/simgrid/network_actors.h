/* network_actors.h - the network of several hosts in SimGrid: when each can begin, and when its results have arrived.
 *
 * Models    hosts that share one link of network.bandwidth and network.latency. When the run begins, the first host
 *           sends each other host its part of the query, to all at once. A host works from when it has it, for as long
 *           as it is known to work, and then sends its results to the first host. Messages that are under way together
 *           have equal parts of the link; each lasts for the latency and then for its bytes over its part.
 * Leaves out acknowledgements, packets, and what sending costs a host.
 * Limits    one call per process: SimGrid has one engine per process.
 */
#pragma once

#include <stdint.h>

#include "sim/board/hardware.h"

struct network_host {
    uint64_t query_bytes, result_bytes; /* that it gets and sends; the first host's stay where they are */
    double work_s;                      /* time for which the host works */
    double begin_s, end_s;              /* out: of its work, since the run began */
    double arrived_s;                   /* out: when the first host has its results */
};

/** What the network did in a run. */
struct network_use {
    uint64_t query_bytes, result_bytes; /* over all hosts */
    double busy_s;                      /* time in which a message was under way */
    double queries_s;                   /* when the last host had its part of the query */
    /* Mean times of the hosts, each counted once for each of its boards that had a pass: for which it waited for
     * messages to arrive, and from when its results had arrived until the run's end. */
    double wait_s, idle_s;
};

/** Simulate the network.
 *
 * @param platform_file  for simgrid_load_platform(), with `count` hosts; the platform has been checked
 * @param hosts          the first host is hosts[0]
 * @param use            out, but for wait_s and idle_s
 */
void network_actors_run(const char *platform_file, struct network_host *hosts, uint32_t count,
                        struct network_use *use);
