/* explain.h - what every number that is reported means: its unit, how it is computed, and where it comes from.
 *
 * Names     as in summary.json, validation.tsv and files of directives. A path of summary.json is a name, too, with '.' or
 *           '/' between its parts: stage_1b.wmer_fifo.mean. A name that several stages have is explained for each, unless the path
 *           says which; what is under per_pass is explained as the run's.
 */
#ifndef MERCURY_TRACES_EXPLAIN_H
#define MERCURY_TRACES_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct explanation {
    const char *
        owner; /* stage, "queue" for each queue, "times" and "interval" likewise, or a group: "run", "directive", "bottleneck", "aggregate", "frames", "local_clocks", "measuring", "model" */
    const char *name;
    const char *unit;     /* "1" for a fraction, "" where there is none */
    const char *meaning;  /* what it is */
    const char *computed; /* and how */
    const char *source;   /* paper, section; NULL: this program's own */
    bool is_flow;         /* there is name_per_s, too */
};

/** The table; `count` receives its length. */
const struct explanation *explain_all(size_t *count);

/** Whether a name, or the last part of a path, is known. */
bool explain_knows(const char *name);

/** Write what a name means, once for every owner it fits.
 *  @return how many explanations were written; 0: the name is unknown */
size_t explain_write(const char *name, FILE *out);

/** The nearest known name, or NULL where none is near. */
const char *explain_nearest(const char *name);

/** Write all names, by owner, with their units and meanings in short. */
void explain_write_list(FILE *out);

#endif
