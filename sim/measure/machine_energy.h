/* machine_energy.h - the energy of a run: what its counts and its time cost at the prices energy.* of the machine.
 *
 * Models    a sum of five parts. Nothing is simulated for it, and nothing of the machine depends on it.
 *   SRAM       8 bytes read or written: the reads of stage 1b, and loading the tables of every pass
 *   block RAM  accesses to one block: bloom.hashes for each of a word's 16 w-mers, one to the displacement table per
 *              seed, a write and a read of each FIFO's element, as many blocks beside each other as it is wide (36 bits
 *              each), and loading filter (all its copies) and displacements, 32 bits per access
 *   bus        bytes of tables, database and records, and frame records that are charged
 *   cores      clocks of the host's cores in which they work on stage 3, build tables, or run an agent that is charged
 *   idle       boards and hosts, for the whole run
 * Left out   the FPGA's logic and its clock tree, the host's memory and disk, and the network between hosts.
 * Source     docs/hardware.md, "Energy", has the source and the range of every price.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "traces/frame.h"
#include "sim/board/hardware.h"

enum energy_part { ENERGY_SRAM, ENERGY_BLOCK_RAM, ENERGY_BUS, ENERGY_CORES, ENERGY_IDLE, ENERGY_PARTS };

/** How a part is called: in JSON, and for people; what its count is called, and of what it is. */
struct machine_energy_words {
    const char *name, *title, *count_name, *unit;
};
extern const struct machine_energy_words machine_energy_words[ENERGY_PARTS];

struct machine_energy {
    double counts[ENERGY_PARTS]; /* accesses, accesses, bytes, clocks; of ENERGY_IDLE seconds */
    double parts_j[ENERGY_PARTS];
    double total_j;
    double nj_per_wmer; /* NaN if the run has no w-mers */
    enum energy_part largest;
};

/** @param run     the sum over the passes, with the run's own time
 *  @param passes  their number, on all hosts */
struct machine_energy machine_energy_of(const struct frame *run, const struct hardware *hardware,
                                        size_t passes);

/** The energy of a run on a machine that is charged for being measured (sim/run/measuring_cost.h).
 *
 *  @param bus_bytes  all bytes that its bus moves
 *  @param core_s     all time for which its cores work */
struct machine_energy machine_energy_of_work(const struct frame *run, const struct hardware *hardware,
                                             size_t passes, double bus_bytes, double core_s);

/** Write total, parts and the largest of them as lines for people. */
void machine_energy_write_text(const struct machine_energy *energy, FILE *out);

/** The object "energy" of summary.json. */
json_t *machine_energy_json(const struct machine_energy *energy);
