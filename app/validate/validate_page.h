/* validate_page.h - the page of a validation: what the differences say of the machine, every model beside the
 * simulation as a picture, the queues' histograms with the models' distributions, and the numbers of the text
 * (base/draw/page.h).
 *
 * Errors    an enum command_status and one line. The file is whole or not there.
 */
#pragma once

#include "base/why.h"
#include "validate/validation.h"
#include "app/why/assumption_shares.h"
#include "app/why/window_study.h"

/** Write the page.
 *
 * @param validation  of the summary, with its ranges
 * @param shares      of the models' assumptions in their errors; NULL if they were not asked for
 * @param study       theory in windows; likewise
 * @param of          the run
 * @param directory   of the summary, where the histograms and the names of the inputs may be; NULL if it is unknown
 * @param path        "-" is standard output
 */
int validate_page_write(const struct validation *validation, const struct assumption_shares *shares,
                        const struct window_study *study, const struct run *of, const char *directory,
                        const char *path, struct why *why);
