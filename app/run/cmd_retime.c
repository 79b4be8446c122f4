#include "app/commands.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/progress.h"
#include "base/file/scratch_file.h"
#include "base/why.h"
#include "sim/board/hardware.h"
#include "sim/tokens/token_record.h"
#include "sim/run/measured_run.h"
#include "sim/run/measuring_cost.h"
#include "sim/run/part_times.h"
#include "sim/pass/passes.h"
#include "sim/platform/platform.h"
#include "sim/run/run_limits.h"
#include "app/run/measure_setup.h"
#include "app/rank/rank_environment.h"
#include "app/run/recorded_machine.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/run/search_options.h"

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

/* A re-timing, from its arguments to its files. */
struct session {
    struct run_options options;
    const char *record_path;
    const char *free_part; /* NULL if none is asked for */
    struct token_record *record;
    const struct token_record_facts *facts;
    char platform_path[PATH_MAX]; /* of -p or --machine */
    struct platform *platform;
    struct hardware hardware;
    struct measure_setup measure;
    struct passes_result result;
    struct run_brief *brief; /* of the host's tasks; NULL if nobody asks what limits the run */
    struct run_limits limits;
    struct measuring_cost cost;
    double begin_s, read_s, simulate_s;
    struct why *why;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

static const struct command_option options[] = {
    COMMAND_TEXT("free", 0, struct session, free_part),
    COMMAND_TABLE(run_options_of_passes, struct session, options),
    COMMAND_TABLE(run_options_of_output, struct session, options),
    COMMAND_OPTIONS_END,
};

/* Times with a free part are all that is known of it: such a machine has no taps. */
static int check_free_part(struct session *s)
{
    const struct run_options *o = &s->options;
    const char *other = o->directory          ? "-o"
                        : o->alignments       ? "-a"
                        : o->measure          ? "--measure"
                        : o->charge           ? "--charge-measurement"
                        : run_options_draw(o) ? "what is drawn"
                                              : NULL;
    if (other)
        return why_say(s->why, COMMAND_REFUSED, "--free prints times and writes no files; leave out %s",
                       other);
    if (strcmp(s->free_part, "all") == 0 || machine_part_find(s->free_part, s->why) >= 0)
        return 0;
    return why_precede(s->why, COMMAND_REFUSED, "--free: ");
}

static int parse_options(int argc, char **argv, struct session *s)
{
    s->options = run_options_default();
    int status = command_parse("retime", options, argc, argv, 1, s, s->why);
    if (status == 0)
        status = run_options_complete_drawing(&s->options, s->why);
    if (status == 0)
        status = run_options_check_mapq(&s->options, s->why);
    if (status == 0)
        status = run_options_refuse_bases(&s->options, s->why);
    if (status == 0 && optind == argc)
        return why_say(s->why, COMMAND_REFUSED,
                       "needs a record, e.g. mercury retime run.tokens; see mercury help retime");
    s->record_path = argv[optind];
    return status == 0 && s->free_part ? check_free_part(s) : status;
}

/* --- the machine ----------------------------------------------------------------------------------------- */

static int open_platform(struct session *s)
{
    s->hardware = hardware_default();
    if (!run_options_name_machine(&s->options))
        return recorded_machine_open(s->facts, &s->hardware, &s->platform, s->why);
    return run_options_open_platform(&s->options, s->platform_path, &s->hardware, &s->platform, s->why);
}

static int load_machine(struct session *s)
{
    int status = open_platform(s);
    if (status == 0)
        status = run_options_apply_sets(&s->options, &s->hardware, s->why);
    if (status == 0)
        status = recorded_machine_check(s->facts, &s->hardware, s->record_path,
                                        run_options_name_machine(&s->options), s->why);
    if (status == 0 && (hardware_check(&s->hardware, s->why) != 0 ||
                        platform_prepare(s->platform, &s->hardware, s->why) != 0))
        status = COMMAND_REFUSED;
    return status;
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int open_record(struct session *s)
{
    double begin_s = progress_wall_s();
    int status = command_status_of(token_record_open(s->record_path, &s->record, s->why));
    if (status)
        return status;
    s->facts = &token_record_run(s->record)->facts;
    s->read_s = progress_wall_s() - begin_s;
    return 0;
}

static struct passes passes_of(struct session *s)
{
    struct passes passes = {
        .hardware = &s->hardware,
        .platform_file = platform_simgrid_file(s->platform),
        .one_platform = true,
        .pass_count = s->facts->pass_count,
        .measure = s->measure.of_run ? NULL : s->measure.plan,
        .measured = s->measure.report,
        .drawing = run_options_draw(&s->options) ? &s->options.drawing : NULL,
        .jobs = run_options_jobs(&s->options, s->facts->pass_count),
        .quiet = s->options.quiet,
        .charge = s->options.charge,
        .query = s->facts->query,
        .segments = s->facts->segments,
        .recorded = s->record,
    };
    run_options_bound(&s->options, &passes);
    return passes;
}

static int find_limits(struct session *s, const struct passes *passes)
{
    const size_t every = run_limits_every(&s->hardware, passes->pass_count, s->facts->database->word_count);
    return run_limits_of_record(passes, every, true, &s->result, &s->limits, s->why);
}

static int simulate(struct session *s)
{
    struct passes passes = passes_of(s);
    double begin_s = progress_wall_s();
    if (!s->options.charge && (s->options.directory || !s->options.quiet) &&
        !(s->brief = run_brief_new(&s->hardware, passes.pass_count)))
        return why_no_memory(s->why, COMMAND_REFUSED);
    passes.brief = s->brief;
    int status = passes_run(&passes, &s->result, s->why);
    if (status == 0 && s->options.charge)
        status = measuring_cost_find(&passes, &s->result, s->record, &s->cost, s->why);
    if (status == 0 && s->measure.of_run)
        status =
            measured_run_time(&passes, &s->result, s->record, s->measure.plan, s->measure.report, s->why);
    if (status == 0 && s->brief)
        status = find_limits(s, &passes);
    s->simulate_s = progress_wall_s() - begin_s;
    return run_output_status(status);
}

/* --- free parts ------------------------------------------------------------------------------------------ */

struct part_time {
    enum machine_part part;
    double run_s;
};

static int compare_times(const void *a, const void *b)
{
    const struct part_time *left = a, *right = b;
    if (left->run_s != right->run_s)
        return left->run_s < right->run_s ? -1 : 1;
    return (int)left->part - (int)right->part;
}

static void write_part_times(double run_s, const struct part_time *times, size_t count)
{
    printf("  %-10s %12s %8s  %s\n", "free", "simulated ms", "faster", "then");
    printf("  %-10s %12.6g %8.4g  %s\n", "nothing", 1e3 * run_s, 1.0, "the machine is as given");
    for (size_t i = 0; i < count; i++)
        printf("  %-10s %12.6g %8.4g  %s\n", machine_parts[times[i].part].name, 1e3 * times[i].run_s,
               run_s / times[i].run_s, machine_parts[times[i].part].meaning);
}

static int time_free_parts(struct session *s)
{
    const struct passes passes = passes_of(s);
    struct part_time times[MACHINE_PARTS];
    double run_s;
    size_t count = 0;
    int status = part_times_find(&passes, MACHINE_PARTS, &run_s, s->why);
    for (unsigned part = 0; part < MACHINE_PARTS && status == 0; part++) {
        if (strcmp(s->free_part, "all") != 0 && strcmp(s->free_part, machine_parts[part].name) != 0)
            continue;
        times[count].part = part;
        status = part_times_find(&passes, part, &times[count++].run_s, s->why);
    }
    if (status)
        return run_output_status(status);
    qsort(times, count, sizeof *times, compare_times);
    write_part_times(run_s, times, count);
    return 0;
}

static int write_output(struct session *s)
{
    const struct token_record_facts *f = s->facts;
    const struct alignment_list *alignments = &token_record_run(s->record)->alignments;
    struct run_output output = {
        .options = &s->options,
        .result = &s->result,
        .measured = s->measure.report,
        .alignments = alignments,
        .facts =
            {
                .query_path = f->query_path,
                .database_path = f->database_path,
                .platform_path = run_options_name_machine(&s->options) ? s->platform_path : f->platform_path,
                .query = f->query,
                .database = f->database,
                .segments = f->segments,
                .hardware = &s->hardware,
                .frame = &s->result.run,
                .longest_cluster_s = s->result.host.longest_s,
                .network = &s->result.network,
                .run_limits = s->brief ? &s->limits : NULL,
                .clocks = s->result.clocks,
                .cost = s->options.charge ? &s->cost : NULL,
                .timeline = &s->result.timeline,
                .grain = s->result.grain,
                .waves = &s->result.waves,
                .passes = f->pass_count,
                .alignments = alignments->count,
                .strand = search_options_strand_name(token_record_strands(f)),
                .masking = f->masking,
                .limits = f->limits,
                .jobs = run_options_jobs(&s->options, s->facts->pass_count),
                .e_value = f->e_value,
                .wall = &s->result.wall,
                .read_s = s->read_s,
                .simulate_s = s->simulate_s,
                .wall_s = progress_wall_s() - s->begin_s,
                .record_path = s->record_path,
            },
    };
    return run_output_write(&output, s->why);
}

static int probe_output(struct session *s)
{
    struct file_uses uses = {0};
    file_uses_read(&uses, "the record", s->record_path);
    if (run_options_name_machine(&s->options))
        file_uses_read(&uses, "the platform", s->platform_path);
    return run_output_probe(&s->options, false, &uses, s->why);
}

static int run_session(struct session *s)
{
    int status = scratch_file_probe(s->why) != 0 ? COMMAND_REFUSED : open_record(s);
    if (status == 0)
        status = run_options_check_drawing(&s->options, s->facts->pass_count, s->why);
    if (status == 0)
        status = load_machine(s);
    if (status == 0 && s->free_part)
        return time_free_parts(s);
    if (status == 0)
        status = measure_setup_open(&s->measure, &s->options, &s->hardware, s->why);
    if (status == 0)
        status = probe_output(s);
    if (status == 0)
        status = simulate(s);
    return status == 0 ? write_output(s) : status;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct session s = {.why = why, .begin_s = progress_wall_s()};
    int status;
    if (rank_environment_refuse(
            "a record is timed again by one process, in little time; use -j instead of mpirun", &status, why))
        return status;
    status = parse_options(argc, argv, &s);
    if (status == 0) {
        run_output_begin();
        status = run_session(&s);
    }
    measure_setup_close(&s.measure);
    passes_result_destroy(&s.result);
    run_brief_destroy(s.brief);
    token_record_close(s.record);
    platform_close(s.platform);
    return status;
}

const struct command command_retime = {
    .name = "retime",
    .usage = "retime RECORD",
    .purpose = "time a recorded run on another machine",
    .help = command_help,
    .options = options,
    .call = run_command,
};
