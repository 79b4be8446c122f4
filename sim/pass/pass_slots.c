#include "sim/pass/pass_slots.h"

#include <assert.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file_io.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/file/scratch_file.h"
#include "blast/stages12/bloom.h"
#include "sim/simgrid/simgrid_module.h"

/* Whether passes are timed again, together. */
static bool are_coupled(const struct passes *c)
{
    return c->recorded && hardware_couples_boards(c->hardware);
}

/* --- what observes a pass, in the process that simulates it ------------------------------------------------ */

/* What a pass measures goes to its report's file; what is drawn of it to the run's files (run_drawings.h). */
struct open_instruments {
    struct pass_instruments tools;
    FILE *records; /* of the report; NULL if nothing is measured */
};

bool pass_is_drawn(const struct passes *passes, size_t pass)
{
    return passes->how.drawing && pass + 1 == passes->how.drawing->pass;
}

int pass_finish_measure(struct measure *measure, FILE *records, size_t pass, struct why *why)
{
    struct why bug;
    int status = measure_finish(measure, &bug);
    if (status && status != MEASURE_EWRITE)
        return why_say(why, PASS_EBUG, "pass %zu: %s: a bug of Mercury's, please report it", pass + 1,
                       bug.line);
    if (status || !file_io_flush(records))
        return scratch_file_refuse_bytes("what a pass measures", why, PASS_EFILE);
    return 0;
}

/* Complete what they have observed. @param status  of the pass, which an error of theirs replaces */
static int close_instruments(struct open_instruments *open, struct pass_report *report, int status)
{
    if (open->tools.timeline)
        report->board_drawn.status = machine_timeline_close(open->tools.timeline, &report->result.outline,
                                                            &report->board_drawn.report.missing);
    if (open->tools.waves)
        report->waves.status =
            board_waves_close(open->tools.waves, report->result.host.board_end, &report->waves.report);
    if (!arrival_list_close(open->tools.arrivals) && status == 0)
        status = why_say(&report->result.why, PASS_EFILE, "--export-times: the file cannot be written: %s",
                         why_error(file_io_fault()));
    if (status == 0 && open->tools.measure)
        status =
            pass_finish_measure(open->tools.measure, open->records, report->job.pass, &report->result.why);
    if (open->tools.charge && open->tools.measure)
        open->tools.charge->events = measure_frames_written(open->tools.measure);
    measure_destroy(open->tools.measure);
    file_io_end(open->records);
    *open = (struct open_instruments){0};
    return status;
}

/* @param words  counter for a display of progress */
static int open_instruments(struct open_instruments *open, const struct passes *passes,
                            const struct run_drawings *drawings, atomic_ullong *words,
                            struct pass_report *report)
{
    size_t pass = report->job.pass;
    bool drawn = pass_is_drawn(passes, pass),
         timeline = passes->how.drawing && passes->how.drawing->timeline_path,
         waves = drawn && drawings->vcd.file, arrivals = drawn && drawings->times.file;
    *open = (struct open_instruments){.records = file_io_stream(dup(report->job.records), "w")};
    if (passes->how.only_times) {
        open->tools = (struct pass_instruments){.only_times = true, .words_done = words};
        return 0;
    }
    open->tools = (struct pass_instruments){
        .words_done = words,
        .measure = open->records ? measure_new(passes->how.measure, SIDE_BOARD, open->records) : NULL,
        .timeline = timeline ? machine_timeline_new(passes->how.drawing, passes->hardware, passes->pass_count,
                                                    drawn ? drawings->board_events : NULL)
                             : NULL,
        .waves = waves ? board_waves_new(drawings->vcd.file, passes->how.drawing, passes->hardware) : NULL,
        .arrivals = arrivals ? arrival_list_new(drawings->times.file, passes->how.drawing->times_kind,
                                                passes->hardware->fpga_clock_hz,
                                                board_trip_cycles(&passes->hardware->board))
                             : NULL,
        .stamps = &report->stamps,
        .windows = passes->how.windows ? &passes->how.windows[pass] : NULL,
        .charge = passes->how.charge ? &report->charge : NULL,
    };
    if (open->tools.measure && passes->how.run_times)
        measure_place(open->tools.measure, passes->how.run_times->origins[pass]);
    if (report->job.records < 0 || open->tools.measure)
        return 0;
    return close_instruments(
        open, report, scratch_file_refuse_bytes("what a pass measures", &report->result.why, PASS_EFILE));
}

/* --- in a pass's process --------------------------------------------------------------------------------- */

/* Number of the part of the database that a pass streams; 0 if there is one for all. */
static uint32_t part_of(const struct passes *c, size_t number)
{
    return c->parts ? hardware_host_of(c->hardware, number) : 0;
}

/* What the board's next pass loads while this one is on the board. */
static void find_overlap(const struct passes *c, size_t number, struct pass_simulation *pass)
{
    const size_t next = number + c->hardware->hosts;
    if (c->hardware->overlap != OVERLAP_TABLES)
        return;
    pass->tables_are_loaded = number >= c->hardware->hosts;
    if (next < c->pass_count)
        pass->next_table_bytes =
            c->recorded ? token_record_table_bytes(c->recorded, pass_set_nth_taken(next, c->recorded_every))
                        : pass_table_bytes(c->hardware, c->query, &c->segments[next]);
}

/* What a host finds in its part lies in the whole database. */
static int simulate_stages(const struct passes *c, const struct pass_simulation *pass,
                           struct pass_report *report)
{
    int status = pass_simulate(pass, &report->result);
    const struct database_part *part = c->parts ? &c->parts[part_of(c, report->job.pass)] : NULL;
    if (status == 0 && part)
        alignment_list_move(&report->result.alignments, part->first_position, part->first_record);
    return status;
}

/* Words of a window of the stream. */
static uint64_t window_words(const struct passes *c)
{
    return c->how.count_windows && !c->how.only_times
               ? stream_windows_length(pass_set_words(c) * pass_set_of_run(c))
               : 0;
}

static int simulate(const struct pass_slots *slots, const struct pass_instruments *instruments,
                    struct pass_report *report)
{
    const struct passes *c = slots->passes;
    size_t number = report->job.pass;
    struct pass_simulation pass = {
        .hardware = c->hardware, .platform_file = c->platform_file, .instruments = *instruments};
    pass.window_words = window_words(c);
    find_overlap(c, number, &pass);
    pass.room = pass_report_room(report, c->how.hsps_in_memory);
    if (c->recorded)
        return pass_retime(&pass, c->recorded, pass_set_nth_taken(number, c->recorded_every),
                           &report->result);
    pass.query = c->query;
    pass.query_codes = slots->query_codes[c->segments[number].strand];
    pass.database = c->parts ? &c->parts[part_of(c, number)].sequences : c->database;
    pass.index = slots->indices[part_of(c, number)];
    pass.segment = c->segments[number];
    pass.statistics = c->statistics;
    pass.least = c->least;
    pass.threads = &slots->shared->threads;
    pass.crowd = &slots->shared->crowd;
    pass.events = c->how.events && !c->how.only_tokens;
    pass.only_tokens = c->how.only_tokens;
    pass.record = report->job.spool >= 0;
    pass.spool = report->job.spool;
    return simulate_stages(c, &pass, report);
}

/* The pass_work of the pool. */
static int simulate_pass(const void *data, struct pass_report *report)
{
    const struct pass_slots *slots = data;
    struct open_instruments instruments;
    int status =
        open_instruments(&instruments, slots->passes, slots->drawings, &slots->shared->counter, report);
    if (status)
        return status;
    status = simulate(slots, &instruments.tools, report);
    return close_instruments(&instruments, report, status);
}

/* --- all passes of a host, in one process ---------------------------------------------------------------- */

/* Boards that share buses, or that are dealt their next pass while they stream (hardware_couples_boards()): SimGrid
 * times all of them together (sim/simgrid/system.h), since how long a block takes depends on what the other boards
 * move meanwhile, and which pass a board gets on when the others are free. In memory are the passes that are on the
 * boards; if they are to be run by events, too, the tokens of all passes. */

/* A pass on a board. */
struct timed_pass {
    struct pass_report *report;
    struct open_instruments instruments;
    struct token_reader reader;
    struct system_pass work;
    struct event_log log; /* if passes are run by events, too */
};

struct coupled_boards {
    const struct pass_slots *slots;
    uint32_t host;
    FILE *reports;             /* receives those of all passes; their host's side says when they began */
    struct timed_pass **timed; /* of each pass of the host from its begin until its report is written */
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
    return c->records ? (struct place){c->records[number], 0}
                      : (struct place){c->recorded, pass_set_nth_taken(number, c->recorded_every)};
}

static int refuse_place(struct coupled_boards *b)
{
    return scratch_file_refuse_bytes("the tokens of a pass", b->why, PASS_EFILE);
}

static int open_pass(struct coupled_boards *b, size_t number, struct timed_pass *t)
{
    const struct passes *c = b->slots->passes;
    const struct place place = place_of(c, number);
    const struct pass_job job = {
        .pass = number, .spool = -1, .records = c->how.measure ? scratch_file_descriptor() : -1, .hsps = -1};
    if (c->how.measure && job.records < 0)
        return scratch_file_refuse(b->why, PASS_EFILE);
    t->report = pass_report_new(&job);
    if (!token_record_await(place.record, place.at))
        return refuse_place(b);
    struct pass_result *result = &t->report->result;
    int status = pass_check_room(c->hardware, token_record_table_bytes(place.record, place.at), b->why);
    if (status)
        return status;
    status = open_instruments(&t->instruments, c, b->slots->drawings, &b->slots->shared->counter, t->report);
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

static int write_report(struct coupled_boards *b, size_t nth)
{
    bool written = pass_report_write(b->timed[nth]->report, b->reports) && file_io_flush(b->reports);
    timed_pass_destroy(b->timed[nth]);
    b->timed[nth] = NULL;
    if (written)
        atomic_fetch_add(&b->slots->shared->written[b->host], 1);
    return written ? 0 : scratch_file_refuse_bytes("what a pass leaves", b->why, PASS_EFILE);
}

static int close_pass(struct coupled_boards *b, size_t nth, int status)
{
    struct timed_pass *t = b->timed[nth];
    struct why *why = &t->report->result.why;
    status = pass_end_recorded(status, &t->reader, why);
    status = close_instruments(&t->instruments, t->report, status);
    t->report->status = status;
    if (status)
        return why_say(b->why, status, "%s", why->line);
    return b->slots->passes->how.events ? 0 : write_report(b, nth);
}

static size_t number_in_run(const struct coupled_boards *b, size_t nth)
{
    return hardware_pass_of(b->slots->passes->hardware, b->host, nth);
}

static bool begin(void *data, size_t nth, struct system_pass **work)
{
    struct coupled_boards *b = data;
    if (b->status)
        return false;
    struct timed_pass *t = b->timed[nth] = memory_new(1, sizeof *t);
    *work = &t->work;
    b->status = open_pass(b, number_in_run(b, nth), t);
    return b->status == 0;
}

/* The first error is told. */
static bool end(void *data, size_t nth, int status)
{
    struct coupled_boards *b = data;
    if (b->status == 0)
        b->status = close_pass(b, nth, status);
    return b->status == 0;
}

/* Where a pass is in its record; if it cannot be read, it will not begin. */
static bool await_pass(struct coupled_boards *b, size_t nth, struct place *place)
{
    *place = place_of(b->slots->passes, number_in_run(b, nth));
    if (!token_record_await(place->record, place->at))
        b->status = refuse_place(b);
    return b->status == 0;
}

static uint64_t table_bytes(void *data, size_t nth)
{
    struct place place;
    return await_pass(data, nth, &place) ? token_record_table_bytes(place.record, place.at) : 0;
}

static uint64_t build_operations(void *data, size_t nth)
{
    struct place place;
    return await_pass(data, nth, &place) ? token_record_build_operations(place.record, place.at) : 0;
}

static int run_events(struct coupled_boards *b, size_t nth)
{
    const struct timed_pass *t = b->timed[nth];
    int status = event_log_compare(&t->log, b->slots->passes->hardware, &t->report->result.frame, b->why);
    return status ? status : write_report(b, nth);
}

static int run(struct coupled_boards *b)
{
    const struct passes *c = b->slots->passes;
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
    b->timed = memory_new(system.pass_count, sizeof(struct timed_pass *));
    simgrid->run_system(&system);
    for (size_t i = 0; c->how.events && i < system.pass_count && b->status == 0; i++)
        b->status = run_events(b, i);
    for (size_t i = 0; i < system.pass_count; i++)
        timed_pass_destroy(b->timed[i]);
    free(b->timed);
    return b->status;
}

/* The pass_work of the pool, if boards depend on each other: the job's file receives the reports of all passes of a
 * host. The job's pass is the first of them, so that it has the host's number. */
static int simulate_boards(const void *data, struct pass_report *report)
{
    struct coupled_boards b = {.slots = data,
                               .host = (uint32_t)report->job.pass,
                               .reports = file_io_stream(dup(report->job.spool), "w"),
                               .why = &report->result.why};
    if (!b.reports)
        return scratch_file_refuse_bytes("what passes leave", b.why, PASS_EFILE);
    const struct token_record *recorded = b.slots->passes->recorded;
    token_record_count_reader(recorded, true);
    int status = run(&b);
    token_record_count_reader(recorded, false);
    bool written = fclose(b.reports) == 0;
    return status || written ? status : scratch_file_refuse_bytes("what passes leave", b.why, PASS_EFILE);
}

/* --- jobs ------------------------------------------------------------------------------------------------ */

/* Every host that has a pass works. */
static bool work_all_hosts(const struct pass_slots *slots)
{
    const struct passes *c = slots->passes;
    return slots->hosts_started == c->hardware->hosts || slots->hosts_started == c->pass_count;
}

bool pass_slots_are_full(const struct pass_slots *slots)
{
    return !pass_pool_has_free_slot(slots->pool) || (slots->coupled && work_all_hosts(slots));
}

/* Files for what a pass leaves. */
static int open_files(const struct passes *c, struct pass_job *job, struct why *why)
{
    const bool recorded = pass_set_is_recorded(c, job->pass);
    if (recorded && c->how.record && (job->spool = token_record_spool(c->how.record, why)) < 0)
        return PASS_EFILE;
    bool keeps = are_coupled(c) || (recorded && !c->how.record);
    bool opened = !keeps || (job->spool = scratch_file_descriptor()) >= 0;
    if (opened && (!c->how.measure || are_coupled(c) || (job->records = scratch_file_descriptor()) >= 0))
        return 0;
    scratch_file_refuse(why, PASS_EFILE);
    file_io_close(&job->spool);
    return PASS_EFILE;
}

/* The job's pass has its host's number. */
static void name_passes_of_host(const struct passes *c, struct pass_job *job)
{
    const uint32_t host = (uint32_t)job->pass;
    const size_t count = hardware_passes_of(c->hardware, host, c->pass_count);
    job->last = hardware_pass_of(c->hardware, host, count - 1);
    job->host = c->hardware->hosts > 1 ? host + 1 : 0;
}

/* Reports are read while others are written: the file's offset must not be the child's. */
static int open_reports(struct pass_slots *slots, const struct pass_job *job, struct why *why)
{
    slots->hosts[job->pass].file = file_io_open(file_io_name(job->spool).path, O_RDONLY);
    return slots->hosts[job->pass].file ? 0 : scratch_file_refuse(why, PASS_EFILE);
}

int pass_slots_start(struct pass_slots *slots, size_t pass, struct why *why)
{
    struct pass_job job = {.pass = pass, .spool = -1, .records = -1};
    if (slots->coupled)
        name_passes_of_host(slots->passes, &job);
    slots->hosts_started++;
    int status = open_files(slots->passes, &job, why);
    if (status == 0 && slots->coupled && (status = open_reports(slots, &job, why)) != 0)
        close(job.spool);
    return status ? status : pass_pool_start(slots->pool, job, why);
}

static int read_report(struct host_reports *host, size_t passes, struct pass_report **report, struct why *why)
{
    int status = pass_report_read(host->file, report, why);
    if (++host->taken < passes)
        return status ? status : 1;
    fclose(host->file);
    host->file = NULL;
    return status ? status : 1;
}

/* Take the next report of a host. The last one comes when its child has ended, and all is known to be well. */
static int collect_of_hosts(struct pass_slots *slots, struct pass_report **report, struct why *why)
{
    const struct passes *c = slots->passes;
    for (uint32_t i = 0; i < c->hardware->hosts; i++) {
        struct host_reports *host = &slots->hosts[i];
        const size_t passes = hardware_passes_of(c->hardware, i, c->pass_count),
                     written = atomic_load(&slots->shared->written[i]);
        if (host->file && host->taken < written && (host->ended || host->taken + 1 < passes))
            return read_report(host, passes, report, why);
    }
    return 0;
}

int pass_slots_look(struct pass_slots *slots, struct why *why)
{
    struct pass_report *report;
    int status = slots->coupled ? pass_pool_collect(slots->pool, &report, why) : 0;
    if (status > 0) {
        slots->hosts[report->job.pass].ended = true;
        pass_report_destroy(report);
    }
    return status < 0 ? status : 0;
}

int pass_slots_collect(struct pass_slots *slots, struct pass_report **report, struct why *why)
{
    if (!slots->coupled)
        return pass_pool_collect(slots->pool, report, why);
    int status = pass_slots_look(slots, why);
    return status ? status : collect_of_hosts(slots, report, why);
}

/* --- the whole ------------------------------------------------------------------------------------------- */

static void unpack_strands(struct pass_slots *slots)
{
    const struct passes *c = slots->passes;
    for (size_t i = 0; !c->recorded && i < c->pass_count; i++) {
        enum strand strand = c->segments[i].strand;
        if (!slots->query_codes[strand])
            slots->query_codes[strand] = sequences_unpack_strand(c->query, strand);
    }
}

double pass_slots_index_database(struct pass_slots *slots)
{
    const struct passes *c = slots->passes;
    const struct bloom_geometry *bloom = &c->hardware->pass.bloom;
    const uint32_t parts = c->parts ? c->hardware->hosts : 1;
    if (c->recorded || !bloom_index_pays(bloom, c->database->word_count / parts, pass_set_of_run(c) / parts))
        return 0;
    double begin_s = progress_wall_s();
    for (uint32_t i = 0; i < parts; i++)
        slots->indices[i] = bloom_index_new(bloom, c->parts ? &c->parts[i].sequences : c->database);
    return progress_wall_s() - begin_s;
}

struct pass_slots *pass_slots_new(const struct passes *passes, const struct run_drawings *drawings)
{
    struct pass_slots *slots = memory_new(1, sizeof *slots);
    assert(passes->recorded || passes->how.only_tokens || !hardware_couples_boards(passes->hardware));
    *slots = (struct pass_slots){.passes = passes, .drawings = drawings, .coupled = are_coupled(passes)};
    slots->pool = pass_pool_new(passes->how.jobs, slots->coupled ? simulate_boards : simulate_pass, slots);
    slots->shared = pass_pool_shared(slots->pool);
    unpack_strands(slots);
    return slots;
}

void pass_slots_destroy(struct pass_slots *slots)
{
    if (!slots)
        return;
    pass_pool_destroy(slots->pool);
    for (uint32_t i = 0; i < HARDWARE_HOSTS_MAX; i++)
        file_io_end(slots->hosts[i].file);
    free(slots->query_codes[STRAND_PLUS]);
    free(slots->query_codes[STRAND_MINUS]);
    for (uint32_t i = 0; i < HARDWARE_HOSTS_MAX; i++)
        bloom_index_destroy(slots->indices[i]);
    free(slots);
}
