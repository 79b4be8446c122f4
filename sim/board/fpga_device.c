#include "sim/board/fpga_device.h"

#define ROW(id, ramb18, ramb36, flip_flops, luts, multipliers, name, family, source)                         \
    [id] = {family, ramb18, ramb36, flip_flops, luts, multipliers, source}
const struct fpga_device_row fpga_devices[FPGA_DEVICES] = {FPGA_DEVICE_ROWS(ROW)};

#define NAME(id, ramb18, ramb36, flip_flops, luts, multipliers, name, ...) [id] = name
const char *const fpga_device_names[FPGA_DEVICES + 1] = {[FPGA_NONE] = "none", FPGA_DEVICE_ROWS(NAME)};
