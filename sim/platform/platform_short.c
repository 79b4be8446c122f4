#include "sim/platform/platform_short.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>

#include "base/file/line_reader.h"
#include "sim/platform/platform_error.h"

static const char whole[] = "<platform version=\"4.1\"><zone id=\"mercury\" routing=\"Full\">"
                            "<host id=\"host\" speed=\"1f\" core=\"1\">"
                            "<disk id=\"memory\" read_bw=\"1Bps\" write_bw=\"1GBps\"/></host>"
                            "<host id=\"fpga\" speed=\"1f\" core=\"1\"/>"
                            "<link id=\"pcix\" bandwidth=\"1Bps\" latency=\"0s\" sharing_policy=\"SHARED\"/>"
                            "<route src=\"host\" dst=\"fpga\"><link_ctn id=\"pcix\"/></route>"
                            "</zone></platform>";

static xmlDocPtr new_document(void)
{
    return xmlReadMemory(whole, sizeof whole - 1, NULL, NULL, XML_PARSE_NONET);
}

/* Into the first host, since SimGrid wants the props of a zone before all else. */
static bool add_prop(xmlDocPtr document, const char *name, const char *value)
{
    xmlNode *host = xmlDocGetRootElement(document)->children->children;
    xmlNode *prop = xmlNewChild(host, NULL, (const xmlChar *)"prop", NULL);
    return prop && xmlSetProp(prop, (const xmlChar *)"id", (const xmlChar *)name) &&
           xmlSetProp(prop, (const xmlChar *)"value", (const xmlChar *)value);
}

/* --- lines ----------------------------------------------------------------------------------------------- */

bool platform_short_is_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    int first = file ? fgetc(file) : EOF;
    while (first != EOF && isspace(first))
        first = fgetc(file);
    if (file)
        fclose(file);
    return first == '#' || isalpha(first);
}

/* The text without its comment, and without blanks around it. */
static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strcspn(text, "#");
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

static int take_line(struct line_reader *lines, xmlDocPtr document, struct hardware *hardware)
{
    struct why *why = lines->why;
    char *name = trim(lines->line.s), *equals = strchr(name, '=');
    if (*name == '\0')
        return 0;
    if (!equals)
        return line_reader_refuse_line(
            lines, PLATFORM_EFORMAT,
            "expected a line like 'fpga.clock = 250MHz', or a SimGrid platform (XML); found '%.60s'", name);
    char *value = trim(equals + 1);
    *equals = '\0';
    name = trim(name);
    if (hardware_set(hardware, name, value, why) != 0)
        return why_precede(why, PLATFORM_EFORMAT, "%s:%llu: ", lines->path,
                           (unsigned long long)lines->number);
    return add_prop(document, name, value) ? 0 : why_no_memory(why, PLATFORM_ESYSTEM);
}

int platform_short_read(const char *path, struct hardware *hardware, xmlDocPtr *document, struct why *why)
{
    struct line_reader lines;
    int more = 0, status = line_reader_open(&lines, path, "a platform file", why);
    *document = new_document();
    if (status == 0 && !*document)
        status = why_no_memory(why, PLATFORM_ESYSTEM);
    while (status == 0 && (more = line_reader_next(&lines)) > 0)
        status = take_line(&lines, *document, hardware);
    status = line_reader_close(&lines, status ? status : more);
    if (status == 0)
        return 0;
    xmlFreeDoc(*document);
    *document = NULL;
    return status == PLATFORM_ESYSTEM || status == PLATFORM_EFORMAT ? status : PLATFORM_EOPEN;
}

/* --- props ----------------------------------------------------------------------------------------------- */

static bool is_called(const xmlNode *node, const char *name)
{
    return strcmp((const char *)node->name, name) == 0;
}

static bool has_only_props(const xmlNode *parent, unsigned *count)
{
    for (const xmlNode *node = parent->children; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE)
            continue;
        if (is_called(node, "prop"))
            ++*count;
        else if (!is_called(node, "zone") || !has_only_props(node, count))
            return false;
    }
    return true;
}

bool platform_short_is_props(xmlDocPtr document)
{
    unsigned count = 0;
    return has_only_props(xmlDocGetRootElement(document), &count) && count > 0;
}

static bool copy_props(const xmlNode *parent, xmlDocPtr to)
{
    bool copied = true;
    for (xmlNode *node = parent->children; node && copied; node = node->next) {
        if (node->type != XML_ELEMENT_NODE)
            continue;
        if (!is_called(node, "prop")) {
            copied = copy_props(node, to);
            continue;
        }
        xmlChar *name = xmlGetProp(node, (const xmlChar *)"id");
        xmlChar *value = xmlGetProp(node, (const xmlChar *)"value");
        copied = name && value && add_prop(to, (const char *)name, (const char *)value);
        xmlFree(name);
        xmlFree(value);
    }
    return copied;
}

xmlDocPtr platform_short_complete(xmlDocPtr document)
{
    xmlDocPtr completed = new_document();
    if (completed && copy_props(xmlDocGetRootElement(document), completed))
        return completed;
    xmlFreeDoc(completed);
    return NULL;
}
