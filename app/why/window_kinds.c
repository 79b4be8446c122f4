#include "app/why/window_kinds.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

#define KIND_STEP   1.1
#define MORE        4   /* times as many seeds: ask again */
#define SPEED_STEPS 128 /* of a word per clock */

/* Seeds are those of the sum when the rules were asked; 0: they were not. */
struct kind {
    uint64_t key;
    struct window sum;
    double busy_seeds;
    struct window_busy busy;
};

struct speed {
    size_t kind;
    long step;
    double seeds;
    struct window_idle idle;
};

struct window_kinds {
    const struct board_rules *rules;
    struct kind **kinds;
    struct speed *speeds;
    size_t count, room, speed_count, speed_room;
    struct kind spare; /* of all windows for which there is no memory */
    bool failed;
};

struct window_kinds *window_kinds_new(const struct board_rules *rules)
{
    struct window_kinds *k = calloc(1, sizeof *k);
    if (k)
        k->rules = rules;
    return k;
}

void window_kinds_destroy(struct window_kinds *k)
{
    for (size_t i = 0; k && i < k->count; i++)
        free(k->kinds[i]);
    if (k) {
        free(k->kinds);
        free(k->speeds);
    }
    free(k);
}

bool window_kinds_failed(const struct window_kinds *k)
{
    return k->failed;
}

static uint64_t step_of(double part, double whole)
{
    return part > 0 ? (uint64_t)(lround(log(part / whole) / log(KIND_STEP)) + 0x4000) & 0x7fff : 0;
}

static uint64_t key_of(const struct window *w)
{
    return step_of(w->seeds, w->words) << 48 | step_of(w->matches, w->seeds) << 32 |
           step_of(w->trip_lookups, w->seeds) << 16 | step_of(w->trip_clocks, w->trip_lookups);
}

/* Every member is a number of something. */
static void add_up(struct window *sum, const struct window *window)
{
    double *to = (double *)sum;
    const double *from = (const double *)window;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

size_t window_kinds_add(struct window_kinds *k, const struct window *window)
{
    const uint64_t key = key_of(window);
    size_t at = k->count;
    for (size_t i = k->count; i-- > 0 && at == k->count;)
        if (k->kinds[i]->key == key)
            at = i;
    if (at == k->count) {
        struct kind *kind = calloc(1, sizeof *kind);
        if (!kind || !array_reserve(&k->kinds, &k->room, k->count, 1, sizeof(struct kind *))) {
            free(kind);
            k->failed = true;
            return SIZE_MAX;
        }
        kind->key = key;
        k->kinds[k->count++] = kind;
    }
    add_up(&k->kinds[at]->sum, window);
    return at;
}

static struct kind *kind_of(struct window_kinds *k, size_t kind)
{
    return kind < k->count ? k->kinds[kind] : &k->spare;
}

const struct window_busy *window_kinds_busy(struct window_kinds *k, size_t number)
{
    struct kind *kind = kind_of(k, number);
    if (kind->busy_seeds == 0 || kind->sum.seeds >= MORE * kind->busy_seeds) {
        window_busy_find(k->rules, &kind->sum, &kind->busy);
        kind->busy_seeds = kind->sum.seeds;
    }
    return &kind->busy;
}

const struct window_idle *window_kinds_idle(struct window_kinds *k, size_t number, double words_a_clock)
{
    static struct window_idle nothing;
    const struct window *sum = &kind_of(k, number)->sum;
    const long step = lround(words_a_clock * SPEED_STEPS);
    size_t at = 0;
    while (at < k->speed_count && (k->speeds[at].kind != number || k->speeds[at].step != step))
        at++;
    if (at == k->speed_count) {
        if (!array_reserve(&k->speeds, &k->speed_room, k->speed_count, 1, sizeof *k->speeds)) {
            k->failed = true;
            return &nothing;
        }
        k->speeds[k->speed_count++] = (struct speed){.kind = number, .step = step};
    }
    struct speed *speed = &k->speeds[at];
    if (speed->seeds == 0 || sum->seeds >= MORE * speed->seeds) {
        window_idle_find(k->rules, sum, words_a_clock, &speed->idle);
        speed->seeds = sum->seeds;
    }
    return &speed->idle;
}
