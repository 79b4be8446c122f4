/* report_pipeline.h - the whole machine in one picture, after TimeTrial's Figure 6: stages with what they did with
 * their time, queues as tanks with how full they were, back-pressure as dashed arrows, the stage that limits with a
 * frame.
 *
 * Stages    host, bus, 1a, 1bp, 1bd, 2, the bus again (it carries the records back), stage 3 on the host's cores.
 * Tanks     filled up to the mean; a dashed line at the 99th percentile, a line at the most; the top is the last place.
 */
#ifndef MERCURY_APP_REPORT_REPORT_PIPELINE_H
#define MERCURY_APP_REPORT_REPORT_PIPELINE_H

#include "app/report/report_part.h"

extern const struct report_part report_pipeline;

#endif
