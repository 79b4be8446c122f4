/* prepared_platform.h - the platform that comes with the program, for a test's machine. */
#ifndef MERCURY_TESTS_SIM_PASS_PREPARED_PLATFORM_H
#define MERCURY_TESTS_SIM_PASS_PREPARED_PLATFORM_H

#include "sim/board/hardware.h"
#include "sim/platform/platform.h"

/** Check a machine, and prepare data/platforms/mercury-2010.xml for it. The environment's MERCURY_SOURCE_DIR names the
 *  folder that data/ is in; the current one where it is not set. */
struct platform *prepared_platform(struct hardware *hardware);

#endif
