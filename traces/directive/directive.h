/* directive.h - the language in which a user says what to measure: one measurement per line.
 *
 * Models    TimeTrial's directives (Lancaster et al. 2011, section III): what, where, reduced how, over which frame.
 * Grammar   EBNF in app/help/parts/directives.txt, which `mercury measure --help` prints. Blanks and tabs separate
 *           words and mean nothing else; '#' begins a comment.
 * Names     metrics, taps and elements are those of the caller's catalogue (traces/catalogue.h).
 * Text      UTF-8 in comments, ASCII elsewhere. A byte order mark, CRLF and a missing last newline are accepted.
 *           Control characters are refused, because a file that has them is no text.
 * Errors    DIRECTIVE_E* and one line, "file:line:column: found ..., expected ...", with the nearest valid name.
 * Memory    the list belongs to the caller; the limits below bound what measuring takes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "traces/catalogue.h"

enum directive_error { DIRECTIVE_EREFUSED = -2, DIRECTIVE_EREAD = -3 };

enum {
    DIRECTIVES_MAX = 1000,
    DIRECTIVE_LINE_MAX = 4096, /* bytes */
    DIRECTIVE_NAME_MAX = 96,
    DIRECTIVE_QUANTILES_MAX = 16,
    DIRECTIVE_BINS_MAX = 65536,
    DIRECTIVE_BINS_ALL_MAX = 4194304, /* of all directives, with the buckets of quantiles: 32 MiB per frame */
};

/** Bins of a histogram. */
struct bins_spec {
    uint64_t count;
    uint64_t low;
    /* 0 for bins from 0 that together hold all places of the tap, or of width 1 if it has no places. */
    uint64_t width;
};

enum frame_kind { FRAME_PASS, FRAME_SECONDS, FRAME_CLOCKS, FRAME_ELEMENTS, FRAME_BYTES };

struct frame_spec {
    enum frame_kind kind;
    double seconds; /* FRAME_SECONDS, > 0 */
    /* Clocks, elements or bytes, >= 1; a frame of bytes ends with the element that completes it. */
    uint64_t amount;
    unsigned tap; /* index in the catalogue; FRAME_ELEMENTS and FRAME_BYTES only */
    bool of_run;  /* the frames divide the run, not each pass; FRAME_SECONDS and FRAME_CLOCKS only */
};

struct directive {
    unsigned metric;     /* index in the catalogue */
    unsigned tap;        /* index in the catalogue */
    unsigned to;         /* the other end of a span; equal to `tap` if there is no span */
    unsigned aggregates; /* set of enum aggregate_kind; the mean if the directive has none */
    struct bins_spec bins;
    unsigned quantile_count;
    double quantiles[DIRECTIVE_QUANTILES_MAX]; /* in [0, 1] */
    double quantile_error;                     /* relative to the value: 0.01 is 1 % */
    struct frame_spec frame;
    char name[DIRECTIVE_NAME_MAX]; /* unique; "metric.tap" or "metric.tap_to_tap" unless given */
    unsigned line;                 /* of the file, from 1 */
};

struct directives {
    struct directive *items;
    size_t count;
};

/** Parse a text.
 *
 * @param file  the name that messages call it
 * @param list  overwritten; empty after an error
 * @return 0 or DIRECTIVE_EREFUSED
 */
int directives_parse(const char *text, size_t bytes, const char *file, const struct catalogue *catalogue,
                     struct directives *list, struct why *why);

/** Read a file, or standard input if the path is "-", and parse it. */
int directives_read(const char *path, const struct catalogue *catalogue, struct directives *list,
                    struct why *why);

void directives_destroy(struct directives *list);
