#include "blast/ungapped.h"

#include "blast/wmer.h"

/* One direction's best extension: the gain over stopping at once, and the bases it takes. */
struct arm {
    int score;
    unsigned bases;
};

static void arm_take_base(struct arm *best, int *running, unsigned bases, bool matches,
                          const struct ungapped_rule *rule)
{
    *running += matches ? rule->match : rule->mismatch;
    if (*running >= best->score)
        *best = (struct arm){*running, bases};
}

static bool is_match(unsigned query_code, unsigned database_code)
{
    return query_code == database_code && query_code <= BASE_T;
}

static unsigned least(uint64_t a, uint64_t b)
{
    return (unsigned)(a < b ? a : b);
}

struct ungapped_result ungapped_extend(const struct ungapped_rule *rule, const uint8_t *segment,
                                       uint32_t segment_length, uint32_t query_position,
                                       const struct sequences *database, uint64_t database_position)
{
    uint32_t query_first = query_position + 1 - WMER_BASES;
    uint64_t database_first = database_position + 1 - WMER_BASES;
    unsigned window_left = (rule->window - WMER_BASES) / 2;
    unsigned window_right = rule->window - WMER_BASES - window_left;
    unsigned room_left = least(window_left, least(query_first, database_first));
    unsigned room_right = least(window_right, least(segment_length - 1 - query_position,
                                                    database->positions - 1 - database_position));
    struct arm left = {0, 0}, right = {0, 0};
    int running = 0;
    for (unsigned i = 1; i <= room_left; i++)
        arm_take_base(&left, &running, i,
                      is_match(segment[query_first - i], sequences_code(database, database_first - i)), rule);
    running = 0;
    for (unsigned i = 1; i <= room_right; i++)
        arm_take_base(&right, &running, i,
                      is_match(segment[query_position + i], sequences_code(database, database_position + i)),
                      rule);
    struct ungapped_result result = {
        .score = WMER_BASES * rule->match + left.score + right.score,
        .left = left.bases,
        .right = right.bases,
    };
    bool touches_edge =
        (left.bases == window_left && window_left > 0) || (right.bases == window_right && window_right > 0);
    result.passed = result.score >= rule->threshold || (rule->edge_rule && touches_edge);
    return result;
}
