/* system.h - the machine around its boards, in SimGrid.
 *
 * Models    docs/hacking.md, "How a run flows": host, FPGA boards and PCI-X links, and, for each board, the actors
 *
 *     storage reader -> host queue -> DMA in ==pcix==> board ==pcix== DMA out -> results
 *                               board ==pcix== record DMA -> records
 *
 *           First the tables are loaded over the bus, then the database streams block by block, then the board drains.
 *           If tables overlap, those of the next pass share the bus with the blocks of this one, and the board is free
 *           when they are loaded, too, unless they are built later than that.
 *           The reader supplies bytes into the host queue at host.supply; while all its places are taken, it waits. A
 *           block takes a place from when the reader begins with it until the bus has moved it. DMA in moves a block
 *           when the bus has finished the one before and the host has begun to supply this one. A transfer takes the
 *           link for its bytes and for the clocks of its bursts (hardware_link_bytes()). Half of the time in which
 *           records and the block were on the bus together was the records', which is r; the rest is the block's, which
 *           gives w, and v. The board then computes every clock of the block at once (board.h) and holds the bus until
 *           its last word is in. The records of a block leave together, and are in the host's memory burst by burst
 *           (record_bursts.h). What stage 3 has to do with them is computed then; when its cores do it is a matter of
 *           the whole run (sim/host/host_schedule.h). If measuring is charged, the record DMA moves the records of
 *           frames that have ended, and the board is free only after the last frame record has arrived.
 * Boards    Board b is on bus b modulo bus.count. Transfers of all boards on a bus share it: each has an equal part of
 *           its rate. A board whose queues are full holds only its own transfer, and the bus is free for the others.
 *           Every board has a reader, a host queue and a supply of its own. If tables overlap, a board is dealt its
 *           next pass when it begins to stream.
 * Building  A pass begins when its tables have been built (host_schedule.h), and tables are loaded ahead no earlier. A
 *           pass whose tables are being loaded counts as begun, so that those of a later one can be built. If they are
 *           built only when the board is free of the pass before, their pass has waited since then, and begins with
 *           the load. As many cores as the host has do nothing else here, which is an approximation: stage 3 needs
 *           them, too.
 * Leaves out other work of the host. Records of a block contend with the transfer of the next block, not with that of
 *           their own.
 * Limits    one call per process: SimGrid has one engine per process.
 * Errors    a negative SYSTEM_E* code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/board/hardware.h"
#include "sim/simgrid/system_pass.h"

/** No pass. */
#define SYSTEM_NO_PASS SIZE_MAX

/** Passes on the boards of a host. */
struct system_run {
    const struct hardware *hardware;
    const char *platform_file; /* for simgrid_load_platform(); the platform has been checked */
    uint32_t boards;
    size_t pass_count;
    struct system_pass *only; /* the one pass, which neither begins nor ends; NULL: the next two are called */

    /** A board begins the next pass. @param work  out: valid until the pass ends @return false if it cannot */
    bool (*begin)(void *data, size_t pass, struct system_pass **work);

    /** The board of a pass is free. @param status  0 or an enum system_error @return false if that fails */
    bool (*end)(void *data, size_t pass, int status);

    /** Bytes of the tables of a pass that a board loads while it streams another; NULL if boards load nothing ahead,
     * or if the sources say what they load (stage_source.h). */
    uint64_t (*table_bytes)(void *data, size_t pass);

    /** Operations of building the tables of a pass, as they are dealt; NULL: they are built in no time. */
    uint64_t (*build_operations)(void *data, size_t pass);

    /** The next pass of a board; SYSTEM_NO_PASS if it has no more. NULL: the next pass of all goes to the board that is
     * free next. */
    size_t (*next)(void *data, uint32_t board);
    void *data;
};

/** Simulate passes up to where their boards are free, and measure them. */
int system_run(const struct system_run *run);
