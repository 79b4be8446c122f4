#include "sim/run/measuring_cost.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/json_number.h"
#include "sim/measure/machine_frame.h"

/* Bytes that the design itself moves, both ways. */
static uint64_t own_bytes(const struct frame *run)
{
    return run->counters[PCIX_TABLE_BYTES] + run->counters[PCIX_DATABASE_BYTES] +
           run->counters[PCIX_RECORD_BYTES];
}

static struct machine_times times_of(const struct frame *run, const struct measuring_charge *charge,
                                     double bus)
{
    return (struct machine_times){.user_s =
                                      frame_seconds(run, S3_CORE_BUSY) + (double)charge->agent_ps / 1e12,
                                  .system_s = (double)(own_bytes(run) + charge->bus_bytes) / bus,
                                  .wall_s = run->duration_s};
}

int measuring_cost_find(const struct passes *passes, const struct passes_result *charged,
                        const struct token_record *record, struct measuring_cost *cost, struct why *why)
{
    const struct passes again = passes_again(passes, record);
    struct passes_result uncharged;
    int status = passes_run(&again, &uncharged, why);
    if (status)
        return status;
    if (uncharged.run.counters[S3_CELLS] != charged->run.counters[S3_CELLS])
        status = why_say(why, PASS_EBUG,
                         "the run without the charge did other work: a bug of Mercury's, please report it");
    double bus = hardware_bus_bytes_per_s(passes->hardware);
    *cost = (struct measuring_cost){
        .hardware = passes->hardware,
        .charge = charged->charge,
        .bus_bytes = own_bytes(&charged->run) + charged->charge.bus_bytes,
        .charged = times_of(&charged->run, &charged->charge, bus),
        .uncharged = times_of(&uncharged.run, &(struct measuring_charge){0}, bus),
    };
    passes_result_destroy(&uncharged);
    return status;
}

/* --- output ---------------------------------------------------------------------------------------------- */

static const char COUNT[] = "%.0f";

enum { ROWS = 12 };

/* What section IV.C prints of TimeTrial stands beside the run's. Its MB are 2^20 bytes: 11728 x 11056 bytes are 124 MB,
 * 46912 x 64 are 2.86 MB. */
static const struct {
    const char *name, *title;
    const char *format; /* NULL: it is not modelled */
    const char *printed;
    double published;                    /* NaN: nothing is */
    const char *charged_s, *uncharged_s; /* names of the times that it tells of; NULL: there is none */
} rows[ROWS] = {
    {"board_frames", "frames of the board", COUNT, "11728", 11728},
    {"frame_record_bytes", "mean bytes of a record", "%.6g", "11056", 11056},
    {"measurement_bytes", "bytes over the bus", COUNT, "124 MB", 11728 * 11056},
    {"bus_share", "share of all bytes there", "%.4g%%", "0.003%", 3e-5},
    {"most_waiting_bytes", "bytes that waited at most", COUNT, "-", NAN},
    {"software_events", "events of the software", COUNT, "46912", 46912},
    {"event_memory_bytes", "bytes of memory for them", COUNT, "2.86 MB", 46912 * 64},
    {"agent_memory_bytes", "bytes of the agent's memory", NULL, "100 MB", 100 << 20},
    {"agent_core_share", "core the agent takes", "%.4g", "0.27", 0.27, "agent_core_s"},
    {"user_difference", "user time (cores at work)", "%+.4g%%", "+3.1%", 0.031, "user_s", "user_uncharged_s"},
    {"system_difference", "system time (bus at work)", "%+.4g%%", "+8.1%", 0.081, "system_s",
     "system_uncharged_s"},
    {"wall_difference", "wall time (the run)", "%+.4g%%", "+0.2%", 0.002, "wall_s", "wall_uncharged_s"},
};

struct figure {
    double value, charged_s, uncharged_s;
};

/* The relative growth of a time; NaN if it was 0. */
static struct figure growth(double charged_s, double uncharged_s)
{
    return (struct figure){uncharged_s > 0 ? charged_s / uncharged_s - 1 : NAN, charged_s, uncharged_s};
}

static void find_figures(const struct measuring_cost *c, struct figure figures[ROWS])
{
    const struct measuring_charge *charge = &c->charge;
    const double bytes = (double)charge->bus_bytes, frames = (double)charge->frames;
    const struct figure found[ROWS] = {
        {frames},
        {frames > 0 ? bytes / frames : NAN}, /* no frame of the board has ended */
        {bytes},
        {c->bus_bytes > 0 ? bytes / (double)c->bus_bytes : 0},
        {(double)charge->most_waiting},
        {(double)charge->events},
        {(double)(charge->events * c->hardware->measure_event_bytes)},
        {NAN},
        {c->hardware->measure_agent_share, (double)charge->agent_ps / 1e12},
        growth(c->charged.user_s, c->uncharged.user_s),
        growth(c->charged.system_s, c->uncharged.system_s),
        growth(c->charged.wall_s, c->uncharged.wall_s),
    };
    memcpy(figures, found, sizeof found);
}

static json_t *count_or_number(double value, bool is_count)
{
    return is_count ? json_integer((json_int_t)value) : json_number(value);
}

json_t *measuring_cost_json(const struct measuring_cost *c)
{
    struct figure figures[ROWS];
    json_t *object = json_object(), *published = json_object();
    find_figures(c, figures);
    for (unsigned i = 0; i < ROWS; i++) {
        const double value = rows[i].published;
        if (rows[i].uncharged_s) {
            json_object_set_new(object, rows[i].charged_s, json_number(figures[i].charged_s));
            json_object_set_new(object, rows[i].uncharged_s, json_number(figures[i].uncharged_s));
        }
        if (rows[i].format)
            json_object_set_new(object, rows[i].name,
                                count_or_number(figures[i].value, rows[i].format == COUNT));
        if (rows[i].charged_s && !rows[i].uncharged_s)
            json_object_set_new(object, rows[i].charged_s, json_number(figures[i].charged_s));
        if (!isnan(value))
            json_object_set_new(published, rows[i].name, count_or_number(value, value == floor(value)));
    }
    json_object_set_new(object, "published", published);
    return object;
}

/* A row has at most 80 columns. */
void measuring_cost_write_text(const struct measuring_cost *c, FILE *out)
{
    struct figure figures[ROWS];
    find_figures(c, figures);
    fprintf(out, "\n  %-27s %13s %14s %10s %10s\n", "cost of measuring", "this run", "TimeTrial IV.C",
            "ms with", "ms without");
    for (unsigned i = 0; i < ROWS; i++) {
        const double value = figures[i].value;
        char text[24] = "-";
        if (!rows[i].format)
            snprintf(text, sizeof text, "not modelled");
        else if (!isnan(value))
            snprintf(text, sizeof text, rows[i].format, strchr(rows[i].printed, '%') ? 100 * value : value);
        fprintf(out, "  %-27s %13s %14s", rows[i].title, text, rows[i].printed);
        if (rows[i].charged_s)
            fprintf(out, " %10.5g %10.5g", 1e3 * figures[i].charged_s, 1e3 * figures[i].uncharged_s);
        fputc('\n', out);
    }
}
