#include "sim/board_intervals.h"

#include <stdlib.h>

void board_intervals_destroy(struct board_intervals *intervals)
{
    free(intervals->clocks);
}

enum { FEW_SEEDS = 3, CHUNK = 512 };

static bool make_room(struct board_intervals *b, size_t count)
{
    count += FEW_SEEDS; /* expand_words() writes ahead */
    if (count <= b->room)
        return true;
    free(b->clocks);
    b->clocks = malloc(2 * count * sizeof *b->clocks);
    b->room = b->clocks ? 2 * count : 0;
    return b->room > 0;
}

/* Services of a stage that takes an element `delay` clocks after its arrival at the soonest, one after the other. */
static void tap_services(struct board_intervals *b, enum board_interval services, const int64_t *arrived,
                         const int64_t *left, int64_t delay, size_t count)
{
    int64_t times[CHUNK], before = b->left[services];
    for (size_t done = 0; done < count; done += CHUNK) {
        size_t part = count - done < CHUNK ? count - done : CHUNK;
        const int64_t *from = arrived + done, *to = left + done;
        int64_t ready = from[0] + delay - 1;
        times[0] = to[0] - (ready > before ? ready : before);
        for (size_t i = 1; i < part; i++) {
            ready = from[i] + delay - 1;
            times[i] = to[i] - (ready > to[i - 1] ? ready : to[i - 1]);
        }
        before = to[part - 1];
        interval_tap_times(&b->taps[services], times, part);
    }
    b->left[services] = before;
}

/* The clock of each word, once a seed of it. Most words have few: these are written whether they are there or not. */
static void expand_words(const struct tokens *t, const int64_t *taken, int64_t *clocks)
{
    for (size_t word = 0; word < t->word_count; word++) {
        for (unsigned i = 0; i < FEW_SEEDS; i++)
            clocks[i] = taken[word];
        for (unsigned i = FEW_SEEDS; i < t->words[word]; i++)
            clocks[i] = taken[word];
        clocks += t->words[word];
    }
}

static void expand_groups(const struct tokens *t, const int64_t *entered, int64_t *clocks)
{
    for (size_t group = 0; group < t->group_count; group++)
        for (unsigned i = 0; i < t->groups[group].matches; i++)
            *clocks++ = entered[group];
}

static void tap_lookups(struct board_intervals *b, const struct board_times *times, size_t count)
{
    int64_t services[CHUNK];
    for (size_t done = 0; done < count; done += CHUNK) {
        size_t part = count - done < CHUNK ? count - done : CHUNK;
        for (size_t i = 0; i < part; i++)
            services[i] = times->seed_done[done + i] - times->seed_taken[done + i];
        interval_tap_times(&b->taps[SERVICES_1BD], services, part);
    }
}

bool board_intervals_block(struct board_intervals *b, const struct board_rules *rules, const struct tokens *t,
                           const struct board_times *times)
{
    size_t most = t->word_count;
    most = t->seed_count > most ? t->seed_count : most;
    most = t->match_count > most ? t->match_count : most;
    if (!make_room(b, most))
        return false;
    interval_tap_clocks(&b->taps[ARRIVALS_1A], times->word_delivered, t->word_count);
    tap_services(b, SERVICES_1A, times->word_delivered, times->word_taken, 1, t->word_count);
    expand_words(t, times->word_taken, b->clocks);
    interval_tap_clocks(&b->taps[ARRIVALS_1BP], b->clocks, t->seed_count);
    tap_services(b, SERVICES_1BP, b->clocks, times->seed_issued, 1, t->seed_count);
    interval_tap_clocks(&b->taps[ARRIVALS_1BD], times->seed_issued, t->seed_count);
    tap_lookups(b, times, t->seed_count);
    expand_groups(t, times->group_entered, b->clocks);
    interval_tap_clocks(&b->taps[ARRIVALS_2], b->clocks, t->match_count);
    tap_services(b, SERVICES_2, b->clocks, times->match_taken, board_latency(rules->stage2_fetch_cycles),
                 t->match_count);
    return true;
}
