/* run_network.h - the network of a run's hosts, simulated in a child.
 *
 * Models    sim/simgrid/network_actors.h. What the hosts get is their part of the query, packed as on the bus, 16 bases
 *           in a word of 8 bytes: the segments of their passes, or, if the database is dealt, the whole query once.
 *           What they send is network.result_bytes for each alignment that their passes found, before they are culled.
 * Errors    an enum pass_error and one line.
 */
#ifndef MERCURY_SIM_PASS_RUN_NETWORK_H
#define MERCURY_SIM_PASS_RUN_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/segment.h"
#include "sim/board/hardware.h"
#include "sim/simgrid/network_actors.h"

/** The query, as far as it matters on the network. */
struct network_query {
    uint64_t positions;                   /* of the whole query */
    const struct query_segment *segments; /* of each pass */
    size_t pass_count;
};

/** Number of bytes of the query that a host gets. */
uint64_t run_network_query_bytes(const struct hardware *hardware, const struct network_query *query,
                                 uint32_t host);

/** Simulate the network between `count` hosts, the first of hardware->hosts.
 *
 * @param platform_file  that simgrid_load_platform() takes, written for this hardware
 */
int run_network(const char *platform_file, struct network_host *hosts, uint32_t count,
                struct network_use *use, struct why *why);

#endif
