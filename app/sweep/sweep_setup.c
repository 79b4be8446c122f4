#include "app/sweep/sweep_setup.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/why.h"
#include "base/command.h"
#include "sim/pass/platform.h"
#include "app/run/run_input.h"

/* --- scenario -------------------------------------------------------------------------------------------- */

struct sweep_scenario {
    char path[PATH_MAX];
    char *text;
    char **arguments; /* for getopt, the program's name first */
    int *lines;       /* each argument's */
    int count;
};

static int refuse_memory(struct why *why)
{
    return why_no_memory(why, COMMAND_FAILED);
}

static bool is_option(const struct option *options, const char *name)
{
    for (; options->name; options++)
        if (strcmp(options->name, name) == 0 && strcmp(name, "help") != 0)
            return true;
    return false;
}

static int find_scenario(struct sweep_scenario *s, const char *name, struct why *why)
{
    char shipped[PATH_MAX + 16];
    struct stat status;
    snprintf(shipped, sizeof shipped, "scenarios/%s", name);
    if (stat(name, &status) == 0 && S_ISDIR(status.st_mode))
        errno = EISDIR;
    else if (stat(name, &status) == 0) {
        snprintf(s->path, sizeof s->path, "%s", name);
        return 0;
    } else if (strlen(name) > 0 && run_options_find_data(shipped, s->path, sizeof s->path))
        return 0;
    return why_say(why, COMMAND_REFUSED, "%.300s: no such scenario (%s), here or among data/scenarios", name,
                   strerror(errno));
}

static int read_scenario(struct sweep_scenario *s, struct why *why)
{
    size_t length = 0;
    s->text = run_input_read_text(s->path, &length);
    if (length > 0 && strlen(s->text) == length)
        return 0;
    return why_say(why, COMMAND_REFUSED, "%.300s: %s", s->path,
                   s->text ? "not a scenario: expected lines like 'vary table.slots=2^14..2^20'"
                           : strerror(errno));
}

/* One line as one argument, "--name=value" or "--name"; NULL for an empty one. */
static int take_line(struct sweep_scenario *s, const struct option *options, char *line, int number,
                     struct why *why)
{
    static const char blanks[] = " \t\r";
    line[strcspn(line, "#")] = '\0';
    char *name = line + strspn(line, blanks);
    char *value = name + strcspn(name, blanks);
    size_t name_length = (size_t)(value - name);
    value += strspn(value, blanks);
    size_t length = strlen(value);
    while (length > 0 && strchr(blanks, value[length - 1]))
        value[--length] = '\0';
    if (name_length == 0)
        return 0;
    char known[32];
    snprintf(known, sizeof known, "%.*s", (int)name_length, name);
    if (name_length >= sizeof known || !is_option(options, known))
        return why_say(why, COMMAND_REFUSED,
                       "%.300s:%d: '%.30s' is no option; expected e.g. 'vary table.slots=2^14..2^20'",
                       s->path, number, known);
    if (asprintf(&s->arguments[s->count], length > 0 ? "--%s=%s" : "--%s", known, value) < 0)
        return refuse_memory(why);
    s->lines[s->count++] = number;
    return 0;
}

static int take_lines(struct sweep_scenario *s, const struct option *options, struct why *why)
{
    int number = 1, status = 0;
    for (char *line = s->text; line && status == 0; number++) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        status = take_line(s, options, line, number, why);
        line = end ? end + 1 : NULL;
    }
    return status;
}

static size_t count_lines(const char *text)
{
    size_t count = 1;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* The scenario's arguments, then the command line's. */
static int join_arguments(struct sweep_scenario *s, const struct option *options, int argc, char **argv,
                          struct why *why)
{
    size_t room = count_lines(s->text) + (size_t)argc + 1;
    s->arguments = calloc(room, sizeof *s->arguments);
    s->lines = calloc(room, sizeof *s->lines);
    if (!s->arguments || !s->lines)
        return refuse_memory(why);
    s->arguments[s->count++] = strdup("mercury");
    int status = take_lines(s, options, why);
    for (int i = 1; i < argc && status == 0; i++)
        s->arguments[s->count++] = strdup(argv[i]);
    return status;
}

static void scenario_destroy(struct sweep_scenario *s)
{
    if (!s)
        return;
    for (int i = 0; s->arguments && i < s->count; i++)
        free(s->arguments[i]);
    free(s->arguments);
    free(s->lines);
    free(s->text);
    free(s);
}

/* --- options --------------------------------------------------------------------------------------------- */

static int add(const char **list, size_t *count, size_t room, const char *argument, const char *option,
               struct why *why)
{
    if (*count == room)
        return why_say(why, COMMAND_REFUSED, "%s: more than %zu of them", option, room);
    list[(*count)++] = argument;
    return 0;
}

static int take_share(const char *option, const char *text, double least, double *share, struct why *why)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a percentage from %g to 100", least);
    int status = run_options_take_number(option, text, least, 100, expected, share, why);
    *share /= 100;
    return status;
}

static int take_own(void *data, int option, const char *argument, struct why *why)
{
    struct sweep_options *o = data;
    uint64_t whole = 0;
    int status;
    switch (option) {
    case 'q':
        return add(o->queries, &o->query_count, SWEEP_FILES_MAX, argument, "--query", why);
    case 'd':
        return add(o->databases, &o->database_count, SWEEP_FILES_MAX, argument, "--database", why);
    case SWEEP_OPTION_STORE:
        o->store = argument;
        return 0;
    case SWEEP_OPTION_COLUMNS:
        o->columns = argument;
        return 0;
    case SWEEP_OPTION_VARY:
        return add(o->axes, &o->axis_count, SWEEP_AXES_MAX, argument, "--vary", why);
    case SWEEP_OPTION_SAMPLES:
        status = run_options_take_whole("--samples", argument, 1, SWEEP_POINTS_MAX, NULL, &whole, why);
        o->samples = (size_t)whole;
        return status;
    case SWEEP_OPTION_SEED:
        return run_options_take_whole("--seed", argument, 1, UINT64_C(1) << 53,
                                      "a whole number from 1 to 2^53", &o->seed, why);
    case SWEEP_OPTION_KEEP:
        return take_share("--keep", argument, 1, &o->keep, why);
    case SWEEP_OPTION_LOSS:
        return take_share("--loss", argument, 0, &o->loss, why);
    case SWEEP_OPTION_BLOCK_RAM:
        return run_options_take_number("--block-ram", argument, 1, 1e15, "a number of bits from 1 to 1e15",
                                       &o->block_ram_bits, why);
    case SWEEP_OPTION_SRAM:
        return run_options_take_number("--sram", argument, 1, 1e15, "a number of bits from 1 to 1e15",
                                       &o->sram_bits, why);
    default:
        return search_options_take(&o->search, option, argument, why);
    }
}

/* Of the scenario's lines, say which. */
static void name_line(const struct sweep_scenario *s, struct why *why)
{
    int at = optind - 1;
    if (s && at >= 0 && at < s->count && s->lines[at] != 0)
        why_precede(why, 0, "%.300s:%d: ", s->path, s->lines[at]);
}

/* getopt's letters, of a table without more than a few. */
static void list_letters(const struct option *options, char letters[64])
{
    size_t length = 0;
    letters[length++] = ':';
    for (; options->name && length < 61; options++) {
        if (options->val > 255)
            continue;
        letters[length++] = (char)options->val;
        if (options->has_arg == required_argument)
            letters[length++] = ':';
    }
    letters[length] = '\0';
}

int sweep_options_parse(const char *command, const struct option *options, int argc, char **argv,
                        struct sweep_options *o, struct why *why)
{
    *o = (struct sweep_options){.search = search_options_default(),
                                .seed = 1,
                                .keep = 0.95,
                                .loss = 0.001,
                                .block_ram_bits = HUGE_VAL,
                                .sram_bits = HUGE_VAL};
    int status = 0;
    if (argc > 1 && argv[1][0] != '-') {
        o->scenario = calloc(1, sizeof *o->scenario);
        status = o->scenario ? find_scenario(o->scenario, argv[1], why) : refuse_memory(why);
        if (status == 0)
            status = read_scenario(o->scenario, why);
        if (status == 0)
            status = join_arguments(o->scenario, options, argc - 1, argv + 1, why);
        if (status)
            return status;
        argc = o->scenario->count;
        argv = o->scenario->arguments;
    }
    char letters[64];
    list_letters(options, letters);
    struct run_option_parser parser = {
        .command = command,
        .letters = letters,
        .options = options,
        .shared = &o->shared,
        .own = o,
        .take_own = take_own,
    };
    status = run_options_parse(&parser, argc, argv, why);
    if (status)
        name_line(o->scenario, why);
    else if (optind < argc) {
        why_say(why, 0,
                "%.60s: what is this? a scenario comes first, options take a value behind them; see "
                "mercury help %s",
                argv[optind], command);
        status = COMMAND_REFUSED;
    }
    return status;
}

void sweep_options_destroy(struct sweep_options *o)
{
    scenario_destroy(o->scenario);
    o->scenario = NULL;
}

/* --- machine --------------------------------------------------------------------------------------------- */

static int digest_platform(const char *path, uint64_t *digest, struct why *why)
{
    size_t length;
    char *text = run_input_read_text(path, &length);
    if (!text)
        return why_say(why, COMMAND_REFUSED, "%.300s: cannot be read: %s", path, strerror(errno));
    *digest = XXH3_64bits(text, length);
    free(text);
    return 0;
}

/* SimGrid tries the platform once, here. */
static int try_platform(struct sweep_setup *s, struct why *why)
{
    const struct run_options *o = &s->options->shared;
    struct platform *platform = NULL;
    struct hardware checked;
    int status = run_options_open_platform(o, s->platform_path, &s->request.hardware, &platform, why);
    s->request.chosen_for = s->request.hardware.scoring;
    s->request.keeps_threshold = run_options_set(o, "stage2.threshold");
    if (status == 0)
        status = run_options_apply_sets(o, &s->request.hardware, why);
    checked = s->request.hardware;
    if (status == 0 && s->options->axis_count == 0)
        status = hardware_check(&checked, why);
    if (status == 0)
        status = platform_prepare(platform, &checked, why);
    platform_close(platform);
    return status ? COMMAND_REFUSED : 0;
}

static int load_machine(struct sweep_setup *s, struct why *why)
{
    int status = try_platform(s, why);
    return status ? status : digest_platform(s->platform_path, &s->request.platform_digest, why);
}

/* --- inputs ---------------------------------------------------------------------------------------------- */

static int check_files(const struct sweep_options *o, const struct sweep_link *link, struct why *why)
{
    size_t from_standard_input = 0;
    for (size_t i = 0; i < o->query_count; i++)
        from_standard_input += strcmp(o->queries[i], "-") == 0;
    for (size_t i = 0; i < o->database_count; i++)
        from_standard_input += strcmp(o->databases[i], "-") == 0;
    if (from_standard_input > 1)
        why_say(why, 0, "standard input can be one query or database only");
    else if (from_standard_input > 0 && sweep_link_size(link) > 1)
        why_say(why, 0, "-: under mpirun every rank reads the inputs, so they must be files");
    else
        return 0;
    return COMMAND_REFUSED;
}

static int read_inputs(struct sweep_setup *s, struct why *why)
{
    const struct sweep_options *o = s->options;
    size_t queries = o->query_count, databases = o->database_count;
    s->sequences = calloc(queries + databases, sizeof *s->sequences);
    s->inputs = calloc(queries * databases, sizeof *s->inputs);
    if (!s->sequences || !s->inputs)
        return refuse_memory(why);
    int status = check_files(o, s->link, why);
    for (size_t i = 0; i < queries + databases && status == 0; i++) {
        bool query = i < queries;
        status = run_input_read(query ? o->queries[i] : o->databases[i - queries],
                                query ? "query" : "database", &s->sequences[i], why);
        s->sequence_count += status == 0;
    }
    for (size_t i = 0; i < queries * databases; i++)
        s->inputs[i] =
            (struct sweep_input){o->queries[i / databases], o->databases[i % databases],
                                 &s->sequences[i / databases], &s->sequences[queries + i % databases]};
    s->request.inputs = s->inputs;
    s->request.input_count = queries * databases;
    return status;
}

static int parse_axes(struct sweep_setup *s, struct why *why)
{
    int status = 0;
    for (size_t i = 0; i < s->options->axis_count && status == 0; i++) {
        status = sweep_axis_parse(s->options->axes[i], &s->axes[i], why) ? COMMAND_REFUSED : 0;
        for (size_t earlier = 0; earlier < i && status == 0; earlier++)
            if (s->axes[earlier].parameter == s->axes[i].parameter)
                status =
                    why_say(why, COMMAND_REFUSED, "%.60s: this parameter is varied already; write one list",
                            s->options->axes[i]);
        s->request.axis_count = i + 1;
        if (status)
            why_precede(why, 0, "--vary ");
    }
    s->request.axes = s->axes;
    return status;
}

int sweep_setup_read(struct sweep_setup *s, const struct sweep_options *o, struct why *why)
{
    s->options = o;
    s->request = (struct sweep_request){
        .samples = o->samples, .seed = o->seed, .strands = o->search.strands, .e_value = o->search.e_value};
    if (o->query_count == 0 || o->database_count == 0)
        return why_say(why, COMMAND_REFUSED,
                       "needs a query (-q FILE) and a database (-d FILE), or a scenario that names them");
    int status = parse_axes(s, why);
    if (status == 0)
        status = load_machine(s, why);
    return status ? status : read_inputs(s, why);
}

void sweep_setup_destroy(struct sweep_setup *s)
{
    sweep_plan_destroy(&s->plan);
    for (size_t i = 0; i < s->sequence_count; i++)
        sequences_destroy(&s->sequences[i]);
    free(s->sequences);
    free(s->inputs);
    for (size_t i = 0; i < SWEEP_AXES_MAX; i++)
        sweep_axis_destroy(&s->axes[i]);
}
