#include "app/commands.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draw/picture.h"
#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/memory.h"
#include "base/why.h"
#include "base/words.h"
#include "base/file/line_reader.h"
#include "base/file/whole_file.h"
#include "model/closed/closed_network.h"
#include "sim/simgrid/queue_network.h"
#include "app/run/run_options.h"
#include "app/run/run_output.h"
#include "app/chain/chain_file.h"
#include "app/chain/chain_predict.h"
#include "app/chain/queue_files.h"
#include "app/chain/queue_report.h"
#include "app/chain/chain_validate.h"
#include "app/chain/queue_watch.h"
#include "app/options.inc"

/* Number of values in a list, which commas separate. */
static unsigned value_count(struct word list)
{
    unsigned count = 1;
    for (size_t i = 0; i < list.length; i++)
        count += list.text[i] == ',';
    return count;
}

/* --- closed networks ------------------------------------------------------------------------------------- */

/* A closed network from a text file.
 *
 * Grammar   one centre or class a line; words are separated by blanks, and # begins a comment.
 *               centre NAME time=T | rate=R [servers=C|all] [service=S] [speeds=V,V,... | power=A:N]
 *               class NAME population=N visits=CENTRE:V,... | route=FROM>TO[:P],...
 *           `time` is the mean service, and `rate` is 1 / time. `service` is exponential (default), deterministic or
 *           mixture:F:R, as in `mercury queue`. `speeds` gives the rate with 1, 2, ... customers in units of `rate`,
 *           the last for all above; power=A:N is (k / N)^A up to N customers. Visits are per passage. Of routes, the
 *           first one's centre FROM is visited once a passage; P is 1 if it is not given.
 */

enum { CLOSED_FILE_EFORMAT = -2, CLOSED_FILE_SPEEDS_MAX = 1000 };

static const char *const line_words[] = {"centre", "class", NULL};
static const char *const centre_keys[] = {"time", "rate", "servers", "service", "speeds", "power", NULL};
static const char *const class_keys[] = {"population", "visits", "route", NULL};

enum centre_key { TIME, RATE, CENTRE_SERVERS, CENTRE_SERVICE, SPEEDS, POWER };
enum class_key { POPULATION, VISITS, ROUTE };

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

static void take_speeds(struct words *w, struct word value, struct queue_line_stage *c)
{
    const unsigned count = value_count(value);
    if (count > CLOSED_FILE_SPEEDS_MAX) {
        words_refuse(w, NULL, "speeds has %u values: expected up to %d", count, CLOSED_FILE_SPEEDS_MAX);
        return;
    }
    c->speeds = memory_new(count, sizeof *c->speeds);
    c->speed_count = count;
    for (unsigned k = 0; k < count; k++)
        c->speeds[k] = take_number(w, "speeds", word_cut(&value, ","), 1e-3, 1e3,
                                   "numbers from 0.001 to 1000, as in 1,1.8,2.4");
}

static void take_power(struct words *w, struct word value, struct queue_line_stage *c)
{
    struct word customers = value, exponent = word_cut(&customers, ":");
    double alpha = 0, count = 0;
    if (!word_number_within(exponent, 0, 1, false, &alpha) ||
        !word_number_within(customers, 1, CLOSED_FILE_SPEEDS_MAX, true, &count)) {
        words_refuse(w, NULL, "power '%s': expected A:N, an exponent from 0 to 1 and customers from 1 to %d",
                     word_show(value).text, CLOSED_FILE_SPEEDS_MAX);
        return;
    }
    c->speeds = closed_power_speeds(alpha, (unsigned)count);
    c->speed_count = (unsigned)count;
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
    if (queue_network_find_visits(n, n->class_count, first, &problem) != 0)
        words_refuse(w, NULL, "%s", problem.line);
}

static void take_centre_value(struct words *w, struct queue_line_stage *c, enum centre_key key,
                              struct word value)
{
    double ignored;
    struct why why;
    if (key == TIME)
        c->mu_per_s =
            1 / take_number(w, "time", value, 1e-6, 1e6, "a mean service time from 1e-6 to 1e6 seconds");
    else if (key == RATE)
        c->mu_per_s = take_number(w, "rate", value, 1e-6, 1e6, "services per second, from 1e-6 to 1e6");
    else if (key == CENTRE_SERVERS) {
        double servers = 0;
        if (!word_is(value, "all") &&
            !word_number_within(value, 1, QUEUE_NETWORK_CUSTOMERS_MAX, true, &servers))
            words_refuse(w, NULL,
                         "servers '%s': expected a whole number from 1 to %d, or all: one for each customer",
                         word_show(value).text, QUEUE_NETWORK_CUSTOMERS_MAX);
        c->servers = (uint32_t)servers;
    } else if (key == CENTRE_SERVICE) {
        duration_file_close(&c->service);
        if (w->status == 0 &&
            duration_file_read(value, "service", DURATION_EXPECTED, &c->service, &ignored, &why) != 0)
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
    struct queue_line_stage *c = &n->centres[n->centre_count];
    struct word value;
    unsigned given = 0;
    *c = (struct queue_line_stage){.servers = 1};
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
    if (by_load && given & 1U << CENTRE_SERVERS)
        words_refuse(w, NULL, "centre '%s' has both servers and %s: expected one of them", c->name, by_load);
    if (by_load && !duration_is_exponential(&c->service))
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

/* Read the centres and the classes of a network, which is to be released also after an error; its rest stays. */
static int closed_file_read(const char *path, struct queue_network *n, struct why *why)
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

static void closed_file_release(struct queue_network *network)
{
    for (unsigned i = 0; i < network->centre_count; i++) {
        free(network->centres[i].speeds);
        network->centres[i].speeds = NULL;
        duration_file_close(&network->centres[i].service);
    }
}

/* --- the session ----------------------------------------------------------------------------------------- */

/* Options with one value for each stage, or one for all stages. */
enum list { MU, CAPACITY, SERVERS, SERVICE, LISTS };

static const struct {
    const char *option, *otherwise, *expected;
} lists[LISTS] = {
    [MU] = {"--mu", "1", "for each stage services per second, from 1e-6 to 1e6"},
    [CAPACITY] = {"--capacity", "0", "for each stage places from 1 to 1000000, or 0 for an unbounded queue"},
    [SERVERS] = {"--servers", "1", "for each stage a whole number from 1 to 1000"},
    [SERVICE] = {"--service", "exponential", "for each stage " DURATION_EXPECTED},
};

struct session {
    struct queue_line tandem;
    const char *path;         /* of --output; NULL: standard output */
    const char *lists[LISTS]; /* as given; NULL: the default */
    enum result_format format;
    struct queue_line_result result;
    const char *closed;     /* file or name of a closed network; NULL: a tandem */
    const char *plot;       /* picture of a closed network; NULL: none */
    const char *chain_path; /* file of a chain; NULL: none */
    struct chain chain;
    unsigned overflow;                            /* enum queue_line_overflow; OVERFLOWS if it is not given */
    bool arrives;                                 /* --arrivals is given */
    double share;                                 /* of the first of two classes; 0: there are none */
    unsigned discipline;                          /* of `disciplines` */
    double mean_arrival_s;                        /* of its trace; NaN without one */
    double mean_service_s[QUEUE_LINE_STAGES_MAX]; /* the same of services */
    struct queue_network network;
    struct queue_network_result network_result;
    struct queue_watch_request watch;
    struct why *why;
};

#define MMPP_EXPECTED                                                                                        \
    "mmpp:R1:R2:Q12:Q21, numbers per second from 0 on: Q12 or Q21 above 0, and arrivals in a state that lasts"

enum { OVERFLOWS = OVERFLOW_BLOCK + 1 };

/* A format that is not given. */
#define NO_FORMAT RESULT_HTML

/* --- arguments ------------------------------------------------------------------------------------------- */

static int take_arrivals(void *data, const char *argument, struct why *why)
{
    struct session *s = data;
    struct queue_line *t = &s->tandem;
    double batch = 1, mmpp[4];
    s->arrives = true;
    duration_file_close(&t->arrivals);
    if (strncmp(argument, "mmpp:", 5) == 0) {
        struct word rest = word_of(argument + 5);
        bool good = true;
        for (unsigned i = 0; i < 4; i++)
            good = word_number_within(word_cut(&rest, ":"), 0, 1e15, false, &mmpp[i]) && good;
        if (!good || rest.text || !(mmpp[2] + mmpp[3] > 0) || !(mmpp[0] * mmpp[3] + mmpp[1] * mmpp[2] > 0))
            return command_refuse("--arrivals", argument, MMPP_EXPECTED, why);
        t->arrivals = duration_mmpp(mmpp, mmpp + 2, &s->mean_arrival_s);
        return 0;
    }
    if (strncmp(argument, "batch:", 6) != 0)
        return duration_file_read(word_of(argument), "--arrivals",
                                  "poisson, batch:N, mmpp:R1:R2:Q12:Q21, " DURATION_EXPECTED, &t->arrivals,
                                  &s->mean_arrival_s, why);
    if (command_number(argument + 6, 1, 10000, &batch) != 0 || batch != floor(batch))
        return command_refuse("--arrivals", argument, "batch:N, N from 1 to 10000", why);
    t->arrivals = duration_gamma(1);
    t->stages[0].factor = batch;
    return 0;
}

static const char *const overflow_names[] = {[OVERFLOW_LOSS] = "loss", [OVERFLOW_BLOCK] = "block", NULL};

enum { FIFO, PRIORITY };
static const char *const disciplines[] = {[FIFO] = "fifo", [PRIORITY] = "priority", NULL};

static const struct command_option options[] = COMMAND_OPTIONS(QUEUE_OPTIONS);

static int take_list(struct session *s, enum list list)
{
    struct word rest = word_of(s->lists[list]), value = rest;
    unsigned count = value_count(rest), stages = s->tandem.stage_count;
    if (count > 1 && count != stages)
        return why_refuse(s->why,
                          "%s has %u values, another list has %u: expected one value, or one per stage",
                          lists[list].option, count, stages);
    for (unsigned i = 0; i < stages; i++) {
        value = i < count ? word_cut(&rest, ",") : value;
        struct queue_line_stage *stage = &s->tandem.stages[i];
        double number = 1;
        if (list == SERVICE && duration_file_read(value, "--service", lists[SERVICE].expected,
                                                  &stage->service, &s->mean_service_s[i], s->why) != 0)
            return COMMAND_REFUSED;
        bool good = list == MU         ? word_number_within(value, 1e-6, 1e6, false, &stage->mu_per_s)
                    : list == CAPACITY ? word_number_within(value, 0, 1000000, true, &number)
                    : list == SERVERS  ? word_number_within(value, 1, 1000, true, &number)
                                       : true;
        if (!good)
            return command_refuse(lists[list].option, word_show(value).text, lists[list].expected, s->why);
        if (list == CAPACITY)
            stage->places = (uint32_t)number;
        if (list == SERVERS)
            stage->servers = (uint32_t)number;
    }
    return 0;
}

/* The lists have been taken as if classes were stages. */
static int take_classes(struct session *s)
{
    struct queue_line *t = &s->tandem;
    double mean_s = 0, second = 0;
    bool is_plain = t->stage_count == QUEUE_LINE_CLASSES;
    for (unsigned k = 0; k < QUEUE_LINE_CLASSES; k++)
        is_plain = is_plain && t->stages[k].places == 0 && t->stages[k].servers == 1;
    if (!is_plain)
        return why_refuse(
            s->why,
            "--classes: expected one stage of one server, without --capacity, and lists of one value or "
            "of two, one for each class");
    t->priority = s->discipline == PRIORITY;
    t->class_count = QUEUE_LINE_CLASSES;
    t->stage_count = 1;
    for (unsigned k = 0; k < QUEUE_LINE_CLASSES; k++) {
        const double share = k == 0 ? s->share : 1 - s->share, service_s = 1 / t->stages[k].mu_per_s;
        t->classes[k] = (struct queue_line_class){share, t->stages[k].mu_per_s, t->stages[k].service};
        mean_s += share * service_s;
        second += share * (1 + duration_scv(&t->classes[k].service)) * service_s * service_s;
    }
    t->stages[0].mu_per_s = 1 / mean_s;
    t->stages[0].service = duration_gamma(fmax(0, second / (mean_s * mean_s) - 1));
    return 0;
}

/* A tandem has as many stages as the longest list has values. */
static int take_tandem(struct session *s)
{
    int status = 0;
    if (isnan(s->tandem.lambda_per_s))
        s->tandem.lambda_per_s = queue_line_default().lambda_per_s;
    if (s->share > 0)
        s->tandem.stage_count = QUEUE_LINE_CLASSES;
    const bool has_mu = s->lists[MU];
    if (s->overflow != OVERFLOWS)
        s->tandem.overflow = s->overflow;
    for (enum list i = 0; i < LISTS; i++) {
        s->lists[i] = s->lists[i] ? s->lists[i] : lists[i].otherwise;
        unsigned count = value_count(word_of(s->lists[i]));
        if (count > QUEUE_LINE_STAGES_MAX)
            return command_refuse(lists[i].option, s->lists[i], "one value per stage, for 64 stages at most",
                                  s->why);
        s->tandem.stage_count = count > s->tandem.stage_count ? count : s->tandem.stage_count;
    }
    for (enum list i = 0; i < LISTS && status == 0; i++)
        status = take_list(s, i);
    for (unsigned i = 0; i < s->tandem.stage_count && !has_mu; i++)
        if (!isnan(s->mean_service_s[i]))
            s->tandem.stages[i].mu_per_s = 1 / s->mean_service_s[i];
    if (status == 0 && s->share > 0)
        status = take_classes(s);
    return status == 0 && queue_line_check(&s->tandem, s->why) != 0 ? COMMAND_REFUSED : status;
}

/* Refuse options that say again, or otherwise, what a file says. @param alone  the file says all that is simulated */
static int refuse_beside(const struct session *s, const char *what, bool alone)
{
    const char *other = !alone && s->closed                       ? "--closed"
                        : alone && s->watch.vcd                   ? "--vcd"
                        : alone && s->watch.timeline              ? "--timeline"
                        : alone && s->watch.measure               ? "--measure"
                        : alone && s->arrives                     ? "--arrivals"
                        : alone && !isnan(s->tandem.lambda_per_s) ? "--lambda"
                        : alone && s->overflow != OVERFLOWS       ? "--overflow"
                        : s->share > 0                            ? "--classes"
                                                                  : NULL;
    for (enum list i = 0; i < LISTS; i++)
        other = s->lists[i] ? lists[i].option : other;
    return other ? why_refuse(s->why, "%s: expected no %s beside it", what, other) : 0;
}

static int check_files(const struct session *s, const char *option, const char *path)
{
    struct file_uses uses = {0};
    file_uses_read(&uses, option, path);
    file_uses_write(&uses, "-o", s->path);
    file_uses_write(&uses, "--plot", s->plot);
    return s->plot ? file_uses_probe(&uses, s->why) : file_uses_check(&uses, s->why);
}

/* What is said of the run holds for both kinds. */
static int take_network(struct session *s)
{
    if (refuse_beside(s, "--closed describes the whole network", true) != 0)
        return COMMAND_REFUSED;
    s->network.run = s->tandem.run;
    char found[PATH_MAX];
    const char *path = run_options_find_file(s->closed, "networks", "", found);
    if (check_files(s, "--closed", path) != 0 || closed_file_read(path, &s->network, s->why) != 0)
        return COMMAND_REFUSED;
    return queue_network_check(&s->network, s->why) == 0
               ? 0
               : why_precede(s->why, COMMAND_REFUSED, "%.300s: ", s->closed);
}

/* The table says everything of the stages. */
static int take_chain(struct session *s)
{
    if (refuse_beside(s, "--chain describes all stages", false) != 0)
        return COMMAND_REFUSED;
    if (s->tandem.stages[0].factor > 1)
        return why_refuse(s->why, "--arrivals batch:N beside --chain: expected column F of its "
                                  "first stage to say how many come at once");
    s->tandem.overflow = s->overflow == OVERFLOWS ? OVERFLOW_BLOCK : s->overflow;
    if (check_files(s, "--chain", s->chain_path) != 0)
        return COMMAND_REFUSED;
    return queue_simulate_open_chain(s->chain_path, s->tandem.lambda_per_s, &s->chain, &s->tandem, s->why);
}

static int check_watch(const struct session *s, const char *directory)
{
    struct file_uses uses = {0};
    if (s->watch.measure && !directory)
        return why_refuse(s->why, "--measure: expected -o DIR, which gets measured.tsv");
    file_uses_read(&uses, "--chain", s->chain_path);
    file_uses_write(&uses, "-o", directory ? NULL : s->path);
    queue_watch_note(&s->watch, &uses);
    return file_uses_check(&uses, s->why);
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int simulate(struct session *s)
{
    const char *directory =
        s->path && s->format == NO_FORMAT && !s->closed && strcmp(s->path, "-") != 0 ? s->path : NULL;
    const char *path = directory ? NULL : s->path;
    const enum result_format format = s->format == NO_FORMAT ? RESULT_TEXT : s->format;
    char measured[PATH_MAX];
    struct queue_watch *watch = NULL;
    bool cut;
    if (directory ? queue_files_hold(directory, s->chain_path, s->why) != 0
                  : path && output_probe(path, s->why) != 0)
        return COMMAND_REFUSED;
    s->watch.measured = queue_files_measured(directory, s->watch.measure, measured);
    if (check_watch(s, directory) != 0)
        return COMMAND_REFUSED;
    if ((s->watch.vcd || s->watch.timeline || s->watch.measure) &&
        !(watch = queue_watch_begin(&s->watch, &s->tandem, s->why)))
        return COMMAND_REFUSED;
    int status =
        queue_simulate(s->closed ? NULL : &s->tandem, &s->result, &s->network, &s->network_result, s->why);
    status = queue_watch_end(watch, status, &cut, s->why);
    if (status)
        return status;
    if (s->closed)
        return closed_report_save(&s->network, &s->network_result, s->closed, format, path, s->plot, s->why);
    auto_free struct queue_judged *judged = queue_judge(&s->tandem, &s->result);
    if (directory)
        status = queue_files_write(judged, s->chain_path, directory, s->watch.measure, s->why);
    if (status == 0)
        status = result_table_save(queue_report_make(judged, format), format, path, s->why);
    if (status == 0 && cut && format == RESULT_TEXT && !path)
        printf("the drawing of the run ended at %d MiB; what it shows until then is right\n",
               WATCH_BYTES >> 20);
    if (status == 0 && directory)
        printf("  %s/     report.html  summary.json  validation.tsv  (mercury explain WORD)\n", directory);
    return status;
}

static int run_command(int argc, char **argv, struct why *why)
{
    auto_free struct session *s = memory_new(1, sizeof *s);
    *s = (struct session){
        .tandem = queue_line_default(), .overflow = OVERFLOWS, .format = NO_FORMAT, .why = why};
    s->tandem.lambda_per_s = s->mean_arrival_s = NAN; /* not given */
    int status = command_parse("queue", options, argc, argv, 0, s, why);
    if (isnan(s->tandem.lambda_per_s) && !s->closed)
        s->tandem.lambda_per_s = 1 / s->mean_arrival_s;
    if (status == 0 && s->discipline == PRIORITY && s->share == 0)
        status = why_refuse(
            why,
            "--discipline priority: expected --classes SHARE, the part of the customers that goes first");
    if (status == 0 && s->plot && (!s->closed || !picture_format(s->plot) || strcmp(s->plot, "-") == 0))
        status = why_refuse(
            why, "--plot '%.200s': expected %s", s->plot,
            s->closed ? "a name that ends in .svg, .png or .pdf"
                      : "--closed beside it; other queues have pictures in the directory of -o DIR");
    if (status == 0)
        status = s->chain_path ? take_chain(s) : s->closed ? take_network(s) : take_tandem(s);
    if (status == 0) {
        run_output_begin();
        status = simulate(s);
    }
    free(s->result.frames);
    closed_file_release(&s->network);
    chain_file_close(&s->chain);
    duration_file_close(&s->tandem.arrivals);
    for (unsigned i = 0; i < s->tandem.stage_count && !s->chain_path; i++)
        duration_file_close(&s->tandem.stages[i].service);
    for (unsigned k = 0; k < s->tandem.class_count; k++)
        duration_file_close(&s->tandem.classes[k].service);
    return status;
}

const struct command command_queue = {options, run_command};
