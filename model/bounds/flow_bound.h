/* flow_bound.h - what can never happen with these data: bounds of a board's queues and of the time of a pass.
 *
 * Models    the five FIFOs and stages of docs/hardware.md as a tandem with flow control: bus, [ingress] 1a, [w-mer]
 *           1bp, [SRAM] 1bd, [stage 2] 2, [egress]. It is fed with what the data do, and with the least and the most
 *           that bus and host can do; nothing here knows when anything happened in a simulation.
 * Unblocked In a board whose FIFOs never fill, two words are taken at least w apart, and a clock: w is what a word
 *           takes of the bus. The backlog of a queue is the greatest of (what any window of words brings) - (what is
 *           served while the bus brings the window): sup over D of alpha(D) - beta(D). Lindley's recurrence at the
 *           bus's full rate takes this supremum over all windows at once.
 *           1bp     serves a seed a clock.
 *           1bd     serves in clocks of trips. Seeds that 1bp delays are no burst for it: if 1bp works from a seed a
 *                   to b, then b comes as many clocks later, and no lookup takes less than a clock. So the backlog is
 *                   that of a queue to which lookups come with their words (bursts are paid only once).
 *           2       from the rate at which 1bd can give matches at most, whatever its input is; or from words, of
 *                   which the first may be late by the greatest delay before stage 2. The least of both holds.
 *           egress  from a match per clock; or from words, likewise.
 *           If all backlogs fit their FIFOs, nothing ever blocks, and they are bounds of the real board.
 * Waits     with flow control an element waits only while a stage at or behind its own works, fetches or reads. Going
 *           back from its departure along what held it, no stage is asked for an element twice, and a full FIFO passes
 *           the question to an element as many places before. So the work of all elements that each of these stages
 *           can be asked for is a bound: seeds of any K words, clocks and matches of any k lookups, records of any m
 *           matches (work_curve.h), and a latency for every window of K places.
 * Time      at least: no stage ends before its work, begun as early as the bus can bring each word.
 *           at most: the longest path through words. V_X(i) is when stage X is done with word i: after word i - 1,
 *           after the stage before, and after the word that holds the place which word i needs (Zippo and Stea's
 *           equivalent service, as a recurrence). 1bd and 2 are one stage there, whose lookup takes what is longer: a
 *           trip, or for each match max(1, (fetch + largest group) / K) clocks. That is what a window of K matches
 *           takes to go round: who goes from 2 back to 1bd leaves out K matches, and comes again to 2 after a fetch
 *           and at most one group. Words move as a whole. Every recurrence is monotone, so that greater inputs give a
 *           bound.
 * Left out  free stages. With several trips on their way 1bd is not slower than with one, which is what upper bounds
 *           take; its matches have no rate of their own then, and stage 2 has the bound of words only.
 * Units     clocks, as doubles; numbers of elements.
 * Memory    48 bytes a word, 24 a lookup, 8 a match.
 * Source    Bouillard, Boyer and Le Corronc, "Deterministic Network Calculus", Wiley 2018; Zippo and Stea,
 *           "Computationally efficient worst-case analysis of flow-controlled networks with network calculus", 2022.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The queues, in the order of the pipeline. */
enum flow_queue { FLOW_INGRESS, FLOW_WMER, FLOW_SRAM, FLOW_STAGE2, FLOW_EGRESS, FLOW_QUEUES };

struct flow_machine {
    uint32_t places[FLOW_QUEUES];
    uint32_t lookup_limit;              /* of the SRAM FIFO: from so many stored lookups on 1bp stops, >= 1 */
    uint32_t read_clocks, fetch_clocks; /* >= 1 */
    uint32_t trip_clocks, trips_in_flight;
    uint32_t largest_group; /* most matches that enter together */
};

/** The least and the most that bus and host give a block; clocks. */
struct flow_share {
    double begin_least, begin_most;
    double word_least, word_most, record; /* time between two words; between two records */
    double beside_most;                   /* for so long the bus carries records beside these words */
    double supply_least, supply_most;     /* the host has supplied the first word */
    double supply_step;                   /* time between two words of the host */
};

struct flow_lookup {
    uint16_t groups;
    bool trips; /* each group is a trip */
};

/** What a block does. */
struct flow_tokens {
    size_t word_count;
    const uint8_t *words; /* seeds of each, at most 16 */
    const struct flow_lookup *lookups;
    const uint8_t *groups;  /* matches of each */
    const uint8_t *matches; /* 1 if the match passes, else 0 */
};

/** Sums over elements (work_curve.h): seeds of words, clocks and matches of lookups, records of matches. */
enum flow_ends { FLOW_SEEDS, FLOW_CLOCKS, FLOW_MATCHES, FLOW_RECORDS, FLOW_ENDS };

/** The arrays of a pass. */
struct flow_memory {
    struct flow_word *words;
    double *served; /* clock in which 1bd takes each lookup, unblocked, without latencies */
    uint64_t *ends[FLOW_ENDS];
    size_t word_room, served_room, rooms[FLOW_ENDS];
};

/** A zeroed one with its machine is a pass that has not begun. */
struct flow_bound {
    struct flow_machine machine;
    struct flow_memory memory;
    size_t word_count, lookup_count, match_count;
    size_t issued, taken, left; /* words that hold the places which the present word needs */

    /* the bus: when it is free of all words so far, at least and at most, and what records still have of it */
    double free_least, free_most, records, delivered, last_word;
    double least[FLOW_QUEUES]; /* when the stage behind each queue has done its work, at least */
    double most;               /* when everything is done, at most */

    /* unblocked, at the bus's full rate: time, that to the next word, and the work that waits */
    double now, gap, seeds_wait, matches_wait, records_wait;
    double bd_free, bd_late, longest_lookup, slowest_record, quickest_record;
    size_t bd_waits; /* number of the first lookup that has to wait now */
    /* at the full rate of 1bd, of 2 */
    double bd_now, bd_entered, bd_matches, st2_records;
    double greatest[FLOW_QUEUES];       /* elements that wait, unblocked; work of the egress */
    double greatest_2, greatest_egress; /* at the full rates of 1bd, of 2 */
};

/** Add the next block. */
void flow_bound_block(struct flow_bound *bound, const struct flow_share *share,
                      const struct flow_tokens *tokens);

struct flow_limits {
    double least_clocks, most_clocks; /* of the pass */
    bool flows;                       /* no FIFO ever fills */
    double unblocked[FLOW_QUEUES];    /* elements in a board whose FIFOs never fill */
    double elements[FLOW_QUEUES];     /* that the queue can hold at most */
    double wait[FLOW_QUEUES];         /* clocks that an element waits at most */
};

/** The bounds of the pass so far. */
struct flow_limits flow_bound_limits(const struct flow_bound *bound);

/** Forget the pass; the machine stays. */
void flow_bound_restart(struct flow_bound *bound);
void flow_bound_destroy(struct flow_bound *bound);
