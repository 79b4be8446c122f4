/* directive.h - the language in which a user says what to measure: one measurement a line.
 *
 * Models    TimeTrial's directives (Lancaster et al. 2011, section III): what, where, reduced how, over which frame.
 * Grammar   (EBNF; blanks and tabs between words count as nothing, '#' begins a comment)
 *
 *     file      = { line } ;
 *     line      = [ directive ] , [ "#" , comment ] , end of line ;
 *     directive = metric , "at" , tap , [ "to" , tap ] , [ ":" , aggregate , { "," , aggregate } ] ,
 *                 [ "every" , frame ] , [ "as" , name ] ;
 *     aggregate = "mean" | "min" | "max" | "deviation"
 *               | "histogram" , "(" , ( whole | whole , ".." , whole , "/" , whole ) , ")"
 *               | "quantile" , "(" , number , { "," , number } , [ "within" , number , "%" ] , ")" ;
 *     frame     = "pass" | number , ( "s" | "ms" | "us" | "ns" | "clocks" )
 *               | whole , ( element | "elements" | "bytes" ) , "at" , tap ;
 *     name      = word , { "." , word } ;
 *     word      = letter or "_" , { letter | digit | "_" } ;
 *     whole, number = decimal, with an exponent where that is shorter: 65536, 0.99, 1e6 ;
 *
 * Names     metrics, taps and elements are the caller's catalogue's (traces/catalogue.h).
 * Text      UTF-8 in comments, ASCII elsewhere; a byte order mark, CRLF and a missing last newline are taken as
 *           they come. Control characters are refused: that is no text.
 * Errors    DIRECTIVE_E* and one line, "file:line:column: found ..., expected ...", with the nearest valid name.
 * Memory    the list belongs to the caller; what the measuring takes is bounded by the limits below.
 */
#ifndef MERCURY_TRACES_DIRECTIVE_H
#define MERCURY_TRACES_DIRECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "traces/catalogue.h"

enum directive_error { DIRECTIVE_EMEMORY = -1, DIRECTIVE_EREFUSED = -2, DIRECTIVE_EREAD = -3 };

enum {
    DIRECTIVES_MAX = 1000,
    DIRECTIVE_LINE_MAX = 4096, /* bytes */
    DIRECTIVE_NAME_MAX = 96,
    DIRECTIVE_QUANTILES_MAX = 16,
    DIRECTIVE_BINS_MAX = 65536,
    DIRECTIVE_BINS_ALL_MAX = 4194304, /* over all directives, a sketch's buckets included: 32 MiB a frame */
};

/** Bins of a histogram. */
struct bins_spec {
    uint64_t count;
    uint64_t low,
        width; /* width 0: from 0, as wide as it takes to hold all the tap's places, one where it has none */
};

enum frame_kind { FRAME_PASS, FRAME_SECONDS, FRAME_CLOCKS, FRAME_ELEMENTS, FRAME_BYTES };

struct frame_spec {
    enum frame_kind kind;
    double seconds; /* FRAME_SECONDS, > 0 */
    uint64_t
        amount; /* clocks, elements or bytes, >= 1; a frame of bytes ends with the element that completes it */
    unsigned tap; /* FRAME_ELEMENTS, FRAME_BYTES: index in the catalogue */
};

struct directive {
    unsigned metric;     /* index in the catalogue */
    unsigned tap;        /* likewise */
    unsigned to;         /* the span's other end; equal to `tap` where there is no span */
    unsigned aggregates; /* set of enum aggregate_kind; the mean where none was asked for */
    struct bins_spec bins;
    unsigned quantile_count;
    double quantiles[DIRECTIVE_QUANTILES_MAX]; /* in [0, 1] */
    double quantile_error;                     /* relative, of the value: 0.01 is 1 % */
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
 * @param file  what messages call it
 * @param list  overwritten; empty on error
 * @return 0, DIRECTIVE_EREFUSED or DIRECTIVE_EMEMORY
 */
int directives_parse(const char *text, size_t bytes, const char *file, const struct catalogue *catalogue,
                     struct directives *list, struct why *why);

/** Read a file, "-" for standard input, and parse it. */
int directives_read(const char *path, const struct catalogue *catalogue, struct directives *list,
                    struct why *why);

void directives_destroy(struct directives *list);

/** What the language is, for a help text; names no tap. */
extern const char directive_help[];

#endif
