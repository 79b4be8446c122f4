/* mercury_tandem.h - Mercury's board as a tandem with blocking: its queues and rates if stages hold each other up.
 *
 *     host --> bus --> [ingress] 1a --> [w-mer FIFO] 1bp --> [SRAM FIFO] 1bd --> [stage-2 FIFO] 2
 *
 * Models    Rates are answers here, not inputs: the throughput of the machine, each queue and each back-pressure signal
 *           follow from the rates that the host can supply and the bus can carry. The hardware's rules become a tandem
 *           (tandem.h) in this way:
 *             source  The bus delivers a word every bytes_per_word / rate, without variance. If the board is slower
 *                     than the host, words are always waiting at the host, and the bus offers all that it can carry,
 *                     minus the results. Else every word is carried in the end: the offered rate, between those of
 *                     supply and bus, is the one at which the throughput equals the supply.
 *             1a      takes one clock per word. Each of its 16 w-mers is a seed with probability P_1a: a word yields
 *                     Binomial(16, P_1a) seeds, of dispersion 1 - P_1a. A word whose seeds do not fit stays in the
 *                     FIFO, so the word that is "blocked in the server" is one of the FIFO's: K - 1 places.
 *             1bp     takes one clock per seed if the SRAM FIFO is below its almost-full mark; else the seed stays in
 *                     the FIFO: K - 1 places again. A word waits until there is room for all of its seeds; by a renewal
 *                     argument, half of the (E[s^2]/E[s] - 1) other seeds of its word leave their places unused, on
 *                     average (16 - 1) P_1a / 2.
 *             1bd     takes one clock, or trip_cycles per trip to the duplicate table: a mixture. The SRAM FIFO counts
 *                     as full at the almost-full mark, K - margin; the lookups in flight at that moment (up to
 *                     sram.read_cycles) are left out. A seed yields P_1b matches: 0, 1, or those of a duplicate list.
 *             2       takes one clock per match, after fetch_cycles in the FIFO.
 *           Back-pressure is asserted as by the hardware: if fewer than wmer_margin places are free; if the SRAM FIFO
 *           is at its mark; if fewer than stage2_margin places are free. That of 1a is asserted if the ingress FIFO is
 *           full before 1a's step; the next word is then due within about a clock, and held. It is taken to be on while
 *           the bus is held, in the fraction 1 - throughput / offered rate of the time.
 * Given     trips and duplicate lookups per seed are measured, or follow from M_1b and M_2 (mercury_tandem_trips()).
 * Omits     clumps (neighbouring w-mers of the database that are seeds together), reads in flight, and what
 *           mercury_model.h omits, except blocking, bursts of 1a and the variance of services.
 * Accuracy  compared with the clock rules under random draws (docs/hardware.md, run 2): rates are within 2%, N_Q of the
 *           SRAM FIFO and of stage 2 within 10%, N_Q of the w-mer FIFO 8 to 11% too low, P_BP of 1a within 0.01, that
 *           of 1b 0.14 to 0.17 too low, because the two moments of a stage that is blocked rarely, but for long, are
 *           fitted by a time whose short part is shorter than a clock.
 * Lengths   P[N = n] of a FIFO is that of its buffer (tandem.h). A word or seed that is blocked in the server of 1a or
 *           1bp is one more of its FIFO's. However many wait, it is blocked in the same part of the time in which the
 *           server is busy.
 * Memory    the last answer is kept: a run asks for it twice, for its tables and for its page, which is made from its
 *           files; to solve the tandem takes longer than the rest of both.
 * Threads   may ask at the same time; one is answered after the other.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    rules: docs/hardware.md, "One clock, in this order"; Dor 2010 (WUCSE-2010-30), sections 2.4, 4.3.5 and 6.1.
 *           The reduction to a tandem is this project's; nothing in it is fitted to a measurement.
 */
#pragma once

#include <stdbool.h>

#include "model/mercury_inputs.h"
#include "model/queue/tandem.h"

enum mercury_tandem_stage {
    MERCURY_TANDEM_1A,
    MERCURY_TANDEM_1BP,
    MERCURY_TANDEM_1BD,
    MERCURY_TANDEM_2,
    MERCURY_TANDEM_STAGES
};

/* A duplicate list has more than the 2 positions kept inline, and a trip yields up to 5 of them: 3, 4 or 5, taken as
 * equally likely. Two positions per SRAM read: 2, 2 or 3 reads (Dor 2010, section 6.1; docs/hardware.md, "Duplicate
 * table"). */
#define MERCURY_TANDEM_TRIP_MATCHES 4.0
#define MERCURY_TANDEM_TRIP_READS   (7.0 / 3)

struct mercury_tandem_prediction {
    bool saturated; /* the board is slower than the host, so that the bus offers all it can carry */
    double lambda_in_bytes_per_s;
    double source_per_s; /* words that the bus offers */
    double held;         /* fraction of time in which a full ingress FIFO holds the bus */
    double latency_s;    /* mean time from the ingress FIFO to the end of stage 2 */
    /** The tandem's answers, but for n_q and p_bp: of the FIFO, as the hardware counts and asserts them (see above). */
    struct queue_result queue[MERCURY_TANDEM_STAGES];
};

/** Trips per seed from the published figures. If 1b is saturated (M_2 < 1), its mean service is M_1b / M_2 clocks: 1
 *  for the lookup and trip_cycles per trip. Else M_1b - 1 of the reads per seed are those of trips.
 *
 * @param m_1b  SRAM reads per seed, > 0
 * @param m_2   SRAM utilisation of a saturated 1b, in (0, 1]
 */
double mercury_tandem_trips(double m_1b, double m_2, double trip_cycles);

/** What 1bd did: counted, or per seed. */
struct mercury_tandem_lookups {
    double seeds;      /* lookups */
    double reads;      /* of primary and duplicate table */
    double trips;      /* to the duplicate table */
    double duplicates; /* lookups that make trips */
    double singles;    /* lookups that match without a trip */
};

/** Clocks for which a trip holds 1bd on average, if results enter the stage-2 FIFO in order and so many of them, of
 *  trips and of lookups without one, may be under way: 1bd goes on behind a trip until they are, in a clock each, and
 *  then waits for the trip; or it waits for the duplicate table's port, which trips hold one after the other, a clock
 *  for each of their reads. Trips are taken to come at random, and the stage-2 FIFO to have room. Exact for one under
 *  way. */
double mercury_tandem_trip_share(double trip_cycles, double in_flight,
                                 const struct mercury_tandem_lookups *lookups);

/** Find what models take for the duration of a trip, as if 1bd made one after the other. @param v  mercury_inputs.h */
double mercury_trip_share(const double *v);

/** The service of a lookup in 1bd: one clock, or those of its trips. */
struct mercury_lookup {
    double clocks, scv; /* mean, and squared coefficient of variation */
};

/** @param trips, duplicates  per lookup: trips, and lookups that make some
 *  @param trip_clocks        for which a trip holds 1bd */
struct mercury_lookup mercury_lookup_service(double trips, double duplicates, double trip_clocks);

/** Predict the machine.
 *
 *  @param out  untouched on error
 *  @return 0, MODEL_ENO_TRIPS if trips or duplicates are NaN, a code that names the input, or those of
 *  tandem_solve() */
int mercury_tandem_predict(const double *v, struct mercury_tandem_prediction *out);

/** Find how often a stage's FIFO holds how many elements.
 *
 * @param lengths  out: probabilities of 0, 1, ... `count` - 1; `count` is at least the places of the FIFO and one
 * @return as mercury_tandem_predict(), or MODEL_ECAPACITY if `count` is too small
 */
int mercury_tandem_lengths(const double *v, enum mercury_tandem_stage stage, double *lengths, size_t count);
