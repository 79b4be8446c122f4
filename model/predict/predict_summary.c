#include "model/predict/predict_summary.h"

#include <math.h>
#include <string.h>

#include "base/json_number.h"
#include "model/queue/mercury_model.h"

struct summary {
    const json_t *frame; /* the run's object or a pass's */
    const char *file;
    char missing[96]; /* the first path that was not there, or no number */
};

static double number(struct summary *s, const char *path)
{
    double value = json_number_at(s->frame, path);
    if (!(value >= 0) && !*s->missing)
        snprintf(s->missing, sizeof s->missing, "%s", path);
    return value;
}

static double ratio(double above, double below)
{
    return below > 0 ? above / below : 0;
}

/* Values that were given on the command line replace measured ones. */
static void put(struct predict_case *c, enum predict_input input, double value)
{
    if (c->given[input])
        return;
    c->value[input] = value;
    c->given[input] = true;
}

static void put_rates(struct summary *s, struct predict_case *c)
{
    double words = number(s, "stage_1a.words"), wmers = number(s, "stage_1a.wmers");
    double seeds = number(s, "stage_1b.seeds"), matches = number(s, "stage_2.matches");
    double bytes = number(s, "pcix.database_bytes");
    put(c, PREDICT_LAMBDA_IN, ratio(bytes, number(s, "pcix.measured_time_s")) / 1e6);
    put(c, PREDICT_WMERS_PER_WORD, ratio(wmers, words));
    put(c, PREDICT_BYTES_PER_WORD, ratio(bytes, words));
    put(c, PREDICT_P_1A, ratio(seeds, wmers));
    put(c, PREDICT_P_1B, ratio(matches, seeds));
    put(c, PREDICT_P_2, ratio(number(s, "stage_2.hsps_out"), matches));
    if (seeds > 0)
        put(c, PREDICT_P_1BP, 1 - number(s, "stage_1b.lookups_empty") / seeds);
}

static void put_memory(struct summary *s, struct predict_case *c)
{
    double seeds = number(s, "stage_1b.seeds"), reads = number(s, "stage_1b.sram_reads_clocks");
    bool saturated = number(s, "stage_1b.wmer_fifo.back_pressure_fraction") > MERCURY_SATURATED;
    if (!c->given[PREDICT_MU_1B])
        put(c, PREDICT_M_1B, seeds > 0 ? reads / seeds : 1);
    put(c, PREDICT_M_2, saturated ? fmin(1, reads / number(s, "clocks")) : 1);
    put(c, PREDICT_TRIPS, ratio(number(s, "stage_1b.trips"), seeds));
    put(c, PREDICT_DUPLICATES, ratio(number(s, "stage_1b.lookups_duplicate"), seeds));
    put(c, PREDICT_SINGLE_MATCHES, ratio(number(s, "stage_1b.lookups_match"), seeds));
}

/* Put a rule of the board; older summaries do not hold it, and the default remains. */
static void put_rule(struct summary *s, struct predict_case *c, enum predict_input input, const char *path)
{
    double value = json_number_at(s->frame, path);
    if (!isnan(value))
        put(c, input, input == PREDICT_TRIP_CYCLES ? fmax(1, value) : value);
}

static void put_rules(struct summary *s, struct predict_case *c)
{
    put_rule(s, c, PREDICT_TRIP_CYCLES, "stage_1b.trip_cycles");
    put_rule(s, c, PREDICT_TRIPS_IN_FLIGHT, "stage_1b.trips_in_flight");
    put_rule(s, c, PREDICT_FETCH_CYCLES, "stage_2.fetch_cycles");
    put_rule(s, c, PREDICT_WMER_MARGIN, "stage_1b.wmer_margin");
    put_rule(s, c, PREDICT_SRAM_MARGIN, "stage_1b.sram_margin");
    put_rule(s, c, PREDICT_STAGE2_MARGIN, "stage_2.stage2_margin");
}

/* Mean number of bytes per record that crossed the bus while the run was measured. */
static double record_bytes(struct summary *s)
{
    double bytes = number(s, "pcix.hsp_bytes"), hsps = number(s, "stage_2.hsps_out");
    double busy_s = json_number_at(s->frame, "pcix.busy_s");
    if (isnan(busy_s) || !(hsps > 0))
        return bytes;
    double moved = busy_s * number(s, "pcix.capacity_bytes_per_s");
    return mercury_records_crossed(hsps * bytes, bytes, number(s, "pcix.database_bytes"), moved) / hsps;
}

static void put_machine(struct summary *s, struct predict_case *c)
{
    double capacity = number(s, "pcix.capacity_bytes_per_s") / 1e6,
           ingress = number(s, "stage_1a.ingress_fifo.places");
    double wmer = number(s, "stage_1b.wmer_fifo.places"), sram = number(s, "stage_1b.sram_fifo.places");
    double stage2 = number(s, "stage_2.stage2_fifo.places");
    put(c, PREDICT_CLOCK, number(s, "stage_1a.clock_hz") / 1e6);
    put(c, PREDICT_MU_PCI, capacity);
    put(c, PREDICT_BUS, capacity);
    put(c, PREDICT_SUPPLY, number(s, "pcix.host_supply_bytes_per_s") / 1e6);
    put(c, PREDICT_HSP_BYTES, record_bytes(s));
    put(c, PREDICT_K_1A, floor(ingress * c->value[PREDICT_WMERS_PER_WORD]));
    put(c, PREDICT_K_1B, wmer + sram);
    put(c, PREDICT_K_1BP, wmer);
    put(c, PREDICT_K_1BD, sram);
    put(c, PREDICT_K_2, stage2);
    put(c, PREDICT_FIFO_INGRESS, ingress);
    put(c, PREDICT_FIFO_WMER, wmer);
    put(c, PREDICT_FIFO_SRAM, sram);
    put(c, PREDICT_FIFO_STAGE2, stage2);
}

static int add_frame(struct summary *s, const struct predict_case *base, const char *case_name,
                     struct predict_cases *list, struct why *why)
{
    struct predict_case c = *base;
    c.measured = true;
    c.digits = base->digits > 0 ? base->digits : PREDICT_MEASURED_DIGITS;
    snprintf(c.name, sizeof c.name, "%s", case_name);
    put_rates(s, &c);
    put_memory(s, &c);
    put_machine(s, &c);
    put_rules(s, &c);
    double words = number(s, "stage_1a.words"), clocks = number(s, "clocks");
    if (*s->missing)
        return why_say(why, PREDICT_EINPUT,
                       "%.300s: %s, no number %s; expected a summary.json of mercury run or retime", s->file,
                       case_name, s->missing);
    if (words <= 0 || clocks <= 0)
        return why_say(why, PREDICT_EINPUT, "%.300s: %s streamed nothing; there are no rates to predict from",
                       s->file, case_name);
    if (predict_case_complete(&c, why) != 0)
        return why_precede(why, PREDICT_EINPUT, "%.300s: %s: ", s->file, case_name);
    if (predict_cases_add(list, &c) == 0)
        return 0;
    return why_no_memory(why, PREDICT_EMEMORY);
}

static int add_passes(const json_t *root, struct summary *s, const struct predict_case *base,
                      struct predict_cases *list, struct why *why)
{
    const json_t *passes = json_object_get(root, "per_pass");
    if (!json_is_array(passes))
        return why_say(why, PREDICT_EINPUT,
                       "%.300s: no per_pass in it; expected a summary.json of mercury run or retime",
                       s->file);
    for (size_t i = 0; i < json_array_size(passes); i++) {
        char name[32];
        snprintf(name, sizeof name, "pass %zu", i + 1);
        s->frame = json_array_get(passes, i);
        int status = add_frame(s, base, name, list, why);
        if (status)
            return status;
    }
    return 0;
}

/* Later layouts have added values; those that are read here have the same meaning in all of them. */
int predict_summary_check(const json_t *root, const char *name, struct why *why)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (schema && (strcmp(schema, "mercury-summary-1") == 0 || strcmp(schema, "mercury-summary-2") == 0))
        return 0;
    return why_say(
        why, PREDICT_EINPUT,
        "%.300s: schema %s%.60s%s; expected mercury-summary-2 (or -1), a summary.json of mercury run or "
        "retime",
        name, schema ? "'" : "", schema ? schema : "is missing", schema ? "'" : "");
}

json_t *predict_summary_parse(const char *text, const char *name, struct why *why)
{
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        why_say(why, PREDICT_EINPUT, "%.300s, line %d: %.200s", name, error.line, error.text);
    return root;
}

int predict_summary_take(const json_t *root, const char *name, const struct predict_case *base, bool passes,
                         struct predict_cases *list, struct why *why)
{
    struct summary s = {.frame = root, .file = name};
    int status = predict_summary_check(root, name, why);
    if (status == 0)
        status = add_frame(&s, base, "run", list, why);
    return status == 0 && passes ? add_passes(root, &s, base, list, why) : status;
}
