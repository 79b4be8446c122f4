#include "sim/pass/pass_simulation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/array.h"
#include "base/file/file_io.h"
#include "base/file/scratch_file.h"
#include "base/process/child_words.h"
#include "base/progress.h"
#include "blast/stage3/stage3.h"
#include "blast/stages12/pass.h"
#include "sim/simgrid/simgrid_module.h"
#include "sim/tokens/scan_ahead.h"

/* Stages 1a to 2 compute, and stage 3, or what stage 3 did is read from a record. */
struct stages {
    struct pass *pass;
    struct scan_ahead *scan;
    struct stage3 *stage3; /* NULL: `recorded` has its work */
    struct stage_source recorded;
    struct token_reader reader;
    uint64_t hsps;          /* number of those that stage 2 has passed */
    uint64_t segment_begin; /* in the strand */
    atomic_ullong *crowd;
    bool in_block; /* the words that were scanned last have not been all of their block */
};

/* Count the matches of a block of which only the first words have been scanned. */
static void tell_of_crowd(struct stages *s, uint64_t first, uint64_t count)
{
    struct pass_scanner *scanner = pass_scanner_new(s->pass);
    uint64_t matches = pass_scanner_count_matches(scanner, first, count);
    if (matches >= PASS_CROWD) {
        atomic_store(s->crowd, matches);
        s->crowd = NULL;
    }
    pass_scanner_destroy(scanner);
}

static uint64_t scan(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                     struct pass_counts *counts)
{
    struct stages *s = data;
    uint64_t words = scan_ahead_take(s->scan, first, count, tokens, counts);
    if (s->crowd && words < count && !s->in_block && atomic_load(s->crowd) == 0)
        tell_of_crowd(s, first, count);
    s->in_block = words < count;
    s->hsps += tokens->hsp_count;
    return words;
}

static bool extend(void *data, const struct hsp *hsps, size_t count, struct stage3_work *work)
{
    struct stages *s = data;
    stage3_extend_all(s->stage3, hsps, count, s->segment_begin, work);
    return true;
}

static bool finish(void *data, uint64_t *cells)
{
    struct stages *s = data;
    stage3_flush(s->stage3, cells);
    return true;
}

int pass_check_room(const struct hardware *hardware, uint64_t table_bytes, struct why *why)
{
    const uint64_t bytes = table_bytes - bloom_bytes(&hardware->pass.bloom);
    if (hardware->overlap != OVERLAP_TABLES || 2 * bytes <= hardware->sram_bytes)
        return 0;
    return why_say(why, PASS_EROOM,
                   "schedule.overlap = tables: a segment's tables take %" PRIu64
                   " bytes, and sram.bytes = %" PRIu64 " has no room for two of them",
                   bytes, hardware->sram_bytes);
}

uint64_t pass_table_bytes(const struct hardware *hardware, const struct sequences *query,
                          const struct query_segment *segment)
{
    return pass_find_load(&hardware->pass, query, segment).bytes + bloom_bytes(&hardware->pass.bloom);
}

/* Build Bloom filter and tables. */
static struct scan_ahead *load_tables(const struct pass_simulation *p, struct pass **pass,
                                      struct pass_result *result)
{
    double begin_s = progress_wall_s();
    *pass = pass_new(&p->hardware->pass, p->query, &p->segment, p->database, p->index);
    result->wall_tables_s = progress_wall_s() - begin_s;
    return scan_ahead_new(*pass, p->database->word_count, p->threads);
}

static void make_stages(const struct pass_simulation *p, struct stages *s, struct pass_result *result)
{
    struct stage3_pass stage3 = {
        .query = p->query_codes,
        .query_records = p->query,
        .strand = p->segment.strand,
        .database = p->database,
        .statistics = p->statistics,
        .least = p->least,
    };
    stage3_pass_bound(&stage3, &p->segment);
    s->segment_begin = p->segment.begin;
    s->crowd = p->crowd;
    s->scan = load_tables(p, &s->pass, result);
    s->stage3 = stage3_new(&stage3, &result->alignments);
}

static bool extend_as_recorded(void *data, const struct hsp *hsps, size_t count, struct stage3_work *work)
{
    struct stages *s = data;
    return s->recorded.extend(s->recorded.data, hsps, count, work);
}

static bool finish_as_recorded(void *data, uint64_t *cells)
{
    struct stages *s = data;
    return s->recorded.finish(s->recorded.data, cells);
}

/* --- the board by events ------------------------------------------------------------------------------------ */

static void copy(void *to, const void *from, size_t count, size_t bytes)
{
    if (count > 0)
        memcpy(to, from, count * bytes);
}

static void copy_tokens(struct tokens *to, const struct tokens *from)
{
    *to = (struct tokens){0};
    tokens_reserve(to, from->word_count, from->seed_count, from->group_count, from->match_count);
    copy(to->words, from->words, from->word_count, sizeof *to->words);
    copy(to->seeds, from->seeds, from->seed_count, sizeof *to->seeds);
    copy(to->groups, from->groups, from->group_count, sizeof *to->groups);
    copy(to->matches, from->matches, from->match_count, sizeof *to->matches);
    to->word_count = from->word_count;
    to->seed_count = from->seed_count;
    to->group_count = from->group_count;
    to->match_count = from->match_count;
}

void event_log_block(void *data, const struct tokens *tokens, const struct bus_share *share)
{
    struct event_log *log = data;
    array_reserve(&log->blocks, &log->room, log->count, 1, sizeof *log->blocks);
    copy_tokens(&log->blocks[log->count].tokens, tokens);
    log->blocks[log->count++].share = *share;
}

void event_log_destroy(struct event_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        tokens_destroy(&log->blocks[i].tokens);
    free(log->blocks);
    *log = (struct event_log){0};
}

struct events_call {
    const struct event_log *log;
    const struct board_rules *rules;
    struct events_result result;
    struct why *why;
    int status;
};

static void call_events(void *data)
{
    struct events_call *c = data;
    c->status =
        simgrid_module(c->why)->run_events(c->rules, c->log->blocks, c->log->count, &c->result, c->why);
}

static bool same_clocks(const int64_t *events, const int64_t *recurrences, size_t count)
{
    return count == 0 || memcmp(events, recurrences, count * sizeof *events) == 0;
}

static bool same_times(const struct tokens *t, const struct board_times *e, const struct board_times *r)
{
    size_t records = 0;
    for (size_t i = 0; i < t->match_count; i++)
        records += t->matches[i];
    return same_clocks(e->word_delivered, r->word_delivered, t->word_count) &&
           same_clocks(e->word_taken, r->word_taken, t->word_count) &&
           same_clocks(e->seed_issued, r->seed_issued, t->seed_count) &&
           same_clocks(e->seed_taken, r->seed_taken, t->seed_count) &&
           same_clocks(e->seed_done, r->seed_done, t->seed_count) &&
           same_clocks(e->group_entered, r->group_entered, t->group_count) &&
           same_clocks(e->match_taken, r->match_taken, t->match_count) &&
           same_clocks(e->record_left, r->record_left, records);
}

/* Compare every clock of every element: what directives measure follows from these. */
static int compare_times(const struct event_log *log, const struct hardware *hardware,
                         const struct events_result *result, struct why *why)
{
    struct board *board = board_new(&hardware->board);
    auto_by(board_times_destroy) struct board_times times = {0};
    int status = 0;
    for (size_t i = 0; i < log->count && status == 0; i++) {
        board_advance(board, &log->blocks[i].tokens, &log->blocks[i].share, &times);
        if (!same_times(&log->blocks[i].tokens, &result->times[i], &times))
            status = why_say(
                why, PASS_EENGINE,
                "the engines disagree about an element's clock: a bug of Mercury's, please report it");
    }
    board_destroy(board);
    return status;
}

int event_log_compare(const struct event_log *log, const struct hardware *hardware, const struct frame *frame,
                      struct why *why)
{
    struct events_call call = {.log = log, .rules = &hardware->board, .why = why};
    if (!simgrid_module(why))
        return PASS_EENGINE;
    /* SimGrid starts in a child first, where it may run out of memory. */
    if (!frame && !child_words_try(call_events, &call))
        return why_no_memory(why, PASS_EMEMORY);
    call_events(&call);
    if (call.status)
        return PASS_EENGINE;
    int status = compare_times(log, hardware, &call.result, why);
    if (status == 0 && frame && (uint64_t)call.result.drained != frame->clocks)
        status = why_say(why, PASS_EENGINE,
                         "the engines disagree about the clock in which the board has drained: a bug of "
                         "Mercury's, please report it");
    events_result_destroy(&call.result);
    return status;
}

/* --- in the machine ---------------------------------------------------------------------------------------- */

static int refuse_record(struct why *why)
{
    return why_say(why, PASS_ERECORD,
                   "the token record contradicts itself, so it was changed; record the run again");
}

/* @return the pass's status so far, or that its record was not read to the end */
static int end_record(int status, struct token_reader *reader, struct why *why)
{
    bool makes_sense = status ? !reader->decoder.damaged : token_reader_is_whole(reader);
    token_reader_destroy(reader);
    return makes_sense ? status : refuse_record(why);
}

static int explain_system(int status, struct why *why)
{
    switch (status) {
    case 0:
        return 0;
    case SYSTEM_ELONG:
        return why_say(
            why, PASS_ELONG,
            "a pass would keep its board busy for more than 2^42 clocks, which is 9.2 h at 133 MHz "
            "and the longest that is simulated; give a faster bus, memory or SRAM, a slower "
            "fpga.clock, or a smaller database");
    case SYSTEM_EFILE:
        return why_say(
            why, PASS_EFILE,
            "the HSPs of a pass have no room in memory, nor in a temporary file: %s; mask repeats with "
            "--dust yes, or set TMPDIR to a directory with more room",
            why_error(file_io_fault()));
    default:
        return scratch_file_refuse_bytes("what a pass computes", why, PASS_EFILE);
    }
}

int pass_end_recorded(int status, struct token_reader *reader, struct why *why)
{
    return end_record(explain_system(status, why), reader, why);
}

int pass_explain_long_run(struct why *why)
{
    return why_say(
        why, PASS_ELONG,
        "the run would take more than 2^53 clocks of the board, which are 2.1 years at 133 MHz and the "
        "longest time that is simulated; give faster cores or more of them, a faster bus, a slower "
        "fpga.clock, or less to compare");
}

/* Who sees the blocks of a pass. */
struct block_watch {
    const struct board_rules *rules;
    struct event_log *log;          /* NULL: no events are run */
    struct stream_windows *windows; /* NULL: none are counted */
};

static void watch_block(void *data, const struct tokens *tokens, const struct bus_share *share)
{
    struct block_watch *w = data;
    if (w->windows)
        stream_windows_add(w->windows, w->rules, tokens);
    if (w->log)
        event_log_block(w->log, tokens, share);
}

static int run_system(const struct pass_simulation *p, const struct stage_source *source,
                      struct event_log *log, struct pass_result *result)
{
    const struct simgrid_module *simgrid = simgrid_module(&result->why);
    struct system_pass pass = {*source, p->instruments, &result->frame, &result->host, &result->wall};
    if (!simgrid)
        return PASS_EENGINE;
    pass.room = p->room;
    pass.source.next_table_bytes = p->next_table_bytes;
    pass.source.tables_are_loaded = p->tables_are_loaded;
    struct block_watch watch = {&p->hardware->board, p->events ? log : NULL,
                                p->window_words > 0 ? &result->windows : NULL};
    result->windows.words = p->window_words;
    if (watch.log || watch.windows) {
        pass.instruments.watch_block = watch_block;
        pass.instruments.watcher = &watch;
    }
    const struct system_run run = {.hardware = p->hardware,
                                   .platform_file = p->platform_file,
                                   .boards = 1,
                                   .pass_count = 1,
                                   .only = &pass};
    return explain_system(simgrid->run_system(&run), &result->why);
}

/* Let the stages compute, without a machine. */
static int compute(const struct pass_simulation *p, const struct stage_source *source,
                   struct pass_result *result)
{
    uint64_t block = p->hardware->pcix_block_bytes / BYTES_PER_WORD, cells;
    auto_by(tokens_destroy) struct tokens tokens = {0};
    struct pass_counts counts = {0};
    auto_free struct stage3_work *work = NULL;
    size_t room = 0;
    bool whole = true;
    for (uint64_t first = 0, words; first < source->database_words && whole; first += words) {
        uint64_t in_block = block - first % block, left = source->database_words - first;
        words = source->scan(source->data, first, left < in_block ? left : in_block, &tokens, &counts);
        array_reserve(&work, &room, 0, tokens.hsp_count, sizeof *work);
        whole = words > 0 && source->extend(source->data, tokens.hsps, tokens.hsp_count, work);
        if (p->instruments.words_done)
            atomic_fetch_add(p->instruments.words_done, words);
    }
    whole = whole && (!source->finish || source->finish(source->data, &cells));
    return whole ? 0 : scratch_file_refuse_bytes("what a pass computes", &result->why, PASS_EFILE);
}

static int run_source(const struct pass_simulation *p, const struct stage_source *source,
                      struct pass_result *result)
{
    auto_by(event_log_destroy) struct event_log log = {0};
    int status = pass_check_room(p->hardware, source->table_bytes, &result->why);
    if (status == 0)
        status = p->only_tokens ? compute(p, source, result) : run_system(p, source, &log, result);
    if (status == 0 && p->events)
        status = event_log_compare(&log, p->hardware, &result->frame, &result->why);
    return status;
}

static int run_recorded(const struct pass_simulation *p, const struct stage_source *stages,
                        struct pass_result *result)
{
    struct token_recorder recorder;
    struct stage_source source = token_recorder_begin(&recorder, stages, p->spool);
    int status = run_source(p, &source, result);
    bool recorded = token_recorder_end(&recorder);
    if (recorded || (status && !recorder.failed))
        return status;
    return why_say(&result->why, PASS_EFILE,
                   "the tokens of a pass, which -o DIR and --record FILE keep there, cannot be written: %s",
                   why_error(file_io_fault()));
}

static int run_stages(const struct pass_simulation *p, const struct pass *tables, struct stage_source source,
                      struct pass_result *result)
{
    result->tables = pass_sram_load(tables);
    source.database_words = p->database->word_count;
    source.build_operations = result->tables.operations;
    source.table_bytes = result->tables.bytes + bloom_bytes(&p->hardware->pass.bloom);
    return p->record ? run_recorded(p, &source, result) : run_source(p, &source, result);
}

int pass_simulate(const struct pass_simulation *pass, struct pass_result *result)
{
    struct stages stages = {0};
    *result = (struct pass_result){0};
    struct stage_source source = {.data = &stages,
                                  .scan = scan,
                                  .extend = extend,
                                  .finish = finish,
                                  .alignments = &result->alignments.count};
    make_stages(pass, &stages, result);
    int status = run_stages(pass, stages.pass, source, result);
    scan_ahead_destroy(stages.scan);
    pass_destroy(stages.pass);
    stage3_destroy(stages.stage3);
    if (status)
        alignment_list_destroy(&result->alignments);
    result->searched = status == 0;
    return status;
}

int pass_rescan(const struct pass_simulation *pass, const struct token_record *record, size_t recorded_pass,
                struct pass_result *result)
{
    struct stages stages = {0};
    struct stage_source source = {.data = &stages,
                                  .scan = scan,
                                  .extend = extend_as_recorded,
                                  .finish = finish_as_recorded,
                                  .alignments = &stages.reader.alignments};
    *result = (struct pass_result){0};
    stages.recorded = token_reader_begin(&stages.reader, record, recorded_pass);
    stages.scan = load_tables(pass, &stages.pass, result);
    int status = run_stages(pass, stages.pass, source, result);
    if (stages.reader.decoder.damaged || (status == 0 && stages.hsps != stages.reader.recorded.hsps))
        status = refuse_record(&result->why);
    token_reader_destroy(&stages.reader);
    scan_ahead_destroy(stages.scan);
    pass_destroy(stages.pass);
    return status;
}

int pass_retime(const struct pass_simulation *pass, const struct token_record *record, size_t recorded_pass,
                struct pass_result *result)
{
    struct token_reader reader;
    struct stage_source source = token_reader_begin(&reader, record, recorded_pass);
    *result = (struct pass_result){0};
    return end_record(run_source(pass, &source, result), &reader, &result->why);
}
