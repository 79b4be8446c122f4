#include "sim/platform/platform_read.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libxml/parser.h>

#include "base/file/line_reader.h"
#include "sim/platform/platform_error.h"

/* The argument of an error function of libxml2 is const since 2.12. */
#if LIBXML_VERSION >= 21200
typedef const xmlError *xml_fault_argument;
#else
typedef xmlError *xml_fault_argument;
#endif

/* --- elements -------------------------------------------------------------------------------------------- */

/* The elements that the program uses; those of one name are neighbours. */
static const struct used_element {
    const char *name;
    const char *id;    /* of a route, where it begins; NULL: an element of any id */
    const char *other; /* of a disk, its host; of a route, where it ends; NULL for all others */
    const char *text;  /* of one that a platform has to have */
} used_elements[PLATFORM_ELEMENTS] = {
    [PLATFORM_ROOT] = {"platform"},
    [PLATFORM_ZONE] = {"zone"},
    [PLATFORM_PROP] = {"prop"},
    [PLATFORM_HOST] = {"host", "host", NULL, "<host id=\"host\">"},
    [PLATFORM_BOARD] = {"host", "fpga", NULL, "<host id=\"fpga\">"},
    [PLATFORM_MEMORY] = {"disk", "memory", "host", "<disk id=\"memory\">"},
    [PLATFORM_BUS] = {"link", "pcix", NULL, "<link id=\"pcix\">"},
    [PLATFORM_NETWORK] = {"link", "network"},
    [PLATFORM_DOWN] = {"route", "host", "fpga", "<route src=\"host\" dst=\"fpga\">"},
    [PLATFORM_UP] = {"route", "fpga", "host"},
    [PLATFORM_LINK_CTN] = {"link_ctn", "pcix"},
};

static bool is_same(const char *wanted, const xmlChar *found)
{
    return !wanted || (found && strcmp(wanted, (const char *)found) == 0);
}

/* What tells an element from others of its name, as in a row of the table; texts of libxml2, NULL if missing. */
struct identity {
    xmlChar *id, *other;
};

static struct identity identity_of(const xmlNode *node)
{
    bool route = is_same("route", node->name), disk = is_same("disk", node->name);
    return (struct identity){
        .id = xmlGetProp(node, (const xmlChar *)(route ? "src" : "id")),
        .other = route  ? xmlGetProp(node, (const xmlChar *)"dst")
                 : disk ? xmlGetProp(node->parent, (const xmlChar *)"id")
                        : NULL,
    };
}

enum platform_element platform_element_of(const xmlNode *node)
{
    if (node->type != XML_ELEMENT_NODE)
        return PLATFORM_ELEMENTS;
    struct identity found = identity_of(node);
    unsigned i = 0;
    while (i < PLATFORM_ELEMENTS &&
           !(is_same(used_elements[i].name, node->name) && is_same(used_elements[i].id, found.id) &&
             is_same(used_elements[i].other, found.other)))
        i++;
    xmlFree(found.id);
    xmlFree(found.other);
    return (enum platform_element)i;
}

const char *platform_element_text(enum platform_element element)
{
    return used_elements[element].text;
}

xmlNode *platform_next_node(xmlNode *node)
{
    if (node->children && node->type == XML_ELEMENT_NODE)
        return node->children;
    while (node->parent && node->parent->type == XML_ELEMENT_NODE && !node->next)
        node = node->parent;
    return node->parent && node->parent->type == XML_ELEMENT_NODE ? node->next : NULL;
}

/* Append how a message tells an element from others of its name: 'host', 'memory' of 'host', from 'host' to 'fpga'. */
static void append_identity(struct why *why, const char *name, const char *id, const char *other)
{
    const char *format = strcmp(name, "route") == 0  ? "from '%.60s' to '%.60s'"
                         : strcmp(name, "disk") == 0 ? "'%.60s' of '%.60s'"
                                                     : "'%.60s'";
    char text[200];
    snprintf(text, sizeof text, format, id ? id : "", other ? other : "");
    why_append(why, "%s", text);
}

static void refuse_element(const xmlNode *node, struct why *why)
{
    struct identity found = identity_of(node);
    const char *name = (const char *)node->name;
    unsigned count = 0, listed = 0;
    for (unsigned i = 0; i < PLATFORM_ELEMENTS; i++)
        count += strcmp(used_elements[i].name, name) == 0;
    why_say(why, 0, count > 0 ? "%.60s " : "<%.60s>", name);
    if (count > 0)
        append_identity(why, name, (const char *)found.id, (const char *)found.other);
    why_append(why, " is not used: expected %s%s%s", count > 0 ? "the " : "", count > 0 ? name : "",
               count > 1   ? "s "
               : count > 0 ? " "
                           : "");
    for (unsigned i = 0; i < PLATFORM_ELEMENTS; i++) {
        const struct used_element *used = &used_elements[i];
        if (count > 0 && strcmp(used->name, name) == 0) {
            why_append(why, "%s", listed == 0 ? "" : listed + 1 < count ? ", " : " and ");
            append_identity(why, name, used->id, used->other);
            listed++;
        } else if (count == 0 && (i == 0 || strcmp(used->name, used_elements[i - 1].name) != 0))
            why_append(why, "%s<%s>", i == 0 ? "" : i + 1 < PLATFORM_ELEMENTS ? ", " : " or ", used->name);
    }
    xmlFree(found.id);
    xmlFree(found.other);
}

/* --- XML ------------------------------------------------------------------------------------------------- */

static int apply_prop(const xmlNode *node, struct hardware *hardware, struct why *why)
{
    xmlChar *id = xmlGetProp(node, (const xmlChar *)"id");
    xmlChar *value = xmlGetProp(node, (const xmlChar *)"value");
    int status = id && value ? hardware_set(hardware, (const char *)id, (const char *)value, why)
                             : why_say(why, PLATFORM_EFORMAT, "<prop> needs an id and a value");
    xmlFree(id);
    xmlFree(value);
    return status;
}

static int read_elements(const char *path, xmlDocPtr document, struct hardware *hardware, unsigned *has,
                         struct why *why)
{
    xmlNode *root = xmlDocGetRootElement(document);
    if (!root || !is_same("platform", root->name))
        return why_say(why, PLATFORM_EFORMAT,
                       "%s: not a SimGrid platform: expected <platform> as the root element", path);
    int status = 0;
    *has = 0;
    for (xmlNode *node = root; node && status == 0; node = platform_next_node(node)) {
        const enum platform_element element = platform_element_of(node);
        *has |= 1U << element;
        if (element == PLATFORM_PROP)
            status = apply_prop(node, hardware, why);
        else if (element == PLATFORM_ELEMENTS && node->type == XML_ELEMENT_NODE) {
            refuse_element(node, why);
            status = PLATFORM_EFORMAT;
        }
        if (status)
            why_precede(why, 0, "%s:%ld: ", path, xmlGetLineNo(node));
    }
    return status ? PLATFORM_EFORMAT : 0;
}

struct xml_fault {
    int line;
    bool is_memory;
    char message[200];
};

/* For what libxml2 would print beside faults of a document: that memory is exhausted. */
static void print_nothing(void *data, const char *format, ...)
{
    (void)data, (void)format;
}

/* An xmlStructuredErrorFunc that keeps the first fault: the others follow from it. */
static void keep_first_fault(void *data, xml_fault_argument error)
{
    struct xml_fault *fault = data;
    fault->is_memory |= error->code == XML_ERR_NO_MEMORY;
    if (fault->line > 0 || error->level < XML_ERR_ERROR || !error->message)
        return;
    fault->line = error->line;
    snprintf(fault->message, sizeof fault->message, "%.*s", (int)strcspn(error->message, "\n"),
             error->message);
}

static int read_xml(const char *path, xmlDocPtr *document, struct why *why)
{
    struct xml_fault fault = {.message = "cannot be read"};
    xmlSetGenericErrorFunc(NULL, print_nothing);
    xmlSetStructuredErrorFunc(&fault, keep_first_fault);
    *document = xmlReadFile(path, NULL, XML_PARSE_NONET);
    xmlSetStructuredErrorFunc(NULL, NULL);
    if (*document)
        return 0;
    if (fault.is_memory)
        return why_precede(why, why_no_memory(why, PLATFORM_ESYSTEM), "%s: ", path);
    return why_say(why, PLATFORM_EFORMAT,
                   "%s:%d: not well-formed XML: %s; compare data/platforms/mercury-2010.xml", path,
                   fault.line, fault.message);
}

/* --- short files ----------------------------------------------------------------------------------------- */

static const char whole[] = "<platform version=\"4.1\"><zone id=\"mercury\" routing=\"Full\">"
                            "<host id=\"host\" speed=\"1f\" core=\"1\">"
                            "<disk id=\"memory\" read_bw=\"1Bps\" write_bw=\"1GBps\"/></host>"
                            "<host id=\"fpga\" speed=\"1f\" core=\"1\"/>"
                            "<link id=\"pcix\" bandwidth=\"1Bps\" latency=\"0s\" sharing_policy=\"SHARED\"/>"
                            "<route src=\"host\" dst=\"fpga\"><link_ctn id=\"pcix\"/></route>"
                            "</zone></platform>";

/* A new <prop>, in the first host: SimGrid wants the props of a zone before all else. */
static bool add_prop(xmlDocPtr document, const char *name, const char *value)
{
    xmlNode *host = xmlDocGetRootElement(document);
    while (host && platform_element_of(host) != PLATFORM_HOST)
        host = platform_next_node(host);
    xmlNode *prop = host ? xmlNewChild(host, NULL, (const xmlChar *)"prop", NULL) : NULL;
    return prop && xmlSetProp(prop, (const xmlChar *)"id", (const xmlChar *)name) &&
           xmlSetProp(prop, (const xmlChar *)"value", (const xmlChar *)value);
}

bool platform_set_props(xmlDocPtr document, const struct hardware *hardware)
{
    bool set = true;
    for (size_t i = 0; set && i < hardware_parameter_count(); i++) {
        char value[64];
        bool found = false;
        const char *name = hardware_parameter_name(i);
        hardware_parameter_value(hardware, i, value, sizeof value);
        for (xmlNode *node = xmlDocGetRootElement(document); node; node = platform_next_node(node)) {
            bool is_prop = node->type == XML_ELEMENT_NODE && is_same("prop", node->name);
            xmlChar *id = is_prop ? xmlGetProp(node, (const xmlChar *)"id") : NULL;
            if (id && is_same(name, id))
                found = xmlSetProp(node, (const xmlChar *)"value", (const xmlChar *)value);
            xmlFree(id);
        }
        set = found || add_prop(document, name, value);
    }
    return set;
}

/* The first character that is no blank does not begin XML. */
static bool is_of_lines(const char *path)
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

static int take_line(const struct line_reader *lines, struct hardware *hardware, struct why *why)
{
    char *name = trim(lines->line.s), *equals = strchr(name, '=');
    if (*name == '\0')
        return 0;
    if (!equals)
        return line_reader_refuse_line(
            lines, PLATFORM_EFORMAT,
            "expected a line like 'fpga.clock = 250MHz', or a SimGrid platform (XML); found '%.60s'", name);
    *equals = '\0';
    if (hardware_set(hardware, trim(name), trim(equals + 1), why) != 0)
        return why_precede(why, PLATFORM_EFORMAT, "%s:%llu: ", lines->path,
                           (unsigned long long)lines->number);
    return 0;
}

static int read_lines(const char *path, struct hardware *hardware, struct why *why)
{
    struct line_reader lines;
    int more = 0, status = line_reader_open(&lines, path, "a platform file", why);
    while (status == 0 && (more = line_reader_next(&lines)) > 0)
        status = take_line(&lines, hardware, why);
    status = line_reader_close(&lines, status ? status : more);
    return status == 0 || status == PLATFORM_ESYSTEM || status == PLATFORM_EFORMAT ? status : PLATFORM_EOPEN;
}

/* --- files ----------------------------------------------------------------------------------------------- */

static int check_file(const char *path, struct why *why)
{
    struct stat status;
    const char *what = stat(path, &status) != 0 || access(path, R_OK) != 0 ? strerror(errno)
                       : S_ISDIR(status.st_mode) ? "is a directory; expected a SimGrid platform file"
                       : status.st_size == 0     ? "is empty; expected a SimGrid platform file"
                                                 : NULL;
    return what ? why_say(why, PLATFORM_EOPEN, "%s: %s", path, what) : 0;
}

int platform_read(const char *path, struct hardware *hardware, xmlDocPtr *document, unsigned *has,
                  struct why *why)
{
    const unsigned prop = 1U << PLATFORM_PROP, around = 1U << PLATFORM_ROOT | 1U << PLATFORM_ZONE;
    int status = check_file(path, why);
    *document = NULL;
    *has = prop;
    if (status == 0 && is_of_lines(path))
        status = read_lines(path, hardware, why);
    else if (status == 0 && (status = read_xml(path, document, why)) == 0)
        status = read_elements(path, *document, hardware, has, why);
    if (status == 0 && *has & prop && !(*has & ~(prop | around | 1U << PLATFORM_ELEMENTS))) {
        xmlFreeDoc(*document);
        *document = xmlReadMemory(whole, sizeof whole - 1, NULL, NULL, XML_PARSE_NONET);
        *has = (1U << PLATFORM_ELEMENTS) - 1 - (1U << PLATFORM_NETWORK);
        if (!*document || !platform_set_props(*document, hardware))
            status = why_no_memory(why, PLATFORM_ESYSTEM);
    }
    if (status) {
        xmlFreeDoc(*document);
        *document = NULL;
    }
    return status;
}
