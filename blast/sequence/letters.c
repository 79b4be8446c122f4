#include "blast/sequence/letters.h"

#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

const char base_letters[BASE_CODES + 1] = "ACGTRYMKWSBDHVN|";
const uint8_t base_complements[BASE_CODES] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 13, 12, 11, 10, 14, 15};
const uint8_t base_sets[BASE_CODES] = {1, 2, 4, 8, 5, 10, 3, 12, 9, 6, 14, 13, 11, 7, 15, 0};

/* --- one word -------------------------------------------------------------------------------------------- */

enum { ALL_BASES = (1 << BASES_PER_WORD) - 1 };

/* In ASCII, bits 1 and 2 of the letters are A 0, C 1, T 2, G 3. The letters are computed back from the codes and
 * compared.
 *
 * @param like   a letter of the case that they are to have
 * @param bases  out: bit i tells whether letter i is a base of that case; the codes of other letters are any codes
 */
#ifdef __SSE2__

static inline uint64_t pack_word(const unsigned char *text, unsigned char like, unsigned *bases)
{
    const __m128i ones = _mm_set1_epi8(1), case_bit = _mm_set1_epi8(LETTERS_CASE_BIT);
    __m128i letters = _mm_loadu_si128((const __m128i *)text);
    __m128i cases = _mm_and_si128(_mm_xor_si128(letters, _mm_set1_epi8((char)like)), case_bit);
    __m128i high = _mm_and_si128(_mm_srli_epi16(letters, 2), ones);
    __m128i low = _mm_xor_si128(_mm_and_si128(_mm_srli_epi16(letters, 1), ones), high);
    __m128i codes = _mm_or_si128(low, _mm_slli_epi16(high, 1));
    /* 'A' + 2 low + 6 high + 11 (low & high) */
    __m128i both = _mm_and_si128(_mm_cmpeq_epi8(codes, _mm_set1_epi8(BASE_T)), _mm_set1_epi8(11));
    __m128i again = _mm_add_epi8(_mm_add_epi8(_mm_slli_epi16(codes, 1), _mm_slli_epi16(high, 1)),
                                 _mm_add_epi8(both, _mm_set1_epi8('A')));
    __m128i odd = _mm_or_si128(_mm_xor_si128(_mm_andnot_si128(case_bit, letters), again), cases);
    *bases = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(odd, _mm_setzero_si128()));
    __m128i pairs = _mm_and_si128(_mm_or_si128(codes, _mm_srli_epi16(codes, 4)), _mm_set1_epi16(0xff));
    uint64_t word;
    _mm_storel_epi64((__m128i *)&word, _mm_packus_epi16(pairs, pairs));
    return word;
}

#else

enum { LETTERS_AT_A_TIME = 8 };

static const uint64_t every_byte = 0x0101010101010101;

static inline uint64_t load_eight(const unsigned char *text)
{
    uint64_t letters = 0;
    for (unsigned i = 0; i < LETTERS_AT_A_TIME; i++)
        letters |= (uint64_t)text[i] << (8 * i);
    return letters;
}

/* The codes of eight letters, a byte each, if all are A, C, G or T; the byte of each letter that is not, or not of the
 * case, becomes another than 0 in `odd`. */
static inline uint64_t eight_base_codes(uint64_t letters, uint64_t cases, uint64_t *odd)
{
    uint64_t capitals = letters ^ cases;
    uint64_t high = letters >> 2 & every_byte, low = (letters >> 1 & every_byte) ^ high;
    *odd = capitals ^ ('A' * every_byte + 2 * low + 6 * high + 11 * (low & high));
    return low | high << 1;
}

/* A bit for each byte: whether it is 0. */
static inline unsigned zero_bytes(uint64_t bytes)
{
    const uint64_t low_bits = 0x7f * every_byte;
    uint64_t zeros = ~(((bytes & low_bits) + low_bits) | bytes) >> 7 & every_byte;
    return (unsigned)(zeros * 0x0102040810204080 >> 56);
}

/* Move the codes in eight bytes to eight nibbles. */
static inline uint64_t pack_eight(uint64_t codes)
{
    codes = (codes | codes >> 4) & 0x00ff00ff00ff00ff;
    codes = (codes | codes >> 8) & 0x0000ffff0000ffff;
    return (codes | codes >> 16) & 0xffffffff;
}

static inline uint64_t pack_word(const unsigned char *text, unsigned char like, unsigned *bases)
{
    uint64_t cases = like & LETTERS_CASE_BIT ? LETTERS_CASE_BIT * every_byte : 0, odd[2];
    uint64_t low = eight_base_codes(load_eight(text), cases, &odd[0]);
    uint64_t high = eight_base_codes(load_eight(text + LETTERS_AT_A_TIME), cases, &odd[1]);
    *bases = zero_bytes(odd[0]) | zero_bytes(odd[1]) << LETTERS_AT_A_TIME;
    return pack_eight(low) | pack_eight(high) << 32;
}

#endif

/* The same for fewer letters than a word has. */
static uint64_t pack_padded(const unsigned char *text, size_t count, unsigned *bases)
{
    unsigned char padded[BASES_PER_WORD] = {0};
    memcpy(padded, text, count);
    return pack_word(padded, text[0], bases);
}

/* Fewer letters than a word has are the upper ones of a word with letters before them. */
unsigned letters_pack_next(const unsigned char *line, size_t at, size_t length, uint64_t *word)
{
    const size_t left = length - at;
    unsigned bases;
    if (left >= BASES_PER_WORD) {
        *word = pack_word(line + at, line[at], &bases);
    } else if (length >= BASES_PER_WORD) {
        const unsigned before = (unsigned)(BASES_PER_WORD - left);
        *word = pack_word(line + length - BASES_PER_WORD, line[at], &bases) >> 4 * before;
        bases >>= before;
    } else {
        *word = pack_padded(line + at, left, &bases);
    }
    return (unsigned)__builtin_ctz(~bases);
}

/* --- many words ------------------------------------------------------------------------------------------ */

#if CPU_HAS_VECTORS

/* The lower halves of A, C, G and T differ: they look up the code, and the letter that has it. @return number of words,
 * an even one; it stops before a letter that has no word */
CPU_TARGET_AVX2 static size_t pack_avx2(const unsigned char *text, size_t length, uint64_t *words)
{
    enum { NONE = 0xff, LETTERS = sizeof(__m256i) };
    const __m256i code_of = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, BASE_A, 0, BASE_C, BASE_T, 0, 0, BASE_G, 0, 0, 0, 0, 0, 0, 0, 0));
    const char none = (char)NONE;
    const __m256i letter_of = _mm256_or_si256(
        _mm256_broadcastsi128_si256(_mm_setr_epi8(none, 'A', none, 'C', 'T', none, none, 'G', none, none,
                                                  none, none, none, none, none, none)),
        _mm256_set1_epi8((char)(text[0] & LETTERS_CASE_BIT)));
    const __m256i places = _mm256_set1_epi16(1 | 16 << 8); /* of a pair of codes in a byte */
    size_t i = 0;
    for (; length - i >= LETTERS; i += LETTERS) {
        __m256i letters = _mm256_loadu_si256((const __m256i *)(text + i));
        __m256i same = _mm256_cmpeq_epi8(letters, _mm256_shuffle_epi8(letter_of, letters));
        if (_mm256_movemask_epi8(same) != -1)
            break;
        __m256i pairs = _mm256_maddubs_epi16(_mm256_shuffle_epi8(code_of, letters), places);
        __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(pairs, pairs), 2 << 2);
        _mm_storeu_si128((__m128i *)(words + i / BASES_PER_WORD), _mm256_castsi256_si128(packed));
    }
    return i / BASES_PER_WORD;
}

#endif

size_t letters_pack(enum cpu_level level, const unsigned char *text, size_t length, uint64_t *words)
{
    size_t count = 0;
    if (length < BASES_PER_WORD)
        return 0;
#if CPU_HAS_VECTORS
    if (level >= CPU_AVX2)
        count = pack_avx2(text, length, words);
#endif
    (void)level;
    for (size_t i = count * BASES_PER_WORD; length - i >= BASES_PER_WORD; i += BASES_PER_WORD) {
        unsigned bases;
        words[count] = pack_word(text + i, text[0], &bases);
        if (bases != ALL_BASES)
            break;
        count++;
    }
    return count;
}
