/* sequence.h - sequences as the machine streams them: 4 bits per base, 16 bases per word.
 *
 * Models    the database in the host's memory, record after record, packed as the bus carries it (an 8-byte word
 *           is 16 bases, Dor 2010, section 2.4), and the query that passes are cut from.
 * Layout    the base at position p is bits 4 (p % 16) .. 4 (p % 16) + 3 of words[p / 16], so a word's first base is
 *           its lowest nibble. One separator stands between two records, and separators fill up the last word. No
 *           w-mer contains a code above BASE_T, hence none crosses a boundary.
 *
 *               record 0: ACGTN          record 1: GG
 *               position  0 1 2 3 4 5 6 7 8 ...
 *               code      A C G T N | G G | | | | | | | | |
 *
 * Masks     lower case is remembered as ranges; the caller chooses whether it, or anything else, is masked.
 * Memory    half a byte per base; whoever reads sequences (fasta.h) destroys them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/mask.h"

enum base {
    BASE_A = 0,
    BASE_C = 1,
    BASE_G = 2,
    BASE_T = 3,
    BASE_AMBIGUOUS =
        4, /* the first of the ambiguity codes of IUPAC, which are R Y M K W S B D H V N, as at NCBI */
    BASE_N = 14,
    BASE_SEPARATOR = 15,
    BASE_CODES
};

/** For every code: its letter, the code of its complement, and a bit for each base that it may be. */
extern const char base_letters[BASE_CODES + 1];
extern const uint8_t base_complements[BASE_CODES], base_sets[BASE_CODES];

static inline bool base_is_ambiguous(unsigned code)
{
    return code >= BASE_AMBIGUOUS && code < BASE_SEPARATOR;
}

enum { BASES_PER_WORD = 16, BYTES_PER_WORD = 8 };

/* What reading or cutting sequences returns. */
enum sequence_error {
    SEQUENCE_EOPEN = -2,   /* there is no such file, it is a directory, or permission is denied */
    SEQUENCE_EREAD = -3,   /* the medium failed, or a compressed file is truncated or damaged */
    SEQUENCE_EFORMAT = -4, /* the file is not FASTA, or not DNA */
    SEQUENCE_EEMPTY = -5,  /* there is no record, or a record without a base */
};

enum strand { STRAND_PLUS = 0, STRAND_MINUS = 1 };

struct sequence_record {
    char *name;     /* first word of the header line, without '>' */
    uint64_t begin; /* position of its first base in the concatenation */
    uint64_t bases; /* length, >= 1 */
    char *title;    /* the rest of the header line, or NULL if nothing follows the name */
    uint64_t cut_before,
        cut_after; /* bases of the record in its file before and after these (sequence_cut.h) */
};

struct sequences {
    struct sequence_record *records;
    size_t record_count;
    uint64_t *words;
    uint64_t word_count;
    size_t word_room;       /* of the words as a long array (base/array.h); 0 in memory of malloc() */
    uint64_t positions;     /* bases and separators, without those that fill up the last word */
    uint64_t bases;         /* sum over the records */
    uint64_t ambiguous;     /* bases that are not A, C, G, T or U; a record may consist of them */
    struct mask lower_case; /* bases in lower case, plus strand */
    struct mask masked; /* bases that no w-mer of a segment may contain, plus strand; none after reading */
    uint64_t digest;    /* XXH3 (64 bits) of names and codes: equal content has an equal digest */
};

void sequences_destroy(struct sequences *sequences);

/** Free the words, where names and lengths are enough from now on. */
void sequences_forget_words(struct sequences *sequences);

/** Number of bases of a record in its file. */
static inline uint64_t sequence_record_whole(const struct sequence_record *record)
{
    return record->cut_before + record->bases + record->cut_after;
}

/** The code at one position, in [0, positions). */
static inline unsigned sequences_code(const struct sequences *s, uint64_t position)
{
    return (unsigned)(s->words[position / BASES_PER_WORD] >> (4 * (position % BASES_PER_WORD))) & 15u;
}

/** A word, by its number; outside the sequences all words are separators. */
static inline uint64_t sequences_word(const struct sequences *s, uint64_t index)
{
    return index < s->word_count ? s->words[index] : UINT64_MAX;
}

/** Get 16 codes from a position on, the first one in the lowest bits; it may lie before position 0. */
static inline uint64_t sequences_codes_from(const struct sequences *s, uint64_t position)
{
    const uint64_t next = (position + BASES_PER_WORD) / BASES_PER_WORD; /* 0 before position 0 */
    const unsigned shift = 4 * (unsigned)(position % BASES_PER_WORD);
    return sequences_word(s, next - 1) >> shift | sequences_word(s, next) << 1 << (63 - shift);
}

/** Unpack codes of one strand, a byte each: out[i] becomes the code at strand position begin + i. Position p of
 * the minus strand is the complement of plus position (positions - 1 - p); separators stay.
 *
 * @param out  length bytes; begin + length <= positions
 */
void sequences_unpack(const struct sequences *s, enum strand strand, uint64_t begin, uint64_t length,
                      uint8_t *out);

/** Turn codes of one strand into those of the other. */
void base_codes_reverse_complement(uint8_t *codes, uint64_t count);

/** All codes of one strand, as sequences_unpack() writes them.
 *
 * @return sequences->positions bytes, which the caller frees
 */
uint8_t *sequences_unpack_strand(const struct sequences *s, enum strand strand);

/** Letters of positions [begin, begin + count) of a strand, and a final 0, for free(). */
char *sequences_letters(const struct sequences *sequences, enum strand strand, uint64_t begin,
                        uint64_t count);

/** Make the masked bases ambiguous in codes that sequences_unpack() has written. */
void sequences_hide_masked(const struct sequences *s, enum strand strand, uint64_t begin, uint64_t length,
                           uint8_t *codes);

/** Index of the record that holds a plus-strand position; a separator belongs to the record before it. */
size_t sequences_record_at(const struct sequences *s, uint64_t position);

/** Refuse two records of one name, for what tells records apart by name. @return 0, or not 0 with one line */
int sequences_check_names(const struct sequences *s, const char *file, struct why *why);
