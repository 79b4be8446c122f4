#include "app/run/measure_setup.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "sim/measure/machine_taps.h"

static int bind(struct measure_setup *s, const char *path, const struct hardware *hardware, char *why,
                size_t why_size)
{
    int status = directives_read(path, &machine_catalogue, &s->directives, why, why_size);
    if (status)
        return status == DIRECTIVE_EMEMORY ? COMMAND_FAILED : COMMAND_REFUSED;
    status = measure_plan_make(&s->directives, hardware, path, &s->plan, why, why_size);
    if (status)
        return status == MEASURE_PLAN_EMEMORY ? COMMAND_FAILED : COMMAND_REFUSED;
    s->report = measure_report_new(s->plan);
    if (!s->report) {
        snprintf(why, why_size, "no memory or no temporary file for what is measured");
        return COMMAND_FAILED;
    }
    return 0;
}

/* Nothing is measured, for that reason. */
static int open_none(const struct run_options *options, const char *reason, char *why, size_t why_size)
{
    if (options->charge)
        snprintf(why, why_size, "--charge-measurement: there is nothing to charge %s", reason);
    return options->charge ? COMMAND_REFUSED : 0;
}

int measure_setup_open(struct measure_setup *setup, const struct run_options *options,
                       const struct hardware *hardware, char *why, size_t why_size)
{
    char path[PATH_MAX];
    *setup = (struct measure_setup){0};
    if (options->measure && strcmp(options->measure, "none") == 0)
        return open_none(options, "with --measure none", why, why_size);
    if (!options->directory && options->measure) {
        snprintf(why, why_size, "--measure %.200s: needs a directory for what is measured (-o DIR)",
                 options->measure);
        return COMMAND_REFUSED;
    }
    if (!options->directory)
        return open_none(options, "without a directory for what is measured (-o DIR)", why, why_size);
    if (options->measure)
        return bind(setup, options->measure, hardware, why, why_size);
    if (run_options_find_data("directives/default.tt", path, sizeof path))
        return bind(setup, path, hardware, why, why_size);
    snprintf(why, why_size,
             "no file of default directives found beside the program; name one with --measure, or none");
    return COMMAND_REFUSED;
}

void measure_setup_close(struct measure_setup *s)
{
    measure_report_destroy(s->report);
    measure_plan_destroy(s->plan);
    directives_destroy(&s->directives);
    *s = (struct measure_setup){0};
}
