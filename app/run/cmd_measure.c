#include "app/commands.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"
#include "traces/directive/directive.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_taps.h"
#include "sim/measure/measure_plan.h"
#include "sim/board/fpga_device.h"
#include "sim/board/board_costs.h"
#include "app/run/run_options.h"
#include "sim/agent_costs.inc"
#include "app/options.inc"

/* --- what measuring takes of a board's FPGA -------------------------------------------------------------- */

/* TimeTrial's agent in hardware.
 *
 * Models    Table I of Lancaster et al. 2011 for any directives: the agent itself, and what it has for each distinct
 *           frame, each place that is looked at, and each value of a frame record, at prices of
 *           data/words/agent_costs.tsv. A histogram or a sketch of more than BOARD_LUT_PLACES bins is in block RAM, as
 *           a FIFO is (board_costs.h).
 * Known     are Table I's four sums only. Prices are estimates, and what the agent itself takes is fitted: with it the
 *           set timetrial2011 takes what Table I prints.
 * Leaves out the stamps that elements carry along for latencies; what is measured in software, which takes nothing; and
 *           the design that is measured.
 */

enum agent_resource { AGENT_FLIP_FLOPS, AGENT_LUTS, AGENT_BLOCKS, AGENT_MULTIPLIERS, AGENT_RESOURCES };

struct agent_cost {
    uint64_t of[AGENT_RESOURCES]; /* all 0 if nothing is measured on the board */
};

/* The rows of data/words/agent_costs.tsv. */

#define ID(id, ...) id
#define PRICE(id, flip_flops, luts, ramb18, multipliers, of, source)                                         \
    {                                                                                                        \
        {                                                                                                    \
            flip_flops, luts, ramb18, multipliers                                                            \
        }                                                                                                    \
    }
enum agent_part { AGENT_COST_ROWS(ID) AGENT_PARTS };
static const struct agent_cost prices[AGENT_PARTS] = {AGENT_COST_ROWS(PRICE)};

static void add(struct agent_cost *cost, enum agent_part part, uint64_t number)
{
    for (int i = 0; i < AGENT_RESOURCES; i++)
        cost->of[i] += number * prices[part].of[i];
}

static void add_bins(struct agent_cost *cost, uint64_t bins)
{
    if (bins > BOARD_LUT_PLACES)
        add(cost, AGENT_BLOCK_BINS, (bins + 511) / 512);
    else
        add(cost, AGENT_LUT_BINS, (bins + 15) / 16);
}

static struct agent_cost agent_cost_of(const struct measure_plan *plan)
{
    struct agent_cost cost = {{0}};
    bool looked_at[MACHINE_TAPS] = {false};
    for (size_t i = 0; i < plan->timer_count; i++)
        add(&cost, AGENT_FRAME, plan->timers[i].side == SIDE_BOARD);
    for (size_t i = 0; i < plan->measurement_count; i++) {
        const struct measurement *m = &plan->measurements[i];
        const uint64_t bins = m->plan.bins, buckets = m->plan.quantiles ? quantile_buckets(m->plan.bits) : 0;
        if (plan->timers[m->timer].side != SIDE_BOARD)
            continue;
        looked_at[m->directive->tap] = looked_at[m->directive->to] = true;
        add(&cost, AGENT_VALUE, measurement_record_values(m) - bins - buckets);
        add(&cost, AGENT_BINS, bins > 0);
        add(&cost, AGENT_SKETCH, buckets > 0);
        add_bins(&cost, bins);
        add_bins(&cost, buckets);
    }
    for (int i = 0; i < MACHINE_TAPS; i++)
        add(&cost, AGENT_TAP, looked_at[i]);
    add(&cost, AGENT_ITSELF, measure_plan_has_side(plan, SIDE_BOARD));
    return cost;
}

static const char *const names[] = {"flip-flops", "LUTs", "block RAMs of 18 Kb", "multipliers"};

static uint32_t device_has(enum fpga_device device, int resource)
{
    const struct fpga_device_row *d = &fpga_devices[device];
    return (const uint32_t[]){d->flip_flops, d->luts, d->ramb18, d->multipliers}[resource];
}

/* @return 0, or -1 and a line if the device has too little; FPGA_NONE has enough of everything */
static int agent_cost_check(const struct agent_cost *cost, enum fpga_device device, struct why *why)
{
    for (int i = 0; i < AGENT_RESOURCES && device != FPGA_NONE; i++)
        if (cost->of[i] > device_has(device, i))
            return why_say(why, -1,
                           "%s has %" PRIu32 " %s, measuring takes %" PRIu64
                           ": ask for less, such as fewer histograms and quantiles, or name a larger device",
                           fpga_device_names[device], device_has(device, i), names[i], cost->of[i]);
    return 0;
}

/* Write a line for each resource: used, available, percent; nothing for FPGA_NONE. */
static void agent_cost_write(const struct agent_cost *cost, enum fpga_device device, FILE *out)
{
    for (int i = 0; i < AGENT_RESOURCES && device != FPGA_NONE; i++)
        fprintf(out, "  %-20s %7" PRIu64 " of %7" PRIu32 "  %5.2f%%\n", names[i], cost->of[i],
                device_has(device, i), 100.0 * (double)cost->of[i] / device_has(device, i));
}

/* --- the answer ------------------------------------------------------------------------------------------ */

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
    if (run_options_find_directives(name, path, why) != 0 || hardware_check(&hardware, why) != 0 ||
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
