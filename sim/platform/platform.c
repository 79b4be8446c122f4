#include "sim/platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "base/file/output.h"
#include "base/process/signals.h"
#include "sim/simgrid/simgrid_module.h"
#include "sim/platform/platform_elements.h"
#include "sim/platform/platform_short.h"

/* The argument of an error function of libxml2 is const since 2.12. */
#if LIBXML_VERSION >= 21200
typedef const xmlError *xml_fault_argument;
#else
typedef xmlError *xml_fault_argument;
#endif

struct platform {
    char *path;
    xmlDocPtr document;
    int copy; /* file descriptor of the effective copy, -1 if there is none yet */
    char copy_path[64];
    pid_t trial; /* process that tries the copy, 0 if there is none */
    int told;    /* file descriptor of what that process prints */
};

static bool is_element(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

/* The node after `node` below `root`, in the order of the document; NULL after the last. */
static xmlNode *next_node(const xmlNode *root, xmlNode *node)
{
    if (node->children && node->type == XML_ELEMENT_NODE)
        return node->children;
    while (node != root && !node->next)
        node = node->parent;
    return node == root ? NULL : node->next;
}

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

static int read_element(const struct platform *p, const xmlNode *node, struct hardware *hardware,
                        struct why *why)
{
    int status = is_element(node, "prop") ? apply_prop(node, hardware, why)
                                          : platform_element_check(node, PLATFORM_EFORMAT, why);
    return status ? why_precede(why, PLATFORM_EFORMAT, "%s:%ld: ", p->path, xmlGetLineNo(node)) : 0;
}

static int read_elements(const struct platform *p, struct hardware *hardware, struct why *why)
{
    xmlNode *root = xmlDocGetRootElement(p->document);
    if (!root || !is_element(root, "platform"))
        return why_say(why, PLATFORM_EFORMAT,
                       "%s: not a SimGrid platform: expected <platform> as the root element", p->path);
    int status = 0;
    for (xmlNode *node = root; node && status == 0; node = next_node(root, node))
        if (node->type == XML_ELEMENT_NODE)
            status = read_element(p, node, hardware, why);
    return status;
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

static int parse(struct platform *p, struct why *why)
{
    struct xml_fault fault = {.message = "cannot be read"};
    xmlSetGenericErrorFunc(NULL, print_nothing);
    xmlSetStructuredErrorFunc(&fault, keep_first_fault);
    p->document = xmlReadFile(p->path, NULL, XML_PARSE_NONET);
    xmlSetStructuredErrorFunc(NULL, NULL);
    if (p->document)
        return 0;
    if (fault.is_memory)
        return why_precede(why, why_no_memory(why, PLATFORM_ESYSTEM), "%s: ", p->path);
    return why_say(why, PLATFORM_EFORMAT,
                   "%s:%d: not well-formed XML: %s; compare data/platforms/mercury-2010.xml", p->path,
                   fault.line, fault.message);
}

static int check_file(const char *path, struct why *why)
{
    struct stat status;
    const char *what = stat(path, &status) != 0 || access(path, R_OK) != 0 ? strerror(errno)
                       : S_ISDIR(status.st_mode) ? "is a directory; expected a SimGrid platform file"
                       : status.st_size == 0     ? "is empty; expected a SimGrid platform file"
                                                 : NULL;
    return what ? why_say(why, PLATFORM_EOPEN, "%s: %s", path, what) : 0;
}

static int read_xml(struct platform *p, struct hardware *hardware, struct why *why)
{
    int status = parse(p, why);
    if (status == 0)
        status = read_elements(p, hardware, why);
    if (status || !platform_short_is_props(p->document))
        return status;
    xmlDocPtr completed = platform_short_complete(p->document);
    xmlFreeDoc(p->document);
    p->document = completed;
    return completed ? 0 : why_no_memory(why, PLATFORM_ESYSTEM);
}

int platform_open(const char *path, struct hardware *hardware, struct platform **out, struct why *why)
{
    int status = check_file(path, why);
    if (status)
        return status;
    struct platform *p = calloc(1, sizeof *p);
    if (!p || !(p->path = strdup(path))) {
        free(p);
        return why_no_memory(why, PLATFORM_ESYSTEM);
    }
    p->copy = -1;
    status = platform_short_is_lines(path) ? platform_short_read(path, hardware, &p->document, why)
                                           : read_xml(p, hardware, why);
    if (status) {
        platform_close(p);
        return status;
    }
    *out = p;
    return 0;
}

static bool has_attribute(const xmlNode *node, const char *name, const char *value)
{
    xmlChar *found = xmlGetProp(node, (const xmlChar *)name);
    bool same = found && strcmp((const char *)found, value) == 0;
    xmlFree(found);
    return same;
}

/* SimGrid 3.32 crashes if it is asked for a route that the platform does not have. */
static bool has_route(const struct platform *p)
{
    xmlNode *root = xmlDocGetRootElement(p->document);
    for (xmlNode *node = root; node; node = next_node(root, node))
        if (is_element(node, "route") &&
            ((has_attribute(node, "src", "host") && has_attribute(node, "dst", "fpga")) ||
             (has_attribute(node, "src", "fpga") && has_attribute(node, "dst", "host"))))
            return true;
    return false;
}

static xmlNode *find_by_id(const struct platform *p, const char *element, const char *id)
{
    xmlNode *root = xmlDocGetRootElement(p->document);
    for (xmlNode *node = root; node; node = next_node(root, node)) {
        if (is_element(node, element) && has_attribute(node, "id", id))
            return node;
    }
    return NULL;
}

static void set_attribute(xmlNode *node, const char *name, double value, const char *unit)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g%s", value, unit);
    xmlSetProp(node, (const xmlChar *)name, (const xmlChar *)text);
}

static void set_name(xmlNode *node, const char *attribute, const char *element, uint32_t number)
{
    char name[HARDWARE_NAME_SIZE];
    hardware_element_name(element, number, name);
    xmlSetProp(node, (const xmlChar *)attribute, (const xmlChar *)name);
}

/* Add a copy of an element behind it. */
static xmlNode *add_copy(xmlNode *node)
{
    return xmlAddNextSibling(node, xmlCopyNode(node, 1));
}

/* Copy the routes of the board for another board, over the bus that it is on. */
static void copy_routes(struct platform *p, uint32_t board, uint32_t bus)
{
    xmlNode *root = xmlDocGetRootElement(p->document);
    for (xmlNode *node = root; node; node = next_node(root, node)) {
        bool down = is_element(node, "route") && has_attribute(node, "dst", "fpga");
        bool up = is_element(node, "route") && has_attribute(node, "src", "fpga");
        xmlNode *copy = down || up ? add_copy(node) : NULL;
        if (copy)
            set_name(copy, down ? "dst" : "src", "fpga", board);
        for (xmlNode *link = copy ? copy->children : NULL; link; link = link->next)
            if (is_element(link, "link_ctn"))
                set_name(link, "id", "pcix", bus);
    }
}

/* The file describes one board on one bus; further ones are like it. */
static void add_boards(struct platform *p, const struct hardware *h)
{
    for (uint32_t bus = h->buses; bus-- > 1;)
        set_name(add_copy(find_by_id(p, "link", "pcix")), "id", "pcix", bus);
    for (uint32_t board = h->boards; board-- > 1;) {
        set_name(add_copy(find_by_id(p, "disk", "memory")), "id", "memory", board);
        set_name(add_copy(find_by_id(p, "host", "fpga")), "id", "fpga", board);
        copy_routes(p, board, board % h->buses);
    }
}

/* --- hosts ----------------------------------------------------------------------------------------------- */

static xmlNode *add_element(xmlNode *before, const char *name, const char *element, uint32_t number)
{
    xmlNode *node = xmlAddNextSibling(before, xmlNewNode(NULL, (const xmlChar *)name));
    set_name(node, "id", element, number);
    return node;
}

static xmlNode *find_route(const struct platform *p)
{
    xmlNode *node = xmlDocGetRootElement(p->document);
    while (!is_element(node, "route"))
        node = next_node(xmlDocGetRootElement(p->document), node);
    return node;
}

/* All hosts are joined by one link. */
static void add_network_route(const struct platform *p, uint32_t host)
{
    xmlNode *route = xmlAddNextSibling(find_route(p), xmlNewNode(NULL, (const xmlChar *)"route"));
    set_name(route, "src", "host", 0);
    set_name(route, "dst", "host", host);
    set_name(xmlNewChild(route, NULL, (const xmlChar *)"link_ctn", NULL), "id", "network", 0);
}

/* Further hosts are only the ends of the network's routes: boards and cores are simulated host by host, and the copy
 * describes them once. */
static void add_hosts(const struct platform *p, const struct hardware *h)
{
    xmlNode *network = find_by_id(p, "link", "network");
    if (!network)
        network = add_element(find_by_id(p, "link", "pcix"), "link", "network", 0);
    set_attribute(network, "bandwidth", h->network_bandwidth, "Bps");
    set_attribute(network, "latency", h->network_latency_s, "s");
    for (uint32_t host = h->hosts; host-- > 1;) {
        xmlNode *node = add_element(find_by_id(p, "host", "host"), "host", "host", host);
        set_attribute(node, "speed", h->host_clock_hz, "f");
        add_network_route(p, host);
    }
}

/* One host needs no network. */
static void write_hosts(const struct platform *p, const struct hardware *h)
{
    xmlNode *network = find_by_id(p, "link", "network");
    if (h->hosts > 1) {
        add_hosts(p, h);
    } else if (network) {
        xmlUnlinkNode(network);
        xmlFreeNode(network);
    }
}

/* A link that is named must be used and carry something, though its numbers are those of network.*. */
static int check_network(const struct platform *p, const struct hardware *h, struct why *why)
{
    const xmlNode *network = find_by_id(p, "link", "network");
    xmlChar *bandwidth = network ? xmlGetProp(network, (const xmlChar *)"bandwidth") : NULL;
    int status = 0;
    if (network && h->hosts == 1)
        status = why_say(why, PLATFORM_EFORMAT,
                         "%s:%ld: link 'network' is not used: hosts = 1; set hosts, or leave it out", p->path,
                         xmlGetLineNo(network));
    else if (network && !(bandwidth && strtod((const char *)bandwidth, NULL) > 0))
        status = why_say(why, PLATFORM_EFORMAT,
                         "%s:%ld: link 'network' has no bandwidth: expected one above 0, e.g. "
                         "bandwidth=\"125MBps\"",
                         p->path, xmlGetLineNo(network));
    xmlFree(bandwidth);
    return status;
}

static int write_effective_numbers(struct platform *p, const struct hardware *h, struct why *why)
{
    xmlNode *host = find_by_id(p, "host", "host"), *board = find_by_id(p, "host", "fpga");
    xmlNode *memory = find_by_id(p, "disk", "memory"), *bus = find_by_id(p, "link", "pcix");
    const char *missing = !host           ? "<host id=\"host\">"
                          : !board        ? "<host id=\"fpga\">"
                          : !memory       ? "<disk id=\"memory\">"
                          : !bus          ? "<link id=\"pcix\">"
                          : !has_route(p) ? "<route src=\"host\" dst=\"fpga\">"
                                          : NULL;
    if (missing)
        return why_say(why, PLATFORM_EFORMAT, "%s: no %s; compare data/platforms/mercury-2010.xml", p->path,
                       missing);
    set_attribute(host, "speed", h->host_clock_hz, "f");
    set_attribute(host, "core", h->host_cores, "");
    set_attribute(memory, "read_bw", h->host_supply, "Bps");
    set_attribute(bus, "bandwidth", hardware_link_bytes_per_s(h), "Bps");
    add_boards(p, h);
    write_hosts(p, h);
    return 0;
}

/* SimGrid needs a document type. */
static void add_document_type(struct platform *p)
{
    if (!xmlGetIntSubset(p->document))
        xmlCreateIntSubset(p->document, (const xmlChar *)"platform", NULL,
                           (const xmlChar *)"https://simgrid.org/simgrid.dtd");
}

static int write_copy(struct platform *p, struct why *why)
{
    xmlChar *text = NULL;
    int length = 0;
    add_document_type(p);
    xmlDocDumpMemory(p->document, &text, &length);
    if (p->copy >= 0)
        close(p->copy);
    p->copy = memfd_create("mercury-platform", MFD_CLOEXEC);
    bool written = text && p->copy >= 0 && output_write_all(p->copy, text, (size_t)length);
    xmlFree(text);
    if (!written)
        return why_say(why, PLATFORM_ESYSTEM, "cannot keep a copy of the platform in memory: %s",
                       strerror(errno));
    snprintf(p->copy_path, sizeof p->copy_path, "/proc/self/fd/%d", p->copy);
    return 0;
}

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

/* What is written is a copy of the document, which can be rewritten for other parameters. */
int platform_rewrite(struct platform *p, const struct hardware *hardware, struct why *why)
{
    xmlDocPtr document = p->document;
    p->document = xmlCopyDoc(document, 1);
    int status =
        p->document ? write_effective_numbers(p, hardware, why) : why_no_memory(why, PLATFORM_ESYSTEM);
    if (status == 0)
        status = write_copy(p, why);
    xmlFreeDoc(p->document);
    p->document = document;
    return status;
}

/* In the child: what SimGrid prints before it aborts goes to the parent, as a problem that is found here does. */
static void run_trial(const struct platform *p, const struct simgrid_module *simgrid, int told)
{
    dup2(told, STDERR_FILENO);
    const char *problem = simgrid->try_platform(p->copy_path);
    if (problem)
        dprintf(told, "%s\n", problem);
    _exit(problem ? 1 : 0);
}

int platform_write(struct platform *p, const struct hardware *hardware, struct why *why)
{
    int status = check_network(p, hardware, why);
    return status ? status : platform_rewrite(p, hardware, why);
}

int platform_begin_trial(struct platform *p, struct why *why)
{
    const struct simgrid_module *simgrid = simgrid_module(why);
    int ends[2];
    if (!simgrid)
        return PLATFORM_ESYSTEM;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return why_say(why, PLATFORM_ESYSTEM, "no pipe: %s", strerror(errno));
    fflush(NULL);
    p->trial = signals_fork();
    if (p->trial == 0)
        run_trial(p, simgrid, ends[1]);
    close(ends[1]);
    p->told = ends[0];
    return 0;
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

static char *text_of(xmlDocPtr document, size_t *bytes)
{
    xmlChar *text = NULL;
    int length = 0;
    xmlDocDumpMemory(document, &text, &length);
    char *copy = text ? malloc((size_t)length) : NULL;
    if (copy)
        memcpy(copy, text, (size_t)length);
    xmlFree(text);
    *bytes = (size_t)length;
    return copy;
}

char *platform_text(const struct platform *p, size_t *bytes)
{
    return text_of(p->document, bytes);
}

/* Give every <prop> of a parameter its value. @return whether there is one */
static bool set_props(xmlNode *root, const char *name, const char *value)
{
    bool found = false;
    for (xmlNode *node = root; node; node = next_node(root, node))
        if (is_element(node, "prop") && has_attribute(node, "id", name)) {
            xmlSetProp(node, (const xmlChar *)"value", (const xmlChar *)value);
            found = true;
        }
    return found;
}

/* Any host, link or zone may have props; SimGrid reads a host's wherever they stand in it. */
static void add_prop(const struct platform *p, const char *name, const char *value)
{
    xmlNode *prop = xmlNewChild(find_by_id(p, "host", "host"), NULL, (const xmlChar *)"prop", NULL);
    xmlSetProp(prop, (const xmlChar *)"id", (const xmlChar *)name);
    xmlSetProp(prop, (const xmlChar *)"value", (const xmlChar *)value);
}

char *platform_text_for(const struct platform *p, const struct hardware *hardware, size_t *bytes)
{
    struct platform copy = {.document = xmlCopyDoc(p->document, 1)};
    if (!copy.document)
        return NULL;
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        char value[64];
        hardware_parameter_value(hardware, i, value, sizeof value);
        if (!set_props(xmlDocGetRootElement(copy.document), hardware_parameter_name(i), value))
            add_prop(&copy, hardware_parameter_name(i), value);
    }
    char *text = text_of(copy.document, bytes);
    xmlFreeDoc(copy.document);
    return text;
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
    if (p->copy >= 0)
        close(p->copy);
    xmlFreeDoc(p->document);
    xmlCleanupParser();
    free(p->path);
    free(p);
}
