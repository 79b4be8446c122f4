#include "app/chain/queue_simulate.h"

#include <math.h>

#include "base/command.h"
#include "base/process/child_words.h"
#include "sim/simgrid/simgrid_module.h"
#include "app/chain/chain_predict.h"

/* A line, or a network. */
struct call {
    const struct queue_line *line;
    struct queue_line_result *result;
    const struct queue_network *network;
    struct queue_network_result *network_result;
    struct why *why;
    int status;
};

static void run(void *data)
{
    struct call *c = data;
    const struct simgrid_module *simgrid = simgrid_module(c->why);
    c->status = c->line ? simgrid->run_queue_line(c->line, c->result, c->why)
                        : simgrid->run_queue_network(c->network, c->network_result, c->why);
}

int queue_simulate(const struct queue_line *line, struct queue_line_result *result,
                   const struct queue_network *network, struct queue_network_result *network_result,
                   struct why *why)
{
    struct call call = {line, result, network, network_result, why, 0};
    if (!simgrid_module(why))
        return COMMAND_REFUSED;
    if (!child_words_try(run, &call))
        return why_no_memory(why, COMMAND_REFUSED);
    run(&call);
    return call.status ? COMMAND_FAILED : 0;
}

int queue_simulate_open_chain(const char *path, double input_per_s, struct chain *chain,
                              struct queue_line *line, double *scale, struct why *why)
{
    int status = command_status_of(chain_file_read(path, chain, why));
    if (status)
        return status;
    status = chain_line_make(chain, isnan(input_per_s) ? 0 : input_per_s, line, scale, why);
    if (status == 0 && queue_line_check(line, why) == 0)
        return 0;
    return why_precede(why, COMMAND_REFUSED,
                       status ? "%.300s: " : "%.300s, in units of its fastest service: ", path);
}
