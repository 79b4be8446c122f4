/* xml_library.h - the functions of libxml2 that read and write platforms, loaded with the first platform.
 *
 * Why       the library brings ICU and the library of C++, which took every start of the program 2 ms. What is linked
 *           to them is a module, mercury-xml.so (base/process/module.h), which holds nothing but this table.
 * Linked    tests are linked to libxml2 instead (xml_library_linked.c).
 */
#pragma once

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "base/process/module.h"
#include "base/why.h"

#define XML_FUNCTIONS(FUNCTION)                                                                              \
    FUNCTION(cleanup_parser, xmlCleanupParser)                                                               \
    FUNCTION(copy_doc, xmlCopyDoc)                                                                           \
    FUNCTION(copy_node, xmlCopyNode)                                                                         \
    FUNCTION(doc_dump_memory, xmlDocDumpMemory)                                                              \
    FUNCTION(doc_get_root_element, xmlDocGetRootElement)                                                     \
    FUNCTION(encode_special_chars, xmlEncodeSpecialChars)                                                    \
    FUNCTION(free_doc, xmlFreeDoc)                                                                           \
    FUNCTION(free_node, xmlFreeNode)                                                                         \
    FUNCTION(get_line_no, xmlGetLineNo)                                                                      \
    FUNCTION(has_prop, xmlHasProp)                                                                           \
    FUNCTION(mem_setup, xmlMemSetup) /* after which free() frees what is the caller's */                     \
    FUNCTION(new_child, xmlNewChild)                                                                         \
    FUNCTION(read_file, xmlReadFile)                                                                         \
    FUNCTION(read_memory, xmlReadMemory)                                                                     \
    FUNCTION(set_prop, xmlSetProp)                                                                           \
    FUNCTION(set_structured_error_func, xmlSetStructuredErrorFunc)

/** The functions by their names without xml; libxml2's headers describe them. */
struct xml_library {
    XML_FUNCTIONS(MODULE_MEMBER)
};

/** The one symbol that is looked up in the module. */
extern const struct xml_library mercury_xml;

/** @return NULL if the module cannot be loaded: see why */
const struct xml_library *xml_library(struct why *why);
