#include "sim/tokens/token_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/file/output.h"
#include "base/file/scratch_file.h"
#include "sim/tokens/token_record_format.h"

enum { CHUNK_BYTES = 1 << 18, COPY_BYTES = 1 << 16 };

/* --- writing sections ------------------------------------------------------------------------------------ */

struct token_record_writer {
    struct output output;
    uint32_t passes;
};

/* A section that is being written. */
struct section {
    struct section_head head;
    XXH3_state_t *hash;
    FILE *file;
};

static int refuse_write(const struct token_record_writer *w, struct why *why)
{
    return why_say(why, TOKEN_RECORD_EFILE, "%s: cannot be written: %s", w->output.path, strerror(errno));
}

static bool section_begin(struct section *s, FILE *file, enum section_kind kind, uint32_t number,
                          uint64_t bytes)
{
    *s = (struct section){.head = {kind, number, bytes}, .hash = XXH3_createState(), .file = file};
    if (!s->hash)
        return false;
    XXH3_64bits_reset(s->hash);
    return fwrite(&s->head, sizeof s->head, 1, file) == 1;
}

static bool section_add(struct section *s, const void *bytes, size_t count)
{
    if (count == 0)
        return true;
    XXH3_64bits_update(s->hash, bytes, count);
    return fwrite(bytes, count, 1, s->file) == 1;
}

static bool section_end(struct section *s)
{
    bool written = false;
    if (s->hash) {
        XXH3_64bits_update(s->hash, &s->head, sizeof s->head);
        uint64_t checksum = XXH3_64bits_digest(s->hash);
        written = fwrite(&checksum, sizeof checksum, 1, s->file) == 1;
    }
    XXH3_freeState(s->hash);
    return written;
}

static int write_section(struct token_record_writer *w, enum section_kind kind, const void *bytes,
                         size_t count, struct why *why)
{
    struct section section;
    bool written =
        section_begin(&section, w->output.file, kind, 0, count) && section_add(&section, bytes, count);
    written = section_end(&section) && written;
    return written ? 0 : refuse_write(w, why);
}

/* Write a buffer as a section and free it. */
static int write_buffer(struct token_record_writer *w, enum section_kind kind, struct byte_buffer *buffer,
                        struct why *why)
{
    int status = buffer->out_of_memory ? why_no_memory(why, TOKEN_RECORD_EMEMORY)
                                       : write_section(w, kind, buffer->bytes, buffer->count, why);
    byte_buffer_destroy(buffer);
    return status;
}

/* --- writing facts --------------------------------------------------------------------------------------- */

static void add_u64(struct byte_buffer *b, uint64_t value)
{
    byte_buffer_add(b, &value, sizeof value);
}

static void add_bytes(struct byte_buffer *b, const char *text, size_t length)
{
    add_u64(b, length);
    byte_buffer_add(b, text, length);
}

static void add_text(struct byte_buffer *b, const char *text)
{
    add_bytes(b, text, strlen(text));
}

static void add_parameters(struct byte_buffer *b, const struct hardware *hardware)
{
    add_u64(b, hardware_parameter_count());
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        char value[64];
        hardware_parameter_value(hardware, i, value, sizeof value);
        add_text(b, hardware_parameter_name(i));
        add_text(b, value);
    }
}

static void add_sequences(struct byte_buffer *b, const char *path, const struct sequences *s)
{
    add_text(b, path);
    add_u64(b, s->digest);
    add_u64(b, s->bases);
    add_u64(b, s->ambiguous);
    add_u64(b, s->positions);
    add_u64(b, s->record_count);
    for (size_t i = 0; i < s->record_count; i++) {
        add_text(b, s->records[i].name);
        add_text(b, s->records[i].title ? s->records[i].title : "");
        add_u64(b, s->records[i].begin);
        add_u64(b, s->records[i].bases);
    }
}

static void add_segments(struct byte_buffer *b, const struct query_segment *segments, size_t count)
{
    add_u64(b, count);
    for (size_t i = 0; i < count; i++) {
        add_u64(b, segments[i].strand);
        add_u64(b, segments[i].begin);
        add_u64(b, segments[i].length);
    }
}

static void add_masking(struct byte_buffer *b, const struct token_record_masking *masking)
{
    add_u64(b, masking->dust);
    add_u64(b, masking->rule.level);
    add_u64(b, masking->rule.window);
    add_u64(b, masking->rule.linker);
    add_u64(b, masking->lower_case);
    add_u64(b, masking->bases);
}

int token_record_write_facts(struct token_record_writer *writer, const struct token_record_facts *facts,
                             struct why *why)
{
    struct byte_buffer b = {0};
    add_text(&b, MERCURY_VERSION);
    byte_buffer_add(&b, &facts->e_value, sizeof facts->e_value);
    add_u64(&b, facts->database->word_count);
    add_text(&b, facts->platform_path);
    add_bytes(&b, facts->platform, facts->platform_bytes);
    add_parameters(&b, &facts->hardware);
    add_sequences(&b, facts->query_path, facts->query);
    add_sequences(&b, facts->database_path, facts->database);
    add_segments(&b, facts->segments, facts->pass_count);
    add_masking(&b, &facts->masking);
    byte_buffer_add(&b, &facts->limits, sizeof facts->limits);
    return write_buffer(writer, SECTION_FACTS, &b, why);
}

/* --- writing the file ------------------------------------------------------------------------------------ */

int token_record_create(const char *path, struct token_record_writer **out, struct why *why)
{
    struct token_record_writer *w = calloc(1, sizeof *w);
    if (!w)
        return why_no_memory(why, TOKEN_RECORD_EMEMORY);
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
                       writer->output.path, strerror(errno));
    return spool;
}

static bool copy_spool(struct section *section, int spool)
{
    static char bytes[COPY_BYTES];
    uint64_t left = section->head.bytes;
    while (left > 0) {
        ssize_t got = read(spool, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes);
        if (got <= 0 || !section_add(section, bytes, (size_t)got))
            return false;
        left -= (uint64_t)got;
    }
    return true;
}

int token_record_append(struct token_record_writer *writer, int spool, struct why *why)
{
    off_t bytes = lseek(spool, 0, SEEK_END);
    if (bytes < 0 || lseek(spool, 0, SEEK_SET) != 0)
        return refuse_write(writer, why);
    struct section section;
    bool copied =
        section_begin(&section, writer->output.file, SECTION_PASS, writer->passes++, (uint64_t)bytes) &&
        copy_spool(&section, spool);
    copied = section_end(&section) && copied;
    return copied ? 0 : refuse_write(writer, why);
}

static int write_alignments(struct token_record_writer *w, const struct alignment_list *list, struct why *why)
{
    struct byte_buffer b = {0};
    for (size_t i = 0; i < list->count; i++) {
        byte_buffer_add(&b, &list->items[i], ALIGNMENT_HEAD_BYTES);
        byte_buffer_add(&b, &list->items[i].bits, sizeof(double));
        byte_buffer_add(&b, &list->items[i].e_value, sizeof(double));
    }
    return write_buffer(w, SECTION_ALIGNMENTS, &b, why);
}

int token_record_commit(struct token_record_writer *writer, const struct alignment_list *alignments,
                        const struct stitch_work *join, struct why *why)
{
    int status = write_section(writer, SECTION_JOIN, join->cells, join->count * sizeof *join->cells, why);
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
                   output_write_all(r->spool, r->chunk.bytes, r->chunk.count);
    r->failed = r->failed || !written;
    return !r->failed;
}

static uint64_t record_scan(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                            struct pass_counts *counts)
{
    struct token_recorder *r = data;
    uint64_t words = r->stages.scan(r->stages.data, first, count, tokens, counts);
    if (words == 0)
        return 0;
    r->counts = *counts;
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
    source.beside = NULL; /* what stage 3 does is recorded between the blocks */
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
    bool written = !r->failed && write_chunk(r) && output_write_all(r->spool, &tail, sizeof tail);
    token_encoder_destroy(&r->encoder);
    byte_buffer_destroy(&r->chunk);
    return written;
}
