#include "app/explore/explore_machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command.h"
#include "base/file/file_io.h"
#include "base/json_number.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/file/scratch_file.h"
#include "sim/board/machine_part.h"
#include "sim/run/run.h"
#include "sim/simgrid/simgrid_module.h"
#include "app/run/recorded_run.h"
#include "app/run/run_options.h"
#include "app/run/search_options.h"
#include "app/run/run_session.h"

int explore_tokens_new(const struct explored_run *of, const struct hardware *machine,
                       struct explore_tokens **tokens, struct why *why)
{
    struct explore_tokens *t = memory_new(1, sizeof *t);
    *t = (struct explore_tokens){.run = *of,
                                 .machine = *machine,
                                 .progress = memory_shared(sizeof *t->progress),
                                 .file = scratch_file_descriptor(),
                                 .users = 1};
    t->run.record = NULL;
    t->run.is_nameless = true;
    *tokens = t;
    if (t->file >= 0)
        return 0;
    scratch_file_refuse(why, COMMAND_FAILED);
    explore_tokens_release(t);
    *tokens = NULL;
    return COMMAND_FAILED;
}

int explore_tokens_make(const struct explore_tokens *t, struct why *why)
{
    char limit[80];
    const struct run_again again = {t->run.facts, &t->machine, t->progress};
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){TOKENS_BYTES, TOKENS_BYTES});
    const struct file_name name = file_io_name(t->file);
    int status = run_session_again(&again, name.path, why);
    if (status && strncmp(why->line, name.path, strlen(name.path)) == 0) { /* a name that nobody knows */
        snprintf(limit, sizeof limit, "the tokens, of which there are %llu MiB at most,", TOKENS_BYTES >> 20);
        scratch_file_refuse_bytes(limit, why, status);
    }
    return status;
}

int explore_tokens_open(struct explore_tokens *t, struct why *why)
{
    int status = command_status_of(token_record_open(file_io_name(t->file).path, &t->run.record, why));
    file_io_close(&t->file); /* the record is mapped */
    if (status)
        return status;
    t->run.facts = &token_record_run(t->run.record)->facts;
    t->run.recorded = t->machine;
    return 0;
}

bool explore_tokens_fit(const struct explore_tokens *t, const struct hardware *machine)
{
    struct why ignored;
    return t->run.record && explored_run_check(&t->run, machine, &ignored) == 0;
}

void explore_tokens_release(struct explore_tokens *t)
{
    if (!t || --t->users > 0)
        return;
    token_record_close(t->run.record);
    munmap(t->progress, sizeof *t->progress);
    file_io_close(&t->file);
    free(t);
}

/* --- the record of a directory --------------------------------------------------------------------------- */

static int refuse_directory(const char *directory, json_t *run, struct why *why)
{
    const char *query = "QUERY", *database = "DATABASE";
    if (!run)
        return why_refuse(
            why,
            "%.300s: holds no run (no run.json); mercury run -q QUERY -d DATABASE -o %.300s --record "
            "%.300s/" RECORDED_RUN_FILE " makes one to explore",
            directory, directory, directory);
    json_unpack(run, "{s?{s?s}, s?{s?s}}", "query", "file", &query, "database", "file", &database);
    return why_refuse(why,
                      "%.200s: this run left no tokens to time again (" RECORDED_RUN_FILE
                      "); mercury run -q %.150s -d %.150s -o %.150s --record %.150s/" RECORDED_RUN_FILE
                      " records them",
                      directory, query, database, directory, directory);
}

static int find_in_directory(const char *directory, struct explored_run *explored, struct why *why)
{
    struct run_place place;
    size_t count;
    if (run_place_look(directory, &place, why) != 0)
        return COMMAND_REFUSED;
    if (access(place.summary, F_OK) == 0) {
        if (run_place_find(directory, &place, why) != 0)
            return COMMAND_REFUSED;
        snprintf(explored->directory, sizeof explored->directory, "%s", directory);
    }
    if (recorded_run_look(&place, explored->record_path, &count, why) != 0)
        return COMMAND_REFUSED;
    if (count == 1)
        return 0;
    json_auto_t *run = run_read_json(place.run, RUN_JSON, &(struct why){""});
    const char *record = json_string_value(json_object_get(run, "record"));
    bool found = record && access(record, F_OK) == 0;
    if (found)
        snprintf(explored->record_path, PATH_MAX, "%s", record);
    return found ? 0 : refuse_directory(directory, run, why);
}

/* @return the wall time in the run.json beside a record, if that is of the run that made it; 0 otherwise */
static double find_wall(const char *record_path, const struct token_record_facts *facts)
{
    char file[PATH_MAX + 16], digests[2][24];
    const char *query = NULL, *database = NULL;
    double wall_s = 0;
    snprintf(file, sizeof file, "%.*srun.json", (int)(basename(record_path) - record_path), record_path);
    snprintf(digests[0], sizeof digests[0], "%016" PRIx64, facts->query->digest);
    snprintf(digests[1], sizeof digests[1], "%016" PRIx64, facts->database->digest);
    json_auto_t *run = run_read_json(file, RUN_JSON, &(struct why){""});
    bool same = !json_object_get(run, "record") &&
                json_unpack(run, "{s:{s:s}, s:{s:s}, s:F}", "query", "xxh3", &query, "database", "xxh3",
                            &database, "wall_time_s", &wall_s) == 0 &&
                strcmp(query, digests[0]) == 0 && strcmp(database, digests[1]) == 0;
    return same ? wall_s : 0;
}

static int open_record(const char *path, struct explored_run *run, struct why *why)
{
    struct stat about;
    int status = 0;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        status = find_in_directory(path, run, why);
    else
        snprintf(run->record_path, sizeof run->record_path, "%s", path);
    if (status == 0)
        status = command_status_of(token_record_open(run->record_path, &run->record, why));
    if (status)
        return status;
    run->facts = &token_record_run(run->record)->facts;
    run->wall_s = find_wall(run->record_path, run->facts);
    return 0;
}

/* The module is loaded here, so that the processes that simulate find it loaded. Nothing of it runs here. */
int explored_run_open(const char *path, struct explored_run *run, struct why *why)
{
    struct hardware machine;
    struct why ignored;
    char own[PATH_MAX];
    *run = (struct explored_run){0};
    int status = open_record(path, run, why);
    if (status == 0)
        status = recorded_machine_open(run->facts, &run->recorded, &run->platform, why);
    if (status == 0)
        status = recorded_machine_base(run->facts, &run->base, why);
    run->has_default_machine = status == 0 &&
                               run_options_find_machine(machine_presets[0].name, own, &ignored) == 0 &&
                               strcmp(own, run->facts->platform_path) == 0;
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
    json_t *value;
    *hardware = run->recorded;
    json_object_foreach((json_t *)changes, name, value)
    {
        if (!json_is_string(value))
            return why_refuse(why, "%.40s: expected a text with its value", name);
        if (hardware_set(hardware, name, json_string_value(value), why) != 0)
            return COMMAND_REFUSED;
    }
    return hardware_check(hardware, why) == 0 ? 0 : COMMAND_REFUSED;
}

int explored_run_check(const struct explored_run *run, const struct hardware *hardware, struct why *why)
{
    return recorded_machine_check(run->facts, hardware, run->record_path, false, why);
}

size_t explored_run_passes(const struct explored_run *run, const struct hardware *hardware)
{
    size_t count;
    free(segments_cut(run->facts->query->positions, hardware->query_segment, hardware->query_overlap,
                      token_record_strands(run->facts), &count));
    return hardware_deals_database(hardware) ? count * hardware->hosts : count;
}

json_t *explored_run_needs(const struct explored_run *run, const struct hardware *hardware)
{
    json_t *needs = json_object();
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        if (recorded_machine_differs(run->facts, hardware, i))
            json_object_set_new(needs, hardware_parameter_name(i),
                                json_string(hardware_parameter_value(hardware, i).text));
    return needs;
}

/* --- facts ----------------------------------------------------------------------------------------------- */

static json_t *parameter_json(const struct explored_run *run, size_t index)
{
    struct hardware_range range = hardware_parameter_range(index);
    json_t *names = range.names ? json_array() : NULL;
    for (unsigned i = 0; i < range.name_count; i++)
        json_array_append_new(names, json_string(range.names[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:b, s:b, s:o*}", "name", hardware_parameter_name(index),
                     "value", hardware_parameter_value(&run->recorded, index).text, "unit",
                     hardware_parameter_unit(index), "meaning", range.meaning, "least", range.least, "most",
                     range.most, "whole", range.whole, "timing",
                     hardware_parameter_role(index) == HARDWARE_TIMING, "names", names);
}

/* The last part of a path, of which only characters of UTF-8 stay. */
static json_t *name_json(const char *path)
{
    json_t *name = json_string(basename(path));
    return name ? name : json_string("?");
}

json_t *explored_run_json(const struct explored_run *run)
{
    json_t *parameters = json_array(), *parts = json_array();
    for (unsigned i = 0; i < MACHINE_PARTS; i++)
        json_array_append_new(parts, json_pack("{s:s, s:s}", "part", machine_parts[i].name, "meaning",
                                               machine_parts[i].meaning));
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        json_array_append_new(parameters, parameter_json(run, i));
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o}", "version", MERCURY_VERSION, "query",
                     name_json(run->facts->query_path), "database", name_json(run->facts->database_path),
                     "record", name_json(run->record_path), "passes", (json_int_t)run->facts->pass_count,
                     "parameters", parameters, "parts", parts);
}

/* --- the command -------------------------------------------------------------------------------------------- */

static void append_sets(const struct hardware *from, const struct hardware *to, FILE *out)
{
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        const struct shown after = hardware_parameter_value(to, i);
        if (strcmp(hardware_parameter_value(from, i).text, after.text) != 0)
            fprintf(out, " --set %s=%s", hardware_parameter_name(i), after.text);
    }
}

static void write_run(const struct explored_run *run, const struct hardware *hardware, FILE *out)
{
    const struct token_record_facts *f = run->facts;
    enum strand_choice strands = token_record_strands(f);
    fputs("mercury run -q", out);
    printable_append_argument(f->query_path, out);
    fputs(" -d", out);
    printable_append_argument(f->database_path, out);
    if (!run->has_default_machine) {
        fputs(" -p", out);
        printable_append_argument(f->platform_path, out);
    }
    if (strands != STRANDS_BOTH)
        fprintf(out, " -s %s", search_options_strand_name(strands));
    if (f->masking.dust)
        fprintf(out, " --dust '%u %u %u'", f->masking.rule.level, f->masking.rule.window,
                f->masking.rule.linker);
    if (f->masking.lower_case)
        fputs(" --lcase-masking", out);
    if (f->e_value != search_options_default().e_value)
        fprintf(out, " -e %.15g", f->e_value);
    if (f->limits.identity > 0)
        fprintf(out, " --perc-identity %.15g", f->limits.identity);
    if (f->limits.coverage > 0)
        fprintf(out, " --qcov-hsp-perc %.15g", f->limits.coverage);
    if (f->limits.subjects > 0)
        fprintf(out, " --max-target-seqs %" PRIu64, f->limits.subjects);
    if (f->limits.alignments > 0)
        fprintf(out, " --max-hsps %" PRIu64, f->limits.alignments);
    append_sets(&run->base, hardware, out);
    /* a run converts the threshold of stage 2 to other scores unless it is told one */
    if (hardware->pass.stage2.threshold == run->base.pass.stage2.threshold &&
        memcmp(&hardware->scoring, &run->base.scoring, sizeof hardware->scoring) != 0)
        fprintf(out, " --set stage2.threshold=%d", hardware->pass.stage2.threshold);
}

struct named_machine {
    const struct explored_run *run;
    const struct hardware *hardware;
};

static void write_command(const void *data, FILE *out)
{
    const struct named_machine *c = data;
    if (c->run->is_nameless) {
        write_run(c->run, c->hardware, out);
        return;
    }
    fputs("mercury retime", out);
    printable_append_argument(c->run->record_path, out);
    append_sets(&c->run->recorded, c->hardware, out);
}

json_t *explored_run_command(const struct explored_run *run, const struct hardware *hardware)
{
    json_t *command = json_written(write_command, &(struct named_machine){run, hardware});
    return command ? command : json_string("the names of these files are no UTF-8");
}
