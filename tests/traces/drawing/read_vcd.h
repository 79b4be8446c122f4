/* read_vcd.h - waveforms, read back: a parser of its own for what IEEE 1364 calls a four-state Value Change Dump.
 *
 * Memory    belongs to the caller, until read_vcd_destroy(). This is test code: it aborts on what it cannot parse.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct read_signal {
    char name[200]; /* with its scopes: "mercury.stage_1a.busy" */
    char id[8];
    unsigned bits;
    size_t count, room;
    struct read_change {
        uint64_t at_ps, value;
    } * changes;
};

struct read_vcd {
    struct read_signal signals[100];
    size_t count;
    uint64_t first_ps, last_ps; /* times in the file */
    size_t changes;
};

struct read_vcd *read_vcd(const char *text);

void read_vcd_destroy(struct read_vcd *vcd);

/** The signal whose name ends with `name`. */
const struct read_signal *read_vcd_find(const struct read_vcd *vcd, const char *name);

/** The value of a signal at a time at or after the first. */
uint64_t read_signal_at(const struct read_signal *signal, uint64_t at_ps);
