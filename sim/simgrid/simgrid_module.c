#include "sim/simgrid/simgrid_module.h"

#include "sim/simgrid/simgrid_engine.h"

const struct simgrid_module mercury_simgrid = {
    .start_for_children = simgrid_engine_start_for_children,
    .try_platform = simgrid_engine_try,
    .run_system = system_run,
    .run_host = host_actors_run,
    .run_network = network_actors_run,
    .run_events = events_run,
    .run_queue_line = queue_line_run,
    .run_queue_network = queue_network_run,
    .run_script = script_actors_run,
};
