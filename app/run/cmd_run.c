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

enum { ALIGNMENTS_MOST = 1000000000 }; /* greatest value of --max-hsps and --max-target-seqs */

static int take_dust(void *data, const char *value, struct why *why)
{
    struct run_request *o = data;
    o->dust = strcmp(value, "no") != 0;
    if (!o->dust || dust_rule_parse(value, &o->dust_rule, why) == 0)
        return 0;
    return why_precede(why, COMMAND_REFUSED, "--dust ");
}

const struct command_option cmd_run_options[] = {
    COMMAND_TABLE(search_options_of_files, struct run_request, search),
    COMMAND_TABLE(search_options_of_limits, struct run_request, search),
    COMMAND_TABLE(run_options_of_passes, struct run_request, shared),
    COMMAND_TABLE(run_options_of_output, struct run_request, shared),
    COMMAND_TEXT("scores", 0, struct run_request, scores),
    COMMAND_WHOLE("max-target-seqs", 0, struct run_request, max_subjects, 1, ALIGNMENTS_MOST, NULL),
    COMMAND_WHOLE("max-hsps", 0, struct run_request, max_alignments, 1, ALIGNMENTS_MOST, NULL),
    COMMAND_OWN("dust", 0, take_dust),
    COMMAND_FLAG("lcase-masking", 0, struct run_request, lower_case),
    COMMAND_TEXT("record", 0, struct run_request, record),
    COMMAND_CHOICE("engine", 0, struct run_request, events, run_options_engines),
    COMMAND_TEXT("paje", 0, struct run_request, paje),
    COMMAND_FLAG("dump-config", 0, struct run_request, dump_config),
    COMMAND_OPTIONS_END,
};

static int check_options(const struct run_request *o, struct why *why)
{
    const struct search_options *search = &o->search;
    if (!search->query || !search->database)
        return why_say(why, COMMAND_REFUSED,
                       "needs a query (-q FILE) and a database (-d FILE); see mercury help run");
    if (strcmp(search->query, "-") == 0 && strcmp(search->database, "-") == 0)
        return why_say(why, COMMAND_REFUSED, "query and database cannot both be standard input");
    if (o->paje && !o->events)
        return why_say(why, COMMAND_REFUSED, "--paje needs --engine events: only that engine has a trace");
    if (o->paje && strcmp(o->paje, "-") == 0)
        return command_refuse("--paje", "-", "the name of a file", why);
    if (o->record && strcmp(o->record, "-") == 0)
        return command_refuse("--record", "-", "the name of a file", why);
    return 0;
}

int cmd_run(int argc, char **argv, struct why *why)
{
    struct run_request request = {.shared = run_options_default(), .search = search_options_default()};
    int status = command_parse("run", cmd_run_options, argc, argv, 0, &request, why);
    if (status == 0)
        status = run_options_complete_timeline(&request.shared.timeline, why);
    if (status == 0 && !request.dump_config)
        status = check_options(&request, why);
    return status == 0 ? run_session(&request, why) : status;
}
