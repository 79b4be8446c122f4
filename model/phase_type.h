/* phase_type.h - durations with a given mean and variability, made of exponential phases.
 *
 * Models    a duration as the time a small Markov chain takes to end: phase i is the first with probability
 *           begin[i], ends at rate -rates[i][i], goes on in phase j with rates[i][j] and ends the duration with
 *           finish[i]. What is random in a queue then has no memory but the phase.
 * Fit       two moments, in as few phases as they need:
 *               scv >= 1/2       two phases (Coxian), the first of half the mean
 *               1/k <= scv < 1/2 a mixture of k - 1 and k phases of one rate
 *           Below PHASE_TYPE_SCV_LEAST (a deterministic duration has 0) the distribution with that scv stands in.
 * Units     seconds and 1/s, or whatever the mean is given in.
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

/** The phase-type distribution of a mean and a squared coefficient of variation.
 *
 * @param mean  finite, > 0
 * @param scv   variance / mean^2, finite, >= 0
 * @return 0, MODEL_ESERVICE or MODEL_ESCV; out is untouched on error
 */
int phase_type_fit(double mean, double scv, struct phase_type *out);

/** Mean and second moment of what is left of a duration.
 *
 * @param in  probabilities of the phase it is in, one a phase
 */
void phase_type_residual(const struct phase_type *duration, const double *in, double *mean, double *second);

#endif
