#include "blast/compare/hit_table.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/file/line_reader.h"
#include "base/printable.h"
#include "base/words.h"
#include "blast/write/columns.h"

/* What a row says, before it is a hit. */
struct row {
    char *query, *subject;
    uint64_t query_ends[2], subject_ends[2];
    struct hit hit;
};

/* What a column holds: any text; a whole number from 0 or from 1; a number from 0 to 100, or from 0. */
enum held { NAME, COUNT, FROM_1, PER_CENT, REAL };

enum { FIELDS = 3, COLUMN_COUNT = 12, TABLE_COLUMNS_MAX = 256 };

#define MEMBER(member) offsetof(struct row, member)

/* The standard columns, in BLAST's order. The comment lines of format 7 name sequences in several ways, mostly in the
 * first. */
static const struct {
    const char *name, *fields[FIELDS]; /* fields: names of columns whose fields are taken for this one */
    enum held held;
    size_t member;
} columns[COLUMN_COUNT] = {
    {"qseqid", {"qaccver", "qseqid", "qacc"}, NAME, MEMBER(query)},
    {"sseqid", {"saccver", "sseqid", "sacc"}, NAME, MEMBER(subject)},
    {"pident", {"pident"}, PER_CENT, MEMBER(hit.identity)},
    {"length", {"length"}, FROM_1, MEMBER(hit.columns)},
    {"mismatch", {"mismatch"}, COUNT, MEMBER(hit.mismatches)},
    {"gapopen", {"gapopen"}, COUNT, MEMBER(hit.gap_openings)},
    {"qstart", {"qstart"}, FROM_1, MEMBER(query_ends[0])},
    {"qend", {"qend"}, FROM_1, MEMBER(query_ends[1])},
    {"sstart", {"sstart"}, FROM_1, MEMBER(subject_ends[0])},
    {"send", {"send"}, FROM_1, MEMBER(subject_ends[1])},
    {"evalue", {"evalue"}, REAL, MEMBER(hit.e_value)},
    {"bitscore", {"bitscore"}, REAL, MEMBER(hit.bits)},
};

static_assert((int)HIT_TABLE_EOPEN == LINE_READER_EOPEN && (int)HIT_TABLE_EREAD == LINE_READER_EREAD,
              "errors of the lines are passed on");

struct reader {
    struct line_reader lines;
    int place[COLUMN_COUNT]; /* of each column in the table, from 0 */
    int columns_least;       /* that a row must have, so that they are all there */
    struct hit_table out;
};

/* --- one line -------------------------------------------------------------------------------------------- */

/* Whether a text is a number of this kind, which becomes the member. */
static bool take_number(char *text, enum held held, void *member)
{
    char *end;
    errno = 0;
    if (held == PER_CENT || held == REAL) {
        double number = strtod(text, &end);
        *(double *)member = number; /* A double may not hold the smallest E-values; they are 0 then. */
        return end != text && *end == '\0' && isfinite(number) && number >= 0 &&
               (held == REAL || number <= 100);
    }
    uint64_t number = strtoull(text, &end, 10);
    *(uint64_t *)member = number;
    return *text >= '0' && *text <= '9' && *end == '\0' && !errno && number >= (held == FROM_1) &&
           number <= INT64_MAX / 4;
}

static int take_field(struct reader *r, int column, char *text, struct row *row)
{
    static const char *const expected[] = {"a name", "a whole number", "a whole number from 1",
                                           "a percentage from 0 to 100", "a number from 0"};
    const enum held held = columns[column].held;
    void *member = (char *)row + columns[column].member;
    if (held == NAME)
        *(char **)member = text;
    if (held == NAME ? *text != '\0' : take_number(text, held, member))
        return 0;
    return line_reader_refuse_line(&r->lines, HIT_TABLE_EFORMAT, "column %d (%s) is '%.60s'; expected %s",
                                   r->place[column] + 1, columns[column].name, text, expected[held]);
}

/* Keep a copy of a name. Neighbouring rows mostly have the same names and share them. */
static const char *keep_name(struct reader *r, const char *name, const char *before)
{
    struct hit_table *t = &r->out;
    if (before && strcmp(before, name) == 0)
        return before;
    return *ARRAY_NEXT(t->names, t->name_count, t->name_room) = printable_new(name, strlen(name));
}

static void keep_names(struct reader *r, const struct row *row, struct hit *hit)
{
    const struct hit *before = r->out.count > 0 ? &r->out.hits[r->out.count - 1] : NULL;
    hit->query = keep_name(r, row->query, before ? before->query : NULL);
    hit->subject = keep_name(r, row->subject, before ? before->subject : NULL);
}

static void sort_two(uint64_t *a, uint64_t *b)
{
    uint64_t greater = *a > *b ? *a : *b;
    *a = *a < *b ? *a : *b;
    *b = greater;
}

static void place(struct hit *hit, uint64_t query[2], uint64_t subject[2])
{
    hit->strand = (query[0] <= query[1]) == (subject[0] <= subject[1]) ? STRAND_PLUS : STRAND_MINUS;
    sort_two(&query[0], &query[1]);
    sort_two(&subject[0], &subject[1]);
    bool plus = hit->strand == STRAND_PLUS;
    hit->query_begin = plus ? (int64_t)query[0] - 1 : -(int64_t)query[1];
    hit->query_end = plus ? (int64_t)query[1] : 1 - (int64_t)query[0];
    hit->subject_begin = (int64_t)subject[0] - 1;
    hit->subject_end = (int64_t)subject[1];
}

static int check_ranges(struct reader *r, const struct hit *hit)
{
    uint64_t query = (uint64_t)(hit->query_end - hit->query_begin);
    uint64_t subject = (uint64_t)(hit->subject_end - hit->subject_begin);
    if (hit->columns >= query && hit->columns >= subject && query + subject > hit->columns)
        return 0;
    return line_reader_refuse_line(
        &r->lines, HIT_TABLE_EFORMAT,
        "%llu columns cannot align %llu bases of the query with %llu of the subject; expected the twelve "
        "standard columns of BLAST's format 6",
        (unsigned long long)hit->columns, (unsigned long long)query, (unsigned long long)subject);
}

/* Cut the line at its tabs. @return number of fields, TABLE_COLUMNS_MAX at most */
static int split(char *line, char *fields[TABLE_COLUMNS_MAX])
{
    int count = 0;
    for (char *next = line; next && count < TABLE_COLUMNS_MAX;) {
        fields[count++] = next;
        next = strchr(next, '\t');
        if (next)
            *next++ = '\0';
    }
    return count;
}

static int take_row(struct reader *r)
{
    char *fields[TABLE_COLUMNS_MAX];
    struct row row = {.hit = {.line = r->lines.number}};
    int count = split(r->lines.line.s, fields), status = 0;
    if (count < r->columns_least)
        return line_reader_refuse_line(
            &r->lines, HIT_TABLE_EFORMAT,
            "%d column%s; expected at least %d, with the twelve standard ones of BLAST, separated by tabs",
            count, count == 1 ? "" : "s", r->columns_least);
    for (int c = 0; c < COLUMN_COUNT && status == 0; c++)
        status = take_field(r, c, fields[r->place[c]], &row);
    if (status)
        return status;
    place(&row.hit, row.query_ends, row.subject_ends);
    status = check_ranges(r, &row.hit);
    if (status)
        return status;
    keep_names(r, &row, &row.hit);
    *ARRAY_NEXT(r->out.hits, r->out.count, r->out.room) = row.hit;
    return 0;
}

/* The place of a column in "query acc.ver, subject acc.ver, % identity", or -1. */
static int find_field(int column, const char *fields)
{
    int place = 0;
    for (struct word rest = word_of(fields); rest.text; place++) {
        struct word field = word_cut(&rest, ",");
        for (; field.length > 0 && *field.text == ' '; field.length--)
            field.text++;
        for (int i = 0; i < FIELDS && columns[column].fields[i]; i++)
            if (word_is(field, column_field(columns[column].fields[i])))
                return place;
    }
    return -1;
}

/* Format 7 says which columns there are, and in which order. */
static int take_comment(struct reader *r)
{
    static const char begin[] = "# Fields:";
    const char *line = r->lines.line.s;
    if (strncmp(line, begin, strlen(begin)) != 0)
        return 0;
    r->columns_least = 0;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        r->place[c] = find_field(c, line + strlen(begin));
        if (r->place[c] < 0 || r->place[c] >= TABLE_COLUMNS_MAX)
            return line_reader_refuse_line(
                &r->lines, HIT_TABLE_EFORMAT,
                "no column '%s' (%s); expected the twelve standard ones of BLAST, in any order, among others",
                column_field(columns[c].fields[0]), columns[c].name);
        r->columns_least = MAX(r->columns_least, r->place[c] + 1);
    }
    return 0;
}

static int take_line(struct reader *r)
{
    if (strlen(r->lines.line.s) < r->lines.line.l)
        return line_reader_refuse_line(&r->lines, HIT_TABLE_EFORMAT,
                                       "a NUL byte; expected a table, which is text");
    while (r->lines.line.l > 0 && strchr("\r ", r->lines.line.s[r->lines.line.l - 1]))
        r->lines.line.s[--r->lines.line.l] = '\0';
    if (r->lines.line.l == 0)
        return 0;
    return hit_table_is_comment(r->lines.line.s) ? take_comment(r) : take_row(r);
}

/* --- the file -------------------------------------------------------------------------------------------- */

static int read_lines(struct reader *r)
{
    int lines, status = 0;
    while (status == 0 && (lines = line_reader_next(&r->lines)) != 0)
        status = lines < 0 ? lines : take_line(r);
    return status;
}

int hit_table_read(const char *path, struct hit_table *out, struct why *why)
{
    struct reader r = {.columns_least = COLUMN_COUNT};
    for (int c = 0; c < COLUMN_COUNT; c++)
        r.place[c] = c;
    int status = line_reader_open(&r.lines, path, "a table of alignments", why);
    if (status == 0)
        status = read_lines(&r);
    status = line_reader_close(&r.lines, status);
    if (status)
        hit_table_destroy(&r.out);
    else
        *out = r.out;
    return status;
}

void hit_table_destroy(struct hit_table *t)
{
    for (size_t i = 0; i < t->name_count; i++)
        free(t->names[i]);
    free(t->names);
    free(t->hits);
    *t = (struct hit_table){0};
}

/* --- of alignments --------------------------------------------------------------------------------------- */

static struct hit hit_of_alignment(const struct alignment *a, const struct sequences *query,
                                   const struct sequences *database)
{
    const struct sequence_record *q = &query->records[a->query_record];
    const struct sequence_record *s = &database->records[a->database_record];
    /* Strand position from which positions within the record are counted: they are negative on the minus strand. */
    uint64_t origin = a->strand == STRAND_MINUS ? query->positions - q->begin : q->begin;
    return (struct hit){
        .query = q->name,
        .subject = s->name,
        .strand = (enum strand)a->strand,
        .query_begin = (int64_t)a->query_begin - (int64_t)origin,
        .query_end = (int64_t)a->query_end - (int64_t)origin,
        .subject_begin = (int64_t)(a->database_begin - s->begin),
        .subject_end = (int64_t)(a->database_end - s->begin),
        .columns = a->columns,
        .mismatches = a->mismatches,
        .gap_openings = a->gap_openings,
        .identity = 100.0 * (double)a->identities / (double)a->columns,
        .e_value = a->e_value,
        .bits = a->bits,
    };
}

void hit_table_of_alignments(const struct alignment_list *list, const struct sequences *query,
                             const struct sequences *database, struct hit_table *out)
{
    struct hit_table t = {.count = list->count};
    array_reserve(&t.hits, &t.room, 0, list->count, sizeof *t.hits);
    for (size_t i = 0; i < list->count; i++)
        t.hits[i] = hit_of_alignment(&list->items[i], query, database);
    *out = t;
}
