#include "app/commands.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/command.h"
#include "base/why.h"
#include "traces/directive/directive.h"
#include "sim/board/hardware.h"
#include "sim/measure/agent_cost.h"
#include "sim/measure/machine_taps.h"
#include "sim/measure/measure_plan.h"
#include "app/run/measure_setup.h"
#include "app/options.inc"

/* A line for each distinct frame, of the board or of the software. */
static void write_frame(const struct measure_plan *plan, unsigned timer)
{
    const struct frame_timer *t = &plan->timers[timer];
    char frame[96];
    unsigned count = 0;
    for (size_t k = 0; k < plan->measurement_count; k++)
        count += plan->measurements[k].timer == timer;
    const char *plural = count == 1 ? "" : "s", *charged = t->spec.of_run ? ", not charged" : "";
    frame_spec_text(&t->spec, frame, sizeof frame);
    if (t->side == SIDE_BOARD)
        printf("  frame record: %" PRIu64 " bytes for %u measurement%s of the board, every %s%s\n",
               t->record_bytes, count, plural, frame, charged);
    else
        printf("  software: %" PRIu64 " bytes of events for %u measurement%s, every %s%s\n",
               count * (uint64_t)plan->hardware->measure_event_bytes, count, plural, frame, charged);
}

static int check(const char *name, enum fpga_device device, struct why *why)
{
    char path[PATH_MAX];
    struct hardware hardware = hardware_default();
    struct directives directives;
    struct measure_plan *plan = NULL;
    if (measure_setup_find(name, path, why) != 0 || hardware_check(&hardware, why) != 0 ||
        directives_read(path, &machine_catalogue, &directives, why) != 0)
        return COMMAND_REFUSED;
    int status = measure_plan_make(&directives, &hardware, path, &plan, why);
    const struct agent_cost cost = status == 0 ? agent_cost_of(plan) : (struct agent_cost){{0}};
    if (status == 0 && (status = agent_cost_check(&cost, device, why)) != 0)
        why_precede(why, 0, "%.300s: ", name);
    if (status == 0)
        printf("%s: %zu measurement%s\n", name, directives.count, directives.count == 1 ? "" : "s");
    for (unsigned i = 0; status == 0 && i < plan->timer_count; i++)
        write_frame(plan, i);
    if (status == 0)
        agent_cost_write(&cost, device, stdout);
    measure_plan_destroy(plan);
    directives_destroy(&directives);
    return status ? COMMAND_REFUSED : COMMAND_OK;
}

struct arguments {
    bool list;
    const char *check; /* a file of directives; NULL if not given */
    enum fpga_device device;
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
    if (a.list && a.device != FPGA_NONE)
        return why_refuse(why, "--device: only a FILE that is checked takes something of a device");
    if (a.check)
        return check(a.check, a.device, why);
    catalogue_write_text(&machine_catalogue, stdout); /* main() finds out about a full disk */
    return COMMAND_OK;
}

const struct command command_measure = {options, run_command};
