#include "app/why/assumptions.h"

#include "base/words.h"

#define NEEDS(assumption) (1u << ASSUME_##assumption)

static const char board[] = "recurrences of the board", queues[] = "one queue at a time";

const struct assumption_spec assumptions[ASSUMPTIONS] = {
    [ASSUME_BUS] =
        {"bus", board,
         "engine, no assumption: bus and host in closed form, passes one by one, instead of SimGrid", 0},
    [ASSUME_RECORDS] = {"records", board, "records to the host take no time of the bus and wait for nothing",
                        0},
    [ASSUME_SOURCE] = {"source", board,
                       "words come at the run's mean rate, one like the other, from an open source", 0},
    [ASSUME_CLUMPS] = {"clumps", board, "the run's seeds are dealt at random over its w-mers: no clumps", 0},
    [ASSUME_CLUSTERS] =
        {"clusters", board,
         "what lookups do (trips, matches) is dealt at random over the run's seeds: no clusters", 0},
    [ASSUME_FETCH] = {"fetch", board, "stage 2 takes a match without stage2.fetch_cycles", 0},
    [ASSUME_CLOCKS] =
        {"clocks", board,
         "engine, real time: no rounding to clocks; who finds a free server does not wait a clock", 0},
    [ASSUME_EMPTY] = {"empty", board, "lookups of empty slots end at 1bp and do not come to 1bd", 0},
    [ASSUME_RATES] = {"rates", board,
                      "1bd has the formulas' mean service: M_1b SRAM reads (over M_2) instead of trips",
                      NEEDS(CLOCKS)},
    [ASSUME_BOUNDS] = {"bounds", board, "FIFOs without a bound: no back-pressure",
                       NEEDS(CLOCKS) | NEEDS(SOURCE)},
    [ASSUME_POISSON] = {"poisson", queues,
                        "what comes together comes to each queue at random times of its own", NEEDS(BOUNDS)},
    [ASSUME_SINGLES] = {"singles", queues,
                        "w-mers, seeds and matches come one by one, not by words and trips", NEEDS(POISSON)},
    [ASSUME_MEMORY] = {"memory", queues,
                       "1bp has that mean service, too, instead of a clock: it shares the memory",
                       NEEDS(POISSON)},
    [ASSUME_SERVICES] = {"services", queues, "exponential services of the same means", NEEDS(POISSON)},
    [ASSUME_JOINED] = {"joined", queues, "1b is one queue with one server, not 1bp and 1bd in a row",
                       NEEDS(POISSON)},
    [ASSUME_SIGNAL] = {"signal", queues,
                       "P_BP counts K elements in queue and server, not the free places of a FIFO",
                       NEEDS(POISSON)},
    [ASSUME_LOSS] = {"loss", queues, "K places; who finds none is lost, and the offered rate makes up for it",
                     (1u << ASSUME_LOSS) - 1},
};

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
