#include "sim/tokens/token_record_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/memory.h"

uint64_t token_record_checksum(const struct section_head *head, const void *bytes)
{
    XXH3_state_t *hash = XXH3_createState();
    XXH3_64bits_reset(hash);
    XXH3_64bits_update(hash, bytes, head->bytes);
    XXH3_64bits_update(hash, head, sizeof *head);
    const uint64_t sum = XXH3_64bits_digest(hash);
    XXH3_freeState(hash);
    return sum;
}

/* --- facts ----------------------------------------------------------------------------------------------- */

/* One way through the facts, in the order of the file: they are appended to `out` or, if that is NULL, taken from `at`
 * on. After a value is missing, all are zero and `short_of` stays set. */
struct walk {
    struct byte_buffer *out;
    const uint8_t *at, *end;
    bool short_of, is_foreign;
};

static void walk_bytes(struct walk *w, void *bytes, size_t count)
{
    if (w->out) {
        byte_buffer_add(w->out, bytes, count);
        return;
    }
    w->short_of = w->short_of || (size_t)(w->end - w->at) < count;
    if (w->short_of) {
        memset(bytes, 0, count);
    } else {
        memcpy(bytes, w->at, count);
        w->at += count;
    }
}

/* @param number  what is written  @return what is in the file */
static uint64_t walk_number(struct walk *w, uint64_t number)
{
    walk_bytes(w, &number, sizeof number);
    return number;
}

/* The number of items that follow; each has at least `least_bytes` bytes. */
static size_t walk_count(struct walk *w, size_t count, size_t least_bytes)
{
    const uint64_t found = walk_number(w, count);
    w->short_of = w->short_of || (!w->out && found > (size_t)(w->end - w->at) / least_bytes);
    return w->short_of ? 0 : (size_t)found;
}

/* @param array  what is written  @return it, or room for what is read */
static void *room_for(const struct walk *w, const void *array, size_t count, size_t bytes)
{
    return w->out ? (void *)array : memory_new(count + 1, bytes);
}

static char *walk_text(struct walk *w, const char *text, size_t *length)
{
    *length = walk_count(w, *length, 1);
    char *to = room_for(w, text, *length, 1);
    walk_bytes(w, to, *length);
    return to;
}

/* @param line  may be NULL, which is written as an empty one */
static char *walk_line(struct walk *w, const char *line)
{
    size_t length = line ? strlen(line) : 0;
    return walk_text(w, line, &length);
}

static void walk_parameter(struct walk *w, struct hardware *hardware, size_t index)
{
    const char *name = hardware_parameter_name(index);
    const struct shown value = w->out ? hardware_parameter_value(hardware, index) : (struct shown){""};
    struct why ignored;
    char *found = walk_line(w, name), *text = walk_line(w, value.text);
    if (w->out)
        return;
    w->is_foreign = w->is_foreign || hardware_set(hardware, found, text, &ignored) != 0;
    free(found);
    free(text);
}

static void walk_parameters(struct walk *w, struct hardware *hardware)
{
    const size_t count = walk_count(w, hardware_parameter_count(), 2 * sizeof(uint64_t));
    w->is_foreign = count != hardware_parameter_count();
    for (size_t i = 0; i < count && !w->short_of && !w->is_foreign; i++)
        walk_parameter(w, hardware, i);
}

static void walk_sequences(struct walk *w, const char **path, struct sequences *s)
{
    *path = walk_line(w, *path);
    s->digest = walk_number(w, s->digest);
    s->bases = walk_number(w, s->bases);
    s->ambiguous = walk_number(w, s->ambiguous);
    s->positions = walk_number(w, s->positions);
    const size_t count = walk_count(w, s->record_count, 4 * sizeof(uint64_t));
    s->records = room_for(w, s->records, count, sizeof *s->records);
    for (size_t i = 0; i < count && !w->short_of; i++) {
        struct sequence_record *r = &s->records[i];
        r->name = walk_line(w, r->name);
        r->title = walk_line(w, r->title);
        r->begin = walk_number(w, r->begin);
        r->bases = walk_number(w, r->bases);
        s->record_count = i + 1;
        if (!w->out && !*r->title) {
            free(r->title);
            r->title = NULL;
        }
    }
}

static void walk_segments(struct walk *w, struct token_record_facts *f)
{
    const size_t count = walk_count(w, f->pass_count, 3 * sizeof(uint64_t));
    struct query_segment *segments = room_for(w, f->segments, count, sizeof *segments);
    for (size_t i = 0; i < count && !w->short_of; i++) {
        const struct query_segment *s = &segments[i];
        const uint64_t strand = walk_number(w, s->strand), begin = walk_number(w, s->begin),
                       length = walk_number(w, s->length);
        w->short_of = w->short_of || strand > STRAND_MINUS || length > UINT32_MAX;
        if (!w->out)
            segments[i] = (struct query_segment){(enum strand)(strand & 1), begin, (uint32_t)length};
    }
    f->segments = segments;
    f->pass_count = w->short_of ? 0 : count;
}

static void walk_masking(struct walk *w, struct token_record_masking *m)
{
    m->dust = walk_number(w, m->dust) != 0;
    m->rule.level = (unsigned)walk_number(w, m->rule.level);
    m->rule.window = (unsigned)walk_number(w, m->rule.window);
    m->rule.linker = (unsigned)walk_number(w, m->rule.linker);
    m->lower_case = walk_number(w, m->lower_case) != 0;
    m->bases = walk_number(w, m->bases);
}

static char *walk_facts(struct walk *w, struct token_record_facts *f, struct sequences *query,
                        struct sequences *database)
{
    char *program = walk_line(w, MERCURY_VERSION);
    walk_bytes(w, &f->e_value, sizeof f->e_value);
    database->word_count = walk_number(w, database->word_count);
    f->platform_path = walk_line(w, f->platform_path);
    f->platform = walk_text(w, f->platform, &f->platform_bytes);
    walk_parameters(w, &f->hardware);
    if (w->is_foreign)
        return program;
    walk_sequences(w, &f->query_path, query);
    walk_sequences(w, &f->database_path, database);
    walk_segments(w, f);
    walk_masking(w, &f->masking);
    walk_bytes(w, &f->limits, sizeof f->limits);
    return program;
}

void token_record_pack_facts(const struct token_record_facts *facts, struct byte_buffer *bytes)
{
    struct walk w = {.out = bytes};
    struct token_record_facts same = *facts;
    struct sequences query = *facts->query, database = *facts->database;
    walk_facts(&w, &same, &query, &database);
}

int token_record_unpack_facts(const uint8_t *bytes, size_t count, struct token_record_facts *facts,
                              struct sequences *query, struct sequences *database, char **program)
{
    struct walk w = {.at = bytes, .end = bytes + count};
    facts->hardware = hardware_default();
    *program = walk_facts(&w, facts, query, database);
    if (w.short_of || (!w.is_foreign && (w.at != w.end || facts->pass_count == 0)))
        return TOKEN_RECORD_EDAMAGED;
    return w.is_foreign ? TOKEN_RECORD_EFORMAT : 0;
}

/* Positions of sequences, and cells of a cluster: more than any run has, and few enough that sums of them are exact. */
static const uint64_t positions_most = UINT64_C(1) << 48, cells_most = UINT64_C(1) << 53;

/* --- sequences ------------------------------------------------------------------------------------------- */

static uint64_t words_of(uint64_t positions)
{
    return (positions + BASES_PER_WORD - 1) / BASES_PER_WORD;
}

/* A name is one word, and nothing has a line's end: both are written to tables. */
static bool is_line(const char *text, bool one_word)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || (one_word && *text == ' '))
            return false;
    return true;
}

static bool is_record(const struct sequence_record *r, uint64_t begin)
{
    return *r->name && is_line(r->name, true) && (!r->title || is_line(r->title, false)) &&
           r->begin == begin && r->bases >= 1 && r->bases <= positions_most;
}

/* One separator stands between two records. */
static bool sequences_agree(const struct sequences *s)
{
    uint64_t begin = 0;
    for (size_t i = 0; i < s->record_count; i++) {
        if (!is_record(&s->records[i], begin))
            return false;
        begin += s->records[i].bases + 1;
        if (begin > positions_most)
            return false;
    }
    return s->record_count > 0 && s->positions == begin - 1 &&
           s->bases == s->positions - (s->record_count - 1) && s->ambiguous <= s->bases;
}

/* --- passes ---------------------------------------------------------------------------------------------- */

/* Whether segments_cut() cuts such a segment. A record of a sweep has only one of them. */
static bool is_segment(const struct hardware *h, uint64_t positions, const struct query_segment *s)
{
    const uint32_t length = h->query_segment, stride = length - h->query_overlap;
    if (s->begin % stride != 0 || s->begin >= positions)
        return false;
    uint64_t rest = positions - s->begin;
    bool follows = s->begin == 0 || rest > h->query_overlap; /* the one before does not reach the end */
    return follows && s->length == (rest < length ? rest : length);
}

static bool segments_agree(const struct token_record_facts *f)
{
    for (size_t i = 0; i < f->pass_count; i++)
        if (!is_segment(&f->hardware, f->query->positions, &f->segments[i]))
            return false;
    return true;
}

static bool is_percentage(double value)
{
    return value >= 0 && value <= 100;
}

bool token_record_facts_agree(const struct token_record_facts *f)
{
    struct hardware machine = f->hardware;
    struct why ignored;
    return isfinite(f->e_value) && f->e_value > 0 && hardware_check(&machine, &ignored) == 0 &&
           sequences_agree(f->query) && sequences_agree(f->database) &&
           f->database->word_count == words_of(f->database->positions) &&
           (!hardware_deals_database(&f->hardware) || f->hardware.hosts <= f->database->record_count) &&
           segments_agree(f) && is_percentage(f->limits.identity) && is_percentage(f->limits.coverage);
}

static bool counts_agree(const struct pass_counts *c)
{
    return c->wmers == c->words * BASES_PER_WORD && c->invalid_wmers <= c->wmers &&
           c->seeds <= c->wmers - c->invalid_wmers && c->duplicate_false <= c->lookups_duplicate &&
           c->bloom_false == c->lookups_empty + c->lookups_mismatch + c->duplicate_false &&
           c->bloom_false <= c->seeds && c->hsps <= c->matches;
}

/* Bytes of tables (struct sram_load): at most one entry of the duplicate table, or place of a chain, per base. */
static bool is_of_tables(const struct hardware *h, uint64_t bytes, uint32_t length)
{
    const struct sram_geometry *t = &h->pass.sram;
    uint64_t least = (uint64_t)t->slot_bytes * t->slots + bloom_bytes(&h->pass.bloom);
    return bytes >= least &&
           bytes <= least + UINT64_C(4) * t->displacements + (uint64_t)t->slot_bytes * length;
}

/* Operations of building them: of the displacements of each entry no more are tried than there are slots. */
static bool is_of_building(const struct hardware *h, uint64_t operations, uint32_t length)
{
    const struct sram_geometry *t = &h->pass.sram;
    const uint64_t tries = t->family == HASH_DISPLACED ? (uint64_t)t->displacements * t->slots : 0;
    return operations >= t->slots && operations - t->slots <= length + tries;
}

bool token_record_pass_agrees(const struct token_record_facts *f, size_t pass, const struct pass_tail *tail)
{
    uint64_t words = f->database->word_count;
    bool streamed = hardware_deals_database(&f->hardware)
                        ? tail->database_words >= 1 && tail->database_words <= words
                        : tail->database_words == words;
    return streamed && tail->counts.words == tail->database_words && counts_agree(&tail->counts) &&
           is_of_tables(&f->hardware, tail->table_bytes, f->segments[pass].length) &&
           is_of_building(&f->hardware, tail->build_operations, f->segments[pass].length) &&
           tail->alignments <= tail->counts.hsps;
}

/* --- alignments ------------------------------------------------------------------------------------------ */

bool token_record_alignment_agrees(const struct token_record_facts *f, const struct alignment *a)
{
    return alignment_is_possible(a, f->query, f->database) && isfinite(a->bits) && a->e_value >= 0 &&
           a->e_value <= f->e_value;
}

/* --- tokens ---------------------------------------------------------------------------------------------- */

/* An ungapped extension may leave the segment, and compares a column of the query at most twice: once, but for the
 * word that it begins at. Tasks of the host have 32 bits for it. */
bool token_record_work_agrees(const struct stage3_work *work, uint64_t positions)
{
    return work->cells <= 2 * positions && work->cells <= UINT32_MAX && work->cluster_cells <= cells_most;
}
