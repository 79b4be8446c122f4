#include "sim/measure/agent_cost.h"

#include <inttypes.h>

#include "sim/board/board_costs.h"

/* The rows of data/words/agent_costs.tsv. */
#include "sim/agent_costs.inc"

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

struct agent_cost agent_cost_of(const struct measure_plan *plan)
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

int agent_cost_check(const struct agent_cost *cost, enum fpga_device device, struct why *why)
{
    for (int i = 0; i < AGENT_RESOURCES && device != FPGA_NONE; i++)
        if (cost->of[i] > device_has(device, i))
            return why_say(why, -1,
                           "%s has %" PRIu32 " %s, measuring takes %" PRIu64
                           ": ask for less, such as fewer histograms and quantiles, or name a larger device",
                           fpga_device_names[device], device_has(device, i), names[i], cost->of[i]);
    return 0;
}

void agent_cost_write(const struct agent_cost *cost, enum fpga_device device, FILE *out)
{
    for (int i = 0; i < AGENT_RESOURCES && device != FPGA_NONE; i++)
        fprintf(out, "  %-20s %7" PRIu64 " of %7" PRIu32 "  %5.2f%%\n", names[i], cost->of[i],
                device_has(device, i), 100.0 * (double)cost->of[i] / device_has(device, i));
}
