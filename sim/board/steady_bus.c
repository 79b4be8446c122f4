#include "sim/board/steady_bus.h"

#include <math.h>

#include "blast/sequence/sequence.h"

static int64_t ticks_of(double clocks)
{
    return llround(clocks * (double)BOARD_TICKS_PER_CLOCK);
}

struct steady_bus steady_bus_begin(const struct hardware *hardware)
{
    double bytes_per_clock = hardware_link_bytes_per_s(hardware) / hardware->fpga_clock_hz;
    return (struct steady_bus){
        .hardware = hardware,
        .bytes_per_clock = bytes_per_clock,
        .supply_clocks = BYTES_PER_WORD / hardware->host_supply * hardware->fpga_clock_hz,
    };
}

/* Records have the bus alone until the transfer of the next block begins, and share it with that block afterwards; or
 * they cross before it, unless it goes first and can begin within a clock.
 *
 * @param begin  when the block can begin; out: when it does
 * @return number of clocks by which the block takes longer */
static double send_records(struct steady_bus *bus, double *begin, double block_bytes)
{
    const enum bus_priority priority = bus->hardware->pcix_priority;
    if (bus->record_bytes <= 0 || (priority == BUS_BLOCKS_FIRST && bus->transferred + 1 >= *begin))
        return 0;
    if (priority != BUS_FAIR) {
        *begin = fmax(*begin, bus->transferred + bus->record_bytes / bus->bytes_per_clock);
        bus->record_bytes = 0;
        return 0;
    }
    double alone = fmin(bus->record_bytes, (*begin - bus->transferred) * bus->bytes_per_clock);
    double shared = fmin(bus->record_bytes - alone, block_bytes);
    bus->record_bytes -= alone + shared;
    return shared / bus->bytes_per_clock;
}

struct bus_share steady_bus_block(struct steady_bus *bus, uint64_t words, int64_t bus_free)
{
    const struct hardware *h = bus->hardware;
    const uint64_t bytes = words * BYTES_PER_WORD;
    const double block_bytes = (double)hardware_link_bytes(h, bytes, hardware_bursts(h, bytes));
    double begin = fmax(bus->supplied, (double)bus_free / (double)BOARD_TICKS_PER_CLOCK);
    double alone = block_bytes / bus->bytes_per_clock, beside = send_records(bus, &begin, block_bytes);
    int64_t word_ticks = ticks_of(alone / (double)words);
    bus->burst = (struct record_burst){0};
    struct bus_share share = {
        .begin = ticks_of(begin),
        .word_ticks = word_ticks > 0 ? word_ticks : 1,
        .record_ticks = ticks_of(record_bus_share(h, words) * alone),
        .beside_ticks = ticks_of(beside),
        .supply_first = ticks_of(bus->supplied) + ticks_of(bus->supply_clocks),
        .supply_ticks = ticks_of(bus->supply_clocks),
    };
    bus->supplied += (double)words * bus->supply_clocks;
    bus->transferred = begin + alone + beside;
    return share;
}

void steady_bus_records(struct steady_bus *bus, const int64_t *left, uint64_t records)
{
    const struct hardware *h = bus->hardware;
    uint64_t bursts = 0,
             transfers = bus->burst.records == 0 && records > 0; /* one for each block that has records */
    for (uint64_t i = 0; i < records; i++)
        if (bus->burst.records == 0 || !record_burst_join(&bus->burst, h, left[i])) {
            bus->burst = (struct record_burst){1, left[i], left[i]};
            bursts++;
        }
    bus->record_bytes +=
        (double)(records * h->hsp_bytes +
                 (bursts * h->pcix_burst_clocks + transfers * h->pcix_setup_clocks) * BYTES_PER_WORD);
}
