/* sample_request.h - how a user asks for a sample of a run's passes (--sample, --until), of the database
 * (--sample-database), and of both; --seed.
 *
 * Errors    COMMAND_REFUSED and one line that names the option and says what it expects.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/command.h"
#include "base/why.h"

/** How much is drawn: a number, or a part of all, up to 1. Both are 0 if neither is given. */
struct sample_amount {
    uint64_t count;
    double part;
};

struct sample_request {
    struct sample_amount passes, database; /* the latter: bases */
    double until;  /* half the width of the interval at which drawing ends, as a fraction; 0: not given */
    uint64_t seed; /* of the random draws; 0 if it is not given */
    uint64_t window_bases, warm_up_bases; /* of each window; 0 if they are not given */
};

/** A table of options, for COMMAND_TABLE. */
extern const struct command_option sample_request_options[];

/** Whether a sample of the passes is asked for. */
bool sample_request_is_made(const struct sample_request *request);

/** Whether a sample of the database is. */
bool sample_request_is_of_database(const struct sample_request *request);

/** The windows of a database. */
struct sample_windows {
    uint64_t window_bases, warm_up_bases;
    size_t windows, drawn; /* numbers of them; equal if all are drawn */
};

/** Find out how many windows are drawn. @param positions  of the database */
int sample_request_windows(const struct sample_request *request, uint64_t positions,
                           struct sample_windows *windows, struct why *why);

/** Refuse options that contradict each other. */
int sample_request_check(const struct sample_request *request, struct why *why);

/** The random draws' seed. */
uint64_t sample_request_seed(const struct sample_request *request);

/** How many passes are drawn, of --until at first. @param count  out: `passes` if all are to be simulated */
int sample_request_count(const struct sample_request *request, size_t passes, size_t *count, struct why *why);

/** How many passes --until draws at most. */
size_t sample_request_most(size_t passes);

/** The options as they are written on the command line: " --sample 20"; "" without a sample. @return `text` */
const char *sample_request_text(const struct sample_request *request, char text[64]);
