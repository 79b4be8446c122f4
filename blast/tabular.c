#include "blast/tabular.h"

#include <inttypes.h>

struct range {
    uint64_t first, last; /* counted from 1 */
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

static struct range query_range(const struct sequences *query, const struct alignment *a)
{
    uint64_t record_begin = query->records[a->query_record].begin;
    uint64_t begin = a->query_begin, end = a->query_end;

    if (a->strand == STRAND_MINUS) {
        begin = query->positions - a->query_end;
        end = query->positions - a->query_begin;
    }
    return (struct range){begin - record_begin + 1, end - record_begin};
}

static struct range subject_range(const struct sequences *database, const struct alignment *a)
{
    uint64_t record_begin = database->records[a->database_record].begin;
    struct range up = {a->database_begin - record_begin + 1, a->database_end - record_begin};

    return a->strand == STRAND_MINUS ? (struct range){up.last, up.first} : up;
}

static void write_alignment(FILE *file, const struct tabular_search *search, const struct alignment *a)
{
    struct range query = query_range(search->query, a), subject = subject_range(search->database, a);
    char e_value[TABULAR_NUMBER_SIZE], bits[TABULAR_NUMBER_SIZE];

    tabular_format_e_value(a->e_value, e_value);
    tabular_format_bits(a->bits, bits);
    fprintf(file, "%s\t%s\t%.3f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
            search->query->records[a->query_record].name, search->database->records[a->database_record].name,
            100.0 * (double)a->identities / (double)a->columns, a->columns, a->mismatches, a->gap_openings);
    fprintf(file, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\n", query.first, query.last,
            subject.first, subject.last, e_value, bits);
}

static int write_status(FILE *file)
{
    return fflush(file) != 0 || ferror(file) ? TABULAR_EWRITE : 0;
}

int tabular_write(FILE *file, const struct tabular_search *search, const struct alignment_list *list)
{
    for (size_t i = 0; i < list->count && !ferror(file); i++)
        write_alignment(file, search, &list->items[i]);
    return write_status(file);
}

static void write_comments(FILE *file, const struct tabular_search *search, size_t record, size_t hits)
{
    fprintf(file, "# MERCURY %s\n# Query: %s\n# Database: %s\n", search->version,
            search->query->records[record].name, search->database_name);
    if (hits > 0)
        fputs(
            "# Fields: query acc.ver, subject acc.ver, % identity, alignment length, mismatches, gap opens, "
            "q. start, q. end, s. start, s. end, evalue, bit score\n",
            file);
    fprintf(file, "# %zu hits found\n", hits);
}

int tabular_write_commented(FILE *file, const struct tabular_search *search,
                            const struct alignment_list *list)
{
    size_t next = 0;

    for (size_t record = 0; record < search->query->record_count && !ferror(file); record++) {
        size_t end = next;

        while (end < list->count && list->items[end].query_record == record)
            end++;
        write_comments(file, search, record, end - next);
        for (; next < end; next++)
            write_alignment(file, search, &list->items[next]);
    }
    fprintf(file, "# BLAST processed %zu queries\n", search->query->record_count);
    return write_status(file);
}
