/* private_centre.h - what a program does between its requests to a shared centre, from what was measured of it alone.
 *
 * Models    a program that runs alone as a closed network of two centres: a private one, which stands for all that the
 *           program does between two requests, and the shared one, which serves them. The private centre has C servers
 *           of rate mu, or with k customers the rate mu (k / N)^alpha, and N customers, the greatest number of requests
 *           under way. Its mu is such that the network has
 *           the measured throughput; the more customers, the longer a request waits at the shared centre. So mu and N
 *           meet a throughput x and a time w at the shared centre, as far as they can: w is at least a service s, and
 *           below the s / (1 - x s) of Poisson arrivals.
 * Method    Throughput rises with mu: Brent's method in ln mu, by GSL.
 * Units     as in closed_network.h
 * Errors    0 or a negative code of model_error.h. The search switches off GSL's error handler, which is global to the
 *           process, so only one thread may call it at a time.
 * Source    Leonards, Processor modelling using queueing theory, 2023, sections 4.3.1, 6.1 and Figure 4.9.
 */
#pragma once

#include <stdbool.h>

struct private_centre {
    double mu_per_s;     /* rate of one server; with alpha, that with all customers */
    unsigned servers;    /* C, 1 or more; not used with alpha */
    double alpha;        /* 0: the rate is that of the servers that are busy */
    unsigned population; /* N, 1 or more */
    double x_per_s;      /* throughput of the network of this centre and the shared one */
    double w_s;          /* mean time of a request at the shared centre */
};

/** Find mu so that the throughput is as measured.
 *
 * @param x_per_s     throughput, > 0
 * @param shared_s    mean service at the shared centre, which has one server; > 0
 * @param servers     of the private centre, >= 1
 * @param alpha       >= 0; above 0, its rate is a power of the load, and takes the place of the servers
 * @param population  number of customers, 1 to 100000
 * @param out         filled on success
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_EPOPULATION, MODEL_ENOSOLUTION if the shared centre cannot serve
 *         x_per_s with so many customers, MODEL_ECONVERGE or MODEL_EREACH
 */
int private_centre_of_population(double x_per_s, double shared_s, unsigned servers, double alpha,
                                 unsigned population, struct private_centre *out);

/** Find mu and N: N is raised while the time at the shared centre is too short, until more customers change it by less
 *  than a hundred-thousandth; of the last two, the nearer one is taken.
 *
 * @param w_s  the time that the shared centre is to take, > 0
 * @param met  out: whether some N has a time at least as long; if not, `out` is the longest that can be had
 * @return as private_centre_of_population()
 */
int private_centre_fit(double x_per_s, double w_s, double shared_s, unsigned servers, double alpha,
                       struct private_centre *out, bool *met);

/** The time at the shared centre with infinitely many customers: s / (1 - x s); infinite from x s = 1 on. */
double private_centre_limit_s(double x_per_s, double shared_s);
