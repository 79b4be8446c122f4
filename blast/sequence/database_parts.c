#include "blast/sequence/database_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- borders --------------------------------------------------------------------------------------------- */

/* Find the end of a part. @param bases  in: of all records before `first`; out: of those before the part's end */
static size_t find_end(const struct sequences *database, size_t first, size_t last, double share,
                       uint64_t *bases)
{
    size_t end = first + 1;
    *bases += database->records[first].bases;
    for (; end < last; end++) {
        uint64_t further = *bases + database->records[end].bases;
        if (fabs((double)further - share) > fabs((double)*bases - share))
            break;
        *bases = further;
    }
    return end;
}

/* --- a part ---------------------------------------------------------------------------------------------- */

/* Make the bases of a word before or after a place separators. */
static uint64_t hide(uint64_t word, uint64_t from, uint64_t to)
{
    for (uint64_t place = from; place < to; place++)
        word |= (uint64_t)BASE_SEPARATOR << (4 * place);
    return word;
}

static void copy_words(const struct sequences *database, uint64_t begin, uint64_t end, struct sequences *part)
{
    uint64_t *last = &part->words[part->word_count - 1];
    memcpy(part->words, database->words + begin / BASES_PER_WORD, part->word_count * sizeof *part->words);
    part->words[0] = hide(part->words[0], 0, begin % BASES_PER_WORD);
    if (end % BASES_PER_WORD > 0)
        *last = hide(*last, end % BASES_PER_WORD, BASES_PER_WORD);
}

static void copy_records(const struct sequences *database, struct database_part *part)
{
    struct sequences *s = &part->sequences;
    for (size_t i = 0; i < s->record_count; i++) {
        s->records[i] = database->records[part->first_record + i];
        s->records[i].begin -= part->first_position;
        s->bases += s->records[i].bases;
    }
}

static void fill_part(const struct sequences *database, size_t first, size_t end, struct database_part *part)
{
    struct sequences *s = &part->sequences;
    const struct sequence_record *last = &database->records[end - 1];
    uint64_t begin_position = database->records[first].begin, end_position = last->begin + last->bases;
    part->first_record = first;
    part->first_position = begin_position - begin_position % BASES_PER_WORD;
    s->record_count = end - first;
    s->positions = end_position - part->first_position;
    s->word_count = (s->positions + BASES_PER_WORD - 1) / BASES_PER_WORD;
    s->records = memory_new(s->record_count, sizeof *s->records);
    s->words = memory_take(s->word_count * sizeof *s->words);
    copy_words(database, begin_position, end_position, s);
    copy_records(database, part);
}

/* --- the whole ------------------------------------------------------------------------------------------- */

struct database_part *database_parts_new(const struct sequences *database, size_t count)
{
    struct database_part *parts = memory_new(count, sizeof *parts);
    size_t first = 0;
    uint64_t bases = 0;
    assert(count > 0 && count <= database->record_count);
    for (size_t i = 0; i < count; i++) {
        double share = (double)database->bases * (double)(i + 1) / (double)count;
        size_t last = database->record_count - (count - 1 - i); /* each of the other parts needs a record */
        size_t end = find_end(database, first, last, i + 1 < count ? share : (double)database->bases, &bases);
        fill_part(database, first, end, &parts[i]);
        first = end;
    }
    return parts;
}

void database_parts_destroy(struct database_part *parts, size_t count)
{
    for (size_t i = 0; parts && i < count; i++) {
        free(parts[i].sequences.records);
        free(parts[i].sequences.words);
    }
    free(parts);
}
