/* hardware.h - every number of the machine that can be chosen, by name.
 *
 * Models    docs/hardware.md, "Parameters": names, defaults and units are the papers' (Dor 2010, Figure 9 and
 *           sections 2.4, 4.3.5, 6.1; Lancaster et al. 2011, section IV.B). A default set, a platform's <prop>s on
 *           top of it (platform.h), --set on top of that; one check of ranges, one of combinations.
 * Errors    a negative HARDWARE_E* code and one line: the name, the value, what is allowed.
 */
#ifndef MERCURY_SIM_BOARD_HARDWARE_H
#define MERCURY_SIM_BOARD_HARDWARE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"
#include "blast/stages12/pass.h"
#include "blast/stage3/scoring.h"
#include "sim/board/board.h"
#include "traces/clocks.h"

enum { HARDWARE_CORES_MAX = 1024 };

enum hardware_error {
    HARDWARE_ENAME = -2,  /* no parameter of this name */
    HARDWARE_EVALUE = -3, /* not a value, or outside the range */
    HARDWARE_ECOMBINATION = -4,
};

struct hardware {
    double fpga_clock_hz;
    double pcix_bandwidth; /* bytes/s, peak */
    double pcix_efficiency;
    uint32_t pcix_block_bytes;
    double host_supply; /* bytes/s */
    uint32_t host_cores;
    double host_clock_hz;
    uint32_t query_segment, query_overlap; /* bases */
    uint32_t hsp_bytes;
    double stage3_cycles_per_cell, stage3_cycles_per_check;
    uint32_t measure_record_bytes, measure_event_bytes; /* of a frame, of an event of the software */
    double measure_agent_share;                         /* of a core */
    struct local_clock fpga_time, host_time; /* what stamps are made by; resolutions are hardware_check()'s */
    uint64_t hash_seed;
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

/** Check what the ranges alone do not tell, and complete what follows from other values (seeds, scores of stage 2).
 *  Must be called after the last change, before use. */
int hardware_check(struct hardware *hardware, struct why *why);

/** Stage 2's threshold is chosen for its scores: where the machine has others, convert it (scoring.h).
 *
 * @param chosen_for  the scores that came with the threshold
 * @return 0, or -1: of its scores no statistics are known
 */
int hardware_follow_scores(struct hardware *hardware, const struct scoring *chosen_for, struct why *why);

/** Write name, value, unit, allowed range and meaning of every parameter: a TSV with a header line. */
void hardware_dump(const struct hardware *hardware, FILE *out);

size_t hardware_parameter_count(void);
const char *hardware_parameter_name(size_t index);

/** What a parameter changes. */
enum hardware_role {
    HARDWARE_TIMING,    /* when things happen: a record of tokens can be timed again (token_record.h) */
    HARDWARE_STRUCTURE, /* the Bloom filter or the tables: which seeds and trips there are, not what is found */
    HARDWARE_SEARCH,    /* what is found */
};
enum hardware_role hardware_parameter_role(size_t index);

/** Index of a parameter, or -1 where none has this name. */
int hardware_parameter_find(const char *name);

/** A parameter's value as text that hardware_set() takes back unchanged. */
void hardware_parameter_value(const struct hardware *hardware, size_t index, char *text, size_t text_size);

/** What the bus really carries, in bytes/s: peak x efficiency. */
double hardware_bus_bytes_per_s(const struct hardware *hardware);

#endif
