#include "tests/sim/board/random_tokens.h"

#include <inttypes.h>
#include <stdlib.h>

#define CLOCK BOARD_TICKS_PER_CLOCK

/* ---- dice ---- */

uint64_t dice_next(struct dice *dice)
{
    uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t dice_below(struct dice *dice, uint64_t sides)
{
    return dice_next(dice) % sides;
}

uint64_t dice_between(struct dice *dice, uint64_t low, uint64_t high)
{
    return low + dice_below(dice, high - low + 1);
}

bool dice_chance(struct dice *dice, unsigned percent)
{
    return dice_below(dice, 100) < percent;
}

/* 1 .. high, small ones as likely as large ones. */
static unsigned dice_size(struct dice *dice, unsigned high)
{
    return (unsigned)dice_between(dice, 1, dice_between(dice, 1, high));
}

static int64_t dice_ticks(struct dice *dice, int64_t low, int64_t high)
{
    return (int64_t)dice_between(dice, (uint64_t)low, (uint64_t)high);
}

/* ---- rules ---- */

struct board_rules rules_default(void)
{
    return (struct board_rules){.ingress_words = 8,
                                .wmer_seeds = 130,
                                .wmer_margin = 16,
                                .sram_lookups = 500,
                                .sram_margin = 40,
                                .stage2_matches = 10,
                                .stage2_margin = 5,
                                .egress_records = 512,
                                .sram_read_cycles = 20,
                                .sram_trip_cycles = 60,
                                .trips_in_flight = 1,
                                .stage2_fetch_cycles = 5};
}

bool rules_are_legal(const struct board_rules *rules, uint32_t largest_group)
{
    return rules->ingress_words >= 1 && rules->wmer_seeds >= 16 && rules->sram_lookups > rules->sram_margin &&
           rules->sram_margin + 1 >= rules->sram_read_cycles && rules->stage2_matches >= 1 &&
           rules->stage2_matches >= largest_group && rules->egress_records >= 1 &&
           rules->trips_in_flight >= 1;
}

static uint32_t dice_latency(struct dice *dice, uint32_t high)
{
    return dice_chance(dice, 30) ? 0 : (uint32_t)dice_between(dice, 0, high);
}

static uint32_t least_margin(const struct board_rules *rules)
{
    return rules->sram_read_cycles > 0 ? rules->sram_read_cycles - 1 : 0;
}

static void smallest_rules(struct board_rules *rules, struct dice *dice, uint32_t largest_group)
{
    rules->ingress_words = 1;
    rules->wmer_seeds = 16;
    rules->wmer_margin = (uint32_t)dice_between(dice, 0, 20);
    rules->sram_margin = least_margin(rules);
    rules->sram_lookups = rules->sram_margin + 1;
    rules->stage2_matches = largest_group;
    rules->stage2_margin = (uint32_t)dice_between(dice, 0, largest_group + 2);
    rules->egress_records = 1;
}

static void random_rules(struct board_rules *rules, struct dice *dice, uint32_t largest_group, uint32_t reach)
{
    rules->ingress_words = (uint32_t)dice_between(dice, 1, reach);
    rules->wmer_seeds = 16 + (uint32_t)dice_between(dice, 0, reach * 3);
    rules->wmer_margin = (uint32_t)dice_between(dice, 0, 24);
    rules->sram_margin =
        least_margin(rules) + (dice_chance(dice, 50) ? 0 : (uint32_t)dice_between(dice, 0, reach));
    rules->sram_lookups = rules->sram_margin + (uint32_t)dice_between(dice, 1, reach * 2);
    rules->stage2_matches = largest_group + (uint32_t)dice_between(dice, 0, reach);
    rules->stage2_margin = (uint32_t)dice_between(dice, 0, 8);
    rules->egress_records = (uint32_t)dice_between(dice, 1, reach);
}

static struct board_rules make_rules(struct dice *dice, enum rules_kind kind, uint32_t largest_group)
{
    struct board_rules rules = rules_default();
    if (kind == RULES_DEFAULT) {
        rules.stage2_matches = largest_group > 10 ? largest_group : 10;
        return rules;
    }
    rules.sram_read_cycles = dice_latency(dice, dice_chance(dice, 10) ? 300 : 30);
    rules.sram_trip_cycles = dice_latency(dice, 70);
    rules.stage2_fetch_cycles = dice_latency(dice, 10);
    if (kind == RULES_SMALLEST)
        smallest_rules(&rules, dice, largest_group);
    else
        random_rules(&rules, dice, largest_group, kind == RULES_TIGHT ? 6 : 20 + dice_size(dice, 900));
    rules.probes = dice_chance(dice, 20);
    return rules;
}

/* As often one as several, of dice of its own. */
static uint32_t make_trips_in_flight(uint64_t seed)
{
    static const uint32_t several[] = {2, 3, 8, BOARD_TRIPS_MAX};
    struct dice dice = {~seed};
    return dice_chance(&dice, 50) ? 1 : several[dice_below(&dice, 4)];
}

/* ---- bus ---- */

static void slow_host(struct bus_share *share, struct dice *dice)
{
    if (dice_chance(dice, 50)) { /* slow, but ahead by a few words */
        share->supply_ticks = share->word_ticks + dice_ticks(dice, 1, 3 * CLOCK);
        share->supply_first = share->begin - dice_ticks(dice, 0, 20 * CLOCK);
    } else { /* late, then at once */
        share->supply_ticks = dice_ticks(dice, 0, share->word_ticks);
        share->supply_first = share->begin + dice_ticks(dice, 0, 90 * CLOCK);
    }
}

static void word_and_record_ticks(struct bus_share *share, struct dice *dice, enum bus_kind kind)
{
    share->word_ticks = CLOCK + CLOCK / 19;
    share->record_ticks = 2 * CLOCK + 2 * (CLOCK / 19);
    switch (kind) {
    case BUS_SLOW:
        share->word_ticks = dice_ticks(dice, CLOCK, 9 * CLOCK);
        share->record_ticks = dice_ticks(dice, 0, 3 * CLOCK);
        break;
    case BUS_EVEN:
        share->word_ticks = CLOCK;
        share->record_ticks = dice_ticks(dice, 0, 3) * CLOCK;
        break;
    case BUS_FAST:
        share->word_ticks = dice_chance(dice, 30) ? 1 : dice_ticks(dice, 1, CLOCK - 1);
        share->record_ticks = dice_chance(dice, 30) ? 0 : dice_ticks(dice, 0, CLOCK);
        break;
    case BUS_CLOGGED:
        share->record_ticks = dice_ticks(dice, 3 * CLOCK, 40 * CLOCK);
        break;
    default:
        share->word_ticks += dice_ticks(dice, 0, CLOCK / 50);
        break;
    }
}

/* A block may begin before the bus is free, as soon as it is, or later. */
static int64_t block_begin(struct dice *dice, const struct bus_share *before, size_t words_before)
{
    if (!before)
        return dice_chance(dice, 50) ? 0 : dice_ticks(dice, 0, 50 * CLOCK);
    int64_t free_at = before->begin + (int64_t)words_before * before->word_ticks;
    switch (dice_below(dice, 4)) {
    case 0:
        return before->begin;
    case 1:
        return free_at;
    case 2:
        return free_at + dice_ticks(dice, 0, 4 * CLOCK);
    default:
        return free_at + dice_ticks(dice, 0, 1500 * CLOCK);
    }
}

static struct bus_share make_share(struct dice *dice, enum bus_kind kind, int64_t begin)
{
    if (kind == BUS_MIXED)
        kind = (enum bus_kind)dice_below(dice, BUS_MIXED);
    struct bus_share share = {.begin = begin, .supply_first = begin};
    word_and_record_ticks(&share, dice, kind);
    if (kind == BUS_STARVED || dice_chance(dice, 20))
        slow_host(&share, dice);
    if (dice_chance(dice, 50))
        share.beside_ticks = dice_ticks(dice, 0, dice_chance(dice, 50) ? 5 * CLOCK : 60 * share.word_ticks);
    return share;
}

/* ---- tokens ---- */

/* What a stream looks like; all chances in percent. */
struct recipe {
    unsigned words; /* at most, in a block */
    unsigned seedless, full;
    unsigned match, duplicate; /* of 100 seeds; the rest are false positives */
    unsigned trips;            /* at most */
    unsigned hollow;           /* trips without a match */
    unsigned passed;
    unsigned largest_group, largest_inline;
};

static struct recipe make_recipe(struct dice *dice, enum stream_kind kind)
{
    static const struct recipe recipes[STREAM_KINDS] = {
        [STREAM_SPARSE] =
            {.words = 300, .seedless = 85, .match = 60, .duplicate = 5, .trips = 4, .hollow = 10},
        [STREAM_DENSE] =
            {.words = 60, .seedless = 20, .full = 20, .match = 50, .duplicate = 8, .trips = 3, .hollow = 20},
        [STREAM_PACKED] = {.words = 90, .full = 100, .match = 8, .duplicate = 2, .trips = 2, .hollow = 20},
        [STREAM_FLOOD] =
            {.words = 20, .seedless = 60, .match = 10, .duplicate = 70, .trips = 12, .hollow = 5},
        [STREAM_MATCHES] = {.words = 50, .seedless = 30, .full = 10, .match = 100},
        [STREAM_HOLLOW] =
            {.words = 30, .seedless = 40, .match = 30, .duplicate = 40, .trips = 5, .hollow = 80},
    };
    static const unsigned passed[] = {0, 10, 50, 100};
    struct recipe recipe = recipes[kind];
    recipe.passed = passed[dice_below(dice, 4)];
    recipe.largest_group = dice_chance(dice, 10) ? (unsigned)dice_between(dice, 6, 40) : dice_size(dice, 5);
    recipe.largest_inline = recipe.largest_group < 2 ? 1 : 2;
    return recipe;
}

static void add_group(struct tokens *tokens, struct dice *dice, const struct recipe *recipe, unsigned matches,
                      unsigned others)
{
    tokens_add_group(tokens, matches, matches + others);
    for (unsigned m = 0; m < matches; m++) {
        bool passed = dice_chance(dice, recipe->passed);
        tokens_add_match(tokens, passed);
        if (passed)
            tokens_add_hsp(tokens, (struct hsp){m, tokens->match_count});
    }
}

static void add_seed(struct tokens *tokens, struct dice *dice, const struct recipe *recipe)
{
    unsigned percent = (unsigned)dice_below(dice, 100);
    if (percent < recipe->match) {
        tokens_add_seed(tokens, LOOKUP_MATCH, 1);
        add_group(tokens, dice, recipe, (unsigned)dice_between(dice, 1, recipe->largest_inline), 0);
    } else if (percent < recipe->match + recipe->duplicate) {
        unsigned trips = dice_size(dice, recipe->trips);
        tokens_add_seed(tokens, LOOKUP_DUPLICATE, trips);
        for (unsigned g = 0; g < trips; g++) {
            struct dice reads = {dice->state ^ 1}; /* entries of other keys draw from dice of their own */
            unsigned others = dice_chance(&reads, 50) ? 0 : dice_size(&reads, 40);
            add_group(tokens, dice, recipe,
                      dice_chance(dice, recipe->hollow)
                          ? 0
                          : (unsigned)dice_between(dice, 1, recipe->largest_group),
                      others);
        }
    } else {
        tokens_add_seed(tokens, dice_chance(dice, 50) ? LOOKUP_EMPTY : LOOKUP_MISMATCH, 0);
    }
}

static void make_tokens(struct tokens *tokens, struct dice *dice, const struct recipe *recipe)
{
    unsigned words = dice_chance(dice, 5) ? 0 : dice_size(dice, recipe->words);
    for (unsigned w = 0; w < words; w++) {
        unsigned seeds = dice_chance(dice, recipe->seedless) ? 0 : dice_size(dice, 16);
        if (dice_chance(dice, recipe->full))
            seeds = 16;
        tokens_add_word(tokens, seeds);
        for (unsigned s = 0; s < seeds; s++)
            add_seed(tokens, dice, recipe);
    }
}

void case_make(struct random_case *made, uint64_t seed, enum stream_kind stream, enum rules_kind rules,
               enum bus_kind bus)
{
    struct dice dice = {seed};
    struct recipe recipe = make_recipe(&dice, stream);
    *made = (struct random_case){.seed = seed};
    made->rules = make_rules(&dice, rules, recipe.largest_group);
    made->rules.trips_in_flight = make_trips_in_flight(seed);
    made->block_count = dice_between(&dice, 1, CASE_BLOCKS);
    for (size_t b = 0; b < made->block_count; b++) {
        make_tokens(&made->tokens[b], &dice, &recipe);
        const struct bus_share *before = b > 0 ? &made->shares[b - 1] : NULL;
        int64_t begin = block_begin(&dice, before, b > 0 ? made->tokens[b - 1].word_count : 0);
        made->shares[b] = make_share(&dice, bus, begin);
    }
}

void case_destroy(struct random_case *made)
{
    for (size_t b = 0; b < CASE_BLOCKS; b++)
        tokens_destroy(&made->tokens[b]);
    made->block_count = 0;
}

/* ---- copying tokens, some left out ---- */

enum part { PART_NOTHING, PART_WORD, PART_SEED, PART_GROUP, PART_MATCH, PART_PASS };

/* Elements first .. last - 1 of that kind are left out, with all that follows from them; PART_PASS filters a
 * match. */
struct cut {
    enum part part;
    size_t first, last;
};

struct copying {
    const struct tokens *from;
    struct tokens *to;
    struct cut cut;
    size_t word, seed, group, match; /* next to read */
};

static bool is_cut(const struct copying *copying, enum part part, size_t number)
{
    return copying->cut.part == part && number >= copying->cut.first && number < copying->cut.last;
}

/* All copy_ functions read one element and return whether it is still there. */
static bool copy_match(struct copying *copying, bool keep)
{
    size_t number = copying->match++;
    bool passed = copying->from->matches[number] && !is_cut(copying, PART_PASS, number);
    if (!keep || is_cut(copying, PART_MATCH, number))
        return false;
    tokens_add_match(copying->to, passed);
    if (passed)
        tokens_add_hsp(copying->to, (struct hsp){0, number});
    return true;
}

static bool copy_group(struct copying *copying, bool keep)
{
    size_t number = copying->group++;
    struct group_token group = copying->from->groups[number];
    keep = keep && !is_cut(copying, PART_GROUP, number);
    unsigned matches = 0;
    for (unsigned m = 0; m < group.matches; m++)
        matches += copy_match(copying, keep);
    keep = keep && (matches > 0 || group.matches == 0); /* a group that lost its last match goes, too */
    if (keep)
        tokens_add_group(copying->to, matches, group.entries);
    return keep;
}

static bool copy_seed(struct copying *copying, bool keep)
{
    size_t number = copying->seed++;
    struct seed_token seed = copying->from->seeds[number];
    keep = keep && !is_cut(copying, PART_SEED, number);
    unsigned groups = 0;
    for (unsigned g = 0; g < seed.groups; g++)
        groups += copy_group(copying, keep);
    if (keep)
        tokens_add_seed(copying->to, groups > 0 ? (enum lookup_outcome)seed.outcome : LOOKUP_EMPTY, groups);
    return keep;
}

static void copy_word(struct copying *copying)
{
    size_t number = copying->word++;
    bool keep = !is_cut(copying, PART_WORD, number);
    unsigned seeds = 0;
    for (unsigned s = 0; s < copying->from->words[number]; s++)
        seeds += copy_seed(copying, keep);
    if (keep)
        tokens_add_word(copying->to, seeds);
}

static void tokens_copy(struct tokens *to, const struct tokens *from, struct cut cut)
{
    struct copying copying = {.from = from, .to = to, .cut = cut};
    tokens_clear(to);
    while (copying.word < from->word_count)
        copy_word(&copying);
}

/* `to` becomes `from` with a cut in one block. */
static void case_copy(struct random_case *to, const struct random_case *from, size_t cut_block,
                      struct cut cut)
{
    to->seed = from->seed;
    to->rules = from->rules;
    to->block_count = from->block_count;
    for (size_t b = 0; b < from->block_count; b++) {
        tokens_copy(&to->tokens[b], &from->tokens[b],
                    b == cut_block ? cut : (struct cut){PART_NOTHING, 0, 0});
        to->shares[b] = from->shares[b];
    }
}

/* ---- shrinking ---- */

struct shrinking {
    struct random_case *best; /* fails */
    struct random_case trial;
    bool (*fails)(const struct random_case *, void *);
    void *context;
    unsigned attempts;
    bool progress;
};

/* Keep the trial if it fails, too. */
static bool try_trial(struct shrinking *shrinking)
{
    if (shrinking->attempts == 0)
        return false;
    shrinking->attempts--;
    if (!shrinking->fails(&shrinking->trial, shrinking->context))
        return false;
    struct random_case worse = *shrinking->best;
    *shrinking->best = shrinking->trial;
    shrinking->trial = worse;
    shrinking->progress = true;
    return true;
}

static bool try_cut(struct shrinking *shrinking, size_t block, enum part part, size_t first, size_t last)
{
    case_copy(&shrinking->trial, shrinking->best, block, (struct cut){part, first, last});
    return try_trial(shrinking);
}

static size_t part_count(const struct tokens *tokens, enum part part)
{
    switch (part) {
    case PART_WORD:
        return tokens->word_count;
    case PART_SEED:
        return tokens->seed_count;
    case PART_GROUP:
        return tokens->group_count;
    default:
        return tokens->match_count;
    }
}

/* A cut that changes nothing must not be tried: it would always count as progress. */
static bool changes_anything(const struct tokens *tokens, enum part part, size_t first, size_t last)
{
    if (part != PART_PASS)
        return first < last;
    for (size_t m = first; m < last; m++)
        if (tokens->matches[m])
            return true;
    return false;
}

/* Cut runs of elements, from half of all down to single ones, from the end on. */
static void shrink_part(struct shrinking *shrinking, size_t block, enum part part)
{
    struct tokens *const tokens = shrinking->best->tokens;
    for (size_t run = part_count(&tokens[block], part) / 2 + 1; run >= 1; run /= 2) {
        size_t last = part_count(&tokens[block], part);
        while (last > 0) {
            size_t first = last > run ? last - run : 0;
            if (changes_anything(&tokens[block], part, first, last))
                try_cut(shrinking, block, part, first, last);
            last = first;
        }
    }
}

static void drop_block(struct random_case *made, size_t block)
{
    struct tokens dropped = made->tokens[block];
    for (size_t b = block; b + 1 < made->block_count; b++) {
        made->tokens[b] = made->tokens[b + 1];
        made->shares[b] = made->shares[b + 1];
    }
    made->tokens[--made->block_count] = dropped;
}

static void shrink_blocks(struct shrinking *shrinking)
{
    for (size_t b = shrinking->best->block_count; b-- > 0 && shrinking->best->block_count > 1;) {
        case_copy(&shrinking->trial, shrinking->best, 0, (struct cut){PART_NOTHING, 0, 0});
        drop_block(&shrinking->trial, b);
        try_trial(shrinking);
    }
}

static uint32_t largest_group(const struct random_case *made)
{
    uint32_t largest = 1;
    for (size_t b = 0; b < made->block_count; b++)
        for (size_t g = 0; g < made->tokens[b].group_count; g++)
            if (made->tokens[b].groups[g].matches > largest)
                largest = made->tokens[b].groups[g].matches;
    return largest;
}

enum { RULE_NUMBERS = 12, SHARE_NUMBERS = 6 };

static uint32_t *rule_number(struct board_rules *rules, unsigned number)
{
    uint32_t *const numbers[RULE_NUMBERS] = {
        &rules->ingress_words,    &rules->wmer_seeds,          &rules->wmer_margin,
        &rules->sram_lookups,     &rules->sram_margin,         &rules->stage2_matches,
        &rules->stage2_margin,    &rules->egress_records,      &rules->sram_read_cycles,
        &rules->sram_trip_cycles, &rules->stage2_fetch_cycles, &rules->trips_in_flight};
    return numbers[number];
}

static void try_rule(struct shrinking *shrinking, unsigned number, uint32_t value)
{
    if (value >= *rule_number(&shrinking->best->rules, number))
        return;
    case_copy(&shrinking->trial, shrinking->best, 0, (struct cut){PART_NOTHING, 0, 0});
    *rule_number(&shrinking->trial.rules, number) = value;
    if (rules_are_legal(&shrinking->trial.rules, largest_group(&shrinking->trial)))
        try_trial(shrinking);
}

static void shrink_rules(struct shrinking *shrinking)
{
    for (unsigned n = 0; n < RULE_NUMBERS; n++) {
        uint32_t value = *rule_number(&shrinking->best->rules, n);
        try_rule(shrinking, n, 0);
        try_rule(shrinking, n, 1);
        try_rule(shrinking, n, value / 2);
        try_rule(shrinking, n, value > 0 ? value - 1 : 0);
    }
}

static int64_t *share_number(struct bus_share *share, unsigned number)
{
    int64_t *const numbers[SHARE_NUMBERS] = {&share->begin,        &share->supply_first,
                                             &share->supply_ticks, &share->record_ticks,
                                             &share->word_ticks,   &share->beside_ticks};
    return numbers[number];
}

static void try_share(struct shrinking *shrinking, size_t block, unsigned number, int64_t value)
{
    if (value >= *share_number(&shrinking->best->shares[block], number))
        return;
    case_copy(&shrinking->trial, shrinking->best, 0, (struct cut){PART_NOTHING, 0, 0});
    *share_number(&shrinking->trial.shares[block], number) = value;
    if (shrinking->trial.shares[block].word_ticks >= 1)
        try_trial(shrinking);
}

static void shrink_share(struct shrinking *shrinking, size_t block)
{
    for (unsigned n = 0; n < SHARE_NUMBERS; n++) {
        int64_t value = *share_number(&shrinking->best->shares[block], n);
        try_share(shrinking, block, n, 0);
        try_share(shrinking, block, n, CLOCK);
        try_share(shrinking, block, n, value / 2 / CLOCK * CLOCK);
        try_share(shrinking, block, n, value / CLOCK * CLOCK);
    }
}

void case_shrink(struct random_case *made, bool (*fails)(const struct random_case *, void *), void *context,
                 unsigned attempts)
{
    struct shrinking shrinking = {.best = made, .fails = fails, .context = context, .attempts = attempts};
    do {
        shrinking.progress = false;
        shrink_blocks(&shrinking);
        for (size_t b = 0; b < made->block_count; b++) {
            for (enum part part = PART_WORD; part <= PART_PASS; part++)
                shrink_part(&shrinking, b, part);
            shrink_share(&shrinking, b);
        }
        shrink_rules(&shrinking);
    } while (shrinking.progress && shrinking.attempts > 0);
    shrinking.trial.block_count = CASE_BLOCKS;
    case_destroy(&shrinking.trial);
}

/* ---- printing ---- */

static void print_rules(FILE *out, const struct board_rules *rules)
{
    fprintf(out,
            "  ingress %" PRIu32 "  wmer %" PRIu32 "/%" PRIu32 "  sram %" PRIu32 "/%" PRIu32
            "  stage2 %" PRIu32 "/%" PRIu32 "  egress %" PRIu32 "  read %" PRIu32 "  trip %" PRIu32
            " x %" PRIu32 "  fetch %" PRIu32 "%s\n",
            rules->ingress_words, rules->wmer_seeds, rules->wmer_margin, rules->sram_lookups,
            rules->sram_margin, rules->stage2_matches, rules->stage2_margin, rules->egress_records,
            rules->sram_read_cycles, rules->sram_trip_cycles, rules->trips_in_flight,
            rules->stage2_fetch_cycles, rules->probes ? "  probes" : "");
}

static void print_seeds(FILE *out, const struct tokens *tokens)
{
    size_t group = 0, match = 0;
    for (size_t s = 0; s < tokens->seed_count; s++) {
        fprintf(out, " %c", "emMd"[tokens->seeds[s].outcome]);
        for (unsigned g = 0; g < tokens->seeds[s].groups; g++) {
            fputc('[', out);
            for (unsigned m = 0; m < tokens->groups[group].matches; m++)
                fputc(tokens->matches[match++] ? 'p' : 'f', out);
            fputc(']', out);
            group++;
        }
    }
}

void case_print(FILE *out, const struct random_case *made)
{
    fprintf(out, "seed %" PRIu64 "\n", made->seed);
    print_rules(out, &made->rules);
    for (size_t b = 0; b < made->block_count; b++) {
        const struct bus_share *share = &made->shares[b];
        fprintf(out,
                "  block %zu, clocks: begin %.6f  w %.6f  v %.6f  r %.6f  supply %.6f + i %.6f\n    words", b,
                (double)share->begin / CLOCK, (double)share->word_ticks / CLOCK,
                (double)share->record_ticks / CLOCK, (double)share->beside_ticks / CLOCK,
                (double)share->supply_first / CLOCK, (double)share->supply_ticks / CLOCK);
        for (size_t w = 0; w < made->tokens[b].word_count; w++)
            fprintf(out, " %u", made->tokens[b].words[w]);
        fprintf(out, "  seeds");
        print_seeds(out, &made->tokens[b]);
        fputc('\n', out);
    }
}
