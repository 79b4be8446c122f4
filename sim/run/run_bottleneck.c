#include "sim/run/run_bottleneck.h"

#include "base/json_number.h"
#include "base/shown.h"
#include "sim/measure/machine_frame.h"

static const char *const phase_names[RUN_PHASES] = {
    "waiting for tables to be built", "loading tables",          "streaming",
    "only stage 3 at work",           "waiting for the network", "without passes left"};

/* Boards that have no pass left are free while others work, and one waits until its frame records have left. */
const char *run_bottleneck_drain(const struct run_bottleneck *b, const char *alone)
{
    return b->boards > 1 ? "boards idle" : b->has_frame_records ? "stage 3 or frame records" : alone;
}

static const char *phase_name(const struct run_bottleneck *b, enum run_phase phase)
{
    return phase == PHASE_DRAIN ? run_bottleneck_drain(b, phase_names[phase]) : phase_names[phase];
}

/* --- evidence -------------------------------------------------------------------------------------------- */

static double all_phases_s(const struct run_bottleneck *b)
{
    double all_s = 0;
    for (unsigned i = 0; i < RUN_PHASES; i++)
        all_s += b->phase_s[i];
    return all_s;
}

struct run_bottleneck run_bottleneck_find(const struct frame *run, const struct hardware *hardware,
                                          double longest_cluster_s, const struct network_use *network,
                                          const struct run_limits *limits)
{
    const uint32_t boards = run->boards;
    const struct fifo_measure *queue = &run->queues[QUEUE_HOST], *inbox = &run->queues[QUEUE_INBOX];
    /* The bus moves the first block of the queue. */
    const uint64_t at_most_one = queue->bins[0] + (queue->bin_width == 1 ? queue->bins[1] : 0);
    struct run_bottleneck b = {
        .boards = boards,
        .hosts = hardware->hosts,
        .cores = hardware->host_cores * hardware->hosts,
        .longest_cluster_s = longest_cluster_s,
        .host_full = fifo_measure_back_pressure(queue),
        .host_ahead = queue->clocks > 0 ? 1 - (double)at_most_one / (double)queue->clocks : 0,
        .inbox_empty = inbox->clocks > 0 ? (double)inbox->bins[0] / (double)inbox->clocks : 0,
        .limits = limits};
    b.phase_s[PHASE_BUILD] = frame_seconds(run, S3_BUILD_WAIT) / boards;
    b.phase_s[PHASE_LOAD] = frame_seconds(run, PCIX_TABLE_LOAD) / boards;
    b.phase_s[PHASE_STREAM] = frame_measured_s(run) / boards;
    b.phase_s[PHASE_NETWORK] = network ? network->wait_s : 0;
    b.phase_s[PHASE_OTHERS] = network ? network->idle_s : 0;
    b.phase_s[PHASE_DRAIN] = /* rounding may leave less than nothing */
        fmax(0, frame_seconds(run, S3_DRAIN) - b.phase_s[PHASE_NETWORK] - b.phase_s[PHASE_OTHERS]);
    for (unsigned i = 1; i < RUN_PHASES; i++)
        if (b.phase_s[i] > b.phase_s[b.longest])
            b.longest = (enum run_phase)i;
    stream_stages_find(run, hardware, b.stages);
    b.board = bottleneck_find(b.stages, STAGE_3);
    b.stages[STAGE_3] = /* which stalls no stage: its inbox has no bound */
        stream_stages_evidence("3", frame_count(run, S3_CORE_BUSY), 0, frame_count(run, S3_CORE_TIME), inbox);
    struct hardware used = *hardware; /* by boards that had passes */
    used.boards = (boards + hardware->hosts - 1) / hardware->hosts;
    b.balance = bus_balance_find(&used, frame_count(run, S2_HSPS_OUT), frame_count(run, S1A_WMERS),
                                 b.stages[STAGE_BUS].active);
    b.spread_s = frame_seconds(run, S3_CORE_BUSY) / b.cores;
    return b;
}

/* --- output ---------------------------------------------------------------------------------------------- */

/* Whether the work of the cores limits the run. */
static bool stage3_limits(const struct run_bottleneck *b)
{
    const struct run_limits *l = b->limits;
    return l && !run_limits_are_shared(l) &&
           (l->first == PART_CORES || l->first == PART_ALIGNMENT || l->first == PART_BUILD ||
            l->first == PART_JOIN);
}

/* The papers' argument: a queue that is never empty before the FPGA and an empty one after it. It is about the stream;
 * and a supply that others exceed does not limit that, nor does one of a single block, before which none can wait. */
static void write_software(const struct run_bottleneck *b, FILE *out)
{
    const bool takes = b->inbox_empty >= 0.5,
               supplies = b->host_ahead >= 0.5 ||
                          bottleneck_role(&b->board, b->stages, STAGE_HOST) > STAGE_LIMITS_TOO;
    shown_print(
        out,
        "software: a further block waits for the bus in %.4g%% of the stream (the host queue is full in "
        "%.4g%%), and no HSP waits for a core in %.4g%% of the run:",
        100 * b->host_ahead, 100 * b->host_full, 100 * b->inbox_empty);
    fprintf(out, "  %s%s\n",
            supplies && takes ? "software does not limit the stream"
            : supplies        ? "software supplies enough, but results wait for cores"
            : takes           ? "cores keep up with the stream, but the supply of the database may limit it"
                              : "the supply of the database may limit the stream, and results wait for cores",
            stage3_limits(b) ? "; the run waits for its cores" : "");
}

void run_bottleneck_write_text(const struct run_bottleneck *b, FILE *out)
{
    const struct stage_evidence *stage3 = &b->stages[STAGE_3];
    if (b->limits)
        run_limits_write_text(b->limits, out);
    char phases[RUN_PHASES * 64] = "";
    for (unsigned i = 0; i < (b->hosts > 1 ? RUN_PHASES : PHASE_NETWORK); i++)
        snprintf(phases + strlen(phases), 64, "%s%.4g%% %s", i ? ", " : "",
                 100 * b->phase_s[i] / all_phases_s(b), phase_name(b, i));
    fputc('\n', out);
    shown_print(out, "longest phase: %s (%s)", phase_name(b, b->longest), phases);
    if (b->longest == PHASE_DRAIN) /* whether more cores would help, or work that is spread better */
        shown_print(
            out,
            "  the work of stage 3, spread evenly over %u core%s, would take %.4g ms of the run's %.4g ms; "
            "its largest cluster keeps one core for %.4g ms",
            b->cores, b->cores == 1 ? "" : "s", 1e3 * b->spread_s, 1e3 * all_phases_s(b),
            1e3 * b->longest_cluster_s);
    fprintf(out, "the stream's bottleneck:\n");
    bottleneck_write_text(&b->board, b->stages, STAGE_3, out);
    bus_balance_write_text(&b->balance, out);
    fprintf(out, "  over the whole run:\n  %-10s %8.2f%% %8.2f%% %8.2f%%  %8.4g, no bound  %s\n",
            stage3->name, 100 * stage3->active, 0.0, 100 * stage_starved(stage3), stage3->queue_mean,
            stage3_limits(b) ? "limits the run" : "works beside");
    write_software(b, out);
}

static json_t *stage_object(const struct run_bottleneck *b, size_t i)
{
    static const char *const roles[] = {[STAGE_LIMITS] = "limits",
                                        [STAGE_LIMITS_TOO] = "limits_too",
                                        [STAGE_VICTIM] = "victim",
                                        [STAGE_HELD] = "held",
                                        [STAGE_RESERVE] = "reserve"};
    const struct stage_evidence *s = &b->stages[i];
    const enum stage_role role = i < STAGE_3        ? bottleneck_role(&b->board, b->stages, i)
                                 : stage3_limits(b) ? STAGE_LIMITS
                                                    : STAGE_RESERVE;
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "stage", s->name, "period",
                     i == STAGE_3 ? "run" : "stream", "role", roles[role], "active_fraction",
                     json_number(s->active), "stalled_fraction", json_number(s->stalled), "starved_fraction",
                     json_number(stage_starved(s)), "queue_mean",
                     s->has_queue ? json_number(s->queue_mean) : json_null(), "queue_places",
                     s->queue_places ? json_integer((json_int_t)s->queue_places) : json_null());
}

json_t *run_bottleneck_json(const struct run_bottleneck *b)
{
    static const char *const names[RUN_PHASES] = {"build", "load", "stream", "drain", "network", "others"};
    const struct run_limits *l = b->limits;
    json_t *stages = json_array(), *phases = json_object(),
           *limit = l ? json_string(run_limits_are_shared(l) ? "shared" : machine_parts[l->first].name)
                      : json_null();
    for (unsigned i = 0; i < (b->hosts > 1 ? RUN_PHASES : PHASE_NETWORK); i++) {
        char name[16];
        snprintf(name, sizeof name, "%s_s", names[i]);
        json_object_set_new(phases, name, json_number(b->phase_s[i]));
        if (i == PHASE_DRAIN)
            json_object_set_new(phases, "longest", json_string(names[b->longest]));
    }
    for (size_t i = 0; stages && i < RUN_STAGES; i++)
        json_array_append_new(stages, stage_object(b, i));
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "phases", phases,
        "host_queue_full_fraction", json_number(b->host_full), "host_queue_ahead_fraction",
        json_number(b->host_ahead), "inbox_empty_fraction", json_number(b->inbox_empty), "longest_cluster_s",
        json_number(b->longest_cluster_s), "limit", b->stages[b->board.limit].name, "confirmed",
        b->board.confirmed, "growth_to_limit", json_number(b->board.growth_to_limit), "next",
        b->board.has_next ? json_string(b->stages[b->board.next].name) : json_null(), "growth_to_next",
        json_number(b->board.growth_to_next), "balance_hsps_per_wmer", json_number(b->balance.balance),
        "hsps_per_wmer", json_number(b->balance.hsps), "boards_that_fill_bus", json_number(b->balance.boards),
        "stages", stages, "limit_of_run", limit, "run", l ? run_limits_json(l) : json_null());
}
