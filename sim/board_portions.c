#include "sim/board_portions.h"

enum { PORTION_WORDS = 2048 };

struct board_portions board_portions_begin(const struct tokens *tokens, const struct bus_share *share)
{
    struct board_portions p = {.words_left = tokens->word_count, .tokens = *tokens, .share = *share};
    p.tokens.word_count = p.tokens.seed_count = p.tokens.group_count = 0;
    p.tokens.match_count = p.tokens.hsp_count = 0;
    return p;
}

static size_t seeds_of(const uint8_t *words, size_t count)
{
    size_t seeds = 0;
    for (size_t i = 0; i < count; i++)
        seeds += words[i];
    return seeds;
}

static size_t groups_of(const struct seed_token *seeds, size_t count)
{
    size_t groups = 0;
    for (size_t i = 0; i < count; i++)
        groups += seeds[i].groups;
    return groups;
}

static size_t matches_of(const struct group_token *groups, size_t count)
{
    size_t matches = 0;
    for (size_t i = 0; i < count; i++)
        matches += groups[i].matches;
    return matches;
}

static size_t hsps_of(const uint8_t *matches, size_t count)
{
    size_t hsps = 0;
    for (size_t i = 0; i < count; i++)
        hsps += matches[i];
    return hsps;
}

/* Past the present portion. An array without elements may be NULL. */
static void skip_portion(struct board_portions *p)
{
    struct tokens *t = &p->tokens;
    t->words += t->word_count;
    t->seeds = t->seed_count > 0 ? t->seeds + t->seed_count : t->seeds;
    t->groups = t->group_count > 0 ? t->groups + t->group_count : t->groups;
    t->matches = t->match_count > 0 ? t->matches + t->match_count : t->matches;
    t->hsps = t->hsp_count > 0 ? t->hsps + t->hsp_count : t->hsps;
    p->share.supply_first += (int64_t)t->word_count * p->share.supply_ticks;
}

bool board_portions_next(struct board_portions *p)
{
    struct tokens *t = &p->tokens;
    if (p->words_left == 0)
        return false;
    if (t->word_count > 0)
        skip_portion(p);
    t->word_count = p->words_left < PORTION_WORDS ? p->words_left : PORTION_WORDS;
    t->seed_count = seeds_of(t->words, t->word_count);
    t->group_count = groups_of(t->seeds, t->seed_count);
    t->match_count = matches_of(t->groups, t->group_count);
    t->hsp_count = hsps_of(t->matches, t->match_count);
    p->words_left -= t->word_count;
    return true;
}
