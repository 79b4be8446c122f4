/* assumption_board.h - the board with switches: its clock rules as plain recurrences, from which assumptions of theory
 * take rules away (assumption_machine.h).
 *
 * Models    sim/board/board.h, element after element, in numbers that hold 2^-20 clocks exactly up to 2^33 clocks; with
 *           no assumption but ASSUME_BUS, every element has the same clocks.
 * Measured  sums over stretches of the run, to which elements count with all that happens to them.
 * Memory    as long as the FIFOs; a FIFO of ASSUMPTION_LEVEL_MOST places or more counts as unbounded.
 * Errors    of the tokens, ASSUMPTION_EINPUT and one line.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/why.h"
#include "blast/stages12/tokens.h"
#include "sim/measure/machine_quantities.h"
#include "sim/tokens/stream_windows.h"
#include "sim/board/hardware.h"
#include "sim/tokens/token_record.h"
#include "app/assumptions.inc"

/* What M/M/1 and M/M/1/K assume of the machine, one assumption after the other.
 *
 * Models    the way from the simulated machine to the queues of Dor's formulas in steps, each of which makes one
 *           assumption true. ASSUME_BUS and ASSUME_CLOCKS change the engine instead: they are steps too, so that every
 *           change has a name. A set of steps is a machine that assumption_machine.h can simulate.
 * Order     assumption_order_default() is the order of the rows. Another one may be asked for; a step whose `needs` are
 *           not true yet takes them in before it. ASSUME_BUS is always first, and ASSUME_LOSS, which only M/M/1/K (Dor)
 *           assumes, always last.
 * Errors    ASSUMPTION_EORDER and one line.
 */

/* The rows of data/words/assumptions.tsv. */

#define ASSUMPTION_ID(id, ...) id
enum assumption { ASSUMPTION_ROWS(ASSUMPTION_ID) ASSUMPTIONS };

enum assumption_error { ASSUMPTION_EORDER = -2, ASSUMPTION_EINPUT = -3 };

struct assumption_spec {
    const char *name;    /* for --order and the first column */
    const char *engine;  /* what simulates the machine after this step */
    const char *meaning; /* what is true after it: at most 110 bytes */
    unsigned needs;      /* set of 1 << enum assumption that must be true before */
};

extern const struct assumption_spec assumptions[ASSUMPTIONS];

/** Whether a step is true in a set. */
static inline bool assumption_holds(unsigned set, enum assumption assumption)
{
    return set >> assumption & 1;
}

/** Put the steps in order.
 *
 * @param wish   names, separated by commas, of the steps that come first; NULL or "" for the default order
 * @param order  ASSUMPTIONS steps
 */
int assumptions_order(const char *wish, enum assumption *order, struct why *why);

/* The tokens of a whole run, as they were recorded or dealt at random.
 *
 * Models    what stages 1a to 2 did in all passes of a run (blast/stages12/tokens.h), in stream order. Dealing keeps
 *           every count of the run: seeds are dealt over w-mers, at most BASES_PER_WORD to a word, each w-mer alike;
 *           what a lookup does, with its trips and matches, is dealt over the seeds of all passes.
 * Memory    1 byte per word, 16 per seed, 2 per group and 1 per match, and once more for words and seeds that are
 *           dealt. assumption_tokens_destroy() frees it.
 * Random    GSL's mt19937.
 */

/** A seed's lookup, and where its groups and their matches begin. */
struct assumption_lookup {
    uint32_t group, match;
    uint32_t reads; /* SRAM reads: one, and those of its trips */
    uint16_t groups;
    uint8_t outcome; /* enum lookup_outcome */
};

struct assumption_tokens {
    uint8_t *words; /* seeds of each word */
    struct assumption_lookup *lookups;
    struct group_token *groups;
    uint8_t *matches;  /* 1 if the match passed, else 0 */
    size_t *pass_ends; /* number of words before each pass ends */
    size_t word_count, lookup_count, group_count, match_count, pass_count;
    size_t word_room, lookup_room, group_room, match_room, pass_room;
    /* Numbers of the whole run: */
    uint64_t empty, reads, trips, duplicates, hsps;
};

/** Append the tokens of a block to the last pass; assumption_tokens_end_pass() ends that pass.
 *  More than 2^32 groups or matches count as memory that is exhausted. */
void assumption_tokens_add(struct assumption_tokens *run, const struct tokens *block);
void assumption_tokens_end_pass(struct assumption_tokens *run);

/** Read all passes of a record, with the machine's overdrive. */
int assumption_tokens_read(const struct token_record *record, const char *path,
                           const struct hardware *hardware, struct assumption_tokens *run, struct why *why);
void assumption_tokens_destroy(struct assumption_tokens *run);

/** Number of lookups after a deal's last that may be read: they have no groups. */
enum { ASSUMPTION_LOOKUPS_AHEAD = 8 };

/** Words and lookups of the run in one order: the recorded arrays, or dealt copies. A zeroed one is empty. */
struct assumption_deal {
    const uint8_t *words;
    const struct assumption_lookup *lookups;
    uint8_t *own_words; /* NULL until they are dealt */
    struct assumption_lookup *own_lookups;
    uint64_t words_of, lookups_of; /* 1 + number of the deal that they are of; 0 if of none */
};

/** Deal. What is not to be random is in the recorded order.
 *
 * @param seed    1 to 2^32 - 1
 * @param number  of the deal: the same seed and number give the same deal
 */
void assumption_deal(const struct assumption_tokens *run, bool words, bool lookups, unsigned long seed,
                     uint64_t number, struct assumption_deal *deal);
void assumption_deal_destroy(struct assumption_deal *deal);

enum { ASSUMPTION_LEVEL_MOST = 1 << 24 }; /* larger levels count as never reached */

/** How long a first-in first-out queue holds a number of elements or more: elements n = 0, 1, ... come at times c_n and
 *  go at times g_n, neither of which decreases. The queue holds `level` elements or more from c_n until
 *  g_(n - level + 1), if that is later: the union of these intervals. */
struct assumption_level {
    double *gone; /* times of the last `level` elements; NULL: never reached */
    size_t level;
    uint64_t count;
    double covered; /* end of the last interval */
};

static inline void assumption_level_begin(struct assumption_level *l, uint64_t level)
{
    *l = (struct assumption_level){.covered = -INFINITY};
    if (level < 1 || level > ASSUMPTION_LEVEL_MOST)
        return;
    l->level = (size_t)level;
    l->gone = memory_take(l->level * sizeof *l->gone);
}

static inline void assumption_level_destroy(struct assumption_level *l)
{
    free(l->gone);
    l->gone = NULL;
}

/** Forget all elements: time begins again. */
static inline void assumption_level_restart(struct assumption_level *l)
{
    l->count = 0;
    l->covered = -INFINITY;
}

/** Add an element. @return the time that it adds to the union */
static inline double assumption_level_add(struct assumption_level *l, double came, double gone)
{
    if (!l->gone)
        return 0;
    l->gone[l->count % l->level] = gone;
    uint64_t number = l->count++;
    if (number + 1 < l->level)
        return 0;
    double from = fmax(came, l->covered), to = l->gone[(number + 1) % l->level];
    if (!(to > from))
        return 0;
    l->covered = to;
    return to - from;
}

/** What is simulated, and what theory takes of it. */
struct assumption_machine {
    const struct hardware *hardware;
    const struct assumption_tokens *tokens;
    struct assumption_deal *deal; /* zeroed before the first run; kept for the next, which deals the same */
    double clocks; /* of the whole run: it has the mean rates of ASSUME_SOURCE and ASSUME_POISSON */
    double service_1b_clocks;         /* 1 / mu_1b of the formulas */
    double record_bytes;              /* that crossed the bus while it was measured, per record */
    uint64_t places[QUANTITY_STAGES]; /* K of the formulas, in w-mers, seeds, lookups and matches */
    uint64_t least_words;             /* of what is drawn (assumption_machine.h) */
    unsigned long seed;               /* 1 to 2^32 - 1 */
};

/** Sums over a stretch of the run: clocks, words, seeds, matches, reads, and what the FIFOs held and signalled. Stages
 *  1a and 2 serve each element for a clock. */
struct assumption_sums {
    struct quantity_counts counts;
    double records;
};

/** Mean services, in clocks. */
struct assumption_services {
    double read_1bp;          /* of 1bp */
    double scale_1bd;         /* clocks per SRAM read with ASSUME_RATES, for the lookups that come to 1bd */
    double mean_1bd, mean_1b; /* of 1bd, and of 1b if it is one queue */
    double scale_1b;
};

/** The services of a set of assumptions. */
struct assumption_services assumption_services_of(const struct assumption_machine *machine, unsigned set);

/** The time of a lookup at its server. @param joined  of 1b as one queue; else of 1bd */
double assumption_lookup_clocks(const struct assumption_machine *machine,
                                const struct assumption_services *services, unsigned set,
                                const struct assumption_lookup *lookup, bool joined);

struct assumption_board;

/** An idle board. */
struct assumption_board *assumption_board_new(const struct assumption_machine *machine, unsigned set);
void assumption_board_destroy(struct assumption_board *board);

/** Move all passes of a deal over the board, each from an empty one.
 *
 * @param sums          stretches of `words_a_stretch` words; the words of earlier calls count
 * @param count         of stretches; the last one has all that is left
 */
void assumption_board_run(struct assumption_board *board, const struct assumption_deal *deal,
                          uint64_t words_a_stretch, struct assumption_sums *sums, size_t count);
