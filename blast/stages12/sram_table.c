#include "blast/stages12/sram_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"
#include "base/memory.h"

enum { ENTRY_BYTES = SRAM_WORD_BYTES, DISPLACEMENT_BYTES = 4 };

/* Number of displacements tried for a bucket before the best one is taken: enough for 8 keys per bucket at half
 * load, of which one in 2^8 fits, and a bound on the time that a hopeless geometry costs. */
enum { DISPLACEMENT_TRIES = 16384 };

/* 64 slots. A slot is flagged if it has several keys, or one with more positions than fit. */
struct slots {
    uint64_t occupied, flagged; /* a bit per slot */
    uint32_t flagged_before;    /* number of flagged slots before these */
};

struct sram_table {
    struct sram_geometry geometry;
    struct wmer_hash address; /* A, or the whole function */
    struct wmer_hash bucket;  /* B, `displaced` only */
    enum cpu_level level;
    uint32_t entry_count;
    struct sram_load load;
    void *own_memory; /* of sram_table_new(), or NULL */
    size_t own_bytes;
    struct slots *slots;
    struct sram_entry *entries; /* in the order of w-mers, then one that ends them */
    uint64_t *in_lists;         /* a bit per entry, set at the first one of a key whose slot is flagged */
    uint32_t *displacement;     /* D, or NULL */
    /* The entries of flagged slots again, slot by slot: list i is entries[list_begins[i]] ..
     * entries[list_begins[i + 1] - 1]. */
    uint32_t *list_begins;
};

/* The distinct w-mers: key i is wmers[i], a run of equal ones in the sorted entries, entries[begins[i]] ..
 * entries[begins[i + 1] - 1]. */
struct keys {
    uint32_t count;
    uint32_t *wmers, *begins;
    uint32_t *slots;   /* A, until displacements are added */
    uint32_t *buckets; /* B, `displaced` only */
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

static uint32_t positions_of_key(const struct keys *k, uint32_t key)
{
    return k->begins[key + 1] - k->begins[key];
}

/* Find the keys of sorted entries. @param room  of keys_bytes() */
static void find_keys(struct keys *k, uint32_t *room, const struct sram_entry *entries, uint32_t count)
{
    const size_t each = count + UINT64_C(1);
    *k = (struct keys){0, room, room + each, room + 2 * each, room + 3 * each};
    uint32_t previous = WMER_COUNT;
    for (uint32_t i = 0; i < count; previous = entries[i++].wmer) {
        k->wmers[k->count] = entries[i].wmer;
        k->begins[k->count] = i;
        k->count += entries[i].wmer != previous;
    }
    k->begins[k->count] = count;
}

/* --- displacement hashing -------------------------------------------------------------------------------- */

/* The keys' addresses, bucket by bucket: those of bucket b are addresses[begins[b]] .. addresses[begins[b + 1] - 1]. */
struct buckets {
    uint32_t *begins;
    uint32_t *addresses;
    uint32_t *by_size; /* numbers of the buckets, largest first */
    uint32_t tries;    /* number of displacements tried for a bucket */
    uint64_t *taken;   /* a bit per slot; after the last slot the first ones again, as far as tries reach */
};

static uint32_t displacements_tried(const struct sram_geometry *g)
{
    return g->slots < DISPLACEMENT_TRIES ? g->slots : DISPLACEMENT_TRIES;
}

static size_t taken_words(const struct sram_geometry *g)
{
    return ((size_t)g->slots + displacements_tried(g)) / 64 + 3;
}

static size_t buckets_bytes(const struct sram_geometry *g, size_t key_count)
{
    return taken_words(g) * sizeof(uint64_t) +
           (2 * (size_t)g->displacements + 1 + key_count) * sizeof(uint32_t);
}

/* @param room  buckets_bytes() zeroed bytes */
static struct buckets buckets_at(uint64_t *room, const struct sram_geometry *g)
{
    uint32_t *begins = (uint32_t *)(room + taken_words(g));
    uint32_t *by_size = begins + g->displacements + 1;
    return (struct buckets){begins, by_size + g->displacements, by_size, displacements_tried(g), room};
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
static void order_by_size(struct buckets *b, uint32_t bucket_count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < bucket_count; i++)
        most = bucket_size(b, i) > most ? bucket_size(b, i) : most;
    auto_free uint32_t *begins = memory_new(most + UINT64_C(2), sizeof *begins);
    for (uint32_t i = 0; i < bucket_count; i++)
        begins[most - bucket_size(b, i) + 1]++;
    for (uint32_t i = 0; i <= most; i++)
        begins[i + 1] += begins[i];
    for (uint32_t i = 0; i < bucket_count; i++)
        b->by_size[begins[most - bucket_size(b, i)]++] = i;
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

/* The first displacement that brings the fewest keys of a bucket to taken slots. Keys of one address meet each other
 * under every displacement, so that they do not matter here. Bit d of count[p] is bit p of the number of keys that
 * displacement d brings to taken slots; 64 displacements are counted at a time. */
static uint32_t least_taken(const struct buckets *b, const uint32_t *addresses, uint32_t count)
{
    uint32_t best = 0, fewest = UINT32_MAX;
    for (uint32_t d = 0; d < b->tries; d += 64) {
        uint64_t counts[32] = {0}, least = ~UINT64_C(0) >> (b->tries - d < 64 ? 64 - (b->tries - d) : 0);
        uint32_t planes = 0, taken = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint64_t carry = taken_from(b, addresses[i] + d);
            for (uint32_t p = 0; carry; p++) {
                const uint64_t sum = counts[p] ^ carry;
                carry &= counts[p];
                counts[p] = sum;
                planes = p < planes ? planes : p + 1;
            }
        }
        for (uint32_t p = planes; p-- > 0;) {
            const uint64_t without = least & ~counts[p];
            taken |= (without == 0) << p;
            least = without ? without : least;
        }
        if (taken < fewest) {
            fewest = taken;
            best = d + (uint32_t)__builtin_ctzll(least);
        }
    }
    return best;
}

static void place_bucket(struct sram_table *t, struct buckets *b, uint32_t bucket)
{
    const uint32_t *addresses = b->addresses + b->begins[bucket];
    uint32_t count = bucket_size(b, bucket), best = first_free(b, addresses, count);
    t->load.operations += best < b->tries ? best + UINT64_C(1) : b->tries;
    if (best == b->tries)
        best = least_taken(b, addresses, count);
    t->displacement[bucket] = best;
    for (uint32_t i = 0; i < count; i++)
        take_slot(b, t, displace(t, addresses[i], best));
}

/* @param room  buckets_bytes() zeroed bytes */
static void choose_displacements(struct sram_table *t, const struct keys *keys, uint64_t *room)
{
    struct buckets b = buckets_at(room, &t->geometry);
    uint32_t bucket_count = t->geometry.displacements;
    group_addresses(&b, t, keys);
    order_by_size(&b, bucket_count);
    for (uint32_t i = 0; i < bucket_count && bucket_size(&b, b.by_size[i]) > 0; i++)
        place_bucket(t, &b, b.by_size[i]);
}

/* --- building -------------------------------------------------------------------------------------------- */

enum { RADIX_BITS = WMER_BITS / 2, RADIX = 1 << RADIX_BITS };

/* Sort by one half of the w-mer's bits; the sort is a stable counting sort. */
static void sort_by_digit(const struct sram_entry *from, struct sram_entry *to, size_t count, unsigned shift)
{
    uint32_t begins[RADIX + 1] = {0};
    for (size_t i = 0; i < count; i++)
        begins[(from[i].wmer >> shift & (RADIX - 1)) + 1]++;
    for (unsigned digit = 0; digit < RADIX; digit++)
        begins[digit + 1] += begins[digit];
    for (size_t i = 0; i < count; i++)
        to[begins[from[i].wmer >> shift & (RADIX - 1)]++] = from[i];
}

/* Choose every key's slot. @param room  what choose_displacements() needs */
static void place_keys(struct sram_table *t, struct keys *keys, uint64_t *room)
{
    wmer_hash_many(&t->address, t->level, keys->wmers, keys->slots, keys->count);
    if (!t->displacement)
        return;
    wmer_hash_many(&t->bucket, t->level, keys->wmers, keys->buckets, keys->count);
    choose_displacements(t, keys, room);
    displace_all(t, keys->slots, keys->buckets, keys->count);
}

static void mark_slots(struct sram_table *t, const struct keys *keys)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        struct slots *slots = &t->slots[keys->slots[i] / 64];
        const unsigned slot = keys->slots[i] % 64;
        const uint64_t too_many = positions_of_key(keys, i) > t->geometry.inline_positions;
        slots->flagged |= ((slots->occupied >> slot & 1) | too_many) << slot;
        slots->occupied |= UINT64_C(1) << slot;
    }
}

/* Whether a slot is flagged; its list's number if it is. */
static inline bool is_flagged(const struct sram_table *t, uint32_t slot, uint32_t *list)
{
    const struct slots *slots = &t->slots[slot / 64];
    const uint64_t below = slots->flagged & ((UINT64_C(1) << slot % 64) - 1);
    *list = slots->flagged_before + (uint32_t)__builtin_popcountll(below);
    return slots->flagged >> slot % 64 & 1;
}

/* Number the flagged slots. @return how many there are */
static uint32_t count_flagged(struct sram_table *t)
{
    uint32_t flagged = 0;
    for (size_t i = 0; i <= t->geometry.slots / 64; i++) {
        t->slots[i].flagged_before = flagged;
        flagged += (uint32_t)__builtin_popcountll(t->slots[i].flagged);
        t->load.occupied_slots += (uint32_t)__builtin_popcountll(t->slots[i].occupied);
    }
    return flagged;
}

/* List the keys of flagged slots, by their numbers, where their w-mers were, which are not needed any more.
 *
 * @return how many there are
 */
static uint32_t list_flagged_keys(struct sram_table *t, struct keys *keys)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < keys->count; i++) {
        const uint32_t slot = keys->slots[i], begin = keys->begins[i];
        const uint64_t flagged = t->slots[slot / 64].flagged >> slot % 64 & 1;
        t->in_lists[begin / 64] |= flagged << begin % 64;
        keys->wmers[count] = i;
        count += (uint32_t)flagged;
    }
    return count;
}

/* Find where the lists begin.
 *
 * @param flagged  numbers of the keys of flagged slots, `count` of them
 * @param lists    number of flagged slots
 * @param first    index of the first entry of lists
 */
static void find_lists(struct sram_table *t, const struct keys *keys, const uint32_t *flagged, uint32_t count,
                       uint32_t lists, uint32_t first)
{
    uint32_t list;
    memset(t->list_begins, 0, (lists + UINT64_C(1)) * sizeof *t->list_begins);
    for (uint32_t i = 0; i < count; i++) {
        is_flagged(t, keys->slots[flagged[i]], &list);
        t->list_begins[list + 1] += positions_of_key(keys, flagged[i]);
    }
    t->list_begins[0] = first;
    for (uint32_t i = 0; i < lists; i++)
        t->list_begins[i + 1] += t->list_begins[i];
}

/* Copy the entries of flagged slots slot by slot, the keys of a slot in the order of w-mers.
 *
 * @param first  index of the first copy
 * @return number of flagged slots
 */
static uint32_t fill_lists(struct sram_table *t, struct keys *keys, uint32_t first)
{
    uint32_t lists = count_flagged(t), count = list_flagged_keys(t, keys), list;
    const uint32_t *flagged = keys->wmers;
    find_lists(t, keys, flagged, count, lists, first);
    for (uint32_t i = 0; i < count; i++) { /* each begin moves to its end */
        is_flagged(t, keys->slots[flagged[i]], &list);
        uint32_t *next = &t->list_begins[list], positions = positions_of_key(keys, flagged[i]);
        memcpy(t->entries + *next, t->entries + keys->begins[flagged[i]], positions * sizeof *t->entries);
        *next += positions;
    }
    memmove(t->list_begins + 1, t->list_begins, lists * sizeof *t->list_begins);
    t->list_begins[0] = first;
    return lists;
}

static uint32_t count_keys(const struct sram_entry *entries, uint32_t count)
{
    uint32_t keys = 1;
    for (uint32_t i = 1; i < count; i++)
        keys += entries[i].wmer != entries[i - 1].wmer;
    return keys;
}

static uint64_t list_bytes(const struct sram_table *t, const struct sram_entry *entries, uint32_t count)
{
    uint64_t places = 0;
    if (t->geometry.collision == COLLISION_TRIP)
        return (uint64_t)count * ENTRY_BYTES;
    for (uint32_t read; count > 0; count -= read, entries += read, places++)
        read = sram_access_entries(&t->geometry, entries, count);
    return places * t->geometry.slot_bytes;
}

static void measure_load(struct sram_table *t, uint32_t lists)
{
    struct sram_load *load = &t->load;
    load->bytes = (uint64_t)t->geometry.slots * t->geometry.slot_bytes;
    for (uint32_t i = 0; i < lists; i++) {
        const uint32_t *begin = &t->list_begins[i];
        const uint32_t keys = count_keys(t->entries + begin[0], begin[1] - begin[0]);
        load->collided_slots += keys > 1;
        load->colliding_wmers += keys > 1 ? keys : 0;
        load->bytes += list_bytes(t, t->entries + begin[0], begin[1] - begin[0]);
    }
    load->duplicate_slots = lists - load->collided_slots;
    load->duplicate_entries = t->list_begins[lists] - t->list_begins[0];
    load->operations += (uint64_t)t->entry_count + t->geometry.slots;
    if (t->displacement)
        load->bytes += (uint64_t)t->geometry.displacements * DISPLACEMENT_BYTES;
}

enum { WORD = sizeof(uint64_t) };

static_assert(sizeof(struct sram_entry) == WORD && sizeof(struct slots) % WORD == 0,
              "arrays are of whole words");

/* Sizes of the arrays that a table keeps, in words. */
struct kept_words {
    size_t slots, entries, in_lists, displacement;
};

static struct kept_words kept_words(const struct sram_geometry *g, size_t count)
{
    return (struct kept_words){
        .slots = (g->slots / 64 + UINT64_C(1)) * (sizeof(struct slots) / WORD),
        .entries = count + 2,
        .in_lists = count / 64 + 1,
        .displacement = g->family == HASH_DISPLACED ? g->displacements / 2 + UINT64_C(1) : 0,
    };
}

/* What building needs: the keys, then what choose_displacements() needs. */
static size_t keys_words(size_t count)
{
    return 4 * (count + 1) * sizeof(uint32_t) / WORD;
}

struct sram_memory_bytes sram_memory_bytes(const struct sram_geometry *g, size_t count)
{
    const struct kept_words kept = kept_words(g, count);
    const size_t displacing = g->family == HASH_DISPLACED ? buckets_bytes(g, count) / WORD + 1 : 0;
    return (struct sram_memory_bytes){
        .kept = (kept.slots + kept.entries + kept.in_lists + kept.displacement) * WORD,
        .building = (keys_words(count) + displacing) * WORD,
        .lists = (count + count / 2 + 1) * WORD, /* entries, and where each list begins */
    };
}

static void place(struct sram_table *t, const struct sram_memory *memory)
{
    const struct kept_words kept = kept_words(&t->geometry, t->entry_count);
    t->slots = memory->kept;
    t->entries = (struct sram_entry *)((uint64_t *)memory->kept + kept.slots);
    t->in_lists = (uint64_t *)(t->entries + kept.entries);
    t->displacement = kept.displacement > 0 ? (uint32_t *)(t->in_lists + kept.in_lists) : NULL;
    t->list_begins = (uint32_t *)((struct sram_entry *)memory->lists + t->entry_count);
}

static void set_up_hashes(struct sram_table *t)
{
    const struct sram_geometry *g = &t->geometry;
    bool displaced = g->family == HASH_DISPLACED;
    wmer_hash_init(&t->address, displaced ? HASH_XXH3 : g->family, g->slots, hash_derive_seed(g->seed, 100));
    if (displaced)
        wmer_hash_init(&t->bucket, HASH_XXH3, g->displacements, hash_derive_seed(g->seed, 101));
}

static void fill(struct sram_table *t, const struct sram_entry *entries, const struct sram_memory *memory)
{
    struct keys keys;
    sort_by_digit(entries, memory->building, t->entry_count, 0);
    sort_by_digit(memory->building, t->entries, t->entry_count, RADIX_BITS);
    t->entries[t->entry_count] = (struct sram_entry){WMER_COUNT, 0};
    find_keys(&keys, memory->building, t->entries, t->entry_count);
    place_keys(t, &keys, (uint64_t *)memory->building + keys_words(t->entry_count));
    mark_slots(t, &keys);
    t->load.distinct_wmers = keys.count;
    measure_load(t, fill_lists(t, &keys, (uint32_t)((struct sram_entry *)memory->lists - t->entries)));
}

struct sram_table *sram_table_new_in(const struct sram_memory *memory, const struct sram_geometry *geometry,
                                     const struct sram_entry *entries, size_t count)
{
    assert(geometry->slots >= 1 && geometry->inline_positions >= 1 && geometry->trip_positions >= 1);
    struct sram_table *t = memory_new(1, sizeof *t);
    t->geometry = *geometry;
    t->level = cpu_best_level();
    t->entry_count = (uint32_t)count;
    set_up_hashes(t);
    place(t, memory);
    fill(t, entries, memory);
    return t;
}

struct sram_table *sram_table_new(const struct sram_geometry *geometry, const struct sram_entry *entries,
                                  size_t count)
{
    const struct sram_memory_bytes bytes = sram_memory_bytes(geometry, count);
    const size_t all = bytes.kept + bytes.building + bytes.lists;
    char *own = huge_pages_new(all);
    const struct sram_memory memory = {own, own + bytes.kept, own + bytes.kept + bytes.building};
    struct sram_table *t = sram_table_new_in(&memory, geometry, entries, count);
    t->own_memory = own;
    t->own_bytes = all;
    return t;
}

void sram_table_destroy(struct sram_table *t)
{
    if (!t)
        return;
    huge_pages_destroy(t->own_memory, t->own_bytes);
    free(t);
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
    }
}

struct lookup sram_table_read(const struct sram_table *t, uint32_t slot, const struct sram_entry *own,
                              uint32_t own_count)
{
    uint32_t list;
    if (!(t->slots[slot / 64].occupied >> slot % 64 & 1))
        return (struct lookup){LOOKUP_EMPTY, own, 0, 0};
    if (is_flagged(t, slot, &list)) {
        const uint32_t *begin = &t->list_begins[list];
        return (struct lookup){LOOKUP_DUPLICATE, t->entries + begin[0], begin[1] - begin[0], list};
    }
    return (struct lookup){own_count > 0 ? LOOKUP_MATCH : LOOKUP_MISMATCH, own, own_count, 0};
}

const struct sram_entry *sram_table_entries(const struct sram_table *t)
{
    return t->entries;
}

const uint64_t *sram_table_in_lists(const struct sram_table *t)
{
    return t->in_lists;
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

struct sram_load sram_table_load(const struct sram_table *t)
{
    return t->load;
}
