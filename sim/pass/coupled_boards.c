#include "sim/pass/coupled_boards.h"

#include <stdlib.h>

#include "base/file/scratch_file.h"
#include "sim/pass/event_engine.h"
#include "sim/pass/pass_instruments.h"
#include "sim/simgrid/simgrid_module.h"

/* A pass on a board. */
struct timed_pass {
    struct pass_report *report;
    struct open_instruments instruments;
    struct token_reader reader;
    struct system_pass work;
    struct event_log log; /* if passes are run by events, too */
};

struct boards {
    const struct passes *passes;
    uint32_t host;
    const struct run_drawings *drawings;
    FILE *reports;
    atomic_ullong *words;
    struct timed_pass **timed; /* of each pass from its begin until its report is written */
    struct why *why;
    int status;
};

static void timed_pass_destroy(struct timed_pass *t)
{
    if (!t)
        return;
    pass_report_destroy(t->report);
    event_log_destroy(&t->log);
    free(t);
}

/* A pass in its record. */
struct place {
    const struct token_record *record;
    size_t at;
};

static struct place place_of(const struct passes *c, size_t number)
{
    return c->records ? (struct place){c->records[number], 0} : (struct place){c->recorded, number};
}

static int make_report(const struct passes *c, size_t number, struct timed_pass *t, struct why *why)
{
    struct pass_job job = {
        .pass = number, .spool = -1, .records = c->how.measure ? scratch_file_descriptor() : -1, .hsps = -1};
    if (c->how.measure && job.records < 0)
        return scratch_file_refuse(why, PASS_EFILE);
    t->report = pass_report_new(&job);
    return t->report ? 0 : why_no_memory(why, PASS_EMEMORY);
}

static int open_pass(struct boards *b, size_t number, struct timed_pass *t)
{
    const struct passes *c = b->passes;
    int status = make_report(c, number, t, b->why);
    if (status)
        return status;
    const struct place place = place_of(c, number);
    struct pass_result *result = &t->report->result;
    status = pass_instruments_open(&t->instruments, c, b->drawings, b->words, t->report);
    if (status)
        return why_say(b->why, status, "%s", result->why.line);
    t->work = (struct system_pass){
        .source = token_reader_begin(&t->reader, place.record, place.at),
        .instruments = t->instruments.tools,
        .frame = &result->frame,
        .host = &result->host,
        .wall = &result->wall,
        .room = {.in_memory_most = c->how.hsps_in_memory},
    };
    if (c->how.events) {
        t->work.instruments.watch_block = event_log_block;
        t->work.instruments.watcher = &t->log;
    }
    return 0;
}

static int write_report(struct boards *b, size_t number)
{
    bool written = pass_report_write(b->timed[number]->report, b->reports);
    timed_pass_destroy(b->timed[number]);
    b->timed[number] = NULL;
    return written ? 0 : scratch_file_refuse_bytes("what a pass leaves", b->why, PASS_EFILE);
}

static int close_pass(struct boards *b, size_t number, int status)
{
    struct timed_pass *t = b->timed[number];
    struct why *why = &t->report->result.why;
    status = pass_end_record(status ? pass_explain_system(status, why) : 0, &t->reader, why);
    status = pass_instruments_close(&t->instruments, t->report, status);
    t->report->status = status;
    if (status)
        return why_say(b->why, status, "%s", why->line);
    return b->passes->how.events ? 0 : write_report(b, number);
}

/* --- what system.h calls ---------------------------------------------------------------------------------- */

static size_t number_in_run(const struct boards *b, size_t nth)
{
    return hardware_pass_of(b->passes->hardware, b->host, nth);
}

static bool begin(void *data, size_t nth, struct system_pass **work)
{
    struct boards *b = data;
    const size_t number = number_in_run(b, nth);
    struct timed_pass *t = b->timed[number] = calloc(1, sizeof *t);
    b->status = t ? open_pass(b, number, t) : why_no_memory(b->why, PASS_EMEMORY);
    if (b->status == 0)
        *work = &t->work;
    return b->status == 0;
}

/* The first error is told. */
static bool end(void *data, size_t nth, int status)
{
    struct boards *b = data;
    if (b->status == 0)
        b->status = close_pass(b, number_in_run(b, nth), status);
    return b->status == 0;
}

static uint64_t table_bytes(void *data, size_t nth)
{
    const struct boards *b = data;
    const struct place place = place_of(b->passes, number_in_run(b, nth));
    return token_record_table_bytes(place.record, place.at);
}

static uint64_t build_operations(void *data, size_t nth)
{
    const struct boards *b = data;
    const struct place place = place_of(b->passes, number_in_run(b, nth));
    return token_record_build_operations(place.record, place.at);
}

/* --- the run ---------------------------------------------------------------------------------------------- */

static int run_events(struct boards *b, size_t number)
{
    const struct passes *c = b->passes;
    struct timed_pass *t = b->timed[number];
    int status = event_engine_run(&t->log, c->hardware, &t->report->result.frame, b->why) ? PASS_EENGINE : 0;
    return status ? status : write_report(b, number);
}

static int run(struct boards *b)
{
    const struct passes *c = b->passes;
    const struct simgrid_module *simgrid = simgrid_module(b->why);
    const struct system_run system = {
        .hardware = c->hardware,
        .platform_file = c->platform_file,
        .boards = c->hardware->boards,
        .pass_count = hardware_passes_of(c->hardware, b->host, c->pass_count),
        .begin = begin,
        .end = end,
        .table_bytes = c->hardware->overlap == OVERLAP_TABLES ? table_bytes : NULL,
        .build_operations = build_operations,
        .data = b,
    };
    if (!simgrid)
        return PASS_EENGINE;
    int status = simgrid->run_system(&system);
    if (status && b->status == 0)
        b->status = why_no_memory(b->why, PASS_EMEMORY);
    for (size_t i = 0; c->how.events && i < system.pass_count && b->status == 0; i++)
        b->status = run_events(b, number_in_run(b, i));
    return b->status;
}

int coupled_boards_run(const struct passes *passes, uint32_t host, const struct run_drawings *drawings,
                       atomic_ullong *words, FILE *reports, struct why *why)
{
    struct boards b = {
        .passes = passes, .host = host, .drawings = drawings, .reports = reports, .words = words, .why = why};
    b.timed = calloc(passes->pass_count, sizeof(struct timed_pass *));
    int status = b.timed ? run(&b) : why_no_memory(why, PASS_EMEMORY);
    for (size_t i = 0; b.timed && i < passes->pass_count; i++)
        timed_pass_destroy(b.timed[i]);
    free(b.timed);
    return status;
}
