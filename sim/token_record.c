#include "sim/token_record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "sim/output.h"

static const char magic[8] = {'M', 'E', 'R', 'C', 'T', 'O', 'K', 'N'};

enum { FORMAT_VERSION = 1 };

enum section_kind { SECTION_FACTS = 1, SECTION_PASS = 2, SECTION_ALIGNMENTS = 3 };

enum { CHUNK_BYTES = 1 << 18, COPY_BYTES = 1 << 16 };

struct preamble {
    char magic[8];
    uint64_t version;
};

struct section_head {
    uint32_t kind, number;
    uint64_t bytes;
};

/* Behind a pass's stream. */
struct pass_tail {
    uint64_t table_bytes;
    struct pass_counts counts;
};

_Static_assert(sizeof(struct section_head) == 16, "the format's");
_Static_assert(sizeof(struct pass_tail) == 15 * sizeof(uint64_t), "the format's");
_Static_assert(sizeof(struct alignment) == 112, "the format's");

static int refuse_memory(char *why, size_t why_size)
{
    snprintf(why, why_size, "out of memory");
    return TOKEN_RECORD_EMEMORY;
}

/* --- writing sections ------------------------------------------------------------------------------------ */

struct token_record_writer {
    struct output output;
    uint32_t passes;
};

/* A section on its way into the file. */
struct section {
    struct section_head head;
    XXH3_state_t *hash;
    FILE *file;
};

static int refuse_write(const struct token_record_writer *w, char *why, size_t why_size)
{
    snprintf(why, why_size, "%s: cannot be written: %s", w->output.path, strerror(errno));
    return TOKEN_RECORD_EFILE;
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
                         size_t count, char *why, size_t why_size)
{
    struct section section;
    bool written = section_begin(&section, w->output.file, kind, 0, count) &&
                   section_add(&section, bytes, count);
    written = section_end(&section) && written;
    return written ? 0 : refuse_write(w, why, why_size);
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

int token_record_write_facts(struct token_record_writer *writer, const struct token_record_facts *facts,
                             char *why, size_t why_size)
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
    int status = b.out_of_memory ? refuse_memory(why, why_size)
                                 : write_section(writer, SECTION_FACTS, b.bytes, b.count, why, why_size);
    byte_buffer_destroy(&b);
    return status;
}

/* --- writing the file ------------------------------------------------------------------------------------ */

int token_record_create(const char *path, struct token_record_writer **out, char *why, size_t why_size)
{
    struct token_record_writer *w = calloc(1, sizeof *w);
    if (!w)
        return refuse_memory(why, why_size);
    if (output_open(&w->output, path, why, why_size) != 0) {
        free(w);
        return TOKEN_RECORD_EFILE;
    }
    struct preamble preamble = {.version = FORMAT_VERSION};
    memcpy(preamble.magic, magic, sizeof magic);
    fwrite(&preamble, sizeof preamble, 1, w->output.file); /* output_commit() finds an error */
    *out = w;
    return 0;
}

int token_record_spool(const struct token_record_writer *writer, char *why, size_t why_size)
{
    char path[OUTPUT_PATH_MAX + 32];
    snprintf(path, sizeof path, "%s.XXXXXX", writer->output.path);
    int spool = mkostemp(path, O_CLOEXEC);
    if (spool < 0) {
        snprintf(why, why_size, "%s: no file for a pass's tokens beside it: %s", writer->output.path,
                 strerror(errno));
        return TOKEN_RECORD_EFILE;
    }
    unlink(path);
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

int token_record_append(struct token_record_writer *writer, int spool, char *why, size_t why_size)
{
    off_t bytes = lseek(spool, 0, SEEK_END);
    if (bytes < 0 || lseek(spool, 0, SEEK_SET) != 0)
        return refuse_write(writer, why, why_size);
    struct section section;
    bool copied = section_begin(&section, writer->output.file, SECTION_PASS, writer->passes++, (uint64_t)bytes) &&
                  copy_spool(&section, spool);
    copied = section_end(&section) && copied;
    return copied ? 0 : refuse_write(writer, why, why_size);
}

int token_record_commit(struct token_record_writer *writer, const struct alignment_list *alignments, char *why,
                        size_t why_size)
{
    int status = write_section(writer, SECTION_ALIGNMENTS, alignments->items,
                               alignments->count * sizeof *alignments->items, why, why_size);
    if (status == 0 && output_commit(&writer->output, why, why_size) != 0)
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

static bool write_all(int file, const void *data, size_t bytes)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t written = write(file, from, bytes);
        if (written <= 0)
            return false;
        from += written;
        bytes -= (size_t)written;
    }
    return true;
}

static bool write_chunk(struct token_recorder *r, bool last)
{
    r->chunk.count = 0;
    bool written = token_encoder_take_chunk(&r->encoder, last, &r->chunk) &&
                   write_all(r->spool, r->chunk.bytes, r->chunk.count);
    r->failed = r->failed || !written;
    return !r->failed;
}

static bool record_scan(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                        struct pass_counts *counts)
{
    struct token_recorder *r = data;
    if (!r->stages.scan(r->stages.data, first, count, tokens, counts))
        return false;
    r->counts = *counts;
    token_encoder_add(&r->encoder, tokens);
    return token_encoder_bytes(&r->encoder) < CHUNK_BYTES || write_chunk(r, false);
}

/* One by one, so that each HSP's cells are known. */
static bool record_extend(void *data, const struct hsp *hsps, size_t count, struct extension_counts *counts)
{
    struct token_recorder *r = data;
    for (size_t i = 0; i < count; i++) {
        uint64_t before = counts->cells;
        if (!r->stages.extend(r->stages.data, hsps + i, 1, counts))
            return false;
        token_encoder_add_cells(&r->encoder, counts->cells - before);
    }
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
    return source;
}

bool token_recorder_end(struct token_recorder *r)
{
    struct pass_tail tail = {r->stages.table_bytes, r->counts};
    bool written = !r->failed && write_chunk(r, true) && write_all(r->spool, &tail, sizeof tail);
    token_encoder_destroy(&r->encoder);
    byte_buffer_destroy(&r->chunk);
    return written;
}

/* --- reading facts --------------------------------------------------------------------------------------- */

struct span {
    const uint8_t *bytes;
    uint64_t count;
};

struct token_record {
    uint8_t *map;
    size_t size;
    struct token_record_facts facts;
    struct sequences query, database;
    struct query_segment *segments;
    struct span *passes;
    struct alignment_list alignments;
    char **texts; /* all strings that facts point to */
    size_t text_count, text_room;
};

/* Takes values off the front; once something is missing, all is zero and `short_of` stays. */
struct taker {
    struct token_record *record;
    const uint8_t *at, *end;
    bool short_of;
    bool out_of_memory;
};

static void take(struct taker *t, void *value, size_t bytes)
{
    if (t->short_of || (size_t)(t->end - t->at) < bytes) {
        t->short_of = true;
        memset(value, 0, bytes);
        return;
    }
    memcpy(value, t->at, bytes);
    t->at += bytes;
}

static uint64_t take_u64(struct taker *t)
{
    uint64_t value;
    take(t, &value, sizeof value);
    return value;
}

/* A number of things of at least so many bytes each. */
static size_t take_count(struct taker *t, size_t least_bytes)
{
    uint64_t count = take_u64(t);
    if (count > (size_t)(t->end - t->at) / least_bytes) {
        t->short_of = true;
        return 0;
    }
    return (size_t)count;
}

static void *allocate(struct taker *t, size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    t->out_of_memory = t->out_of_memory || !memory;
    t->short_of = t->short_of || !memory;
    return memory;
}

static char *take_text(struct taker *t, size_t *length)
{
    size_t count = take_count(t, 1);
    char *text = allocate(t, count, 1);
    if (text && !t->short_of)
        take(t, text, count);
    if (length)
        *length = count;
    return text;
}

/* A text that the record keeps for its facts. */
static const char *take_kept_text(struct taker *t, size_t *length)
{
    struct token_record *r = t->record;
    char *text = take_text(t, length);
    if (r->text_count == r->text_room) {
        size_t room = 2 * r->text_room + 8;
        char **moved = realloc(r->texts, room * sizeof *moved);
        if (!moved) {
            free(text);
            t->short_of = t->out_of_memory = true;
            return NULL;
        }
        r->texts = moved;
        r->text_room = room;
    }
    return r->texts[r->text_count++] = text;
}

/* @return false when a parameter is not known, or has a value that is not allowed */
static bool take_parameters(struct taker *t, struct hardware *hardware)
{
    size_t count = take_count(t, 2 * sizeof(uint64_t));
    bool known = count == hardware_parameter_count();
    char why[256];
    *hardware = hardware_default();
    for (size_t i = 0; i < count && !t->short_of; i++) {
        char *name = take_text(t, NULL), *value = take_text(t, NULL);
        known = known && name && value && hardware_set(hardware, name, value, why, sizeof why) == 0;
        free(name);
        free(value);
    }
    return known;
}

static void take_sequences(struct taker *t, const char **path, struct sequences *s)
{
    *path = take_kept_text(t, NULL);
    s->digest = take_u64(t);
    s->bases = take_u64(t);
    s->ambiguous = take_u64(t);
    s->positions = take_u64(t);
    size_t count = take_count(t, 3 * sizeof(uint64_t));
    s->records = allocate(t, count, sizeof *s->records);
    for (size_t i = 0; i < count && !t->short_of; i++) {
        s->records[i].name = take_text(t, NULL);
        s->record_count = i + 1;
        s->records[i].begin = take_u64(t);
        s->records[i].bases = take_u64(t);
    }
}

static void take_segments(struct taker *t)
{
    struct token_record *r = t->record;
    size_t count = take_count(t, 3 * sizeof(uint64_t));
    r->segments = allocate(t, count, sizeof *r->segments);
    r->passes = allocate(t, count, sizeof *r->passes);
    for (size_t i = 0; i < count && !t->short_of; i++) {
        r->segments[i].strand = take_u64(t) ? STRAND_MINUS : STRAND_PLUS;
        r->segments[i].begin = take_u64(t);
        r->segments[i].length = (uint32_t)take_u64(t);
    }
    r->facts.segments = r->segments;
    r->facts.pass_count = t->short_of ? 0 : count;
}

static int refuse_damaged(const char *path, const char *where, char *why, size_t why_size)
{
    snprintf(why, why_size, "%s: the record is cut short or was changed (%s); record the run again", path, where);
    return TOKEN_RECORD_EDAMAGED;
}

static int read_facts(struct token_record *r, const char *path, struct span span, char *why, size_t why_size)
{
    struct taker t = {.record = r, .at = span.bytes, .end = span.bytes + span.count};
    struct token_record_facts *f = &r->facts;
    const char *program = take_kept_text(&t, NULL);
    take(&t, &f->e_value, sizeof f->e_value);
    r->database.word_count = take_u64(&t);
    f->platform_path = take_kept_text(&t, NULL);
    f->platform = take_kept_text(&t, &f->platform_bytes);
    bool known = take_parameters(&t, &f->hardware);
    take_sequences(&t, &f->query_path, &r->query);
    take_sequences(&t, &f->database_path, &r->database);
    take_segments(&t);
    f->query = &r->query;
    f->database = &r->database;
    if (t.out_of_memory)
        return refuse_memory(why, why_size);
    if (t.short_of || t.at != t.end || f->pass_count == 0)
        return refuse_damaged(path, "what it tells of its run", why, why_size);
    if (known)
        return 0;
    snprintf(why, why_size, "%s: the machine's numbers in it are those of mercury %.20s, not of this one", path,
             program);
    return TOKEN_RECORD_EFORMAT;
}

/* --- reading the file ------------------------------------------------------------------------------------ */

static int refuse_file(const char *path, char *why, size_t why_size)
{
    snprintf(why, why_size, "%s: cannot be read: %s", path, strerror(errno));
    return TOKEN_RECORD_EFILE;
}

static int map_file(struct token_record *r, const char *path, char *why, size_t why_size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) {
        int refused = refuse_file(path, why, why_size);
        if (file >= 0)
            close(file);
        return refused;
    }
    bool plain = S_ISREG(status.st_mode) && status.st_size >= (off_t)sizeof(struct preamble);
    void *map = plain ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (!plain) {
        snprintf(why, why_size, "%s: not a record of mercury run --record", path);
        return TOKEN_RECORD_EFORMAT;
    }
    if (map == MAP_FAILED)
        return refuse_file(path, why, why_size);
    r->map = map;
    r->size = (size_t)status.st_size;
    return 0;
}

static int check_preamble(const struct token_record *r, const char *path, char *why, size_t why_size)
{
    struct preamble preamble;
    memcpy(&preamble, r->map, sizeof preamble);
    if (memcmp(preamble.magic, magic, sizeof magic) != 0) {
        snprintf(why, why_size, "%s: not a record of mercury run --record", path);
        return TOKEN_RECORD_EFORMAT;
    }
    if (preamble.version != FORMAT_VERSION) {
        snprintf(why, why_size, "%s: a record of version %" PRIu64 ", this mercury reads version %d; record the run again",
                 path, preamble.version, FORMAT_VERSION);
        return TOKEN_RECORD_EFORMAT;
    }
    return 0;
}

static bool has_checksum(const struct section_head *head, const uint8_t *bytes)
{
    XXH3_state_t *hash = XXH3_createState();
    if (!hash)
        return false;
    XXH3_64bits_reset(hash);
    XXH3_64bits_update(hash, bytes, head->bytes);
    XXH3_64bits_update(hash, head, sizeof *head);
    uint64_t found = XXH3_64bits_digest(hash), wanted;
    XXH3_freeState(hash);
    memcpy(&wanted, bytes + head->bytes, sizeof wanted);
    return found == wanted;
}

/* The section at *at, which must be this one; *at goes behind it. */
static bool find_section(const struct token_record *r, size_t *at, enum section_kind kind, uint32_t number,
                         struct span *span)
{
    struct section_head head;
    size_t left = r->size - *at;
    if (left < sizeof head + sizeof(uint64_t))
        return false;
    memcpy(&head, r->map + *at, sizeof head);
    left -= sizeof head + sizeof(uint64_t);
    const uint8_t *bytes = r->map + *at + sizeof head;
    if (head.kind != kind || head.number != number || head.bytes > left || !has_checksum(&head, bytes))
        return false;
    *span = (struct span){bytes, head.bytes};
    *at += sizeof head + head.bytes + sizeof(uint64_t);
    return true;
}

static int find_passes(struct token_record *r, const char *path, size_t *at, char *why, size_t why_size)
{
    for (size_t i = 0; i < r->facts.pass_count; i++) {
        if (find_section(r, at, SECTION_PASS, (uint32_t)i, &r->passes[i]) &&
            r->passes[i].count >= sizeof(struct pass_tail))
            continue;
        char where[64];
        snprintf(where, sizeof where, "pass %zu of %zu", i + 1, r->facts.pass_count);
        return refuse_damaged(path, where, why, why_size);
    }
    return 0;
}

static int read_alignments(struct token_record *r, const char *path, struct span span, char *why, size_t why_size)
{
    for (uint64_t i = 0; i < span.count / sizeof(struct alignment); i++) {
        struct alignment alignment;
        memcpy(&alignment, span.bytes + i * sizeof alignment, sizeof alignment);
        if (alignment.query_record >= r->query.record_count ||
            alignment.database_record >= r->database.record_count)
            return refuse_damaged(path, "alignments", why, why_size);
        if (alignment_list_append(&r->alignments, &alignment) != 0)
            return refuse_memory(why, why_size);
    }
    return 0;
}

static int read_sections(struct token_record *r, const char *path, char *why, size_t why_size)
{
    size_t at = sizeof(struct preamble);
    struct span span;
    if (!find_section(r, &at, SECTION_FACTS, 0, &span))
        return refuse_damaged(path, "what it tells of its run", why, why_size);
    int status = read_facts(r, path, span, why, why_size);
    if (status == 0)
        status = find_passes(r, path, &at, why, why_size);
    if (status)
        return status;
    if (!find_section(r, &at, SECTION_ALIGNMENTS, 0, &span) || at != r->size)
        return refuse_damaged(path, "its end", why, why_size);
    return read_alignments(r, path, span, why, why_size);
}

int token_record_open(const char *path, struct token_record **out, char *why, size_t why_size)
{
    struct token_record *r = calloc(1, sizeof *r);
    if (!r)
        return refuse_memory(why, why_size);
    int status = map_file(r, path, why, why_size);
    if (status == 0)
        status = check_preamble(r, path, why, why_size);
    if (status == 0)
        status = read_sections(r, path, why, why_size);
    if (status) {
        token_record_close(r);
        return status;
    }
    *out = r;
    return 0;
}

void token_record_close(struct token_record *r)
{
    if (!r)
        return;
    if (r->map)
        munmap(r->map, r->size);
    for (size_t i = 0; i < r->text_count; i++)
        free(r->texts[i]);
    free(r->texts);
    sequences_destroy(&r->query);
    sequences_destroy(&r->database);
    free(r->segments);
    free(r->passes);
    alignment_list_destroy(&r->alignments);
    free(r);
}

const struct token_record_facts *token_record_facts(const struct token_record *record)
{
    return &record->facts;
}

const struct alignment_list *token_record_alignments(const struct token_record *record)
{
    return &record->alignments;
}

/* --- reading a pass -------------------------------------------------------------------------------------- */

static void add_counts(struct pass_counts *to, const struct pass_counts *more)
{
    uint64_t *sums = (uint64_t *)to;
    const uint64_t *terms = (const uint64_t *)more;
    for (size_t i = 0; i < sizeof *to / sizeof *sums; i++)
        sums[i] += terms[i];
}

static bool replay_scan(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                        struct pass_counts *counts)
{
    struct token_replay *r = data;
    (void)first;
    if (!token_decoder_read(&r->decoder, count, tokens))
        return false;
    r->found.seeds += tokens->seed_count;
    r->found.matches += tokens->match_count;
    r->found.hsps += tokens->hsp_count;
    r->words_left -= count;
    if (r->words_left == 0)
        add_counts(counts, &r->recorded);
    return true;
}

static bool replay_extend(void *data, const struct hsp *hsps, size_t count, struct extension_counts *counts)
{
    struct token_replay *r = data;
    (void)hsps;
    counts->hsps += count;
    return token_decoder_read_cells(&r->decoder, count, &counts->contained, &counts->cells);
}

struct stage_source token_replay_begin(struct token_replay *replay, const struct token_record *record, size_t pass)
{
    struct span span = record->passes[pass];
    struct pass_tail tail;
    memcpy(&tail, span.bytes + span.count - sizeof tail, sizeof tail);
    *replay = (struct token_replay){
        .recorded = tail.counts, .words_left = record->database.word_count, .table_bytes = tail.table_bytes};
    token_decoder_init(&replay->decoder, span.bytes, span.count - sizeof tail);
    return (struct stage_source){
        .data = replay,
        .database_words = record->database.word_count,
        .table_bytes = tail.table_bytes,
        .scan = replay_scan,
        .extend = replay_extend,
    };
}

bool token_replay_is_whole(const struct token_replay *r)
{
    return r->words_left == 0 && r->found.seeds == r->recorded.seeds && r->found.matches == r->recorded.matches &&
           r->found.hsps == r->recorded.hsps && token_decoder_at_end(&r->decoder);
}
