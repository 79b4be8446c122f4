#include "sim/tokens/token_record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file_io.h"
#include "base/file/output.h"
#include "base/memory.h"
#include "sim/tokens/token_record_format.h"

struct span {
    const uint8_t *bytes;
    uint64_t count;
};

/* What a process knows of a record that grows. */
struct growing_file {
    int file;
    size_t found; /* number of passes */
    uint64_t at;  /* where the next one begins */
    struct token_record_growth *shared;
};

struct token_record {
    uint8_t *map;
    size_t size;
    struct growing_file *growing; /* NULL: the record is whole, in `map` */
    struct recorded_run run;
    struct sequences query, database;
    struct span *passes;
};

/* --- reading the file ------------------------------------------------------------------------------------ */

static int refuse_file(const char *path, struct why *why)
{
    return why_say(why, TOKEN_RECORD_EFILE, "%s: cannot be read: %s", output_shown(path), why_error(errno));
}

static int refuse_damaged(const char *path, const char *where, struct why *why)
{
    return why_say(why, TOKEN_RECORD_EDAMAGED,
                   "%s: the token record is cut short or was changed (%s); record the run again", path,
                   where);
}

static int map_file(struct token_record *r, const char *path, struct why *why)
{
    auto_by(file_io_close) int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0)
        return refuse_file(path, why);
    bool plain = S_ISREG(status.st_mode) && status.st_size >= (off_t)sizeof(struct preamble);
    void *map = plain ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (!plain)
        return why_say(why, TOKEN_RECORD_EFORMAT, "%s: not a record of mercury run --record", path);
    if (map == MAP_FAILED)
        return refuse_file(path, why);
    r->map = map;
    r->size = (size_t)status.st_size;
    return 0;
}

static int check_preamble(const struct token_record *r, const char *path, struct why *why)
{
    struct preamble preamble;
    memcpy(&preamble, r->map, sizeof preamble);
    if (memcmp(preamble.magic, TOKEN_RECORD_MAGIC, sizeof preamble.magic) != 0)
        return why_say(why, TOKEN_RECORD_EFORMAT, "%s: not a record of mercury run --record", path);
    if (preamble.version != TOKEN_RECORD_VERSION)
        return why_say(why, TOKEN_RECORD_EFORMAT,
                       "%s: a record of version %" PRIu64
                       ", this mercury reads version %d; record the run again",
                       path, preamble.version, TOKEN_RECORD_VERSION);
    return 0;
}

/* Find the section at *at, which must be of this kind and number; *at then is where the next one begins. */
static bool find_section(const struct token_record *r, size_t *at, enum section_kind kind, uint32_t number,
                         struct span *span)
{
    struct section_head head;
    uint64_t checksum;
    size_t left = r->size - *at;
    if (left < sizeof head + sizeof checksum)
        return false;
    memcpy(&head, r->map + *at, sizeof head);
    left -= sizeof head + sizeof checksum;
    const uint8_t *bytes = r->map + *at + sizeof head;
    if (head.kind != kind || head.number != number || head.bytes > left)
        return false;
    memcpy(&checksum, bytes + head.bytes, sizeof checksum);
    if (checksum != token_record_checksum(&head, bytes))
        return false;
    *span = (struct span){bytes, head.bytes};
    *at += sizeof head + head.bytes + sizeof checksum;
    return true;
}

static struct pass_tail tail_of(const struct token_record *record, size_t pass)
{
    struct span span = record->passes[pass];
    struct pass_tail tail;
    memcpy(&tail, span.bytes + span.count - sizeof tail, sizeof tail);
    return tail;
}

/* Whether the section that was found for a pass can be one. */
static bool is_pass(const struct token_record *r, size_t pass)
{
    if (r->passes[pass].count < sizeof(struct pass_tail))
        return false;
    struct pass_tail tail = tail_of(r, pass);
    return token_record_pass_agrees(&r->run.facts, pass, &tail);
}

static int read_facts(struct token_record *r, const char *path, struct span span, struct why *why)
{
    struct token_record_facts *f = &r->run.facts;
    auto_free char *program = NULL;
    int status = token_record_unpack_facts(span.bytes, span.count, f, &r->query, &r->database, &program);
    f->query = &r->query;
    f->database = &r->database;
    r->passes = memory_new(f->pass_count, sizeof *r->passes);
    if (status == TOKEN_RECORD_EFORMAT)
        why_say(why, status, "%s: the machine's numbers in it are those of mercury %.20s, not of this one",
                path, program);
    else if (status || !token_record_facts_agree(f))
        status = refuse_damaged(path, "what it tells of its run", why);
    return status;
}

static int find_passes(struct token_record *r, const char *path, size_t *at, struct why *why)
{
    for (size_t i = 0; i < r->run.facts.pass_count; i++) {
        if (find_section(r, at, SECTION_PASS, (uint32_t)i, &r->passes[i]) && is_pass(r, i))
            continue;
        char where[64];
        snprintf(where, sizeof where, "pass %zu of %zu", i + 1, r->run.facts.pass_count);
        return refuse_damaged(path, where, why);
    }
    return 0;
}

static int read_alignments(struct token_record *r, const char *path, struct span span, struct why *why)
{
    if (span.count % ALIGNMENT_BYTES != 0)
        return refuse_damaged(path, "alignments", why);
    for (uint64_t i = 0; i < span.count / ALIGNMENT_BYTES; i++) {
        const uint8_t *bytes = span.bytes + i * ALIGNMENT_BYTES;
        struct alignment alignment = {0};
        int32_t score_strand[2];
        double bits_e_value[2];
        memcpy(&alignment.query_begin, bytes, ALIGNMENT_NUMBERS_BYTES);
        memcpy(score_strand, bytes + ALIGNMENT_NUMBERS_BYTES, sizeof score_strand);
        memcpy(bits_e_value, bytes + ALIGNMENT_NUMBERS_BYTES + sizeof score_strand, sizeof bits_e_value);
        alignment.score = score_strand[0];
        alignment.strand = score_strand[1];
        alignment.bits = bits_e_value[0];
        alignment.e_value = bits_e_value[1];
        if (!token_record_alignment_agrees(&r->run.facts, &alignment))
            return refuse_damaged(path, "alignments", why);
        alignment_list_append(&r->run.alignments, &alignment);
    }
    return 0;
}

static void read_join(struct token_record *r, struct span span)
{
    r->run.join.count = span.count / sizeof *r->run.join.cells;
    r->run.join.cells = memory_take(span.count);
    memcpy(r->run.join.cells, span.bytes, r->run.join.count * sizeof *r->run.join.cells);
}

static int read_sections(struct token_record *r, const char *path, struct why *why)
{
    size_t at = sizeof(struct preamble);
    struct span span;
    if (!find_section(r, &at, SECTION_FACTS, 0, &span))
        return refuse_damaged(path, "what it tells of its run", why);
    int status = read_facts(r, path, span, why);
    if (status == 0)
        status = find_passes(r, path, &at, why);
    if (status)
        return status;
    if (!find_section(r, &at, SECTION_JOIN, 0, &span))
        return refuse_damaged(path, "what joining took", why);
    read_join(r, span);
    return find_section(r, &at, SECTION_ALIGNMENTS, 0, &span) && at == r->size
               ? read_alignments(r, path, span, why)
               : refuse_damaged(path, "its end", why);
}

int token_record_open(const char *path, struct token_record **out, struct why *why)
{
    struct token_record *r = memory_new(1, sizeof *r);
    int status = map_file(r, path, why);
    if (status == 0)
        status = check_preamble(r, path, why);
    if (status == 0)
        status = read_sections(r, path, why);
    if (status) {
        token_record_close(r);
        return status;
    }
    *out = r;
    return 0;
}

/* --- reading while it is written --------------------------------------------------------------------------- */

static const struct timespec LOOK_AGAIN = {.tv_nsec = 200000};

int token_record_follow(struct token_record_writer *writer, const struct token_record_facts *facts,
                        struct token_record **out, struct why *why)
{
    uint64_t at;
    void *shared = memory_shared(sizeof(struct token_record_growth));
    const int file = token_record_tell(writer, shared, &at);
    if (file < 0) {
        why_say(why, TOKEN_RECORD_EFILE, "the record cannot be read while it is written: %s",
                why_error(errno));
        munmap(shared, sizeof(struct token_record_growth));
        return TOKEN_RECORD_EFILE;
    }
    struct growing_file *growing = memory_take(sizeof *growing);
    *growing = (struct growing_file){.file = file, .at = at, .shared = shared};
    *out = memory_take(sizeof **out);
    **out = (struct token_record){.growing = growing,
                                  .run.facts = *facts,
                                  .passes = memory_new(facts->pass_count, sizeof *(*out)->passes)};
    return 0;
}

/* A section lies anywhere in the file, a mapping begins at a page. */
static size_t beyond_page(uint64_t at)
{
    return (size_t)(at % (uint64_t)sysconf(_SC_PAGESIZE));
}

/* Find the next pass, which has been appended. @return false if the file cannot be read */
static bool find_appended(const struct token_record *r)
{
    struct growing_file *g = r->growing;
    struct section_head head;
    const size_t before = beyond_page(g->at + sizeof head);
    if (pread(g->file, &head, sizeof head, (off_t)g->at) != sizeof head)
        return false;
    uint8_t *map = mmap(NULL, before + head.bytes, PROT_READ, MAP_PRIVATE, g->file,
                        (off_t)(g->at + sizeof head - before));
    if (map == MAP_FAILED)
        return false;
    r->passes[g->found++] = (struct span){map + before, head.bytes};
    g->at += sizeof head + head.bytes + sizeof(uint64_t);
    return true;
}

bool token_record_await(const struct token_record *record, size_t pass)
{
    struct growing_file *g = record->growing;
    bool waits = false, found = true;
    while (g && found && g->found <= pass) {
        const bool has_next = g->found < atomic_load(&g->shared->passes);
        if (waits == has_next)
            token_record_count_reader(record, waits);
        waits = !has_next;
        if (has_next)
            found = find_appended(record);
        else
            nanosleep(&LOOK_AGAIN, NULL);
    }
    return found;
}

void token_record_count_reader(const struct token_record *record, bool begins)
{
    if (record->growing && begins)
        atomic_fetch_add(&record->growing->shared->busy, 1);
    else if (record->growing)
        atomic_fetch_sub(&record->growing->shared->busy, 1);
}

static void close_growing(struct token_record *r)
{
    auto_free struct growing_file *g = r->growing;
    for (size_t i = 0; i < g->found; i++) {
        const size_t before = beyond_page((uintptr_t)r->passes[i].bytes);
        munmap((void *)(r->passes[i].bytes - before), before + r->passes[i].count);
    }
    munmap(g->shared, sizeof *g->shared);
    close(g->file);
    free(r->passes);
    free(r);
}

void token_record_close(struct token_record *r)
{
    if (!r)
        return;
    if (r->growing) {
        close_growing(r);
        return;
    }
    if (r->map)
        munmap(r->map, r->size);
    const struct token_record_facts *f = &r->run.facts;
    const void *const owned[] = {f->platform_path, f->platform, f->query_path, f->database_path, f->segments};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free((void *)owned[i]);
    sequences_destroy(&r->query);
    sequences_destroy(&r->database);
    free(r->passes);
    alignment_list_destroy(&r->run.alignments);
    free(r->run.join.cells);
    free(r);
}

const struct recorded_run *token_record_run(const struct token_record *record)
{
    return &record->run;
}

/* --- reading a pass -------------------------------------------------------------------------------------- */

static uint64_t reader_scan(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                            struct pass_counts *counts)
{
    struct token_reader *r = data;
    (void)first;
    count = token_decoder_read(&r->decoder, count, tokens);
    if (count == 0)
        return 0;
    r->words_left -= count;
    if (r->words_left == 0)
        pass_counts_add(counts, &r->recorded);
    return count;
}

static bool reader_extend(void *data, const struct hsp *hsps, size_t count, struct stage3_work *work)
{
    struct token_reader *r = data;
    (void)hsps;
    if (!token_decoder_read_work(&r->decoder, count, work))
        return false;
    for (size_t i = 0; i < count; i++)
        r->decoder.damaged = r->decoder.damaged || !token_record_work_agrees(&work[i], r->query_positions);
    return !r->decoder.damaged;
}

static bool reader_finish(void *data, uint64_t *cells)
{
    struct token_reader *r = data;
    return token_decoder_read_end(&r->decoder, cells);
}

enum strand_choice token_record_strands(const struct token_record_facts *f)
{
    bool plus = f->segments[0].strand == STRAND_PLUS,
         minus = f->segments[f->pass_count - 1].strand == STRAND_MINUS;
    return plus && minus ? STRANDS_BOTH : plus ? STRANDS_PLUS : STRANDS_MINUS;
}

uint64_t token_record_table_bytes(const struct token_record *record, size_t pass)
{
    return tail_of(record, pass).table_bytes;
}

uint64_t token_record_build_operations(const struct token_record *record, size_t pass)
{
    return tail_of(record, pass).build_operations;
}

struct stage_source token_reader_begin(struct token_reader *reader, const struct token_record *record,
                                       size_t pass)
{
    struct span span = record->passes[pass];
    const struct pass_tail tail = tail_of(record, pass);
    *reader = (struct token_reader){
        .recorded = tail.counts,
        .words_left = tail.database_words,
        .alignments = (size_t)tail.alignments,
        .query_positions = record->run.facts.query->positions,
    };
    token_decoder_init(&reader->decoder, span.bytes, span.count - sizeof tail,
                       &record->run.facts.hardware.pass.sram);
    return (struct stage_source){
        .data = reader,
        .database_words = tail.database_words,
        .table_bytes = tail.table_bytes,
        .build_operations = tail.build_operations,
        .alignments = &reader->alignments,
        .scan = reader_scan,
        .extend = reader_extend,
        .finish = reader_finish,
    };
}

/* Whether the tokens are those that the pass's counts tell of. */
static bool counts_are_found(const struct pass_counts *recorded, const struct pass_counts *found)
{
    return found->seeds == recorded->seeds && found->lookups_empty == recorded->lookups_empty &&
           found->lookups_mismatch == recorded->lookups_mismatch &&
           found->lookups_match == recorded->lookups_match &&
           found->lookups_duplicate == recorded->lookups_duplicate && found->trips == recorded->trips &&
           found->sram_reads == recorded->sram_reads && found->matches == recorded->matches &&
           found->hsps == recorded->hsps;
}

bool token_reader_is_whole(struct token_reader *r)
{
    return r->words_left == 0 && counts_are_found(&r->recorded, &r->decoder.found) &&
           token_decoder_at_end(&r->decoder);
}

void token_reader_destroy(struct token_reader *reader)
{
    token_decoder_destroy(&reader->decoder);
}
