#include "app/run/run_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/draw/result_table.h"
#include "sim/board/board_fifos.h"
#include "sim/measure/machine_frame.h"
#include "sim/run/run_bottleneck.h"

/* --- passes ---------------------------------------------------------------------------------------------- */

static const char *const pass_columns[] = {
    "pass",           "strand",         "query_ranges",   "segment_begin", "segment_bases", "board",
    "begin_s",        "tables_s",       "stream_begin_s", "board_free_s",  "end_s",         "clocks",
    "words",          "seeds",          "matches",        "hsps",          "bus_busy",      "stage_1a_busy",
    "stage_1bp_busy", "stage_1bd_busy", "stage_2_busy",   "stage3_core_s", "ingress_fifo",  "wmer_fifo",
    "sram_fifo",      "stage2_fifo",    "egress_fifo",    "limit",         "build_s",       "build_wait_s"};

enum { PASS_COLUMNS = sizeof pass_columns / sizeof pass_columns[0] };

static void add_times(const struct frame *frame, const struct pass_times *times, struct result_table *table)
{
    result_table_add(table, NUMBER(times->board + 1), NUMBER(times->begin_s),
                     NUMBER(frame_seconds(frame, PCIX_TABLE_LOAD)), NUMBER(times->stream_begin_s),
                     NUMBER(times->board_free_s), NUMBER(times->end_s), NUMBER((double)frame->clocks));
}

static void add_work(const struct frame *frame, const struct run_bottleneck *found,
                     struct result_table *table)
{
    result_table_add(table, NUMBER(frame_count(frame, PCIX_WORDS_IN)), NUMBER(frame_count(frame, S1B_SEEDS)),
                     NUMBER(frame_count(frame, S2_MATCHES)), NUMBER(frame_count(frame, S2_HSPS_OUT)));
    for (unsigned i = STAGE_BUS; i < STAGE_3; i++)
        result_table_add(table, NUMBER(found->stages[i].active));
    result_table_add(table, NUMBER(frame_seconds(frame, S3_CORE_BUSY)));
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        result_table_add(table, NUMBER(fifo_measure_mean(&frame->queues[i])));
    result_table_add(table, TEXT(found->stages[found->board.limit].name),
                     NUMBER(frame_seconds(frame, S3_BUILD)), NUMBER(frame_seconds(frame, S3_BUILD_WAIT)));
}

/* Which positions of which records a segment holds, from 1, each record's in its own order: "name:first-last ...".
 * @return NULL if memory is exhausted */
static char *print_ranges(const struct sequences *query, const struct query_segment *segment)
{
    const uint64_t begin =
        segment->strand == STRAND_PLUS ? segment->begin : query->positions - segment->begin - segment->length;
    const uint64_t end = begin + segment->length;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    for (size_t i = sequences_record_at(query, begin); i < query->record_count; i++) {
        const struct sequence_record *r = &query->records[i];
        const uint64_t first = begin > r->begin ? begin - r->begin : 0;
        if (r->begin >= end)
            break;
        const uint64_t last = end - r->begin < r->bases ? end - r->begin : r->bases;
        if (first < last)
            fprintf(out, "%s%s:%" PRIu64 "-%" PRIu64, ftell(out) > 0 ? " " : "", r->name,
                    r->cut_before + first + 1, r->cut_before + last);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* @return false if memory is exhausted */
static bool add_pass(const struct run_facts *facts, const struct passes_result *result, size_t pass,
                     struct result_table *table)
{
    const struct query_segment *segment = &facts->of.segments[pass];
    const struct frame *frame = &result->passes[pass];
    struct run_bottleneck found = run_bottleneck_find(frame, &facts->of.hardware, 0, NULL, NULL);
    char *ranges = print_ranges(facts->of.query, segment);
    if (!ranges)
        return false;
    result_table_add(table, NUMBER((double)run_report_pass_number(facts, pass)),
                     TEXT(segment->strand == STRAND_PLUS ? "plus" : "minus"), TEXT(ranges),
                     NUMBER((double)segment->begin + 1), NUMBER(segment->length));
    free(ranges);
    add_times(frame, &result->pass_times[pass], table);
    add_work(frame, &found, table);
    return true;
}

int run_tables_write_passes(const struct run_facts *facts, const struct passes_result *result, FILE *out)
{
    struct result_style style = {.tsv_number = "%.12g"};
    struct result_table *table = result_table_new_styled(pass_columns, PASS_COLUMNS, &style);
    result_table_note(
        table, "%stimes since the run began; *_busy: share of the clocks; *_fifo: mean number of elements",
        facts->forecast ? "a sample of the run's passes; " : "");
    bool complete = true;
    for (size_t i = 0; i < facts->of.pass_count && complete; i++)
        complete = add_pass(facts, result, i, table);
    return result_table_end(table, RESULT_TSV, out) == 0 && complete ? 0 : -1;
}

/* --- records --------------------------------------------------------------------------------------------- */

static void write_sequences(const char *side, const struct sequences *s, FILE *out)
{
    uint64_t before = 0;
    for (size_t i = 0; i < s->record_count; i++) {
        fprintf(out, "%s\t", side);
        result_table_write_field(s->records[i].name, out);
        fprintf(out, "\t%llu\t%llu\n", (unsigned long long)sequence_record_whole(&s->records[i]),
                (unsigned long long)before);
        before += sequence_record_whole(&s->records[i]);
    }
}

int run_tables_write_records(const struct run_facts *facts, FILE *out)
{
    fputs("side\trecord\tbases\tbases_before\n", out);
    write_sequences("query", facts->of.query, out);
    write_sequences("database", facts->of.database, out);
    return ferror(out) ? -1 : 0;
}
