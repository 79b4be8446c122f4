#include "sim/pass/pass_set.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/file/file_io.h"
#include "base/memory.h"
#include "sim/pass/pass_report.h"
#include "sim/tokens/stage3_tasks.h"

size_t pass_set_number(const struct passes *c, size_t pass)
{
    return c->numbers ? c->numbers[pass] : pass;
}

size_t pass_set_of_run(const struct passes *c)
{
    return c->numbers ? c->run_passes : c->pass_count;
}

size_t pass_set_taken(size_t count, size_t every)
{
    return every > 0 ? (count + every - 1 - every / 2) / every : count;
}

uint64_t pass_set_words(const struct passes *c)
{
    uint64_t words =
        c->recorded ? token_record_run(c->recorded)->facts.database->word_count : c->database->word_count;
    return hardware_deals_database(c->hardware) ? words / c->hardware->hosts : words;
}

bool pass_set_is_recorded(const struct passes *passes, size_t pass)
{
    const size_t every = passes->how.record_every, number = pass_set_number(passes, pass);
    return (passes->how.record || passes->how.leave_tokens) && (every == 0 || number % every == every / 2);
}

size_t pass_set_nth_taken(size_t nth, size_t every)
{
    return every > 0 ? nth * every + every / 2 : nth;
}

struct passes passes_of_record(const struct hardware *hardware, const char *platform_file,
                               const struct token_record *record, size_t pass_count, unsigned jobs)
{
    const struct token_record_facts *facts = &token_record_run(record)->facts;
    return (struct passes){
        .hardware = hardware,
        .platform_file = platform_file,
        .segments = facts->segments,
        .pass_count = pass_count,
        .query = facts->query,
        .how = {.jobs = jobs, .quiet = true},
        .recorded = record,
    };
}

struct passes passes_again(const struct passes *passes, const struct token_record *record)
{
    const struct pass_handling *how = &passes->how;
    struct passes again = *passes;
    again.how = (struct pass_handling){
        .jobs = how->jobs, .hsps_in_memory = how->hsps_in_memory, .ahead = how->ahead, .quiet = how->quiet};
    again.recorded = record;
    return again;
}

static void add(XXH3_state_t *state, const void *bytes, size_t count)
{
    if (count > 0)
        XXH3_64bits_update(state, bytes, count);
}

static void add_machine(XXH3_state_t *state, const struct passes *c)
{
    char bytes[1 << 12];
    FILE *platform = c->platform_file ? file_io_open(c->platform_file, O_RDONLY) : NULL;
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        char value[64] = "";
        strcpy(value, hardware_parameter_value(c->hardware, i).text);
        add(state, value, sizeof value);
    }
    for (size_t got; platform && (got = fread(bytes, 1, sizeof bytes, platform)) > 0;)
        add(state, bytes, got);
    file_io_end(platform);
}

static void add_segments(XXH3_state_t *state, const struct passes *c)
{
    for (size_t i = 0; i < c->pass_count; i++) {
        const uint64_t segment[] = {c->segments[i].strand, c->segments[i].begin, c->segments[i].length};
        add(state, segment, sizeof segment);
    }
}

static void add_directive(XXH3_state_t *state, const struct directive *d)
{
    const uint64_t numbers[] = {d->metric,       d->tap,       d->to,           d->aggregates,
                                d->bins.count,   d->bins.low,  d->bins.width,   d->frame.kind,
                                d->frame.amount, d->frame.tap, d->frame.of_run, d->quantile_count};
    const double seconds[] = {d->quantile_error, d->frame.seconds};
    add(state, numbers, sizeof numbers);
    add(state, seconds, sizeof seconds);
    add(state, d->quantiles, d->quantile_count * sizeof *d->quantiles);
    add(state, d->name, strlen(d->name) + 1);
}

uint64_t pass_set_digest(const struct passes *c)
{
    XXH3_state_t *state = XXH3_createState();
    const struct mask *masked = &c->query->masked;
    const uint64_t facts[] = {sizeof(struct pass_report),
                              c->query->digest,
                              c->database->digest,
                              c->pass_count,
                              c->how.events,
                              c->how.charge,
                              c->how.only_tokens,
                              c->how.record || c->how.leave_tokens,
                              c->how.record_every};
    if (!state)
        memory_exhausted();
    XXH3_64bits_reset(state);
    add(state, MERCURY_VERSION, sizeof MERCURY_VERSION);
    add(state, facts, sizeof facts);
    add(state, c->least.scores, c->query->record_count * sizeof *c->least.scores);
    add(state, &c->least.identity, sizeof c->least.identity);
    add(state, masked->ranges, masked->count * sizeof *masked->ranges);
    add_segments(state, c);
    add_machine(state, c);
    for (size_t i = 0; c->how.measure && i < c->how.measure->measurement_count; i++)
        add_directive(state, c->how.measure->measurements[i].directive);
    uint64_t digest = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return digest;
}

/* An HSP with two stamps takes 32 bytes as a task, its times and clocks take 70 more when the host has done it, and
 * arrays grow by half. */
enum { HSP_BYTES = 32, ROOM_PER_HSP = 8 * HSP_BYTES };

enum { AHEAD_LEAST = 4 };

uint64_t passes_default_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : UINT64_C(1) << 30;
}

void pass_handling_bound(struct pass_handling *how, uint64_t bytes)
{
    uint64_t hsps = bytes / (how->jobs + 1) / ROOM_PER_HSP;
    hsps = hsps < PASS_HSPS_IN_MEMORY ? hsps : PASS_HSPS_IN_MEMORY;
    how->hsps_in_memory = hsps > STAGE3_CHUNK_HSPS ? (size_t)hsps : STAGE3_CHUNK_HSPS;
    uint64_t ahead = bytes / 4 / (how->hsps_in_memory * HSP_BYTES);
    how->ahead = (size_t)(ahead > 2 * how->jobs ? ahead : 2 * how->jobs + AHEAD_LEAST);
}
