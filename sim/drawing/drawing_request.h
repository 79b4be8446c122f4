/* drawing_request.h - what is to be drawn of a run: a timeline (machine_timeline.h), waveforms (board_waves.h), or
 * both; and a list of the times between arrivals (arrival_list.h), which has no window and no limit.
 *
 * Window    in seconds since the pass's clock 0, in which its first word may be on the bus.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#include "sim/board/board_fifos.h"

struct drawing_request {
    const char *timeline_path, *vcd_path, *fst_path; /* NULL if it is not asked for */
    const char *times_path; /* file of times or outputs (arrival_list.h); NULL if none is asked for */
    unsigned times_kind;    /* of what */
    uint64_t pass;          /* from 1 */
    double begin_s, end_s;  /* the window; end_s 0: to the end */
    uint64_t bytes_max;     /* of the timeline */
    uint64_t waves_bytes;   /* of waveforms, before they are compressed */
};

/** The window in picoseconds; its end UINT64_MAX: to the end. */
static inline uint64_t drawing_begin_ps(const struct drawing_request *request)
{
    return (uint64_t)(request->begin_s * 1e12 + 0.5);
}

static inline uint64_t drawing_end_ps(const struct drawing_request *request)
{
    return request->end_s > 0 ? (uint64_t)(request->end_s * 1e12 + 0.5) : UINT64_MAX;
}

/** Drawings count picoseconds up to 2^62, which are 53 days. What lasts longer is not drawn. */
#define DRAWING_PS_MAX (INT64_C(1) << 62)

/** Picoseconds of a time; DRAWING_PS_MAX of all that are longer. */
static inline int64_t drawing_ps(double time_s)
{
    return !(time_s > 0)                            ? 0
           : time_s * 1e12 < (double)DRAWING_PS_MAX ? llround(time_s * 1e12)
                                                    : DRAWING_PS_MAX;
}

/** Picoseconds since clock 0 at which a clock begins; DRAWING_PS_MAX of all that are later. */
static inline uint64_t drawing_clock_ps(int64_t clock, double clock_hz)
{
    double ps = (double)clock * (1e12 / clock_hz) + 0.5;
    return clock <= 0 ? 0 : ps < (double)DRAWING_PS_MAX ? (uint64_t)ps : (uint64_t)DRAWING_PS_MAX;
}
