#include "blast/write/cigar.h"

#include <stdlib.h>
#include <string.h>

#include <htslib/sam.h>

#include "base/array.h"

enum { LENGTH_MAX = (1 << 28) - 1 };

bool cigar_add(struct cigar *c, int operation, uint64_t length)
{
    while (length > 0) {
        uint32_t part = length < LENGTH_MAX ? (uint32_t)length : LENGTH_MAX;
        if (!array_reserve(&c->operations, &c->room, c->count, 1, sizeof *c->operations))
            return false;
        c->operations[c->count++] = bam_cigar_gen(part, operation);
        length -= part;
    }
    return true;
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

bool cigar_add_columns(struct cigar *c, const struct aligned *aligned, enum strand strand)
{
    uint64_t length = 0;
    int operation = BAM_CEQUAL;
    bool added = true;
    for (uint64_t i = 0; i < aligned->columns && added; i++) {
        int here = column_operation(aligned, column_at(aligned, strand, i));
        if (here != operation) {
            added = cigar_add(c, operation, length);
            operation = here;
            length = 0;
        }
        length++;
    }
    return added && cigar_add(c, operation, length);
}

bool cigar_print(const struct cigar *c, kstring_t *text)
{
    bool printed = true;
    for (size_t i = 0; i < c->count && printed; i++)
        printed = kputuw(bam_cigar_oplen(c->operations[i]), text) >= 0 &&
                  kputc(bam_cigar_opchr(c->operations[i]), text) >= 0;
    return printed;
}

/* The reference's letter in a column. */
static int reference_letter(const struct aligned *aligned, enum strand strand, uint64_t column)
{
    char letter = aligned->subject[column];
    return strand == STRAND_MINUS ? aligned_complement(letter) : letter;
}

bool cigar_print_md(const struct aligned *aligned, enum strand strand, kstring_t *text)
{
    uint64_t equal = 0;
    int before = BAM_CEQUAL;
    bool printed = true;
    for (uint64_t i = 0; i < aligned->columns && printed; i++) {
        uint64_t column = column_at(aligned, strand, i);
        int operation = column_operation(aligned, column);
        equal += operation == BAM_CEQUAL;
        if (operation == BAM_CDIFF || operation == BAM_CDEL) {
            bool begins = operation == BAM_CDIFF || before != BAM_CDEL || equal > 0;
            if (begins)
                printed = kputll((long long)equal, text) >= 0;
            if (begins && operation == BAM_CDEL)
                printed = printed && kputc('^', text) >= 0;
            printed = printed && kputc(reference_letter(aligned, strand, column), text) >= 0;
            equal = 0;
        }
        if (operation != BAM_CINS)
            before = operation;
    }
    return printed && kputll((long long)equal, text) >= 0;
}

void cigar_destroy(struct cigar *c)
{
    free(c->operations);
    *c = (struct cigar){0};
}
