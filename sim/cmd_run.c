#include "sim/cmd_run.h"

#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blast/alignment.h"
#include "blast/scoring.h"
#include "blast/tabular.h"
#include "sim/campaign.h"
#include "sim/command.h"
#include "sim/hardware.h"
#include "sim/machine_frame.h"
#include "sim/output.h"
#include "sim/platform.h"
#include "sim/progress.h"
#include "sim/run_report.h"
#include "traces/summary.h"

const char cmd_run_help[] =
    "Usage: mercury run -q QUERY -d DATABASE [options]\n"
    "\n"
    "Compares a query with a database on the simulated Mercury machine: true alignments, and where the time "
    "goes.\n"
    "\n"
    "  -q, --query FILE      FASTA, plain or compressed with gzip or bgzip; - is standard input\n"
    "  -d, --database FILE   the same; streamed through the machine once a pass (65,400 query bases, one "
    "strand)\n"
    "  -o, --output DIR      write alignments.tsv, summary.json, histograms.tsv, validation.tsv and run.json "
    "there,\n"
    "                        and the readable summary to standard output\n"
    "  -a, --alignments FILE write the alignments there; - is standard output, the default without -o\n"
    "  -f, --format 6|7      BLAST tabular, 7 with comment lines (default 6)\n"
    "  -s, --strand S        of the query: plus, minus or both (default both: twice the passes)\n"
    "  -e, --evalue E        keep alignments with an E-value up to E (default 1e-3)\n"
    "  -p, --platform FILE   SimGrid platform with the machine's numbers (default: "
    "data/platforms/mercury-2010.xml)\n"
    "      --set NAME=VALUE  change one number of the machine; may be repeated\n"
    "      --dump-config     print all numbers with unit, range and meaning (TSV), and end\n"
    "  -j, --jobs N          simulate N passes at a time (default 1); the output is the same\n"
    "      --quiet           no progress, no summary\n"
    "  -h, --help            this text\n"
    "\n"
    "Examples:\n"
    "  mercury run -q lambda_virus.fa.gz -d NC_008253.fna.gz -o out\n"
    "  mercury run -q q.fa -d d.fa --set fifo.wmer=64 --set table.family=xxh3 --quiet | sort -k12,12nr | "
    "head\n"
    "  gzip -dc big.fa.gz | mercury run -q genes.fa -d - -s plus -e 1e-10 -a hits.tsv\n"
    "\n"
    "Without -o the alignments go to standard output and the summary to standard error.\n";

enum { ASSIGNMENTS_MAX = 256 };

struct options {
    const char *query, *database, *platform, *directory, *alignments;
    const char *assignments[ASSIGNMENTS_MAX];
    int assignment_count;
    enum strand_choice strands;
    double e_value;
    unsigned jobs;
    int format;
    bool dump_config, quiet, help;
};

/* A run, from its arguments to its files. */
struct session {
    struct options options;
    run_validator *validate;
    char platform_path[PATH_MAX];
    struct platform *platform;
    struct hardware hardware;
    struct scoring_statistics statistics;
    struct sequences query, database;
    struct query_segment *segments;
    size_t pass_count;
    struct campaign_result result;
    double begin_s, read_s, simulate_s;
    char *why;
    size_t why_size;
};

/* --- arguments ------------------------------------------------------------------------------------------- */

static int refuse(char *why, size_t why_size, const char *what)
{
    snprintf(why, why_size, "%s", what);
    return COMMAND_REFUSED;
}

static int refuse_option(char *why, size_t why_size, const char *option, const char *value,
                         const char *expected)
{
    snprintf(why, why_size, "%s %.60s: expected %s", option, value, expected);
    return COMMAND_REFUSED;
}

static int parse_strand(const char *text, enum strand_choice *strands)
{
    static const struct {
        const char *name;
        enum strand_choice strands;
    } names[] = {{"plus", STRANDS_PLUS}, {"minus", STRANDS_MINUS}, {"both", STRANDS_BOTH}};
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(text, names[i].name) == 0) {
            *strands = names[i].strands;
            return 0;
        }
    return -1;
}

static int parse_number(const char *text, double least, double most, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= least && *number <= most ? 0 : -1;
}

enum { OPTION_SET = 256, OPTION_DUMP_CONFIG, OPTION_QUIET };

static const struct option long_options[] = {
    {"query", required_argument, NULL, 'q'},
    {"database", required_argument, NULL, 'd'},
    {"platform", required_argument, NULL, 'p'},
    {"output", required_argument, NULL, 'o'},
    {"alignments", required_argument, NULL, 'a'},
    {"format", required_argument, NULL, 'f'},
    {"strand", required_argument, NULL, 's'},
    {"evalue", required_argument, NULL, 'e'},
    {"jobs", required_argument, NULL, 'j'},
    {"set", required_argument, NULL, OPTION_SET},
    {"dump-config", no_argument, NULL, OPTION_DUMP_CONFIG},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int take_option(struct options *o, int option, const char *argument, char *why, size_t why_size)
{
    double number = 0;
    switch (option) {
    case 'q':
        o->query = argument;
        return 0;
    case 'd':
        o->database = argument;
        return 0;
    case 'p':
        o->platform = argument;
        return 0;
    case 'o':
        o->directory = argument;
        return 0;
    case 'a':
        o->alignments = argument;
        return 0;
    case 'f':
        o->format = strcmp(argument, "6") == 0 ? 6 : strcmp(argument, "7") == 0 ? 7 : 0;
        return o->format ? 0 : refuse_option(why, why_size, "--format", argument, "6 or 7");
    case 's':
        return parse_strand(argument, &o->strands) == 0
                   ? 0
                   : refuse_option(why, why_size, "--strand", argument, "plus, minus or both");
    case 'e':
        return parse_number(argument, 1e-300, 1e6, &o->e_value) == 0
                   ? 0
                   : refuse_option(why, why_size, "--evalue", argument, "a number from 1e-300 to 1e6");
    case 'j':
        if (parse_number(argument, 1, 1024, &number) != 0 || number != (unsigned)number)
            return refuse_option(why, why_size, "--jobs", argument, "a whole number from 1 to 1024");
        o->jobs = (unsigned)number;
        return 0;
    case OPTION_SET:
        if (o->assignment_count == ASSIGNMENTS_MAX)
            return refuse(why, why_size, "too many --set; write a platform file instead");
        o->assignments[o->assignment_count++] = argument;
        return 0;
    case OPTION_DUMP_CONFIG:
        o->dump_config = true;
        return 0;
    case OPTION_QUIET:
        o->quiet = true;
        return 0;
    case 'h':
        o->help = true;
        return 0;
    default:
        return -1;
    }
}

static int parse_options(int argc, char **argv, struct options *o, char *why, size_t why_size)
{
    *o = (struct options){.strands = STRANDS_BOTH, .e_value = 1e-3, .jobs = 1, .format = 6};
    opterr = 0;
    optind = 1;
    int option;
    while ((option = getopt_long(argc, argv, ":q:d:p:o:a:f:s:e:j:h", long_options, NULL)) != -1) {
        if (option == ':' || option == '?') {
            snprintf(why, why_size, "%.60s: %s; see mercury help run", argv[optind - 1],
                     option == ':' ? "needs a value" : "no such option");
            return COMMAND_REFUSED;
        }
        int status = take_option(o, option, optarg, why, why_size);
        if (status)
            return status;
    }
    if (optind < argc) {
        snprintf(why, why_size, "%.60s: what is this? options take a value behind them; see mercury help run",
                 argv[optind]);
        return COMMAND_REFUSED;
    }
    if (o->help || o->dump_config)
        return 0;
    if (!o->query || !o->database)
        return refuse(why, why_size,
                      "needs a query (-q FILE) and a database (-d FILE); see mercury help run");
    if (strcmp(o->query, "-") == 0 && strcmp(o->database, "-") == 0)
        return refuse(why, why_size, "query and database cannot both be standard input");
    return 0;
}

/* --- the machine ----------------------------------------------------------------------------------------- */

/* The platform that comes with Mercury: beside the program where it was built, or where it was installed. */
static int find_default_platform(char *path, size_t size)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return -1;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    static const char *const places[] = {"../../data", "../share/mercury"};
    for (unsigned i = 0; i < 2; i++) {
        char candidate[PATH_MAX + 64];
        snprintf(candidate, sizeof candidate, "%s/%s/platforms/mercury-2010.xml", program, places[i]);
        if (realpath(candidate, path) && strlen(path) < size)
            return 0;
    }
    return -1;
}

static int load_machine(struct session *s)
{
    const struct options *o = &s->options;
    s->hardware = hardware_default();
    if (o->platform)
        snprintf(s->platform_path, sizeof s->platform_path, "%s", o->platform);
    else if (find_default_platform(s->platform_path, sizeof s->platform_path) != 0)
        return refuse(s->why, s->why_size, "no platform file found beside the program; name one with -p");
    if (platform_open(s->platform_path, &s->hardware, &s->platform, s->why, s->why_size) != 0)
        return COMMAND_REFUSED;
    for (int i = 0; i < o->assignment_count; i++) {
        char what[512];
        if (hardware_set_assignment(&s->hardware, o->assignments[i], what, sizeof what) != 0) {
            snprintf(s->why, s->why_size, "--set %s", what);
            return COMMAND_REFUSED;
        }
    }
    if (hardware_check(&s->hardware, s->why, s->why_size) != 0 ||
        scoring_statistics_compute(&s->hardware.scoring, &s->statistics, s->why, s->why_size) != 0)
        return COMMAND_REFUSED;
    return 0;
}

/* --- input ----------------------------------------------------------------------------------------------- */

static int read_sequences(struct session *s, const char *path, const char *what, struct sequences *out)
{
    if (sequences_read(path, out, s->why, s->why_size) != 0)
        return COMMAND_REFUSED;
    if (wmer_in_sequences(out))
        return 0;
    snprintf(
        s->why, s->why_size,
        "%s: the %s has no %d consecutive bases of A, C, G and T, which every seed needs; give a longer or "
        "less ambiguous one",
        strcmp(path, "-") == 0 ? "standard input" : path, what, WMER_BASES);
    return COMMAND_REFUSED;
}

static int read_input(struct session *s)
{
    double begin_s = progress_wall_s();
    int status = read_sequences(s, s->options.query, "query", &s->query);
    if (status == 0)
        status = read_sequences(s, s->options.database, "database", &s->database);
    s->read_s = progress_wall_s() - begin_s;
    return status;
}

/* Find out that nothing can be written before the work, not after it. */
static int probe_outputs(struct session *s)
{
    const struct options *o = &s->options;
    if (o->directory && output_make_directory(o->directory, s->why, s->why_size) != 0)
        return COMMAND_REFUSED;
    if (o->directory) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/run.json", o->directory);
        if (output_probe(path, s->why, s->why_size) != 0)
            return COMMAND_REFUSED;
    }
    if (o->alignments && output_probe(o->alignments, s->why, s->why_size) != 0)
        return COMMAND_REFUSED;
    return 0;
}

/* --- the run --------------------------------------------------------------------------------------------- */

static int refuse_memory(struct session *s)
{
    refuse(s->why, s->why_size, "out of memory");
    return COMMAND_FAILED;
}

/* Least score that any query record's search space lets pass the E-value. */
static int least_score(const struct session *s)
{
    int least = INT_MAX;
    for (size_t i = 0; i < s->query.record_count; i++) {
        double space = scoring_search_space(&s->statistics, s->query.records[i].bases, s->database.bases,
                                            s->database.record_count);
        int score = scoring_least_score(&s->statistics, s->options.e_value, space);
        least = score < least ? score : least;
    }
    return least;
}

static int simulate(struct session *s)
{
    s->segments = segments_cut(s->query.positions, s->hardware.query_segment, s->hardware.query_overlap,
                               s->options.strands, &s->pass_count);
    if (!s->segments)
        return refuse_memory(s);
    struct campaign campaign = {
        .hardware = &s->hardware,
        .platform_file = platform_simgrid_file(s->platform),
        .query = &s->query,
        .database = &s->database,
        .segments = s->segments,
        .pass_count = s->pass_count,
        .statistics = &s->statistics,
        .least_score = least_score(s),
        .jobs = s->options.jobs,
        .quiet = s->options.quiet,
    };
    double begin_s = progress_wall_s();
    if (campaign_run(&campaign, &s->result, s->why, s->why_size) != 0)
        return COMMAND_FAILED;
    if (alignment_list_finish(&s->result.alignments, &s->statistics, &s->query, &s->database,
                              s->options.e_value))
        return refuse_memory(s);
    s->simulate_s = progress_wall_s() - begin_s;
    return 0;
}

/* --- output ---------------------------------------------------------------------------------------------- */

static struct run_facts facts_of(const struct session *s)
{
    return (struct run_facts){
        .query_path = s->options.query,
        .database_path = s->options.database,
        .platform_path = s->platform_path,
        .query = &s->query,
        .database = &s->database,
        .hardware = &s->hardware,
        .frame = &s->result.run,
        .passes = s->pass_count,
        .alignments = s->result.alignments.count,
        .jobs = s->options.jobs,
        .e_value = s->options.e_value,
        .read_s = s->read_s,
        .simulate_s = s->simulate_s,
        .wall_s = progress_wall_s() - s->begin_s,
    };
}

static int write_alignments(const struct session *s, FILE *out)
{
    struct tabular_search search = {
        .query = &s->query,
        .database = &s->database,
        .database_name = s->options.database,
        .version = MERCURY_VERSION,
    };
    return s->options.format == 7 ? tabular_write_commented(out, &search, &s->result.alignments)
                                  : tabular_write(out, &search, &s->result.alignments);
}

static int write_summary(const struct session *s, FILE *out)
{
    return summary_write_json(&s->result.run, s->result.passes, s->pass_count, &machine_layout, out);
}

static int write_histograms(const struct session *s, FILE *out)
{
    return summary_write_histograms(&s->result.run, &machine_layout, out);
}

static int write_validation(const struct session *s, FILE *out)
{
    return s->validate(&s->result.run, &machine_layout, out, NULL);
}

static int write_run(const struct session *s, FILE *out)
{
    struct run_facts facts = facts_of(s);
    return run_report_write_json(&facts, out);
}

static int write_file(struct session *s, const char *path, int (*write)(const struct session *, FILE *))
{
    struct output output;
    if (output_open(&output, path, s->why, s->why_size) != 0)
        return COMMAND_REFUSED;
    int status = write(s, output.file);
    if (status != 0 && !ferror(output.file)) {
        output_discard(&output);
        return refuse(s->why, s->why_size, "out of memory while writing");
    }
    return output_commit(&output, s->why, s->why_size) != 0 ? COMMAND_REFUSED : 0;
}

/* run.json last: where it is, the others are whole. */
static int write_directory(struct session *s)
{
    static const struct {
        const char *name;
        int (*write)(const struct session *, FILE *);
    } files[] = {{"alignments.tsv", write_alignments},
                 {"summary.json", write_summary},
                 {"histograms.tsv", write_histograms},
                 {"validation.tsv", write_validation},
                 {"run.json", write_run}};
    int status = 0;
    for (unsigned i = 0; i < sizeof files / sizeof files[0] && status == 0; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", s->options.directory, files[i].name);
        status = write_file(s, path, files[i].write);
    }
    return status;
}

static int write_readable_summary(struct session *s, FILE *out)
{
    struct run_facts facts = facts_of(s);
    run_report_write_text(&facts, out);
    fprintf(out, "\nqueueing theory, fed with this run's rates and fractions (Dor 2010, four stages):\n");
    s->validate(&s->result.run, &machine_layout, NULL, out);
    return fflush(out) != 0 || ferror(out) ? refuse(s->why, s->why_size, "the summary cannot be written") : 0;
}

static int write_everything(struct session *s)
{
    const struct options *o = &s->options;
    bool alignments_on_stdout = o->alignments ? strcmp(o->alignments, "-") == 0 : !o->directory;
    int status = o->directory ? write_directory(s) : 0;
    if (status == 0 && (o->alignments || !o->directory))
        status = write_file(s, o->alignments ? o->alignments : "-", write_alignments);
    if (status == 0 && !o->quiet)
        status = write_readable_summary(s, alignments_on_stdout ? stderr : stdout);
    return status;
}

static void end_by_signal(int number)
{
    output_remove_partials();
    signal(number, SIG_DFL);
    raise(number);
}

static int run_session(struct session *s)
{
    int status = load_machine(s);
    if (status == 0 && s->options.dump_config) {
        hardware_dump(&s->hardware, stdout);
        return fflush(stdout) != 0 ? refuse(s->why, s->why_size, "standard output cannot be written") : 0;
    }
    if (status == 0)
        status = read_input(s);
    if (status == 0)
        status = probe_outputs(s);
    if (status == 0 && platform_prepare(s->platform, &s->hardware, s->why, s->why_size) != 0)
        status = COMMAND_REFUSED;
    if (status == 0)
        status = simulate(s);
    return status == 0 ? write_everything(s) : status;
}

int cmd_run(int argc, char **argv, run_validator *validate, char *why, size_t why_size)
{
    struct session s = {.validate = validate, .why = why, .why_size = why_size, .begin_s = progress_wall_s()};
    int status = parse_options(argc, argv, &s.options, why, why_size);
    if (status == 0 && s.options.help) {
        fputs(cmd_run_help, stdout);
        return 0;
    }
    if (status == 0) {
        signal(SIGINT, end_by_signal);
        signal(SIGTERM, end_by_signal);
        signal(SIGHUP, end_by_signal);
        status = run_session(&s);
    }
    campaign_result_destroy(&s.result);
    free(s.segments);
    sequences_destroy(&s.query);
    sequences_destroy(&s.database);
    platform_close(s.platform);
    return status;
}
