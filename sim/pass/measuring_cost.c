#include "sim/pass/measuring_cost.h"

#include <inttypes.h>
#include <math.h>

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
    struct passes again = {
        .hardware = passes->hardware,
        .platform_file = passes->platform_file,
        .pass_count = passes->pass_count,
        .jobs = passes->jobs,
        .quiet = passes->quiet,
        .recorded = record,
    };
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

json_t *measuring_cost_json(const struct measuring_cost *c)
{
    const struct measuring_charge *charge = &c->charge;
    return json_pack(
        "{s:I, s:o, s:I, s:o, s:I, s:I, s:I, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
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
        "wall_difference", json_number(growth(c->charged.wall_s, c->uncharged.wall_s)));
}

static void write_impact(const char *what, double with, double without, const char *paper, FILE *out)
{
    char change[24] = "-";
    if (without > 0)
        snprintf(change, sizeof change, "%+.4g%%", 100 * growth(with, without));
    fprintf(out, "  %-38s %14s %14s   %.6g ms, without %.6g ms\n", what, change, paper, 1e3 * with,
            1e3 * without);
}

void measuring_cost_write_text(const struct measuring_cost *c, FILE *out)
{
    const struct measuring_charge *charge = &c->charge;
    fprintf(out, "\n  %-38s %14s %14s\n", "cost of measuring", "this run", "TimeTrial IV.C");
    fprintf(out, "  %-38s %14" PRIu64 " %14s\n", "frames of the board", charge->frames, "11728");
    fprintf(out, "  %-38s %14.6g %14s\n", "mean bytes of a record", mean_record_bytes(c), "11056");
    fprintf(out, "  %-38s %14" PRIu64 " %14s\n", "bytes over the bus", charge->bus_bytes, "124 MB");
    fprintf(out, "  %-38s %13.4g%% %14s\n", "share of all bytes there", 100 * bus_share(c), "0.003%");
    fprintf(out, "  %-38s %14" PRIu64 " %14s\n", "bytes that waited at most", charge->most_waiting, "-");
    fprintf(out, "  %-38s %14" PRIu64 " %14s\n", "events of the software", charge->events, "46912");
    fprintf(out, "  %-38s %14" PRIu64 " %14s\n", "bytes of memory for them", event_memory(c), "2.86 MB");
    fprintf(out, "  %-38s %14.4g %14s   %.6g ms of it\n", "core the agent takes",
            c->hardware->measure_agent_share, "0.27", (double)charge->agent_ps / 1e9);
    write_impact("user time (cores at work)", c->charged.user_s, c->uncharged.user_s, "+3.1%", out);
    write_impact("system time (bus at work)", c->charged.system_s, c->uncharged.system_s, "+8.1%", out);
    write_impact("wall time (the run)", c->charged.wall_s, c->uncharged.wall_s, "+0.2%", out);
}
