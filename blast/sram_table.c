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
    uint32_t first;
    uint32_t count;
    uint32_t slot;
};

/* (address + displacement) mod slots; both are below slots. */
static inline uint32_t displace(const struct sram_table *t, uint32_t address, uint32_t displacement)
{
    uint32_t slot = address + displacement;
    return slot < t->geometry.slots ? slot : slot - t->geometry.slots;
}

static uint32_t displaced_slot(const struct sram_table *t, uint32_t wmer, uint32_t displacement)
{
    return displace(t, wmer_hash(&t->address, wmer), displacement);
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

/* --- displacement hashing -------------------------------------------------------------------------------- */

/* The keys' addresses, bucket by bucket: those of bucket b are addresses[begins[b]] .. addresses[begins[b + 1] - 1]. */
struct buckets {
    uint32_t *begins;
    uint32_t *addresses;
    uint32_t *by_size; /* numbers of the buckets, largest first */
    uint8_t *taken;    /* of every slot */
};

static bool buckets_allocate(struct buckets *b, const struct sram_table *t, uint32_t key_count)
{
    b->begins = calloc(t->geometry.displacements + UINT64_C(1), sizeof *b->begins);
    b->addresses = malloc((key_count + UINT64_C(1)) * sizeof *b->addresses);
    b->by_size = malloc(t->geometry.displacements * sizeof *b->by_size);
    b->taken = calloc(t->geometry.slots, sizeof *b->taken);
    return b->begins && b->addresses && b->by_size && b->taken;
}

static void buckets_free(struct buckets *b)
{
    free(b->begins);
    free(b->addresses);
    free(b->by_size);
    free(b->taken);
}

static uint32_t bucket_size(const struct buckets *b, uint32_t bucket)
{
    return b->begins[bucket + 1] - b->begins[bucket];
}

static void group_addresses(struct buckets *b, const struct sram_table *t, const struct key *keys,
                            uint32_t key_count)
{
    uint32_t n = t->geometry.displacements;
    for (uint32_t i = 0; i < key_count; i++)
        b->begins[wmer_hash(&t->bucket, keys[i].wmer) + 1]++;
    for (uint32_t i = 0; i < n; i++)
        b->begins[i + 1] += b->begins[i];
    for (uint32_t i = 0; i < key_count; i++) /* moves every begin to its end */
        b->addresses[b->begins[wmer_hash(&t->bucket, keys[i].wmer)]++] = wmer_hash(&t->address, keys[i].wmer);
    memmove(b->begins + 1, b->begins, n * sizeof *b->begins);
    b->begins[0] = 0;
}

/* Largest first, equal ones by number. */
static bool order_by_size(struct buckets *b, uint32_t bucket_count, uint32_t key_count)
{
    uint32_t *begins = calloc(key_count + UINT64_C(2), sizeof *begins);
    if (!begins)
        return false;
    for (uint32_t i = 0; i < bucket_count; i++)
        begins[key_count - bucket_size(b, i) + 1]++;
    for (uint32_t i = 0; i <= key_count; i++)
        begins[i + 1] += begins[i];
    for (uint32_t i = 0; i < bucket_count; i++)
        b->by_size[begins[key_count - bucket_size(b, i)]++] = i;
    free(begins);
    return true;
}

/* Keys of a bucket that would meet a taken slot; stops counting at `limit`. Keys of one address meet each other under
 * every displacement alike, so they do not matter here. */
static uint32_t count_taken(const struct sram_table *t, const struct buckets *b, const uint32_t *addresses,
                            uint32_t count, uint32_t displacement, uint32_t limit)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count && taken < limit; i++)
        taken += b->taken[displace(t, addresses[i], displacement)];
    return taken;
}

static void place_bucket(struct sram_table *t, struct buckets *b, uint32_t bucket)
{
    const uint32_t *addresses = b->addresses + b->begins[bucket];
    uint32_t count = bucket_size(b, bucket), best = 0, fewest = UINT32_MAX;
    uint32_t tries = t->geometry.slots < DISPLACEMENT_TRIES ? t->geometry.slots : DISPLACEMENT_TRIES;
    for (uint32_t d = 0; d < tries && fewest > 0; d++) {
        uint32_t taken = count_taken(t, b, addresses, count, d, fewest);
        if (taken < fewest) {
            fewest = taken;
            best = d;
        }
    }
    t->displacement[bucket] = best;
    for (uint32_t i = 0; i < count; i++)
        b->taken[displace(t, addresses[i], best)] = 1;
}

static bool choose_displacements(struct sram_table *t, const struct key *keys, uint32_t key_count)
{
    struct buckets b = {0};
    uint32_t bucket_count = t->geometry.displacements;
    bool ready = buckets_allocate(&b, t, key_count);
    if (ready) {
        group_addresses(&b, t, keys, key_count);
        ready = order_by_size(&b, bucket_count, key_count);
    }
    for (uint32_t i = 0; ready && i < bucket_count && bucket_size(&b, b.by_size[i]) > 0; i++)
        place_bucket(t, &b, b.by_size[i]);
    buckets_free(&b);
    return ready;
}

/* --- building -------------------------------------------------------------------------------------------- */

/* Copy the entries slot by slot, keys of a slot in order of w-mer. */
static void fill_slots(struct sram_table *t, struct key *keys, uint32_t key_count,
                       const struct sram_entry *entries)
{
    for (uint32_t i = 0; i < key_count; i++) {
        keys[i].slot = slot_of(t, keys[i].wmer);
        struct slot *slot = &t->slots[keys[i].slot];
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
        struct slot *slot = &t->slots[keys[i].slot];
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

const struct sram_entry *sram_table_entries(const struct sram_table *t)
{
    return t->entries;
}

uint32_t sram_table_index(const struct sram_table *t, const struct sram_entry *entry)
{
    return (uint32_t)(entry - t->entries);
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
