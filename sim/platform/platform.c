#include "sim/platform/platform.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file/file_io.h"
#include "base/file/line_reader.h"
#include "base/memory.h"
#include "base/process/signals.h"
#include "base/words.h"
#include "sim/platform/xml_library.h"
#include "sim/simgrid/simgrid_module.h"

/* The argument of an error function of libxml2 is const since 2.12. */
#if LIBXML_VERSION >= 21200
typedef const xmlError *xml_fault_argument;
#else
typedef xmlError *xml_fault_argument;
#endif

static const struct xml_library *xml; /* loaded with the first platform */

/* --- elements -------------------------------------------------------------------------------------------- */

/* Elements by the row of the table: bits of a set. */
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

static bool is_same(const char *wanted, const char *found)
{
    return !wanted || (found && strcmp(wanted, found) == 0);
}

static const char *name_of(const xmlNode *node)
{
    return (const char *)node->name;
}

/* An attribute's text; NULL if the element has none of this name. */
static const char *attribute(const xmlNode *node, const char *name)
{
    const xmlAttr *found = xml->has_prop(node, (const xmlChar *)name);
    return !found ? NULL : found->children ? (const char *)found->children->content : "";
}

/* What tells an element from others of its name, as in a row of the table; NULL if it is missing. */
struct identity {
    const char *id, *other;
};

static struct identity identity_of(const xmlNode *node)
{
    if (is_same("route", name_of(node)))
        return (struct identity){attribute(node, "src"), attribute(node, "dst")};
    return (struct identity){attribute(node, "id"),
                             is_same("disk", name_of(node)) ? attribute(node->parent, "id") : NULL};
}

/* Which element of the document a node is. @return PLATFORM_ELEMENTS if it is none, a text or a comment */
static enum platform_element element_of(const xmlNode *node)
{
    if (node->type != XML_ELEMENT_NODE)
        return PLATFORM_ELEMENTS;
    const struct identity found = identity_of(node);
    unsigned i = 0;
    while (i < PLATFORM_ELEMENTS &&
           !(is_same(used_elements[i].name, name_of(node)) && is_same(used_elements[i].id, found.id) &&
             is_same(used_elements[i].other, found.other)))
        i++;
    return (enum platform_element)i;
}

/* The node after `node`, in the order of the document; NULL after the last. */
static xmlNode *next_node(xmlNode *node)
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
    const struct identity found = identity_of(node);
    const char *name = name_of(node);
    unsigned count = 0, listed = 0;
    for (unsigned i = 0; i < PLATFORM_ELEMENTS; i++)
        count += strcmp(used_elements[i].name, name) == 0;
    why_say(why, 0, count > 0 ? "%.60s " : "<%.60s>", name);
    if (count > 0)
        append_identity(why, name, found.id, found.other);
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
}

/* Set a number that the file has not given before. @param given  of each parameter whether it was */
static int set_once(struct hardware *hardware, bool *given, const char *name, const char *value,
                    struct why *why)
{
    bool *is_given = &given[hardware_parameter_find(name) + 1]; /* that of no name is the first */
    if (*is_given)
        return why_say(why, PLATFORM_EFORMAT, "%s is given twice: expected each name once", name);
    *is_given = true;
    return hardware_set(hardware, name, value, why);
}

/* --- XML ------------------------------------------------------------------------------------------------- */

static int read_elements(const char *path, xmlDocPtr document, struct hardware *hardware, bool *given,
                         unsigned *has, struct why *why)
{
    xmlNode *root = xml->doc_get_root_element(document);
    if (!root || !is_same("platform", name_of(root)))
        return why_say(why, PLATFORM_EFORMAT,
                       "%s: not a SimGrid platform: expected <platform> as the root element", path);
    int status = 0;
    *has = 0;
    for (xmlNode *node = root; node && status == 0; node = next_node(node)) {
        const enum platform_element element = element_of(node);
        *has |= 1U << element;
        if (element == PLATFORM_PROP) {
            const char *id = attribute(node, "id"), *value = attribute(node, "value");
            status = id && value ? set_once(hardware, given, id, value, why)
                                 : why_say(why, PLATFORM_EFORMAT, "<prop> needs an id and a value");
        } else if (element == PLATFORM_ELEMENTS && node->type == XML_ELEMENT_NODE) {
            refuse_element(node, why);
            status = PLATFORM_EFORMAT;
        }
        if (status)
            why_precede(why, 0, "%s:%ld: ", path, xml->get_line_no(node));
    }
    return status ? PLATFORM_EFORMAT : 0;
}

struct xml_fault {
    int line;
    char message[200];
};

/* An xmlStructuredErrorFunc that keeps the first fault: the others follow from it. */
static void keep_first_fault(void *data, xml_fault_argument error)
{
    struct xml_fault *fault = data;
    if (fault->line > 0 || error->level < XML_ERR_ERROR || !error->message)
        return;
    fault->line = error->line;
    snprintf(fault->message, sizeof fault->message, "%.*s", (int)strcspn(error->message, "\n"),
             error->message);
}

static int read_xml(const char *path, xmlDocPtr *document, struct why *why)
{
    struct xml_fault fault = {.message = "cannot be read"};
    xml->set_structured_error_func(&fault, keep_first_fault);
    *document = xml->read_file(path, NULL, XML_PARSE_NONET | XML_PARSE_NOENT);
    xml->set_structured_error_func(NULL, NULL);
    if (*document)
        return 0;
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

/* Let every number of a machine be a <prop>; any host, link or zone may have it. A new one is in the first host:
 * SimGrid wants the props of a zone before all else. */
static void set_props(xmlDocPtr document, const struct hardware *hardware)
{
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        const struct shown value = hardware_parameter_value(hardware, i);
        bool found = false;
        const char *name = hardware_parameter_name(i);
        xmlNode *host = NULL;
        for (xmlNode *node = xml->doc_get_root_element(document); node; node = next_node(node)) {
            const enum platform_element element = element_of(node);
            if (element == PLATFORM_PROP && is_same(name, attribute(node, "id")))
                found = xml->set_prop(node, (const xmlChar *)"value", (const xmlChar *)value.text);
            if (element == PLATFORM_HOST && !host)
                host = node;
        }
        if (found || !host)
            continue;
        xmlNode *prop = xml->new_child(host, NULL, (const xmlChar *)"prop", NULL);
        xml->set_prop(prop, (const xmlChar *)"id", (const xmlChar *)name);
        xml->set_prop(prop, (const xmlChar *)"value", (const xmlChar *)value.text);
    }
}

/* The first character that is no blank, after a byte-order mark, does not begin XML. */
static bool is_of_lines(const char *path)
{
    FILE *file = file_io_open(path, O_RDONLY);
    int first = file ? fgetc(file) : EOF;
    for (const char *mark = "\xef\xbb\xbf"; *mark && first == (unsigned char)*mark; mark++)
        first = fgetc(file);
    while (first != EOF && isspace(first))
        first = fgetc(file);
    file_io_end(file);
    return first == '#' || isalpha(first);
}

/* A word ends at a blank or before '=', which is a word of its own. */
static size_t word_bytes(const char *at, const char *end)
{
    const size_t length = word_bytes_to_blank(at, end);
    const char *equals = memchr(at + 1, '=', length - 1);
    return *at == '=' ? 1 : equals ? (size_t)(equals - at) : length;
}

static int take_line(struct words w, struct hardware *hardware, bool *given)
{
    char name[64], value[256];
    words_drop_comment(&w);
    const struct word line = words_peek(&w), first = words_next(&w);
    if (!first.text)
        return 0;
    const bool is_set = word_name(first, name, sizeof name) && words_take(&w, "=");
    const struct word rest = words_rest(&w);
    if (!is_set || (!word_name(rest, value, sizeof value) && rest.length > 0))
        return words_refuse(
            &w, NULL, "expected a line like 'fpga.clock = 250MHz', or a SimGrid platform (XML); found '%s'",
            word_show((struct word){line.text, (size_t)(w.end - line.text)}).text);
    if (set_once(hardware, given, name, value, w.why) != 0)
        return why_precede(w.why, w.code, "%s:%" PRIu64 ": ", w.file, w.line);
    return 0;
}

static int read_lines(const char *path, struct hardware *hardware, bool *given, struct why *why)
{
    struct line_reader lines;
    struct words w = {.file = path, .code = PLATFORM_EFORMAT, .why = why, .word_bytes = word_bytes};
    int more = 0, status = line_reader_open(&lines, path, "a platform file", why);
    while (status == 0 && (more = line_reader_next(&lines)) > 0) {
        words_set_line(&w, lines.line.s, lines.line.l, lines.number);
        status = take_line(w, hardware, given);
    }
    status = line_reader_close(&lines, status ? status : more);
    return status == 0 || status == PLATFORM_EFORMAT ? status : PLATFORM_EOPEN;
}

/* --- files ----------------------------------------------------------------------------------------------- */

struct platform {
    char *path;
    xmlDocPtr document; /* as it was read */
    unsigned has;       /* bits of enum platform_element */
    int copy;           /* file descriptor of the effective copy, -1 if there is none yet */
    char copy_path[64];
    pid_t trial; /* process that tries the copy, 0 if there is none */
    int told;    /* file descriptor of what that process prints */
};

int platform_open(const char *path, struct hardware *hardware, struct platform **out, struct why *why)
{
    const unsigned prop = 1U << PLATFORM_PROP, around = 1U << PLATFORM_ROOT | 1U << PLATFORM_ZONE;
    struct stat about;
    const char *fault = stat(path, &about) != 0 || access(path, R_OK) != 0 ? why_error(errno)
                        : S_ISDIR(about.st_mode) ? "is a directory; expected a SimGrid platform file"
                        : about.st_size == 0     ? "is empty; expected a SimGrid platform file"
                                                 : NULL;
    if (fault)
        return why_say(why, PLATFORM_EOPEN, "%s: %s", path, fault);
    if (!xml && !(xml = xml_library(why)))
        return PLATFORM_ESYSTEM;
    struct platform *p = memory_take(sizeof *p);
    *p = (struct platform){.path = memory_text(path), .copy = -1, .has = prop};
    xml->mem_setup(free, memory_take, memory_grow, memory_text);
    auto_free bool *given = memory_new(hardware_parameter_count() + 1, sizeof *given);
    int status =
        is_of_lines(path) ? read_lines(path, hardware, given, why) : read_xml(path, &p->document, why);
    if (p->document)
        status = read_elements(path, p->document, hardware, given, &p->has, why);
    if (status == 0 && p->has & prop && !(p->has & ~(prop | around | 1U << PLATFORM_ELEMENTS))) {
        xml->free_doc(p->document);
        p->document = xml->read_memory(whole, sizeof whole - 1, NULL, NULL, XML_PARSE_NONET);
        p->has = (1U << PLATFORM_ELEMENTS) - 1 - (1U << PLATFORM_NETWORK);
        set_props(p->document, hardware);
    }
    if (status)
        platform_close(p);
    else
        *out = p;
    return status;
}

/* --- the effective copy ---------------------------------------------------------------------------------- */

/* Boards, their memories, buses and hosts beyond the first are as the file describes one of each. Further hosts are
 * only the ends of the network's routes: boards and cores are simulated host by host, and the copy has them once. */
struct copy {
    FILE *out;
    const struct hardware *hardware;
    long line;      /* in which the text stands: an element is in its line of the file, or after it */
    bool networked; /* the routes to further hosts are written */
};

static void set_number(xmlNode *node, const char *name, double value, const char *unit)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g%s", value, unit);
    xml->set_prop(node, (const xmlChar *)name, (const xmlChar *)text);
}

static void set_name(xmlNode *node, const char *name, const char *element, uint32_t number)
{
    char text[HARDWARE_NAME_SIZE];
    hardware_element_name(element, number, text);
    xml->set_prop(node, (const xmlChar *)name, (const xmlChar *)text);
}

/* Set the attributes that are not as in the file. */
/* @param number  of the board or bus that an element is of, or belongs to */
static void set_effective(xmlNode *node, const struct hardware *h, enum platform_element element,
                          uint32_t number)
{
    switch (element) {
    case PLATFORM_HOST:
        set_number(node, "speed", h->host_clock_hz, "f");
        set_number(node, "core", h->host_cores, "");
        break;
    case PLATFORM_BOARD:
        set_name(node, "id", "fpga", number);
        break;
    case PLATFORM_MEMORY:
        set_name(node, "id", "memory", number);
        set_number(node, "read_bw", h->host_supply, "Bps");
        break;
    case PLATFORM_BUS:
        set_name(node, "id", "pcix", number);
        set_number(node, "bandwidth", hardware_link_bytes_per_s(h), "Bps");
        break;
    case PLATFORM_NETWORK:
        set_number(node, "bandwidth", h->network_bandwidth, "Bps");
        set_number(node, "latency", h->network_latency_s, "s");
        break;
    case PLATFORM_DOWN:
    case PLATFORM_UP:
        set_name(node, element == PLATFORM_DOWN ? "dst" : "src", "fpga", number);
        break;
    case PLATFORM_LINK_CTN:
        set_name(node, "id", "pcix", number % h->buses);
        break;
    default:
        break;
    }
}

static uint32_t count_of(const struct hardware *h, enum platform_element element)
{
    switch (element) {
    case PLATFORM_PROP: /* SimGrid needs none */
    case PLATFORM_ELEMENTS:
        return 0;
    case PLATFORM_BUS:
        return h->buses;
    case PLATFORM_NETWORK:
        return h->hosts > 1;
    case PLATFORM_BOARD:
    case PLATFORM_MEMORY:
    case PLATFORM_DOWN:
    case PLATFORM_UP:
        return h->boards;
    default:
        return 1;
    }
}

/* Write a text of the document as XML. */
static void write_escaped(struct copy *c, const char *text)
{
    auto_free xmlChar *escaped = xml->encode_special_chars(NULL, (const xmlChar *)text);
    for (const xmlChar *at = escaped; *at; at++) {
        fputc(*at, c->out);
        c->line += *at == '\n';
    }
}

static void write_attributes(struct copy *c, const xmlNode *node, enum platform_element element,
                             uint32_t number)
{
    xmlNode *own = xml->copy_node((xmlNode *)node, 2); /* with its attributes only */
    set_effective(own, c->hardware, element, number);
    for (const xmlAttr *a = own->properties; a; a = a->next) {
        fprintf(c->out, " %s=\"", (const char *)a->name);
        write_escaped(c, attribute(own, (const char *)a->name));
        fputc('"', c->out);
    }
    xml->free_node(own);
}

/* What stands behind an element for further hosts: hosts, the network if the file has none, and routes over it. */
static void write_hosts(struct copy *c, enum platform_element element, bool has_network)
{
    const struct hardware *h = c->hardware;
    char name[HARDWARE_NAME_SIZE];
    if (element == PLATFORM_BUS && h->hosts > 1 && !has_network)
        fprintf(c->out, "<link id=\"network\" bandwidth=\"%.17gBps\" latency=\"%.17gs\"/>",
                h->network_bandwidth, h->network_latency_s);
    for (uint32_t host = 1; host < h->hosts; host++) {
        hardware_element_name("host", host, name);
        if (element == PLATFORM_HOST)
            fprintf(c->out, "<host id=\"%s\" speed=\"%.17gf\"/>", name, h->host_clock_hz);
        if ((element == PLATFORM_DOWN || element == PLATFORM_UP) && !c->networked)
            fprintf(c->out, "<route src=\"host\" dst=\"%s\"><link_ctn id=\"network\"/></route>", name);
    }
    c->networked |= element == PLATFORM_DOWN || element == PLATFORM_UP;
}

static void write_children(struct copy *c, const struct platform *p, const xmlNode *parent, uint32_t number);

/* @param number  of the board, if the element stands in one that is a board's */
static void write_element(struct copy *c, const struct platform *p, const xmlNode *node, uint32_t number)
{
    const enum platform_element element = element_of(node);
    const uint32_t count = count_of(c->hardware, element);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t own = count > 1 ? i : number;
        for (; c->line < xml->get_line_no(node); c->line++)
            fputc('\n', c->out);
        fprintf(c->out, "<%s", (const char *)node->name);
        write_attributes(c, node, element, own);
        fputc('>', c->out);
        write_children(c, p, node, own);
        fprintf(c->out, "</%s>", (const char *)node->name);
    }
    write_hosts(c, element, p->has & 1U << PLATFORM_NETWORK);
}

static void write_children(struct copy *c, const struct platform *p, const xmlNode *parent, uint32_t number)
{
    for (const xmlNode *node = parent->children; node; node = node->next)
        if (node->type == XML_ELEMENT_NODE)
            write_element(c, p, node, number);
        else if (node->content && node->type != XML_COMMENT_NODE)
            write_escaped(c, (const char *)node->content); /* SimGrid refuses more than blanks */
}

/* SimGrid needs a document type. It reads the copy in memory under a path of its own. */
int platform_rewrite(struct platform *p, const struct hardware *hardware, struct why *why)
{
    for (unsigned i = 0; i < PLATFORM_ELEMENTS; i++) {
        const bool has = p->has >> i & 1 || (i == PLATFORM_DOWN && p->has >> PLATFORM_UP & 1);
        if (used_elements[i].text && !has)
            return why_say(why, PLATFORM_EFORMAT, "%s: no %s; compare data/platforms/mercury-2010.xml",
                           p->path, used_elements[i].text);
    }
    file_io_close(&p->copy);
    p->copy = memfd_create("mercury-platform", MFD_CLOEXEC);
    int file = p->copy >= 0 ? dup(p->copy) : -1;
    struct copy c = {.out = file_io_stream(file, "w"), .hardware = hardware, .line = 1};
    if (c.out) {
        fputs("<?xml version=\"1.0\"?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">", c.out);
        write_element(&c, p, xml->doc_get_root_element(p->document), 0);
    }
    if (!c.out || ferror(c.out) || fclose(c.out) != 0)
        return why_say(why, PLATFORM_ESYSTEM, "cannot keep a copy of the platform in memory: %s",
                       why_error(errno));
    snprintf(p->copy_path, sizeof p->copy_path, "/proc/self/fd/%d", p->copy);
    if (access(p->copy_path, F_OK) != 0)
        return why_say(why, PLATFORM_ESYSTEM,
                       "%s: %s; a simulation needs /proc: mount it (mount -t proc proc /proc)", p->copy_path,
                       why_error(errno));
    return 0;
}

/* A link that is named must be used and carry something, though its numbers are those of network.*. */
int platform_write(struct platform *p, const struct hardware *hardware, struct why *why)
{
    const xmlNode *network = xml->doc_get_root_element(p->document);
    while (network && element_of(network) != PLATFORM_NETWORK)
        network = next_node((xmlNode *)network);
    const char *bandwidth = network ? attribute(network, "bandwidth") : NULL;
    if (!network || (hardware->hosts > 1 && bandwidth && strtod(bandwidth, NULL) > 0))
        return platform_rewrite(p, hardware, why);
    return why_say(why, PLATFORM_EFORMAT, "%s:%ld: link 'network' %s", p->path, xml->get_line_no(network),
                   hardware->hosts == 1
                       ? "is not used: hosts = 1; set hosts, or leave it out"
                       : "has no bandwidth: expected one above 0, e.g. bandwidth=\"125MBps\"");
}

/* --- the trial ------------------------------------------------------------------------------------------- */

/* Shorten what the child printed to one line. Of SimGrid's "[host:actor:(1) 0.000] file.cpp:1: [logger/LEVEL] Parse
 * error at COPY:LINE: reason" the reason stays, and the line, which is the same in the copy. */
static int explain_refusal(const struct platform *p, char *message, struct why *why)
{
    if (strstr(message, "bad_alloc") || strstr(message, "mmap") || strstr(message, "llocate") ||
        strstr(message, "bufferstack")) { /* that of SimGrid's XML parser */
        why_no_memory(why, PLATFORM_ESYSTEM);
        return why_precede(why, PLATFORM_ESYSTEM, "SimGrid cannot load %.400s: ", p->path);
    }
    message[strcspn(message, "\n")] = '\0';
    const char *reason = strstr(message, "] ") ? strstr(message, "] ") + 2 : message;
    while (strstr(reason, "/ERROR] ") || strstr(reason, "/CRITICAL] "))
        reason = strstr(reason, "] ") + 2;
    const char *place = strstr(reason, p->copy_path);
    long line = 0;
    char *end = NULL;
    if (place && place[strlen(p->copy_path)] == ':')
        line = strtol(place + strlen(p->copy_path) + 1, &end, 10);
    if (line > 0 && *end == ':')
        return why_say(why, PLATFORM_ESIMGRID, "%s:%ld: SimGrid refuses this platform:%.300s", p->path, line,
                       end + 1);
    return why_say(why, PLATFORM_ESIMGRID,
                   "%s: SimGrid refuses this platform: %.300s; compare data/platforms/mercury-2010.xml",
                   p->path, reason);
}

/* In the child, what SimGrid prints before it aborts goes to the parent, as a problem that is found here does. */
int platform_begin_trial(struct platform *p, struct why *why)
{
    const struct simgrid_module *simgrid = simgrid_module(why);
    int ends[2];
    if (!simgrid)
        return PLATFORM_ESYSTEM;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return why_say(why, PLATFORM_ESYSTEM, "no pipe: %s", why_error(errno));
    fflush(NULL);
    p->trial = signals_fork();
    const int error = errno;
    if (p->trial == 0) {
        dup2(ends[1], STDERR_FILENO);
        const char *problem = simgrid->try_platform(p->copy_path);
        if (problem)
            dprintf(ends[1], "%s\n", problem);
        _exit(problem ? 1 : 0);
    }
    close(ends[1]);
    p->told = ends[0];
    if (p->trial > 0)
        return 0;
    p->trial = 0;
    close(p->told);
    return why_say(why, PLATFORM_ESYSTEM, "cannot start a process that tries the platform: %s",
                   why_error(error));
}

/* @param message  out: what the trial printed, unless it printed nothing
 * @return the exit status of the trial, 1 if it is lost */
static int end_trial(struct platform *p, char *message, size_t size)
{
    ssize_t got = p->trial > 0 ? read(p->told, message, size - 1) : 0;
    int status = 1;
    if (got > 0)
        message[got] = '\0';
    close(p->told);
    if (p->trial < 0 || waitpid(p->trial, &status, 0) < 0)
        status = 1;
    p->trial = 0;
    return status;
}

int platform_end_trial(struct platform *p, struct why *why)
{
    char message[600] = "SimGrid cannot load it";
    return end_trial(p, message, sizeof message) == 0 ? 0 : explain_refusal(p, message, why);
}

int platform_prepare(struct platform *p, const struct hardware *hardware, struct why *why)
{
    int status = platform_write(p, hardware, why);
    if (status == 0)
        status = platform_begin_trial(p, why);
    return status ? status : platform_end_trial(p, why);
}

/* --- text ------------------------------------------------------------------------------------------------ */

char *platform_text(const struct platform *p, const struct hardware *hardware, size_t *bytes)
{
    xmlDocPtr document = hardware ? xml->copy_doc(p->document, 1) : p->document;
    xmlChar *text = NULL;
    int length = 0;
    if (hardware)
        set_props(document, hardware);
    xml->doc_dump_memory(document, &text, &length);
    if (hardware)
        xml->free_doc(document);
    *bytes = (size_t)length;
    return (char *)text;
}

const char *platform_simgrid_file(const struct platform *p)
{
    return p->copy_path;
}

void platform_close(struct platform *p)
{
    char unread[600];
    if (!p)
        return;
    if (p->trial != 0)
        end_trial(p, unread, sizeof unread);
    file_io_close(&p->copy);
    xml->free_doc(p->document);
    xml->cleanup_parser();
    free(p->path);
    free(p);
}
