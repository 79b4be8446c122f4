/* hardware.h - every number of the machine that can be chosen, by name.
 *
 * Models    docs/hardware.md, "Parameters": names, defaults and units are those of the papers (Dor 2010, Figure 9 and
 *           sections 2.4, 4.3.5, 6.1; Lancaster et al. 2011, section IV.B). A platform's <prop>s (platform.h) overwrite
 *           the defaults, and --set overwrites both. One check looks at ranges, one at combinations.
 * Errors    WHY_SAID, or HARDWARE_ESLOT, and one line: the name, the value, what is allowed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/shown.h"
#include "base/why.h"
#include "blast/stage3/scoring.h"
#include "blast/stages12/overdrive.h"
#include "blast/stages12/pass.h"
#include "traces/clocks.h"
#include "sim/board/board_fifos.h"
#include "sim/board/fpga_device.h"

enum {
    HARDWARE_CORES_MAX = 1024,
    HARDWARE_BOARDS_MAX = 64,
    HARDWARE_HOSTS_MAX = 64,
    HARDWARE_NAME_SIZE = 16
};

enum { HARDWARE_ESLOT = -5 /* a slot cannot hold the positions */ };

/** What the next pass does while a pass is on the board or in stage 3. */
enum schedule_overlap {
    OVERLAP_SERIAL, /* it waits for stage 3 */
    OVERLAP_DRAIN,  /* it begins as soon as the board is empty */
    OVERLAP_TABLES, /* so it does, and its tables have been loaded into a second bank meanwhile */
};

/** Which of a board's blocks and records goes first where both wait for the bus. */
enum bus_priority { BUS_FAIR, BUS_BLOCKS_FIRST, BUS_RECORDS_FIRST };

/** What is dealt over the hosts. */
enum distribution {
    DISTRIBUTION_QUERIES,  /* segments of the query; every host has a copy of the database */
    DISTRIBUTION_DATABASE, /* records of the database; every host has all segments */
};

/** What an access or a while costs, for machine_energy.h; docs/hardware.md has the source of each default. */
struct energy_costs {
    double sram_access_pj;      /* 8 bytes of the tables, read or written */
    double block_ram_access_pj; /* of one block of 18 Kb, through one port */
    double bus_byte_pj;
    double core_cycle_pj;             /* of a core that works, above its idling */
    double board_idle_w, host_idle_w; /* of one board, of one host */
};

struct hardware {
    double fpga_clock_hz;
    enum fpga_device fpga_device;
    uint32_t bloom_copies; /* of each bank, so that all w-mers of a word find a port in one clock */
    double pcix_bandwidth; /* bytes/s, peak: BYTES_PER_WORD a clock of the bus */
    double pcix_efficiency;
    uint32_t pcix_block_bytes, pcix_burst_bytes;
    uint32_t pcix_burst_clocks, pcix_setup_clocks; /* of the bus, for each burst; for each transfer */
    enum bus_priority pcix_priority;
    double host_supply; /* bytes/s */
    uint32_t host_queue_blocks;
    uint32_t host_cores;
    double host_clock_hz;
    double host_build_clocks;  /* of a core, for an operation of building tables (sram_table.h); 0: no time */
    uint32_t host_build_ahead; /* passes */
    uint64_t sram_bytes;
    uint32_t boards, buses; /* of a host */
    uint32_t hosts;
    enum distribution distribution;
    double network_bandwidth; /* bytes/s */
    double network_latency_s;
    uint32_t network_result_bytes;         /* of an alignment */
    uint32_t query_segment, query_overlap; /* bases */
    uint32_t hsp_bytes, hsp_flush_clocks;
    double stage3_cycles_per_cell, stage3_cycles_per_check;
    uint32_t stage3_batch;                     /* HSPs */
    double overdrive_seeds, overdrive_matches; /* for each word (overdrive.h) */
    enum schedule_overlap overlap;
    uint32_t measure_header_bytes, measure_value_bytes; /* of a frame record, of each of its values */
    uint32_t measure_event_bytes;                       /* per event of the software */
    double measure_agent_share;                         /* fraction of a core */
    /* Clocks that make the stamps; hardware_check() sets resolutions. */
    struct local_clock fpga_time, host_time;
    uint64_t hash_seed;
    struct energy_costs energy;
    unsigned free_parts; /* a bit 1 << number (enum machine_part) for each that is free; no parameter */
    struct board_rules board;
    struct pass_rules pass;
    struct scoring scoring;
};

/** The machine of 2010. */
struct hardware hardware_default(void);

/** Set one parameter from text ("133e6", "h3").
 *
 * @param why  on error: the name, the allowed range and unit, or the nearest name
 */
int hardware_set(struct hardware *hardware, const char *name, const char *value, struct why *why);

/** Set one parameter from "name=value". */
int hardware_set_assignment(struct hardware *hardware, const char *assignment, struct why *why);

/** Check combinations of values, and complete what follows from other values (seeds, scores of stage 2). Must be called
 *  after the last change and before use. */
int hardware_check(struct hardware *hardware, struct why *why);

/** Convert stage 2's threshold (scoring.h) if the machine has other scores than those it was chosen for.
 *
 * @param chosen_for  the scores that came with the threshold
 * @return 0, or -1 if no statistics are known for the machine's scores
 */
int hardware_follow_scores(struct hardware *hardware, const struct scoring *chosen_for, struct why *why);

/** Write name, value, unit, allowed range and meaning of every parameter, as TSV with a header line. */
void hardware_dump(const struct hardware *hardware, FILE *out);

size_t hardware_parameter_count(void);
const char *hardware_parameter_name(size_t index);

/** Unit of a parameter; "" if it has none. */
const char *hardware_parameter_unit(size_t index);

/** What a user may choose for a parameter, and what it means. */
struct hardware_range {
    double least, most;       /* of a number */
    bool whole;               /* only whole numbers */
    const char *const *names; /* `name_count` names to choose from; NULL if it is a number */
    unsigned name_count;
    const char *meaning;
};
struct hardware_range hardware_parameter_range(size_t index);

/** What a parameter changes. */
enum hardware_role {
    HARDWARE_TIMING,    /* when things happen: a token record can be timed again (token_record.h) */
    HARDWARE_STRUCTURE, /* Bloom filter and tables: which seeds and trips there are, but not what is found */
    HARDWARE_SEARCH,    /* what is found */
};
enum hardware_role hardware_parameter_role(size_t index);

/** Index of a parameter, or -1 if none has this name. */
int hardware_parameter_find(const char *name);

/** Least number of places of a FIFO that other parameters allow. */
uint32_t hardware_fifo_least(const struct hardware *hardware, enum board_fifo fifo);

/** The overdrive of a stream of tokens, from its begin. */
struct overdrive hardware_overdrive(const struct hardware *hardware);

/** A parameter's value as text from which hardware_set() gets the same value. */
struct shown hardware_parameter_value(const struct hardware *hardware, size_t index);

/** Whether boards depend on each other while they work: they share a bus, or it must be known where the pass after next
 * goes. Passes of such boards cannot be simulated one by one. */
bool hardware_couples_boards(const struct hardware *hardware);

/** Whether each host has a part of the database only. */
bool hardware_deals_database(const struct hardware *hardware);

/** The host that a pass of the run is dealt to: they are dealt one by one. */
uint32_t hardware_host_of(const struct hardware *hardware, size_t pass);

/** The run's number of a host's pass. @param nth  of the host's passes, from 0 */
size_t hardware_pass_of(const struct hardware *hardware, uint32_t host, size_t nth);

/** Number of passes of a host. */
size_t hardware_passes_of(const struct hardware *hardware, uint32_t host, size_t pass_count);

/** Number of a host's boards that get a pass. */
uint32_t hardware_boards_at_work(const struct hardware *hardware, uint32_t host, size_t pass_count);

/** The name of an element of the platform: "fpga" of the first board is followed by "fpga-2".
 * @param number  from 0
 * @param name    out: HARDWARE_NAME_SIZE bytes */
void hardware_element_name(const char *element, uint32_t number, char *name);

/** Whether the board's clocks up to a time of the run can be counted: 2^53, which are 2 years at 133 MHz. Times are
 *  doubles, and do not tell later clocks apart. */
static inline bool hardware_counts_clocks(const struct hardware *hardware, double time_s)
{
    return time_s * hardware->fpga_clock_hz <= 0x1p53;
}

/** What the bus moves, in bytes/s, bursts' own clocks included: its peak times its efficiency. */
double hardware_link_bytes_per_s(const struct hardware *hardware);

/** What the bus really carries of a database that streams, in bytes/s. */
double hardware_bus_bytes_per_s(const struct hardware *hardware);

/** Number of bursts of a transfer whose bytes are all there when it begins. */
uint64_t hardware_bursts(const struct hardware *hardware, uint64_t bytes);

/** What a transfer takes of the bus, as bytes: its own, and what the bus would carry in the clocks of its bursts and of
 *  its set-up. */
uint64_t hardware_link_bytes(const struct hardware *hardware, uint64_t bytes, uint64_t bursts);
