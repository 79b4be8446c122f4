#include "app/sweep/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/command.h"
#include "sim/board/board_costs.h"
#include "sim/board/board_fifos.h"
#include "sim/board/bus_balance.h"
#include "app/sweep/fifo_search.h"
#include "app/sweep/front.h"
#include "app/sweep/machine_freedom.h"
#include "app/sweep/sweep_run.h"

/* A gain in throughput or time above this share is a reason to improve a stage. */
static const double WORTH_IT = 5e-4;

struct adviser {
    const struct advise_request *request;
    struct sweep_plan *plan;
    struct sweep_runner *runner;
    struct sweep_measures *results; /* one per point */
    size_t result_room;
    size_t tried; /* the point that the search for depths tried last */
    FILE *out;    /* the advice as text */
    struct result_table *table;
    struct why *why;
};

/* --- simulating ------------------------------------------------------------------------------------------ */

/* The `take` of struct sweep_run. */
static int take(void *data, size_t point, const struct sweep_measures *measures, struct why *why)
{
    struct adviser *a = data;
    a->results[point] = *measures;
    if (!a->request->store)
        return 0;
    return sweep_store_put(a->request->store, a->plan, point, measures, why) ? SWEEP_RUN_ETAKEN : 0;
}

static int work(struct adviser *a)
{
    if (!array_reserve(&a->results, &a->result_room, 0, a->plan->point_count, sizeof *a->results))
        return why_no_memory(a->why, ADVISE_EMEMORY);
    int status = sweep_runner_work(a->runner, a->why);
    return status == 0                   ? 0
           : status == SWEEP_RUN_EMEMORY ? ADVISE_EMEMORY
           : status == SWEEP_RUN_ETAKEN  ? ADVISE_ESTORE
           : status == SWEEP_RUN_ELONG   ? ADVISE_ELONG
                                         : ADVISE_ERUN;
}

/* Find or simulate the point of a machine. */
static int try_machine(struct adviser *a, const struct hardware *hardware, size_t *point)
{
    if (sweep_plan_add(a->plan, 0, hardware, point, a->why) != 0)
        return ADVISE_ERUN;
    return work(a);
}

static double number(const struct adviser *a, size_t point, const char *name)
{
    const struct sweep_measure *m = sweep_measures_find(&a->results[point], name);
    return m->kind == MEASURE_WHOLE ? (double)m->whole : m->number;
}

static double speed(const struct adviser *a, size_t point)
{
    return number(a, point, "throughput_mwmers_per_s");
}

static double bits(const struct adviser *a, size_t point)
{
    return number(a, point, "memory_bits");
}

static const char *text(const struct adviser *a, size_t point, const char *name)
{
    return sweep_measures_find(&a->results[point], name)->text;
}

/* --- the advice as a table ------------------------------------------------------------------------------- */

/* After them come the numbers that vary between candidates. */
static const char *const columns[] = {"part",
                                      "name",
                                      "place",
                                      "throughput_mwmers_per_s",
                                      "simulated_time_s",
                                      "memory_bits",
                                      "ramb18",
                                      "ramb36",
                                      "sram_chips",
                                      "fits",
                                      "energy_j",
                                      "nj_per_wmer",
                                      "least",
                                      "unbounded_max",
                                      "as_given"};

enum { COLUMNS = sizeof columns / sizeof columns[0], AXES_MOST = 32, COLUMNS_MOST = COLUMNS + AXES_MOST };

static struct result_table *new_table(const struct sweep_request *request, const char *names[COLUMNS_MOST])
{
    static const struct result_style style = {.tsv_number = RESULT_EXACT, .schema = "mercury-advice-1"};
    unsigned count = COLUMNS;
    memcpy(names, columns, sizeof columns);
    for (size_t i = 0; i < request->axis_count && count < COLUMNS_MOST; i++)
        names[count++] = hardware_parameter_name((size_t)request->axes[i].parameter);
    return result_table_new_styled(names, count, &style);
}

static struct result_cell cell_of_parameter(const char *text)
{
    double value;
    return command_number(text, -HUGE_VAL, HUGE_VAL, &value) == 0 ? NUMBER(value) : TEXT(text);
}

/* @param point  SIZE_MAX: the row is of no machine */
static void add_axes(const struct adviser *a, size_t point)
{
    const struct sweep_request *r = a->plan->request;
    for (size_t i = 0; i < r->axis_count && i < AXES_MOST; i++) {
        char value[64];
        if (point != SIZE_MAX)
            hardware_parameter_value(&a->plan->points[point].hardware, (size_t)r->axes[i].parameter, value,
                                     sizeof value);
        result_table_add(a->table, point != SIZE_MAX ? cell_of_parameter(value) : NUMBER(NAN));
    }
}

static void add_machine(const struct adviser *a, const char *part, const char *name, const char *place,
                        size_t point)
{
    static const char *const measures[] = {"throughput_mwmers_per_s",
                                           "simulated_time_s",
                                           "memory_bits",
                                           "ramb18",
                                           "ramb36",
                                           "sram_chips",
                                           "fits",
                                           "energy_j",
                                           "energy_nj_per_wmer"};
    result_table_add(a->table, TEXT(part), TEXT(name), TEXT(place));
    for (unsigned i = 0; i < sizeof measures / sizeof measures[0]; i++)
        result_table_add(a->table, NUMBER(number(a, point, measures[i])));
    result_table_add(a->table, NUMBER(NAN), NUMBER(NAN), NUMBER(NAN));
    add_axes(a, point);
}

static void add_depths(const struct adviser *a, const char *fifo, double least, double most, double given)
{
    result_table_add(a->table, TEXT("fifo"), TEXT(fifo), TEXT("-"));
    for (unsigned i = 3; i < COLUMNS - 3; i++)
        result_table_add(a->table, NUMBER(NAN));
    result_table_add(a->table, NUMBER(least), NUMBER(most), NUMBER(given));
    add_axes(a, SIZE_MAX);
}

/* --- tables ---------------------------------------------------------------------------------------------- */

static bool fits(const struct adviser *a, size_t point)
{
    return !(number(a, point, "fits") < 0.5);
}

static bool is_within_limits(const struct adviser *a, size_t point)
{
    return fits(a, point) &&
           number(a, point, "block_ram_bits") + number(a, point, "displacement_bits") <=
               a->request->block_ram_bits &&
           number(a, point, "sram_bits") <= a->request->sram_bits;
}

/* The candidates for the front; those beyond the limits do not count. @return NULL if memory is exhausted */
static struct front_point *list_candidates(const struct adviser *a, size_t count)
{
    struct front_point *points = calloc(count, sizeof *points);
    for (size_t i = 0; i < count && points; i++)
        points[i] = (struct front_point){bits(a, i), speed(a, i), is_within_limits(a, i)};
    return points;
}

static void write_tables_head(const struct adviser *a)
{
    fprintf(a->out, "  %10s %9s %10s %6s %9s", "Mw-mers/s", "of best", "bits", "RAMB18", "collide");
    for (size_t i = 0; i < a->plan->request->axis_count; i++)
        fprintf(a->out, "  %s", hardware_parameter_name((size_t)a->plan->request->axes[i].parameter));
    fputc('\n', a->out);
}

static void write_tables(const struct adviser *a, size_t point, double best)
{
    const struct hardware *machine = &a->plan->points[point].hardware;
    fprintf(a->out, "  %10.2f %8.2f%% %10.0f %6.0f %8.3f%%", speed(a, point), 100 * speed(a, point) / best,
            bits(a, point), number(a, point, "ramb18"), 100 * number(a, point, "first_access_collisions"));
    for (size_t i = 0; i < a->plan->request->axis_count; i++) {
        char value[64];
        size_t parameter = (size_t)a->plan->request->axes[i].parameter;
        hardware_parameter_value(machine, parameter, value, sizeof value);
        fprintf(a->out, "  %*s", (int)strlen(hardware_parameter_name(parameter)), value);
    }
    fputc('\n', a->out);
}

static void write_front(const struct adviser *a, const struct front_point *candidates, size_t count,
                        double best)
{
    fprintf(a->out, "\nPareto front: nothing among the candidates is as quick with fewer bits\n");
    write_tables_head(a);
    size_t point = front_next(candidates, count, -1);
    for (; point != SIZE_MAX; point = front_next(candidates, count, candidates[point].bits))
        write_tables(a, point, best);
}

/* What the machine needs, and of how much. */
static void write_costs(const struct adviser *a, size_t point)
{
    const struct hardware *h = &a->plan->points[point].hardware;
    const struct fpga_device_row *device = &fpga_devices[h->fpga_device];
    fprintf(a->out, "  memory there: %.0f RAMB18 (%.0f RAMB36)", number(a, point, "ramb18"),
            number(a, point, "ramb36"));
    if (h->fpga_device != FPGA_NONE)
        fprintf(a->out, ", %s has %u", fpga_device_names[h->fpga_device], device->ramb18);
    fprintf(a->out, "; %.0f SRAM chips\n", number(a, point, "sram_chips"));
    fprintf(a->out, "  energy there: %.4g J, %.4g nJ per w-mer\n", number(a, point, "energy_j"),
            number(a, point, "energy_nj_per_wmer"));
}

static void add_candidates(const struct adviser *a, const struct front_point *candidates, size_t count,
                           size_t chosen)
{
    for (size_t i = 0; i < count; i++)
        add_machine(a, "candidate", "-",
                    i == chosen                       ? "chosen"
                    : front_has(candidates, count, i) ? "front"
                    : candidates[i].counts            ? "beside"
                    : fits(a, i)                      ? "beyond limits"
                                                      : "does not fit",
                    i);
}

static void write_choice(const struct adviser *a, const struct front_point *candidates, size_t count,
                         size_t chosen, double best)
{
    fprintf(a->out, "Tables: the smallest of %zu candidates that keep %g%% of the best throughput\n", count,
            100 * a->request->keep);
    write_tables_head(a);
    write_tables(a, chosen, best);
    fprintf(a->out, "  bottleneck there: %s (%.1f%% busy), next: %s (%.1f%%)\n",
            text(a, chosen, "bottleneck"), 100 * number(a, chosen, "bottleneck_utilisation"),
            text(a, chosen, "next_bottleneck"), 100 * number(a, chosen, "next_bottleneck_utilisation"));
    write_costs(a, chosen);
    add_candidates(a, candidates, count, chosen);
    write_front(a, candidates, count, best);
}

/* Of the candidates the one with the fewest block RAMs says what is missing. */
static int refuse_all(const struct adviser *a, size_t count)
{
    size_t least = 0;
    double block_ram = INFINITY, sram = INFINITY;
    bool any = false;
    char missing[BOARD_MISFIT_BYTES];
    for (size_t i = 0; i < count; i++) {
        any = any || fits(a, i);
        block_ram = fmin(block_ram, number(a, i, "block_ram_bits") + number(a, i, "displacement_bits"));
        sram = fmin(sram, number(a, i, "sram_bits"));
        least = number(a, i, "ramb18") < number(a, least, "ramb18") ? i : least;
    }
    if (any)
        return why_say(
            a->why, ADVISE_ELIMIT,
            "no candidate is within --block-ram and --sram: they take %.0f bits of block RAM and %.0f bits of "
            "SRAM at least; raise the limits, or vary smaller tables",
            block_ram, sram);
    return why_say(a->why, ADVISE_ELIMIT,
                   "no candidate fits: %s at least; vary smaller filters (bloom.bank_bits) or tables, or set "
                   "fewer bloom.copies",
                   board_costs_misfit(&a->plan->points[least].hardware,
                                      (uint64_t)number(a, least, "sram_bits"), missing));
}

/* @param chosen  out: the point of the smallest tables */
static int advise_tables(struct adviser *a, size_t *chosen)
{
    size_t count = a->plan->point_count;
    int status = work(a);
    if (status)
        return status;
    struct front_point *candidates = list_candidates(a, count);
    if (!candidates)
        return why_no_memory(a->why, ADVISE_EMEMORY);
    size_t best = front_find_best(candidates, count);
    *chosen = front_find_knee(candidates, count, a->request->keep);
    if (best == SIZE_MAX)
        status = refuse_all(a, count);
    else
        write_choice(a, candidates, count, *chosen, candidates[best].speed);
    free(candidates);
    return status;
}

/* --- FIFOs ----------------------------------------------------------------------------------------------- */

/* The machine_trier of the search. */
static int try_depths(void *data, const struct hardware *machine, struct machine_merit *merit)
{
    struct adviser *a = data;
    size_t point;
    int status = try_machine(a, machine, &point);
    if (status)
        return status;
    a->tried = point;
    *merit = (struct machine_merit){speed(a, point), number(a, point, "simulated_time_s"), {0}};
    for (unsigned i = 0; i < BOARD_FIFOS; i++) {
        char column[48];
        snprintf(column, sizeof column, "%s_max", board_fifos[i].name);
        merit->fifo_most[i] = number(a, point, column);
    }
    return 0;
}

static void write_fifos(const struct adviser *a, const struct fifo_search *found, double as_given)
{
    double most = found->unbounded.throughput, bounded = found->bounded.throughput;
    fprintf(a->out,
            "\nFIFOs: the least depths that lose at most %g%% of the unbounded machine's throughput\n"
            "  %-14s %8s %14s %10s\n",
            100 * a->request->loss, "FIFO", "least", "unbounded max", "as given");
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        fprintf(a->out, "  %-14s %8u %14.0f %10u\n", board_fifos[i].parameter, found->least[i],
                found->unbounded.fifo_most[i], found->before[i]);
    fprintf(a->out,
            "  unbounded %.2f Mw-mers/s, with the least depths %.2f (%+.3f%%), as given %.2f (%+.3f%%)\n",
            most, bounded, 100 * (bounded / most - 1), as_given, 100 * (as_given / most - 1));
}

/* @param best  out: the point of the machine with these depths, if the FPGA holds them; else that of the tables */
static int advise_fifos(struct adviser *a, size_t chosen, size_t *best)
{
    struct fifo_search search = {.loss = a->request->loss, .try_machine = try_depths, .data = a};
    int status = fifo_search_run(&search, &a->plan->points[chosen].hardware);
    if (status)
        return status;
    write_fifos(a, &search, speed(a, chosen));
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        add_depths(a, board_fifos[i].parameter, search.least[i], search.unbounded.fifo_most[i],
                   search.before[i]);
    *best = fits(a, a->tried) ? a->tried : chosen;
    return 0;
}

static void write_best(const struct adviser *a, size_t best, size_t chosen)
{
    fprintf(a->out,
            "\nMachine: these tables, and the FIFOs %s\n"
            "  %.2f Mw-mers/s, %.6g ms, %.0f bits, %.0f RAMB18, %.4g J\n",
            best == chosen && best != a->tried ? "as given, since the FPGA does not hold the least depths"
                                               : "with the least depths",
            speed(a, best), 1e3 * number(a, best, "simulated_time_s"), bits(a, best),
            number(a, best, "ramb18"), number(a, best, "energy_j"));
    add_machine(a, "machine", "advised", "-", best);
}

/* --- stages ---------------------------------------------------------------------------------------------- */

static double total_s(const struct adviser *a, size_t point)
{
    return number(a, point, "simulated_time_s");
}

static void write_freedom(const struct adviser *a, const struct machine_freedom *f, size_t point,
                          size_t before)
{
    fprintf(a->out, "  %-6s %12.2f %+9.2f%% %12.6g %+9.2f%%  %s\n", f->stage, speed(a, point),
            100 * (speed(a, point) / speed(a, before) - 1), 1e3 * total_s(a, point),
            100 * (total_s(a, point) / total_s(a, before) - 1), f->meaning);
    add_machine(a, "free", f->stage, "-", point);
}

/* The best freedom, for throughput or for the total time; SIZE_MAX if no resource could be made free. */
static size_t find_best(const struct adviser *a, const size_t points[MACHINE_FREEDOMS], bool in_total)
{
    size_t best = SIZE_MAX;
    for (unsigned i = 0; i < MACHINE_FREEDOMS; i++)
        if (points[i] != SIZE_MAX &&
            (best == SIZE_MAX || (in_total ? total_s(a, points[i]) < total_s(a, points[best])
                                           : speed(a, points[i]) > speed(a, points[best]))))
            best = i;
    return best;
}

static void write_next(const struct adviser *a, const size_t points[MACHINE_FREEDOMS], size_t before)
{
    size_t best = find_best(a, points, false), quickest = find_best(a, points, true);
    if (best == SIZE_MAX)
        return;
    if (speed(a, points[best]) > speed(a, before) * (1 + WORTH_IT))
        fprintf(a->out, "  to stream quicker improve next: %s; then %s is the next limit (%.1f%% busy)\n",
                machine_freedoms[best].stage, text(a, points[best], "bottleneck"),
                100 * number(a, points[best], "bottleneck_utilisation"));
    else
        fprintf(a->out, "  no single resource makes streaming quicker: two or more limit it together\n");
    double saved = 1 - total_s(a, points[quickest]) / total_s(a, before);
    if (saved > WORTH_IT)
        fprintf(a->out, "  to end sooner improve next: %s, at most %.1f%% of the total time\n",
                machine_freedoms[quickest].stage, 100 * saved);
}

static void write_balance(const struct adviser *a, size_t point)
{
    struct bus_balance balance =
        bus_balance_find(&a->plan->points[point].hardware, number(a, point, "hsps"),
                         number(a, point, "wmers"), number(a, point, "utilisation_pcix"));
    bus_balance_write_text(&balance, a->out);
}

static int advise_stages(struct adviser *a, size_t chosen)
{
    size_t points[MACHINE_FREEDOMS];
    fprintf(a->out,
            "\nStages: these tables, the FIFOs as given, and one thing free at a time\n"
            "  %-6s %12s %10s %12s %10s\n",
            "free", "Mw-mers/s", "", "total ms", "");
    fprintf(a->out, "  %-6s %12.2f %10s %12.6g\n", "none", speed(a, chosen), "", 1e3 * total_s(a, chosen));
    for (unsigned i = 0; i < MACHINE_FREEDOMS; i++) {
        struct hardware machine = a->plan->points[chosen].hardware;
        points[i] = SIZE_MAX;
        machine_freedoms[i].make(&machine);
        if (!machine_is_allowed(&machine))
            continue;
        int status = try_machine(a, &machine, &points[i]);
        if (status)
            return status;
        write_freedom(a, &machine_freedoms[i], points[i], chosen);
    }
    write_next(a, points, chosen);
    write_balance(a, chosen);
    return 0;
}

/* --- all ------------------------------------------------------------------------------------------------- */

static int find_advice(struct adviser *a, struct hardware *best)
{
    size_t chosen = 0, advised = 0;
    int status = advise_tables(a, &chosen);
    if (status == 0)
        status = advise_fifos(a, chosen, &advised);
    if (status == 0)
        status = advise_stages(a, chosen);
    if (status)
        return status;
    write_best(a, advised, chosen);
    *best = a->plan->points[advised].hardware;
    return 0;
}

int advise(const struct advise_request *request, FILE *out, struct hardware *best, struct why *why)
{
    const char *names[COLUMNS_MOST];
    char *text = NULL;
    size_t size = 0;
    struct adviser a = {.request = request,
                        .plan = request->plan,
                        .out = open_memstream(&text, &size),
                        .table = new_table(request->plan->request, names),
                        .why = why};
    struct sweep_run run = {
        .plan = request->plan,
        .platform_path = request->platform_path,
        .jobs = request->jobs,
        .quiet = request->quiet,
        .kept = request->store ? "are stored" : "were simulated; nothing is kept without --store FILE",
        .take = take,
        .data = &a,
    };
    a.runner = a.out && a.table ? sweep_runner_new(&run) : NULL;
    int status = a.runner ? find_advice(&a, best) : why_no_memory(why, ADVISE_EMEMORY);
    if (a.out)
        fclose(a.out);
    if (status == 0 && request->format == RESULT_TEXT)
        fputs(text, out);
    else if (status == 0 && result_table_write(a.table, request->format, out) != 0)
        status = why_no_memory(why, ADVISE_EMEMORY);
    free(text);
    if (a.runner)
        sweep_runner_destroy(a.runner);
    result_table_destroy(a.table);
    free(a.results);
    return status;
}
