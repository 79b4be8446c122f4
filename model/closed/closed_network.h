/* closed_network.h - customers that go round between centres for ever: a closed queueing network, in steady state.
 *
 * Models    Centres with one or several exponential servers, or with a rate that depends on the number of customers
 *           there, first come, first served. Customers are of classes: a class has a population that never changes,
 *           and visits each centre a given number of times per passage. The service rates are the centre's, equal for
 *           all classes, as first come, first served needs (Baskett, Chandy, Muntz, Palacios, J. ACM 22(2), 1975). So
 *           boards that share a bus are classes, each with a private centre for what it does between its transfers.
 * Answers   those of exact mean value analysis (Reiser and Lavenberg, J. ACM 27(2), 1980): throughputs, times per
 *           visit, and numbers.
 * Method    Not the recursion of mean value analysis, whose P[N = 0] of a centre with several servers is a difference
 *           of nearly equal numbers: with 4 servers and 200 customers it may return a negative throughput. Here it is
 *           the normalising constant (Buzen, CACM 16(9), 1973) by generating functions, without any subtraction:
 *               G(N) is the coefficient of z^N in the product over centres i of f_i(y_i),
 *               y_i = sum over r of e_ir z_r,
 *               f(y) = sum over n of y^n / (phi(1) ... phi(n)),
 *           and if phi is phi(m) from m customers on and never above that,
 *               f(y) = (sum over n < m of (1 - phi(n) / phi(m)) y^n / (phi(1) ... phi(n))) / (1 - y / phi(m)),
 *           so that a centre of m servers costs m times as much as a centre of one. The states of a centre are then
 *           weighed against the constant of the network without it.
 *           All numbers are scaled by an upper bound of each class's throughput, so that none is below 1.
 * Units     rates in services per second, times in seconds of the caller's choice, populations in customers.
 * Memory    32 bytes for each of the (N_1 + 1) ... (N_R + 1) populations, during a call.
 * Errors    0 or a negative code of model_error.h; MODEL_EREACH if there are more than CLOSED_STATES_MOST populations,
 *           if the work is above CLOSED_WORK_MOST, or if a number is beyond a long double.
 * Source    Leonards, Processor modelling using queueing theory, 2023, section 3.3.4 (Algorithm 1, whose answers these
 *           are) and section 6.1 (rates that depend on the load).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { CLOSED_CENTRES_MAX = 16, CLOSED_CLASSES_MAX = 8, CLOSED_POPULATION_MAX = 10000000 };

/** Greatest number of populations that are solved exactly. */
#define CLOSED_STATES_MOST 1e7

/** Greatest number of multiplications that an exact solution may take, one or two minutes. */
#define CLOSED_WORK_MOST 1e10

struct closed_centre {
    double mu_per_s;  /* rate of one server, finite, > 0 */
    unsigned servers; /* 0: one for each customer, so that nobody waits */
    /* Rate of the whole centre with 1, 2, ... customers / mu_per_s, each finite and > 0; with more than `speed_count`,
     * the last one. They take the place of `servers`. NULL: none. */
    const double *speeds;
    unsigned speed_count;
    double visits[CLOSED_CLASSES_MAX]; /* of each class per passage, finite, >= 0 */
    double *p; /* out, of an exact solution: P[n = 0 to p_count - 1 customers there]; NULL: not asked for */
    size_t p_count;
};

struct closed_network {
    unsigned centre_count, class_count;
    struct closed_centre centres[CLOSED_CENTRES_MAX];
    unsigned population[CLOSED_CLASSES_MAX]; /* number of customers of each class, >= 1 */
};

struct closed_result {
    double x_per_s[CLOSED_CLASSES_MAX]; /* passages per second; a centre sees visits x passages */
    double n[CLOSED_CENTRES_MAX][CLOSED_CLASSES_MAX];   /* mean number at the centre */
    double w_s[CLOSED_CENTRES_MAX][CLOSED_CLASSES_MAX]; /* mean time of one visit; NaN if there is none */
    double busy[CLOSED_CENTRES_MAX]; /* mean number of busy servers; of rates by load, P[N > 0] */
};

/** The rate of a centre with `customers` >= 1 customers. */
double closed_centre_rate(const struct closed_centre *centre, unsigned customers);

/** Whether nobody ever waits at a centre: it has a server for each customer who visits it. */
bool closed_centre_is_delay(const struct closed_network *network, unsigned centre);

/** Make speeds that grow with a power of the load: (k / count)^alpha for k = 1 ... count.
 *
 * @param alpha  0: one server; 1: `count` servers of mu_per_s / count each
 * @return `count` of them, for free()
 */
double *closed_power_speeds(double alpha, unsigned count);

/** Check every range.
 *  @return 0, MODEL_ECLOSED, MODEL_EPOPULATION, MODEL_ESERVICE or MODEL_EVISITS */
int closed_network_check(const struct closed_network *network);

/** Number of populations up to the network's own, the product of all N_r + 1. */
double closed_network_states(const struct closed_network *network);

/** Solve a network exactly.
 *
 * @param out  the answers; all NaN on error
 * @return as closed_network_check(), or MODEL_EREACH
 */
int closed_network_solve(const struct closed_network *network, struct closed_result *out);

/** A result in which every number is NaN. */
struct closed_result closed_result_none(void);
