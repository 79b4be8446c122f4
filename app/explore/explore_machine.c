#include "app/explore/explore_machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command.h"
#include "sim/simgrid/simgrid_module.h"
#include "app/report/run_files.h"
#include "app/run/machine_presets.h"
#include "app/run/recorded_machine.h"
#include "app/run/run_options.h"

/* Name of the record in the directory of a run. */
#define RECORD_FILE "run.tokens"

/* --- the record of a directory --------------------------------------------------------------------------- */

static bool is_directory(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static const char *file_of(const json_t *run, const char *side)
{
    const char *file = json_string_value(json_object_get(json_object_get(run, side), "file"));
    return file ? file : strcmp(side, "query") == 0 ? "QUERY" : "DATABASE";
}

static int refuse_directory(const char *directory, const json_t *run, struct why *why)
{
    if (!run)
        return why_say(
            why, COMMAND_REFUSED,
            "%.300s: holds no run (no run.json); mercury run -q QUERY -d DATABASE -o %.300s --record "
            "%.300s/" RECORD_FILE " makes one to explore",
            directory, directory, directory);
    return why_say(why, COMMAND_REFUSED,
                   "%.200s: this run left no tokens to time again (" RECORD_FILE
                   "); mercury run -q %.150s -d %.150s -o %.150s --record %.150s/" RECORD_FILE
                   " records them",
                   directory, file_of(run, "query"), file_of(run, "database"), directory, directory);
}

static int find_in_directory(const char *directory, char *path, struct why *why)
{
    char file[PATH_MAX];
    struct stat about;
    snprintf(file, sizeof file, "%.3800s/summary.json", directory);
    if (stat(file, &about) == 0 && run_files_check(directory, why) != 0)
        return COMMAND_REFUSED;
    snprintf(path, PATH_MAX, "%.3800s/" RECORD_FILE, directory);
    if (access(path, F_OK) == 0)
        return 0;
    snprintf(file, sizeof file, "%.3800s/run.json", directory);
    json_t *run = json_load_file(file, 0, NULL);
    const char *record = json_string_value(json_object_get(run, "record"));
    bool found = record && access(record, F_OK) == 0;
    if (found)
        snprintf(path, PATH_MAX, "%s", record);
    int status = found ? 0 : refuse_directory(directory, run, why);
    json_decref(run);
    return status;
}

static int open_record(const char *path, struct explored_run *run, struct why *why)
{
    int status = 0;
    if (is_directory(path))
        status = find_in_directory(path, run->record_path, why);
    else
        snprintf(run->record_path, sizeof run->record_path, "%s", path);
    if (status == 0)
        status = command_status_of(token_record_open(run->record_path, &run->record, why));
    if (status == 0)
        run->facts = &token_record_run(run->record)->facts;
    return status;
}

/* The module is loaded here, so that the processes that simulate find it loaded. Nothing of it runs here. */
int explored_run_open(const char *path, struct explored_run *run, struct why *why)
{
    struct hardware machine;
    *run = (struct explored_run){0};
    int status = open_record(path, run, why);
    if (status == 0)
        status = recorded_machine_open(run->facts, &run->recorded, &run->platform, why);
    machine = run->recorded;
    if (status == 0 &&
        (hardware_check(&machine, why) != 0 || platform_prepare(run->platform, &machine, why) != 0))
        status = COMMAND_REFUSED;
    return status;
}

void explored_run_close(struct explored_run *run)
{
    token_record_close(run->record);
    platform_close(run->platform);
    *run = (struct explored_run){0};
}

/* --- changes --------------------------------------------------------------------------------------------- */

int explored_run_change(const struct explored_run *run, const json_t *changes, struct hardware *hardware,
                        struct why *why)
{
    const char *name;
    const json_t *value;
    *hardware = run->recorded;
    for (void *at = json_object_iter((json_t *)changes); at;
         at = json_object_iter_next((json_t *)changes, at)) {
        name = json_object_iter_key(at);
        value = json_object_iter_value(at);
        if (!json_is_string(value))
            return why_say(why, COMMAND_REFUSED, "%.40s: expected a text with its value", name);
        if (hardware_set(hardware, name, json_string_value(value), why) != 0)
            return COMMAND_REFUSED;
    }
    int status = recorded_machine_check(run->facts, hardware, run->record_path, false, why);
    return status ? status : hardware_check(hardware, why) != 0 ? COMMAND_REFUSED : 0;
}

/* --- facts ----------------------------------------------------------------------------------------------- */

static json_t *names_json(const struct hardware_range *range)
{
    json_t *names = range->names ? json_array() : NULL;
    for (unsigned i = 0; i < range->name_count; i++)
        json_array_append_new(names, json_string(range->names[i]));
    return names;
}

static json_t *parameter_json(const struct explored_run *run, size_t index)
{
    struct hardware_range range = hardware_parameter_range(index);
    char value[64];
    hardware_parameter_value(&run->recorded, index, value, sizeof value);
    return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:b, s:b, s:o*}", "name", hardware_parameter_name(index),
                     "value", value, "unit", hardware_parameter_unit(index), "meaning", range.meaning,
                     "least", range.least, "most", range.most, "whole", range.whole, "timing",
                     hardware_parameter_role(index) == HARDWARE_TIMING, "names", names_json(&range));
}

/* The last part of a path, of which only characters of UTF-8 stay. */
static json_t *name_json(const char *path)
{
    const char *slash = strrchr(path, '/');
    json_t *name = json_string(slash ? slash + 1 : path);
    return name ? name : json_string("?");
}

json_t *explored_run_json(const struct explored_run *run)
{
    json_t *parameters = json_array();
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        json_array_append_new(parameters, parameter_json(run, i));
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o}", "version", MERCURY_VERSION, "query",
                     name_json(run->facts->query_path), "database", name_json(run->facts->database_path),
                     "record", name_json(run->record_path), "passes", (json_int_t)run->facts->pass_count,
                     "parameters", parameters, "commands", explored_run_commands(run, &run->recorded));
}

/* --- commands -------------------------------------------------------------------------------------------- */

/* Append an argument, in quotes unless the shell leaves it as it is. */
static void append_argument(const char *text, FILE *out)
{
    bool plain = *text != '\0';
    for (const char *at = text; *at && plain; at++)
        plain = isalnum((unsigned char)*at) || strchr("/._-+=,:@%", *at);
    fputs(plain ? " " : " '", out);
    for (const char *at = text; *at; at++) {
        if (*at == '\'')
            fputs("'\\''", out);
        else
            fputc(*at, out);
    }
    if (!plain)
        fputc('\'', out);
}

static void append_sets(const struct hardware *from, const struct hardware *to, FILE *out)
{
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        char before[64], after[64];
        hardware_parameter_value(from, i, before, sizeof before);
        hardware_parameter_value(to, i, after, sizeof after);
        if (strcmp(before, after) != 0)
            fprintf(out, " --set %s=%s", hardware_parameter_name(i), after);
    }
}

/* The numbers of the platform that a run without -p has, or of the one that the record's run had. */
static struct hardware base_machine(const struct explored_run *run, bool *is_default)
{
    char path[PATH_MAX];
    struct hardware base = hardware_default(), named = hardware_default();
    struct platform *platform = NULL;
    struct why ignored;
    *is_default = run_options_find_machine(machine_presets[0].name, path, &ignored) == 0 &&
                  strcmp(path, run->facts->platform_path) == 0;
    if (platform_open(run->facts->platform_path, &named, &platform, &ignored) == 0)
        base = named;
    platform_close(platform);
    return base;
}

static json_t *run_command(const struct explored_run *run, const struct hardware *hardware)
{
    char *text = NULL;
    size_t bytes;
    bool is_default;
    struct hardware base = base_machine(run, &is_default);
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fputs("mercury run -q", out);
    append_argument(run->facts->query_path, out);
    fputs(" -d", out);
    append_argument(run->facts->database_path, out);
    if (!is_default) {
        fputs(" -p", out);
        append_argument(run->facts->platform_path, out);
    }
    if (run->facts->e_value != 1e-3)
        fprintf(out, " -e %.15g", run->facts->e_value);
    append_sets(&base, hardware, out);
    fclose(out);
    json_t *command = json_string(text);
    free(text);
    return command;
}

static json_t *retime_command(const struct explored_run *run, const struct hardware *hardware)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fputs("mercury retime", out);
    append_argument(run->record_path, out);
    append_sets(&run->recorded, hardware, out);
    fclose(out);
    json_t *command = json_string(text);
    free(text);
    return command;
}

json_t *explored_run_commands(const struct explored_run *run, const struct hardware *hardware)
{
    json_t *of_run = run_command(run, hardware), *of_retime = retime_command(run, hardware);
    return json_pack("{s:o, s:o}", "run", of_run ? of_run : json_string("mercury run"), "retime",
                     of_retime ? of_retime : json_string("mercury retime"));
}
