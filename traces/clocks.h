/* clocks.h - clocks that run apart, and one virtual time for all of them.
 *
 * Models    TimeTrial's time (Lancaster et al. 2011, section III): host and FPGA each stamp by a clock of their own, and a
 *           linear map t_V = s t + b takes each to virtual time. Virtual time is a reference clock's, the host's; its
 *           own map is s = 1, b = 0.
 * Clock     reads floor(((1 + rate_error) t + offset_s) / resolution_s) resolution_s at true time t.
 * Estimate  s and b come from messages stamped when sent by one clock and when received by the other. A message takes at
 *           least a known least delay (0 where nothing is known), and as much more as it likes, unlike in both
 *           directions: each stamp pair is one bound on the line. Messages to the clock bound it from below, messages
 *           from it from above; the slopes of the lines between both are an interval, whose middle is s, and b is the
 *           middle of what is left for it at that slope (the convex hull method of Duda, Harrus, Haddad, Bernard,
 *           ICDCS 1987). Both the estimate's error and virtual time's are bounded, not guessed: the true map satisfies
 *           every bound.
 * Errors    CLOCKS_E*: messages of one direction only, or too few in time to bound the slope, or stamps no line
 *           satisfies (a clock that stepped, or a delay below the least).
 */
#ifndef MERCURY_TRACES_CLOCKS_H
#define MERCURY_TRACES_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>

enum clocks_error { CLOCKS_EFEW = -1, CLOCKS_EINCONSISTENT = -2, CLOCKS_EMEMORY = -3 };

/** A clock as it really is. */
struct local_clock {
    double rate_error;   /* 50e-6: 50 us a second too fast; > -1 */
    double offset_s;     /* what it shows at true time 0 */
    double resolution_s; /* of its stamps; 0: as fine as a double */
};

/** What a clock shows at true time t. */
double local_clock_stamp_s(const struct local_clock *clock, double t_s);

/** The true map from a clock's stamps to another's, were both infinitely fine. */
struct clock_line {
    double rate;     /* s */
    double offset_s; /* b */
};

struct clock_line local_clock_line(const struct local_clock *from, const struct local_clock *reference);

enum stamp_direction {
    STAMP_TO_CLOCK,   /* sent by the reference, received by the clock */
    STAMP_FROM_CLOCK, /* sent by the clock, received by the reference */
};

/** A message between a clock and the reference: what each showed when it was sent or received there. */
struct stamp_pair {
    double clock_s, reference_s;
    enum stamp_direction direction;
};

/** What is known about the exchange. */
struct stamp_exchange {
    double clock_resolution_s, reference_resolution_s;
    double to_clock_least_s, from_clock_least_s; /* least delays, in reference time, >= 0 */
};

/** Keep of the pairs only those that can bound a line, the corners of each direction's hull: what is estimated from
 * the rest is the same. Nothing is lost where memory for it is out.
 *  @return how many are left, to be found at the beginning */
size_t stamp_pairs_thin(struct stamp_pair *pairs, size_t count);

struct clock_map;

/** Estimate a clock's map to the reference.
 *
 * @param pairs  in any order
 * @param map    destroy it; NULL on error
 * @return 0 or CLOCKS_E*
 */
int clock_map_estimate(const struct stamp_pair *pairs, size_t count, const struct stamp_exchange *exchange,
                       struct clock_map **map);
void clock_map_destroy(struct clock_map *map);

struct clock_line clock_map_line(const struct clock_map *map);

/** Least and greatest slope of any line that satisfies every stamp. */
void clock_map_rate_bounds(const struct clock_map *map, double *least, double *most);

/** Virtual time of a stamp of the clock's. */
double clock_map_virtual_s(const struct clock_map *map, double clock_s);

/** Least and greatest virtual time that any line which satisfies every stamp gives it. */
void clock_map_bounds_s(const struct clock_map *map, double clock_s, double *least_s, double *most_s);

/** How wrong a map is, for who knows the truth. */
struct clock_error {
    double rate;    /* estimated s - true s */
    double worst_s; /* of virtual time between two stamps, without its sign */
    double bound_s; /* what the stamps alone said it could be at worst there */
    bool
        within; /* truth lies within the bounds at both ends, to what a double rounds; else clocks or stamps lie */
};

/** Compare a map with the true line, for stamps from first_s to last_s. */
struct clock_error clock_map_error(const struct clock_map *map, struct clock_line truth, double first_s,
                                   double last_s);

#endif
