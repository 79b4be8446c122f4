/* judge.h - the rules of the board, stepped clock by clock: what the engines are measured against.
 *
 * Models    docs/hardware.md, "One clock, in this order": six steps, in the order written there, for clocks 0, 1, 2 and
 *           so on until everything has left. Nothing is predicted, nothing is skipped; slow on purpose.
 *
 * Decided   since the rules leave it open (sim/board/board.h lists the same):
 *           - the w of a block lies between each of its words and that word's successor, the next block's first word
 *             included: A_i = max(A_(i-1) + w of word i-1 + what records had beside it, h_i); one word a clock is
 *             delivered at most;
 *           - while a word crosses, records of the block before have as long of the bus as the word; while none does,
 *             all of it; they never wait for words of the next block but one;
 *           - a word that is delivered in a later clock than the first at or after A has held the bus: A becomes that
 *             clock;
 *           - a read or a fetch of 0 clocks counts as 1: its step is over in the clock it was issued in;
 *           - a trip of 0 clocks ends in the clock it starts in, and so may a whole list of them;
 *           - 1bd takes at most one lookup a clock; it is free in the clock its last matches enter;
 *           - a record gets the v of the block its word came with: E_j = max(E_(j-1) + v, entry), the first at its
 *             entry; it is stored at a clock t as long as E > t.
 *
 * Taps      occupancy at the end of a clock; a signal as the stage that pushes sees it, right before its step.
 *
 * Free      a free stage (board.h) does its step as often in a clock as something moves; where 1a is free, so does the
 *           bus.
 *
 * Memory    the verdict belongs to the caller. This is test code: it aborts when memory is out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/tokens.h"
#include "sim/board/board.h"

enum judge_fifo { JUDGE_INGRESS, JUDGE_WMER, JUDGE_SRAM, JUDGE_STAGE2, JUDGE_EGRESS, JUDGE_FIFOS };

struct judge_block {
    const struct tokens *tokens;
    struct bus_share share;
};

/** What was seen at a FIFO in clocks 0 .. end - 1. */
struct judge_tap {
    uint64_t *clocks_at; /* by occupancy, 0 .. occupancies - 1 */
    size_t occupancies;
    uint64_t integral;
    uint64_t back_pressure_clocks; /* 0 for the egress FIFO: it has no signal */
    uint64_t most;
};

struct judge_verdict {
    size_t word_count, seed_count, group_count, match_count, record_count; /* of all blocks */
    struct board_times times; /* of all blocks, one after the other */
    int64_t *bus_free;        /* tick at which each word has crossed, and the records beside it */
    struct judge_tap taps[JUDGE_FIFOS];
    /* Clocks in which what could enter a FIFO now found no room: by the stage before it. */
    uint64_t stalled[JUDGE_FIFOS];
    int64_t end;       /* first clock after everything has left */
    const char *stuck; /* what waits for ever, or NULL: then all clocks are valid */
};

/** What moved in a clock, and what could have. */
struct judge_moves {
    bool offered[JUDGE_FIFOS]; /* the head could be taken, as the stage that takes saw it */
    bool taken[JUDGE_FIFOS];   /* an element left the FIFO */
    bool held
        [JUDGE_FIFOS]; /* what could enter found no room; of the stage-2 FIFO not in the clock of a lookup */
    bool delivered;    /* a word entered the ingress FIFO */
    bool serves;       /* 1bd took a lookup, held one or made a trip */
};

/** Who watches is told of every clock at its end. Members may be NULL. */
struct judge_watch {
    void (*clock)(void *data, const size_t occupancy[JUDGE_FIFOS], const bool signal[JUDGE_FIFOS]);
    void (*moves)(void *data, const struct judge_moves *moves);
    void *data;
};

/** judge_run(), watched. */
struct judge_verdict *judge_run_watched(const struct board_rules *rules, const struct judge_block *blocks,
                                        size_t count, const struct judge_watch *watch);

/** A bus that is a server of its own, instead of the w, v and r of the shares: it moves 8 bytes per clock of the
 *  board, a word or a part of a record, in bursts; words and records take turns while both wait. A burst of words
 *  ends early where the next word is not supplied or finds no room. Records of a burst leave the egress FIFO when all
 *  have crossed; one begins with as many as fit it, or when the first has waited. Of the shares only the supply is
 *  used. */
struct judge_bus {
    uint32_t burst_words, burst_records, record_clocks; /* record_clocks: of the bus, per record */
    uint32_t burst_clocks, flush_clocks;
};

/** judge_run() with such a bus. */
struct judge_verdict *judge_run_bursts(const struct board_rules *rules, const struct judge_block *blocks,
                                       size_t count, const struct judge_bus *bus);

/** Step the rules over a stream of blocks. The rules need not be legal: see `stuck`. */
struct judge_verdict *judge_run(const struct board_rules *rules, const struct judge_block *blocks,
                                size_t count);
void judge_verdict_destroy(struct judge_verdict *verdict);
