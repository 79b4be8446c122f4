/* test_channel.c - what came of what in blocks of many stretches, against a list of every element's parents; and
 * samples that are only counted against those that are kept. */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/measure/channel.h"
#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"

enum { CASES = 30 };

/* ---- a block, and its elements' parents ---- */

struct block {
    struct tokens tokens;
    size_t count[TOKEN_LEVELS];
    size_t *parents[TOKEN_LEVELS];
    struct board_times times;
};

/* Mostly few, at times many. */
static unsigned some(struct dice *dice, unsigned most)
{
    return (unsigned)dice_below(dice, dice_chance(dice, 3) ? most + 1 : dice_chance(dice, 50) ? 2 : 6);
}

static void add_group(struct tokens *t, struct dice *dice, unsigned entries)
{
    unsigned matches = some(dice, 255);
    tokens_add_group(t, matches, entries);
    for (unsigned m = 0; m < matches; m++)
        tokens_add_match(t, dice_chance(dice, 40));
}

/* What most seeds are. */
static void add_single_match(struct tokens *t, struct dice *dice)
{
    tokens_add_seed(t, LOOKUP_MATCH, 1);
    tokens_add_group(t, 1, 0);
    tokens_add_match(t, dice_chance(dice, 40));
}

/* Records may hold what the stages never make: two groups in one read, or some of it beyond the primary table. */
static void add_seed(struct tokens *t, struct dice *dice)
{
    enum lookup_outcome outcome = (enum lookup_outcome)dice_below(dice, 4);
    bool trips = outcome == LOOKUP_DUPLICATE, odd = dice_chance(dice, 2);
    unsigned groups = outcome == LOOKUP_MATCH ? 1 : trips ? 1 + some(dice, 40) : 0;
    groups += odd && dice_chance(dice, 50);
    tokens_add_seed(t, outcome, groups);
    for (unsigned g = 0; g < groups; g++)
        add_group(t, dice, trips || odd ? (unsigned)dice_below(dice, 10) : 0);
}

static void list_parents(struct block *b)
{
    const struct tokens *t = &b->tokens;
    for (int level = LEVEL_SEED; level < TOKEN_LEVELS; level++) {
        size_t room = t->seed_count + t->group_count + t->match_count + 1;
        b->parents[level] = calloc(room, sizeof(size_t));
        ck_assert_ptr_nonnull(b->parents[level]);
    }
    size_t *n = b->count;
    for (n[LEVEL_WORD] = 0; n[LEVEL_WORD] < t->word_count; n[LEVEL_WORD]++)
        for (unsigned s = 0; s < t->words[n[LEVEL_WORD]]; s++, n[LEVEL_SEED]++) {
            b->parents[LEVEL_SEED][n[LEVEL_SEED]] = n[LEVEL_WORD];
            for (unsigned g = 0; g < t->seeds[n[LEVEL_SEED]].groups; g++, n[LEVEL_GROUP]++) {
                b->parents[LEVEL_GROUP][n[LEVEL_GROUP]] = n[LEVEL_SEED];
                for (unsigned m = 0; m < t->groups[n[LEVEL_GROUP]].matches; m++, n[LEVEL_MATCH]++) {
                    b->parents[LEVEL_MATCH][n[LEVEL_MATCH]] = n[LEVEL_GROUP];
                    if (t->matches[n[LEVEL_MATCH]])
                        b->parents[LEVEL_RECORD][n[LEVEL_RECORD]++] = n[LEVEL_MATCH];
                }
            }
        }
}

static size_t ancestor(const struct block *b, int from, int to, size_t i)
{
    for (; from > to; from--)
        i = b->parents[from][i];
    return i;
}

/* Let the records be of a scan that has come to some word of its database. */
static void give_positions(struct block *b, struct dice *dice)
{
    b->tokens.has_positions = true;
    b->tokens.first_word = dice_below(dice, UINT64_C(1) << 40);
    for (size_t i = 0; i < b->count[LEVEL_RECORD]; i++) {
        const uint64_t word = b->tokens.first_word + ancestor(b, LEVEL_RECORD, LEVEL_WORD, i);
        tokens_add_hsp(&b->tokens, (struct hsp){.database_position = word * BASES_PER_WORD +
                                                                     dice_below(dice, BASES_PER_WORD)});
    }
}

/* Clocks that do not decrease, some larger by far. */
static int64_t *make_clocks(struct dice *dice, size_t count, int64_t begin, int64_t unit)
{
    int64_t *clocks = calloc(count + 1, sizeof *clocks);
    ck_assert_ptr_nonnull(clocks);
    for (size_t i = 0; i < count; i++)
        clocks[i] = begin += unit * (int64_t)dice_below(dice, dice_chance(dice, 1) ? 9000 : 4);
    return clocks;
}

static void make_block(struct block *b, struct dice *dice)
{
    size_t words = dice_chance(dice, 20) ? dice_below(dice, 3) : dice_between(dice, 200, 700);
    unsigned percent = (unsigned)dice_between(dice, 1, 100), single = (unsigned)dice_below(dice, 101);
    *b = (struct block){0};
    for (size_t i = 0; i < words; i++) {
        unsigned seeds = dice_chance(dice, percent) ? some(dice, 16) : 0;
        tokens_add_word(&b->tokens, seeds);
        for (unsigned s = 0; s < seeds; s++)
            if (dice_chance(dice, single))
                add_single_match(&b->tokens, dice);
            else
                add_seed(&b->tokens, dice);
    }
    list_parents(b);
    if (dice_chance(dice, 50))
        give_positions(b, dice);
    int64_t at = INT64_C(100000000);
    b->times = (struct board_times){
        .word_delivered = make_clocks(dice, b->count[LEVEL_WORD], at, 1),
        .word_taken = make_clocks(dice, b->count[LEVEL_WORD], 2 * at, 1),
        .seed_issued = make_clocks(dice, b->count[LEVEL_SEED], 3 * at, 1),
        .seed_taken = make_clocks(dice, b->count[LEVEL_SEED], 4 * at, 1),
        .seed_done = make_clocks(dice, b->count[LEVEL_SEED], 5 * at, 1),
        .group_entered = make_clocks(dice, b->count[LEVEL_GROUP], 6 * at, 1),
        .match_taken = make_clocks(dice, b->count[LEVEL_MATCH], 7 * at, 1),
        .record_left = make_clocks(dice, b->count[LEVEL_RECORD], 8 * at * BOARD_TICKS_PER_CLOCK, 777777)};
}

static void destroy_block(struct block *b)
{
    tokens_destroy(&b->tokens);
    for (int level = 0; level < TOKEN_LEVELS; level++)
        free(b->parents[level]);
    int64_t *const clocks[] = {b->times.word_delivered, b->times.word_taken, b->times.seed_issued,
                               b->times.seed_taken,     b->times.seed_done,  b->times.group_entered,
                               b->times.match_taken,    b->times.record_left};
    for (int i = 0; i < COUNT_OF(clocks); i++)
        free(clocks[i]);
}

/* ---- stretches ---- */

/* The number of the element that each element of a stretch came from. */
static void check_handed(const struct block *b, const struct lineage *l, enum token_level above,
                         enum token_level level)
{
    int64_t *numbers = calloc(l->count[above] + 1, sizeof *numbers);
    int64_t *handed = calloc(l->count[level] + 1, sizeof *handed);
    for (size_t i = 0; i < l->count[above]; i++)
        numbers[i] = (int64_t)(l->first[above] + i);
    size_t first = l->count[level] / 3;
    lineage_hand_down(l, above, numbers, level, 0, first, handed);
    lineage_hand_down(l, above, numbers, level, first, l->count[level] - first, handed + first);
    for (size_t i = 0; i < l->count[level]; i++)
        ck_assert_int_eq(handed[i], ancestor(b, (int)level, (int)above, l->first[level] + i));
    free(numbers);
    free(handed);
}

/* Every element's number on every level above, of a stretch whose elements are all in their place. */
static void check_stretch(const struct block *b, const struct lineage *l)
{
    for (int level = LEVEL_SEED; level <= (int)l->deepest; level++)
        for (int above = LEVEL_WORD; above < level; above++)
            check_handed(b, l, (enum token_level)above, (enum token_level)level);
}

START_TEST(test_elements_find_what_they_came_from)
{
    struct dice dice = {(uint64_t)_i};
    struct lineage lineage = {0};
    for (enum token_level deepest = LEVEL_WORD; deepest < TOKEN_LEVELS; deepest++) {
        struct block b;
        size_t seen[TOKEN_LEVELS] = {0};
        make_block(&b, &dice);
        lineage_begin(&lineage, &b.tokens, deepest);
        while (lineage_next(&lineage)) {
            for (int level = 0; level <= (int)deepest; level++) {
                ck_assert_uint_eq(lineage.first[level], seen[level]);
                seen[level] += lineage.count[level];
                ck_assert_uint_le(seen[level], b.count[level]);
            }
            check_stretch(&b, &lineage);
        }
        for (int level = 0; level <= (int)deepest; level++)
            ck_assert_uint_eq(seen[level], b.count[level]);
        destroy_block(&b);
    }
    lineage_destroy(&lineage);
}
END_TEST

/* ---- kept and counted ---- */

static const struct aggregate_plan plan = {.low = 0, .width = 1, .bins = 6000};
static const struct board_rules rules = {.sram_read_cycles = 5};

struct counted {
    struct tally *tally;
    struct aggregate *to, aggregate;
};

static void count_into(struct counted *c)
{
    c->tally = calloc(1, sizeof *c->tally);
    ck_assert_ptr_nonnull(c->tally);
    aggregate_init(&c->aggregate, &plan);
    c->to = &c->aggregate;
    c->tally->to = &c->to;
    c->tally->to_count = 1;
}

/* What was counted is what is kept; a kept sample's clock is its element's. Counts of what is kept are gone afterwards.
 */
static void check_counted(struct counted *c, const struct samples *kept, const char *what)
{
    struct aggregate sum;
    aggregate_init(&sum, &plan);
    for (size_t i = 0; i < kept->count; i++)
        aggregate_add(&sum, (uint64_t)kept->values[i], 1);
    tally_flush(c->tally);
    ck_assert_msg(c->aggregate.moments.weight == sum.moments.weight, "%s: %llu, not %llu", what,
                  (unsigned long long)c->aggregate.moments.weight, (unsigned long long)sum.moments.weight);
    ck_assert_msg(c->aggregate.moments.sum == sum.moments.sum &&
                      c->aggregate.moments.squares == sum.moments.squares &&
                      memcmp(c->aggregate.histogram->weights, sum.histogram->weights,
                             plan.bins * sizeof(uint64_t)) == 0,
                  "%s: values", what);
    aggregate_destroy(&sum);
    aggregate_destroy(&c->aggregate);
    free(c->tally);
}

static void keep(struct samples *kept, const struct channel_spec *channel, const struct block *b)
{
    struct lineage lineage = {0};
    lineage_begin(&lineage, &b->tokens, channel_depth(channel));
    while (lineage_next(&lineage))
        channel_sample(kept, NULL, channel, &rules, &lineage, &b->times);
    lineage_destroy(&lineage);
}

START_TEST(test_seeds_are_counted_as_they_are_kept)
{
    static const char *const names[CHANNEL_KINDS] = {
        [CHANNEL_FALSE] = "false",     [CHANNEL_COLLISION] = "collisions",
        [CHANNEL_READS] = "reads",     [CHANNEL_TRIPS] = "trips",
        [CHANNEL_MATCHES] = "matches", [CHANNEL_TRIP_READS] = "reads of trips"};
    struct dice dice = {(uint64_t)_i + 1000};
    struct block b;
    struct counted counted[CHANNEL_KINDS];
    struct tally *to[CHANNEL_KINDS] = {NULL};
    make_block(&b, &dice);
    for (int kind = CHANNEL_FALSE; kind <= CHANNEL_TRIP_READS; kind++) {
        count_into(&counted[kind]);
        to[kind] = dice_chance(&dice, 80) ? counted[kind].tally : NULL;
    }
    channels_count_seeds(to, &b.tokens);
    for (int kind = CHANNEL_FALSE; kind <= CHANNEL_TRIP_READS; kind++) {
        struct samples kept = {0};
        if (to[kind])
            keep(&kept, &(struct channel_spec){.kind = (enum channel_kind)kind}, &b);
        check_counted(&counted[kind], &kept, names[kind]);
        samples_destroy(&kept);
    }
    destroy_block(&b);
}
END_TEST

/* What goes through a port, and when. */
static int level_of(enum board_port port)
{
    return port <= PORT_TAKEN                           ? LEVEL_WORD
           : port <= PORT_LOOKUP                        ? LEVEL_SEED
           : port == PORT_ENTERED || port == PORT_MATCH ? LEVEL_MATCH
                                                        : LEVEL_RECORD;
}

static int64_t passed(const struct block *b, enum board_port port, size_t i)
{
    const struct board_times *t = &b->times;
    switch (port) {
    case PORT_DELIVERED:
        return t->word_delivered[i];
    case PORT_TAKEN:
        return t->word_taken[i];
    case PORT_PUSHED:
        return t->word_taken[b->parents[LEVEL_SEED][i]];
    case PORT_ISSUED:
        return t->seed_issued[i];
    case PORT_READ:
        return t->seed_issued[i] + rules.sram_read_cycles;
    case PORT_LOOKUP:
        return t->seed_taken[i];
    case PORT_ENTERED:
        return t->group_entered[b->parents[LEVEL_MATCH][i]];
    case PORT_MATCH:
        return t->match_taken[i];
    case PORT_RECORD:
        return t->match_taken[b->parents[LEVEL_RECORD][i]];
    default:
        return (t->record_left[i] + BOARD_TICKS_PER_CLOCK - 1) / BOARD_TICKS_PER_CLOCK;
    }
}

static void check_kept(const struct samples *kept, const struct channel_spec *channel, const struct block *b)
{
    int level = level_of(channel->to);
    ck_assert_uint_eq(kept->count, b->count[level]);
    for (size_t i = 0; i < kept->count; i++) {
        size_t from = ancestor(b, level, level_of(channel->from), i);
        ck_assert_int_eq(kept->clocks[i], passed(b, channel->to, i));
        ck_assert_int_eq(kept->values[i], passed(b, channel->to, i) - passed(b, channel->from, from));
    }
}

START_TEST(test_latencies_are_counted_as_they_are_kept)
{
    struct dice dice = {(uint64_t)_i + 2000};
    struct block b;
    make_block(&b, &dice);
    for (int n = 0; n < 20; n++) {
        struct channel_spec channel = {.kind = CHANNEL_LATENCY};
        channel.to = (enum board_port)dice_between(&dice, 1, PORT_LEFT);
        channel.from = (enum board_port)dice_below(&dice, channel.to);
        struct samples kept = {0};
        struct counted counted;
        struct lineage lineage = {0};
        count_into(&counted);
        keep(&kept, &channel, &b);
        check_kept(&kept, &channel, &b);
        lineage_begin(&lineage, &b.tokens, LEVEL_RECORD); /* deeper does no harm */
        while (lineage_next(&lineage))
            channel_sample(NULL, counted.tally, &channel, &rules, &lineage, &b.times);
        check_counted(&counted, &kept, "latencies");
        lineage_destroy(&lineage);
        samples_destroy(&kept);
    }
    destroy_block(&b);
}
END_TEST

/* Every record has its place, whatever stretch it is in; the places between them stay. */
START_TEST(test_origins_are_those_of_each_record)
{
    enum { STRIDE = 3 };
    static const enum board_port ports[] = {PORT_DELIVERED, PORT_LOOKUP, PORT_RECORD};
    struct dice dice = {(uint64_t)_i + 4000};
    struct block b;
    make_block(&b, &dice);
    for (int n = 0; n < COUNT_OF(ports); n++) {
        int64_t *origins = calloc(STRIDE * b.count[LEVEL_RECORD] + 1, sizeof *origins);
        struct lineage lineage = {0};
        lineage_begin(&lineage, &b.tokens, LEVEL_RECORD);
        while (lineage_next(&lineage))
            channel_sample_origins(origins + 1, STRIDE, ports[n], &rules, &lineage, &b.times);
        for (size_t i = 0; i < STRIDE * b.count[LEVEL_RECORD] + 1; i++) {
            const bool is_sample = i % STRIDE == 1 && i / STRIDE < b.count[LEVEL_RECORD];
            const size_t from = is_sample ? ancestor(&b, LEVEL_RECORD, level_of(ports[n]), i / STRIDE) : 0;
            ck_assert_int_eq(origins[i], is_sample ? passed(&b, ports[n], from) : 0);
        }
        lineage_destroy(&lineage);
        free(origins);
    }
    destroy_block(&b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("channel");
    TCase *stretches = tcase_create("stretches"), *channels = tcase_create("channels");
    tcase_add_loop_test(stretches, test_elements_find_what_they_came_from, 0, tests_some(CASES));
    tcase_add_loop_test(channels, test_seeds_are_counted_as_they_are_kept, 0, tests_some(CASES));
    tcase_add_loop_test(channels, test_latencies_are_counted_as_they_are_kept, 0, tests_some(CASES));
    tcase_add_loop_test(channels, test_origins_are_those_of_each_record, 0, tests_some(CASES));
    suite_add_tcase(suite, stretches);
    suite_add_tcase(suite, channels);
    return run_suite(suite);
}
