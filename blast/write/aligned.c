#include "blast/write/aligned.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct aligned_range aligned_query_range(const struct sequences *query, const struct alignment *a)
{
    uint64_t record_begin = query->records[a->query_record].begin;
    uint64_t begin = a->query_begin, end = a->query_end;
    if (a->strand == STRAND_MINUS) {
        begin = query->positions - a->query_end;
        end = query->positions - a->query_begin;
    }
    uint64_t cut = query->records[a->query_record].cut_before;
    return (struct aligned_range){cut + begin - record_begin + 1, cut + end - record_begin};
}

struct aligned_range aligned_subject_range(const struct sequences *database, const struct alignment *a)
{
    uint64_t record_begin = database->records[a->database_record].begin;
    struct aligned_range up = {a->database_begin - record_begin + 1, a->database_end - record_begin};
    return a->strand == STRAND_MINUS ? (struct aligned_range){up.last, up.first} : up;
}

static void lay_out(const struct gapped_run *runs, size_t run_count, const char *query, const char *subject,
                    struct aligned *out)
{
    for (size_t i = 0; i < run_count; i++)
        for (uint32_t j = 0; j < runs[i].length; j++) {
            out->query[out->columns] = '-';
            out->subject[out->columns] = '-';
            if (runs[i].step != GAPPED_DATABASE)
                out->query[out->columns] = *query++;
            if (runs[i].step != GAPPED_QUERY)
                out->subject[out->columns] = *subject++;
            out->columns++;
        }
}

char aligned_complement(char letter)
{
    const char *base = strchr(base_letters, letter);
    return base ? base_letters[base_complements[base - base_letters]] : letter;
}

static void reverse_complement(char *letters, uint64_t count)
{
    for (uint64_t i = 0; i < (count + 1) / 2; i++) {
        char first = letters[i];
        letters[i] = aligned_complement(letters[count - 1 - i]);
        letters[count - 1 - i] = aligned_complement(first);
    }
}

int aligned_new(const struct reported_search *search, const struct alignment_list *list,
                const struct alignment *a, struct aligned *out)
{
    char *query = sequences_letters(search->query, (enum strand)a->strand, a->query_begin,
                                    a->query_end - a->query_begin);
    char *subject = sequences_letters(search->database, STRAND_PLUS, a->database_begin,
                                      a->database_end - a->database_begin);
    *out = (struct aligned){.query = malloc(a->columns + 1), .subject = malloc(a->columns + 1)};
    if (query && subject && out->query && out->subject) {
        lay_out(list->runs + a->path_begin, a->path_runs, query, subject, out);
        if (a->strand == STRAND_MINUS) {
            reverse_complement(out->query, out->columns);
            reverse_complement(out->subject, out->columns);
        }
    } else {
        aligned_destroy(out);
    }
    free(query);
    free(subject);
    return out->query ? 0 : -1;
}

void aligned_destroy(struct aligned *aligned)
{
    free(aligned->query);
    free(aligned->subject);
    *aligned = (struct aligned){0};
}

size_t aligned_query_end(const struct alignment_list *list, size_t begin, size_t query_record)
{
    while (begin < list->count && list->items[begin].query_record == query_record)
        begin++;
    return begin;
}

int aligned_flush(FILE *file, int status)
{
    if (status != 0)
        return status;
    return fflush(file) != 0 || ferror(file) ? WRITE_EFILE : 0;
}

void printed_e_value(double e_value, char text[static PRINTED_SCORE_BYTES])
{
    const char *format = "%2.0f";
    if (e_value < 1e-180) {
        snprintf(text, PRINTED_SCORE_BYTES, "0.0");
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
    snprintf(text, PRINTED_SCORE_BYTES, format, e_value);
}

void printed_bits(double bits, char text[static PRINTED_SCORE_BYTES])
{
    if (bits > 99999)
        snprintf(text, PRINTED_SCORE_BYTES, "%5.3e", bits);
    else if (bits > 99.9)
        snprintf(text, PRINTED_SCORE_BYTES, "%3" PRId64, (int64_t)bits);
    else
        snprintf(text, PRINTED_SCORE_BYTES, "%4.1f", bits);
}
