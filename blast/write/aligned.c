#include "blast/write/aligned.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file_io.h"
#include "base/memory.h"
#include "base/order.h"

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

/* @param backwards  whether the letters are in the reverse order of the runs */
static void lay_out(const struct gapped_run *runs, size_t count, bool backwards, const char *query,
                    const char *subject, struct aligned *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct gapped_run *run = &runs[backwards ? count - 1 - i : i];
        for (uint32_t j = 0; j < run->length; j++, out->columns++) {
            out->query[out->columns] = run->step == GAPPED_DATABASE ? '-' : *query++;
            out->subject[out->columns] = run->step == GAPPED_QUERY ? '-' : *subject++;
        }
    }
}

char aligned_complement(char letter)
{
    const char *base = strchr(base_letters, letter);
    return base ? base_letters[base_complements[base - base_letters]] : letter;
}

struct aligned aligned_new(const struct reported_search *search, const struct alignment_list *list,
                           const struct alignment *a)
{
    const struct sequences *q = search->query, *d = search->database;
    const bool minus = a->strand == STRAND_MINUS;
    auto_free char *query = sequences_letters(
        q, STRAND_PLUS, minus ? q->positions - a->query_end : a->query_begin, a->query_end - a->query_begin);
    auto_free char *subject = sequences_letters(d, (enum strand)a->strand,
                                                minus ? d->positions - a->database_end : a->database_begin,
                                                a->database_end - a->database_begin);
    struct aligned aligned = {.query = memory_take(a->columns), .subject = memory_take(a->columns)};
    lay_out(list->runs + a->path_begin, a->path_runs, minus, query, subject, &aligned);
    return aligned;
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

static int compare_stretches(const void *left, const void *right)
{
    const struct stretch *a = left, *b = right;
    return ORDER_BY({a->begin, b->begin});
}

uint64_t stretches_length(struct stretch *stretches, size_t count)
{
    int64_t sum = 0, end = INT64_MIN;
    if (count > 1)
        qsort(stretches, count, sizeof *stretches, compare_stretches);
    for (size_t i = 0; i < count; i++) {
        int64_t begin = stretches[i].begin > end ? stretches[i].begin : end;
        if (stretches[i].end > begin) {
            sum += stretches[i].end - begin;
            end = stretches[i].end;
        }
    }
    return (uint64_t)sum;
}

int aligned_flush(FILE *file)
{
    return file_io_flush(file) ? 0 : WRITE_EFILE;
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
