/* duration.h - how long services, and times between arrivals, are: the distributions that plain queues know.
 *
 * Laws      exponential
 *           gamma     with any squared coefficient of variation (scv): 0 is constant, 1/K is Erlang's of K phases
 *           mixture   a fraction of long times among short ones, such as a clock and a trip of sixty clocks
 *           trace     times as they were measured, in their order, again from the first after the last
 *           mmpp      times between arrivals only: a Poisson stream whose rate changes between two at random (a Markov
 *                     modulated Poisson process), so that short times follow short ones; mmpp_queue.h
 * Units     a law has the mean 1; who uses it multiplies by a mean.
 * Memory    the times of a trace belong to the caller.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum duration_law { DURATION_EXPONENTIAL, DURATION_GAMMA, DURATION_MIXTURE, DURATION_TRACE, DURATION_MMPP };

struct duration {
    enum duration_law law;
    double scv;           /* squared coefficient of variation, >= 0, of all but the first */
    double long_fraction; /* of a mixture: share of long times, in [0, 1] */
    double long_ratio;    /* of a mixture: long time / short one, >= 1 */
    double *times;        /* of a trace: `count` of them, of mean 1 */
    size_t count;
    double rate[2], leave[2]; /* of a mmpp: arrivals in each state, and how often it is left, per mean time */
};

enum { DURATION_TEXT_BYTES = 64 };

/** @param scv  1: exponential */
struct duration duration_gamma(double scv);
struct duration duration_mixture(double long_fraction, double long_ratio);

/** A trace of times, which are divided by their mean. @param count  >= 1 @param mean  out: what they had, > 0 */
struct duration duration_trace(double *times, size_t count, double *mean);

/** A mmpp that has `rate` arrivals per second in each of two states, and leaves each `leave` times per second.
 *  @param rate, leave  >= 0, and not such that nothing comes in the long run @param mean  out: time, > 0 */
struct duration duration_mmpp(const double *rate, const double *leave, double *mean);

/** The part of the time that a mmpp is in the second state. */
double duration_second_share(const struct duration *d);

/** The squared coefficient of variation: variance / mean^2. */
double duration_scv(const struct duration *d);

/** The correlation of a time with the next one: 0 unless they are a trace or a mmpp, NaN if they do not vary. */
double duration_lag1(const struct duration *d);

/** The limit of variance / mean of the number that comes in ever longer times, their index of dispersion: the scv
 *  unless they are a mmpp (of a trace only if its times are not alike). */
double duration_dispersion(const struct duration *d);

bool duration_is_exponential(const struct duration *d);
bool duration_is_constant(const struct duration *d);

/** The short time of a mixture; the long one is `long_ratio` times as long. */
double duration_short(const struct duration *d);

/** E exp(-s T), the Laplace-Stieltjes transform at s >= 0. */
double duration_transform(const struct duration *d, double s);

/** log E exp(-s T), which keeps its digits near s = 0. */
double duration_log_transform(const struct duration *d, double s);

/** Find the probabilities that 0, 1, ... `count` - 1 of a Poisson stream arrive during a time. @param rate  per mean */
void duration_arrivals(const struct duration *d, double rate, double *p, size_t count);

/** "exponential", "deterministic", "erlang", "gamma", "mixture", "trace" or "mmpp". */
const char *duration_name(const struct duration *d);

/** Its name with what it needs, such as "mixture (0.1 are 10 times as long)". @return `text` */
const char *duration_text(const struct duration *d, char text[DURATION_TEXT_BYTES]);
