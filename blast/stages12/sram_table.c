#include "blast/stages12/sram_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"

enum { SLOT_BYTES = 8, ENTRY_BYTES = 8, DISPLACEMENT_BYTES = 4 };

/* Number of displacements tried for a bucket before the best one is taken: enough for 8 keys per bucket at half
 * load, of which one in 2^8 fits, and a bound on the time that a hopeless geometry costs. */
enum { DISPLACEMENT_TRIES = 16384 };

/* Entries are stored slot by slot: those of slot s are entries[begins[s]] .. entries[begins[s + 1] - 1], the
 * positions of its key or, if it is collided, of all its keys. */
struct sram_table {
    struct sram_geometry geometry;
    struct wmer_hash address; /* A, or the whole function */
    struct wmer_hash bucket;  /* B, `displaced` only */
    enum cpu_level level;
    uint32_t distinct_wmers;
    size_t bytes; /* size of the arrays, which lie in one piece of memory: */
    struct sram_entry *entries;
    uint64_t *collided;     /* a bit per slot, set if it has several keys */
    uint32_t *begins;       /* of slots */
    uint32_t *displacement; /* D, or NULL */
};

/* The distinct w-mers: key i is wmers[i], a run of equal ones in the sorted entries, entries[begins[i]] ..
 * entries[begins[i + 1] - 1]. */
struct keys {
    uint32_t count;
    uint32_t *wmers, *begins;
    uint32_t *slots;   /* A, until displacements are added */
    uint32_t *buckets; /* B, `displaced` only */
    size_t bytes;      /* size of these arrays, from `wmers` on */
};

/* (address + displacement) mod slots; both are below slots. */
static inline uint32_t displace(const struct sram_table *t, uint32_t address, uint32_t displacement)
{
    uint32_t slot = address + displacement;
    return slot < t->geometry.slots ? slot : slot - t->geometry.slots;
}

/* Turn addresses into slots, in place. */
static void displace_all(const struct sram_table *t, uint32_t *addresses, const uint32_t *buckets,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        addresses[i] = displace(t, addresses[i], t->displacement[buckets[i]]);
}

static bool find_keys(struct keys *k, const struct sram_entry *entries, size_t count)
{
    size_t room = count + 1;
    size_t bytes = 4 * room * sizeof(uint32_t);
    uint32_t *all = huge_pages_new(bytes);
    if (!all)
        return false;
    *k = (struct keys){0, all, all + room, all + 2 * room, all + 3 * room, bytes};
    for (size_t i = 0; i < count; i++)
        if (i == 0 || entries[i].wmer != entries[i - 1].wmer) {
            k->wmers[k->count] = entries[i].wmer;
            k->begins[k->count++] = (uint32_t)i;
        }
    k->begins[k->count] = (uint32_t)count;
    return true;
}

/* --- displacement hashing -------------------------------------------------------------------------------- */

/* The keys' addresses, bucket by bucket: those of bucket b are addresses[begins[b]] .. addresses[begins[b + 1] - 1]. */
struct buckets {
    uint32_t *begins;
    uint32_t *addresses;
    uint32_t *by_size; /* numbers of the buckets, largest first */
    uint32_t tries;    /* number of displacements tried for a bucket */
    uint64_t *taken;   /* a bit per slot; after the last slot the first ones again, as far as tries reach */
    size_t bytes;      /* size of these arrays, from `taken` on */
};

static bool buckets_allocate(struct buckets *b, const struct sram_table *t, uint32_t key_count)
{
    size_t slots = t->geometry.slots, count = t->geometry.displacements;
    b->tries = slots < DISPLACEMENT_TRIES ? (uint32_t)slots : DISPLACEMENT_TRIES;
    size_t taken_words = (slots + b->tries) / 64 + 3;
    b->bytes = taken_words * sizeof *b->taken + (2 * count + 1 + key_count) * sizeof *b->begins;
    b->taken = huge_pages_new(b->bytes);
    b->begins = (uint32_t *)(b->taken + taken_words);
    b->by_size = b->begins + count + 1;
    b->addresses = b->by_size + count;
    return b->taken != NULL;
}

static uint32_t bucket_size(const struct buckets *b, uint32_t bucket)
{
    return b->begins[bucket + 1] - b->begins[bucket];
}

static void group_addresses(struct buckets *b, const struct sram_table *t, const struct keys *keys)
{
    uint32_t n = t->geometry.displacements;
    for (uint32_t i = 0; i < keys->count; i++)
        b->begins[keys->buckets[i] + 1]++;
    for (uint32_t i = 0; i < n; i++)
        b->begins[i + 1] += b->begins[i];
    for (uint32_t i = 0; i < keys->count; i++) /* each begin moves to its end */
        b->addresses[b->begins[keys->buckets[i]]++] = keys->slots[i];
    memmove(b->begins + 1, b->begins, n * sizeof *b->begins);
    b->begins[0] = 0;
}

/* Order the buckets by size, the largest first, equal ones by number. */
static bool order_by_size(struct buckets *b, uint32_t bucket_count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < bucket_count; i++)
        most = bucket_size(b, i) > most ? bucket_size(b, i) : most;
    uint32_t *begins = calloc(most + UINT64_C(2), sizeof *begins);
    if (!begins)
        return false;
    for (uint32_t i = 0; i < bucket_count; i++)
        begins[most - bucket_size(b, i) + 1]++;
    for (uint32_t i = 0; i <= most; i++)
        begins[i + 1] += begins[i];
    for (uint32_t i = 0; i < bucket_count; i++)
        b->by_size[begins[most - bucket_size(b, i)]++] = i;
    free(begins);
    return true;
}

/* Bit i: slot `slot` + i is taken, i < 64. */
static inline uint64_t taken_from(const struct buckets *b, uint32_t slot)
{
    const uint64_t *word = &b->taken[slot / 64];
    return word[0] >> slot % 64 | word[1] << 1 << (63 - slot % 64);
}

static void take_slot(struct buckets *b, const struct sram_table *t, uint32_t slot)
{
    b->taken[slot / 64] |= UINT64_C(1) << slot % 64;
    uint64_t again = (uint64_t)slot + t->geometry.slots;
    if (slot < b->tries)
        b->taken[again / 64] |= UINT64_C(1) << again % 64;
}

/* The first displacement that brings all keys to free slots, or `tries`; 64 displacements are tried at a time. */
static uint32_t first_free(const struct buckets *b, const uint32_t *addresses, uint32_t count)
{
    for (uint32_t d = 0; d < b->tries; d += 64) {
        uint64_t taken = 0;
        for (uint32_t i = 0; i < count; i++)
            taken |= taken_from(b, addresses[i] + d);
        if (~taken == 0)
            continue;
        uint32_t first = d + (uint32_t)__builtin_ctzll(~taken);
        return first < b->tries ? first : b->tries;
    }
    return b->tries;
}

/* The number of keys of a bucket that would meet a taken slot, counted up to `limit`. Keys of one address meet
 * each other under every displacement, so that they do not matter here. */
static uint32_t count_taken(const struct buckets *b, const uint32_t *addresses, uint32_t count,
                            uint32_t displacement, uint32_t limit)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count && taken < limit; i++)
        taken += taken_from(b, addresses[i] + displacement) & 1;
    return taken;
}

static uint32_t least_taken(const struct buckets *b, const uint32_t *addresses, uint32_t count)
{
    uint32_t best = 0, fewest = UINT32_MAX;
    for (uint32_t d = 0; d < b->tries; d++) {
        uint32_t taken = count_taken(b, addresses, count, d, fewest);
        if (taken < fewest) {
            fewest = taken;
            best = d;
        }
    }
    return best;
}

static void place_bucket(struct sram_table *t, struct buckets *b, uint32_t bucket)
{
    const uint32_t *addresses = b->addresses + b->begins[bucket];
    uint32_t count = bucket_size(b, bucket), best = first_free(b, addresses, count);
    if (best == b->tries)
        best = least_taken(b, addresses, count);
    t->displacement[bucket] = best;
    for (uint32_t i = 0; i < count; i++)
        take_slot(b, t, displace(t, addresses[i], best));
}

static bool choose_displacements(struct sram_table *t, const struct keys *keys)
{
    struct buckets b = {0};
    uint32_t bucket_count = t->geometry.displacements;
    bool ready = buckets_allocate(&b, t, keys->count);
    if (ready) {
        group_addresses(&b, t, keys);
        ready = order_by_size(&b, bucket_count);
    }
    for (uint32_t i = 0; ready && i < bucket_count && bucket_size(&b, b.by_size[i]) > 0; i++)
        place_bucket(t, &b, b.by_size[i]);
    huge_pages_destroy(b.taken, b.bytes);
    return ready;
}

/* --- building -------------------------------------------------------------------------------------------- */

/* Choose every key's slot. */
static bool place_keys(struct sram_table *t, struct keys *keys)
{
    wmer_hash_many(&t->address, t->level, keys->wmers, keys->slots, keys->count);
    if (!t->displacement)
        return true;
    wmer_hash_many(&t->bucket, t->level, keys->wmers, keys->buckets, keys->count);
    if (!choose_displacements(t, keys))
        return false;
    displace_all(t, keys->slots, keys->buckets, keys->count);
    return true;
}

/* Count the entries of each slot in the begin of the next. */
static void count_entries(struct sram_table *t, const struct keys *keys)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        uint32_t slot = keys->slots[i], *count = &t->begins[slot + 1];
        t->collided[slot / 64] |= (uint64_t)(*count > 0) << slot % 64;
        *count += keys->begins[i + 1] - keys->begins[i];
    }
}

/* Copy the entries slot by slot, the keys of a slot in the order of w-mers. */
static void fill_slots(struct sram_table *t, const struct keys *keys, const struct sram_entry *entries)
{
    uint32_t slots = t->geometry.slots;
    count_entries(t, keys);
    for (uint32_t s = 0; s < slots; s++)
        t->begins[s + 1] += t->begins[s];
    for (uint32_t i = 0; i < keys->count; i++) { /* each begin moves to its end */
        uint32_t *next = &t->begins[keys->slots[i]];
        for (uint32_t entry = keys->begins[i]; entry < keys->begins[i + 1]; entry++)
            t->entries[(*next)++] = entries[entry];
    }
    memmove(t->begins + 1, t->begins, slots * sizeof *t->begins);
    t->begins[0] = 0;
}

static bool allocate(struct sram_table *t, size_t entry_count)
{
    const struct sram_geometry *g = &t->geometry;
    size_t slots = g->slots, collided_words = slots / 64 + 1;
    bool displaced = g->family == HASH_DISPLACED;
    t->bytes = entry_count * sizeof *t->entries + collided_words * sizeof *t->collided +
               (slots + 1 + (displaced ? g->displacements : 0)) * sizeof *t->begins;
    t->entries = huge_pages_new(t->bytes);
    t->collided = (uint64_t *)(t->entries + entry_count);
    t->begins = (uint32_t *)(t->collided + collided_words);
    t->displacement = displaced ? t->begins + slots + 1 : NULL;
    return t->entries != NULL;
}

static void set_up_hashes(struct sram_table *t)
{
    const struct sram_geometry *g = &t->geometry;
    bool displaced = g->family == HASH_DISPLACED;
    wmer_hash_init(&t->address, displaced ? HASH_XXH3 : g->family, g->slots, hash_derive_seed(g->seed, 100));
    if (displaced)
        wmer_hash_init(&t->bucket, HASH_XXH3, g->displacements, hash_derive_seed(g->seed, 101));
}

static bool load(struct sram_table *t, const struct sram_entry *entries, size_t count)
{
    struct keys keys = {0};
    bool placed = find_keys(&keys, entries, count) && place_keys(t, &keys);
    if (placed)
        fill_slots(t, &keys, entries);
    t->distinct_wmers = keys.count;
    huge_pages_destroy(keys.wmers, keys.bytes);
    return placed;
}

struct sram_table *sram_table_new(const struct sram_geometry *geometry, const struct sram_entry *entries,
                                  size_t count)
{
    assert(geometry->slots >= 1 && geometry->inline_positions >= 1 && geometry->trip_positions >= 1);
    struct sram_table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->geometry = *geometry;
    t->level = cpu_best_level();
    set_up_hashes(t);
    if (allocate(t, count) && load(t, entries, count))
        return t;
    sram_table_destroy(t);
    return NULL;
}

void sram_table_destroy(struct sram_table *t)
{
    if (!t)
        return;
    huge_pages_destroy(t->entries, t->bytes);
    free(t);
}

static bool is_collided(const struct sram_table *t, uint32_t slot)
{
    return t->collided[slot / 64] >> slot % 64 & 1;
}

static bool is_flagged(const struct sram_table *t, uint32_t slot)
{
    return is_collided(t, slot) || t->begins[slot + 1] - t->begins[slot] > t->geometry.inline_positions;
}

void sram_table_find_slots(const struct sram_table *t, const uint32_t *wmers, uint32_t *slots, size_t count)
{
    enum { BATCH = 256 };
    uint32_t buckets[BATCH];
    for (size_t begin = 0; begin < count; begin += BATCH) {
        size_t end = count - begin < BATCH ? count : begin + BATCH;
        wmer_hash_many(&t->address, t->level, wmers + begin, slots + begin, end - begin);
        if (t->displacement) {
            wmer_hash_many(&t->bucket, t->level, wmers + begin, buckets, end - begin);
            displace_all(t, slots + begin, buckets, end - begin);
        }
        for (size_t i = begin; i < end; i++)
            __builtin_prefetch(&t->begins[slots[i]]);
        for (size_t i = begin; i < end; i++)
            __builtin_prefetch(&t->entries[t->begins[slots[i]]]);
    }
}

struct lookup sram_table_read(const struct sram_table *t, uint32_t slot, uint32_t wmer)
{
    const struct sram_entry *entries = t->entries + t->begins[slot];
    struct lookup lookup = {LOOKUP_EMPTY, entries, t->begins[slot + 1] - t->begins[slot]};
    if (lookup.entry_count == 0)
        return lookup;
    if (is_flagged(t, slot))
        lookup.outcome = LOOKUP_DUPLICATE;
    else
        lookup.outcome = entries[0].wmer == wmer ? LOOKUP_MATCH : LOOKUP_MISMATCH;
    return lookup;
}

struct lookup sram_table_lookup(const struct sram_table *t, uint32_t wmer)
{
    uint32_t slot;
    sram_table_find_slots(t, &wmer, &slot, 1);
    return sram_table_read(t, slot, wmer);
}

const struct sram_entry *sram_table_entries(const struct sram_table *t)
{
    return t->entries;
}

uint32_t sram_table_index(const struct sram_table *t, const struct sram_entry *entry)
{
    return (uint32_t)(entry - t->entries);
}

unsigned sram_access_entries(const struct sram_geometry *g, const struct sram_entry *entries, uint32_t count)
{
    unsigned most = sram_entries_per_access(g), read = 1;
    if (most > count)
        most = count;
    if (g->collision == COLLISION_TRIP)
        return most;
    while (read < most && entries[read].wmer == entries[0].wmer)
        read++;
    return read;
}

static uint32_t count_keys(const struct sram_table *t, uint32_t slot)
{
    uint32_t keys = 0;
    for (uint32_t i = t->begins[slot]; i < t->begins[slot + 1]; i++)
        keys += i == t->begins[slot] || t->entries[i].wmer != t->entries[i - 1].wmer;
    return keys;
}

static void add_slot(const struct sram_table *t, uint32_t slot, struct sram_load *load)
{
    bool collided = is_collided(t, slot), flagged = is_flagged(t, slot);
    load->occupied_slots += t->begins[slot + 1] > t->begins[slot];
    load->collided_slots += collided;
    load->colliding_wmers += collided ? count_keys(t, slot) : 0;
    load->duplicate_slots += flagged && !collided;
    load->duplicate_entries += flagged ? t->begins[slot + 1] - t->begins[slot] : 0;
}

struct sram_load sram_table_load(const struct sram_table *t)
{
    struct sram_load load = {.distinct_wmers = t->distinct_wmers};
    for (uint32_t slot = 0; slot < t->geometry.slots; slot++)
        add_slot(t, slot, &load);
    load.bytes = (uint64_t)t->geometry.slots * SLOT_BYTES + (uint64_t)load.duplicate_entries * ENTRY_BYTES;
    if (t->displacement)
        load.bytes += (uint64_t)t->geometry.displacements * DISPLACEMENT_BYTES;
    return load;
}
