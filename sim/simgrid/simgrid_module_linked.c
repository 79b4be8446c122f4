#include "sim/simgrid/simgrid_module.h"

void simgrid_module_begin(void)
{
}

void simgrid_module_wait(void)
{
}

const struct simgrid_module *simgrid_module(struct why *why)
{
    (void)why;
    return &mercury_simgrid;
}
