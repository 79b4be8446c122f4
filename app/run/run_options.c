#include "app/run/run_options.h"

#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "base/number.h"
#include "base/process/module.h"
#include "sim/drawing/arrival_list.h"
#include "sim/pass/run_drawings.h"
#include "app/options.inc"

/* Greatest values of --jobs, as many as a cpu_set_t has bits, and of --timeline-pass. */
enum { JOBS_MOST = CPU_SETSIZE, PASSES_MOST = 1000000000 };

/* Bytes of a run: what a job needs besides its HSPs and the sequences, and the range of --memory. */
#define MEMORY_OF_JOB (UINT64_C(128) << 20)
#define MEMORY_LEAST  256e6
#define MEMORY_MOST   1e15

/* Bytes of a timeline, which browsers open at once, and of waveforms, without --timeline-cap. */
enum { TIMELINE_BYTES = 10000000, WAVES_BYTES = 100000000 };

const char *const run_options_engines[] = {"fast", "events", NULL};

struct run_options run_options_default(void)
{
    return (struct run_options){.format = &format_tabular, .columns = columns_standard()};
}

/* --- values of options ----------------------------------------------------------------------------------- */

/* A format, and after it perhaps names of columns. */
static int take_format(void *data, const char *argument, struct why *why)
{
    struct run_options *o = data;
    size_t length = strcspn(argument, " ");
    const char *names = argument + length + strspn(argument + length, " ");
    const struct alignment_format *format = alignment_format_find(argument, length);
    if (!format) {
        struct nearest search = {.wanted = argument, .length = length};
        for (const struct alignment_format *const *f = alignment_formats; *f; f++)
            for (int i = 0; i < 2 && (*f)->names[i]; i++)
                nearest_look_at(&search, (*f)->names[i]);
        command_refuse("--format", argument, ALIGNMENT_FORMATS_EXPECTED, why);
        nearest_suggest(&search, why);
        return COMMAND_REFUSED;
    }
    o->format = format;
    if (!format->has_columns && *names != '\0')
        return command_refuse("--format", argument, "columns only with 6, 7 or 10", why);
    if (format->has_columns && columns_parse(names, &o->columns, why) != 0)
        return why_precede(why, COMMAND_REFUSED, "--format: ");
    return 0;
}

int run_options_refuse_bases(const struct run_options *o, struct why *why)
{
    const char *what = o->format->has_columns ? columns_first_of_bases(&o->columns) : o->format->shows;
    return !what ? 0
                 : why_refuse(why,
                              "--format: %s shows sequences, which a record does not hold; use mercury run",
                              what);
}

/* Besides their HSPs, passes take little memory, and the run's process as much as one of them. More than a cpu_set_t
 * has bits are too many for -j, too. */
unsigned run_options_jobs(const struct run_options *o, size_t most)
{
    const uint64_t in_memory = o->memory_bytes / MEMORY_OF_JOB;
    cpu_set_t usable;
    unsigned jobs = o->jobs;
    if (jobs == 0)
        jobs = sched_getaffinity(0, sizeof usable, &usable) == 0 ? (unsigned)CPU_COUNT(&usable) : JOBS_MOST;
    if (o->memory_bytes > 0 && jobs >= in_memory)
        jobs = in_memory > 1 ? (unsigned)in_memory - 1 : 1;
    return jobs < most ? jobs : (unsigned)most;
}

void run_options_bound(const struct run_options *o, struct pass_handling *how)
{
    pass_handling_bound(how, o->memory_bytes > 0 ? o->memory_bytes : passes_default_memory());
}

/* "2G", "512MiB" */
static int take_memory(void *data, const char *argument, struct why *why)
{
    struct run_options *o = data;
    double bytes;
    if (number_of(argument, "bytes", &bytes) != 0 || bytes < MEMORY_LEAST || bytes > MEMORY_MOST)
        return command_refuse("--memory", argument, "a size from 256M to 1000T, such as 2G or 512Mi", why);
    o->memory_bytes = (uint64_t)bytes;
    return 0;
}

/* "1.5..2" */
static int take_window(void *data, const char *argument, struct why *why)
{
    struct drawing_request *t = &((struct run_options *)data)->drawing;
    const char *dots = strstr(argument, "..");
    char begin[40];
    double begin_ms = 0, end_ms = 0;
    snprintf(begin, sizeof begin, "%.*s", dots ? (int)(dots - argument) : 0, argument);
    if (!dots || dots - argument >= (int)sizeof begin || command_number(begin, 0, 1e9, &begin_ms) != 0 ||
        command_number(dots + 2, 0, 1e9, &end_ms) != 0)
        return command_refuse("--timeline-window", argument, "BEGIN..END in ms, each from 0 to 1e9", why);
    if (!(begin_ms < end_ms))
        return command_refuse("--timeline-window", argument, "BEGIN before END", why);
    t->begin_s = begin_ms / 1e3;
    t->end_s = end_ms / 1e3;
    return 0;
}

/* "wmer_fifo=times.txt" */
static int take_times(void *data, const char *argument, struct why *why)
{
    struct drawing_request *d = &((struct run_options *)data)->drawing;
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : 0;
    char expected[400] = "TAP=FILE, where TAP is";
    for (unsigned i = 0; i < ARRIVAL_LISTS; i++) {
        const char *name = arrival_list_name(i);
        if (strlen(name) == length && memcmp(name, argument, length) == 0) {
            d->times_kind = i;
            d->times_path = equals + 1;
            return 0;
        }
        const size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s %s",
                 i == 0                  ? ""
                 : i + 1 < ARRIVAL_LISTS ? ","
                                         : " or",
                 name);
    }
    return command_refuse("--export-times", argument, expected, why);
}

const struct command_option run_options_of_passes[] = COMMAND_OPTIONS(RUN_OPTIONS_OF_PASSES);

const struct command_option run_options_of_output[] = COMMAND_OPTIONS(RUN_OPTIONS_OF_OUTPUT);

/* --- what follows from options --------------------------------------------------------------------------- */

struct drawn_file run_options_drawn(const struct run_options *o, unsigned i)
{
    const struct drawing_request *d = &o->drawing;
    const struct drawn_file files[RUN_DRAWINGS] = {{"--timeline", d->timeline_path},
                                                   {"--vcd", d->vcd_path},
                                                   {"--fst", d->fst_path},
                                                   {"--export-times", d->times_path}};
    return files[i];
}

bool run_options_draw(const struct run_options *o)
{
    for (unsigned i = 0; i < RUN_DRAWINGS; i++)
        if (run_options_drawn(o, i).path)
            return true;
    return false;
}

/* Drawings are written by other processes, too, and not from begin to end. */
int run_options_complete(struct run_options *o, struct why *why)
{
    struct drawing_request *d = &o->drawing;
    if (o->mapq > 0 && !o->format->has_quality)
        return why_refuse(why,
                          "--mapq %u: only " ALIGNMENT_FORMATS_MAPPED
                          " have mapping qualities; choose one with --format",
                          o->mapq);
    for (unsigned i = 0; i < RUN_DRAWINGS; i++) {
        const struct drawn_file file = run_options_drawn(o, i);
        if (file.path && (strcmp(file.path, "-") == 0 || !*file.path))
            return command_refuse(file.option, file.path, "the name of a file", why);
    }
    const char *needless = d->pass            ? "--timeline-pass"
                           : d->end_s > 0     ? "--timeline-window"
                           : d->bytes_max > 0 ? "--timeline-cap"
                                              : NULL;
    if (!run_options_draw(o) && needless)
        return why_refuse(
            why, "%s: there is no timeline; name its file with --timeline, or that of waveforms with --vcd",
            needless);
    d->pass = d->pass ? d->pass : 1;
    d->waves_bytes = d->bytes_max ? d->bytes_max : WAVES_BYTES;
    d->bytes_max = d->bytes_max ? d->bytes_max : TIMELINE_BYTES;
    return d->fst_path ? command_status_of(run_drawings_find_vcd2fst(why)) : 0;
}

int run_options_check_drawing(const struct run_options *o, size_t passes, struct why *why)
{
    if (!run_options_draw(o) || o->drawing.pass <= passes)
        return 0;
    return why_refuse(why, "--timeline-pass %" PRIu64 ": expected a pass from 1 to %zu, which this run has",
                      o->drawing.pass, passes);
}

bool run_options_set(const struct run_options *options, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < options->assignment_count; i++)
        if (strncmp(options->assignments[i], name, length) == 0 && options->assignments[i][length] == '=')
            return true;
    return false;
}

int run_options_apply_sets(const struct run_options *options, struct hardware *hardware, struct why *why)
{
    for (size_t i = 0; i < options->assignment_count; i++)
        if (hardware_set_assignment(hardware, options->assignments[i], why) != 0)
            return why_precede(why, COMMAND_REFUSED, "--set: ");
    return 0;
}

/* Numbers of scores have blastn's names. */
int run_options_change_machine(const struct run_options *o, unsigned preset, struct hardware *hardware,
                               struct scoring_statistics *statistics, struct why *why)
{
    static const struct {
        const char *option, *parameter;
    } scores[RUN_SCORES] = {{"--reward", "score.match"},
                            {"--penalty", "score.mismatch"},
                            {"--gapopen", "score.gap_open"},
                            {"--gapextend", "score.gap_extend"}};
    const struct scoring platform_scores = hardware->scoring;
    if (preset > 0)
        hardware->scoring = scoring_presets[preset - 1];
    for (unsigned i = 0; i < RUN_SCORES; i++)
        if (o->scores[i] && hardware_set(hardware, scores[i].parameter, o->scores[i], why) != 0)
            return why_precede(why, COMMAND_REFUSED, "%s: ", scores[i].option);
    return run_options_apply_sets(o, hardware, why) != 0 || hardware_check(hardware, why) != 0 ||
                   scoring_statistics_compute(&hardware->scoring, statistics, why) != 0 ||
                   (!run_options_set(o, "stage2.threshold") &&
                    hardware_follow_scores(hardware, &platform_scores, why) != 0)
               ? COMMAND_REFUSED
               : 0;
}

bool run_options_find_data(char path[PATH_MAX], const char *format, ...)
{
    static const char *const places[] = {"data", "../share/mercury"};
    char program[PATH_MAX], name[PATH_MAX], candidate[3 * PATH_MAX], found[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    const bool fits = vsnprintf(name, sizeof name, format, arguments) < (int)sizeof name;
    va_end(arguments);
    module_program_directory(program);
    for (unsigned i = 0; fits && *program && i < 2; i++) {
        snprintf(candidate, sizeof candidate, "%s/%s/%s", program, places[i], name);
        if (realpath(candidate, found)) {
            strcpy(path, found);
            return true;
        }
    }
    return false;
}

const char *run_options_find_file(const char *name, const char *folder, const char *suffix,
                                  char path[PATH_MAX])
{
    struct stat about;
    const bool is_own = strcmp(name, "-") == 0 || (stat(name, &about) == 0 && !S_ISDIR(about.st_mode));
    return !is_own && *name && run_options_find_data(path, "%s/%s%s", folder, name, suffix) ? path : name;
}

void run_options_suggest_file(const char *name, const char *folder, struct why *why)
{
    char directory[PATH_MAX];
    struct dirent **entries = NULL;
    const bool found = run_options_find_data(directory, "%s", folder);
    const int count = found ? scandir(directory, &entries, NULL, alphasort) : 0;
    struct nearest search = {.wanted = name, .length = strlen(name)};
    for (int i = 0; i < count; i++)
        nearest_look_at(&search, entries[i]->d_name);
    nearest_suggest(&search, why);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}

int run_options_find_directives(const char *name, char path[PATH_MAX], struct why *why)
{
    size_t length = strlen(name);
    bool has_suffix = length > 3 && strcmp(name + length - 3, ".tt") == 0;
    bool is_path = strchr(name, '/') || strcmp(name, "-") == 0 || access(name, F_OK) == 0;
    snprintf(path, PATH_MAX, "%s", name);
    if (is_path || run_options_find_data(path, "directives/%.200s%s", name, has_suffix ? "" : ".tt"))
        return COMMAND_OK;
    return why_refuse(why,
                      "%.200s: there is neither such a file nor a set of directives of that name (default, "
                      "timetrial2011)",
                      name);
}

/* --- machines -------------------------------------------------------------------------------------------- */

const struct machine_preset machine_presets[] = {
    {"mercury-2010", "to compare genomes: finds nearly all alignments of blastn"},
    {"dor2010", "to hold against the papers: the machine as it was measured"},
    {"pcie-gen2-x8", "the default machine on PCI Express, 8 lanes of generation 2"},
    {"pcie-gen3-x16", "the same on 16 lanes of generation 3: for several boards"},
    {"modern-host", "the same in a host of 32 cores, on a network of 100 Gbit/s"},
    {NULL, NULL},
};

const struct machine_preset *machine_preset_find(const char *name, struct why *why)
{
    struct nearest search = {.wanted = name, .length = strlen(name)};
    for (const struct machine_preset *preset = machine_presets; preset->name; preset++) {
        if (strcmp(preset->name, name) == 0)
            return preset;
        nearest_look_at(&search, preset->name);
    }
    why_refuse(why, "no machine is called '%.60s'", name);
    nearest_suggest(&search, why);
    why_append(why, " (all: mercury platforms)");
    return NULL;
}

int run_options_find_machine(const char *name, char path[PATH_MAX], struct why *why)
{
    const struct machine_preset *preset = machine_preset_find(name, why);
    if (!preset)
        return COMMAND_REFUSED;
    if (run_options_find_data(path, "platforms/%s.xml", preset->name))
        return 0;
    return why_refuse(why, "the %s platform is not where the program was installed; name one with -p FILE",
                      preset == machine_presets ? "default" : preset->name);
}

bool run_options_name_machine(const struct run_options *options)
{
    return options->platform || options->machine;
}

int run_options_open_platform(const struct run_options *options, char path[PATH_MAX],
                              struct hardware *hardware, struct platform **platform, struct why *why)
{
    const char *file = options->platform, *name = file ? file : options->machine;
    *hardware = hardware_default();
    if (file && options->machine)
        return why_refuse(
            why, "--platform '%.200s' and --machine '%.60s' both name the machine: expected one of them",
            file, options->machine);
    /* A file comes before a machine of the same name. */
    if (file && access(file, F_OK) == 0)
        snprintf(path, PATH_MAX, "%s", file);
    else if (run_options_find_machine(name ? name : machine_presets[0].name, path, why) != 0)
        return why_precede(why, COMMAND_REFUSED, "%s",
                           file   ? "--platform: there is no such file, and "
                           : name ? "--machine: "
                                  : "");
    return platform_open(path, hardware, platform, why) == 0 ? 0 : COMMAND_REFUSED;
}
