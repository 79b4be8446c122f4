/* letters.h - the codes of bases, and lines of letters as words of sixteen codes (sequence.h: Layout).
 *
 * Limits    only A, C, G and T have words, and only letters of one case, since case is noted apart.
 */
#ifndef MERCURY_BLAST_SEQUENCE_LETTERS_H
#define MERCURY_BLAST_SEQUENCE_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

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

enum { LETTERS_CASE_BIT = 'a' - 'A' };

/** Pack letters as long as whole words of them are bases of the case of the first one.
 *
 * @param level   the widest vectors to use
 * @param length  number of letters; 0 is allowed
 * @param words   out: length / 16 words at most
 * @return number of words
 */
size_t letters_pack(enum cpu_level level, const unsigned char *text, size_t length, uint64_t *words);

/** Pack the next letters of a line, one word of them at most, as long as they are bases of the case of the first one.
 *
 * @param line    the whole line
 * @param at      number of letters before the next ones
 * @param length  number of letters of the line, more than `at`
 * @param word    out: the word, with any codes after the letters
 * @return number of letters, 0 to 16
 */
unsigned letters_pack_next(const unsigned char *line, size_t at, size_t length, uint64_t *word);

#endif
