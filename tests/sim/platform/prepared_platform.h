/* prepared_platform.h - the platform that comes with the program, for a test's machine. */
#pragma once

#include "sim/board/hardware.h"
#include "sim/platform/platform.h"

/** Check a machine, and prepare data/platforms/mercury-2010.xml for it. The environment's MERCURY_SOURCE_DIR names the
 *  folder that data/ is in; the current one where it is not set. */
struct platform *prepared_platform(struct hardware *hardware);
