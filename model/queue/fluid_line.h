/* fluid_line.h - stages in a line as a fluid: finite FIFOs, driven by the work of windows of the stream.
 *
 *     source 0 --> [FIFO 1] stage 1 --> [FIFO 2] stage 2 --> ... --> [FIFO n-1] stage n-1
 *
 * Models    The stream is cut into windows. Inside a window everything is spread evenly: stage j works for
 *           work[i][j] on window i if nothing holds it up, and size[i][j] elements of the window enter FIFO j. So each
 *           stage is at a place of the stream, which moves at a speed. The speed is the one that its work allows, but
 *           that behind an empty FIFO is not above that of the stage before, and nothing flows faster into a full FIFO
 *           than out of it. All speeds are constant until a stage comes to another window, or a FIFO becomes empty or
 *           full: the answer is exact for the fluid, without steps of time. Levels go on from window to window.
 * Shared    Two stages may share one server, as the words of the database and the records of the results share a bus:
 *           if both together want more than it has, each gets half of it, or what the other leaves if that is more.
 * Omits     all that happens inside a window: bursts, batches, single elements, latencies (clocked_queue.h).
 * Units     times in whatever unit the work is in.
 * Source    near-complete decomposability: Courtois, "Decomposability: Queueing and Computer System Applications",
 *           Academic Press 1977. Fluid queues with finite buffers in a line: Dallery and Gershwin, Queueing Systems 12,
 *           1992, section 3.3 (continuous material, blocking before service ends).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { FLUID_STAGES_MAX = 8 };

struct fluid_line {
    unsigned stages;                  /* 2 to FLUID_STAGES_MAX */
    size_t windows;                   /* >= 1 */
    double (*work)[FLUID_STAGES_MAX]; /* of a window at a stage, >= 0 */
    double (*size)[FLUID_STAGES_MAX]; /* its elements that enter the FIFO before a stage, >= 0; [0]: unused */
    double places[FLUID_STAGES_MAX];  /* of the FIFO before a stage, > 0; [0]: unused */
    unsigned shared[2];               /* the stages that share a server; {0, 0}: none do */
};

/** A stretch of time in which all speeds are constant. */
struct fluid_stretch {
    double time;                     /* its length */
    size_t window[FLUID_STAGES_MAX]; /* that each stage is at; `windows` when it has done all */
    double speed[FLUID_STAGES_MAX];  /* windows per time */
    double first[FLUID_STAGES_MAX];  /* level of the FIFO before a stage when the stretch begins */
    double last[FLUID_STAGES_MAX];   /* and when it ends */
    bool empty[FLUID_STAGES_MAX];    /* the FIFO is empty throughout */
    bool full[FLUID_STAGES_MAX];     /* the FIFO is full throughout, and holds the stage before it up */
};

typedef void fluid_see(void *data, const struct fluid_stretch *stretch);

/** Move all windows through the line, which is empty at first.
 *
 * @param see  is shown every stretch, in order
 * @return the time that it takes
 */
double fluid_line_run(const struct fluid_line *line, fluid_see *see, void *data);
