/* run_session.h - one run of `mercury run` or `mercury retime`, from its request to its files.
 *
 * Work      reads the machine and the input, has the passes simulated (passes.h), measured and recorded, limits the
 *           alignments that are kept, and writes all files (run_output.h).
 * Tokens    come from the stages, or from a record, whose passes are timed again on another machine.
 * Checks    every fault of the request is found before the first pass is simulated.
 * Samples   --sample draws passes, simulates these only, and forecasts the whole run (run_forecast.h). --until does so
 *           again with more passes until the forecast is narrow; passes that have ended are kept meanwhile.
 * Ranks     under mpirun rank 0 does all this, and the other ranks simulate passes for it (run_ranks.h).
 * Signals   a signal that ends the process removes unfinished files first.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"
#include "blast/sequence/dust.h"
#include "blast/sequence/sequence_cut.h"
#include "app/run/run_options.h"
#include "app/run/run_ranks.h"
#include "app/run/sample_request.h"
#include "app/run/search_options.h"

/** A recorded run whose tokens are made again, for another machine: its inputs are read and must be what they were, and
 * nothing but the record is written. Neither times nor the machine's platform are needed for this. */
struct run_again {
    const struct token_record_facts *facts;
    const struct hardware *machine;   /* checked */
    struct passes_progress *progress; /* kept up to date */
};

/** A command: its working directory and its arguments, each with a NUL after it. */
struct command_line {
    char *bytes; /* for free() */
    size_t count;
};

/** What the user asks for. Texts are borrowed. */
struct run_request {
    /* The record to be timed again, for which only `shared` matters; NULL: the stages compute. */
    const char *tokens;
    const char *free_part; /* of `tokens`: only print the times without this part, or all; or NULL */
    struct run_options shared;
    struct search_options search;
    struct sample_request sample;
    unsigned preset;                 /* of scores, from 1; 0: those of the platform */
    const char *record;              /* file for mercury retime; NULL if there is none */
    bool events;                     /* also move every element through SimGrid */
    bool dust, lower_case;           /* what is masked of the query */
    struct sequence_range query_loc; /* of the query; all zeros: all of it */
    struct dust_rule dust_rule;
    struct alignment_limits limits; /* of what is kept */
    struct run_ranks *ranks;        /* that simulate passes together; NULL if there is one process */
    bool dump_config;               /* print the machine's numbers to standard output instead */
    const char *resume; /* directory of a run that was stopped and is to go on; NULL if there is none */
    struct pass_store *unfinished; /* that was opened there: the caller's to close; NULL if there is none */
    double keep_after_s;           /* passes that end later than that are kept for --resume */
    struct command_line command;   /* that asks for the run */
    char *command_text; /* the same as one line; of a run that goes on, the command that began it */
    bool only_record;   /* nothing but `record` is written, and nothing is timed */
    const struct run_again *again; /* of `only_record`; NULL: this is a run of its own */
};

int run_session(const struct run_request *request, struct why *why);

/** Make the tokens of a recorded run again, and record them. @param record  path of the new record */
int run_session_again(const struct run_again *again, const char *record, struct why *why);
