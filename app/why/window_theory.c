#include "app/why/window_theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "base/memory.h"
#include "model/queue/fluid_line.h"
#include "model/queue/mercury_tandem.h"
#include "model/queue/general_queue.h"
#include "sim/board/record_bursts.h"

/* The stages of the fluid. Before STAGE_1A is the ingress FIFO, and so on; before the bus are the host's blocks. */
enum stage {
    STAGE_HOST,
    STAGE_BUS,
    STAGE_1A,
    STAGE_1BP,
    STAGE_1BD,
    STAGE_2,
    STAGE_EGRESS,
    STAGE_CROSSING,
    STAGES
};

struct theory {
    const struct hardware *hardware;
    const struct board_rules *rules;
    enum window_model model;
    const struct stream_window *windows; /* of the pass */
    double (*work)[FLUID_STAGES_MAX], (*size)[FLUID_STAGES_MAX];
    size_t count, room;
    double places[FLUID_STAGES_MAX]; /* of the FIFO before each stage */
    struct window_kinds *kinds;
    size_t *kind;              /* of each window */
    struct window_answer *out; /* sums over time */
    double windows_of_run, beyond;
};

/* --- windows --------------------------------------------------------------------------------------------- */

/* Take the tokens of a pass, word by word.
 * @param lookup  number of its first one; out: of the next pass's; random  its words are shuffled; NULL: as they are */
static void take_words(const struct assumption_tokens *from, size_t first, size_t count, gsl_rng *random,
                       size_t *lookup, struct tokens *to)
{
    struct place {
        size_t word, lookup;
    };
    auto_free struct place *order = memory_take(count * sizeof *order);
    for (size_t i = 0; i < count; i++) {
        order[i] = (struct place){first + i, *lookup};
        *lookup += from->words[first + i];
    }
    if (random)
        gsl_ran_shuffle(random, order, count, sizeof *order);
    for (const struct place *at = order; at < order + count; at++) {
        const struct assumption_lookup *l = from->lookups + at->lookup, *after = l + from->words[at->word];
        tokens_add_word(to, from->words[at->word]);
        for (; l < after; l++) {
            const uint8_t *match = from->matches + l->match;
            tokens_add_seed(to, l->outcome, l->groups);
            for (const struct group_token *g = from->groups + l->group, *end = g + l->groups; g < end; g++) {
                tokens_add_group(to, g->matches, g->entries);
                for (unsigned i = 0; i < g->matches; i++)
                    tokens_add_match(to, *match++);
            }
        }
    }
}

/* The work of every window at every stage, in clocks, and its elements. */
static void weigh(struct theory *t)
{
    const struct hardware *h = t->hardware;
    const uint64_t block_words = h->pcix_block_bytes / BYTES_PER_WORD;
    const double bytes_a_clock = hardware_link_bytes_per_s(h) / h->fpga_clock_hz,
                 block_clocks = (double)hardware_link_bytes(h, h->pcix_block_bytes,
                                                            hardware_bursts(h, h->pcix_block_bytes)) /
                                bytes_a_clock,
                 word_clocks = fmax(1, block_clocks / (double)block_words), /* one in a clock at most */
        record_clocks = block_clocks * record_bus_share(h, block_words),
                 supply_clocks = BYTES_PER_WORD / h->host_supply * h->fpga_clock_hz;
    for (size_t i = 0; i < t->count; i++) {
        const struct stream_window *w = &t->windows[i];
        const double work[STAGES] = {w->words * supply_clocks,
                                     w->words * word_clocks,
                                     w->words,
                                     w->seeds,
                                     w->lookup_clocks,
                                     w->matches,
                                     w->records * record_clocks,
                                     w->records * record_clocks};
        const double size[STAGES] = {0,        w->words,   w->words,   w->seeds,
                                     w->seeds, w->matches, w->records, w->records};
        memcpy(t->work[i], work, sizeof work);
        memcpy(t->size[i], size, sizeof size);
        const double least = fmax(work[STAGE_HOST], work[STAGE_BUS]);
        for (unsigned stage = STAGE_1A; stage < STAGES; stage++)
            if (work[stage] >= least) {
                t->beyond++;
                break;
            }
    }
    t->windows_of_run += (double)t->count;
}

/* --- sums over time -------------------------------------------------------------------------------------- */

static void add_length(struct window_queue *q, double n, double clocks)
{
    q->p[window_level(n)] += clocks;
}

/* The level rises or falls from one end to the other: all between are alike. */
static void add_ramp(struct window_queue *q, double one, double other, double clocks)
{
    const double low = fmin(one, other), high = fmax(one, other);
    if (high - low < 1e-6) {
        add_length(q, low, clocks);
        return;
    }
    for (double n = floor(low + 0.5); n - 0.5 < high; n++)
        add_length(q, n, clocks * (fmin(high, n + 0.5) - fmax(low, n - 0.5)) / (high - low));
}

static void add_law(struct window_queue *q, const struct clocked_law *law, double places, double clocks)
{
    const size_t last = window_level(places);
    for (unsigned n = 0; n < CLOCKED_LENGTH; n++)
        q->p[n < last ? n : last] += clocks * law->p[n];
}

/* --- models of single queues, in each window ------------------------------------------------------------- */

/* How long a FIFO is how often if its queue were alone, with these rates. */
typedef void single_queue(const struct stream_window *w, enum board_fifo fifo, double rho, double *p,
                          unsigned most);

static void find_mm1k(const struct stream_window *w, enum board_fifo fifo, double rho, double *p,
                      unsigned most)
{
    (void)w;
    (void)fifo;
    queue_length_mm1k(rho, most, p, most + 1);
}

/* Batches of 1, 2, ... elements that come together. @return the largest one */
static unsigned find_batches(const struct stream_window *w, enum board_fifo fifo,
                             double batch[BASES_PER_WORD])
{
    const unsigned most = fifo == FIFO_WMER ? BASES_PER_WORD : fifo == FIFO_STAGE2 ? STREAM_MATCHES_MOST : 1;
    double all = 0;
    for (unsigned n = 1; n <= most; n++) {
        batch[n - 1] = fifo == FIFO_WMER     ? w->batches[n]
                       : fifo == FIFO_STAGE2 ? w->singles[n] + w->groups[n]
                                             : 1;
        all += batch[n - 1];
    }
    for (unsigned n = 0; n < most; n++)
        batch[n] = all > 0 ? batch[n] / all : n == 0;
    return most;
}

/* M^[X]/G/1 of constant services, but at 1bd of a clock or of trips. Without a steady state the FIFO is full. */
static void find_mxg1(const struct stream_window *w, enum board_fifo fifo, double rho, double *p,
                      unsigned most)
{
    double batch[BASES_PER_WORD], rest = 1, scv = 0;
    const unsigned largest = find_batches(w, fifo, batch),
                   count = most < CLOCKED_LENGTH ? most : CLOCKED_LENGTH; /* longer ones are hardly there */
    if (fifo == FIFO_SRAM && w->trip_lookups > 0)
        scv = mercury_lookup_service(w->trip_clocks / w->seeds, w->trip_lookups / w->seeds, 1).scv;
    if (rho < 1 - 1e-6)
        queue_length_mxg1(rho, scv, batch, largest, p, count);
    memset(p + count, 0, (most + 1 - count) * sizeof *p);
    for (unsigned n = 0; n < count; n++) {
        p[n] = rho < 1 - 1e-6 ? p[n] : 0;
        rest -= p[n];
    }
    p[most] += fmax(0, rest);
}

static void ask_single(struct theory *t, single_queue *find)
{
    static double p[WINDOW_LEVELS];
    for (size_t i = 0; i < t->count; i++) {
        double clocks = t->work[i][STAGE_BUS] + t->work[i][STAGE_CROSSING];
        for (unsigned stage = 0; stage < STAGES; stage++)
            clocks = fmax(clocks, t->work[i][stage]);
        t->out->clocks += clocks;
        for (unsigned fifo = 0; fifo < WINDOW_FIFOS; fifo++) {
            const unsigned stage = STAGE_1A + fifo;
            const unsigned most = (unsigned)fmin(t->places[stage], WINDOW_LEVELS - 1);
            find(&t->windows[i], fifo, t->work[i][stage] / clocks, p, most);
            for (size_t n = 0; n <= most; n++)
                t->out->queue[fifo].p[n] += clocks * p[n];
        }
    }
}

/* --- full FIFOs ------------------------------------------------------------------------------------------ */

/* A word waits until all of its seeds have room, which fill the FIFO up; then one after the other is taken. */
static void add_full_wmer(struct window_queue *q, const struct stream_window *w, double places, double clocks)
{
    double more = w->words - w->batches[0];
    for (unsigned n = 0; more > 0 && n < BASES_PER_WORD; n++) {
        add_length(q, places - n, clocks * more / w->seeds);
        more -= w->batches[n + 1];
    }
}

/* 1bd, which stage 2 holds up, takes so many lookups per clock, 1bp one: between the mark and what 1bp is late by. */
static void add_held_sram(struct window_queue *q, const struct theory *t, double lookups_a_clock,
                          double clocks)
{
    const double latency = t->rules->sram_read_cycles, mark = t->rules->sram_lookups - t->rules->sram_margin,
                 rate = fmin(1, lookups_a_clock);
    add_ramp(q, fmax(0, mark - latency * rate), mark + latency * (1 - rate), clocks);
}

/* While words wait at the bus, a place that a word leaves is taken in the same clock, but not if the word before it
 * left in the clock before: the bus needs longer than a clock. */
static void add_full_ingress(struct window_queue *q, const struct stream_window *w, double places,
                             double words_a_clock, double clocks)
{
    const double at_once = fmin(1, words_a_clock * (w->batches[0] + w->batches[1]) / w->words);
    add_length(q, places - 1, clocks * at_once);
    add_length(q, places, clocks * (1 - at_once));
}

/* --- the fluid ------------------------------------------------------------------------------------------- */

static void add_lengths(struct window_queue *q, const double *p, size_t count, double clocks)
{
    const size_t most = count < WINDOW_LEVELS ? count : WINDOW_LEVELS;
    for (size_t n = 0; n < most; n++)
        q->p[n] += clocks * p[n];
}

/* What the clock rules make of a FIFO that the fluid leaves empty or full. @return false if it is neither */
static bool see_clocks(struct theory *t, enum board_fifo fifo, const struct fluid_stretch *s)
{
    const unsigned stage = STAGE_1A + fifo;
    const double places = t->places[stage];
    const size_t window = s->window[stage] < t->count ? s->window[stage] : t->count - 1;
    const struct stream_window *w = &t->windows[window];
    const double words_a_clock = fmin(1, s->speed[STAGE_1A] * w->words);
    const bool full = s->full[stage], idle = s->empty[stage];
    struct window_queue *q = &t->out->queue[fifo];
    if (fifo == FIFO_EGRESS || !(full || idle) || (full && w->seeds <= 0))
        return false;
    if (fifo == FIFO_INGRESS && full)
        add_full_ingress(q, w, places, words_a_clock, s->time);
    else if (fifo == FIFO_INGRESS)
        add_law(q, &(struct clocked_law){{1 - words_a_clock, words_a_clock}}, places, s->time);
    else if (fifo == FIFO_WMER && full)
        add_full_wmer(q, w, places, s->time);
    else if (fifo == FIFO_WMER)
        add_law(q, &window_kinds_idle(t->kinds, t->kind[window], words_a_clock)->wmer, places, s->time);
    else if (fifo == FIFO_SRAM && full && s->full[STAGE_2])
        add_held_sram(q, t, s->speed[STAGE_1BD] * w->seeds, s->time);
    else if (fifo == FIFO_SRAM && full)
        add_lengths(q, window_kinds_busy(t->kinds, t->kind[window])->sram,
                    (size_t)places + t->rules->sram_read_cycles + 1, s->time);
    else if (fifo == FIFO_SRAM && idle)
        add_law(q, &window_kinds_idle(t->kinds, t->kind[window], words_a_clock)->sram, places, s->time);
    else if (fifo == FIFO_STAGE2 && idle)
        add_law(q,
                s->empty[STAGE_1BD] ? &window_kinds_idle(t->kinds, t->kind[window], words_a_clock)->stage2
                                    : &window_kinds_busy(t->kinds, t->kind[window])->stage2,
                places, s->time);
    else
        return false;
    return true;
}

static void see_stretch(void *data, const struct fluid_stretch *s)
{
    struct theory *t = data;
    t->out->clocks += s->time;
    for (unsigned fifo = 0; fifo < WINDOW_FIFOS; fifo++) {
        const unsigned stage = STAGE_1A + fifo;
        if (t->model == WINDOW_FLUID || !see_clocks(t, fifo, s))
            add_ramp(&t->out->queue[fifo], s->first[stage], s->last[stage], s->time);
    }
}

/* A lookup waits until its matches have room: that is work of 1bd, where it may be the slowest. */
static void slow_down(struct theory *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct stream_window *w = &t->windows[i];
        if (1.5 * w->lookup_clocks >= t->work[i][STAGE_BUS])
            t->work[i][STAGE_1BD] =
                w->trip_clocks +
                (w->seeds - w->trip_lookups) * window_kinds_busy(t->kinds, t->kind[i])->lookup_clocks;
    }
}

static void ask_pass(struct theory *t)
{
    weigh(t);
    if (t->model == WINDOW_MM1K || t->model == WINDOW_MXG1) {
        ask_single(t, t->model == WINDOW_MM1K ? find_mm1k : find_mxg1);
        return;
    }
    for (size_t i = 0; t->model == WINDOW_CLOCKED && i < t->count; i++)
        t->kind[i] = window_kinds_add(t->kinds, &t->windows[i]);
    if (t->model == WINDOW_CLOCKED)
        slow_down(t);
    struct fluid_line line = {.stages = STAGES,
                              .windows = t->count,
                              .work = t->work,
                              .size = t->size,
                              .shared = {STAGE_BUS, STAGE_CROSSING}};
    memcpy(line.places, t->places, sizeof line.places);
    fluid_line_run(&line, see_stretch, t);
}

/* --- passes ---------------------------------------------------------------------------------------------- */

static void ask_windows(struct theory *t, const struct stream_window *windows, size_t count)
{
    t->windows = windows;
    t->count = count;
    if (count > t->room) {
        free(t->work);
        free(t->size);
        free(t->kind);
        t->work = memory_take(count * sizeof *t->work);
        t->size = memory_take(count * sizeof *t->size);
        t->kind = memory_take(count * sizeof *t->kind);
        t->room = count;
    }
    ask_pass(t);
}

/* Sums over time become averages. */
static void average(const struct theory *t)
{
    struct window_answer *out = t->out;
    out->beyond = t->beyond / t->windows_of_run;
    for (unsigned fifo = 0; fifo < WINDOW_FIFOS; fifo++) {
        struct window_queue *q = &out->queue[fifo];
        /* The server has one of the K elements of M/M/1/K. */
        const double full = t->places[STAGE_1A + fifo] - (t->model == WINDOW_MM1K),
                     signal = fmin((double)board_fifo_back_pressure_at(fifo, t->rules), full);
        for (size_t n = 0; n < WINDOW_LEVELS; n++) {
            q->p[n] /= out->clocks;
            q->n_q += (double)n * q->p[n];
            q->p_bp += (double)n >= signal ? q->p[n] : 0;
        }
    }
}

static void find_places(const struct hardware *h, double places[FLUID_STAGES_MAX])
{
    const struct board_rules *r = &h->board;
    places[STAGE_BUS] = h->host_queue_blocks * (double)h->pcix_block_bytes / BYTES_PER_WORD;
    places[STAGE_1A] = r->ingress_words;
    places[STAGE_1BP] = r->wmer_seeds;
    places[STAGE_1BD] = r->sram_lookups - r->sram_margin;
    places[STAGE_2] = r->stage2_matches;
    places[STAGE_EGRESS] = r->egress_records;
    places[STAGE_CROSSING] = 1e18; /* the host's memory */
}

bool window_theory_takes(const struct hardware *h)
{
    return h->boards == 1 && h->hosts == 1 && h->board.trips_in_flight == 1 && h->pcix_priority == BUS_FAIR;
}

static void begin(struct theory *t, const struct hardware *hardware, enum window_model model,
                  struct window_answer *out)
{
    *t = (struct theory){.hardware = hardware, .rules = &hardware->board, .model = model, .out = out};
    memset(out, 0, sizeof *out);
    t->kinds = window_kinds_new(t->rules);
    find_places(hardware, t->places);
}

static void end(struct theory *t)
{
    average(t);
    free(t->work);
    free(t->size);
    free(t->kind);
    window_kinds_destroy(t->kinds);
}

void window_theory_ask(const struct hardware *hardware, const struct assumption_tokens *tokens,
                       enum window_model model, enum window_order order, uint64_t words,
                       struct window_answer *out)
{
    struct theory t;
    gsl_rng *random = random_new(1);
    begin(&t, hardware, model, out);
    size_t first = 0, lookup = 0;
    for (size_t pass = 0; pass < tokens->pass_count; first = tokens->pass_ends[pass++]) {
        auto_by(tokens_destroy) struct tokens stream = {0};
        struct stream_windows windows = {.words = words};
        take_words(tokens, first, tokens->pass_ends[pass] - first,
                   order == WINDOW_WORDS_SHUFFLED ? random : NULL, &lookup, &stream);
        stream_windows_add(&windows, t.rules, &stream);
        if (order == WINDOW_SHUFFLED)
            gsl_ran_shuffle(random, windows.items, windows.count, sizeof *windows.items);
        ask_windows(&t, windows.items, windows.count);
        free(windows.items);
    }
    gsl_rng_free(random);
    end(&t);
}

void window_theory_ask_counted(const struct hardware *hardware, const struct stream_window *windows,
                               const size_t *counts, size_t pass_count, struct window_answer *out)
{
    struct theory t;
    begin(&t, hardware, WINDOW_CLOCKED, out);
    for (size_t pass = 0; pass < pass_count; windows += counts[pass++])
        ask_windows(&t, windows, counts[pass]);
    end(&t);
}

double window_least_queue(const double simulated[WINDOW_FIFOS])
{
    for (unsigned i = 0; i < WINDOW_FIFOS; i++)
        if (simulated[i] > 1)
            return 1;
    return 0.1;
}

double window_largest_error(const double said[WINDOW_FIFOS], const double simulated[WINDOW_FIFOS],
                            unsigned *fifo)
{
    double largest = -1;
    for (unsigned i = 0; i < WINDOW_FIFOS; i++) {
        const double error = fabs(said[i] / simulated[i] - 1);
        if (simulated[i] > window_least_queue(simulated) && error > largest) {
            largest = error;
            if (fifo)
                *fifo = i;
        }
    }
    return largest;
}

const char *window_model_name(enum window_model model)
{
    static const char *const names[WINDOW_MODELS] = {"M/M/1/K", "M^[X]/G/1", "fluid", "fluid and clocks"};
    return names[model];
}
