#include "blast/compare/hit_table.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file/line_reader.h"
#include "base/printable.h"
#include "blast/write/columns.h"

/* The standard columns, in BLAST's order. */
enum standard {
    QUERY_NAME,
    SUBJECT_NAME,
    IDENTITY,
    COLUMNS,
    MISMATCHES,
    GAP_OPENINGS,
    QUERY_START,
    QUERY_END,
    SUBJECT_START,
    SUBJECT_END,
    E_VALUE,
    BITS,
    COLUMN_COUNT,
};

static const enum column columns_of[COLUMN_COUNT] = {
    COLUMN_QSEQID, COLUMN_SSEQID, COLUMN_PIDENT, COLUMN_LENGTH, COLUMN_MISMATCH, COLUMN_GAPOPEN,
    COLUMN_QSTART, COLUMN_QEND,   COLUMN_SSTART, COLUMN_SEND,   COLUMN_EVALUE,   COLUMN_BITSCORE,
};

/* The comment lines of format 7 name sequences in several ways, mostly in the first. */
enum { NAMES = 3, TABLE_COLUMNS_MAX = 256 };

static const enum column names_of[][NAMES] = {
    [QUERY_NAME] = {COLUMN_QACCVER, COLUMN_QSEQID, COLUMN_QACC},
    [SUBJECT_NAME] = {COLUMN_SACCVER, COLUMN_SSEQID, COLUMN_SACC},
};

/* A column's name in a comment line, by number; NULL after the last. */
static const char *field_name(enum standard column, int number)
{
    if (column > SUBJECT_NAME)
        return number == 0 ? column_field(columns_of[column]) : NULL;
    return number < NAMES ? column_field(names_of[column][number]) : NULL;
}

static_assert((int)HIT_TABLE_EOPEN == LINE_READER_EOPEN && (int)HIT_TABLE_EREAD == LINE_READER_EREAD,
              "errors of the lines are passed on");

struct reader {
    struct line_reader lines;
    int place[COLUMN_COUNT]; /* of each column in the table, from 0 */
    int columns_least;       /* that a row must have, so that they are all there */
    struct hit_table out;
};

static int fail_memory(struct reader *r)
{
    return line_reader_fail_memory(&r->lines);
}

static int fail_column(struct reader *r, enum standard column, const char *text, const char *expected)
{
    return line_reader_refuse_line(&r->lines, HIT_TABLE_EFORMAT, "column %d (%s) is '%.60s'; expected %s",
                                   r->place[column] + 1, column_name(columns_of[column]), text, expected);
}

/* --- one line -------------------------------------------------------------------------------------------- */

static int parse_count(struct reader *r, char *const *fields, enum standard column, uint64_t least,
                       uint64_t *count)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(fields[column], &end, 10);
    bool digits = fields[column][0] >= '0' && fields[column][0] <= '9' && *end == '\0';
    if (!digits || errno || number < least || number > INT64_MAX / 4)
        return fail_column(r, column, fields[column], least > 0 ? "a whole number from 1" : "a whole number");
    *count = number;
    return 0;
}

static int parse_real(struct reader *r, char *const *fields, enum standard column, double most, double *real)
{
    char *end;
    *real = strtod(fields[column], &end);
    /* A double may not hold the smallest E-values; they are 0 then. */
    if (end == fields[column] || *end != '\0' || !isfinite(*real) || *real < 0 || *real > most)
        return fail_column(r, column, fields[column],
                           column == IDENTITY ? "a percentage from 0 to 100" : "a number from 0");
    return 0;
}

/* Keep a copy of a name. Neighbouring rows mostly have the same names and share them. */
static const char *keep_name(struct reader *r, const char *name, const char *before)
{
    struct hit_table *t = &r->out;
    if (before && strcmp(before, name) == 0)
        return before;
    if (!array_reserve(&t->names, &t->name_room, t->name_count, 1, sizeof *t->names))
        return NULL;
    char *copy = printable_new(name, strlen(name), "");
    if (copy)
        t->names[t->name_count++] = copy;
    return copy;
}

static int keep_names(struct reader *r, char *const *fields, struct hit *hit)
{
    const struct hit *before = r->out.count > 0 ? &r->out.hits[r->out.count - 1] : NULL;
    for (enum standard c = QUERY_NAME; c <= SUBJECT_NAME; c++)
        if (!*fields[c])
            return fail_column(r, c, fields[c], "a name");
    hit->query = keep_name(r, fields[QUERY_NAME], before ? before->query : NULL);
    hit->subject = keep_name(r, fields[SUBJECT_NAME], before ? before->subject : NULL);
    return hit->query && hit->subject ? 0 : fail_memory(r);
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

static int parse_fields(struct reader *r, char *const *fields, struct hit *hit)
{
    uint64_t query[2], subject[2];
    int status = parse_real(r, fields, IDENTITY, 100, &hit->identity);
    if (status == 0)
        status = parse_count(r, fields, COLUMNS, 1, &hit->columns);
    if (status == 0)
        status = parse_count(r, fields, MISMATCHES, 0, &hit->mismatches);
    if (status == 0)
        status = parse_count(r, fields, GAP_OPENINGS, 0, &hit->gap_openings);
    for (int i = 0; i < 2 && status == 0; i++) {
        status = parse_count(r, fields, (enum standard)(QUERY_START + i), 1, &query[i]);
        if (status == 0)
            status = parse_count(r, fields, (enum standard)(SUBJECT_START + i), 1, &subject[i]);
    }
    if (status == 0)
        status = parse_real(r, fields, E_VALUE, HUGE_VAL, &hit->e_value);
    if (status == 0)
        status = parse_real(r, fields, BITS, HUGE_VAL, &hit->bits);
    if (status)
        return status;
    place(hit, query, subject);
    return check_ranges(r, hit);
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
    char *all[TABLE_COLUMNS_MAX], *fields[COLUMN_COUNT];
    struct hit hit = {.line = r->lines.number};
    int count = split(r->lines.line.s, all);
    if (count < r->columns_least)
        return line_reader_refuse_line(
            &r->lines, HIT_TABLE_EFORMAT,
            "%d column%s; expected at least %d, with the twelve standard ones of BLAST, separated by tabs",
            count, count == 1 ? "" : "s", r->columns_least);
    for (int c = 0; c < COLUMN_COUNT; c++)
        fields[c] = all[r->place[c]];
    int status = parse_fields(r, fields, &hit);
    if (status == 0)
        status = keep_names(r, fields, &hit);
    if (status)
        return status;
    if (!array_reserve(&r->out.hits, &r->out.room, r->out.count, 1, sizeof *r->out.hits))
        return fail_memory(r);
    r->out.hits[r->out.count++] = hit;
    return 0;
}

static bool is_called(enum standard column, const char *name, size_t length)
{
    const char *known;
    for (int i = 0; (known = field_name(column, i)); i++)
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return true;
    return false;
}

/* The place of a column in "query acc.ver, subject acc.ver, % identity", or -1. */
static int find_field(enum standard column, const char *names)
{
    int place = 0;
    for (const char *name = names; *name; place++) {
        name += strspn(name, " ");
        size_t length = strcspn(name, ",");
        if (is_called(column, name, length))
            return place;
        name += length + (name[length] == ',');
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
    for (enum standard c = QUERY_NAME; c < COLUMN_COUNT; c++) {
        r->place[c] = find_field(c, line + strlen(begin));
        if (r->place[c] < 0 || r->place[c] >= TABLE_COLUMNS_MAX)
            return line_reader_refuse_line(
                &r->lines, HIT_TABLE_EFORMAT,
                "no column '%s' (%s); expected the twelve standard ones of BLAST, in any order, among others",
                field_name(c, 0), column_name(columns_of[c]));
        r->columns_least = r->place[c] + 1 > r->columns_least ? r->place[c] + 1 : r->columns_least;
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
    return r->lines.line.s[0] == '#' ? take_comment(r) : take_row(r);
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

int hit_table_of_alignments(const struct alignment_list *list, const struct sequences *query,
                            const struct sequences *database, struct hit_table *out)
{
    struct hit_table t = {.hits = malloc((list->count + 1) * sizeof *t.hits), .count = list->count};
    if (!t.hits)
        return HIT_TABLE_EMEMORY;
    t.room = list->count + 1;
    for (size_t i = 0; i < list->count; i++)
        t.hits[i] = hit_of_alignment(&list->items[i], query, database);
    *out = t;
    return 0;
}
