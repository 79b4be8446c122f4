/* buffer_block.h - one finite buffer between two servers, solved exactly: what a tandem is decomposed into.
 *
 *     up --> [ places ] --> down
 *
 * Models    `up` makes elements one after another and never lacks input; what it has made enters the buffer at
 *           once, or waits in `up` if all places are taken; `up` is then blocked (blocking after service).
 *           `down` serves the elements one by one, and is starved if it finds the buffer empty. `places` counts
 *           waiting elements only: one more is in `down`, and a blocked one in `up`.
 * Durations with a given mean and variability are made of exponential phases: the time that a small Markov chain takes
 *           to end. The phase is then all the memory that a queue has. Two moments are fitted with as few phases as
 *           possible:
 *               scv >= 1/2       two phases (Coxian), the first of half the mean
 *               1/k <= scv < 1/2 a mixture of k - 1 and k phases of one rate
 *           Below PHASE_TYPE_SCV_LEAST (a deterministic duration has scv 0) the distribution with that scv is used.
 * Method    the Markov chain over (elements, phase of up, phase of down) has one level for each number of
 *           elements. The levels are eliminated from the top down, without subtractions, so that nothing cancels or
 *           overflows at any load.
 * Units     those of the durations.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    Perros and Altiok, "Approximate analysis of open networks of queues with blocking: tandem
 *           configurations", IEEE Trans. Software Eng. 12(3), 1986, and Dallery and Frein, "On decomposition methods
 *           for tandem queueing networks with blocking", Operations Research 41(2), 1993 (the two-server building
 *           block); Latouche and Ramaswami, "Introduction to matrix analytic methods", SIAM 1999, chapter 10
 *           (elimination of levels); Marie, "Calculating equilibrium probabilities for lambda(n)/C_k/1/N queues",
 *           Performance 1980 (Coxian); Tijms, "Stochastic Models", Wiley 1994, appendix B (mixture of Erlangs).
 */
#pragma once

enum { PHASE_TYPE_MAX = 8 };

#define PHASE_TYPE_SCV_LEAST (1.0 / PHASE_TYPE_MAX)

/** Phases 0, 1, ... in this order. Phase i ends at rate[i]: the next one follows at the rate next[i], or the duration
 *  ends, at the rate finish[i]. */
struct phase_type {
    int phases; /* 1 .. PHASE_TYPE_MAX */
    double rate[PHASE_TYPE_MAX], next[PHASE_TYPE_MAX], finish[PHASE_TYPE_MAX];
};

/** Fit a phase-type distribution to a mean and a squared coefficient of variation.
 *
 * @param mean  finite, > 0
 * @param scv   variance / mean^2, finite, >= 0
 * @return 0, MODEL_ESERVICE or MODEL_ESCV; out is untouched on error
 */
int phase_type_fit(double mean, double scv, struct phase_type *out);

/** Find the mean and the second moment of the rest of a duration.
 *
 * @param in  probability of each phase that the duration may be in
 */
void phase_type_residual(const struct phase_type *duration, const double *in, double *mean, double *second);

enum { BUFFER_BLOCK_PLACES_MAX = 4000 };

/** A delay of one side, which a fraction of its elements meets. */
struct buffer_delay {
    double fraction; /* of the elements, in [0, 1] */
    double mean;     /* mean delay of an element that is delayed; 0 if none is */
    double second;   /* second moment of that delay */
};

struct buffer_result {
    double throughput;
    double waiting; /* mean number of elements in the buffer */
    double p_empty; /* fraction of time in which `down` is starved */
    /** Fraction of time in which all places are taken, whether `up` is blocked or not; if there are no places, in which
     *  `down` is busy. */
    double p_full;
    double p_blocked;       /* fraction of time in which `up` is blocked */
    double p_back_pressure; /* fraction of time with `back_pressure_from` elements or more in the buffer */
    struct buffer_delay starvation; /* of `down`, after a service */
    struct buffer_delay blocking;   /* of `up`, after a service */
};

/** Find the steady state.
 *
 * @param places  greatest number of waiting elements, 0 .. BUFFER_BLOCK_PLACES_MAX
 * @param back_pressure_from   least number of waiting elements that p_back_pressure counts; with 0 it is 1
 * @param waits   out: probabilities that 0, 1, ... `places` elements wait in the buffer; NULL: they are not asked for
 * @return 0 or MODEL_ECAPACITY; out is untouched on error
 */
int buffer_block_solve(const struct phase_type *up, const struct phase_type *down, unsigned places,
                       unsigned back_pressure_from, struct buffer_result *out, double *waits);
