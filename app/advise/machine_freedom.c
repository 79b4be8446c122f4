#include "app/advise/machine_freedom.h"

#include "sim/board/machine_part.h"

enum { FASTER_CLOCK = 10 };

static void free_host(struct hardware *h)
{
    h->host_supply = 1e15;
}

static void free_bus(struct hardware *h)
{
    h->pcix_bandwidth = 1e15;
    h->pcix_efficiency = 1;
}

/* Reads in flight need places. They are in flight for more clocks, so they need more places. Records wait for a
 * full burst as long as before: with bursts that time closes sooner, the bus would carry less. */
static void free_clock(struct hardware *h)
{
    struct board_rules *b = &h->board;
    uint32_t longer = (FASTER_CLOCK - 1) * b->sram_read_cycles;
    h->fpga_clock_hz *= FASTER_CLOCK;
    b->sram_read_cycles *= FASTER_CLOCK;
    b->sram_trip_cycles *= FASTER_CLOCK;
    b->stage2_fetch_cycles *= FASTER_CLOCK;
    b->sram_margin += longer;
    b->sram_lookups += longer;
    h->hsp_flush_clocks =
        h->hsp_flush_clocks <= UINT32_MAX / FASTER_CLOCK ? h->hsp_flush_clocks * FASTER_CLOCK : UINT32_MAX;
}

static void free_sram(struct hardware *h)
{
    h->board.sram_read_cycles = h->board.probes ? (h->pass.sram.inline_positions + 1) / 2 : 0;
    h->board.sram_trip_cycles = (h->pass.sram.trip_positions + 1) / 2;
}

static void free_fetch(struct hardware *h)
{
    h->board.stage2_fetch_cycles = 0;
}

static void free_stage3(struct hardware *h)
{
    h->stage3_cycles_per_cell = h->stage3_cycles_per_check = 0;
}

static void free_building(struct hardware *h)
{
    h->host_build_clocks = 0;
}

/* No parameter does that: the bus carries a database, too. */
static void free_tables(struct hardware *h)
{
    machine_part_free(h, PART_TABLES);
}

const struct machine_freedom machine_freedoms[MACHINE_FREEDOMS] = {
    {"host", "supplies without limit", free_host},
    {"bus", "carries without limit", free_bus},
    {"clock", "1a, 1b and 2 do ten times as much; reads, trips, fetches as before", free_clock},
    {"1b", "reads and trips as short as the SRAM's port allows", free_sram},
    {"2", "fetches take no time", free_fetch},
    {"3", "extensions take no time", free_stage3},
    {"build", "tables are built in no time", free_building},
    {"tables", "a pass finds its tables on the board", free_tables},
};

bool machine_is_allowed(const struct hardware *h, struct why *why)
{
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        struct hardware scratch = *h;
        char value[64];
        hardware_parameter_value(h, i, value, sizeof value);
        if (hardware_set(&scratch, hardware_parameter_name(i), value, why) != 0)
            return false;
    }
    return true;
}
