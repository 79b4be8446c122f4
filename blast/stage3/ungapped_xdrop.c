#include "blast/stage3/ungapped_xdrop.h"

#include <endian.h>
#include <string.h>
#include <sys/param.h>

#include "blast/stages12/wmer.h"

enum { BASES_PER_BYTE = 4, BITS_PER_CODE = BASE_PAIRS_BITS };

/* The lowest bit of every code. */
static const uint64_t every_code = 0x1111111111111111;

/* --- sixteen columns at a time --------------------------------------------------------------------------- */

/* Eight codes of a byte each, packed into the lower half. */
static uint64_t pack_eight(const uint8_t *codes)
{
    uint64_t bytes;
    memcpy(&bytes, codes, sizeof bytes);
    bytes = le64toh(bytes);
    bytes = (bytes | bytes >> 4) & 0x00ff00ff00ff00ff;
    bytes = (bytes | bytes >> 8) & 0x0000ffff0000ffff;
    return (bytes | bytes >> 16) & 0xffffffff;
}

/* 16 codes of the query from a position on, packed as the database's are; those outside of it are undefined. */
static inline uint64_t query_codes_from(const struct base_pairs *p, uint64_t position)
{
    uint64_t word = 0;
    if (position < p->positions && p->positions - position >= BASES_PER_WORD)
        return pack_eight(p->query + position) | pack_eight(p->query + position + 8) << 8 * BITS_PER_CODE;
    for (uint64_t i = 0; i < BASES_PER_WORD; i++)
        if (position + i < p->positions)
            word |= (uint64_t)p->query[position + i] << BITS_PER_CODE * i;
    return word;
}

static inline uint64_t differ(uint64_t query, uint64_t database)
{
    uint64_t bits = (query ^ database) | (database & (every_code * (uint64_t)(~BASE_T & 15)));
    bits |= bits >> 2;
    return (bits | bits >> 1) & every_code;
}

static inline uint64_t reverse_codes(uint64_t word)
{
    const uint64_t low_halves = 0x0f0f0f0f0f0f0f0f;
    word = __builtin_bswap64(word);
    return (word >> 4 & low_halves) | (word & low_halves) << 4;
}

uint64_t base_pairs_differ(const struct base_pairs *p, uint64_t query, uint64_t database, int step)
{
    const uint64_t before = step > 0 ? 0 : BASES_PER_WORD - 1;
    const uint64_t bits =
        differ(query_codes_from(p, query - before), sequences_codes_from(p->database, database - before));
    return step > 0 ? bits : reverse_codes(bits);
}

/* Bits of the first columns, at most 16. */
static inline uint64_t first_columns(uint64_t count)
{
    return count < BASES_PER_WORD ? (UINT64_C(1) << BITS_PER_CODE * count) - 1 : UINT64_MAX;
}

static inline uint64_t first_column(uint64_t bits)
{
    return (uint64_t)__builtin_ctzll(bits) / BITS_PER_CODE;
}

static uint64_t left_until(uint64_t end, uint64_t position)
{
    return end > position ? end - position : 0;
}

/* --- to both sides --------------------------------------------------------------------------------------- */

enum { LEFT, RIGHT, SIDES };

/* Score along the columns of one side. */
struct climb {
    int match, mismatch, xdrop;
    int sum, best;
    uint64_t column, best_length; /* columns before `column` are in the sum */
    bool dropped;                 /* too far: it does not go on */
};

/* Where the columns of the two sides begin, and how many there are. */
struct sides {
    uint64_t query[SIDES], database[SIDES], columns[SIDES];
};

static inline int step_of(int side)
{
    return side == LEFT ? -1 : 1;
}

/* Columns that are the first of the right side, and the last ones before it of the left side. */
static inline struct sides sides_at(const struct gapped_bounds *b, uint64_t query, uint64_t database)
{
    return (struct sides){
        .query = {query - 1, query},
        .database = {database - 1, database},
        .columns = {MIN(query - b->query_begin, database - b->database_begin),
                    MIN(left_until(b->query_end, query), left_until(b->database_end, database))},
    };
}

static inline void climb_matches(struct climb *c, uint64_t end)
{
    c->sum += (int)(end - c->column) * c->match;
    c->column = end;
    if (c->sum > c->best) {
        c->best = c->sum;
        c->best_length = end;
    }
}

/* Add the columns from c->column to end, which differ where bits are set. @return false if the score drops too far */
static inline bool climb_word(struct climb *c, uint64_t bits, uint64_t end)
{
    uint64_t begin = c->column;
    for (; bits != 0; bits &= bits - 1) {
        climb_matches(c, begin + first_column(bits));
        c->sum += c->mismatch;
        c->column++;
        if (c->best - c->sum > c->xdrop)
            return false;
    }
    climb_matches(c, end);
    return true;
}

/* Go on to the end of a side. */
static inline void climb_side(struct climb *c, const struct base_pairs *p, const struct sides *s, int side)
{
    const int step = step_of(side);
    while (!c->dropped && c->column < s->columns[side]) {
        uint64_t shift = (uint64_t)step * c->column,
                 count = MIN(s->columns[side] - c->column, BASES_PER_WORD);
        uint64_t bits = base_pairs_differ(p, s->query[side] + shift, s->database[side] + shift, step);
        c->dropped = !climb_word(c, bits & first_columns(count), c->column + count);
    }
}

struct gapped_extent stage3_ungapped_extend(const struct base_pairs *p,
                                            const struct scoring_statistics *statistics,
                                            const struct gapped_bounds *bounds, uint64_t query,
                                            uint64_t database, uint64_t *cells)
{
    const struct sides s = sides_at(bounds, query + 1, database + 1);
    const struct climb begin = {.match = statistics->scoring.match,
                                .mismatch = statistics->scoring.mismatch,
                                .xdrop = statistics->xdrop_ungapped};
    struct climb sides[SIDES] = {begin, begin};
    for (int side = 0; side < SIDES; side++)
        climb_side(&sides[side], p, &s, side);
    const struct climb *left = &sides[LEFT], *right = &sides[RIGHT];
    *cells += left->column + right->column;
    return (struct gapped_extent){.score = left->best + right->best,
                                  .query_begin = query + 1 - left->best_length,
                                  .query_end = query + 1 + right->best_length,
                                  .database_begin = database + 1 - left->best_length,
                                  .database_end = database + 1 + right->best_length};
}

/* --- inside a segment ------------------------------------------------------------------------------------ */

uint64_t stage3_ungapped_start(const struct base_pairs *p, const struct gapped_extent *segment)
{
    const uint64_t length = segment->query_end - segment->query_begin;
    uint64_t run_begin = 0;
    for (uint64_t column = 0; column < length; column += BASES_PER_WORD) {
        uint64_t count = MIN(length - column, BASES_PER_WORD);
        uint64_t bits =
            base_pairs_differ(p, segment->query_begin + column, segment->database_begin + column, 1);
        for (bits &= first_columns(count); bits != 0; bits &= bits - 1) {
            uint64_t at = column + first_column(bits);
            if (at - run_begin >= WMER_BASES)
                return run_begin;
            run_begin = at + 1;
        }
        if (column + count - run_begin >= WMER_BASES)
            return run_begin;
    }
    return run_begin;
}

/* --- whole bytes ----------------------------------------------------------------------------------------- */

/* Number of columns of a byte that differ. */
static inline int differing(uint64_t bits)
{
    return (int)((bits & 0x1111) * 0x1111 >> 12 & 7);
}

/* The columns that differ of a byte of which the query's record has only the first `part`. BLASTN has records one
 * behind the other, each after a byte 15, and reads on: it puts four bases together by shifting each by two bits more
 * than the next and does not mask them, so that the 15 is a T and makes its neighbour in the higher bits one, too.
 * What comes behind the 15 is taken to differ. */
static uint64_t differ_at_border(const struct base_pairs *p, const struct sides *s, int side, uint64_t shift,
                                 uint64_t part, uint64_t bits)
{
    const uint64_t first = side == RIGHT ? part - 1 : part, end = MIN(first + 2, BASES_PER_BYTE);
    bits |= UINT64_MAX << part * BITS_PER_CODE;
    for (uint64_t column = first; column < end; column++) {
        const uint64_t at = s->database[side] + shift + (uint64_t)step_of(side) * column,
                       bit = UINT64_C(1) << column * BITS_PER_CODE;
        bits = sequences_code(p->database, at) == BASE_T ? bits & ~bit : bits | bit;
    }
    return bits;
}

/* Score of one side, byte by byte, until the X-drop ends it or it is `enough`. A last byte that the query's record has
 * in part counts, too.
 *
 * @param room     columns of the query's record, and of the database's
 * @param goes_on  whether another record is behind the query's
 */
static inline int coarse_side(const struct base_pairs *p, const struct scoring_statistics *t,
                              const struct sides *s, int side, const uint64_t room[2], bool goes_on,
                              int enough)
{
    const int whole = BASES_PER_BYTE * t->scoring.match, less_each = t->scoring.match - t->scoring.mismatch;
    int score = 0, sum = 0;
    const uint64_t bytes = s->columns[side] / BASES_PER_BYTE;
    const bool is_cut = goes_on && room[0] / BASES_PER_BYTE < room[1] / BASES_PER_BYTE;
    const uint64_t part = is_cut ? room[0] % BASES_PER_BYTE : 0;
    uint64_t bits = 0;
    for (uint64_t i = 0; i < bytes + (part > 0) && score < enough && -sum <= t->xdrop_ungapped; i++) {
        uint64_t shift = (uint64_t)step_of(side) * BASES_PER_BYTE * i;
        if (i % (BASES_PER_WORD / BASES_PER_BYTE) == 0)
            bits = base_pairs_differ(p, s->query[side] + shift, s->database[side] + shift, step_of(side));
        if (i == bytes)
            bits = differ_at_border(p, s, side, shift, part, bits);
        sum += whole - differing(bits) * less_each;
        bits >>= BASES_PER_BYTE * BITS_PER_CODE;
        if (sum > 0) {
            score += sum;
            sum = 0;
        }
    }
    return score;
}

bool stage3_ungapped_coarse_reaches(const struct base_pairs *p, const struct scoring_statistics *statistics,
                                    const struct gapped_bounds *bounds, const bool goes_on[2], uint64_t query,
                                    uint64_t database, int score)
{
    uint64_t skip = -(database - bounds->database_begin) % BASES_PER_BYTE;
    skip = MIN(skip, MIN(left_until(bounds->query_end, query), left_until(bounds->database_end, database)));
    const struct sides s = sides_at(bounds, query + skip, database + skip);
    const uint64_t before[2] = {query + skip - bounds->query_begin, database + skip - bounds->database_begin},
                   after[2] = {left_until(bounds->query_end, query + skip),
                               left_until(bounds->database_end, database + skip)};
    int right = coarse_side(p, statistics, &s, RIGHT, after, goes_on[1], score);
    return right >= score ||
           right + coarse_side(p, statistics, &s, LEFT, before, goes_on[0], score - right) >= score;
}
