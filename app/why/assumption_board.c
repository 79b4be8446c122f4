#include "app/why/assumption_board.h"

#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "blast/sequence/sequence.h"
#include "sim/board/steady_bus.h"

#define NEEDS(assumption) (1u << ASSUME_##assumption)

static const char board[] = "recurrences of the board", queues[] = "one queue at a time";

#define STEP(id, engine, needs, name, meaning) [id] = {name, engine, meaning, needs}

const struct assumption_spec assumptions[ASSUMPTIONS] = {ASSUMPTION_ROWS(STEP)};

static const struct names step_names = {assumptions, sizeof *assumptions, ASSUMPTIONS, false};

/* Put a step at the end of the order, after those that it needs; nothing if it is there already. */
static void put(enum assumption step, enum assumption *order, unsigned *count, unsigned *set)
{
    for (unsigned need = 0; need < ASSUMPTIONS; need++)
        if (assumptions[step].needs >> need & 1 && !assumption_holds(*set, need))
            put((enum assumption)need, order, count, set);
    if (assumption_holds(*set, step))
        return;
    order[(*count)++] = step;
    *set |= 1u << step;
}

int assumptions_order(const char *wish, enum assumption *order, struct why *why)
{
    unsigned count = 0, set = 0, named = 0;
    put(ASSUME_BUS, order, &count, &set);
    for (struct word rest = word_of(wish ? wish : ""); rest.length > 0;) {
        struct word name = word_cut(&rest, ",");
        int step = names_find(step_names, name);
        const char *nearest = step < 0 ? names_nearest(step_names, name) : NULL;
        if (step < 0)
            return why_say(why, ASSUMPTION_EORDER,
                           "--order: no step is named '%.*s'; expected names such as services,clumps%s%s%s",
                           (int)(name.length < 32 ? name.length : 32), name.text,
                           nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
        if (named >> step & 1)
            return why_say(why, ASSUMPTION_EORDER, "--order: %s is named twice", assumptions[step].name);
        named |= 1u << step;
        if (step != ASSUME_LOSS)
            put((enum assumption)step, order, &count, &set);
    }
    for (unsigned step = 0; step < ASSUMPTIONS; step++)
        put((enum assumption)step, order, &count, &set);
    return 0;
}

enum { WORDS_A_READ = 1 << 16 };

/* --- the run's tokens ------------------------------------------------------------------------------------ */

static void make_room(struct assumption_tokens *run, const struct tokens *block)
{
    if (run->group_count + block->group_count > UINT32_MAX ||
        run->match_count + block->match_count > UINT32_MAX)
        memory_exhausted();
    array_reserve(&run->words, &run->word_room, run->word_count, block->word_count, sizeof *run->words);
    array_reserve(&run->lookups, &run->lookup_room, run->lookup_count,
                  block->seed_count + ASSUMPTION_LOOKUPS_AHEAD, sizeof *run->lookups);
    array_reserve(&run->groups, &run->group_room, run->group_count, block->group_count, sizeof *run->groups);
    array_reserve(&run->matches, &run->match_room, run->match_count, block->match_count,
                  sizeof *run->matches);
}

static void add_lookup(struct assumption_tokens *run, struct seed_token seed,
                       const struct group_token *groups)
{
    struct assumption_lookup *lookup = &run->lookups[run->lookup_count++];
    *lookup = (struct assumption_lookup){(uint32_t)run->group_count, (uint32_t)run->match_count, 1,
                                         seed.groups, seed.outcome};
    for (unsigned i = 0; i < seed.groups; i++) {
        lookup->reads += group_sram_reads(groups[i]);
        run->groups[run->group_count++] = groups[i];
        run->match_count += groups[i].matches;
    }
    run->empty += seed.outcome == LOOKUP_EMPTY;
    run->duplicates += seed.outcome == LOOKUP_DUPLICATE;
    run->trips += seed.outcome == LOOKUP_DUPLICATE ? seed.groups : 0;
    run->reads += lookup->reads;
}

void assumption_tokens_add(struct assumption_tokens *run, const struct tokens *block)
{
    make_room(run, block);
    for (size_t i = 0; i < block->word_count; i++)
        run->words[run->word_count++] = block->words[i];
    for (size_t i = 0; i < block->match_count; i++) {
        run->matches[run->match_count + i] = block->matches[i];
        run->hsps += block->matches[i];
    }
    for (size_t seed = 0, group = 0; seed < block->seed_count; group += block->seeds[seed++].groups)
        add_lookup(run, block->seeds[seed], block->groups + group);
}

void assumption_tokens_end_pass(struct assumption_tokens *run)
{
    array_reserve(&run->pass_ends, &run->pass_room, run->pass_count, 1, sizeof *run->pass_ends);
    if (run->lookups)
        memset(run->lookups + run->lookup_count, 0, ASSUMPTION_LOOKUPS_AHEAD * sizeof *run->lookups);
    run->pass_ends[run->pass_count++] = run->word_count;
}

/* @return false if the record is damaged */
static bool read_pass(const struct token_record *record, size_t pass, const struct hardware *hardware,
                      struct assumption_tokens *run)
{
    struct overdrive overdrive = hardware_overdrive(hardware);
    auto_by(token_reader_destroy) struct token_reader reader;
    struct stage_source source = token_reader_begin(&reader, record, pass);
    struct pass_counts counts = {0};
    auto_by(tokens_destroy) struct tokens block = {0};
    bool whole = true;
    while (whole && reader.words_left > 0) {
        uint64_t words = reader.words_left < WORDS_A_READ ? reader.words_left : WORDS_A_READ;
        whole = source.scan(source.data, 0, words, &block, &counts) > 0;
        if (whole) {
            overdrive_add(&overdrive, &block, &counts);
            assumption_tokens_add(run, &block);
        }
    }
    tokens_destroy(&overdrive.out);
    assumption_tokens_end_pass(run);
    return whole;
}

int assumption_tokens_read(const struct token_record *record, const char *path,
                           const struct hardware *hardware, struct assumption_tokens *run, struct why *why)
{
    bool whole = true;
    *run = (struct assumption_tokens){0};
    for (size_t pass = 0; whole && pass < token_record_run(record)->facts.pass_count; pass++)
        whole = read_pass(record, pass, hardware, run);
    if (whole && run->lookup_count > 0 && run->match_count > 0)
        return 0;
    assumption_tokens_destroy(run);
    return why_say(why, ASSUMPTION_EINPUT,
                   whole ? "%.300s: no seed of the run has a match, so there are no queues to explain"
                         : "%.300s: its tokens contradict its counts; record the run again",
                   path);
}

void assumption_tokens_destroy(struct assumption_tokens *run)
{
    free(run->words);
    free(run->lookups);
    free(run->groups);
    free(run->matches);
    free(run->pass_ends);
    *run = (struct assumption_tokens){0};
}

/* --- dealing --------------------------------------------------------------------------------------------- */

/* Each w-mer without a seed is as likely as any other: a word is drawn, and then one of its w-mers. */
static void deal_words(const struct assumption_tokens *run, gsl_rng *random, uint8_t *words)
{
    memset(words, 0, run->word_count);
    for (size_t left = run->lookup_count; left > 0;) {
        size_t word = (size_t)(gsl_rng_uniform(random) * (double)run->word_count);
        if (gsl_rng_uniform_int(random, BASES_PER_WORD) < words[word])
            continue; /* that w-mer has a seed */
        words[word]++;
        left--;
    }
}

/* Fisher and Yates. */
static void deal_lookups(const struct assumption_tokens *run, gsl_rng *random,
                         struct assumption_lookup *lookups)
{
    memcpy(lookups, run->lookups, run->lookup_count * sizeof *lookups);
    for (size_t i = run->lookup_count - 1; i > 0; i--) {
        size_t other = (size_t)(gsl_rng_uniform(random) * (double)(i + 1));
        struct assumption_lookup lookup = lookups[i];
        lookups[i] = lookups[other];
        lookups[other] = lookup;
    }
}

void assumption_deal(const struct assumption_tokens *run, bool words, bool lookups, unsigned long seed,
                     uint64_t number, struct assumption_deal *deal)
{
    const uint64_t of = number + 1, state = (seed + 2 * number) * 2654435761u;
    if (words && deal->words_of != of) {
        gsl_rng *random = random_new(state);
        deal->own_words = deal->own_words ? deal->own_words : memory_take(run->word_count);
        deal->words_of = of;
        deal_words(run, random, deal->own_words);
        gsl_rng_free(random);
    }
    if (lookups && deal->lookups_of != of) {
        const size_t room = run->lookup_count + ASSUMPTION_LOOKUPS_AHEAD;
        gsl_rng *random = random_new(state + 2654435761u);
        deal->own_lookups =
            deal->own_lookups ? deal->own_lookups : memory_new(room, sizeof *deal->own_lookups);
        deal->lookups_of = of;
        deal_lookups(run, random, deal->own_lookups);
        gsl_rng_free(random);
    }
    deal->words = words ? deal->own_words : run->words;
    deal->lookups = lookups ? deal->own_lookups : run->lookups;
}

void assumption_deal_destroy(struct assumption_deal *deal)
{
    free(deal->own_words);
    free(deal->own_lookups);
    *deal = (struct assumption_deal){0};
}

/* Times of the last elements of a kind. */
struct lane {
    double *at;
    uint64_t mask, count;
};

enum { WORD_TAKEN, SEED_ISSUED, LOOKUP_ENTERED, LOOKUP_TAKEN, MATCH_TAKEN, RECORD_LEFT, LANES };

struct assumption_board {
    const struct assumption_machine *machine;
    const struct assumption_tokens *tokens;
    const struct board_rules *rules;
    unsigned set;
    bool real, bounded, records; /* times are real; FIFOs have bounds; records cross the bus */
    double later;                /* clocks until what is stored may be taken: 1, or 0 in real time */
    struct assumption_services services;
    struct hardware supply; /* the machine, with its source */

    /* A pass on the board. */
    struct steady_bus bus;
    struct bus_share share;
    struct lane lanes[LANES];
    uint64_t examined; /* number of reads whose room was looked at (board.c, find_sram_room()) */
    double bus_free, beside, last_delivered, free_1a, free_1bp, free_1bd, free_2, last_record;
    double last_left; /* the last lookup's matches entered the stage-2 FIFO, or it was taken */
    struct assumption_level levels[FIFO_EGRESS];

    /* Where it is in the run. */
    uint64_t words;
    struct assumption_sums *sums;
};

#define NEVER (-INFINITY)

/* --- services -------------------------------------------------------------------------------------------- */

struct assumption_services assumption_services_of(const struct assumption_machine *m, unsigned set)
{
    const struct assumption_tokens *t = m->tokens;
    double seeds = (double)t->lookup_count, reads = (double)t->reads, empty = (double)t->empty;
    double trip_cycles = board_trip_cycles(&m->hardware->board);
    double trips = (double)t->trips * trip_cycles;
    double all = seeds - (double)t->duplicates + trips; /* clocks of all lookups */
    bool ends = assumption_holds(set, ASSUME_EMPTY), rates = assumption_holds(set, ASSUME_RATES);
    double come = seeds - (ends ? empty : 0);
    struct assumption_services s = {
        .read_1bp = assumption_holds(set, ASSUME_MEMORY) ? m->service_1b_clocks : 1,
        .scale_1b = m->service_1b_clocks * seeds / reads,
        .scale_1bd = m->service_1b_clocks * come / (reads - (ends ? empty : 0)),
        .mean_1b = rates ? m->service_1b_clocks : all / seeds,
        .mean_1bd = rates ? m->service_1b_clocks : (all - (ends ? empty : 0)) / come,
    };
    return s;
}

double assumption_lookup_clocks(const struct assumption_machine *m,
                                const struct assumption_services *services, unsigned set,
                                const struct assumption_lookup *lookup, bool joined)
{
    if (assumption_holds(set, ASSUME_RATES))
        return (double)lookup->reads * (joined ? services->scale_1b : services->scale_1bd);
    return (double)stream_lookup_clocks(&m->hardware->board, lookup->outcome, lookup->groups);
}

/* --- lanes ----------------------------------------------------------------------------------------------- */

static void lane_begin(struct lane *lane, uint64_t depth)
{
    uint64_t room = 1;
    while (room < depth + 2 && room < ASSUMPTION_LEVEL_MOST)
        room *= 2;
    *lane = (struct lane){memory_take(room * sizeof *lane->at), room - 1, 0};
}

static inline void lane_put(struct lane *lane, double at)
{
    lane->at[lane->count++ & lane->mask] = at;
}

/* The time of the element that came `back` before element `number`. */
static inline double lane_before(const struct lane *lane, uint64_t number, uint64_t back)
{
    return number < back || back > lane->mask ? NEVER : lane->at[(number - back) & lane->mask];
}

/* The time of the element that came `back` before the one that comes after `ahead` others. */
static inline double lane_back(const struct lane *lane, uint64_t ahead, uint64_t back)
{
    return lane_before(lane, lane->count + ahead, back);
}

/* --- beginning ------------------------------------------------------------------------------------------- */

static void begin_levels(struct assumption_board *b)
{
    const uint64_t *k = b->machine->places;
    const uint64_t places[FIFO_EGRESS] = {
        [FIFO_INGRESS] = (k[QUANTITY_1A] + BASES_PER_WORD - 1) / BASES_PER_WORD,
        [FIFO_WMER] = k[QUANTITY_1B],
        [FIFO_SRAM] = k[QUANTITY_1BD],
        [FIFO_STAGE2] = k[QUANTITY_2],
    };
    for (unsigned fifo = 0; fifo < FIFO_EGRESS; fifo++)
        assumption_level_begin(&b->levels[fifo], assumption_holds(b->set, ASSUME_SIGNAL)
                                                     ? places[fifo]
                                                     : board_fifo_back_pressure_at(fifo, b->rules));
}

static void begin_lanes(struct assumption_board *b)
{
    const struct board_rules *r = b->rules;
    const uint64_t depths[LANES] = {
        [WORD_TAKEN] = r->ingress_words,
        [SEED_ISSUED] = r->wmer_seeds + 1,
        [LOOKUP_ENTERED] = (uint64_t)r->sram_read_cycles + 1,
        [LOOKUP_TAKEN] = (uint64_t)r->sram_lookups + r->sram_read_cycles,
        [MATCH_TAKEN] = r->stage2_matches + 1,
        [RECORD_LEFT] = r->egress_records,
    };
    for (unsigned i = 0; i < LANES; i++)
        lane_begin(&b->lanes[i], depths[i]);
}

struct assumption_board *assumption_board_new(const struct assumption_machine *m, unsigned set)
{
    struct assumption_board *b = memory_new(1, sizeof *b);
    b->machine = m;
    b->tokens = m->tokens;
    b->rules = &m->hardware->board;
    b->set = set;
    b->real = assumption_holds(set, ASSUME_CLOCKS);
    b->later = b->real ? 0 : 1;
    b->bounded = !assumption_holds(set, ASSUME_BOUNDS);
    b->records = !assumption_holds(set, ASSUME_RECORDS);
    b->services = assumption_services_of(m, set);
    b->supply = *m->hardware;
    if (assumption_holds(set, ASSUME_SOURCE))
        b->supply.host_supply =
            (double)m->tokens->word_count * BYTES_PER_WORD / m->clocks * m->hardware->fpga_clock_hz;
    begin_levels(b);
    begin_lanes(b);
    return b;
}

void assumption_board_destroy(struct assumption_board *b)
{
    for (unsigned i = 0; i < LANES; i++)
        free(b->lanes[i].at);
    for (unsigned fifo = 0; fifo < FIFO_EGRESS; fifo++)
        assumption_level_destroy(&b->levels[fifo]);
    free(b);
}

static void begin_pass(struct assumption_board *b)
{
    for (unsigned i = 0; i < LANES; i++)
        b->lanes[i].count = 0;
    for (unsigned fifo = 0; fifo < FIFO_EGRESS; fifo++)
        assumption_level_restart(&b->levels[fifo]);
    b->bus = steady_bus_begin(&b->supply);
    b->examined = 0;
    b->beside = 0;
    b->bus_free = b->last_delivered = b->last_record = b->last_left = NEVER;
    b->free_1a = b->free_1bp = b->free_1bd = b->free_2 = NEVER;
}

/* --- elements -------------------------------------------------------------------------------------------- */

static double clocks_of(int64_t ticks)
{
    return (double)ticks / (double)BOARD_TICKS_PER_CLOCK;
}

/* An element is in a FIFO from `came` until `gone`, and its server has done with it at `done`. A signal that does not
 * count what comes in the same clock is later by a clock. */
static inline void count_element(struct assumption_board *b, enum board_fifo fifo, double came, double gone,
                                 double done)
{
    double counted = came + (b->real || fifo == FIFO_SRAM ? 0 : 1);
    b->sums->counts.occupancy[fifo] += gone - came;
    b->sums->counts.signal[fifo] += assumption_level_add(
        &b->levels[fifo], counted, assumption_holds(b->set, ASSUME_SIGNAL) ? done : gone);
}

/* Stage 2 takes a match that entered its FIFO. */
static void move_match(struct assumption_board *b, double entered, bool passed)
{
    bool egress = b->records && b->bounded;
    double fetch =
        (double)board_latency(assumption_holds(b->set, ASSUME_FETCH) ? 0 : b->rules->stage2_fetch_cycles);
    double begin = fmax(entered + fetch - (b->real ? 1 : 0), b->free_2);
    if (egress) {
        double room = lane_back(&b->lanes[RECORD_LEFT], 0, b->rules->egress_records);
        begin = fmax(begin, b->real ? room : ceil(room));
    }
    b->free_2 = begin + 1;
    lane_put(&b->lanes[MATCH_TAKEN], begin);
    b->sums->counts.matches++;
    count_element(b, FIFO_STAGE2, entered, begin, b->free_2);
    if (!passed)
        return;
    b->sums->records++;
    if (b->records) {
        b->last_record = fmax(b->last_record + clocks_of(b->share.record_ticks), b->real ? b->free_2 : begin);
        lane_put(&b->lanes[RECORD_LEFT], b->last_record);
        const int64_t left = llround(b->last_record * (double)BOARD_TICKS_PER_CLOCK);
        steady_bus_records(&b->bus, &left, 1);
    }
}

/* 1bd serves a lookup from `begin` on: its groups enter the stage-2 FIFO. @return when it has done */
static double move_groups(struct assumption_board *b, const struct assumption_lookup *lookup, double begin)
{
    double clocks = assumption_lookup_clocks(b->machine, &b->services, b->set, lookup, false);
    double apart = b->real                               ? clocks / lookup->groups
                   : lookup->outcome == LOOKUP_DUPLICATE ? (double)board_trip_cycles(b->rules)
                                                         : 0;
    double at = begin;
    const uint8_t *matches = b->tokens->matches + lookup->match;
    for (unsigned i = 0; i < lookup->groups; i++) {
        unsigned count = b->tokens->groups[lookup->group + i].matches;
        at += apart;
        if (b->bounded)
            at = fmax(at, lane_back(&b->lanes[MATCH_TAKEN], count, b->rules->stage2_matches + 1));
        for (unsigned match = 0; match < count; match++)
            move_match(b, at, *matches++);
    }
    if (lookup->groups == 0)
        return begin + (b->real ? clocks : 1);
    return b->real ? at : fmax(begin + 1, at);
}

/* The first time from `at` on in which 1bp can issue a read: the lookups that have entered the SRAM FIFO until then
 * must have left room. Each is looked at once. */
static double find_sram_room(struct assumption_board *b, double at)
{
    uint64_t limit = b->rules->sram_lookups - b->rules->sram_margin;
    for (; b->examined < b->lanes[LOOKUP_ENTERED].count; b->examined++) {
        uint64_t back = b->lanes[LOOKUP_ENTERED].count - b->examined;
        if (back <= b->lanes[LOOKUP_ENTERED].mask && lane_back(&b->lanes[LOOKUP_ENTERED], 0, back) > at)
            break;
        if (b->examined + 1 >= limit)
            at = fmax(at, lane_before(&b->lanes[LOOKUP_TAKEN], b->examined + 1, limit));
    }
    return at;
}

/* 1bp issues the read of a seed that 1a pushed, and 1bd takes the lookup. */
static void move_seed(struct assumption_board *b, const struct assumption_lookup *lookup, double pushed)
{
    double issued = fmax(b->free_1bp, pushed + b->later);
    double latency = (double)board_latency(b->rules->sram_read_cycles);
    if (b->bounded)
        issued = find_sram_room(b, issued);
    b->free_1bp = issued + b->services.read_1bp;
    lane_put(&b->lanes[SEED_ISSUED], issued);
    b->sums->counts.seeds++;
    b->sums->counts.sram_reads += lookup->reads;
    count_element(b, FIFO_WMER, pushed, issued, b->free_1bp);
    if (assumption_holds(b->set, ASSUME_EMPTY) && lookup->outcome == LOOKUP_EMPTY)
        return;
    double entered = b->real ? b->free_1bp + latency - 1 : issued + latency;
    double begin = fmax(entered + b->later, b->free_1bd);
    lane_put(&b->lanes[LOOKUP_ENTERED], entered);
    lane_put(&b->lanes[LOOKUP_TAKEN], begin);
    b->free_1bd = move_groups(b, lookup, begin);
    b->last_left = lookup->groups > 0 && b->free_1bd > begin + 1 ? b->free_1bd : begin;
    count_element(b, FIFO_SRAM, entered, begin, b->free_1bd);
}

/* The bus delivers a word of a block. @return when it is in the ingress FIFO */
static double deliver(struct assumption_board *b, uint64_t word_of_block)
{
    double supplied = clocks_of(b->share.supply_first + (int64_t)word_of_block * b->share.supply_ticks);
    double at = fmax(b->bus_free, supplied);
    double room = b->bounded ? lane_back(&b->lanes[WORD_TAKEN], 0, b->rules->ingress_words) : NEVER;
    if (b->real) {
        at = fmax(at, room);
    } else {
        double too_soon = fmax(b->last_delivered, room - 1);
        at = too_soon >= at ? too_soon + 1 : at;
    }
    const double word = clocks_of(b->share.word_ticks); /* as word_bus_carry() */
    const double left = fmax(0, b->beside - (at - b->bus_free)), beside = fmin(left, word);
    b->beside = left - beside;
    b->bus_free = at + word + beside;
    b->last_delivered = b->real ? at : ceil(at);
    return b->last_delivered;
}

static double move_word(struct assumption_board *b, uint64_t word_of_block, unsigned seeds,
                        const struct assumption_lookup *lookups)
{
    double delivered = deliver(b, word_of_block);
    double begin = fmax(delivered + b->later, b->free_1a);
    if (b->bounded)
        begin = fmax(begin, lane_back(&b->lanes[SEED_ISSUED], seeds, b->rules->wmer_seeds + 1));
    b->free_1a = begin + 1;
    lane_put(&b->lanes[WORD_TAKEN], begin);
    b->sums->counts.words++;
    count_element(b, FIFO_INGRESS, delivered, begin, b->free_1a);
    for (unsigned i = 0; i < seeds; i++) {
        const struct assumption_lookup *ahead =
            &lookups[i + ASSUMPTION_LOOKUPS_AHEAD]; /* dealt: anywhere in memory */
        __builtin_prefetch(&b->tokens->groups[ahead->group]);
        __builtin_prefetch(&b->tokens->matches[ahead->match]);
        move_seed(b, &lookups[i], b->real ? b->free_1a : begin);
    }
    return begin;
}

/* --- passes ---------------------------------------------------------------------------------------------- */

static void begin_block(struct assumption_board *b, uint64_t words)
{
    bool first = b->lanes[WORD_TAKEN].count == 0;
    int64_t bus_free = first ? 0 : llround(b->bus_free * (double)BOARD_TICKS_PER_CLOCK);
    b->share = steady_bus_block(&b->bus, words, bus_free);
    b->bus_free = fmax(b->bus_free, clocks_of(b->share.begin));
    b->beside += clocks_of(b->share.beside_ticks);
}

/* When everything has left the board. */
static double drained(const struct assumption_board *b)
{
    double end = fmax(fmax(b->free_1a, b->free_1bp), fmax(b->free_1bd, b->free_2));
    if (b->real)
        return fmax(end, b->last_record);
    double last = fmax(fmax(b->free_1a, b->free_2) - 1, b->last_left); /* board_drained() */
    return fmax(last, ceil(b->last_record)) + 1;
}

void assumption_board_run(struct assumption_board *b, const struct assumption_deal *deal,
                          uint64_t words_a_stretch, struct assumption_sums *sums, size_t count)
{
    const struct assumption_lookup *lookup = deal->lookups;
    uint64_t block_words = b->machine->hardware->pcix_block_bytes / BYTES_PER_WORD;
    size_t word = 0;
    for (size_t pass = 0; pass < b->tokens->pass_count; pass++) {
        size_t first = word, end = b->tokens->pass_ends[pass];
        double begun = 0;
        begin_pass(b);
        for (; word < end; word++) {
            uint64_t of_block = (word - first) % block_words;
            size_t stretch = b->words++ / words_a_stretch;
            if (of_block == 0)
                begin_block(b, end - word < block_words ? end - word : block_words);
            b->sums = &sums[stretch < count ? stretch : count - 1];
            double begin = move_word(b, of_block, deal->words[word], lookup);
            lookup += deal->words[word];
            b->sums->counts.clocks += begin - begun;
            begun = begin;
        }
        if (end > first)
            b->sums->counts.clocks += drained(b) - begun;
    }
}
