#include "model/queue/duration.h"

#include <math.h>
#include <stdio.h>

struct duration duration_gamma(double scv)
{
    return (struct duration){.law = scv == 1 ? DURATION_EXPONENTIAL : DURATION_GAMMA, .scv = scv};
}

struct duration duration_mixture(double long_fraction, double long_ratio)
{
    const double f = long_fraction, mean = 1 + f * (long_ratio - 1);
    return (struct duration){.law = DURATION_MIXTURE,
                             .scv = (1 - f + f * long_ratio * long_ratio) / (mean * mean) - 1,
                             .long_fraction = f,
                             .long_ratio = long_ratio};
}

struct duration duration_trace(double *times, size_t count, double *mean)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += times[i];
    *mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        times[i] /= *mean;
        squares += (times[i] - 1) * (times[i] - 1);
    }
    return (struct duration){
        .law = DURATION_TRACE, .scv = squares / (double)count, .times = times, .count = count};
}

double duration_second_share(const struct duration *d)
{
    return d->leave[0] / (d->leave[0] + d->leave[1]);
}

/* Find the mean time to the next arrival from each state, or, of what an arrival in each state is worth, what the next
 * one is worth: (-D0)^-1 applied to a column, D0 being the generator without arrivals. */
static void until_next(const struct duration *d, const double *worth, double *next)
{
    const double *r = d->rate, *q = d->leave, det = r[0] * r[1] + r[0] * q[1] + r[1] * q[0];
    for (unsigned i = 0; i < 2; i++)
        next[i] = ((r[1 - i] + q[1 - i]) * worth[i] + q[i] * worth[1 - i]) / det;
}

/* With time in units of the mean, p D1 = p (-D0) for the shares p of the states; so E[T^2] = 2 p (-D0)^-1 1. */
struct duration duration_mmpp(const double *rate, const double *leave, double *mean)
{
    struct duration d = {.law = DURATION_MMPP, .leave = {leave[0], leave[1]}};
    const double second = duration_second_share(&d), ones[2] = {1, 1};
    double next[2];
    *mean = 1 / ((1 - second) * rate[0] + second * rate[1]);
    for (unsigned i = 0; i < 2; i++) {
        d.rate[i] = rate[i] * *mean;
        d.leave[i] = leave[i] * *mean;
    }
    until_next(&d, ones, next);
    d.scv = 2 * ((1 - second) * next[0] + second * next[1]) - 1;
    return d;
}

double duration_dispersion(const struct duration *d)
{
    const double second = d->law == DURATION_MMPP ? duration_second_share(d) : 0;
    const double apart = d->rate[0] - d->rate[1];
    return d->law == DURATION_MMPP
               ? 1 + 2 * second * (1 - second) * apart * apart / (d->leave[0] + d->leave[1])
               : duration_scv(d);
}

double duration_scv(const struct duration *d)
{
    return d->law == DURATION_EXPONENTIAL ? 1 : d->scv;
}

double duration_lag1(const struct duration *d)
{
    double products = 0;
    if (d->law == DURATION_MMPP) { /* E[T_0 T_1] = p (-D0)^-1 D1 (-D0)^-1 1 */
        const double second = duration_second_share(d), ones[2] = {1, 1};
        double next[2], then[2];
        until_next(d, ones, next);
        until_next(d, (double[2]){d->rate[0] * next[0], d->rate[1] * next[1]}, then);
        return ((1 - second) * then[0] + second * then[1] - 1) / d->scv;
    }
    if (d->law != DURATION_TRACE)
        return duration_scv(d) > 0 ? 0 : NAN;
    for (size_t i = 0; i < d->count; i++)
        products += (d->times[i] - 1) * (d->times[i + 1 < d->count ? i + 1 : 0] - 1);
    return products / (double)d->count / d->scv;
}

bool duration_is_exponential(const struct duration *d)
{
    return d->law == DURATION_EXPONENTIAL;
}

bool duration_is_constant(const struct duration *d)
{
    return duration_scv(d) == 0;
}

double duration_short(const struct duration *d)
{
    return 1 / (1 + d->long_fraction * (d->long_ratio - 1));
}

/* A constant time, as parts of a mixture and times of a trace are: how many there are, how long each is, and how often
 * it is drawn. A gamma distribution has none. */
struct atom {
    double time, share;
};

static size_t atom_count(const struct duration *d)
{
    return d->law == DURATION_TRACE     ? d->count
           : d->law == DURATION_MIXTURE ? 2
           : duration_is_constant(d)    ? 1
                                        : 0;
}

static struct atom atom_at(const struct duration *d, size_t i)
{
    if (d->law == DURATION_TRACE)
        return (struct atom){d->times[i], 1 / (double)d->count};
    if (d->law != DURATION_MIXTURE)
        return (struct atom){1, 1};
    return i == 0 ? (struct atom){duration_short(d), 1 - d->long_fraction}
                  : (struct atom){duration_short(d) * d->long_ratio, d->long_fraction};
}

double duration_log_transform(const struct duration *d, double s)
{
    const size_t atoms = atom_count(d);
    double less_one = 0, sum = 0;
    if (d->law == DURATION_MMPP) { /* 1 - s a (s - D0)^-1 1, a being the shares of the states at arrivals */
        const double *r = d->rate, *q = d->leave, second = duration_second_share(d), both = s + q[0] + q[1];
        const double det = s * (both + r[0] + r[1]) + r[0] * r[1] + r[0] * q[1] + r[1] * q[0];
        return log1p(-s * ((1 - second) * r[0] * (both + r[1]) + second * r[1] * (both + r[0])) / det);
    }
    if (atoms == 0)
        return -log1p(s * duration_scv(d)) / duration_scv(d);
    for (size_t i = 0; i < atoms; i++) {
        const struct atom atom = atom_at(d, i);
        less_one += atom.share * expm1(-s * atom.time);
        sum += atom.share * exp(-s * atom.time);
    }
    return less_one > -0.5 ? log1p(less_one) : log(sum);
}

double duration_transform(const struct duration *d, double s)
{
    return exp(duration_log_transform(d, s));
}

/* Arrivals during a gamma-distributed time are negative binomial, during a constant one they are Poisson. */
void duration_arrivals(const struct duration *d, double rate, double *p, size_t count)
{
    const size_t atoms = atom_count(d);
    const double scv = duration_scv(d), spread = rate * scv;
    for (size_t n = 0; n < count; n++)
        p[n] = 0;
    for (size_t i = 0; i < atoms; i++) {
        const struct atom atom = atom_at(d, i);
        double part = atom.share * exp(-rate * atom.time);
        for (size_t n = 0; n < count && (part > 0 || (double)n < rate * atom.time); n++) {
            if (part == 0) /* so many come that none of the first ones counts */
                part = atom.share *
                       exp((double)n * log(rate * atom.time) - rate * atom.time - lgamma((double)n + 1));
            p[n] += part;
            part *= rate * atom.time / (double)(n + 1);
        }
    }
    double part = duration_transform(d, rate);
    for (size_t n = 0; n < count && atoms == 0; n++) {
        p[n] = part;
        part *= (1 / scv + (double)n) / (double)(n + 1) * spread / (1 + spread);
    }
}

const char *duration_name(const struct duration *d)
{
    static const char *const names[] = {[DURATION_EXPONENTIAL] = "exponential",
                                        [DURATION_MIXTURE] = "mixture",
                                        [DURATION_TRACE] = "trace",
                                        [DURATION_MMPP] = "mmpp"};
    const double phases = 1 / d->scv;
    return d->law != DURATION_GAMMA                       ? names[d->law]
           : d->scv == 0                                  ? "deterministic"
           : fabs(phases - round(phases)) < 1e-9 * phases ? "erlang"
                                                          : "gamma";
}

const char *duration_text(const struct duration *d, char text[DURATION_TEXT_BYTES])
{
    const char *name = duration_name(d);
    const size_t bytes = DURATION_TEXT_BYTES;
    if (d->law == DURATION_MIXTURE)
        snprintf(text, bytes, "%s (%g are %g times as long)", name, d->long_fraction, d->long_ratio);
    else if (d->law == DURATION_TRACE)
        snprintf(text, bytes, "%s of %zu times, scv %.4g", name, d->count, d->scv);
    else if (*name == 'e' && name[1] == 'r')
        snprintf(text, bytes, "%s (%.0f phases)", name, 1 / d->scv);
    else if (*name == 'g')
        snprintf(text, bytes, "%s (scv %g)", name, d->scv);
    else
        snprintf(text, bytes, "%s", name);
    return text;
}
