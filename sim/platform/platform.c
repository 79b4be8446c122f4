#include "sim/platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "base/process/signals.h"
#include "sim/simgrid/simgrid_module.h"
#include "sim/platform/platform_read.h"

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
    struct platform *p = calloc(1, sizeof *p);
    if (!p || !(p->path = strdup(path))) {
        free(p);
        return why_no_memory(why, PLATFORM_ESYSTEM);
    }
    p->copy = -1;
    int status = platform_read(path, hardware, &p->document, &p->has, why);
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
    long
        line; /* in which the text stands: an element stands in the line that it has in the file, or after it */
    bool networked; /* the routes to further hosts are written */
};

/* Attributes of an element that are not as in the file. */
struct attributes {
    struct {
        const char *name;
        char value[HARDWARE_NAME_SIZE + 64];
    } items[2];
    unsigned count;
};

static void set_number(struct attributes *a, const char *name, double value, const char *unit)
{
    a->items[a->count].name = name;
    snprintf(a->items[a->count++].value, sizeof a->items[0].value, "%.17g%s", value, unit);
}

static void set_name(struct attributes *a, const char *name, const char *element, uint32_t number)
{
    a->items[a->count].name = name;
    hardware_element_name(element, number, a->items[a->count++].value);
}

/* @param number  of the board or bus that an element is of, or belongs to */
static struct attributes effective(const struct hardware *h, enum platform_element element, uint32_t number)
{
    struct attributes a = {.count = 0};
    switch (element) {
    case PLATFORM_HOST:
        set_number(&a, "speed", h->host_clock_hz, "f");
        set_number(&a, "core", h->host_cores, "");
        break;
    case PLATFORM_BOARD:
        set_name(&a, "id", "fpga", number);
        break;
    case PLATFORM_MEMORY:
        set_name(&a, "id", "memory", number);
        set_number(&a, "read_bw", h->host_supply, "Bps");
        break;
    case PLATFORM_BUS:
        set_name(&a, "id", "pcix", number);
        set_number(&a, "bandwidth", hardware_link_bytes_per_s(h), "Bps");
        break;
    case PLATFORM_NETWORK:
        set_number(&a, "bandwidth", h->network_bandwidth, "Bps");
        set_number(&a, "latency", h->network_latency_s, "s");
        break;
    case PLATFORM_DOWN:
    case PLATFORM_UP:
        set_name(&a, element == PLATFORM_DOWN ? "dst" : "src", "fpga", number);
        break;
    case PLATFORM_LINK_CTN:
        set_name(&a, "id", "pcix", number % h->buses);
        break;
    default:
        break;
    }
    return a;
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

static void write_attributes(FILE *out, const xmlNode *node, const struct attributes *a)
{
    for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next) {
        bool is_set = false;
        for (unsigned i = 0; i < a->count; i++)
            is_set |= strcmp(a->items[i].name, (const char *)attribute->name) == 0;
        xmlChar *value = is_set ? NULL : xmlGetProp(node, attribute->name);
        xmlChar *escaped = value ? xmlEncodeSpecialChars(node->doc, value) : NULL;
        if (escaped)
            fprintf(out, " %s=\"%s\"", (const char *)attribute->name, (const char *)escaped);
        xmlFree(value);
        xmlFree(escaped);
    }
    for (unsigned i = 0; i < a->count; i++)
        fprintf(out, " %s=\"%s\"", a->items[i].name, a->items[i].value);
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
    const enum platform_element element = platform_element_of(node);
    const uint32_t count = count_of(c->hardware, element);
    for (uint32_t i = 0; i < count; i++) {
        const struct attributes set = effective(c->hardware, element, count > 1 ? i : number);
        for (; c->line < xmlGetLineNo(node); c->line++)
            fputc('\n', c->out);
        fprintf(c->out, "<%s", (const char *)node->name);
        write_attributes(c->out, node, &set);
        fputc('>', c->out);
        write_children(c, p, node, count > 1 ? i : number);
        fprintf(c->out, "</%s>", (const char *)node->name);
    }
    write_hosts(c, element, p->has & 1U << PLATFORM_NETWORK);
}

/* Blanks and line ends; what else stands between elements is SimGrid's to refuse. */
static void write_text(struct copy *c, const xmlNode *node)
{
    xmlChar *text = xmlNodeGetContent(node), *escaped = text ? xmlEncodeSpecialChars(node->doc, text) : NULL;
    for (const xmlChar *at = escaped; at && *at; at++) {
        fputc(*at, c->out);
        c->line += *at == '\n';
    }
    xmlFree(text);
    xmlFree(escaped);
}

static void write_children(struct copy *c, const struct platform *p, const xmlNode *parent, uint32_t number)
{
    for (const xmlNode *node = parent->children; node; node = node->next)
        if (node->type == XML_ELEMENT_NODE)
            write_element(c, p, node, number);
        else if (node->type != XML_COMMENT_NODE)
            write_text(c, node);
}

static int check_whole(const struct platform *p, struct why *why)
{
    for (unsigned i = 0; i < PLATFORM_ELEMENTS; i++) {
        bool has = p->has >> i & 1 || (i == PLATFORM_DOWN && p->has >> PLATFORM_UP & 1);
        const char *text = platform_element_text((enum platform_element)i);
        if (text && !has)
            return why_say(why, PLATFORM_EFORMAT, "%s: no %s; compare data/platforms/mercury-2010.xml",
                           p->path, text);
    }
    return 0;
}

/* SimGrid needs a document type. It reads the copy in memory under a path of its own. */
int platform_rewrite(struct platform *p, const struct hardware *hardware, struct why *why)
{
    int status = check_whole(p, why);
    if (status)
        return status;
    if (p->copy >= 0)
        close(p->copy);
    p->copy = memfd_create("mercury-platform", MFD_CLOEXEC);
    int file = p->copy >= 0 ? dup(p->copy) : -1;
    struct copy c = {.out = file >= 0 ? fdopen(file, "w") : NULL, .hardware = hardware, .line = 1};
    if (c.out) {
        fputs("<?xml version=\"1.0\"?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">", c.out);
        write_element(&c, p, xmlDocGetRootElement(p->document), 0);
    }
    if (!c.out || ferror(c.out) || fclose(c.out) != 0)
        return why_say(why, PLATFORM_ESYSTEM, "cannot keep a copy of the platform in memory: %s",
                       strerror(errno));
    snprintf(p->copy_path, sizeof p->copy_path, "/proc/self/fd/%d", p->copy);
    return 0;
}

/* A link that is named must be used and carry something, though its numbers are those of network.*. */
static int check_network(const struct platform *p, const struct hardware *h, struct why *why)
{
    const xmlNode *network = xmlDocGetRootElement(p->document);
    while (network && platform_element_of(network) != PLATFORM_NETWORK)
        network = platform_next_node((xmlNode *)network);
    xmlChar *bandwidth = network ? xmlGetProp(network, (const xmlChar *)"bandwidth") : NULL;
    bool carries = bandwidth && strtod((const char *)bandwidth, NULL) > 0;
    xmlFree(bandwidth);
    if (!network || (h->hosts > 1 && carries))
        return 0;
    return why_say(why, PLATFORM_EFORMAT, "%s:%ld: link 'network' %s", p->path, xmlGetLineNo(network),
                   h->hosts == 1 ? "is not used: hosts = 1; set hosts, or leave it out"
                                 : "has no bandwidth: expected one above 0, e.g. bandwidth=\"125MBps\"");
}

int platform_write(struct platform *p, const struct hardware *hardware, struct why *why)
{
    int status = check_network(p, hardware, why);
    return status ? status : platform_rewrite(p, hardware, why);
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

/* In the child: what SimGrid prints before it aborts goes to the parent, as a problem that is found here does. */
static void run_trial(const struct platform *p, const struct simgrid_module *simgrid, int told)
{
    dup2(told, STDERR_FILENO);
    const char *problem = simgrid->try_platform(p->copy_path);
    if (problem)
        dprintf(told, "%s\n", problem);
    _exit(problem ? 1 : 0);
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

/* --- text ------------------------------------------------------------------------------------------------ */

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

char *platform_text_for(const struct platform *p, const struct hardware *hardware, size_t *bytes)
{
    xmlDocPtr copy = xmlCopyDoc(p->document, 1);
    char *text = copy && platform_set_props(copy, hardware) ? text_of(copy, bytes) : NULL;
    xmlFreeDoc(copy);
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
