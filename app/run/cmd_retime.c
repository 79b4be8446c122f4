#include "app/commands.h"

#include <getopt.h>
#include <string.h>

#include "base/why.h"
#include "sim/board/machine_part.h"
#include "app/rank/rank_link.h"
#include "app/run/run_session.h"
#include "app/options.inc"

/* The files are those that `mercury run` would write with the same numbers, but for run.json's wall clock. Numbers that
 * change what the stages compute cannot be changed; a number that is not known to be one of timing counts as such. */
static const struct command_option options[] = COMMAND_OPTIONS(RETIME_OPTIONS);

/* Times with a free part are all that is known of it: such a machine has no taps. */
static int check_free_part(const struct run_request *request, struct why *why)
{
    const struct run_options *o = &request->shared;
    const char *other = o->directory          ? "-o"
                        : o->alignments       ? "-a"
                        : o->measure          ? "--measure"
                        : o->charge           ? "--charge-measurement"
                        : o->json             ? "--json"
                        : o->full             ? "--full"
                        : run_options_draw(o) ? "what is drawn"
                                              : NULL;
    if (other)
        return why_refuse(why, "--free prints a table of times and nothing else; leave out %s", other);
    if (strcmp(request->free_part, "all") == 0 || machine_part_find(request->free_part, why) >= 0)
        return 0;
    return why_precede(why, COMMAND_REFUSED, "--free: ");
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct run_request request = {.shared = run_options_default()};
    int status;
    if (rank_link_refuse("a record is timed again by one process, in little time; use -j instead of mpirun",
                         &status, why))
        return status;
    status = command_parse("retime", options, argc, argv, 1, &request, why);
    if (status == 0)
        status = run_options_complete(&request.shared, why);
    if (status == 0)
        status = run_options_refuse_bases(&request.shared, why);
    if (status == 0 && optind == argc)
        return why_refuse(why, "needs a record, e.g. mercury retime run.tokens; see mercury help retime");
    request.tokens = argv[optind];
    if (status == 0 && request.free_part)
        status = check_free_part(&request, why);
    return status ? status : run_session(&request, why);
}

const struct command command_retime = {options, run_command};
