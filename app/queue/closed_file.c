#include "app/queue/closed_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "base/file/line_reader.h"
#include "base/file/whole_file.h"
#include "model/closed/closed_network.h"
#include "app/chain/duration_file.h"

static const char *const line_words[] = {"centre", "class", NULL};
static const char *const centre_keys[] = {"time", "rate", "servers", "service", "speeds", "power", NULL};
static const char *const class_keys[] = {"population", "visits", "route", NULL};

enum centre_key { TIME, RATE, SERVERS, SERVICE, SPEEDS, POWER };
enum class_key { POPULATION, VISITS, ROUTE };

/* --- names ----------------------------------------------------------------------------------------------- */

static struct names centres_of(const struct queue_network *n)
{
    return (struct names){n->centres, sizeof *n->centres, n->centre_count, true};
}

/* @return the index of a centre, or 0 if it is refused */
static unsigned find_centre(struct words *w, const struct queue_network *n, struct word name)
{
    int found = names_find(centres_of(n), name);
    if (found < 0 && n->centre_count == 0)
        words_refuse(w, NULL, "centre '%s' is not known; expected a centre before it", word_show(name).text);
    else if (found < 0)
        words_refuse_name(w, name, "centre", centres_of(n));
    return found < 0 ? 0 : (unsigned)found;
}

/* @param others  names that are taken */
static void take_name(struct words *w, const char *what, struct names others, char *to)
{
    struct word name = words_next(w);
    if (!name.text || memchr(name.text, '=', name.length))
        words_refuse(w, NULL, "%s has no name; expected %s NAME, then its values", what, what);
    bool fits = name.length < QUEUE_NETWORK_NAME_BYTES;
    for (size_t i = 0; i < name.length; i++)
        fits = fits && isgraph((unsigned char)name.text[i]) && !strchr(":,>", name.text[i]);
    if (!fits)
        words_refuse(w, NULL, "name '%s': expected up to %d ASCII characters, none of them ':', ',' or '>'",
                     word_show(name).text, QUEUE_NETWORK_NAME_BYTES - 1);
    word_copy(name, to, QUEUE_NETWORK_NAME_BYTES);
    if (names_find(others, name) >= 0)
        words_refuse(w, NULL, "%s '%s' is given twice", what, to);
}

/* --- values ---------------------------------------------------------------------------------------------- */

/* Take the next KEY=VALUE. @return the index of the key, or -1 if it is refused */
static int take_key(struct words *w, const char *const *keys, unsigned *given, struct word *value)
{
    *value = words_next(w);
    struct word word = *value, name = word_cut(value, "=");
    int key = names_find(names_listed(keys), name);
    if (!value->text)
        words_refuse(w, NULL, "'%s': expected KEY=VALUE, such as %s=...", word_show(word).text, keys[0]);
    else if (key < 0)
        words_refuse_name(w, name, "key", names_listed(keys));
    else if (*given & 1U << key)
        words_refuse(w, NULL, "%s is given twice", keys[key]);
    if (w->status)
        return -1;
    *given |= 1U << key;
    return key;
}

static double take_number(struct words *w, const char *key, struct word value, double least, double most,
                          const char *expected)
{
    double number = 1;
    if (!word_number_within(value, least, most, false, &number))
        words_refuse(w, NULL, "%s '%s': expected %s", key, word_show(value).text, expected);
    return number;
}

static double *speeds_new(struct words *w, struct queue_network_centre *c, unsigned count)
{
    double *speeds = calloc(count, sizeof *speeds);
    c->speeds = speeds;
    c->speed_count = count;
    if (!speeds)
        words_fail_memory(w);
    return speeds;
}

static void take_speeds(struct words *w, struct word value, struct queue_network_centre *c)
{
    unsigned count = 1;
    for (size_t i = 0; i < value.length; i++)
        count += value.text[i] == ',';
    if (count > CLOSED_FILE_SPEEDS_MAX) {
        words_refuse(w, NULL, "speeds has %u values: expected up to %d", count, CLOSED_FILE_SPEEDS_MAX);
        return;
    }
    double *speeds = speeds_new(w, c, count);
    for (unsigned k = 0; speeds && k < count; k++)
        speeds[k] = take_number(w, "speeds", word_cut(&value, ","), 1e-3, 1e3,
                                "numbers from 0.001 to 1000, as in 1,1.8,2.4");
}

static void take_power(struct words *w, struct word value, struct queue_network_centre *c)
{
    struct word customers = value, exponent = word_cut(&customers, ":");
    double alpha = 0, count = 0;
    if (!word_number_within(exponent, 0, 1, false, &alpha) ||
        !word_number_within(customers, 1, CLOSED_FILE_SPEEDS_MAX, true, &count)) {
        words_refuse(w, NULL, "power '%s': expected A:N, an exponent from 0 to 1 and customers from 1 to %d",
                     word_show(value).text, CLOSED_FILE_SPEEDS_MAX);
        return;
    }
    double *speeds = speeds_new(w, c, (unsigned)count);
    if (speeds)
        closed_power_rates(1, alpha, speeds, (unsigned)count);
}

static void take_visits(struct words *w, const struct queue_network *n, struct word value,
                        struct queue_network_class *class)
{
    while (value.text && w->status == 0) {
        struct word number = word_cut(&value, ","), name = word_cut(&number, ":");
        unsigned centre = find_centre(w, n, name);
        double visits = number.text ? take_number(w, "visits", number, 1e-6, 1e6,
                                                  "a number from 1e-6 to 1e6 after CENTRE:")
                                    : 1;
        if (class->visits[centre] > 0)
            words_refuse(w, NULL, "visits of centre '%s' are given twice", n->centres[centre].name);
        class->visits[centre] = visits;
    }
    if (w->status == 0)
        queue_network_route_by_visits(class, n->centre_count);
}

static void take_route(struct words *w, struct queue_network *n, struct word value,
                       struct queue_network_class *class)
{
    unsigned first = QUEUE_NETWORK_CENTRES_MAX;
    while (value.text && w->status == 0) {
        struct word item = word_cut(&value, ","), share = item, from_name = word_cut(&share, ">"),
                    to_name = word_cut(&share, ":");
        if (!to_name.text)
            words_refuse(w, NULL, "route '%s': expected FROM>TO or FROM>TO:P, separated by commas",
                         word_show(item).text);
        unsigned from = find_centre(w, n, from_name), to = find_centre(w, n, to_name);
        double probability = share.text ? take_number(w, "route", share, 1e-9, 1,
                                                      "a probability above 0, at most 1, after TO:")
                                        : 1;
        if (class->route[from][to] > 0)
            words_refuse(w, NULL, "route '%s>%s' is given twice", n->centres[from].name, n->centres[to].name);
        class->route[from][to] = probability;
        first = first < QUEUE_NETWORK_CENTRES_MAX ? first : from;
    }
    if (w->status)
        return;
    struct why problem;
    int status = queue_network_find_visits(n, n->class_count, first, &problem);
    if (status == QUEUE_EMEMORY)
        words_fail_memory(w);
    else if (status)
        words_refuse(w, NULL, "%s", problem.line);
}

/* --- lines ----------------------------------------------------------------------------------------------- */

static void take_centre_value(struct words *w, struct queue_network_centre *c, enum centre_key key,
                              struct word value)
{
    struct queue_line_stage *service = &c->service;
    double ignored;
    struct why why;
    if (key == TIME)
        service->mu_per_s =
            1 / take_number(w, "time", value, 1e-6, 1e6, "a mean service time from 1e-6 to 1e6 seconds");
    else if (key == RATE)
        service->mu_per_s = take_number(w, "rate", value, 1e-6, 1e6, "services per second, from 1e-6 to 1e6");
    else if (key == SERVERS) {
        double servers = 0;
        if (!word_is(value, "all") &&
            !word_number_within(value, 1, QUEUE_NETWORK_CUSTOMERS_MAX, true, &servers))
            words_refuse(w, NULL,
                         "servers '%s': expected a whole number from 1 to %d, or all: one for each customer",
                         word_show(value).text, QUEUE_NETWORK_CUSTOMERS_MAX);
        c->servers = (unsigned)servers;
    } else if (key == SERVICE) {
        duration_file_close(&service->service);
        if (w->status == 0 &&
            duration_file_read(value, "service", DURATION_EXPECTED, &service->service, &ignored, &why) != 0)
            words_refuse(w, NULL, "%s", why.line);
    } else if (c->speeds)
        words_refuse(w, NULL, "centre '%s' has both speeds and power: expected one of them", c->name);
    else if (key == SPEEDS)
        take_speeds(w, value, c);
    else if (key == POWER)
        take_power(w, value, c);
}

static void take_centre(struct words *w, struct queue_network *n)
{
    if (n->centre_count == QUEUE_NETWORK_CENTRES_MAX)
        words_refuse(w, NULL, "more than %d centres", QUEUE_NETWORK_CENTRES_MAX);
    if (n->class_count > 0)
        words_refuse(w, NULL, "a centre after a class: expected all centres first");
    if (w->status)
        return;
    struct queue_network_centre *c = &n->centres[n->centre_count];
    struct word value;
    unsigned given = 0;
    *c = (struct queue_network_centre){.servers = 1};
    take_name(w, "centre", centres_of(n), c->name);
    n->centre_count += w->status == 0; /* so that its speeds are released */
    while (words_peek(w).text) {
        int key = take_key(w, centre_keys, &given, &value);
        if (key >= 0)
            take_centre_value(w, c, (enum centre_key)key, value);
    }
    bool time = given & 1U << TIME, rate = given & 1U << RATE;
    const char *by_load = given & 1U << SPEEDS ? "speeds" : given & 1U << POWER ? "power" : NULL;
    if (time == rate)
        words_refuse(w, NULL, "centre '%s' has %s time and rate: expected one of them", c->name,
                     time ? "both" : "neither");
    if (by_load && given & 1U << SERVERS)
        words_refuse(w, NULL, "centre '%s' has both servers and %s: expected one of them", c->name, by_load);
    if (by_load && !duration_is_exponential(&c->service.service))
        words_refuse(w, NULL, "centre '%s': services are exponential if the rate depends on the load",
                     c->name);
}

static void take_class(struct words *w, struct queue_network *n)
{
    if (n->class_count == QUEUE_NETWORK_CLASSES_MAX) {
        words_refuse(w, NULL, "more than %d classes", QUEUE_NETWORK_CLASSES_MAX);
        return;
    }
    struct queue_network_class *class = &n->classes[n->class_count];
    struct word value;
    double population = 0;
    unsigned given = 0;
    *class = (struct queue_network_class){.population = 0};
    take_name(w, "class", (struct names){n->classes, sizeof *class, n->class_count, true}, class->name);
    while (words_peek(w).text) {
        int key = take_key(w, class_keys, &given, &value);
        if (key == POPULATION &&
            !word_number_within(value, 1, QUEUE_NETWORK_CUSTOMERS_MAX, true, &population))
            words_refuse(w, NULL, "population '%s': expected a whole number from 1 to %d",
                         word_show(value).text, QUEUE_NETWORK_CUSTOMERS_MAX);
        else if (key > POPULATION && given & 1U << VISITS && given & 1U << ROUTE)
            words_refuse(w, NULL, "class '%s' has both visits and route: expected one of them", class->name);
        else if (key == VISITS)
            take_visits(w, n, value, class);
        else if (key == ROUTE)
            take_route(w, n, value, class);
    }
    class->population = (unsigned)population;
    if (!(given & 1U << POPULATION))
        words_refuse(w, NULL, "class '%s' has no population: expected population=N", class->name);
    if (!(given & (1U << VISITS | 1U << ROUTE)))
        words_refuse(w, NULL, "class '%s' goes nowhere: expected visits=CENTRE:V,... or route=FROM>TO:P,...",
                     class->name);
    n->class_count += w->status == 0;
}

int closed_file_read(const char *path, struct queue_network *n, struct why *why)
{
    struct line_reader lines;
    n->centre_count = n->class_count = 0;
    int status = line_reader_open(&lines, path, "a text file that describes a closed network", why);
    struct words w = {.file = whole_file_name(path),
                      .code = CLOSED_FILE_EFORMAT,
                      .why = why,
                      .word_bytes = word_bytes_to_blank};
    while (status == 0 && (status = line_reader_next(&lines)) == 1) {
        words_set_line(&w, lines.line.s, lines.line.l, lines.number);
        if (memchr(w.begin, '\0', (size_t)(w.end - w.begin)))
            words_refuse(&w, NULL, "a NUL character: expected text");
        words_drop_comment(&w);
        int kind = words_peek(&w).text ? words_take_name(&w, "word", names_listed(line_words)) : -1;
        if (kind >= 0)
            (kind == 0 ? take_centre : take_class)(&w, n);
        status = w.status;
    }
    if (status == 0 && n->class_count == 0)
        status = line_reader_refuse(&lines, CLOSED_FILE_EFORMAT, "no %s: expected lines such as %s",
                                    n->centre_count == 0 ? "centre" : "class",
                                    n->centre_count == 0 ? "centre bus time=9.01"
                                                         : "class board population=3 visits=bus:1");
    return line_reader_close(&lines, status);
}

void closed_file_release(struct queue_network *network)
{
    for (unsigned i = 0; i < network->centre_count; i++) {
        free((double *)network->centres[i].speeds);
        network->centres[i].speeds = NULL;
        duration_file_close(&network->centres[i].service.service);
    }
}
