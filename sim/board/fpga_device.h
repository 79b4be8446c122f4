/* fpga_device.h - FPGAs that a board can have, with what their data sheets state.
 *
 * Models    the numbers of block RAMs, flip-flops, LUTs and multipliers: neither pins nor speed grades. Only the
 *           measuring agent's logic is counted (mercury measure).
 * Blocks    of 18 Kb (RAMB18): 16,384 bits of data and 2,048 of parity, two ports, from 16K x 1 to 512 x 36. From
 *           Virtex-5 on the devices have blocks of 36 Kb (RAMB36), each of which can be used as two of 18 Kb.
 */
#pragma once

#include <stdint.h>

/* The rows of data/words/fpga_devices.tsv. */
#include "sim/fpga_devices.inc"

#define FPGA_DEVICE_ID(id, ...) id
enum fpga_device {
    FPGA_NONE, /* no device is named: everything fits */
    FPGA_DEVICE_ROWS(FPGA_DEVICE_ID) FPGA_DEVICES
};

struct fpga_device_row {
    const char *family;
    uint32_t ramb18,
        ramb36; /* number of blocks of either size, one instead of the other; ramb36 0: it has none */
    uint32_t flip_flops, luts, multipliers;
    const char *source; /* the data sheet */
};

/** By enum fpga_device; the row of FPGA_NONE is empty. */
extern const struct fpga_device_row fpga_devices[FPGA_DEVICES];

/** Their names, which are the values of the parameter fpga.device: "none", "xc2v6000"; then NULL. */
extern const char *const fpga_device_names[FPGA_DEVICES + 1];
