/* report.h - a run's page: report.html, and single pictures of it.
 *
 * Page      one file that needs nothing else (base/draw/page.h). It is made from what the files of a run say only
 *           (run_files.h), so that the same run has the same bytes, whenever it is written, also if it was timed again.
 * Parts     A part is one picture with what is said of it. Its source fills a struct report_part; its row in
 *           REPORT_PARTS puts it on the page, and into `mercury plot`: its help, its choices, their completion.
 * Pictures  of a file are those of the page, in literal light colours.
 * Errors    an enum command_status and one line. A file is whole or not there.
 */
#pragma once

#include <stdio.h>

#include <jansson.h>

#include "base/draw/figure.h"
#include "base/draw/page.h"
#include "base/draw/picture.h"
#include "base/why.h"
#include "traces/statistics/series_summary.h"
#include "app/report/run_files.h"

/** The page's name in the directory of a run. */
#define REPORT_FILE "report.html"

/** The parts in the order of the page, with the lines that the help of `mercury plot` has of them. */
#define REPORT_PARTS(PART)                                                                                    \
    PART(forecast, "forecast  of a sample: the whole run's totals\n")                                         \
    PART(pipeline, "pipeline  stages, queues and back-pressure in one view\n")                                \
    PART(time, "time      tables, streaming and stage 3 of the passes\n")                                     \
    PART(                                                                                                     \
        queues,                                                                                               \
        "queues    how often each queue held how much, and the\n                                   models\n") \
    PART(models, "models    every model's prediction beside the run\n")                                       \
    PART(boxes, "boxes     how much passes differ; rates over time\n")                                        \
    PART(latency, "latency   how long elements take\n")                                                       \
    PART(dots, "dots      dot plot of the alignments\n")

struct report_part {
    const char *title; /* its heading */

    /** Why there is nothing to draw: a sentence; NULL if there is something. */
    const char *(*missing)(const struct run_files *run);

    picture_draw *draw; /* of a struct run_files */

    const char *says; /* HTML below the heading: what the picture says, if that is always the same; or NULL */

    /** Write what the picture says of a run, below that, and what follows the picture; either may be NULL. */
    void (*introduce)(const struct run_files *run, FILE *out);
    void (*follow)(const struct run_files *run, FILE *out);
};

#define REPORT_DECLARE(name, help) extern const struct report_part report_##name;
REPORT_PARTS(REPORT_DECLARE)

#define REPORT_NUMBER(name, help) REPORT_PART_##name,
enum report_number { REPORT_PARTS(REPORT_NUMBER) REPORT_PART_COUNT };

/** The parts, and their names, then NULL. */
extern const struct report_part *const report_parts[REPORT_PART_COUNT];
extern const char *const report_names[];

/** A part of a run. */
struct report_section {
    const struct report_part *part;
    const struct run_files *run;
    struct svg_ends *ends; /* of the picture's axes, or NULL */
};

/** Write what the picture says. @param section  struct report_section, as below */
void report_introduce(const void *section, FILE *out);

/** Writes the introduction, the picture, and what follows; or why there is none.
 *  @param section  struct report_section */
void report_write_section(const void *section, FILE *out);

/** Write a section with links from words in it to what they mean; and the section of these meanings, which has no data.
 */
void report_write_linked(const void *section, FILE *out);
void report_write_words(const void *data, FILE *out);

/** Check that a page or picture can be written, and is no file of the run itself. As report_write() has them. */
int report_check_output(const char *directory, enum report_number what, const char *path, struct why *why);

/** Write the page of a run, or one picture of it.
 *
 * @param what     the picture; REPORT_PART_COUNT: the page
 * @param path     of a picture, ends in .svg, .png or .pdf; "-" is standard output; NULL is REPORT_FILE in the
 *                 directory
 * @param dots     what a dot plot shows; NULL: everything
 * @param summary  what this process has written as summary.json; NULL: it is read
 */
int report_write(const char *directory, enum report_number what, const char *path,
                 const struct dots_choice *dots, json_t *summary, struct why *why);

/* --- for the parts --------------------------------------------------------------------------------------- */

/** Refuse a region of a dot plot that the run's records do not have. */
int report_dots_check(const struct run_files *run, struct why *why);

/** Whether the run is a sample; only then the page has a forecast. */
bool report_is_sample(const struct run_files *run);
/** Whether it is one of windows of the database, which leaves no alignments. */
bool report_is_of_windows(const struct run_files *run);

/** Why there is nothing to draw of single passes; NULL if there is something. */
const char *report_missing_passes(const struct run_files *run);

/** Say in a paragraph of the page what the whole run would find and take. */
void report_forecast_write_answer(const struct run_files *run, FILE *out);

/** How each model looks, in all pictures: its colour, its line, and its mark's shape.
 *  @param key  of a mark or ring; otherwise it has its line */
struct figure_style report_model_style(const char *model, enum figure_key key);

/** Write the findings of a validation as a list. */
void report_models_write_findings(const struct validation *validation, FILE *out);

/** Draw a box plot that lies along the x axis, its middle at pixel y. */
void report_draw_box(const struct figure *figure, const struct five_numbers *box, double y,
                     enum svg_colour colour, const char *tip);
