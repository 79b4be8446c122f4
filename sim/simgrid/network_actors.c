#include "sim/simgrid/network_actors.h"

#include <math.h>

#include "sim/simgrid/simgrid_engine.h"

struct network {
    struct network_use *use;
    uint32_t messages; /* number of those under way */
    double busy_since_s;
};

/* A host other than the first one. */
struct peer {
    struct network *network;
    struct network_host *host;
    sg_mailbox_t queries, results;
};

/* SimGrid requires a payload. */
static char payload;

static void send_message(struct network *n, sg_mailbox_t to, uint64_t bytes)
{
    if (n->messages++ == 0)
        n->busy_since_s = simgrid_get_clock();
    sg_mailbox_put(to, &payload, (long)bytes);
    if (--n->messages == 0)
        n->use->busy_s += simgrid_get_clock() - n->busy_since_s;
}

/* On the first host: one actor for each peer sends its part of the query and takes its results. */
static void serve_peer(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct peer *peer = sg_actor_self_get_data();
    send_message(peer->network, peer->queries, peer->host->query_bytes);
    sg_mailbox_get(peer->results);
    peer->host->arrived_s = simgrid_get_clock();
}

static void work(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct peer *peer = sg_actor_self_get_data();
    struct network_host *host = peer->host;
    sg_mailbox_get(peer->queries);
    host->begin_s = simgrid_get_clock();
    sg_actor_sleep_for(host->work_s);
    host->end_s = simgrid_get_clock();
    send_message(peer->network, peer->results, host->result_bytes);
}

void network_actors_run(const char *platform_file, struct network_host *hosts, uint32_t count,
                        struct network_use *use)
{
    struct peer peers[HARDWARE_HOSTS_MAX];
    struct network network = {.use = use};
    *use = (struct network_use){0};
    hosts[0].begin_s = 0;
    hosts[0].end_s = hosts[0].arrived_s = hosts[0].work_s;
    simgrid_engine_start(platform_file);
    simgrid_engine_drop_window();
    for (uint32_t i = 1; i < count; i++) {
        char name[HARDWARE_NAME_SIZE];
        hardware_element_name("host", i, name);
        peers[i] = (struct peer){.network = &network,
                                 .host = &hosts[i],
                                 .queries = simgrid_engine_mailbox("queries", i),
                                 .results = simgrid_engine_mailbox("results", i)};
        simgrid_engine_add_actor("first host", sg_host_by_name("host"), serve_peer, &peers[i]);
        simgrid_engine_add_actor("host", sg_host_by_name(name), work, &peers[i]);
    }
    simgrid_run();
    for (uint32_t i = 1; i < count; i++) {
        use->query_bytes += hosts[i].query_bytes;
        use->result_bytes += hosts[i].result_bytes;
        use->queries_s = fmax(use->queries_s, hosts[i].begin_s);
    }
}
