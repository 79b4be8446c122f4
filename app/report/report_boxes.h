/* report_boxes.h - how much passes differ, and how rates change over the run.
 *
 * Passes    box plots by Tukey's rule over the rows of passes.tsv: how busy each stage was, how full each queue was,
 *           how many elements passed in a second. Fewer than FEW passes are marks, since a box of so few values says
 *           nothing.
 * Time      the rates that the run measured frame by frame (frames.tsv), up to RUN_RATE_POINTS stretches of each; from
 *           passes.tsv if there are none.
 */
#ifndef MERCURY_APP_REPORT_REPORT_BOXES_H
#define MERCURY_APP_REPORT_REPORT_BOXES_H

#include "app/report/report_part.h"

extern const struct report_part report_boxes;

#endif
