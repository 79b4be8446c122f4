#include "sim/platform/platform_elements.h"

#include <stdbool.h>
#include <string.h>

/* The elements that the program uses. A further board, host or link of the machine is a further row. */
static const struct used_element {
    const char *name;
    const char *id;    /* of a route, where it begins; NULL: an element of any id */
    const char *other; /* of a disk, its host; of a route, where it ends; NULL for all others */
} used_elements[] = {
    {"platform", NULL, NULL},  {"zone", NULL, NULL},       {"prop", NULL, NULL},
    {"host", "host", NULL},    {"host", "fpga", NULL},     {"disk", "memory", "host"},
    {"link", "pcix", NULL},    {"link", "network", NULL},  {"route", "host", "fpga"},
    {"route", "fpga", "host"}, {"link_ctn", "pcix", NULL},
};

enum { USED_ELEMENTS = sizeof used_elements / sizeof used_elements[0] };

/* What tells an element from others of its name, as in a row of the table; texts of libxml2, NULL if missing. */
struct identity {
    xmlChar *id, *other;
};

static bool is_named(const xmlNode *node, const char *name)
{
    return node && node->name && strcmp((const char *)node->name, name) == 0;
}

static struct identity identity_of(const xmlNode *element)
{
    bool route = is_named(element, "route"), disk = is_named(element, "disk");
    return (struct identity){
        .id = xmlGetProp(element, (const xmlChar *)(route ? "src" : "id")),
        .other = route  ? xmlGetProp(element, (const xmlChar *)"dst")
                 : disk ? xmlGetProp(element->parent, (const xmlChar *)"id")
                        : NULL,
    };
}

static bool is_same(const char *wanted, const xmlChar *found)
{
    return !wanted || (found && strcmp(wanted, (const char *)found) == 0);
}

/* Append how a message tells an element from others of its name: 'host', 'memory' of 'host', from 'host' to 'fpga'. */
static void append_identity(struct why *why, const char *name, const char *id, const char *other)
{
    if (strcmp(name, "route") == 0)
        why_append(why, "from '%.60s' to '%.60s'", id ? id : "", other ? other : "");
    else if (strcmp(name, "disk") == 0)
        why_append(why, "'%.60s' of '%.60s'", id ? id : "", other ? other : "");
    else
        why_append(why, "'%.60s'", id ? id : "");
}

static int refuse_identity(const char *name, const struct identity *found, int code, struct why *why)
{
    unsigned count = 0, listed = 0;
    for (unsigned i = 0; i < USED_ELEMENTS; i++)
        count += strcmp(used_elements[i].name, name) == 0;
    why_say(why, code, "%s ", name);
    append_identity(why, name, (const char *)found->id, (const char *)found->other);
    why_append(why, " is not used: expected the %s%s ", name, count > 1 ? "s" : "");
    for (unsigned i = 0; i < USED_ELEMENTS; i++) {
        const struct used_element *used = &used_elements[i];
        if (strcmp(used->name, name) != 0)
            continue;
        why_append(why, "%s", listed == 0 ? "" : listed + 1 < count ? ", " : " and ");
        append_identity(why, name, used->id, used->other);
        listed++;
    }
    return code;
}

/* Rows of one name are neighbours in the table. */
static int refuse_name(const char *name, int code, struct why *why)
{
    why_say(why, code, "<%.60s> is not used: expected ", name);
    for (unsigned i = 0; i < USED_ELEMENTS; i++)
        if (i == 0 || strcmp(used_elements[i].name, used_elements[i - 1].name) != 0)
            why_append(why, "%s<%s>",
                       i == 0                  ? ""
                       : i + 1 < USED_ELEMENTS ? ", "
                                               : " or ",
                       used_elements[i].name);
    return code;
}

int platform_element_check(const xmlNode *element, int code, struct why *why)
{
    const char *name = NULL;
    bool is_used = false;
    struct identity found = identity_of(element);
    for (unsigned i = 0; i < USED_ELEMENTS && !is_used; i++) {
        const struct used_element *used = &used_elements[i];
        if (!is_named(element, used->name))
            continue;
        name = used->name;
        is_used = is_same(used->id, found.id) && is_same(used->other, found.other);
    }
    int status = is_used ? 0
                 : name  ? refuse_identity(name, &found, code, why)
                         : refuse_name((const char *)element->name, code, why);
    xmlFree(found.id);
    xmlFree(found.other);
    return status;
}
