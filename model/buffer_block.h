/* buffer_block.h - one finite buffer between two servers, solved exactly: what a tandem is decomposed into.
 *
 *     up --> [ places ] --> down
 *
 * Models    `up` makes elements one after another and never lacks input; what it has made enters the buffer at
 *           once, or, when all places are taken, waits in `up`, which is then blocked (blocking after service).
 *           `down` serves them one by one and, finding the buffer empty, is starved. `places` counts waiting elements
 *           only; one more is in `down`, and a blocked one in `up`.
 * Method    the Markov chain over (elements, phase of up, phase of down) has levels by the number of elements; the
 *           levels are eliminated from the top down, without subtractions, so that nothing cancels or overflows
 *           at any load.
 * Units     the durations' own.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    Perros and Altiok, "Approximate analysis of open networks of queues with blocking: tandem
 *           configurations", IEEE Trans. Software Eng. 12(3), 1986, and Dallery and Frein, "On decomposition methods
 *           for tandem queueing networks with blocking", Operations Research 41(2), 1993 (the two-server building
 *           block); Latouche and Ramaswami, "Introduction to matrix analytic methods", SIAM 1999, chapter 10
 *           (elimination of levels).
 */
#ifndef MERCURY_MODEL_BUFFER_BLOCK_H
#define MERCURY_MODEL_BUFFER_BLOCK_H

#include "model/phase_type.h"

enum { BUFFER_BLOCK_PLACES_MAX = 4000 };

/** What delays one side: a fraction of its elements, for a time of these moments each. */
struct buffer_delay {
    double fraction; /* of elements, in [0, 1] */
    double mean;     /* of those delayed; 0 where none is */
    double second;   /* second moment of the same */
};

struct buffer_result {
    double throughput;
    double waiting; /* mean elements in the buffer */
    double p_empty; /* time fraction in which `down` is starved */
    /** Time fraction with all places taken, whether `up` is blocked or not; without places, with `down` taken. */
    double p_full;
    double p_blocked;       /* time fraction in which `up` is blocked */
    double p_back_pressure; /* time fraction with at least `back_pressure_from` elements in the buffer */
    struct buffer_delay starvation; /* of `down`, after a service */
    struct buffer_delay blocking;   /* of `up`, after a service */
};

/** Steady state.
 *
 * @param places  waiting elements at most, 0 .. BUFFER_BLOCK_PLACES_MAX
 * @param back_pressure_from   for p_back_pressure; 0 makes it 1
 * @return 0, MODEL_ECAPACITY or MODEL_EMEMORY; out is untouched on error
 */
int buffer_block_solve(const struct phase_type *up, const struct phase_type *down, unsigned places,
                       unsigned back_pressure_from, struct buffer_result *out);

#endif
