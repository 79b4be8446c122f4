/* drawn_events.h - what a timeline will show of a pass in detail, before it is known when the pass was: events in a
 * file, for a reader of the same build.
 *
 * Time      picoseconds since clock 0 of the pass.
 * Cap       a file has at most `most` events; further ones are only counted.
 * Errors    are those of the file.
 */
#ifndef MERCURY_SIM_MEASURE_DRAWN_EVENTS_H
#define MERCURY_SIM_MEASURE_DRAWN_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum drawn_kind {
    DRAWN_LEVEL,    /* a FIFO holds `value` elements from `begin_ps` on */
    DRAWN_BUSY,     /* a stage takes elements */
    DRAWN_HELD,     /* a stage, or the bus, has something to pass on and finds no room */
    DRAWN_TRIPS,    /* a stage makes `value` trips to the duplicate table */
    DRAWN_BUS_HELD, /* the same as DRAWN_HELD, of the bus */
    DRAWN_QUEUE,    /* the host supplies, and keeps, a block */
};

struct drawn_event {
    uint32_t kind;  /* an enum drawn_kind */
    uint32_t track; /* number of the FIFO or stage */
    uint32_t value;
    uint64_t begin_ps, end_ps;
};

/** A file of events, and how many it has. */
struct drawn_events {
    FILE *file;
    uint64_t count, most; /* number of events in the file, and that which it may have */
    uint64_t missing;     /* number of events left out */
};

static inline void drawn_events_add(struct drawn_events *events, const struct drawn_event *event)
{
    if (events->count < events->most && fwrite(event, sizeof *event, 1, events->file) == 1)
        events->count++;
    else
        events->missing++;
}

#endif
