#include "blast/sequence/database_cuts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/scratch_file.h"

struct cutting {
    const struct sequences *whole;
    const struct fasta_index *index;
    FILE *file; /* FASTA */
    uint64_t positions;
    struct why *why;
};

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The letters of a part of a record, from the words that were read. */
static char *unpack(const struct sequences *whole, uint64_t begin, uint64_t count)
{
    char *letters = malloc(count + 1);
    if (!letters)
        return NULL;
    sequences_unpack(whole, STRAND_PLUS, begin, count, (uint8_t *)letters);
    for (uint64_t i = 0; i < count; i++)
        letters[i] = base_letters[(unsigned char)letters[i]];
    letters[count] = '\0';
    return letters;
}

/* @param begin  position of the whole */
static int write_piece(struct cutting *c, size_t record, uint64_t begin, uint64_t count)
{
    const struct sequence_record *r = &c->whole->records[record];
    char *letters = NULL;
    int status = 0;
    if (c->index)
        status = fasta_index_read(c->index, record, begin - r->begin, count, &letters, c->why);
    else if (!(letters = unpack(c->whole, begin, count)))
        status = why_no_memory(c->why, SEQUENCE_EMEMORY);
    if (status == 0)
        fprintf(c->file, ">%s\n%s\n", r->name, letters);
    free(letters);
    return status;
}

static int write_cut(struct cutting *c, struct database_cut *cut)
{
    const size_t first = sequences_record_at(c->whole, cut->begin);
    bool begun = false;
    int status = 0;
    for (size_t i = first; i < c->whole->record_count && c->whole->records[i].begin < cut->end && status == 0;
         i++) {
        const struct sequence_record *r = &c->whole->records[i];
        uint64_t begin = greater(cut->begin, r->begin), end = lesser(cut->end, r->begin + r->bases);
        if (begin >= end)
            continue;
        c->positions += c->positions > 0;
        if (!begun)
            cut->there = c->positions - lesser(begin - cut->begin, c->positions);
        begun = true;
        c->positions += end - begin;
        status = write_piece(c, i, begin, end - begin);
    }
    return status;
}

int database_cuts_read(const struct sequences *whole, const struct fasta_index *index,
                       struct database_cut *cuts, size_t count, struct sequences *out, struct why *why)
{
    struct cutting c = {whole, index, scratch_file_open(), 0, why};
    char path[64];
    int status = c.file ? 0 : scratch_file_refuse(why, SEQUENCE_EREAD);
    for (size_t i = 0; i < count && status == 0; i++)
        status = write_cut(&c, &cuts[i]);
    if (status == 0 && fflush(c.file) != 0)
        status = scratch_file_refuse_bytes("a sample of the database", why, SEQUENCE_EREAD);
    if (status == 0) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(c.file));
        status = sequences_read(path, out, why);
    }
    if (c.file)
        fclose(c.file);
    return status;
}
