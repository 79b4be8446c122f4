#include "validate/row_intervals.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_number.h"

/* --- a pass ---------------------------------------------------------------------------------------------- */

static struct row_interval interval_of(const json_t *intervals, const struct verdict_frame *frame,
                                       unsigned row)
{
    const char *name = row == RHO_1B && frame->saturated ? "rho_1b_saturated" : machine_quantities[row].name;
    const json_t *quantity = json_object_get(intervals, name);
    double batches = json_number_at(intervals, "batches");
    double half_width = json_number_at(quantity, "half_width");
    double unit = machine_quantities[row].kind == QUANTITY_LAMBDA ? 1e-6 : 1;
    struct row_interval out = {
        .half_width = NAN,
        .lag1 = json_number_at(quantity, "lag1"),
        .largest = json_number_at(quantity, "largest_share"),
        .batches = batches > 0 && batches < 1e9 ? (size_t)batches : 0, /* a file may say anything */
    };
    if (!json_is_object(intervals))
        out.none = "the summary has no batches inside its passes";
    else if (half_width >= 0 && out.batches >= 2)
        out.half_width = unit * half_width;
    else if (isfinite(json_number_at(quantity, "mean")))
        out.none = "fewer than 10 batches: a pass of so few blocks is one observation";
    else
        out.none = "no batch has a value";
    return out;
}

void row_intervals_of_pass(const json_t *pass, const struct verdict_frame *frame, struct row_interval *out)
{
    const json_t *intervals = json_object_get(pass, "intervals");
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        out[row] = interval_of(intervals, frame, row);
}

/* --- the run --------------------------------------------------------------------------------------------- */

static struct row_interval taken_from(struct estimate estimate, size_t batches, const char *none)
{
    bool some = isfinite(estimate.half_width);
    return (struct row_interval){
        .half_width = some ? estimate.half_width : NAN,
        .none = some ? NULL : none,
        .lag1 = some ? estimate.lag1 : NAN,
        .largest = some ? estimate.largest : NAN,
        .batches = batches,
    };
}

static struct row_interval over_passes(const struct verdict_frame *frames, unsigned row, size_t passes,
                                       struct batch_term *terms)
{
    for (size_t i = 0; i < passes; i++)
        terms[i] = frames[i + 1].terms[row];
    return taken_from(batch_means(terms, passes), passes, "no pass has a value");
}

static struct row_interval over_batches(const struct verdict_frame *frames,
                                        struct row_interval (*intervals)[MACHINE_QUANTITIES], unsigned row,
                                        size_t passes, struct batch_stratum *strata)
{
    const char *none = passes > 0 ? NULL : "the run's frame alone, without its passes";
    size_t batches = 0;
    for (size_t i = 0; i < passes; i++) {
        const struct row_interval *of_pass = &intervals[i + 1][row];
        strata[i] = (struct batch_stratum){
            .estimate = {verdict_simulated(&frames[i + 1], row), of_pass->half_width, of_pass->lag1,
                         of_pass->largest},
            .batches = of_pass->batches,
            .whole = frames[i + 1].terms[row].whole,
        };
        batches += of_pass->batches;
        none = none ? none : of_pass->none;
    }
    return taken_from(batch_means_of_strata(strata, passes), batches, none ? none : "no pass has a value");
}

static bool is_mixed(const struct verdict_frame *frames, unsigned row, size_t passes)
{
    for (size_t i = 0; i < passes; i++)
        if (row == RHO_1B && frames[i + 1].saturated != frames[0].saturated)
            return true;
    return false;
}

bool row_intervals_of_run(const struct verdict_frame *frames,
                          struct row_interval (*intervals)[MACHINE_QUANTITIES], size_t passes)
{
    struct batch_term *terms = calloc(passes + 1, sizeof *terms);
    struct batch_stratum *strata = calloc(passes + 1, sizeof *strata);
    for (unsigned row = 0; terms && strata && row < MACHINE_QUANTITIES; row++)
        intervals[0][row] =
            is_mixed(frames, row, passes)
                ? (struct row_interval){NAN, "1b is saturated in some passes and not in others", NAN, NAN, 0}
            : passes >= ROW_PASSES ? over_passes(frames, row, passes, terms)
                                   : over_batches(frames, intervals, row, passes, strata);
    bool done = terms && strata;
    free(terms);
    free(strata);
    return done;
}

bool row_interval_is_too_narrow(const struct row_interval *interval)
{
    struct estimate estimate = {.lag1 = interval->lag1};
    return isfinite(interval->half_width) && batch_means_are_correlated(&estimate, interval->batches);
}

bool row_interval_rests_on_one(const struct row_interval *interval)
{
    struct estimate estimate = {.largest = interval->largest};
    return isfinite(interval->half_width) && batch_means_rest_on_one(&estimate);
}
