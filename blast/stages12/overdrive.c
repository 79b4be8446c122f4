#include "blast/stages12/overdrive.h"

#include "blast/sequence/sequence.h"

/* Take what is due, as far as there is room. */
static unsigned take(double *due, unsigned room)
{
    const unsigned taken = *due < room ? (unsigned)*due : room;
    *due -= taken;
    return taken;
}

/* Copy a group with its matches, and add some. */
static void copy_group(struct overdrive *o, struct group_token group, const uint8_t *matches,
                       struct pass_counts *counts)
{
    const unsigned own = group.matches,
                   added = own > 0 && own < o->group_most ? take(&o->matches_due, o->group_most - own) : 0;
    tokens_add_group(&o->out, own + added, group.entries);
    for (unsigned i = 0; i < own + added; i++)
        tokens_add_match(&o->out, i < own && matches[i]);
    counts->matches += added;
}

void overdrive_add(struct overdrive *o, struct tokens *t, struct pass_counts *counts)
{
    const struct seed_token *seed = t->seeds;
    const struct group_token *group = t->groups;
    const uint8_t *match = t->matches;
    if (!(o->seeds > 0 || o->matches > 0))
        return;
    tokens_clear(&o->out);
    for (size_t word = 0; word < t->word_count; word++) {
        o->seeds_due += o->seeds;
        o->matches_due += o->matches;
        const unsigned own = t->words[word], added = take(&o->seeds_due, BASES_PER_WORD - own);
        tokens_add_word(&o->out, own + added);
        for (const struct seed_token *end = seed + own; seed < end; seed++) {
            tokens_add_seed(&o->out, (enum lookup_outcome)seed->outcome, seed->groups);
            for (const struct group_token *last = group + seed->groups; group < last;
                 match += group++->matches)
                copy_group(o, *group, match, counts);
        }
        for (unsigned i = 0; i < added; i++)
            tokens_add_seed(&o->out, LOOKUP_EMPTY, 0);
        counts->seeds += added;
        counts->sram_reads += added;
        counts->lookups_empty += added;
        counts->bloom_false += added;
    }
    struct tokens own = *t;
    *t = o->out;
    o->out = own;
    t->has_positions = own.has_positions;
    t->first_word = own.first_word;
    o->out.hsps = t->hsps; /* the HSPs stay */
    o->out.hsp_room = t->hsp_room;
    t->hsps = own.hsps;
    t->hsp_room = own.hsp_room;
    t->hsp_count = own.hsp_count;
}
