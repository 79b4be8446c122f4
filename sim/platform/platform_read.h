/* platform_read.h - a platform file as a document and as numbers of the machine; for platform.c.
 *
 * Elements  one table of the hosts, disks, links and routes that the program knows by their ids; it refuses all others.
 *           SimGrid would load any other host, link or disk, too; it would stand idle, and its owner would take it for
 *           a part of the machine.
 * Short     a file that has only <prop>s, or lines "name = value" with # before comments, is completed to a whole
 *           platform, in which every number is a <prop>.
 * Errors    PLATFORM_E* and one line with file and line.
 */
#ifndef MERCURY_SIM_PLATFORM_PLATFORM_READ_H
#define MERCURY_SIM_PLATFORM_PLATFORM_READ_H

#include <stdbool.h>

#include <libxml/tree.h>

#include "base/why.h"
#include "sim/board/hardware.h"

/** Elements by the row of the table: bits of a set. */
enum platform_element {
    PLATFORM_ROOT,
    PLATFORM_ZONE,
    PLATFORM_PROP,
    PLATFORM_HOST,
    PLATFORM_BOARD,
    PLATFORM_MEMORY,
    PLATFORM_BUS,
    PLATFORM_NETWORK,
    PLATFORM_DOWN, /* route from the host to the board */
    PLATFORM_UP,
    PLATFORM_LINK_CTN,
    PLATFORM_ELEMENTS
};

/** Read a file, and set the numbers that it gives.
 *
 * @param document  out: for xmlFreeDoc(); NULL after an error
 * @param has       out: the elements that it has
 */
int platform_read(const char *path, struct hardware *hardware, xmlDocPtr *document, unsigned *has,
                  struct why *why);

/** Which element of the document a node is. @return PLATFORM_ELEMENTS if it is none, a text or a comment */
enum platform_element platform_element_of(const xmlNode *node);

/** The element as it is written: "<host id=\"host\">". */
const char *platform_element_text(enum platform_element element);

/** The node after `node`, in the order of the document; NULL after the last. */
xmlNode *platform_next_node(xmlNode *node);

/** Let every number of a machine be a <prop>; any host, link or zone may have it. @return false: memory is exhausted */
bool platform_set_props(xmlDocPtr document, const struct hardware *hardware);

#endif
