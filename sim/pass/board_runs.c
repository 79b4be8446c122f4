#include "sim/pass/board_runs.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file/scratch_file.h"
#include "sim/pass/pass_pool.h"
#include "sim/simgrid/simgrid_module.h"

/* --- a set of boards, in its child -------------------------------------------------------------------------- */

struct board {
    const struct token_record *record;
    size_t first_pass, pass_count, begun; /* passes have numbers across all boards */
    struct board_run *run;
    /* The pass that is on the board. */
    struct system_pass work;
    struct token_reader reader;
    struct frame frame;
    struct host_pass host;
    struct system_wall wall;
};

struct boards {
    const struct board_runs *set;
    struct board *boards;
    struct why *why;
    int status;
};

static struct board *board_of(const struct boards *b, size_t pass)
{
    uint32_t i = 0;
    while (pass >= b->boards[i].first_pass + b->boards[i].pass_count)
        i++;
    return &b->boards[i];
}

static size_t next_pass(void *data, uint32_t number)
{
    struct boards *b = data;
    struct board *board = &b->boards[number];
    return board->begun == board->pass_count ? SYSTEM_NO_PASS : board->first_pass + board->begun++;
}

static bool begin(void *data, size_t pass, struct system_pass **work)
{
    struct board *board = board_of(data, pass);
    board->work = (struct system_pass){
        .source = token_reader_begin(&board->reader, board->record, pass - board->first_pass),
        .instruments = {.transfers = &board->run->log},
        .frame = &board->frame,
        .host = &board->host,
        .wall = &board->wall};
    *work = &board->work;
    return true;
}

/* The first error is told. */
static bool end(void *data, size_t pass, int status)
{
    struct boards *b = data;
    struct board *board = board_of(b, pass);
    if (b->status)
        return false;
    b->status = pass_end_record(status ? pass_explain_system(status, b->why) : 0, &board->reader, b->why);
    if (status == 0)
        stage3_tasks_destroy(&board->host.tasks);
    board->run->end_s = board->host.begin_s + board->host.board_s;
    return b->status == 0;
}

static uint64_t table_bytes(void *data, size_t pass)
{
    const struct board *board = board_of(data, pass);
    return token_record_table_bytes(board->record, pass - board->first_pass);
}

static int simulate(struct boards *b)
{
    const struct simgrid_module *simgrid = simgrid_module(b->why);
    size_t passes = 0;
    for (uint32_t i = 0; i < b->set->count; i++) {
        size_t count = token_record_run(b->set->records[i])->facts.pass_count;
        b->boards[i].first_pass = passes;
        b->boards[i].pass_count = count;
        passes += count;
    }
    const struct system_run system = {
        .hardware = b->set->hardware,
        .platform_file = b->set->platform_file,
        .boards = b->set->count,
        .pass_count = passes,
        .begin = begin,
        .end = end,
        .table_bytes = b->set->hardware->overlap == OVERLAP_TABLES ? table_bytes : NULL,
        .next = next_pass,
        .data = b,
    };
    if (!simgrid)
        return PASS_EENGINE;
    int status = simgrid->run_system(&system);
    return status && b->status == 0 ? why_no_memory(b->why, PASS_EMEMORY) : b->status;
}

static bool write_run(const struct board_run *run, FILE *out)
{
    return array_write(&run->end_s, 1, sizeof run->end_s, out) &&
           array_write(&run->log.count, 1, sizeof run->log.count, out) &&
           array_write(run->log.transfers, run->log.count, sizeof run->log.transfers[0], out);
}

static int leave_runs(const struct board_run *runs, uint32_t count, int file, struct why *why)
{
    FILE *out = fdopen(dup(file), "w");
    bool written = out != NULL;
    for (uint32_t i = 0; i < count && written; i++)
        written = write_run(&runs[i], out);
    written = out && fclose(out) == 0 && written;
    return written ? 0 : scratch_file_refuse_bytes("what moved over the bus", why, PASS_EFILE);
}

/* The pass_work of the pool: a set is one job. What it takes is freed when the process ends. */
static int time_set(const void *data, struct pass_report *report)
{
    const struct board_runs *set = (const struct board_runs *)data + report->job.pass;
    struct board_run runs[HARDWARE_BOARDS_MAX] = {0};
    struct boards b = {
        .set = set, .boards = calloc(set->count, sizeof(struct board)), .why = &report->result.why};
    for (uint32_t i = 0; b.boards && i < set->count; i++) {
        b.boards[i].run = &runs[i];
        b.boards[i].record = set->records[i];
    }
    int status = b.boards ? simulate(&b) : why_no_memory(b.why, PASS_EMEMORY);
    if (status == 0)
        status = leave_runs(runs, set->count, report->job.records, b.why);
    for (uint32_t i = 0; i < set->count; i++)
        transfer_log_destroy(&runs[i].log);
    free(b.boards);
    return status;
}

/* --- all sets ----------------------------------------------------------------------------------------------- */

static bool read_run(struct board_run *run, FILE *in)
{
    struct transfer_log *log = &run->log;
    *run = (struct board_run){0};
    if (fread(&run->end_s, sizeof run->end_s, 1, in) != 1 ||
        fread(&log->count, sizeof log->count, 1, in) != 1)
        return false;
    log->transfers = array_read(log->count, sizeof log->transfers[0], in);
    log->room = log->count;
    return log->transfers != NULL;
}

static int read_runs(struct board_run *runs, uint32_t count, int file, struct why *why)
{
    FILE *in = fdopen(dup(file), "r");
    bool whole = in && fseek(in, 0, SEEK_SET) == 0;
    for (uint32_t i = 0; i < count && whole; i++)
        whole = read_run(&runs[i], in);
    if (in)
        fclose(in);
    return whole ? 0 : why_no_memory(why, PASS_EMEMORY);
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
    int status = pool ? time_all(pool, sets, set_count, out, why) : why_no_memory(why, PASS_EMEMORY);
    pass_pool_destroy(pool);
    for (size_t i = 0; i < boards && status; i++)
        transfer_log_destroy(&out[i].log);
    return status;
}
