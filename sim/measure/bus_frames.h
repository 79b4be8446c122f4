/* bus_frames.h - how many bytes the bus moved in each frame of a pass.
 *
 * Models    a bus that moves what waits for it. By the board's clocks a record is there for the bus when it leaves
 *           the egress FIFO, and the records of the first block as if nothing else was on the bus
 *           (sim/simgrid/system.h); so more may come in a frame than the bus can carry.
 * Rule      what is too much for a frame moves in the frames after it. All frames of a pass have as many bytes
 *           together as the pass has: what crosses the bus after the board is empty is taken from the last frames; if
 *           the last frame ends before all has moved for which there was time, the rest moved before it.
 * Memory    32 bytes per frame.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct bus_frame {
    uint64_t can;   /* bytes that the bus can carry in the frame */
    uint64_t came;  /* bytes that came by the board's clocks */
    uint64_t moved; /* out: bytes that the bus moved */
    off_t at;       /* of the caller: where its record is */
};

/** Frames of a pass, in their order. Start with {0}. */
struct bus_frames {
    struct bus_frame *frames;
    size_t count, room;
};

/** @return false if memory is exhausted */
bool bus_frames_add(struct bus_frames *frames, const struct bus_frame *frame);
void bus_frames_destroy(struct bus_frames *frames);

/** Find what moved in each frame.
 *
 * @param most  bytes that moved in the pass, if as many came
 * @return sum over the frames: the least of `most`, of what came, and of what the bus can carry in all of them
 */
uint64_t bus_frames_settle(struct bus_frames *frames, uint64_t most);
