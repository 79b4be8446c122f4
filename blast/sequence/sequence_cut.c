#include "blast/sequence/sequence_cut.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* Digits only: strtoull() takes signs and spaces, too. @return the first character after them, or NULL */
static const char *parse_position(const char *text, uint64_t *position)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return NULL;
    errno = 0;
    *position = strtoull(text, &end, 10);
    return errno == 0 ? end : NULL;
}

bool sequence_range_parse(const char *text, struct sequence_range *range)
{
    struct sequence_range r;
    const char *hyphen = parse_position(text, &r.first);
    const char *end = hyphen && *hyphen == '-' ? parse_position(hyphen + 1, &r.last) : NULL;
    if (!end || *end != '\0' || r.first < 1 || r.first > r.last)
        return false;
    *range = r;
    return true;
}

/* The positions of a record's bases that are kept, half open; none if begin >= end. */
static struct mask_range kept_of(const struct sequence_record *record, struct sequence_range range)
{
    uint64_t last = range.last < record->bases ? range.last : record->bases;
    return (struct mask_range){record->begin + range.first - 1, record->begin + last};
}

static void set_code(struct sequences *s, uint64_t position, unsigned code)
{
    uint64_t *word = &s->words[position / BASES_PER_WORD];
    const unsigned shift = 4 * (unsigned)(position % BASES_PER_WORD);
    *word = (*word & ~(UINT64_C(15) << shift)) | ((uint64_t)code << shift);
}

/* What lower case the cut sequences have; `s` is still whole. */
static void cut_mask(const struct sequences *s, struct sequence_range range, struct mask *cut)
{
    const struct mask *mask = &s->lower_case;
    uint64_t to = 0;
    for (size_t record = 0, i = 0; record < s->record_count; record++) {
        const struct mask_range kept = kept_of(&s->records[record], range);
        if (kept.begin >= kept.end)
            continue;
        while (i < mask->count && mask->ranges[i].end <= kept.begin)
            i++;
        for (size_t j = i; j < mask->count && mask->ranges[j].begin < kept.end; j++) {
            uint64_t begin = mask->ranges[j].begin > kept.begin ? mask->ranges[j].begin : kept.begin;
            uint64_t end = mask->ranges[j].end < kept.end ? mask->ranges[j].end : kept.end;
            mask_add(cut, to + begin - kept.begin, to + end - kept.begin);
        }
        to += kept.end - kept.begin + 1;
    }
}

/* Move the bases that are kept to their new places, which are never after the old ones. */
static void cut_record(struct sequences *s, struct sequence_record record, struct sequence_range range)
{
    const struct mask_range kept = kept_of(&record, range);
    const uint64_t begin = s->positions > 0 ? s->positions + 1 : 0;
    if (begin > 0)
        set_code(s, s->positions, BASE_SEPARATOR);
    for (uint64_t from = kept.begin; from < kept.end; from++) {
        unsigned code = sequences_code(s, from);
        set_code(s, begin + from - kept.begin, code);
        s->ambiguous += base_is_ambiguous(code);
    }
    record.cut_before = kept.begin - record.begin;
    record.cut_after = record.begin + record.bases - kept.end;
    record.begin = begin;
    record.bases = kept.end - kept.begin;
    s->records[s->record_count++] = record;
    s->positions = begin + record.bases;
    s->bases += record.bases;
}

static bool has_bases(const struct sequences *s, struct sequence_range range)
{
    for (size_t i = 0; i < s->record_count; i++)
        if (s->records[i].bases >= range.first)
            return true;
    return false;
}

int sequences_cut(struct sequences *s, struct sequence_range range)
{
    struct mask lower_case = {0};
    const size_t count = s->record_count;
    if (!has_bases(s, range))
        return SEQUENCE_EEMPTY;
    cut_mask(s, range, &lower_case);
    mask_destroy(&s->lower_case);
    s->lower_case = lower_case;
    s->record_count = s->positions = s->bases = s->ambiguous = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sequence_record record = s->records[i];
        if (record.bases >= range.first) {
            cut_record(s, record, range);
        } else {
            free(record.name);
            free(record.title);
        }
    }
    s->word_count = (s->positions + BASES_PER_WORD - 1) / BASES_PER_WORD;
    for (uint64_t p = s->positions; p < s->word_count * BASES_PER_WORD; p++)
        set_code(s, p, BASE_SEPARATOR);
    return 0;
}
