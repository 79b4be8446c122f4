#include "sim/run/measuring_cost.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

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

/* Relative growth; NaN if the first value is 0. */
static double growth(double with, double without)
{
    return without > 0 ? with / without - 1 : NAN;
}

static double bus_share(const struct measuring_cost *c)
{
    return c->bus_bytes > 0 ? (double)c->charge.bus_bytes / (double)c->bus_bytes : 0;
}

static uint64_t event_memory(const struct measuring_cost *c)
{
    return c->charge.events * c->hardware->measure_event_bytes;
}

/* Bytes of a frame record; NaN if no frame of the board has ended. */
static double mean_record_bytes(const struct measuring_cost *c)
{
    return c->charge.frames > 0 ? (double)c->charge.bus_bytes / (double)c->charge.frames : NAN;
}

enum figure {
    FIGURE_FRAMES,
    FIGURE_RECORD,
    FIGURE_BYTES,
    FIGURE_SHARE,
    FIGURE_EVENTS,
    FIGURE_EVENT_MEMORY,
    FIGURE_AGENT_MEMORY,
    FIGURE_AGENT,
    FIGURE_USER,
    FIGURE_SYSTEM,
    FIGURE_WALL,
    FIGURES
};

/* What section IV.C prints of TimeTrial. Its MB are 2^20 bytes: 11728 x 11056 bytes are 124 MB, 46912 x 64 are
 * 2.86 MB. */
static const struct {
    const char *name, *printed;
    double value;
} published[FIGURES] = {
    [FIGURE_FRAMES] = {"board_frames", "11728", 11728},
    [FIGURE_RECORD] = {"frame_record_bytes", "11056", 11056},
    [FIGURE_BYTES] = {"measurement_bytes", "124 MB", 11728 * 11056},
    [FIGURE_SHARE] = {"bus_share", "0.003%", 3e-5},
    [FIGURE_EVENTS] = {"software_events", "46912", 46912},
    [FIGURE_EVENT_MEMORY] = {"event_memory_bytes", "2.86 MB", 46912 * 64},
    [FIGURE_AGENT_MEMORY] = {"agent_memory_bytes", "100 MB", 100 << 20},
    [FIGURE_AGENT] = {"agent_core_share", "0.27", 0.27},
    [FIGURE_USER] = {"user_difference", "+3.1%", 0.031},
    [FIGURE_SYSTEM] = {"system_difference", "+8.1%", 0.081},
    [FIGURE_WALL] = {"wall_difference", "+0.2%", 0.002},
};

static json_t *published_json(void)
{
    json_t *object = json_object();
    for (unsigned i = 0; i < FIGURES; i++) {
        double value = published[i].value;
        bool whole = value == floor(value);
        json_object_set_new(object, published[i].name,
                            whole ? json_integer((json_int_t)value) : json_real(value));
    }
    return object;
}

json_t *measuring_cost_json(const struct measuring_cost *c)
{
    const struct measuring_charge *charge = &c->charge;
    return json_pack(
        "{s:I, s:o, s:I, s:o, s:I, s:I, s:I, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "board_frames", (json_int_t)charge->frames, "frame_record_bytes", json_number(mean_record_bytes(c)),
        "measurement_bytes", (json_int_t)charge->bus_bytes, "bus_share", json_number(bus_share(c)),
        "most_waiting_bytes", (json_int_t)charge->most_waiting, "software_events", (json_int_t)charge->events,
        "event_memory_bytes", (json_int_t)event_memory(c), "agent_core_share",
        c->hardware->measure_agent_share, "agent_core_s", json_number((double)charge->agent_ps / 1e12),
        "user_s", json_number(c->charged.user_s), "user_uncharged_s", json_number(c->uncharged.user_s),
        "user_difference", json_number(growth(c->charged.user_s, c->uncharged.user_s)), "system_s",
        json_number(c->charged.system_s), "system_uncharged_s", json_number(c->uncharged.system_s),
        "system_difference", json_number(growth(c->charged.system_s, c->uncharged.system_s)), "wall_s",
        json_number(c->charged.wall_s), "wall_uncharged_s", json_number(c->uncharged.wall_s),
        "wall_difference", json_number(growth(c->charged.wall_s, c->uncharged.wall_s)), "published",
        published_json());
}

/* --- the table for people: a row has at most 80 columns ------------------------------------------------ */

static void write_row(const char *what, const char *value, const char *paper, FILE *out)
{
    fprintf(out, "  %-27s %13s %14s", what, value, paper);
}

static void write_count(const char *what, uint64_t value, const char *paper, FILE *out)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    write_row(what, text, paper, out);
    fputc('\n', out);
}

static void write_fraction(const char *what, double fraction, enum figure figure, FILE *out)
{
    char text[24] = "-";
    if (!isnan(fraction))
        snprintf(text, sizeof text, figure == FIGURE_SHARE ? "%.4g%%" : "%+.4g%%", 100 * fraction);
    write_row(what, text, published[figure].printed, out);
}

static void write_bus(const struct measuring_cost *c, FILE *out)
{
    char record[24] = "-";
    if (c->charge.frames > 0)
        snprintf(record, sizeof record, "%.6g", mean_record_bytes(c));
    write_count("frames of the board", c->charge.frames, published[FIGURE_FRAMES].printed, out);
    write_row("mean bytes of a record", record, published[FIGURE_RECORD].printed, out);
    fputc('\n', out);
    write_count("bytes over the bus", c->charge.bus_bytes, published[FIGURE_BYTES].printed, out);
    write_fraction("share of all bytes there", bus_share(c), FIGURE_SHARE, out);
    fputc('\n', out);
    write_count("bytes that waited at most", c->charge.most_waiting, "-", out);
}

static void write_host(const struct measuring_cost *c, FILE *out)
{
    char share[24];
    snprintf(share, sizeof share, "%.4g", c->hardware->measure_agent_share);
    write_count("events of the software", c->charge.events, published[FIGURE_EVENTS].printed, out);
    write_count("bytes of memory for them", event_memory(c), published[FIGURE_EVENT_MEMORY].printed, out);
    write_row("bytes of the agent's memory", "not modelled", published[FIGURE_AGENT_MEMORY].printed, out);
    fputc('\n', out);
    write_row("core the agent takes", share, published[FIGURE_AGENT].printed, out);
    fprintf(out, " %10.5g %10d\n", (double)c->charge.agent_ps / 1e9, 0);
}

static void write_impact(const char *what, double with, double without, enum figure figure, FILE *out)
{
    write_fraction(what, growth(with, without), figure, out);
    fprintf(out, " %10.5g %10.5g\n", 1e3 * with, 1e3 * without);
}

void measuring_cost_write_text(const struct measuring_cost *c, FILE *out)
{
    fprintf(out, "\n  %-27s %13s %14s %10s %10s\n", "cost of measuring", "this run", "TimeTrial IV.C",
            "ms with", "ms without");
    write_bus(c, out);
    write_host(c, out);
    write_impact("user time (cores at work)", c->charged.user_s, c->uncharged.user_s, FIGURE_USER, out);
    write_impact("system time (bus at work)", c->charged.system_s, c->uncharged.system_s, FIGURE_SYSTEM, out);
    write_impact("wall time (the run)", c->charged.wall_s, c->uncharged.wall_s, FIGURE_WALL, out);
}
