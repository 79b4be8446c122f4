#include "blast/stage3/ungapped_xdrop.h"

#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

int base_pairs_new(struct base_pairs *p, const struct sequences *database, const uint8_t *query,
                   uint64_t positions, uint64_t begin, uint64_t end)
{
    *p = (struct base_pairs){
        .database = database,
        .query_begin = begin,
        .query_words = (end - begin) / BASES_PER_WORD + 2,
    };
    p->query = calloc(p->query_words, sizeof *p->query);
    if (!p->query)
        return -1;
    for (uint64_t i = 0; i < p->query_words; i++) {
        uint64_t first = begin + i * BASES_PER_WORD;
        if (first + BASES_PER_WORD <= positions)
            p->query[i] = pack_eight(query + first) | pack_eight(query + first + 8) << 8 * BITS_PER_CODE;
        else
            for (uint64_t j = 0; j < BASES_PER_WORD; j++)
                p->query[i] |= (first + j < positions ? query[first + j] : UINT64_C(0) + BASE_SEPARATOR)
                               << BITS_PER_CODE * j;
    }
    return 0;
}

void base_pairs_destroy(struct base_pairs *p)
{
    free(p->query);
    p->query = NULL;
}

/* 16 codes from a position on, the first one in the lowest bits. */
static inline uint64_t codes_from(const uint64_t *words, uint64_t word_count, uint64_t position)
{
    uint64_t i = position / BASES_PER_WORD;
    unsigned shift = BITS_PER_CODE * (unsigned)(position % BASES_PER_WORD);
    uint64_t next = i + 1 < word_count ? words[i + 1] : 0;
    return words[i] >> shift | next << 1 << (63 - shift);
}

/* 16 codes up to a position, the last one in the highest bits. */
static inline uint64_t codes_to(const uint64_t *words, uint64_t position)
{
    uint64_t i = position / BASES_PER_WORD;
    unsigned shift = 60 - BITS_PER_CODE * (unsigned)(position % BASES_PER_WORD);
    uint64_t before = i > 0 ? words[i - 1] : 0;
    return words[i] << shift | before >> 1 >> (63 - shift);
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

static inline uint64_t columns_differ(const struct base_pairs *p, uint64_t query, uint64_t database, int step)
{
    query -= p->query_begin;
    if (step > 0)
        return differ(codes_from(p->query, p->query_words, query),
                      codes_from(p->database->words, p->database->word_count, database));
    return reverse_codes(differ(codes_to(p->query, query), codes_to(p->database->words, database)));
}

uint64_t base_pairs_differ(const struct base_pairs *p, uint64_t query, uint64_t database, int step)
{
    return columns_differ(p, query, database, step);
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

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
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
        .columns = {less(query - b->query_begin, database - b->database_begin),
                    less(left_until(b->query_end, query), left_until(b->database_end, database))},
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
    bool rises = true;
    while (rises && c->column < s->columns[side]) {
        uint64_t shift = (uint64_t)step * c->column,
                 count = less(s->columns[side] - c->column, BASES_PER_WORD);
        uint64_t bits = columns_differ(p, s->query[side] + shift, s->database[side] + shift, step);
        rises = climb_word(c, bits & first_columns(count), c->column + count);
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
        uint64_t count = less(length - column, BASES_PER_WORD);
        uint64_t bits = columns_differ(p, segment->query_begin + column, segment->database_begin + column, 1);
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

/* Score of one side, byte by byte, until the X-drop ends it or it is `enough`. */
static inline int coarse_side(const struct base_pairs *p, const struct scoring_statistics *t,
                              const struct sides *s, int side, int enough)
{
    const int whole = BASES_PER_BYTE * t->scoring.match, less_each = t->scoring.match - t->scoring.mismatch;
    int score = 0, sum = 0;
    const uint64_t bytes = s->columns[side] / BASES_PER_BYTE;
    uint64_t bits = 0;
    for (uint64_t i = 0; i < bytes && score < enough && -sum <= t->xdrop_ungapped; i++) {
        uint64_t shift = (uint64_t)step_of(side) * BASES_PER_BYTE * i;
        if (i % (BASES_PER_WORD / BASES_PER_BYTE) == 0)
            bits = columns_differ(p, s->query[side] + shift, s->database[side] + shift, step_of(side));
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
                                    const struct gapped_bounds *bounds, uint64_t query, uint64_t database,
                                    int score)
{
    uint64_t skip = -(database - bounds->database_begin) % BASES_PER_BYTE;
    skip = less(skip, less(left_until(bounds->query_end, query), left_until(bounds->database_end, database)));
    const struct sides s = sides_at(bounds, query + skip, database + skip);
    int right = coarse_side(p, statistics, &s, RIGHT, score);
    return right >= score || right + coarse_side(p, statistics, &s, LEFT, score - right) >= score;
}
