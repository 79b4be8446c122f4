/* agent_cost.h - what measuring takes of a board's FPGA: TimeTrial's agent in hardware.
 *
 * Models    Table I of Lancaster et al. 2011 for any directives: the agent itself, and what it has for each distinct
 *           frame, each place that is looked at, and each value of a frame record, at prices of
 *           data/words/agent_costs.tsv. A histogram or a sketch of more than BOARD_LUT_PLACES bins is in block RAM, as
 *           a FIFO is (board_costs.h).
 * Known     are Table I's four sums only. Prices are estimates, and what the agent itself takes is fitted: with it the
 *           set timetrial2011 takes what Table I prints.
 * Leaves out the stamps that elements carry along for latencies; what is measured in software, which takes nothing; and
 *           the design that is measured.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/why.h"
#include "sim/board/fpga_device.h"
#include "sim/measure/measure_plan.h"

enum agent_resource { AGENT_FLIP_FLOPS, AGENT_LUTS, AGENT_BLOCKS, AGENT_MULTIPLIERS, AGENT_RESOURCES };

struct agent_cost {
    uint64_t of[AGENT_RESOURCES]; /* all 0 if nothing is measured on the board */
};

struct agent_cost agent_cost_of(const struct measure_plan *plan);

/** @return 0, or -1 and a line if the device has too little; FPGA_NONE has enough of everything */
int agent_cost_check(const struct agent_cost *cost, enum fpga_device device, struct why *why);

/** Write a line for each resource: used, available, percent; nothing for FPGA_NONE. */
void agent_cost_write(const struct agent_cost *cost, enum fpga_device device, FILE *out);
