/* tabular.c - alignments as BLAST's tables, output formats 6, 7 and 10.
 *
 * Models    columns separated by tabs (columns.h); numbers in BLASTN's formats. Positions count from 1 within the
 *           record. For an alignment of the query's minus strand the query range ascends on the plus strand and the
 *           subject range descends.
 * Coverage  qcovs is the share of the query's bases that lie in any of the list's alignments with the subject.
 * Memory    two bytes per column of the alignment being written, if columns show letters.
 * Source    BLAST+ 2.12 output.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "blast/write/columns.h"
#include "blast/write/format.h"

/* A list that is being written. */
struct table {
    FILE *file;
    const struct reported_search *search;
    const struct alignment_list *list;
    bool needs_letters, needs_coverage;
    int subject_coverage; /* per cent of the query that the subject being written covers */
    char separator;       /* of columns */
};

/* An alignment being written. */
struct row {
    const struct alignment *a;
    const struct sequence_record *query_record, *subject_record;
    struct aligned_range query, subject;
    struct aligned aligned; /* if letters are needed */
};

/* --- coverage -------------------------------------------------------------------------------------------- */

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

static bool same_subject(const struct alignment *a, const struct alignment *b)
{
    return a->query_record == b->query_record && a->database_record == b->database_record;
}

/* Set the coverage of the subject whose alignments, which are neighbours, begin at an index. */
static int cover_subject(struct table *t, size_t begin)
{
    const struct alignment *items = t->list->items;
    const struct sequences *query = t->search->query;
    size_t end = begin;
    while (end < t->list->count && same_subject(&items[end], &items[begin]))
        end++;
    struct aligned_range *ranges = malloc((end - begin) * sizeof *ranges);
    if (!ranges)
        return WRITE_EMEMORY;
    for (size_t i = begin; i < end; i++)
        ranges[i - begin] = aligned_query_range(query, &items[i]);
    t->subject_coverage = alignment_per_cent(union_length(ranges, end - begin),
                                             query->records[items[begin].query_record].bases);
    free(ranges);
    return 0;
}

/* --- columns --------------------------------------------------------------------------------------------- */

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

/* What stands in the columns that are a name or a fixed text, and the whole number of the others. */
static void write_plain(const struct table *t, const struct row *r, enum column column)
{
    const bool backwards = r->a->strand == STRAND_MINUS;
    const char *query = r->query_record->name, *subject = r->subject_record->name;
    const char *const texts[COLUMN_KINDS] = {
        [COLUMN_QSEQID] = query,
        [COLUMN_QACC] = query,
        [COLUMN_QACCVER] = query,
        [COLUMN_SSEQID] = subject,
        [COLUMN_SALLSEQID] = subject,
        [COLUMN_SACC] = subject,
        [COLUMN_SACCVER] = subject,
        [COLUMN_SALLACC] = subject,
        [COLUMN_FRAMES] = backwards ? "1/-1" : "1/1",
        [COLUMN_QFRAME] = "1",
        [COLUMN_SFRAME] = backwards ? "-1" : "1",
        [COLUMN_SSTRAND] = backwards ? "minus" : "plus",
    };
    const uint64_t numbers[COLUMN_KINDS] = {
        [COLUMN_QLEN] = r->query_record->bases,
        [COLUMN_SLEN] = r->subject_record->bases,
        [COLUMN_QSTART] = r->query.first,
        [COLUMN_QEND] = r->query.last,
        [COLUMN_SSTART] = r->subject.first,
        [COLUMN_SEND] = r->subject.last,
        [COLUMN_SCORE] = (uint64_t)scoring_reported(t->search->statistics, r->a->score),
        [COLUMN_LENGTH] = r->a->columns,
        [COLUMN_NIDENT] = r->a->identities,
        [COLUMN_POSITIVE] = r->a->identities,
        [COLUMN_MISMATCH] = r->a->mismatches,
        [COLUMN_GAPOPEN] = r->a->gap_openings,
        [COLUMN_GAPS] = r->a->gaps,
        [COLUMN_QCOVS] = (uint64_t)t->subject_coverage,
        [COLUMN_QCOVHSP] =
            (uint64_t)alignment_per_cent(r->query.last - r->query.first + 1, r->query_record->bases),
    };
    if (texts[column])
        fputs(texts[column], t->file);
    else
        fprintf(t->file, "%" PRIu64, numbers[column]);
}

static void write_column(const struct table *t, const struct row *r, enum column column)
{
    char number[PRINTED_SCORE_BYTES];
    double identity = 100.0 * (double)r->a->identities / (double)r->a->columns;
    switch (column) {
    case COLUMN_QSEQ:
        fwrite(r->aligned.query, 1, r->aligned.columns, t->file);
        break;
    case COLUMN_SSEQ:
        fwrite(r->aligned.subject, 1, r->aligned.columns, t->file);
        break;
    case COLUMN_EVALUE:
        printed_e_value(r->a->e_value, number);
        fputs(number, t->file);
        break;
    case COLUMN_BITSCORE:
        printed_bits(r->a->bits, number);
        fputs(number, t->file);
        break;
    case COLUMN_PIDENT:
        fprintf(t->file, "%.3f", identity);
        break;
    case COLUMN_PPOS:
        fprintf(t->file, "%.2f", identity);
        break;
    case COLUMN_BTOP:
        write_btop(t->file, &r->aligned);
        break;
    case COLUMN_STITLE:
    case COLUMN_SALLTITLES:
        write_title(t->file, r->subject_record);
        break;
    default:
        write_plain(t, r, column);
    }
}

/* --- rows ------------------------------------------------------------------------------------------------ */

static void write_columns(const struct table *t, const struct row *r)
{
    for (size_t i = 0; i < t->search->columns->count; i++) {
        if (i > 0)
            fputc(t->separator, t->file);
        write_column(t, r, t->search->columns->items[i]);
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
        return WRITE_EMEMORY;
    if (t->needs_letters && aligned_new(t->search, t->list, a, &r.aligned) != 0)
        return WRITE_EMEMORY;
    write_columns(t, &r);
    if (t->needs_letters)
        aligned_destroy(&r.aligned);
    return ferror(t->file) ? WRITE_EFILE : 0;
}

static void write_comments(const struct table *t, size_t record, size_t hits)
{
    fprintf(t->file, "# MERCURY %s\n# Query: ", t->search->version);
    write_title(t->file, &t->search->query->records[record]);
    fprintf(t->file, "\n# Database: %s\n", t->search->database_name);
    if (hits > 0) {
        fputs("# Fields: ", t->file);
        for (size_t i = 0; i < t->search->columns->count; i++)
            fprintf(t->file, "%s%s", i > 0 ? ", " : "", column_field(t->search->columns->items[i]));
        fputc('\n', t->file);
    }
    fprintf(t->file, "# %zu hits found\n", hits);
}

static int write_table(struct table *t, bool commented)
{
    size_t queries = t->search->query->record_count, next = 0;
    int status = 0;
    t->needs_letters = columns_first_of_bases(t->search->columns) != NULL;
    t->needs_coverage = columns_contain(t->search->columns, COLUMN_QCOVS);
    for (size_t record = 0; record < queries && status == 0; record++) {
        size_t end = aligned_query_end(t->list, next, record);
        if (commented)
            write_comments(t, record, end - next);
        for (; next < end && status == 0; next++)
            status = write_row(t, next);
    }
    if (commented)
        fprintf(t->file, "# BLAST processed %zu queries\n", queries);
    return aligned_flush(t->file, status);
}

/* Without comments: format 6. */
static int write_tabular(FILE *file, const struct reported_search *search, const struct alignment_list *list)
{
    return write_table(&(struct table){file, search, list, .separator = '\t'}, false);
}

/* With comment lines before every query record's alignments: format 7. */
static int write_commented(FILE *file, const struct reported_search *search,
                           const struct alignment_list *list)
{
    return write_table(&(struct table){file, search, list, .separator = '\t'}, true);
}

/* With commas between the columns, which are not quoted: format 10. */
static int write_csv(FILE *file, const struct reported_search *search, const struct alignment_list *list)
{
    return write_table(&(struct table){file, search, list, .separator = ','}, false);
}

const struct alignment_format format_tabular = {.names = {"6"},
                                                .files = FORMAT_FILES(".tsv"),
                                                .remark = "# ",
                                                .has_columns = true,
                                                .write = write_tabular};
const struct alignment_format format_commented = {.names = {"7"},
                                                  .files = FORMAT_FILES(".tsv"),
                                                  .remark = "# ",
                                                  .has_columns = true,
                                                  .write = write_commented};
const struct alignment_format format_csv = {.names = {"10", "csv"},
                                            .files = FORMAT_FILES(".csv"),
                                            .remark = "# ",
                                            .has_columns = true,
                                            .write = write_csv};
