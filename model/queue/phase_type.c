#include "model/queue/phase_type.h"

#include <math.h>

#include "model/model_error.h"

/* Phases 0, 1, ... in this order at one rate each, left early from phase i with probability leave[i]. */
static void fit_chain(int phases, const double *rate, const double *leave, struct phase_type *out)
{
    *out = (struct phase_type){.phases = phases, .begin = {1}};
    for (int i = 0; i < phases; i++) {
        double end = i == phases - 1 ? 1 : leave[i];
        out->rates[i][i] = -rate[i];
        out->finish[i] = rate[i] * end;
        if (i < phases - 1)
            out->rates[i][i + 1] = rate[i] * (1 - end);
    }
}

/* scv = 1 is one exponential phase; else the second phase is rarer the longer it is. */
static void fit_coxian(double mean, double scv, struct phase_type *out)
{
    double go_on = 1 / (2 * scv);
    double rate[] = {2 / mean, 2 / mean * go_on}, leave[] = {1 - go_on};
    if (scv == 1)
        rate[0] = 1 / mean;
    fit_chain(scv == 1 ? 1 : 2, rate, leave, out);
}

static void fit_erlangs(double mean, double scv, struct phase_type *out)
{
    int k = (int)fmin(ceil(1 / scv), PHASE_TYPE_MAX);
    double least = fmax(scv, 1.0 / k);
    double one_less =
        fmax(0, (k * least - sqrt(fmax(0, k * (1 + least) - (double)k * k * least))) / (1 + least));
    double rate[PHASE_TYPE_MAX], leave[PHASE_TYPE_MAX] = {0};
    for (int i = 0; i < k; i++)
        rate[i] = (k - one_less) / mean;
    leave[k - 2] = one_less;
    fit_chain(k, rate, leave, out);
}

int phase_type_fit(double mean, double scv, struct phase_type *out)
{
    if (!isfinite(mean) || mean <= 0)
        return MODEL_ESERVICE;
    if (!isfinite(scv) || scv < 0)
        return MODEL_ESCV;
    if (scv >= 0.5)
        fit_coxian(mean, scv, out);
    else
        fit_erlangs(mean, fmax(scv, PHASE_TYPE_SCV_LEAST), out);
    return 0;
}

/* Phases only lead to later ones, so the moments follow from the last phase back:
 * E[R_i] = (1 + sum_j q_ij E[R_j]) / q_i and E[R_i^2] = (2 E[R_i] + sum_j q_ij E[R_j^2]) / q_i. */
void phase_type_residual(const struct phase_type *duration, const double *in, double *mean, double *second)
{
    double first_of[PHASE_TYPE_MAX], second_of[PHASE_TYPE_MAX];
    *mean = *second = 0;
    for (int i = duration->phases - 1; i >= 0; i--) {
        double first = 1, squares = 0;
        for (int j = i + 1; j < duration->phases; j++)
            first += duration->rates[i][j] * first_of[j];
        first_of[i] = first / -duration->rates[i][i];
        for (int j = i + 1; j < duration->phases; j++)
            squares += duration->rates[i][j] * second_of[j];
        second_of[i] = (2 * first_of[i] + squares) / -duration->rates[i][i];
        *mean += in[i] * first_of[i];
        *second += in[i] * second_of[i];
    }
}
