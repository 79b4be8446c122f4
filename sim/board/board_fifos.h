/* board_fifos.h - the board's FIFOs, ports and stages, a row each: everything that lists them derives its list from
 * these rows.
 *
 * Derived   taps (board_taps.c, machine_taps.c), queues and times of a frame (machine_frame.c), measurements
 *           (measure_plan.c), timeline tracks (machine_timeline.c), the event engine's FIFOs (events.c), the
 *           bottleneck's stages (run_bottleneck.c), the columns of a sweep (sweep_measure.c).
 * Apart     tests/sim/board/judge.c has a list of its own on purpose: it decides whether this one is right.
 * Rows      are macros, so that other tables can be made of them at compile time. Their columns are the fields of
 *           struct board_fifo_row, struct board_port_row and struct board_stage_row.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sim/board/board.h"

/* FIFO(id, key, title, element, element_bytes, in, out, places, signal, margin, stage, meaning, source, holds), in
 * pipeline order.
 *
 * id      FIFO_id is its number
 * margin  the field of struct board_rules that its signal needs; any field if it needs none
 * stage   the object of a frame it is reported under: the stage that takes from it
 * source  the publication that its number of places is from, or NULL
 * holds   what its back-pressure says, for the columns of a sweep */
/* clang-format off */
#define BOARD_FIFO_ROWS(FIFO) \
    FIFO(INGRESS, "ingress", "ingress FIFO", "words", 8, PORT_DELIVERED, PORT_TAKEN, ingress_words, \
         SIGNAL_FULL, ingress_words, "stage_1a", "queue between the bus and stage 1a", NULL, "1a holds the bus"), \
    FIFO(WMER, "wmer", "w-mer FIFO", "seeds", 0, PORT_PUSHED, PORT_ISSUED, wmer_seeds, \
         SIGNAL_MARGIN, wmer_margin, "stage_1b", "queue between stages 1a and 1bp", \
         "Dor, WUCSE-2010-30, Figure 14 (K_1bp)", "1b holds 1a"), \
    FIFO(SRAM, "sram", "SRAM FIFO", "lookups", 0, PORT_READ, PORT_LOOKUP, sram_lookups, \
         SIGNAL_RESERVE, sram_margin, "stage_1b", "queue between the SRAM and stage 1bd", \
         "Dor, WUCSE-2010-30, Figure 14 (K_1bd)", "1bd holds 1bp"), \
    FIFO(STAGE2, "stage2", "stage-2 FIFO", "matches", 0, PORT_ENTERED, PORT_MATCH, stage2_matches, \
         SIGNAL_MARGIN, stage2_margin, "stage_2", "queue between stages 1bd and 2", \
         "Dor, WUCSE-2010-30, Figure 11 (K_2)", "stage 2 holds 1b"), \
    FIFO(EGRESS, "egress", "egress FIFO", "records", 16, PORT_RECORD, PORT_LEFT, egress_records, \
         SIGNAL_FULL, egress_records, "pcix", "queue between stage 2 and the bus", NULL, "the bus holds stage 2")
/* clang-format on */

/* STAGE(id, name, takes, elements, does, free, object, arrivals, arrivals_meaning, services, services_meaning) in
 * pipeline order.
 *
 * id        ARRIVALS_id and SERVICES_id are its times (board_intervals.h), PART_id is its part (machine_part.h)
 * takes     the FIFO it takes its elements from: FIFO_takes
 * elements  what it takes, plural
 * does      what it does, for the list of taps
 * free      what a machine is where it takes no time
 * object    the object of a frame that its times are reported under
 * arrivals  the name of its times between arrivals there, and what they mean; likewise of its services */
/* clang-format off */
#define BOARD_STAGE_ROWS(STAGE) \
    STAGE(1A, "1a", INGRESS, "words", "the Bloom filter, a word of 16 w-mers per clock", \
          "words go through 1a, any number in a clock", "stage_1a", \
          "arrival_times", "times between words that enter the ingress FIFO", \
          "service_times", "clocks that stage 1a takes per word: 1, and those in which the w-mer FIFO is full"), \
    STAGE(1BP, "1bp", WMER, "seeds", "issues primary reads", "reads of the primary table take no time", "stage_1b", \
          "arrival_times", "times between seeds that enter the w-mer FIFO; 0 within a word", \
          "read_times", "clocks that stage 1bp takes per seed: 1, and those in which the SRAM FIFO is almost full"), \
    STAGE(1BD, "1bd", SRAM, "lookups", "takes lookups, makes trips to the duplicate table", \
          "lookups and trips take no time", "stage_1b", \
          "lookup_times", "times between reads that stage 1bp issues", \
          "service_times", "clocks that stage 1bd takes per lookup: 1 or its trips, and those in which the stage-2 " \
          "FIFO is full"), \
    STAGE(2, "2", STAGE2, "matches", "ungapped extension, a match per clock", \
          "matches go through 2, any number in a clock", "stage_2", \
          "arrival_times", "times between matches that enter the stage-2 FIFO; 0 within a trip", \
          "service_times", "clocks that stage 2 takes per match: 1, and those in which the egress FIFO is full")
/* clang-format on */

#define BOARD_FIFO_NUMBER(id, ...) FIFO_##id
enum board_fifo { BOARD_FIFO_ROWS(BOARD_FIFO_NUMBER), BOARD_FIFOS };

/** Stage 1bd as a queue of one place, from taking a lookup to being free for the next; tapped only where somebody
 *  asks. */
enum { BOARD_SERVER = BOARD_FIFOS, BOARD_QUEUES };

#define BOARD_STAGE_NUMBER(id, ...)    BOARD_STAGE_##id
#define BOARD_STAGE_INTERVALS(id, ...) ARRIVALS_##id, SERVICES_##id
enum board_stage { BOARD_STAGE_ROWS(BOARD_STAGE_NUMBER), BOARD_STAGES };
enum board_interval { BOARD_STAGE_ROWS(BOARD_STAGE_INTERVALS), BOARD_INTERVALS };

/** The elements of a block (blast/stages12/tokens.h): a word has seeds, a seed has groups, a group has matches; a match
 *  that passes stage 2 becomes a record. */
enum token_level { LEVEL_WORD, LEVEL_SEED, LEVEL_GROUP, LEVEL_MATCH, LEVEL_RECORD, TOKEN_LEVELS };

/** How the elements at a port become marks on a tape (board_taps.h). Only trips of no clocks, several trips on
 *  their way, and a quick bus bring several elements into one clock: all others are written to a blank tape without
 *  reading it. */
enum board_marking {
    MARK_ONE,     /* one mark, the only one of its clock */
    MARK_BATCH,   /* one mark on the port's tape, and its count on that of the next port */
    MARK_COUNT,   /* its count, added to what the clock already has */
    MARK_AMONG,   /* one mark, added to what the clock already has; the times are ticks */
    MARK_CARRIED, /* the port before it, which is MARK_BATCH, marks its tape */
};

/* PORT(id, times, clocks, elements, marking) in pipeline order.
 *
 * times     the array of struct board_times that says when elements pass the port
 * clocks    the level of this array
 * elements  the level of the elements that pass */
/* clang-format off */
#define BOARD_PORT_ROWS(PORT) \
    PORT(DELIVERED, word_delivered, WORD, WORD, ONE),    /* words into the ingress FIFO */ \
    PORT(TAKEN, word_taken, WORD, WORD, BATCH),          /* words that 1a takes */ \
    PORT(PUSHED, word_taken, WORD, SEED, CARRIED),       /* seeds into the w-mer FIFO */ \
    PORT(ISSUED, seed_issued, SEED, SEED, ONE),          /* seeds that 1bp takes */ \
    PORT(READ, seed_issued, SEED, SEED, ONE),            /* lookups into the SRAM FIFO, after the time of a read */ \
    PORT(LOOKUP, seed_taken, SEED, SEED, ONE),           /* lookups that 1bd takes */ \
    PORT(ENTERED, group_entered, GROUP, MATCH, COUNT),   /* matches into the stage-2 FIFO */ \
    PORT(MATCH, match_taken, MATCH, MATCH, BATCH),       /* matches that stage 2 takes */ \
    PORT(RECORD, match_taken, MATCH, RECORD, CARRIED),   /* records into the egress FIFO */ \
    PORT(LEFT, record_left, RECORD, RECORD, AMONG),      /* records that the bus takes */ \
    PORT(DONE, seed_done, SEED, SEED, ONE)               /* lookups that 1bd has done; only if BOARD_SERVER is tapped */
/* clang-format on */

#define BOARD_PORT_NUMBER(id, ...) PORT_##id
enum board_port { BOARD_PORT_ROWS(BOARD_PORT_NUMBER), BOARD_PORTS };

/** When a FIFO signals back-pressure to the stage before it (docs/hardware.md, end of "One clock, in this order"). */
enum board_signal {
    SIGNAL_FULL,    /* no place is free, not counting what arrives in the same clock */
    SIGNAL_MARGIN,  /* fewer places than its margin are free, not counting what arrives in the same clock */
    SIGNAL_RESERVE, /* only the places of its margin are free, which are kept for reads in flight */
    SIGNAL_NONE,
};

struct board_fifo_row {
    const char *key;       /* wmer */
    const char *name;      /* wmer_fifo: its tap, its queue in a frame */
    const char *parameter; /* fifo.wmer: its number of places (hardware.h) */
    const char *title;     /* w-mer FIFO */
    const char *element;   /* plural: seeds */
    enum board_port in, out;
    enum board_signal signal;
    size_t places, margin; /* offsets of uint32_t in struct board_rules */
};

struct board_port_row {
    size_t times; /* offset of an array in struct board_times */
    enum token_level clocks, elements;
    enum board_marking marking;
};

struct board_stage_row {
    const char *name; /* 1bp */
    enum board_fifo takes;
    enum board_interval arrivals, services;
};

/** The FIFOs, and BOARD_SERVER in the last row. */
extern const struct board_fifo_row board_fifos[BOARD_QUEUES];
extern const struct board_stage_row board_stages[BOARD_STAGES];
extern const struct board_port_row board_ports[BOARD_PORTS];

/** The times at which the elements of a block pass a port, without its delay: clocks, ticks of records that left. */
static inline const int64_t *board_port_times(enum board_port port, const struct board_times *times)
{
    return *(int64_t *const *)((const char *)times + board_ports[port].times);
}

/** Number of clocks to be added to these times. */
static inline int64_t board_port_delay(enum board_port port, const struct board_rules *rules)
{
    return port == PORT_READ ? board_latency(rules->sram_read_cycles) : 0;
}

/** Number of places of a FIFO; 1 of BOARD_SERVER. */
uint32_t board_fifo_places(unsigned fifo, const struct board_rules *rules);

/** Number of places that its signal keeps free; meaningless if it needs no margin. */
uint32_t board_fifo_margin(enum board_fifo fifo, const struct board_rules *rules);

/** The rule that says how many places it has. */
uint32_t *board_fifo_depth(enum board_fifo fifo, struct board_rules *rules);

/** The occupancy from which on a FIFO signals back-pressure; UINT64_MAX if it never does. */
uint64_t board_fifo_back_pressure_at(unsigned fifo, const struct board_rules *rules);
