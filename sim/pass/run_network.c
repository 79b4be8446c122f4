#include "sim/pass/run_network.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/child_words.h"
#include "base/process/signals.h"
#include "sim/pass/pass_simulation.h"
#include "sim/simgrid/simgrid_module.h"

static uint64_t packed_bytes(uint64_t positions)
{
    return (positions + BASES_PER_WORD - 1) / BASES_PER_WORD * BYTES_PER_WORD;
}

uint64_t run_network_query_bytes(const struct hardware *hardware, const struct network_query *query,
                                 uint32_t host)
{
    size_t passes = hardware_passes_of(hardware, host, query->pass_count);
    uint64_t bytes = 0;
    if (hardware_deals_database(hardware))
        return packed_bytes(query->positions);
    for (size_t i = 0; i < passes; i++)
        bytes += packed_bytes(query->segments[hardware_pass_of(hardware, host, i)].length);
    return bytes;
}

/* What the child tells, in memory that it shares with its parent. */
struct told {
    bool ended;
    struct network_use use;
    struct network_host hosts[HARDWARE_HOSTS_MAX];
};

static void simulate(const struct simgrid_module *simgrid, const char *platform_file, uint32_t count,
                     struct told *told)
{
    simgrid->run_network(platform_file, told->hosts, count, &told->use);
    told->ended = true;
}

static int run_child(const char *platform_file, uint32_t count, struct told *told, struct why *why)
{
    const struct simgrid_module *simgrid = simgrid_module(why);
    int exit_status = 0;
    if (!simgrid)
        return PASS_EENGINE;
    fflush(NULL);
    int words = child_words_new();
    pid_t process = signals_fork();
    if (process == 0) {
        child_words_keep(words);
        simulate(simgrid, platform_file, count, told);
        _exit(0);
    }
    if (process < 0 || waitpid(process, &exit_status, 0) < 0) {
        child_words_drop(words);
        return why_say(why, errno == ENOMEM ? PASS_EMEMORY : PASS_EPROCESS,
                       "cannot start a process for the network: %s", strerror(errno));
    }
    if (child_words_end(words, exit_status)) {
        why_no_memory(why, PASS_EMEMORY);
        return why_precede(why, PASS_EMEMORY, "the network of the hosts: ");
    }
    if (told->ended)
        return 0;
    return why_say(why, PASS_EPROCESS, "the process of the network ended too early (status %d)", exit_status);
}

int run_network(const char *platform_file, struct network_host *hosts, uint32_t count,
                struct network_use *use, struct why *why)
{
    struct told *told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        return why_no_memory(why, PASS_EMEMORY);
    memcpy(told->hosts, hosts, count * sizeof *hosts);
    int status = run_child(platform_file, count, told, why);
    if (status == 0) {
        memcpy(hosts, told->hosts, count * sizeof *hosts);
        *use = told->use;
    }
    munmap(told, sizeof *told);
    return status;
}
