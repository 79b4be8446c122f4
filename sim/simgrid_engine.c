#include "sim/simgrid_engine.h"

#include <string.h>

#include <simgrid/link.h>
#include <simgrid/version.h>
#include <xbt/config.h>

/* `surf/precision` became `precision/timing` in 3.34. */
#if SIMGRID_VERSION >= 33400
#define PRECISION_KEY "precision/timing"
#else
#define PRECISION_KEY "surf/precision"
#endif

void simgrid_engine_start(const char *platform_file)
{
    char *arguments[] = {"mercury", "--log=root.thres:critical", "--cfg=network/model:CM02",
                         "--cfg=network/crosstraffic:0", NULL};
    int count = 4;
    simgrid_init(&count, arguments);
    sg_cfg_set_double(PRECISION_KEY, SIMGRID_PRECISION_S);
    simgrid_load_platform(platform_file);
}

const char *simgrid_engine_try(const char *platform_file)
{
    simgrid_engine_start(platform_file);
    sg_host_t host = sg_host_by_name("host"), board = sg_host_by_name("fpga");
    unsigned disks = 0;
    sg_disk_t *disk = NULL;
    if (!host || !board || !sg_link_by_name("pcix"))
        return "SimGrid finds no host 'host', host 'fpga' or link 'pcix'";
    sg_host_get_disks(host, &disks, &disk);
    if (disks == 0)
        return "host 'host' has no disk 'memory'";
    if (sg_host_get_route_bandwidth(host, board) <= 0)
        return "no route between 'host' and 'fpga' over 'pcix'";
    return NULL;
}

void simgrid_engine_add_actor(const char *name, sg_host_t host, void (*code)(int, char **), void *data)
{
    sg_actor_t actor = sg_actor_init(name, host);
    sg_actor_set_data(actor, data);
    sg_actor_start_(actor, code, 0, NULL);
}
