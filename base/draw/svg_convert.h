/* svg_convert.h - SVG as PNG or PDF, by librsvg's program rsvg-convert.
 *
 * Why       librsvg is the well-kept renderer of the GNOME desktop, and draws text and classes as browsers do. It is
 *           run as a program because it needs 47 further libraries, which a simulator would load at every start.
 * Errors    COMMAND_REFUSED and one line, which says what to install if the program is missing.
 */
#ifndef MERCURY_BASE_SVG_CONVERT_H
#define MERCURY_BASE_SVG_CONVERT_H

#include <stdio.h>

#include "base/why.h"

/** @param format  "png" (twice the picture's pixels) or "pdf"
 *  @param svg     an unnamed file, which is read from its begin
 *  @param out     receives the picture */
int svg_convert(FILE *svg, const char *format, FILE *out, struct why *why);

#endif
