#include "sim/run/run.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_number.h"
#include "base/json_schema.h"
#include "base/file/whole_file.h"
#include "base/memory.h"
#include "base/printable.h"

/* data/schemas, as texts */
static const char run_schema[] =
#include "run_schema.inc"
    ;
static const char summary_schema[] =
#include "summary_schema.inc"
    ;
static const char *const schemas[] = {[RUN_JSON] = run_schema, [SUMMARY_JSON] = summary_schema};

struct run run_of_frame(const struct frame *frame)
{
    struct run run = {.name = "the run", .whole = frame_values_of(frame, &machine_layout)};
    /* its counter is rounded to picoseconds in every pass, the clocks are exact */
    run.whole.counters[PCIX_MEASURED_TIME] = frame_measured_s(frame);
    return run;
}

int run_take(json_t *summary, const char *name, struct run *run, struct why *why)
{
    const bool known = strcmp(json_text_at(summary, "schema"), SUMMARY_SCHEMA) == 0;
    *run =
        (struct run){.summary = summary, .pass_count = json_array_size(json_object_get(summary, "per_pass"))};
    printable_copy(run->name, sizeof run->name, name, SIZE_MAX);
    run->passes = memory_new(run->pass_count, sizeof *run->passes);
    summary_read(summary, &machine_layout, &run->whole, run->passes);
    const double passes = json_number_at(summary, "passes");
    return !known || (double)run->pass_count == passes
               ? 0
               : why_say(
                     why, RUN_EINPUT,
                     "%.300s: per_pass has %zu passes where passes is %.0f; run mercury again to write it",
                     name, run->pass_count, passes);
}

/* A summary of the layout before has no schema. */
static bool is_right(const json_t *root, enum run_file file, const char *name, struct why *why)
{
    json_auto_t *schema = json_loads(schemas[file], 0, NULL);
    const json_t *number =
        json_object_get(json_object_get(json_object_get(schema, "properties"), "schema"), "const");
    const char *found = json_string_value(json_object_get(root, "schema"));
    const bool other = number && !json_equal(json_object_get(root, "schema"), number);
    const bool tells = found && json_is_string(json_object_get(root, "version"));
    const int status = other && file == SUMMARY_JSON ? run_place_know_summary(root, name, why)
                       : other && tells ? run_place_refuse(root, name, json_string_value(number), why)
                                        : json_schema_check(schema, root, name, RUN_EINPUT, why);
    return status == 0;
}

static json_t *parse(const char *text, size_t bytes, enum run_file file, const char *name, struct why *why)
{
    json_error_t error;
    if (run_place_know_file(text, name, why) != 0)
        return NULL;
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(root))
        why_say(why, RUN_EINPUT,
                "%.400s:%d: is no whole JSON of a run (%.200s); if mercury wrote it, run mercury again", name,
                root ? 1 : error.line, root ? "not an object" : error.text);
    else if (is_right(root, file, name, why))
        return root;
    json_decref(root);
    return NULL;
}

int run_parse(const char *text, const char *name, struct run *run, struct why *why)
{
    json_t *root = parse(text, strlen(text), SUMMARY_JSON, name, why);
    *run = (struct run){.summary = NULL};
    return root ? run_take(root, name, run, why) : RUN_EINPUT;
}

json_t *run_read_json(const char *path, enum run_file file, struct why *why)
{
    auto_free char *text = NULL;
    size_t bytes;
    if (whole_file_read(path, SIZE_MAX, &text, &bytes, why) != 0)
        return NULL;
    return parse(text, bytes, file, whole_file_name(path), why);
}

int run_take_machine(const json_t *facts, const char *path, struct run *run, struct why *why)
{
    const char *name;
    json_t *value;
    int status = 0;
    if (json_number_at(facts, "simulated_time_s") != run->whole.simulated_s)
        return why_say(why, RUN_EINPUT,
                       "%.300s: simulated_time_s is not that of %.300s; expected the files of one run", path,
                       run->name);
    run->hardware = hardware_default();
    json_object_foreach(json_object_get(facts, "configuration"), name, value)
    {
        const char *text = json_string_value(value);
        if (status == 0 && text && hardware_parameter_find(name) >= 0)
            status = hardware_set(&run->hardware, name, text, why);
    }
    if (status || hardware_check(&run->hardware, why) != 0)
        return why_precede(why, RUN_EINPUT, "%.300s: ", path);
    const char *strand = json_string_value(json_object_get(facts, "strand"));
    run->is_of_one_strand = strand && strcmp(strand, "both") != 0;
    run->has_machine = true;
    return 0;
}

int run_read(const char *path, struct run *run, struct why *why)
{
    struct run_place place;
    *run = (struct run){.summary = NULL};
    if (run_place_look(path, &place, why) != 0)
        return RUN_EINPUT;
    json_t *root = run_read_json(place.summary, SUMMARY_JSON, why);
    int status = root ? run_take(root, whole_file_name(place.summary), run, why) : RUN_EINPUT;
    strcpy(run->path, place.summary);
    if (status || !*place.run || access(place.run, F_OK) != 0)
        return status;
    json_auto_t *facts = run_read_json(place.run, RUN_JSON, why);
    return facts ? run_take_machine(facts, place.run, run, why) : RUN_EINPUT;
}

void run_close(struct run *run)
{
    json_decref(run->summary);
    free(run->passes);
    *run = (struct run){.summary = NULL};
}
