#include "model/estimate/estimate_text.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/printable.h"
#include "base/file/whole_file.h"
#include "model/estimate/estimate_units.h"

enum { LIST_BYTES = 480, SHOWN_BYTES = 60, TAB = 8 };

#define MANY 1e18 /* the most of anything that is counted */

/* --- words ----------------------------------------------------------------------------------------------- */

/* A line of a text, and how far it is read. */
struct line {
    const char *begin, *at, *end;
    const char *file;
    unsigned file_index;
    uint64_t number;
    struct why *why;
};

struct word {
    const char *at; /* NULL: the line has ended */
    size_t length;
};

static unsigned column_of(const struct line *l, const char *at)
{
    return (unsigned)(at - l->begin) + 1;
}

/* "FILE:LINE:COLUMN: ..." */
static int refuse(const struct line *l, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(const struct line *l, const char *at, const char *format, ...)
{
    va_list arguments;
    why_say(l->why, 0, "%.300s:%llu:%u: ", l->file, (unsigned long long)l->number,
            column_of(l, at ? at : l->end));
    va_start(arguments, format);
    why_append_list(l->why, format, arguments);
    va_end(arguments);
    return ESTIMATE_TEXT_EREFUSED;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct word peek(struct line *l)
{
    while (l->at < l->end && is_blank(*l->at))
        l->at++;
    if (l->at == l->end)
        return (struct word){NULL, 0};
    const char *end = l->at + 1;
    if (*l->at != ',')
        while (end < l->end && !is_blank(*end) && *end != ',')
            end++;
    return (struct word){l->at, (size_t)(end - l->at)};
}

static struct word next(struct line *l)
{
    struct word w = peek(l);
    if (w.at)
        l->at = w.at + w.length;
    return w;
}

static bool is(struct word w, const char *text)
{
    return w.at && strlen(text) == w.length && memcmp(w.at, text, w.length) == 0;
}

/* A word as it is shown in messages. */
struct shown {
    char text[4 * SHOWN_BYTES + 1];
};

static struct shown show(struct word w)
{
    struct shown s;
    char copy[SHOWN_BYTES + 1];
    size_t length = w.length < SHOWN_BYTES ? w.length : SHOWN_BYTES;
    memcpy(copy, w.at ? w.at : "", w.at ? length : 0);
    copy[w.at ? length : 0] = '\0';
    printable_copy(s.text, sizeof s.text, copy, SHOWN_BYTES);
    return s;
}

/* --- choices --------------------------------------------------------------------------------------------- */

typedef const char *name_of(const void *table, unsigned i);

static const char *plain_name(const void *table, unsigned i)
{
    return ((const char *const *)table)[i];
}

/* "did you mean 'X'?", or "expected X, Y or Z" */
static int refuse_name(const struct line *l, struct word w, const char *what, const void *table,
                       unsigned count, name_of *name)
{
    char copy[NEAREST_NAME_MAX + 1], list[LIST_BYTES] = "";
    size_t length = w.length < NEAREST_NAME_MAX ? w.length : NEAREST_NAME_MAX, used = 0;
    if (!w.at)
        length = 0;
    else
        memcpy(copy, w.at, length);
    copy[length] = '\0';
    struct nearest search = {.wanted = copy, .length = length};
    for (unsigned i = 0; i < count; i++) {
        nearest_look_at(&search, name(table, i));
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     i == 0           ? ""
                                     : i == count - 1 ? " or "
                                                      : ", ",
                                     name(table, i));
    }
    if (count == 0)
        snprintf(list, sizeof list, "a line before this one that defines it");
    if (!w.at)
        return refuse(l, NULL, "the line ends where %s is expected: %s", what, list);
    if (search.name)
        return refuse(l, w.at, "%s '%s' is not known; did you mean '%s'?", what, show(w).text, search.name);
    return refuse(l, w.at, "%s '%s' is not known; expected %s", what, show(w).text, list);
}

static int find_name(struct word w, const void *table, unsigned count, name_of *name)
{
    for (unsigned i = 0; i < count; i++)
        if (is(w, name(table, i)))
            return (int)i;
    return -1;
}

/* --- objects --------------------------------------------------------------------------------------------- */

enum object_kind { NODESET, LINKSET, DISTRIBUTION, DATASET, OBJECT_KINDS };

static const char *nodeset_name(const void *table, unsigned i)
{
    return ((const struct estimate_nodeset *)table)[i].object.name;
}

static const char *linkset_name(const void *table, unsigned i)
{
    return ((const struct estimate_linkset *)table)[i].object.name;
}

static const char *distribution_name(const void *table, unsigned i)
{
    return ((const struct estimate_distribution *)table)[i].object.name;
}

static const char *dataset_name(const void *table, unsigned i)
{
    return ((const struct estimate_dataset *)table)[i].object.name;
}

static int take_nodeset(struct line *l, const struct estimate_text *t, int *to)
{
    struct word w = next(l);
    *to = find_name(w, t->nodesets, t->nodeset_count, nodeset_name);
    return *to < 0 ? refuse_name(l, w, "nodeset", t->nodesets, t->nodeset_count, nodeset_name) : 0;
}

static int take_dataset(struct line *l, const struct estimate_text *t, int *to)
{
    struct word w = next(l);
    *to = find_name(w, t->datasets, t->dataset_count, dataset_name);
    return *to < 0 ? refuse_name(l, w, "dataset", t->datasets, t->dataset_count, dataset_name) : 0;
}

/* --- the keys of objects --------------------------------------------------------------------------------- */

enum value { VALUE_CHOICE, VALUE_NUMBER, VALUE_MEMBERS, VALUE_NODESET, VALUE_GRID, VALUE_FACTORS };

struct key {
    const char *name;
    enum value value;
    size_t offset; /* of the field; of a number a double, of a choice an unsigned, of a nodeset an int */
    const char *const *choices;
    enum estimate_kind kind;
    double least, most;
    const char *meaning; /* of a number */
};

static const char *const nodeset_types[] = {"memory", "cache", "disk", "CPU", "pathway", NULL};
static const char *const linkset_types[] = {"updown", "across", NULL};
static const char *const duplexes[] = {"full", "half", NULL};
static const char *const topologies[] = {"crossbar", "ring", "bus", NULL};
static const char *const distribution_types[] = {"block1dim", "block2dim", "block3dim", NULL};
static const char *const dataset_types[] = {"grid1dim", "grid2dim", "grid3dim", NULL};
static const char *const computes[] = {"sequential", "pipelined", NULL};

#define NODES(member)  offsetof(struct estimate_nodeset, member)
#define LINKS(member)  offsetof(struct estimate_linkset, member)
#define DEALS(member)  offsetof(struct estimate_distribution, member)
#define DATA(member)   offsetof(struct estimate_dataset, member)
#define CHOICE(at, of) VALUE_CHOICE, (at), (of), ESTIMATE_COUNT, 0, 0, NULL

enum { KEYS_MAX = 12 };

static const struct key keys[OBJECT_KINDS][KEYS_MAX] = {
    [NODESET] = {{"type", CHOICE(NODES(type), nodeset_types)},
                 {"number", VALUE_MEMBERS, NODES(number), NULL, ESTIMATE_COUNT, 1, ESTIMATE_MEMBERS_MAX,
                  "number of its members"},
                 {"bandwidth", VALUE_NUMBER, NODES(bandwidth), NULL, ESTIMATE_BYTES_RATE, 1, MANY,
                  "bytes per second through a member"},
                 {"floatspeed", VALUE_NUMBER, NODES(floatspeed), NULL, ESTIMATE_RATE, 1, MANY,
                  "operations per second of a member"},
                 {"grainsize", VALUE_NUMBER, NODES(grainsize), NULL, ESTIMATE_BYTES, 1, MANY,
                  "bytes that a member holds"},
                 {"ports", VALUE_NUMBER, NODES(ports), NULL, ESTIMATE_COUNT, 1, ESTIMATE_MEMBERS_MAX,
                  "number of links of a linkset that the traffic of a member can use"},
                 {"compute", CHOICE(NODES(compute), computes)}},
    [LINKSET] = {{"type", CHOICE(LINKS(type), linkset_types)},
                 {"from", VALUE_NODESET, LINKS(from), NULL, ESTIMATE_COUNT, 0, 0, NULL},
                 {"to", VALUE_NODESET, LINKS(to), NULL, ESTIMATE_COUNT, 0, 0, NULL},
                 {"on", VALUE_NODESET, LINKS(from), NULL, ESTIMATE_COUNT, 0, 0, NULL},
                 {"duplex", CHOICE(LINKS(duplex), duplexes)},
                 {"topology", CHOICE(LINKS(topology), topologies)},
                 {"number", VALUE_MEMBERS, LINKS(number), NULL, ESTIMATE_COUNT, 1, ESTIMATE_MEMBERS_MAX,
                  "number of its links"},
                 {"bandwidth", VALUE_NUMBER, LINKS(bandwidth), NULL, ESTIMATE_BYTES_RATE, 1, MANY,
                  "bytes per second of a link, in the directions that it admits together"},
                 {"latency", VALUE_NUMBER, LINKS(latency_s), NULL, ESTIMATE_TIME, 0, 1e6,
                  "time before the first byte of a transfer arrives"}},
    [DISTRIBUTION] = {{"type", CHOICE(DEALS(dimensions), distribution_types)},
                      {"ghost", VALUE_NUMBER, DEALS(ghost), NULL, ESTIMATE_COUNT, 0, 1e9,
                       "layers of its neighbours' units that a member also holds"}},
    [DATASET] = {{"type", CHOICE(DATA(dimensions), dataset_types)},
                 {"units", VALUE_GRID, DATA(units), NULL, ESTIMATE_COUNT, 1e-9, MANY, "number of its units"},
                 {"bytesperunit", VALUE_NUMBER, DATA(bytes), NULL, ESTIMATE_BYTES, 0, MANY,
                  "bytes of a unit"},
                 {"operationsperunit", VALUE_NUMBER, DATA(operations), NULL, ESTIMATE_COUNT, 0,
                  MANY, "operations that a unit takes"},
                 {"floatsperunit", VALUE_NUMBER, DATA(floats), NULL, ESTIMATE_COUNT, 0,
                  MANY, "further operations that a unit takes"},
                 {"aggregate", VALUE_NUMBER, DATA(aggregate), NULL, ESTIMATE_BYTES, 1,
                  MANY, "bytes of a piece in which it is moved"},
                 {"parallel", VALUE_NUMBER, DATA(parallel), NULL, ESTIMATE_COUNT, 1e-3, ESTIMATE_MEMBERS_MAX,
                  "number of members that can compute it at once"},
                 {"varies", VALUE_FACTORS, DATA(varies_first), NULL, ESTIMATE_COUNT, 0, 1e6, NULL}},
};

enum {
    KEY_TYPE,
    KEY_NUMBER = 1,
    LINK_FROM = 1,
    LINK_TO,
    LINK_ON,
    LINK_DUPLEX,
    LINK_TOPOLOGY,
    DATA_UNITS = 1
};

static const char *key_name(const void *table, unsigned i)
{
    return ((const struct key *)table)[i].name;
}

static unsigned count_keys(enum object_kind kind)
{
    unsigned count = 0;
    while (count < KEYS_MAX && keys[kind][count].name)
        count++;
    return count;
}

static bool is_given(const struct estimate_object *o, unsigned key)
{
    return o->given >> key & 1;
}

static int check_range(const struct line *l, const char *at, const struct key *k, double value)
{
    return value >= k->least && value <= k->most
               ? 0
               : refuse(l, at, "%s is %g: expected %g to %g", k->name, value, k->least, k->most);
}

/* A number, and its unit in the same word or in the next one. */
static int take_number(struct line *l, const struct key *k, double *to)
{
    struct word w = next(l), unit = peek(l);
    double number = 0;
    if (!w.at)
        return refuse(l, NULL, "%s has no value: expected %s", k->name, estimate_units_expected(k->kind));
    if (unit.at && estimate_units_read(w.at, w.length, unit.at, unit.length, k->kind, &number))
        next(l);
    else if (!estimate_units_read(w.at, w.length, NULL, 0, k->kind, &number))
        return refuse(l, w.at, "%s '%s': expected %s", k->name, show(w).text,
                      estimate_units_expected(k->kind));
    int status = check_range(l, w.at, k, number);
    if (status == 0)
        *to = number;
    return status;
}

/* 2.7e9, or 1000x500, or 100x100x100 */
static int take_grid(struct line *l, const struct key *k, double *units)
{
    struct word w = next(l);
    size_t at = 0;
    units[0] = units[1] = units[2] = 1;
    for (unsigned i = 0; w.at && i < 3; i++) {
        const char *x = memchr(w.at + at, 'x', w.length - at);
        size_t end = x ? (size_t)(x - w.at) : w.length;
        if (!estimate_units_read(w.at + at, end - at, NULL, 0, k->kind, &units[i]))
            break;
        int status = check_range(l, w.at, k, units[i]);
        if (status || end == w.length)
            return status;
        at = end + 1;
    }
    return refuse(l, w.at, "units '%s': expected one number for each dimension, such as 2.7e9 or 1000x500",
                  show(w).text);
}

static int take_members(struct line *l, const struct key *k, double *number, bool *per_node)
{
    struct word at = peek(l);
    int status = take_number(l, k, number);
    if (status == 0 && *number != floor(*number))
        return refuse(l, at.at, "number is %g: expected a whole number", *number);
    *per_node = false;
    if (status == 0 && is(peek(l), "per")) {
        next(l);
        *per_node = is(peek(l), "node");
        struct word node = next(l);
        if (!*per_node)
            return refuse(l, node.at, "expected 'per node'");
    }
    return status;
}

static int take_choice(struct line *l, const struct key *k, unsigned *to)
{
    unsigned count = 0;
    while (k->choices[count])
        count++;
    struct word w = next(l);
    int found = find_name(w, k->choices, count, plain_name);
    if (found < 0)
        return refuse_name(l, w, k->name, k->choices, count, plain_name);
    *to = (unsigned)found;
    return 0;
}

static int add_factor(const struct line *l, const char *at, struct estimate_text *t, double factor)
{
    if (t->factor_count == ESTIMATE_FACTORS_MAX)
        return refuse(l, at, "more than %d numbers of datasets that vary", ESTIMATE_FACTORS_MAX);
    if (!t->factors && !(t->factors = malloc(ESTIMATE_FACTORS_MAX * sizeof *t->factors)))
        return why_no_memory(l->why, ESTIMATE_TEXT_EMEMORY);
    t->factors[t->factor_count++] = factor;
    return 0;
}

/* 0.9, 1.2, 0.9 */
static int take_factors(struct line *l, const struct key *k, struct estimate_text *t,
                        struct estimate_dataset *d)
{
    double factor = 0;
    int status;
    d->varies_first = t->factor_count;
    do {
        struct word at = peek(l);
        status = take_number(l, k, &factor);
        if (status == 0)
            status = add_factor(l, at.at, t, factor);
    } while (status == 0 && is(peek(l), ",") && next(l).at);
    d->varies_count = t->factor_count - d->varies_first;
    return status;
}

static int take_value(struct line *l, struct estimate_text *t, enum object_kind kind, const struct key *k,
                      char *object)
{
    void *field = object + k->offset;
    switch (k->value) {
    case VALUE_CHOICE:
        return take_choice(l, k, field);
    case VALUE_NUMBER:
        return take_number(l, k, field);
    case VALUE_MEMBERS:
        return take_members(l, k, field,
                            kind == NODESET ? &((struct estimate_nodeset *)(void *)object)->per_node
                                            : &((struct estimate_linkset *)(void *)object)->per_node);
    case VALUE_NODESET:
        return take_nodeset(l, t, field);
    case VALUE_FACTORS:
        return take_factors(l, k, t, (struct estimate_dataset *)(void *)object);
    case VALUE_GRID:
        break;
    }
    return take_grid(l, k, field);
}

/* --- what an object needs -------------------------------------------------------------------------------- */

static int check_nodeset(const struct line *l, struct estimate_nodeset *n)
{
    if (n->type == ESTIMATE_CPU && n->floatspeed == 0)
        return refuse(l, NULL, "CPU '%s' has no floatspeed: expected operations per second, such as 133 M/s",
                      n->object.name);
    if (n->type != ESTIMATE_CPU && n->floatspeed > 0)
        return refuse(l, NULL, "'%s' has a floatspeed: expected it of a nodeset of type CPU only",
                      n->object.name);
    return 0;
}

static int check_linkset(const struct line *l, const struct estimate_text *t, struct estimate_linkset *n)
{
    const struct estimate_object *o = &n->object;
    if (n->type == ESTIMATE_UPDOWN && (!is_given(o, LINK_FROM) || !is_given(o, LINK_TO)))
        return refuse(l, NULL, "linkset '%s' of type updown: expected from NODESET to NODESET", o->name);
    if (n->type == ESTIMATE_ACROSS && !is_given(o, LINK_ON))
        return refuse(l, NULL, "linkset '%s' of type across: expected on NODESET", o->name);
    if (n->type == ESTIMATE_UPDOWN ? is_given(o, LINK_ON) || is_given(o, LINK_TOPOLOGY)
                                   : is_given(o, LINK_FROM) || is_given(o, LINK_TO))
        return refuse(l, NULL,
                      "linkset '%s': from and to belong to type updown, on and topology to type across",
                      o->name);
    if (n->type == ESTIMATE_ACROSS)
        n->to = n->from;
    else if (n->from == n->to)
        return refuse(l, NULL, "linkset '%s' joins '%s' with itself: expected type across", o->name,
                      t->nodesets[n->from].object.name);
    return 0;
}

static int check_dataset(const struct line *l, const struct estimate_dataset *d)
{
    if (!is_given(&d->object, DATA_UNITS))
        return refuse(l, NULL, "dataset '%s' has no units: expected a number of units", d->object.name);
    for (unsigned i = d->dimensions + 1; i < 3; i++)
        if (d->units[i] != 1)
            return refuse(l, NULL, "dataset '%s' of type %s has more dimensions of units", d->object.name,
                          dataset_types[d->dimensions]);
    if (d->units[0] * d->units[1] * d->units[2] > MANY)
        return refuse(l, NULL, "dataset '%s' has more than %g units", d->object.name, MANY);
    return 0;
}

static int check_object(const struct line *l, const struct estimate_text *t, enum object_kind kind,
                        void *object)
{
    return kind == NODESET        ? check_nodeset(l, object)
           : kind == LINKSET      ? check_linkset(l, t, object)
           : kind == DISTRIBUTION ? 0
                                  : check_dataset(l, object);
}

static struct estimate_object *find_object(struct estimate_text *t, struct word w, enum object_kind *kind)
{
    int found = find_name(w, t->nodesets, t->nodeset_count, nodeset_name);
    *kind = NODESET;
    if (found >= 0)
        return &t->nodesets[found].object;
    found = find_name(w, t->linksets, t->linkset_count, linkset_name);
    *kind = LINKSET;
    if (found >= 0)
        return &t->linksets[found].object;
    found = find_name(w, t->distributions, t->distribution_count, distribution_name);
    *kind = DISTRIBUTION;
    if (found >= 0)
        return &t->distributions[found].object;
    found = find_name(w, t->datasets, t->dataset_count, dataset_name);
    *kind = DATASET;
    return found >= 0 ? &t->datasets[found].object : NULL;
}

/* --- lines that define an object ------------------------------------------------------------------------- */

static const char *const object_words[OBJECT_KINDS] = {"nodeset", "linkset", "distribution", "dataset"};

static int take_name(struct line *l, struct estimate_text *t, char *to)
{
    struct word w = next(l);
    enum object_kind kind;
    bool fits = w.at && w.length < ESTIMATE_NAME_BYTES && isalpha((unsigned char)*w.at);
    for (size_t i = 0; fits && i < w.length; i++)
        fits = isalnum((unsigned char)w.at[i]) || strchr("_-", w.at[i]);
    if (!fits || memchr(w.at, '\0', w.length))
        return refuse(l, w.at, "name '%s': expected a letter, then up to %d letters, digits, - or _",
                      show(w).text, ESTIMATE_NAME_BYTES - 2);
    if (find_object(t, w, &kind))
        return refuse(l, w.at, "'%s' is already the name of a %s: expected another name", show(w).text,
                      object_words[kind]);
    memcpy(to, w.at, w.length);
    to[w.length] = '\0';
    return 0;
}

static void *new_object(struct estimate_text *t, enum object_kind kind)
{
    switch (kind) {
    case NODESET:
        t->nodesets[t->nodeset_count] = (struct estimate_nodeset){.number = 1};
        return &t->nodesets[t->nodeset_count];
    case LINKSET:
        t->linksets[t->linkset_count] = (struct estimate_linkset){.from = -1, .to = -1};
        return &t->linksets[t->linkset_count];
    case DISTRIBUTION:
        t->distributions[t->distribution_count] = (struct estimate_distribution){.dimensions = 0};
        return &t->distributions[t->distribution_count];
    case DATASET:
    case OBJECT_KINDS:
        break;
    }
    t->datasets[t->dataset_count] =
        (struct estimate_dataset){.units = {1, 1, 1}, .distribution = -1, .over = -1};
    return &t->datasets[t->dataset_count];
}

/* What an object can do hinges on its type, so that the type is always given. */
static int take_keys(struct line *l, struct estimate_text *t, enum object_kind kind, void *object)
{
    struct estimate_object *o = object;
    unsigned count = count_keys(kind);
    for (struct word w = next(l); w.at; w = next(l)) {
        int key = find_name(w, keys[kind], count, key_name);
        if (key < 0)
            return refuse_name(l, w, "key", keys[kind], count, key_name);
        if (is_given(o, (unsigned)key))
            return refuse(l, w.at, "%s is given twice", show(w).text);
        int status = take_value(l, t, kind, &keys[kind][key], object);
        if (status)
            return status;
        o->given |= 1U << key;
    }
    if (!is_given(o, KEY_TYPE))
        return refuse_name(l, (struct word){NULL, 0}, "type", keys[kind][KEY_TYPE].choices,
                           kind == NODESET   ? 5
                           : kind == LINKSET ? 2
                                             : 3,
                           plain_name);
    return check_object(l, t, kind, object);
}

static int take_object(struct line *l, struct estimate_text *t, enum object_kind kind)
{
    unsigned *const counts[] = {&t->nodeset_count, &t->linkset_count, &t->distribution_count,
                                &t->dataset_count};
    static const unsigned most[] = {ESTIMATE_NODESETS_MAX, ESTIMATE_LINKSETS_MAX, ESTIMATE_DISTRIBUTIONS_MAX,
                                    ESTIMATE_DATASETS_MAX};
    if (*counts[kind] == most[kind])
        return refuse(l, l->begin, "more than %u of %s", most[kind], object_words[kind]);
    struct estimate_object *o = new_object(t, kind);
    int status = take_name(l, t, o->name);
    if (status == 0)
        status = take_keys(l, t, kind, o);
    if (status == 0)
        ++*counts[kind];
    return status;
}

/* --- statements ------------------------------------------------------------------------------------------ */

static int expect(struct line *l, const char *word)
{
    struct word w = next(l);
    return is(w, word) ? 0
                       : refuse(l, w.at, "%s%s%s: expected '%s'", w.at ? "'" : "",
                                w.at ? show(w).text : "the line ends", w.at ? "'" : "", word);
}

static int expect_end(struct line *l)
{
    struct word w = next(l);
    return w.at ? refuse(l, w.at, "'%s': expected the end of the line", show(w).text) : 0;
}

/* use distribution NAME on NODESET, DATASET, ... */
static int take_use(struct line *l, struct estimate_text *t)
{
    int over = -1, dealt[ESTIMATE_DATASETS_MAX], status = expect(l, "distribution");
    unsigned count = 0;
    if (status)
        return status;
    struct word w = next(l);
    int distribution = find_name(w, t->distributions, t->distribution_count, distribution_name);
    if (distribution < 0)
        return refuse_name(l, w, "distribution", t->distributions, t->distribution_count, distribution_name);
    status = expect(l, "on");
    while (status == 0) {
        int nodeset = find_name(peek(l), t->nodesets, t->nodeset_count, nodeset_name), dataset = -1;
        if (nodeset >= 0)
            next(l), over = nodeset;
        else
            status = take_dataset(l, t, &dataset);
        if (status == 0 && dataset >= 0 && count < ESTIMATE_DATASETS_MAX)
            dealt[count++] = dataset;
        if (status || !is(peek(l), ","))
            break;
        next(l);
    }
    if (status == 0)
        status = expect_end(l);
    if (status == 0 && count == 0)
        status = refuse(l, NULL, "no dataset: expected one that is dealt, as in 'on host, database'");
    for (unsigned i = 0; status == 0 && i < count; i++) {
        t->datasets[dealt[i]].distribution = distribution;
        t->datasets[dealt[i]].over = over;
    }
    return status;
}

static int take_transfer(struct line *l, struct estimate_text *t, struct estimate_statement *s)
{
    int status = take_dataset(l, t, &s->datasets[0]);
    s->dataset_count = 1;
    if (status == 0)
        status = expect(l, "from");
    if (status == 0)
        status = take_nodeset(l, t, &s->from);
    if (status == 0)
        status = expect(l, "to");
    return status ? status : take_nodeset(l, t, &s->to);
}

static int take_compute(struct line *l, struct estimate_text *t, struct estimate_statement *s)
{
    int status = 0;
    do {
        if (s->dataset_count == ESTIMATE_COMPUTED_MAX)
            return refuse(l, NULL, "more than %d datasets in one statement", ESTIMATE_COMPUTED_MAX);
        status = take_dataset(l, t, &s->datasets[s->dataset_count++]);
    } while (status == 0 && is(peek(l), ",") && next(l).at);
    if (status == 0)
        status = expect(l, "on");
    struct word on = peek(l);
    if (status == 0)
        status = take_nodeset(l, t, &s->to);
    if (status == 0 && t->nodesets[s->to].type != ESTIMATE_CPU)
        return refuse(l, on.at, "'%s' is a %s: expected a nodeset of type CPU", show(on).text,
                      nodeset_types[t->nodesets[s->to].type]);
    return status;
}

static int take_repeat(struct line *l, struct estimate_text *t, struct estimate_statement *s)
{
    static const struct key count = {"repeat", VALUE_NUMBER, 0, NULL, ESTIMATE_COUNT, 1, 1e9, NULL};
    struct word at = peek(l);
    int status = take_number(l, &count, &s->count);
    if (status == 0 && s->count != floor(s->count))
        return refuse(l, at.at, "repeat is %g: expected a whole number", s->count);
    if (status == 0 && is(peek(l), "over")) {
        next(l);
        status = take_nodeset(l, t, &s->over);
    }
    return status;
}

static const char *const verbs[] = {"send", "move", "compute", "synchronize", "repeat"};

/* --- blocks: repeats and their bodies, told by indentation ----------------------------------------------- */

struct block {
    unsigned repeat; /* index of its statement */
    unsigned indent; /* columns of the repeat */
    unsigned body;   /* columns of its body; 0: none yet */
    struct line line;
};

struct reader {
    struct estimate_text *text;
    estimate_find_file *find;
    struct block blocks[ESTIMATE_NESTED_MAX];
    unsigned block_count, nested_files;
    struct why *why;
};

static unsigned indent_of(const struct line *l)
{
    unsigned columns = 0;
    for (const char *at = l->begin; at < l->end && is_blank(*at); at++)
        columns = *at == '\t' ? (columns / TAB + 1) * TAB : columns + 1;
    return columns;
}

static int close_blocks(struct reader *r, unsigned indent)
{
    while (r->block_count > 0 && indent <= r->blocks[r->block_count - 1].indent) {
        const struct block *b = &r->blocks[--r->block_count];
        r->text->statements[b->repeat].end = r->text->statement_count;
        if (r->text->statement_count == b->repeat + 1)
            return refuse(&b->line, NULL,
                          "repeat has no body: expected statements that are indented further");
    }
    return 0;
}

/* Find the block that a statement belongs to. */
static int place(struct reader *r, const struct line *l)
{
    unsigned indent = indent_of(l);
    int status = close_blocks(r, indent);
    if (status || r->block_count == 0)
        return status;
    struct block *b = &r->blocks[r->block_count - 1];
    if (b->body == 0)
        b->body = indent;
    return indent == b->body
               ? 0
               : refuse(l, l->begin + indent, "indented by %u columns: expected %u, as the lines before it",
                        indent, b->body);
}

static int open_block(struct reader *r, const struct line *l)
{
    for (unsigned i = 0; i < r->block_count; i++)
        if (r->text->statements[r->blocks[i].repeat].over >= 0 &&
            r->text->statements[r->text->statement_count].over >= 0)
            return refuse(l, NULL, "repeat ... over in another one: expected one of them without over");
    if (r->block_count == ESTIMATE_NESTED_MAX)
        return refuse(l, l->begin, "more than %d repeats in each other", ESTIMATE_NESTED_MAX);
    r->blocks[r->block_count++] =
        (struct block){.repeat = r->text->statement_count, .indent = indent_of(l), .line = *l};
    return 0;
}

static int take_statement(struct reader *r, struct line *l, unsigned verb)
{
    struct estimate_text *t = r->text;
    int status = place(r, l);
    if (status == 0 && t->statement_count == ESTIMATE_STATEMENTS_MAX)
        return refuse(l, l->begin, "more than %d statements", ESTIMATE_STATEMENTS_MAX);
    if (status)
        return status;
    struct estimate_statement *s = &t->statements[t->statement_count];
    *s = (struct estimate_statement){
        .verb = verb, .file = l->file_index, .line = l->number, .from = -1, .to = -1, .over = -1};
    switch ((enum estimate_verb)verb) {
    case ESTIMATE_SEND:
    case ESTIMATE_MOVE:
        status = take_transfer(l, t, s);
        break;
    case ESTIMATE_COMPUTE:
        status = take_compute(l, t, s);
        break;
    case ESTIMATE_REPEAT:
        status = take_repeat(l, t, s);
        break;
    case ESTIMATE_SYNCHRONIZE:
        break;
    }
    if (status == 0)
        status = expect_end(l);
    if (status == 0 && verb == ESTIMATE_REPEAT)
        status = open_block(r, l);
    if (status == 0)
        t->statement_count++;
    return status;
}

/* --- lines and files ------------------------------------------------------------------------------------- */

static const char *const line_words[] = {"nodeset", "linkset", "distribution", "dataset",     "use",
                                         "send",    "move",    "compute",      "synchronize", "repeat"};
enum { LINE_WORDS = sizeof line_words / sizeof line_words[0], USE = OBJECT_KINDS };

static int read_file(struct reader *r, const char *path);

static int include(struct reader *r, struct line *l)
{
    while (l->at < l->end && is_blank(*l->at))
        l->at++;
    const char *begin = l->at, *end = l->end;
    while (end > begin && is_blank(end[-1]))
        end--;
    bool quoted = end - begin >= 2 && *begin == '"' && end[-1] == '"';
    begin += quoted;
    end -= quoted;
    if (begin == end || memchr(begin, '\0', (size_t)(end - begin)))
        return refuse(l, begin, "expected #include \"FILE\"");
    if (!r->find)
        return refuse(l, begin, "#include: a text that is no file can include none");
    if (r->nested_files == ESTIMATE_NESTED_MAX)
        return refuse(l, begin, "more than %d files in each other: does one include itself?",
                      ESTIMATE_NESTED_MAX);
    char *name = strndup(begin, (size_t)(end - begin)), *path = name ? r->find(name, l->file) : NULL;
    int status = path ? read_file(r, path) : why_no_memory(r->why, ESTIMATE_TEXT_EMEMORY);
    free(path);
    free(name);
    return status;
}

static int take_line(struct reader *r, struct line *l)
{
    static const char directive[] = "#include";
    const size_t length = sizeof directive - 1;
    while (l->end > l->begin && l->end[-1] == '\r')
        l->end--;
    if ((size_t)(l->end - l->begin) >= length && memcmp(l->begin, directive, length) == 0 &&
        (l->begin + length == l->end || is_blank(l->begin[length]) || l->begin[length] == '"')) {
        l->at = l->begin + length;
        return include(r, l);
    }
    const char *comment = memchr(l->begin, '#', (size_t)(l->end - l->begin));
    if (comment)
        l->end = comment;
    struct word w = next(l);
    if (!w.at)
        return 0;
    int found = find_name(w, line_words, LINE_WORDS, plain_name);
    if (found < 0)
        return refuse_name(l, w, "word", line_words, LINE_WORDS, plain_name);
    if (found > USE)
        return take_statement(r, l, (unsigned)find_name(w, verbs, 5, plain_name));
    return found == USE ? take_use(l, r->text) : take_object(l, r->text, (enum object_kind)found);
}

static int read_lines(struct reader *r, const char *bytes, size_t count, const char *name)
{
    struct estimate_text *t = r->text;
    struct line l = {.file = name, .number = 1, .why = r->why};
    if (t->file_count == ESTIMATE_FILES_MAX)
        return why_say(r->why, ESTIMATE_TEXT_EREFUSED, "%.300s: more than %d files", name,
                       ESTIMATE_FILES_MAX);
    t->files[t->file_count] = strdup(name);
    if (!t->files[t->file_count])
        return why_no_memory(r->why, ESTIMATE_TEXT_EMEMORY);
    l.file = t->files[t->file_count];
    l.file_index = t->file_count++;
    int status = 0;
    for (const char *at = bytes, *stop = bytes + count; at < stop && status == 0; l.number++) {
        const char *end = memchr(at, '\n', (size_t)(stop - at));
        l.begin = l.at = at;
        l.end = end ? end : stop;
        at = end ? end + 1 : stop;
        status = take_line(r, &l);
    }
    return status;
}

static int read_file(struct reader *r, const char *path)
{
    char *bytes;
    size_t count;
    int status = whole_file_read(path, ESTIMATE_BYTES_MAX, &bytes, &count, r->why);
    if (status)
        return status == WHOLE_FILE_EMEMORY ? ESTIMATE_TEXT_EMEMORY : ESTIMATE_TEXT_EREAD;
    r->nested_files++;
    status = read_lines(r, bytes, count, whole_file_name(path));
    r->nested_files--;
    free(bytes);
    return status;
}

int estimate_text_read(struct estimate_text *text, const char *path, estimate_find_file *find,
                       struct why *why)
{
    struct reader r = {.text = text, .find = find, .why = why};
    int status = read_file(&r, path);
    return status ? status : close_blocks(&r, 0);
}

int estimate_text_parse(struct estimate_text *text, const char *bytes, size_t count, const char *name,
                        estimate_find_file *find, struct why *why)
{
    struct reader r = {.text = text, .find = find, .why = why};
    int status = read_lines(&r, bytes, count, name);
    return status ? status : close_blocks(&r, 0);
}

/* --- values that are changed afterwards ------------------------------------------------------------------ */

static const char *any_name(const void *table, unsigned i)
{
    const struct estimate_text *t = table;
    if (i < t->nodeset_count)
        return nodeset_name(t->nodesets, i);
    i -= t->nodeset_count;
    if (i < t->linkset_count)
        return linkset_name(t->linksets, i);
    i -= t->linkset_count;
    return i < t->distribution_count ? distribution_name(t->distributions, i)
                                     : dataset_name(t->datasets, i - t->distribution_count);
}

int estimate_text_set(struct estimate_text *t, const char *assignment, struct why *why)
{
    const char *equals = strchr(assignment, '='), *dot = strchr(assignment, '.');
    struct line l = {
        assignment, equals ? equals + 1 : assignment, assignment + strlen(assignment), "--set", 0, 1, why};
    enum object_kind kind;
    if (!equals || !dot || dot > equals)
        return why_say(why, ESTIMATE_TEXT_EREFUSED,
                       "--set '%.60s': expected NAME.KEY=VALUE, such as board.number=4", assignment);
    struct word name = {assignment, (size_t)(dot - assignment)}, key = {dot + 1, (size_t)(equals - dot - 1)};
    struct estimate_object *o = find_object(t, name, &kind);
    if (!o)
        return refuse_name(&l, name, "name", t,
                           t->nodeset_count + t->linkset_count + t->distribution_count + t->dataset_count,
                           any_name);
    int found = find_name(key, keys[kind], count_keys(kind), key_name);
    if (found < 0)
        return refuse_name(&l, key, "key", keys[kind], count_keys(kind), key_name);
    int status = take_value(&l, t, kind, &keys[kind][found], (char *)o);
    o->given |= 1U << found;
    if (status == 0)
        status = expect_end(&l);
    return status ? status : check_object(&l, t, kind, o);
}

/* --- the numbers that can be changed --------------------------------------------------------------------- */

static const struct estimate_object *object_at(const struct estimate_text *t, enum object_kind kind,
                                               unsigned i)
{
    return kind == NODESET        ? &t->nodesets[i].object
           : kind == LINKSET      ? &t->linksets[i].object
           : kind == DISTRIBUTION ? &t->distributions[i].object
                                  : &t->datasets[i].object;
}

static bool is_number(const struct estimate_text *t, enum object_kind kind, unsigned i, const struct key *k)
{
    bool plain = k->value == VALUE_NUMBER || k->value == VALUE_MEMBERS ||
                 (k->value == VALUE_GRID && t->datasets[i].dimensions == 0);
    return plain && is_given(object_at(t, kind, i), (unsigned)(k - keys[kind]));
}

static void fill_number(const struct estimate_object *o, enum object_kind kind, const struct key *k,
                        struct estimate_number *number)
{
    *number = (struct estimate_number){.object = object_words[kind],
                                       .meaning = k->meaning,
                                       .kind = k->kind,
                                       .least = k->least,
                                       .most = k->most,
                                       .whole = k->value == VALUE_MEMBERS};
    snprintf(number->name, sizeof number->name, "%s.%s", o->name, k->name);
    memcpy(&number->value, (const char *)o + k->offset, sizeof number->value);
}

bool estimate_text_number(const struct estimate_text *t, unsigned index, struct estimate_number *number)
{
    const unsigned counts[] = {t->nodeset_count, t->linkset_count, t->distribution_count, t->dataset_count};
    for (enum object_kind kind = NODESET; kind < OBJECT_KINDS; kind++)
        for (unsigned i = 0; i < counts[kind]; i++)
            for (unsigned key = 0; key < count_keys(kind); key++)
                if (is_number(t, kind, i, &keys[kind][key]) && index-- == 0) {
                    fill_number(object_at(t, kind, i), kind, &keys[kind][key], number);
                    return true;
                }
    return false;
}

void estimate_text_release(struct estimate_text *text)
{
    for (unsigned i = 0; i < text->file_count; i++)
        free(text->files[i]);
    free(text->factors);
    text->factors = NULL;
    text->file_count = text->factor_count = 0;
}

const char *estimate_text_type_name(enum estimate_nodeset_type type)
{
    return nodeset_types[type];
}
