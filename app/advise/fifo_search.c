#include "app/advise/fifo_search.h"

#include <string.h>

#include "sim/board/board_costs.h"

enum { UNBOUNDED = 1000000, BLOCK_PLACES = 512, DEPTHS_MOST = 64, TRIES_MOST = 400, REACH_UP = 2, REACH = 3 };

/* Deeper FIFOs with more block RAMs are tried if they are deeper by this factor; a step up must save this share of the
 * loss that is allowed. A machine is not searched if it would have to save this share of the time that it takes with
 * unbounded FIFOs; bounded ones saved up to 4% in what was measured. */
static const double DEEPER = 1.25, WORTH_A_STEP = 0.02, HOPELESS = 0.25;

/* Depths of one FIFO, rising. */
struct depths {
    struct depth {
        uint32_t places;
        uint64_t ramb18;
    } list[DEPTHS_MOST];
    unsigned count;
};

/* A machine that was tried. */
struct trial {
    unsigned at[BOARD_FIFOS]; /* its depths, as indexes */
    uint64_t ramb18;
    struct machine_merit merit;
};

struct walk {
    const struct fifo_search *search;
    struct hardware machine;
    struct fifo_result *result;
    uint32_t given[BOARD_FIFOS]; /* depths */
    struct depths depths[BOARD_FIFOS];
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
    return board_costs_of(&one).ramb18;
}

static void add_depth(struct walk *w, enum board_fifo fifo, uint32_t places)
{
    struct depths *d = &w->depths[fifo];
    unsigned at = d->count;
    while (at > 0 && d->list[at - 1].places > places)
        at--;
    if (d->count == DEPTHS_MOST || (at > 0 && d->list[at - 1].places == places))
        return;
    memmove(&d->list[at + 1], &d->list[at], (d->count++ - at) * sizeof d->list[0]);
    d->list[at] = (struct depth){places, ramb18_of(w, fifo, places)};
}

/* A depth that is given beyond what is enough counts as enough. */
static void list_depths(struct walk *w, enum board_fifo fifo)
{
    uint32_t least = hardware_fifo_least(&w->machine, fifo), last = 0;
    double most = w->result->unbounded.fifo_most[fifo] + least;
    uint32_t enough = most < UNBOUNDED ? (uint32_t)most : UNBOUNDED;
    uint32_t logic = least > BOARD_LUT_PLACES ? least : BOARD_LUT_PLACES;
    add_depth(w, fifo, least);
    if (w->given[fifo] < enough)
        add_depth(w, fifo, w->given[fifo]);
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

/* A machine with these depths. */
static struct hardware machine_of(const struct walk *w, const unsigned at[BOARD_FIFOS])
{
    struct hardware machine = w->machine;
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        *board_fifo_depth(i, &machine.board) = w->depths[i].list[at[i]].places;
    return machine;
}

/* Block RAMs of a board with these depths: more than those of its FIFOs, for two depths together say how many words of
 * the database wait for stage 2. */
static uint64_t cost_of(const struct walk *w, const unsigned at[BOARD_FIFOS])
{
    const struct hardware machine = machine_of(w, at);
    return board_costs_of(&machine).ramb18;
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
    const struct hardware machine = machine_of(w, at);
    memcpy(trial->at, at, sizeof trial->at);
    trial->ramb18 = cost_of(w, at);
    int status = w->search->try_machine(w->search->data, &machine, &trial->merit);
    w->count += status == 0;
    *found = status == 0 ? trial : NULL;
    return status;
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
            (!best || t->ramb18 < best->ramb18 ||
             (t->ramb18 == best->ramb18 && t->merit.total_s < best->merit.total_s)))
            best = t;
    return best;
}

/* --- the search ------------------------------------------------------------------------------------------ */

/* The next depth with more block RAMs, the deepest for so many. @return its index, or the number of depths */
static unsigned next_up(const struct depths *d, unsigned at)
{
    unsigned next = at;
    while (next < d->count && d->list[next].ramb18 == d->list[at].ramb18)
        next++;
    while (next + 1 < d->count && d->list[next + 1].ramb18 == d->list[next].ramb18)
        next++;
    return next;
}

/* One step up: the FIFO and the depth that save the most time per block RAM. @param here  NULL after it if nothing
 * saves any */
static int step_up(struct walk *w, const struct trial **here)
{
    const struct trial *from = *here;
    const double worth_s = WORTH_A_STEP * w->search->loss * from->merit.total_s;
    double most = 0;
    *here = NULL;
    for (unsigned i = 0; i < BOARD_FIFOS; i++) {
        unsigned at[BOARD_FIFOS];
        memcpy(at, from->at, sizeof at);
        if (from->merit.fifo_most[i] + hardware_fifo_least(&w->machine, i) <= w->depths[i].list[at[i]].places)
            continue; /* it was never full */
        for (unsigned reach = 0; reach < REACH_UP && at[i] < w->depths[i].count; reach++) {
            const struct trial *there = NULL;
            at[i] = next_up(&w->depths[i], at[i]);
            int status = at[i] < w->depths[i].count ? try_depths(w, at, &there) : 0;
            if (status)
                return status;
            double saved_s = there ? from->merit.total_s - there->merit.total_s : 0;
            double rate = there ? saved_s / (double)(there->ramb18 - from->ramb18) : 0;
            if (saved_s > worth_s && rate > most) {
                most = rate;
                *here = there;
            }
        }
    }
    return 0;
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

/* @param best  out: the machine that is found, which may be beyond the limits; NULL if none could be tried */
static int walk(struct walk *w, const struct trial **best)
{
    unsigned first[BOARD_FIFOS] = {0}, last[BOARD_FIFOS], as_given[BOARD_FIFOS] = {0};
    const struct trial *here, *ignored;
    for (unsigned i = 0; i < BOARD_FIFOS; i++) {
        const struct depths *d = &w->depths[i];
        while (first[i] + 1 < d->count && d->list[first[i] + 1].ramb18 == d->list[0].ramb18)
            first[i]++;
        last[i] = d->count - 1;
        while (as_given[i] < last[i] && d->list[as_given[i]].places < w->given[i])
            as_given[i]++;
    }
    int status = try_depths(w, as_given, &ignored);
    if (status == 0)
        status = try_depths(w, last, &ignored);
    if (status == 0)
        status = try_depths(w, first, &here);
    while (status == 0 && here)
        status = step_up(w, &here);
    while (status == 0 && choose(w) != *best) {
        *best = choose(w);
        status = try_neighbours(w, *best);
    }
    return status;
}

int fifo_search_run(const struct fifo_search *s, struct hardware *machine, struct fifo_result *result)
{
    struct walk w = {.search = s, .machine = *machine, .result = result};
    const struct trial *best = NULL;
    result->found = false;
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        w.given[i] = board_fifo_places(i, &machine->board);
    set_all(&w.machine, UNBOUNDED);
    int status = s->try_machine(s->data, &w.machine, &result->unbounded);
    if (status || result->unbounded.total_s * (1 - HOPELESS) > s->slowest_s)
        return status;
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        list_depths(&w, i);
    status = walk(&w, &best);
    result->found = best && is_within_limits(&w, best);
    if (!result->found)
        return status;
    result->bounded = best->merit;
    *machine = machine_of(&w, best->at);
    return status;
}
