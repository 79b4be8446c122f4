#include "app/run/run_session.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command.h"
#include "base/file/file_io.h"
#include "base/file/file_uses.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "blast/stage3/alignment.h"
#include "blast/stage3/scoring.h"
#include "blast/stage3/search.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_taps.h"
#include "sim/pass/pass_sample.h"
#include "sim/pass/pass_store.h"
#include "sim/pass/passes.h"
#include "sim/platform/platform.h"
#include "sim/run/measuring_cost.h"
#include "sim/run/run_limits.h"
#include "sim/simgrid/simgrid_module.h"
#include "sim/tokens/token_record.h"
#include "app/run/recorded_run.h"
#include "app/run/run_forecast.h"
#include "app/run/run_output.h"
#include "app/run/run_windows.h"
#include "app/why/window_theory.h"

/* A run, from its request to its files. */
struct session {
    const struct run_request *request;
    struct why *why;
    int status;             /* an enum command_status: how the run ends */
    struct run_facts facts; /* what is known of the run so far; `of`: the machine and what is compared */
    char platform_path[PATH_MAX];
    struct platform *platform;
    char *platform_text;
    bool tried; /* SimGrid has tried the platform, or does so with the first passes */
    struct scoring_statistics statistics;
    struct sequences query, database; /* the latter: what the passes stream */
    struct database_part *parts;      /* of each host; NULL if each has a copy */
    int *least_scores;                /* of the query's records */
    struct query_segment *segments;   /* of the passes that are simulated */
    struct sampled_run drawn;         /* if these are a sample: else `drawn.sample` is NULL */
    struct run_forecast forecast;
    bool timed_again, finds_limits, whole_record; /* see plan_record() */
    size_t limits_every, record_every;
    struct token_record_writer *record;
    char tokens_path[PATH_MAX];  /* of the record, if there is one */
    int tokens_file;             /* of a record for this run only; -1 if there is none */
    struct token_record *tokens; /* the record, to be read; NULL if it is not needed, or not yet */
    /* Timing passes from it, which begins while it is written if there are processors for both; NULL: not begun. */
    struct running *timing;
    struct passes timed_passes;
    struct passes_result timed;
    struct token_record *growing; /* the record that it reads at first; NULL: it has not begun */
    char store_path[PATH_MAX], resumed[PATH_MAX + 64]; /* the latter: what follows --resume */
    bool contradicted;        /* the passes that an earlier try has kept are of no use */
    struct pass_store *store; /* of the passes that have ended; NULL without a directory */
    struct pass_store_run kept;
    struct file_uses uses;         /* the files that the run reads and writes */
    struct directives directives;  /* what is measured beside the frames of passes */
    struct measure_plan *plan;     /* NULL if nothing is asked for */
    struct measure_report *report; /* likewise */
    bool measures_run;             /* over frames of the run: the run is timed first, and measured then */
    struct passes_result result;
    struct host_brief *brief; /* of the host's tasks; NULL if nobody asks what limits the run */
    struct run_limits limits;
    struct measuring_cost cost;
    double begin_s;
};

/* --- steps ----------------------------------------------------------------------------------------------- */

/* The steps below return whether the run goes on. Where it does not, `status` and the line of `why` are set. */
static bool goes_on(struct session *s, int status)
{
    s->status = command_status_of(status);
    return s->status == 0;
}

/* --- the machine ----------------------------------------------------------------------------------------- */

/* A recorded run again, or on the machine that the user describes, whose stages must compute the same. */
static bool load_recorded_machine(struct session *s)
{
    const struct run_options *o = &s->request->shared;
    const struct token_record_facts *then = &token_record_run(s->tokens)->facts;
    struct hardware *h = &s->facts.of.hardware;
    int status =
        recorded_machine_load(o, then, s->request->tokens, h, s->platform_path, &s->platform, s->why);
    if (run_options_name_machine(o))
        s->facts.of.platform_path = s->platform_path;
    return goes_on(s, status) && goes_on(s, platform_prepare(s->platform, h, s->why));
}

/* That of a recorded run whose tokens are made again keeps what was recorded but for its numbers. */
static bool load_machine(struct session *s)
{
    const struct run_request *r = s->request;
    struct hardware *h = &s->facts.of.hardware;
    if (!r->again)
        return goes_on(s, run_options_open_platform(&r->shared, s->platform_path, h, &s->platform, s->why)) &&
               goes_on(s, run_options_change_machine(&r->shared, r->preset, h, &s->statistics, s->why));
    int status = recorded_machine_open(r->again->facts, h, &s->platform, s->why);
    *h = *r->again->machine;
    snprintf(s->platform_path, sizeof s->platform_path, "%s", r->again->facts->platform_path);
    return goes_on(s, status) && goes_on(s, scoring_statistics_compute(&h->scoring, &s->statistics, s->why));
}

/* Its text says what no number does, such as the latency of the bus's link. */
static void keep_platform(struct session *s)
{
    struct token_record_facts *of = &s->facts.of;
    of->platform = s->platform_text = platform_text(s->platform, NULL, &of->platform_bytes);
}

/* --- input ----------------------------------------------------------------------------------------------- */

/* Refuse a file that is not what was recorded. */
static bool refuse_changed(struct session *s, const char *path, const char *what)
{
    return goes_on(
        s, why_refuse(s->why, "%.400s: the %s has changed since the run was recorded; record the run again",
                      path, what));
}

/* Nothing but a file can be read again. */
static bool check_is_file(struct session *s, const char *path, const char *what)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return goes_on(
            s, why_refuse(s->why,
                          "%.400s: the run's %s is needed again, and cannot be read from this directory: %s",
                          path, what, why_error(errno)));
    return S_ISREG(about.st_mode) ||
           goes_on(
               s, why_refuse(s->why, "%.400s: the run's %s is needed again, but it was no file", path, what));
}

/* Frames of the run put the passes of all boards together as those of one host. A record of such a frame would leave
 * when it ends; when that is in a pass depends on all passes before it, which are simulated at the same time. */
static int check_frames_of_run(struct session *s, const char *path)
{
    const uint32_t hosts = s->facts.of.hardware.hosts;
    const struct directive *d = measure_plan_find_run_frames(s->plan);
    s->measures_run = d != NULL;
    if (d && hosts > 1)
        return why_refuse(
            s->why,
            "%.300s:%u: %.90s: frames of the run are those of one host, but hosts = %u; use frames of "
            "passes, such as every 1 ms",
            path, d->line, d->name, (unsigned)hosts);
    if (d && s->request->shared.charge)
        return why_refuse(
            s->why,
            "%.300s:%u: %.90s: frames of the run cannot be charged with --charge-measurement; use frames "
            "of passes, such as every 1 ms",
            path, d->line, d->name);
    return 0;
}

/* Bind the file of directives to the machine. With "none", and without a directory for the results, only the frames of
 * passes are measured. */
static int bind_directives(struct session *s)
{
    const struct run_options *o = &s->request->shared;
    const char *name = o->measure, *none = NULL; /* why there is nothing to charge */
    const bool is_none = name && strcmp(name, "none") == 0;
    char path[PATH_MAX];
    if (is_none || !o->directory)
        none = is_none ? "with --measure none" : "without a directory for the measurements (-o DIR)";
    if (none && name && !is_none)
        return why_refuse(s->why, "--measure %.200s: needs a directory for the measurements (-o DIR)", name);
    if (none && o->charge)
        return why_refuse(s->why, "--charge-measurement: there is nothing to charge %s", none);
    if (none)
        return 0;
    if (!name && !run_options_find_data(path, "directives/default.tt"))
        return why_refuse(s->why,
                          "the default directives are not where the program was installed; name a file with "
                          "--measure, or none");
    if ((name && run_options_find_directives(name, path, s->why) != 0) ||
        directives_read(path, &machine_catalogue, &s->directives, s->why) != 0 ||
        measure_plan_make(&s->directives, &s->facts.of.hardware, path, &s->plan, s->why) != 0)
        return COMMAND_REFUSED;
    s->facts.measured = s->report = measure_report_new(s->plan);
    return s->report ? check_frames_of_run(s, path)
                     : why_refuse(s->why, "measurements cannot be kept: no temporary file");
}

static bool open_measure(struct session *s)
{
    return goes_on(s, bind_directives(s));
}

static void close_measure(struct session *s)
{
    measure_report_destroy(s->report);
    measure_plan_destroy(s->plan);
    directives_destroy(&s->directives);
    s->report = NULL;
    s->plan = NULL;
}

/* What is to be masked of the query. */
static void mask_query(struct session *s)
{
    const struct run_request *r = s->request;
    auto_by(mask_destroy) struct mask dust = {0};
    if (r->dust)
        dust_mask_sequences(&s->query, &r->dust_rule, &dust);
    mask_unite(&dust, r->lower_case ? &s->query.lower_case : &(struct mask){0}, &s->query.masked);
    s->facts.of.masking = (struct token_record_masking){
        r->dust, r->lower_case, r->dust ? r->dust_rule : (struct dust_rule){0}, mask_count(&s->query.masked)};
}

static bool read_sequences(struct session *s, const struct search_files *files, const char *name,
                           const char *what, const struct sequences *recorded, struct sequences *out)
{
    return (!recorded || check_is_file(s, name, what)) &&
           goes_on(s,
                   search_options_read(files->paths, files->count, name, what, s->facts.jobs, out, s->why)) &&
           (!recorded || out->digest == recorded->digest || refuse_changed(s, name, what));
}

/* If windows of a database are drawn, only these are kept; of the whole there are no words then. */
static bool read_database(struct session *s, const struct sequences *recorded)
{
    const struct run_request *r = s->request;
    struct run_windows **windows = &s->drawn.windows;
    if (!sample_request_is_of_database(&r->sample))
        return read_sequences(s, &r->search.databases, r->search.database, "database", recorded,
                              &s->database);
    int status = run_windows_open(&r->sample, &r->search, s->facts.jobs, &s->database, windows, s->why);
    if (*windows)
        s->facts.of.database = &(*windows)->whole;
    return goes_on(s, status);
}

static bool read_input(struct session *s)
{
    const double begin_s = progress_wall_s();
    const struct run_request *r = s->request;
    const struct search_options *search = &r->search;
    const struct token_record_facts *then = r->again ? r->again->facts : NULL;
    if (!read_sequences(s, &search->queries, search->query, "query", then ? then->query : NULL, &s->query) ||
        !read_database(s, then ? then->database : NULL))
        return false;
    if (r->query_loc.last > 0 &&
        !goes_on(s, search_options_cut(search->query, r->query_loc, &s->query, s->why)))
        return false;
    mask_query(s);
    s->facts.read_s = progress_wall_s() - begin_s;
    return !then || s->facts.of.masking.bases == then->masking.bases ||
           refuse_changed(s, search->query, "masked part of the query");
}

static bool deal_database(struct session *s)
{
    const uint32_t hosts = s->facts.of.hardware.hosts;
    const size_t records = s->database.record_count;
    if (!hardware_deals_database(&s->facts.of.hardware))
        return true;
    if (records < hosts)
        return goes_on(s, why_refuse(s->why,
                                     "distribution = database: %.400s has %zu record%s, too few for hosts = "
                                     "%" PRIu32 "; each host needs one",
                                     s->request->search.database, records, records == 1 ? "" : "s", hosts));
    s->parts = database_parts_new(&s->database, hosts);
    return true;
}

/* Into passes. If the database is dealt, each host has a pass for each segment against its part; those of a segment are
 * next to each other. */
static bool cut_query(struct session *s)
{
    struct token_record_facts *of = &s->facts.of;
    const struct search_options *search = &s->request->search;
    const size_t hosts = s->parts ? of->hardware.hosts : 1;
    size_t count = 0;
    auto_free struct query_segment *cut = segments_cut(s->query.positions, of->hardware.query_segment,
                                                       of->hardware.query_overlap, search->strands, &count);
    of->pass_count = count * hosts;
    of->segments = s->segments = memory_new(of->pass_count, sizeof *s->segments);
    for (size_t i = 0; i < of->pass_count; i++)
        s->segments[i] = cut[i / hosts];
    s->least_scores = search_least_scores(&s->statistics, &s->query, of->database, search->e_value);
    return goes_on(s, run_options_check_drawing(&s->request->shared, of->pass_count, s->why));
}

/* --- the sample ------------------------------------------------------------------------------------------ */

/* Refuse what cannot go together with a sample: what is left of one would seem to be of the whole run, or is of a pass
 * that may not be drawn. Windows are watched in one process after the other, each of which simulates the time of one
 * pass. */
static bool refuse_of_sample(struct session *s)
{
    static const char of_all[] = "a sample has not all passes; leave one of them out";
    const struct run_request *r = s->request;
    const struct hardware *h = &s->facts.of.hardware;
    const bool windows = s->drawn.windows, many = run_ranks_are_many(r->ranks);
    const char *name = r->sample.until > 0 ? "--until" : windows ? "--sample-database" : "--sample";
    struct drawn_file drawn = {NULL, NULL};
    for (unsigned i = 0; i < RUN_DRAWINGS && !drawn.path; i++)
        drawn = run_options_drawn(&r->shared, i);
    char of_hosts[80];
    snprintf(of_hosts, sizeof of_hosts, "forecasts are of one host; the machine has hosts = %" PRIu32,
             h->hosts);
    const struct {
        bool is_refused;
        const char *option; /* that it does not go together with; NULL: the machine, or mpirun */
        const char *reason;
    } rows[] = {
        {r->record, "--record", of_all},
        {drawn.path, drawn.option, of_all},
        {h->hosts > 1, NULL, of_hosts},
        {windows && r->shared.alignments, "-a",
         "windows of the database have no whole alignments; leave it out"},
        {windows && r->resume, "--resume", "passes over windows cannot go on; begin with -o"},
        {windows && many, NULL, "not under mpirun; expected one process, with -j for its processors"},
        {windows && (hardware_couples_boards(h) || h->overlap == OVERLAP_TABLES), NULL,
         "passes depend on each other where boards share a bus or tables overlap; expected a bus for each "
         "board, and schedule.overlap = drain or serial"},
        {!windows && r->sample.until > 0 && many, NULL,
         "under mpirun the number of passes must be known before; use --sample"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].is_refused)
            return goes_on(s, why_refuse(s->why, "%s%s%s: %s", rows[i].option ? rows[i].option : "",
                                         rows[i].option ? " with " : "", name, rows[i].reason));
    return true;
}

/* Simulate the drawn passes, and no others. */
static void take_drawn(struct session *s)
{
    struct sampled_run *d = &s->drawn;
    const size_t count = d->sample->count;
    struct query_segment *segments = memory_new(count, sizeof *segments);
    free(d->alignments);
    d->alignments = memory_new(count * (d->windows ? d->windows->sample->count : 1), sizeof *d->alignments);
    if (s->segments != d->run_segments)
        free(s->segments);
    for (size_t i = 0; i < count; i++)
        segments[i] = d->run_segments[d->sample->numbers[i]];
    s->facts.of.segments = s->segments = segments;
    s->facts.of.pass_count = count;
}

/* A sample of all passes is the run. */
static bool draw_sample(struct session *s)
{
    const struct sample_request *request = &s->request->sample;
    const bool is_made = sample_request_is_made(request);
    const size_t passes = s->facts.of.pass_count;
    struct sampled_run *d = &s->drawn;
    size_t count = passes;
    if ((is_made || d->windows) && !refuse_of_sample(s))
        return false;
    if (is_made && !goes_on(s, sample_request_count(request, passes, &count, s->why)))
        return false;
    if (count == passes && !d->windows)
        return true;
    d->sample = pass_sample_new(s->segments, passes, &s->query, count, sample_request_seed(request));
    d->run_segments = s->segments;
    s->facts.forecast = &s->forecast;
    take_drawn(s);
    if (d->windows)
        run_windows_watch(d->windows, count);
    return true;
}

/* Passes are recorded for the user; to be timed again, all of them; or because somebody sees what limits the run, for
 * which some are timed again. What limits it is not known of a sample, whose passes are not a run, and not of a machine
 * that is charged for measuring, which is another one without. */
static void plan_record(struct session *s)
{
    const struct run_request *r = s->request;
    const struct run_options *o = &r->shared;
    const struct token_record_facts *of = &s->facts.of;
    const size_t passes = s->drawn.sample ? s->drawn.sample->passes : of->pass_count;
    s->timed_again =
        !r->only_record && (o->charge || s->measures_run || hardware_couples_boards(&of->hardware));
    s->finds_limits =
        !r->only_record && !s->drawn.sample && !o->charge && (o->directory || o->json || !o->quiet);
    s->whole_record = r->record || r->tokens || s->timed_again;
    s->limits_every = run_limits_every(&of->hardware, passes, of->database->word_count);
    s->record_every = s->whole_record ? 0 : s->limits_every;
}

static bool has_record(const struct session *s)
{
    return s->whole_record || s->finds_limits;
}

static bool deal_query(struct session *s)
{
    bool dealt = deal_database(s) && cut_query(s) && draw_sample(s);
    if (dealt)
        plan_record(s);
    return dealt;
}

/* --- the passes ------------------------------------------------------------------------------------------ */

/* Boards that depend on each other are timed from a record; for another machine's record no time is needed. */
static bool computes_only(const struct session *s)
{
    return s->request->only_record || hardware_couples_boards(&s->facts.of.hardware);
}

/* The passes, with all that is asked for, unless only tokens are to be computed. */
static struct passes passes_of(const struct session *s, bool only_tokens)
{
    const struct run_request *r = s->request;
    const struct token_record_facts *of = &s->facts.of;
    const struct pass_sample *sample = s->drawn.sample;
    struct passes passes = {
        .hardware = &of->hardware,
        .platform_file = platform_simgrid_file(s->platform),
        .one_platform = true,
        .query = of->query,
        .database = &s->database,
        .parts = s->parts,
        .segments = of->segments,
        .pass_count = of->pass_count,
        .numbers = sample ? sample->numbers : NULL,
        .run_passes = sample ? sample->passes : 0,
        .statistics = &s->statistics,
        .least = {s->least_scores, r->limits.identity},
        .how = {.jobs = s->facts.jobs,
                .quiet = r->shared.quiet,
                .progress = r->again ? r->again->progress : NULL,
                .windows = s->drawn.windows ? s->drawn.windows->logs : NULL,
                .count_windows = window_theory_takes(&of->hardware) && !s->drawn.windows &&
                                 (r->shared.directory || !r->shared.quiet), /* somebody is told */
                .record = s->record,
                .record_every = s->record_every,
                .leave_tokens = sample && !s->drawn.windows, /* the whole run may go on with these passes */
                .only_tokens = only_tokens},
    };
    run_options_bound(&r->shared, &passes.how);
    if (only_tokens)
        return passes;
    passes.how.measure = s->measures_run ? NULL : s->plan;
    passes.how.measured = s->report;
    passes.how.drawing = run_options_draw(&r->shared) ? &r->shared.drawing : NULL;
    passes.how.brief = s->brief;
    passes.how.charge = r->shared.charge;
    passes.how.events = r->events;
    return passes;
}

/* --- the record ------------------------------------------------------------------------------------------ */

/* A record for this run only, that nobody sees, is large, and so beside the run's files, if there are any. */
static bool name_record(struct session *s)
{
    const char *directory = s->request->shared.directory;
    if (s->request->record) {
        snprintf(s->tokens_path, sizeof s->tokens_path, "%s", s->request->record);
        return true;
    }
    s->tokens_file = directory ? scratch_file_descriptor_in(directory) : scratch_file_descriptor();
    if (s->tokens_file < 0)
        return goes_on(s, directory ? why_refuse(s->why, "%.500s: no temporary file can be made there: %s",
                                                 directory, why_error(errno))
                                    : scratch_file_refuse(s->why, COMMAND_REFUSED));
    snprintf(s->tokens_path, sizeof s->tokens_path, "/proc/self/fd/%d", s->tokens_file);
    return true;
}

/* The platform goes along as it was read: its numbers are replaced by this run's when it is read again. */
static bool begin_record(struct session *s)
{
    struct token_record_facts facts = s->facts.of;
    facts.database = &s->database;
    facts.pass_count = pass_set_taken(facts.pass_count, s->record_every);
    auto_free struct query_segment *segments = memory_new(facts.pass_count, sizeof *segments);
    for (size_t i = 0; i < facts.pass_count; i++)
        segments[i] = s->segments[pass_set_nth_taken(i, s->record_every)];
    facts.segments = segments;
    return goes_on(s, token_record_create(s->tokens_path, &s->record, s->why)) &&
           goes_on(s, token_record_write_facts(s->record, &facts, s->why));
}

/* --- the run --------------------------------------------------------------------------------------------- */

/* Take up the passes of the run that was stopped. */
static bool take_up(struct session *s)
{
    const struct pass_store_run *run = pass_store_run(s->request->unfinished);
    s->store = s->request->unfinished;
    if (run->digest != s->kept.digest || run->passes != s->kept.passes)
        return goes_on(
            s,
            why_refuse(s->why,
                       "--resume %.400s: the run that was stopped had other inputs, another machine or other "
                       "options; run it as it was, or begin anew with -o instead of --resume",
                       s->request->shared.directory));
    if (!goes_on(s, run_output_status(pass_store_find_passes(s->store, s->why))))
        return false;
    run_output_keeps(s->resumed);
    return true;
}

/* Keep the passes that end, where the run has a directory; those of a growing sample, wherever it is. Passes of a
 * sample belong to the whole run. */
static bool open_store(struct session *s, const struct passes *passes)
{
    const struct run_request *r = s->request;
    const char *directory = r->shared.directory;
    struct passes whole = *passes;
    char sample[64];
    if (s->drawn.sample) {
        whole.segments = s->drawn.run_segments;
        whole.pass_count = s->drawn.sample->passes;
    }
    if (s->store || s->drawn.windows || (!directory && r->sample.until == 0))
        return true;
    s->kept = (struct pass_store_run){.digest = pass_set_digest(&whole),
                                      .passes = pass_set_of_run(passes),
                                      .command = r->command.bytes,
                                      .command_bytes = r->command.count,
                                      .begun = directory ? run_output_keeps : NULL,
                                      .data = s->resumed};
    snprintf(s->resumed, sizeof s->resumed, "%s%s", directory ? directory : "",
             sample_request_text(&r->sample, sample));
    if (directory)
        snprintf(s->store_path, sizeof s->store_path, "%s/" RUN_UNFINISHED, directory);
    if (r->unfinished)
        return take_up(s);
    s->store = pass_store_new(directory ? s->store_path : NULL, &s->kept);
    return true;
}

/* What does not balance is a bug of Mercury's; but if passes of an earlier try were read, their file may be wrong. */
static bool tell_kept_from_bug(struct session *s, int pass_error)
{
    bool kept = s->request->unfinished && (pass_error == PASS_EBUG || pass_error == PASS_ERECORD);
    if (!kept)
        return goes_on(s, run_output_status(pass_error));
    s->contradicted = true;
    struct why found = *s->why;
    char *bug = strstr(found.line, ": a bug of Mercury's");
    if (bug)
        *bug = '\0';
    return goes_on(s, why_refuse(s->why,
                                 "%.400s: its passes contradict themselves (%.300s); remove it and run again",
                                 s->store_path, found.line));
}

static bool simulate(struct session *s)
{
    const struct run_request *r = s->request;
    struct passes passes = passes_of(s, computes_only(s));
    const double begin_s = progress_wall_s();
    if (!open_store(s, &passes))
        return false;
    passes.how.store = s->store;
    passes.how.untried = s->tried || r->only_record ? NULL : s->platform;
    s->tried = true;
    passes.how.keep_after_s = s->drawn.sample ? 0 : r->keep_after_s;
    passes.how.others = run_ranks_others(r->ranks, &passes);
    passes.how.beside = s->timing;
    int status = passes_run(&passes, &s->result, s->why);
    if (status)
        return tell_kept_from_bug(s, status);
    alignment_list_finish(&s->result.alignments, &s->statistics, &s->query, s->facts.of.database,
                          r->search.e_value);
    if (s->drawn.sample) {
        /* what percentages leave out, each pass leaves out; numbers are limited of the whole run */
        struct alignment_limits limits = r->limits;
        limits.subjects = limits.alignments = 0;
        alignment_list_limit(&s->result.alignments, &s->query, &limits);
        sampled_run_count_alignments(&s->drawn, &s->result.alignments);
        if (s->drawn.windows) /* which cut them, and warm-ups have some twice */
            alignment_list_destroy(&s->result.alignments);
    }
    alignment_list_limit(&s->result.alignments, &s->query, &r->limits);
    s->facts.simulate_s = progress_wall_s() - begin_s;
    return true;
}

static void plan_timing(struct session *s, const struct token_record *tokens)
{
    s->timed_passes = passes_of(s, false);
    s->timed_passes.recorded = tokens;
    s->timed_passes.how.record = NULL;
}

/* Passes on boards that depend on each other are timed by one process per host, which begins with the first. */
static bool begin_timing(struct session *s)
{
    if (!hardware_couples_boards(&s->facts.of.hardware) || s->request->only_record || s->facts.jobs < 2)
        return true;
    if (!s->tried && (!goes_on(s, platform_begin_trial(s->platform, s->why)) ||
                      !goes_on(s, platform_end_trial(s->platform, s->why))))
        return false;
    s->tried = true;
    struct token_record_facts facts = s->facts.of;
    facts.database = &s->database;
    int status = token_record_follow(s->record, &facts, &s->growing, s->why);
    if (status == TOKEN_RECORD_EFILE) /* it is timed when it is whole */
        return true;
    if (!goes_on(s, status))
        return false;
    plan_timing(s, s->growing);
    return goes_on(s, run_output_status(passes_begin(&s->timed_passes, &s->timed, &s->timing, s->why)));
}

static void drop_timing(struct session *s)
{
    passes_give_up(s->timing);
    token_record_close(s->growing);
    s->timing = NULL;
    s->growing = NULL;
}

/* The record is whole. */
static int time_record(struct session *s)
{
    struct running *timing = s->timing;
    s->timing = NULL;
    if (timing)
        s->timed_passes.recorded = s->tokens;
    else
        plan_timing(s, s->tokens);
    return timing ? passes_end(timing) : passes_run(&s->timed_passes, &s->timed, s->why);
}

/* Time passes from their tokens, and keep of what the stages have computed what tokens do not say. */
static int time_passes(struct session *s)
{
    int status = time_record(s);
    if (status)
        return status;
    struct passes_result timed = s->timed, *computed = &s->result;
    timed.alignments = computed->alignments;
    computed->alignments = (struct alignment_list){0};
    timed.join.reaches = computed->join.reaches; /* the record has the same extensions without them */
    computed->join.reaches = NULL;
    for (size_t i = 0; computed->processor_s && i < s->timed_passes.pass_count; i++)
        timed.processor_s[i] = computed->processor_s[i]; /* of stages 1 to 3 */
    timed.wall.index_s += computed->wall.index_s;
    timed.wall.tables_s += computed->wall.tables_s;
    timed.wall.host_s += computed->wall.host_s;
    timed.wall.system.stages_s += computed->wall.system.stages_s;
    timed.wall.system.board_s += computed->wall.system.board_s;
    timed.wall.system.stage3_s += computed->wall.system.stage3_s;
    passes_result_destroy(computed);
    *computed = timed;
    return 0;
}

/* Measure over frames of the run, whose borders in a pass are known only when the passes before it are: the run was
 * timed without measurements, which has told when each pass begins, and is timed again. Measuring that is not charged
 * changes no time. */
static int measure_frames_of_run(struct session *s, const struct passes *passes)
{
    const struct run_times *times = &s->result.times;
    struct passes again = passes_again(passes, s->tokens);
    auto_by(passes_result_destroy) struct passes_result measured = {0};
    again.how.measure = s->plan;
    again.how.measured = s->report;
    again.how.run_times = times;
    int status = passes_run(&again, &measured, s->why);
    if (status)
        return status;
    if (times->end != measured.times.end ||
        memcmp(times->origins, measured.times.origins, again.pass_count * sizeof *times->origins) != 0)
        return why_say(s->why, PASS_EBUG,
                       "the run had other times when it was measured: a bug of Mercury's, please report it");
    return 0;
}

/* What needs the tokens. */
static bool use_tokens(struct session *s)
{
    struct passes passes = passes_of(s, false);
    const double begin_s = progress_wall_s();
    int status = s->request->tokens || hardware_couples_boards(passes.hardware) ? time_passes(s) : 0;
    if (status == 0 && s->request->shared.charge)
        status = measuring_cost_find(&passes, &s->result, s->tokens, &s->cost, s->why);
    if (status == 0 && s->measures_run)
        status = measure_frames_of_run(s, &passes);
    passes.recorded = s->tokens;
    if (status == 0 && s->brief)
        status =
            run_limits_find(&passes, s->limits_every, s->record_every == 0, &s->result, &s->limits, s->why);
    s->drawn.retime_s = progress_wall_s() - begin_s;
    s->facts.simulate_s += s->drawn.retime_s;
    return goes_on(s, run_output_status(status));
}

static void open_brief(struct session *s)
{
    if (!s->finds_limits)
        return;
    s->brief = host_brief_new(&s->facts.of.hardware, s->facts.of.pass_count);
    s->facts.run_limits = &s->limits;
}

static bool compute_and_time(struct session *s)
{
    const struct alignment_list none = {0};
    const bool records = has_record(s);
    int status = 0;
    open_brief(s);
    if ((records && !(name_record(s) && begin_record(s) && begin_timing(s))) || !simulate(s))
        return false;
    if (records)
        status = token_record_commit(s->record, s->whole_record ? &s->result.alignments : &none,
                                     &s->result.join, s->why);
    s->record = NULL;
    if (!goes_on(s, status) || !(s->timed_again || s->brief))
        return s->status == 0;
    status = token_record_open(s->tokens_path, &s->tokens, s->why);
    if (status)
        return goes_on(s, COMMAND_FAILED);
    bool used = use_tokens(s);
    token_record_close(s->tokens);
    s->tokens = NULL;
    return used;
}

static bool simulate_to_files(struct session *s)
{
    const bool simulated = compute_and_time(s);
    drop_timing(s);
    return simulated;
}

/* --- a sample's run --------------------------------------------------------------------------------------- */

/* Find the bytes of the tables of all passes. */
static void find_table_bytes(struct session *s)
{
    struct sampled_run *d = &s->drawn;
    if (d->table_bytes)
        return;
    d->table_bytes = memory_new(d->sample->passes, sizeof *d->table_bytes);
    for (size_t i = 0; i < d->sample->passes; i++)
        d->table_bytes[i] = (double)pass_table_bytes(d->hardware, &s->query, &d->run_segments[i]);
}

/* Draw the passes that --until seems to need, but not too many at once, and forget what the smaller sample has left,
 * but for the passes that are kept. */
static bool draw_more(struct session *s)
{
    struct pass_sample *sample = s->drawn.sample;
    const size_t count = sample->count, most = sample_request_most(sample->passes),
                 least = count + count / 4 + 1;
    size_t needed = s->forecast.needed_until;
    needed = needed < least ? least : needed < 2 * count ? needed : 2 * count;
    pass_sample_grow(sample, needed < most ? needed : most);
    passes_result_destroy(&s->result);
    file_io_close(&s->tokens_file);
    close_measure(s);
    take_drawn(s);
    return open_measure(s);
}

/* Simulate again with more passes until the forecast is narrow. Passes that have ended are taken up. */
static bool simulate_sample(struct session *s)
{
    s->drawn.jobs = s->facts.jobs;
    s->drawn.read_s = s->facts.read_s;
    while (simulate_to_files(s)) {
        find_table_bytes(s);
        run_forecast_make(&s->drawn, &s->forecast);
        if (run_forecast_is_narrow(&s->forecast) ||
            s->drawn.sample->count >= sample_request_most(s->drawn.sample->passes))
            return true;
        if (!draw_more(s))
            return false;
    }
    return false;
}

/* --- the session ----------------------------------------------------------------------------------------- */

static bool write_output(struct session *s)
{
    s->facts.wall_s = progress_wall_s() - s->begin_s;
    return goes_on(s, run_output_write(&s->facts, s->why));
}

/* What can go wrong before the first pass, beside the input. */
static bool check_output(struct session *s)
{
    const struct run_request *r = s->request;
    const struct alignment_format *format = r->shared.format;
    if (!r->tokens && format->check && format->check(&s->query, s->facts.of.database, s->why) != 0)
        return goes_on(s, COMMAND_REFUSED);
    file_uses_write(&s->uses, "--record", r->record);
    return goes_on(s, run_output_probe(&r->shared, s->drawn.sample, &s->uses, s->why));
}

/* Before standard input has been read, and is closed. */
static void note_input(struct session *s)
{
    search_options_note(&s->request->search, &s->uses);
    file_uses_read(&s->uses, "the record", s->request->tokens);
    if (*s->platform_path)
        file_uses_read(&s->uses, "the platform", s->platform_path);
}

/* One rank gives its passes to others, which would hear too late that SimGrid refuses the platform. */
static bool prepare(struct session *s, bool leads)
{
    note_input(s);
    s->tried = run_ranks_are_many(s->request->ranks);
    return goes_on(s, scratch_file_probe(s->why)) && open_measure(s) && read_input(s) &&
           goes_on(s, platform_write(s->platform, &s->facts.of.hardware, s->why)) && deal_query(s) &&
           (!leads || check_output(s)) &&
           (!s->tried || (goes_on(s, platform_begin_trial(s->platform, s->why)) &&
                          goes_on(s, platform_end_trial(s->platform, s->why))));
}

/* --- the whole ------------------------------------------------------------------------------------------- */

/* Under mpirun the ranks share the processors. Passes that are timed again take one each. */
static unsigned jobs_of(const struct run_request *r, size_t recorded)
{
    return run_options_jobs(&r->shared, r->tokens                         ? recorded
                                        : r->ranks && r->shared.jobs == 0 ? 1
                                                                          : SIZE_MAX);
}

/* Time a record again. */
static bool retime(struct session *s)
{
    const char *free_part = s->request->free_part;
    const double begin_s = progress_wall_s();
    if (!goes_on(s, scratch_file_probe(s->why)) ||
        !goes_on(s, token_record_open(s->request->tokens, &s->tokens, s->why)))
        return false;
    const struct recorded_run *then = token_record_run(s->tokens);
    s->facts.read_s = progress_wall_s() - begin_s;
    s->facts.of = then->facts;
    s->facts.alignments = &then->alignments;
    s->facts.strand = search_options_strand_name(token_record_strands(&then->facts));
    s->facts.jobs = jobs_of(s->request, then->facts.pass_count);
    if (!goes_on(s, run_options_check_drawing(&s->request->shared, then->facts.pass_count, s->why)) ||
        !load_recorded_machine(s))
        return false;
    keep_platform(s);
    if (free_part) {
        struct passes passes = passes_of(s, false);
        passes.recorded = s->tokens;
        return goes_on(s, run_output_status(run_limits_write_free(&passes, free_part, stdout, s->why)));
    }
    note_input(s);
    if (!open_measure(s) || !check_output(s))
        return false;
    plan_record(s);
    open_brief(s);
    return use_tokens(s) && write_output(s);
}

/* For another machine's record neither SimGrid nor any output but the record is needed. */
static bool run(struct session *s)
{
    const struct run_request *r = s->request;
    const bool leads = run_ranks_lead(r->ranks);
    s->facts.jobs = jobs_of(r, 0);
    if (!r->dump_config && !r->only_record)
        simgrid_module_begin(); /* loading it takes longer than all that a small run does before its passes */
    if (!load_machine(s))
        return false;
    keep_platform(s);
    if (r->dump_config && leads)
        hardware_dump(&s->facts.of.hardware, stdout);
    if (r->dump_config)
        return true; /* main() finds out about a full disk */
    if (r->only_record)
        return read_input(s) && deal_query(s) && simulate_to_files(s);
    if (!prepare(s, leads))
        return false;
    if (!leads) {
        struct passes passes = passes_of(s, computes_only(s));
        passes.how.leave_tokens = passes.how.leave_tokens || has_record(s);
        return goes_on(s, run_ranks_serve(r->ranks, &passes, s->why));
    }
    return (s->drawn.sample ? simulate_sample(s) : simulate_to_files(s)) && write_output(s);
}

static void close_session(struct session *s)
{
    simgrid_module_wait();
    token_record_discard(s->record);
    token_record_close(s->tokens);
    if (s->store != s->request->unfinished)
        pass_store_close(s->store);
    file_uses_destroy(&s->uses);
    file_io_close(&s->tokens_file);
    close_measure(s);
    passes_result_destroy(&s->result);
    host_brief_destroy(s->brief);
    free(s->platform_text);
    free(s->segments);
    free(s->least_scores);
    free(s->drawn.run_segments);
    free(s->drawn.alignments);
    free(s->drawn.table_bytes);
    pass_sample_destroy(s->drawn.sample);
    database_parts_destroy(s->parts, s->facts.of.hardware.hosts);
    sequences_destroy(&s->query);
    sequences_destroy(&s->database);
    run_windows_close(s->drawn.windows);
    platform_close(s->platform);
}

int run_session(const struct run_request *r, struct why *why)
{
    auto_free struct session *s =
        memory_take(sizeof *s); /* some 100 KB, for which a stack may not grow any more */
    *s = (struct session){.request = r, .why = why, .tokens_file = -1, .begin_s = progress_wall_s()};
    s->facts = (struct run_facts){
        .options = &r->shared,
        .command_line = r->command_text,
        .strand = search_options_strand_name(r->search.strands),
        .engine = r->tokens   ? NULL
                  : r->events ? "events"
                              : "fast",
        .query_loc = r->query_loc,
        .record_path = r->tokens,
        .result = &s->result,
        .alignments = &s->result.alignments,
        .cost = r->shared.charge ? &s->cost : NULL,
        .of = {.e_value = r->search.e_value,
               .platform_path = s->platform_path,
               .query_path = r->search.query,
               .database_path = r->search.database,
               .query = &s->query,
               .database = &s->database,
               .limits = r->limits},
    };
    s->drawn = (struct sampled_run){
        .hardware = &s->facts.of.hardware, .result = &s->result, .until = r->sample.until};
    run_output_begin();
    if (r->tokens)
        retime(s);
    else
        run(s);
    const bool ended = s->status == 0, has_file = s->store && r->shared.directory;
    if (has_file && ended && !s->drawn.sample) /* a sample's passes stay for the rest of the run */
        TEMP_FAILURE_RETRY(unlink(s->store_path));
    else if (has_file && !ended && pass_store_count(s->store) > 0 && !s->contradicted)
        why_append(why, "; those that had ended before are kept: mercury run --resume %.400s", s->resumed);
    const int status = s->status;
    close_session(s);
    return status;
}

int run_session_again(const struct run_again *again, const char *record, struct why *why)
{
    const struct token_record_facts *f = again->facts;
    struct run_request request = {
        .shared = run_options_default(),
        .search = {.strands = token_record_strands(f), .e_value = f->e_value},
        .record = record,
        .lower_case = f->masking.lower_case,
        .limits = f->limits,
        .again = again,
        .only_record = true,
    };
    request.shared.quiet = true;
    search_options_set_files(&request.search, f->query_path, f->database_path);
    if (f->masking.dust) { /* a rule of a record, where any numbers may stand */
        const struct dust_rule *rule = &f->masking.rule;
        char text[64];
        snprintf(text, sizeof text, "%u %u %u", rule->level, rule->window, rule->linker);
        request.dust = true;
        if (dust_rule_parse(text, &request.dust_rule, why) != 0)
            return COMMAND_REFUSED;
    }
    return run_session(&request, why);
}
