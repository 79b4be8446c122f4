/* clocked_queue.h - FIFOs that are read and written once per clock: how long they are how often.
 *
 * Models    In each clock at most one element is taken out, and then some may come, which cannot be taken before the
 *           next clock: N' = max(N - 1, 0) + A. So an element is in the FIFO for a clock at least, and N, which is read
 *           at the end of a clock, counts it. A service of several clocks holds up all that come meanwhile.
 *           Numbers of arrivals in different clocks are independent (the discrete-time queue Geo^[X]/G/1).
 * Method    L, what is left when one is taken, is a chain with L' = max(L + a - 1, 0), a being the arrivals in the
 *           service of one element: pi[j+1] = (pi[j] - pi[0] a[j] - sum over i of pi[i] a[j-i+1]) / a[0]. N is L and
 *           the arrivals of one clock.
 * Output    The elements that a queue of services of one clock sends out in `clocks` clocks in a row are counted along
 *           all its states, so that their bursts are kept.
 * Source    Bruneel and Kim, "Discrete-Time Models for Communication Systems Including ATM", Kluwer 1993, section 1.2.
 *           If elements come one by one, what one finds who comes is what the others leave (level crossings), and what
 *           is there at any time (Bernoulli arrivals see time averages: Halfin 1983).
 */
#pragma once

enum { CLOCKED_LENGTH = 160 }; /* lengths from 0 on; what is longer counts as the last */

/** Probabilities of 0, 1, ... CLOCKED_LENGTH - 1 elements. */
struct clocked_law {
    double p[CLOCKED_LENGTH];
};

double clocked_mean(const struct clocked_law *law);

/** The law of the sum of two independent numbers. @param sum  may be one of them */
void clocked_add(const struct clocked_law *one, const struct clocked_law *other, struct clocked_law *sum);

/** Find the law of N.
 *
 * @param a_clock    arrivals in a clock
 * @param a_service  arrivals in a service; NULL: services take a clock
 * @param length     out; if more come than are served, it is CLOCKED_LENGTH - 1 with certainty
 */
void clocked_queue_length(const struct clocked_law *a_clock, const struct clocked_law *a_service,
                          struct clocked_law *length);

enum { CLOCKED_OUTPUT_MOST = 32 };

/** Find the law of the number of elements that leave a queue of services of a clock in `clocks` of them, of which more
 *  than CLOCKED_OUTPUT_MOST count as so many.
 *
 * @param length  of the queue, as found with the same arrivals
 */
void clocked_queue_output(const struct clocked_law *a_clock, const struct clocked_law *length,
                          unsigned clocks, struct clocked_law *output);

/** The law of the sum of N independent numbers that have the law `each`, N having the law `number`. */
void clocked_sum(const struct clocked_law *number, const struct clocked_law *each, struct clocked_law *sum);
