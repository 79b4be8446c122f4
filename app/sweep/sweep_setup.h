/* sweep_setup.h - from the arguments of sweep and advise to a plan: options, scenario, machine, inputs.
 *
 * Scenario  a text file of options, one per line without its dashes; `#` begins a comment:
 *
 *               query   lambda_virus.fa.gz
 *               set     table.family=xxh3
 *               vary    table.slots=2^14..2^20
 *
 *           It is named as a file or as one of data/scenarios. Options of the command line follow its own.
 * Errors    COMMAND_* and one line, with file and line if the scenario is wrong.
 */
#pragma once

#include <limits.h>

#include "base/draw/result_table.h"
#include "base/why.h"
#include "app/run/run_options.h"
#include "app/run/search_options.h"
#include "app/rank/rank_link.h"
#include "app/sweep/draw/sweep_picture.h"
#include "app/sweep/point/sweep_plan.h"

enum { SWEEP_FILES_MAX = 256 };

struct sweep_options {
    struct run_options shared;
    struct search_options search; /* its strands and E-value; query and database are lists: */
    const char *store, *columns;
    enum fpga_device device;   /* FPGA_NONE: that of the machine */
    const char *best_platform; /* of advise: file for the machine that it advises, or NULL */
    const char *report;        /* of advise: file for its page, or NULL */
    enum result_format answer; /* of advise */
    const char *queries[SWEEP_FILES_MAX], *databases[SWEEP_FILES_MAX], *axes[SWEEP_AXES_MAX];
    size_t query_count, database_count, axis_count;
    const char *part; /* "2/4": the second of four parts of the points; NULL: all */
    size_t samples;
    uint64_t seed;
    double loss;                                        /* share of 1 */
    struct sweep_ask ask;                               /* of plot and report; `keep` also of advise */
    const char *formats;                                /* of plot */
    double block_ram_bits, sram_bits, energy_j, time_s; /* limits; HUGE_VAL: none */
    struct sweep_scenario *scenario; /* NULL if there is none; the other members point to its text */
};

/** Table of the options that sweep and advise share, for COMMAND_TABLE. */
extern const struct command_option sweep_options_shared[];

/** Parse a scenario, if one comes first, and options.
 *
 * @param command    for messages: sweep, advise
 * @param options    its table; the fields are those of struct sweep_options
 * @param arguments  out, for sweep_options_destroy()
 * @return an enum command_status
 */
int sweep_options_parse(const char *command, const struct command_option *options, int argc, char **argv,
                        struct sweep_options *arguments, struct why *why);
void sweep_options_destroy(struct sweep_options *arguments);

/** What a sweep reads before it makes its plan, and the plan. */
struct sweep_setup {
    const struct sweep_options *options;
    struct rank_link *link;
    char platform_path[PATH_MAX];
    struct sequences *sequences; /* of the queries, then the databases */
    size_t sequence_count;
    struct sweep_input *inputs;
    struct sweep_request request;
    struct sweep_plan plan;
};

/** Read platform and inputs and parse the axes; the request is complete, the plan is not made. */
int sweep_setup_read(struct sweep_setup *setup, const struct sweep_options *options, struct why *why);
void sweep_setup_destroy(struct sweep_setup *setup);
