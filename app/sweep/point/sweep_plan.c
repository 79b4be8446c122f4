#include "app/sweep/point/sweep_plan.h"

#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/words.h"
#include "blast/stage3/search.h"
#include "blast/stages12/hash.h"

/* After a fault nothing is added and nothing more is refused. */
struct parser {
    struct sweep_axis *axis;
    const char *unit;
    sweep_value_write *write;
    void *data; /* of `write` */
    int status;
    struct why *why;
};

static void refuse_item(struct parser *p, struct word item, const char *what)
{
    if (p->status == 0)
        p->status = why_say(p->why, WHY_SAID,
                            "%s=%.*s: %s; a range looks like 2^14..2^20, 16..64, 32..512+32 or 1e6..8e6*2",
                            p->axis->name, (int)fmin(60, (double)item.length), item.text, what);
}

/* Add a value as the parameter writes it, so that 2^6, 64 and 64.0 are the same. */
static void add_value(struct parser *p, const char *text)
{
    char value[SWEEP_VALUE_TEXT];
    struct sweep_axis *axis = p->axis;
    if (p->status == 0 && p->write(p->data, text, value, p->why) != 0)
        p->status = WHY_SAID;
    if (p->status)
        return;
    for (size_t i = 0; i < axis->count; i++)
        if (strcmp(axis->values[i], value) == 0)
            return;
    if (axis->count == SWEEP_VALUES_MAX) {
        refuse_item(p, word_of(text), "more than 10000 values");
        return;
    }
    snprintf(*ARRAY_NEXT(axis->values, axis->count, axis->room), sizeof value, "%s", value);
}

/* If the step is 0, values are multiplied by the factor. */
static void add_range(struct parser *p, double from, double to, double step, double factor)
{
    const double most = to + 1e-12 * fabs(to); /* rounding must not lose the last value */
    for (size_t i = 0; p->status == 0; i++) {
        char text[SWEEP_VALUE_TEXT];
        double value = step > 0 ? from + (double)i * step : from * pow(factor, (double)i);
        if (!(value <= most))
            break;
        snprintf(text, sizeof text, "%.15g", value);
        add_value(p, text);
    }
}

static void parse_range(struct parser *p, const char *item, const char *dots)
{
    const char *unit = p->unit;
    const struct word word = word_of(item);
    struct number from = {0}, to = {0};
    double step = 0, factor = 0;
    if (number_read(item, unit, &from) != dots)
        refuse_item(p, word, "expected a number before the '..'");
    const char *end = number_read(dots + 2, unit, &to);
    if (!end)
        refuse_item(p, word, "expected a number after the '..'");
    else if ((*end == '*' && (number_of(end + 1, NULL, &factor) != 0 || !(factor > 1))) ||
             (*end == '+' && (number_of(end + 1, unit, &step) != 0 || !(step > 0))))
        refuse_item(p, word, "the step must be above 0, the factor above 1");
    else if (*end && *end != '*' && *end != '+')
        refuse_item(p, word, "unexpected text after the range");
    else if (!*end && from.base != to.base)
        refuse_item(p, word, "both ends must be powers of the same base, or both must be plain numbers");
    if (end && !*end) {
        factor = from.base;
        step = factor > 0 ? 0 : 1;
    }
    if (from.value > to.value)
        refuse_item(p, word, "it begins above its end");
    if (step == 0 && from.value <= 0)
        refuse_item(p, word, "factors need a range above 0");
    if ((step > 0 ? (to.value - from.value) / step : (log(to.value) - log(from.value)) / log(factor)) >
        SWEEP_VALUES_MAX) /* that are written alike, too: the loop would have no end */
        refuse_item(p, word, "more than 10000 values");
    add_range(p, from.value, to.value, step, factor);
}

static void parse_item(struct parser *p, struct word word)
{
    char item[128];
    const char *dots = strstr(word_copy(word, item, sizeof item), "..");
    if (word.length >= sizeof item)
        refuse_item(p, word, "the value is too long");
    else if (word.length == 0)
        refuse_item(p, word, "a value is missing");
    else if (dots)
        parse_range(p, item, dots);
    else
        add_value(p, item);
}

int sweep_axis_fill(struct sweep_axis *axis, const char *items, const char *unit, sweep_value_write *write,
                    void *data, struct why *why)
{
    struct parser p = {.axis = axis, .unit = unit, .write = write, .data = data, .why = why};
    struct word rest = word_of(items ? items : "");
    while (rest.text && p.status == 0)
        parse_item(&p, word_cut(&rest, ","));
    if (p.status)
        sweep_axis_destroy(axis);
    return p.status;
}

/* A value of a parameter of the machine. */
struct machine_value {
    struct hardware scratch;
    size_t parameter;
};

static int write_machine_value(void *data, const char *text, char value[SWEEP_VALUE_TEXT], struct why *why)
{
    struct machine_value *v = data;
    if (hardware_set(&v->scratch, hardware_parameter_name(v->parameter), text, why) != 0)
        return WHY_SAID;
    snprintf(value, SWEEP_VALUE_TEXT, "%s", hardware_parameter_value(&v->scratch, v->parameter).text);
    return 0;
}

int sweep_axis_parse(const char *text, struct sweep_axis *axis, struct why *why)
{
    struct machine_value v = {.scratch = hardware_default()};
    struct word items = word_of(text), word = word_cut(&items, "=");
    char name[64];
    *axis = (struct sweep_axis){0};
    if (!items.text || word.length == 0 || word.length >= sizeof name)
        return why_say(why, WHY_SAID, "'%.60s': expected NAME=RANGE, e.g. table.slots=2^14..2^20", text);
    int parameter = hardware_parameter_find(word_copy(word, name, sizeof name));
    if (parameter < 0) {
        hardware_set(&v.scratch, name, "", why); /* refuses the name, and tells the nearest one */
        return WHY_SAID;
    }
    v.parameter = axis->parameter = (size_t)parameter;
    axis->name = hardware_parameter_name(axis->parameter);
    return sweep_axis_fill(axis, items.text, hardware_parameter_unit(axis->parameter), write_machine_value,
                           &v, why);
}

void sweep_axis_destroy(struct sweep_axis *axis)
{
    free(axis->values);
    *axis = (struct sweep_axis){0};
}

/* A leaf of a tree: the index of a point, a structure or a search, by its digest. */
struct key {
    XXH128_hash_t digest;
    size_t index;
};

/* --- digests --------------------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    return memcmp(&x->digest, &y->digest, sizeof x->digest);
}

/* Write the parameters of all roles from `least` on as text. @return its length */
static size_t describe(const struct hardware *h, enum hardware_role least, char *text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        if (hardware_parameter_role(i) >= least)
            length += (size_t)snprintf(text + length, size - length, "%s=%s\n", hardware_parameter_name(i),
                                       hardware_parameter_value(h, i).text);
    return length;
}

static XXH128_hash_t digest_of(const struct sweep_request *r, size_t input, const struct hardware *h,
                               enum hardware_role least)
{
    char text[8192];
    const struct sweep_input *in = &r->inputs[input];
    size_t length = (size_t)snprintf(
        text, sizeof text,
        "mercury " MERCURY_VERSION "\n%016" PRIx64 "\n%016" PRIx64 "\n%016" PRIx64 "\n%d\n%.17g\n",
        in->query->digest, in->database->digest, r->platform_digest, (int)r->strands, r->e_value);
    length += describe(h, least, text + length, sizeof text - length);
    if (least == HARDWARE_TIMING && h->free_parts) /* which takes another time, though no parameter says so */
        length += (size_t)snprintf(text + length, sizeof text - length, "free=%x\n", h->free_parts);
    return XXH3_128bits(text, length);
}

/* Find what has all parameters of the roles from `least` on, or add a key for it as the next of its kind.
 *
 * @param text  out: the digest as text, or NULL
 * @return its index; `count` if it is new
 */
static size_t find(struct sweep_plan *plan, size_t input, const struct hardware *h, enum hardware_role least,
                   size_t count, char text[SWEEP_IDENTITY_TEXT])
{
    struct key *key = memory_take(sizeof *key);
    *key = (struct key){digest_of(plan->request, input, h, least), count};
    struct key **found = tsearch(key, &plan->keys, compare_keys);
    if (!found)
        memory_exhausted();
    if (text)
        snprintf(text, SWEEP_IDENTITY_TEXT, "%016" PRIx64 "%016" PRIx64, key->digest.high64,
                 key->digest.low64);
    if (*found != key)
        free(key);
    return (*found)->index;
}

/* --- groups ---------------------------------------------------------------------------------------------- */

static int add_search(struct sweep_plan *plan, size_t input, const struct hardware *h, struct why *why)
{
    const struct sweep_request *r = plan->request;
    const struct sweep_input *in = &r->inputs[input];
    array_reserve(&plan->searches, &plan->search_room, plan->search_count, 1, sizeof *plan->searches);
    struct sweep_search *s = &plan->searches[plan->search_count];
    *s = (struct sweep_search){.input = input};
    if (scoring_statistics_compute(&h->scoring, &s->statistics, why) != 0)
        return WHY_SAID;
    s->segments =
        segments_cut(in->query->positions, h->query_segment, h->query_overlap, r->strands, &s->pass_count);
    s->least_scores = search_least_scores(&s->statistics, in->query, in->database, r->e_value);
    plan->search_count++;
    return 0;
}

static int find_structure(struct sweep_plan *plan, size_t input, const struct hardware *h, size_t *structure,
                          struct why *why)
{
    const size_t search = find(plan, input, h, HARDWARE_SEARCH, plan->search_count, NULL);
    if (search == plan->search_count) {
        const int status = add_search(plan, input, h, why);
        if (status)
            return status;
    }
    *structure = find(plan, input, h, HARDWARE_STRUCTURE, plan->structure_count, NULL);
    if (*structure < plan->structure_count)
        return 0;
    *ARRAY_NEXT(plan->structures, plan->structure_count, plan->structure_room) =
        (struct sweep_structure){.search = search, .first_pass = plan->structure_passes};
    plan->structure_passes += plan->searches[search].pass_count;
    return 0;
}

/* --- points ---------------------------------------------------------------------------------------------- */

/* Append to `why` which point it is about. */
static int refuse_point(const struct sweep_request *r, const size_t *choice, struct why *why)
{
    why_append(why, "; at the point");
    for (size_t i = 0; i < r->axis_count; i++)
        why_append(why, " %s=%s", r->axes[i].name, r->axes[i].values[choice[i]]);
    return WHY_SAID;
}

/* Passes over parts of a database are none of those that points share. */
static int check_distribution(const struct hardware *hardware, struct why *why)
{
    if (!hardware_deals_database(hardware))
        return 0;
    return why_say(why, WHY_SAID,
                   "distribution = database with hosts = %" PRIu32
                   " cannot be swept, since points would share no passes; use mercury run",
                   hardware->hosts);
}

/* Add a machine that has been checked. */
static int add_machine(struct sweep_plan *plan, size_t input, const struct hardware *hardware, size_t *number,
                       struct why *why)
{
    struct sweep_point point = {.hardware = *hardware};
    *number = find(plan, input, hardware, HARDWARE_TIMING, plan->point_count, point.identity);
    if (*number < plan->point_count)
        return 0;
    const int status = find_structure(plan, input, hardware, &point.structure, why);
    if (status)
        return status;
    plan->structures[point.structure].point_count++;
    *ARRAY_NEXT(plan->points, plan->point_count, plan->point_room) = point;
    return 0;
}

int sweep_plan_add(struct sweep_plan *plan, size_t input, const struct hardware *hardware, size_t *point,
                   struct why *why)
{
    struct hardware checked = *hardware;
    if (hardware_check(&checked, why) != 0 || check_distribution(&checked, why) != 0)
        return WHY_SAID;
    return add_machine(plan, input, &checked, point, why);
}

static bool varies(const struct sweep_request *r, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < r->axis_count; i++)
        found |= strcmp(r->axes[i].name, name) == 0;
    return found;
}

static int add_point(struct sweep_plan *plan, size_t input, const size_t *choice, struct why *why)
{
    const struct sweep_request *r = plan->request;
    struct hardware hardware = r->hardware;
    for (size_t i = 0; i < r->axis_count; i++)
        if (hardware_set(&hardware, r->axes[i].name, r->axes[i].values[choice[i]], why) != 0)
            return refuse_point(r, choice, why);
    const int checked = hardware_check(&hardware, why);
    if (checked == HARDWARE_ESLOT && varies(r, "table.inline_positions") && varies(r, "table.slot_bytes")) {
        plan->unbuildable++;
        return 0;
    }
    if (checked != 0 || check_distribution(&hardware, why) != 0 ||
        (!r->keeps_threshold && !varies(r, "stage2.threshold") &&
         hardware_follow_scores(&hardware, &r->chosen_for, why) != 0))
        return refuse_point(r, choice, why);
    size_t ignored;
    return add_machine(plan, input, &hardware, &ignored, why);
}

static int refuse_size(struct why *why)
{
    return why_say(why, WHY_SAID,
                   "more than %d points; vary fewer parameters or values, or take a sample with --samples N",
                   SWEEP_POINTS_MAX);
}

static int add_grid(struct sweep_plan *plan, size_t input, struct why *why)
{
    const struct sweep_request *r = plan->request;
    double count = (double)r->input_count;
    for (size_t i = 0; i < r->axis_count; i++)
        count *= (double)r->axes[i].count;
    if (count > SWEEP_POINTS_MAX)
        return refuse_size(why);
    auto_free size_t *choice = memory_new(r->axis_count + 1, sizeof *choice);
    int status = 0;
    for (bool more = true; more && status == 0;) {
        status = add_point(plan, input, choice, why);
        size_t axis = r->axis_count; /* the last axis turns fastest */
        while (axis > 0 && ++choice[axis - 1] == r->axes[axis - 1].count)
            choice[--axis] = 0;
        more = axis > 0;
    }
    return status;
}

/* The next random number in [0, 1). */
static double draw(uint64_t seed, uint64_t *draws)
{
    return (double)(hash_derive_seed(seed, (*draws)++) >> 11) * 0x1p-53;
}

static void shuffle(size_t *items, size_t count, uint64_t seed, uint64_t *draws)
{
    for (size_t i = 0; i < count; i++)
        items[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(draw(seed, draws) * (double)i), kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}

static int add_samples(struct sweep_plan *plan, size_t input, struct why *why)
{
    const struct sweep_request *r = plan->request;
    if ((double)r->samples * (double)r->input_count > SWEEP_POINTS_MAX)
        return refuse_size(why);
    auto_free size_t *strata = memory_take((r->axis_count + 1) * r->samples * sizeof *strata);
    auto_free size_t *choice = memory_new(r->axis_count + 1, sizeof *choice);
    uint64_t draws = 0;
    int status = 0;
    for (size_t i = 0; i < r->axis_count; i++)
        shuffle(strata + i * r->samples, r->samples, r->seed, &draws);
    for (size_t sample = 0; sample < r->samples && status == 0; sample++) {
        for (size_t i = 0; i < r->axis_count; i++) {
            double place = (double)strata[i * r->samples + sample] + draw(r->seed, &draws);
            choice[i] = (size_t)(place / (double)r->samples * (double)r->axes[i].count);
        }
        status = add_point(plan, input, choice, why);
    }
    return status;
}

int sweep_plan_make(const struct sweep_request *request, struct sweep_plan *plan, struct why *why)
{
    *plan = (struct sweep_plan){.request = request};
    int status = 0;
    for (size_t i = 0; i < request->input_count && status == 0; i++)
        status = request->samples > 0 ? add_samples(plan, i, why) : add_grid(plan, i, why);
    if (status == 0 && plan->point_count == 0 && plan->unbuildable > 0)
        status = WHY_SAID;
    if (status)
        sweep_plan_destroy(plan);
    return status;
}

void sweep_plan_destroy(struct sweep_plan *plan)
{
    tdestroy(plan->keys, free);
    for (size_t i = 0; i < plan->search_count; i++) {
        free(plan->searches[i].segments);
        free(plan->searches[i].least_scores);
    }
    free(plan->searches);
    free(plan->structures);
    free(plan->points);
    *plan = (struct sweep_plan){0};
}

uint64_t sweep_plan_digest(const struct sweep_plan *plan)
{
    XXH64_hash_t digest = plan->point_count;
    for (size_t i = 0; i < plan->point_count; i++)
        digest = XXH3_64bits_withSeed(plan->points[i].identity, sizeof plan->points[i].identity, digest);
    return digest;
}
