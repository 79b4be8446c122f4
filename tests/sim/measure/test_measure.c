/* test_measure.c - directives on the running board and on the host's queue, against what follows from a list of every
 * event: random streams by random directives, every number of every frame. */
#include "sim/measure/measure.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "sim/measure/frame_record.h"
#include "sim/measure/machine_taps.h"
#include "tests/run_suite.h"
#include "tests/sim/board/judge.h"
#include "tests/sim/board/random_tokens.h"

enum { DIRECTIVES = 12, CASES_A_TEST = 25, SPAN_CASES_A_TEST = 6, HOST_CASES = 60 };

/* ---- what happened: the judge's clocks, and every element with what it came from ---- */

enum level { WORD, SEED, GROUP, MATCH, RECORD, LEVELS };

struct story {
    size_t clocks, room;
    size_t (*occupancy)[JUDGE_FIFOS];
    bool (*signal)[JUDGE_FIFOS];
    struct judge_verdict *verdict;
    const struct random_case *made;
    size_t count[LEVELS];
    size_t *parent[LEVELS]; /* of an element, on the level above */
    struct seed_token *seeds;
    struct group_token *groups;
    const struct hardware *hardware;
    uint64_t *arrived[MACHINE_TAPS]; /* before each clock */
    uint64_t *served;                /* clocks before each in which 1bd held a lookup */
    uint64_t *matches, *reads;       /* of each seed */
};

static void watch_clock(void *data, const size_t occupancy[JUDGE_FIFOS], const bool signal[JUDGE_FIFOS])
{
    struct story *s = data;
    if (s->clocks == s->room) {
        s->room = 2 * s->room + 1024;
        s->occupancy = realloc(s->occupancy, s->room * sizeof *s->occupancy);
        s->signal = realloc(s->signal, s->room * sizeof *s->signal);
    }
    memcpy(s->occupancy[s->clocks], occupancy, sizeof *s->occupancy);
    memcpy(s->signal[s->clocks++], signal, sizeof *s->signal);
}

static void *room_for(size_t count, size_t bytes)
{
    void *room = calloc(count + 1, bytes);
    ck_assert_ptr_nonnull(room);
    return room;
}

static void tell_block(struct story *s, const struct tokens *t)
{
    size_t seed = 0, group = 0, match = 0;
    for (size_t w = 0; w < t->word_count; w++, s->count[WORD]++)
        for (unsigned n = 0; n < t->words[w]; n++, seed++) {
            s->parent[SEED][s->count[SEED]] = s->count[WORD];
            s->seeds[s->count[SEED]] = t->seeds[seed];
            for (unsigned g = 0; g < t->seeds[seed].groups; g++, group++) {
                s->parent[GROUP][s->count[GROUP]] = s->count[SEED];
                s->groups[s->count[GROUP]] = t->groups[group];
                for (unsigned m = 0; m < t->groups[group].matches; m++, match++) {
                    s->parent[MATCH][s->count[MATCH]] = s->count[GROUP];
                    if (t->matches[match])
                        s->parent[RECORD][s->count[RECORD]++] = s->count[MATCH];
                    s->count[MATCH]++;
                }
                s->count[GROUP]++;
            }
            s->count[SEED]++;
        }
}

static struct story tell(const struct random_case *made, const struct hardware *hardware)
{
    struct story s = {.made = made, .hardware = hardware};
    struct judge_block blocks[CASE_BLOCKS];
    for (size_t b = 0; b < made->block_count; b++)
        blocks[b] = (struct judge_block){&made->tokens[b], made->shares[b]};
    struct judge_watch watch = {.clock = watch_clock, .data = &s};
    s.verdict = judge_run_watched(&made->rules, blocks, made->block_count, &watch);
    s.parent[SEED] = room_for(s.verdict->seed_count, sizeof(size_t));
    s.parent[GROUP] = room_for(s.verdict->group_count, sizeof(size_t));
    s.parent[MATCH] = room_for(s.verdict->match_count, sizeof(size_t));
    s.parent[RECORD] = room_for(s.verdict->record_count, sizeof(size_t));
    s.seeds = room_for(s.verdict->seed_count, sizeof *s.seeds);
    s.groups = room_for(s.verdict->group_count, sizeof *s.groups);
    for (size_t b = 0; b < made->block_count; b++)
        tell_block(&s, &made->tokens[b]);
    return s;
}

static void forget(struct story *s)
{
    for (int level = SEED; level < LEVELS; level++)
        free(s->parent[level]);
    for (unsigned tap = 0; tap < TAP_INBOX; tap++)
        free(s->arrived[tap]);
    free(s->served);
    free(s->matches);
    free(s->reads);
    free(s->seeds);
    free(s->groups);
    free(s->occupancy);
    free(s->signal);
    judge_verdict_destroy(s->verdict);
}

/* What comes to a tap, the level whose clock tells when, and how it leaves. */
static enum level level_at(unsigned tap)
{
    switch (tap) {
    case TAP_BUS_IN:
    case TAP_INGRESS_FIFO:
    case TAP_STAGE_1A:
        return WORD;
    case TAP_STAGE2_FIFO:
    case TAP_STAGE_2:
        return MATCH;
    case TAP_EGRESS_FIFO:
    case TAP_BUS_OUT:
        return RECORD;
    default:
        return SEED;
    }
}

static int64_t arrival(const struct story *s, unsigned tap, size_t i)
{
    const struct board_times *t = &s->verdict->times;
    const int64_t read = s->made->rules.sram_read_cycles > 0 ? s->made->rules.sram_read_cycles : 1;
    switch (tap) {
    case TAP_BUS_IN:
    case TAP_INGRESS_FIFO:
        return t->word_delivered[i];
    case TAP_STAGE_1A:
        return t->word_taken[i];
    case TAP_WMER_FIFO:
        return t->word_taken[s->parent[SEED][i]];
    case TAP_STAGE_1BP:
        return t->seed_issued[i];
    case TAP_SRAM_FIFO:
        return t->seed_issued[i] + read;
    case TAP_STAGE_1BD:
        return t->seed_taken[i];
    case TAP_STAGE2_FIFO:
        return t->group_entered[s->parent[MATCH][i]];
    case TAP_STAGE_2:
        return t->match_taken[i];
    case TAP_EGRESS_FIFO:
        return t->match_taken[s->parent[RECORD][i]];
    default:
        return (t->record_left[i] + BOARD_TICKS_PER_CLOCK - 1) / BOARD_TICKS_PER_CLOCK;
    }
}

/* The tap behind a FIFO's. */
static unsigned behind(unsigned tap)
{
    return tap == TAP_WMER_FIFO ? TAP_STAGE_1BP : tap + 1;
}

static size_t ancestor(const struct story *s, enum level from, enum level to, size_t i)
{
    for (; from > to; from--)
        i = s->parent[from][i];
    return i;
}

/* ---- a frame, worked out from the story ---- */

static const enum judge_fifo fifo_of[MACHINE_TAPS] = {[TAP_INGRESS_FIFO] = JUDGE_INGRESS,
                                                      [TAP_WMER_FIFO] = JUDGE_WMER,
                                                      [TAP_SRAM_FIFO] = JUDGE_SRAM,
                                                      [TAP_STAGE2_FIFO] = JUDGE_STAGE2,
                                                      [TAP_EGRESS_FIFO] = JUDGE_EGRESS};

/* Values with weights, in no order, or a fraction. */
struct expected {
    uint64_t *values, *weights;
    size_t count;
    struct fraction fraction;
    uint64_t elements; /* that came to the tap */
};

static bool within(int64_t clock, int64_t begin, int64_t end)
{
    return clock >= begin && clock < end;
}

static uint64_t count_arrivals(const struct story *s, unsigned tap, int64_t begin, int64_t end)
{
    return s->arrived[tap][end] - s->arrived[tap][begin];
}

/* Sums over all clocks before each. */
static void add_up(uint64_t *counts, size_t clocks)
{
    uint64_t sum = 0;
    for (size_t t = 0; t <= clocks; t++) {
        uint64_t here = counts[t];
        counts[t] = sum;
        sum += here;
    }
}

static void count_story(struct story *s)
{
    for (unsigned tap = 0; tap < TAP_INBOX; tap++) {
        s->arrived[tap] = room_for(s->clocks, sizeof(uint64_t));
        for (size_t i = 0; tap != TAP_SRAM && i < s->count[level_at(tap)]; i++)
            s->arrived[tap][arrival(s, tap, i)]++;
        add_up(s->arrived[tap], s->clocks);
    }
    s->served = room_for(s->clocks, sizeof(uint64_t));
    for (size_t i = 0; i < s->count[SEED]; i++)
        for (int64_t t = s->verdict->times.seed_taken[i]; t < s->verdict->times.seed_done[i]; t++)
            s->served[t]++;
    add_up(s->served, s->clocks);
    s->matches = room_for(s->count[SEED], sizeof(uint64_t));
    s->reads = room_for(s->count[SEED], sizeof(uint64_t));
    for (size_t i = 0; i < s->count[SEED]; i++)
        s->reads[i] = 1;
    for (size_t g = 0; g < s->count[GROUP]; g++) {
        s->matches[s->parent[GROUP][g]] += s->groups[g].matches;
        s->reads[s->parent[GROUP][g]] += (s->groups[g].entries + 1u) / 2;
    }
}

static void add_value(struct expected *e, uint64_t value)
{
    e->values[e->count] = value;
    e->weights[e->count++] = 1;
}

static void expect_seeds(const struct story *s, unsigned metric, int64_t begin, int64_t end,
                         struct expected *e)
{
    for (size_t i = 0; i < s->count[SEED]; i++) {
        if (!within(s->verdict->times.seed_taken[i], begin, end))
            continue;
        bool duplicate = s->seeds[i].outcome == LOOKUP_DUPLICATE;
        add_value(e, metric == METRIC_COLLISIONS       ? duplicate
                     : metric == METRIC_READS_PER_SEED ? s->reads[i]
                     : metric == METRIC_TRIPS_PER_SEED ? (duplicate ? s->seeds[i].groups : 0)
                                                       : s->matches[i]);
    }
    e->fraction.whole = e->count;
    for (size_t i = 0; i < e->count; i++)
        e->fraction.part += e->values[i];
}

static void expect_latencies(const struct story *s, const struct directive *d, int64_t begin, int64_t end,
                             struct expected *e)
{
    unsigned to = d->to == d->tap ? behind(d->tap) : d->to;
    enum level level = level_at(to);
    for (size_t i = 0; i < s->count[level]; i++)
        if (within(arrival(s, to, i), begin, end))
            add_value(e, (uint64_t)(arrival(s, to, i) -
                                    arrival(s, d->tap, ancestor(s, level, level_at(d->tap), i))));
}

static void expect_utilisation(const struct story *s, unsigned tap, int64_t begin, int64_t end,
                               struct expected *e)
{
    e->fraction.whole = (uint64_t)(end - begin);
    e->fraction.part = tap == TAP_SRAM ? count_arrivals(s, TAP_STAGE_1BP, begin, end) : 0;
    if (tap == TAP_BUS_IN)
        e->fraction.part = 8 * count_arrivals(s, TAP_BUS_IN, begin, end) +
                           s->hardware->hsp_bytes * count_arrivals(s, TAP_BUS_OUT, begin, end);
    else if (tap == TAP_SRAM)
        for (size_t g = 0; g < s->count[GROUP]; g++)
            e->fraction.part +=
                within(s->verdict->times.group_entered[g], begin, end) ? (s->groups[g].entries + 1u) / 2 : 0;
    else if (tap == TAP_STAGE_1BD)
        e->fraction.part = s->served[end] - s->served[begin];
    else
        e->fraction.part = count_arrivals(s, tap, begin, end);
}

static void expect_false(const struct story *s, int64_t begin, int64_t end, struct expected *e)
{
    e->fraction.whole = 16 * count_arrivals(s, TAP_STAGE_1A, begin, end);
    for (size_t i = 0; i < s->count[SEED]; i++)
        e->fraction.part +=
            within(s->verdict->times.word_taken[s->parent[SEED][i]], begin, end) && s->matches[i] == 0;
}

static void expect_clocks(const struct story *s, const struct directive *d, int64_t begin, int64_t end,
                          struct expected *e)
{
    for (int64_t t = begin; t < end; t++) {
        add_value(e, s->occupancy[t][fifo_of[d->tap]]);
        e->fraction.part += d->tap == TAP_EGRESS_FIFO ? 0 /* for which the judge knows no signal */
                                                      : s->signal[t][fifo_of[d->tap]];
    }
    e->fraction.whole = (uint64_t)(end - begin);
}

static void expect(const struct story *s, const struct directive *d, int64_t begin, int64_t end,
                   struct expected *e)
{
    e->count = 0;
    e->fraction = (struct fraction){0};
    switch (d->metric) {
    case METRIC_RATE:
    case METRIC_BYTE_RATE:
        e->fraction = (struct fraction){count_arrivals(s, d->tap, begin, end), (uint64_t)(end - begin)};
        break;
    case METRIC_UTILISATION:
        expect_utilisation(s, d->tap, begin, end, e);
        break;
    case METRIC_OCCUPANCY:
    case METRIC_BACK_PRESSURE:
        expect_clocks(s, d, begin, end, e);
        break;
    case METRIC_LATENCY:
        expect_latencies(s, d, begin, end, e);
        break;
    case METRIC_FALSE_POSITIVES:
        expect_false(s, begin, end, e);
        break;
    default:
        expect_seeds(s, d->metric, begin, end, e);
    }
}

/* End of the frame that begins at `begin`, the n-th of its pass. */
static int64_t frame_end(const struct story *s, const struct frame_spec *spec, int64_t begin, uint64_t n,
                         bool *partial)
{
    int64_t end = (int64_t)s->clocks, at = end;
    if (spec->kind == FRAME_SECONDS)
        at = llround((double)n * spec->seconds * s->hardware->fpga_clock_hz);
    else if (spec->kind == FRAME_CLOCKS)
        at = (int64_t)(n * spec->amount);
    else if (spec->kind != FRAME_PASS) {
        uint64_t unit = 1;
        if (spec->kind == FRAME_BYTES)
            unit = spec->tap == TAP_EGRESS_FIFO || spec->tap == TAP_BUS_OUT ? s->hardware->hsp_bytes : 8;
        uint64_t frames = count_arrivals(s, spec->tap, 0, begin) * unit / spec->amount;
        for (at = begin + 1; at < end && count_arrivals(s, spec->tap, 0, at) * unit / spec->amount == frames;)
            at++;
        *partial = count_arrivals(s, spec->tap, 0, at) * unit / spec->amount == frames;
        return at;
    }
    *partial = spec->kind != FRAME_PASS && at > end;
    return at < end ? at : end;
}

/* ---- comparing ---- */

static void check_moments(const struct moments *m, const struct expected *e, const char *where)
{
    struct moments sum = {0};
    for (size_t i = 0; i < e->count; i++)
        moments_add(&sum, e->values[i], e->weights[i]);
    ck_assert_msg(m->weight == sum.weight, "%s: weight %" PRIu64 ", not %" PRIu64, where, m->weight,
                  sum.weight);
    ck_assert_msg(m->sum == sum.sum && m->squares == sum.squares, "%s: moments", where);
    ck_assert_msg(m->weight == 0 || (m->least == sum.least && m->most == sum.most), "%s: least, most", where);
}

static void check_histogram(const struct histogram *h, const struct expected *e, const char *where)
{
    uint64_t under = 0, over = 0, *bins = room_for(h->bins, sizeof *bins);
    for (size_t i = 0; i < e->count; i++)
        if (e->values[i] < h->low)
            under += e->weights[i];
        else if (e->values[i] >= h->low + h->bins * h->width)
            over += e->weights[i];
        else
            bins[(e->values[i] - h->low) / h->width] += e->weights[i];
    ck_assert_msg(under == h->under && over == h->over, "%s: under or over", where);
    ck_assert_msg(memcmp(bins, h->weights, h->bins * sizeof *bins) == 0, "%s: bins", where);
    free(bins);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check_quantiles(const struct measured *m, const struct directive *d, struct expected *e,
                            const char *where)
{
    if (e->count == 0)
        return;
    qsort(e->values, e->count, sizeof *e->values, ascending); /* all weights are 1 */
    for (unsigned i = 0; i < d->quantile_count; i++) {
        size_t rank = (size_t)ceil(d->quantiles[i] * (double)e->count);
        double truth = (double)e->values[rank ? rank - 1 : 0];
        double value = aggregate_quantile(&m->aggregate, d->quantiles[i]);
        ck_assert_msg(fabs(value - truth) <= quantile_bound(m->aggregate.quantile) * truth + 1e-9,
                      "%s: quantile %g is %g, not %g", where, d->quantiles[i], value, truth);
    }
}

static void check_measured(const struct story *s, const struct measurement *m, const struct frame_head *head,
                           const struct measured *measured, struct expected *e, const char *where)
{
    expect(s, m->directive, head->begin, head->begin + (int64_t)head->clocks, e);
    if (m->aggregated) {
        check_moments(&measured->aggregate.moments, e, where);
        if (measured->aggregate.histogram)
            check_histogram(measured->aggregate.histogram, e, where);
        if (measured->aggregate.quantile)
            check_quantiles(measured, m->directive, e, where);
        return;
    }
    if (m->directive->metric == METRIC_BACK_PRESSURE && m->directive->tap == TAP_EGRESS_FIFO)
        return;
    ck_assert_msg(measured->fraction.part == e->fraction.part &&
                      measured->fraction.whole == e->fraction.whole,
                  "%s: %" PRIu64 " of %" PRIu64 ", not %" PRIu64 " of %" PRIu64, where,
                  measured->fraction.part, measured->fraction.whole, e->fraction.part, e->fraction.whole);
}

/* Every record, in order of each measurement's frames. */
static void check_records(const struct story *s, const struct measure_plan *plan, FILE *records)
{
    struct {
        int64_t end;
        uint64_t frames;
    } *seen = room_for(plan->measurement_count, sizeof *seen);
    struct expected e = {.values = room_for(s->clocks + s->count[SEED] + s->count[MATCH] + s->count[WORD], 8),
                         .weights =
                             room_for(s->clocks + s->count[SEED] + s->count[MATCH] + s->count[WORD], 8)};
    struct frame_head head;
    rewind(records);
    while (frame_record_read_head(records, &head)) {
        const struct measurement *m = &plan->measurements[head.measurement];
        struct measured measured;
        char where[200];
        snprintf(where, sizeof where, "seed %" PRIu64 ", %s, frame %" PRIu64, s->made->seed,
                 m->directive->name, head.frame);
        measured_init(&measured, m);
        ck_assert(frame_record_read(records, &measured));
        if (head.is_pass) {
            head.begin = 0;
            head.clocks = (uint64_t)seen[head.measurement].end;
            ck_assert_msg(head.clocks == s->clocks, "%s: frames end too early", where);
        } else {
            bool partial = false;
            int64_t end = frame_end(s, &m->directive->frame, head.begin, head.frame, &partial);
            ck_assert_msg(head.begin == seen[head.measurement].end &&
                              head.frame == ++seen[head.measurement].frames,
                          "%s: a gap", where);
            seen[head.measurement].end = head.begin + (int64_t)head.clocks;
            ck_assert_msg(seen[head.measurement].end == end, "%s: ends at %" PRId64 ", not %" PRId64, where,
                          seen[head.measurement].end, end);
            ck_assert_msg(head.partial == partial, "%s: partial %d", where, head.partial);
        }
        check_measured(s, m, &head, &measured, &e, where);
        measured_destroy(&measured);
    }
    free(e.values);
    free(e.weights);
    free(seen);
}

/* ---- random directives ---- */

static const unsigned board_taps[] = {TAP_BUS_IN,    TAP_INGRESS_FIFO, TAP_STAGE_1A,  TAP_WMER_FIFO,
                                      TAP_STAGE_1BP, TAP_SRAM_FIFO,    TAP_STAGE_1BD, TAP_STAGE2_FIFO,
                                      TAP_STAGE_2,   TAP_EGRESS_FIFO,  TAP_BUS_OUT,   TAP_SRAM};

static const char *tap_text(unsigned tap)
{
    return machine_catalogue.taps[tap].name;
}

static int write_frame(char *text, size_t size, struct dice *dice)
{
    unsigned tap = board_taps[dice_below(dice, 11)];
    switch (dice_below(dice, 7)) {
    case 0:
        return snprintf(text, size, " every pass");
    case 1:
        return snprintf(text, size, " every %d clocks",
                        (int)dice_between(dice, 1, dice_chance(dice, 10) ? 2 : 3000));
    case 2:
        return snprintf(text, size, " every %d ns", (int)dice_between(dice, 8, 20000));
    case 3:
        return snprintf(text, size, " every %d bytes at %s", (int)dice_between(dice, 1, 4000),
                        dice_chance(dice, 50) ? "bus_in" : "bus_out");
    default:
        return snprintf(text, size, " every %d elements at %s",
                        (int)dice_between(dice, 1, dice_chance(dice, 10) ? 3 : 500), tap_text(tap));
    }
}

static int write_aggregates(char *text, size_t size, struct dice *dice)
{
    static const char *const all[] = {": min, max, deviation, histogram(8)",
                                      ": mean, histogram(3..94/7), quantile(0.5, 0.9, 1 within 5 %)",
                                      ": histogram(512)", ": max, quantile(0, 0.25, 0.99)", ""};
    return snprintf(text, size, "%s", all[dice_below(dice, 5)]);
}

static void write_directive(char *text, size_t size, unsigned number, struct dice *dice)
{
    unsigned tap, metric, to;
    do {
        tap = board_taps[dice_below(dice, 12)];
        metric = (unsigned)dice_below(dice, MACHINE_METRICS);
    } while (!catalogue_offers(&machine_catalogue, tap, metric) &&
             !(metric == METRIC_LATENCY && tap == TAP_BUS_IN));
    size_t length =
        (size_t)snprintf(text, size, "%s at %s", machine_catalogue.metrics[metric].name, tap_text(tap));
    if (metric == METRIC_LATENCY && (tap == TAP_BUS_IN || dice_chance(dice, 50)) && tap < TAP_BUS_OUT) {
        do
            to = board_taps[dice_below(dice, 11)];
        while (to <= tap);
        length += (size_t)snprintf(text + length, size - length, " to %s", tap_text(to));
    }
    if (machine_catalogue.metrics[metric].aggregates == AGGREGATE_ALL)
        length += (size_t)write_aggregates(text + length, size - length, dice);
    length += (size_t)write_frame(text + length, size - length, dice);
    snprintf(text + length, size - length, " as d%u\n", number);
}

/* From anywhere on the board into software. */
static void write_span(char *text, size_t size, unsigned number, struct dice *dice)
{
    static const char *const ends[] = {"inbox", "job", "stage_3"};
    size_t length = (size_t)snprintf(text, size, "latency at %s to %s",
                                     tap_text(board_taps[dice_below(dice, 11)]), ends[dice_below(dice, 3)]);
    length += (size_t)write_aggregates(text + length, size - length, dice);
    if (dice_chance(dice, 40))
        length += (size_t)snprintf(text + length, size - length, " every %d elements at %s",
                                   (int)dice_between(dice, 1, 40), ends[dice_below(dice, 3)]);
    else if (dice_chance(dice, 50))
        length += (size_t)snprintf(text + length, size - length, " every %d clocks",
                                   (int)dice_between(dice, 1, 2000));
    snprintf(text + length, size - length, " as d%u\n", number);
}

static void make_directives(struct directives *list, struct dice *dice, bool spans)
{
    char text[DIRECTIVES * 200] = "";
    struct why why = {""};
    for (unsigned i = 0; i < DIRECTIVES; i++)
        (spans ? write_span : write_directive)(text + strlen(text), 200, i, dice);
    ck_assert_msg(directives_parse(text, strlen(text), "random", &machine_catalogue, list, &why) == 0,
                  "%s in\n%s", why.line, text);
}

/* ---- the host ---- */

/* Work of a core on an HSP, or on a cluster. */
struct core_work {
    int64_t begin, end;
};

enum { HOST_BURSTS = 40, CORES = 3 };

/* What happened in software. */
struct hosted {
    struct hosted_hsp {
        int64_t clocks[HOST_EVENTS];
    } * hsps; /* in the order in which they came */
    size_t count, room;
    struct core_work *clusters; /* at most one per HSP */
    size_t cluster_count;
    int64_t *stamps; /* of the HSPs, as they left the board */
    unsigned stamp_count;
    int64_t end;                 /* of the host's time */
    uint64_t *came[HOST_EVENTS]; /* HSPs before each clock */
    uint64_t *inside, *busy;     /* HSPs in the inbox, and cores at work, in each clock */
    const struct story *story;   /* NULL: HSPs come from nowhere */
    struct dice *dice;
};

/* HSPs come together. */
static void add_hsps(struct hosted *h, struct measure *measure, uint64_t hsps)
{
    if (hsps == 0)
        return;
    if (h->count + hsps > h->room) {
        h->room = 2 * (h->count + hsps);
        h->hsps = realloc(h->hsps, h->room * sizeof *h->hsps);
    }
    memset(h->hsps + h->count, 0, hsps * sizeof *h->hsps);
    if (measure && (h->stamp_count = measure_stamp_count(measure)) > 0) {
        h->stamps = realloc(h->stamps, (h->count + hsps) * h->stamp_count * sizeof *h->stamps);
        memcpy(h->stamps + h->count * h->stamp_count, measure_stamps(measure),
               hsps * h->stamp_count * sizeof *h->stamps);
    }
    h->count += hsps;
}

/* When an HSP leaves the board. */
static int64_t left_board(const struct hosted *h, size_t hsp)
{
    return h->story ? arrival(h->story, TAP_BUS_OUT, hsp) : 0;
}

/* The core that is free first works on an HSP, and then sometimes on a cluster. */
static void work_on(struct hosted *h, struct hosted_hsp *hsp, int64_t free_at[CORES])
{
    int core = 0;
    for (int c = 1; c < CORES; c++)
        core = free_at[c] < free_at[core] ? c : core;
    hsp->clocks[HOST_TAKEN] = later(free_at[core], hsp->clocks[HOST_ARRIVED]);
    free_at[core] = hsp->clocks[HOST_DONE] = hsp->clocks[HOST_TAKEN] + (int64_t)dice_below(h->dice, 100);
    if (dice_chance(h->dice, 20)) {
        int64_t begin = free_at[core] + (int64_t)dice_below(h->dice, 2) * (int64_t)dice_below(h->dice, 50);
        free_at[core] = begin + (int64_t)dice_below(h->dice, 500);
        h->clusters[h->cluster_count++] = (struct core_work){begin, free_at[core]};
    }
    h->end = later(h->end, free_at[core] + 1);
}

/* First come, first served. Many HSPs come in one clock. */
static void time_hsps(struct hosted *h)
{
    int64_t clock = 0, free_at[CORES] = {0};
    h->clusters = room_for(h->count, sizeof *h->clusters);
    for (size_t i = 0; i < h->count; i++) {
        int64_t pause = dice_chance(h->dice, 70) ? 0 : (int64_t)dice_below(h->dice, 200);
        h->hsps[i].clocks[HOST_ARRIVED] = clock = later(clock, left_board(h, i)) + pause;
        work_on(h, &h->hsps[i], free_at);
    }
}

/* How much of something there is in each clock, from where it begins and ends. */
static void step(uint64_t *steps, int64_t begin, int64_t end)
{
    steps[begin]++;
    steps[end]--;
}

static void sum_steps(uint64_t *steps, int64_t clocks)
{
    for (int64_t t = 1; t < clocks; t++)
        steps[t] += steps[t - 1];
}

static void count_hosted(struct hosted *h)
{
    size_t clocks = (size_t)h->end;
    h->inside = room_for(clocks, sizeof *h->inside);
    h->busy = room_for(clocks, sizeof *h->busy);
    for (unsigned event = 0; event < HOST_EVENTS; event++) {
        h->came[event] = room_for(clocks, sizeof(uint64_t));
        for (size_t i = 0; i < h->count; i++)
            h->came[event][h->hsps[i].clocks[event]]++;
        add_up(h->came[event], clocks);
    }
    for (size_t i = 0; i < h->count; i++) {
        step(h->inside, h->hsps[i].clocks[HOST_ARRIVED], h->hsps[i].clocks[HOST_TAKEN]);
        step(h->busy, h->hsps[i].clocks[HOST_TAKEN], h->hsps[i].clocks[HOST_DONE]);
    }
    for (size_t i = 0; i < h->cluster_count; i++)
        step(h->busy, h->clusters[i].begin, h->clusters[i].end);
    sum_steps(h->inside, h->end);
    sum_steps(h->busy, h->end);
}

static void hosted_destroy(struct hosted *h)
{
    for (unsigned event = 0; event < HOST_EVENTS; event++)
        free(h->came[event]);
    free(h->inside);
    free(h->busy);
    free(h->hsps);
    free(h->clusters);
    free(h->stamps);
}

/* All at once. */
static void tell_host(struct measure *measure, const struct hosted *h)
{
    struct host_part part = {.stamps = h->stamps, .stamp_count = h->stamp_count, .end = h->end};
    int64_t *clocks[HOST_LISTS];
    struct host_order taken = {0};
    struct queue_tap inbox;
    for (unsigned list = 0; list < HOST_LISTS; list++) {
        size_t count = list < HOST_EVENTS ? h->count : h->cluster_count;
        clocks[list] = room_for(count, sizeof *clocks[list]);
        for (size_t i = 0; i < count; i++)
            clocks[list][i] = list < HOST_EVENTS           ? h->hsps[i].clocks[list]
                              : list == HOST_CLUSTER_BEGUN ? h->clusters[i].begin
                                                           : h->clusters[i].end;
        part.lists[list] = (struct host_list){clocks[list], NULL, count};
        if (list < HOST_EVENTS)
            part.hsps[list] = clocks[list];
    }
    struct host_part ordered = part;
    host_order_make(&taken, &ordered);
    queue_tap_init(&inbox, 0, true);
    queue_tap_add(&inbox, clocks[HOST_ARRIVED], h->count, taken.clocks[HOST_TAKEN], h->count);
    measure_host(measure, &part, &inbox);
    measure_end_host(measure, h->end);
    queue_tap_destroy(&inbox);
    host_order_destroy(&taken);
    for (unsigned list = 0; list < HOST_LISTS; list++)
        free(clocks[list]);
}

static enum host_event event_at(unsigned tap)
{
    return tap == TAP_INBOX ? HOST_ARRIVED : tap == TAP_JOB ? HOST_TAKEN : HOST_DONE;
}

/* When an HSP comes to a tap. */
static int64_t host_clock(const struct hosted *h, size_t hsp, unsigned tap)
{
    if (tap == TAP_INBOX || tap == TAP_JOB || tap == TAP_STAGE_3)
        return h->hsps[hsp].clocks[event_at(tap)];
    return arrival(h->story, tap, ancestor(h->story, RECORD, level_at(tap), hsp));
}

static uint64_t hsps_counted(const struct hosted *h, unsigned tap, int64_t begin, int64_t end)
{
    return h->came[event_at(tap)][end] - h->came[event_at(tap)][begin];
}

static void expect_host_latencies(const struct hosted *h, const struct directive *d, int64_t begin,
                                  int64_t end, struct expected *e)
{
    for (size_t i = 0; i < h->count; i++) {
        int64_t far = host_clock(h, i, d->to == d->tap ? TAP_JOB : d->to);
        if (within(far, begin, end))
            add_value(e, (uint64_t)(far - host_clock(h, i, d->tap)));
    }
}

static void expect_host_clocks(const struct hosted *h, const struct directive *d, int64_t begin, int64_t end,
                               struct expected *e)
{
    for (int64_t t = begin; t < end; t++) {
        if (d->metric == METRIC_UTILISATION)
            e->fraction.part += h->busy[t];
        add_value(e, h->inside[t]);
    }
}

static void expect_host(const struct hosted *h, const struct directive *d, int64_t begin, int64_t end,
                        struct expected *e)
{
    e->count = 0;
    e->fraction = (struct fraction){0, (uint64_t)(end - begin)};
    if (d->metric == METRIC_LATENCY)
        expect_host_latencies(h, d, begin, end, e);
    else if (d->metric == METRIC_RATE)
        e->fraction.part = hsps_counted(h, d->tap, begin, end);
    else
        expect_host_clocks(h, d, begin, end, e);
}

/* Ends of frames of elements are found clock by clock. */
static int64_t host_frame_end(const struct hosted *h, const struct frame_spec *spec, int64_t begin,
                              uint64_t n)
{
    if (spec->kind == FRAME_PASS)
        return h->end;
    if (spec->kind == FRAME_CLOCKS)
        return (int64_t)(n * spec->amount) < h->end ? (int64_t)(n * spec->amount) : h->end;
    uint64_t frames = hsps_counted(h, spec->tap, 0, begin) / spec->amount;
    int64_t at = begin + 1;
    while (at < h->end && hsps_counted(h, spec->tap, 0, at) / spec->amount == frames)
        at++;
    return at;
}

/* Little's law over the pass: clock by clock, the HSPs that are between a span's ends. */
static void check_span_holds(const struct hosted *h, const struct directive *d, const struct moments *m,
                             const char *where)
{
    uint64_t *inside = room_for((size_t)h->end, sizeof *inside), integral = 0;
    for (size_t i = 0; i < h->count; i++)
        step(inside, host_clock(h, i, d->tap), host_clock(h, i, d->to == d->tap ? TAP_JOB : d->to));
    sum_steps(inside, h->end);
    for (int64_t t = 0; t < h->end; t++)
        integral += inside[t];
    ck_assert_msg(m->sum == integral, "%s: the sum of latencies is not what was inside", where);
    free(inside);
}

static void check_host_measured(const struct hosted *h, const struct measurement *m,
                                const struct frame_head *head, const struct measured *measured,
                                struct expected *e, const char *where)
{
    const struct aggregate *a = &measured->aggregate;
    expect_host(h, m->directive, head->begin, head->begin + (int64_t)head->clocks, e);
    if (!m->aggregated) {
        ck_assert_msg(
            measured->fraction.part == e->fraction.part && measured->fraction.whole == e->fraction.whole,
            "%s: %" PRIu64 " of %" PRIu64, where, measured->fraction.part, measured->fraction.whole);
        return;
    }
    check_moments(&a->moments, e, where);
    if (a->histogram)
        check_histogram(a->histogram, e, where);
    if (a->quantile)
        check_quantiles(measured, m->directive, e, where);
    if (head->is_pass && m->directive->metric == METRIC_LATENCY)
        check_span_holds(h, m->directive, &a->moments, where);
}

static void check_host_records(const struct hosted *h, const struct measure_plan *plan, FILE *records)
{
    int64_t seen[DIRECTIVES] = {0};
    size_t room = (size_t)h->end + h->count;
    struct expected e = {.values = room_for(room, 8), .weights = room_for(room, 8)};
    struct frame_head head;
    rewind(records);
    while (frame_record_read_head(records, &head)) {
        const struct measurement *m = &plan->measurements[head.measurement];
        struct measured measured;
        char where[160];
        snprintf(where, sizeof where, "%s, frame %" PRIu64, m->directive->name, head.frame);
        measured_init(&measured, m);
        ck_assert(frame_record_read(records, &measured));
        if (head.is_pass) {
            head.clocks = (uint64_t)seen[head.measurement];
            ck_assert_int_eq(seen[head.measurement], h->end);
        } else {
            ck_assert_int_eq(head.begin, seen[head.measurement]);
            seen[head.measurement] = head.begin + (int64_t)head.clocks;
            ck_assert_msg(seen[head.measurement] ==
                              host_frame_end(h, &m->directive->frame, head.begin, head.frame),
                          "%s: ends at %" PRId64, where, seen[head.measurement]);
        }
        check_host_measured(h, m, &head, &measured, &e, where);
        measured_destroy(&measured);
    }
    free(e.values);
    free(e.weights);
}

/* ---- the board ---- */

/* The host's side, after the board's. */
static void measure_hosted(const struct measure_plan *plan, FILE *records, struct hosted *host)
{
    struct measure *measure = measure_new(plan, SIDE_HOST, records);
    struct why why;
    ck_assert_ptr_nonnull(measure);
    time_hsps(host);
    count_hosted(host);
    tell_host(measure, host);
    ck_assert_msg(measure_finish(measure, &why) == 0, "%s", why.line);
    measure_destroy(measure);
}

static uint64_t records_of(const struct tokens *tokens)
{
    uint64_t records = 0;
    for (size_t i = 0; i < tokens->match_count; i++)
        records += tokens->matches[i];
    return records;
}

/* What services took beyond a clock each. */
static uint64_t held(const struct board_taps *taps, enum board_interval services)
{
    const struct interval_moments *m = &taps->intervals.taps[services].moments;
    return (uint64_t)m->sum - m->count;
}

/* @param host  takes the blocks' records; empty before */
static void run_measured(const struct random_case *made, const struct measure_plan *plan, FILE *records,
                         const struct judge_verdict *verdict, bool vectors, struct hosted *host)
{
    const int64_t end = verdict->end;
    struct measure *measure = measure_new(plan, SIDE_BOARD, records);
    struct board *board = board_new(&made->rules);
    struct board_times times = {0};
    struct board_taps taps;
    struct why why;
    board_taps_init(&taps, &made->rules);
    for (unsigned queue = 0; queue < BOARD_QUEUES; queue++)
        taps.fifos[queue].vectors &= vectors;
    measure_attach(measure, &taps);
    for (size_t b = 0; b < made->block_count; b++) {
        board_advance(board, &made->tokens[b], &made->shares[b], &times);
        measure_sample(measure, &made->tokens[b], &times);
        ck_assert(board_taps_block(&taps, &made->tokens[b], &times));
        measure_settle(measure);
        add_hsps(host, measure, records_of(&made->tokens[b]));
    }
    board_taps_close(&taps, end);
    measure_end_board(measure, end, UINT64_MAX);
    ck_assert_msg(measure_finish(measure, &why) == 0, "%s", why.line);
    host->end = end;
    measure_hosted(plan, records, host);
    ck_assert_uint_eq(held(&taps, SERVICES_1A), verdict->stalled[JUDGE_WMER]);
    ck_assert_uint_eq(held(&taps, SERVICES_1BP), verdict->stalled[JUDGE_SRAM]);
    ck_assert_uint_eq(held(&taps, SERVICES_2), verdict->stalled[JUDGE_EGRESS]);
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++)
        ck_assert(fifo_measure_is_consistent(&taps.fifos[(enum board_fifo)fifo].measure));
    measure_destroy(measure);
    board_taps_destroy(&taps);
    board_times_destroy(&times);
    board_destroy(board);
}

/* @param spans  into software, instead of measurements on the board */
static void check_case(const struct random_case *made, struct dice *dice, bool spans)
{
    struct hardware hardware = hardware_default();
    struct directives list;
    struct measure_plan *plan;
    struct why why;
    hardware.board = made->rules;
    hardware.hsp_bytes = (uint32_t)dice_between(dice, 1, 40);
    struct story story = tell(made, &hardware);
    count_story(&story);
    make_directives(&list, dice, spans);
    ck_assert_msg(measure_plan_make(&list, &hardware, "random", &plan, &why) == 0, "%s", why.line);
    FILE *records = tmpfile();
    struct hosted host = {.story = &story, .dice = dice};
    run_measured(made, plan, records, story.verdict, dice_chance(dice, 70), &host);
    if (spans)
        check_host_records(&host, plan, records);
    else
        check_records(&story, plan, records);
    hosted_destroy(&host);
    fclose(records);
    measure_plan_destroy(plan);
    directives_destroy(&list);
    forget(&story);
}

START_TEST(test_every_frame_is_what_the_events_say)
{
    enum stream_kind stream = (enum stream_kind)(_i % STREAM_KINDS);
    enum rules_kind rules = (enum rules_kind)(_i / STREAM_KINDS);
    for (int n = 0; n < tests_some(CASES_A_TEST); n++) {
        struct random_case made;
        struct dice dice = {UINT64_C(31000000) + (uint64_t)_i * 1000 + (uint64_t)n};
        case_make(&made, dice.state, stream, rules, (enum bus_kind)(n % BUS_KINDS));
        check_case(&made, &dice, false);
        case_destroy(&made);
    }
}
END_TEST

START_TEST(test_spans_from_the_board_into_software)
{
    enum stream_kind stream = (enum stream_kind)(_i % STREAM_KINDS);
    enum rules_kind rules = (enum rules_kind)(_i / STREAM_KINDS);
    for (int n = 0; n < tests_some(SPAN_CASES_A_TEST); n++) {
        struct random_case made;
        struct dice dice = {UINT64_C(77000000) + (uint64_t)_i * 1000 + (uint64_t)n};
        case_make(&made, dice.state, stream, rules, (enum bus_kind)(n % BUS_KINDS));
        check_case(&made, &dice, true);
        case_destroy(&made);
    }
}
END_TEST

/* ---- the host alone ---- */

static const char host_directives[] =
    "occupancy at inbox: max, histogram(30)            as a\n"
    "occupancy at inbox: max, quantile(0.5)            every 77 clocks as b\n"
    "latency at inbox: max, min                        every 25 elements at inbox as c\n"
    "latency at inbox to stage_3: histogram(0..900/50) every 77 clocks as d\n"
    "latency at inbox to stage_3                       every 3 elements at stage_3 as e\n"
    "rate at inbox                                     every 25 elements at stage_3 as f\n"
    "rate at stage_3                                   every 25 elements at inbox as g\n"
    "utilisation at stage_3                            every 1 clocks as h\n"
    "utilisation at stage_3                            as i\n"
    "latency at inbox to job: quantile(0.9)            every 5 elements at job as j\n"
    "latency at job to stage_3: deviation              as k\n"
    "rate at job                                       every 50 clocks as l\n";

START_TEST(test_the_host_is_measured_to_the_clock)
{
    struct dice dice = {UINT64_C(500) + (uint64_t)_i};
    struct hosted host = {.dice = &dice};
    struct hardware hardware = hardware_default();
    struct directives list;
    struct measure_plan *plan;
    struct why why;
    ck_assert_msg(directives_parse(host_directives, strlen(host_directives), "host", &machine_catalogue,
                                   &list, &why) == 0,
                  "%s", why.line);
    ck_assert_int_eq(measure_plan_make(&list, &hardware, "host", &plan, &why), 0);
    FILE *records = tmpfile();
    for (int i = 0; i < HOST_BURSTS; i++)
        add_hsps(&host, NULL, dice_between(&dice, 1, 20));
    measure_hosted(plan, records, &host);
    check_host_records(&host, plan, records);
    hosted_destroy(&host);
    fclose(records);
    measure_plan_destroy(plan);
    directives_destroy(&list);
}
END_TEST

/* ---- what cannot be bound ---- */

static const struct {
    const char *text, *why;
} refused[] = {
    {"rate at bus_in every 7.5 ns", "m.tt:1: rate.bus_in: its frames are shorter than a clock of the board"},
    {"\nlatency at bus_in to stage_3 every 5 elements at bus_in",
     "m.tt:2: latency.bus_in_to_stage_3: it ends in software"},
    {"rate at inbox every 5 elements at bus_in", "m.tt:1: rate.inbox: it ends in software"},
    {"rate at bus_in every 5 elements at stage_3", "m.tt:1: rate.bus_in: it is measured on the board"},
    {"rate at bus_in every 5 elements at sram", "m.tt:1: rate.bus_in: reads are not counted one by one"},
};

START_TEST(test_what_the_machine_cannot_do_is_refused)
{
    struct hardware hardware = hardware_default();
    struct directives list;
    struct measure_plan *plan;
    struct why why = {""};
    ck_assert_msg(directives_parse(refused[_i].text, strlen(refused[_i].text), "m.tt", &machine_catalogue,
                                   &list, &why) == 0,
                  "%s", why.line);
    ck_assert_int_eq(measure_plan_make(&list, &hardware, "m.tt", &plan, &why), MEASURE_PLAN_EREFUSED);
    ck_assert_ptr_null(plan);
    ck_assert_msg(strncmp(why.line, refused[_i].why, strlen(refused[_i].why)) == 0, "%s", why.line);
    directives_destroy(&list);
}
END_TEST

static Suite *measure_suite(void)
{
    Suite *suite = suite_create("measure");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_loop_test(core, test_every_frame_is_what_the_events_say, 0, STREAM_KINDS * RULES_KINDS);
    tcase_add_loop_test(core, test_spans_from_the_board_into_software, 0, STREAM_KINDS * RULES_KINDS);
    tcase_add_loop_test(core, test_the_host_is_measured_to_the_clock, 0, tests_some(HOST_CASES));
    tcase_add_loop_test(core, test_what_the_machine_cannot_do_is_refused, 0,
                        sizeof refused / sizeof refused[0]);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(measure_suite());
}
