#include "sim/pass/board_runs.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file/file_io.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"
#include "sim/pass/pass_pool.h"
#include "sim/simgrid/simgrid_module.h"

/* --- a set of boards, in its child -------------------------------------------------------------------------- */

struct board {
    const struct token_record *record;
    size_t begun; /* number of its passes */
    struct board_run run;
    /* The pass that is on the board. */
    struct system_pass work;
    struct token_reader reader;
    struct pass_result result;
};

struct boards {
    const struct board_runs *set;
    struct board boards[HARDWARE_BOARDS_MAX];
    struct why *why;
    int status;
};

/* Passes have numbers across all boards: the n-th of board b is n x count + b. */
static size_t next_pass(void *data, uint32_t number)
{
    struct boards *b = data;
    struct board *board = &b->boards[number];
    return board->begun == token_record_run(board->record)->facts.pass_count
               ? SYSTEM_NO_PASS
               : board->begun++ * b->set->count + number;
}

static bool begin(void *data, size_t pass, struct system_pass **work)
{
    struct boards *b = data;
    struct board *board = &b->boards[pass % b->set->count];
    b->status = pass_check_room(b->set->hardware,
                                token_record_table_bytes(board->record, pass / b->set->count), b->why);
    if (b->status)
        return false;
    board->work = (struct system_pass){
        .source = token_reader_begin(&board->reader, board->record, pass / b->set->count),
        .instruments = {.transfers = &board->run.log},
        .frame = &board->result.frame,
        .host = &board->result.host,
        .wall = &board->result.wall};
    *work = &board->work;
    return true;
}

/* The first error is told. */
static bool end(void *data, size_t pass, int status)
{
    struct boards *b = data;
    struct board *board = &b->boards[pass % b->set->count];
    struct host_pass *host = &board->result.host;
    if (b->status)
        return false;
    b->status = pass_end_recorded(status, &board->reader, b->why);
    if (status == 0)
        stage3_tasks_destroy(&host->tasks);
    board->run.end_s = host->begin_s + host->board_s;
    return b->status == 0;
}

static uint64_t table_bytes(void *data, size_t pass)
{
    const struct boards *b = data;
    return token_record_table_bytes(b->boards[pass % b->set->count].record, pass / b->set->count);
}

static int simulate(struct boards *b)
{
    const struct simgrid_module *simgrid = simgrid_module(b->why);
    const struct system_run system = {
        .hardware = b->set->hardware,
        .platform_file = b->set->platform_file,
        .boards = b->set->count,
        .begin = begin,
        .end = end,
        .table_bytes = b->set->hardware->overlap == OVERLAP_TABLES ? table_bytes : NULL,
        .next = next_pass,
        .data = b,
    };
    if (!simgrid)
        return PASS_EENGINE;
    simgrid->run_system(&system);
    return b->status;
}

static int leave_runs(const struct boards *b, int file)
{
    FILE *out = file_io_stream(dup(file), "w");
    bool written = out != NULL;
    for (uint32_t i = 0; i < b->set->count && written; i++) {
        const struct board_run *run = &b->boards[i].run;
        written = array_write(run, 1, sizeof *run, out) &&
                  array_write(run->log.transfers, run->log.count, sizeof run->log.transfers[0], out);
    }
    written = out && fclose(out) == 0 && written;
    return written ? 0 : scratch_file_refuse_bytes("what moved over the bus", b->why, PASS_EFILE);
}

/* The pass_work of the pool: a set is one job. */
static int time_set(const void *data, struct pass_report *report)
{
    const struct board_runs *set = (const struct board_runs *)data + report->job.pass;
    auto_free struct boards *b = memory_new(1, sizeof *b);
    b->set = set;
    b->why = &report->result.why;
    for (uint32_t i = 0; i < set->count; i++)
        b->boards[i].record = set->records[i];
    int status = simulate(b);
    if (status == 0)
        status = leave_runs(b, report->job.records);
    for (uint32_t i = 0; i < set->count; i++)
        transfer_log_destroy(&b->boards[i].run.log);
    return status;
}

/* --- all sets ----------------------------------------------------------------------------------------------- */

static bool read_run(struct board_run *run, FILE *in)
{
    struct transfer_log *log = &run->log;
    const bool read = fread(run, sizeof *run, 1, in) == 1;
    log->room = log->count;
    log->transfers = read ? array_read(log->count, sizeof log->transfers[0], in) : NULL;
    return log->transfers != NULL;
}

static int read_runs(struct board_run *runs, uint32_t count, int file, struct why *why)
{
    FILE *in = file_io_stream(dup(file), "r");
    bool whole = in && fseek(in, 0, SEEK_SET) == 0;
    for (uint32_t i = 0; i < count && whole; i++)
        whole = read_run(&runs[i], in);
    file_io_end(in);
    return whole ? 0 : scratch_file_refuse_bytes("what moved over the bus", why, PASS_EFILE);
}

static int start_set(struct pass_pool *pool, size_t set, struct why *why)
{
    struct pass_job job = {.pass = set, .spool = -1, .records = scratch_file_descriptor(), .hsps = -1};
    return job.records < 0 ? scratch_file_refuse(why, PASS_EFILE) : pass_pool_start(pool, job, why);
}

/* Take the runs of a set that has ended. @param out  of all sets */
static int take_set(struct pass_report *report, const struct board_runs *sets, struct board_run *out,
                    struct why *why)
{
    const size_t number = report->job.pass;
    size_t first = 0;
    for (size_t i = 0; i < number; i++)
        first += sets[i].count;
    int status = read_runs(out + first, sets[number].count, report->job.records, why);
    pass_report_destroy(report);
    return status;
}

static int time_all(struct pass_pool *pool, const struct board_runs *sets, size_t set_count,
                    struct board_run *out, struct why *why)
{
    size_t begun = 0, ended = 0;
    int status = 0;
    while (status == 0 && ended < set_count) {
        struct pass_report *report;
        while (status == 0 && begun < set_count && pass_pool_has_free_slot(pool))
            status = start_set(pool, begun++, why);
        int got = status == 0 ? pass_pool_collect(pool, &report, why) : 0;
        if (got < 0)
            return got;
        if (got > 0)
            status = take_set(report, sets, out, why);
        else
            pass_pool_sleep(0.1);
        ended += got > 0;
    }
    return status;
}

int board_runs_time(const struct board_runs *sets, size_t set_count, unsigned jobs, struct board_run *out,
                    struct why *why)
{
    size_t boards = 0;
    for (size_t i = 0; i < set_count; i++)
        boards += sets[i].count;
    for (size_t i = 0; i < boards; i++)
        out[i] = (struct board_run){0};
    if (!simgrid_module(why)) /* once, before children are forked */
        return PASS_EENGINE;
    struct pass_pool *pool = pass_pool_new(jobs, time_set, sets);
    int status = time_all(pool, sets, set_count, out, why);
    pass_pool_destroy(pool);
    for (size_t i = 0; i < boards && status; i++)
        transfer_log_destroy(&out[i].log);
    return status;
}
