/* fuzz_run.c - a run's summary.json or run.json: any bytes are what the schemas say, with numbers that can be computed
 * with, or are refused. */
#include <math.h>
#include <string.h>

#include "sim/run/run.h"
#include "tests/fuzz/fuzz.h"

static void demand_amounts(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fuzz_demand(values[i] >= 0 && values[i] <= 1e30);
}

static void look_at(const struct run *run)
{
    const struct frame_values *whole = &run->whole;
    fuzz_demand(whole->simulated_s > 0 && whole->clock_hz >= 1 && isfinite(whole->simulated_s));
    for (size_t i = 0; i <= run->pass_count; i++) {
        const struct frame_values *f = i < run->pass_count ? &run->passes[i] : whole;
        demand_amounts(f->counters, machine_layout.counter_count);
        demand_amounts(f->gauges, machine_layout.gauge_count);
        for (unsigned q = 0; q < machine_layout.queue_count; q++) {
            const struct queue_values *v = &f->queues[q];
            demand_amounts((const double[]){v->elements, v->mean, v->most, v->wait_s}, 4);
            fuzz_demand(!(v->places < 0) && !(v->signal < 0) && !(v->signal > 1.000001));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run;
    struct why why;
    if (fuzz_succeeded(run_read(fuzz_file(data, size), &run, &why), &why) &&
        strcmp(json_string_value(json_object_get(run.summary, "schema")), "mercury-summary-2") == 0)
        look_at(&run);
    run_close(&run);
    json_t *facts = run_read_json(fuzz_file(data, size), RUN_JSON, &why);
    run = (struct run){.whole.simulated_s =
                           facts ? json_number_value(json_object_get(facts, "simulated_time_s")) : 0};
    if (facts && fuzz_succeeded(run_take_machine(facts, "fuzz", &run, &why), &why))
        fuzz_demand(run.has_machine && hardware_check(&run.hardware, &why) == 0 &&
                    json_integer_value(json_object_get(facts, "passes")) >= 1);
    json_decref(facts);
    return 0;
}
