/* share_study.h - how far predictions depend on the length of the frames and the number of groups: a picture, as
 * Figures 5.1 and 5.3 of Leonards (2023).
 *
 * Models    the same boards, predicted with every combination of 9 lengths, from a quarter of the default to 64 times
 *           it, and 6 numbers of groups. What is drawn is the mean over the runs of the absolute difference from the
 *           simulation, in points of per cent.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_SHARE_STUDY_H
#define MERCURY_APP_THEORY_SHARE_STUDY_H

#include "app/share/share_theory.h"

/** Write the picture as SVG.
 *
 * @param choice  its seed and its rate of the bus are used
 * @param path    "-" is standard output
 */
int share_study_write(const struct share_case *boards, const struct share_choice *choice, const char *path,
                      struct why *why);

#endif
