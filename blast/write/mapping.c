#include "blast/write/mapping.h"

#include <math.h>
#include <stdlib.h>

#include <htslib/sam.h>

#include "base/array.h"
#include "base/memory.h"

/* --- mappings -------------------------------------------------------------------------------------------- */

#define QUALITY_MOST   60.0
#define QUALITY_FACTOR 40.0

/* The two best alignments that cover a base of the query. */
struct best {
    float bits, second_bits;
    uint32_t holder; /* number of the first of them, from 1; 0 if there is none */
    bool covered;    /* by a primary or supplementary one */
};

static void compete(struct best *bases, struct aligned_range range, float bits, uint32_t holder)
{
    for (uint64_t i = range.first - 1; i < range.last; i++) {
        struct best *b = &bases[i];
        if (bits > b->bits || b->holder == 0) {
            b->second_bits = b->bits;
            b->bits = bits;
            b->holder = holder;
        } else if (bits > b->second_bits) {
            b->second_bits = bits;
        }
    }
}

static enum mapping_role take_role(struct best *bases, struct aligned_range range, bool is_first)
{
    uint64_t uncovered = 0, length = range.last - range.first + 1;
    for (uint64_t i = range.first - 1; i < range.last; i++)
        uncovered += !bases[i].covered;
    if (!is_first && 2 * uncovered < length)
        return MAPPING_SECONDARY;
    for (uint64_t i = range.first - 1; i < range.last; i++)
        bases[i].covered = true;
    return is_first ? MAPPING_PRIMARY : MAPPING_SUPPLEMENTARY;
}

static uint8_t quality_of(const struct best *bases, struct aligned_range range, double bits, uint32_t holder)
{
    double sum = 0;
    for (uint64_t i = range.first - 1; i < range.last; i++) {
        double other = bases[i].holder == holder ? bases[i].second_bits : bases[i].bits;
        sum += other < bits ? other / bits : 1;
    }
    double share = sum / (double)(range.last - range.first + 1);
    double quality = bits > 1 ? QUALITY_FACTOR * (1 - share) * log(bits) : 0;
    return (uint8_t)round(quality < QUALITY_MOST ? quality : QUALITY_MOST);
}

struct mapping *mapping_new(const struct sequences *query, const struct alignment *items, size_t count)
{
    struct mapping *mappings = memory_new(count, sizeof *mappings);
    auto_free struct best *bases =
        count > 0 ? memory_new(sequence_record_whole(&query->records[items[0].query_record]), sizeof *bases)
                  : NULL;
    for (size_t i = 0; i < count; i++)
        compete(bases, aligned_query_range(query, &items[i]), (float)items[i].bits, (uint32_t)i + 1);
    for (size_t i = 0; i < count; i++) {
        struct aligned_range range = aligned_query_range(query, &items[i]);
        mappings[i].role = take_role(bases, range, i == 0);
        if (mappings[i].role != MAPPING_SECONDARY)
            mappings[i].quality = quality_of(bases, range, (float)items[i].bits, (uint32_t)i + 1);
    }
    return mappings;
}

/* --- CIGARs ---------------------------------------------------------------------------------------------- */

enum { LENGTH_MAX = (1 << 28) - 1 };

void cigar_add(struct cigar *c, int operation, uint64_t length)
{
    while (length > 0) {
        uint32_t part = length < LENGTH_MAX ? (uint32_t)length : LENGTH_MAX;
        *ARRAY_NEXT(c->operations, c->count, c->room) = bam_cigar_gen(part, operation);
        length -= part;
    }
}

static int column_operation(const struct aligned *aligned, uint64_t column)
{
    if (aligned->query[column] == '-')
        return BAM_CDEL;
    if (aligned->subject[column] == '-')
        return BAM_CINS;
    return aligned_is_match(aligned, column) ? BAM_CEQUAL : BAM_CDIFF;
}

/* The i-th column in the direction of the reference. */
static uint64_t column_at(const struct aligned *aligned, enum strand strand, uint64_t i)
{
    return strand == STRAND_MINUS ? aligned->columns - 1 - i : i;
}

void cigar_add_columns(struct cigar *c, const struct aligned *aligned, enum strand strand)
{
    uint64_t length = 0;
    int operation = BAM_CEQUAL;
    for (uint64_t i = 0; i < aligned->columns; i++) {
        int here = column_operation(aligned, column_at(aligned, strand, i));
        if (here != operation) {
            cigar_add(c, operation, length);
            operation = here;
            length = 0;
        }
        length++;
    }
    cigar_add(c, operation, length);
}

/* Appending to a text fails for want of memory only. */
static void printed(int status)
{
    if (status < 0)
        memory_exhausted();
}

void cigar_print(const struct cigar *c, kstring_t *text)
{
    for (size_t i = 0; i < c->count; i++) {
        printed(kputuw(bam_cigar_oplen(c->operations[i]), text));
        printed(kputc(bam_cigar_opchr(c->operations[i]), text));
    }
}

/* The reference's letter in a column. */
static int reference_letter(const struct aligned *aligned, enum strand strand, uint64_t column)
{
    char letter = aligned->subject[column];
    return strand == STRAND_MINUS ? aligned_complement(letter) : letter;
}

void cigar_print_md(const struct aligned *aligned, enum strand strand, kstring_t *text)
{
    uint64_t equal = 0;
    int before = BAM_CEQUAL;
    for (uint64_t i = 0; i < aligned->columns; i++) {
        uint64_t column = column_at(aligned, strand, i);
        int operation = column_operation(aligned, column);
        equal += operation == BAM_CEQUAL;
        if (operation == BAM_CDIFF || operation == BAM_CDEL) {
            bool begins = operation == BAM_CDIFF || before != BAM_CDEL || equal > 0;
            if (begins)
                printed(kputll((long long)equal, text));
            if (begins && operation == BAM_CDEL)
                printed(kputc('^', text));
            printed(kputc(reference_letter(aligned, strand, column), text));
            equal = 0;
        }
        if (operation != BAM_CINS)
            before = operation;
    }
    printed(kputll((long long)equal, text));
}

void cigar_destroy(struct cigar *c)
{
    free(c->operations);
    *c = (struct cigar){0};
}
