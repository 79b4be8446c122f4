#include "sim/pass/pass_slots.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/progress.h"
#include "blast/stages12/bloom_index.h"
#include "sim/pass/pass_pool.h"

struct pass_slots {
    const struct passes *passes;
    FILE *timeline;            /* written by the process of the pass that is drawn */
    uint8_t *query_codes[2];   /* of each strand that has segments */
    struct bloom_index *index; /* NULL if it does not pay, or if memory does not suffice */
    struct pass_pool *pool;
};

/* --- in a pass's process --------------------------------------------------------------------------------- */

/* What the next pass loads while this one is on the board. */
static int find_overlap(const struct pass_slots *slots, size_t number, struct pass_simulation *pass,
                        struct why *why)
{
    const struct passes *c = slots->passes;
    int status = 0;
    if (c->hardware->overlap != OVERLAP_TABLES)
        return 0;
    pass->tables_are_loaded = number > 0;
    if (number + 1 < c->pass_count && c->recorded)
        pass->next_table_bytes = token_record_table_bytes(c->recorded, number + 1);
    else if (number + 1 < c->pass_count)
        status =
            pass_table_bytes(c->hardware, c->query, &c->segments[number + 1], &pass->next_table_bytes, why);
    return status;
}

static int simulate(const struct pass_slots *slots, const struct pass_instruments *instruments,
                    struct pass_report *report)
{
    const struct passes *c = slots->passes;
    size_t number = report->job.pass;
    struct pass_simulation pass = {
        .hardware = c->hardware, .platform_file = c->platform_file, .instruments = *instruments};
    int status = find_overlap(slots, number, &pass, &report->result.why);
    if (status)
        return status;
    if (c->recorded)
        return pass_retime(&pass, c->recorded, number, &report->result);
    pass.query = c->query;
    pass.query_codes = slots->query_codes[c->segments[number].strand];
    pass.database = c->database;
    pass.index = slots->index;
    pass.segment = c->segments[number];
    pass.statistics = c->statistics;
    pass.least_score = c->least_score;
    pass.threads = pass_pool_threads(slots->pool);
    pass.events = c->events;
    pass.paje_file = number == 0 ? c->paje_file : NULL;
    pass.record = report->job.spool >= 0;
    pass.spool = report->job.spool;
    return pass_simulate(&pass, &report->result);
}

bool pass_is_drawn(const struct passes *passes, size_t pass)
{
    return passes->timeline && pass + 1 == passes->timeline->pass;
}

static bool is_drawn_here(const struct pass_slots *slots, size_t pass)
{
    return slots->timeline && pass_is_drawn(slots->passes, pass);
}

int pass_finish_measure(struct measure *measure, FILE *records, size_t pass, struct why *why)
{
    struct why bug;
    int status = measure_finish(measure, &bug);
    if (status && status != MEASURE_EWRITE)
        return why_say(why, PASS_EBUG, "pass %zu: %s: a bug of Mercury's, please report it", pass + 1,
                       bug.line);
    if (status || fflush(records) != 0)
        return why_say(why, PASS_EPROCESS, "what a pass measures cannot be kept: is the disk full?");
    return 0;
}

/* The pass_work of the pool. What is opened here is closed when the process ends. */
static int simulate_pass(const void *data, struct pass_report *report)
{
    const struct pass_slots *slots = data;
    const struct passes *c = slots->passes;
    FILE *records = report->job.records >= 0 ? fdopen(dup(report->job.records), "w") : NULL;
    struct pass_instruments instruments = {
        .words_done = pass_pool_counter(slots->pool),
        .measure = records ? measure_new(c->measure, SIDE_BOARD, records) : NULL,
        .timeline = is_drawn_here(slots, report->job.pass)
                        ? machine_timeline_new(slots->timeline, c->timeline, c->hardware, NULL)
                        : NULL,
        .stamps = &report->stamps,
        .charge = c->charge ? &report->charge : NULL,
    };
    if ((report->job.records >= 0 && !instruments.measure) ||
        (is_drawn_here(slots, report->job.pass) && !instruments.timeline))
        return why_no_memory(&report->result.why, PASS_EMEMORY);
    int status = simulate(slots, &instruments, report);
    if (instruments.timeline)
        machine_timeline_suspend(instruments.timeline, &report->drawn);
    if (status == 0 && instruments.measure)
        status = pass_finish_measure(instruments.measure, records, report->job.pass, &report->result.why);
    return status;
}

/* --- jobs ------------------------------------------------------------------------------------------------ */

bool pass_slots_are_full(const struct pass_slots *slots)
{
    return !pass_pool_has_free_slot(slots->pool);
}

/* Files for what a pass leaves. */
static int open_files(const struct passes *c, struct pass_job *job, struct why *why)
{
    if (c->record && (job->spool = token_record_spool(c->record, why)) < 0)
        return PASS_ERECORD;
    bool opened = c->record || !c->leave_tokens || (job->spool = pass_file_open()) >= 0;
    if (opened && (!c->measure || (job->records = pass_file_open()) >= 0))
        return 0;
    if (job->spool >= 0)
        close(job->spool);
    return why_say(why, PASS_EPROCESS, "no temporary file for what a pass leaves");
}

int pass_slots_start(struct pass_slots *slots, size_t pass, struct why *why)
{
    struct pass_job job = {.pass = pass, .spool = -1, .records = -1};
    int status = open_files(slots->passes, &job, why);
    return status ? status : pass_pool_start(slots->pool, job, why);
}

int pass_slots_collect(struct pass_slots *slots, struct pass_report **report, struct why *why)
{
    return pass_pool_collect(slots->pool, report, why);
}

atomic_ullong *pass_slots_counter(const struct pass_slots *slots)
{
    return pass_pool_counter(slots->pool);
}

const uint8_t *pass_slots_query_codes(const struct pass_slots *slots, enum strand strand)
{
    return slots->query_codes[strand];
}

/* --- the whole ------------------------------------------------------------------------------------------- */

static bool unpack_strands(struct pass_slots *slots)
{
    const struct passes *c = slots->passes;
    for (size_t i = 0; !c->recorded && i < c->pass_count; i++) {
        enum strand strand = c->segments[i].strand;
        if (!slots->query_codes[strand])
            slots->query_codes[strand] = sequences_unpack_strand(c->query, strand);
        if (!slots->query_codes[strand])
            return false;
    }
    return true;
}

double pass_slots_index_database(struct pass_slots *slots)
{
    const struct passes *c = slots->passes;
    const struct bloom_geometry *bloom = &c->hardware->pass.bloom;
    if (c->recorded || !bloom_index_pays(bloom, c->pass_count))
        return 0;
    double begin_s = progress_wall_s();
    slots->index = bloom_index_new(bloom, c->database);
    return progress_wall_s() - begin_s;
}

struct pass_slots *pass_slots_new(const struct passes *passes, FILE *timeline)
{
    struct pass_slots *slots = calloc(1, sizeof *slots);
    if (!slots)
        return NULL;
    *slots = (struct pass_slots){.passes = passes, .timeline = timeline};
    slots->pool = pass_pool_new(passes->jobs, simulate_pass, slots);
    if (slots->pool && unpack_strands(slots))
        return slots;
    pass_slots_destroy(slots);
    return NULL;
}

void pass_slots_destroy(struct pass_slots *slots)
{
    if (!slots)
        return;
    pass_pool_destroy(slots->pool);
    free(slots->query_codes[STRAND_PLUS]);
    free(slots->query_codes[STRAND_MINUS]);
    bloom_index_destroy(slots->index);
    free(slots);
}
