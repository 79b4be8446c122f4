#include "sim/platform/xml_library.h"

const struct xml_library *xml_library(struct why *why)
{
    (void)why;
    return &mercury_xml;
}
