#include "blast/sequence/dust.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TRIPLET_BASES = 3, TRIPLETS = 64, TRIPLETS_IN_WINDOW = DUST_WINDOW_MAX - TRIPLET_BASES + 1 };

/* The perfect intervals that begin at one triplet: their best score, and the end of the last of them. */
struct perfect {
    unsigned sum, divisor; /* the score is sum / divisor; the divisor is 0 if there is no such interval */
    uint64_t end;          /* position after the last base */
};

/* The triplets of the window, which the paper calls w, and of its suffix v: the longest in which no triplet occurs
 * more than 2 level / 10 times, so that no interval inside it scores enough. A triplet's number is the position of
 * its first base. */
struct window {
    const struct dust_rule *rule;
    unsigned triplets_max;
    uint64_t first, end;        /* triplets first .. end - 1 are in the window */
    uint64_t suffix;            /* triplets suffix .. end - 1 are in the suffix */
    uint8_t triplets[64];       /* by number modulo 64 */
    struct perfect perfect[64]; /* by the number of the first triplet modulo 64 */
    unsigned counts[TRIPLETS], suffix_counts[TRIPLETS];
    unsigned sum, suffix_sum; /* sums of c (c - 1) / 2 */
};

static_assert(TRIPLETS_IN_WINDOW <= 64, "triplets are numbered modulo 64");

struct masker {
    struct window window;
    uint64_t masked_end; /* end of the last masked interval of this record, or 0 */
    struct mask *out;
};

struct dust_rule dust_rule_default(void)
{
    return (struct dust_rule){.level = 20, .window = 64, .linker = 1};
}

/* --- the rule as text ------------------------------------------------------------------------------------ */

/* Read a whole number in a range, and move the text past it and the spaces after it. */
static bool take_number(const char **text, unsigned least, unsigned most, unsigned *number)
{
    if (!isdigit((unsigned char)**text))
        return false;
    char *end;
    unsigned long value = strtoul(*text, &end, 10);
    *number = (unsigned)value;
    *text = end + strspn(end, " ");
    return (*end == '\0' || *end == ' ') && value >= least && value <= most;
}

int dust_rule_parse(const char *text, struct dust_rule *rule, struct why *why)
{
    struct dust_rule parsed = dust_rule_default();
    const char *rest = text + strspn(text, " ");
    if (strcmp(text, "yes") != 0 && !(take_number(&rest, 2, 64, &parsed.level) &&
                                      take_number(&rest, 8, DUST_WINDOW_MAX, &parsed.window) &&
                                      take_number(&rest, 1, 32, &parsed.linker) && *rest == '\0'))
        return why_say(why, WHY_SAID,
                       "'%.40s': expected yes, no or 'LEVEL WINDOW LINKER': level 2 to 64, window 8 to %d, "
                       "linker 1 to 32, e.g. '20 64 1'",
                       text, DUST_WINDOW_MAX);
    *rule = parsed;
    return 0;
}

/* --- the window ------------------------------------------------------------------------------------------ */

static void triplet_enter(unsigned *sum, unsigned *counts, uint8_t triplet)
{
    *sum += counts[triplet]++;
}

static void triplet_leave(unsigned *sum, unsigned *counts, uint8_t triplet)
{
    *sum -= --counts[triplet];
}

static void window_start(struct window *w, uint64_t position)
{
    *w = (struct window){
        .rule = w->rule,
        .triplets_max = w->rule->window - TRIPLET_BASES + 1,
        .first = position,
        .end = position,
        .suffix = position,
    };
}

static void window_drop_first(struct window *w)
{
    uint8_t triplet = w->triplets[w->first % 64];
    triplet_leave(&w->sum, w->counts, triplet);
    if (w->suffix == w->first) {
        triplet_leave(&w->suffix_sum, w->suffix_counts, triplet);
        w->suffix++;
    }
    w->perfect[w->first % 64] = (struct perfect){0};
    w->first++;
}

static void window_push(struct window *w, uint8_t triplet)
{
    w->triplets[w->end++ % 64] = triplet;
    triplet_enter(&w->sum, w->counts, triplet);
    triplet_enter(&w->suffix_sum, w->suffix_counts, triplet);
    if (10 * w->suffix_counts[triplet] <= 2 * w->rule->level)
        return;
    uint8_t dropped;
    do {
        dropped = w->triplets[w->suffix++ % 64];
        triplet_leave(&w->suffix_sum, w->suffix_counts, dropped);
    } while (dropped != triplet);
}

static bool scores_more(const struct perfect *a, const struct perfect *b)
{
    return a->divisor > 0 && (b->divisor == 0 || a->sum * b->divisor > b->sum * a->divisor);
}

/* Find the perfect intervals that end with the last triplet: extend one leftwards from there, and compare its
 * score with the best of the intervals inside it. */
static void window_find_perfect(struct window *w)
{
    struct perfect best = {0};
    struct perfect interval = {.sum = w->suffix_sum, .end = w->end - 1 + TRIPLET_BASES};
    unsigned counts[TRIPLETS];
    if (10 * w->sum <= w->rule->level * (w->end - w->suffix))
        return;
    memcpy(counts, w->suffix_counts, sizeof counts);
    for (uint64_t i = w->end; i-- > w->first;) {
        struct perfect *here = &w->perfect[i % 64];
        if (scores_more(here, &best))
            best = *here;
        if (i >= w->suffix)
            continue;
        triplet_enter(&interval.sum, counts, w->triplets[i % 64]);
        interval.divisor = (unsigned)(w->end - 1 - i);
        if (10 * interval.sum > w->rule->level * interval.divisor && !scores_more(&best, &interval))
            *here = best = interval;
    }
}

/* --- a record -------------------------------------------------------------------------------------------- */

static void mask_interval(struct masker *m, uint64_t begin, uint64_t end)
{
    uint64_t last = m->masked_end;
    if (last > 0 && begin >= last && begin - last < m->window.rule->linker)
        begin = last;
    m->masked_end = end > last ? end : last;
    mask_add(m->out, begin, end);
}

/* Drop the window's first triplet, and mask the perfect intervals that begin with it. */
static void drop_first(struct masker *m)
{
    struct window *w = &m->window;
    struct perfect leaving = w->perfect[w->first % 64];
    uint64_t begin = w->first;
    window_drop_first(w);
    if (leaving.divisor != 0)
        mask_interval(m, begin, leaving.end);
}

static void take_triplet(struct masker *m, uint8_t triplet)
{
    struct window *w = &m->window;
    if (w->end - w->first == w->triplets_max)
        drop_first(m);
    window_push(w, triplet);
    window_find_perfect(w);
}

static void drain(struct masker *m)
{
    while (m->window.first < m->window.end)
        drop_first(m);
}

static void mask_record(struct masker *m, const struct sequences *s, const struct sequence_record *record)
{
    unsigned bases = 0, triplet = 0; /* bases since the last ambiguous one */
    m->masked_end = 0;
    for (uint64_t i = record->begin; i < record->begin + record->bases; i++) {
        unsigned code = sequences_code(s, i);
        if (code > BASE_T) {
            drain(m);
            bases = 0;
            continue;
        }
        triplet = (triplet << 2 | code) % TRIPLETS;
        if (++bases == TRIPLET_BASES)
            window_start(&m->window, i + 1 - TRIPLET_BASES);
        if (bases >= TRIPLET_BASES)
            take_triplet(m, (uint8_t)triplet);
    }
    drain(m);
}

void dust_mask_sequences(const struct sequences *s, const struct dust_rule *rule, struct mask *out)
{
    struct masker m = {.window = {.rule = rule}, .out = out};
    for (size_t i = 0; i < s->record_count; i++)
        mask_record(&m, s, &s->records[i]);
}
