#include "app/run/cmd_run.h"

#include <stdio.h>
#include <string.h>

#include "base/why.h"
#include "base/command.h"
#include "app/run/run_session.h"

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
    "  -j, --jobs N          simulate N passes at a time (default: one a processor); same output\n"
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

static int refuse(struct why *why, const char *what)
{
    return why_say(why, COMMAND_REFUSED, "%s", what);
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

static int take_dust(struct run_request *o, const char *argument, struct why *why)
{
    o->dust = strcmp(argument, "no") != 0;
    if (!o->dust || dust_rule_parse(argument, &o->dust_rule, why) == 0)
        return 0;
    return why_precede(why, COMMAND_REFUSED, "--dust ");
}

static int take_option(void *data, int option, const char *argument, struct why *why)
{
    struct run_request *o = data;
    switch (option) {
    case OPTION_SCORES:
        o->scores = argument;
        return 0;
    case OPTION_MAX_SUBJECTS:
        return run_options_take_whole("--max-target-seqs", argument, 1, ALIGNMENTS_MOST, NULL,
                                      &o->max_subjects, why);
    case OPTION_MAX_ALIGNMENTS:
        return run_options_take_whole("--max-hsps", argument, 1, ALIGNMENTS_MOST, NULL, &o->max_alignments,
                                      why);
    case OPTION_DUST:
        return take_dust(o, argument, why);
    case OPTION_LOWER_CASE:
        o->lower_case = true;
        return 0;
    case OPTION_RECORD:
        o->record = argument;
        return 0;
    case OPTION_ENGINE:
        return run_options_take_engine(argument, &o->events, why);
    case OPTION_PAJE:
        o->paje = argument;
        return 0;
    case OPTION_DUMP_CONFIG:
        o->dump_config = true;
        return 0;
    default:
        return search_options_take(&o->search, option, argument, why);
    }
}

static int check_options(const struct run_request *o, struct why *why)
{
    const struct search_options *search = &o->search;
    if (!search->query || !search->database)
        return refuse(why, "needs a query (-q FILE) and a database (-d FILE); see mercury help run");
    if (strcmp(search->query, "-") == 0 && strcmp(search->database, "-") == 0)
        return refuse(why, "query and database cannot both be standard input");
    if (o->paje && !o->events)
        return refuse(why, "--paje needs --engine events: only these have a trace");
    if (o->paje && strcmp(o->paje, "-") == 0)
        return refuse(why, "--paje -: expected the name of a file");
    if (o->record && strcmp(o->record, "-") == 0)
        return refuse(why, "--record -: expected the name of a file");
    return 0;
}

static int parse_options(int argc, char **argv, struct run_request *o, struct why *why)
{
    *o = (struct run_request){.search = search_options_default()};
    struct run_option_parser parser = {
        .command = "run",
        .letters = ":" SEARCH_OPTIONS_LETTERS RUN_OPTIONS_LETTERS,
        .options = long_options,
        .shared = &o->shared,
        .own = o,
        .take_own = take_option,
    };
    int status = run_options_parse(&parser, argc, argv, why);
    if (status == 0)
        status = run_options_refuse_operand("run", argc, argv, why);
    if (status)
        return status;
    return o->shared.help || o->dump_config ? 0 : check_options(o, why);
}

int cmd_run(int argc, char **argv, struct why *why)
{
    struct run_request request;
    int status = parse_options(argc, argv, &request, why);
    if (status == 0 && request.shared.help) {
        fputs(cmd_run_help, stdout);
        return COMMAND_OK;
    }
    return status == 0 ? run_session(&request, why) : status;
}
