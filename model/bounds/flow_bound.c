#include "model/bounds/flow_bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "model/bounds/work_curve.h"

/* A word, and when it has passed each stage at the latest. */
struct flow_word {
    uint64_t records; /* that it and all before it bring */
    double taken, issued, matched, left;
};

/* What one word brings. */
struct word_work {
    unsigned seeds;
    double clocks, back; /* of 1bd; of 1bd and 2 as one stage */
    uint64_t matches, records;
};

/* --- lookups at the full rate of 1bd --------------------------------------------------------------------- */

/* A match is taken at least a clock after the one before. */
static void add_match(struct flow_bound *b, const struct flow_share *s, unsigned passes)
{
    b->match_count++;
    b->memory.ends[FLOW_RECORDS][b->match_count] = b->memory.ends[FLOW_RECORDS][b->match_count - 1] + passes;
    b->st2_records = fmax(b->st2_records - 1, 0) + passes * s->record;
    b->greatest_egress = fmax(b->greatest_egress, b->st2_records);
}

static void add_group(struct flow_bound *b, unsigned matches, double entered)
{
    b->bd_matches = fmax(b->bd_matches - (entered - b->bd_entered), 0) + matches;
    b->bd_entered = entered;
    b->greatest_2 = fmax(b->greatest_2, b->bd_matches);
}

static void add_lookup(struct flow_bound *b, const struct flow_share *s, const struct flow_lookup *lookup,
                       const uint8_t *groups, const uint8_t *passes, struct word_work *word)
{
    const struct flow_machine *m = &b->machine;
    const double trip = lookup->trips ? m->trip_clocks : 0, clocks = fmax(1, lookup->groups * trip);
    const double a_match = fmax(1, (double)(m->fetch_clocks + m->largest_group) / m->places[FLOW_STAGE2]);
    const size_t first_match = b->match_count;
    double back = 0;
    for (unsigned i = 0; i < lookup->groups; i++) {
        back += fmax(lookup->trips ? trip : 1, a_match * groups[i]);
        add_group(b, groups[i], b->bd_now + (i + 1) * trip);
        for (unsigned match = 0; match < groups[i]; match++)
            add_match(b, s, *passes++);
    }
    b->bd_now += clocks;
    word->clocks += clocks;
    word->back += fmax(1, back);
    word->matches += b->match_count - first_match;
    word->records += b->memory.ends[FLOW_RECORDS][b->match_count] - b->memory.ends[FLOW_RECORDS][first_match];

    const double served = fmax(b->now, b->bd_free);
    b->memory.served[b->lookup_count] = served;
    b->bd_free = served + clocks;
    b->bd_late = fmax(b->bd_late, served - b->now);
    b->longest_lookup = fmax(b->longest_lookup, clocks);
    b->lookup_count++;
    b->memory.ends[FLOW_CLOCKS][b->lookup_count] =
        b->memory.ends[FLOW_CLOCKS][b->lookup_count - 1] + (uint64_t)clocks;
    b->memory.ends[FLOW_MATCHES][b->lookup_count] = b->match_count;
}

/* --- words at the full rate of the bus ------------------------------------------------------------------- */

/* What waits when a word has come. A lookup waits unless it is taken before the word's: since clocks are whole and the
 * bus's times are not, by up to a clock later. */
static void add_waiting(struct flow_bound *b, const struct flow_share *s, const struct word_work *word)
{
    const double gap = b->gap;
    b->seeds_wait = fmax(b->seeds_wait - gap, 0) + word->seeds;
    b->matches_wait = fmax(b->matches_wait - gap, 0) + (double)word->matches;
    b->records_wait = fmax(b->records_wait - gap, 0) + (double)word->records * s->record;
    while (b->bd_waits < b->lookup_count && b->memory.served[b->bd_waits] <= b->now - 1)
        b->bd_waits++;
    const double now[FLOW_QUEUES] = {1, ceil(b->seeds_wait), (double)(b->lookup_count - b->bd_waits),
                                     b->matches_wait, b->records_wait};
    for (unsigned i = 0; i < FLOW_QUEUES; i++)
        b->greatest[i] = fmax(b->greatest[i], now[i]);
}

/* --- time ------------------------------------------------------------------------------------------------ */

/* Each stage does its work for the word after it can have come. */
static void add_least(struct flow_bound *b, const struct flow_share *s, const struct word_work *word,
                      double supplied)
{
    const struct flow_machine *m = &b->machine;
    const double came = fmax(b->free_least, supplied), lookup = came + 3 + m->read_clocks;
    b->free_least = came + s->word_least;
    b->least[FLOW_INGRESS] = fmax(b->least[FLOW_INGRESS], came) + 1;
    if (word->seeds == 0)
        return;
    b->least[FLOW_WMER] = fmax(b->least[FLOW_WMER], came + 1) + word->seeds;
    b->least[FLOW_SRAM] =
        fmax(b->least[FLOW_SRAM], lookup) + (m->trips_in_flight > 1 ? word->seeds : word->clocks);
    if (word->matches > 0)
        b->least[FLOW_STAGE2] = fmax(b->least[FLOW_STAGE2], lookup + m->fetch_clocks) + (double)word->matches;
    if (word->records > 0)
        b->least[FLOW_EGRESS] = fmax(b->least[FLOW_EGRESS] > 0 ? b->least[FLOW_EGRESS] + s->record : 0,
                                     lookup + m->fetch_clocks) +
                                (double)(word->records - 1) * s->record;
}

/* Go on to the word that holds an element; `before` it are those of the words before. */
static double seed_room(const struct flow_bound *b, size_t *word, uint64_t places, size_t last)
{
    const uint64_t seeds = b->memory.ends[FLOW_SEEDS][last + 1];
    while (seeds > places && *word < last && b->memory.ends[FLOW_SEEDS][*word + 1] < seeds - places)
        ++*word;
    return seeds > places ? (double)*word : -1;
}

static double record_room(struct flow_bound *b, size_t last)
{
    const uint64_t places = b->machine.places[FLOW_EGRESS], records = b->memory.words[last].records;
    while (records >= places && b->left < last && b->memory.words[b->left].records <= records - places)
        b->left++;
    return records >= places && last > 0 ? ceil(b->memory.words[b->left < last ? b->left : last - 1].left)
                                         : 0;
}

/* The bus delivers the word, and 1a takes it. */
static double take_word(struct flow_bound *b, const struct flow_share *s, size_t i, double supplied)
{
    const uint32_t ingress = b->machine.places[FLOW_INGRESS];
    double at = fmax(b->free_most, supplied);
    if (b->last_word < 1)
        at = fmax(at, b->delivered + 1);
    if (i >= ingress)
        at = fmax(at, b->memory.words[i - ingress].taken);
    const double beside = fmin(b->records, s->word_most);
    b->records -= beside;
    b->last_word = s->word_most + beside;
    b->free_most = at + b->last_word;
    b->delivered = ceil(at);
    const double room = seed_room(b, &b->issued, b->machine.places[FLOW_WMER], i);
    const double before = i > 0 ? b->memory.words[i - 1].taken : 0;
    return fmax(fmax(b->delivered, before) + 1, room >= 0 ? b->memory.words[b->issued].issued : 0);
}

static void add_most(struct flow_bound *b, const struct flow_share *s, const struct word_work *word,
                     double supplied)
{
    static const struct flow_word none = {0};
    const struct flow_machine *m = &b->machine;
    const size_t i = b->word_count;
    const struct flow_word *before = i > 0 ? &b->memory.words[i - 1] : &none;
    struct flow_word *w = &b->memory.words[i];
    const bool fills_sram = word->seeds > m->lookup_limit,
               fills_egress = word->records >= m->places[FLOW_EGRESS];
    *w = (struct flow_word){.records = before->records + word->records,
                            .issued = before->issued,
                            .matched = before->matched,
                            .left = before->left};
    w->taken = take_word(b, s, i, supplied);
    if (word->seeds > 0) {
        const double room = seed_room(b, &b->taken, m->lookup_limit, i);
        const size_t holds = b->taken < i ? b->taken : i - (i > 0);
        const double after = room >= 0 && i > 0 ? b->memory.words[holds].matched : 0;
        w->issued = fmax(fmax(w->taken, before->issued), after) + word->seeds;
        const double latency = m->read_clocks + m->fetch_clocks + m->largest_group + 4 + s->record;
        w->matched = fmax(fmax(w->issued + latency, before->matched), record_room(b, i)) + word->back +
                     (fills_sram ? word->seeds * (m->read_clocks + 2.0) : 0) +
                     (fills_egress ? (double)word->records * (s->record + 2) : 0);
        w->left = fmax(before->left, w->matched) + (double)word->records * s->record;
        if (fills_egress)
            w->matched = w->left;
        if (fills_sram)
            w->issued = w->matched;
    }
    b->most = ceil(fmax(fmax(w->taken, w->issued), fmax(w->matched, w->left))) + 1;
}

/* --- blocks ---------------------------------------------------------------------------------------------- */

static void make_room(struct flow_bound *b, const struct flow_tokens *t)
{
    struct flow_memory *m = &b->memory;
    size_t lookups = 0, groups = 0, matches = 0;
    for (size_t i = 0; i < t->word_count; i++)
        lookups += t->words[i];
    for (size_t i = 0; i < lookups; i++)
        groups += t->lookups[i].groups;
    for (size_t i = 0; i < groups; i++)
        matches += t->groups[i];
    const size_t counts[FLOW_ENDS] = {b->word_count, b->lookup_count, b->lookup_count, b->match_count},
                 more[FLOW_ENDS] = {t->word_count, lookups, lookups, matches};
    array_reserve(&m->words, &m->word_room, b->word_count, t->word_count, sizeof *m->words);
    array_reserve(&m->served, &m->served_room, b->lookup_count, lookups, sizeof *m->served);
    for (unsigned i = 0; i < FLOW_ENDS; i++) {
        array_reserve(&m->ends[i], &m->rooms[i], counts[i], more[i] + 1, sizeof *m->ends[i]);
        m->ends[i][0] = 0;
    }
}

void flow_bound_block(struct flow_bound *b, const struct flow_share *s, const struct flow_tokens *t)
{
    make_room(b, t);
    const struct flow_lookup *lookup = t->lookups;
    const uint8_t *group = t->groups, *match = t->matches;
    b->free_least = fmax(b->free_least, s->begin_least);
    b->free_most = fmax(b->free_most, s->begin_most);
    b->records += s->beside_most;
    b->slowest_record = fmax(b->slowest_record, s->record);
    b->quickest_record = b->word_count > 0 ? fmin(b->quickest_record, s->record) : s->record;
    for (size_t i = 0; i < t->word_count; i++) {
        struct word_work word = {.seeds = t->words[i]};
        b->now += b->gap;
        for (unsigned seed = 0; seed < word.seeds; seed++) {
            const size_t before = b->match_count;
            add_lookup(b, s, lookup, group, match, &word);
            match += b->match_count - before;
            group += lookup++->groups;
        }
        b->memory.ends[FLOW_SEEDS][b->word_count + 1] = b->lookup_count;
        add_waiting(b, s, &word);
        b->gap = fmax(1, s->word_least);
        add_least(b, s, &word, s->supply_least + (double)i * s->supply_step);
        add_most(b, s, &word, s->supply_most + (double)i * s->supply_step);
        b->word_count++;
    }
}

/* --- bounds ---------------------------------------------------------------------------------------------- */

/* Clocks that stages 2 and egress take until so many matches are taken. */
static double clocks_of_matches(const struct flow_bound *b, uint64_t matches)
{
    const struct flow_machine *m = &b->machine;
    const double records = (double)work_curve_greatest(b->memory.ends[FLOW_RECORDS], b->match_count, matches);
    return (double)matches + m->fetch_clocks * (floor((double)matches / m->places[FLOW_STAGE2]) + 2) +
           (records + 1) * b->slowest_record + floor(records / m->places[FLOW_EGRESS]) + 3;
}

/* Likewise 1bd and what is behind it for lookups. */
static double clocks_of_lookups(const struct flow_bound *b, uint64_t lookups)
{
    return (double)work_curve_greatest(b->memory.ends[FLOW_CLOCKS], b->lookup_count, lookups) +
           clocks_of_matches(b, work_curve_greatest(b->memory.ends[FLOW_MATCHES], b->lookup_count, lookups));
}

/* Likewise 1bp for seeds, each of which needs a lookup's place. */
static double clocks_of_seeds(const struct flow_bound *b, uint64_t seeds)
{
    const struct flow_machine *m = &b->machine;
    const uint64_t lookups = seeds + m->read_clocks + m->trips_in_flight;
    return (double)seeds + clocks_of_lookups(b, lookups) +
           (m->read_clocks + 1.0) * (floor((double)lookups / m->lookup_limit) + 2);
}

/* Most lookups that are stored: reads in flight enter after 1bp has stopped. */
static uint64_t stored_lookups(const struct flow_machine *m)
{
    const uint64_t most = (uint64_t)m->lookup_limit - 1 + m->read_clocks, places = m->places[FLOW_SRAM];
    return most < places ? most : places;
}

static void bound_waits(const struct flow_bound *b, double wait[FLOW_QUEUES])
{
    const struct flow_machine *m = &b->machine;
    const uint64_t seeds =
        work_curve_greatest(b->memory.ends[FLOW_SEEDS], b->word_count, m->places[FLOW_INGRESS]);
    wait[FLOW_INGRESS] = m->places[FLOW_INGRESS] + 2.0 + clocks_of_seeds(b, seeds);
    wait[FLOW_WMER] = 2 + clocks_of_seeds(b, m->places[FLOW_WMER]);
    wait[FLOW_SRAM] = 1 + clocks_of_lookups(b, stored_lookups(m) + m->trips_in_flight);
    wait[FLOW_STAGE2] = clocks_of_matches(b, m->places[FLOW_STAGE2]);
    wait[FLOW_EGRESS] = m->places[FLOW_EGRESS] * b->slowest_record;
}

/* The backlogs of a board whose FIFOs never fill; the delays before stage 2 and the egress make their input burstier by
 * as much as they are. */
static void bound_unblocked(const struct flow_bound *b, double elements[FLOW_QUEUES],
                            double wait[FLOW_QUEUES])
{
    const double fetch = b->machine.fetch_clocks, late = b->bd_late + 2;
    const double of_words =
        b->match_count > 0 ? ceil(b->greatest[FLOW_STAGE2]) + ceil(late + b->longest_lookup) : 0;
    const double matches = b->machine.trips_in_flight > 1 ? of_words : fmin(of_words, b->greatest_2);
    const double work =
        fmin(b->greatest_egress, b->greatest[FLOW_EGRESS] + late + b->longest_lookup + matches);
    for (unsigned i = 0; i <= FLOW_SRAM; i++)
        elements[i] = b->greatest[i];
    elements[FLOW_STAGE2] = matches > 0 ? matches + fetch - 1 : 0;
    elements[FLOW_EGRESS] = work > 0 ? ceil(work / b->quickest_record) : 0;
    wait[FLOW_INGRESS] = 1;
    wait[FLOW_WMER] = elements[FLOW_WMER];
    wait[FLOW_SRAM] = b->lookup_count > 0 ? late : 0;
    wait[FLOW_STAGE2] = elements[FLOW_STAGE2];
    wait[FLOW_EGRESS] = work;
}

/* In a board that may block: what the SRAM FIFO is allowed, and what 1bd and 2 can bring at most, which hangs together
 * with nothing before them. */
static void bound_ends(const struct flow_bound *b, double elements[FLOW_QUEUES], double wait[FLOW_QUEUES])
{
    const struct flow_machine *m = &b->machine;
    const double work = b->greatest_egress, matches = b->greatest_2 + m->fetch_clocks - 1;
    const double records = work > 0 ? ceil(work / b->quickest_record) : 0;
    const bool stage2_flows = records < m->places[FLOW_EGRESS] && m->trips_in_flight == 1;
    elements[FLOW_SRAM] = (double)stored_lookups(m);
    elements[FLOW_STAGE2] = stage2_flows ? fmin(elements[FLOW_STAGE2], matches) : elements[FLOW_STAGE2];
    elements[FLOW_EGRESS] = fmin(elements[FLOW_EGRESS], records);
    wait[FLOW_EGRESS] = fmin(wait[FLOW_EGRESS], work);
}

struct flow_limits flow_bound_limits(const struct flow_bound *b)
{
    const struct flow_machine *m = &b->machine;
    struct flow_limits l = {.most_clocks = b->most};
    double wait[FLOW_QUEUES];
    if (b->word_count == 0)
        return l;
    bound_waits(b, l.wait);
    bound_unblocked(b, l.unblocked, wait);
    l.flows = l.unblocked[FLOW_WMER] <= m->places[FLOW_WMER] && l.unblocked[FLOW_SRAM] < m->lookup_limit &&
              l.unblocked[FLOW_STAGE2] <= m->places[FLOW_STAGE2] &&
              l.unblocked[FLOW_EGRESS] < m->places[FLOW_EGRESS];
    for (unsigned i = 0; i < FLOW_QUEUES; i++) {
        l.elements[i] = l.flows ? l.unblocked[i] : m->places[i];
        l.wait[i] = l.flows ? fmin(l.wait[i], wait[i]) : l.wait[i];
    }
    if (!l.flows)
        bound_ends(b, l.elements, l.wait);
    l.least_clocks =
        floor(fmax(fmax(b->least[FLOW_INGRESS] + 1, b->least[FLOW_WMER]),
                   fmax(fmax(b->least[FLOW_SRAM], b->least[FLOW_STAGE2]), b->least[FLOW_EGRESS] + 1)));
    return l;
}

void flow_bound_restart(struct flow_bound *b)
{
    *b = (struct flow_bound){.machine = b->machine, .memory = b->memory};
}

void flow_bound_destroy(struct flow_bound *b)
{
    free(b->memory.words);
    free(b->memory.served);
    for (unsigned i = 0; i < FLOW_ENDS; i++)
        free(b->memory.ends[i]);
    *b = (struct flow_bound){0};
}
