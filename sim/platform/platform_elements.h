/* platform_elements.h - which elements of a SimGrid platform the program uses; it refuses all others.
 *
 * Models    one table of the hosts, disks, links and routes that the program knows by their ids. SimGrid would load
 *           any other host, link or disk, too; it would stand idle, and its owner would take it for a part of the
 *           machine.
 * Errors    the caller's code and one line without file and line, which the caller puts before it.
 */
#ifndef MERCURY_SIM_PASS_PLATFORM_ELEMENTS_H
#define MERCURY_SIM_PASS_PLATFORM_ELEMENTS_H

#include <libxml/tree.h>

#include "base/why.h"

/** Refuse an element that the program does not use.
 *
 * @param code  what is returned for such an element
 * @return 0 or `code`, and one line that names the element and those that are used
 */
int platform_element_check(const xmlNode *element, int code, struct why *why);

#endif
