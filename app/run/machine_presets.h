/* machine_presets.h - the machines that come with Mercury, each a platform file of its name in data/platforms/.
 *
 * Errors    one line that names the nearest machine.
 */
#ifndef MERCURY_APP_RUN_MACHINE_PRESETS_H
#define MERCURY_APP_RUN_MACHINE_PRESETS_H

#include "base/why.h"

struct machine_preset {
    const char *name;    /* its file is data/platforms/NAME.xml */
    const char *purpose; /* what the machine is for, in one line */
};

/** All of them, the default machine first; the last one has no name. */
extern const struct machine_preset machine_presets[];

/** Find a machine by its name.
 *
 * @return NULL, and one line, if there is none of this name
 */
const struct machine_preset *machine_preset_find(const char *name, struct why *why);

#endif
