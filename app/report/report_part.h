/* report_part.h - a part of a run's page: one picture, with what is said of it.
 *
 * Pictures  are drawn from the files of a run, for a page or for a file of their own (base/draw/svg.h). WIDTH
 * pixels are the
 *           width of all of them, so that their letters have one size.
 * Order     report_parts has them in the order of the page.
 */
#ifndef MERCURY_APP_REPORT_REPORT_PART_H
#define MERCURY_APP_REPORT_REPORT_PART_H

#include <stdio.h>

#include "base/draw/svg.h"
#include "app/report/run_files.h"

#define REPORT_WIDTH 1000.0

struct report_part {
    const char *what;  /* its name for mercury plot --what */
    const char *title; /* its heading */

    /** Why there is nothing to draw: a sentence; NULL if there is something. */
    const char *(*missing)(const struct run_files *run);

    /** Draw the picture, with svg_begin() and svg_end(). */
    void (*draw)(const struct run_files *run, struct svg *svg);

    /** Write what the picture says, as HTML below the heading, and what follows it; either may be NULL. */
    void (*introduce)(const struct run_files *run, FILE *out);
    void (*follow)(const struct run_files *run, FILE *out);
};

/** Write a part as a section of a page: heading, introduction, picture, what follows; or why there is none. */
void report_part_write(const struct report_part *part, const struct run_files *run, FILE *out);

/** A time with its unit, three digits: "8.31 ms". @return `text` */
const char *report_time(double seconds, char text[32]);

/** The unit in which an axis shows times up to `most_s`, and its factor. */
struct report_unit {
    const char *name;
    double per_s;
};
struct report_unit report_time_unit(double most_s);

/** A text in HTML, formatted as by printf() and escaped. */
void report_text(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** A stage's name in a sentence: "the bus", "stage 1bd". @return `text` */
const char *report_stage_name(const char *stage, char text[48]);

#endif
