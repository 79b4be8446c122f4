#include "blast/sequence/sequence.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/order.h"

const char base_letters[BASE_CODES + 1] = "ACGTRYMKWSBDHVN|";
const uint8_t base_complements[BASE_CODES] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 13, 12, 11, 10, 14, 15};
const uint8_t base_sets[BASE_CODES] = {1, 2, 4, 8, 5, 10, 3, 12, 9, 6, 14, 13, 11, 7, 15, 0};

void sequences_forget_words(struct sequences *s)
{
    array_free_long(s->words, s->word_room, sizeof *s->words);
    s->words = NULL;
    s->word_room = 0;
}

void sequences_destroy(struct sequences *s)
{
    for (size_t i = 0; i < s->record_count; i++) {
        free(s->records[i].name);
        free(s->records[i].title);
    }
    free(s->records);
    sequences_forget_words(s);
    mask_destroy(&s->lower_case);
    mask_destroy(&s->masked);
    *s = (struct sequences){0};
}

/* Spread the lower eight codes of a word to a byte each. */
static inline uint64_t spread(uint64_t codes)
{
    codes = (codes | codes << 16) & 0x0000ffff0000ffff;
    codes = (codes | codes << 8) & 0x00ff00ff00ff00ff;
    return (codes | codes << 4) & 0x0f0f0f0f0f0f0f0f;
}

static void unpack_plus(const struct sequences *s, uint64_t begin, uint64_t length, uint8_t *out)
{
    uint64_t i = 0;
    for (; length - i >= BASES_PER_WORD; i += BASES_PER_WORD) {
        const uint64_t codes = sequences_codes_from(s, begin + i);
        const uint64_t bytes[] = {htole64(spread(codes & UINT32_MAX)), htole64(spread(codes >> 32))};
        memcpy(out + i, bytes, sizeof bytes);
    }
    for (; i < length; i++)
        out[i] = (uint8_t)sequences_code(s, begin + i);
}

void base_codes_reverse_complement(uint8_t *codes, uint64_t count)
{
    for (uint64_t i = 0; i < (count + 1) / 2; i++) {
        const uint8_t first = codes[i];
        codes[i] = base_complements[codes[count - 1 - i]];
        codes[count - 1 - i] = base_complements[first];
    }
}

void sequences_unpack(const struct sequences *s, enum strand strand, uint64_t begin, uint64_t length,
                      uint8_t *out)
{
    unpack_plus(s, strand == STRAND_PLUS ? begin : s->positions - begin - length, length, out);
    if (strand == STRAND_MINUS)
        base_codes_reverse_complement(out, length);
}

uint8_t *sequences_unpack_strand(const struct sequences *s, enum strand strand)
{
    uint8_t *codes = memory_take(s->positions);
    sequences_unpack(s, strand, 0, s->positions, codes);
    return codes;
}

char *sequences_letters(const struct sequences *s, enum strand strand, uint64_t begin, uint64_t count)
{
    uint8_t *letters = memory_take(count + 1);
    sequences_unpack(s, strand, begin, count, letters);
    for (uint64_t i = 0; i < count; i++)
        letters[i] = (uint8_t)base_letters[letters[i]];
    letters[count] = '\0';
    return (char *)letters;
}

void sequences_hide_masked(const struct sequences *s, enum strand strand, uint64_t begin, uint64_t length,
                           uint8_t *codes)
{
    bool reversed = strand == STRAND_MINUS;
    uint64_t first = reversed ? s->positions - begin - length : begin;
    mask_overwrite(&s->masked, first, first + length, reversed, BASE_N, codes);
}

size_t sequences_record_at(const struct sequences *s, uint64_t position)
{
    return ORDER_LAST(i, s->record_count, s->records[i].begin <= position);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

int sequences_check_names(const struct sequences *s, const char *file, struct why *why)
{
    auto_free const char **names = memory_take(s->record_count * sizeof *names);
    int status = 0;
    for (size_t i = 0; i < s->record_count; i++)
        names[i] = s->records[i].name;
    qsort(names, s->record_count, sizeof *names, compare_names);
    for (size_t i = 1; i < s->record_count && status == 0; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            status = why_say(why, -1, "%s: two records are called '%.80s'; give each a name of its own", file,
                             names[i]);
    return status;
}
