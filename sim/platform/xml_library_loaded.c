#include "sim/platform/xml_library.h"

const struct xml_library *xml_library(struct why *why)
{
    return module_load("mercury-xml.so", "mercury_xml", why);
}
