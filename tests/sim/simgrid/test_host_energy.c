/* test_host_energy.c - what machine_energy says of a host's cores is what SimGrid's plugin for host energy says,
 * whose power is Idle:Epsilon:AllCores with Idle = Epsilon = energy.host_idle (docs/hardware.md, "Energy"). */
#include "sim/measure/machine_energy.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/plugins/energy.h>

#include "sim/measure/machine_frame.h"
#include "tests/run_suite.h"

enum { CORES = 4 };

static const double CLOCK_HZ = 2e9, IDLE_W = 83, CORE_W = 16;

/* Clocks of each core; at most one task at a time is on a core. */
static const double tasks[][CORES] = {{0, 0, 0, 4e9}, {1e9, 2e9, 3e9, 4e9}, {4e9, 4e9, 4e9, 4e9}};

static void work(int argc, char **argv)
{
    (void)argc, (void)argv;
    sg_actor_execute(*(double *)sg_actor_self_get_data());
}

static double energy_of_plugin(const double clocks[CORES])
{
    char path[] = "/tmp/mercury-energy-XXXXXX.xml", name[] = "test", quiet[] = "--log=root.thres:error";
    int file = mkstemps(path, 4), argc = 2;
    ck_assert_int_ge(file, 0);
    dprintf(file,
            "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
            "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"host\" speed=\"%.0ff\" "
            "core=\"%d\"><prop id=\"wattage_per_state\" value=\"%g:%g:%g\"/></host></zone></platform>",
            CLOCK_HZ, CORES, IDLE_W, IDLE_W, IDLE_W + CORES * CORE_W);
    close(file);
    char *argv[] = {name, quiet, NULL};
    simgrid_init(&argc, argv);
    sg_host_energy_plugin_init();
    simgrid_load_platform(path);
    unlink(path);
    sg_host_t host = sg_host_by_name("host");
    double copies[CORES];
    memcpy(copies, clocks, sizeof copies);
    for (int i = 0; i < CORES; i++) {
        sg_actor_t actor = sg_actor_init("core", host);
        sg_actor_set_data(actor, &copies[i]);
        sg_actor_start(actor, work, 0, NULL);
    }
    simgrid_run();
    sg_host_energy_update_all();
    return sg_host_get_consumed_energy(host);
}

START_TEST(test_the_cores_take_what_the_plugin_says)
{
    struct frame run;
    struct hardware hardware = hardware_default();
    memset(&run, 0, sizeof run);
    hardware.host_clock_hz = CLOCK_HZ;
    hardware.energy = (struct energy_costs){.core_cycle_pj = 1e12 * CORE_W / CLOCK_HZ, .host_idle_w = IDLE_W};
    for (int i = 0; i < CORES; i++) {
        double busy_s = tasks[_i][i] / CLOCK_HZ;
        run.counters[S3_CORE_BUSY] += frame_picoseconds(busy_s);
        run.duration_s = fmax(run.duration_s, busy_s);
    }
    double ours = machine_energy_of(&run, &hardware, 0).total_j, theirs = energy_of_plugin(tasks[_i]);
    ck_assert_msg(fabs(ours - theirs) < 1e-6 * theirs, "%.9g J instead of %.9g", ours, theirs);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("host_energy");
    TCase *tcase = tcase_create("host_energy");
    tcase_add_loop_test(tcase, test_the_cores_take_what_the_plugin_says, 0, COUNT_OF(tasks));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
