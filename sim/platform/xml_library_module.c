#include "sim/platform/xml_library.h"

const struct xml_library mercury_xml = {
    .cleanup_parser = xmlCleanupParser,
    .copy_doc = xmlCopyDoc,
    .copy_node = xmlCopyNode,
    .doc_dump_memory = xmlDocDumpMemory,
    .doc_get_root_element = xmlDocGetRootElement,
    .encode_special_chars = xmlEncodeSpecialChars,
    .free_doc = xmlFreeDoc,
    .free_node = xmlFreeNode,
    .get_line_no = xmlGetLineNo,
    .has_prop = xmlHasProp,
    .mem_setup = xmlMemSetup,
    .new_child = xmlNewChild,
    .read_file = xmlReadFile,
    .read_memory = xmlReadMemory,
    .set_prop = xmlSetProp,
    .set_structured_error_func = xmlSetStructuredErrorFunc,
};
