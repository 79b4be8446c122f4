/* extended_diagonals.h - what stage 3 remembers of its stream: how far ungapped extensions have got on every diagonal.
 *
 * Models    BLASTN's table of diagonals: an HSP that lies on a stretch which an ungapped extension of its diagonal
 *           has covered already is not extended again. Database positions must not decrease from call to call; a pair
 *           out of order may be given either answer.
 * Memory    4 bytes per query position that HSPs may have, rounded up to a power of two: positions are kept relative to
 *           one that moves on with the stream. When two diagonals share an entry, the stream has left the first before
 *           it enters the second: they lie farther apart than the query positions that HSPs may have.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** Greatest distance of the stream's position from `origin`. */
#define EXTENDED_DIAGONALS_SPAN (UINT64_C(1) << 31)

struct extended_diagonals {
    /* Database position of the end of a diagonal's last extension, minus `origin`; 0: before it. */
    uint32_t *ends;
    uint64_t mask; /* the number of a diagonal's entry is the diagonal modulo mask + 1 */
    uint64_t query_end;
    uint64_t origin; /* database position, not after the stream's */
};

/** No diagonal has been extended. HSPs have query positions [query_begin, query_end). */
void extended_diagonals_new(struct extended_diagonals *x, uint64_t query_begin, uint64_t query_end);

void extended_diagonals_destroy(struct extended_diagonals *x);

/* Does what extended_diagonals_advance() does if the stream is too far from the origin. */
void extended_diagonals_move(struct extended_diagonals *x, uint64_t database);

/** Announce that the stream has come to a database position; to be called before the position is used below. */
static inline void extended_diagonals_advance(struct extended_diagonals *x, uint64_t database)
{
    if (database >= x->origin + EXTENDED_DIAGONALS_SPAN)
        extended_diagonals_move(x, database);
}

/** The entry of a pair's diagonal. */
static inline uint32_t *extended_diagonals_at(const struct extended_diagonals *x, uint64_t query,
                                              uint64_t database)
{
    return &x->ends[(database - query) & x->mask];
}

/** Whether a pair of the stream's position lies before the end of its diagonal's last extension. */
static inline bool extended_diagonals_cover(const struct extended_diagonals *x, uint64_t query,
                                            uint64_t database)
{
    return *extended_diagonals_at(x, query, database) > database - x->origin;
}

/** Note the end of an extension, a database position, on the diagonal of a pair of the stream's position. */
static inline void extended_diagonals_note(struct extended_diagonals *x, uint64_t query, uint64_t database,
                                           uint64_t end)
{
    uint64_t last = database + (x->query_end - query); /* no HSP of this diagonal lies after it */
    *extended_diagonals_at(x, query, database) = (uint32_t)((end < last ? end : last) - x->origin);
}
