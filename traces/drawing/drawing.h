/* drawing.h - what all files that draw a pass have in common: a window of time, a cap in bytes, and what became of
 * them.
 *
 * Models    nothing. The files are timelines (timeline.h) and waveforms (vcd.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum drawing_status { DRAWING_WHOLE = 0, DRAWING_CUT = 1, DRAWING_EWRITE = -2 };

enum { DRAWING_BYTES_LEAST = 4096 };

struct drawing_report {
    uint64_t events;  /* number of events written: slices and values of a timeline, changes of signals */
    uint64_t missing; /* number of events left out because of the cap, not because of the window */
    uint64_t bytes;   /* size of the file */
    uint64_t cut_ps;  /* time of the first missing event */
    uint64_t end_ps;  /* end of what is drawn */
    bool is_beyond;   /* the window begins at or after that end: the drawing is empty */
};

/** A drawing that has ended. */
struct drawn {
    int status; /* an enum drawing_status */
    struct drawing_report report;
};
