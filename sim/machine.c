#include "sim/machine.h"

#include "blast/pass.h"
#include "blast/stage3.h"
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
    struct stage3_pass stage3 = {
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
    struct system_pass system = {
        .hardware = p->hardware,
        .platform_file = p->platform_file,
        .source = &source,
        .words_done = p->words_done,
    };
    return system_run(&system, &result->frame, &result->wall) ? MACHINE_EMEMORY : 0;
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
