/* platform_short.h - platforms that only say in which numbers a machine differs, and leave the rest to Mercury.
 *
 * Forms     lines "name = value", with # before comments; or a SimGrid platform in which nothing but <prop>s stands.
 *           Both are completed to a whole platform: the hosts, disk, link and route that platform.h names, and the
 *           given numbers as <prop>s, in the order in which they were given. All other numbers have their defaults.
 * Errors    PLATFORM_E* (platform_error.h) and one line with file and line.
 */
#ifndef MERCURY_SIM_PASS_PLATFORM_SHORT_H
#define MERCURY_SIM_PASS_PLATFORM_SHORT_H

#include <stdbool.h>

#include <libxml/tree.h>

#include "base/why.h"
#include "sim/board/hardware.h"

/** Whether a file seems to have lines "name = value": its first character that is no blank does not begin XML. */
bool platform_short_is_lines(const char *path);

/** Read such lines, and set their numbers.
 *
 * @param document  out: the whole platform, which the caller frees; NULL on error
 * @return 0 or a PLATFORM_E* code
 */
int platform_short_read(const char *path, struct hardware *hardware, xmlDocPtr *document, struct why *why);

/** Whether a platform has <prop>s, and beside them only <platform> and <zone>. */
bool platform_short_is_props(xmlDocPtr document);

/** The whole platform of one that has only <prop>s. @return NULL if memory is exhausted; the caller frees it */
xmlDocPtr platform_short_complete(xmlDocPtr document);

#endif
