/* replay_vary.h - published runs with one fraction of their draws varied: stage 1b's service rate and queues over it.
 *
 * Answers   what joins the two runs (Dor 2010, section 6.3): a lookup that makes a trip holds 1bd for the whole trip,
 *           and any other for a clock. So 1b takes 1 + (sram.trip_cycles - 1) x trips clocks for a seed, which is
 *           linear, and its queues fill where that is as long as seeds are apart, which is not.
 * Table     a row per run and value: the simulated service rate (seeds per second in which 1bd is busy, also while
 *           stage 2 holds it up), the rate by that rule, M_2 (SRAM reads per busy clock), the load (seeds offered by
 *           host and bus over the service rate), and N_Q of 1b; 95% intervals by batch means. Notes: the line through
 *           the clocks for a seed (least squares), where a run's load is 1, and what was published at the run's own
 *           value.
 * Random    every replay has a seed of its own, from that of the options on, so that the points are independent.
 * Picture   service rate and N_Q over the fraction, with the published values.
 * Errors    an enum command_status and one line.
 */
#pragma once


#include "base/draw/result_table.h"
#include "base/why.h"
#include "app/replay/replay.h"
#include "validate/dor2010.h"

struct replay_vary {
    const struct replay_options *options;           /* the scenario is that of no run */
    struct replay_scenario scenarios[DOR2010_RUNS]; /* with every --draw */
    unsigned runs;
    const char *range; /* NAME=RANGE of --vary */
};

/** Replay every run with every value, and write table and picture.
 *
 * @param path  of the table, as in result_table_save()
 * @param plot  of the picture; NULL: none
 */
int replay_vary_run(const struct replay_vary *vary, enum result_format format, const char *path,
                    const char *plot, struct why *why);
