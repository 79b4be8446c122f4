#include "app/run/measure_setup.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "sim/measure/machine_taps.h"

int measure_setup_find(const char *name, char path[PATH_MAX], struct why *why)
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

/* Frames of the run put the passes of all boards together as those of one host. A record of such a frame would leave
 * when it ends; when that is in a pass depends on all passes before it, which are simulated at the same time. */
static int check_frames_of_run(const struct measure_setup *s, const struct run_options *options,
                               const struct hardware *hardware, const char *path, struct why *why)
{
    const struct directive *d = measure_plan_find_run_frames(s->plan);
    if (d && hardware->hosts > 1)
        return why_refuse(
            why,
            "%.300s:%u: %.90s: frames of the run are those of one host, but hosts = %u; use frames of "
            "passes, such as every 1 ms",
            path, d->line, d->name, (unsigned)hardware->hosts);
    if (d && options->charge)
        return why_refuse(
            why,
            "%.300s:%u: %.90s: frames of the run cannot be charged with --charge-measurement; use frames "
            "of passes, such as every 1 ms",
            path, d->line, d->name);
    return 0;
}

int measure_setup_open(struct measure_setup *s, const struct run_options *options,
                       const struct hardware *hardware, struct why *why)
{
    const char *name = options->measure, *none = NULL; /* why there is nothing to charge */
    const bool is_none = name && strcmp(name, "none") == 0;
    char path[PATH_MAX];
    *s = (struct measure_setup){0};
    if (is_none || !options->directory)
        none = is_none ? "with --measure none" : "without a directory for the measurements (-o DIR)";
    if (none && name && !is_none)
        return why_refuse(why, "--measure %.200s: needs a directory for the measurements (-o DIR)", name);
    if (none && options->charge)
        return why_refuse(why, "--charge-measurement: there is nothing to charge %s", none);
    if (none)
        return 0;
    if (!name && !run_options_find_data(path, "directives/default.tt"))
        return why_refuse(why,
                          "the default directives are not where the program was installed; name a file with "
                          "--measure, or none");
    if ((name && measure_setup_find(name, path, why) != 0) ||
        directives_read(path, &machine_catalogue, &s->directives, why) != 0 ||
        measure_plan_make(&s->directives, hardware, path, &s->plan, why) != 0)
        return COMMAND_REFUSED;
    s->of_run = measure_plan_find_run_frames(s->plan) != NULL;
    s->report = measure_report_new(s->plan);
    return s->report ? check_frames_of_run(s, options, hardware, path, why)
                     : why_refuse(why, "measurements cannot be kept: no temporary file");
}

void measure_setup_close(struct measure_setup *s)
{
    measure_report_destroy(s->report);
    measure_plan_destroy(s->plan);
    directives_destroy(&s->directives);
    *s = (struct measure_setup){0};
}
