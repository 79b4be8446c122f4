#include "app/sweep/sweep_setup.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/array.h"
#include "base/command.h"
#include "base/memory.h"
#include "base/words.h"
#include "base/file/scratch_file.h"
#include "base/file/whole_file.h"
#include "sim/platform/platform.h"
#include "app/sweep/draw/front.h"
#include "app/options.inc"

enum { TEXT_MOST = 64 << 20 }; /* bytes of a scenario or a platform */

/* --- scenario -------------------------------------------------------------------------------------------- */

struct sweep_scenario {
    char path[PATH_MAX];
    char *text;
    struct argument {
        char *text;
        int line;
    } * list;
    size_t count, room;
};

static int find_scenario(struct sweep_scenario *s, const char *name, struct why *why)
{
    struct stat status;
    if (stat(name, &status) == 0 && S_ISDIR(status.st_mode))
        errno = EISDIR;
    else if (stat(name, &status) == 0) {
        snprintf(s->path, sizeof s->path, "%s", name);
        return 0;
    } else if (strlen(name) > 0 && run_options_find_data(s->path, "scenarios/%s", name))
        return 0;
    why_refuse(why, "%.300s: no such scenario (%s), here or among data/scenarios", name, why_error(errno));
    run_options_suggest_file(name, "scenarios", why);
    return COMMAND_REFUSED;
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
    if (name.length >= sizeof known || !command_has_option(options, known)) {
        words_refuse(w, NULL, "'%.30s' is no option; expected e.g. 'vary table.slots=2^14..2^20'", known);
        return;
    }
    *ARRAY_NEXT(s->list, s->count, s->room) =
        (struct argument){memory_print("--%s%s%.*s", known, value.text ? "=" : "", (int)value.length,
                                       value.text ? value.text : ""),
                          (int)w->line};
}

/* Read a scenario, make its arguments and take them. */
static int take_scenario(struct sweep_scenario *s, const char *command, const struct command_option *options,
                         struct sweep_options *o, struct why *why)
{
    size_t length;
    int status = command_status_of(whole_file_read(s->path, TEXT_MOST, &s->text, &length, why));
    if (status)
        return status;
    if (length == 0 || strlen(s->text) != length)
        return why_refuse(why, "%.300s: not a scenario: expected lines like 'vary table.slots=2^14..2^20'",
                          s->path);
    struct words w = {
        .file = s->path, .code = COMMAND_REFUSED, .why = why, .word_bytes = word_bytes_to_blank};
    words_begin(&w, s->text, strlen(s->text));
    while (words_next_line(&w))
        take_line(&w, s, options);
    if (w.status)
        return COMMAND_REFUSED;
    const int count = (int)s->count + 1;
    char **arguments = memory_new(s->count + 2, sizeof *arguments), program[] = "mercury";
    arguments[0] = program;
    for (size_t i = 0; i < s->count; i++)
        arguments[i + 1] = s->list[i].text;
    status = command_parse(command, options, count, arguments, count, o, why);
    const int at = optind - 2;
    if (status == COMMAND_REFUSED && at >= 0 && at < (int)s->count)
        why_precede(why, 0, "%.300s:%d: ", s->path, s->list[at].line);
    free(arguments);
    return status;
}

/* --- options --------------------------------------------------------------------------------------------- */

const struct command_option sweep_options_shared[] = COMMAND_OPTIONS(SWEEP_OPTIONS_SHARED);

/* A number that is set does not vary. */
static int check_axes(const struct sweep_options *o, struct why *why)
{
    for (size_t i = 0; i < o->axis_count; i++) {
        size_t length = strcspn(o->axes[i], "=");
        for (size_t k = 0; k < o->shared.assignment_count; k++)
            if (strncmp(o->axes[i], o->shared.assignments[k], length + 1) == 0)
                return why_refuse(why, "--vary %.*s: --set gives the same name; expected one of them",
                                  (int)length, o->axes[i]);
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
        o->scenario = memory_new(1, sizeof *o->scenario);
        status = find_scenario(o->scenario, argv[1], why);
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
    auto_free struct sweep_scenario *s = o->scenario;
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++)
        free(s->list[i].text);
    free(s->list);
    free(s->text);
    o->scenario = NULL;
}

/* --- machine --------------------------------------------------------------------------------------------- */

/* Let SimGrid try the platform; this is the only time in a sweep. */
static int try_platform(struct sweep_setup *s, struct why *why)
{
    const struct run_options *o = &s->options->shared;
    struct sweep_request *r = &s->request;
    int status = run_options_open_platform(o, s->platform_path, &r->hardware, &r->platform, why);
    r->chosen_for = r->hardware.scoring;
    r->keeps_threshold = run_options_set(o, "stage2.threshold");
    if (status == 0)
        status = run_options_apply_sets(o, &r->hardware, why);
    if (s->options->device != FPGA_NONE)
        r->hardware.fpga_device = s->options->device;
    struct hardware checked = r->hardware;
    if (status == 0 && r->axis_count == 0)
        status = hardware_check(&checked, why);
    if (status == 0)
        status = platform_prepare(r->platform, &checked, why);
    if (status)
        return COMMAND_REFUSED;
    size_t length;
    auto_free char *text = NULL;
    status = command_status_of(whole_file_read(s->platform_path, TEXT_MOST, &text, &length, why));
    if (status == 0)
        r->platform_digest = XXH3_64bits(text, length);
    return status;
}

/* --- inputs ---------------------------------------------------------------------------------------------- */

static int read_side(struct sweep_setup *s, const char *const *paths, size_t count, const char *side,
                     struct why *why)
{
    const unsigned jobs = s->link ? 1 : run_options_jobs(&s->options->shared, SIZE_MAX);
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        status =
            search_options_read(&paths[i], 1, paths[i], side, jobs, &s->sequences[s->sequence_count], why);
        s->sequence_count += status == 0;
    }
    return status;
}

static int read_inputs(struct sweep_setup *s, struct why *why)
{
    const struct sweep_options *o = s->options;
    const size_t queries = o->query_count, databases = o->database_count;
    s->sequences = memory_new(queries + databases, sizeof *s->sequences);
    s->inputs = memory_new(queries * databases, sizeof *s->inputs);
    size_t from_standard_input = 0;
    for (size_t i = 0; i < queries; i++)
        from_standard_input += strcmp(o->queries[i], "-") == 0;
    for (size_t i = 0; i < databases; i++)
        from_standard_input += strcmp(o->databases[i], "-") == 0;
    if (from_standard_input > 1)
        return why_refuse(why, "standard input can be one query or database only");
    if (from_standard_input > 0 && rank_link_size(s->link) > 1)
        return why_refuse(why, "-: under mpirun every rank reads the inputs, so they must be files");
    int status = read_side(s, o->queries, queries, "query", why);
    if (status == 0)
        status = read_side(s, o->databases, databases, "database", why);
    for (size_t i = 0; i < queries * databases; i++)
        s->inputs[i] =
            (struct sweep_input){o->queries[i / databases], o->databases[i % databases],
                                 &s->sequences[i / databases], &s->sequences[queries + i % databases]};
    s->request.inputs = s->inputs;
    s->request.input_count = queries * databases;
    return status;
}

int sweep_setup_read(struct sweep_setup *s, const struct sweep_options *o, struct why *why)
{
    struct sweep_request *r = &s->request;
    s->options = o;
    *r = (struct sweep_request){
        .samples = o->samples, .seed = o->seed, .strands = o->search.strands, .e_value = o->search.e_value};
    if (o->query_count == 0 || o->database_count == 0)
        return why_refuse(why,
                          "needs a query (-q FILE) and a database (-d FILE), or a scenario that names them");
    for (; r->axis_count < o->axis_count; r->axis_count++)
        if (sweep_axis_parse(o->axes[r->axis_count], &r->axes[r->axis_count], why) != 0)
            return why_precede(why, COMMAND_REFUSED, "--vary: ");
    if (scratch_file_probe(why) != 0)
        return COMMAND_REFUSED;
    int status = try_platform(s, why);
    return status ? status : read_inputs(s, why);
}

void sweep_setup_destroy(struct sweep_setup *s)
{
    sweep_plan_destroy(&s->plan);
    for (size_t i = 0; i < s->sequence_count; i++)
        sequences_destroy(&s->sequences[i]);
    free(s->sequences);
    free(s->inputs);
    platform_close(s->request.platform);
    for (size_t i = 0; i < s->request.axis_count; i++)
        sweep_axis_destroy(&s->request.axes[i]);
}
