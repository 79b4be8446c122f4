#include "app/share/share_boards.h"

#include <stdlib.h>

#include "base/command.h"
#include "sim/pass/board_runs.h"
#include "app/run/run_output.h"

/* Number of the first board with the same record. */
static unsigned first_of(const struct share_runs *r, unsigned board)
{
    unsigned first = 0;
    while (r->records[first] != r->records[board])
        first++;
    return first;
}

/* Every different record alone, then all boards together. @return number of sets */
static size_t plan(const struct share_runs *r, const struct hardware *machine, struct board_runs *sets)
{
    size_t count = 0;
    struct board_runs all = {.hardware = machine, .platform_file = r->platform_file, .count = r->count};
    for (unsigned i = 0; i < r->count; i++) {
        all.records[i] = r->records[i];
        if (first_of(r, i) < i)
            continue;
        sets[count] = (struct board_runs){.hardware = machine, .platform_file = r->platform_file, .count = 1};
        sets[count++].records[0] = r->records[i];
    }
    sets[count++] = all;
    return count;
}

/* The runs of one machine, as plan() ordered them. @return what comes after them */
static const struct board_run *take(const struct share_runs *r, const struct hardware *machine,
                                    const struct board_run *runs, struct share_case *out)
{
    unsigned alone = 0;
    *out = (struct share_case){.hardware = machine, .count = r->count};
    for (unsigned i = 0; i < r->count; i++) {
        unsigned first = first_of(r, i);
        out->names[i] = r->names[i];
        out->alone[i] = first < i ? out->alone[first] : &runs[alone++];
    }
    for (unsigned i = 0; i < r->count; i++)
        out->together[i] = &runs[alone + i];
    return runs + alone + r->count;
}

int share_boards_time(const struct share_runs *r, const struct hardware *machines, size_t count,
                      struct share_boards *out, struct why *why)
{
    struct board_runs *sets = calloc(count * (r->count + 1), sizeof *sets);
    size_t set_count = 0;
    *out = (struct share_boards){.cases = calloc(count, sizeof *out->cases),
                                 .runs = calloc(count * 2 * r->count, sizeof *out->runs)};
    int status = sets && out->cases && out->runs ? 0 : why_no_memory(why, COMMAND_FAILED);
    for (size_t m = 0; m < count && status == 0; m++)
        set_count += plan(r, &machines[m], &sets[set_count]);
    if (status == 0) {
        unsigned jobs = r->jobs < set_count ? r->jobs : (unsigned)set_count;
        status = run_output_status(board_runs_time(sets, set_count, jobs, out->runs, why));
    }
    const struct board_run *at = out->runs;
    for (size_t m = 0; m < count && status == 0; m++)
        at = take(r, &machines[m], at, &out->cases[m]);
    if (status == 0)
        out->run_count = (size_t)(at - out->runs);
    free(sets);
    return status;
}

void share_boards_destroy(struct share_boards *boards)
{
    for (size_t i = 0; i < boards->run_count; i++)
        transfer_log_destroy(&boards->runs[i].log);
    free(boards->runs);
    free(boards->cases);
    *boards = (struct share_boards){0};
}
