/* explain.h - what every reported number means: its unit, how it is computed, and where it comes from.
 *
 * Names     as in summary.json, validation.tsv and files of directives. A path of summary.json is also a name, with
 *           '.' or '/' between its parts: stage_1b.wmer_fifo.mean. A name that several stages have is explained for
 *           each of them, unless the path says which. What is under per_pass is explained as the run's.
 * Rows      a frame's numbers are explained by the frame's layout (frame.h), the metrics of directives by the catalogue
 *           (catalogue.h), all other numbers by data/words/numbers.tsv.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "traces/catalogue.h"
#include "traces/frame.h"

/** What a name means, as tables say it. A row with an owner explains nothing: the rows after it are this owner's, and
 *  have its source if they have none. What a row does not say is NULL or "". */
struct explain_row {
    const char *name, *meaning, *unit, *computed, *source;
    const char *owner;
};

struct explanation {
    /* A stage; "queue" for each queue, "times" and "interval" likewise; or a group: "run", "directive", "bottleneck",
     * "aggregate", "frames", "local_clocks", "measuring", "sample", "published", "operations" (of mercury predict),
     * "model", "share", or what a command adds: "word", "verdict", "column", "step", "parameter", "sweep",
     * "estimate". */
    const char *owner;
    char name[48];
    const char *meaning;  /* what the number is */
    const char *unit;     /* "1" for a fraction, "" if there is none */
    const char *computed; /* how it is computed; NULL if `formula` says so */
    const char *source;   /* publication and section; NULL if no publication defines the number */
    char formula[96];     /* names of two counters, one divided by the other */
    bool is_flow;         /* NAME_per_s is reported, too */
};

struct explanations {
    struct explanation *items;
    size_t count, room;
    const char *owner, *source; /* of the rows that are being added */
};

/** Collect the explanations of a layout's numbers, of a catalogue's metrics, and of all others. */
void explain_begin(struct explanations *all, const struct frame_layout *layout,
                   const struct catalogue *catalogue);

/** Add what is no number of a run: words of reports, verdicts and documents (data/words/words.tsv). */
void explain_add_words(struct explanations *all);

/** Add the rows of a table. */
void explain_add(struct explanations *all, const struct explain_row *rows, size_t count);

void explain_end(struct explanations *all);

/** Whether a name, or the last part of a path, is known. */
bool explain_knows(const struct explanations *all, const char *name);

/** Write what a name means, once for every owner it fits.
 *  @return number of explanations that were written; 0 if the name is unknown */
size_t explain_write(const struct explanations *all, const char *name, FILE *out);

/** The nearest known name; NULL if none is near. */
const char *explain_nearest(const struct explanations *all, const char *name);

/** Write all names by owner, with their units and meanings. */
void explain_write_list(const struct explanations *all, FILE *out);
