#include "blast/write/tabular.h"

#include <inttypes.h>
#include <stdlib.h>

/* A list on its way to a file. */
struct table {
    FILE *file;
    const struct reported_search *search;
    const struct columns *columns;
    const struct alignment_list *list;
    int needs_letters, needs_coverage;
    int subject_coverage; /* per cent of the query, of the subject being written */
};

/* An alignment being written. */
struct row {
    const struct alignment *a;
    const struct sequence_record *query_record, *subject_record;
    struct aligned_range query, subject;
    struct aligned aligned; /* if letters are needed */
};

void tabular_format_e_value(double e_value, char text[static TABULAR_NUMBER_SIZE])
{
    const char *format = "%2.0f";

    if (e_value < 1e-180) {
        snprintf(text, TABULAR_NUMBER_SIZE, "0.0");
        return;
    }
    if (e_value < 0.0009)
        format = "%3.2e";
    else if (e_value < 0.1)
        format = "%4.3f";
    else if (e_value < 1.0)
        format = "%3.2f";
    else if (e_value < 10.0)
        format = "%2.1f";
    snprintf(text, TABULAR_NUMBER_SIZE, format, e_value);
}

void tabular_format_bits(double bits, char text[static TABULAR_NUMBER_SIZE])
{
    if (bits > 99999)
        snprintf(text, TABULAR_NUMBER_SIZE, "%5.3e", bits);
    else if (bits > 99.9)
        snprintf(text, TABULAR_NUMBER_SIZE, "%3" PRId64, (int64_t)bits);
    else
        snprintf(text, TABULAR_NUMBER_SIZE, "%4.1f", bits);
}

static struct table table_of(FILE *file, const struct reported_search *search, const struct columns *columns,
                             const struct alignment_list *list)
{
    return (struct table){
        .file = file,
        .search = search,
        .columns = columns,
        .list = list,
        .needs_letters = columns_contain(columns, COLUMN_QSEQ) || columns_contain(columns, COLUMN_SSEQ) ||
                         columns_contain(columns, COLUMN_BTOP),
        .needs_coverage = columns_contain(columns, COLUMN_QCOVS),
    };
}

/* --- coverage -------------------------------------------------------------------------------------------- */

/* Rounded to the nearest, but from 99 on down. */
static int coverage_per_cent(uint64_t covered, uint64_t bases)
{
    double per_cent = 100.0 * (double)covered / (double)bases;

    return (int)(per_cent < 99 ? per_cent + 0.5 : per_cent);
}

static int compare_ranges(const void *left, const void *right)
{
    const struct aligned_range *a = left, *b = right;

    return (a->first > b->first) - (a->first < b->first);
}

static uint64_t union_length(struct aligned_range *ranges, size_t count)
{
    uint64_t sum = 0, reached = 0;

    qsort(ranges, count, sizeof *ranges, compare_ranges);
    for (size_t i = 0; i < count; i++) {
        uint64_t from = ranges[i].first > reached ? ranges[i].first : reached + 1;

        if (ranges[i].last >= from) {
            sum += ranges[i].last - from + 1;
            reached = ranges[i].last;
        }
    }
    return sum;
}

static int same_subject(const struct alignment *a, const struct alignment *b)
{
    return a->query_record == b->query_record && a->database_record == b->database_record;
}

/* Of the subject whose alignments begin at an index; they stand together. */
static int cover_subject(struct table *t, size_t begin)
{
    const struct alignment *items = t->list->items;
    const struct sequences *query = t->search->query;
    struct aligned_range *ranges;
    size_t end = begin;

    while (end < t->list->count && same_subject(&items[end], &items[begin]))
        end++;
    ranges = malloc((end - begin) * sizeof *ranges);
    if (ranges == NULL)
        return TABULAR_EMEMORY;
    for (size_t i = begin; i < end; i++)
        ranges[i - begin] = aligned_query_range(query, &items[i]);
    t->subject_coverage =
        coverage_per_cent(union_length(ranges, end - begin), query->records[items[begin].query_record].bases);
    free(ranges);
    return 0;
}

/* --- columns --------------------------------------------------------------------------------------------- */

static void write_title(FILE *file, const struct sequence_record *record)
{
    fputs(record->name, file);
    if (record->title != NULL)
        fprintf(file, " %s", record->title);
}

/* Numbers of equal pairs, and the two letters of every other column, the query's first. */
static void write_btop(FILE *file, const struct aligned *aligned)
{
    uint64_t equal = 0;

    for (uint64_t i = 0; i < aligned->columns; i++) {
        if (aligned_is_match(aligned, i)) {
            equal++;
            continue;
        }
        if (equal > 0)
            fprintf(file, "%" PRIu64, equal);
        fputc(aligned->query[i], file);
        fputc(aligned->subject[i], file);
        equal = 0;
    }
    if (equal > 0)
        fprintf(file, "%" PRIu64, equal);
}

static void write_letters(FILE *file, const char *letters, uint64_t count)
{
    fwrite(letters, 1, count, file);
}

static void write_per_cent(FILE *file, const struct alignment *a, int decimals)
{
    fprintf(file, "%.*f", decimals, 100.0 * (double)a->identities / (double)a->columns);
}

static void write_e_value(FILE *file, double e_value)
{
    char text[TABULAR_NUMBER_SIZE];

    tabular_format_e_value(e_value, text);
    fputs(text, file);
}

static void write_bits(FILE *file, double bits)
{
    char text[TABULAR_NUMBER_SIZE];

    tabular_format_bits(bits, text);
    fputs(text, file);
}

/* Of columns that are a fixed text or a name; NULL for others. */
static const char *column_text(const struct row *r, enum column column)
{
    int backwards = r->a->strand == STRAND_MINUS;

    switch (column) {
    case COLUMN_QSEQID:
    case COLUMN_QACC:
    case COLUMN_QACCVER:
        return r->query_record->name;
    case COLUMN_SSEQID:
    case COLUMN_SALLSEQID:
    case COLUMN_SACC:
    case COLUMN_SACCVER:
    case COLUMN_SALLACC:
        return r->subject_record->name;
    case COLUMN_FRAMES:
        return backwards ? "1/-1" : "1/1";
    case COLUMN_QFRAME:
        return "1";
    case COLUMN_SFRAME:
        return backwards ? "-1" : "1";
    case COLUMN_SSTRAND:
        return backwards ? "minus" : "plus";
    default:
        return NULL;
    }
}

/* Of columns that are a whole number; 0 for others. */
static uint64_t column_number(const struct table *t, const struct row *r, enum column column)
{
    switch (column) {
    case COLUMN_QLEN:
        return r->query_record->bases;
    case COLUMN_SLEN:
        return r->subject_record->bases;
    case COLUMN_QSTART:
        return r->query.first;
    case COLUMN_QEND:
        return r->query.last;
    case COLUMN_SSTART:
        return r->subject.first;
    case COLUMN_SEND:
        return r->subject.last;
    case COLUMN_SCORE:
        return (uint64_t)scoring_reported(t->search->statistics, r->a->score);
    case COLUMN_LENGTH:
        return r->a->columns;
    case COLUMN_NIDENT:
    case COLUMN_POSITIVE:
        return r->a->identities;
    case COLUMN_MISMATCH:
        return r->a->mismatches;
    case COLUMN_GAPOPEN:
        return r->a->gap_openings;
    case COLUMN_GAPS:
        return r->a->gaps;
    case COLUMN_QCOVS:
        return (uint64_t)t->subject_coverage;
    case COLUMN_QCOVHSP:
        return (uint64_t)coverage_per_cent(r->query.last - r->query.first + 1, r->query_record->bases);
    default:
        return 0;
    }
}

static void write_column(const struct table *t, const struct row *r, enum column column)
{
    const char *text = column_text(r, column);

    switch (column) {
    case COLUMN_QSEQ:
        write_letters(t->file, r->aligned.query, r->aligned.columns);
        break;
    case COLUMN_SSEQ:
        write_letters(t->file, r->aligned.subject, r->aligned.columns);
        break;
    case COLUMN_EVALUE:
        write_e_value(t->file, r->a->e_value);
        break;
    case COLUMN_BITSCORE:
        write_bits(t->file, r->a->bits);
        break;
    case COLUMN_PIDENT:
        write_per_cent(t->file, r->a, 3);
        break;
    case COLUMN_PPOS:
        write_per_cent(t->file, r->a, 2);
        break;
    case COLUMN_BTOP:
        write_btop(t->file, &r->aligned);
        break;
    case COLUMN_STITLE:
    case COLUMN_SALLTITLES:
        write_title(t->file, r->subject_record);
        break;
    default:
        if (text != NULL)
            fputs(text, t->file);
        else
            fprintf(t->file, "%" PRIu64, column_number(t, r, column));
    }
}

/* --- rows ------------------------------------------------------------------------------------------------ */

static void write_columns(const struct table *t, const struct row *r)
{
    for (size_t i = 0; i < t->columns->count; i++) {
        if (i > 0)
            fputc('\t', t->file);
        write_column(t, r, t->columns->items[i]);
    }
    fputc('\n', t->file);
}

static int write_row(struct table *t, size_t index)
{
    const struct alignment *a = &t->list->items[index];
    struct row r = {
        .a = a,
        .query_record = &t->search->query->records[a->query_record],
        .subject_record = &t->search->database->records[a->database_record],
        .query = aligned_query_range(t->search->query, a),
        .subject = aligned_subject_range(t->search->database, a),
    };

    if (t->needs_coverage && (index == 0 || !same_subject(a, a - 1)) && cover_subject(t, index) != 0)
        return TABULAR_EMEMORY;
    if (t->needs_letters && aligned_create(t->search, t->list, a, &r.aligned) != 0)
        return TABULAR_EMEMORY;
    write_columns(t, &r);
    if (t->needs_letters)
        aligned_destroy(&r.aligned);
    return ferror(t->file) ? TABULAR_EWRITE : 0;
}

static int finish(FILE *file, int status)
{
    if (status != 0)
        return status;
    return fflush(file) != 0 || ferror(file) ? TABULAR_EWRITE : 0;
}

int tabular_write(FILE *file, const struct reported_search *search, const struct columns *columns,
                  const struct alignment_list *list)
{
    struct table t = table_of(file, search, columns, list);
    int status = 0;

    for (size_t i = 0; i < list->count && status == 0; i++)
        status = write_row(&t, i);
    return finish(file, status);
}

static void write_comments(const struct table *t, size_t record, size_t hits)
{
    fprintf(t->file, "# MERCURY %s\n# Query: ", t->search->version);
    write_title(t->file, &t->search->query->records[record]);
    fprintf(t->file, "\n# Database: %s\n", t->search->database_name);
    if (hits > 0) {
        fputs("# Fields: ", t->file);
        for (size_t i = 0; i < t->columns->count; i++)
            fprintf(t->file, "%s%s", i > 0 ? ", " : "", column_field(t->columns->items[i]));
        fputc('\n', t->file);
    }
    fprintf(t->file, "# %zu hits found\n", hits);
}

int tabular_write_commented(FILE *file, const struct reported_search *search, const struct columns *columns,
                            const struct alignment_list *list)
{
    struct table t = table_of(file, search, columns, list);
    size_t next = 0;
    int status = 0;

    for (size_t record = 0; record < search->query->record_count && status == 0; record++) {
        size_t end = next;

        while (end < list->count && list->items[end].query_record == record)
            end++;
        write_comments(&t, record, end - next);
        for (; next < end && status == 0; next++)
            status = write_row(&t, next);
    }
    fprintf(file, "# BLAST processed %zu queries\n", search->query->record_count);
    return finish(file, status);
}
