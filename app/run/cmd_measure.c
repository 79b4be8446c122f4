#include "app/commands.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/command.h"
#include "base/why.h"
#include "traces/directive/directive.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_taps.h"
#include "sim/measure/measure_plan.h"
#include "app/run/measure_setup.h"
#include "app/options.inc"

static int check(const char *name, struct why *why)
{
    char path[PATH_MAX];
    struct hardware hardware = hardware_default();
    struct directives directives;
    struct measure_plan *plan = NULL;
    if (measure_setup_find(name, path, why) != 0 || hardware_check(&hardware, why) != 0 ||
        directives_read(path, &machine_catalogue, &directives, why) != 0)
        return COMMAND_REFUSED;
    int status = measure_plan_make(&directives, &hardware, path, &plan, why);
    if (status == 0)
        printf("%s: %zu measurement%s\n", name, directives.count, directives.count == 1 ? "" : "s");
    for (unsigned i = 0; status == 0 && i < plan->timer_count; i++) {
        char frame[96];
        unsigned count = 0;
        if (plan->timers[i].side != SIDE_BOARD)
            continue;
        for (size_t k = 0; k < plan->measurement_count; k++)
            count += plan->measurements[k].timer == i;
        frame_spec_text(&plan->timers[i].spec, frame, sizeof frame);
        printf("  frame record: %" PRIu64 " bytes for %u measurement%s of the board, every %s%s\n",
               plan->timers[i].record_bytes, count, count == 1 ? "" : "s", frame,
               plan->timers[i].spec.of_run ? ", not charged" : "");
    }
    measure_plan_destroy(plan);
    directives_destroy(&directives);
    return status ? COMMAND_REFUSED : COMMAND_OK;
}

struct arguments {
    bool list;
    const char *check; /* a file of directives; NULL if not given */
};

static const struct command_option options[] = COMMAND_OPTIONS(MEASURE_OPTIONS);

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {0};
    int status = command_parse("measure", options, argc, argv, 0, &a, why);
    if (status)
        return status;
    if (a.list == (a.check != NULL))
        return why_refuse(why, "needs --list or --check FILE; see mercury help measure");
    if (a.check)
        return check(a.check, why);
    catalogue_write_text(&machine_catalogue, stdout); /* main() finds out about a full disk */
    return COMMAND_OK;
}

const struct command command_measure = {options, run_command};
