/* mmpp_fit.h - a Poisson stream of two rates that has the moments of a measured one.
 *
 * Models    numbers of arrivals in intervals of three lengths give the four numbers of a MMPP (mmpp_queue.h): the mean,
 *           the index of dispersion (variance / mean) at two lengths, and the third central moment at a short one, as
 *           Heffes and Lucantoni fit packets of voice. With a the mean rate, s2 and m3 the variance and the third
 *           moment of the rate, and d the sum of both rates of leaving a state:
 *               dispersion(t) = 1 + 2 s2 / (a d) f(d t), f(x) = 1 - (1 - e^-x) / x
 *               third moment(t) = a t + 3 s2 t^2 + m3 t^3, for t that is short against 1 / d
 *           If the lower rate came out below 0, it is 0, and mean and variance alone decide (on-off).
 * Domain    a stream whose dispersion is above 1, and grows with the length, but less than in proportion.
 * Source    Heffes and Lucantoni, IEEE Journal on Selected Areas in Communications 4(6), 1986, section III.
 */
#pragma once

#include <stdbool.h>

struct mmpp_moments {
    double rate;                       /* per unit of time, > 0 */
    double length[2], dispersion[2];   /* of intervals; the first are the shorter ones */
    double short_length, third_moment; /* of numbers in short intervals, central */
};

/** @param rate, leave  out: arrivals per time in each state, the higher rate first, and how often it is left
 *  @return false if no MMPP has these moments */
bool mmpp_fit(const struct mmpp_moments *moments, double rate[2], double leave[2]);
