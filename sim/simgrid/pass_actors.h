/* pass_actors.h - a pass on a board, as actors of SimGrid (system.h says what they model).
 *
 * Time      of the pass's results is since the pass began.
 * Memory    of a pass is freed when its last actor has ended.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/board/hardware.h"
#include "sim/simgrid/simgrid_engine.h"
#include "sim/simgrid/system_pass.h"

enum { BUS_BOARDS_MAX = HARDWARE_BOARDS_MAX };

struct pass_actors;

/** A bus, and the passes that stream over it. */
struct shared_bus {
    unsigned transfers; /* number of transfers under way */
    struct pass_actors *streams[BUS_BOARDS_MAX];
    unsigned stream_count;
};

/** A board and its surroundings. */
struct board_place {
    const struct hardware *hardware;
    uint32_t board; /* from 0 */
    sg_host_t host, fpga;
    sg_disk_t memory; /* supplies this board */
    struct shared_bus *bus;

    /** Called when a pass begins to stream: deals the board its next pass.
     *  @return the bytes of that pass's tables, which then load; 0 if none do. NULL: the source says it */
    uint64_t (*load_ahead)(const struct board_place *place);
    /** Called before these tables load: waits until they are built. */
    void (*wait_for_next)(const struct board_place *place);
    void *data;
};

/** Tables of a pass that its board is ready for. */
struct ready_tables {
    bool are_loaded; /* while the board's pass before this one was streaming, or right after it */
    double begin_s;  /* when they could begin to load: they were built, and the board was free */
    double wait_s;   /* until then, since the board was free */
};

/** Run a pass, in an actor, until its board is free, and the tables are loaded that load ahead.
 *
 * @param tables  its own; out: if some load ahead, those
 * @return 0 or SYSTEM_E*
 */
int pass_actors_run(const struct board_place *place, const struct system_pass *pass,
                    struct ready_tables *tables);
