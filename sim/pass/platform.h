/* platform.h - the SimGrid platform file: reading its <prop>s, and handing SimGrid what they and --set amount to.
 *
 * Models    a host called `host` with a disk `memory`, an FPGA board called `fpga`, a link called `pcix` and a route
 *           between the two hosts; the machine's numbers are <prop>s (hardware.h knows their names).
 * How       libxml2 reads the file, so that an error has a line. SimGrid gets a copy in memory in which speed, core,
 *           read_bw and bandwidth carry the effective numbers. SimGrid aborts on what it does not like, so a child
 *           process loads the copy first.
 * Errors    a negative PLATFORM_E* code and one line with file and line.
 */
#ifndef MERCURY_SIM_PASS_PLATFORM_H
#define MERCURY_SIM_PASS_PLATFORM_H

#include <stddef.h>

#include "base/why.h"
#include "sim/board/hardware.h"

enum platform_error {
    PLATFORM_EOPEN = -2,
    PLATFORM_EFORMAT = -3,  /* not XML, not a platform, or a prop that makes no sense */
    PLATFORM_ESIMGRID = -4, /* SimGrid refuses it */
    PLATFORM_ESYSTEM = -5,
};

struct platform;

/** Read a platform file and set `hardware` by its <prop>s.
 *
 * @param out  for platform_close()
 */
int platform_open(const char *path, struct hardware *hardware, struct platform **out, struct why *why);

/** Write the effective copy and have a child process try it, which takes milliseconds: other work can be done meanwhile.
 *
 * @return 0; platform_simgrid_file() is what simgrid_load_platform() takes from now on
 */
int platform_begin_trial(struct platform *platform, const struct hardware *hardware, struct why *why);

/** Wait for the trial's verdict. platform_close() ends a trial that nobody waits for. */
int platform_end_trial(struct platform *platform, struct why *why);

/** Both. */
int platform_prepare(struct platform *platform, const struct hardware *hardware, struct why *why);

/** Write the effective copy for other numbers, untried: of a platform that platform_prepare() has found good, numbers
 * that hardware_check() has passed make no bad one.
 */
int platform_rewrite(struct platform *platform, const struct hardware *hardware, struct why *why);

const char *platform_simgrid_file(const struct platform *platform);

void platform_close(struct platform *platform);

#endif
