#include "blast/sram_table.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT_BYTES = 8, ENTRY_BYTES = 8, DISPLACEMENT_BYTES = 4 };

/* Displacements tried for a bucket before the best so far is taken: enough for 8 keys a bucket at half load,
 * where one in 2^8 fits, and a bound on the time a hopeless geometry costs. */
enum { DISPLACEMENT_TRIES = 16384 };

/* A slot and the part of `entries` it answers with: entries are stored slot by slot, so a slot with one key
 * holds that key's positions and a collided one its list. */
struct slot {
    uint32_t first;
    uint32_t count;
    uint32_t keys;
};

struct sram_table {
    struct sram_geometry geometry;
    struct wmer_hash address; /* A, or the whole function */
    struct wmer_hash bucket;  /* B, `displaced` only */
    uint32_t *displacement;   /* D, `displaced` only */
    struct slot *slots;
    struct sram_entry *entries;
    size_t entry_count;
    uint32_t distinct_wmers;
};

/* A run of equal w-mers in the sorted entries. */
struct key {
    uint32_t wmer;
    uint32_t bucket;
    uint32_t first;
    uint32_t count;
};

static uint32_t displaced_slot(const struct sram_table *t, uint32_t wmer, uint32_t displacement)
{
    return (uint32_t)(((uint64_t)wmer_hash(&t->address, wmer) + displacement) % t->geometry.slots);
}

static uint32_t slot_of(const struct sram_table *t, uint32_t wmer)
{
    if (!t->displacement)
        return wmer_hash(&t->address, wmer);
    return displaced_slot(t, wmer, t->displacement[wmer_hash(&t->bucket, wmer)]);
}

static struct key *find_keys(const struct sram_entry *entries, size_t count, uint32_t *key_count)
{
    struct key *keys = malloc((count + 1) * sizeof *keys);
    uint32_t n = 0;
    for (size_t i = 0; keys && i < count; i++) {
        if (i == 0 || entries[i].wmer != entries[i - 1].wmer)
            keys[n++] = (struct key){.wmer = entries[i].wmer, .first = (uint32_t)i};
        keys[n - 1].count++;
    }
    *key_count = n;
    return keys;
}

/* --- displacement hashing
 * ------------------------------------------------------------------------------------ */

struct bucket {
    uint32_t first;
    uint32_t count;
    uint32_t number;
};

static int compare_key_buckets(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    return (x->wmer > y->wmer) - (x->wmer < y->wmer);
}

static int compare_bucket_sizes(const void *a, const void *b)
{
    const struct bucket *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Keys of a bucket that would meet a taken slot, or each other, under a displacement; stops counting at
 * `limit`. */
static uint32_t count_collisions(const struct sram_table *t, const struct key *keys, const struct bucket *b,
                                 uint32_t displacement, uint32_t *taken, uint32_t limit)
{
    uint32_t collisions = 0, tried = 0;
    for (; tried < b->count && collisions < limit; tried++) {
        uint32_t slot = displaced_slot(t, keys[b->first + tried].wmer, displacement);
        collisions += taken[slot] > 0;
        taken[slot]++;
    }
    while (tried > 0)
        taken[displaced_slot(t, keys[b->first + --tried].wmer, displacement)]--;
    return collisions;
}

static void place_bucket(struct sram_table *t, const struct key *keys, const struct bucket *b,
                         uint32_t *taken)
{
    uint32_t best = 0, fewest = UINT32_MAX;
    uint32_t tries = t->geometry.slots < DISPLACEMENT_TRIES ? t->geometry.slots : DISPLACEMENT_TRIES;
    for (uint32_t d = 0; d < tries && fewest > 0; d++) {
        uint32_t collisions = count_collisions(t, keys, b, d, taken, fewest);
        if (collisions < fewest) {
            fewest = collisions;
            best = d;
        }
    }
    t->displacement[b->number] = best;
    for (uint32_t i = 0; i < b->count; i++)
        taken[displaced_slot(t, keys[b->first + i].wmer, best)] = 1;
}

static uint32_t group_buckets(const struct key *keys, uint32_t key_count, struct bucket *buckets)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < key_count; i++) {
        if (i == 0 || keys[i].bucket != keys[i - 1].bucket)
            buckets[n++] = (struct bucket){.first = i, .number = keys[i].bucket};
        buckets[n - 1].count++;
    }
    return n;
}

/* Choose D. Keys are reordered by bucket. */
static bool choose_displacements(struct sram_table *t, struct key *keys, uint32_t key_count)
{
    struct bucket *buckets = malloc((key_count + 1) * sizeof *buckets);
    uint32_t *taken = calloc(t->geometry.slots, sizeof *taken);
    if (buckets && taken) {
        for (uint32_t i = 0; i < key_count; i++)
            keys[i].bucket = wmer_hash(&t->bucket, keys[i].wmer);
        qsort(keys, key_count, sizeof *keys, compare_key_buckets);
        uint32_t n = group_buckets(keys, key_count, buckets);
        qsort(buckets, n, sizeof *buckets, compare_bucket_sizes);
        for (uint32_t i = 0; i < n; i++)
            place_bucket(t, keys, &buckets[i], taken);
    }
    bool done = buckets && taken;
    free(buckets);
    free(taken);
    return done;
}

/* --- building
 * ------------------------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    return (x->wmer > y->wmer) - (x->wmer < y->wmer);
}

/* Copy the entries slot by slot, keys of a slot in order of w-mer. */
static void fill_slots(struct sram_table *t, struct key *keys, uint32_t key_count,
                       const struct sram_entry *entries)
{
    qsort(keys, key_count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < key_count; i++) {
        struct slot *slot = &t->slots[slot_of(t, keys[i].wmer)];
        slot->keys++;
        slot->count += keys[i].count;
    }
    uint32_t first = 0;
    for (uint32_t s = 0; s < t->geometry.slots; s++) {
        t->slots[s].first = first;
        first += t->slots[s].count;
        t->slots[s].count = 0;
    }
    for (uint32_t i = 0; i < key_count; i++) {
        struct slot *slot = &t->slots[slot_of(t, keys[i].wmer)];
        memcpy(&t->entries[slot->first + slot->count], &entries[keys[i].first],
               keys[i].count * sizeof *entries);
        slot->count += keys[i].count;
    }
}

static bool set_up_hashes(struct sram_table *t)
{
    const struct sram_geometry *g = &t->geometry;
    bool displaced = g->family == HASH_DISPLACED;
    wmer_hash_init(&t->address, displaced ? HASH_XXH3 : g->family, g->slots, hash_derive_seed(g->seed, 100));
    if (!displaced)
        return true;
    wmer_hash_init(&t->bucket, HASH_XXH3, g->displacements, hash_derive_seed(g->seed, 101));
    t->displacement = calloc(g->displacements, sizeof *t->displacement);
    return t->displacement != NULL;
}

struct sram_table *sram_table_new(const struct sram_geometry *geometry, const struct sram_entry *entries,
                                  size_t count)
{
    assert(geometry->slots >= 1 && geometry->inline_positions >= 1 && geometry->trip_positions >= 1);
    uint32_t key_count = 0;
    struct key *keys = find_keys(entries, count, &key_count);
    struct sram_table *t = calloc(1, sizeof *t);
    if (!keys || !t)
        goto fail;
    t->geometry = *geometry;
    t->distinct_wmers = key_count;
    t->entry_count = count;
    t->slots = calloc(geometry->slots, sizeof *t->slots);
    t->entries = malloc((count + 1) * sizeof *t->entries);
    if (!t->slots || !t->entries || !set_up_hashes(t))
        goto fail;
    if (t->displacement && !choose_displacements(t, keys, key_count))
        goto fail;
    fill_slots(t, keys, key_count, entries);
    free(keys);
    return t;
fail:
    free(keys);
    sram_table_destroy(t);
    return NULL;
}

void sram_table_destroy(struct sram_table *t)
{
    if (!t)
        return;
    free(t->displacement);
    free(t->slots);
    free(t->entries);
    free(t);
}

static bool is_flagged(const struct sram_table *t, const struct slot *slot)
{
    return slot->keys > 1 || slot->count > t->geometry.inline_positions;
}

struct lookup sram_table_lookup(const struct sram_table *t, uint32_t wmer)
{
    const struct slot *slot = &t->slots[slot_of(t, wmer)];
    struct lookup found = {LOOKUP_EMPTY, t->entries + slot->first, slot->count};
    if (slot->keys == 0)
        return found;
    if (is_flagged(t, slot))
        found.outcome = LOOKUP_DUPLICATE;
    else
        found.outcome = t->entries[slot->first].wmer == wmer ? LOOKUP_MATCH : LOOKUP_MISMATCH;
    return found;
}

struct sram_load sram_table_load(const struct sram_table *t)
{
    struct sram_load load = {.distinct_wmers = t->distinct_wmers};
    for (uint32_t s = 0; s < t->geometry.slots; s++) {
        const struct slot *slot = &t->slots[s];
        load.occupied_slots += slot->keys > 0;
        load.collided_slots += slot->keys > 1;
        load.colliding_wmers += slot->keys > 1 ? slot->keys : 0;
        load.duplicate_slots += slot->keys == 1 && is_flagged(t, slot);
        load.duplicate_entries += is_flagged(t, slot) ? slot->count : 0;
    }
    load.bytes = (uint64_t)t->geometry.slots * SLOT_BYTES + (uint64_t)load.duplicate_entries * ENTRY_BYTES;
    if (t->displacement)
        load.bytes += (uint64_t)t->geometry.displacements * DISPLACEMENT_BYTES;
    return load;
}
