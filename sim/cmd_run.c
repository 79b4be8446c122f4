#include "sim/cmd_run.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blast/search.h"
#include "blast/alignment.h"
#include "blast/alignment_limit.h"
#include "blast/dust.h"
#include "blast/sam.h"
#include "blast/scoring.h"
#include "sim/campaign.h"
#include "sim/command.h"
#include "sim/hardware.h"
#include "sim/measure_setup.h"
#include "sim/measuring_cost.h"
#include "sim/output.h"
#include "sim/platform.h"
#include "sim/progress.h"
#include "sim/run_input.h"
#include "sim/run_options.h"
#include "sim/search_options.h"
#include "sim/token_record.h"

const char cmd_run_help[] =
    "Usage: mercury run -q QUERY -d DATABASE [options]\n"
    "\n"
    "Compares a query with a database on the simulated Mercury machine: true alignments, and where the time "
    "goes.\n"
    "\n"
    "Input and search\n"
    "  -q, --query FILE      FASTA, plain or compressed with gzip or bgzip; - is standard input\n"
    "  -d, --database FILE   the same; streamed through the machine once a pass (65,400 query bases, one "
    "strand)\n"
    "  -s, --strand S        of the query: plus, minus or both (default both: twice the passes)\n"
    "      --scores NAME     classic: match 1, mismatch -3, gap 5 + 2 a column (default); blastn: 2, -3, 5 + "
    "2; megablast:\n"
    "                        1, -2, linear gaps of 2.5 a column. Any others with NCBI's statistics: --set "
    "score.*, gap\n"
    "                        costs 0 and 0 are linear. Stage 2's threshold goes with the scores unless it is "
    "set\n"
    "      --dust D          mask low complexity in the query: yes, no, or 'LEVEL WINDOW LINKER' (default "
    "no; yes is\n"
    "                        '20 64 1'). Masked bases start no alignment, but alignments go through them\n"
    "      --lcase-masking   mask the query's lower case likewise\n"
    "  -e, --evalue E        keep alignments with an E-value up to E (default 1e-3)\n"
    "      --max-target-seqs N  keep the N best subjects of a query record (default all)\n"
    "      --max-hsps N      keep the N best alignments of a query record with a subject (default all)\n"
    "\n"
    "Output\n" RUN_OPTIONS_HELP_OUTPUT
    "  -f, --format F        6: BLAST tabular (default); 7: with comment lines; 0: pairwise text for people; "
    "sam: SAM with\n"
    "                        = and X. In DIR alignments.txt is pairwise text, alignments.sam SAM.\n"
    "                        With 6 and 7 names of columns may follow in the same argument, as blastn has "
    "them:\n"
    "                        qseqid qacc qaccver qlen sseqid sallseqid sacc saccver sallacc slen qstart qend "
    "sstart send\n"
    "                        qseq sseq evalue bitscore score length pident nident mismatch positive gapopen "
    "gaps ppos\n"
    "                        frames qframe sframe btop stitle salltitles sstrand qcovs qcovhsp std (the "
    "default)\n"
    "      --quiet           no progress, no summary\n"
    "\n"
    "Machine\n"
    "  -p, --platform FILE   SimGrid platform with the machine's numbers (default: "
    "data/platforms/mercury-2010.xml)\n"
    "      --set NAME=VALUE  change one number of the machine; may be repeated\n"
    "      --record FILE     keep what the stages did, for mercury retime\n"
    "      --engine E        fast, or events: also move every element through SimGrid, and compare (default "
    "fast)\n"
    "      --paje FILE       trace of the first pass's events, in Paje's format (with --engine events)\n"
    "      --dump-config     print all numbers with unit, range and meaning (TSV)\n" RUN_OPTIONS_HELP_MEASURE
    "  -j, --jobs N          simulate N passes at a time (default 1); the output is the same\n"
    "  -h, --help            this text\n"
    "\n"
    "Examples:\n"
    "  mercury run -q lambda_virus.fa.gz -d NC_008253.fna.gz -o out\n"
    "  mercury run -q lambda_virus.fa.gz -d NC_008253.fna.gz --scores blastn --dust yes -f \"6 std qcovs "
    "btop\" --quiet\n"
    "  mercury run -q lambda_virus.fa.gz -d NC_008253.fna.gz -f sam --quiet | samtools sort -o lambda.bam\n"
    "  mercury run -q q.fa -d d.fa --set fifo.wmer=64 --set table.family=xxh3 --quiet | sort -k12,12nr | "
    "head\n"
    "  gzip -dc big.fa.gz | mercury run -q genes.fa -d - -s plus -e 1e-10 --max-target-seqs 5 -a hits.tsv\n"
    "\n"
    "Without -o the alignments go to standard output and the summary to standard error.\n";

struct options {
    struct run_options shared;
    struct search_options search;
    const char *scores, *record, *paje;
    bool events;
    bool dust, lower_case; /* what is masked */
    struct dust_rule dust_rule;
    uint64_t max_subjects, max_alignments; /* of a query, of a subject; 0: all */
    bool dump_config;
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
    struct token_record_writer *record;
    struct output paje;
    struct measure_setup measure;
    struct campaign_result result;
    struct measuring_cost cost;
    char tokens_path[PATH_MAX]; /* of the record; empty: none */
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

static int refuse_memory(struct session *s)
{
    refuse(s->why, s->why_size, "out of memory");
    return COMMAND_FAILED;
}

enum {
    OPTION_DUMP_CONFIG = RUN_OPTION_OWN,
    OPTION_RECORD,
    OPTION_ENGINE,
    OPTION_PAJE,
    OPTION_SCORES,
    OPTION_DUST,
    OPTION_LOWER_CASE,
    OPTION_MAX_SUBJECTS,
    OPTION_MAX_ALIGNMENTS
};

enum { ALIGNMENTS_MOST = 1000000000 }; /* that one may ask for */

static const struct option long_options[] = {
    RUN_OPTIONS_LONG,
    SEARCH_OPTIONS_LONG,
    {"scores", required_argument, NULL, OPTION_SCORES},
    {"max-target-seqs", required_argument, NULL, OPTION_MAX_SUBJECTS},
    {"max-hsps", required_argument, NULL, OPTION_MAX_ALIGNMENTS},
    {"dust", required_argument, NULL, OPTION_DUST},
    {"lcase-masking", no_argument, NULL, OPTION_LOWER_CASE},
    {"record", required_argument, NULL, OPTION_RECORD},
    {"engine", required_argument, NULL, OPTION_ENGINE},
    {"paje", required_argument, NULL, OPTION_PAJE},
    {"dump-config", no_argument, NULL, OPTION_DUMP_CONFIG},
    {NULL, 0, NULL, 0},
};

static int take_dust(struct options *o, const char *argument, char *why, size_t why_size)
{
    char what[256];
    o->dust = strcmp(argument, "no") != 0;
    if (!o->dust || dust_rule_parse(argument, &o->dust_rule, what, sizeof what) == 0)
        return 0;
    snprintf(why, why_size, "--dust %s", what);
    return COMMAND_REFUSED;
}

static int take_option(void *data, int option, const char *argument, char *why, size_t why_size)
{
    struct options *o = data;
    switch (option) {
    case OPTION_SCORES:
        o->scores = argument;
        return 0;
    case OPTION_MAX_SUBJECTS:
        return run_options_take_whole("--max-target-seqs", argument, 1, ALIGNMENTS_MOST, NULL,
                                      &o->max_subjects, why, why_size);
    case OPTION_MAX_ALIGNMENTS:
        return run_options_take_whole("--max-hsps", argument, 1, ALIGNMENTS_MOST, NULL, &o->max_alignments,
                                      why, why_size);
    case OPTION_DUST:
        return take_dust(o, argument, why, why_size);
    case OPTION_LOWER_CASE:
        o->lower_case = true;
        return 0;
    case OPTION_RECORD:
        o->record = argument;
        return 0;
    case OPTION_ENGINE:
        o->events = strcmp(argument, "events") == 0;
        return o->events || strcmp(argument, "fast") == 0
                   ? 0
                   : run_options_refuse("--engine", argument, "fast or events", why, why_size);
    case OPTION_PAJE:
        o->paje = argument;
        return 0;
    case OPTION_DUMP_CONFIG:
        o->dump_config = true;
        return 0;
    default:
        return search_options_take(&o->search, option, argument, why, why_size);
    }
}

static int check_options(const struct options *o, char *why, size_t why_size)
{
    const struct search_options *search = &o->search;
    if (!search->query || !search->database)
        return refuse(why, why_size,
                      "needs a query (-q FILE) and a database (-d FILE); see mercury help run");
    if (strcmp(search->query, "-") == 0 && strcmp(search->database, "-") == 0)
        return refuse(why, why_size, "query and database cannot both be standard input");
    if (o->paje && !o->events)
        return refuse(why, why_size, "--paje needs --engine events: only these have a trace");
    if (o->paje && strcmp(o->paje, "-") == 0)
        return refuse(why, why_size, "--paje -: expected the name of a file");
    if (o->record && strcmp(o->record, "-") == 0)
        return refuse(why, why_size, "--record -: expected the name of a file");
    return 0;
}

static int parse_options(int argc, char **argv, struct options *o, char *why, size_t why_size)
{
    *o = (struct options){.search = search_options_default()};
    struct run_option_parser parser = {
        .command = "run",
        .letters = ":" SEARCH_OPTIONS_LETTERS RUN_OPTIONS_LETTERS,
        .options = long_options,
        .shared = &o->shared,
        .own = o,
        .take_own = take_option,
    };
    int status = run_options_parse(&parser, argc, argv, why, why_size);
    if (status == 0)
        status = run_options_refuse_operand("run", argc, argv, why, why_size);
    if (status)
        return status;
    return o->shared.help || o->dump_config ? 0 : check_options(o, why, why_size);
}

/* --- the machine ----------------------------------------------------------------------------------------- */

/* To the platform's machine: a preset of scores, every --set, and what follows from both. */
static int change_machine(struct session *s)
{
    const struct run_options *o = &s->options.shared;
    struct scoring platform_scores = s->hardware.scoring;
    int status = 0;
    if (s->options.scores)
        status = run_options_apply_scores(s->options.scores, &s->hardware, s->why, s->why_size);
    if (status == 0)
        status = run_options_apply_sets(o, &s->hardware, s->why, s->why_size);
    if (status)
        return status;
    if (hardware_check(&s->hardware, s->why, s->why_size) != 0 ||
        scoring_statistics_compute(&s->hardware.scoring, &s->statistics, s->why, s->why_size) != 0)
        return COMMAND_REFUSED;
    run_options_convert_threshold(o, &platform_scores, &s->statistics, &s->hardware);
    return 0;
}

static int load_machine(struct session *s)
{
    int status = run_options_open_platform(&s->options.shared, s->platform_path, &s->hardware, &s->platform,
                                           s->why, s->why_size);
    return status == 0 ? change_machine(s) : status;
}

/* --- input ----------------------------------------------------------------------------------------------- */

/* What is to be masked of the query. */
static int mask_query(struct session *s)
{
    struct mask dust = {0}, none = {0};
    const struct mask *lower_case = s->options.lower_case ? &s->query.lower_case : &none;
    int status = s->options.dust ? dust_sequences(&s->query, &s->options.dust_rule, &dust) : 0;
    if (status == 0)
        status = mask_union(&dust, lower_case, &s->query.masked);
    mask_destroy(&dust);
    return status ? refuse_memory(s) : 0;
}

static int read_input(struct session *s)
{
    double begin_s = progress_wall_s();
    int status = run_input_read(s->options.search.query, "query", &s->query, s->why, s->why_size);
    if (status == 0)
        status = run_input_read(s->options.search.database, "database", &s->database, s->why, s->why_size);
    if (status == 0)
        status = mask_query(s);
    s->read_s = progress_wall_s() - begin_s;
    return status;
}

/* Into passes. */
static int cut_query(struct session *s)
{
    s->segments = segments_cut(s->query.positions, s->hardware.query_segment, s->hardware.query_overlap,
                               s->options.search.strands, &s->pass_count);
    if (!s->segments)
        return refuse_memory(s);
    return run_options_check_timeline(&s->options.shared, s->pass_count, s->why, s->why_size);
}

/* --- the record ------------------------------------------------------------------------------------------ */

/* Text of a file, for free(). */
static char *read_text(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t length = file ? getdelim(&text, &room, '\0', file) : -1;
    if (file)
        fclose(file);
    if (length < 0) {
        free(text);
        return NULL;
    }
    *bytes = (size_t)length;
    return text;
}

/* The platform goes along as SimGrid gets it: what is not this run's numbers in it is the file's. */
static int begin_record(struct session *s)
{
    if (token_record_create(s->tokens_path, &s->record, s->why, s->why_size) != 0)
        return COMMAND_REFUSED;
    struct token_record_facts facts = {
        .e_value = s->options.search.e_value,
        .platform_path = s->platform_path,
        .hardware = s->hardware,
        .query_path = s->options.search.query,
        .database_path = s->options.search.database,
        .query = &s->query,
        .database = &s->database,
        .segments = s->segments,
        .pass_count = s->pass_count,
    };
    char *platform = read_text(platform_simgrid_file(s->platform), &facts.platform_bytes);
    if (!platform) {
        snprintf(s->why, s->why_size, "%s: cannot be read again", s->platform_path);
        return COMMAND_FAILED;
    }
    facts.platform = platform;
    int status = token_record_write_facts(s->record, &facts, s->why, s->why_size);
    free(platform);
    return status ? COMMAND_REFUSED : 0;
}

static int end_record(struct session *s)
{
    int status = token_record_commit(s->record, &s->result.alignments, &s->result.join, s->why, s->why_size);
    s->record = NULL;
    return status ? COMMAND_REFUSED : 0;
}

/* --- the run --------------------------------------------------------------------------------------------- */

static struct campaign campaign_of(const struct session *s)
{
    return (struct campaign){
        .hardware = &s->hardware,
        .platform_file = platform_simgrid_file(s->platform),
        .query = &s->query,
        .database = &s->database,
        .segments = s->segments,
        .pass_count = s->pass_count,
        .statistics = &s->statistics,
        .least_score = search_least_score(&s->statistics, &s->query, &s->database, s->options.search.e_value),
        .measure = s->measure.plan,
        .measured = s->measure.report,
        .timeline = s->options.shared.timeline.path ? &s->options.shared.timeline : NULL,
        .jobs = s->options.shared.jobs,
        .quiet = s->options.shared.quiet,
        .record = s->record,
        .charge = s->options.shared.charge,
        .events = s->options.events,
        .paje_file = s->options.paje ? s->paje.partial[0] ? s->paje.partial : s->paje.path : NULL,
    };
}

static int simulate(struct session *s)
{
    struct campaign campaign = campaign_of(s);
    double begin_s = progress_wall_s();
    if (campaign_run(&campaign, &s->result, s->why, s->why_size) != 0)
        return COMMAND_FAILED;
    if (alignment_list_finish(&s->result.alignments, &s->statistics, &s->query, &s->database,
                              s->options.search.e_value))
        return refuse_memory(s);
    alignment_list_limit(&s->result.alignments, s->options.max_subjects, s->options.max_alignments);
    s->simulate_s = progress_wall_s() - begin_s;
    return 0;
}

/* The record is the user's, or one for this only, that nobody sees. */
static int time_uncharged(struct session *s)
{
    struct token_record *tokens;
    struct campaign campaign = campaign_of(s);
    double begin_s = progress_wall_s();
    int status = token_record_open(s->tokens_path, &tokens, s->why, s->why_size);
    if (!s->options.record)
        unlink(s->tokens_path);
    if (status)
        return COMMAND_FAILED;
    status = measuring_cost_find(&campaign, &s->result, tokens, &s->cost, s->why, s->why_size);
    token_record_close(tokens);
    s->simulate_s += progress_wall_s() - begin_s;
    return status ? COMMAND_FAILED : 0;
}

static void name_record(struct session *s)
{
    if (s->options.record)
        snprintf(s->tokens_path, sizeof s->tokens_path, "%s", s->options.record);
    else if (s->options.shared.charge)
        snprintf(s->tokens_path, sizeof s->tokens_path, "%s/.tokens", s->options.shared.directory);
}

static int simulate_to_files(struct session *s)
{
    name_record(s);
    int status = s->tokens_path[0] ? begin_record(s) : 0;
    if (status == 0 && s->options.paje && output_open(&s->paje, s->options.paje, s->why, s->why_size) != 0)
        status = COMMAND_REFUSED;
    if (status == 0)
        status = simulate(s);
    if (status == 0 && s->options.paje && output_commit(&s->paje, s->why, s->why_size) != 0)
        status = COMMAND_REFUSED;
    if (status == 0 && s->tokens_path[0])
        status = end_record(s);
    if (status == 0 && s->options.shared.charge)
        status = time_uncharged(s);
    return status;
}

static int write_output(struct session *s)
{
    struct run_output output = {
        .options = &s->options.shared,
        .validate = s->validate,
        .result = &s->result,
        .measured = s->measure.report,
        .alignments = &s->result.alignments,
        .facts =
            {
                .query_path = s->options.search.query,
                .database_path = s->options.search.database,
                .platform_path = s->platform_path,
                .query = &s->query,
                .database = &s->database,
                .hardware = &s->hardware,
                .frame = &s->result.run,
                .stalls = &s->result.stalls,
                .clocks = s->result.clocks,
                .cost = s->options.shared.charge ? &s->cost : NULL,
                .drawn = s->options.shared.timeline.path ? &s->result.drawn : NULL,
                .passes = s->pass_count,
                .alignments = s->result.alignments.count,
                .strand = search_options_strand_name(s->options.search.strands),
                .engine = s->options.events ? "events" : "fast",
                .jobs = s->options.shared.jobs,
                .e_value = s->options.search.e_value,
                .max_subjects = s->options.max_subjects,
                .max_alignments = s->options.max_alignments,
                .dust = s->options.dust ? &s->options.dust_rule : NULL,
                .lower_case_masking = s->options.lower_case,
                .wall = &s->result.wall,
                .read_s = s->read_s,
                .simulate_s = s->simulate_s,
                .wall_s = progress_wall_s() - s->begin_s,
            },
    };
    return run_output_write(&output, s->why, s->why_size);
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int run_session(struct session *s)
{
    int status = load_machine(s);
    if (status == 0 && s->options.dump_config) {
        hardware_dump(&s->hardware, stdout);
        return fflush(stdout) != 0 ? refuse(s->why, s->why_size, "standard output cannot be written") : 0;
    }
    if (status == 0 && platform_begin_trial(s->platform, &s->hardware, s->why, s->why_size) != 0)
        status = COMMAND_REFUSED;
    if (status == 0)
        status = measure_setup_open(&s->measure, &s->options.shared, &s->hardware, s->why, s->why_size);
    if (status == 0)
        status = read_input(s);
    if (status == 0)
        status = cut_query(s);
    if (status == 0 && s->options.shared.format == FORMAT_SAM &&
        sam_check(&s->query, &s->database, s->why, s->why_size) != 0)
        status = COMMAND_REFUSED;
    if (status == 0)
        status = run_output_probe(&s->options.shared, s->why, s->why_size);
    if (status == 0 && platform_end_trial(s->platform, s->why, s->why_size) != 0)
        status = COMMAND_REFUSED;
    if (status == 0)
        status = simulate_to_files(s);
    return status == 0 ? write_output(s) : status;
}

int cmd_run(int argc, char **argv, run_validator *validate, char *why, size_t why_size)
{
    struct session s = {.validate = validate, .why = why, .why_size = why_size, .begin_s = progress_wall_s()};
    int status = parse_options(argc, argv, &s.options, why, why_size);
    if (status == 0 && s.options.shared.help) {
        fputs(cmd_run_help, stdout);
        return 0;
    }
    if (status == 0) {
        run_output_watch_signals();
        status = run_session(&s);
    }
    token_record_discard(s.record);
    output_discard(&s.paje);
    measure_setup_close(&s.measure);
    campaign_result_destroy(&s.result);
    free(s.segments);
    sequences_destroy(&s.query);
    sequences_destroy(&s.database);
    platform_close(s.platform);
    return status;
}
