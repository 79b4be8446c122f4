/* jsimg.h - the measured board as a model of JSIMgraph, the simulator of the Java Modelling Tools (JMT).
 *
 * Models    the tandem bus -> 1a -> 1bp -> 1bd -> 2 -> HSPs. A customer is a database word, then a seed, a lookup and a
 *           match. A station is a finite queue of the FIFO's places with one server; its customers wait in the station
 *           before if it is full ("BAS blocking"). After a station the measured share of the customers goes on, the
 *           rest leaves into a sink of its own.
 *             bus   times between words at the ingress FIFO as measured: gamma by mean and scv, or a file of times
 *                   (JMT's Replayer)
 *             1a, 1bp, 2   one clock
 *             1bd   one clock, or those by which its trips hold it (mercury_tandem.h): gamma by mean and scv of the
 *                   mixture
 * Units     seconds, customers.
 * Omits     that seeds of a word and matches of a group come together, correlations, fetch and read latency, margins of
 *           back-pressure signals, and what limits after stage 2.
 * Domain    at most one seed per word and one match per seed, on the mean: a station of JMT cannot multiply customers.
 * Format    archive of Archive.xsd and SIMmodeldefinition.xsd of JMT; UTF-8. The same run gives the same bytes.
 * Source    JMT 1.2 (Bertoli, Casale, Serazzi, JMT: performance engineering tools for system modeling, ACM SIGMETRICS
 *           Performance Evaluation Review 36(4), 2009).
 */
#ifndef MERCURY_APP_REPORT_JSIMG_H
#define MERCURY_APP_REPORT_JSIMG_H

#include <stdio.h>

#include "base/why.h"
#include "sim/run/run.h"

/** Write the model of a run.
 *
 * @param name      of the model
 * @param arrivals  absolute path of a file of times between words in seconds, one per line; NULL: gamma
 * @return 0; COMMAND_REFUSED and one line if the run has no such model; COMMAND_FAILED if memory is exhausted
 */
int jsimg_write(const struct run *run, const char *name, const char *arrivals, FILE *out, struct why *why);

#endif
