/* mercury_tandem.h - Mercury's board as a tandem with blocking: what its queues hold when one stage holds the others
 * up.
 *
 *     host --> bus --> [ingress] 1a --> [wmer FIFO] 1bp --> [SRAM FIFO] 1bd --> [stage-2 FIFO] 2
 *
 * Models    rates are answers here, not inputs: given what the host can supply and the bus can carry, the machine's
 *           throughput, each queue and each back-pressure signal follow. How the hardware's rules become a tandem
 *           (tandem.h):
 *             source  the bus, a word every bytes_per_word / rate, without variance. Where the board is slower than
 *                     the host the host's memory is never empty and the bus offers what it can carry, less the
 *                     results. Else every word supplied is carried in the end: the rate offered lies between supply
 *                     and bus, where the throughput is the supply.
 *             1a      one clock per word; 16 w-mers a word, each a seed with P_1a: Binomial(16, P_1a) seeds, dispersion
 *                     1 - P_1a. It looks at a word and leaves it in the FIFO when its seeds do not fit, so the word
 *                     "blocked in the server" is one of the FIFO's: K - 1 places.
 *             1bp     one clock per seed, taken when the SRAM FIFO is below its almost-full mark, else left in the
 *                     FIFO: K - 1 places again. A word is stalled by the seeds of its own that do not fit; a renewal
 *                     argument leaves half of the (E[s^2]/E[s] - 1) others of its word unused on average, (16 - 1)
 *                     P_1a / 2.
 *             1bd     one clock, or trip_cycles a trip to the duplicate table: a mixture. The SRAM FIFO counts as
 *                     full at the almost-full mark, K - margin: what is in flight then (up to sram.read_cycles
 *                     lookups) comes on top and is left out. One seed yields P_1b matches: 0, 1, or those of a
 *                     duplicate list.
 *             2       one clock per match, after fetch_cycles in the FIFO.
 *           Signals as the hardware asserts them: fewer than wmer_margin places free; SRAM FIFO at its mark; fewer than
 *           stage2_margin places free. 1a's, ingress full before 1a's step: the next word is then due within a clock or
 *           so, and held; the signal is taken for the time in which the bus is held, 1 - throughput / rate offered.
 * Given     trips and duplicate lookups per seed as measured, or as mercury_tandem_trips() has them from M_1b and M_2.
 * Omits     clumps: w-mers of one place in the database being seeds together. The reads in flight. What mercury_model.h
 *           omits, except blocking, burstiness of 1a and variance of service.
 * Accuracy  beside the clock rules with random draws (docs/hardware.md, run 2): rates within 2 %, N_Q of the SRAM FIFO
 *           and of stage 2 within 10 %, of the wmer FIFO 8 to 11 % low, P_BP of 1a within 0.01, of 1b 0.14 to 0.17
 *           low: a stage that is blocked rarely and for long has its two moments in a time whose short part is
 *           shorter than a clock.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    rules: docs/hardware.md, "One clock, in this order"; Dor 2010 (WUCSE-2010-30), sections 2.4, 4.3.5 and 6.1.
 *           The reduction to a tandem is this project's; nothing in it is fitted to a measurement.
 */
#ifndef MERCURY_MODEL_MERCURY_TANDEM_H
#define MERCURY_MODEL_MERCURY_TANDEM_H

#include <stdbool.h>

#include "model/tandem.h"

enum mercury_tandem_stage {
    MERCURY_TANDEM_1A,
    MERCURY_TANDEM_1BP,
    MERCURY_TANDEM_1BD,
    MERCURY_TANDEM_2,
    MERCURY_TANDEM_STAGES
};

struct mercury_tandem_inputs {
    double supply_bytes_per_s; /* of the host, > 0 */
    double bus_bytes_per_s;    /* both directions together, > 0 */
    double clock_hz;           /* > 0 */
    double bytes_per_word;     /* > 0 */
    double wmers_per_word;     /* > 0 */
    double hsp_bytes;          /* >= 0 */
    double p_1a;               /* seeds per w-mer, in (0, 1] */
    double p_1b;               /* matches per seed, > 0 */
    double p_2;                /* HSPs per match, in [0, 1] */
    double trips;              /* a seed, >= 0; a trip takes trip_cycles */
    double duplicates;         /* lookups that make trips, a seed, in [0, 1], <= trips */
    /** Lookups per seed that match without a trip, in [0, 1 - duplicates]; NaN if unknown: then a trip yields
     *  MERCURY_TANDEM_TRIP_MATCHES. */
    double single_matches;
    double trip_cycles;                     /* clocks, >= 1 */
    double fetch_cycles;                    /* clocks, >= 0 */
    unsigned ingress_words;                 /* places, >= 1 */
    unsigned wmer_seeds, wmer_margin;       /* places; free ones below which the signal is asserted */
    unsigned sram_lookups, sram_margin;     /* places; of these kept for reads in flight */
    unsigned stage2_matches, stage2_margin; /* places; free ones below which the signal is asserted */
};

/* A duplicate list has more than the 2 positions kept inline, a trip yields up to 5 of them: 3, 4 or 5, taken as
 * alike. Two positions per SRAM read: 2, 2 or 3 reads (Dor 2010, section 6.1; docs/hardware.md, "Duplicate table"). */
#define MERCURY_TANDEM_TRIP_MATCHES 4.0
#define MERCURY_TANDEM_TRIP_READS   (7.0 / 3)

struct mercury_tandem_queue {
    struct tandem_result stage; /* as the tandem has it */
    double n_q;                 /* in the FIFO, as the hardware counts it */
    double p_bp;                /* its signal, as the hardware asserts it (see above) */
};

struct mercury_tandem_prediction {
    bool saturated; /* the board is slower than the host, so that the bus offers what it can */
    double lambda_in_bytes_per_s;
    double source_per_s; /* words offered */
    double held;         /* time fraction in which the bus is held by a full ingress FIFO */
    double latency_s;    /* from the ingress FIFO to stage 2's end */
    struct mercury_tandem_queue queue[MERCURY_TANDEM_STAGES];
};

/** Trips per seed from the published figures: where 1b is saturated (M_2 < 1) its mean service is M_1b / M_2 clocks, 1
 * for a lookup and trip_cycles for a trip; else M_1b - 1 reads per seed are those of trips.
 *
 * @param m_1b  SRAM reads per seed, > 0
 * @param m_2   SRAM utilisation of a saturated 1b, in (0, 1]
 */
double mercury_tandem_trips(double m_1b, double m_2, double trip_cycles);

/** @param out  untouched on error
 *  @return 0, MODEL_EUNKNOWN where P_x, trips or duplicates are NaN, a code that names the input, or those of
 *  tandem_solve() */
int mercury_tandem_predict(const struct mercury_tandem_inputs *inputs, struct mercury_tandem_prediction *out);

#endif
