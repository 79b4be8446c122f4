/* bus_bound.h - a machine on which nothing but the bus limits, for suites that count the bytes on it. */
#pragma once

#include "base/why.h"
#include "sim/board/hardware.h"
#include "tests/run_suite.h"

static struct why why;
static struct hardware hardware;

static void set(const char *assignment)
{
    ck_assert_msg(hardware_set_assignment(&hardware, assignment, &why) == 0, "%s", why.line);
}

/* Nothing but the bus limits: a host that has all at once, a board of 1 GHz. */
static void set_up(void)
{
    hardware = hardware_default();
    set("host.supply=1e15");
    set("fpga.clock=1e9");
}

static double bus(void)
{
    return hardware_bus_bytes_per_s(&hardware);
}
