/* phase_type.h - durations with a given mean and variability, made of exponential phases.
 *
 * Models    a duration as the time that a small Markov chain takes to end: phase i is the first with probability
 *           begin[i] and ends at the rate -rates[i][i]; phase j follows at the rate rates[i][j], or the duration ends,
 *           at the rate finish[i]. The phase is then all the memory that a queue has.
 * Fit       two moments, with as few phases as possible:
 *               scv >= 1/2       two phases (Coxian), the first of half the mean
 *               1/k <= scv < 1/2 a mixture of k - 1 and k phases of one rate
 *           Below PHASE_TYPE_SCV_LEAST (a deterministic duration has scv 0) the distribution with that scv is used.
 * Units     seconds and 1/s, or those of the given mean.
 * Source    Marie, "Calculating equilibrium probabilities for lambda(n)/C_k/1/N queues", Performance 1980 (Coxian);
 *           Tijms, "Stochastic Models", Wiley 1994, appendix B (mixture of Erlangs).
 */
#ifndef MERCURY_MODEL_PHASE_TYPE_H
#define MERCURY_MODEL_PHASE_TYPE_H

enum { PHASE_TYPE_MAX = 8 };

#define PHASE_TYPE_SCV_LEAST (1.0 / PHASE_TYPE_MAX)

struct phase_type {
    int phases; /* 1 .. PHASE_TYPE_MAX */
    double begin[PHASE_TYPE_MAX];
    double rates[PHASE_TYPE_MAX][PHASE_TYPE_MAX]; /* off the diagonal >= 0, rows sum to -finish */
    double finish[PHASE_TYPE_MAX];
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

#endif
