#include "validate/run_inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/file/whole_file.h"
#include "base/shown.h"
#include "model/queue/mercury_model.h"
#include "model/queue/mercury_tandem.h"

static double ratio(double above, double below)
{
    return below == 0 ? 0 : above / below;
}

/* Mean number of bytes per record that crossed the bus while the run was measured. */
static double record_bytes(const struct frame_values *f)
{
    double bytes = f->gauges[GAUGE_HSP_BYTES], hsps = f->counters[S2_HSPS_OUT],
           busy_s = f->counters[PCIX_BUSY];
    if (isnan(busy_s) || !(hsps > 0))
        return bytes;
    double moved = busy_s * f->gauges[GAUGE_CAPACITY_BYTES_PER_S];
    return mercury_records_crossed(hsps * bytes, bytes, f->counters[PCIX_DATABASE_BYTES], moved) / hsps;
}

double run_inputs_work_1bd(const struct frame_values *f, const struct predict_case *c)
{
    const double *n = f->counters;
    return n[S1B_SEEDS] - n[S1B_LOOKUPS_DUPLICATE] + n[S1B_TRIPS] * mercury_trip_share(c->value);
}

bool run_inputs_saturated(const struct frame_values *f, const struct predict_case *c)
{
    const struct interval_values *services = &f->intervals[board_stages[BOARD_STAGE_1BD].services];
    const double *n = f->counters, work = run_inputs_work_1bd(f, c),
                 held = services->count * services->mean_clocks - work,
                 bus = ratio(n[PCIX_BUSY], n[PCIX_MEASURED_TIME]) * f->clocks,
                 stage2 =
                     n[S2_MATCHES] * fmax(1, f->gauges[GAUGE_FETCH_CYCLES] / f->queues[FIFO_STAGE2].places);
    const bool is_known = services->count > 0;
    return f->queues[FIFO_WMER].signal > MERCURY_SATURATED &&
           !(is_known && (held > work || bus > work || stage2 > work));
}

/* Values that were given on the command line stay; M_1b is that of mu_1b then. An older summary has no rules of the
 * board, and their defaults stay. */
static void take_measured(const struct frame_values *f, struct predict_case *c)
{
    const double *n = f->counters, *g = f->gauges, seeds = n[S1B_SEEDS], reads = n[S1B_SRAM_READS];
    const double capacity = g[GAUGE_CAPACITY_BYTES_PER_S] / 1e6, ingress = f->queues[FIFO_INGRESS].places,
                 wmer = f->queues[FIFO_WMER].places, sram = f->queues[FIFO_SRAM].places,
                 stage2 = f->queues[FIFO_STAGE2].places;
    double wmers_per_word = c->given[PREDICT_WMERS_PER_WORD] ? c->value[PREDICT_WMERS_PER_WORD]
                                                             : ratio(n[S1A_WMERS], n[S1A_WORDS]);
    const struct {
        enum predict_input input;
        double value;
        bool is_missing;
    } measured[] = {
        {PREDICT_LAMBDA_IN, ratio(n[PCIX_DATABASE_BYTES], n[PCIX_MEASURED_TIME]) / 1e6},
        {PREDICT_WMERS_PER_WORD, wmers_per_word},
        {PREDICT_BYTES_PER_WORD, ratio(n[PCIX_DATABASE_BYTES], n[S1A_WORDS])},
        {PREDICT_P_1A, ratio(seeds, n[S1A_WMERS])},
        {PREDICT_P_1B, ratio(n[S2_MATCHES], seeds)},
        {PREDICT_P_2, ratio(n[S2_HSPS_OUT], n[S2_MATCHES])},
        {PREDICT_P_1BP, 1 - n[S1B_LOOKUPS_EMPTY] / seeds, !(seeds > 0)},
        {PREDICT_M_1B, seeds == 0 ? 1 : reads / seeds, c->given[PREDICT_MU_1B]},
        {PREDICT_TRIPS, ratio(n[S1B_TRIPS], seeds)},
        {PREDICT_DUPLICATES, ratio(n[S1B_LOOKUPS_DUPLICATE], seeds)},
        {PREDICT_SINGLE_MATCHES, ratio(n[S1B_LOOKUPS_MATCH], seeds)},
        {PREDICT_CLOCK, g[GAUGE_CLOCK_HZ] / 1e6},
        {PREDICT_MU_PCI, capacity},
        {PREDICT_BUS, capacity},
        {PREDICT_SUPPLY, g[GAUGE_HOST_SUPPLY_BYTES_PER_S] / 1e6},
        {PREDICT_HSP_BYTES, record_bytes(f)},
        {PREDICT_K_1A, floor(ingress * wmers_per_word)},
        {PREDICT_K_1B, wmer + sram},
        {PREDICT_K_1BP, wmer},
        {PREDICT_K_1BD, sram},
        {PREDICT_K_2, stage2},
        {PREDICT_FIFO_INGRESS, ingress},
        {PREDICT_FIFO_WMER, wmer},
        {PREDICT_FIFO_SRAM, sram},
        {PREDICT_FIFO_STAGE2, stage2},
        {PREDICT_TRIP_CYCLES, fmax(1, g[GAUGE_TRIP_CYCLES]), isnan(g[GAUGE_TRIP_CYCLES])},
        {PREDICT_TRIPS_IN_FLIGHT, g[GAUGE_TRIPS_IN_FLIGHT], isnan(g[GAUGE_TRIPS_IN_FLIGHT])},
        {PREDICT_FETCH_CYCLES, g[GAUGE_FETCH_CYCLES], isnan(g[GAUGE_FETCH_CYCLES])},
        {PREDICT_WMER_MARGIN, g[GAUGE_WMER_MARGIN], isnan(g[GAUGE_WMER_MARGIN])},
        {PREDICT_SRAM_MARGIN, g[GAUGE_SRAM_MARGIN], isnan(g[GAUGE_SRAM_MARGIN])},
        {PREDICT_STAGE2_MARGIN, g[GAUGE_STAGE2_MARGIN], isnan(g[GAUGE_STAGE2_MARGIN])},
    };
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
        if (!measured[i].is_missing && !c->given[measured[i].input]) {
            c->value[measured[i].input] = measured[i].value;
            c->given[measured[i].input] = true;
        }
    if (!c->given[PREDICT_M_2])
        c->value[PREDICT_M_2] = run_inputs_saturated(f, c) ? fmin(1, reads / f->clocks) : 1;
    c->given[PREDICT_M_2] = true;
}

static int add_frame(const struct run *run, const struct frame_values *f, const struct predict_case *base,
                     const char *name, struct predict_cases *list, struct why *why)
{
    struct predict_case c = *base;
    c.measured = true;
    c.digits = base->digits > 0 ? base->digits : PREDICT_MEASURED_DIGITS;
    snprintf(c.name, sizeof c.name, "%s", name);
    take_measured(f, &c);
    for (enum predict_input i = 0; i < PREDICT_INPUTS; i++) /* an older summary may lack some */
        if (c.given[i] && isnan(c.value[i]))
            return why_say(why, PREDICT_EINPUT,
                           "%.300s: %s, no number for %s; expected a summary.json of mercury run or retime",
                           run->name, name, predict_input_name(i));
    if (f->counters[S1A_WORDS] <= 0 || !(f->clocks > 0))
        return why_say(why, PREDICT_EINPUT, "%.300s: %s streamed nothing; there are no rates to predict from",
                       run->name, name);
    if (predict_case_complete(&c, why) != 0)
        return why_precede(why, PREDICT_EINPUT, "%.300s: %s: ", run->name, name);
    predict_cases_add(list, &c);
    return 0;
}

int run_inputs_take(const struct run *run, const struct predict_case *base, bool passes,
                    struct predict_cases *list, struct why *why)
{
    int status = add_frame(run, &run->whole, base, "run", list, why);
    for (size_t i = 0; passes && i < run->pass_count && status == 0; i++)
        status = add_frame(run, &run->passes[i], base, shown_text("pass %zu", i + 1).text, list, why);
    return status;
}

/* --- files ----------------------------------------------------------------------------------------------- */

enum { BYTES_MAX = 64 << 20 };

int run_inputs_read(const char *path, const struct predict_case *base, bool passes,
                    struct predict_cases *list, struct why *why)
{
    const char *name = whole_file_name(path);
    size_t length = 0;
    auto_free char *text = NULL;
    int status = 0;
    if (whole_file_read(path, BYTES_MAX, &text, &length, why) != 0)
        return PREDICT_EINPUT;
    if (run_place_know_file(text, name, why) != 0)
        status = PREDICT_EINPUT;
    else if (strlen(text) != length)
        status = why_say(why, PREDICT_EINPUT, "%.300s: a 0 byte in it; expected text", name);
    else if (text[strspn(text, " \t\r\n")] == '{') {
        auto_by(run_close) struct run run;
        status = run_parse(text, name, &run, why) == 0 ? run_inputs_take(&run, base, passes, list, why)
                                                       : PREDICT_EINPUT;
    } else if (passes)
        status = why_say(why, PREDICT_EINPUT,
                         "%.300s: --passes: expected a summary.json; a table has no passes", name);
    else
        status = predict_cases_parse(text, name, base, list, why);
    return status;
}
