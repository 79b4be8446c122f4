/* crossed_sample.h - totals over all pairs of two finite populations, of each of which a stratified sample was drawn.
 *
 * Models    N passes x M windows of the database, and a value for each pair. n passes and m windows were drawn, each
 *           set in strata without replacement, and every drawn pass has a value for every drawn window. With the totals
 *           t_i of the drawn passes, estimated from the drawn windows, and the totals u_j of the drawn windows,
 *           estimated from the drawn passes, the total is the estimate from t, or, which is the same, from u.
 * Error     Var = V_t + V_u - V_tu: the variance of a plain stratified sample of t and of u, each of which has the
 *           interaction of passes and windows, and that of the interaction, which is so counted once. This is unbiased.
 *           It is never taken for less than V_t or V_u.
 * Freedom   Satterthwaite's, of V_t and V_u; each has less if the kurtosis of its totals is above the normal one's.
 * Contract  pure functions of finite numbers. Values are row after row: all windows of the first pass, then those of
 *           the second one. Passes and windows are in the order of their strata.
 * Errors    0 or a negative code of model_error.h.
 * Source    Skinner, "Cross-classified sampling: some estimation theory", Statistics & Probability Letters 104, 2015;
 *           Cochran, "Sampling techniques", Wiley 1977, chapter 5.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/forecast/sample_forecast.h"

struct crossed_strata {
    const struct sample_stratum *rows, *columns; /* of passes, of windows */
    size_t row_strata, column_strata;
};

struct crossed_estimate {
    struct sample_estimate whole;
    struct sample_estimate of_rows;    /* with the error of drawing passes alone, V_t */
    struct sample_estimate of_columns; /* with that of drawing windows alone, V_u */
    bool is_skewed; /* passes or windows are fewer than ten, or make most of the error and are too unequal */
};

/** Estimate a total.
 *
 * @param values         one per pair of a drawn pass and a drawn window
 * @param row_totals     out: t_i, one per drawn pass
 * @param column_totals  out: u_j, one per drawn window
 * @return 0, or MODEL_EUNKNOWN if the strata are not as they must be; `out` is untouched then
 */
int crossed_sample_total(const struct crossed_strata *strata, const double *values, double *row_totals,
                         double *column_totals, struct crossed_estimate *out);
