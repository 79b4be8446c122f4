#include "validate/run_bounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/command.h"
#include "base/memory.h"
#include "model/predict/prediction.h"
#include "sim/board/record_bursts.h"
#include "sim/board/steady_bus.h"
#include "sim/measure/machine_quantities.h"
#include "validate/run_inputs.h"

_Static_assert((int)FLOW_QUEUES == (int)BOARD_FIFOS, "the queues of the bounds are the board's FIFOs");

/* --- bus and host, at least and at most ------------------------------------------------------------------ */

/* Times are rounded to ticks, and found from SimGrid's seconds. */
static const double SLACK_CLOCKS = 1e-3, TICK_CLOCKS = 1.0 / (double)BOARD_TICKS_PER_CLOCK;

struct bus_bounds {
    const struct hardware *hardware;
    double bytes_per_clock, supply_clocks;
    double words_least, busy_least; /* clocks of the words so far; of the bus so far */
    double supplied_least, supplied_most;
    double moved_most, *moved; /* clock in which the bus has moved a block; of the last host.queue blocks */
    double records, loose_records; /* clocks that records still need; that more bursts could cost */
    uint64_t block;
};

static double clocks_of(const struct bus_bounds *b, uint64_t bytes, uint64_t bursts)
{
    return (double)hardware_link_bytes(b->hardware, bytes, bursts) / b->bytes_per_clock;
}

/* A number of clocks that is written in ticks. */
static double in_ticks(double clocks)
{
    return round(clocks / TICK_CLOCKS) * TICK_CLOCKS;
}

/* The share of the next block. */
static struct flow_share begin_block(struct bus_bounds *b, uint64_t words)
{
    const struct hardware *h = b->hardware;
    const uint64_t bytes = words * BYTES_PER_WORD, slot = b->block % h->host_queue_blocks;
    const double alone = clocks_of(b, bytes, hardware_bursts(h, bytes)), beside = fmin(b->records, alone);
    const double begin_least = fmax(fmax(b->words_least, b->supplied_least), b->busy_least);
    if (b->block >= h->host_queue_blocks)
        b->supplied_most = fmax(b->supplied_most, b->moved[slot]);
    const double begin_most = fmax(b->moved_most, b->supplied_most), word = in_ticks(alone / (double)words);
    const struct flow_share share = {
        .begin_least = begin_least - SLACK_CLOCKS,
        .begin_most = begin_most + SLACK_CLOCKS,
        .word_least = fmax(TICK_CLOCKS, word - TICK_CLOCKS),
        .word_most = word + TICK_CLOCKS,
        .record = in_ticks(record_bus_share(h, words) * alone) + TICK_CLOCKS,
        .beside_most = beside + SLACK_CLOCKS,
        .supply_least = b->supplied_least + b->supply_clocks - SLACK_CLOCKS,
        .supply_most = b->supplied_most + b->supply_clocks + SLACK_CLOCKS,
        .supply_step = in_ticks(b->supply_clocks),
    };
    b->words_least = fmax(b->words_least, b->supplied_least) + alone;
    b->busy_least += alone + beside;
    b->supplied_least += (double)words * b->supply_clocks;
    b->supplied_most += (double)words * b->supply_clocks;
    b->moved_most = begin_most + alone + beside;
    b->records -= beside;
    return share;
}

/* @param free_most  when the bus is free of the block's words */
static void end_block(struct bus_bounds *b, double free_most, uint64_t records)
{
    const struct hardware *h = b->hardware;
    const uint64_t full = record_burst_records(h), bursts = (records + full - 1) / full;
    b->moved_most = fmax(b->moved_most, free_most) + SLACK_CLOCKS;
    b->moved[b->block % h->host_queue_blocks] = b->moved_most;
    b->block++;
    b->records += clocks_of(b, records * h->hsp_bytes, bursts);
    b->loose_records +=
        (double)((records - bursts) * h->pcix_burst_clocks * BYTES_PER_WORD) / b->bytes_per_clock;
}

/* Clocks by which bursts that time closes lengthen a pass of so many clocks. */
static double loose_bursts(const struct bus_bounds *b, double clocks)
{
    const struct hardware *h = b->hardware;
    const double burst = (double)h->pcix_burst_clocks * BYTES_PER_WORD / b->bytes_per_clock;
    const double share = h->hsp_flush_clocks > 0 ? burst / h->hsp_flush_clocks : 0;
    return share < 1 ? fmin(b->loose_records, (clocks + burst) * share / (1 - share)) : b->loose_records;
}

/* --- a pass ---------------------------------------------------------------------------------------------- */

struct bounded_pass {
    struct flow_bound flow;
    struct bus_bounds bus;
    struct board *board;
    struct steady_bus steady;
    struct tokens tokens;
    struct overdrive overdrive;
    struct board_times times;
    struct flow_lookup *lookups;
    uint8_t *groups;
    size_t lookup_room, group_room;
    double wait[FLOW_QUEUES];
};

static struct flow_machine machine_of(const struct hardware *h)
{
    const struct board_rules *r = &h->board;
    const struct sram_geometry *t = &h->pass.sram;
    struct flow_machine m = {
        .lookup_limit = r->sram_lookups - r->sram_margin,
        .read_clocks = (uint32_t)board_latency(r->sram_read_cycles),
        .fetch_clocks = (uint32_t)board_latency(r->stage2_fetch_cycles),
        .trip_clocks = board_trip_cycles(r),
        .trips_in_flight = r->trips_in_flight,
        .largest_group = t->inline_positions > t->trip_positions ? t->inline_positions : t->trip_positions,
    };
    for (unsigned i = 0; i < FLOW_QUEUES; i++)
        m.places[i] = board_fifo_places(i, r);
    return m;
}

static void bound_part(struct bounded_pass *p, const struct flow_share *share)
{
    const struct tokens *t = &p->tokens;
    array_reserve(&p->lookups, &p->lookup_room, 0, t->seed_count, sizeof *p->lookups);
    array_reserve(&p->groups, &p->group_room, 0, t->group_count, sizeof *p->groups);
    for (size_t i = 0; i < t->seed_count; i++)
        p->lookups[i] = (struct flow_lookup){t->seeds[i].groups, t->seeds[i].outcome == LOOKUP_DUPLICATE};
    for (size_t i = 0; i < t->group_count; i++)
        p->groups[i] = t->groups[i].matches;
    flow_bound_block(&p->flow, share,
                     &(struct flow_tokens){t->word_count, t->words, p->lookups, p->groups, t->matches});
}

static void see(struct bounded_pass *p, enum flow_queue queue, double clocks)
{
    p->wait[queue] = fmax(p->wait[queue], clocks);
}

/* How long elements of a part waited. */
static void see_waits(struct bounded_pass *p)
{
    const struct tokens *t = &p->tokens;
    const struct board_times *at = &p->times;
    const int64_t read = p->flow.machine.read_clocks;
    size_t seed = 0, group = 0, match = 0, record = 0;
    for (size_t word = 0; word < t->word_count; word++) {
        see(p, FLOW_INGRESS, (double)(at->word_taken[word] - at->word_delivered[word]));
        for (const size_t end = seed + t->words[word]; seed < end; seed++) {
            see(p, FLOW_WMER, (double)(at->seed_issued[seed] - at->word_taken[word]));
            see(p, FLOW_SRAM, (double)(at->seed_taken[seed] - at->seed_issued[seed] - read));
        }
    }
    for (; group < t->group_count; group++)
        for (const size_t end = match + t->groups[group].matches; match < end; match++) {
            see(p, FLOW_STAGE2, (double)(at->match_taken[match] - at->group_entered[group]));
            if (t->matches[match])
                see(p, FLOW_EGRESS,
                    (double)at->record_left[record++] * TICK_CLOCKS - (double)at->match_taken[match]);
        }
}

/* A block of very many matches comes in parts. */
static int bound_block(struct bounded_pass *p, const struct stage_source *source, uint64_t words,
                       struct pass_counts *counts)
{
    uint64_t records = 0;
    struct flow_share share = begin_block(&p->bus, words);
    struct bus_share steady =
        steady_bus_block(&p->steady, words, p->bus.block > 0 ? board_bus_free(p->board) : 0);
    for (uint64_t done = 0, part; done < words; done += part) {
        part = source->scan(source->data, 0, words - done, &p->tokens, counts);
        if (part == 0)
            return COMMAND_REFUSED;
        overdrive_add(&p->overdrive, &p->tokens, counts);
        bound_part(p, &share);
        board_advance(p->board, &p->tokens, &steady, &p->times);
        see_waits(p);
        steady_bus_records(&p->steady, p->times.record_left, p->tokens.hsp_count);
        records += p->tokens.hsp_count;
        share.beside_most = 0;
        steady.beside_ticks = 0;
        share.supply_least += (double)part * share.supply_step;
        share.supply_most += (double)part * share.supply_step;
        steady.supply_first += (int64_t)part * steady.supply_ticks;
    }
    end_block(&p->bus, p->flow.free_most, records);
    return 0;
}

static int bound_pass(struct bounded_pass *p, const struct token_record *record, size_t pass,
                      struct pass_counts *counts)
{
    const struct hardware *h = p->bus.hardware;
    const uint64_t block = h->pcix_block_bytes / BYTES_PER_WORD;
    auto_by(token_reader_destroy) struct token_reader reader;
    struct stage_source source = token_reader_begin(&reader, record, pass);
    flow_bound_restart(&p->flow);
    tokens_destroy(&p->overdrive.out);
    p->overdrive = hardware_overdrive(h);
    p->bus = (struct bus_bounds){.hardware = h,
                                 .bytes_per_clock = hardware_link_bytes_per_s(h) / h->fpga_clock_hz,
                                 .supply_clocks = BYTES_PER_WORD / h->host_supply * h->fpga_clock_hz,
                                 .moved = p->bus.moved};
    p->steady = steady_bus_begin(h);
    board_destroy(p->board);
    p->board = board_new(&h->board);
    int status = 0;
    while (status == 0 && reader.words_left > 0)
        status = bound_block(p, &source, reader.words_left < block ? reader.words_left : block, counts);
    return status;
}

/* --- a run ----------------------------------------------------------------------------------------------- */

static void take_pass(struct run_bounds *r, const struct bounded_pass *p)
{
    const struct flow_limits l = flow_bound_limits(&p->flow);
    const struct board_rules *rules = &p->bus.hardware->board;
    const double clock_hz = p->bus.hardware->fpga_clock_hz;
    r->least_s += l.least_clocks / clock_hz;
    r->most_s += (l.most_clocks + loose_bursts(&p->bus, l.most_clocks)) / clock_hz;
    r->flows = r->flows && l.flows;
    for (unsigned i = 0; i < FLOW_QUEUES; i++) {
        struct queue_bounds *q = &r->queue[i];
        const double signal = q->places - (double)board_fifo_back_pressure_at(i, rules);
        q->enough = fmax(q->enough, l.unblocked[i] + signal + 1);
        q->elements = fmax(q->elements, l.elements[i]);
        q->wait = fmax(q->wait, l.wait[i]);
        q->seen_wait = fmax(q->seen_wait, p->wait[i]);
    }
}

int run_bounds_check(const struct hardware *h, struct why *why)
{
    if (h->boards > 1 || h->hosts > 1)
        return why_refuse(
            why, "bounds hold for one board that has its bus alone: expected boards = 1 and hosts = 1");
    if (h->pcix_priority != BUS_FAIR)
        return why_refuse(
            why, "bounds hold for a bus that blocks and records share: expected pcix.priority = fair");
    if (h->overlap == OVERLAP_TABLES)
        return why_refuse(
            why, "bounds do not cover tables that load while a pass streams: expected schedule.overlap = "
                 "drain or serial");
    return 0;
}

/* When the stage that saturates first, or the host that supplies them, would have done its work: the throughput of
 * M/M/1, and of all theory in which stages are independent. Stage 1b has the mean of its lookups' clocks, not what was
 * measured of it under back-pressure. NaN without a number. */
static double theory_s(const struct run *run, const struct hardware *hardware)
{
    const double *in = run->whole.counters, bytes = in[PCIX_DATABASE_BYTES];
    const double clocks =
        in[S1B_SEEDS] - in[S1B_LOOKUPS_DUPLICATE] + in[S1B_TRIPS] * run->whole.gauges[GAUGE_TRIP_CYCLES];
    struct predict_case base = predict_case_default("run");
    base.value[PREDICT_M_2] = fmin(1, in[S1B_SRAM_READS] / clocks);
    base.given[PREDICT_M_2] = clocks > 0;
    auto_by(predict_cases_free) struct predict_cases cases = {0};
    struct prediction p;
    struct why ignored;
    double rate = NAN;
    if (run_inputs_take(run, &base, false, &cases, &ignored) == 0 &&
        prediction_make_chains(&cases.cases[0], &p) == 0 &&
        p.parts[PREDICTION_FOUR].whole.bottleneck.stage >= 0)
        rate = fmin(p.parts[PREDICTION_FOUR].whole.bottleneck.input_per_s, hardware->host_supply);
    return bytes / rate;
}

static int check_run(const struct run *run, const struct pass_counts *counts, const char *name,
                     struct why *why)
{
    const double *in = run->whole.counters;
    if (json_object_get(run->summary, "measuring"))
        return why_refuse(
            why,
            "%.200s: bounds do not cover a machine that is charged for being measured; expected a run "
            "without --charge-measurement",
            run->name);
    if (json_object_get(run->summary, "sample"))
        return why_refuse(why, "%.200s is of a sample of passes: expected a whole run", run->name);
    if (in[S1B_SEEDS] == (double)counts->seeds && in[S1B_MATCHES_OUT] == (double)counts->matches &&
        in[S2_HSPS_OUT] == (double)counts->hsps)
        return 0;
    return why_refuse(why, "%.200s is not the run that %.200s was recorded of: seeds, matches or HSPs differ",
                      run->name, name);
}

struct run_bounds run_bounds_begin(const struct hardware *h)
{
    struct run_bounds r = {.flows = true, .seen_s = NAN, .theory_s = NAN};
    for (unsigned i = 0; i < FLOW_QUEUES; i++)
        r.queue[i] = (struct queue_bounds){.places = board_fifo_places(i, &h->board), .seen_elements = NAN};
    return r;
}

int run_bounds_add(const struct token_record *record, const char *name, const struct hardware *hardware,
                   struct run_bounds *r, struct why *why)
{
    struct bounded_pass p = {
        .flow.machine = machine_of(hardware),
        .bus = {.hardware = hardware, .moved = memory_new(hardware->host_queue_blocks, sizeof(double))},
    };
    int status = 0;
    for (size_t pass = 0; status == 0 && pass < token_record_run(record)->facts.pass_count; pass++) {
        status = bound_pass(&p, record, pass, &r->counts);
        if (status == COMMAND_REFUSED)
            why_say(why, status, "%.300s: its tokens contradict its counts; record the run again", name);
        if (status == 0)
            take_pass(r, &p);
    }
    flow_bound_destroy(&p.flow);
    free(p.bus.moved);
    board_destroy(p.board);
    tokens_destroy(&p.tokens);
    tokens_destroy(&p.overdrive.out);
    board_times_destroy(&p.times);
    free(p.lookups);
    free(p.groups);
    return status;
}

int run_bounds_find(const struct token_record *record, const char *name, const struct hardware *hardware,
                    const struct run *run, struct run_bounds *r, struct why *why)
{
    *r = run_bounds_begin(hardware);
    r->seen_s = run->whole.clocks / run->whole.clock_hz;
    r->theory_s = theory_s(run, hardware);
    for (unsigned i = 0; i < FLOW_QUEUES; i++)
        r->queue[i].seen_elements = run->whole.queues[i].most;
    const int status = run_bounds_add(record, name, hardware, r, why);
    return status ? status : check_run(run, &r->counts, name, why);
}

const char *run_bounds_outside(const struct run_bounds *r)
{
    const double rounding = 1e-9; /* of the times in a summary */
    if (r->seen_s < r->least_s * (1 - rounding) || r->seen_s > r->most_s * (1 + rounding))
        return "the time of the stream";
    for (unsigned i = 0; i < FLOW_QUEUES; i++)
        if (r->queue[i].seen_elements > r->queue[i].elements ||
            r->queue[i].seen_wait > r->queue[i].wait + 1e-3)
            return board_fifos[i].title;
    return NULL;
}

/* --- what is asked of it --------------------------------------------------------------------------------- */

struct run_bound run_bounds_of(const struct run_bounds *r, unsigned row, double simulated)
{
    static const enum flow_queue queue_of[QUANTITY_STAGES] = {
        [QUANTITY_1A] = FLOW_INGRESS, [QUANTITY_1B] = FLOW_WMER,  [QUANTITY_1BP] = FLOW_WMER,
        [QUANTITY_1BD] = FLOW_SRAM,   [QUANTITY_2] = FLOW_STAGE2,
    };
    const struct machine_quantity_spec *spec = &machine_quantities[row];
    const struct queue_bounds *queue = &r->queue[queue_of[spec->stage]];
    const double elements = queue->elements;
    switch (spec->kind) {
    case QUANTITY_LAMBDA: /* the data say how many there are */
        return (struct run_bound){simulated * r->seen_s / r->most_s, simulated * r->seen_s / r->least_s};
    case QUANTITY_N_Q:
        return (struct run_bound){NAN, spec->stage == QUANTITY_1A   ? elements * BASES_PER_WORD
                                       : spec->stage == QUANTITY_1B ? elements + r->queue[FLOW_SRAM].elements
                                                                    : elements};
    default:
        return (struct run_bound){
            NAN, spec->kind == QUANTITY_P_BP && r->flows && queue->enough <= queue->places ? 0 : NAN};
    }
}

struct result_table *run_bounds_table(const struct run_bounds *r, enum result_format format)
{
    static const char *const columns[] = {"queue",   "places", "enough", "N_seen", "N_most",
                                          "N_loose", "W_seen", "W_most", "W_loose"};
    static const struct result_style style = {.schema = "mercury-bounds-1"};
    struct result_table *table = result_table_new_styled(columns, sizeof columns / sizeof columns[0], &style);
    char text[160];
    snprintf(text, sizeof text, "at least %.4g ms, at most %.4g ms; simulated %.4g ms, M/M/1 %.4g ms",
             1e3 * r->least_s, 1e3 * r->most_s, 1e3 * r->seen_s, 1e3 * r->theory_s);
    const struct result_member members[] = {{"least_s", NUMBER(r->least_s)},
                                            {"most_s", NUMBER(r->most_s)},
                                            {"simulated_s", NUMBER(r->seen_s)},
                                            {"theory_s", NUMBER(r->theory_s)}};
    result_table_add_object(table, "stream", text, members, sizeof members / sizeof members[0]);
    result_table_add_fact(table, "fifos", TEXT(r->flows ? "never full with these data" : "can be full"));
    for (unsigned i = 0; i < FLOW_QUEUES; i++) {
        const struct queue_bounds *q = &r->queue[i];
        char enough[32]; /* more digits than other numbers of a text have */
        snprintf(enough, sizeof enough, "%6.0f", q->enough);
        const struct result_cell whole =
            format == RESULT_TEXT && isfinite(q->enough) ? TEXT(enough) : NUMBER(q->enough);
        result_table_add(
            table, TEXT(board_fifos[i].name), NUMBER(q->places), whole, NUMBER(q->seen_elements),
            NUMBER(q->elements), NUMBER(q->seen_elements > 0 ? q->elements / q->seen_elements : NAN),
            NUMBER(q->seen_wait), NUMBER(q->wait), NUMBER(q->seen_wait > 0 ? q->wait / q->seen_wait : NAN));
    }
    result_table_note(table,
                      "N: elements in a queue, W: clocks that one waits; seen: in the simulation, most: "
                      "bound, loose: bound / seen; enough: places with which no queue signals "
                      "back-pressure, if all queues have them");
    result_table_note(table,
                      "With these data on this machine the stream and these queues never leave their bounds, "
                      "whatever bus and host do meanwhile; tables, host queue and stage 3 have none.");
    return table;
}
