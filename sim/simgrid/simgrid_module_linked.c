#include "sim/simgrid/simgrid_module.h"

void simgrid_module_begin(void)
{
}

void simgrid_module_wait(void)
{
}

const struct simgrid_module *simgrid_module(char *why, size_t why_size)
{
    (void)why, (void)why_size;
    return &mercury_simgrid;
}
