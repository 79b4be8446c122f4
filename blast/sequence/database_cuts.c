#include "blast/sequence/database_cuts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>

#include <htslib/faidx.h>
#include <htslib/hts_log.h>

#include "base/memory.h"
#include "base/file/file_io.h"
#include "base/file/scratch_file.h"
#include "blast/sequence/fasta.h"

/* --- indices --------------------------------------------------------------------------------------------- */

struct indexed_file {
    const char *path;
    faidx_t *index;
};

struct fasta_index {
    size_t count;
    struct indexed_file files[];
};

/* Whether a file has an index; it must not be older than the file. */
static int find(const char *path, bool *found, struct why *why)
{
    char name[PATH_MAX];
    struct stat file, index;
    *found = snprintf(name, sizeof name, "%s.fai", path) < (int)sizeof name && stat(name, &index) == 0 &&
             stat(path, &file) == 0;
    if (*found && index.st_mtim.tv_sec < file.st_mtim.tv_sec)
        return why_say(why, SEQUENCE_EREAD,
                       "%.400s: older than the file that it is an index of; make it again: samtools faidx",
                       name);
    return 0;
}

static int open_file(struct indexed_file *file, const char *path, struct why *why)
{
    file->path = path;
    file->index = fai_load3(path, NULL, NULL, 0);
    if (file->index && faidx_nseq(file->index) > 0)
        return 0;
    return why_say(why, SEQUENCE_EREAD,
                   "%.400s.fai: no index of this file, or its .gzi is missing; make it again: samtools faidx",
                   path);
}

int fasta_index_open(const char *const *paths, size_t count, struct fasta_index **index, struct why *why)
{
    bool found = true;
    int status = 0;
    *index = NULL;
    hts_set_log_level(HTS_LOG_OFF);
    for (size_t i = 0; i < count && status == 0 && found; i++)
        status = find(paths[i], &found, why);
    if (status || !found)
        return status;
    struct fasta_index *opened = memory_new(1, sizeof *opened + count * sizeof opened->files[0]);
    for (size_t i = 0; i < count && status == 0; i++) {
        opened->count = i + 1;
        status = open_file(&opened->files[i], paths[i], why);
    }
    if (status)
        fasta_index_close(opened);
    else
        *index = opened;
    return status;
}

void fasta_index_close(struct fasta_index *index)
{
    for (size_t i = 0; index && i < index->count; i++)
        if (index->files[i].index)
            fai_destroy(index->files[i].index);
    free(index);
}

static int add_record(struct sequences *out, const struct indexed_file *file, int number, struct why *why)
{
    const char *name = faidx_iseq(file->index, number);
    const int bases = faidx_seq_len(file->index, name);
    if (bases <= 0)
        return why_say(
            why, SEQUENCE_EREAD,
            "%.400s.fai: record '%.80s' has no base, or 2^31 or more, too many for its index; expected "
            "1 to 2147483647",
            file->path, name);
    out->positions += out->record_count > 0;
    struct sequence_record *record = &out->records[out->record_count++];
    *record = (struct sequence_record){
        .name = memory_text(name), .begin = out->positions, .bases = (uint64_t)bases};
    out->bases += record->bases;
    out->positions += record->bases;
    return 0;
}

int fasta_index_records(const struct fasta_index *index, struct sequences *out, struct why *why)
{
    size_t count = 0;
    for (size_t f = 0; f < index->count; f++)
        count += (size_t)faidx_nseq(index->files[f].index);
    struct sequences found = {.records = memory_new(count, sizeof *found.records)};
    int status = 0;
    for (size_t f = 0; f < index->count; f++)
        for (int i = 0; i < faidx_nseq(index->files[f].index) && status == 0; i++)
            status = add_record(&found, &index->files[f], i, why);
    if (status == 0)
        *out = found;
    else
        sequences_destroy(&found);
    return status;
}

/* Read letters of a record, among those of all files. @param letters  out: `count` of them and a NUL, for free() */
static int fasta_index_read(const struct fasta_index *index, size_t record, uint64_t begin, uint64_t count,
                            char **letters, struct why *why)
{
    const struct indexed_file *file = index->files;
    for (; record >= (size_t)faidx_nseq(file->index); file++)
        record -= (size_t)faidx_nseq(file->index);
    const char *name = faidx_iseq(file->index, (int)record);
    hts_pos_t length = 0;
    *letters =
        faidx_fetch_seq64(file->index, name, (hts_pos_t)begin, (hts_pos_t)(begin + count) - 1, &length);
    if (*letters && (uint64_t)length == count)
        return 0;
    free(*letters);
    *letters = NULL;
    return why_say(why, SEQUENCE_EREAD,
                   "%.400s: record '%.80s' has no %" PRIu64 " bases from %" PRIu64
                   " on, as its index says; make it again: samtools faidx",
                   file->path, name, count, begin + 1);
}

/* --- cuts ------------------------------------------------------------------------------------------------ */

struct cutting {
    const struct sequences *whole;
    const struct fasta_index *index;
    FILE *file; /* FASTA */
    uint64_t positions;
    struct why *why;
};

/* @param begin  position of the whole */
static int write_piece(struct cutting *c, size_t record, uint64_t begin, uint64_t count)
{
    const struct sequence_record *r = &c->whole->records[record];
    auto_free char *letters = NULL;
    int status = 0;
    if (c->index)
        status = fasta_index_read(c->index, record, begin - r->begin, count, &letters, c->why);
    else
        letters = sequences_letters(c->whole, STRAND_PLUS, begin, count);
    if (status == 0)
        fprintf(c->file, ">%s\n%s\n", r->name, letters);
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
        uint64_t begin = MAX(cut->begin, r->begin), end = MIN(cut->end, r->begin + r->bases);
        if (begin >= end)
            continue;
        c->positions += c->positions > 0;
        if (!begun)
            cut->there = c->positions - MIN(begin - cut->begin, c->positions);
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
    int status = c.file ? 0 : scratch_file_refuse(why, SEQUENCE_EREAD);
    for (size_t i = 0; i < count && status == 0; i++)
        status = write_cut(&c, &cuts[i]);
    if (status == 0 && !file_io_flush(c.file))
        status = scratch_file_refuse_bytes("a sample of the database", why, SEQUENCE_EREAD);
    if (status == 0)
        status = sequences_read(file_io_name(fileno(c.file)).path, out, why);
    file_io_end(c.file);
    return status;
}
