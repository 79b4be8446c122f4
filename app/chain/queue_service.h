/* queue_service.h - how a user writes the distribution of services: exponential, deterministic, or mixture:F:R. */
#ifndef MERCURY_APP_THEORY_QUEUE_SERVICE_H
#define MERCURY_APP_THEORY_QUEUE_SERVICE_H

#include "base/words.h"
#include "sim/simgrid/queue_line.h"

#define QUEUE_SERVICE_EXPECTED "exponential, deterministic, or mixture:F:R, F from 0 to 1, R from 1 to 1e6"

/** Set the distribution of a stage's services; a mixture has a fraction F of services that take R times as long as the
 *  others.
 *  @return whether the text is one of these */
bool queue_service_parse(struct word text, struct queue_line_stage *stage);

#endif
