#include "app/sweep/sweep_setup.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/command.h"
#include "base/nearest.h"
#include "base/words.h"
#include "base/file/scratch_file.h"
#include "base/file/whole_file.h"
#include "sim/platform/platform.h"
#include "app/sweep/draw/front.h"

enum { TEXT_MOST = 64 << 20 }; /* bytes of a scenario or a platform */

/* --- scenario -------------------------------------------------------------------------------------------- */

struct sweep_scenario {
    char path[PATH_MAX];
    char *text;
    char **arguments; /* for getopt, the program's name first */
    int *lines;       /* of each argument */
    int count;
};

/* Suggest the nearest of the scenarios that come with Mercury. */
static void suggest_scenario(const char *name, struct why *why)
{
    char directory[PATH_MAX];
    struct dirent **entries;
    int count = run_options_find_data("scenarios", directory, sizeof directory)
                    ? scandir(directory, &entries, NULL, alphasort)
                    : -1;
    struct nearest search = {.wanted = name, .length = strlen(name)};
    for (int i = 0; i < count; i++)
        nearest_look_at(&search, entries[i]->d_name);
    nearest_suggest(&search, why);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
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
    why_say(why, COMMAND_REFUSED, "%.300s: no such scenario (%s), here or among data/scenarios", name,
            strerror(errno));
    suggest_scenario(name, why);
    return COMMAND_REFUSED;
}

static int read_scenario(struct sweep_scenario *s, struct why *why)
{
    size_t length;
    int status = command_status_of(whole_file_read(s->path, TEXT_MOST, &s->text, &length, why));
    if (status || (length > 0 && strlen(s->text) == length))
        return status;
    return why_say(why, COMMAND_REFUSED,
                   "%.300s: not a scenario: expected lines like 'vary table.slots=2^14..2^20'", s->path);
}

/* Append a line as one argument, "--name=value" or "--name"; an empty line gives none. */
static void take_line(struct words *w, struct sweep_scenario *s, const struct command_option *options)
{
    char known[32];
    words_drop_comment(w);
    struct word name = words_next(w), value = words_rest(w);
    word_copy(name, known, sizeof known);
    if (!name.text)
        return;
    if (name.length >= sizeof known || !command_has_option(options, known))
        words_refuse(w, NULL, "'%.30s' is no option; expected e.g. 'vary table.slots=2^14..2^20'", known);
    else if (asprintf(&s->arguments[s->count], "--%s%s%.*s", known, value.text ? "=" : "", (int)value.length,
                      value.text ? value.text : "") < 0)
        words_fail_memory(w);
    else
        s->lines[s->count++] = (int)w->line;
}

static size_t count_lines(const char *text)
{
    size_t count = 1;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* Make the arguments of a scenario and take them. */
static int take_scenario(struct sweep_scenario *s, const char *command, const struct command_option *options,
                         struct sweep_options *o, struct why *why)
{
    const size_t room = count_lines(s->text) + 2;
    s->arguments = calloc(room, sizeof *s->arguments);
    s->lines = calloc(room, sizeof *s->lines);
    if (!s->arguments || !s->lines || !(s->arguments[s->count++] = strdup("mercury")))
        return why_no_memory(why, COMMAND_REFUSED);
    struct words w = {
        .file = s->path, .code = COMMAND_REFUSED, .why = why, .word_bytes = word_bytes_to_blank};
    words_begin(&w, s->text, strlen(s->text));
    while (words_next_line(&w))
        take_line(&w, s, options);
    if (w.status)
        return COMMAND_REFUSED;
    int status = command_parse(command, options, s->count, s->arguments, s->count, o, why), at = optind - 1;
    if (status == COMMAND_REFUSED && at > 0 && at < s->count)
        why_precede(why, 0, "%.300s:%d: ", s->path, s->lines[at]);
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

const struct command_option sweep_options_shared[] = {
    COMMAND_TEXTS("query", 'q', struct sweep_options, queries, query_count),
    COMMAND_TEXTS("database", 'd', struct sweep_options, databases, database_count),
    COMMAND_SETTINGS("vary", 0, struct sweep_options, axes, axis_count),
    COMMAND_TEXT("store", 0, struct sweep_options, store),
    COMMAND_CHOICE("device", 0, struct sweep_options, device, fpga_device_names),
    COMMAND_TABLE(search_options_of_limits, struct sweep_options, search),
    COMMAND_TABLE(run_options_of_passes, struct sweep_options, shared),
    COMMAND_OPTIONS_END,
};

/* A number that is set does not vary. */
static int check_axes(const struct sweep_options *o, struct why *why)
{
    for (size_t i = 0; i < o->axis_count; i++) {
        size_t length = strcspn(o->axes[i], "=");
        for (size_t k = 0; k < o->shared.assignment_count; k++)
            if (strncmp(o->axes[i], o->shared.assignments[k], length + 1) == 0)
                return why_say(why, COMMAND_REFUSED,
                               "--vary %.*s: --set gives the same name; expected one of them", (int)length,
                               o->axes[i]);
    }
    return COMMAND_OK;
}

int sweep_options_parse(const char *command, const struct command_option *options, int argc, char **argv,
                        struct sweep_options *o, struct why *why)
{
    *o = (struct sweep_options){.search = search_options_default(),
                                .seed = 1,
                                .ask.keep = FRONT_KEEP,
                                .loss = 0.001,
                                .block_ram_bits = HUGE_VAL,
                                .sram_bits = HUGE_VAL,
                                .energy_j = HUGE_VAL,
                                .time_s = HUGE_VAL};
    int status = 0;
    if (argc > 1 && argv[1][0] != '-') {
        o->scenario = calloc(1, sizeof *o->scenario);
        status = o->scenario ? find_scenario(o->scenario, argv[1], why) : why_no_memory(why, COMMAND_REFUSED);
        if (status == 0)
            status = read_scenario(o->scenario, why);
        if (status == 0)
            status = take_scenario(o->scenario, command, options, o, why);
        argc--;
        argv++;
    }
    if (status == 0)
        status = command_parse(command, options, argc, argv, argc, o, why);
    if (status == 0 && optind < argc)
        status = command_refuse_operand(command, options, argv[optind], why);
    return status == 0 ? check_axes(o, why) : status;
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
    char *text;
    int status = command_status_of(whole_file_read(path, TEXT_MOST, &text, &length, why));
    if (status == 0)
        *digest = XXH3_64bits(text, length);
    free(text);
    return status;
}

/* Let SimGrid try the platform; this is the only time in a sweep. */
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
    if (s->options->device != FPGA_NONE)
        s->request.hardware.fpga_device = s->options->device;
    checked = s->request.hardware;
    if (status == 0 && s->options->axis_count == 0)
        status = hardware_check(&checked, why);
    if (status == 0)
        status = platform_prepare(platform, &checked, why);
    platform_close(platform);
    return status ? COMMAND_REFUSED : 0;
}

/* --- inputs ---------------------------------------------------------------------------------------------- */

static int check_files(const struct sweep_options *o, const struct rank_link *link, struct why *why)
{
    size_t from_standard_input = 0;
    for (size_t i = 0; i < o->query_count; i++)
        from_standard_input += strcmp(o->queries[i], "-") == 0;
    for (size_t i = 0; i < o->database_count; i++)
        from_standard_input += strcmp(o->databases[i], "-") == 0;
    if (from_standard_input > 1)
        return why_say(why, COMMAND_REFUSED, "standard input can be one query or database only");
    if (from_standard_input > 0 && rank_link_size(link) > 1)
        return why_say(why, COMMAND_REFUSED,
                       "-: under mpirun every rank reads the inputs, so they must be files");
    return 0;
}

static int read_inputs(struct sweep_setup *s, struct why *why)
{
    const struct sweep_options *o = s->options;
    size_t queries = o->query_count, databases = o->database_count;
    s->sequences = calloc(queries + databases, sizeof *s->sequences);
    s->inputs = calloc(queries * databases, sizeof *s->inputs);
    if (!s->sequences || !s->inputs)
        return why_no_memory(why, COMMAND_REFUSED);
    unsigned jobs = s->link ? 1 : run_options_jobs(&o->shared, SIZE_MAX);
    int status = check_files(o, s->link, why);
    for (size_t i = 0; i < queries + databases && status == 0; i++) {
        bool query = i < queries;
        const char *path = query ? o->queries[i] : o->databases[i - queries];
        status =
            search_options_read(&path, 1, path, query ? "query" : "database", jobs, &s->sequences[i], why);
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
    if (status == 0 && scratch_file_probe(why) != 0)
        status = COMMAND_REFUSED;
    if (status == 0)
        status = try_platform(s, why);
    if (status == 0)
        status = digest_platform(s->platform_path, &s->request.platform_digest, why);
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
