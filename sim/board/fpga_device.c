#include "sim/board/fpga_device.h"

/* Introduction and overview; family overview; data sheet: overview; architecture and product data sheet: overview. */
#define VIRTEX_II  "Xilinx DS031-1, Table 1"
#define VIRTEX_4   "Xilinx DS112, Table 1"
#define SERIES_7   "Xilinx DS180"
#define ULTRASCALE "Xilinx DS890"

const struct fpga_device_row fpga_devices[FPGA_DEVICES] = {
    [FPGA_XC2V6000] = {"Virtex-II", 144, 0, VIRTEX_II},
    [FPGA_XC2V8000] = {"Virtex-II", 168, 0, VIRTEX_II},
    [FPGA_XC4VLX100] = {"Virtex-4 LX", 240, 0, VIRTEX_4},
    [FPGA_XC4VLX200] = {"Virtex-4 LX", 336, 0, VIRTEX_4},
    [FPGA_XC7VX690T] = {"Virtex-7", 2940, 1470, SERIES_7},
    [FPGA_XCVU9P] = {"Virtex UltraScale+", 4320, 2160, ULTRASCALE},
};

const char *const fpga_device_names[FPGA_DEVICES + 1] = {
    [FPGA_NONE] = "none",           [FPGA_XC2V6000] = "xc2v6000",   [FPGA_XC2V8000] = "xc2v8000",
    [FPGA_XC4VLX100] = "xc4vlx100", [FPGA_XC4VLX200] = "xc4vlx200", [FPGA_XC7VX690T] = "xc7vx690t",
    [FPGA_XCVU9P] = "xcvu9p",
};
