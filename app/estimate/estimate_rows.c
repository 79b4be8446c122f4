#include "app/estimate/estimate_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The time that it is compared with: detailed, or else executed; NaN if there is none. */
static double reference_s(const struct estimate_row *row)
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

/* --- the table ------------------------------------------------------------------------------------------- */

const struct estimate_column estimate_columns[ESTIMATE_COLUMNS] = {
    {"nodes", "nodes", "number of nodes; a node is a member of the first nodeset of type memory", 5},
    {"detailed_s", "s",
     "simulated time by the detailed simulator: of the run, or of a re-timing of its record", 10},
    {"executed_s", "s",
     "simulated time of the script in SimGrid, an actor for each member and each flow of data", 10},
    {"estimated_s", "s", "simulated time by arithmetic on classes of equal members", 11},
    {"error_percent", "%",
     "how far the estimated time is from the detailed one or, where there is none, from the executed one",
     13},
    {"limit", "", "the nodeset or linkset that is busy longest, by arithmetic", -7},
    {"busy_percent", "%", "share of the estimated time in which the limit is busy", 12},
    {"wall_detailed_s", "s", "time of this computer for the re-timing", 15},
    {"wall_executed_s", "s", "time of this computer for the execution in SimGrid", 15},
    {"wall_estimated_s", "s", "time of this computer for the arithmetic", 16},
};

/* Errors below it are of floating point. */
#define ROUNDING 1e-9

double estimate_row_error(const struct estimate_row *row)
{
    double error = (estimate_row_time_s(row) - reference_s(row)) / reference_s(row);
    return fabs(error) < ROUNDING ? 0 : error;
}

/* Find the rows on which arithmetic and execution do not agree, and the assumptions that these do not meet. */
static unsigned find_disagreeing(const struct estimate_report *r, double *widest, unsigned *differences)
{
    unsigned count = 0;
    *widest = 0;
    *differences = 0;
    for (unsigned i = 0; i < r->count; i++) {
        double apart = r->rows[i].estimated_s / r->rows[i].executed_s - 1;
        if (!(fabs(apart) > ESTIMATE_AGREE))
            continue;
        count++;
        *differences |= r->rows[i].differences;
        *widest = fabs(apart) > fabs(*widest) ? apart : *widest;
    }
    return count;
}

static bool has_detailed(const struct estimate_report *r)
{
    for (unsigned i = 0; i < r->count; i++)
        if (!isnan(r->rows[i].detailed_s))
            return true;
    return false;
}

static void add_row(struct result_table *table, const struct estimate_report *r,
                    const struct estimate_row *row)
{
    double time_s = isnan(row->estimated_s) ? NAN : row->estimated_s;
    result_table_add(table, NUMBER(row->nodes), NUMBER(row->detailed_s), NUMBER(row->executed_s),
                     NUMBER(row->estimated_s), NUMBER(100 * estimate_row_error(row)), TEXT(row->limit),
                     NUMBER(100 * row->limit_s / (isnan(time_s) ? row->executed_s : time_s)));
    if (r->wall)
        result_table_add(table, NUMBER(row->detailed_wall_s), NUMBER(row->executed_wall_s),
                         NUMBER(row->estimated_wall_s));
}

static void add_notes(struct result_table *table, const struct estimate_report *r)
{
    double widest;
    unsigned differences, apart = find_disagreeing(r, &widest, &differences);
    result_table_note(table, "times are simulated seconds; the error is that of the estimated time, against");
    result_table_note(table, "%s",
                      has_detailed(r) ? "the detailed one or, where there is none, the executed one"
                                      : "the executed one");
    result_table_note(table, "limit: what is busy longest, by arithmetic, and in which share of the time");
    const struct estimate_row *last = &r->rows[r->count - 1];
    if (estimate_row_is_serial(last))
        result_table_note(table, "serial: on %u nodes %.0f%% of the time is '%s'", last->nodes,
                          100 * last->serial_share, last->serial);
    if (apart == 0)
        return;
    result_table_note(table,
                      "arithmetic and execution differ by more than %.0f%% in %u rows, by %+.1f%% at most:",
                      100 * ESTIMATE_AGREE, apart, 100 * widest);
    for (unsigned i = 0; i < ESTIMATE_DIFFERENCES; i++)
        if (differences >> i & 1)
            result_table_note(table, "%s", estimate_difference_text((enum estimate_difference)i));
    if (differences == 0)
        result_table_note(
            table, "pieces are large: arithmetic lets a resource work on while execution waits for one");
}

struct result_table *estimate_report_table(const struct estimate_report *r)
{
    static const char *columns[ESTIMATE_COLUMNS]; /* a table borrows them */
    static int widths[ESTIMATE_COLUMNS];
    static const char *const names[] = {"file",    "file_2",  "file_3",  "file_4",  "file_5",  "file_6",
                                        "file_7",  "file_8",  "file_9",  "file_10", "file_11", "file_12",
                                        "file_13", "file_14", "file_15", "file_16"};
    for (unsigned i = 0; i < ESTIMATE_COLUMNS; i++) {
        columns[i] = estimate_columns[i].name;
        widths[i] = estimate_columns[i].width;
    }
    struct result_table *table = result_table_new_styled(
        columns, r->wall ? ESTIMATE_COLUMNS : ESTIMATE_COLUMNS - ESTIMATE_WALL_COLUMNS,
        &(struct result_style){.widths = widths, .schema = "mercury-estimate-1"});
    for (size_t i = 0; i < r->file_count && i < sizeof names / sizeof names[0]; i++)
        result_table_add_fact(table, names[i], TEXT(r->files[i]));
    for (unsigned i = 0; i < r->count; i++)
        add_row(table, r, &r->rows[i]);
    add_notes(table, r);
    return table;
}
