#include "app/commands.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/command.h"
#include "base/file_uses.h"
#include "base/output.h"
#include "base/result_table.h"
#include "base/why.h"
#include "app/estimate/estimate_detailed.h"
#include "app/estimate/estimate_page.h"
#include "app/estimate/estimate_report.h"
#include "app/estimate/estimate_workload.h"
#include "app/run/run_options.h"
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
    "    aggregate BYTES      it is moved in such pieces (default: a 32nd)\n"
    "    parallel N           at most N members can compute it at once\n"
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

enum { FILES_MAX = 16, SETS_MAX = 64 };

struct session {
    const char *files[FILES_MAX + 1], *sets[SETS_MAX];
    size_t file_count, set_count;
    const char *nodes, *from, *record, *write, *path, *report; /* NULL: not given */
    enum result_format format;
    enum estimate_mode mode;
    bool by_database, wall, quiet;
    struct estimate_scale scale;
    struct estimate_text text;
    struct estimate_workload workload;
    char *workload_text;
    struct estimate_row rows[ESTIMATE_ROWS_MAX];
    unsigned count;
    struct why *why;
};

static const char *const mode_names[] = {"both", "arithmetic", "executed", NULL};
static const char *const distribution_names[] = {"queries", "database", NULL};

static const struct command_option options[] = {
    COMMAND_TEXT("nodes", 0, struct session, nodes),
    COMMAND_TEXTS("set", 0, struct session, sets, set_count),
    COMMAND_CHOICE("mode", 0, struct session, mode, mode_names),
    COMMAND_TEXT("from", 0, struct session, from),
    COMMAND_NUMBER("segments", 0, struct session, scale.segments, 1, 1e9, "a number from 1 to 1e9"),
    COMMAND_NUMBER("database-bases", 0, struct session, scale.bases, 16, 1e15, "a number from 16 to 1e15"),
    COMMAND_CHOICE("distribution", 0, struct session, by_database, distribution_names),
    COMMAND_FLAG("synchronize", 0, struct session, scale.synchronize),
    COMMAND_TEXT("write-workload", 0, struct session, write),
    COMMAND_TEXT("record", 0, struct session, record),
    COMMAND_CHOICE("format", 'f', struct session, format, result_format_names),
    COMMAND_TEXT("output", 'o', struct session, path),
    COMMAND_TEXT("report", 0, struct session, report),
    COMMAND_FLAG("wall", 0, struct session, wall),
    COMMAND_FLAG("quiet", 0, struct session, quiet),
    COMMAND_OPTIONS_END,
};

/* --- arguments ------------------------------------------------------------------------------------------- */

static int add_nodes(struct session *s, uint64_t nodes)
{
    if (s->count == ESTIMATE_ROWS_MAX)
        return why_say(s->why, COMMAND_REFUSED, "--nodes '%.60s': more than %d numbers", s->nodes,
                       ESTIMATE_ROWS_MAX);
    s->rows[s->count++] =
        (struct estimate_row){.nodes = (uint32_t)nodes, .detailed_s = NAN, .detailed_wall_s = NAN};
    return 0;
}

static int refuse_nodes(const struct session *s)
{
    return command_refuse("--nodes", s->nodes, "numbers from 1 to 1000000, such as 1,15,64 or 1..64", s->why);
}

/* A..B: A, 2A, 4A ... and B */
static int take_range(struct session *s, char *item)
{
    uint64_t from = 0, to = 0;
    char *dots = strstr(item, "..");
    if (dots)
        *dots = '\0';
    if (command_whole(item, 1, ESTIMATE_NODES_MAX, &from) != 0 ||
        (dots && (command_whole(dots + 2, 1, ESTIMATE_NODES_MAX, &to) != 0 || to < from)))
        return refuse_nodes(s);
    int status = 0;
    for (uint64_t nodes = from; dots && nodes < to && status == 0; nodes *= 2)
        status = add_nodes(s, nodes);
    return status ? status : add_nodes(s, dots ? to : from);
}

static int take_nodes(struct session *s)
{
    char copy[512], *rest = copy, *item;
    int status = 0;
    if (!s->nodes)
        return add_nodes(s, estimate_program_nodes(&s->text));
    if (strlen(s->nodes) >= sizeof copy)
        return refuse_nodes(s);
    strcpy(copy, s->nodes);
    while (status == 0 && (item = strsep(&rest, ",")))
        status = take_range(s, item);
    return status;
}

static int check_arguments(struct session *s)
{
    const char *needs_run = s->scale.segments > 0  ? "--segments"
                            : s->scale.bases > 0   ? "--database-bases"
                            : s->scale.synchronize ? "--synchronize"
                            : s->write             ? "--write-workload"
                            : s->record            ? "--record"
                            : s->by_database       ? "--distribution"
                                                   : NULL;
    if (needs_run && !s->from)
        return why_say(s->why, COMMAND_REFUSED,
                       "%s is for the workload of a run: expected --from RUN beside it", needs_run);
    if (s->scale.segments != floor(s->scale.segments))
        return why_say(s->why, COMMAND_REFUSED, "--segments %g: expected a whole number", s->scale.segments);
    bool only_writes = s->write && strcmp(s->write, "-") == 0;
    return s->file_count > 0 || only_writes
               ? 0
               : why_say(
                     s->why, COMMAND_REFUSED,
                     "needs a machine: a file, or a name such as mercury-2010; see mercury help estimate");
}

static int parse_arguments(int argc, char **argv, struct session *s)
{
    int status = command_parse("estimate", options, argc, argv, FILES_MAX, s, s->why);
    for (int i = optind; status == 0 && i < argc; i++)
        s->files[s->file_count++] = argv[i];
    s->scale.by_database = s->by_database;
    return status ? status : check_arguments(s);
}

/* --- files ----------------------------------------------------------------------------------------------- */

/* A name on the command line is a file, or else one of data/machines. A name in a file is beside that file, or else one
 * of data/machines. @return for free() */
static char *find_file(const char *name, const char *from)
{
    char path[2 * PATH_MAX], shipped[PATH_MAX + 16];
    struct stat about;
    const char *slash = from && *name != '/' ? strrchr(from, '/') : NULL;
    snprintf(path, sizeof path, "%.*s%.4000s", slash ? (int)(slash + 1 - from) : 0, slash ? from : "", name);
    snprintf(shipped, sizeof shipped, "machines/%.4000s", name);
    bool is_file = stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
    if (strcmp(name, "-") != 0 && !is_file && *name)
        run_options_find_data(shipped, path, sizeof path);
    return strdup(path);
}

static int read_file(struct session *s, const char *name)
{
    char *path = find_file(name, NULL);
    int status = path ? estimate_text_read(&s->text, path, find_file, s->why) : -1;
    if (!path)
        why_no_memory(s->why, -1);
    free(path);
    return command_status_of(status);
}

static int make_workload(struct session *s)
{
    size_t bytes = 0;
    if (!s->from)
        return 0;
    int status = estimate_workload_read(s->from, &s->workload, s->why);
    if (status)
        return status;
    FILE *memory = open_memstream(&s->workload_text, &bytes);
    if (memory)
        estimate_workload_write(&s->workload, &s->scale, memory);
    if (!memory || fclose(memory) != 0)
        return why_no_memory(s->why, COMMAND_FAILED);
    if (s->file_count == 0)
        return 0;
    return command_status_of(
        estimate_text_parse(&s->text, s->workload_text, bytes, "the workload of --from", NULL, s->why));
}

static int note_uses(struct session *s)
{
    struct file_uses uses = {0};
    for (size_t i = 0; i < s->file_count; i++) {
        char *path = find_file(s->files[i], NULL);
        file_uses_read(&uses, "a text", path);
        free(path);
    }
    for (unsigned i = 0; i < s->text.file_count; i++)
        file_uses_read(&uses, "a text",
                       strcmp(s->text.files[i], "standard input") == 0 ? "-" : s->text.files[i]);
    file_uses_read(&uses, "--from", s->from ? s->workload.path : NULL);
    file_uses_read(&uses, "--record", s->record);
    file_uses_write(&uses, "-o", s->path);
    file_uses_write(&uses, "--report", s->report);
    file_uses_write(&uses, "--write-workload", s->write);
    int status = command_status_of(file_uses_check(&uses, s->why));
    const char *const outputs[] = {s->path, s->report, s->write};
    for (unsigned i = 0; i < 3 && status == 0; i++)
        if (outputs[i] && output_probe(outputs[i], s->why) != 0)
            status = COMMAND_REFUSED;
    return status;
}

static int read_texts(struct session *s)
{
    int status = 0;
    for (size_t i = 0; i < s->file_count && status == 0; i++)
        status = read_file(s, s->files[i]);
    if (status == 0)
        status = make_workload(s);
    for (size_t i = 0; i < s->set_count && status == 0; i++)
        status = command_status_of(estimate_text_set(&s->text, s->sets[i], s->why));
    return status ? status : note_uses(s);
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int write_workload(struct session *s)
{
    struct output output;
    if (output_open(&output, s->write, s->why) != 0)
        return COMMAND_REFUSED;
    fputs(s->workload_text, output.file);
    return output_commit(&output, s->why) != 0 ? COMMAND_REFUSED : 0;
}

static int find_detailed(struct session *s)
{
    const struct estimate_detailed d = {&s->text, &s->workload, &s->scale, s->record};
    int status = 0;
    for (unsigned i = 0; s->from && i < s->count && status == 0; i++)
        status = estimate_detailed_find(&d, &s->rows[i], s->why);
    return status;
}

static int save(struct session *s)
{
    struct estimate_report r = {s->files, s->file_count, s->rows, s->count, s->wall};
    if (s->from)
        s->files[r.file_count++] = s->workload.path;
    int status = s->report ? estimate_page_write(&r, &s->text, s->report, s->why) : 0;
    if (status || (s->report && strcmp(s->report, "-") == 0))
        return status;
    struct result_table *table = estimate_report_table(&r);
    status = result_table_save(table, s->format, s->path, s->why);
    result_table_destroy(table);
    return status;
}

static int run_session(struct session *s)
{
    int status = read_texts(s);
    if (status == 0)
        status = take_nodes(s);
    if (status == 0 && s->write && strcmp(s->write, "-") == 0)
        return write_workload(s);
    if (status == 0)
        status = estimate_rows_make(&s->text, s->mode, s->quiet, s->rows, s->count, s->why);
    if (status == 0)
        status = find_detailed(s);
    if (status == 0 && s->write)
        status = write_workload(s);
    return status ? status : save(s);
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return why_no_memory(why, COMMAND_FAILED);
    s->why = why;
    int status = parse_arguments(argc, argv, s);
    if (status == 0) {
        run_output_begin();
        status = run_session(s);
    }
    estimate_text_release(&s->text);
    free(s->workload_text);
    free(s);
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
