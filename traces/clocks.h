/* clocks.h - clocks that run apart, and one virtual time for all of them.
 *
 * Models    TimeTrial's time (Lancaster et al. 2011, section III): host and FPGA each stamp with a clock of their own,
 *           and a linear map t_V = s t + b takes the stamps of each to virtual time. Virtual time is the time of a
 *           reference clock, the host's; the reference's own map is s = 1, b = 0.
 * Clock     At the true time t a clock shows floor(((1 + rate_error) t + offset_s) / resolution_s) resolution_s.
 * Estimate  s and b come from messages, each stamped by one clock when it is sent and by the other when it is received.
 *           A message takes at least a known least delay (0 if nothing is known) and an unknown additional time, which
 *           differs between the two directions: each stamp pair bounds the line on one side. Messages to the clock
 *           bound it from below, messages from the clock from above. The slopes of all lines between both are an
 *           interval; s is its middle, and b is the middle of the offsets that remain at that slope (the convex hull
 *           method of Duda, Harrus, Haddad, Bernard, ICDCS 1987). The errors of the estimate and of virtual time are
 *           bounded, not guessed, because the true map satisfies every bound.
 * Errors    CLOCKS_E*: there are messages of one direction only, or too few in time to bound the slope, or no line
 *           satisfies all stamps (a clock stepped, or a delay was below the least one).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum clocks_error { CLOCKS_EFEW = -2, CLOCKS_EINCONSISTENT = -3 };

/** The properties of a clock. */
struct local_clock {
    double rate_error;   /* 50e-6: 50 us per second too fast; > -1 */
    double offset_s;     /* what it shows at true time 0 */
    double resolution_s; /* of its stamps; 0: that of a double */
};

/** What a clock shows at true time t. */
double local_clock_stamp_s(const struct local_clock *clock, double t_s);

/** The true map from one clock's stamps to another's, if the resolution of both were infinite. */
struct clock_line {
    double rate;     /* s */
    double offset_s; /* b */
};

struct clock_line local_clock_line(const struct local_clock *from, const struct local_clock *reference);

enum stamp_direction {
    STAMP_TO_CLOCK,   /* sent by the reference, received by the clock */
    STAMP_FROM_CLOCK, /* sent by the clock, received by the reference */
};

/** A message between a clock and the reference, with what each of them showed when the message was sent or received. */
struct stamp_pair {
    double clock_s, reference_s;
    enum stamp_direction direction;
};

/** What is known about the exchange. */
struct stamp_exchange {
    double clock_resolution_s, reference_resolution_s;
    double to_clock_least_s, from_clock_least_s; /* least delays, in reference time, >= 0 */
};

/** Keep only the pairs that can bound a line, the corners of each direction's hull: the estimate from them is the same.
 *
 * @return the number of pairs kept, which are the first ones of the array
 */
size_t stamp_pairs_thin(struct stamp_pair *pairs, size_t count);

/** A clock's map to the reference. */
struct clock_map {
    struct clock_line line;
    double rate_least, rate_most;   /* slopes of all lines that satisfy every stamp */
    const struct stamp_pair *pairs; /* the corners; the first `below` of them are of messages to the clock */
    size_t below, count;
    struct stamp_exchange exchange;
};

/** Estimate a map.
 *
 * @param pairs  in any order; they are thinned, and the map's as long as it is used
 * @return 0 or CLOCKS_E*: then only the pairs are thinned
 */
int clock_map_estimate(struct clock_map *map, struct stamp_pair *pairs, size_t count,
                       const struct stamp_exchange *exchange);

/** Virtual time of one of the clock's stamps. */
double clock_map_virtual_s(const struct clock_map *map, double clock_s);

/** The least and the greatest virtual time that the lines which satisfy every stamp give to a stamp of the clock. */
void clock_map_bounds_s(const struct clock_map *map, double clock_s, double *least_s, double *most_s);

/** The error of a map whose truth is known, as in a simulation. */
struct clock_error {
    double rate;    /* estimated s - true s */
    double worst_s; /* largest absolute error of virtual time between two stamps */
    double bound_s; /* largest error there that the stamps allow */
    bool within;    /* the truth lies within the bounds at both ends, up to rounding */
};

/** Compare a map with the true line, for stamps from first_s to last_s. */
struct clock_error clock_map_error(const struct clock_map *map, struct clock_line truth, double first_s,
                                   double last_s);
