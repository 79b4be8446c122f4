#include "sim/machine.h"

#include "blast/pass.h"
#include "blast/stage3.h"
#include "sim/event_engine.h"
#include "sim/machine_frame.h"
#include "sim/progress.h"

/* The stages of one pass at work. */
struct stages {
    struct pass *pass;
    struct stage3 *stage3;
    uint64_t segment_begin; /* in the strand */
};

static bool scan(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                 struct pass_counts *counts)
{
    struct stages *s = data;
    return pass_scan(s->pass, first, count, tokens, counts);
}

static bool extend(void *data, const struct hsp *hsps, size_t count, struct extension_counts *counts)
{
    struct stages *s = data;
    for (size_t i = 0; i < count; i++) {
        uint64_t cells = 0;
        if (stage3_extend(s->stage3, s->segment_begin + hsps[i].query_position, hsps[i].database_position,
                          &cells) < 0)
            return false;
        counts->hsps++;
        counts->contained += cells == 0;
        counts->cells += cells;
    }
    return true;
}

static uint64_t bloom_bytes(const struct bloom_geometry *bloom)
{
    return (uint64_t)bloom->hashes * ((bloom->bank_bits + UINT64_C(7)) / 8);
}

static bool make_stages(const struct machine_pass *p, struct stages *s, struct machine_result *result)
{
    const struct query_segment *segment = &p->segment;
    struct stage3_pass stage3 = {
        .query_begin = segment->begin > STAGE3_MARGIN ? segment->begin - STAGE3_MARGIN : 0,
        .query_end = segment->begin + segment->length + STAGE3_MARGIN,
        .query = p->query_codes,
        .query_positions = p->query->positions,
        .strand = p->segment.strand,
        .database = p->database,
        .statistics = p->statistics,
        .least_score = p->least_score,
    };
    double begin_s = progress_wall_s();
    s->segment_begin = p->segment.begin;
    s->pass = pass_new(&p->hardware->pass, p->query, &p->segment, p->database);
    s->stage3 = stage3_create(&stage3, &result->alignments);
    result->wall_tables_s = progress_wall_s() - begin_s;
    return s->pass && s->stage3;
}

static int run_source(const struct machine_pass *p, const struct stage_source *source,
                      struct machine_result *result)
{
    struct system_pass system = {
        .hardware = p->hardware,
        .platform_file = p->platform_file,
        .source = source,
        .words_done = p->words_done,
        .measure = p->measure,
        .timeline = p->timeline,
        .drawn = p->drawn,
    };
    if (!p->events)
        return system_run(&system, &result->frame, &result->wall) ? MACHINE_EMEMORY : 0;
    struct event_log log = {0};
    system.watch_block = event_log_block;
    system.watcher = &log;
    int status = system_run(&system, &result->frame, &result->wall) ? MACHINE_EMEMORY : 0;
    if (status == 0 && event_engine_run(&log, p->hardware, p->paje_file, &result->frame, result->why,
                                        sizeof result->why) != 0)
        status = MACHINE_EENGINE;
    event_log_destroy(&log);
    return status;
}

static int run_recorded(const struct machine_pass *p, const struct stage_source *stages,
                        struct machine_result *result)
{
    struct token_recorder recorder;
    struct stage_source source = token_recorder_begin(&recorder, stages, p->spool);
    int status = run_source(p, &source, result);
    bool recorded = token_recorder_end(&recorder);
    return recorded || (status && !recorder.failed) ? status : MACHINE_ERECORD;
}

static int run_stages(const struct machine_pass *p, struct stages *s, struct machine_result *result)
{
    result->tables = pass_sram_load(s->pass);
    struct stage_source source = {
        .data = s,
        .database_words = p->database->word_count,
        .table_bytes = result->tables.bytes + bloom_bytes(&p->hardware->pass.bloom),
        .scan = scan,
        .extend = extend,
    };
    return p->record ? run_recorded(p, &source, result) : run_source(p, &source, result);
}

int machine_simulate(const struct machine_pass *pass, struct machine_result *result)
{
    struct stages stages = {0};
    *result = (struct machine_result){0};
    int status = make_stages(pass, &stages, result) ? run_stages(pass, &stages, result) : MACHINE_EMEMORY;
    pass_destroy(stages.pass);
    stage3_destroy(stages.stage3);
    if (status)
        alignment_list_destroy(&result->alignments);
    return status;
}

int machine_retime(const struct machine_retiming *retiming, struct machine_result *result)
{
    struct machine_pass pass = {
        .hardware = retiming->hardware,
        .platform_file = retiming->platform_file,
        .words_done = retiming->words_done,
        .measure = retiming->measure,
        .timeline = retiming->timeline,
        .drawn = retiming->drawn,
    };
    struct token_replay replay;
    struct stage_source source = token_replay_begin(&replay, retiming->record, retiming->pass);
    *result = (struct machine_result){0};
    int status = run_source(&pass, &source, result);
    bool makes_no_sense = status ? replay.decoder.damaged : !token_replay_is_whole(&replay);
    return makes_no_sense ? MACHINE_ERECORD : status;
}
