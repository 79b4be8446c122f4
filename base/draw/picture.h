/* picture.h - a picture as a file: SVG, or PNG and PDF by librsvg's program rsvg-convert.
 *
 * Why       librsvg is the well-kept renderer of the GNOME desktop, and draws text and classes as browsers do. It is
 *           run as a program because it needs 47 further libraries, which a simulator would load at every start.
 * Errors    COMMAND_REFUSED and one line, which says what to install if the program is missing.
 */
#pragma once

#include <stdio.h>

#include "base/draw/svg.h"
#include "base/why.h"

/** Draws a picture, with svg_begin() and svg_end(). */
typedef void picture_draw(const void *picture, struct svg *svg);

enum { PICTURE_FORMATS = 3 };

/** "svg", "png" (twice the picture's pixels) and "pdf". */
extern const char *const picture_formats[PICTURE_FORMATS];

/** The format that the end of a name asks for, that of SVG for "-"; NULL if it is unknown. */
const char *picture_format(const char *path);

/** Draw to an open file.
 *  @param title  of a picture that stands alone: whose it is, of which machine; NULL: none */
int picture_write(picture_draw *draw, const void *picture, const char *title, const char *format, FILE *out,
                  struct why *why);

/** Draw to a file that is whole or not there, in the format of its name. @param path  "-" is standard output */
int picture_save(picture_draw *draw, const void *picture, const char *title, const char *path,
                 struct why *why);
