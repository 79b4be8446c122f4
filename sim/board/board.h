/* board.h - the FPGA board to the clock: when each element of the pipeline moves.
 *
 * Models    docs/hardware.md, "One clock, in this order". tests/sim/board/judge.h steps the same rules clock by clock
 *           and decides what they leave open.
 * How       the pipeline is first-in first-out with finite buffers, so the clocks of every element follow from those of
 *           earlier elements (max-plus recurrences: Lindley's, with blocking). There is no event queue and no loop over
 *           clocks. All elements of a block get all their clocks at once, those after the block's end included; nothing
 *           that comes later can change them.
 * Time      clocks are counted from the start of the pass. What the bus does is not bound to clocks: it is counted in
 *           ticks, 2^20 per clock, in whole numbers, so that every engine gets the same result.
 * Decided   here and in the judge, because the rules leave it open:
 *           - a word that is delivered later than due, for whatever reason, has held the bus: A becomes its clock;
 *           - a read or a fetch of 0 clocks cannot be seen in the clock it was issued in, whose step is over: it counts
 *             as 1;
 *           - a trip of 0 clocks ends in the clock it starts in;
 *           - 1bd becomes free in the clock in which its held matches enter the stage-2 FIFO, and may take the next
 *             lookup in that clock;
 *           - a group is on its way from when its trip starts, or its inline lookup is taken, until it enters the
 *             stage-2 FIFO; places of those on their way are given out in stream order, and so groups enter;
 *           - the duplicate table has one port: a trip holds it for half of its entries, rounded up, and no longer than
 *             it takes. While later trips of a lookup wait for it, 1bd may take the next lookup; but if that one makes
 *             trips, too, it keeps 1bd busy until its first has the port;
 *           - a record that leaves the egress FIFO at E has made room for stage 2 in every clock >= E;
 *           - w, v, r and h belong to a block: a record gets the v of the block its word came with;
 *           - records of the block before have half of the bus while words are on it, and all of it while a word that
 *             is due finds no room or is not supplied (word_bus_carry()).
 * Free      a stage can be made free, to see what it costs the run (machine_part.h): it takes every element as soon as
 *           it is there and has room behind it, any number in a clock, as if its own work took no time. Reads, trips
 *           and fetches of a free stage take 0 clocks; words come in at any number in a clock where 1a is free; where
 *           1bp is free, reads in flight count as stored. Such a board has clocks, but no taps (board_taps.h), which
 *           take elements one by one.
 * Memory    a few KiB of history, whatever the length of the pass.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "blast/stages12/tokens.h"

enum { BOARD_TICK_BITS = 20 };
#define BOARD_TICKS_PER_CLOCK (INT64_C(1) << BOARD_TICK_BITS)

/** Ticks, and clocks, that a pass can be timed for: 9.2 h at 133 MHz. Whoever advances a board keeps below them. */
#define BOARD_TICKS_MAX  (INT64_C(1) << 62)
#define BOARD_CLOCKS_MAX (BOARD_TICKS_MAX >> BOARD_TICK_BITS)

/** Stages that can be made free; the bits are in the order of enum board_stage (board_fifos.h). */
enum { BOARD_FREE_1A = 1, BOARD_FREE_1BP = 2, BOARD_FREE_1BD = 4, BOARD_FREE_2 = 8 };

enum { BOARD_TRIPS_MAX = 64 };

/** The constants of the rules; their names and ranges are in hardware.c. */
struct board_rules {
    uint32_t ingress_words;  /* fifo.ingress, >= 1 */
    uint32_t wmer_seeds;     /* fifo.wmer, >= 16 */
    uint32_t wmer_margin;    /* fifo.wmer_margin: for back-pressure only */
    uint32_t sram_lookups;   /* fifo.sram, > sram_margin */
    uint32_t sram_margin;    /* fifo.sram_margin, >= sram_read_cycles - 1: reads in flight must find room */
    uint32_t stage2_matches; /* fifo.stage2, >= positions of one group */
    uint32_t stage2_margin;  /* fifo.stage2_margin: for back-pressure only */
    uint32_t egress_records; /* fifo.egress, >= 1 */
    uint32_t sram_read_cycles;
    uint32_t sram_trip_cycles;
    uint32_t trips_in_flight; /* sram.trips_in_flight, 1 .. BOARD_TRIPS_MAX: groups on their way at most */
    uint32_t stage2_fetch_cycles;
    bool probes; /* table.collision = probe: what would be a trip is a second read of the primary table */
    unsigned free_stages; /* BOARD_FREE_*: they take no time */
};

/** Clocks of one trip, or of one probe. */
static inline uint32_t board_trip_cycles(const struct board_rules *rules)
{
    return rules->probes ? rules->sram_read_cycles : rules->sram_trip_cycles;
}

/** What bus and host give the board while one block is transferred; all in ticks. */
struct bus_share {
    int64_t begin;        /* tick at which the block's transfer begins */
    int64_t word_ticks;   /* w: ticks between two words in, >= 1 */
    int64_t record_ticks; /* v: ticks between two records out, >= 0 */
    int64_t beside_ticks; /* r: for so long the bus carries records of the block before beside these, >= 0 */
    int64_t supply_first; /* tick at which the host has supplied the block's first word */
    /* Ticks between two words supplied, >= 0; h_i = max(begin, supply_first + i supply_ticks). */
    int64_t supply_ticks;
};

/** The bus as the words of a pass find it, in ticks. Starts with WORD_BUS_IDLE. */
struct word_bus {
    int64_t free;    /* A of the last word, plus w, plus what records had of the bus beside it */
    int64_t records; /* for so long it carries records of the block before */
};
#define WORD_BUS_IDLE ((struct word_bus){.free = -BOARD_TICKS_PER_CLOCK * 1024})

/** A block, or a part of it, begins to cross. */
static inline struct word_bus word_bus_begin(struct word_bus bus, const struct bus_share *share)
{
    return (struct word_bus){bus.free > share->begin ? bus.free : share->begin,
                             bus.records + share->beside_ticks};
}

/** A word crosses at its A, at or after `free`. Records had the bus before that, and have half of it now. */
static inline struct word_bus word_bus_carry(struct word_bus bus, int64_t at, int64_t word_ticks)
{
    const int64_t waiting = bus.records - (at - bus.free), left = waiting > 0 ? waiting : 0;
    const int64_t beside = left < word_ticks ? left : word_ticks;
    return (struct word_bus){at + word_ticks + beside, left - beside};
}

/** The clocks of every element of a block, in stream order; the arrays are as long as those of the tokens. */
struct board_times {
    int64_t *word_delivered; /* the word enters the ingress FIFO */
    int64_t *word_taken;     /* 1a takes the word, and its seeds enter the w-mer FIFO */
    int64_t *seed_issued;    /* 1bp takes the seed; its lookup enters the SRAM FIFO after the read */
    int64_t *seed_taken;     /* 1bd takes the lookup */
    int64_t *seed_done;      /* 1bd may take the next lookup */
    int64_t *group_entered;  /* the matches of the group are in the stage-2 FIFO */
    int64_t *match_taken;    /* stage 2 takes the match; if it passes, its record enters the egress FIFO */
    int64_t *record_left;    /* tick at which the record has left the egress FIFO */
    struct scratch memory;   /* of all arrays; board_advance() uses some room before each, too */
};

struct board;

/** An idle, empty board at clock 0. */
struct board *board_new(const struct board_rules *rules);
void board_destroy(struct board *board);

/** Move a block through the board.
 *
 * @param tokens  the words of the block and what follows from them
 * @param times   overwritten; grown as needed
 */
void board_advance(struct board *board, const struct tokens *tokens, const struct bus_share *share,
                   struct board_times *times);

/** Tick at which the bus is free for the next block: that of word_bus. Meaningless before the first word. */
int64_t board_bus_free(const struct board *board);

/** First clock in which everything taken in so far has left the board. */
int64_t board_drained(const struct board *board);

/** Make room for the elements of a block, and for `lead` elements before each array's first. */
void board_times_make_room(struct board_times *times, const struct tokens *tokens, size_t lead);
void board_times_destroy(struct board_times *times);

/** The later and the sooner of two clocks, or of two ticks. */
static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/** A trip starts as soon as it has a place among those on their way and the port is free.
 *
 * @param port_free  clock in which the duplicate table's port takes the next trip
 * @return clock in which the trip is ready
 */
static inline int64_t board_make_trip(int64_t *port_free, struct group_token group, int64_t trip_cycles,
                                      int64_t has_place)
{
    const int64_t start = later(has_place, *port_free);
    *port_free = start + sooner(group_sram_reads(group), trip_cycles);
    return start + trip_cycles;
}

/** First clock at or after a tick. */
static inline int64_t board_clock_at(int64_t ticks)
{
    return (ticks + BOARD_TICKS_PER_CLOCK - 1) >> BOARD_TICK_BITS;
}

/** First clock at or after a time in clocks, rounded to ticks; half-way cases are rounded away from 0. The time may be
 *  longer than a pass on a board: up to BOARD_CLOCKS_END, which stands for all later ones, too; so before 0. */
#define BOARD_CLOCKS_END (INT64_C(1) << 62)
static inline int64_t board_clock_after(double clocks)
{
    const double most = (double)BOARD_CLOCKS_MAX;
    if (clocks >= most || clocks <= -most) { /* doubles of this size have no part of a tick */
        const double end = (double)BOARD_CLOCKS_END;
        int64_t whole = (int64_t)(clocks > end ? end : clocks < -end ? -end : clocks);
        return whole + ((double)whole < clocks && whole < BOARD_CLOCKS_END);
    }
    double number = clocks * (double)BOARD_TICKS_PER_CLOCK; /* llround() without a call */
    int64_t ticks = (int64_t)number;
    double rest = number - (double)ticks;
    return board_clock_at(ticks + (rest >= 0.5) - (rest <= -0.5));
}

/** Number of clocks after which the lookup of a read is stored, or a match may be taken. */
static inline int64_t board_latency(uint32_t cycles)
{
    return cycles > 0 ? cycles : 1;
}
