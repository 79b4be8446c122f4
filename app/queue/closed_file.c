#include "app/queue/closed_file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/file/line_reader.h"
#include "base/nearest.h"
#include "model/closed/closed_network.h"
#include "app/chain/queue_service.h"

struct reader {
    struct line_reader lines;
    struct queue_network *network;
    unsigned first[QUEUE_NETWORK_CLASSES_MAX]; /* centre that a class's first route begins at */
};

static const char *const words[] = {"centre", "class", NULL};
static const char *const centre_keys[] = {"time", "rate", "servers", "service", "speeds", "power", NULL};
static const char *const class_keys[] = {"population", "visits", "route", NULL};

enum centre_key { TIME, RATE, SERVERS, SERVICE, SPEEDS, POWER };
enum class_key { POPULATION, VISITS, ROUTE };

#define REFUSE(reader, ...) line_reader_refuse_line(&(reader)->lines, CLOSED_FILE_EFORMAT, __VA_ARGS__)

/* --- names ----------------------------------------------------------------------------------------------- */

/* "; did you mean 'X'?", or "; expected X, Y or Z" */
static int refuse_name(const struct reader *reader, const char *what, const char *name,
                       const char *const *known)
{
    struct nearest search = {.wanted = name, .length = strlen(name)};
    char list[600] = "";
    for (unsigned i = 0; known[i]; i++) {
        nearest_look_at(&search, known[i]);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                 i == 0         ? ""
                 : known[i + 1] ? ", "
                                : " or ",
                 known[i]);
    }
    if (search.name)
        return REFUSE(reader, "%s '%.60s' is not known; did you mean '%s'?", what, name, search.name);
    return REFUSE(reader, "%s '%.60s' is not known; expected %s", what, name,
                  *list ? list : "a centre before it");
}

static int index_of(const char *name, const char *const *known)
{
    for (int i = 0; known[i]; i++)
        if (strcmp(name, known[i]) == 0)
            return i;
    return -1;
}

static int find_centre(const struct reader *reader, const char *name, unsigned *centre)
{
    const struct queue_network *n = reader->network;
    const char *known[QUEUE_NETWORK_CENTRES_MAX + 1] = {NULL};
    for (unsigned i = 0; i < n->centre_count; i++)
        known[i] = n->centres[i].name;
    int found = index_of(name, known);
    *centre = found < 0 ? 0 : (unsigned)found;
    return found < 0 ? refuse_name(reader, "centre", name, known) : 0;
}

static int take_name(const struct reader *reader, const char *what, const char *name, char *to)
{
    if (!name || strchr(name, '='))
        return REFUSE(reader, "%s has no name; expected %s NAME, then its values", what, what);
    bool fits = strlen(name) < QUEUE_NETWORK_NAME_BYTES && !strpbrk(name, ":,>");
    for (const char *at = name; *at; at++)
        fits = fits && isgraph((unsigned char)*at);
    if (!fits)
        return REFUSE(reader,
                      "name '%.60s': expected up to %d ASCII characters, none of them ':', ',' or '>'", name,
                      QUEUE_NETWORK_NAME_BYTES - 1);
    strcpy(to, name);
    return 0;
}

/* --- values ---------------------------------------------------------------------------------------------- */

static int take_number(const struct reader *reader, const char *key, const char *value, double least,
                       double most, const char *expected, double *to)
{
    return command_number(value, least, most, to) == 0
               ? 0
               : REFUSE(reader, "%s '%.60s': expected %s", key, value, expected);
}

static int take_servers(const struct reader *reader, const char *value, struct queue_network_centre *c)
{
    uint64_t servers = 0;
    if (strcmp(value, "all") != 0 && command_whole(value, 1, QUEUE_NETWORK_CUSTOMERS_MAX, &servers) != 0)
        return REFUSE(reader,
                      "servers '%.60s': expected a whole number from 1 to %d, or all: one for each customer",
                      value, QUEUE_NETWORK_CUSTOMERS_MAX);
    c->servers = (unsigned)servers;
    return 0;
}

static int take_service(const struct reader *reader, const char *value, struct queue_network_centre *c)
{
    if (queue_service_parse(value, &c->service) == 0)
        return 0;
    return REFUSE(reader, "service '%.60s': expected " QUEUE_SERVICE_EXPECTED, value);
}

static double *speeds_new(const struct reader *reader, struct queue_network_centre *c, unsigned count)
{
    double *speeds = calloc(count, sizeof *speeds);
    c->speeds = speeds;
    c->speed_count = count;
    if (!speeds)
        why_no_memory(reader->lines.why, CLOSED_FILE_EMEMORY);
    return speeds;
}

static int take_speeds(const struct reader *reader, char *value, struct queue_network_centre *c)
{
    unsigned count = 1;
    for (const char *at = value; *at; at++)
        count += *at == ',';
    if (count > CLOSED_FILE_SPEEDS_MAX)
        return REFUSE(reader, "speeds has %u values: expected up to %d", count, CLOSED_FILE_SPEEDS_MAX);
    double *speeds = speeds_new(reader, c, count);
    int status = speeds ? 0 : CLOSED_FILE_EMEMORY;
    for (unsigned k = 0; status == 0 && k < count; k++)
        status = take_number(reader, "speeds", strsep(&value, ","), 1e-3, 1e3,
                             "numbers from 0.001 to 1000, as in 1,1.8,2.4", &speeds[k]);
    return status;
}

static int take_power(const struct reader *reader, char *value, struct queue_network_centre *c)
{
    char *count_text = strchr(value, ':');
    double alpha = 0;
    uint64_t count = 0;
    if (count_text)
        *count_text++ = '\0';
    if (!count_text || command_number(value, 0, 1, &alpha) != 0 ||
        command_whole(count_text, 1, CLOSED_FILE_SPEEDS_MAX, &count) != 0)
        return REFUSE(reader,
                      "power '%.60s': expected A:N, an exponent from 0 to 1 and customers from 1 to %d",
                      value, CLOSED_FILE_SPEEDS_MAX);
    double *speeds = speeds_new(reader, c, (unsigned)count);
    if (!speeds)
        return CLOSED_FILE_EMEMORY;
    closed_power_rates(1, alpha, speeds, (unsigned)count);
    return 0;
}

static int take_visits(const struct reader *reader, char *value, struct queue_network_class *class)
{
    for (char *item; (item = strsep(&value, ","));) {
        unsigned centre;
        double visits = 1;
        char *number = strchr(item, ':');
        if (number)
            *number++ = '\0';
        int status = find_centre(reader, item, &centre);
        if (status == 0 && number)
            status = take_number(reader, "visits", number, 1e-6, 1e6,
                                 "a number from 1e-6 to 1e6 after CENTRE:", &visits);
        if (status == 0 && class->visits[centre] > 0)
            status = REFUSE(reader, "visits of centre '%s' are given twice", item);
        if (status)
            return status;
        class->visits[centre] = visits;
    }
    queue_network_route_by_visits(class, reader->network->centre_count);
    return 0;
}

static int take_route(struct reader *reader, char *value, struct queue_network_class *class)
{
    unsigned number = reader->network->class_count;
    for (char *item = strsep(&value, ","), *first = item; item; item = strsep(&value, ",")) {
        unsigned from, to;
        double probability = 1;
        char *arrow = strchr(item, '>'), *share = arrow ? strchr(arrow, ':') : NULL;
        if (!arrow)
            return REFUSE(reader, "route '%.60s': expected FROM>TO or FROM>TO:P, separated by commas", item);
        *arrow++ = '\0';
        if (share)
            *share++ = '\0';
        int status = find_centre(reader, item, &from);
        if (status == 0)
            status = find_centre(reader, arrow, &to);
        if (status == 0 && share)
            status = take_number(reader, "route", share, 1e-9, 1,
                                 "a probability above 0, at most 1, after TO:", &probability);
        if (status == 0 && class->route[from][to] > 0)
            status = REFUSE(reader, "route '%s>%s' is given twice", item, arrow);
        if (status)
            return status;
        class->route[from][to] = probability;
        if (item == first)
            reader->first[number] = from;
    }
    struct why problem;
    int status = queue_network_find_visits(reader->network, number, reader->first[number], &problem);
    return status == QUEUE_NETWORK_EMEMORY ? why_no_memory(reader->lines.why, CLOSED_FILE_EMEMORY)
           : status                        ? REFUSE(reader, "%s", problem.line)
                                           : 0;
}

/* --- lines ----------------------------------------------------------------------------------------------- */

/* Go to the next word. @return NULL at the end of the line */
static char *next_word(char **rest)
{
    char *word = NULL;
    while (*rest && (!word || !*word))
        word = strsep(rest, " \t\r");
    return word && *word ? word : NULL;
}

/* Take KEY=VALUE apart. @return the key's index, or CLOSED_FILE_EFORMAT */
static int take_key(const struct reader *reader, char *word, const char *const *keys, unsigned *given,
                    char **value)
{
    char *equals = strchr(word, '=');
    if (!equals)
        return REFUSE(reader, "'%.60s': expected KEY=VALUE, such as %s=...", word, keys[0]);
    *equals = '\0';
    *value = equals + 1;
    int key = index_of(word, keys);
    if (key < 0)
        return refuse_name(reader, "key", word, keys);
    if (*given & 1U << key)
        return REFUSE(reader, "%s is given twice", word);
    *given |= 1U << key;
    return key;
}

static int take_centre_value(struct reader *reader, struct queue_network_centre *c, int key, char *value)
{
    int status;
    switch ((enum centre_key)key) {
    case TIME:
        status = take_number(reader, "time", value, 1e-6, 1e6, "a mean service time from 1e-6 to 1e6 seconds",
                             &c->service.mu_per_s);
        c->service.mu_per_s = 1 / c->service.mu_per_s;
        return status;
    case RATE:
        return take_number(reader, "rate", value, 1e-6, 1e6, "services per second, from 1e-6 to 1e6",
                           &c->service.mu_per_s);
    case SERVERS:
        return take_servers(reader, value, c);
    case SERVICE:
        return take_service(reader, value, c);
    case SPEEDS:
        return take_speeds(reader, value, c);
    case POWER:
        break;
    }
    return take_power(reader, value, c);
}

static int check_centre(const struct reader *reader, const struct queue_network_centre *c, unsigned given)
{
    bool time = given & 1U << TIME, rate = given & 1U << RATE;
    const char *by_load = given & 1U << SPEEDS ? "speeds" : given & 1U << POWER ? "power" : NULL;
    if (time == rate)
        return REFUSE(reader, "centre '%s' has %s time and rate: expected one of them", c->name,
                      time ? "both" : "neither");
    if (by_load && given & 1U << SERVERS)
        return REFUSE(reader, "centre '%s' has both servers and %s: expected one of them", c->name, by_load);
    if (by_load && c->service.service != SERVICE_EXPONENTIAL)
        return REFUSE(reader, "centre '%s': services are exponential if the rate depends on the load",
                      c->name);
    return 0;
}

static int take_centre(struct reader *reader, char *rest)
{
    struct queue_network *n = reader->network;
    if (n->centre_count == QUEUE_NETWORK_CENTRES_MAX)
        return REFUSE(reader, "more than %d centres", QUEUE_NETWORK_CENTRES_MAX);
    if (n->class_count > 0)
        return REFUSE(reader, "a centre after a class: expected all centres first");
    struct queue_network_centre *c = &n->centres[n->centre_count];
    *c = (struct queue_network_centre){.servers = 1};
    unsigned given = 0;
    int status = take_name(reader, "centre", next_word(&rest), c->name);
    for (unsigned i = 0; status == 0 && i < n->centre_count; i++)
        if (strcmp(n->centres[i].name, c->name) == 0)
            status = REFUSE(reader, "centre '%s' is given twice", c->name);
    n->centre_count += status == 0; /* so that its speeds are released */
    for (char *word, *value; status == 0 && (word = next_word(&rest));) {
        int key = take_key(reader, word, centre_keys, &given, &value);
        status = key < 0 ? key
                 : c->speeds && (key == SPEEDS || key == POWER)
                     ? REFUSE(reader, "centre '%s' has both speeds and power: expected one of them", c->name)
                     : take_centre_value(reader, c, key, value);
    }
    return status ? status : check_centre(reader, c, given);
}

static int take_class(struct reader *reader, char *rest)
{
    struct queue_network *n = reader->network;
    if (n->class_count == QUEUE_NETWORK_CLASSES_MAX)
        return REFUSE(reader, "more than %d classes", QUEUE_NETWORK_CLASSES_MAX);
    struct queue_network_class *class = &n->classes[n->class_count];
    *class = (struct queue_network_class){.population = 0};
    unsigned given = 0;
    int status = take_name(reader, "class", next_word(&rest), class->name);
    for (unsigned r = 0; status == 0 && r < n->class_count; r++)
        if (strcmp(n->classes[r].name, class->name) == 0)
            status = REFUSE(reader, "class '%s' is given twice", class->name);
    for (char *word, *value; status == 0 && (word = next_word(&rest));) {
        uint64_t population = 0;
        int key = take_key(reader, word, class_keys, &given, &value);
        if (key == POPULATION && command_whole(value, 1, QUEUE_NETWORK_CUSTOMERS_MAX, &population) != 0)
            status = REFUSE(reader, "population '%.60s': expected a whole number from 1 to %d", value,
                            QUEUE_NETWORK_CUSTOMERS_MAX);
        else if (key == POPULATION)
            class->population = (unsigned)population;
        else if (key >= 0 && given & 1U << VISITS && given & 1U << ROUTE)
            status =
                REFUSE(reader, "class '%s' has both visits and route: expected one of them", class->name);
        else
            status = key < 0         ? key
                     : key == VISITS ? take_visits(reader, value, class)
                                     : take_route(reader, value, class);
    }
    if (status == 0 && class->population == 0)
        status = REFUSE(reader, "class '%s' has no population: expected population=N", class->name);
    if (status == 0 && !(given & (1U << VISITS | 1U << ROUTE)))
        status =
            REFUSE(reader, "class '%s' goes nowhere: expected visits=CENTRE:V,... or route=FROM>TO:P,...",
                   class->name);
    n->class_count += status == 0;
    return status;
}

static int take_line(struct reader *reader)
{
    char *rest = reader->lines.line.s;
    if (strlen(rest) != reader->lines.line.l)
        return REFUSE(reader, "a NUL character: expected text");
    rest[strcspn(rest, "#")] = '\0';
    const char *word = next_word(&rest);
    int kind = word ? index_of(word, words) : 0;
    if (!word)
        return 0;
    return kind < 0 ? refuse_name(reader, "word", word, words)
                    : (kind == 0 ? take_centre : take_class)(reader, rest);
}

int closed_file_read(const char *path, struct queue_network *network, struct why *why)
{
    struct reader reader = {.network = network};
    network->centre_count = network->class_count = 0;
    int status = line_reader_open(&reader.lines, path, "a text file that describes a closed network", why);
    while (status == 0 && (status = line_reader_next(&reader.lines)) == 1)
        status = take_line(&reader);
    if (status == 0 && network->class_count == 0)
        status = line_reader_refuse(&reader.lines, CLOSED_FILE_EFORMAT, "no %s: expected lines such as %s",
                                    network->centre_count == 0 ? "centre" : "class",
                                    network->centre_count == 0 ? "centre bus time=9.01"
                                                               : "class board population=3 visits=bus:1");
    return line_reader_close(&reader.lines, status);
}

void closed_file_release(struct queue_network *network)
{
    for (unsigned i = 0; i < network->centre_count; i++) {
        free((double *)network->centres[i].speeds);
        network->centres[i].speeds = NULL;
    }
}
