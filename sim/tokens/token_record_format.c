#include "sim/tokens/token_record_format.h"

#include <math.h>

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
