#include "sim/pass/passes.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file/file_io.h"
#include "base/memory.h"
#include "base/process/child_words.h"
#include "base/progress.h"
#include "base/file/scratch_file.h"
#include "blast/sequence/dust.h"
#include "model/forecast/sample_forecast.h"
#include "sim/measure/machine_frame.h"
#include "sim/measure/measure.h"
#include "sim/host/host_brief.h"
#include "sim/host/host_events.h"
#include "sim/simgrid/simgrid_module.h"
#include "sim/pass/pass_pool.h"
#include "sim/pass/pass_store.h"
#include "sim/platform/platform.h"
#include "sim/pass/run_drawings.h"
#include "sim/pass/joined_hosts.h"

/* Fewer passes say too little of the time left. */
enum { MARGIN_PASSES = 4 };

/* Number of passes that may be started beyond the first that has not ended: each keeps files open. */
enum { AHEAD_MAX = 256 };

/* Seconds between two displays of progress; between two looks at what others have sent, and at what processes that run
 * have read and written. */
static const double PROGRESS_S = 0.2, MESSAGE_S = 0.0005, LOOK_S = 0.005;

struct running {
    const struct passes *passes;
    struct passes_result *result;
    struct run_drawings drawings; /* written by the process of the pass that is drawn */
    struct pass_slots *slots;
    struct pass_state {
        bool started;                 /* it was given to a processor, here or elsewhere */
        struct pass_report *report;   /* NULL until it has ended */
        struct frame_records kept[2]; /* of each side: what it measured, in `records` */
    } * states;
    size_t ended;    /* number of passes that have */
    size_t gathered; /* number of the first passes, whose files have been taken in */
    struct joined_hosts *hosts;
    FILE *records[2];              /* of each side: what all passes measured on it */
    struct host_events *events;    /* if frames of the run are measured */
    struct pass_outline *outlines; /* of all passes, for the timeline */
    struct host_outline host;      /* of all hosts, for the timeline */
    struct drawn board_drawn;      /* of the pass that is drawn, with the worst status of all */
    int64_t drawn_end;             /* clock in which it has ended */
    struct progress progress;
    double *seconds;      /* processor_s of the passes that have been simulated now, as they ended */
    size_t seconds_count; /* number of these */
    size_t taken_up;      /* number of passes that an earlier try has left */
    double begin_s;
    bool crowd_is_told;
    int status; /* an enum pass_error, of what failed first; nothing more is begun then */
    struct why *why;
};

/* @return whether nothing has failed, now or before */
static bool passed(struct running *run, int status)
{
    run->status = run->status ? run->status : status;
    return run->status == 0;
}

/* --- the passes -------------------------------------------------------------------------------------- */

static void add_wall(struct passes_wall *sum, const struct pass_result *pass)
{
    sum->tables_s += pass->wall_tables_s;
    sum->system.stages_s += pass->wall.stages_s;
    sum->system.board_s += pass->wall.board_s;
    sum->system.stage3_s += pass->wall.stage3_s;
}

/* Keep what a pass measured on the board until it is known what the host did, and close its files: there may be more
 * passes than files can be open. */
static void keep_records(struct running *run, struct pass_report *report)
{
    FILE *all = run->records[SIDE_BOARD];
    if (report->job.records < 0)
        return;
    const off_t begin = ftello(all);
    const int64_t bytes = file_io_bytes(report->job.records);
    if (bytes < 0 || !file_io_copy(all, false, report->job.records, (uint64_t)bytes))
        passed(run, scratch_file_refuse_bytes("what a pass measured", run->why, PASS_EFILE));
    run->states[report->job.pass].kept[SIDE_BOARD] = (struct frame_records){all, begin, ftello(all)};
    file_io_close(&report->job.records);
}

/* Let the hosts have what a pass has left. */
static void add_to_hosts(struct running *run, struct host_pass *pass)
{
    const double begin_s = progress_wall_s();
    const int status = run->passes->how.brief ? host_brief_add(run->passes->how.brief, pass) : 0;
    if (status)
        passed(run, scratch_file_refuse_bytes("HSPs", run->why, PASS_EFILE));
    else if (run->hosts)
        passed(run, joined_hosts_add(run->hosts, pass, run->why));
    run->result->wall.host_s += progress_wall_s() - begin_s;
}

/* Take in what a pass has left; passes come in their order. */
static void gather_pass(struct running *run, struct pass_report *report)
{
    struct token_record_writer *record = run->passes->how.record;
    add_to_hosts(run, &report->result.host);
    if (run->status)
        return;
    alignment_list_append_list(&run->result->alignments, &report->result.alignments);
    alignment_list_destroy(&report->result.alignments);
    if (report->job.spool >= 0) {
        if (record && run->status == 0 && token_record_append(record, report->job.spool, run->why) != 0)
            passed(run, PASS_EFILE);
        file_io_close(&report->job.spool);
    }
    add_wall(&run->result->wall, &report->result);
    keep_records(run, report);
}

/* Whether a drawn pass is what it is in the whole run: with tables it depends on whether there is a pass before it, and
 * on the tables of the one after it. */
static bool is_of_run(const struct passes *c, size_t pass)
{
    const size_t number = pass_set_number(c, pass), next = pass + 1;
    if (!c->numbers || c->hardware->overlap != OVERLAP_TABLES || c->how.only_tokens)
        return true;
    return (pass == 0) == (number == 0) &&
           (next < c->pass_count ? c->numbers[next] : c->run_passes) == number + 1;
}

/* Whether an earlier try has left the pass. */
static bool is_kept(const struct running *run, size_t pass)
{
    struct pass_store *store = run->passes->how.store;
    return store && pass_store_has(store, pass_set_number(run->passes, pass)) &&
           !pass_is_drawn(run->passes, pass) && is_of_run(run->passes, pass);
}

/* Passes that an earlier try has left have ended, and are read when their turn comes. */
static void count_kept(struct running *run)
{
    char line[120];
    for (size_t i = 0; i < run->passes->pass_count; i++)
        if (is_kept(run, i)) {
            run->states[i].started = true;
            run->ended++;
            atomic_fetch_add(&run->slots->shared->counter, pass_set_words(run->passes));
        }
    run->taken_up = run->ended;
    snprintf(line, sizeof line,
             run->passes->numbers ? "%zu of %zu drawn passes have been simulated already"
                                  : "%zu of %zu passes had ended; the run goes on with the others",
             run->ended, run->passes->pass_count);
    if (run->ended > 0)
        progress_say(&run->progress, line);
}

/* Find the next pass that nobody simulates. @param here  for this process, which alone can write files of drawings */
static bool find_waiting(const struct running *run, bool here, size_t *pass)
{
    size_t left = run->passes->pass_count - run->gathered;
    size_t ahead =
        run->passes->how.ahead > 0 && run->passes->how.ahead < AHEAD_MAX ? run->passes->how.ahead : AHEAD_MAX;
    size_t end = run->gathered + (left < ahead ? left : ahead);
    for (*pass = run->gathered; *pass < end; (*pass)++)
        if (!run->states[*pass].started && (here || !pass_is_drawn(run->passes, *pass)))
            return true;
    return false;
}

/* Some of the passes of others may be lost. */
static bool find_pass(const struct running *run, bool here, size_t *pass)
{
    const struct passes_others *others = run->passes->how.others;
    if (find_waiting(run, here, pass))
        return true;
    while (others && others->find_lost(others->data, pass))
        if (!run->states[*pass].report)
            return true;
    return false;
}

/* Whether no processor is free for a pass: a process that reads what this run records takes one, unless it waits. */
static bool are_taken(const struct running *run)
{
    const struct token_record_writer *record = run->passes->how.record;
    const unsigned running = pass_pool_running(run->slots->pool);
    return pass_slots_are_full(run->slots) ||
           (record && running > 0 && running + token_record_busy_readers(record) >= run->passes->how.jobs);
}

/* Give passes to all processors that wait for one, the own ones first. */
static void hand_out(struct running *run)
{
    const struct passes_others *others = run->passes->how.others;
    size_t pass;
    while (run->status == 0 && !are_taken(run) && find_pass(run, true, &pass)) {
        run->states[pass].started = true;
        passed(run, pass_slots_start(run->slots, pass, run->why));
    }
    while (run->status == 0 && others && others->waits(others->data) && find_pass(run, false, &pass)) {
        run->states[pass].started = true;
        others->give(others->data, pass);
    }
}

static void take_in(struct running *run, struct pass_report *report)
{
    struct pass_store *store = run->passes->how.store;
    const size_t pass = report->job.pass, number = pass_set_number(run->passes, pass);
    if (run->states[pass].report) { /* simulated twice */
        pass_report_destroy(report);
        return;
    }
    run->states[pass].report = report;
    run->ended++;
    if (report->processor_s > 0) /* for the time that the run still takes */
        run->seconds[run->seconds_count++] = report->processor_s;
    if (store && !pass_store_has(store, number) && is_of_run(run->passes, pass) &&
        progress_wall_s() - run->begin_s >= run->passes->how.keep_after_s)
        passed(run, pass_store_add(store, number, report, run->why));
}

/* Take in the report of a pass that has ended, here or elsewhere. @return whether there is one */
static bool collect(struct running *run)
{
    const struct passes_others *others = run->passes->how.others;
    struct pass_report *report;
    if (run->status || run->ended == run->passes->pass_count)
        return false;
    int collected = pass_slots_collect(run->slots, &report, run->why);
    if (collected == 0 && others) {
        collected = others->collect(others->data, &report, run->why);
        if (collected > 0)
            atomic_fetch_add(&run->slots->shared->counter, pass_set_words(run->passes));
    }
    if (collected > 0)
        take_in(run, report);
    else
        passed(run, collected);
    return collected > 0;
}

/* Whether a pass that is kept has the files that passes of this run have, and alignments whose records and paths are
 * places in arrays. */
static bool fits(const struct passes *c, const struct pass_report *report)
{
    return (report->job.spool >= 0) == pass_set_is_recorded(c, report->job.pass) &&
           (report->job.records >= 0) == (c->how.measure != NULL) &&
           alignment_list_is_possible(&report->result.alignments, c->query, c->database);
}

static void read_kept(struct running *run, size_t pass)
{
    const size_t number = pass_set_number(run->passes, pass);
    struct pass_report **report = &run->states[pass].report;
    if (!passed(run, pass_store_read(run->passes->how.store, number, report, run->why)))
        return;
    (*report)->job.pass = pass;
    if (!fits(run->passes, *report))
        passed(run, why_say(run->why, PASS_ERECORD,
                            "pass %zu, which an earlier run has kept, contradicts itself", number + 1));
}

/* Take in the files of the next pass. @return whether it has ended */
static bool gather_next(struct running *run)
{
    const size_t pass = run->gathered;
    if (run->status == 0 && !run->states[pass].report && is_kept(run, pass))
        read_kept(run, pass);
    if (run->status || !run->states[pass].report)
        return false;
    run->gathered++;
    gather_pass(run, run->states[pass].report);
    return true;
}

/* Half of the 95% interval of the time left: the passes that have ended are taken for a random sample of all. */
static double margin_of(const struct running *run)
{
    const struct sample_stratum all = {run->passes->pass_count - run->taken_up, run->seconds_count};
    struct sample_estimate e;
    if (run->seconds_count < MARGIN_PASSES || sample_total(&all, 1, run->seconds, &e) != 0)
        return 0;
    struct sample_interval i = sample_interval(e);
    return (i.high - i.low) / 2 / run->passes->how.jobs;
}

/* Show progress. */
static void tell_progress(struct running *run)
{
    struct passes_progress *told = run->passes->how.progress;
    unsigned long long words = atomic_load(&run->slots->shared->counter);
    if (progress_is_due(&run->progress, (double)words * BASES_PER_WORD / 1e6))
        progress_expect(&run->progress, margin_of(run));
    progress_update(&run->progress, (double)words * BASES_PER_WORD / 1e6);
    if (!told)
        return;
    atomic_store(&told->words, pass_set_words(run->passes) * run->passes->pass_count);
    atomic_store(&told->done, words);
    atomic_store(&told->ended, run->ended);
    atomic_store(&told->passes, run->passes->pass_count);
}

/* Tell of a block with very many matches while the run can still be stopped. */
static void tell_of_crowd(struct running *run)
{
    const struct sequences *query = run->passes->query;
    unsigned long long matches = atomic_load(&run->slots->shared->crowd);
    struct dust_rule rule = dust_rule_default();
    auto_by(mask_destroy) struct mask mask = {0};
    char line[200];
    if (matches == 0 || run->crowd_is_told)
        return;
    run->crowd_is_told = true;
    int said = snprintf(line, sizeof line, "this query repeats itself (%llu matches per block)", matches);
    if (mask_count(&query->masked) > 0)
        snprintf(line + said, sizeof line - (size_t)said, ", besides what is masked");
    else {
        dust_mask_sequences(query, &rule, &mask);
        snprintf(line + said, sizeof line - (size_t)said, "; mask it with --dust yes (%.3g%% of it)",
                 100 * (double)mask_count(&mask) / (double)query->bases);
    }
    progress_say(&run->progress, line);
}

/* Whether something may happen before a pass of this process ends. */
static bool looks_often(const struct running *run)
{
    return run->slots->coupled || (are_taken(run) && !pass_slots_are_full(run->slots));
}

/* Wait a little for a pass to end. */
static void wait_a_little(struct running *run)
{
    const struct running *beside = run->passes->how.beside;
    tell_of_crowd(run);
    tell_progress(run);
    if (beside && !passed(run, pass_slots_look(beside->slots, run->why)))
        return;
    pass_pool_sleep(run->passes->how.others ? MESSAGE_S : looks_often(run) ? LOOK_S : PROGRESS_S);
}

/* Start SimGrid for the passes that have not begun. Where memory is limited it could end this process. */
static void start_engine(struct running *run)
{
    const struct passes *c = run->passes;
    size_t pass;
    if (!c->one_platform || c->how.only_tokens || child_words_addresses_are_limited() ||
        !find_waiting(run, true, &pass))
        return;
    const struct simgrid_module *simgrid = simgrid_module(run->why);
    if (passed(run, simgrid ? 0 : PASS_EENGINE))
        simgrid->start_for_children(c->platform_file);
}

/* Start the first passes, which build their tables while SimGrid tries the platform. */
static void begin_passes(struct running *run)
{
    struct platform *platform = run->passes->how.untried;
    if (platform && passed(run, platform_begin_trial(platform, run->why) ? PASS_EPLATFORM : 0)) {
        hand_out(run);
        if (run->status == 0)
            passed(run, platform_end_trial(platform, run->why) ? PASS_EPLATFORM : 0);
    }
    if (run->status == 0)
        start_engine(run);
}

/* Processors that are free come first, then what has ended, then what to do with it. */
static void run_passes(struct running *run)
{
    begin_passes(run);
    while (run->status == 0 && run->gathered < run->passes->pass_count) {
        hand_out(run);
        if (!collect(run) && !gather_next(run) && run->status == 0)
            wait_a_little(run);
    }
    tell_of_crowd(run); /* a pass may have ended before anybody looked */
    if (run->passes->how.others)
        run->passes->how.others->dismiss(run->passes->how.others->data);
}

/* --- the hosts ------------------------------------------------------------------------------------------- */

/* Take in the stamps of a pass. */
static void gather_stamps(struct running *run, const struct pass_report *report, double begin_s)
{
    if (machine_clocks_add_pass(run->result->clocks, &report->stamps, begin_s, run->why) == 0)
        return;
    why_append(run->why, ": a bug of Mercury's, please report it");
    passed(run, why_precede(run->why, PASS_EBUG, "pass %zu: ", report->job.pass + 1));
}

static void note_times(struct running *run, const struct host_pass *pass, int64_t end_clock)
{
    struct run_times *times = &run->result->times;
    int64_t origin = llround((pass->begin_s + pass->stream_begin_s) * run->passes->hardware->fpga_clock_hz);
    const int64_t build = (int64_t)(pass->build.begin_s * run->passes->hardware->fpga_clock_hz);
    times->origins[pass->number] = origin;
    times->firsts[pass->number] = pass->build.end_s > 0 && build < origin ? build : origin;
    times->end = origin + end_clock > times->end ? origin + end_clock : times->end;
}

/* Refuse to draw what is too long for a drawing: a timeline the run, waveforms their pass. */
static int check_drawing(const struct running *run, const struct host_pass *pass, struct why *why)
{
    const double board_s = (double)pass->board_end / run->passes->hardware->fpga_clock_hz;
    const bool fits = (!run->drawings.timeline.file || pass->end_s * 1e12 < (double)DRAWING_PS_MAX) &&
                      (!pass_is_drawn(run->passes, pass->number) || board_s * 1e12 < (double)DRAWING_PS_MAX);
    return fits ? 0
                : why_say(why, PASS_ELONG,
                          "--timeline, --vcd and --fst draw up to 53 days of simulated time; pass %zu ends "
                          "later: run again without them",
                          pass->number + 1);
}

/* The host_pass_taker: complete a pass's frame, with the host's side of what is measured and drawn. */
static int fill_pass(void *data, const struct host_pass *pass, struct why *why)
{
    struct running *run = data;
    struct pass_report *report = run->states[pass->number].report;
    FILE *all = run->records[SIDE_HOST];
    const struct pass_handling *how = &run->passes->how;
    struct host_instruments instruments = {
        .measure = how->measure ? measure_new(how->measure, SIDE_HOST, run->records[SIDE_HOST]) : NULL,
        .run = run->events && measure_plan_has_side(how->measure, SIDE_HOST_OF_RUN) ? run->events : NULL,
        .outline = run->drawings.timeline.file ? &run->host : NULL,
    };
    int status = check_drawing(run, pass, why);
    run->result->pass_times[pass->number] = (struct pass_times){
        .begin_s = pass->begin_s,
        .stream_begin_s = pass->begin_s + pass->stream_begin_s,
        .board_free_s = pass->begin_s + pass->board_s,
        .end_s = pass->end_s,
        .board = pass->board,
    };
    if (status == 0 && !how->only_times) {
        const off_t begin = all ? ftello(all) : 0;
        status = joined_hosts_fill(pass, run->passes->hardware, &instruments, &report->result.frame, why);
        note_times(run, pass, instruments.end_clock);
        if (pass_is_drawn(run->passes, pass->number))
            run->drawn_end = instruments.end_clock;
        if (status == 0 && instruments.measure)
            status = pass_finish_measure(instruments.measure, all, pass->number, why);
        run->states[pass->number].kept[SIDE_HOST] = (struct frame_records){all, begin, all ? ftello(all) : 0};
        report->charge.events +=
            how->charge && instruments.measure ? measure_frames_written(instruments.measure) : 0;
    }
    measure_destroy(instruments.measure);
    return status;
}

/* Times since the run began, and the board's number among those of all hosts. */
static void place_in_run(struct running *run, size_t number, double host_s)
{
    const struct hardware *hardware = run->passes->hardware;
    struct pass_times *times = &run->result->pass_times[number];
    times->begin_s += host_s;
    times->stream_begin_s += host_s;
    times->board_free_s += host_s;
    times->end_s += host_s;
    times->board += hardware_host_of(hardware, number) * hardware->boards;
}

/* Take in what is drawn of a pass. */
static void take_in_drawing(struct running *run, struct pass_report *report)
{
    struct drawn *drawn = &run->board_drawn;
    run->outlines[report->job.pass] = report->result.outline;
    report->result.outline = (struct pass_outline){0};
    drawn->status = report->board_drawn.status < drawn->status ? report->board_drawn.status : drawn->status;
    if (!pass_is_drawn(run->passes, report->job.pass))
        return;
    drawn->report = report->board_drawn.report;
    run->result->waves = report->waves;
}

static void take_in_windows(struct running *run, size_t pass, const struct stream_windows *windows)
{
    struct stream_windows *all = &run->result->windows;
    run->result->window_counts[pass] = windows->count;
    array_reserve(&all->items, &all->room, all->count, windows->count, sizeof *all->items);
    if (windows->count > 0)
        memcpy(all->items + all->count, windows->items, windows->count * sizeof *all->items);
    all->count += windows->count;
    all->words = windows->words;
}

/* Take in a pass whose frame is complete, but for when its host began; passes come in their order. */
static void end_pass(struct running *run, struct pass_report *report, const double *host_begins_s)
{
    size_t number = report->job.pass;
    double host_s = host_begins_s[hardware_host_of(run->passes->hardware, number)];
    place_in_run(run, number, host_s);
    if (!run->passes->how.only_times)
        gather_stamps(run, report, run->result->pass_times[number].begin_s);
    if (run->status == 0 && run->passes->how.measure &&
        !measure_report_add_pass(run->passes->how.measured, run->states[number].kept, run->result->clocks))
        passed(run, scratch_file_refuse_bytes("what a pass measured", run->why, PASS_EFILE));
    report->result.frame.begin_s += host_s;
    run->result->passes[number] = report->result.frame;
    run->result->processor_s[number] = report->processor_s;
    take_in_drawing(run, report);
    take_in_windows(run, number, &report->result.windows);
    measuring_charge_add(&run->result->charge, &report->charge);
}

/* Complete the frames of the run. */
static void end_measured_run(struct running *run)
{
    struct why bug;
    int status = host_events_end(run->events, &bug);
    const struct frame_records records = host_events_records(run->events);
    if (status == MEASURE_EBUG)
        passed(run,
               why_say(run->why, PASS_EBUG, "the run: %s: a bug of Mercury's, please report it", bug.line));
    else if (status || !measure_report_end_run(run->passes->how.measured, &records,
                                               run->passes->how.run_times, run->result->clocks))
        passed(run, scratch_file_refuse_bytes("what the run measured", run->why, PASS_EFILE));
}

/* Simulate what is left of the hosts, and end the passes in their order. */
static void run_the_hosts(struct running *run)
{
    double begin_s = progress_wall_s();
    struct joined_hosts_result hosts;
    passed(run, joined_hosts_end(run->hosts, &hosts, run->why));
    for (size_t i = 0; i < run->passes->pass_count && run->status == 0; i++) {
        end_pass(run, run->states[i].report, hosts.begins_s);
        pass_report_destroy(run->states[i].report);
        run->states[i].report = NULL;
    }
    if (run->status == 0 && run->events)
        end_measured_run(run);
    run->result->host = hosts.host;
    memcpy(run->result->host_begins_s, hosts.begins_s, sizeof run->result->host_begins_s);
    run->result->network = hosts.network;
    run->result->charge.agent_ps = frame_picoseconds(hosts.agent_s);
    run->result->charge.agent_share = hosts.agent_share;
    run->result->wall.host_s += progress_wall_s() - begin_s;
}

/* --- setting up ------------------------------------------------------------------------------------------ */

static bool set_up(struct running *run)
{
    const struct passes *c = run->passes;
    struct passes_result *result = run->result;
    const struct joined_hosts_request request = {
        .hardware = c->hardware,
        .platform_file = c->platform_file,
        .query = {c->query ? c->query->positions : 0, c->segments, c->pass_count},
        .take = fill_pass,
        .data = run,
        .only_times = c->how.only_times,
        .agent_share = c->how.charge ? c->hardware->measure_agent_share : 0,
        .check = c->how.events};
    for (enum measure_side side = SIDE_BOARD; side <= SIDE_HOST && c->how.measure; side++)
        if (!(run->records[side] = scratch_file_open()))
            return false;
    result->passes = memory_new(c->pass_count, sizeof *result->passes);
    result->pass_times = memory_new(c->pass_count, sizeof *result->pass_times);
    result->processor_s = memory_new(c->pass_count, sizeof *result->processor_s);
    result->window_counts = memory_new(c->pass_count, sizeof *result->window_counts);
    result->clocks = machine_clocks_new(c->hardware);
    result->times.origins = memory_new(c->pass_count, sizeof *result->times.origins);
    result->times.firsts = memory_new(c->pass_count, sizeof *result->times.firsts);
    run->states = memory_new(c->pass_count, sizeof *run->states);
    run->outlines = memory_new(c->pass_count, sizeof *run->outlines);
    run->seconds = memory_new(c->pass_count, sizeof *run->seconds);
    run->slots = pass_slots_new(c, &run->drawings);
    return (c->how.only_tokens || (run->hosts = joined_hosts_new(&request))) &&
           (!c->how.run_times ||
            (run->events = host_events_new(c->how.measure, c->how.run_times, c->pass_count)));
}

static void clean_up(struct running *run)
{
    pass_slots_destroy(run->slots);
    for (size_t i = 0; run->states && i < run->passes->pass_count; i++)
        pass_report_destroy(run->states[i].report);
    for (size_t i = 0; run->outlines && i < run->passes->pass_count; i++)
        pass_outline_destroy(&run->outlines[i]);
    free(run->states);
    free(run->outlines);
    free(run->seconds);
    host_outline_destroy(&run->host);
    joined_hosts_destroy(run->hosts);
    for (enum measure_side side = SIDE_BOARD; side <= SIDE_HOST; side++)
        file_io_end(run->records[side]);
    host_events_destroy(run->events);
}

/* @return its status */
static int close_run(struct running *run)
{
    const int status = run->status;
    clean_up(run);
    run_drawings_discard(&run->drawings);
    if (status)
        passes_result_destroy(run->result);
    free(run);
    return status;
}

/* If only the first passes of a record are timed, they have their share of the joints. */
static void copy_join(const struct passes *c, struct stitch_work *to)
{
    const struct recorded_run *run = token_record_run(c->recorded);
    size_t count = run->join.count * c->pass_count / run->facts.pass_count;
    to->cells = memory_take(count * sizeof *to->cells);
    memcpy(to->cells, run->join.cells, count * sizeof *to->cells);
    to->count = count;
}

static void join_alignments(struct running *run)
{
    const struct passes *c = run->passes;
    uint8_t *const *codes = run->slots->query_codes;
    const struct stage3_query query = {
        c->query, c->database, {codes[STRAND_PLUS], codes[STRAND_MINUS]}, c->statistics, c->least};
    double begin_s = progress_wall_s();
    if (c->recorded)
        copy_join(c, &run->result->join);
    else
        stitch_alignments(&run->result->alignments, &query, &run->result->join);
    run->result->wall.system.stage3_s += progress_wall_s() - begin_s;
}

static void sum_up(struct running *run)
{
    struct passes_result *result = run->result;
    for (size_t i = 0; i < run->passes->pass_count; i++)
        frame_add(&result->run, &result->passes[i], &machine_layout);
    machine_frame_end_run(&result->run, run->passes->hardware, run->passes->pass_count, result->host.end_s,
                          &result->host.inbox);
    machine_frame_add_join(&result->run, &result->join, run->passes->hardware);
}

/* Write the timeline, whose files have come to their end. */
static void write_timeline(struct running *run)
{
    const struct passes *c = run->passes;
    const struct run_drawings *d = &run->drawings;
    struct drawn *timeline = &run->result->timeline;
    const struct run_timeline request = {
        .request = c->how.drawing,
        .hardware = c->hardware,
        .passes = run->result->pass_times,
        .host_begins_s = run->result->host_begins_s,
        .segments = c->recorded ? token_record_run(c->recorded)->facts.segments : c->segments,
        .outlines = run->outlines,
        .pass_count = c->pass_count,
        .drawn_end = run->drawn_end,
        .board = d->board_events,
        .host = &run->host,
        .board_missing = run->board_drawn.report.missing,
    };
    *timeline = run->board_drawn;
    if (timeline->status >= 0)
        run->result->grain = run_timeline_write(&request, d->timeline.file, timeline);
    if (run->board_drawn.status < 0)
        passed(run, scratch_file_refuse_bytes("the events of the timeline", run->why, PASS_EFILE));
}

static void simulate_all(struct running *run)
{
    double mwmers = (double)pass_set_words(run->passes) * BASES_PER_WORD / 1e6;
    progress_begin(&run->progress, "Mwmers", mwmers * (double)run->passes->pass_count,
                   run->passes->how.quiet);
    run->result->wall.index_s = pass_slots_index_database(run->slots);
    run->result->wall.tables_s += run->result->wall.index_s;
    count_kept(run);
    run_passes(run);
    progress_end(&run->progress);
    if (run->status == 0 && !run->passes->how.only_tokens)
        run_the_hosts(run);
    if (run->status == 0)
        join_alignments(run);
    if (run->status || run->passes->how.only_tokens)
        return;
    sum_up(run);
    if (run->drawings.timeline.file)
        write_timeline(run);
    if (run->status == 0)
        passed(run,
               run_drawings_commit(&run->drawings, &run->result->timeline, &run->result->waves, run->why));
}

/* Make a run whose passes have not begun. */
static int open_run(const struct passes *passes, struct passes_result *result, struct running **out,
                    struct why *why)
{
    struct running *run = memory_new(1, sizeof *run);
    *result = (struct passes_result){0};
    *run = (struct running){.passes = passes, .result = result, .begin_s = progress_wall_s(), .why = why};
    run->status = run_drawings_open(&run->drawings, passes->how.drawing, why);
    if (run->status == 0 && passes->how.drawing)
        host_outline_init(&run->host, passes->how.drawing->bytes_max, passes->hardware->hosts,
                          passes->hardware->host_cores);
    if (run->status == 0 && !set_up(run))
        run->status = scratch_file_refuse(why, PASS_EFILE);
    if (run->status)
        return close_run(run);
    *out = run;
    return 0;
}

int passes_run(const struct passes *passes, struct passes_result *result, struct why *why)
{
    struct running *run;
    int status = open_run(passes, result, &run, why);
    return status ? status : passes_end(run);
}

int passes_begin(const struct passes *passes, struct passes_result *result, struct running **run,
                 struct why *why)
{
    struct running *begun;
    int status = open_run(passes, result, &begun, why);
    if (status)
        return status;
    hand_out(begun);
    if (begun->status)
        return close_run(begun);
    *run = begun;
    return 0;
}

int passes_end(struct running *run)
{
    simulate_all(run);
    return close_run(run);
}

void passes_give_up(struct running *run)
{
    if (!run)
        return;
    run->status = PASS_EPROCESS;
    close_run(run);
}

void passes_result_destroy(struct passes_result *result)
{
    free(result->passes);
    free(result->pass_times);
    free(result->processor_s);
    free(result->windows.items);
    free(result->window_counts);
    machine_clocks_destroy(result->clocks);
    free(result->times.origins);
    free(result->times.firsts);
    alignment_list_destroy(&result->alignments);
    stitch_work_destroy(&result->join);
    *result = (struct passes_result){0};
}
