/* tandem.h - a chain of single servers with finite buffers and blocking, by decomposition.
 *
 *     source --> [buffer 0] stage 0 --> [buffer 1] stage 1 --> ... --> [buffer n-1] stage n-1 -->
 *
 * Models    blocking after service: an element that finds the next buffer full waits in its server, which then serves
 *           nobody. Nothing is lost, and the source can be held, too. So back-pressure reaches the earlier stages,
 *           and the throughput is an answer, not an input. A stage turns one element into `yield` elements of the
 *           next buffer on average (0.03 seeds per w-mer, 4 matches per lookup).
 *           A source of scv 1 stands for Poisson arrivals: it is held and loses nothing, which makes no difference
 *           for Poisson arrivals. To model a saturated first stage, make that stage the source.
 * Method    every buffer i stands alone between two servers (buffer_block.h): an upstream one, whose time for an
 *           element is stage i-1's service and its starvation by buffer i-1, and a downstream one, whose time is
 *           stage i's service and its blocking by buffer i+1. Both are phase-type distributions fitted to two
 *           moments. Starvation and blocking come from the neighbouring blocks, so all blocks are solved in turn,
 *           upstream and then downstream, until their throughputs agree.
 *           If a service of mean s and scv c yields m elements on average, the times between these elements have the
 *           mean s/m and the scv d + m c, where d is the variance over the mean of the number of elements yielded.
 * Exact     The answer for one stage is exact, up to the fit of two moments; for chains of exponential servers it is
 *           right within a few per cent.
 * Omits     Two moments of single durations say nothing of the correlation between one duration and the next. The
 *           elements that one service yields do not arrive together.
 * Delay     A fixed time that every element spends in a buffer before it can be served, while others do the same (a
 *           pipelined fetch). Delayed elements take places, and add to N_Q.
 * Units     rates in elements per second; each buffer in its own elements.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    Perros and Altiok 1986, IEEE Trans. Software Eng. 12(3): effective service times with blocking as
 *           phase-type distributions, throughputs made to agree by iteration; arrivals treated likewise from the
 *           other side as in Dallery and Frein 1993, Operations Research 41(2). Conversion of elements: this project's.
 */
#pragma once

#include <stddef.h>

#include "model/queue/single_queue.h"

enum { TANDEM_STAGES_MAX = 16 };

struct tandem_source {
    double per_s; /* elements of buffer 0 per second while nothing holds the source, > 0 */
    double scv;   /* of the time between two elements, >= 0 */
};

struct tandem_stage {
    unsigned places; /* of the buffer before the server, 0 .. BUFFER_BLOCK_PLACES_MAX */
    /* Least number of waiting elements that p_back_pressure counts, 0 .. places. */
    unsigned back_pressure_from;
    double delay_s;          /* >= 0 */
    double service_s;        /* mean, > 0 */
    double service_scv;      /* >= 0 */
    double yield;            /* elements of the next buffer per element, > 0; ignored for the last stage */
    double yield_dispersion; /* variance over mean of the yield, >= 0; 1 - p if a fraction p passes */
};

struct tandem_result {
    /** Blocked time does not count in rho. p_0 is the fraction of time in which its server finds its buffer empty, p_k
     *  that in which this is full, p_bp that with `back_pressure_from` elements or more in it. Nothing is offered that
     *  is not served. */
    struct queue_result mean;
    double blocked;   /* fraction of time in which the next buffer blocks its server */
    double p_blocked; /* fraction of time in which it blocks the stage before it, or the source */
};

/** Find the steady state.
 *
 * @param stages   `count` stages, in the order of flow
 * @param count    1 .. TANDEM_STAGES_MAX
 * @param results  `count` results; untouched on error
 * @param lengths  of each stage, out: probabilities of 0, 1, ... `places` elements in its buffer: the exact
 *                 distribution of the block that the buffer is in, and of delayed elements as many as Poisson
 *                 arrivals bring in the delay. NULL: they are not asked for
 * @return 0, MODEL_ESTAGES, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_ESCV, MODEL_ECAPACITY, MODEL_EYIELD,
 *         MODEL_EDELAY or MODEL_ECONVERGE
 */
int tandem_solve(const struct tandem_source *source, const struct tandem_stage *stages, size_t count,
                 struct tandem_result *results, double *const *lengths);
