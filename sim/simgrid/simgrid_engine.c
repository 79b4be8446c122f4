#include "sim/simgrid/simgrid_engine.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <simgrid/link.h>
#include <xbt/config.h>

#include "base/file/file_io.h"

/* Stack of an actor; SimGrid's default is 8192. The deepest, a board's, takes 80 of them, and 120 with sanitizers,
 * which mark the whole stack whenever an actor begins and ends. A page behind each stack stops what exceeds it. */
enum { ACTOR_STACK_KIB = 256 };

/* SimGrid handles some signals itself, which are this process's own. */
static void start(const char *platform_file, char *log_level)
{
    static const int numbers[] = {SIGINT, SIGSEGV, SIGBUS};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    struct sigaction before[NUMBERS];
    char *arguments[] = {"mercury", log_level, "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
                         NULL};
    int count = 4;
    for (int i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], NULL, &before[i]);
    simgrid_init(&count, arguments);
    for (int i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], &before[i], NULL);
    sg_cfg_set_double(SIMGRID_PRECISION_KEY, SIMGRID_PRECISION_S);
    sg_cfg_set_int("contexts/stack-size", ACTOR_STACK_KIB);
    simgrid_load_platform(platform_file);
}

static bool started;

void simgrid_engine_start(const char *platform_file)
{
    if (!started)
        start(platform_file, "--log=root.thres:critical");
    started = true;
}

void simgrid_engine_drop_window(void)
{
    sg_cfg_set_double("network/TCP-gamma", 1e30);
}

bool simgrid_engine_start_text(const char *platform, size_t bytes)
{
    if (started)
        return true;
    int file = memfd_create("platform", MFD_CLOEXEC);
    if (file < 0)
        return false;
    bool written = file_io_write_all(file, platform, bytes);
    if (written)
        simgrid_engine_start(file_io_name(file).path);
    close(file);
    return written;
}

static const char one_host[] = "<?xml version='1.0'?>\n"
                               "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                               "<platform version=\"4.1\"><zone id=\"machine\" routing=\"None\">"
                               "<host id=\"fpga\" speed=\"1f\"/></zone></platform>\n";

bool simgrid_engine_start_one_host(void)
{
    return simgrid_engine_start_text(one_host, sizeof one_host - 1);
}

const char *simgrid_engine_try(const char *platform_file)
{
    start(platform_file, "--log=root.thres:error");
    sg_host_t host = sg_host_by_name("host"), board = sg_host_by_name("fpga");
    sg_link_t bus = sg_link_by_name("pcix");
    if (!host || !board || !bus)
        return "SimGrid does not find host 'host', host 'fpga' or link 'pcix'";
    if (!simgrid_engine_disk(host, "memory"))
        return "host 'host' has no disk 'memory'";
    double bandwidth = sg_link_get_bandwidth(bus);
    if (sg_host_get_route_bandwidth(host, board) != bandwidth ||
        sg_host_get_route_bandwidth(board, host) != bandwidth)
        return "the routes between 'host' and 'fpga', both ways, must be the link 'pcix'";
    return NULL;
}

sg_disk_t simgrid_engine_disk(sg_host_t host, const char *name)
{
    unsigned count = 0;
    sg_disk_t *disks = NULL, found = NULL;
    sg_host_get_disks(host, &count, &disks);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(sg_disk_get_name(disks[i]), name) == 0)
            found = disks[i];
    free(disks);
    return found;
}

void simgrid_engine_add_actor(const char *name, sg_host_t host, void (*code)(int, char **), void *data)
{
    sg_actor_t actor = sg_actor_init(name, host);
    sg_actor_set_data(actor, data);
    sg_actor_start_(actor, code, 0, NULL);
}

sg_mailbox_t simgrid_engine_mailbox(const char *name, uint32_t number)
{
    char text[40];
    snprintf(text, sizeof text, "%s %" PRIu32, name, number);
    return sg_mailbox_by_name(text);
}

/* --- for children ---------------------------------------------------------------------------------------- */

static void send_nothing(int argc, char **argv)
{
    (void)argc, (void)argv;
    sg_disk_t memory = simgrid_engine_disk(sg_host_self(), "memory");
    if (memory)
        sg_disk_read(memory, 0);
    sg_actor_execute(0);
    sg_mailbox_put(sg_mailbox_by_name("nothing"), &started, 0);
}

static void receive_nothing(int argc, char **argv)
{
    (void)argc, (void)argv;
    sg_mailbox_get(sg_mailbox_by_name("nothing"));
}

void simgrid_engine_start_for_children(const char *platform_file)
{
    if (started)
        return;
    simgrid_engine_start(platform_file);
    sg_host_t host = sg_host_by_name("host"), board = sg_host_by_name("fpga");
    if (sg_host_get_route_latency(host, board) > 0)
        return;
    simgrid_engine_add_actor("sender", host, send_nothing, NULL);
    simgrid_engine_add_actor("receiver", board, receive_nothing, NULL);
    simgrid_run();
    assert(simgrid_get_clock() == 0);
}
