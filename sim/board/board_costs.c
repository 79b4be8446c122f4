#include "sim/board/board_costs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "sim/board/record_bursts.h"

enum { QUERY_POSITION_BITS = 16, BASE_BITS = 3 };

/* The fewest that were published, of Dor's run 1: 0.0178 of 16 w-mers. */
#define SEEDS_PER_WORD 0.2848

/* --- blocks ---------------------------------------------------------------------------------------------- */

struct shape {
    uint32_t depth, width;
};

static const struct shape of_18_kb[] = {{16384, 1}, {8192, 2}, {4096, 4}, {2048, 9}, {1024, 18}, {512, 36}};
static const struct shape of_36_kb[] = {{32768, 1}, {16384, 2}, {8192, 4}, {4096, 9},
                                        {2048, 18}, {1024, 36}, {512, 72}};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t least_blocks(const struct shape *shapes, unsigned count, uint64_t depth, uint64_t width)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < count; i++) {
        uint64_t blocks = divide_up(depth, shapes[i].depth) * divide_up(width, shapes[i].width);
        least = blocks < least ? blocks : least;
    }
    return least;
}

static void add_memory(struct board_costs *c, uint64_t depth, uint64_t width, uint64_t copies)
{
    c->ramb18 += copies * least_blocks(of_18_kb, sizeof of_18_kb / sizeof of_18_kb[0], depth, width);
    c->ramb36 += copies * least_blocks(of_36_kb, sizeof of_36_kb / sizeof of_36_kb[0], depth, width);
}

/* --- memories -------------------------------------------------------------------------------------------- */

uint32_t board_costs_element_bits(enum board_fifo fifo, const struct hardware *h)
{
    const uint32_t widths[BOARD_FIFOS] = {
        [FIFO_INGRESS] = 8 * BYTES_PER_WORD,
        [FIFO_WMER] = BOARD_POSITION_BITS + WMER_BITS,
        [FIFO_SRAM] = BOARD_POSITION_BITS + 8 * h->pass.sram.slot_bytes,
        [FIFO_STAGE2] = BOARD_POSITION_BITS + QUERY_POSITION_BITS,
        [FIFO_EGRESS] = 8 * h->hsp_bytes,
    };
    return widths[fifo];
}

uint64_t board_costs_displacement_bits(const struct hardware *h)
{
    const struct sram_geometry *table = &h->pass.sram;
    return table->family == HASH_DISPLACED ? UINT64_C(32) * table->displacements : 0;
}

uint32_t board_costs_row_bits(const struct hardware *h)
{
    return BASE_BITS * h->pass.stage2.window;
}

uint32_t board_costs_window_words(const struct hardware *h)
{
    return (h->pass.stage2.window + BASES_PER_WORD - 2) / BASES_PER_WORD + 1;
}

static void add_deep_memory(struct board_costs *c, uint64_t depth, uint64_t width, uint64_t copies)
{
    if (depth > BOARD_LUT_PLACES)
        add_memory(c, depth, width, copies);
}

static void add_windows(struct board_costs *c, const struct hardware *h)
{
    const uint64_t banks = board_costs_window_words(h), seeds = h->board.wmer_seeds + h->board.sram_lookups,
                   words = (uint64_t)ceil((double)seeds / SEEDS_PER_WORD) + banks;
    c->window_bits = (uint64_t)BASE_BITS * h->query_segment + words * BOARD_WORD_BITS;
    add_deep_memory(c, divide_up(h->query_segment, h->pass.stage2.window), board_costs_row_bits(h), 1);
    add_deep_memory(c, divide_up(words, banks), BOARD_WORD_BITS, banks);
}

uint64_t board_costs_fifo_blocks(enum board_fifo fifo, const struct hardware *h)
{
    struct board_costs c = {0};
    add_deep_memory(&c, board_fifo_places(fifo, &h->board), board_costs_element_bits(fifo, h), 1);
    return c.ramb18;
}

struct board_costs board_costs_of(const struct hardware *h)
{
    const struct bloom_geometry *bloom = &h->pass.bloom;
    struct board_costs c = {.bloom_bits = (uint64_t)bloom->hashes * bloom->bank_bits,
                            .displacement_bits = board_costs_displacement_bits(h)};
    add_memory(&c, bloom->bank_bits, 1, (uint64_t)bloom->hashes * h->bloom_copies);
    if (c.displacement_bits > 0)
        add_memory(&c, h->pass.sram.displacements, 32, 1);
    for (unsigned i = 0; i < BOARD_FIFOS; i++) {
        uint64_t places = board_fifo_places(i, &h->board), width = board_costs_element_bits(i, h);
        c.fifo_bits += places * width;
        add_deep_memory(&c, places, width, 1);
    }
    const uint64_t bursts =
        2 * (uint64_t)record_burst_records(h) * h->hsp_bytes; /* bytes: one fills, one crosses */
    c.fifo_bits += 8 * bursts;
    add_deep_memory(&c, divide_up(bursts, BYTES_PER_WORD), 8 * BYTES_PER_WORD, 1);
    add_windows(&c, h);
    return c;
}

/* --- limits ---------------------------------------------------------------------------------------------- */

uint64_t board_costs_sram_bits(const struct hardware *h, double table_bytes)
{
    const uint64_t others = 8 * bloom_bytes(&h->pass.bloom) + board_costs_displacement_bits(h);
    return (uint64_t)fmax(0, 8 * table_bytes - (double)others);
}

/* The tables of the next pass are loaded into a bank of their own beside those of this one, or after them. */
static uint64_t banks(const struct hardware *h)
{
    return h->overlap == OVERLAP_TABLES ? 2 : 1;
}

uint64_t board_costs_sram_chips(const struct hardware *h, uint64_t sram_bits)
{
    const uint64_t slot_bytes = h->pass.sram.slot_bytes, slots = h->pass.sram.slots,
                   words = divide_up(sram_bits, 8 * slot_bytes), lists = words > slots ? words - slots : 0;
    const uint64_t deep = h->board.trips_in_flight == 1 ? divide_up(words, BOARD_SRAM_CHIP_WORDS)
                                                        : divide_up(words - lists, BOARD_SRAM_CHIP_WORDS) +
                                                              divide_up(lists, BOARD_SRAM_CHIP_WORDS);
    return 2 * (slot_bytes / SRAM_WORD_BYTES) * banks(h) * deep;
}

const char *board_costs_misfit(const struct hardware *h, uint64_t sram_bits, char text[BOARD_MISFIT_BYTES])
{
    uint64_t blocks = board_costs_of(h).ramb18, sram_bytes = banks(h) * divide_up(sram_bits, 8);
    *text = '\0';
    if (h->fpga_device == FPGA_NONE)
        return text;
    if (blocks > fpga_devices[h->fpga_device].ramb18)
        snprintf(text, BOARD_MISFIT_BYTES, "%s has %" PRIu32 " block RAMs of 18 Kb, %" PRIu64 " are needed",
                 fpga_device_names[h->fpga_device], fpga_devices[h->fpga_device].ramb18, blocks);
    else if (sram_bytes > h->sram_bytes)
        snprintf(text, BOARD_MISFIT_BYTES,
                 "the SRAM has %" PRIu64 " bytes (sram.bytes), %" PRIu64 " are needed", h->sram_bytes,
                 sram_bytes);
    return text;
}

const char *board_costs_remedy(const struct hardware *h)
{
    return board_costs_of(h).ramb18 > fpga_devices[h->fpga_device].ramb18
               ? "vary smaller filters (bloom.bank_bits) or tables, or set fewer bloom.copies"
               : "vary smaller tables (table.slots, table.slot_bytes), or set more sram.bytes";
}

bool board_costs_fit(const struct hardware *h, uint64_t sram_bits)
{
    char text[BOARD_MISFIT_BYTES];
    return *board_costs_misfit(h, sram_bits, text) == '\0';
}
