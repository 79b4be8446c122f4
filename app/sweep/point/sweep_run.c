#include "app/sweep/point/sweep_run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/command.h"
#include "base/progress.h"
#include "blast/stage3/stage3.h"
#include "blast/stage3/stitch.h"
#include "base/process/signals.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/pass_pool.h"
#include "app/sweep/point/sweep_work.h"

/* The longest time to sleep; a child that ends wakes this process earlier. */
static const double CHILD_SLEEP_S = 0.2;

/* What the passes of one search have found: every point of it finds the same alignments, so that they are stitched
 * once, as soon as the first of its points needs to know the work. */
struct findings {
    struct found {
        bool is_kept;
        struct alignment_list alignments;
    } * passes; /* NULL before the first of them is kept, and when they are stitched */
    bool stitched;
    struct stitch_work work;
};

/* A point that is being worked on. */
struct open_point {
    size_t point, passes;
    size_t waiting, missing; /* number of passes that are not handed out; number without a report */
    struct open_job {
        enum job_state { JOB_WAITS, JOB_HANDED, JOB_DONE } state;
        int rank; /* the rank that the job was handed to */
        double since_s;
    } * jobs;
    struct pass_result *results; /* frame, tables and tasks of each pass that is done */
};

struct sweep_runner {
    const struct sweep_run *run;
    const struct sweep_plan *plan;
    struct sigaction before[3]; /* what the watched signals did */
    bool is_ended;              /* by a signal */
    uint64_t digest;            /* of the plan */
    struct sweep_work *work;
    struct open_point *open;
    size_t open_count, open_room;
    size_t turn;               /* number of points that were opened or skipped */
    size_t finished, skipped;  /* points finished (computed or skipped); how many of them were skipped */
    struct findings *findings; /* of every search */
    size_t finding_count, finding_room;
    bool *has_tokens; /* of every rank and pass of every structure: the rank has simulated it */
    unsigned *asked;  /* for every rank: number of jobs that it waits for */
    bool is_idle;     /* nothing has come in the present turn */
    struct progress progress;
    struct why *why;
};

static volatile sig_atomic_t ended_by;

static int refuse_memory(const struct sweep_runner *m)
{
    return why_no_memory(m->why, COMMAND_REFUSED);
}

/* @param status  0 or an enum pass_error */
static int status_of_pass(int status)
{
    return status == 0                                      ? 0
           : status == PASS_EMEMORY || status == PASS_ELONG ? COMMAND_REFUSED
                                                            : COMMAND_FAILED;
}

/* --- open points ----------------------------------------------------------------------------------------- */

static void close_point(struct open_point *open)
{
    for (size_t i = 0; open->results && i < open->passes; i++)
        stage3_tasks_destroy(&open->results[i].host.tasks);
    free(open->results);
    free(open->jobs);
    *open = (struct open_point){0};
}

static int open_point(struct sweep_runner *m, size_t point)
{
    size_t passes = sweep_plan_search(m->plan, point)->pass_count;
    struct open_point *open = &m->open[m->open_count++];
    *open = (struct open_point){
        .point = point,
        .passes = passes,
        .waiting = passes,
        .missing = passes,
        .jobs = calloc(passes, sizeof *open->jobs),
        .results = calloc(passes, sizeof *open->results),
    };
    return open->jobs && open->results ? 0 : refuse_memory(m);
}

/* Open points while there is room for them. */
static int open_points(struct sweep_runner *m)
{
    int status = 0;
    while (status == 0 && m->open_count < m->open_room && m->turn < m->plan->point_count) {
        size_t point = (m->run->begin + m->turn++) % m->plan->point_count;
        int wanted = m->run->wants ? m->run->wants(m->run->data, point, m->why) : 1;
        if (wanted == 0) {
            m->finished++;
            m->progress.total--; /* a skipped point took no work and must not count in the rate */
            m->skipped++;
        } else
            status = wanted < 0 ? COMMAND_REFUSED : open_point(m, point);
    }
    return status;
}

static struct open_point *find_open(struct sweep_runner *m, size_t point)
{
    for (size_t i = 0; i < m->open_count; i++)
        if (m->open[i].point == point)
            return &m->open[i];
    return NULL;
}

/* --- who does what --------------------------------------------------------------------------------------- */

static size_t search_of(const struct sweep_runner *m, size_t point)
{
    return m->plan->structures[m->plan->points[point].structure].search;
}

/* Whether a rank has the tokens of a pass of a structure. */
static bool *structure_tokens(const struct sweep_runner *m, int rank, size_t structure, size_t pass)
{
    return &m->has_tokens[(size_t)rank * m->plan->structure_passes +
                          m->plan->structures[structure].first_pass + pass];
}

/* How cheap a job is for a rank, on the scale of sweep_work_readiness(). */
static int readiness(const struct sweep_runner *m, int rank, struct rank_job job)
{
    const size_t structure = m->plan->points[job.point].structure;
    bool of_search = false;
    if (rank == 0)
        return sweep_work_readiness(m->work, job);
    for (size_t i = 0; i < m->plan->structure_count && !of_search; i++)
        of_search = m->plan->structures[i].search == m->plan->structures[structure].search &&
                    *structure_tokens(m, rank, i, job.pass);
    return *structure_tokens(m, rank, structure, job.pass) ? 2 : of_search;
}

/* Find the cheapest job that waits; of equally cheap ones the first. Of boards that depend on each other, the tokens of
 * all passes are needed in one place. */
static bool find_waiting(struct sweep_runner *m, int rank, struct rank_job *job)
{
    int best = -1;
    for (size_t i = 0; i < m->open_count; i++) {
        const struct open_point *open = &m->open[i];
        bool here_only = hardware_couples_boards(&m->plan->points[open->point].hardware);
        size_t passes = open->waiting > 0 && (rank == 0 || !here_only) ? open->passes : 0;
        for (size_t pass = 0; pass < passes && best < 2; pass++) {
            struct rank_job candidate = {open->point, pass};
            if (open->jobs[pass].state != JOB_WAITS || readiness(m, rank, candidate) <= best)
                continue;
            best = readiness(m, rank, candidate);
            *job = candidate;
        }
    }
    return best >= 0;
}

/* Find the job that another rank has had for the longest time, for when no job waits any more. */
static bool find_overdue(struct sweep_runner *m, int rank, struct rank_job *job)
{
    double oldest_s = HUGE_VAL;
    for (size_t i = 0; i < m->open_count; i++) {
        for (size_t pass = 0; pass < m->open[i].passes; pass++) {
            const struct open_job *j = &m->open[i].jobs[pass];
            if (j->state != JOB_HANDED || j->rank == rank || j->rank == 0 || j->since_s >= oldest_s)
                continue;
            oldest_s = j->since_s;
            *job = (struct rank_job){m->open[i].point, pass};
        }
    }
    return oldest_s < HUGE_VAL;
}

static bool choose_job(struct sweep_runner *m, int rank, struct rank_job *job)
{
    if (find_waiting(m, rank, job)) {
        find_open(m, job->point)->waiting--;
    } else if (m->turn < m->plan->point_count || !find_overdue(m, rank, job)) {
        return false;
    }
    find_open(m, job->point)->jobs[job->pass] = (struct open_job){JOB_HANDED, rank, progress_wall_s()};
    return true;
}

/* --- stitching ------------------------------------------------------------------------------------------- */

static void drop_alignments(struct findings *f, size_t pass_count)
{
    for (size_t pass = 0; f->passes && pass < pass_count; pass++)
        alignment_list_destroy(&f->passes[pass].alignments);
    free(f->passes);
    f->passes = NULL;
}

/* Take what a pass has found, unless it is known from before. @return false if memory is exhausted */
static bool keep_alignments(struct sweep_runner *m, size_t search, size_t pass, struct pass_result *result)
{
    struct findings *f = &m->findings[search];
    if (!result->searched || f->stitched)
        return true;
    if (!f->passes)
        f->passes = calloc(m->plan->searches[search].pass_count, sizeof *f->passes);
    if (f->passes && !f->passes[pass].is_kept) {
        f->passes[pass] = (struct found){true, result->alignments};
        result->alignments = (struct alignment_list){0};
    }
    return f->passes != NULL;
}

/* Stitch the alignments of a search, whose passes must all have been kept. @return false if memory is exhausted */
static bool stitch(const struct sweep_plan *plan, const struct sweep_search *search, struct findings *f)
{
    const struct sweep_input *input = &plan->request->inputs[search->input];
    struct alignment_list all = {0};
    uint8_t *plus = sequences_unpack_strand(input->query, STRAND_PLUS);
    uint8_t *minus = sequences_unpack_strand(input->query, STRAND_MINUS);
    struct stage3_query query = {
        input->query, input->database, {plus, minus}, &search->statistics, {search->least_scores, 0}};
    f->stitched = f->passes && plus && minus;
    for (size_t pass = 0; f->stitched && pass < search->pass_count; pass++)
        f->stitched = alignment_list_append_list(&all, &f->passes[pass].alignments) == 0;
    f->stitched = f->stitched && stitch_alignments(&all, &query, &f->work) == 0;
    if (f->stitched)
        drop_alignments(f, search->pass_count);
    alignment_list_destroy(&all);
    free(plus);
    free(minus);
    return f->stitched;
}

/* --- what comes back ------------------------------------------------------------------------------------- */

static int finish_point(struct sweep_runner *m, struct open_point *open)
{
    const struct hardware *hardware = &m->plan->points[open->point].hardware;
    const size_t search = search_of(m, open->point);
    struct findings *f = &m->findings[search];
    struct sweep_measures measures;
    struct frame run;
    if (!f->stitched && !stitch(m->plan, &m->plan->searches[search], f))
        return refuse_memory(m);
    int status = status_of_pass(sweep_work_sum_up(m->work, open->point, open->results, &run, m->why));
    if (status)
        return status;
    machine_frame_add_join(&run, &f->work, hardware);
    sweep_measures_make(&(struct sweep_facts){hardware, &run, open->results, open->passes}, &measures);
    if (m->run->take(m->run->data, open->point, &measures, m->why) != 0)
        status = COMMAND_REFUSED;
    m->finished++;
    close_point(open);
    *open = m->open[m->open_count - 1];
    /* Few points are open, so this hardly changes their order. */
    m->open[--m->open_count] = (struct open_point){0};
    return status;
}

/* Keep what a report has, if it is the first of its job; it is destroyed. */
static int take_report(struct sweep_runner *m, int rank, struct pass_report *report)
{
    const size_t point = report->job.point, pass = report->job.pass;
    struct open_point *open = find_open(m, point);
    int status = keep_alignments(m, search_of(m, point), pass, &report->result) ? 0 : refuse_memory(m);
    m->is_idle = false;
    if (rank > 0)
        *structure_tokens(m, rank, m->plan->points[point].structure, pass) = true;
    if (status == 0 && open && open->jobs[pass].state != JOB_DONE) {
        open->jobs[pass].state = JOB_DONE;
        open->results[pass] = report->result;
        report->result.host.tasks = (struct stage3_tasks){0};
        if (--open->missing == 0)
            status = finish_point(m, open);
    }
    pass_report_destroy(report);
    return status;
}

/* Take what another rank has sent. */
static int take_letter(struct sweep_runner *m, const struct rank_letter *letter)
{
    struct pass_report *report;
    FILE *in = fmemopen(letter->bytes, letter->size, "r");
    int status = in ? pass_report_read(in, &report, m->why) : why_no_memory(m->why, PASS_EMEMORY);
    if (in)
        fclose(in);
    return status ? COMMAND_FAILED : take_report(m, letter->rank, report);
}

/* --- rank 0 ---------------------------------------------------------------------------------------------- */

static int fill_slots(struct sweep_runner *m)
{
    struct rank_job job;
    int status = 0;
    while (status == 0 && sweep_work_has_free_slot(m->work) && choose_job(m, 0, &job))
        status = status_of_pass(sweep_work_start(m->work, job, m->why));
    return status;
}

static int work_here(struct sweep_runner *m)
{
    struct pass_report *report;
    int status = open_points(m);
    if (status == 0)
        status = fill_slots(m);
    int collected = status == 0 ? sweep_work_collect(m->work, &report, m->why) : 0;
    if (collected <= 0)
        return status ? status : status_of_pass(collected);
    status = fill_slots(m); /* before the point is stored, so that no slot waits for the disk */
    if (status == 0)
        return take_report(m, 0, report);
    pass_report_destroy(report);
    return status;
}

static int take_word(struct sweep_runner *m, enum rank_word word, const struct rank_letter *letter)
{
    uint64_t plan = 0;
    if (word == WORD_FAILED)
        return COMMAND_FAILED;
    if (word == WORD_ASKS && letter->size == sizeof plan)
        memcpy(&plan, letter->bytes, sizeof plan);
    if (word == WORD_ASKS && plan != m->digest)
        return why_say(
            m->why, COMMAND_FAILED,
            "rank %d has another list of points: are its inputs and its mercury the same as those of rank 0?",
            letter->rank);
    m->is_idle = m->is_idle && word == WORD_NONE;
    m->asked[letter->rank] += word == WORD_ASKS || word == WORD_OUTCOME;
    return word == WORD_OUTCOME ? take_letter(m, letter) : 0;
}

static int work_with_others(struct sweep_runner *m)
{
    struct rank_letter letter = {0};
    enum rank_word word = rank_link.hear(m->run->link, &letter, m->why);
    int status = take_word(m, word, &letter);
    free(letter.bytes);
    if (status == 0)
        status = open_points(m);
    /* give each rank as many jobs as it has asked for, or as there are */
    for (int rank = 1; rank < rank_link_size(m->run->link) && status == 0; rank++)
        for (struct rank_job job; m->asked[rank] > 0 && choose_job(m, rank, &job); m->asked[rank]--)
            rank_link.order(rank, ORDER_JOB, job);
    return status;
}

/* The rank_link_taker of reports that were on their way. */
static void take_last(void *data, const struct rank_letter *letter)
{
    take_letter(data, letter);
}

static const int watched[3] = {SIGINT, SIGTERM, SIGHUP};

static void note_signal(int number)
{
    ended_by = number;
}

struct sweep_runner *sweep_runner_new(const struct sweep_run *run)
{
    struct sweep_runner *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    const size_t ranks = (size_t)rank_link_size(run->link);
    *m = (struct sweep_runner){.run = run, .plan = run->plan, .open_room = 2 * (ranks * run->jobs) + 2};
    struct sigaction action = {.sa_handler = note_signal};
    for (unsigned i = 0; i < 3; i++) {
        sigaction(watched[i], NULL, &m->before[i]);
        if (m->before[i].sa_handler != SIG_IGN)
            sigaction(watched[i], &action, NULL);
    }
    m->work = sweep_work_new(m->plan, run->jobs);
    m->open = calloc(m->open_room, sizeof *m->open);
    m->has_tokens = calloc(ranks * m->plan->structure_passes + 1, sizeof *m->has_tokens);
    m->asked = calloc(ranks, sizeof *m->asked);
    if (m->work && m->open && m->has_tokens && m->asked)
        return m;
    sweep_runner_destroy(m);
    return NULL;
}

int sweep_runner_work(struct sweep_runner *m, struct why *why)
{
    m->why = why;
    m->digest = sweep_plan_digest(m->plan);
    const size_t more = m->plan->search_count - m->finding_count; /* searches that were added to the plan */
    if (!array_reserve(&m->findings, &m->finding_room, m->finding_count, more, sizeof *m->findings) ||
        !sweep_work_grow(m->work))
        return refuse_memory(m);
    memset(m->findings + m->finding_count, 0, more * sizeof *m->findings);
    m->finding_count += more;
    m->skipped = m->finished;
    progress_begin(&m->progress, "points", (double)(m->plan->point_count - m->finished), m->run->quiet);
    const bool others = rank_link_size(m->run->link) > 1;
    int status = 0;
    while (status == 0 && m->finished < m->plan->point_count) {
        m->is_idle = true;
        status = work_here(m);
        if (status == 0 && others)
            status = work_with_others(m);
        m->is_ended = status == 0 && ended_by;
        if (m->is_ended)
            status = why_say(m->why, COMMAND_FAILED, "ended by a signal");
        if (status == 0 && m->is_idle && others)
            rank_link.sleep();
        else if (status == 0 && m->is_idle)
            pass_pool_sleep(CHILD_SLEEP_S);
        progress_update(&m->progress, (double)(m->finished - m->skipped));
    }
    progress_end(&m->progress);
    return status;
}

const struct token_record *sweep_runner_tokens(const struct sweep_runner *m, size_t point, size_t pass)
{
    return sweep_work_tokens(m->work, (struct rank_job){point, pass});
}

bool sweep_runner_destroy(struct sweep_runner *m)
{
    static char words[200];
    struct why why;
    m->why = &why;
    bool lost = rank_link_dismiss(m->run->link, m->is_ended ? take_last : NULL, m);
    const struct sweep_runner last = *m;
    sweep_work_destroy(m->work);
    for (size_t i = 0; m->open && i < m->open_count; i++)
        close_point(&m->open[i]);
    for (size_t i = 0; i < m->finding_count; i++) {
        drop_alignments(&m->findings[i], m->plan->searches[i].pass_count);
        stitch_work_destroy(&m->findings[i].work);
    }
    free(m->findings);
    free(m->open);
    free(m->has_tokens);
    free(m->asked);
    for (unsigned i = 0; i < 3; i++)
        sigaction(watched[i], &m->before[i], NULL);
    free(m);
    if (!last.is_ended)
        return lost;
    snprintf(words, sizeof words, "\nmercury: ended by a signal; %zu of %zu points %s\n", last.finished,
             last.plan->point_count, last.run->kept);
    signals_set_last_words(words);
    raise(ended_by); /* die of the signal that has ended the work, as its sender expects */
    return lost;
}

/* --- another rank ---------------------------------------------------------------------------------------- */

bool sweep_run_serve(const struct sweep_run *run, const char *problem)
{
    struct why why;
    enum rank_order order = ORDER_NONE;
    struct sweep_work *work = problem ? NULL : sweep_work_new(run->plan, run->jobs);
    const uint64_t digest = work ? sweep_plan_digest(run->plan) : 0;
    int status = work || problem ? 0 : why_no_memory(&why, PASS_EMEMORY); /* below 0: `why` has a line */
    for (unsigned i = 0; i < run->jobs && work; i++)
        rank_link.say(WORD_ASKS, &digest, sizeof digest);
    while (work && status >= 0 && order < ORDER_STOP) {
        struct pass_report *report;
        struct rank_job job;
        order = rank_link.listen(run->link, &job);
        status = order == ORDER_JOB ? sweep_work_start(work, job, &why) : 0;
        if (status == 0)
            status = sweep_work_collect(work, &report, &why);
        if (status > 0) {
            rank_link.report(report);
            pass_report_destroy(report);
        } else if (status == 0 && order == ORDER_NONE)
            rank_link.sleep();
    }
    sweep_work_destroy(work);
    return rank_link.leave(run->link, order, status < 0 ? why.line : problem);
}
