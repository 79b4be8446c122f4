#include "base/array.h"
#include "app/why/window_laws.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#define KIND_STEP   1.1
#define MORE        4   /* times as many seeds: ask again */
#define SPEED_STEPS 128 /* of a word per clock */

/* Seeds are those of the sum when the rules were asked; 0: they were not. */
struct kind {
    uint64_t key;
    struct stream_window sum;
    double busy_seeds;
    struct window_busy busy;
    size_t last_speed; /* the number of its last one, from 1; 0: none */
};

struct speed {
    size_t before; /* the number of the one before of its kind */
    long step;
    double seeds;
    struct window_idle idle;
};

struct window_kinds {
    const struct board_rules *rules;
    struct kind **kinds;
    struct speed *speeds;
    size_t count, room, speed_count, speed_room;
};

struct window_kinds *window_kinds_new(const struct board_rules *rules)
{
    struct window_kinds *k = memory_new(1, sizeof *k);
    k->rules = rules;
    return k;
}

void window_kinds_destroy(struct window_kinds *k)
{
    for (size_t i = 0; i < k->count; i++)
        free(k->kinds[i]);
    free(k->kinds);
    free(k->speeds);
    free(k);
}

static uint64_t step_of(double part, double whole)
{
    return part > 0 ? (uint64_t)(lround(log(part / whole) / log(KIND_STEP)) + 0x4000) & 0x7fff : 0;
}

static uint64_t key_of(const struct stream_window *w)
{
    return step_of(w->seeds, w->words) << 48 | step_of(w->matches, w->seeds) << 32 |
           step_of(w->trip_lookups, w->seeds) << 16 | step_of(w->trip_clocks, w->trip_lookups);
}

/* Every member is a number of something. */
static void add_up(struct stream_window *sum, const struct stream_window *window)
{
    double *to = (double *)sum;
    const double *from = (const double *)window;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

size_t window_kinds_add(struct window_kinds *k, const struct stream_window *window)
{
    const uint64_t key = key_of(window);
    size_t at = k->count;
    for (size_t i = k->count; i-- > 0 && at == k->count;)
        if (k->kinds[i]->key == key)
            at = i;
    if (at == k->count) {
        array_reserve(&k->kinds, &k->room, k->count, 1, sizeof(struct kind *));
        k->kinds[k->count] = memory_new(1, sizeof(struct kind));
        k->kinds[k->count++]->key = key;
    }
    add_up(&k->kinds[at]->sum, window);
    return at;
}

const struct window_busy *window_kinds_busy(struct window_kinds *k, size_t number)
{
    struct kind *kind = k->kinds[number];
    if (kind->busy_seeds == 0 || kind->sum.seeds >= MORE * kind->busy_seeds) {
        window_busy_find(k->rules, &kind->sum, &kind->busy);
        kind->busy_seeds = kind->sum.seeds;
    }
    return &kind->busy;
}

const struct window_idle *window_kinds_idle(struct window_kinds *k, size_t number, double words_a_clock)
{
    struct kind *kind = k->kinds[number];
    const long step = lround(words_a_clock * SPEED_STEPS);
    size_t nth = kind->last_speed;
    while (nth > 0 && k->speeds[nth - 1].step != step)
        nth = k->speeds[nth - 1].before;
    if (nth == 0) {
        *ARRAY_NEXT(k->speeds, k->speed_count, k->speed_room) =
            (struct speed){.before = kind->last_speed, .step = step};
        kind->last_speed = nth = k->speed_count;
    }
    struct speed *speed = &k->speeds[nth - 1];
    const struct stream_window *sum = &kind->sum;
    if (speed->seeds == 0 || sum->seeds >= MORE * speed->seeds) {
        window_idle_find(k->rules, sum, words_a_clock, &speed->idle);
        speed->seeds = sum->seeds;
    }
    return &speed->idle;
}

/* --- 1bd that waits for lookups -------------------------------------------------------------------------- */

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
static struct clocked_law arrivals_of_service(double chance, const struct stream_window *w)
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
static struct clocked_law matches_of_lookup(const struct stream_window *w)
{
    struct clocked_law law = {{0}};
    const double all = w->seeds - w->trip_lookups;
    if (all <= 0)
        law.p[0] = 1;
    for (unsigned n = 0; all > 0 && n <= STREAM_MATCHES_MOST; n++)
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

/* What came to the stage-2 FIFO within the clocks of a fetch: nothing while 1bd makes trips; a lookup in each clock
 * until those that waited meanwhile have been taken; else what 1bp sends on. */
static void find_stage2(const struct board_rules *rules, const struct stream_window *w,
                        const struct clocked_law *seeds, struct window_idle *laws)
{
    const struct clocked_law each = matches_of_lookup(w);
    const double lookups = clocked_mean(seeds), in_trips = fmin(1, lookups * w->trip_clocks / w->seeds),
                 after_trips = lookups < 1 ? fmin(1 - in_trips, in_trips * lookups / (1 - lookups)) : 0;
    struct clocked_law sent, burst = {{0}}, in_burst;
    burst.p[rules->stage2_fetch_cycles < CLOCKED_LENGTH ? rules->stage2_fetch_cycles : CLOCKED_LENGTH - 1] =
        1;
    clocked_queue_output(seeds, &laws->wmer, rules->stage2_fetch_cycles, &sent);
    clocked_sum(&sent, &each, &laws->stage2);
    clocked_sum(&burst, &each, &in_burst);
    for (unsigned n = 0; n < CLOCKED_LENGTH; n++)
        laws->stage2.p[n] = (1 - in_trips - after_trips) * laws->stage2.p[n] + after_trips * in_burst.p[n];
    laws->stage2.p[0] += in_trips;
}

/* The matches of a trip come together, whatever else is there: the first is fetched, and then one after the other is
 * taken. */
static void add_trips(const struct board_rules *rules, const struct stream_window *w, double lookups_a_clock,
                      struct clocked_law *law)
{
    struct clocked_law of = {{1}};
    for (unsigned n = 1; n <= STREAM_MATCHES_MOST; n++)
        for (unsigned left = n; left >= 1; left--) {
            const double clocks = left == n ? rules->stage2_fetch_cycles : 1,
                         chance = fmin(of.p[0], lookups_a_clock * w->groups[n] / w->seeds * clocks);
            of.p[left] += chance;
            of.p[0] -= chance;
        }
    clocked_add(law, &of, law);
}

void window_idle_find(const struct board_rules *rules, const struct stream_window *w, double words_a_clock,
                      struct window_idle *idle)
{
    const struct clocked_law seeds = arrivals(words_a_clock, w->batches, BASES_PER_WORD + 1, w->words);
    *idle = (struct window_idle){{{1}}, {{1}}, {{1}}};
    if (w->seeds <= 0)
        return;
    clocked_queue_length(&seeds, NULL, &idle->wmer);
    const double lookups = fmin(1, clocked_mean(&seeds));
    const struct clocked_law one = {{1 - lookups, lookups}}, of_service = arrivals_of_service(lookups, w);
    clocked_queue_length(&one, &of_service, &idle->sram);
    find_stage2(rules, w, &seeds, idle);
    add_trips(rules, w, lookups, &idle->stage2);
}

/* --- 1bd that is never idle ------------------------------------------------------------------------------ */

enum { BUSY_CLOCKS = 1024, COLUMNS = STREAM_MATCHES_MOST + 1 };
static const double CHANCE_NONE = 1e-9; /* of a state that is left out */

/* What there may be in a clock: a lookup whose matches came in before it, or one that waits for room. */
struct busy_state {
    double entered[CLOCKED_LENGTH];       /* P[n matches in the FIFO; the next lookup comes] */
    double held[CLOCKED_LENGTH][COLUMNS]; /* P[n matches there, and a lookup of k that have not come in] */
};

/* From the end of a trip on, 1bd takes lookups until one makes trips. */
struct busy {
    unsigned places;                  /* of the stage-2 FIFO */
    double fetching;                  /* matches that are in it because they are fetched */
    double trips;                     /* per lookup */
    struct clocked_law each;          /* matches of a lookup without trips */
    unsigned most;                    /* of them */
    double most_likely[COLUMNS];      /* of so many matches, and of more */
    double clocks, lookups;           /* sums: time of all lookups, and number of them */
    struct clocked_law lengths, ends; /* time with n matches; n when a trip begins */
};

/* The lookup's matches come in if they have room. */
static inline void enter(struct busy *b, struct busy_state *next, unsigned n, unsigned k, double p)
{
    const bool fits = n + k <= b->places || n == 0;
    const unsigned then = fits ? (n + k < b->places ? n + k : b->places) : n;
    b->lengths.p[then] += p;
    *(fits ? &next->entered[then] : &next->held[n][k]) += p;
}

static inline void take_match(struct busy *b, struct busy_state *next, unsigned n, unsigned k, double p,
                              double taken)
{
    if (taken > 0)
        enter(b, next, n - 1, k, p * taken);
    if (taken < 1)
        enter(b, next, n, k, p * (1 - taken));
}

/* @param goes_on  with probability: the next lookup makes no trips */
static void step_busy(struct busy *b, const struct busy_state *state, double goes_on, struct busy_state *next)
{
    const unsigned held_from = b->places > b->most ? b->places - b->most : 0;
    memset(next->entered, 0, (b->places + 1) * sizeof *next->entered);
    memset(next->held[held_from], 0, (b->places + 1 - held_from) * sizeof *next->held);
    double clocks = b->clocks; /* which stays in a register */
    for (unsigned n = 0; n <= b->places; n++) {
        /* While a lookup waits nothing comes, and what is there has been fetched one after the other. */
        const double comes = state->entered[n] * goes_on, taken = fmax(0, fmin(1, n - b->fetching));
        for (unsigned k = 0; k <= b->most; k++) {
            if (n + k <= b->places && comes * b->most_likely[k] < CHANCE_NONE) {
                k = b->places - n; /* more may wait */
                continue;
            }
            const double p = comes * b->each.p[k], waits = n + k > b->places ? state->held[n][k] : 0;
            if (p >= CHANCE_NONE) {
                clocks += p;
                take_match(b, next, n, k, p, taken);
            }
            if (waits >= CHANCE_NONE) {
                clocks += waits;
                take_match(b, next, n, k, waits, n > 0);
            }
        }
    }
    b->clocks = clocks;
    for (unsigned n = 0; n <= b->places; n++) {
        b->lookups += next->entered[n];
        b->ends.p[n] += next->entered[n] * b->trips;
    }
}

/* A lookup's trips follow, in which the FIFO is emptied: what it holds how often. */
static void end_busy(const struct board_rules *rules, const struct stream_window *w, struct busy *b,
                     struct window_busy *laws)
{
    const double trip = w->trip_lookups > 0 ? w->trip_clocks / w->trip_lookups : 0,
                 all = b->clocks + (w->trip_lookups > 0 ? trip : 0),
                 groups = sum_of(w->groups, STREAM_MATCHES_MOST + 1);
    double idle = trip;
    laws->lookup_clocks = b->lookups > 0 ? b->clocks / b->lookups : 1;
    laws->stage2 = b->lengths;
    for (unsigned n = 1; n <= b->places && trip > 0; n++) /* the FIFO is emptied in a trip */
        for (unsigned left = n - 1; left >= 1; left--) {
            laws->stage2.p[left] += b->ends.p[n];
            idle -= b->ends.p[n];
        }
    for (unsigned n = 1; n <= STREAM_MATCHES_MOST && groups > 0; n++) /* all trips of a lookup but the last */
        for (unsigned left = n; left >= 1; left--) {
            const double clocks = (left == n ? rules->stage2_fetch_cycles : 1) *
                                  fmax(0, groups / w->trip_lookups - 1) * w->groups[n] / groups;
            laws->stage2.p[left < b->places ? left : b->places] += clocks;
            idle -= clocks;
        }
    laws->stage2.p[0] += fmax(0, idle);
    for (unsigned n = 0; n < CLOCKED_LENGTH; n++)
        laws->stage2.p[n] /= all;
}

/* The largest level of the SRAM FIFO, and one. */
static size_t levels_of(const struct board_rules *r)
{
    const size_t sram = (size_t)r->sram_lookups + r->sram_read_cycles;
    return sram < WINDOW_LEVELS ? sram : WINDOW_LEVELS;
}

/* The level of a FIFO that 1bp keeps full, clock by clock from the end of a trip on. 1bp stops at the mark, reads in
 * flight still enter; it goes on below the mark, and its reads come later by their latency. A trip leaves the level
 * where it is, if 1bp has stopped; else it rises until it has. */
static void find_full_sram(const struct board_rules *rules, const struct stream_window *w,
                           struct window_busy *laws)
{
    const double latency = rules->sram_read_cycles, mark = rules->sram_lookups - rules->sram_margin,
                 rate = 1 / laws->lookup_clocks, trips = w->trip_lookups / w->seeds,
                 trip = trips > 0 ? w->trip_clocks / w->trip_lookups : 0, high = mark + latency - 1,
                 low = mark - latency * rate;
    static double p[WINDOW_LEVELS], rises[WINDOW_LEVELS];
    const size_t count = levels_of(rules);
    double rising = 0, level = trips > 0 ? high : mark, lasts = 1, all = 0;
    bool falls = true;
    memset(p, 0, count * sizeof *p);
    memset(rises, 0, count * sizeof *rises);
    for (unsigned clock = 0; clock < BUSY_CLOCKS && lasts > 1e-4; clock++) {
        const double begins = lasts * trips * rate;
        p[window_level(level)] += lasts;
        all += lasts + begins * trip;
        if (level >= mark && falls)
            p[window_level(level)] += begins * trip;
        else {
            const double rise = fmin(trip, high - level);
            rises[window_level(level)] += begins; /* a clock at each level from here on */
            rises[window_level(level + rise)] -= begins;
            p[window_level(level + rise)] += begins * (trip - rise);
        }
        lasts -= begins;
        level += falls ? -rate : 1 - rate;
        falls = falls ? level > low : level >= mark + latency * (1 - rate);
    }
    for (size_t n = 0; n < count; n++) {
        rising += rises[n];
        laws->sram[n] = (p[n] + rising) / all;
    }
}

void window_busy_find(const struct board_rules *rules, const struct stream_window *w,
                      struct window_busy *busy)
{
    static struct busy_state states[2];
    busy->lookup_clocks = 1;
    busy->stage2 = (struct clocked_law){{1}};
    if (w->seeds <= 0)
        return;
    struct busy b = {.places =
                         rules->stage2_matches < CLOCKED_LENGTH ? rules->stage2_matches : CLOCKED_LENGTH - 1,
                     .trips = w->trip_lookups / w->seeds,
                     .each = matches_of_lookup(w)};
    const double groups = sum_of(w->groups, STREAM_MATCHES_MOST + 1);
    for (unsigned k = COLUMNS; k-- > 0;) {
        b.most = b.most == 0 && b.each.p[k] > 0 ? k : b.most;
        b.most_likely[k] = fmax(b.each.p[k], k < STREAM_MATCHES_MOST ? b.most_likely[k + 1] : 0);
    }
    b.fetching = fmax(0, rules->stage2_fetch_cycles - 1.0) * fmin(1, clocked_mean(&b.each));
    memset(&states[0], 0, sizeof states[0]);
    for (unsigned n = 0; n <= STREAM_MATCHES_MOST; n++)
        states[0].entered[n < b.places ? n : b.places] += groups > 0 ? w->groups[n] / groups : n == 0;
    const unsigned clocks = b.trips > 0 ? BUSY_CLOCKS : BUSY_CLOCKS / 4;
    for (unsigned clock = 0; clock < clocks && b.lookups * b.trips < 1 - 1e-3; clock++)
        step_busy(&b, &states[clock % 2], clock > 0 ? 1 - b.trips : 1, &states[(clock + 1) % 2]);
    end_busy(rules, w, &b, busy);
    find_full_sram(rules, w, busy);
}
