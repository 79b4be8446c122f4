#include "blast/write/sam.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <htslib/kstring.h>
#include <htslib/sam.h>

#include "base/why.h"

enum { NAME_BYTES_MAX = 254, CIGAR_LENGTH_MAX = (1 << 28) - 1, MAPQ_UNKNOWN = 255 };

/* CIGAR being put together. */
struct cigar {
    uint32_t *operations;
    size_t count, capacity;
    int failed;
};

/* A list on its way to a file. */
struct writer {
    FILE *file;
    const struct reported_search *search;
    const struct alignment_list *list;
    sam_hdr_t *header;
    bam1_t *line;
    kstring_t text;
    struct cigar cigar;
};

/* The query whose lines are being written. */
struct sam_query {
    const struct sequence_record *record;
    char *letters[2]; /* of either strand */
    uint8_t *covered; /* by primary and supplementary alignments, a byte a base of the plus strand */
};

/* --- names ----------------------------------------------------------------------------------------------- */

static int refuse_name(const char *what, const char *name, const char *problem, struct why *why)
{
    return why_say(why, SAM_ENAME, "SAM cannot name the %s '%.60s': %s", what, name, problem);
}

/* Printable ASCII, without some letters anywhere and some more at the beginning. */
static int has_only_allowed(const char *name, const char *nowhere, const char *not_first)
{
    if (strchr(not_first, name[0]) != NULL)
        return 0;
    for (; *name != '\0'; name++)
        if (*name <= ' ' || *name > '~' || strchr(nowhere, *name) != NULL)
            return 0;
    return 1;
}

static int check_queries(const struct sequences *query, struct why *why)
{
    for (size_t i = 0; i < query->record_count; i++) {
        const struct sequence_record *r = &query->records[i];

        if (strlen(r->name) > NAME_BYTES_MAX)
            return refuse_name("query", r->name, "longer than 254 letters", why);
        if (!has_only_allowed(r->name, "@", ""))
            return refuse_name("query", r->name, "only printable ASCII without @", why);
        if (r->bases > INT_MAX)
            return refuse_name("query", r->name, "longer than 2^31 - 1 bases", why);
    }
    return 0;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The first name that is there twice, or NULL. */
static const char *find_twice(const char **names, size_t count)
{
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return names[i];
    return NULL;
}

static int check_references(const struct sequences *database, struct why *why)
{
    const char **names = malloc(database->record_count * sizeof *names), *twice;

    if (names == NULL)
        return refuse_name("database", "", "out of memory", why);
    for (size_t i = 0; i < database->record_count; i++)
        names[i] = database->records[i].name;
    twice = find_twice(names, database->record_count);
    free(names);
    if (twice != NULL)
        return refuse_name("reference", twice, "two records of the database have this name", why);
    for (size_t i = 0; i < database->record_count; i++) {
        const struct sequence_record *r = &database->records[i];

        if (!has_only_allowed(r->name, "\\,\"'`()[]{}<>", "*="))
            return refuse_name(
                "reference", r->name,
                "only printable ASCII without \\ , \" ' ` ( ) [ ] { } < >, nor * = at the beginning", why);
        if (r->bases > INT_MAX)
            return refuse_name("reference", r->name, "longer than 2^31 - 1 bases", why);
    }
    return 0;
}

int sam_check(const struct sequences *query, const struct sequences *database, struct why *why)
{
    return check_queries(query, why) != 0 || check_references(database, why) != 0 ? SAM_ENAME : 0;
}

/* --- a line ---------------------------------------------------------------------------------------------- */

static void cigar_add(struct cigar *c, int operation, uint64_t length)
{
    while (length > 0 && !c->failed) {
        uint32_t part = length < CIGAR_LENGTH_MAX ? (uint32_t)length : CIGAR_LENGTH_MAX;

        if (c->count == c->capacity) {
            size_t capacity = 2 * c->capacity + 64;
            uint32_t *grown = realloc(c->operations, capacity * sizeof *grown);

            if (grown == NULL) {
                c->failed = 1;
                return;
            }
            c->operations = grown;
            c->capacity = capacity;
        }
        c->operations[c->count++] = bam_cigar_gen(part, operation);
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

/* In the reference's direction, which an alignment of the minus strand is laid out against. */
static void cigar_add_columns(struct cigar *c, const struct aligned *aligned, int backwards)
{
    uint64_t length = 0;
    int operation = BAM_CEQUAL;

    for (uint64_t i = 0; i < aligned->columns; i++) {
        int here = column_operation(aligned, backwards ? aligned->columns - 1 - i : i);

        if (here != operation) {
            cigar_add(c, operation, length);
            operation = here;
            length = 0;
        }
        length++;
    }
    cigar_add(c, operation, length);
}

static int write_line(struct writer *w)
{
    w->text.l = 0;
    if (sam_format1(w->header, w->line, &w->text) < 0 || kputc('\n', &w->text) < 0)
        return SAM_EMEMORY;
    return fwrite(w->text.s, 1, w->text.l, w->file) == w->text.l ? 0 : SAM_EWRITE;
}

static int add_tags(struct writer *w, const struct alignment *a)
{
    double identity = 100.0 * (double)a->identities / (double)a->columns;

    return bam_aux_update_int(w->line, "AS", scoring_reported(w->search->statistics, a->score)) == 0 &&
                   bam_aux_update_float(w->line, "EV", (float)a->e_value) == 0 &&
                   bam_aux_update_int(w->line, "NM", (int64_t)(a->mismatches + a->gaps)) == 0 &&
                   bam_aux_update_float(w->line, "PI", (float)identity) == 0 &&
                   bam_aux_update_float(w->line, "BS", (float)a->bits) == 0
               ? 0
               : SAM_EMEMORY;
}

static int make_cigar(struct writer *w, const struct alignment *a, int clip, uint64_t before, uint64_t after)
{
    struct aligned aligned;

    if (aligned_create(w->search, w->list, a, &aligned) != 0)
        return SAM_EMEMORY;
    w->cigar.count = 0;
    cigar_add(&w->cigar, clip, before);
    cigar_add_columns(&w->cigar, &aligned, a->strand == STRAND_MINUS);
    cigar_add(&w->cigar, clip, after);
    aligned_destroy(&aligned);
    return w->cigar.failed ? SAM_EMEMORY : 0;
}

/* Bases before and after the alignment are those of the strand that is written. */
static int write_alignment(struct writer *w, const struct sam_query *q, const struct alignment *a,
                           unsigned flag)
{
    struct aligned_range range = aligned_query_range(w->search->query, a);
    uint64_t before = range.first - 1, after = q->record->bases - range.last;
    uint64_t position = a->database_begin - w->search->database->records[a->database_record].begin;
    int whole = flag == 0;
    const char *letters = q->letters[a->strand];

    if (a->strand == STRAND_MINUS) {
        uint64_t swap = before;

        before = after;
        after = swap;
        flag |= BAM_FREVERSE;
    }
    if (make_cigar(w, a, whole ? BAM_CSOFT_CLIP : BAM_CHARD_CLIP, before, after) != 0)
        return SAM_EMEMORY;
    if (bam_set1(w->line, strlen(q->record->name), q->record->name, (uint16_t)flag,
                 (int32_t)a->database_record, (hts_pos_t)position, MAPQ_UNKNOWN, w->cigar.count,
                 w->cigar.operations, -1, -1, 0, whole ? q->record->bases : q->record->bases - before - after,
                 whole ? letters : letters + before, NULL, 0) < 0 ||
        add_tags(w, a) != 0)
        return SAM_EMEMORY;
    return write_line(w);
}

static int write_unaligned(struct writer *w, const struct sam_query *q)
{
    if (bam_set1(w->line, strlen(q->record->name), q->record->name, BAM_FUNMAP, -1, -1, 0, 0, NULL, -1, -1, 0,
                 q->record->bases, q->letters[STRAND_PLUS], NULL, 0) < 0)
        return SAM_EMEMORY;
    return write_line(w);
}

/* --- a query --------------------------------------------------------------------------------------------- */

/* 0 for the first alignment; whether a later one adds to what is covered. What is covered grows. */
static unsigned flag_of(struct sam_query *q, const struct sequences *query, const struct alignment *a,
                        int is_first)
{
    struct aligned_range range = aligned_query_range(query, a);
    uint8_t *from = q->covered + range.first - 1;
    uint64_t bases = range.last - range.first + 1, fresh = 0;

    for (uint64_t i = 0; i < bases; i++)
        fresh += !from[i];
    if (!is_first && 2 * fresh < bases)
        return BAM_FSECONDARY;
    memset(from, 1, bases);
    return is_first ? 0 : BAM_FSUPPLEMENTARY;
}

static char *strand_letters(const struct sequences *s, const struct sequence_record *r, enum strand strand)
{
    uint64_t begin = strand == STRAND_PLUS ? r->begin : s->positions - r->begin - r->bases;
    uint8_t *letters = malloc(r->bases);

    if (letters == NULL)
        return NULL;
    sequences_unpack(s, strand, begin, r->bases, letters);
    for (uint64_t i = 0; i < r->bases; i++)
        letters[i] = (uint8_t)aligned_letter(letters[i]);
    return (char *)letters;
}

static void query_destroy(struct sam_query *q)
{
    free(q->letters[STRAND_PLUS]);
    free(q->letters[STRAND_MINUS]);
    free(q->covered);
}

static int query_create(const struct sequences *s, const struct sequence_record *record, struct sam_query *q)
{
    *q = (struct sam_query){
        .record = record,
        .letters = {strand_letters(s, record, STRAND_PLUS), strand_letters(s, record, STRAND_MINUS)},
        .covered = calloc(record->bases, 1),
    };
    if (q->letters[STRAND_PLUS] != NULL && q->letters[STRAND_MINUS] != NULL && q->covered != NULL)
        return 0;
    query_destroy(q);
    return SAM_EMEMORY;
}

/* The lines of one query record, whose alignments begin at *next; it moves behind them. */
static int write_query(struct writer *w, size_t record, size_t *next)
{
    const struct alignment *items = w->list->items;
    struct sam_query q;
    size_t begin = *next;
    int status = query_create(w->search->query, &w->search->query->records[record], &q);

    if (status != 0)
        return status;
    for (; *next < w->list->count && items[*next].query_record == record && status == 0; ++*next) {
        unsigned flag = flag_of(&q, w->search->query, &items[*next], *next == begin);

        status = write_alignment(w, &q, &items[*next], flag);
    }
    if (*next == begin)
        status = write_unaligned(w, &q);
    query_destroy(&q);
    return status;
}

/* --- the file -------------------------------------------------------------------------------------------- */

static int header_fill(sam_hdr_t *header, const struct reported_search *search)
{
    int status = sam_hdr_add_line(header, "HD", "VN", "1.6", "SO", "unsorted", "GO", "query", NULL);

    for (size_t i = 0; i < search->database->record_count && status == 0; i++) {
        char length[24];

        snprintf(length, sizeof length, "%" PRIu64, search->database->records[i].bases);
        status = sam_hdr_add_line(header, "SQ", "SN", search->database->records[i].name, "LN", length, NULL);
    }
    if (status == 0)
        status =
            sam_hdr_add_line(header, "PG", "ID", "mercury", "PN", "mercury", "VN", search->version, NULL);
    return status == 0 ? 0 : SAM_EMEMORY;
}

static int write_header(struct writer *w)
{
    const char *text;

    if (header_fill(w->header, w->search) != 0 || (text = sam_hdr_str(w->header)) == NULL)
        return SAM_EMEMORY;
    return fputs(text, w->file) != EOF ? 0 : SAM_EWRITE;
}

int sam_write(FILE *file, const struct reported_search *search, const struct alignment_list *list)
{
    struct writer w = {
        .file = file, .search = search, .list = list, .header = sam_hdr_init(), .line = bam_init1()};
    int status = w.header != NULL && w.line != NULL ? write_header(&w) : SAM_EMEMORY;
    size_t next = 0;

    for (size_t i = 0; i < search->query->record_count && status == 0; i++)
        status = write_query(&w, i, &next);
    if (status == 0 && (fflush(file) != 0 || ferror(file)))
        status = SAM_EWRITE;
    free(w.cigar.operations);
    ks_free(&w.text);
    bam_destroy1(w.line);
    sam_hdr_destroy(w.header);
    return status;
}
