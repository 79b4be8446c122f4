#include "sim/platform/xml_library.h"

const struct xml_library mercury_xml = {XML_FUNCTIONS(MODULE_FUNCTION)};
