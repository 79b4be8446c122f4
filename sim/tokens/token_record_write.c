#include "sim/tokens/token_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file/file_io.h"
#include "base/file/output.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"
#include "sim/tokens/token_record_format.h"

enum { CHUNK_BYTES = 1 << 18 };

/* --- writing sections ------------------------------------------------------------------------------------ */

struct token_record_writer {
    struct output output;
    uint32_t passes;
    struct token_record_growth *growth; /* NULL: nobody reads meanwhile */
};

static int refuse_write(const struct token_record_writer *w, struct why *why)
{
    return why_say(why, TOKEN_RECORD_EFILE, "%s: cannot be written: %s", output_shown(w->output.path),
                   why_error(errno));
}

static int write_section(struct token_record_writer *w, enum section_kind kind, uint32_t number,
                         const void *bytes, size_t count, struct why *why)
{
    const struct section_head head = {kind, number, count};
    const uint64_t checksum = token_record_checksum(&head, bytes);
    FILE *file = w->output.file;
    return fwrite(&head, sizeof head, 1, file) == 1 && array_write(bytes, count, 1, file) &&
                   fwrite(&checksum, sizeof checksum, 1, file) == 1
               ? 0
               : refuse_write(w, why);
}

/* Write a buffer as a section and free it. */
static int write_buffer(struct token_record_writer *w, enum section_kind kind, struct byte_buffer *buffer,
                        struct why *why)
{
    int status = write_section(w, kind, 0, buffer->bytes, buffer->count, why);
    byte_buffer_destroy(buffer);
    return status;
}

/* --- writing the file ------------------------------------------------------------------------------------ */

int token_record_create(const char *path, struct token_record_writer **out, struct why *why)
{
    struct token_record_writer *w = memory_new(1, sizeof *w);
    if (output_open(&w->output, path, why) != 0) {
        free(w);
        return TOKEN_RECORD_EFILE;
    }
    struct preamble preamble = {.version = TOKEN_RECORD_VERSION};
    memcpy(preamble.magic, TOKEN_RECORD_MAGIC, sizeof preamble.magic);
    fwrite(&preamble, sizeof preamble, 1, w->output.file); /* output_commit() reports an error */
    *out = w;
    return 0;
}

int token_record_spool(const struct token_record_writer *writer, struct why *why)
{
    int spool = scratch_file_descriptor_beside(writer->output.path);
    if (spool < 0)
        return why_say(why, TOKEN_RECORD_EFILE, "%s: cannot create a file for a pass's tokens beside it: %s",
                       output_shown(writer->output.path), why_error(errno));
    return spool;
}

int token_record_write_facts(struct token_record_writer *writer, const struct token_record_facts *facts,
                             struct why *why)
{
    struct byte_buffer bytes = {0};
    token_record_pack_facts(facts, &bytes);
    return write_buffer(writer, SECTION_FACTS, &bytes, why);
}

int token_record_append(struct token_record_writer *writer, int spool, struct why *why)
{
    const off_t bytes = lseek(spool, 0, SEEK_END);
    void *map = bytes > 0 ? mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, spool, 0) : MAP_FAILED;
    if (map == MAP_FAILED)
        return refuse_write(writer, why);
    int status = write_section(writer, SECTION_PASS, writer->passes++, map, (size_t)bytes, why);
    munmap(map, (size_t)bytes);
    if (status || !writer->growth)
        return status;
    if (fflush(writer->output.file) != 0)
        return refuse_write(writer, why);
    atomic_store(&writer->growth->passes, writer->passes);
    return 0;
}

int token_record_tell(struct token_record_writer *writer, struct token_record_growth *growth, uint64_t *at)
{
    struct stat status;
    FILE *file = writer->output.file;
    const off_t end = fflush(file) == 0 ? ftello(file) : -1;
    if (end < 0 || fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode))
        return -1;
    *at = (uint64_t)end;
    const int reading = open(file_io_name(fileno(file)).path, O_RDONLY | O_CLOEXEC);
    if (reading >= 0)
        writer->growth = growth;
    return reading;
}

unsigned token_record_busy_readers(const struct token_record_writer *writer)
{
    return writer->growth ? atomic_load(&writer->growth->busy) : 0;
}

static int write_alignments(struct token_record_writer *w, const struct alignment_list *list, struct why *why)
{
    struct byte_buffer b = {0};
    for (size_t i = 0; i < list->count; i++) {
        const struct alignment *a = &list->items[i];
        const int32_t score_strand[] = {a->score, a->strand};
        const double bits_e_value[] = {a->bits, a->e_value};
        byte_buffer_add(&b, &a->query_begin, ALIGNMENT_NUMBERS_BYTES);
        byte_buffer_add(&b, score_strand, sizeof score_strand);
        byte_buffer_add(&b, bits_e_value, sizeof bits_e_value);
    }
    return write_buffer(w, SECTION_ALIGNMENTS, &b, why);
}

int token_record_commit(struct token_record_writer *writer, const struct alignment_list *alignments,
                        const struct stitch_work *join, struct why *why)
{
    int status = write_section(writer, SECTION_JOIN, 0, join->cells, join->count * sizeof *join->cells, why);
    if (status == 0)
        status = write_alignments(writer, alignments, why);
    if (status == 0 && output_commit(&writer->output, why) != 0)
        status = TOKEN_RECORD_EFILE;
    token_record_discard(writer);
    return status;
}

void token_record_discard(struct token_record_writer *writer)
{
    if (!writer)
        return;
    output_discard(&writer->output);
    free(writer);
}

/* --- writing a pass -------------------------------------------------------------------------------------- */

static bool write_chunk(struct token_recorder *r)
{
    r->chunk.count = 0;
    bool written = token_encoder_take_chunk(&r->encoder, &r->chunk) &&
                   file_io_write_all(r->spool, r->chunk.bytes, r->chunk.count);
    r->failed = r->failed || !written;
    return !r->failed;
}

static uint64_t record_scan(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                            struct pass_counts *counts)
{
    struct token_recorder *r = data;
    struct pass_counts found = {0}; /* `counts` has what is added to these tokens, too (overdrive.h) */
    uint64_t words = r->stages.scan(r->stages.data, first, count, tokens, &found);
    if (words == 0)
        return 0;
    pass_counts_add(&r->counts, &found);
    pass_counts_add(counts, &found);
    token_encoder_add(&r->encoder, tokens);
    return token_encoder_bytes(&r->encoder) < CHUNK_BYTES || write_chunk(r) ? words : 0;
}

static bool record_extend(void *data, const struct hsp *hsps, size_t count, struct stage3_work *work)
{
    struct token_recorder *r = data;
    if (!r->stages.extend(r->stages.data, hsps, count, work))
        return false;
    for (size_t i = 0; i < count; i++)
        token_encoder_add_work(&r->encoder, &work[i]);
    return true;
}

static bool record_finish(void *data, uint64_t *cells)
{
    struct token_recorder *r = data;
    if (!r->stages.finish(r->stages.data, cells))
        return false;
    token_encoder_add_cluster(&r->encoder, *cells);
    return true;
}

struct stage_source token_recorder_begin(struct token_recorder *recorder, const struct stage_source *stages,
                                         int spool)
{
    *recorder = (struct token_recorder){.stages = *stages, .spool = spool};
    struct stage_source source = *stages;
    source.data = recorder;
    source.scan = record_scan;
    source.extend = record_extend;
    source.finish = stages->finish ? record_finish : NULL;
    return source;
}

bool token_recorder_end(struct token_recorder *r)
{
    const struct stage_source *s = &r->stages;
    struct pass_tail tail = {s->table_bytes, s->build_operations, s->database_words,
                             s->alignments ? *s->alignments : 0, r->counts};
    bool written = !r->failed && write_chunk(r) && file_io_write_all(r->spool, &tail, sizeof tail);
    token_encoder_destroy(&r->encoder);
    byte_buffer_destroy(&r->chunk);
    return written;
}
