/* xml_library.h - the functions of libxml2 that read and write platforms, loaded with the first platform.
 *
 * Why       the library brings ICU and the library of C++, which took every start of the program 2 ms. What is linked
 *           to them is a module, mercury-xml.so (base/process/module.h), which holds nothing but this table.
 * Linked    tests are linked to libxml2 instead (xml_library_linked.c).
 */
#pragma once

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "base/why.h"

/** The functions by their names without xml; libxml2's headers describe them. */
struct xml_library {
    __typeof__(xmlCleanupParser) *cleanup_parser;
    __typeof__(xmlCopyDoc) *copy_doc;
    __typeof__(xmlCopyNode) *copy_node;
    __typeof__(xmlDocDumpMemory) *doc_dump_memory;
    __typeof__(xmlDocGetRootElement) *doc_get_root_element;
    __typeof__(xmlEncodeSpecialChars) *encode_special_chars;
    __typeof__(xmlFreeDoc) *free_doc;
    __typeof__(xmlFreeNode) *free_node;
    __typeof__(xmlGetLineNo) *get_line_no;
    __typeof__(xmlHasProp) *has_prop;
    __typeof__(xmlMemSetup) *mem_setup; /* after which free() frees what is the caller's */
    __typeof__(xmlNewChild) *new_child;
    __typeof__(xmlReadFile) *read_file;
    __typeof__(xmlReadMemory) *read_memory;
    __typeof__(xmlSetProp) *set_prop;
    __typeof__(xmlSetStructuredErrorFunc) *set_structured_error_func;
};

/** The one symbol that is looked up in the module. */
extern const struct xml_library mercury_xml;

/** @return NULL if the module cannot be loaded: see why */
const struct xml_library *xml_library(struct why *why);
