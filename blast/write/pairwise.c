/* pairwise.c - alignments as text for people, as BLAST's output format 0 shows them.
 *
 * Models    for every query record a list of its subjects with their best scores, then every alignment: scores,
 *           identities, gaps, strands, and rows of 60 columns with positions of their first and last bases. The blocks
 *           of an alignment are blastn's to the letter. Masked bases of the query are in lower case.
 * Memory    a few bytes per column of the alignment being written.
 * Source    BLAST+ 2.12 output.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/printable.h"
#include "base/memory.h"
#include "blast/write/format.h"

enum { ROW_COLUMNS = 60, TITLE_COLUMNS = 60, SUMMARY_COLUMNS = 67 };

/* A list that is being written. */
struct report {
    FILE *file;
    const struct reported_search *search;
    const struct alignment_list *list;
};

/* One of the two lines of a row. */
struct line {
    const char *name;    /* Query or Sbjct */
    const char *letters; /* of the whole alignment */
    uint64_t next;       /* position of the next base */
    int step;            /* 1, or -1 if positions descend */
    int width;           /* letters per position */
};

/* --- titles ---------------------------------------------------------------------------------------------- */

static void write_summary_title(FILE *file, const struct sequence_record *r)
{
    char text[SUMMARY_COLUMNS + 1];
    int length =
        snprintf(text, sizeof text, "%s%s%s", r->name, r->title ? " " : "", r->title ? r->title : "");
    if (length > SUMMARY_COLUMNS)
        strcpy(text + printable_fit(text, SUMMARY_COLUMNS - 3), "...");
    fprintf(file, "%-*s", SUMMARY_COLUMNS + 3, text);
}

/* Write the words of a text. A word that would begin after the 60th letter begins a new line. */
static void write_words(FILE *file, const char *text, size_t *column)
{
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t length = strcspn(text, " ");
        if (*column >= TITLE_COLUMNS) {
            fputc('\n', file);
            *column = 0;
        } else if (*column > 0) {
            fputc(' ', file);
        }
        fwrite(text, 1, length, file);
        *column += length + 1;
        text += length;
    }
}

static void write_title(FILE *file, const struct sequence_record *r)
{
    size_t column = 0;
    write_words(file, r->name, &column);
    if (r->title)
        write_words(file, r->title, &column);
    fputc('\n', file);
}

/* --- an alignment ---------------------------------------------------------------------------------------- */

/* Format an E-value as GetScoreString does outside of tables. */
static void format_expect(double e_value, char text[static PRINTED_SCORE_BYTES])
{
    if (e_value >= 1e-180 && e_value < 0.0009)
        snprintf(text, PRINTED_SCORE_BYTES, "%.0e", e_value);
    else
        printed_e_value(e_value, text);
}

static void write_scores(const struct report *r, const struct alignment *a)
{
    char bits[PRINTED_SCORE_BYTES], expect[PRINTED_SCORE_BYTES];
    printed_bits(a->bits, bits);
    format_expect(a->e_value, expect);
    fprintf(r->file, " Score = %s bits (%d),  Expect = %s\n", bits,
            scoring_reported(r->search->statistics, a->score), expect);
    fprintf(r->file, " Identities = %" PRIu64 "/%" PRIu64 " (%d%%), Gaps = %" PRIu64 "/%" PRIu64 " (%d%%)\n",
            a->identities, a->columns, alignment_per_cent(a->identities, a->columns), a->gaps, a->columns,
            alignment_per_cent(a->gaps, a->columns));
    fprintf(r->file, " Strand=Plus/%s\n\n", a->strand == STRAND_MINUS ? "Minus" : "Plus");
}

static void write_line(FILE *file, struct line *line, uint64_t begin, int columns)
{
    uint64_t first = line->next, last = line->next, bases = 0;
    for (int i = 0; i < columns; i++)
        bases += line->letters[begin + (uint64_t)i] != '-';
    if (bases > 0) {
        last = first + (uint64_t)line->step * (bases - 1);
        line->next = last + (uint64_t)line->step;
    }
    fprintf(file, "%s  %-*" PRIu64 "  %.*s  %" PRIu64 "\n", line->name, line->width, first, columns,
            line->letters + begin, last);
}

/* @param query  the letters of the query, masked ones in lower case */
static void write_rows(const struct report *r, const struct alignment *a, const struct aligned *aligned,
                       const char *query)
{
    struct aligned_range q = aligned_query_range(r->search->query, a);
    struct aligned_range s = aligned_subject_range(r->search->database, a);
    int width = snprintf(NULL, 0, "%" PRIu64, MAX(q.last, MAX(s.first, s.last)));
    struct line upper = {"Query", query, q.first, 1, width};
    struct line lower = {"Sbjct", aligned->subject, s.first, s.first <= s.last ? 1 : -1, width};
    for (uint64_t begin = 0; begin < aligned->columns; begin += ROW_COLUMNS) {
        uint64_t left = aligned->columns - begin;
        int columns = left < ROW_COLUMNS ? (int)left : ROW_COLUMNS;
        write_line(r->file, &upper, begin, columns);
        fprintf(r->file, "%*s", 9 + width, "");
        for (int i = 0; i < columns; i++)
            fputc(aligned_is_match(aligned, begin + (uint64_t)i) ? '|' : ' ', r->file);
        fputc('\n', r->file);
        write_line(r->file, &lower, begin, columns);
        fputc('\n', r->file);
    }
}

/* The query's letters with masked bases in lower case, for free(). */
static char *shown_query(const struct sequences *query, const struct alignment *a,
                         const struct aligned *aligned)
{
    struct aligned_range range = aligned_query_range(query, a);
    const struct sequence_record *record = &query->records[a->query_record];
    uint64_t begin = record->begin + range.first - 1 - record->cut_before, base = 0;
    uint64_t bases = range.last - range.first + 1;
    char *letters = memory_take(aligned->columns);
    auto_free uint8_t *masked = memory_new(bases, 1);
    mask_overwrite(&query->masked, begin, begin + bases, false, 1, masked);
    for (uint64_t i = 0; i < aligned->columns; i++) {
        char letter = aligned->query[i];
        letters[i] = letter != '-' && masked[base++] ? (char)tolower(letter) : letter;
    }
    return letters;
}

static void write_alignment(const struct report *r, const struct alignment *a)
{
    auto_by(aligned_destroy) struct aligned aligned = aligned_new(r->search, r->list, a);
    auto_free char *query = shown_query(r->search->query, a, &aligned);
    write_scores(r, a);
    write_rows(r, a, &aligned, query);
    fputc('\n', r->file);
}

/* --- a query --------------------------------------------------------------------------------------------- */

static bool begins_subject(const struct alignment_list *list, size_t begin, size_t i)
{
    return i == begin || list->items[i].database_record != list->items[i - 1].database_record;
}

static const struct sequence_record *subject_of(const struct report *r, size_t i)
{
    return &r->search->database->records[r->list->items[i].database_record];
}

static void write_summary(const struct report *r, size_t begin, size_t end)
{
    fprintf(r->file, "%-*sScore     E\n%-*s(Bits)  Value\n\n", SUMMARY_COLUMNS + 3, "", SUMMARY_COLUMNS + 2,
            "Sequences producing significant alignments:");
    for (size_t i = begin; i < end; i++) {
        char bits[PRINTED_SCORE_BYTES], expect[PRINTED_SCORE_BYTES];
        if (!begins_subject(r->list, begin, i))
            continue;
        printed_bits(r->list->items[i].bits, bits);
        format_expect(r->list->items[i].e_value, expect);
        write_summary_title(r->file, subject_of(r, i));
        fprintf(r->file, "%-6s  %s\n", bits, expect);
    }
    fputc('\n', r->file);
}

static void write_alignments(const struct report *r, size_t begin, size_t end)
{
    for (size_t i = begin; i < end && !ferror(r->file); i++) {
        if (begins_subject(r->list, begin, i)) {
            fputs("\n>", r->file);
            write_title(r->file, subject_of(r, i));
            fprintf(r->file, "Length=%" PRIu64 "\n\n", subject_of(r, i)->bases);
        }
        write_alignment(r, &r->list->items[i]);
    }
}

/* Lambda is written per whole score. */
static void write_statistics(const struct report *r, const struct sequence_record *query)
{
    const struct scoring_statistics *t = r->search->statistics;
    const struct sequences *d = r->search->database;
    const struct karlin *sets[2] = {&t->ungapped, &t->gapped};
    for (int i = 0; i < 2; i++)
        fprintf(r->file, "\n%sLambda      K        H\n %#8.3g %#8.3g %#8.3g\n", i == 0 ? "" : "Gapped\n",
                sets[i]->lambda * t->units, sets[i]->k, sets[i]->h);
    fprintf(r->file, "\nEffective search space used: %.0f\n\n",
            scoring_search_space(t, query->bases, d->bases, d->record_count));
}

static void write_query(const struct report *r, size_t record, size_t begin, size_t end)
{
    const struct sequence_record *query = &r->search->query->records[record];
    fputs("\nQuery= ", r->file);
    write_title(r->file, query);
    fprintf(r->file, "\nLength=%" PRIu64 "\n", query->bases);
    if (begin == end) {
        fputs("\n\n***** No hits found *****\n\n", r->file);
    } else {
        write_summary(r, begin, end);
        write_alignments(r, begin, end);
    }
    write_statistics(r, query);
}

/* --- the report ------------------------------------------------------------------------------------------ */

static int write_pairwise(const struct alignment_format *format, FILE *file,
                          const struct reported_search *search, const struct alignment_list *list)
{
    (void)format;
    struct report r = {.file = file, .search = search, .list = list};
    size_t next = 0;
    const struct sequences *d = search->database;
    fprintf(file, "MERCURY %s\n\n", search->version);
    fprintf(file, "Database: %s\n           %zu sequence%s; %" PRIu64 " letters\n\n", search->database_name,
            d->record_count, d->record_count == 1 ? "" : "s", d->bases);
    for (size_t record = 0; record < search->query->record_count && !ferror(file); record++) {
        size_t begin = next;
        next = aligned_query_end(list, begin, record);
        write_query(&r, record, begin, next);
    }
    const struct scoring_statistics *t = search->statistics; /* linear gaps cost something per column only */
    fprintf(file, "\nMatch %d, mismatch %d, gap %d + %g a column\n", t->scoring.match / t->units,
            t->scoring.mismatch / t->units, t->scoring.gap_open / t->units,
            (double)t->scoring.gap_extend / t->units);
    return aligned_flush(file);
}

const struct alignment_format format_pairwise = {.names = {"0", "pairwise"},
                                                 .files = FORMAT_FILES(".txt"),
                                                 .remark = "",
                                                 .shows = "pairwise text",
                                                 .write = write_pairwise};
