/* board_costs.h - the memory that a board needs: bits, block RAMs of an FPGA, SRAM chips.
 *
 * Models    Bloom filter, displacement table and FIFOs are in the FPGA; primary and duplicate table are in SRAM. A
 *           memory takes the least number of blocks over the shapes that the data sheets list: of 18 Kb 16K x 1,
 *           8K x 2, 4K x 4, 2K x 9, 1K x 18 and 512 x 36; of 36 Kb twice as deep, and 512 x 72. No two memories share
 *           a block.
 * Bloom     a word asks each bank for its 16 w-mers in one clock, and a block has two ports: without further tricks a
 *           bank needs 8 copies (bloom.copies). A memory at twice the clock needs half of them.
 * FIFOs     an element is as wide as what the next stage needs: BOARD_POSITION_BITS of the database, 16 bits of the
 *           query segment, 22 bits of a w-mer, a slot's bits. Memories of up to BOARD_LUT_PLACES places are built from
 *           the FPGA's logic. Records wait for each other in two bursts' buffers, as wide as the bus (record_bursts.h).
 *           Left out: the lanes by which 16 seeds enter the w-mer FIFO in a clock.
 * Windows   stage 2 takes a match in a clock, whose window may begin at any base. The query segment lies in rows as
 *           long as a window: two neighbours, one through each port, hold any window. Words of the database are kept in
 *           as many banks as a window can touch: each bank has a port to read and one for the word that comes. They are
 *           kept for as long as a match can wait: while the w-mer and the SRAM FIFO are full of seeds that are as rare
 *           as in Dor's run 1, so many words have come behind the oldest. A base has 3 bits: A, C, G, T, and what
 *           matches nothing.
 * SRAM      in chips of 128K x 36 bits (4 Mbit: Cypress CY7C1350G), two beside each other for 8 bytes of a slot. A chip
 *           has one port: a bank, and with several trips under way the duplicate table, has chips of its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/board/board_fifos.h"
#include "sim/board/hardware.h"

enum { BOARD_POSITION_BITS = 32, BOARD_LUT_PLACES = 64, BOARD_SRAM_CHIP_WORDS = 1 << 17 };

struct board_costs {
    uint64_t bloom_bits, displacement_bits; /* of one copy */
    uint64_t fifo_bits;                     /* of all FIFOs, and of bursts */
    uint64_t window_bits;                   /* of the query segment and of the database's last words */
    uint64_t ramb18, ramb36; /* blocks of 18 Kb, or instead of them of 36 Kb; with all copies */
};

struct board_costs board_costs_of(const struct hardware *hardware);

/** Width of a FIFO's elements. */
uint32_t board_costs_element_bits(enum board_fifo fifo, const struct hardware *hardware);

/** Block RAMs of 18 Kb that a FIFO takes; 0: so few places are in look-up tables. */
uint64_t board_costs_fifo_blocks(enum board_fifo fifo, const struct hardware *hardware);

/** Number of blocks that a memory access of so many bits takes: they are 36 bits wide at most. */
static inline uint32_t board_costs_accesses(uint32_t bits)
{
    return (bits + 35) / 36;
}

/** Bits of a row of the query segment, and of a word of the database, as stage 2 has them. */
uint32_t board_costs_row_bits(const struct hardware *hardware);
enum { BOARD_WORD_BITS = 3 * BASES_PER_WORD };

/** Number of words of the database that a window can touch. */
uint32_t board_costs_window_words(const struct hardware *hardware);

/** Bits of the displacement table; 0 if there is none. */
uint64_t board_costs_displacement_bits(const struct hardware *hardware);

/** Bits of tables in SRAM, if all tables and the filter of a pass cross the bus in so many bytes. */
uint64_t board_costs_sram_bits(const struct hardware *hardware, double table_bytes);

/** Number of chips for tables in SRAM. @param sram_bits  of the tables of one pass */
uint64_t board_costs_sram_chips(const struct hardware *hardware, uint64_t sram_bits);

/** Whether the block RAM of fpga.device and the SRAM of sram.bytes hold the machine; true if no device is named. */
bool board_costs_fit(const struct hardware *hardware, uint64_t sram_bits);

enum { BOARD_MISFIT_BYTES = 100 };

/** What is missing if they do not: "xc2v6000 has 144 block RAMs of 18 Kb, 409 are needed". @return `text`; "" if
 *  nothing is */
const char *board_costs_misfit(const struct hardware *hardware, uint64_t sram_bits,
                               char text[BOARD_MISFIT_BYTES]);

/** What to change of a machine that does not fit. */
const char *board_costs_remedy(const struct hardware *hardware);
