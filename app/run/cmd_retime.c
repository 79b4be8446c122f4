#include "app/commands.h"

#include <getopt.h>
#include <string.h>

#include "base/command.h"
#include "base/why.h"
#include "sim/board/machine_part.h"
#include "app/rank/rank_link.h"
#include "app/run/run_session.h"

/* The files are those that `mercury run` would write with the same numbers, but for run.json's wall clock. Numbers that
 * change what the stages compute cannot be changed; a number that is not known to be one of timing counts as such. */
static const char command_help[] =
    "Usage: mercury retime RECORD [options]\n"
    "\n"
    "Times a recorded run again with other queues, latencies, clocks, bus or host.\n"
    "The results are those of a full run with the same numbers, but the stages are\n"
    "not computed again. RECORD is a file that mercury run --record has written.\n"
    "\n"
    "Machine\n"
    "      --set NAME=VALUE   change one number of the recorded machine; may be\n"
    "                         repeated. These numbers are of timing: fpga.*,\n"
    "                         pcix.*, host.*, fifo.*, hsp.bytes, sram.*,\n"
    "                         stage2.fetch_cycles, stage3.*, schedule.overlap,\n"
    "                         boards, bus.count, network.*, clock.*, measure.*,\n"
    "                         energy.* and bloom.copies;\n"
    "                         hosts, too, unless distribution is database.\n"
    "                         The others change what the stages compute and need\n"
    "                         mercury run (all numbers: mercury run --dump-config)\n"
    "  -p, --platform FILE    SimGrid platform with the machine's numbers (default:\n"
    "                         the recorded machine)\n"
    "      --machine NAME     instead of -p: a machine that comes with Mercury, see\n"
    "                         mercury platforms\n"
    "  -j, --jobs N           simulate N passes at a time (default: one per\n"
    "                         processor); the results do not depend on it\n" RUN_OPTIONS_HELP_MEMORY "\n"
    "What limits the run\n"
    "      --free PART        print how long the run takes if a part of the machine\n"
    "                         takes no time, and nothing else; PART is host (its\n"
    "                         supply), bus, 1a, 1bp, 1bd, 2, cores, alignment (one\n"
    "                         core at one alignment), tables (built and loaded in no\n"
    "                         time), build (built in no time), join (alignments\n"
    "                         across segments), network, or all: each in turn, what\n"
    "                         saves most first\n"
    "\n"
    "Output\n" RUN_OPTIONS_HELP_OUTPUT
    "  -f, --format F         6: BLAST's table (default); 7: with comment lines; with\n"
    "                         names of columns as in mercury run, but for those that\n"
    "                         show bases: qseq, sseq, btop\n"
    "      --quiet            show no progress and print no summary\n"
    "\n" RUN_OPTIONS_HELP_MEASURE "  -h, --help             print this text\n"
    "\n"
    "Examples:\n"
    "  mercury run -q lambda_virus.fa.gz -d NC_008253.fna.gz -o out --record l.tokens\n"
    "  mercury retime l.tokens --set fifo.wmer=64 --set fpga.clock=200e6 -o faster\n"
    "  mercury retime l.tokens --free all\n"
    "  for k in 16 32 64 130 260\n"
    "  do mercury retime l.tokens --set fifo.wmer=$k -o out.$k --quiet\n"
    "  done\n";

static const struct command_option options[] = {
    COMMAND_TEXT("free", 0, struct run_request, free_part),
    COMMAND_TABLE(run_options_of_passes, struct run_request, shared),
    COMMAND_TABLE(run_options_of_output, struct run_request, shared),
    COMMAND_OPTIONS_END,
};

/* Times with a free part are all that is known of it: such a machine has no taps. */
static int check_free_part(const struct run_request *request, struct why *why)
{
    const struct run_options *o = &request->shared;
    const char *other = o->directory          ? "-o"
                        : o->alignments       ? "-a"
                        : o->measure          ? "--measure"
                        : o->charge           ? "--charge-measurement"
                        : run_options_draw(o) ? "what is drawn"
                                              : NULL;
    if (other)
        return why_say(why, COMMAND_REFUSED, "--free prints times and writes no files; leave out %s", other);
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
        return why_say(why, COMMAND_REFUSED,
                       "needs a record, e.g. mercury retime run.tokens; see mercury help retime");
    request.tokens = argv[optind];
    if (status == 0 && request.free_part)
        status = check_free_part(&request, why);
    return status ? status : run_session(&request, why);
}

const struct command command_retime = {
    .name = "retime",
    .usage = "retime RECORD",
    .purpose = "time a recorded run on another machine",
    .help = command_help,
    .options = options,
    .call = run_command,
};
