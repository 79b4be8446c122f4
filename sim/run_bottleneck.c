#include "sim/run_bottleneck.h"

#include <math.h>

#include "sim/machine_frame.h"

static const char *const phase_names[RUN_PHASES] = {"loading tables", "streaming", "stage 3 draining"};

static double value(const struct frame *frame, const char *stage, const char *name)
{
    return (double)frame->counters[frame_find_counter(&machine_layout, stage, name)];
}

/* --- evidence -------------------------------------------------------------------------------------------- */

static void set_queue(struct stage_evidence *stage, const struct frame *frame, const char *queue)
{
    const struct fifo_measure *m = &frame->queues[frame_find_queue(&machine_layout, queue)];
    stage->queue_mean = fifo_measure_mean(m);
    stage->queue_places = m->places;
}

/* A stage's stall: as measured, or as the signal of the queue behind it leaves it possible. */
static double stall_of(const struct frame *frame, const struct stall_counts *stalls, uint64_t clocks,
                       const char *behind, double active)
{
    const struct fifo_measure *m = &frame->queues[frame_find_queue(&machine_layout, behind)];
    double stalled =
        stalls->measured ? (double)clocks / (double)frame->clocks : fifo_measure_alert_fraction(m);
    return fmin(stalled, 1 - active);
}

/* Clocks 1bd needs for what it did: one a lookup, a trip's a trip. */
static double work_of_1bd(const struct frame *f, const struct hardware *hardware)
{
    double trip = hardware->board.sram_trip_cycles > 0 ? hardware->board.sram_trip_cycles : 1;
    return value(f, "stage_1b", "seeds") - value(f, "stage_1b", "lookups_duplicate") +
           trip * value(f, "stage_1b", "trips");
}

static void gather_stages(struct run_bottleneck *b, const struct frame *f, const struct stall_counts *s,
                          const struct hardware *hardware)
{
    const double clocks = (double)f->clocks, bytes = value(f, "pcix", "database_bytes");
    struct stage_evidence *host = &b->stages[0], *bus = &b->stages[1], *bloom = &b->stages[2],
                          *issue = &b->stages[3], *lookup = &b->stages[4], *extension = &b->stages[5];
    *host = (struct stage_evidence){.name = "host",
                                    .active = bytes / hardware->host_supply / frame_measured_s(f)};
    *bus = (struct stage_evidence){.name = "bus",
                                   .active = value(f, "pcix", "busy") / value(f, "pcix", "measured_time")};
    bus->stalled = stall_of(f, s, s->bus, "ingress_fifo", bus->active);
    *bloom = (struct stage_evidence){.name = "1a", .active = value(f, "stage_1a", "input") / clocks};
    bloom->stalled = stall_of(f, s, s->stage_1a, "wmer_fifo", bloom->active);
    *issue = (struct stage_evidence){.name = "1bp", .active = value(f, "stage_1b", "input") / clocks};
    issue->stalled = stall_of(f, s, s->stage_1bp, "sram_fifo", issue->active);
    double busy = value(f, "stage_1b", "duplicate_stage"), work = fmin(work_of_1bd(f, hardware), busy);
    *lookup =
        (struct stage_evidence){.name = "1bd", .active = work / clocks, .stalled = (busy - work) / clocks};
    *extension = (struct stage_evidence){.name = "2", .active = value(f, "stage_2", "input") / clocks};
    extension->stalled = stall_of(f, s, s->stage_2, "egress_fifo", extension->active);
    set_queue(bloom, f, "ingress_fifo");
    set_queue(issue, f, "wmer_fifo");
    set_queue(lookup, f, "sram_fifo");
    set_queue(extension, f, "stage2_fifo");
}

struct run_bottleneck run_bottleneck_find(const struct frame *run, const struct stall_counts *stalls,
                                          const struct hardware *hardware)
{
    struct run_bottleneck b = {.measured = stalls->measured};
    b.phase_s[PHASE_LOAD] = value(run, "pcix", "table_load") / 1e12;
    b.phase_s[PHASE_STREAM] = frame_measured_s(run);
    b.phase_s[PHASE_DRAIN] = (value(run, "stage_3", "drain") + value(run, "stage_3", "join")) / 1e12;
    for (unsigned i = 1; i < RUN_PHASES; i++)
        if (b.phase_s[i] > b.phase_s[b.longest])
            b.longest = (enum run_phase)i;
    gather_stages(&b, run, stalls, hardware);
    b.board = bottleneck_find(b.stages, RUN_STAGES);
    return b;
}

/* --- output ---------------------------------------------------------------------------------------------- */

static double all_phases_s(const struct run_bottleneck *b)
{
    return b->phase_s[PHASE_LOAD] + b->phase_s[PHASE_STREAM] + b->phase_s[PHASE_DRAIN];
}

void run_bottleneck_write_text(const struct run_bottleneck *b, FILE *out)
{
    fprintf(out, "\nbottleneck: %s takes most of the run (", phase_names[b->longest]);
    for (unsigned i = 0; i < RUN_PHASES; i++)
        fprintf(out, "%s%.4g%% %s", i ? ", " : "", 100 * b->phase_s[i] / all_phases_s(b), phase_names[i]);
    fprintf(out, ")\nwhile streaming%s:\n", b->measured ? "" : ", stalls at most what the signals allow");
    bottleneck_write_text(&b->board, b->stages, RUN_STAGES, out);
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *stage_object(const struct run_bottleneck *b, size_t i)
{
    static const char *const roles[] = {[STAGE_LIMITS] = "limits",
                                        [STAGE_VICTIM] = "victim",
                                        [STAGE_HELD] = "held",
                                        [STAGE_RESERVE] = "reserve"};
    const struct stage_evidence *s = &b->stages[i];
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "stage", s->name, "role",
                     roles[bottleneck_role(&b->board, b->stages, i)], "active_fraction", number(s->active),
                     "stalled_fraction", number(s->stalled), "starved_fraction",
                     number(fmax(0, 1 - s->active - s->stalled)), "queue_mean",
                     s->queue_places ? number(s->queue_mean) : json_null(), "queue_places",
                     s->queue_places ? json_integer((json_int_t)s->queue_places) : json_null());
}

json_t *run_bottleneck_json(const struct run_bottleneck *b)
{
    static const char *const phases[RUN_PHASES] = {"load", "stream", "drain"};
    json_t *stages = json_array();
    for (size_t i = 0; stages && i < RUN_STAGES; i++)
        json_array_append_new(stages, stage_object(b, i));
    return json_pack(
        "{s:{s:f, s:f, s:f, s:s}, s:s, s:b, s:o, s:o, s:o, s:b, s:o}", "phases", "load_s",
        b->phase_s[PHASE_LOAD], "stream_s", b->phase_s[PHASE_STREAM], "drain_s", b->phase_s[PHASE_DRAIN],
        "longest", phases[b->longest], "limit", b->stages[b->board.limit].name, "confirmed",
        b->board.confirmed, "growth_to_limit", number(b->board.growth_to_limit), "next",
        b->board.has_next ? json_string(b->stages[b->board.next].name) : json_null(), "growth_to_next",
        number(b->board.growth_to_next), "stalls_measured", b->measured, "stages", stages);
}
