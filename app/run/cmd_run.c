#include "app/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/file/file_io.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/why.h"
#include "sim/pass/pass_store.h"
#include "app/run/run_output.h"
#include "app/run/run_ranks.h"
#include "app/run/run_session.h"
#include "app/options.inc"

/* A run that was stopped earlier is as soon begun anew. */
enum { KEEP_AFTER_S = 10 };

enum { ALIGNMENTS_MOST = 1000000000 }; /* greatest value of --max-hsps and --max-target-seqs */

static int take_dust(void *data, const char *value, struct why *why)
{
    struct run_request *o = data;
    o->dust = strcmp(value, "no") != 0;
    if (!o->dust || dust_rule_parse(value, &o->dust_rule, why) == 0)
        return 0;
    return why_precede(why, COMMAND_REFUSED, "--dust ");
}

static int take_word_size(void *data, const char *value, struct why *why)
{
    (void)data;
    return strcmp(value, "11") == 0
               ? 0
               : command_refuse("--word-size", value, "11, the bases of a w-mer of the machine", why);
}

static int take_query_loc(void *data, const char *value, struct why *why)
{
    struct run_request *o = data;
    if (sequence_range_parse(value, &o->query_loc))
        return 0;
    return command_refuse("--query-loc", value,
                          "FIRST-LAST, positions of the query from 1, such as 1001-2000", why);
}

static const struct command_option options[] = COMMAND_OPTIONS(RUN_OPTIONS);

static int check_options(const struct run_request *o, struct why *why)
{
    const struct search_options *search = &o->search;
    bool windows_of_input = false; /* standard input */
    for (size_t i = 0; i < search->databases.count && sample_request_is_of_database(&o->sample); i++)
        windows_of_input = windows_of_input || strcmp(search->databases.paths[i], "-") == 0;
    const struct {
        bool is_refused;
        const char *line;
    } rows[] = {
        {!search->query || !search->database,
         "needs a query (-q FILE) and a database (-d FILE); see mercury help run"},
        {search_options_read_standard_input(search) && run_ranks_are_many(o->ranks),
         "-: under mpirun every rank reads query and database, so they must be files"},
        {windows_of_input,
         "--sample-database with -d '-': expected a file, since windows of standard input cannot be drawn "
         "before all of it has been read"},
        {o->record && strcmp(o->record, "-") == 0, "--record '-': expected the name of a file"},
        {o->record && o->query_loc.last > 0,
         "--query-loc: a record (--record) is of whole queries; cut the query's file instead"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].is_refused)
            return why_refuse(why, "%s", rows[i].line);
    return 0;
}

/* Describe the command of this process. */
static void command_line_take(int argc, char **argv, struct command_line *line)
{
    char here[PATH_MAX] = "";
    FILE *out = memory_stream(&line->bytes, &line->count);
    if (!getcwd(here, sizeof here)) /* it was removed: names that do not begin there are still good */
        here[0] = '\0';
    fwrite(here, 1, strlen(here) + 1, out);
    for (int i = 1; i < argc; i++)
        fwrite(argv[i], 1, strlen(argv[i]) + 1, out);
    memory_stream_end(out);
}

/* Number of arguments, 0 to 2, from this one on that do not change what a run finds: -j, --memory, --quiet. */
static int count_idle(const char *argument)
{
    static const char *const with_value[] = {"-j", "--jobs", "--memory"};
    if (strcmp(argument, "--quiet") == 0)
        return 1;
    for (unsigned i = 0; i < sizeof with_value / sizeof with_value[0]; i++) {
        size_t length = strlen(with_value[i]);
        if (strncmp(argument, with_value[i], length) != 0)
            continue;
        bool is_letter = length == 2;
        if (argument[length] == '\0')
            return 2;
        if (is_letter || argument[length] == '=')
            return 1;
    }
    return 0;
}

/* A command as one line, for people: arguments in which blanks or other letters stand that a shell would take are
 * quoted, and -j, --memory and --quiet are left out, on which no result depends.
 * @param argv  without the name of the program. @return for free() */
static char *command_line_print(int argc, char **argv)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = memory_stream(&text, &bytes);
    fputs("mercury", out);
    for (int i = 0; i < argc; i++) {
        int idle = count_idle(argv[i]);
        if (idle > 0)
            i += idle - 1;
        else
            printable_append_argument(argv[i], out);
    }
    memory_stream_end(out);
    return text;
}

/* Go to the working directory of the command that asked for a run that was stopped.
 *
 * @param argv  out: `name`, its arguments, then NULL; the list is for free(), the texts are the store's */
static int enter_command(const struct pass_store *store, char *name, int *argc, char ***argv, struct why *why)
{
    const struct pass_store_run *run = pass_store_run(store);
    char *at = (char *)run->command, *end = at + run->command_bytes;
    size_t count = 1; /* the last one may lack its NUL */
    for (const char *byte = at; byte < end; byte++)
        count += *byte == '\0';
    *argv = memory_new(count + 1, sizeof **argv); /* `name` instead of the working directory, and NULL */
    (*argv)[0] = name;
    *argc = 1;
    const char *directory = at;
    for (at += strlen(at) + 1; at < end; at += strlen(at) + 1)
        (*argv)[(*argc)++] = at;
    if (*directory && chdir(directory) != 0)
        return why_refuse(why, "--resume: the run was begun in %.400s: %s", directory, why_error(errno));
    return 0;
}

/* The options are those of the command that was stopped, and after them those of this one, such as -j. */
static int resume(int argc, char **argv, struct run_request *request, struct why *why)
{
    static char directory[PATH_MAX];
    const char *name = request->resume;
    auto_free char **before = NULL;
    int count = 0;
    if (!realpath(name, directory))
        return why_refuse(why, "--resume %.400s: %s", name, why_error(errno));
    char path[PATH_MAX];
    if (access(file_io_path(directory, RUN_UNFINISHED, path), F_OK) != 0) {
        json_auto_t *run = json_load_file(file_io_path(directory, "run.json", path), 0, NULL);
        return why_refuse(
            why, "--resume %.400s: %s", directory,
            !run ? "holds no unfinished run (no unfinished.passes)"
            : json_object_get(run, "sample")
                ? "that sample has no passes to go on with, as with --sample-database; begin anew with -o"
                : "that run has finished; there is nothing to resume");
    }
    int status = command_status_of(pass_store_open(path, &request->unfinished, why));
    if (status == 0)
        status = enter_command(request->unfinished, argv[0], &count, &before, why);
    if (status == 0)
        status = command_parse("run", options, count, before, 0, request, why);
    request->sample = (struct sample_request){0}; /* without new options all passes are simulated */
    if (status == 0)
        status = command_parse("run", options, argc, argv, 0, request, why);
    if (status == 0)
        request->command_text = command_line_print(count, before);
    request->shared.directory = directory;
    return status;
}

static int parse(int argc, char **argv, struct run_request *request, struct why *why)
{
    int status = command_parse("run", options, argc, argv, 0, request, why);
    if (status == 0 && request->resume && request->shared.directory)
        return why_refuse(why, "--resume has the directory; leave -o out");
    if (status == 0 && request->resume && request->search.queries.count + request->search.databases.count > 0)
        return why_refuse(why, "--resume has the run's query and database; leave -q and -d out");
    if (status == 0 && request->resume)
        status = resume(argc, argv, request, why);
    else if (status == 0)
        command_line_take(argc, argv, &request->command);
    if (status == 0 && !request->command_text)
        request->command_text = command_line_print(argc, argv);
    if (status == 0)
        status = search_options_complete(&request->search, why);
    if (status == 0)
        status = sample_request_check(&request->sample, why);
    return status ? status : run_options_complete(&request->shared, why);
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct run_request request = {
        .shared = run_options_default(), .search = search_options_default(), .keep_after_s = KEEP_AFTER_S};
    int status;
    if (!run_ranks_open(&request.ranks, &status, why))
        return status;
    status = parse(argc, argv, &request, why);
    if (status == 0 && !request.dump_config)
        status = check_options(&request, why);
    if (status == 0)
        status = run_session(&request, why);
    pass_store_close(request.unfinished);
    free(request.command.bytes);
    free(request.command_text);
    return run_ranks_close(request.ranks, status, why);
}

const struct command command_run = {options, run_command};
