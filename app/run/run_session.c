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
#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/progress.h"
#include "base/file/scratch_file.h"
#include "blast/stage3/alignment.h"
#include "blast/stage3/scoring.h"
#include "blast/stage3/search.h"
#include "sim/board/hardware.h"
#include "sim/tokens/token_record.h"
#include "sim/simgrid/simgrid_module.h"
#include "sim/pass/pass_store.h"
#include "sim/run/measuring_cost.h"
#include "sim/pass/pass_sample.h"
#include "sim/pass/passes.h"
#include "sim/platform/platform.h"
#include "sim/run/run_limits.h"
#include "app/run/measure_setup.h"
#include "app/run/recorded_run.h"
#include "app/run/run_forecast.h"
#include "app/run/run_output.h"
#include "app/run/run_windows.h"

/* A run, from its request to its files. */
struct session {
    const struct run_request *request;
    char platform_path[PATH_MAX]; /* of the user's */
    struct platform *platform;
    bool tried; /* SimGrid has tried the platform, or does so with the first passes */
    struct hardware hardware;
    struct scoring_statistics statistics;
    struct sequences query, database; /* the latter: what the passes stream */
    struct run_windows *windows;      /* of which that is a sample; NULL if it is the whole */
    struct database_part *parts;      /* of each host; NULL if each has a copy */
    int *least_scores;                /* of the query's records */
    struct query_segment *segments;   /* of the passes that are simulated */
    size_t pass_count;
    struct pass_sample *sample;         /* NULL: all passes are simulated */
    struct query_segment *run_segments; /* of all passes, of which these are a sample; else NULL */
    double *alignments;                 /* of each drawn pass, in each drawn window */
    bool cuts_alignments;               /* windows do */
    double *table_bytes;                /* of all passes of the run; NULL if they are not needed */
    struct run_forecast forecast;
    struct token_record_writer *record;
    char tokens_path[PATH_MAX];  /* of the record, if there is one */
    int tokens_file;             /* of a record for this run only; -1 if there is none */
    struct token_record *tokens; /* the record, to be read; NULL if it is not needed, or not yet */
    char store_path[PATH_MAX], resumed[PATH_MAX + 64]; /* the latter: what follows --resume */
    bool contradicted;        /* the passes that an earlier try has kept are of no use */
    struct pass_store *store; /* of the passes that have ended; NULL without a directory */
    struct pass_store_run kept;
    struct file_uses uses; /* the files that the run reads and writes */
    struct measure_setup measure;
    struct passes_result result;
    struct host_brief *brief; /* of the host's tasks; NULL if nobody asks what limits the run */
    struct run_limits limits;
    struct measuring_cost cost;
    double begin_s, read_s, simulate_s, retime_s;
    struct why *why;
};

/* --- the machine ----------------------------------------------------------------------------------------- */

/* A recorded run again, or on the machine that the user describes, whose stages must compute the same. */
static int load_recorded_machine(struct session *s)
{
    const struct run_request *r = s->request;
    const struct token_record_facts *facts = &token_record_run(s->tokens)->facts;
    const bool named = run_options_name_machine(&r->shared);
    int status =
        named ? run_options_open_platform(&r->shared, s->platform_path, &s->hardware, &s->platform, s->why)
              : recorded_machine_open(facts, &s->hardware, &s->platform, s->why);
    if (status == 0)
        status = run_options_apply_sets(&r->shared, &s->hardware, s->why);
    if (status == 0)
        status = recorded_machine_check(facts, &s->hardware, r->tokens, named, s->why);
    if (status == 0 && (hardware_check(&s->hardware, s->why) != 0 ||
                        platform_prepare(s->platform, &s->hardware, s->why) != 0))
        status = COMMAND_REFUSED;
    return status;
}

static int load_machine_again(struct session *s)
{
    const struct run_again *again = s->request->again;
    int status = recorded_machine_open(again->facts, &s->hardware, &s->platform, s->why);
    if (status)
        return status;
    s->hardware = *again->machine;
    snprintf(s->platform_path, sizeof s->platform_path, "%s", again->facts->platform_path);
    return scoring_statistics_compute(&s->hardware.scoring, &s->statistics, s->why) != 0 ? COMMAND_REFUSED
                                                                                         : 0;
}

static int load_machine(struct session *s)
{
    if (s->request->again)
        return load_machine_again(s);
    int status =
        run_options_open_platform(&s->request->shared, s->platform_path, &s->hardware, &s->platform, s->why);
    return status ? status
                  : run_options_change_machine(&s->request->shared, s->request->scores, &s->hardware,
                                               &s->statistics, s->why);
}

static int dump_machine(struct session *s)
{
    hardware_dump(&s->hardware, stdout);
    if (fflush(stdout) == 0)
        return 0;
    return why_say(s->why, COMMAND_REFUSED, "standard output cannot be written");
}

/* --- input ----------------------------------------------------------------------------------------------- */

/* Refuse a file that is not what was recorded. */
static int refuse_changed(const char *path, const char *what, struct why *why)
{
    return why_say(why, COMMAND_REFUSED,
                   "%.400s: the %s has changed since the run was recorded; record the run again", path, what);
}

/* Nothing but a file can be read again. */
static int check_is_file(const char *path, const char *what, struct why *why)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return why_say(why, COMMAND_REFUSED,
                       "%.400s: the run's %s is needed again, and cannot be read from this directory: %s",
                       path, what, strerror(errno));
    if (S_ISREG(about.st_mode))
        return 0;
    return why_say(why, COMMAND_REFUSED, "%.400s: the run's %s is needed again, but it was no file", path,
                   what);
}

/* What is to be masked of the query. */
static int mask_query(struct session *s)
{
    struct mask dust = {0}, none = {0};
    const struct mask *lower_case = s->request->lower_case ? &s->query.lower_case : &none;
    bool masked = (!s->request->dust || dust_mask_sequences(&s->query, &s->request->dust_rule, &dust)) &&
                  mask_unite(&dust, lower_case, &s->query.masked);
    mask_destroy(&dust);
    return masked ? 0 : why_no_memory(s->why, COMMAND_REFUSED);
}

/* Under mpirun the ranks share the processors. Passes that are timed again take one each. */
static unsigned jobs_of(const struct session *s)
{
    const struct run_request *r = s->request;
    const size_t most = r->tokens                         ? token_record_run(s->tokens)->facts.pass_count
                        : r->ranks && r->shared.jobs == 0 ? 1
                                                          : SIZE_MAX;
    return run_options_jobs(&r->shared, most);
}

static int read_sequences(struct session *s, const struct search_files *files, const char *name,
                          const char *what, const struct sequences *recorded, struct sequences *out)
{
    int status = recorded ? check_is_file(name, what, s->why) : 0;
    if (status == 0)
        status = search_options_read(files->paths, files->count, name, what, jobs_of(s), out, s->why);
    if (status == 0 && recorded && out->digest != recorded->digest)
        status = refuse_changed(name, what, s->why);
    return status;
}

/* If windows of a database are drawn, only these are kept. */
static int read_database(struct session *s, const struct sequences *recorded)
{
    const struct search_options *search = &s->request->search;
    if (sample_request_is_of_database(&s->request->sample))
        return run_windows_open(&s->request->sample, search, jobs_of(s), &s->database, &s->windows, s->why);
    return read_sequences(s, &search->databases, search->database, "database", recorded, &s->database);
}

/* The database that was asked for; of a sample it has no words. */
static const struct sequences *whole_database(const struct session *s)
{
    return s->windows ? &s->windows->whole : &s->database;
}

static int read_input(struct session *s)
{
    double begin_s = progress_wall_s();
    const struct search_options *search = &s->request->search;
    const struct token_record_facts *then = s->request->again ? s->request->again->facts : NULL;
    int status =
        read_sequences(s, &search->queries, search->query, "query", then ? then->query : NULL, &s->query);
    if (status == 0)
        status = read_database(s, then ? then->database : NULL);
    if (status == 0 && s->request->query_loc.last > 0)
        status = search_options_cut(search->query, s->request->query_loc, &s->query, s->why);
    if (status == 0)
        status = mask_query(s);
    if (status == 0 && then && mask_count(&s->query.masked) != then->masking.bases)
        status = refuse_changed(search->query, "masked part of the query", s->why);
    s->read_s = progress_wall_s() - begin_s;
    return status;
}

static int deal_database(struct session *s)
{
    const uint32_t hosts = s->hardware.hosts;
    if (!hardware_deals_database(&s->hardware))
        return 0;
    if (s->database.record_count < hosts)
        return why_say(s->why, COMMAND_REFUSED,
                       "distribution = database: %.400s has %zu record%s, too few for hosts = %" PRIu32
                       "; each host needs one",
                       s->request->search.database, s->database.record_count,
                       s->database.record_count == 1 ? "" : "s", hosts);
    s->parts = database_parts_new(&s->database, hosts);
    return s->parts ? 0 : why_no_memory(s->why, COMMAND_REFUSED);
}

/* Each host has a pass for each segment against its part; those of a segment are next to each other. */
static bool repeat_segments(struct session *s)
{
    const uint32_t hosts = s->hardware.hosts;
    struct query_segment *dealt = calloc(s->pass_count * hosts, sizeof *dealt);
    for (size_t i = 0; dealt && i < s->pass_count * hosts; i++)
        dealt[i] = s->segments[i / hosts];
    free(s->segments);
    s->segments = dealt;
    s->pass_count *= hosts;
    return dealt != NULL;
}

/* Into passes. */
static int cut_query(struct session *s)
{
    s->segments = segments_cut(s->query.positions, s->hardware.query_segment, s->hardware.query_overlap,
                               s->request->search.strands, &s->pass_count);
    s->least_scores =
        search_least_scores(&s->statistics, &s->query, whole_database(s), s->request->search.e_value);
    if (!s->segments || !s->least_scores || (s->parts && !repeat_segments(s)))
        return why_no_memory(s->why, COMMAND_REFUSED);
    return run_options_check_drawing(&s->request->shared, s->pass_count, s->why);
}

/* --- the sample ------------------------------------------------------------------------------------------ */

/* Refuse what cannot go together with a sample: what is left of one would seem to be of the whole run, or is of a pass
 * that may not be drawn. Windows are watched in one process after the other, each of which simulates the time of one
 * pass. */
static int refuse_of_sample(const struct session *s)
{
    const struct run_request *r = s->request;
    const struct drawing_request *d = &r->shared.drawing;
    const bool windows = s->windows, many = run_ranks_are_many(r->ranks);
    const char *name = r->sample.until > 0 ? "--until" : windows ? "--sample-database" : "--sample";
    const struct {
        bool is_asked;
        const char *option;
    } of_all_passes[] = {{r->record, "--record"},
                         {d->timeline_path, "--timeline"},
                         {d->vcd_path, "--vcd"},
                         {d->fst_path, "--fst"},
                         {d->times_path, "--export-times"}};
    const struct {
        bool is_refused;
        const char *line;
    } others[] = {
        {windows && r->shared.alignments,
         "-a with --sample-database: windows of the database have no whole alignments; leave it out"},
        {windows && r->resume,
         "--resume with --sample-database: passes over windows cannot go on; begin with -o"},
        {windows && many,
         "--sample-database: not under mpirun; expected one process, with -j for its processors"},
        {windows && (hardware_couples_boards(&s->hardware) || s->hardware.overlap == OVERLAP_TABLES),
         "--sample-database: passes depend on each other where boards share a bus or tables overlap; expected a "
         "bus for each board, and schedule.overlap = drain or serial"},
        {!windows && r->sample.until > 0 && many,
         "--until: under mpirun the number of passes must be known before; use --sample"}};
    for (size_t i = 0; i < sizeof of_all_passes / sizeof of_all_passes[0]; i++)
        if (of_all_passes[i].is_asked)
            return why_say(s->why, COMMAND_REFUSED,
                           "%s with %s: a sample has not all passes; leave one of them out",
                           of_all_passes[i].option, name);
    if (s->hardware.hosts > 1)
        return why_say(s->why, COMMAND_REFUSED,
                       "%s: forecasts are of one host; the machine has hosts = %" PRIu32, name,
                       s->hardware.hosts);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].is_refused)
            return why_say(s->why, COMMAND_REFUSED, "%s", others[i].line);
    return 0;
}

/* Simulate the drawn passes, and no others. */
static int take_drawn(struct session *s)
{
    const size_t count = s->sample->count;
    free(s->segments);
    free(s->alignments);
    s->segments = calloc(count, sizeof *s->segments);
    s->alignments = calloc(count * (s->windows ? s->windows->sample->count : 1), sizeof *s->alignments);
    if (!s->segments || !s->alignments)
        return why_no_memory(s->why, COMMAND_REFUSED);
    for (size_t i = 0; i < count; i++)
        s->segments[i] = s->run_segments[s->sample->numbers[i]];
    s->pass_count = count;
    return 0;
}

/* A sample of all passes is the run. */
static int draw_sample(struct session *s)
{
    const struct sample_request *request = &s->request->sample;
    size_t count = s->pass_count;
    int status = sample_request_is_made(request) || s->windows ? refuse_of_sample(s) : 0;
    if (status == 0 && sample_request_is_made(request))
        status = sample_request_count(request, s->pass_count, &count, s->why);
    if (status || (count == s->pass_count && !s->windows))
        return status;
    s->sample = pass_sample_new(s->segments, s->pass_count, &s->query, count, sample_request_seed(request));
    if (!s->sample)
        return why_no_memory(s->why, COMMAND_REFUSED);
    s->run_segments = s->segments;
    s->segments = NULL;
    status = take_drawn(s);
    return status == 0 && s->windows ? run_windows_watch(s->windows, count, s->why) : status;
}

static int deal_query(struct session *s)
{
    int status = deal_database(s);
    if (status == 0)
        status = cut_query(s);
    return status ? status : draw_sample(s);
}

/* --- the passes ------------------------------------------------------------------------------------------ */

/* What is compared, on which machine: of the record whose passes are timed again, or of this run. */
static struct token_record_facts facts_of(const struct session *s)
{
    const struct run_request *r = s->request;
    struct token_record_facts facts = {
        .e_value = r->search.e_value,
        .query_path = r->search.query,
        .database_path = r->search.database,
        .query = &s->query,
        .database = whole_database(s),
        .segments = s->segments,
        .pass_count = s->pass_count,
        .masking = {.dust = r->dust,
                    .lower_case = r->lower_case,
                    .rule = r->dust ? r->dust_rule : (struct dust_rule){0},
                    .bases = mask_count(&s->query.masked)},
        .limits = r->limits,
    };
    if (r->tokens)
        facts = token_record_run(s->tokens)->facts;
    if (!r->tokens || run_options_name_machine(&r->shared))
        facts.platform_path = s->platform_path;
    facts.hardware = s->hardware;
    return facts;
}

/* Whether passes are timed from a record that this run makes. */
static bool times_record(const struct session *s)
{
    return !s->request->again &&
           (s->request->shared.charge || s->measure.of_run || hardware_couples_boards(&s->hardware));
}

/* Whether all passes are recorded. */
static bool has_whole_record(const struct session *s)
{
    return s->request->record || s->request->tokens || times_record(s);
}

/* Whether somebody sees what limits the run. It is not known of a sample, whose passes are not a run, and not of a
 * machine that is charged for measuring, which is another one without. */
static bool wants_limits(const struct session *s)
{
    const struct run_options *o = &s->request->shared;
    return !s->request->again && !s->sample && !o->charge && (o->directory || !o->quiet);
}

static bool has_record(const struct session *s)
{
    return has_whole_record(s) || wants_limits(s);
}

/* The number of passes of which one is timed again; 0: all are. */
static size_t limits_every(const struct session *s)
{
    const struct token_record_facts facts = facts_of(s);
    return run_limits_every(&s->hardware, s->sample ? s->sample->passes : facts.pass_count,
                            facts.database->word_count);
}

/* The number of passes of which one is recorded; 0: all are, if there are other reasons for a record. */
static size_t record_every(const struct session *s)
{
    return has_whole_record(s) ? 0 : limits_every(s);
}

/* The passes, with all that is asked for. */
static struct passes passes_of(const struct session *s)
{
    const struct run_request *r = s->request;
    const struct token_record_facts facts = facts_of(s);
    struct passes passes = {
        .hardware = &s->hardware,
        .platform_file = platform_simgrid_file(s->platform),
        .one_platform = true,
        .query = facts.query,
        .database = &s->database,
        .parts = s->parts,
        .segments = facts.segments,
        .pass_count = facts.pass_count,
        .numbers = s->sample ? s->sample->numbers : NULL,
        .run_passes = s->sample ? s->sample->passes : 0,
        .statistics = &s->statistics,
        .least = {s->least_scores, r->limits.identity},
        .how =
            {
                .jobs = jobs_of(s),
                .quiet = r->shared.quiet,
                .progress = r->again ? r->again->progress : NULL,
                .measure = s->measure.of_run ? NULL : s->measure.plan,
                .measured = s->measure.report,
                .windows = s->windows ? s->windows->logs : NULL,
                .drawing = run_options_draw(&r->shared) ? &r->shared.drawing : NULL,
                .record = s->record,
                .record_every = record_every(s),
                .leave_tokens =
                    s->sample && !s->windows, /* for the whole run, which may go on with these passes */
                .brief = s->brief,
                .charge = r->shared.charge,
                .events = r->events,
            },
    };
    run_options_bound(&r->shared, &passes.how);
    return passes;
}

/* What is computed without any time, if boards depend on each other, or if no more is wanted. */
static struct passes computed_of(const struct session *s)
{
    struct passes passes = passes_of(s);
    if (!hardware_couples_boards(&s->hardware) && !s->request->again)
        return passes;
    passes.how.only_tokens = true;
    passes.how.brief = NULL;
    passes.how.measure = NULL;
    passes.how.measured = NULL;
    passes.how.charge = passes.how.events = false;
    passes.how.drawing = NULL;
    return passes;
}

/* --- the record ------------------------------------------------------------------------------------------ */

/* The segments of the passes that are recorded; freed by the caller. @return NULL if memory is exhausted */
static struct query_segment *recorded_segments(const struct session *s)
{
    const size_t every = record_every(s), count = pass_set_taken(s->pass_count, every);
    struct query_segment *segments = calloc(count, sizeof *segments);
    for (size_t i = 0; segments && i < count; i++)
        segments[i] = s->segments[pass_set_nth_taken(i, every)];
    return segments;
}

/* The platform goes along as it was read: its numbers are replaced by this run's when it is read again. */
static int begin_record(struct session *s)
{
    struct query_segment *segments = recorded_segments(s);
    if (!segments)
        return why_no_memory(s->why, COMMAND_REFUSED);
    if (token_record_create(s->tokens_path, &s->record, s->why) != 0) {
        free(segments);
        return COMMAND_REFUSED;
    }
    struct token_record_facts facts = facts_of(s);
    facts.database = &s->database;
    facts.segments = segments;
    facts.pass_count = pass_set_taken(s->pass_count, record_every(s));
    char *platform = platform_text(s->platform, &facts.platform_bytes);
    facts.platform = platform;
    int status = platform ? token_record_write_facts(s->record, &facts, s->why)
                          : why_no_memory(s->why, COMMAND_REFUSED);
    free(platform);
    free(segments);
    return status ? COMMAND_REFUSED : 0;
}

static int end_record(struct session *s)
{
    const struct alignment_list none = {0};
    int status = token_record_commit(s->record, has_whole_record(s) ? &s->result.alignments : &none,
                                     &s->result.join, s->why);
    s->record = NULL;
    return status ? COMMAND_REFUSED : 0;
}

/* --- the run --------------------------------------------------------------------------------------------- */

/* Take up the passes of the run that was stopped. */
static int take_up(struct session *s)
{
    const struct pass_store_run *run = pass_store_run(s->request->unfinished);
    s->store = s->request->unfinished;
    if (run->digest != s->kept.digest || run->passes != s->kept.passes)
        return why_say(
            s->why, COMMAND_REFUSED,
            "--resume %.400s: the run that was stopped had other inputs, another machine or other options; "
            "run it as it was, or begin anew with -o instead of --resume",
            s->request->shared.directory);
    int status = pass_store_find_passes(s->store, s->why);
    if (status)
        return run_output_status(status);
    run_output_keeps(s->resumed);
    return 0;
}

/* Passes of a sample belong to the whole run. */
static uint64_t digest_of_run(const struct session *s, struct passes passes)
{
    if (s->sample) {
        passes.segments = s->run_segments;
        passes.pass_count = s->sample->passes;
    }
    return pass_set_digest(&passes);
}

/* Keep the passes that end, where the run has a directory; those of a growing sample, wherever it is. */
static int open_store(struct session *s, const struct passes *passes)
{
    const struct run_options *o = &s->request->shared;
    char sample[64];
    if (s->store || s->windows || (!o->directory && s->request->sample.until == 0))
        return 0;
    s->kept = (struct pass_store_run){.digest = digest_of_run(s, *passes),
                                      .passes = pass_set_of_run(passes),
                                      .command = s->request->command.bytes,
                                      .command_bytes = s->request->command.count,
                                      .begun = o->directory ? run_output_keeps : NULL,
                                      .data = s->resumed};
    snprintf(s->resumed, sizeof s->resumed, "%s%s", o->directory ? o->directory : "",
             sample_request_text(&s->request->sample, sample));
    if (!o->directory) {
        s->store = pass_store_new(NULL, &s->kept);
        return s->store ? 0 : why_no_memory(s->why, COMMAND_REFUSED);
    }
    unfinished_run_path(o->directory, s->store_path, sizeof s->store_path);
    if (s->request->unfinished)
        return take_up(s);
    s->store = pass_store_new(s->store_path, &s->kept);
    return s->store ? 0 : why_no_memory(s->why, COMMAND_REFUSED);
}

/* What does not balance is a bug of Mercury's; but if passes of an earlier try were read, their file may be wrong. */
static int tell_kept_from_bug(struct session *s, int pass_error)
{
    bool kept = s->request->unfinished && (pass_error == PASS_EBUG || pass_error == PASS_ERECORD);
    if (!kept)
        return run_output_status(pass_error);
    s->contradicted = true;
    struct why found = *s->why;
    char *bug = strstr(found.line, ": a bug of Mercury's");
    if (bug)
        *bug = '\0';
    return why_say(s->why, COMMAND_REFUSED,
                   "%.400s: its passes contradict themselves (%.300s); remove it and run again",
                   s->store_path, found.line);
}

/* Numbers per query or subject are limited of the whole run; what percentages leave out, each pass leaves out. */
static void count_alignments(struct session *s)
{
    struct alignment_limits limits = s->request->limits;
    limits.subjects = limits.alignments = 0;
    alignment_list_limit(&s->result.alignments, &s->query, &limits);
    s->cuts_alignments = run_forecast_count_alignments(&s->result.alignments, s->sample, s->run_segments,
                                                       s->windows, s->alignments);
    if (s->windows)
        alignment_list_destroy(&s->result.alignments); /* windows cut them, and warm-ups have some twice */
}

static int simulate(struct session *s)
{
    struct passes passes = computed_of(s);
    double begin_s = progress_wall_s();
    int status = open_store(s, &passes);
    if (status)
        return status;
    passes.how.store = s->store;
    passes.how.untried = s->tried || s->request->again ? NULL : s->platform;
    s->tried = true;
    passes.how.keep_after_s = s->sample ? 0 : s->request->keep_after_s;
    passes.how.others = run_ranks_others(s->request->ranks, &passes);
    status = passes_run(&passes, &s->result, s->why);
    if (status)
        return tell_kept_from_bug(s, status);
    if (alignment_list_finish(&s->result.alignments, &s->statistics, &s->query, whole_database(s),
                              s->request->search.e_value))
        return why_no_memory(s->why, COMMAND_REFUSED);
    if (s->sample)
        count_alignments(s);
    alignment_list_limit(&s->result.alignments, &s->query, &s->request->limits);
    s->simulate_s = progress_wall_s() - begin_s;
    return 0;
}

static void add_wall(struct passes_wall *sum, const struct passes_wall *wall)
{
    sum->index_s += wall->index_s;
    sum->tables_s += wall->tables_s;
    sum->host_s += wall->host_s;
    sum->system.stages_s += wall->system.stages_s;
    sum->system.board_s += wall->system.board_s;
    sum->system.stage3_s += wall->system.stage3_s;
}

/* Time passes from their tokens, and keep of what the stages have computed what tokens do not say. */
static int time_passes(struct session *s)
{
    struct passes passes = passes_of(s);
    struct passes_result timed, *computed = &s->result;
    passes.recorded = s->tokens;
    passes.how.record = NULL;
    int status = passes_run(&passes, &timed, s->why);
    if (status)
        return status;
    timed.alignments = computed->alignments;
    computed->alignments = (struct alignment_list){0};
    timed.join.reaches =
        computed->join.reaches; /* of the same extensions, which the record has without them */
    computed->join.reaches = NULL;
    for (size_t i = 0; computed->processor_s && i < passes.pass_count; i++)
        timed.processor_s[i] = computed->processor_s[i]; /* of stages 1 to 3 */
    add_wall(&timed.wall, &computed->wall);
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
    struct passes_result measured;
    again.how.measure = s->measure.plan;
    again.how.measured = s->measure.report;
    again.how.run_times = times;
    int status = passes_run(&again, &measured, s->why);
    if (status)
        return status;
    if (times->end != measured.times.end ||
        memcmp(times->origins, measured.times.origins, again.pass_count * sizeof *times->origins) != 0)
        status =
            why_say(s->why, PASS_EBUG,
                    "the run had other times when it was measured: a bug of Mercury's, please report it");
    passes_result_destroy(&measured);
    return status;
}

/* What needs the tokens. */
static int use_tokens(struct session *s)
{
    struct passes passes = passes_of(s);
    double begin_s = progress_wall_s();
    int status = s->request->tokens || hardware_couples_boards(&s->hardware) ? time_passes(s) : 0;
    if (status == 0 && s->request->shared.charge)
        status = measuring_cost_find(&passes, &s->result, s->tokens, &s->cost, s->why);
    if (status == 0 && s->measure.of_run)
        status = measure_frames_of_run(s, &passes);
    passes.recorded = s->tokens;
    if (status == 0 && s->brief)
        status =
            run_limits_find(&passes, limits_every(s), record_every(s) == 0, &s->result, &s->limits, s->why);
    s->retime_s = progress_wall_s() - begin_s;
    s->simulate_s += s->retime_s;
    return run_output_status(status);
}

/* The record is the user's, or one for this run only, that nobody sees. */
static int use_record(struct session *s)
{
    int status = token_record_open(s->tokens_path, &s->tokens, s->why);
    if (status)
        return status == WHY_EMEMORY ? COMMAND_REFUSED : COMMAND_FAILED;
    status = use_tokens(s);
    token_record_close(s->tokens);
    s->tokens = NULL;
    return status;
}

/* A record for this run only is large, and so beside the run's files, if there are any. */
static int name_record(struct session *s)
{
    const char *directory = s->request->shared.directory;
    if (s->request->record) {
        snprintf(s->tokens_path, sizeof s->tokens_path, "%s", s->request->record);
        return 0;
    }
    s->tokens_file = directory ? scratch_file_descriptor_in(directory) : scratch_file_descriptor();
    if (s->tokens_file < 0)
        return directory ? why_say(s->why, COMMAND_REFUSED, "%.500s: no temporary file can be made there: %s",
                                   directory, strerror(errno))
                         : scratch_file_refuse(s->why, COMMAND_REFUSED);
    snprintf(s->tokens_path, sizeof s->tokens_path, "/proc/self/fd/%d", s->tokens_file);
    return 0;
}

static int open_brief(struct session *s)
{
    if (!wants_limits(s))
        return 0;
    s->brief = host_brief_new(&s->hardware, facts_of(s).pass_count);
    return s->brief ? 0 : why_no_memory(s->why, COMMAND_REFUSED);
}

static int simulate_to_files(struct session *s)
{
    int status = has_record(s) ? name_record(s) : 0;
    if (status == 0)
        status = open_brief(s);
    if (status == 0 && has_record(s))
        status = begin_record(s);
    if (status == 0)
        status = simulate(s);
    if (status == 0 && has_record(s))
        status = end_record(s);
    if (status == 0 && (times_record(s) || s->brief))
        status = use_record(s);
    return status;
}

/* --- a sample's run --------------------------------------------------------------------------------------- */

/* Find the bytes of the tables of all passes, where a pass has its bus alone while it loads them. */
static int find_table_bytes(struct session *s)
{
    const size_t passes = s->sample->passes;
    struct why too_large; /* for two at a time, which these passes need not be */
    int status = 0;
    if (s->table_bytes || hardware_couples_boards(&s->hardware) || s->hardware.overlap == OVERLAP_TABLES)
        return 0;
    s->table_bytes = calloc(passes, sizeof *s->table_bytes);
    if (!s->table_bytes)
        return why_no_memory(s->why, COMMAND_REFUSED);
    for (size_t i = 0; i < passes && status != PASS_EMEMORY; i++) {
        uint64_t bytes = 0;
        status = pass_table_bytes(&s->hardware, &s->query, &s->run_segments[i], &bytes, &too_large);
        s->table_bytes[i] = (double)bytes;
    }
    return status == PASS_EMEMORY ? why_no_memory(s->why, COMMAND_REFUSED) : 0;
}

static int make_forecast(struct session *s)
{
    int status = find_table_bytes(s);
    if (status)
        return status;
    const struct forecast_input input = {
        .sample = s->sample,
        .windows = s->windows,
        .table_bytes = s->table_bytes,
        .run_segments = s->run_segments,
        .hardware = &s->hardware,
        .result = &s->result,
        .alignments = s->alignments,
        .cuts_alignments = s->cuts_alignments,
        .jobs = jobs_of(s),
        .read_s = s->read_s,
        .retime_s = s->retime_s,
        .until = s->request->sample.until,
    };
    return run_forecast_make(&input, &s->forecast, s->why);
}

/* How many passes --until draws next: those that it seems to need, but not too many at once. */
static size_t next_count(const struct session *s)
{
    const size_t count = s->sample->count, most = sample_request_most(s->sample->passes);
    size_t needed = s->forecast.needed_until;
    size_t least = count + count / 4 + 1;
    needed = needed < least ? least : needed < 2 * count ? needed : 2 * count;
    return needed < most ? needed : most;
}

/* Draw more passes, and forget what the smaller sample has left, but for the passes that are kept. */
static int draw_more(struct session *s)
{
    pass_sample_grow(s->sample, next_count(s));
    passes_result_destroy(&s->result);
    if (s->tokens_file >= 0)
        close(s->tokens_file);
    s->tokens_file = -1;
    measure_setup_close(&s->measure);
    int status = take_drawn(s);
    return status ? status : measure_setup_open(&s->measure, &s->request->shared, &s->hardware, s->why);
}

/* Simulate again with more passes until the forecast is narrow. Passes that have ended are taken up. */
static int simulate_sample(struct session *s)
{
    int status;
    do {
        status = simulate_to_files(s);
        if (status == 0)
            status = make_forecast(s);
    } while (status == 0 && !run_forecast_is_narrow(&s->forecast) &&
             s->sample->count < sample_request_most(s->sample->passes) && (status = draw_more(s)) == 0);
    return status;
}

/* --- the session's files ---------------------------------------------------------------------------------- */

static int write_output(struct session *s)
{
    const struct run_request *r = s->request;
    const struct run_facts facts = {
        .options = &r->shared,
        .measured = s->measure.report,
        .of = facts_of(s),
        .command_line = r->command_text,
        .strand = search_options_strand_name(
            r->tokens ? token_record_strands(&token_record_run(s->tokens)->facts) : r->search.strands),
        .engine = r->tokens   ? NULL
                  : r->events ? "events"
                              : "fast",
        .query_loc = r->query_loc,
        .record_path = r->tokens,
        .result = &s->result,
        .alignments = r->tokens ? &token_record_run(s->tokens)->alignments : &s->result.alignments,
        .forecast = s->sample ? &s->forecast : NULL,
        .run_limits = s->brief ? &s->limits : NULL,
        .cost = r->shared.charge ? &s->cost : NULL,
        .jobs = jobs_of(s),
        .read_s = s->read_s,
        .simulate_s = s->simulate_s,
        .wall_s = progress_wall_s() - s->begin_s,
    };
    return run_output_write(&facts, s->why);
}

/* --- the session ----------------------------------------------------------------------------------------- */

/* What a rank other than the first does. */
static int serve(struct session *s)
{
    struct passes passes = computed_of(s);
    passes.how.leave_tokens = passes.how.leave_tokens || has_record(s);
    return run_ranks_serve(s->request->ranks, &passes, s->why);
}

/* What can go wrong before the first pass, beside the input. */
static int check_output(struct session *s)
{
    const struct alignment_format *format = s->request->shared.format;
    if (!s->request->tokens && format->check && format->check(&s->query, whole_database(s), s->why) != 0)
        return COMMAND_REFUSED;
    file_uses_write(&s->uses, "--record", s->request->record);
    return run_output_probe(&s->request->shared, s->sample, &s->uses, s->why);
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
static int try_platform(struct session *s)
{
    s->tried = true;
    return platform_begin_trial(s->platform, s->why) != 0 || platform_end_trial(s->platform, s->why) != 0
               ? COMMAND_REFUSED
               : 0;
}

static int prepare(struct session *s, bool leads)
{
    int status = scratch_file_probe(s->why) != 0 ? COMMAND_REFUSED : 0;
    note_input(s);
    if (status == 0)
        status = measure_setup_open(&s->measure, &s->request->shared, &s->hardware, s->why);
    if (status == 0)
        status = read_input(s);
    if (status == 0 && platform_write(s->platform, &s->hardware, s->why) != 0)
        status = COMMAND_REFUSED;
    if (status == 0)
        status = deal_query(s);
    if (status == 0 && leads)
        status = check_output(s);
    if (status == 0 && run_ranks_are_many(s->request->ranks))
        status = try_platform(s);
    return status;
}

/* Neither SimGrid nor any output but the record is needed. */
static int make_tokens(struct session *s)
{
    int status = read_input(s);
    if (status == 0)
        status = deal_query(s);
    return status ? status : simulate_to_files(s);
}

/* --- free parts ------------------------------------------------------------------------------------------ */

struct part_time {
    enum machine_part part;
    double run_s;
};

static int compare_times(const void *a, const void *b)
{
    const struct part_time *left = a, *right = b;
    if (left->run_s != right->run_s)
        return left->run_s < right->run_s ? -1 : 1;
    return (int)left->part - (int)right->part;
}

static void write_part_times(double run_s, const struct part_time *times, size_t count)
{
    printf("  %-10s %12s %8s  %s\n", "free", "simulated ms", "faster", "then");
    printf("  %-10s %12.6g %8.4g  %s\n", "nothing", 1e3 * run_s, 1.0, "the machine is as given");
    for (size_t i = 0; i < count; i++)
        printf("  %-10s %12.6g %8.4g  %s\n", machine_parts[times[i].part].name, 1e3 * times[i].run_s,
               run_s / times[i].run_s, machine_parts[times[i].part].meaning);
}

static int time_free_parts(struct session *s)
{
    struct passes passes = passes_of(s);
    const char *free_part = s->request->free_part;
    struct part_time times[MACHINE_PARTS];
    double run_s;
    size_t count = 0;
    passes.recorded = s->tokens;
    int status = run_limits_time_without(&passes, MACHINE_PARTS, &run_s, s->why);
    for (unsigned part = 0; part < MACHINE_PARTS && status == 0; part++) {
        if (strcmp(free_part, "all") != 0 && strcmp(free_part, machine_parts[part].name) != 0)
            continue;
        times[count].part = part;
        status = run_limits_time_without(&passes, part, &times[count++].run_s, s->why);
    }
    if (status)
        return run_output_status(status);
    qsort(times, count, sizeof *times, compare_times);
    write_part_times(run_s, times, count);
    return 0;
}

/* --- the whole ------------------------------------------------------------------------------------------- */

/* A sample's passes stay for the rest of the run. */
static void end_store(struct session *s, int status)
{
    if (!s->store || !s->request->shared.directory || (status == 0 && s->sample))
        return;
    if (status == 0)
        unlink(s->store_path);
    else if (pass_store_count(s->store) > 0 && !s->contradicted)
        why_append(s->why, "; the passes that have ended are kept: mercury run --resume %.400s", s->resumed);
}

static int open_tokens(struct session *s)
{
    double begin_s = progress_wall_s();
    int status = command_status_of(token_record_open(s->request->tokens, &s->tokens, s->why));
    s->read_s = progress_wall_s() - begin_s;
    return status ? status
                  : run_options_check_drawing(&s->request->shared,
                                              token_record_run(s->tokens)->facts.pass_count, s->why);
}

/* Time a record again. */
static int retime(struct session *s)
{
    int status = scratch_file_probe(s->why) != 0 ? COMMAND_REFUSED : open_tokens(s);
    if (status == 0)
        status = load_recorded_machine(s);
    if (status == 0 && s->request->free_part)
        return time_free_parts(s);
    note_input(s);
    if (status == 0)
        status = measure_setup_open(&s->measure, &s->request->shared, &s->hardware, s->why);
    if (status == 0)
        status = check_output(s);
    if (status == 0)
        status = open_brief(s);
    if (status == 0)
        status = use_tokens(s);
    return status == 0 ? write_output(s) : status;
}

static int run(struct session *s)
{
    bool leads = run_ranks_lead(s->request->ranks);
    if (!s->request->dump_config && !s->request->again)
        simgrid_module_begin(); /* loading it takes longer than all that a small run does before its passes */
    int status = load_machine(s);
    if (status == 0 && s->request->dump_config)
        return leads ? dump_machine(s) : 0;
    if (status == 0 && s->request->again)
        return make_tokens(s);
    if (status == 0)
        status = prepare(s, leads);
    if (status == 0 && !leads)
        return serve(s);
    if (status == 0)
        status = s->sample ? simulate_sample(s) : simulate_to_files(s);
    if (status == 0)
        status = write_output(s);
    end_store(s, status);
    return status;
}

static void close_session(struct session *s)
{
    simgrid_module_wait();
    token_record_discard(s->record);
    token_record_close(s->tokens);
    if (s->store != s->request->unfinished)
        pass_store_close(s->store);
    file_uses_destroy(&s->uses);
    if (s->tokens_file >= 0)
        close(s->tokens_file);
    measure_setup_close(&s->measure);
    passes_result_destroy(&s->result);
    host_brief_destroy(s->brief);
    free(s->segments);
    free(s->least_scores);
    free(s->run_segments);
    free(s->alignments);
    free(s->table_bytes);
    pass_sample_destroy(s->sample);
    database_parts_destroy(s->parts, s->hardware.hosts);
    sequences_destroy(&s->query);
    sequences_destroy(&s->database);
    run_windows_close(s->windows);
    platform_close(s->platform);
}

int run_session(const struct run_request *request, struct why *why)
{
    struct session s = {.request = request, .why = why, .tokens_file = -1, .begin_s = progress_wall_s()};
    run_output_begin();
    int status = request->tokens ? retime(&s) : run(&s);
    close_session(&s);
    return status;
}

/* @param rule  of the record, where any numbers may stand */
static int take_rule(const struct dust_rule *rule, struct run_request *request, struct why *why)
{
    char text[64];
    snprintf(text, sizeof text, "%u %u %u", rule->level, rule->window, rule->linker);
    request->dust = true;
    return dust_rule_parse(text, &request->dust_rule, why) == 0 ? 0 : COMMAND_REFUSED;
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
    };
    request.shared.quiet = true;
    search_options_set_files(&request.search, f->query_path, f->database_path);
    int status = f->masking.dust ? take_rule(&f->masking.rule, &request, why) : 0;
    return status ? status : run_session(&request, why);
}
