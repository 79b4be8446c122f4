#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/shown.h"
#include "validate/validation.h"

/* A stage that a later one holds in more of the time is not filled by its own work. */
#define MOSTLY_HELD 0.5

/* @param reason  in a few words; NULL if the finding is none */
static void __attribute__((format(printf, 3, 4)))
find(struct validation *v, const char *reason, const char *format, ...)
{
    v->reason = v->reason ? v->reason : reason;
    if (v->finding_count == VALIDATION_FINDINGS_MAX)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->findings[v->finding_count++], VALIDATION_FINDING_BYTES, format, arguments);
    va_end(arguments);
}

static double simulated(const struct validation *v, enum machine_quantity quantity)
{
    return verdict_simulated(&v->frames[0], quantity);
}

static double predicted(const struct validation *v, enum machine_quantity quantity, enum verdict_model model)
{
    return v->frames[0].cells[quantity][model].predicted;
}

/* A prediction as a part of a sentence. */
struct said {
    char text[SHOWN_BYTES + 8];
};

static struct said say(double value, const char *unit)
{
    struct said said = {"no number"};
    char number[SHOWN_BYTES];
    if (isfinite(value))
        strcat(strcpy(said.text, shown_number(value, "%.3g", number)), unit);
    return said;
}

/* --- one finding each ------------------------------------------------------------------------------------ */

static void find_back_pressure(struct validation *v)
{
    double p = simulated(v, P_BP_1A), mm1 = predicted(v, P_BP_1A, VERDICT_MM1),
           tandem = predicted(v, P_BP_1A, VERDICT_BLOCKING), held = v->frames[0].evidence[QUANTITY_1A].held;
    if (!(p > VERDICT_BLOCKED) || isnan(held))
        return;
    find(
        v, "later stages hold earlier ones up",
        "Blocking from downstream: a full w-mer FIFO holds stage 1a up in %.1f%% of the time, and the signal of "
        "the ingress FIFO is on in %.1f%%. M/M/1 gives %s, because its stages are independent of later ones.",
        100 * held, 100 * p, say(100 * mm1, "%").text);
    if (isfinite(tandem))
        find(v, "later stages hold earlier ones up",
             "The tandem with blocking gives %.1f%% for that signal (simulated %.1f%%).", 100 * tandem,
             100 * p);
}

static void find_bottleneck(struct validation *v)
{
    const struct verdict_frame *run = &v->frames[0];
    const struct verdict_evidence *e = &run->evidence[QUANTITY_1B];
    if (!(e->full > MERCURY_SATURATED) || e->held > MOSTLY_HELD)
        return;
    const double *in = run->inputs.value;
    double share = mercury_trip_share(in);
    double clocks = mercury_lookup_service(in[PREDICT_TRIPS], in[PREDICT_DUPLICATES], share).clocks;
    find(
        v, "stage 1b saturates",
        "Stage 1b saturates: a lookup takes %.2f clocks on average, %.2f of them for trips to the duplicate "
        "table (%.4f trips per seed, of %.4g clocks each); the SRAM FIFO holds %.0f of %.0f lookups. rho_1b is 1 by "
        "construction (M_2 is the utilisation of the memory itself), so M/M/1 and M/M/1/K (Dor) have no number.",
        clocks, clocks - 1 + in[PREDICT_DUPLICATES], in[PREDICT_TRIPS], share,
        run->evidence[QUANTITY_1BD].n_q, run->evidence[QUANTITY_1BD].places);
}

static void find_clumps(struct validation *v)
{
    const struct verdict_evidence *e = &v->frames[0].evidence[QUANTITY_1B];
    if (e->full >
        VERDICT_OWN_SCV) /* blocking makes the pattern of the arrivals, and services tell the reason */
        return;
    if (!(e->arrivals.scv > e->expected_scv * VERDICT_SCV_FACTOR))
        return;
    find(
        v, "seeds come in clumps",
        "Clumps: seeds arrive with scv %.3g, and independent w-mers of that rate would with %.3g, because "
        "neighbouring w-mers are seeds together. The SRAM FIFO holds %.3g lookups; the tandem, which knows no "
        "clumps, gives %s.",
        e->arrivals.scv, e->expected_scv, simulated(v, N_Q_1BD),
        say(predicted(v, N_Q_1BD, VERDICT_BLOCKING), "").text);
}

static void find_clustered_trips(struct validation *v)
{
    const struct interval_values *t = &v->frames[0].evidence[QUANTITY_1BD].services;
    if (t->lag1 > fmax(VERDICT_LAG1, 4 / sqrt(t->count)))
        find(
            v, "trips come in clusters",
            "Trips cluster: services of 1bd have a lag-1 correlation of %.2f (scv %.3g), because one seed of a "
            "repeat after the other needs a long list. Every model takes services to be independent.",
            t->lag1, t->scv);
}

static void find_fetch(struct validation *v)
{
    double cycles = v->frames[0].inputs.value[PREDICT_FETCH_CYCLES], rho = simulated(v, RHO_2),
           n_q = simulated(v, N_Q_2);
    double mm1 = predicted(v, N_Q_2, VERDICT_MM1), fetching = rho * cycles;
    if (n_q > 0 && fetching > 0.2 * n_q)
        find(
            v, "matches wait for their bases",
            "Fetch latency: a match waits %.0f clocks for its bases in the stage-2 FIFO, which accounts for "
            "%.3g of the %.3g matches there (Little: rho_2 x clocks). M/M/1, which knows no latency, gives %s.",
            cycles, fetching, n_q, say(mm1, "").text);
}

static void find_stage2(struct validation *v)
{
    const struct verdict_evidence *e = v->frames[0].evidence;
    const double *in = v->frames[0].inputs.value;
    double by_trips = in[PREDICT_P_1B] > 0 ? 1 - in[PREDICT_SINGLE_MATCHES] / in[PREDICT_P_1B] : 0;
    if (e[QUANTITY_2].arrivals.scv > VERDICT_SCV_FACTOR)
        find(
            v, "matches come in bursts",
            "Matches arrive in bursts: their scv at stage 2 is %.3g, and trips bring %.0f%% of them, several in "
            "one clock. P_BP_2 is %.2g; M/M/1/K (Dor) gives %s.",
            e[QUANTITY_2].arrivals.scv, 100 * fmax(0, by_trips), simulated(v, P_BP_2),
            say(predicted(v, P_BP_2, VERDICT_MM1K_DOR), "").text);
    if (e[QUANTITY_2].held > VERDICT_BLOCKED)
        find(
            v, "records hold the board up",
            "The bus holds the board up: HSP records share it with the database, and a full egress FIFO stops "
            "stage 2 in %.1f%% of the time, and so 1bd in %.1f%%, 1bp in %.1f%% and 1a in %.1f%%. No model has "
            "that queue, not even the tandem.",
            100 * e[QUANTITY_2].held, 100 * e[QUANTITY_1BD].held, 100 * e[QUANTITY_1BP].held,
            100 * e[QUANTITY_1A].held);
}

static void find_beat(struct validation *v)
{
    const struct verdict_evidence *e = &v->frames[0].evidence[QUANTITY_1A];
    if (e->arrivals.scv < VERDICT_SCV_NONE)
        find(
            v, "words come at constant distances",
            "Words arrive at constant distances (scv %.2g), so that 1a's FIFO is nearly empty: N_Q_1a is %.3g "
            "w-mers; M/M/1 gives %s.",
            e->arrivals.scv, simulated(v, N_Q_1A), say(predicted(v, N_Q_1A, VERDICT_MM1), "").text);
}

static void find_passes(struct validation *v)
{
    if (v->count < 4)
        return;
    size_t least = 1, most = 1;
    unsigned row = N_Q_1B;
    for (size_t i = 1; i < v->count; i++) {
        least = verdict_simulated(&v->frames[i], row) < verdict_simulated(&v->frames[least], row) ? i : least;
        most = verdict_simulated(&v->frames[i], row) > verdict_simulated(&v->frames[most], row) ? i : most;
    }
    double low = verdict_simulated(&v->frames[least], row), high = verdict_simulated(&v->frames[most], row);
    if (high > 1.5 * low && high > 1)
        find(
            v, "passes differ",
            "Passes differ: N_Q_1b is %.3g seeds in %s and %.3g in %s; the inputs of the whole run are means over "
            "different loads.",
            low, v->frames[least].name, high, v->frames[most].name);
}

void validation_find(struct validation *v)
{
    v->finding_count = 0;
    v->reason = NULL;
    find_bottleneck(v);
    find_back_pressure(v);
    find_clumps(v);
    find_clustered_trips(v);
    find_fetch(v);
    find_stage2(v);
    find_beat(v);
    find_passes(v);
    if (isnan(v->frames[0].evidence[QUANTITY_1B].arrivals.count))
        find(v, NULL,
             "The file holds no scv and lag1 of arrivals and services, since an older version wrote it: "
             "assumptions are judged by rho, N_Q and back-pressure only.");
}
