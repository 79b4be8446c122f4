/* report_queues.h - how often each queue held how many elements, and what the models say of that.
 *
 * Simulated the histogram of histograms.tsv, weighted by time, on a logarithmic axis. A bin of several numbers of
 *           elements has its mean share of the time for each of them.
 * Models    their distributions (validate/queue_distribution.h), and below the picture how far these are from the
 *           histograms. No model has the queues of software and of records.
 */
#ifndef MERCURY_APP_REPORT_REPORT_QUEUES_H
#define MERCURY_APP_REPORT_REPORT_QUEUES_H

#include "app/report/report_part.h"

extern const struct report_part report_queues;

#endif
