/* sample_forecast.h - totals of a finite population from a stratified random sample of it, with their intervals.
 *
 * Models    a run of N passes, of which n were drawn at random without replacement. Passes are in strata; of the N_h
 *           passes of stratum h n_h were drawn. A total is Y = sum of N_h y_h, with the mean y_h of the drawn passes.
 * Error     Var Y = sum of N_h^2 (1 - n_h / N_h) s_h^2 / n_h. A stratum of which all passes were drawn adds nothing.
 * Interval  of 95%, by Student's t with Satterthwaite's degrees of freedom, which are the less the more one stratum
 *           outweighs the others. It is taken of ln Y (delta method): Y exp(-t e / Y) .. Y exp(t e / Y), with the
 *           standard error e. All totals here are positive and skewed to the right; for small errors both forms are the
 *           same, for large ones this one holds the truth more often, and never reaches below 0.
 * Fails     if a few passes that are unlike all others carry the total: a sample without them knows nothing of them.
 *           sample_largest() says how much one drawn pass carries.
 * Contract  pure functions of finite numbers. Values are in the order of the strata: those drawn of the first stratum,
 *           then those of the second, and so on.
 * Errors    0 or a negative code of model_error.h.
 * Source    Cochran, "Sampling techniques", Wiley 1977, sections 2.6 to 2.8, 5.3 to 5.5; Satterthwaite, Biometrics
 *           Bulletin 2, 1946.
 */
#pragma once

#include <stddef.h>

struct sample_stratum {
    size_t passes; /* N_h >= 1 */
    size_t drawn;  /* n_h, 1 .. N_h; 2 at least if not all were drawn */
};

/** Number of drawn passes of all strata. */
static inline size_t sample_drawn(const struct sample_stratum *strata, size_t count)
{
    size_t drawn = 0;
    for (size_t h = 0; h < count; h++)
        drawn += strata[h].drawn;
    return drawn;
}

/** A total that is known up to an error. */
struct sample_estimate {
    double total;
    double error;   /* its standard error; 0 if it is known */
    double freedom; /* degrees of freedom of the error, 1 to 1e9; INFINITY if more, or if it is 0 */
};

struct sample_interval {
    double low, high;
};

/** Estimate a total.
 *
 * @param values  one per drawn pass
 * @return 0, or MODEL_EUNKNOWN if the strata are not as they must be; `out` is untouched then
 */
int sample_total(const struct sample_stratum *strata, size_t count, const double *values,
                 struct sample_estimate *out);

/** Estimate the sum if one drawn pass is taken as the only one of its kind: it is moved to a stratum of its own, and
 *  the others of its stratum stand for the rest.
 *
 * @param apart  index of this pass among the values
 * @return also MODEL_EUNKNOWN if too few others were drawn of its stratum
 */
int sample_total_apart(const struct sample_stratum *strata, size_t count, const double *values, size_t apart,
                       struct sample_estimate *out);

/** A total times a known factor. */
struct sample_estimate sample_scaled(struct sample_estimate estimate, double factor);

/** The sum of two totals whose errors are independent. */
struct sample_estimate sample_sum(struct sample_estimate a, struct sample_estimate b);

/** The 95% interval of a total. */
struct sample_interval sample_interval(struct sample_estimate estimate);

/** Half the width of the interval as a fraction of the total: t e / Y; 0 if there is no error. */
double sample_width(struct sample_estimate estimate);

/** Number of passes that must be drawn, each stratum in proportion to its size, until half the width of the interval
 *  is a fraction `width` of the total at most: N if no smaller number suffices.
 *
 * @param values  of the passes that were drawn, whose variances are taken for those of their strata
 * @param beside  a further part of the total whose error does not shrink while passes are left; all zero: none
 * @return 0 if the strata are not as they must be
 */
size_t sample_needed(const struct sample_stratum *strata, size_t count, const double *values,
                     struct sample_estimate beside, double width);

/** The drawn pass with the largest value. */
struct sample_largest {
    size_t index; /* among the values */
    double share; /* of the sum of all drawn; NaN if that is 0 */
};

/** Find it. @param values  `count` >= 1 of them */
struct sample_largest sample_largest(const double *values, size_t count);

/** Whether one drawn pass carries so much that an interval means little: a third of all drawn and two and a half times
 *  its even share. */
int sample_is_dominated(const struct sample_largest *largest, size_t count);
