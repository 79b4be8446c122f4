#include "blast/write/columns.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/words.h"
#include "blast/write/format.h"

/* A list that is being written. */
struct table {
    FILE *file;
    const struct reported_search *search;
    const struct alignment_list *list;
    bool needs_letters;
    uint64_t subject_coverage; /* per cent of the query that the subject being written covers */
    char separator;            /* of columns */
};

/* An alignment being written. */
struct row {
    struct alignment a;
    struct sequence_record query_record, subject_record;
    struct aligned_range query, subject;
    const char *frames, *query_frame, *subject_frame, *strand;
    double identity; /* per cent */
    uint64_t score, subject_coverage, coverage;
    struct aligned aligned; /* if letters are needed */
};

/* --- columns --------------------------------------------------------------------------------------------- */

/* How a column shows its member of a row. */
enum shown { TEXT, NUMBER, THREE_DIGITS, TWO_DIGITS, E_VALUE, BITS, TITLE, LETTERS, BTOP };

/* The rows of data/words/alignment_columns.tsv. */
#include "blast/alignment_columns.inc"

#define COLUMN(shown, member, name, field)                                                                   \
    {                                                                                                        \
        name, field, shown, offsetof(struct row, member)                                                     \
    }

static const struct {
    const char *name, *field;
    enum shown shown;
    size_t member;
} kinds[COLUMN_KINDS] = {COLUMN_ROWS(COLUMN)};

static const struct names kind_names = {kinds, sizeof *kinds, COLUMN_KINDS, false};

static const char standard[] =
    "qaccver saccver pident length mismatch gapopen qstart qend sstart send evalue bitscore";

const char *column_name(unsigned column)
{
    return kinds[column].name;
}

const char *column_field(const char *name)
{
    return kinds[names_find(kind_names, word_of(name))].field;
}

static int refuse(struct word name, struct why *why)
{
    const char *nearest = names_nearest(kind_names, name);
    why_say(why, COLUMNS_EUNKNOWN, "no column is called '%.*s'; %s%s%sthere are std",
            (int)(name.length < 40 ? name.length : 40), name.text, nearest ? "did you mean " : "",
            nearest ? nearest : "", nearest ? "? " : "");
    for (int i = 0; i < COLUMN_KINDS; i++)
        why_append(why, " %s", kinds[i].name);
    return COLUMNS_EUNKNOWN;
}

static bool contain(const struct columns *columns, unsigned column)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->items[i] == column)
            return true;
    return false;
}

/* Add columns that are not there yet. */
static int add(struct columns *columns, const char *names, struct why *why)
{
    for (struct word rest = word_of(names); rest.text;) {
        struct word name = word_cut(&rest, " \t\n");
        int found = names_find(kind_names, name);
        if (word_is(name, "std"))
            add(columns, standard, why);
        else if (found < 0 && name.length > 0)
            return refuse(name, why);
        else if (found >= 0 && !contain(columns, (unsigned)found))
            columns->items[columns->count++] = (unsigned)found;
    }
    return 0;
}

int columns_parse(const char *names, struct columns *columns, struct why *why)
{
    struct columns parsed = {.count = 0};
    int status = add(&parsed, names, why);
    if (status == 0)
        *columns = parsed.count > 0 ? parsed : columns_standard();
    return status;
}

struct columns columns_standard(void)
{
    struct columns columns = {.count = 0};
    add(&columns, standard, NULL);
    return columns;
}

const char *columns_first_of_bases(const struct columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        if (kinds[columns->items[i]].shown >= LETTERS)
            return kinds[columns->items[i]].name;
    return NULL;
}

/* --- coverage -------------------------------------------------------------------------------------------- */

static bool same_subject(const struct alignment *a, const struct alignment *b)
{
    return a->query_record == b->query_record && a->database_record == b->database_record;
}

/* Set the coverage of the subject whose alignments, which are neighbours, begin at an index. */
static void cover_subject(struct table *t, size_t begin)
{
    const struct alignment *items = t->list->items;
    const struct sequences *query = t->search->query;
    size_t end = begin;
    while (end < t->list->count && same_subject(&items[end], &items[begin]))
        end++;
    auto_free struct stretch *ranges = memory_take((end - begin) * sizeof *ranges);
    for (size_t i = begin; i < end; i++) {
        struct aligned_range range = aligned_query_range(query, &items[i]);
        ranges[i - begin] = (struct stretch){(int64_t)range.first - 1, (int64_t)range.last};
    }
    t->subject_coverage = (uint64_t)alignment_per_cent(stretches_length(ranges, end - begin),
                                                       query->records[items[begin].query_record].bases);
}

/* --- rows ------------------------------------------------------------------------------------------------ */

static void write_title(FILE *file, const struct sequence_record *record)
{
    fputs(record->name, file);
    if (record->title)
        fprintf(file, " %s", record->title);
}

/* Write the numbers of neighbouring equal pairs, and between them both letters of every other column, the query's
 * first. */
static void write_btop(FILE *file, const struct aligned *aligned)
{
    uint64_t equal = 0;
    for (uint64_t i = 0; i <= aligned->columns; i++) {
        if (i < aligned->columns && aligned_is_match(aligned, i)) {
            equal++;
            continue;
        }
        if (equal > 0)
            fprintf(file, "%" PRIu64, equal);
        if (i < aligned->columns)
            fprintf(file, "%c%c", aligned->query[i], aligned->subject[i]);
        equal = 0;
    }
}

static void write_column(FILE *file, const struct row *r, enum shown shown, const void *member)
{
    char number[PRINTED_SCORE_BYTES];
    switch (shown) {
    case TEXT:
        fputs(*(const char *const *)member, file);
        break;
    case NUMBER:
        fprintf(file, "%" PRIu64, *(const uint64_t *)member);
        break;
    case THREE_DIGITS:
    case TWO_DIGITS:
        fprintf(file, "%.*f", shown == TWO_DIGITS ? 2 : 3, *(const double *)member);
        break;
    case E_VALUE:
    case BITS:
        (shown == BITS ? printed_bits : printed_e_value)(*(const double *)member, number);
        fputs(number, file);
        break;
    case TITLE:
        write_title(file, member);
        break;
    case LETTERS:
        fwrite(*(const char *const *)member, 1, r->aligned.columns, file);
        break;
    case BTOP:
        write_btop(file, member);
    }
}

static void write_row(struct table *t, size_t index)
{
    const struct alignment *a = &t->list->items[index];
    const struct sequences *query = t->search->query, *database = t->search->database;
    const struct aligned_range range = aligned_query_range(query, a);
    const bool minus = a->strand == STRAND_MINUS;
    if (index == 0 || !same_subject(a, a - 1))
        cover_subject(t, index);
    struct row r = {
        .a = *a,
        .query_record = query->records[a->query_record],
        .subject_record = database->records[a->database_record],
        .query = range,
        .subject = aligned_subject_range(database, a),
        .frames = minus ? "1/-1" : "1/1",
        .query_frame = "1",
        .subject_frame = minus ? "-1" : "1",
        .strand = minus ? "minus" : "plus",
        .identity = 100.0 * (double)a->identities / (double)a->columns,
        .score = (uint64_t)scoring_reported(t->search->statistics, a->score),
        .subject_coverage = t->subject_coverage,
        .coverage =
            (uint64_t)alignment_per_cent(range.last - range.first + 1, query->records[a->query_record].bases),
    };
    if (t->needs_letters)
        r.aligned = aligned_new(t->search, t->list, a);
    const struct columns *columns = t->search->columns;
    for (size_t i = 0; i < columns->count; i++) {
        const unsigned column = columns->items[i];
        write_column(t->file, &r, kinds[column].shown, (const char *)&r + kinds[column].member);
        fputc(i + 1 < columns->count ? t->separator : '\n', t->file);
    }
    aligned_destroy(&r.aligned);
}

static void write_comments(const struct table *t, size_t record, size_t hits)
{
    fprintf(t->file, "# MERCURY %s\n# Query: ", t->search->version);
    write_title(t->file, &t->search->query->records[record]);
    fprintf(t->file, "\n# Database: %s\n", t->search->database_name);
    for (size_t i = 0; i < t->search->columns->count && hits > 0; i++)
        fprintf(t->file, "%s%s", i > 0 ? ", " : "# Fields: ", kinds[t->search->columns->items[i]].field);
    fprintf(t->file, "%s# %zu hits found\n", hits > 0 ? "\n" : "", hits);
}

/* Format 7 has comment lines before every query record's alignments; the columns of format 10 are not quoted. */
static int write_table(const struct alignment_format *format, FILE *file,
                       const struct reported_search *search, const struct alignment_list *list)
{
    struct table t = {
        .file = file, .search = search, .list = list, .separator = format == &format_csv ? ',' : '\t'};
    const bool commented = format == &format_commented;
    size_t queries = search->query->record_count, next = 0;
    t.needs_letters = columns_first_of_bases(search->columns) != NULL;
    for (size_t record = 0; record < queries && !ferror(file); record++) {
        size_t end = aligned_query_end(list, next, record);
        if (commented)
            write_comments(&t, record, end - next);
        for (; next < end && !ferror(file); next++)
            write_row(&t, next);
    }
    if (commented)
        fprintf(file, "# BLAST processed %zu queries\n", queries);
    return aligned_flush(file);
}

const struct alignment_format format_tabular = {
    .names = {"6"}, .files = FORMAT_FILES(".tsv"), .remark = "# ", .has_columns = true, .write = write_table};
const struct alignment_format format_commented = {
    .names = {"7"}, .files = FORMAT_FILES(".tsv"), .remark = "# ", .has_columns = true, .write = write_table};
const struct alignment_format format_csv = {.names = {"10", "csv"},
                                            .files = FORMAT_FILES(".csv"),
                                            .remark = "# ",
                                            .has_columns = true,
                                            .write = write_table};
