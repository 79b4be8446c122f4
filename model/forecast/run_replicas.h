/* run_replicas.h - runs that a run may be, of whose passes only a random sample is known.
 *
 * Models    a run of N passes in strata, of which n were drawn (sample_forecast.h). A replica of it has the drawn
 *           passes where they are, and in place of each other pass a drawn one of its stratum, taken from Polya's
 *           urn: the urn begins with a weight for each drawn pass, and each pass that is taken adds one of its kind.
 *           So replicas differ by which passes the others are, and by how well the drawn ones stand for them.
 * Weights   the weight of a stratum's drawn passes is such that the sum of values over a replica's passes has the
 *           variance N (N - n) s^2 / n, as the total in sample_forecast.h: with M = N - n passes not drawn and the
 *           weight a of each drawn one, the variance of that sum is s^2 (n - 1)/n M (M + n a)/(n a + 1), so that n a
 *           = (n - 1)(M - 1)/(M + 1) - 1. With a = 1, as in the source, it would be (n - 1)/(n + 1) of that. If two
 *           passes were drawn, a is 0: all others are one of the two.
 * Random    the Mersenne twister of GSL: the same seed makes the same replicas everywhere.
 * Memory    one number per pass.
 * Source    Lo, "A Bayesian bootstrap for a finite population", Annals of Statistics 16, 1988 (the urn); Ghosh and
 *           Meeden, "Bayesian methods for finite population sampling", Chapman & Hall 1997, chapter 2 (its variance).
 */
#ifndef MERCURY_MODEL_RUN_REPLICAS_H
#define MERCURY_MODEL_RUN_REPLICAS_H

#include <stddef.h>
#include <stdint.h>

#include "model/forecast/sample_forecast.h"

struct run_replicas;

/** @param strata   of the run, borrowed
 *  @param numbers  of the drawn passes in the run, from 0, rising: those of the first stratum, then of the second, and
 *                  so on; borrowed
 *  @return NULL if memory is exhausted
 */
struct run_replicas *run_replicas_new(const struct sample_stratum *strata, size_t count,
                                      const size_t *numbers, uint64_t seed);

void run_replicas_destroy(struct run_replicas *replicas);

/** Number of passes of the run. */
size_t run_replicas_passes(const struct run_replicas *replicas);

/** Make the next replica. @return of each of its passes, in the run's order, which drawn pass it is: an index of
 *  `numbers`; valid until the next call */
const size_t *run_replicas_next(struct run_replicas *replicas);

#endif
