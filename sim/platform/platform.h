/* platform.h - the SimGrid platform file: reads its <prop>s, and writes the effective copy that SimGrid loads.
 *
 * Models    a host called `host` with a disk `memory`, an FPGA board called `fpga`, a link called `pcix` and a route
 *           between the two hosts; the parameters of the machine are <prop>s (hardware.h knows their names). Any other
 *           host, disk, link or element is refused: SimGrid would load it, it would stand idle, and its owner would
 *           take it for a part of the machine.
 * Short     a file that has only <prop>s, or lines "name = value" with # before comments, is completed to a whole
 *           platform, in which every number is a <prop>.
 * Boards    the file describes one board on one bus. The copy has as many of each as the parameters say, all alike:
 *           fpga-2 on pcix or pcix-2, supplied by memory-2.
 * Hosts     further ones are bare hosts host-2, host-3 ... in the copy, each with a route over one link, `network`. The
 *           file may have this link: it is refused if there is one host only, or if it has no bandwidth.
 * How       libxml2 reads the file, so that an error has a line. SimGrid gets a copy in memory whose speed, core,
 *           read_bw, bandwidth and latency of the network are the effective ones. SimGrid aborts if it refuses a
 *           platform, so that a child process loads the copy first.
 * Errors    a negative PLATFORM_E* code and one line with file and line.
 */
#pragma once

#include <stddef.h>

#include "base/why.h"
#include "sim/board/hardware.h"

enum platform_error {
    PLATFORM_ESYSTEM = -1,  /* memory, or another resource of the system, is exhausted */
    PLATFORM_EOPEN = -2,    /* the file cannot be read */
    PLATFORM_EFORMAT = -3,  /* it is no platform, or has an element, a number or a line that is not used */
    PLATFORM_ESIMGRID = -4, /* SimGrid refuses it */
};

struct platform;

/** Read a platform file and set `hardware` by its <prop>s.
 *
 * @param out  for platform_close()
 */
int platform_open(const char *path, struct hardware *hardware, struct platform **out, struct why *why);

/** Write the effective copy, which platform_simgrid_file() names from now on. */
int platform_write(struct platform *platform, const struct hardware *hardware, struct why *why);

/** Let a child process try the copy, which takes milliseconds: other work can be done meanwhile. */
int platform_begin_trial(struct platform *platform, struct why *why);

/** Wait for the trial's verdict. platform_close() ends a trial that nobody waits for. */
int platform_end_trial(struct platform *platform, struct why *why);

/** Write the copy, begin its trial, and wait for the verdict. */
int platform_prepare(struct platform *platform, const struct hardware *hardware, struct why *why);

/** Write the effective copy for other parameters, which needs no trial: parameters that hardware_check() has passed
 * cannot spoil a platform that platform_prepare() has accepted. */
int platform_rewrite(struct platform *platform, const struct hardware *hardware, struct why *why);

/** The text of the platform, for platform_open().
 *
 * @param hardware  NULL: as it was read; or a machine with other numbers: then every parameter is a <prop>, so that
 *                  platform_open() gives the same machine
 * @return freed by the caller
 */
char *platform_text(const struct platform *platform, const struct hardware *hardware, size_t *bytes);

/** The file that simgrid_load_platform() takes. */
const char *platform_simgrid_file(const struct platform *platform);

void platform_close(struct platform *platform);
