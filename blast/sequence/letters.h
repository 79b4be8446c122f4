/* letters.h - the codes of bases, and lines of letters as words of sixteen codes (sequence.h: Layout).
 *
 * Limits    only A, C, G and T have words, and only letters of one case, since case is noted apart.
 */
#ifndef MERCURY_BLAST_SEQUENCE_LETTERS_H
#define MERCURY_BLAST_SEQUENCE_LETTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

enum base {
    BASE_A = 0,
    BASE_C = 1,
    BASE_G = 2,
    BASE_T = 3,
    BASE_AMBIGUOUS = 4,
    BASE_SEPARATOR = 15,
};

enum { BASES_PER_WORD = 16, BYTES_PER_WORD = 8 };

enum { LETTERS_CASE_BIT = 'a' - 'A' };

/** No word: a letter is no base, or of the other case. */
#define LETTERS_NO_WORD UINT64_MAX

/** Pack a line's letters as long as whole words of them are bases of the case of the first one.
 *
 * @param level   the widest vectors to use
 * @param length  number of letters; 0 is allowed
 * @param words   out: length / 16 words at most
 * @return number of words
 */
size_t letters_pack(enum cpu_level level, const unsigned char *text, size_t length, uint64_t *words);

/** The word of a line's last letters, fewer than a word has and at least one, with any codes after them.
 *
 * @param line    the whole line
 * @param at      number of letters before the last ones
 * @param length  number of letters of the line
 * @return LETTERS_NO_WORD, or a word
 */
uint64_t letters_last(const unsigned char *line, size_t at, size_t length);

#endif
