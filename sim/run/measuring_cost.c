#include "sim/run/measuring_cost.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/json_number.h"
#include "sim/measure/machine_frame.h"

/* @param core_s  what cores did for stage 3, alone */
static struct machine_times times_of(const struct frame *run, const struct measuring_charge *charge,
                                     double core_s, double bus)
{
    return (struct machine_times){.user_s = core_s + (double)charge->agent_ps / 1e12,
                                  .system_s =
                                      (double)(machine_frame_bus_bytes(run) + charge->bus_bytes) / bus,
                                  .wall_s = run->duration_s};
}

int measuring_cost_find(const struct passes *passes, const struct passes_result *charged,
                        const struct token_record *record, struct measuring_cost *cost, struct why *why)
{
    const struct passes again = passes_again(passes, record);
    auto_by(passes_result_destroy) struct passes_result uncharged = {0};
    int status = passes_run(&again, &uncharged, why);
    if (status)
        return status;
    if (uncharged.run.counters[S3_CELLS] != charged->run.counters[S3_CELLS])
        return why_say(why, PASS_EBUG,
                       "the run without the charge did other work: a bug of Mercury's, please report it");
    const double bus = hardware_bus_bytes_per_s(passes->hardware);
    /* Where the agent shares a core, that core is busy with stage 3 for longer than its work takes. */
    const double core_s = frame_seconds(&uncharged.run, S3_CORE_BUSY);
    *cost = (struct measuring_cost){
        .hardware = passes->hardware,
        .charge = charged->charge,
        .bus_bytes = machine_frame_bus_bytes(&charged->run) + charged->charge.bus_bytes,
        .charged = times_of(&charged->run, &charged->charge, core_s, bus),
        .uncharged = times_of(&uncharged.run, &(struct measuring_charge){0}, core_s, bus),
    };
    return 0;
}

/* --- output ---------------------------------------------------------------------------------------------- */

static const char COUNT[] = "%.0f";

enum { ROWS = 12 };

struct row {
    const char *name, *title;
    const char *format; /* NULL: it is not modelled */
    double value;
    const char *printed;
    double published;                    /* NaN: nothing is */
    const char *charged_s, *uncharged_s; /* names of the times that it tells of; NULL: there is none */
    double charged, uncharged;           /* these times */
};

/* The relative growth of a time; NaN if it was 0. */
static double growth(double charged_s, double uncharged_s)
{
    return uncharged_s > 0 ? charged_s / uncharged_s - 1 : NAN;
}

/* What section IV.C prints of TimeTrial stands beside the run's. Its MB are 2^20 bytes: 11728 x 11056 bytes are 124 MB,
 * 46912 x 64 are 2.86 MB. */
static void make_rows(const struct measuring_cost *c, struct row rows[ROWS])
{
    const struct measuring_charge *charge = &c->charge;
    const struct machine_times *with = &c->charged, *without = &c->uncharged;
    const double bytes = (double)charge->bus_bytes, frames = (double)charge->frames;
    const double per_frame = frames > 0 ? bytes / frames : NAN; /* no frame of the board has ended */
    const double share = c->bus_bytes > 0 ? bytes / (double)c->bus_bytes : 0;
    const double event_bytes = (double)(charge->events * c->hardware->measure_event_bytes);
    const struct row made[ROWS] = {
        {"board_frames", "frames of the board", COUNT, frames, "11728", 11728},
        {"frame_record_bytes", "mean bytes of a record", "%.6g", per_frame, "11056", 11056},
        {"measurement_bytes", "bytes over the bus", COUNT, bytes, "124 MB", 11728 * 11056},
        {"bus_share", "share of all bytes there", "%.4g%%", share, "0.003%", 3e-5},
        {"most_waiting_bytes", "bytes that waited at most", COUNT, (double)charge->most_waiting, "-", NAN},
        {"software_events", "events of the software", COUNT, (double)charge->events, "46912", 46912},
        {"event_memory_bytes", "bytes of memory for them", COUNT, event_bytes, "2.86 MB", 46912 * 64},
        {"agent_memory_bytes", "bytes of the agent's memory", NULL, NAN, "100 MB", 100 << 20},
        {"agent_core_share", "core the agent takes", "%.4g", charge->agent_share, "0.27", 0.27,
         "agent_core_s", NULL, (double)charge->agent_ps / 1e12},
        {"user_difference", "user time (cores at work)", "%+.4g%%", growth(with->user_s, without->user_s),
         "+3.1%", 0.031, "user_s", "user_uncharged_s", with->user_s, without->user_s},
        {"system_difference", "system time (bus at work)", "%+.4g%%",
         growth(with->system_s, without->system_s), "+8.1%", 0.081, "system_s", "system_uncharged_s",
         with->system_s, without->system_s},
        {"wall_difference", "wall time (the run)", "%+.4g%%", growth(with->wall_s, without->wall_s), "+0.2%",
         0.002, "wall_s", "wall_uncharged_s", with->wall_s, without->wall_s},
    };
    memcpy(rows, made, sizeof made);
}

static json_t *count_or_number(double value, bool is_count)
{
    return is_count ? json_integer((json_int_t)value) : json_number(value);
}

json_t *measuring_cost_json(const struct measuring_cost *c)
{
    struct row rows[ROWS];
    json_t *object = json_object(), *published = json_object();
    make_rows(c, rows);
    for (const struct row *r = rows; r < rows + ROWS; r++) {
        if (r->uncharged_s) {
            json_object_set_new(object, r->charged_s, json_number(r->charged));
            json_object_set_new(object, r->uncharged_s, json_number(r->uncharged));
        }
        if (r->format)
            json_object_set_new(object, r->name, count_or_number(r->value, r->format == COUNT));
        if (r->charged_s && !r->uncharged_s)
            json_object_set_new(object, r->charged_s, json_number(r->charged));
        if (!isnan(r->published))
            json_object_set_new(published, r->name,
                                count_or_number(r->published, r->published == floor(r->published)));
    }
    json_object_set_new(object, "published", published);
    return object;
}

/* A row has at most 80 columns. */
void measuring_cost_write_text(const struct measuring_cost *c, FILE *out)
{
    struct row rows[ROWS];
    make_rows(c, rows);
    fprintf(out, "\n  %-27s %13s %14s %10s %10s\n", "cost of measuring", "this run", "TimeTrial IV.C",
            "ms with", "ms without");
    for (const struct row *r = rows; r < rows + ROWS; r++) {
        char text[24] = "-";
        if (!r->format)
            snprintf(text, sizeof text, "not modelled");
        else if (!isnan(r->value))
            snprintf(text, sizeof text, r->format, strchr(r->printed, '%') ? 100 * r->value : r->value);
        fprintf(out, "  %-27s %13s %14s", r->title, text, r->printed);
        if (r->charged_s)
            fprintf(out, " %10.5g %10.5g", 1e3 * r->charged, 1e3 * r->uncharged);
        fputc('\n', out);
    }
}
