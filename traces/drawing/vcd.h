/* vcd.h - waveforms for GTKWave, Surfer and other viewers: signals of named scopes, written as they change.
 *
 * Format    a four-state Value Change Dump (IEEE 1364-2005, section 18) with two of the states, 0 and 1. Signals are
 *           wires of 1 to 64 bits.
 * Time      "$timescale 1 ps": a time in the file is a picosecond of what is drawn. A value holds from its time to the
 *           next.
 * Window    what lies outside [begin, end) is left out. The file begins with the values of all signals at the window's
 *           begin, and its last time is the window's end, or the end of what is drawn, whichever comes first.
 * Cap       the file never becomes larger than the cap. When the changes of a time do not fit, nothing more is
 *           written; a comment at the end says so, and so does vcd_close(). All that a viewer reads is right up to the
 *           last time in the file.
 * Order     the times of all signals together must not decrease, and a signal changes once at a time.
 * Memory    a few words per signal, none per change.
 * Errors    an enum drawing_status (drawing.h); a write that fails is reported by vcd_close() at the latest.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "traces/drawing/drawing.h"

/* A signal's identifier in the file is one of the 94 printable characters. */
enum { VCD_SIGNALS_MAX = 94 };

struct vcd_options {
    const char *comment;       /* at the file's begin: lines of text without "$" */
    uint64_t begin_ps, end_ps; /* the window; end UINT64_MAX: to the end */
    uint64_t bytes_max;        /* >= DRAWING_BYTES_LEAST */
};

struct vcd;

/** Start waveforms in `out`, which the caller closes. */
struct vcd *vcd_open(FILE *out, const struct vcd_options *options);

/** Begin and end a scope, before the first change. @param name  letters, digits and "_", as of signals */
void vcd_begin_scope(struct vcd *vcd, const char *name);
void vcd_end_scope(struct vcd *vcd);

/** Add a signal to the scope that was begun last; its value is 0 until it changes. @return its number, from 0 */
unsigned vcd_add_signal(struct vcd *vcd, const char *name, unsigned bits);

/** Set a signal's value from `at_ps` on. A value equal to the one before is not written. */
void vcd_change(struct vcd *vcd, unsigned signal, uint64_t at_ps, uint64_t value);

/** Finish and free the waveforms. `report` may be NULL.
 *  @return DRAWING_WHOLE, DRAWING_CUT or DRAWING_EWRITE */
int vcd_close(struct vcd *vcd, uint64_t end_ps, struct drawing_report *report);
