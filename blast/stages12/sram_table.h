/* sram_table.h - stage 1b: the primary table and the duplicate table in SRAM.
 *
 * Models    docs/hardware.md, "Functional structures"; Dor 2010, section 6.1. One read of the primary table ends a
 *           lookup or sends it to the duplicate table:
 *
 *               slot:  [ key tag | duplicate | collided | position | position ]
 *               empty      nothing is there: a false positive of the filter, seen at once
 *               mismatch   another key is there: a false positive, seen at once
 *               match      the key is there with 1 .. inline_positions positions
 *               duplicate  the key has more positions than fit, or several keys hash to this slot: the slot's list
 *                          in the duplicate table is read, trip_positions entries per trip, whether it holds the
 *                          key or not
 *
 *           The list holds (key, position) of ALL keys of the slot, in order of key, then position; a lookup reads
 *           the whole list and keeps the entries of its own key. That is COLLISION_TRIP, the machine as published.
 *           COLLISION_PROBE is another reading of TimeTrial, section IV.B: a collision costs further probes of the
 *           table. The list is a chain of places of inline_positions positions of one key each, which are read one
 *           by one up to the last place of the wanted key, or all of them if the key is not there.
 * Hashing   `xxh3`, `h3` (hash.h) or `displaced`: slot(x) = (A(x) + D[B(x)]) mod slots with a table D of
 *           `displacements` entries filled bucket by bucket, largest first, each with the first displacement that
 *           brings the bucket's keys to free slots, or else to as few taken ones as any of the first 16,384
 *           (near-perfect hashing: two keys that agree in A and B share a slot under every D).
 * Promise   every position of every key that was put in is found (no false negative).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/hash.h"

/** How the list of a slot is read, whose positions do not fit, or in which keys collide. */
enum collision_rule {
    COLLISION_TRIP, /* in trips to the duplicate table: all of it, trip_positions entries per trip */
    COLLISION_PROBE /* in further probes of a chain of places as large as a slot, up to the last of the key */
};

struct sram_geometry {
    uint32_t slots;
    enum hash_family family;
    unsigned inline_positions; /* positions that a slot holds, 1 .. sram_positions_that_fit() */
    unsigned trip_positions;   /* entries that a trip to the duplicate table yields, 1 .. 255 */
    uint32_t displacements;    /* number of entries of D; `displaced` only */
    uint64_t seed;
    enum collision_rule collision;
    unsigned slot_bytes; /* of a slot, and of a place of a chain: a multiple of 8 */
};

struct sram_entry {
    uint32_t wmer;
    uint32_t position; /* position of the w-mer's last base in the segment */
};

enum lookup_outcome { LOOKUP_EMPTY, LOOKUP_MISMATCH, LOOKUP_MATCH, LOOKUP_DUPLICATE };

struct lookup {
    enum lookup_outcome outcome;
    const struct sram_entry *entries; /* of a match the key's, of a duplicate the slot's list; else none */
    uint32_t entry_count;
    uint32_t list; /* number of a duplicate's list, among those of all slots */
};

struct sram_load {
    uint32_t distinct_wmers;
    uint32_t occupied_slots;
    uint32_t collided_slots;    /* slots with more than one key */
    uint32_t colliding_wmers;   /* keys in collided slots */
    uint32_t duplicate_slots;   /* slots with one key that has more positions than fit */
    uint32_t duplicate_entries; /* length of all lists together */
    uint64_t bytes; /* loaded before a pass: slots, entries (8) or places of chains, 4 per displacement */
    /* Steps of building: one per entry that was put in, per slot and per displacement that was tried. */
    uint64_t operations;
};

enum { SRAM_WORD_BYTES = 8 }; /* width of two chips beside each other; of an entry of the duplicate table */

/** Number of positions of 16 bits that fit a slot of so many bytes, beside a key tag of 22 bits and two flags. */
static inline unsigned sram_positions_that_fit(unsigned slot_bytes)
{
    return (8 * slot_bytes - (WMER_BITS + 2)) / 16;
}

/** Bytes of the least slot that holds so many positions. */
static inline unsigned sram_slot_bytes_for(unsigned positions)
{
    return (WMER_BITS + 2 + 16 * positions + 63) / 64 * SRAM_WORD_BYTES;
}

struct sram_table;

/** Build both tables.
 *
 * @param entries  (w-mer, position) of every valid w-mer of the segment, those of one w-mer in the order of positions
 */
struct sram_table *sram_table_new(const struct sram_geometry *geometry, const struct sram_entry *entries,
                                  size_t count);
void sram_table_destroy(struct sram_table *table);

/** Where a table lies, in three parts, each aligned to 8 bytes. */
struct sram_memory {
    void *kept;     /* zeroed, until the table is destroyed */
    void *building; /* zeroed; it is free again when the table is built */
    void *lists;    /* until the table is destroyed; after `kept`, at most 32 GiB, of which few are written */
};

/** Numbers of bytes of these parts for a number of entries; multiples of 8. */
struct sram_memory_bytes {
    size_t kept, building, lists;
};

struct sram_memory_bytes sram_memory_bytes(const struct sram_geometry *geometry, size_t count);

/** Build both tables in the caller's memory, which must outlive the table. */
struct sram_table *sram_table_new_in(const struct sram_memory *memory, const struct sram_geometry *geometry,
                                     const struct sram_entry *entries, size_t count);

/** Look up w-mers, each by one read of the primary table, in two steps: find their slots, and read the slot of each and
 * the entries it leads to.
 *
 * @param own  the w-mer's entries (sram_table_entries()), own_count of them; none if it is not in the table
 */
void sram_table_find_slots(const struct sram_table *table, const uint32_t *wmers, uint32_t *slots,
                           size_t count);
struct lookup sram_table_read(const struct sram_table *table, uint32_t slot, const struct sram_entry *own,
                              uint32_t own_count);

/** All entries, sorted by w-mer, then position. An entry of w-mer WMER_COUNT ends them, and what follows
 * can be read: the lists of slots. */
const struct sram_entry *sram_table_entries(const struct sram_table *table);

/** Bit i % 64 of word i / 64 is set if entry i is the first of a w-mer whose lookup is not a match, but a list. */
const uint64_t *sram_table_in_lists(const struct sram_table *table);

/** The index of a lookup's first entry from the first of all on. */
uint32_t sram_table_index(const struct sram_table *table, const struct sram_entry *entry);

struct sram_load sram_table_load(const struct sram_table *table);

/** The most entries that one trip, or one probe, reads. */
static inline unsigned sram_entries_per_access(const struct sram_geometry *g)
{
    return g->collision == COLLISION_PROBE ? g->inline_positions : g->trip_positions;
}

/** Number of entries that the trip or probe reads which begins at the first of `count` entries, count >= 1. */
unsigned sram_access_entries(const struct sram_geometry *geometry, const struct sram_entry *entries,
                             uint32_t count);
