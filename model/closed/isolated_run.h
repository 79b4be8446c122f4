/* isolated_run.h - what a program asks of a shared centre when it runs alone: frames in groups, a private centre each.
 *
 * Models    a run that is cut into frames of equal length. Frames with nearly the same throughput x and time w at the
 *           shared centre are a group. In each group the program is a private centre with N customers
 *           (private_centre.h): mu is such that x is met, N is raised while w is too short.
 *           A group whose shared centre has no time left gets the throughput 1 - 1e-6 of what the centre can serve.
 * Groups    by k-means: every point goes to the group whose mean is nearest, and every mean is that of its group's
 *           points, until no point changes its group (Lloyd). Before that, each coordinate is divided by its greatest
 *           value, so that units do not matter. The first means lie apart: each is a point, drawn with a probability in
 *           proportion to the square of its distance from those that were drawn before (k-means++: Arthur and
 *           Vassilvitskii, SODA 2007). The same points and seed have the same groups, on every machine whose doubles
 *           are IEEE 754's.
 * Why own   of Debian's libraries with k-means, VLFeat is C, but has had no release since 2018 and is one of computer
 *           vision; FAISS and mlpack are C++. This is a page.
 * Requests  whose program waits for the answer make x and w. Others, for which nobody waits, are only counted.
 * Memory    the groups of the frames, and 8 bytes per frame during a call; frames are borrowed.
 * Errors    0 or a negative code of model_error.h. Only one thread may call this at a time (private_centre.h).
 * Source    Leonards, Processor modelling using queueing theory, 2023, Definition 4.1.1, sections 4.1 and 4.3.1.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/closed/private_centre.h"

enum { K_MEANS_GROUPS_MAX = 64 };

struct k_means_point {
    double x, y; /* finite, >= 0 */
};

/** Put points into groups.
 *
 * @param groups  number of groups that are wanted, 1 to K_MEANS_GROUPS_MAX
 * @param group   out: the group of each point, from 0
 * @param found   out: number of groups; fewer than `groups` if there are fewer different points; 0 without points
 * @return 0 or MODEL_EGROUPS
 */
int k_means(const struct k_means_point *points, size_t count, unsigned groups, uint64_t seed, unsigned *group,
            unsigned *found);

/** What was measured in a stretch of a run. Of a request, a frame has that part which is the frame's part of the time
 * from the request to the next one; so a frame may be shorter than the time between requests. */
struct isolated_frame {
    double length_s;
    double requests;                     /* number of those whose program waits */
    double at_centre_s;                  /* sum of their times at the shared centre */
    double number_s;                     /* integral of their number at the centre, over the frame itself */
    double others;                       /* number of those for which nobody waits, */
    double others_at_s, others_number_s; /* their times at the centre, and the integral of their number */
};

struct isolated_group {
    double length_s; /* sum of its frames */
    double x_per_s, w_s, n, others_per_s;
    struct private_centre centre; /* x_per_s 0 if the group asks for nothing */
};

struct isolated_run {
    const struct isolated_frame *frames;
    size_t frame_count;
    double length_s;
    unsigned *group; /* of each frame */
    struct isolated_group groups[K_MEANS_GROUPS_MAX];
    unsigned group_count;
};

/** How far the model of a run alone is from what was measured of it: sums over the groups of absolute differences,
 * weighted by their lengths, divided by the sum of what was measured. */
struct isolated_fit {
    double throughput; /* criterion (4.1.2) */
    double time;       /* waiting and service at the shared centre: (4.1.3) */
    double number;     /* there: (4.1.4) */
    double little; /* x w - n of each frame, likewise (Figure 4.3): how far frames are from a steady state */
};

/** Group the frames of a run, and fit the private centres.
 *
 * @param groups     number of groups that are wanted
 * @param service_s  mean service at the shared centre
 * @param servers, alpha  of the private centres
 * @param out        for isolated_run_destroy(), after an error too
 * @return 0, MODEL_EREQUESTS, MODEL_EGROUPS or as private_centre_fit()
 */
int isolated_run_fit(const struct isolated_frame *frames, size_t frame_count, unsigned groups, uint64_t seed,
                     double service_s, unsigned servers, double alpha, struct isolated_run *out);

struct isolated_fit isolated_run_find_fit(const struct isolated_run *run);

void isolated_run_destroy(struct isolated_run *run);
