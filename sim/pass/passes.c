#include "sim/pass/passes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/why.h"
#include "blast/stages12/bloom_index.h"
#include "sim/pass/pass_simulation.h"
#include "sim/measure/machine_frame.h"
#include "sim/measure/measure.h"
#include "base/output.h"
#include "sim/pass/pass_process.h"
#include "base/progress.h"

/* What a pass's process leaves in its result file, followed by its alignments and the runs of their paths. */
struct report_header {
    int status;
    struct why why; /* of PASS_EENGINE, or of what is measured */
    int measured;   /* MEASURE_E* */
    struct system_timeline drawn;
    struct pass_stamps stamps;
    struct measuring_charge charge;
    struct frame frame;
    struct passes_wall wall;
    uint64_t alignment_count, run_count;
};

struct worker {
    pid_t process; /* 0: free */
    size_t pass;
    int report;  /* file in memory */
    int spool;   /* for the tokens, -1 for none */
    int records; /* for what is measured, likewise */
};

/* What a pass that has ended leaves for the run, until those before it have ended, too. */
struct harvest {
    bool ended;
    struct alignment_list alignments;
    struct pass_stamps *stamps;
    int spool, records;
};

/* So many passes may be started beyond the first that has not ended: each keeps a file open. */
enum { AHEAD_MAX = 256 };

struct run {
    const struct passes *passes;
    struct passes_result *result;
    uint8_t *query_codes[2];   /* of each strand that has segments */
    struct bloom_index *index; /* NULL: does not pay, or no memory for it */
    struct worker *workers;
    struct harvest *harvests; /* one a pass */
    size_t next, finished;
    struct output timeline;    /* written to by the process of the pass that is drawn */
    size_t gathered;           /* so many passes are in the result */
    double gathered_s;         /* and so long they took on the simulated machine */
    atomic_ullong *words_done; /* shared with the passes' processes */
    struct progress progress;
    struct why *why;
};

/* --- in a pass's process --------------------------------------------------------------------------------- */

static int simulate(const struct run *run, const struct worker *worker, struct measure *measure,
                    struct machine_timeline *timeline, struct report_header *header,
                    struct pass_result *result)
{
    const struct passes *c = run->passes;
    struct pass_simulation pass = {
        .hardware = c->hardware,
        .platform_file = c->platform_file,
        .instruments = {.words_done = run->words_done,
                        .measure = measure,
                        .timeline = timeline,
                        .drawn = &header->drawn,
                        .stamps = &header->stamps,
                        .charge = c->charge ? &header->charge : NULL},
    };
    if (c->recorded)
        return pass_retime(&pass, c->recorded, worker->pass, result);
    pass.query = c->query;
    pass.query_codes = run->query_codes[c->segments[worker->pass].strand];
    pass.database = c->database;
    pass.index = run->index;
    pass.segment = c->segments[worker->pass];
    pass.statistics = c->statistics;
    pass.least_score = c->least_score;
    pass.events = c->events;
    pass.paje_file = worker->pass == 0 ? c->paje_file : NULL;
    pass.record = worker->spool >= 0;
    pass.spool = worker->spool;
    return pass_simulate(&pass, result);
}

static bool is_drawn(const struct run *run, size_t pass)
{
    return run->timeline.file && pass + 1 == run->passes->timeline->pass;
}

static int simulate_measured(const struct run *run, const struct worker *worker, struct report_header *header,
                             struct pass_result *result)
{
    struct machine_timeline *timeline = NULL;
    if (is_drawn(run, worker->pass) &&
        !(timeline =
              machine_timeline_new(run->timeline.file, run->passes->timeline, run->passes->hardware))) {
        *result = (struct pass_result){0};
        return PASS_EMEMORY;
    }
    FILE *records = worker->records >= 0 ? fdopen(dup(worker->records), "w") : NULL;
    struct measure *measure = records ? measure_new(run->passes->measure, records) : NULL;
    if (worker->records >= 0 && !measure) {
        *result = (struct pass_result){0};
        return PASS_EMEMORY;
    }
    int status = simulate(run, worker, measure, timeline, header, result);
    header->why = result->why;
    if (measure && status == 0)
        header->measured = measure_finish(measure, &header->why);
    measure_destroy(measure);
    if (records && fclose(records) != 0 && header->measured == 0)
        header->measured = MEASURE_EWRITE;
    return status;
}

static int simulate_pass(const struct run *run, const struct worker *worker)
{
    struct pass_result result;
    struct report_header header;
    memset(&header, 0, sizeof header); /* its padding goes into the file, too */
    header.status = simulate_measured(run, worker, &header, &result);
    if (header.status || header.measured)
        return output_write_all(worker->report, &header, sizeof header) ? 0 : 1;
    header.frame = result.frame;
    header.wall = (struct passes_wall){.tables_s = result.wall_tables_s, .system = result.wall};
    const struct alignment_list *found = &result.alignments;
    header.alignment_count = found->count;
    header.run_count = found->run_count;
    bool written = output_write_all(worker->report, &header, sizeof header) &&
                   output_write_all(worker->report, found->items, found->count * sizeof *found->items) &&
                   output_write_all(worker->report, found->runs, found->run_count * sizeof *found->runs);
    return written ? 0 : 1;
}

/* --- in the run's process -------------------------------------------------------------------------------- */

static int refuse(struct run *run, int code, const char *what)
{
    return why_say(run->why, code, "%s", what);
}

static void close_worker(struct worker *worker)
{
    close(worker->report);
    if (worker->spool >= 0)
        close(worker->spool);
    if (worker->records >= 0)
        close(worker->records);
    worker->process = 0;
}

/* A file without a name, on disk: what is measured may be much. */
static int unnamed_file(void)
{
    FILE *file = tmpfile();
    int copy = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
    if (file)
        fclose(file);
    return copy;
}

static int start_pass(struct run *run, struct worker *worker)
{
    worker->pass = run->next++;
    worker->spool = worker->records = -1;
    if (run->passes->measure && (worker->records = unnamed_file()) < 0)
        return refuse(run, PASSES_EPROCESS, "no temporary file for what a pass measures");
    if (run->passes->record && (worker->spool = token_record_spool(run->passes->record, run->why)) < 0)
        return PASSES_ERECORD;
    worker->report = memfd_create("mercury-pass", MFD_CLOEXEC);
    fflush(NULL);
    pid_t process = worker->report < 0 ? -1 : fork();
    if (process < 0) {
        close_worker(worker);
        return refuse(run, PASSES_EPROCESS, "cannot start a process for a pass");
    }
    if (process == 0) {
        pass_process_enter();
        _exit(simulate_pass(run, worker));
    }
    worker->process = process;
    return 0;
}

static int refuse_measured(struct run *run, size_t pass, const struct report_header *header)
{
    if (header->measured == MEASURE_EWRITE)
        return refuse(run, PASSES_EPROCESS, "what a pass measures cannot be kept: is the disk full?");
    return why_say(run->why, PASSES_EBUG, "pass %zu: %s: a bug of Mercury's, please report it", pass + 1,
                   header->why.line);
}

static int read_report(struct run *run, const struct worker *worker, struct report_header *header)
{
    struct harvest *harvest = &run->harvests[worker->pass];
    static const char incomplete[] = "the result of a pass is incomplete";
    if (lseek(worker->report, 0, SEEK_SET) != 0 || !pass_process_read(worker->report, header, sizeof *header))
        return refuse(run, PASSES_EPROCESS, incomplete);
    if (header->status == PASS_EENGINE)
        return refuse(run, PASSES_EENGINE, header->why.line);
    if (header->status == PASS_ERECORD)
        return refuse(run, PASSES_ERECORD,
                      run->passes->record
                          ? "the tokens of a pass cannot be recorded: memory or disk is full"
                          : "the record contradicts itself: a bug of Mercury's, please report it");
    if (header->status)
        return refuse(run, PASSES_EMEMORY, "out of memory in a pass");
    if (header->measured)
        return refuse_measured(run, worker->pass, header);
    struct alignment_list *list = &harvest->alignments;
    list->count = list->room = header->alignment_count;
    list->run_count = list->run_room = header->run_count;
    list->items = malloc((list->count + 1) * sizeof *list->items);
    list->runs = malloc((list->run_count + 1) * sizeof *list->runs);
    if (!list->items || !list->runs)
        return refuse(run, PASSES_EMEMORY, "out of memory");
    if (!pass_process_read(worker->report, list->items, list->count * sizeof *list->items) ||
        !pass_process_read(worker->report, list->runs, list->run_count * sizeof *list->runs))
        return refuse(run, PASSES_EPROCESS, incomplete);
    return 0;
}

static void add_wall(struct passes_wall *sum, const struct passes_wall *wall)
{
    sum->tables_s += wall->tables_s;
    sum->system.stages_s += wall->system.stages_s;
    sum->system.board_s += wall->system.board_s;
    sum->system.stage3_s += wall->system.stage3_s;
}

static void free_harvest(struct harvest *harvest)
{
    free(harvest->stamps);
    harvest->stamps = NULL;
    alignment_list_destroy(&harvest->alignments);
    if (harvest->spool >= 0)
        close(harvest->spool);
    if (harvest->records >= 0)
        close(harvest->records);
    harvest->spool = harvest->records = -1;
}

/* The pass begins where those before it end. */
static int gather_stamps(struct run *run, const struct harvest *harvest)
{
    int status = machine_clocks_add_pass(run->result->clocks, harvest->stamps, run->gathered_s, run->why);
    run->gathered_s += run->result->passes[run->gathered].duration_s;
    if (status == MACHINE_CLOCKS_EMEMORY)
        return refuse(run, PASSES_EMEMORY, "out of memory");
    if (status == 0)
        return 0;
    why_append(run->why, ": a bug of Mercury's, please report it");
    return why_precede(run->why, PASSES_EBUG, "pass %zu: ", run->gathered + 1);
}

static int gather_pass(struct run *run, struct harvest *harvest)
{
    int status = gather_stamps(run, harvest);
    if (status)
        return status;
    if (alignment_list_append_list(&run->result->alignments, &harvest->alignments) != 0)
        return refuse(run, PASSES_EMEMORY, "out of memory");
    if (harvest->spool >= 0 && token_record_append(run->passes->record, harvest->spool, run->why) != 0)
        return PASSES_ERECORD;
    if (harvest->records >= 0 &&
        measure_report_add_pass(run->passes->measured, harvest->records, run->result->clocks) != 0)
        return refuse(run, PASSES_EPROCESS,
                      "what a pass measured cannot be taken in: memory or disk is full");
    free_harvest(harvest);
    run->gathered++;
    return 0;
}

/* Take in what passes have left, in their order, up to the first that has not ended. */
static int gather(struct run *run)
{
    int status = 0;
    while (status == 0 && run->gathered < run->passes->pass_count && run->harvests[run->gathered].ended)
        status = gather_pass(run, &run->harvests[run->gathered]);
    return status;
}

static bool keep_stamps(struct harvest *harvest, const struct pass_stamps *stamps)
{
    harvest->stamps = malloc(sizeof *stamps);
    if (harvest->stamps)
        *harvest->stamps = *stamps;
    return harvest->stamps;
}

static int collect_pass(struct run *run, struct worker *worker)
{
    struct report_header header;
    struct harvest *harvest = &run->harvests[worker->pass];
    int status = read_report(run, worker, &header);
    if (status == 0 && !keep_stamps(harvest, &header.stamps))
        status = refuse(run, PASSES_EMEMORY, "out of memory");
    if (status == 0 && !pass_process_check_frame(worker->pass, &header.frame, run->why))
        status = PASSES_EBUG;
    if (status == 0) {
        run->result->passes[worker->pass] = header.frame;
        add_wall(&run->result->wall, &header.wall);
        if (is_drawn(run, worker->pass))
            run->result->drawn = header.drawn;
        measuring_charge_add(&run->result->charge, &header.charge);
        harvest->ended = true;
        harvest->spool = worker->spool;
        harvest->records = worker->records;
        worker->spool = worker->records = -1;
    }
    close_worker(worker);
    run->finished++;
    return status ? status : gather(run);
}

/* Wait until a child ends; meanwhile show progress. */
static pid_t wait_for_child(struct run *run, int *exit_status)
{
    if (!run->progress.visible)
        return waitpid(-1, exit_status, 0);
    sigset_t child_ended;
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    pid_t process;
    while ((process = waitpid(-1, exit_status, WNOHANG)) == 0) {
        double mwmers = (double)atomic_load(run->words_done) * BASES_PER_WORD / 1e6;
        progress_update(&run->progress, mwmers);
        sigtimedwait(&child_ended, NULL, &(struct timespec){.tv_nsec = 200000000});
    }
    return process;
}

static int finish_one(struct run *run)
{
    int exit_status;
    pid_t process = wait_for_child(run, &exit_status);
    if (process < 0)
        return errno == EINTR ? 0 : refuse(run, PASSES_EPROCESS, "lost the process of a pass");
    for (unsigned i = 0; i < run->passes->jobs; i++) {
        struct worker *worker = &run->workers[i];
        if (worker->process != process)
            continue;
        if (exit_status == 0)
            return collect_pass(run, worker);
        close_worker(worker);
        pass_process_explain_end(worker->pass, exit_status, run->why);
        return PASSES_EPROCESS;
    }
    return 0;
}

static int run_passes(struct run *run)
{
    const struct passes *c = run->passes;
    int status = 0;
    while (status == 0 && run->finished < c->pass_count) {
        size_t limit = run->gathered + AHEAD_MAX < c->pass_count ? run->gathered + AHEAD_MAX : c->pass_count;
        for (unsigned i = 0; i < c->jobs && run->next < limit && status == 0; i++)
            if (run->workers[i].process == 0)
                status = start_pass(run, &run->workers[i]);
        if (status == 0)
            status = finish_one(run);
    }
    return status;
}

static void stop_passes(struct run *run)
{
    for (unsigned i = 0; i < run->passes->jobs; i++)
        if (run->workers[i].process > 0) {
            kill(run->workers[i].process, SIGKILL);
            waitpid(run->workers[i].process, NULL, 0);
            close_worker(&run->workers[i]);
        }
}

static bool unpack_strands(struct run *run)
{
    const struct passes *c = run->passes;
    for (size_t i = 0; !c->recorded && i < c->pass_count; i++) {
        enum strand strand = c->segments[i].strand;
        if (run->query_codes[strand])
            continue;
        run->query_codes[strand] = malloc(c->query->positions);
        if (!run->query_codes[strand])
            return false;
        sequences_unpack(c->query, strand, 0, c->query->positions, run->query_codes[strand]);
    }
    return true;
}

/* Before the passes' processes start, which all read it. */
static void index_database(struct run *run)
{
    const struct passes *c = run->passes;
    const struct bloom_geometry *bloom = &c->hardware->pass.bloom;
    if (c->recorded || !bloom_index_pays(bloom, c->pass_count))
        return;
    double begin_s = progress_wall_s();
    run->index = bloom_index_new(bloom, c->database);
    run->result->wall.tables_s += progress_wall_s() - begin_s;
}

static bool set_up(struct run *run)
{
    const struct passes *c = run->passes;
    *run->result = (struct passes_result){.passes = calloc(c->pass_count, sizeof *run->result->passes),
                                          .clocks = machine_clocks_new(c->hardware)};
    run->workers = calloc(c->jobs, sizeof *run->workers);
    run->harvests = calloc(c->pass_count, sizeof *run->harvests);
    for (size_t i = 0; run->harvests && i < c->pass_count; i++)
        run->harvests[i].spool = run->harvests[i].records = -1;
    void *shared =
        mmap(NULL, sizeof *run->words_done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    run->words_done = shared == MAP_FAILED ? NULL : shared;
    return run->result->passes && run->result->clocks && run->workers && run->harvests && run->words_done &&
           unpack_strands(run);
}

static void clean_up(struct run *run)
{
    free(run->workers);
    for (size_t i = 0; run->harvests && i < run->passes->pass_count; i++)
        free_harvest(&run->harvests[i]);
    free(run->harvests);
    free(run->query_codes[STRAND_PLUS]);
    free(run->query_codes[STRAND_MINUS]);
    bloom_index_destroy(run->index);
    if (run->words_done)
        munmap(run->words_done, sizeof *run->words_done);
}

/* The whole query on a strand, without borders. */
static struct stage3_pass whole_strand(const struct run *run, enum strand strand)
{
    return (struct stage3_pass){
        .query = run->query_codes[strand],
        .query_positions = run->passes->query->positions,
        .strand = strand,
        .database = run->passes->database,
        .statistics = run->passes->statistics,
        .least_score = run->passes->least_score,
    };
}

static int copy_join(const struct stitch_work *from, struct stitch_work *to)
{
    to->cells = malloc((from->count + 1) * sizeof *to->cells);
    if (!to->cells)
        return PASSES_EMEMORY;
    memcpy(to->cells, from->cells, from->count * sizeof *to->cells);
    to->count = from->count;
    return 0;
}

static int join_alignments(struct run *run)
{
    const struct passes *c = run->passes;
    double begin_s = progress_wall_s();
    int status;
    if (c->recorded) {
        status = copy_join(token_record_join(c->recorded), &run->result->join);
    } else {
        struct stage3_pass strands[2] = {whole_strand(run, STRAND_PLUS), whole_strand(run, STRAND_MINUS)};
        status = stitch_alignments(&run->result->alignments, strands, &run->result->join);
    }
    run->result->wall.system.stage3_s += progress_wall_s() - begin_s;
    return status ? refuse(run, PASSES_EMEMORY, "out of memory") : 0;
}

static int sum_up(struct run *run)
{
    struct passes_result *result = run->result;
    for (size_t i = 0; i < run->passes->pass_count; i++)
        frame_add(&result->run, &result->passes[i], &machine_layout);
    int status = join_alignments(run);
    if (status == 0)
        machine_frame_add_join(&result->run, &result->join, run->passes->hardware);
    return status;
}

/* The process that drew it has written all of it. */
static int end_timeline(struct run *run)
{
    if (!run->passes->timeline)
        return 0;
    if (run->result->drawn.status < 0)
        return refuse(run, PASSES_EPROCESS, "the timeline cannot be written: is the disk full?");
    return output_commit(&run->timeline, run->why) != 0 ? PASSES_EPROCESS : 0;
}

static uint64_t database_words(const struct passes *c)
{
    return c->recorded ? token_record_facts(c->recorded)->database->word_count : c->database->word_count;
}

int passes_run(const struct passes *passes, struct passes_result *result, struct why *why)
{
    struct run run = {.passes = passes, .result = result, .why = why};
    sigset_t child_ended, before;
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ended, &before);
    int status = PASSES_EMEMORY;
    if (passes->timeline && output_open(&run.timeline, passes->timeline->path, why) != 0) {
        status = PASSES_EPROCESS;
    } else if (set_up(&run)) {
        double mwmers = (double)database_words(passes) * BASES_PER_WORD / 1e6;
        progress_begin(&run.progress, "Mwmers", mwmers * (double)passes->pass_count, passes->quiet);
        index_database(&run);
        status = run_passes(&run);
        stop_passes(&run);
        progress_end(&run.progress);
    } else {
        refuse(&run, status, "out of memory");
    }
    if (status == 0)
        status = sum_up(&run);
    if (status == 0)
        status = end_timeline(&run);
    if (run.timeline.file)
        output_discard(&run.timeline);
    sigprocmask(SIG_SETMASK, &before, NULL);
    clean_up(&run);
    if (status)
        passes_result_destroy(result);
    return status;
}

void passes_result_destroy(struct passes_result *result)
{
    free(result->passes);
    result->passes = NULL;
    machine_clocks_destroy(result->clocks);
    result->clocks = NULL;
    alignment_list_destroy(&result->alignments);
    free(result->join.cells);
    result->join = (struct stitch_work){0};
}
