/* board_holds.h - when the bus's words and 1bd's matches are ready and find no room: what the tapes of the ports
 * (board_taps.h) do not show.
 *
 * Models    docs/hardware.md: a word that is due waits on the bus while the ingress FIFO is full; matches that do not
 *           fit the stage-2 FIFO wait in 1bd. A clock in which 1bd takes a lookup is not one in which that lookup is
 *           held: taking costs the clock in any case.
 * Order     of time; a visitor is not called for spans of no clocks.
 */
#pragma once

#include "sim/board/board.h"

/** Is told of the clocks from `begin` up to `end`, which is not one of them. */
typedef void board_span_visitor(void *data, int64_t begin, int64_t end);

/** The bus after a block. */
struct bus_hold {
    struct word_bus bus;
    int64_t delivered; /* clock of the last word */
};

/** Before the first block. */
struct bus_hold bus_hold_none(void);

/** Tell when the words of a block wait. */
void board_hold_words(struct bus_hold *hold, const struct tokens *tokens, const struct board_times *times,
                      const struct bus_share *share, board_span_visitor *held, void *data);

/** 1bd after a block. Zeros: before the first. */
struct lookup_hold {
    int64_t entered[BOARD_TRIPS_MAX]; /* clocks + 1 of the last groups, by their number */
    uint64_t groups;                  /* number of groups so far */
    int64_t port_free;                /* clock in which the duplicate table's port takes the next trip */
    int64_t told;                     /* end of the last span */
};

/** What 1bd does from the clock in which it takes a lookup until all of its matches have entered the stage-2 FIFO;
 *  members may be NULL. With several groups on their way it is what the oldest of them does. */
struct lookup_visitor {
    board_span_visitor *looks_up; /* the one clock of a lookup that makes no trip */
    /** Trips that follow each other without a pause. */
    void (*trips)(void *data, unsigned count, int64_t begin, int64_t end);
    board_span_visitor *held;
    void *data;
};

/** Tell what 1bd does with the lookups of a block: all of its clocks belong to one span. */
void board_visit_lookups(struct lookup_hold *hold, const struct board_rules *rules,
                         const struct tokens *tokens, const struct board_times *times,
                         const struct lookup_visitor *visitor);
