#include "app/advise/fifo_search.h"

#include <string.h>

#include "sim/board/board_costs.h"

enum { UNBOUNDED = 1000000, BLOCK_PLACES = 512, DEPTHS_MOST = 64, TRIES_MOST = 400, REACH_UP = 2, REACH = 3 };

/* Deeper FIFOs with more block RAMs are tried if they are deeper by this factor; a step up must save this share of the
 * loss that is allowed. A machine is not searched if it would have to save this share of the time that it takes with
 * unbounded FIFOs; bounded ones saved up to 4% in what was measured. */
static const double DEEPER = 1.25, WORTH_A_STEP = 0.02, HOPELESS = 0.25;

/* Depths of one FIFO, rising, and the block RAMs of each. */
struct depths {
    uint32_t places[DEPTHS_MOST];
    uint64_t ramb18[DEPTHS_MOST];
    unsigned count;
};

/* A machine that was tried. */
struct trial {
    unsigned at[BOARD_FIFOS]; /* its depths, as indexes */
    uint64_t ramb18;
    struct machine_merit merit;
};

struct walk {
    struct fifo_search *search;
    struct hardware machine;
    struct depths depths[BOARD_FIFOS];
    uint64_t without; /* block RAMs without FIFOs */
    struct trial trials[TRIES_MOST];
    unsigned count;
};

/* --- costs ----------------------------------------------------------------------------------------------- */

static void set_all(struct hardware *machine, uint32_t places)
{
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        *board_fifo_depth(i, &machine->board) = places;
}

struct hardware fifo_search_without(const struct hardware *machine)
{
    struct hardware without = *machine;
    set_all(&without, 1);
    return without;
}

static uint64_t ramb18_of(const struct walk *w, enum board_fifo fifo, uint32_t places)
{
    struct hardware one = fifo_search_without(&w->machine);
    *board_fifo_depth(fifo, &one.board) = places;
    return board_costs_of(&one).ramb18 - w->without;
}

static void add_depth(struct walk *w, enum board_fifo fifo, uint32_t places)
{
    struct depths *d = &w->depths[fifo];
    unsigned at = d->count;
    while (at > 0 && d->places[at - 1] > places)
        at--;
    if (d->count == DEPTHS_MOST || (at > 0 && d->places[at - 1] == places))
        return;
    memmove(&d->places[at + 1], &d->places[at], (d->count - at) * sizeof *d->places);
    memmove(&d->ramb18[at + 1], &d->ramb18[at], (d->count - at) * sizeof *d->ramb18);
    d->places[at] = places;
    d->ramb18[at] = ramb18_of(w, fifo, places);
    d->count++;
}

/* A depth that is given beyond what is enough counts as enough. */
static void list_depths(struct walk *w, enum board_fifo fifo)
{
    uint32_t least = hardware_fifo_least(&w->machine, fifo), last = 0;
    double most = w->search->unbounded.fifo_most[fifo] + least;
    uint32_t enough = most < UNBOUNDED ? (uint32_t)most : UNBOUNDED;
    uint32_t logic = least > BOARD_LUT_PLACES ? least : BOARD_LUT_PLACES;
    add_depth(w, fifo, least);
    if (w->search->before[fifo] < enough)
        add_depth(w, fifo, w->search->before[fifo]);
    add_depth(w, fifo, enough < logic ? enough : logic);
    for (uint32_t places = BLOCK_PLACES; places < enough; places += BLOCK_PLACES)
        if (places >= DEEPER * last && places > least &&
            ramb18_of(w, fifo, places) < ramb18_of(w, fifo, places + 1)) {
            add_depth(w, fifo, places);
            last = places;
        }
    add_depth(w, fifo, enough);
}

/* --- trials ---------------------------------------------------------------------------------------------- */

/* Block RAMs of a board with these depths. */
static uint64_t cost_of(const struct walk *w, const unsigned at[BOARD_FIFOS])
{
    uint64_t sum = w->without;
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        sum += w->depths[i].ramb18[at[i]];
    return sum;
}

/* Try depths, unless they were tried. A trial too many, or with too many block RAMs, has no `found`. */
static int try_depths(struct walk *w, const unsigned at[BOARD_FIFOS], const struct trial **found)
{
    *found = NULL;
    for (unsigned i = 0; i < w->count; i++)
        if (memcmp(w->trials[i].at, at, sizeof w->trials[i].at) == 0)
            *found = &w->trials[i];
    if (*found || w->count == TRIES_MOST || cost_of(w, at) > w->search->most_ramb18)
        return 0;
    struct trial *trial = &w->trials[w->count];
    memcpy(trial->at, at, sizeof trial->at);
    trial->ramb18 = cost_of(w, at);
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        *board_fifo_depth(i, &w->machine.board) = w->depths[i].places[at[i]];
    int status = w->search->try_machine(w->search->data, &w->machine, &trial->merit);
    w->count += status == 0;
    *found = status == 0 ? trial : NULL;
    return status;
}

static bool is_better(const struct trial *a, const struct trial *b)
{
    return a->ramb18 < b->ramb18 || (a->ramb18 == b->ramb18 && a->merit.total_s < b->merit.total_s);
}

static bool is_within_limits(const struct walk *w, const struct trial *t)
{
    return t->merit.allowed && t->merit.total_s <= w->search->slowest_s;
}

/* The machine with the fewest block RAMs among those within the limits that are quick enough; among all machines if
 * none is within the limits, for neighbours of that one may be. */
static const struct trial *choose(const struct walk *w)
{
    const struct trial *quickest = NULL, *best = NULL;
    for (const struct trial *t = w->trials; t < w->trials + w->count; t++) {
        bool within = is_within_limits(w, t), before = quickest && is_within_limits(w, quickest);
        if (!quickest || (within == before ? t->merit.total_s < quickest->merit.total_s : within))
            quickest = t;
    }
    for (const struct trial *t = w->trials; t < w->trials + w->count; t++)
        if (is_within_limits(w, t) == is_within_limits(w, quickest) &&
            (1 - w->search->loss) * t->merit.total_s <= quickest->merit.total_s &&
            (!best || is_better(t, best)))
            best = t;
    return best;
}

/* --- the search ------------------------------------------------------------------------------------------ */

/* The next depth with more block RAMs, the deepest for so many. @return its index, or the number of depths */
static unsigned next_up(const struct depths *d, unsigned at)
{
    unsigned next = at;
    while (next < d->count && d->ramb18[next] == d->ramb18[at])
        next++;
    while (next + 1 < d->count && d->ramb18[next + 1] == d->ramb18[next])
        next++;
    return next;
}

/* One step up: the FIFO and the depth that save the most time per block RAM.
 * @return 1, 0 if nothing saves any, or an error */
static int step_up(struct walk *w, const struct trial **here)
{
    const struct trial *best = NULL;
    double most = 0, worth_s = WORTH_A_STEP * w->search->loss * (*here)->merit.total_s;
    for (unsigned i = 0; i < BOARD_FIFOS; i++) {
        unsigned at[BOARD_FIFOS];
        memcpy(at, (*here)->at, sizeof at);
        if ((*here)->merit.fifo_most[i] + hardware_fifo_least(&w->machine, i) <= w->depths[i].places[at[i]])
            continue; /* it was never full */
        for (unsigned reach = 0; reach < REACH_UP && at[i] < w->depths[i].count; reach++) {
            const struct trial *there = NULL;
            at[i] = next_up(&w->depths[i], at[i]);
            int status = at[i] < w->depths[i].count ? try_depths(w, at, &there) : 0;
            if (status)
                return status;
            double saved_s = there ? (*here)->merit.total_s - there->merit.total_s : 0;
            double rate = there ? saved_s / (double)(there->ramb18 - (*here)->ramb18) : 0;
            if (saved_s > worth_s && rate > most) {
                most = rate;
                best = there;
            }
        }
    }
    *here = best ? best : *here;
    return best != NULL;
}

/* Try the neighbours of the best machine that have as many block RAMs, or fewer. */
static int try_neighbours(struct walk *w, const struct trial *best)
{
    int status = 0;
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        for (unsigned to = 0; to < w->depths[i].count && status == 0; to++) {
            unsigned at[BOARD_FIFOS];
            const struct trial *ignored;
            memcpy(at, best->at, sizeof at);
            at[i] = to;
            if (to + REACH >= best->at[i] && cost_of(w, at) <= best->ramb18)
                status = try_depths(w, at, &ignored);
        }
    return status;
}

static int walk(struct walk *w)
{
    unsigned first[BOARD_FIFOS] = {0}, last[BOARD_FIFOS], as_given[BOARD_FIFOS] = {0};
    const struct trial *here, *ignored, *best = NULL;
    for (unsigned i = 0; i < BOARD_FIFOS; i++) {
        const struct depths *d = &w->depths[i];
        while (first[i] + 1 < d->count && d->ramb18[first[i] + 1] == d->ramb18[0])
            first[i]++;
        last[i] = d->count - 1;
        while (as_given[i] < last[i] && d->places[as_given[i]] < w->search->before[i])
            as_given[i]++;
    }
    int status = try_depths(w, as_given, &ignored);
    if (status == 0)
        status = try_depths(w, last, &ignored);
    if (status == 0)
        status = try_depths(w, first, &here);
    for (int more = status == 0 && here; more > 0 && status == 0;) {
        more = step_up(w, &here);
        status = more < 0 ? more : 0;
    }
    while (status == 0 && choose(w) != best) {
        best = choose(w);
        status = try_neighbours(w, best);
    }
    w->search->found = best && is_within_limits(w, best);
    for (unsigned i = 0; i < BOARD_FIFOS && w->search->found; i++)
        w->search->depths[i] = w->depths[i].places[best->at[i]];
    if (w->search->found)
        w->search->bounded = best->merit;
    return status;
}

int fifo_search_run(struct fifo_search *s, const struct hardware *given)
{
    struct hardware without = fifo_search_without(given);
    struct walk w = {.search = s, .machine = *given, .without = board_costs_of(&without).ramb18};
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        s->before[i] = s->depths[i] = board_fifo_places(i, &given->board);
    s->found = false;
    set_all(&w.machine, UNBOUNDED);
    int status = s->try_machine(s->data, &w.machine, &s->unbounded);
    if (status || s->unbounded.total_s * (1 - HOPELESS) > s->slowest_s)
        return status;
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        list_depths(&w, i);
    return walk(&w);
}
