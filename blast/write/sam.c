#include "blast/write/sam.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <htslib/kstring.h>
#include <htslib/sam.h>

#include "base/array.h"

enum { NAME_BYTES_MAX = 254, CIGAR_LENGTH_MAX = (1 << 28) - 1, MAPQ_UNKNOWN = 255 };

/* The CIGAR that is being composed. */
struct cigar {
    uint32_t *operations;
    size_t count, room;
    bool failed; /* memory did not suffice */
};

/* A list that is being written. */
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
    char *letters[2]; /* of both strands */
    uint8_t *covered; /* of each base, whether a primary or supplementary alignment covers it */
};

/* --- names ----------------------------------------------------------------------------------------------- */

static int refuse_name(const char *what, const char *name, const char *problem, struct why *why)
{
    return why_say(why, SAM_ENAME, "SAM cannot name the %s '%.60s': %s", what, name, problem);
}

/* Whether a name is printable ASCII, has no letter of `nowhere`, and does not begin with a letter of `not_first`. */
static bool has_only_allowed(const char *name, const char *nowhere, const char *not_first)
{
    if (strchr(not_first, name[0]))
        return false;
    for (; *name != '\0'; name++)
        if (*name <= ' ' || *name > '~' || strchr(nowhere, *name))
            return false;
    return true;
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

/* A name that two references have, or NULL. */
static const char *find_duplicate(const char **names, size_t count)
{
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return names[i];
    return NULL;
}

static int check_references(const struct sequences *database, struct why *why)
{
    const char **names = malloc(database->record_count * sizeof *names);
    if (!names)
        return why_no_memory(why, WRITE_EMEMORY);
    for (size_t i = 0; i < database->record_count; i++)
        names[i] = database->records[i].name;
    const char *duplicate = find_duplicate(names, database->record_count);
    free(names);
    if (duplicate)
        return refuse_name("reference", duplicate, "two records of the database have this name", why);
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
    int status = check_queries(query, why);
    return status != 0 ? status : check_references(database, why);
}

/* --- a line ---------------------------------------------------------------------------------------------- */

static void add_operations(struct cigar *c, int operation, uint64_t length)
{
    while (length > 0 && !c->failed) {
        uint32_t part = length < CIGAR_LENGTH_MAX ? (uint32_t)length : CIGAR_LENGTH_MAX;
        c->failed = !array_reserve(&c->operations, &c->room, c->count, 1, sizeof *c->operations);
        if (c->failed)
            return;
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

/* Add the columns in the reference's direction. An alignment of the minus strand is laid out in the other one:
 * backwards. */
static void add_columns(struct cigar *c, const struct aligned *aligned, bool backwards)
{
    uint64_t length = 0;
    int operation = BAM_CEQUAL;
    for (uint64_t i = 0; i < aligned->columns; i++) {
        int here = column_operation(aligned, backwards ? aligned->columns - 1 - i : i);
        if (here != operation) {
            add_operations(c, operation, length);
            operation = here;
            length = 0;
        }
        length++;
    }
    add_operations(c, operation, length);
}

static int write_line(struct writer *w)
{
    w->text.l = 0;
    if (sam_format1(w->header, w->line, &w->text) < 0 || kputc('\n', &w->text) < 0)
        return WRITE_EMEMORY;
    return fwrite(w->text.s, 1, w->text.l, w->file) == w->text.l ? 0 : WRITE_EFILE;
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
               : WRITE_EMEMORY;
}

static int make_cigar(struct writer *w, const struct alignment *a, int clip, uint64_t before, uint64_t after)
{
    struct aligned aligned;
    if (aligned_new(w->search, w->list, a, &aligned) != 0)
        return WRITE_EMEMORY;
    w->cigar.count = 0;
    add_operations(&w->cigar, clip, before);
    add_columns(&w->cigar, &aligned, a->strand == STRAND_MINUS);
    add_operations(&w->cigar, clip, after);
    aligned_destroy(&aligned);
    return w->cigar.failed ? WRITE_EMEMORY : 0;
}

/* The clipped bases before and after the alignment are those of the strand that is written. */
static int write_alignment(struct writer *w, const struct sam_query *q, const struct alignment *a,
                           unsigned flag)
{
    struct aligned_range range = aligned_query_range(w->search->query, a);
    uint64_t before = range.first - 1, after = q->record->bases - range.last;
    uint64_t position = a->database_begin - w->search->database->records[a->database_record].begin;
    bool whole = flag == 0;
    const char *letters = q->letters[a->strand];
    if (a->strand == STRAND_MINUS) {
        uint64_t swap = before;
        before = after;
        after = swap;
        flag |= BAM_FREVERSE;
    }
    if (make_cigar(w, a, whole ? BAM_CSOFT_CLIP : BAM_CHARD_CLIP, before, after) != 0)
        return WRITE_EMEMORY;
    if (bam_set1(w->line, strlen(q->record->name), q->record->name, (uint16_t)flag,
                 (int32_t)a->database_record, (hts_pos_t)position, MAPQ_UNKNOWN, w->cigar.count,
                 w->cigar.operations, -1, -1, 0, whole ? q->record->bases : q->record->bases - before - after,
                 whole ? letters : letters + before, NULL, 0) < 0 ||
        add_tags(w, a) != 0)
        return WRITE_EMEMORY;
    return write_line(w);
}

static int write_unaligned(struct writer *w, const struct sam_query *q)
{
    if (bam_set1(w->line, strlen(q->record->name), q->record->name, BAM_FUNMAP, -1, -1, 0, 0, NULL, -1, -1, 0,
                 q->record->bases, q->letters[STRAND_PLUS], NULL, 0) < 0)
        return WRITE_EMEMORY;
    return write_line(w);
}

/* --- a query --------------------------------------------------------------------------------------------- */

/* The flag of an alignment, which is 0 for the first. Unless it is secondary, its bases become covered. */
static unsigned flag_of(struct sam_query *q, const struct sequences *query, const struct alignment *a,
                        bool is_first)
{
    struct aligned_range range = aligned_query_range(query, a);
    uint8_t *from = q->covered + range.first - 1;
    uint64_t bases = range.last - range.first + 1, uncovered = 0;
    for (uint64_t i = 0; i < bases; i++)
        uncovered += !from[i];
    if (!is_first && 2 * uncovered < bases)
        return BAM_FSECONDARY;
    memset(from, 1, bases);
    return is_first ? 0 : BAM_FSUPPLEMENTARY;
}

static void query_destroy(struct sam_query *q)
{
    free(q->letters[STRAND_PLUS]);
    free(q->letters[STRAND_MINUS]);
    free(q->covered);
}

static int query_new(const struct sequences *s, const struct sequence_record *record, struct sam_query *q)
{
    uint64_t bases = record->bases;
    *q = (struct sam_query){
        .record = record,
        .letters = {aligned_letters(s, STRAND_PLUS, record->begin, bases),
                    aligned_letters(s, STRAND_MINUS, s->positions - record->begin - bases, bases)},
        .covered = calloc(bases, 1),
    };
    if (q->letters[STRAND_PLUS] && q->letters[STRAND_MINUS] && q->covered)
        return 0;
    query_destroy(q);
    return WRITE_EMEMORY;
}

/* Write the lines of a query record and its alignments [begin, end). */
static int write_query(struct writer *w, size_t record, size_t begin, size_t end)
{
    const struct sequences *query = w->search->query;
    struct sam_query q;
    int status = query_new(query, &query->records[record], &q);
    if (status != 0)
        return status;
    for (size_t i = begin; i < end && status == 0; i++) {
        const struct alignment *a = &w->list->items[i];
        status = write_alignment(w, &q, a, flag_of(&q, query, a, i == begin));
    }
    if (begin == end)
        status = write_unaligned(w, &q);
    query_destroy(&q);
    return status;
}

/* --- the file -------------------------------------------------------------------------------------------- */

static int fill_header(sam_hdr_t *header, const struct reported_search *search)
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
    return status == 0 ? 0 : WRITE_EMEMORY;
}

static int write_header(struct writer *w)
{
    const char *text = fill_header(w->header, w->search) == 0 ? sam_hdr_str(w->header) : NULL;
    if (!text)
        return WRITE_EMEMORY;
    return fputs(text, w->file) != EOF ? 0 : WRITE_EFILE;
}

int sam_write(FILE *file, const struct reported_search *search, const struct alignment_list *list)
{
    struct writer w = {
        .file = file, .search = search, .list = list, .header = sam_hdr_init(), .line = bam_init1()};
    int status = w.header && w.line ? write_header(&w) : WRITE_EMEMORY;
    for (size_t i = 0, begin = 0, end; i < search->query->record_count && status == 0; i++, begin = end) {
        end = aligned_query_end(list, begin, i);
        status = write_query(&w, i, begin, end);
    }
    status = aligned_flush(file, status);
    free(w.cigar.operations);
    ks_free(&w.text);
    bam_destroy1(w.line);
    sam_hdr_destroy(w.header);
    return status;
}
