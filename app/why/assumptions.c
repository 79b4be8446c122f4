#include "app/why/assumptions.h"

#include "base/words.h"

#define NEEDS(assumption) (1u << ASSUME_##assumption)

static const char board[] = "recurrences of the board", queues[] = "one queue at a time";

#define STEP(id, engine, needs, name, meaning) [id] = {name, engine, meaning, needs}

const struct assumption_spec assumptions[ASSUMPTIONS] = {ASSUMPTION_ROWS(STEP)};

static const struct names step_names = {assumptions, sizeof *assumptions, ASSUMPTIONS, false};

/* Put a step at the end of the order, after those that it needs; nothing if it is there already. */
static void put(enum assumption step, enum assumption *order, unsigned *count, unsigned *set)
{
    for (unsigned need = 0; need < ASSUMPTIONS; need++)
        if (assumptions[step].needs >> need & 1 && !assumption_holds(*set, need))
            put((enum assumption)need, order, count, set);
    if (assumption_holds(*set, step))
        return;
    order[(*count)++] = step;
    *set |= 1u << step;
}

int assumptions_order(const char *wish, enum assumption *order, struct why *why)
{
    unsigned count = 0, set = 0, named = 0;
    put(ASSUME_BUS, order, &count, &set);
    for (struct word rest = word_of(wish ? wish : ""); rest.length > 0;) {
        struct word name = word_cut(&rest, ",");
        int step = names_find(step_names, name);
        const char *nearest = step < 0 ? names_nearest(step_names, name) : NULL;
        if (step < 0)
            return why_say(why, ASSUMPTION_EORDER,
                           "--order: no step is named '%.*s'; expected names such as services,clumps%s%s%s",
                           (int)(name.length < 32 ? name.length : 32), name.text,
                           nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
        if (named >> step & 1)
            return why_say(why, ASSUMPTION_EORDER, "--order: %s is named twice", assumptions[step].name);
        named |= 1u << step;
        if (step != ASSUME_LOSS)
            put((enum assumption)step, order, &count, &set);
    }
    for (unsigned step = 0; step < ASSUMPTIONS; step++)
        put((enum assumption)step, order, &count, &set);
    return 0;
}
