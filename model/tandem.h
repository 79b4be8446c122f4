/* tandem.h - a chain of single servers with finite buffers and blocking, by decomposition.
 *
 *     source --> [buffer 0] stage 0 --> [buffer 1] stage 1 --> ... --> [buffer n-1] stage n-1 -->
 *
 * Models    blocking after service: an element that finds the next buffer full waits in its server, which then serves
 *           nobody. Nothing is lost; the source is held, too. So back-pressure is felt upstream, and the throughput
 *           is an answer, not an input. A stage turns one element into `yield` elements of the next buffer on average
 *           (0.03 seeds per w-mer, 4 matches per lookup).
 *           Poisson arrivals: a source of scv 1; it is held, not lost, which for Poisson arrivals is the same. A
 *           saturated first stage: make it the source.
 * Method    every buffer i stands alone between two servers (buffer_block.h): an upstream one, whose time for an
 *           element is stage i-1's service and its starvation by buffer i-1, and a downstream one, whose time is
 *           stage i's service and its blocking by buffer i+1. Both are phase-type distributions fitted to two
 *           moments. Starvation and blocking come out of the neighbouring blocks, so all are solved in turn,
 *           upstream and downstream again, until their throughputs agree.
 *           With elements that yield others: n services of scv c make m n elements, whose times have the mean
 *           s/m and the scv d + m c (variance over mean of the counted elements in the long run, with d the yields'
 *           variance over mean).
 * Exact     for one stage, up to the fit of two moments; for chains of exponential servers within a few per cent.
 * Omits     what two moments of single durations cannot say: correlation between one duration and the next.
 *           Simultaneous arrival of the elements that one service yields.
 * Delay     a fixed time that every element spends in a buffer before it can be served, overlapping the others' (a
 *           pipelined fetch): takes places on average, and adds to N_Q.
 * Units     rates in elements per second; each buffer in its own elements.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    Perros and Altiok 1986, IEEE Trans. Software Eng. 12(3): effective service times with blocking as
 *           phase-type distributions, throughputs made to agree by iteration; arrivals treated likewise from the
 *           other side as in Dallery and Frein 1993, Operations Research 41(2). Conversion of elements: this project's.
 */
#ifndef MERCURY_MODEL_TANDEM_H
#define MERCURY_MODEL_TANDEM_H

#include <stddef.h>

enum { TANDEM_STAGES_MAX = 16 };

struct tandem_source {
    double per_s; /* elements of buffer 0 a second while nothing holds it, > 0 */
    double scv;   /* of the time between two, >= 0 */
};

struct tandem_stage {
    const char *name;
    unsigned places; /* of the buffer before it, waiting elements only, 0 .. BUFFER_BLOCK_PLACES_MAX */
    unsigned back_pressure_from; /* p_back_pressure counts at least so many waiting, 0 .. places; 0: always */
    double delay_s;              /* >= 0 */
    double service_s;            /* mean, > 0 */
    double service_scv;          /* >= 0 */
    double yield;            /* elements of the next buffer per element, > 0; of the last stage: ignored */
    double yield_dispersion; /* variance over mean of the same, >= 0; a fraction p passed: 1 - p */
};

struct tandem_result {
    const char *name;
    double lambda_per_s; /* elements through its buffer */
    double rho;          /* serving, blocked time not counted */
    double blocked;      /* time fraction its server is blocked by the next buffer */
    double starved;      /* time fraction its server finds its buffer empty */
    double n_q;          /* in the buffer */
    double n_g;          /* in buffer and server */
    double w_q_s, w_g_s;
    double p_full; /* time fraction with its buffer full */
    /** Time fraction in which it blocks the stage before it, or the source. */
    double p_blocked;
    double p_back_pressure;
};

/** Steady state.
 *
 * @param stages   `count` of them, in order of flow
 * @param count    1 .. TANDEM_STAGES_MAX
 * @param results  `count` of them; untouched on error
 * @return 0, MODEL_ESTAGES, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_ESCV, MODEL_ECAPACITY, MODEL_EYIELD,
 *         MODEL_EDELAY, MODEL_ECONVERGE or MODEL_EMEMORY
 */
int tandem_solve(const struct tandem_source *source, const struct tandem_stage *stages, size_t count,
                 struct tandem_result *results);

#endif
