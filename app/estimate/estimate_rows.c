#include "app/estimate/estimate_rows.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/process/child_words.h"
#include "base/command.h"
#include "base/progress.h"
#include "sim/simgrid/simgrid_module.h"

double estimate_row_time_s(const struct estimate_row *row)
{
    return isnan(row->estimated_s) ? row->executed_s : row->estimated_s;
}

bool estimate_row_is_serial(const struct estimate_row *row)
{
    return row->limit_s < estimate_row_time_s(row) / 2 && row->serial_share > 0;
}

double estimate_row_reference_s(const struct estimate_row *row)
{
    return !isnan(row->detailed_s) ? row->detailed_s : isnan(row->estimated_s) ? NAN : row->executed_s;
}

/* --- a process that executes ----------------------------------------------------------------------------- */

/* In memory that parent and child share. */
struct execution {
    const struct simgrid_module *simgrid;
    const struct estimate_program *program;
    bool has_ended;
    int status;
    double time_s, wall_s;
    struct why why;
};

static void execute_in_child(void *data)
{
    struct execution *e = data;
    double begin_s = progress_wall_s();
    e->status = e->simgrid->run_script(e->program, &e->time_s, &e->why);
    e->wall_s = progress_wall_s() - begin_s;
    e->has_ended = true;
}

static int take(const struct execution *e, int ended, struct estimate_row *row, struct why *why)
{
    if (!e->has_ended)
        return why_say(why, COMMAND_FAILED,
                       "the process that executes the script on %u nodes has ended early (%s %d)", row->nodes,
                       WIFSIGNALED(ended) ? "signal" : "status",
                       WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended));
    if (e->status)
        *why = e->why;
    row->executed_s = e->time_s;
    row->executed_wall_s = e->wall_s;
    return e->status ? COMMAND_FAILED : 0;
}

static int execute(const struct simgrid_module *simgrid, const struct estimate_program *program,
                   struct estimate_row *row, struct why *why)
{
    int ended = 0;
    struct execution *e = mmap(NULL, sizeof *e, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (e == MAP_FAILED)
        return why_no_memory(why, COMMAND_REFUSED);
    *e = (struct execution){.simgrid = simgrid, .program = program};
    int status = child_words_run(execute_in_child, e, &ended) == CHILD_NO_MEMORY
                     ? why_no_memory(why, COMMAND_REFUSED)
                     : take(e, ended, row, why);
    munmap(e, sizeof *e);
    return status;
}

/* --- rows ------------------------------------------------------------------------------------------------ */

static int estimate(const struct estimate_program *program, struct estimate_row *row, struct why *why)
{
    struct estimate_result result;
    double begin_s = progress_wall_s();
    if (estimate_arithmetic(program, &result) != 0)
        return why_no_memory(why, COMMAND_FAILED);
    row->estimated_wall_s = progress_wall_s() - begin_s;
    row->estimated_s = result.time_s;
    int limit = estimate_limit(program, &result);
    snprintf(row->limit, sizeof row->limit, "%s", estimate_limit_name(program, limit));
    row->limit_s = estimate_limit_s(&result, limit);
    estimate_serial_step(program, &result, row->serial, sizeof row->serial, &row->serial_share);
    return 0;
}

static int check_row(const struct estimate_text *text, enum estimate_mode mode, uint32_t nodes,
                     struct estimate_program *program, struct why *why)
{
    int status = estimate_program_make(text, nodes, program, why);
    if (status == 0 && mode != ESTIMATE_ARITHMETIC)
        status = estimate_execution_check(program, why);
    return command_status_of(status);
}

static int make_row(const struct estimate_text *text, const struct simgrid_module *simgrid,
                    enum estimate_mode mode, struct estimate_program *program, struct estimate_row *row,
                    struct why *why)
{
    int status = check_row(text, mode, row->nodes, program, why);
    if (status == 0)
        status = estimate(program, row, why);
    if (status)
        return status;
    if (mode == ESTIMATE_EXECUTED)
        row->estimated_s = row->estimated_wall_s = NAN;
    row->differences = estimate_differences(program);
    return simgrid ? execute(simgrid, program, row, why) : 0;
}

int estimate_rows_make(const struct estimate_text *text, enum estimate_mode mode, bool quiet,
                       struct estimate_row *rows, unsigned count, struct why *why)
{
    const struct simgrid_module *simgrid = NULL;
    struct progress progress;
    struct estimate_program *program = malloc(sizeof *program);
    int status = program ? 0 : why_no_memory(why, COMMAND_FAILED);
    for (unsigned i = 0; status == 0 && i < count; i++) {
        rows[i].executed_s = rows[i].executed_wall_s = NAN;
        status = check_row(text, mode, rows[i].nodes, program, why);
    }
    if (status == 0 && mode != ESTIMATE_ARITHMETIC && !(simgrid = simgrid_module(why)))
        status = COMMAND_REFUSED;
    progress_begin(&progress, "numbers of nodes", count, quiet);
    for (unsigned i = 0; status == 0 && i < count; i++) {
        status = make_row(text, simgrid, mode, program, &rows[i], why);
        progress_update(&progress, i + 1);
    }
    progress_end(&progress);
    free(program);
    return status;
}
