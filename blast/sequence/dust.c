#include "blast/sequence/dust.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"

enum { TRIPLET_BASES = 3, TRIPLETS = 64, TRIPLETS_IN_WINDOW = DUST_WINDOW_MAX - TRIPLET_BASES + 1 };

/* Perfect intervals that begin at one triplet: the best score among them, and how far the last reaches. */
struct perfect {
    unsigned sum, divisor; /* score sum / divisor; divisor 0: none */
    uint64_t end;          /* behind its last base */
};

/* Triplets of the window with what the paper calls w and v: all, and the longest suffix in which none occurs more than
 * 2 level / 10 times, so that no interval inside it scores enough. */
struct window {
    const struct dust_rule *rule;
    unsigned most;            /* triplets that fit */
    uint64_t first, end;      /* triplets first .. end - 1 are inside, by the position of their first base */
    uint64_t suffix;          /* first triplet of the suffix */
    uint8_t triplets[64];     /* by position modulo 64 */
    struct perfect begin[64]; /* likewise, of intervals whose first triplet is still inside */
    unsigned counts[TRIPLETS], suffix_counts[TRIPLETS];
    unsigned sum, suffix_sum; /* of c (c - 1) / 2 */
};

_Static_assert(TRIPLETS_IN_WINDOW <= 64, "positions are taken modulo 64");

struct masker {
    struct window window;
    uint64_t masked_end; /* of this record, 0 before the first */
    struct mask *out;
};

struct dust_rule dust_rule_default(void)
{
    return (struct dust_rule){.level = 20, .window = 64, .linker = 1};
}

/* --- the rule as text ------------------------------------------------------------------------------------ */

/* A whole number in a range; text moves behind it and the white space that follows. */
static int take_number(const char **text, unsigned least, unsigned most, unsigned *number)
{
    char *end;
    unsigned long value;

    if (!isdigit((unsigned char)**text))
        return DUST_ERULE;
    value = strtoul(*text, &end, 10);
    if ((*end != '\0' && *end != ' ') || value < least || value > most)
        return DUST_ERULE;
    *number = (unsigned)value;
    *text = end + strspn(end, " ");
    return 0;
}

int dust_rule_parse(const char *text, struct dust_rule *rule, struct why *why)
{
    struct dust_rule r = dust_rule_default();
    const char *rest = text + strspn(text, " ");

    if (strcmp(text, "yes") == 0) {
        *rule = r;
        return 0;
    }
    if (take_number(&rest, 2, 64, &r.level) != 0 || take_number(&rest, 8, DUST_WINDOW_MAX, &r.window) != 0 ||
        take_number(&rest, 1, 32, &r.linker) != 0 || *rest != '\0')
        return why_say(
            why, DUST_ERULE,
            "'%.40s': expected yes, no or 'LEVEL WINDOW LINKER': level 2 to 64, window 8 to %d, linker 1 to "
            "32, e.g. '20 64 1'",
            text, DUST_WINDOW_MAX);
    *rule = r;
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
    const struct dust_rule *rule = w->rule;

    memset(w, 0, sizeof *w);
    w->rule = rule;
    w->most = rule->window - TRIPLET_BASES + 1;
    w->first = w->end = w->suffix = position;
}

static void window_drop_first(struct window *w)
{
    uint8_t triplet = w->triplets[w->first % 64];

    triplet_leave(&w->sum, w->counts, triplet);
    if (w->suffix == w->first) {
        triplet_leave(&w->suffix_sum, w->suffix_counts, triplet);
        w->suffix++;
    }
    w->begin[w->first % 64] = (struct perfect){.divisor = 0};
    w->first++;
}

static void window_push(struct window *w, uint8_t triplet)
{
    uint8_t left;

    w->triplets[w->end++ % 64] = triplet;
    triplet_enter(&w->sum, w->counts, triplet);
    triplet_enter(&w->suffix_sum, w->suffix_counts, triplet);
    if (10 * w->suffix_counts[triplet] <= 2 * w->rule->level)
        return;
    do {
        left = w->triplets[w->suffix++ % 64];
        triplet_leave(&w->suffix_sum, w->suffix_counts, left);
    } while (left != triplet);
}

static int scores_more(const struct perfect *a, const struct perfect *b)
{
    return a->divisor > 0 && (b->divisor == 0 || a->sum * b->divisor > b->sum * a->divisor);
}

/* Which intervals that end with the last triplet are perfect. */
static void window_find_perfect(struct window *w)
{
    struct perfect best = {.divisor = 0}; /* of those inside the interval looked at */
    struct perfect now = {.sum = w->suffix_sum, .end = w->end - 1 + TRIPLET_BASES};
    unsigned counts[TRIPLETS];

    if (10 * w->sum <= w->rule->level * (w->end - w->suffix))
        return;
    memcpy(counts, w->suffix_counts, sizeof counts);
    for (uint64_t i = w->end; i-- > w->first;) {
        struct perfect *here = &w->begin[i % 64];

        if (scores_more(here, &best))
            best = *here;
        if (i >= w->suffix)
            continue;
        triplet_enter(&now.sum, counts, w->triplets[i % 64]);
        now.divisor = (unsigned)(w->end - 1 - i);
        if (10 * now.sum > w->rule->level * now.divisor && !scores_more(&best, &now))
            *here = best = now;
    }
}

/* --- a record -------------------------------------------------------------------------------------------- */

static int mask_interval(struct masker *m, uint64_t begin, uint64_t end)
{
    uint64_t last = m->masked_end;

    if (last > 0 && begin >= last && begin - last < m->window.rule->linker)
        begin = last;
    m->masked_end = end > last ? end : last;
    return mask_add(m->out, begin, end) == 0 ? 0 : DUST_EMEMORY;
}

/* Move the window on by a triplet, or only its begin: an interval is masked when its begin leaves. */
static int drop_first(struct masker *m)
{
    struct window *w = &m->window;
    struct perfect leaving = w->begin[w->first % 64];
    uint64_t begin = w->first;

    window_drop_first(w);
    return leaving.divisor > 0 ? mask_interval(m, begin, leaving.end) : 0;
}

static int take_triplet(struct masker *m, uint8_t triplet)
{
    struct window *w = &m->window;

    if (w->end - w->first == w->most && drop_first(m) != 0)
        return DUST_EMEMORY;
    window_push(w, triplet);
    window_find_perfect(w);
    return 0;
}

static int drain(struct masker *m)
{
    while (m->window.first < m->window.end)
        if (drop_first(m) != 0)
            return DUST_EMEMORY;
    return 0;
}

static int mask_record(struct masker *m, const struct sequences *s, const struct sequence_record *record)
{
    unsigned good = 0, triplet = 0;
    int status = 0;

    m->masked_end = 0;
    for (uint64_t i = record->begin; i < record->begin + record->bases && status == 0; i++) {
        unsigned code = sequences_code(s, i);

        if (code > BASE_T) {
            status = good >= TRIPLET_BASES ? drain(m) : 0;
            good = 0;
            continue;
        }
        triplet = (triplet << 2 | code) % TRIPLETS;
        if (++good == TRIPLET_BASES)
            window_start(&m->window, i + 1 - TRIPLET_BASES);
        if (good >= TRIPLET_BASES)
            status = take_triplet(m, (uint8_t)triplet);
    }
    return status == 0 && good >= TRIPLET_BASES ? drain(m) : status;
}

int dust_sequences(const struct sequences *s, const struct dust_rule *rule, struct mask *out)
{
    struct masker m = {.window = {.rule = rule}, .out = out};

    for (size_t i = 0; i < s->record_count; i++)
        if (mask_record(&m, s, &s->records[i]) != 0)
            return DUST_EMEMORY;
    return 0;
}
