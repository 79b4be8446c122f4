#include "app/commands.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/draw/result_table.h"
#include "base/why.h"
#include "app/estimate/estimate_page.h"
#include "app/estimate/estimate_session.h"
#include "app/run/run_output.h"

static const char command_help[] =
    "Usage: mercury estimate FILE... [options]\n"
    "\n"
    "Estimates early and roughly how long a machine that nobody has takes for a\n"
    "workload: for each number of nodes by arithmetic on classes of equal members,\n"
    "whose wall time does not depend on the number of nodes; executed in SimGrid, an\n"
    "actor a member; and, for what it can simulate, by the detailed simulator. Prints\n"
    "a table of these times, the error, and what limits.\n"
    "\n"
    "  FILE...                texts of a machine, a workload and a script, in this\n"
    "                         order, in one file or several; - is standard input. A\n"
    "                         name that is no file is one of data/machines:\n"
    "                         mercury-2010, mercury-cluster, mercury-pcie and\n"
    "                         blast; sp2-simple, sp2-detailed and titan\n"
    "      --nodes LIST       numbers of nodes: 1,15,64, or 1..64 for 1, 2, 4 ... 64\n"
    "                         (default: as the texts say)\n"
    "      --set NAME.KEY=VALUE\n"
    "                         change a number of the texts, such as board.number=4\n"
    "                         or pcix.bandwidth=2GB/s; may be repeated\n"
    "      --mode MODE        both (default), arithmetic or executed\n"
    "\n"
    "The workload of a run\n"
    "      --from RUN         add the workload and the script of a run of the\n"
    "                         detailed simulator: its summary.json or its directory\n"
    "      --segments N       ... with N segments of the query\n"
    "      --database-bases N ... with a database of N bases\n"
    "      --distribution D   what is dealt over the boards: queries (default), which\n"
    "                         are the passes, or database\n"
    "      --synchronize      a pass begins when stage 3 has ended for the last one\n"
    "      --write-workload FILE\n"
    "                         also write this text; - is standard output, and then\n"
    "                         nothing is estimated\n"
    "      --record FILE      the run's record (mercury run --record): the detailed\n"
    "                         time of every machine that mercury retime can time\n"
    "\n"
    "Output\n"
    "  -f, --format F         text (default), tsv or json\n"
    "  -o, --output FILE      write the table to FILE; - is standard output (default)\n"
    "      --report FILE      also write a page to FILE: one HTML file with a\n"
    "                         picture, which needs no network and no script. With -,\n"
    "                         the page takes the place of the table\n"
    "      --wall             add the wall time of each, which differs from one time\n"
    "                         to the next\n"
    "      --quiet            show no progress\n"
    "  -h, --help             print this text\n"
    "\n"
    "The language: one object or statement a line; # begins a comment\n"
    "  nodeset NAME type memory|cache|disk|CPU|pathway\n"
    "    number N [per node]  its members (default 1)\n"
    "    bandwidth B/s        through a member\n"
    "    floatspeed N/s       of a CPU: operations per second of a member\n"
    "    grainsize BYTES      that a member holds\n"
    "    ports N              of a member to each linkset\n"
    "    compute C            the datasets of one statement: sequential (default), or\n"
    "                         pipelined: side by side, so that the longest counts\n"
    "  linkset NAME type updown from NODESET to NODESET\n"
    "  linkset NAME type across on NODESET\n"
    "    duplex full|half     full (default): both directions, which share the\n"
    "                         bandwidth; half: only from its from to its to\n"
    "    topology T           of type across: crossbar (default), ring or bus\n"
    "    number N [per node], bandwidth B/s, latency TIME\n"
    "  distribution NAME type block1dim|block2dim|block3dim [ghost UNITS]\n"
    "  dataset NAME type grid1dim|grid2dim|grid3dim units N[xN[xN]]\n"
    "    bytesperunit N, operationsperunit N, floatsperunit N\n"
    "    aggregate BYTES      it is moved in such pieces (default: a 32nd), and a\n"
    "                         disk's linkset has its latency for each of them\n"
    "    parallel N           at most N members can compute it at once\n"
    "    varies N, N ...      factors of it in the iterations of repeat ... over\n"
    "  use distribution NAME on [NODESET,] DATASET, DATASET ...\n"
    "                         they are dealt; otherwise each member has all of them\n"
    "  send DATASET from NODESET to NODESET\n"
    "                         a CPU waits until it has all of it\n"
    "  move DATASET from NODESET to NODESET\n"
    "                         in pieces, which can be worked on as they come\n"
    "  compute DATASET, DATASET ... on NODESET\n"
    "  synchronize            nothing begins before all has ended\n"
    "  repeat N [over NODESET]\n"
    "                         repeats the lines that are indented further; with\n"
    "                         over, its iterations are dealt over the members\n"
    "  #include \"FILE\"\n"
    "Numbers have units: 895 MB/s, 64 KiB, 133 M/s, 50 us, 2^17. A node is a member\n"
    "of the first nodeset of type memory, and all numbers that are multiples of its\n"
    "number grow with --nodes; if some are `per node`, only those do.\n"
    "docs/estimating.md explains the language and what is assumed.\n"
    "\n"
    "Examples:\n"
    "  mercury estimate mercury-cluster blast --nodes 1..64\n"
    "  mercury run -q lambda.fa -d coli.fa -o out\n"
    "  mercury estimate mercury-2010 --from out --nodes 1,2,4\n"
    "  mercury estimate sp2-simple titan --nodes 1..64 --report titan.html\n";

struct arguments {
    struct estimate_session session;
    const char *write, *path, *report; /* NULL: not given */
    enum result_format format;
    struct why *why;
};

static const struct command_option options[] = {
    COMMAND_TABLE(estimate_session_options, struct arguments, session),
    COMMAND_TEXT("write-workload", 0, struct arguments, write),
    COMMAND_TEXT("record", 0, struct arguments, session.record),
    COMMAND_CHOICE("format", 'f', struct arguments, format, result_format_names),
    COMMAND_TEXT("output", 'o', struct arguments, path),
    COMMAND_TEXT("report", 0, struct arguments, report),
    COMMAND_FLAG("wall", 0, struct arguments, session.wall),
    COMMAND_FLAG("quiet", 0, struct arguments, session.quiet),
    COMMAND_OPTIONS_END,
};

/* --- arguments ------------------------------------------------------------------------------------------- */

static int check_arguments(struct arguments *a)
{
    const struct estimate_session *s = &a->session;
    const char *needs_run = s->scale.segments > 0  ? "--segments"
                            : s->scale.bases > 0   ? "--database-bases"
                            : s->scale.synchronize ? "--synchronize"
                            : a->write             ? "--write-workload"
                            : s->record            ? "--record"
                            : s->scale.by_database ? "--distribution"
                                                   : NULL;
    if (needs_run && !s->from)
        return why_say(a->why, COMMAND_REFUSED,
                       "%s is for the workload of a run: expected --from RUN beside it", needs_run);
    bool only_writes = a->write && strcmp(a->write, "-") == 0;
    return s->file_count > 0 || only_writes
               ? 0
               : why_say(
                     a->why, COMMAND_REFUSED,
                     "needs a machine: a file, or a name such as mercury-2010; see mercury help estimate");
}

static int note_uses(struct arguments *a)
{
    struct estimate_session *s = &a->session;
    struct file_uses uses = {0};
    for (size_t i = 0; i < s->file_count; i++) {
        char *path = estimate_session_find_file(s->files[i], NULL);
        file_uses_read(&uses, "a text", path);
        free(path);
    }
    for (unsigned i = 0; i < s->text.file_count; i++)
        file_uses_read(&uses, "a text",
                       strcmp(s->text.files[i], "standard input") == 0 ? "-" : s->text.files[i]);
    file_uses_read(&uses, "--from", s->from ? s->workload.path : NULL);
    file_uses_read(&uses, "--record", s->record);
    file_uses_write(&uses, "-o", a->path);
    file_uses_write(&uses, "--report", a->report);
    file_uses_write(&uses, "--write-workload", a->write);
    int status = command_status_of(file_uses_check(&uses, a->why));
    if (status == 0 && s->record && access(s->record, R_OK) != 0) /* it is read only where it is needed */
        status = why_say(a->why, COMMAND_REFUSED, "--record %.400s: %s", s->record, why_error(errno));
    const char *const outputs[] = {a->path, a->report, a->write};
    for (unsigned i = 0; i < 3 && status == 0; i++)
        if (outputs[i] && output_probe(outputs[i], a->why) != 0)
            status = COMMAND_REFUSED;
    return status;
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int write_workload(struct arguments *a)
{
    struct output output;
    if (output_open(&output, a->write, a->why) != 0)
        return COMMAND_REFUSED;
    fputs(a->session.workload_text, output.file);
    return output_commit(&output, a->why) != 0 ? COMMAND_REFUSED : 0;
}

static int run_session(struct arguments *a)
{
    run_output_begin();
    int status = estimate_session_read(&a->session, a->why);
    if (status == 0)
        status = note_uses(a);
    if (status == 0 && a->write && strcmp(a->write, "-") == 0)
        return write_workload(a);
    if (status == 0)
        status = estimate_session_make(&a->session, a->why);
    if (status == 0 && a->write)
        status = write_workload(a);
    if (status == 0 && a->report)
        status = estimate_page_write(&a->session, a->report, a->why);
    if (status || (a->report && strcmp(a->report, "-") == 0))
        return status;
    return result_table_save(estimate_page_table(&a->session), a->format, a->path, a->why);
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments *a = calloc(1, sizeof *a);
    if (!a)
        return why_no_memory(why, COMMAND_FAILED);
    a->why = why;
    int status = command_parse("estimate", options, argc, argv, ESTIMATE_SESSION_FILES, a, why);
    for (int i = optind; status == 0 && i < argc; i++)
        a->session.files[a->session.file_count++] = argv[i];
    if (status == 0)
        status = check_arguments(a);
    if (status == 0)
        status = run_session(a);
    estimate_session_release(&a->session);
    free(a);
    return status;
}

const struct command command_estimate = {
    .name = "estimate",
    .usage = "estimate FILE...",
    .purpose = "estimate machines that nobody has",
    .help = command_help,
    .options = options,
    .call = run_command,
};
