#include "app/why/window_theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "blast/sequence/sequence.h"
#include "model/queue/clocked_queue.h"
#include "model/queue/fluid_line.h"
#include "model/queue/queue_length.h"
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

enum { GROUP_MOST = 15 }; /* matches of a group; more count as so many */

/* What the words of a window do. */
struct window {
    double words, seeds, matches, records;
    double lookup_clocks;               /* of 1bd */
    double trip_lookups, trip_clocks;   /* lookups that make trips, and their clocks */
    double batches[BASES_PER_WORD + 1]; /* number of words with so many seeds */
    double singles[GROUP_MOST + 1];     /* number of lookups without trips, with so many matches */
    double groups[GROUP_MOST + 1];      /* number of trips with so many matches */
};

/* A window whose FIFO before 1bd is empty: by this rate of words. */
struct idle_laws {
    size_t window;
    double words_a_clock;
    struct clocked_law wmer, sram, stage2;
};

/* A window in which lookups always wait for 1bd. */
struct busy_laws {
    size_t window;
    double lookup_clocks; /* of a lookup without trips, with the time in which its matches find no room */
    struct clocked_law stage2;
    double sram[WINDOW_LEVELS]; /* if the FIFO is as full as 1bp makes it */
};

struct theory {
    const struct hardware *hardware;
    const struct board_rules *rules;
    enum window_model model;
    struct window *windows;
    double (*work)[FLUID_STAGES_MAX], (*size)[FLUID_STAGES_MAX];
    size_t count, room, lengths; /* P[N = n] of n below `lengths` is worth a look */
    struct idle_laws idle;
    struct busy_laws busy;
    struct window_answer *out; /* sums over time */
    double windows_of_run, beyond;
};

/* --- windows --------------------------------------------------------------------------------------------- */

static double service_clocks(const struct board_rules *rules, const struct assumption_lookup *lookup)
{
    return lookup->outcome == LOOKUP_DUPLICATE ? fmax(1, (double)lookup->groups * board_trip_cycles(rules))
                                               : 1;
}

static void add_lookup(struct window *w, const struct assumption_tokens *t, const struct board_rules *rules,
                       const struct assumption_lookup *lookup)
{
    const double clocks = service_clocks(rules, lookup);
    const bool trips = lookup->outcome == LOOKUP_DUPLICATE;
    unsigned matches = 0;
    for (unsigned i = 0; i < lookup->groups; i++) {
        const unsigned of_group = t->groups[lookup->group + i].matches;
        matches += of_group;
        if (trips)
            w->groups[of_group < GROUP_MOST ? of_group : GROUP_MOST]++;
    }
    for (unsigned i = 0; i < matches; i++)
        w->records += t->matches[lookup->match + i];
    w->seeds++;
    w->matches += matches;
    w->lookup_clocks += clocks;
    if (trips) {
        w->trip_lookups++;
        w->trip_clocks += clocks;
    } else {
        w->singles[matches < GROUP_MOST ? matches : GROUP_MOST]++;
    }
}

/* Cut a pass up. @param order  number of each word, in the order in which they come; NULL: as they are */
static void cut(struct theory *t, const struct assumption_tokens *tokens, size_t first, size_t end,
                uint64_t words, const size_t *lookup_of, const size_t *order)
{
    memset(t->windows, 0, t->count * sizeof *t->windows);
    for (size_t i = first; i < end; i++) {
        const size_t word = order ? order[i - first] : i;
        struct window *w = &t->windows[(i - first) / words];
        const unsigned seeds = tokens->words[word];
        w->words++;
        w->batches[seeds]++;
        for (unsigned seed = 0; seed < seeds; seed++)
            add_lookup(w, tokens, t->rules, &tokens->lookups[lookup_of[word - first] + seed]);
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
        const struct window *w = &t->windows[i];
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

/* Longer ones count as the last. */
static size_t level_of(double n)
{
    return (size_t)fmin(fmax(0, round(n)), WINDOW_LEVELS - 1);
}

static void add_length(struct window_queue *q, double n, double clocks)
{
    q->p[level_of(n)] += clocks;
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
    for (unsigned n = 0; n < CLOCKED_LENGTH; n++)
        if (law->p[n] > 0)
            add_length(q, fmin(n, places), clocks * law->p[n]);
}

/* --- M/M/1/K in each window ------------------------------------------------------------------------------ */

static int ask_mm1k(struct theory *t, const double *places)
{
    static double p[WINDOW_LEVELS];
    int status = 0;
    for (size_t i = 0; status == 0 && i < t->count; i++) {
        double clocks = t->work[i][STAGE_BUS] + t->work[i][STAGE_CROSSING];
        for (unsigned stage = 0; stage < STAGES; stage++)
            clocks = fmax(clocks, t->work[i][stage]);
        t->out->clocks += clocks;
        for (unsigned fifo = 0; status == 0 && fifo < WINDOW_FIFOS; fifo++) {
            const unsigned stage = STAGE_1A + fifo;
            const size_t most = (size_t)fmin(places[stage], WINDOW_LEVELS - 1);
            status = queue_length_mm1k(t->work[i][stage] / clocks, (unsigned)most, p, most + 1);
            for (size_t n = 0; status == 0 && n <= most; n++)
                t->out->queue[fifo].p[n] += clocks * p[n];
        }
    }
    return status;
}

/* --- inside a window ------------------------------------------------------------------------------------- */

/* Arrivals of a clock in which with probability `chance` a batch comes. */
static struct clocked_law arrivals(double chance, const double *batches, unsigned count, double all)
{
    struct clocked_law law = {{1}};
    for (unsigned n = 1; n < count && all > 0; n++) {
        law.p[n] = fmin(chance, 1) * batches[n] / all;
        law.p[0] -= law.p[n];
    }
    return law;
}

/* Arrivals of a service: of a clock, or of a lookup's trips. */
static struct clocked_law arrivals_of_service(double chance, const struct window *w)
{
    struct clocked_law law = {{0}};
    const double trips = w->trip_lookups / w->seeds;
    const unsigned clocks = w->trip_lookups > 0 ? (unsigned)lround(w->trip_clocks / w->trip_lookups) : 1;
    law.p[0] = (1 - trips) * (1 - chance);
    law.p[1] = (1 - trips) * chance;
    for (unsigned n = 0; trips > 0 && n <= clocks; n++)
        law.p[n < CLOCKED_LENGTH ? n : CLOCKED_LENGTH - 1] += trips * gsl_ran_binomial_pdf(n, chance, clocks);
    return law;
}

/* How many matches a lookup without trips has. */
static struct clocked_law matches_of_lookup(const struct window *w)
{
    struct clocked_law law = {{0}};
    const double all = w->seeds - w->trip_lookups;
    if (all <= 0)
        law.p[0] = 1;
    for (unsigned n = 0; all > 0 && n <= GROUP_MOST; n++)
        law.p[n] = w->singles[n] / all;
    return law;
}

static double sum_of(const double *values, unsigned count)
{
    double sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

/* What 1bp sent on within the clocks of a fetch. */
static void find_stage2(const struct theory *t, const struct window *w, const struct clocked_law *seeds,
                        struct idle_laws *laws)
{
    const struct clocked_law each = matches_of_lookup(w);
    const double lookups = clocked_mean(seeds), in_trips = fmin(1, lookups * w->trip_clocks / w->seeds);
    struct clocked_law sent;
    clocked_queue_output(seeds, &laws->wmer, t->rules->stage2_fetch_cycles, &sent);
    clocked_sum(&sent, &each, &laws->stage2);
    for (unsigned n = 0; n < CLOCKED_LENGTH; n++)
        laws->stage2.p[n] *= 1 - in_trips;
    laws->stage2.p[0] += in_trips;
}

/* The matches of a trip come together, whatever else is there: the first is fetched, and then one after the other is
 * taken. */
static void add_trips(const struct theory *t, const struct window *w, double lookups_a_clock,
                      struct clocked_law *law)
{
    struct clocked_law of = {{1}};
    for (unsigned n = 1; n <= GROUP_MOST; n++)
        for (unsigned left = n; left >= 1; left--) {
            const double clocks = left == n ? t->rules->stage2_fetch_cycles : 1,
                         chance = fmin(of.p[0], lookups_a_clock * w->groups[n] / w->seeds * clocks);
            of.p[left] += chance;
            of.p[0] -= chance;
        }
    clocked_add(law, &of, law);
}

static const struct idle_laws *idle_laws_of(struct theory *t, size_t window, double words_a_clock)
{
    struct idle_laws *laws = &t->idle;
    if (laws->window == window && fabs(laws->words_a_clock - words_a_clock) < 1e-6)
        return laws;
    const struct window *w = &t->windows[window];
    const struct clocked_law seeds = arrivals(words_a_clock, w->batches, BASES_PER_WORD + 1, w->words);
    *laws = (struct idle_laws){window, words_a_clock, {{1}}, {{1}}, {{1}}};
    if (w->seeds <= 0)
        return laws;
    clocked_queue_length(&seeds, NULL, &laws->wmer);
    const double lookups = fmin(1, clocked_mean(&seeds));
    const struct clocked_law one = {{1 - lookups, lookups}}, of_service = arrivals_of_service(lookups, w);
    clocked_queue_length(&one, &of_service, &laws->sram);
    find_stage2(t, w, &seeds, laws);
    add_trips(t, w, lookups, &laws->stage2);
    return laws;
}

/* --- 1bd that is never idle ------------------------------------------------------------------------------ */

/* A lookup of k matches that waits for room is in column HELD + k. */
enum { BUSY_CLOCKS = 1024, HELD = GROUP_MOST + 1, COLUMNS = 2 * HELD };

/* From the end of a trip on, 1bd takes lookups until one makes trips. */
struct busy {
    unsigned places;                  /* of the stage-2 FIFO */
    double fetching;                  /* matches that are in it because they are fetched */
    double trips;                     /* per lookup */
    struct clocked_law each;          /* matches of a lookup without trips */
    unsigned most;                    /* of them */
    double (*state)[COLUMNS];         /* P[n matches in the FIFO, and a lookup of k that have not come in] */
    double entered[CLOCKED_LENGTH];   /* P[n matches there after a lookup's have come in] */
    double clocks, lookups;           /* sums: time of all lookups, and number of them */
    struct clocked_law lengths, ends; /* time with n matches; n when a trip begins */
};

/* The lookup's matches come in if they have room. */
static void enter(struct busy *b, double (*next)[COLUMNS], unsigned n, unsigned k, double p)
{
    const bool fits = n + k <= b->places || n == 0;
    const unsigned then = fits ? (n + k < b->places ? n + k : b->places) : n;
    b->lengths.p[then] += p;
    if (fits)
        b->entered[then] += p;
    else
        next[n][HELD + k] += p;
}

static void step_busy(struct busy *b, double (*next)[COLUMNS])
{
    memset(next, 0, (b->places + 1) * sizeof *next);
    memset(b->entered, 0, sizeof b->entered);
    for (unsigned n = 0; n <= b->places; n++)
        for (unsigned i = 0; i < 2 * (b->most + 1); i++) {
            const unsigned column = i / 2 + (i % 2 ? HELD : 0);
            /* While a lookup waits nothing comes, and what is there has been fetched one after the other. */
            const double p = b->state[n][column],
                         taken = column >= HELD ? n > 0 : fmax(0, fmin(1, n - b->fetching));
            if (p < 1e-9)
                continue;
            b->clocks += p;
            if (taken > 0)
                enter(b, next, n - 1, column % HELD, p * taken);
            if (taken < 1)
                enter(b, next, n, column % HELD, p * (1 - taken));
        }
    for (unsigned n = 0; n <= b->places; n++) {
        b->lookups += b->entered[n];
        b->ends.p[n] += b->entered[n] * b->trips;
        for (unsigned k = 0; b->entered[n] > 0 && k <= b->most; k++)
            next[n][k] += b->entered[n] * (1 - b->trips) * b->each.p[k];
    }
}

/* A lookup's trips follow, in which the FIFO is emptied: what it holds how often. */
static void end_busy(const struct theory *t, const struct window *w, struct busy *b, struct busy_laws *laws)
{
    const double trip = w->trip_lookups > 0 ? w->trip_clocks / w->trip_lookups : 0,
                 all = b->clocks + (w->trip_lookups > 0 ? trip : 0),
                 groups = sum_of(w->groups, GROUP_MOST + 1);
    double idle = trip;
    laws->lookup_clocks = b->lookups > 0 ? b->clocks / b->lookups : 1;
    laws->stage2 = b->lengths;
    for (unsigned n = 1; n <= b->places && trip > 0; n++) /* the FIFO is emptied in a trip */
        for (unsigned left = n - 1; left >= 1; left--) {
            laws->stage2.p[left] += b->ends.p[n];
            idle -= b->ends.p[n];
        }
    for (unsigned n = 1; n <= GROUP_MOST && groups > 0; n++) /* all trips of a lookup but the last */
        for (unsigned left = n; left >= 1; left--) {
            const double clocks = (left == n ? t->rules->stage2_fetch_cycles : 1) *
                                  fmax(0, groups / w->trip_lookups - 1) * w->groups[n] / groups;
            laws->stage2.p[left < b->places ? left : b->places] += clocks;
            idle -= clocks;
        }
    laws->stage2.p[0] += fmax(0, idle);
    for (unsigned n = 0; n < CLOCKED_LENGTH; n++)
        laws->stage2.p[n] /= all;
}

/* The level of a FIFO that 1bp keeps full, clock by clock from the end of a trip on. 1bp stops at the mark, reads in
 * flight still enter; it goes on below the mark, and its reads come later by their latency. A trip leaves the level
 * where it is, if 1bp has stopped; else it rises until it has. */
static void find_full_sram(const struct theory *t, const struct window *w, struct busy_laws *laws)
{
    const double latency = t->rules->sram_read_cycles, mark = t->rules->sram_lookups - t->rules->sram_margin,
                 rate = 1 / laws->lookup_clocks, trips = w->trip_lookups / w->seeds,
                 trip = trips > 0 ? w->trip_clocks / w->trip_lookups : 0, high = mark + latency - 1,
                 low = mark - latency * rate;
    static struct window_queue q;
    static double rises[WINDOW_LEVELS];
    double rising = 0, level = trips > 0 ? high : mark, lasts = 1, all = 0;
    bool falls = true;
    memset(q.p, 0, t->lengths * sizeof *q.p);
    memset(rises, 0, t->lengths * sizeof *rises);
    for (unsigned clock = 0; clock < BUSY_CLOCKS && lasts > 1e-4; clock++) {
        const double begins = lasts * trips * rate;
        add_length(&q, level, lasts);
        all += lasts + begins * trip;
        if (level >= mark && falls)
            add_length(&q, level, begins * trip);
        else {
            const double rise = fmin(trip, high - level);
            rises[level_of(level)] += begins; /* a clock at each level from here on */
            rises[level_of(level + rise)] -= begins;
            add_length(&q, level + rise, begins * (trip - rise));
        }
        lasts -= begins;
        level += falls ? -rate : 1 - rate;
        falls = falls ? level > low : level >= mark + latency * (1 - rate);
    }
    for (size_t n = 0; n < t->lengths; n++) {
        rising += rises[n];
        laws->sram[n] = (q.p[n] + rising) / all;
    }
}

/* The largest level that a FIFO of the board reaches, and one. */
static size_t lengths_of(const struct board_rules *r)
{
    const size_t sram = (size_t)r->sram_lookups + r->sram_read_cycles;
    return sram < WINDOW_LEVELS ? sram : WINDOW_LEVELS;
}

static const struct busy_laws *busy_laws_of(struct theory *t, size_t window)
{
    static double states[2][CLOCKED_LENGTH][COLUMNS];
    const struct window *w = &t->windows[window];
    struct busy_laws *laws = &t->busy;
    if (laws->window == window)
        return laws;
    laws->window = window;
    laws->lookup_clocks = 1;
    laws->stage2 = (struct clocked_law){{1}};
    if (w->seeds <= 0)
        return laws;
    struct busy b = {.places = t->rules->stage2_matches < CLOCKED_LENGTH ? t->rules->stage2_matches
                                                                         : CLOCKED_LENGTH - 1,
                     .trips = w->trip_lookups / w->seeds,
                     .each = matches_of_lookup(w)};
    const double groups = sum_of(w->groups, GROUP_MOST + 1);
    for (unsigned k = 0; k <= GROUP_MOST; k++)
        b.most = b.each.p[k] > 0 ? k : b.most;
    b.fetching = fmax(0, t->rules->stage2_fetch_cycles - 1.0) * fmin(1, clocked_mean(&b.each));
    memset(states[0], 0, (b.places + 1) * sizeof states[0][0]);
    for (unsigned n = 0; n <= GROUP_MOST; n++)
        for (unsigned k = 0; k <= GROUP_MOST; k++)
            states[0][n < b.places ? n : b.places][k] +=
                (groups > 0 ? w->groups[n] / groups : n == 0) * b.each.p[k];
    const unsigned clocks = b.trips > 0 ? BUSY_CLOCKS : BUSY_CLOCKS / 4;
    for (unsigned clock = 0; clock < clocks && b.lookups * b.trips < 1 - 1e-3; clock++) {
        b.state = states[clock % 2];
        step_busy(&b, states[(clock + 1) % 2]);
    }
    end_busy(t, w, &b, laws);
    find_full_sram(t, w, laws);
    return laws;
}

/* --- full FIFOs ------------------------------------------------------------------------------------------ */

/* A word waits until all of its seeds have room, which fill the FIFO up; then one after the other is taken. */
static void add_full_wmer(struct window_queue *q, const struct window *w, double places, double clocks)
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
static void add_full_ingress(struct window_queue *q, const struct window *w, double places,
                             double words_a_clock, double clocks)
{
    const double at_once = fmin(1, words_a_clock * (w->batches[0] + w->batches[1]) / w->words);
    add_length(q, places - 1, clocks * at_once);
    add_length(q, places, clocks * (1 - at_once));
}

/* --- the fluid ------------------------------------------------------------------------------------------- */

struct seen {
    struct theory *theory;
    const double *places;
};

static void add_lengths(struct window_queue *q, const double *p, size_t count, double clocks)
{
    for (size_t n = 0; n < count; n++)
        q->p[n] += clocks * p[n];
}

/* What the clock rules make of a FIFO that the fluid leaves empty or full. @return false if it is neither */
static bool see_clocks(struct theory *t, enum board_fifo fifo, const struct fluid_stretch *s, double places)
{
    const unsigned stage = STAGE_1A + fifo;
    const size_t window = s->window[stage] < t->count ? s->window[stage] : t->count - 1;
    const struct window *w = &t->windows[window];
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
        add_law(q, &idle_laws_of(t, window, words_a_clock)->wmer, places, s->time);
    else if (fifo == FIFO_SRAM && full && s->full[STAGE_2])
        add_held_sram(q, t, s->speed[STAGE_1BD] * w->seeds, s->time);
    else if (fifo == FIFO_SRAM && full)
        add_lengths(q, busy_laws_of(t, window)->sram, t->lengths, s->time);
    else if (fifo == FIFO_SRAM && idle)
        add_law(q, &idle_laws_of(t, window, words_a_clock)->sram, places, s->time);
    else if (fifo == FIFO_STAGE2 && idle)
        add_law(q,
                s->empty[STAGE_1BD] ? &idle_laws_of(t, window, words_a_clock)->stage2
                                    : &busy_laws_of(t, window)->stage2,
                places, s->time);
    else
        return false;
    return true;
}

static void see_stretch(void *data, const struct fluid_stretch *s)
{
    struct seen *seen = data;
    struct theory *t = seen->theory;
    t->out->clocks += s->time;
    for (unsigned fifo = 0; fifo < WINDOW_FIFOS; fifo++) {
        const unsigned stage = STAGE_1A + fifo;
        if (t->model == WINDOW_FLUID || !see_clocks(t, fifo, s, seen->places[stage]))
            add_ramp(&t->out->queue[fifo], s->first[stage], s->last[stage], s->time);
    }
}

/* A lookup waits until its matches have room: that is work of 1bd, where it may be the slowest. */
static void slow_down(struct theory *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct window *w = &t->windows[i];
        if (1.5 * w->lookup_clocks >= t->work[i][STAGE_BUS])
            t->work[i][STAGE_1BD] =
                w->trip_clocks + (w->seeds - w->trip_lookups) * busy_laws_of(t, i)->lookup_clocks;
    }
}

static int ask_pass(struct theory *t)
{
    const struct board_rules *r = t->rules;
    const double places[FLUID_STAGES_MAX] = {
        [STAGE_BUS] = t->hardware->host_queue_blocks * (double)t->hardware->pcix_block_bytes / BYTES_PER_WORD,
        [STAGE_1A] = r->ingress_words,
        [STAGE_1BP] = r->wmer_seeds,
        [STAGE_1BD] = r->sram_lookups - r->sram_margin,
        [STAGE_2] = r->stage2_matches,
        [STAGE_EGRESS] = r->egress_records,
        [STAGE_CROSSING] = 1e18,
    };
    weigh(t);
    t->idle.window = t->busy.window = SIZE_MAX;
    if (t->model == WINDOW_CLOCKED)
        slow_down(t);
    if (t->model == WINDOW_MM1K)
        return ask_mm1k(t, places);
    struct fluid_line line = {.stages = STAGES,
                              .windows = t->count,
                              .work = t->work,
                              .size = t->size,
                              .shared = {STAGE_BUS, STAGE_CROSSING}};
    memcpy(line.places, places, sizeof places);
    fluid_line_run(&line, see_stretch, &(struct seen){t, places});
    return 0;
}

/* --- passes ---------------------------------------------------------------------------------------------- */

static bool reserve(struct theory *t, size_t count)
{
    t->count = count;
    if (count <= t->room)
        return true;
    free(t->windows);
    free(t->work);
    free(t->size);
    t->windows = malloc(count * sizeof *t->windows);
    t->work = malloc(count * sizeof *t->work);
    t->size = malloc(count * sizeof *t->size);
    t->room = t->windows && t->work && t->size ? count : 0;
    return t->room > 0;
}

/* The first lookup of each word of a pass. */
static size_t *find_lookups(const struct assumption_tokens *tokens, size_t first, size_t end, size_t *lookup)
{
    size_t *of = malloc((end - first + 1) * sizeof *of);
    for (size_t word = first; of && word < end; word++) {
        of[word - first] = *lookup;
        *lookup += tokens->words[word];
    }
    return of;
}

static int take_pass(struct theory *t, const struct assumption_tokens *tokens, size_t first, size_t end,
                     enum window_order order, uint64_t words, size_t *lookup, gsl_rng *random)
{
    const size_t count = end - first;
    size_t *lookups = find_lookups(tokens, first, end, lookup), *shuffled = NULL;
    bool taken = lookups && reserve(t, words < count ? (count + words - 1) / words : 1);
    if (taken && order == WINDOW_WORDS_SHUFFLED) {
        shuffled = malloc(count * sizeof *shuffled);
        taken = shuffled != NULL;
        for (size_t i = 0; taken && i < count; i++)
            shuffled[i] = first + i;
        if (taken)
            gsl_ran_shuffle(random, shuffled, count, sizeof *shuffled);
    }
    if (taken)
        cut(t, tokens, first, end, words, lookups, shuffled);
    if (taken && order == WINDOW_SHUFFLED)
        gsl_ran_shuffle(random, t->windows, t->count, sizeof *t->windows);
    free(lookups);
    free(shuffled);
    return taken ? ask_pass(t) : ASSUMPTION_EMEMORY;
}

/* Sums over time become averages. */
static void average(const struct theory *t, struct window_answer *out)
{
    out->beyond = t->beyond / t->windows_of_run;
    for (unsigned fifo = 0; fifo < WINDOW_FIFOS; fifo++) {
        struct window_queue *q = &out->queue[fifo];
        const double signal = (double)board_fifo_back_pressure_at(fifo, t->rules);
        for (size_t n = 0; n < WINDOW_LEVELS; n++) {
            q->p[n] /= out->clocks;
            q->n_q += (double)n * q->p[n];
            q->p_bp += (double)n >= signal ? q->p[n] : 0;
        }
    }
}

int window_theory_ask(const struct hardware *hardware, const struct assumption_tokens *tokens,
                      enum window_model model, enum window_order order, uint64_t words,
                      struct window_answer *out, struct why *why)
{
    struct window_answer *answer = calloc(1, sizeof *answer);
    struct theory t = {.hardware = hardware, .rules = &hardware->board, .model = model, .out = answer};
    t.lengths = lengths_of(t.rules);
    gsl_rng *random = assumption_random_new(1);
    int status = answer && random ? 0 : ASSUMPTION_EMEMORY;
    size_t first = 0, lookup = 0;
    for (size_t pass = 0; status == 0 && pass < tokens->pass_count; pass++) {
        status = take_pass(&t, tokens, first, tokens->pass_ends[pass], order, words, &lookup, random);
        first = tokens->pass_ends[pass];
    }
    if (status == 0) {
        average(&t, answer);
        *out = *answer;
    }
    free(answer);
    free(t.windows);
    free(t.work);
    free(t.size);
    gsl_rng_free(random);
    return status == 0 ? 0 : why_no_memory(why, ASSUMPTION_EMEMORY);
}

const char *window_model_name(enum window_model model)
{
    static const char *const names[WINDOW_MODELS] = {"M/M/1/K", "fluid", "fluid and clocks"};
    return names[model];
}
