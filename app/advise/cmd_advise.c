/* cmd_advise.c - what to build: tables, FIFO depths, the stage to improve next.
 *
 * Given     the machine without what varies is a candidate, too. If it is within the limits, no slower tables are
 *           chosen; what is advised is slower by at most the share that fewer block RAMs for FIFOs may cost.
 * Tables    every candidate is simulated. Of those within the limits, and in the FPGA of fpga.device, the cheapest that
 *           keeps a share of the greatest speed is chosen (front.h); if what varies has no price, the quickest.
 * FIFOs     of the depths that were tried, those with the fewest block RAMs that nearly keep the time (fifo_search.h).
 * Machine   these tables with these FIFOs, unless other tables are better in everything with the FIFOs that are best
 *           for them: they are searched as well wherever they could be. No machine that was simulated dominates what
 *           is advised.
 * Stages    the machine is simulated again with one resource made free at a time.
 * Page      begins with the advice, and goes on as that of a sweep of all that was simulated (sweep_plot.h).
 * Text      parts with a heading and a table each, the machine to build before what led to it.
 * Errors    an enum command_status and one line.
 */
#include "app/commands.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/shown.h"
#include "base/file/output.h"
#include "base/file/file_uses.h"
#include "base/why.h"
#include "sim/board/board_costs.h"
#include "sim/board/board_fifos.h"
#include "sim/board/bus_balance.h"
#include "sim/board/machine_part.h"
#include "sim/platform/platform.h"
#include "validate/run_bounds.h"
#include "app/advise/fifo_search.h"
#include "app/sweep/draw/front.h"
#include "app/sweep/draw/sweep_plot.h"
#include "app/sweep/draw/sweep_view.h"
#include "app/sweep/point/sweep_run.h"
#include "app/sweep/point/sweep_store.h"
#include "app/rank/rank_link.h"
#include "app/sweep/sweep_setup.h"
#include "app/options.inc"
#include "app/prose.inc"

/* A gain in throughput or time above this share is a reason to improve a stage. */
static const double WORTH_IT = 5e-4;

/* What the advice tells, in this order. */
enum advice_part { ADVICE_MACHINE, ADVICE_TABLES, ADVICE_FIFOS, ADVICE_STAGES, ADVICE_PARTS };

enum { HEADING_BYTES = 160, MACHINE_COLUMNS = 6, MACHINE_COLUMNS_MOST = MACHINE_COLUMNS + SWEEP_AXES_MAX };

struct adviser {
    const struct sweep_options *options;
    struct sweep_plan *plan;
    struct sweep_store *store; /* receives all points, or NULL */
    struct sweep_store *drawn; /* likewise, for the page; in memory */
    size_t given; /* the machine as given among the candidates; SIZE_MAX if there is no such machine */
    struct sweep_runner *runner;
    struct sweep_measures *results; /* of each point */
    struct front_point *points;     /* of each point: those within the limits count */
    size_t result_room, point_room;
    size_t candidates;                        /* the first points */
    size_t best;                              /* the point of the machine that is advised, when it is found */
    enum point_kind kind;                     /* of the points that are simulated now */
    struct result_table *parts[ADVICE_PARTS]; /* for people: NULL until something is found */
    char headings[ADVICE_PARTS][HEADING_BYTES];
    const char *machine_columns[MACHINE_COLUMNS_MOST];
    struct result_table *table; /* all in one, for scripts */
    struct why *why;
};

/* --- measures -------------------------------------------------------------------------------------------- */

static double number(const struct adviser *a, size_t point, const char *name)
{
    return sweep_measures_find(&a->results[point], name)->number;
}

static const char *text(const struct adviser *a, size_t point, const char *name)
{
    return sweep_measures_find(&a->results[point], name)->text;
}

static double speed(const struct adviser *a, size_t point)
{
    return number(a, point, "throughput_mwmers_per_s");
}

static double total_s(const struct adviser *a, size_t point)
{
    return a->points[point].time_s;
}

static double cost(const struct adviser *a, size_t point, enum front_cost cost)
{
    return a->points[point].costs[cost];
}

/* All boards of all hosts. */
static double boards(const struct adviser *a, size_t point)
{
    const struct hardware *h = &a->plan->points[point].hardware;
    return (double)h->boards * h->hosts;
}

static bool fits(const struct adviser *a, size_t point)
{
    return !(number(a, point, "fits") < 0.5);
}

static bool has_allowed_tables(const struct adviser *a, size_t point)
{
    return number(a, point, "block_ram_bits") + number(a, point, "displacement_bits") <=
               a->options->block_ram_bits &&
           number(a, point, "sram_bits") <= a->options->sram_bits;
}

/* --- simulating ------------------------------------------------------------------------------------------ */

/* The `take` of struct sweep_run. */
static int take(void *data, size_t point, const struct sweep_measures *measures, struct why *why)
{
    struct adviser *a = data;
    struct front_point *p = &a->points[point];
    a->results[point] = *measures;
    p->time_s = number(a, point, FRONT_TIME);
    for (unsigned c = 0; c < FRONT_COSTS; c++)
        p->costs[c] = number(a, point, front_cost_measures[c]);
    p->counts = fits(a, point) && has_allowed_tables(a, point) &&
                p->costs[FRONT_ENERGY] <= a->options->energy_j && p->time_s <= a->options->time_s;
    int status = a->drawn ? sweep_store_put(a->drawn, a->plan, point, a->kind, measures, why) : 0;
    return status == 0 && a->store ? sweep_store_put(a->store, a->plan, point, a->kind, measures, why)
                                   : status;
}

static int work(struct adviser *a)
{
    const size_t count = a->plan->point_count;
    array_reserve(&a->results, &a->result_room, 0, count, sizeof *a->results);
    array_reserve(&a->points, &a->point_room, 0, count, sizeof *a->points);
    return sweep_runner_work(a->runner, a->why);
}

/* Find or simulate the point of a machine. */
static int try_machine(struct adviser *a, const struct hardware *hardware, size_t *point)
{
    if (sweep_plan_add(a->plan, 0, hardware, point, a->why) != 0)
        return COMMAND_FAILED;
    return work(a);
}

/* --- the advice as a table ------------------------------------------------------------------------------- */

/* After them come the numbers that vary between candidates. */
static const char *const columns[] = {"part",
                                      "name",
                                      "place",
                                      "throughput_mwmers_per_s",
                                      "simulated_time_s",
                                      "ramb18",
                                      "ramb36",
                                      "sram_chips",
                                      "fits",
                                      "energy_j",
                                      "nj_per_wmer",
                                      "depth",
                                      "unbounded_max",
                                      "as_given",
                                      "enough"};
enum { COLUMNS = sizeof columns / sizeof columns[0], COLUMNS_MOST = COLUMNS + SWEEP_AXES_MAX };

static struct result_table *new_table(const struct sweep_request *request, const char *names[COLUMNS_MOST])
{
    static const struct result_style style = {.tsv_number = RESULT_EXACT, .schema = "mercury-advice-2"};
    unsigned count = COLUMNS;
    memcpy(names, columns, sizeof columns);
    for (size_t i = 0; i < request->axis_count; i++)
        names[count++] = request->axes[i].name;
    return result_table_new_styled(names, count, &style);
}

/* The numbers that vary between candidates. @param point  SIZE_MAX: the row is of no machine
 * @param exact  as the texts that --set takes */
static void add_varied(const struct adviser *a, size_t point, bool exact, struct result_table *table)
{
    const struct sweep_request *r = a->plan->request;
    for (size_t i = 0; i < r->axis_count; i++) {
        struct shown value = {""};
        double parameter = NAN;
        if (point != SIZE_MAX)
            value = hardware_parameter_value(&a->plan->points[point].hardware, r->axes[i].parameter);
        const bool is_text =
            exact || (*value.text && command_number(value.text, -HUGE_VAL, HUGE_VAL, &parameter) != 0);
        result_table_add(table, is_text ? TEXT(value.text) : NUMBER(parameter));
    }
}

/* Depths of a FIFO in a row. */
struct depths {
    double depth, most, given;
    double enough; /* NaN: not known */
};

/* @param point  SIZE_MAX: the row is of no machine, but of depths */
static void add_row(const struct adviser *a, const char *part, const char *name, const char *place,
                    size_t point, struct depths depths)
{
    static const char *const measures[] = {
        "throughput_mwmers_per_s", "simulated_time_s", "ramb18", "ramb36", "sram_chips", "fits", "energy_j",
        "energy_nj_per_wmer"};
    const bool is_machine = point != SIZE_MAX;
    result_table_add(a->table, TEXT(part), TEXT(name), TEXT(place));
    for (unsigned i = 0; i < sizeof measures / sizeof measures[0]; i++)
        result_table_add(a->table, NUMBER(is_machine ? number(a, point, measures[i]) : NAN));
    result_table_add(a->table, NUMBER(depths.depth), NUMBER(depths.most), NUMBER(depths.given),
                     NUMBER(depths.enough));
    add_varied(a, point, false, a->table);
}

static void add_machine(const struct adviser *a, const char *part, const char *name, const char *place,
                        size_t point)
{
    add_row(a, part, name, place, point, (struct depths){NAN, NAN, NAN, NAN});
}

/* --- limits ---------------------------------------------------------------------------------------------- */

/* The least value of the sum of two measures among the candidates. */
static double least(const struct adviser *a, const char *name, const char *plus)
{
    double value = INFINITY;
    for (size_t i = 0; i < a->candidates; i++)
        value = fmin(value, number(a, i, name) + (plus ? number(a, i, plus) : 0));
    return value;
}

/* Say which limit no candidate keeps, and what they take at least. */
static int refuse_all(const struct adviser *a)
{
    char missing[BOARD_MISFIT_BYTES] = "", here[BOARD_MISFIT_BYTES];
    const char *remedy = "";
    double least_size = INFINITY; /* block RAMs come first, then bits of SRAM, which are fewer than 1e12 */
    bool any_fits = false;
    for (size_t i = 0; i < a->candidates; i++) {
        struct hardware without = fifo_search_without(&a->plan->points[i].hardware);
        const double bits = number(a, i, "sram_bits"),
                     size = 1e12 * (double)board_costs_of(&without).ramb18 + bits;
        board_costs_misfit(&without, (uint64_t)bits, here);
        any_fits = any_fits || *here == '\0';
        if (size >= least_size)
            continue;
        least_size = size;
        memcpy(missing, here, sizeof missing);
        remedy = board_costs_remedy(&without);
    }
    if (!any_fits)
        return why_refuse(a->why, "no candidate fits: %s at least; %s", missing, remedy);
    return why_refuse(
        a->why,
        "no candidate is within all limits: they take %.0f bits of block RAM and %.0f bits of SRAM at "
        "least, with the FIFOs as given %.4g J and %.4g s; raise the limits, or vary smaller tables",
        least(a, "block_ram_bits", "displacement_bits"), least(a, "sram_bits", NULL),
        least(a, "energy_j", NULL), least(a, FRONT_TIME, NULL));
}

/* --- the advice for people ------------------------------------------------------------------------------- */

/* Begin a part, the heading of which is as printf() says. */
__attribute__((format(printf, 5, 6))) static struct result_table *
begin_part(struct adviser *a, enum advice_part part, const char *const *names, unsigned count,
           const char *heading, ...)
{
    const struct result_style style = {.title = a->headings[part], .text_number = "%.6g"};
    va_list arguments;
    va_start(arguments, heading);
    vsnprintf(a->headings[part], HEADING_BYTES, heading, arguments);
    va_end(arguments);
    return a->parts[part] = result_table_new_styled(names, count, &style);
}

static double to_hundredths(double value)
{
    return round(100 * value) / 100;
}

/* @param best_s  the time of the machine whose speed is 100% */
static void add_machine_row(const struct adviser *a, enum advice_part part, const char *name, size_t point,
                            double best_s)
{
    char joules[SHOWN_BYTES];
    result_table_add(a->parts[part], TEXT(name), NUMBER(1e3 * total_s(a, point)),
                     MARKED(round(1e3 * best_s / total_s(a, point)) / 10, '%'),
                     NUMBER(cost(a, point, FRONT_RAMB18)), NUMBER(cost(a, point, FRONT_SRAM_CHIPS)),
                     TEXT(shown_number(cost(a, point, FRONT_ENERGY), "%.4g", joules)));
    add_varied(a, point, true, a->parts[part]);
}

/* What a board of the machine needs, and of how much. */
static void note_board(const struct adviser *a, size_t point, struct result_table *table)
{
    const struct hardware *h = &a->plan->points[point].hardware;
    char device[64] = "";
    if (h->fpga_device != FPGA_NONE)
        snprintf(device, sizeof device, ", %s has %u", fpga_device_names[h->fpga_device],
                 fpga_devices[h->fpga_device].ramb18);
    result_table_note(table, "a board there: %.0f RAMB18 (%.0f RAMB36)%s; %.0f SRAM chips",
                      cost(a, point, FRONT_RAMB18) / boards(a, point),
                      number(a, point, "ramb36") / boards(a, point), device,
                      cost(a, point, FRONT_SRAM_CHIPS) / boards(a, point));
    result_table_note(table, "energy there: %.4g nJ per w-mer", number(a, point, "energy_nj_per_wmer"));
}

/* @param slowest  with the share of the speed that is kept, if what varies has no price; else SIZE_MAX */
static void tell_tables(struct adviser *a, size_t chosen, size_t slowest)
{
    if (chosen == SIZE_MAX) {
        begin_part(a, ADVICE_TABLES, NULL, 0,
                   "Tables: no candidate is within the limits with the FIFOs as given");
        return;
    }
    const double best_s = total_s(a, front_find_cheapest(a->points, a->candidates, 1, INFINITY));
    struct result_table *table = begin_part(
        a, ADVICE_TABLES, a->machine_columns, MACHINE_COLUMNS + (unsigned)a->plan->request->axis_count,
        slowest != SIZE_MAX ? "Tables: of %zu candidates none with %g%% of the speed costs less"
                            : "Tables: of %zu candidates the least RAMB18 x chips x J with %g%% of the speed",
        a->candidates, 100 * a->options->ask.keep);
    for (size_t i = SIZE_MAX; (i = front_next(a->points, a->candidates, true, i)) != SIZE_MAX;)
        add_machine_row(a, ADVICE_TABLES,
                        i == chosen     ? "chosen"
                        : i == a->given ? "given"
                                        : "other",
                        i, best_s);
    if (slowest != SIZE_MAX) {
        add_machine_row(a, ADVICE_TABLES, "slowest", slowest, best_s);
        result_table_note(table,
                          "what varies has no price here: the quickest is chosen, not the slowest with %g%%",
                          100 * a->options->ask.keep);
    }
    result_table_note(table, "Pareto front: no other candidate is as good in time, block RAMs, chips and J");
    if (chosen == a->given)
        result_table_note(table, "the chosen tables are those of the machine as given");
    if (a->plan->unbuildable > 0)
        result_table_note(
            table, "%zu candidates are left out: no slot of table.slot_bytes holds table.inline_positions",
            a->plan->unbuildable);
    result_table_note(table, "the chosen tables: busiest while streaming is %s (%.1f%%), then %s (%.1f%%)",
                      text(a, chosen, "bottleneck"), 100 * number(a, chosen, "bottleneck_utilisation"),
                      text(a, chosen, "next_bottleneck"),
                      100 * number(a, chosen, "next_bottleneck_utilisation"));
    note_board(a, chosen, table);
}

/* @param chosen  out: the point of the chosen tables, SIZE_MAX if none is within the limits with the FIFOs as given */
static int advise_tables(struct adviser *a, size_t *chosen)
{
    int status = work(a);
    if (status)
        return status;
    a->candidates = a->plan->point_count;
    const bool keeps_given = a->given != SIZE_MAX && a->points[a->given].counts;
    bool is_unpriced;
    const size_t knee = front_find_knee(a->points, a->candidates, a->options->ask.keep, &is_unpriced);
    *chosen = front_find_cheapest(a->points, a->candidates, is_unpriced ? 1 : a->options->ask.keep,
                                  keeps_given ? total_s(a, a->given) : INFINITY);
    tell_tables(a, *chosen, is_unpriced ? knee : SIZE_MAX);
    for (size_t i = 0; i < a->candidates; i++)
        add_machine(a, "candidate", i == a->given ? "as given" : "-",
                    i == *chosen                             ? "chosen"
                    : front_has(a->points, a->candidates, i) ? "front"
                    : a->points[i].counts                    ? "beside"
                    : fits(a, i)                             ? "beyond limits"
                                                             : "does not fit",
                    i);
    return 0;
}

/* --- FIFOs ----------------------------------------------------------------------------------------------- */

/* The `try_machine` of the search. */
static int try_depths(void *data, const struct hardware *machine, struct machine_merit *merit)
{
    struct adviser *a = data;
    size_t point;
    int status = try_machine(a, machine, &point);
    if (status)
        return status;
    *merit = (struct machine_merit){speed(a, point), total_s(a, point), {0}, a->points[point].counts};
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        merit->fifo_most[i] = number(a, point, shown_text("%s_max", board_fifos[i].name).text);
    return 0;
}

/* What is advised, and what the search for its FIFOs has found. */
struct advised {
    size_t point, tables; /* SIZE_MAX: nothing yet; the candidate that it is with other FIFOs */
    struct fifo_result fifos;
};

/* Search the FIFOs of a candidate, and take what is found: where there is advice already, only if it is better in
 * everything. */
static int search_fifos(struct adviser *a, size_t candidate, bool chosen, struct advised *advised)
{
    const bool has_advice = advised->point != SIZE_MAX;
    struct hardware machine = a->plan->points[candidate].hardware, without = fifo_search_without(&machine);
    struct fifo_search search = {.loss = a->options->loss,
                                 .slowest_s = a->options->time_s,
                                 .most_ramb18 = UINT64_MAX,
                                 .try_machine = try_depths,
                                 .data = a};
    struct advised found = {.tables = candidate};
    if (machine.fpga_device != FPGA_NONE)
        search.most_ramb18 = fpga_devices[machine.fpga_device].ramb18;
    if (has_advice) {
        search.most_ramb18 = (uint64_t)fmin((double)search.most_ramb18,
                                            cost(a, advised->point, FRONT_RAMB18) / boards(a, candidate));
        search.slowest_s = fmin(search.slowest_s, total_s(a, advised->point));
    }
    if (board_costs_of(&without).ramb18 > search.most_ramb18)
        return 0;
    int status = fifo_search_run(&search, &machine, &found.fifos);
    if (status || (!found.fifos.found && !chosen))
        return status;
    status = try_machine(a, &machine, &found.point);
    if (status == 0 && (!has_advice || front_dominates(&a->points[found.point], &a->points[advised->point])))
        *advised = found;
    return status;
}

/* Whatever the FIFOs, the stages of a board need the time of their work; but that of stage 2 may go with its FIFO. */
static double least_s(const struct adviser *a, size_t candidate)
{
    static const char *const work[] = {"utilisation_1a", "utilisation_1b", "utilisation_sram"};
    double most = 0;
    for (unsigned i = 0; i < sizeof work / sizeof work[0]; i++)
        most = fmax(most, number(a, candidate, work[i]));
    return most * number(a, candidate, "stream_time_s") / boards(a, candidate);
}

/* Whether tables could be within the limits, and better in everything than what is advised, if their FIFOs were. Energy
 * is a part of the work and a part of the time: it falls with the time, and not more than that. */
static bool is_worth_a_search(const struct adviser *a, size_t candidate, const struct advised *advised)
{
    const double least = least_s(a, candidate);
    return has_allowed_tables(a, candidate) && candidate != advised->tables && least <= a->options->time_s &&
           cost(a, candidate, FRONT_ENERGY) * least / total_s(a, candidate) <= a->options->energy_j &&
           (advised->point == SIZE_MAX ||
            (cost(a, candidate, FRONT_SRAM_CHIPS) <= cost(a, advised->point, FRONT_SRAM_CHIPS) &&
             least <= total_s(a, advised->point)));
}

/* One of all simulated machines that dominates this one and that nothing dominates; if there is none, this one. */
static size_t find_undominated(const struct adviser *a, size_t machine)
{
    for (size_t i = 0; i < a->plan->point_count; i++)
        if (a->points[i].counts && front_dominates(&a->points[i], &a->points[machine])) {
            machine = i;
            i = SIZE_MAX; /* from the first one again */
        }
    return machine;
}

/* Depths with which no FIFO of this machine ever signals back-pressure, proved from its tokens.
 *  @return an enum command_status; a machine that has none is COMMAND_REFUSED */
static int find_enough(const struct adviser *a, size_t point, struct run_bounds *bounds, struct why *why)
{
    const struct hardware *h = &a->plan->points[point].hardware;
    int status = run_bounds_check(h, why);
    *bounds = run_bounds_begin(h);
    for (size_t pass = 0; status == 0 && pass < sweep_plan_search(a->plan, point)->pass_count; pass++) {
        const struct token_record *record = sweep_runner_tokens(a->runner, point, pass);
        status = record ? run_bounds_add(record, "the pass", h, bounds, why)
                        : why_refuse(why, "there is no memory for the tokens of all passes");
    }
    return status;
}

/* What is enough, and which of the advised depths are. */
static void note_enough(const struct run_bounds *bounds, const char *why_not, struct result_table *table)
{
    char names[BOARD_FIFOS * 24] = "";
    if (why_not) {
        result_table_note(table, "it is not known which depths are enough: %s", why_not);
        return;
    }
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        if (bounds->queue[i].places >= bounds->queue[i].enough)
            snprintf(names + strlen(names), 24, "%s %s", *names ? "," : "", board_fifos[i].parameter);
    result_table_note(
        table,
        "enough: if all FIFOs are so deep, none ever signals back-pressure for these sequences, whatever "
        "bus and host do meanwhile; of the advised depths these reach it:%s",
        *names ? names : " none");
}

static void tell_fifos(struct adviser *a, const struct advised *advised)
{
    static const char *const names[] = {"FIFO", "depth", "unbounded max", "as given", "enough"};
    struct run_bounds bounds;
    struct why why;
    const int status = find_enough(a, advised->point, &bounds, &why);
    const struct machine_merit *unbounded = &advised->fifos.unbounded;
    const double most_s = unbounded->total_s, given_s = total_s(a, advised->tables);
    const struct board_rules *rules = &a->plan->points[advised->point].hardware.board,
                             *given = &a->plan->points[advised->tables].hardware.board;
    struct result_table *table =
        begin_part(a, ADVICE_FIFOS, names, sizeof names / sizeof names[0],
                   "FIFOs: of depths that were tried, the fewest block RAMs with %g%% of the speed",
                   100 - 100 * a->options->loss);
    for (unsigned i = 0; i < BOARD_FIFOS; i++) {
        const struct depths depths = {board_fifo_places(i, rules), unbounded->fifo_most[i],
                                      board_fifo_places(i, given), status ? NAN : bounds.queue[i].enough};
        result_table_add(table, TEXT(board_fifos[i].parameter), NUMBER(depths.depth), NUMBER(depths.most),
                         NUMBER(depths.given), NUMBER(depths.enough));
        add_row(a, "fifo", board_fifos[i].parameter, "-", SIZE_MAX, depths);
    }
    result_table_note(
        table, "unbounded %.6g ms, with these depths %.6g ms (%+.3f%%), as given %.6g ms (%+.3f%%)",
        1e3 * most_s, 1e3 * total_s(a, advised->point), 100 * (total_s(a, advised->point) / most_s - 1),
        1e3 * given_s, 100 * (given_s / most_s - 1));
    note_enough(&bounds, status ? why.line : NULL, table);
}

static int advise_fifos(struct adviser *a, size_t chosen)
{
    struct advised advised = {.point = SIZE_MAX, .tables = SIZE_MAX};
    size_t candidate = SIZE_MAX;
    a->kind = POINT_TRIED;
    int status = chosen != SIZE_MAX ? search_fifos(a, chosen, true, &advised) : 0;
    while (status == 0 && (candidate = front_next(a->points, a->candidates, false, candidate)) != SIZE_MAX)
        if (is_worth_a_search(a, candidate, &advised))
            status = search_fifos(a, candidate, false, &advised);
    if (status)
        return status;
    if (advised.point == SIZE_MAX)
        return refuse_all(a);
    advised.point = find_undominated(a, advised.point);
    a->best = advised.point;
    tell_fifos(a, &advised);
    return 0;
}

static void tell_machine(struct adviser *a, size_t chosen)
{
    struct result_table *table = begin_part(a, ADVICE_MACHINE, a->machine_columns,
                                            MACHINE_COLUMNS + (unsigned)a->plan->request->axis_count,
                                            "Machine: nothing that was simulated is better in everything");
    add_machine_row(a, ADVICE_MACHINE, "advised", a->best, total_s(a, a->best));
    if (a->given != SIZE_MAX) {
        add_machine_row(a, ADVICE_MACHINE, "given", a->given, total_s(a, a->best));
        if (!a->points[a->given].counts)
            result_table_note(table, "the machine as given %s",
                              fits(a, a->given) ? "is beyond the limits"
                                                : "is one that the FPGA does not hold");
    }
    if (chosen != SIZE_MAX && a->plan->points[a->best].structure != a->plan->points[chosen].structure)
        result_table_note(table,
                          "its tables are others than chosen below, which are better with these FIFOs");
    add_machine(a, "machine", "advised", "-", a->best);
}

/* --- machines with one resource made free ------------------------------------------------------------------ */

/* They say what limits a machine. All that the board does once per clock is made free together, by a clock ten times as
 * fast under which reads, trips, fetches and the wait for a full burst of records take as long as before. */
enum { FASTER_CLOCK = 10 };

/* Reads in flight need places. They are in flight for more clocks, so they need more places. Records wait for a
 * full burst as long as before: with bursts that time closes sooner, the bus would carry less. */
static void free_clock(struct hardware *h)
{
    struct board_rules *b = &h->board;
    uint32_t longer = (FASTER_CLOCK - 1) * b->sram_read_cycles;
    h->fpga_clock_hz *= FASTER_CLOCK;
    b->sram_read_cycles *= FASTER_CLOCK;
    b->sram_trip_cycles *= FASTER_CLOCK;
    b->stage2_fetch_cycles *= FASTER_CLOCK;
    b->sram_margin += longer;
    b->sram_lookups += longer;
    h->hsp_flush_clocks =
        h->hsp_flush_clocks <= UINT32_MAX / FASTER_CLOCK ? h->hsp_flush_clocks * FASTER_CLOCK : UINT32_MAX;
}

static void free_sram(struct hardware *h)
{
    h->board.sram_read_cycles = h->board.probes ? (h->pass.sram.inline_positions + 1) / 2 : 0;
    h->board.sram_trip_cycles = (h->pass.sram.trip_positions + 1) / 2;
}

/* No parameter does that: the bus carries a database, too. */
static void free_tables(struct hardware *h)
{
    machine_part_free(h, PART_TABLES);
}

/* What is made free by numbers of the machine, as after --set, or by a function. */
static const struct machine_freedom {
    const char *stage, *meaning, *settings[2];
    void (*make)(struct hardware *);
} machine_freedoms[] = {
    {"host", "supplies without limit", {"host.supply=1e15"}},
    {"bus", "carries without limit", {"pcix.bandwidth=1e15", "pcix.efficiency=1"}},
    {"clock", "1a, 1b and 2 do ten times as much; reads, trips, fetches as before", .make = free_clock},
    {"1b", "reads and trips as short as the SRAM's port allows", .make = free_sram},
    {"2", "fetches take no time", {"stage2.fetch_cycles=0"}},
    {"3", "extensions take no time", {"stage3.cycles_per_cell=0", "stage3.cycles_per_check=0"}},
    {"build", "tables are built in no time", {"host.build_clocks=0"}},
    {"tables", "a pass finds its tables on the board", .make = free_tables},
};

enum { MACHINE_FREEDOMS = sizeof machine_freedoms / sizeof machine_freedoms[0] };

/* @return whether every parameter of the machine is still within its range */
static bool make_free(const struct machine_freedom *f, struct hardware *h, struct why *why)
{
    for (unsigned i = 0; i < 2 && f->settings[i]; i++)
        if (hardware_set_assignment(h, f->settings[i], why) != 0)
            return false;
    if (f->make)
        f->make(h);
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        struct hardware scratch = *h;
        if (hardware_set(&scratch, hardware_parameter_name(i), hardware_parameter_value(h, i).text, why) != 0)
            return false;
    }
    return true;
}

/* --- stages ---------------------------------------------------------------------------------------------- */

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

static void note_next(const struct adviser *a, const size_t points[MACHINE_FREEDOMS], size_t before,
                      struct result_table *table)
{
    size_t best = find_best(a, points, false), quickest = find_best(a, points, true);
    if (best == SIZE_MAX)
        return;
    if (speed(a, points[best]) > speed(a, before) * (1 + WORTH_IT))
        result_table_note(table,
                          "to stream quicker improve next: %s; then %s is the next limit (%.1f%% busy)",
                          machine_freedoms[best].stage, text(a, points[best], "bottleneck"),
                          100 * number(a, points[best], "bottleneck_utilisation"));
    else
        result_table_note(table, "no single resource makes streaming quicker: two or more limit it together");
    double saved = 1 - total_s(a, points[quickest]) / total_s(a, before);
    if (saved > WORTH_IT)
        result_table_note(table, "to end sooner improve next: %s, at most %.1f%% of the total time",
                          machine_freedoms[quickest].stage, 100 * saved);
}

/* By so many per cent, to hundredths, one is above the other. */
static double percent_above(double value, double of)
{
    return to_hundredths(100 * (value / of - 1));
}

static int advise_stages(struct adviser *a)
{
    const size_t best = a->best;
    static const char *const names[] = {"free", "Mw-mers/s", "change", "total ms", "change", "what is free"};
    size_t points[MACHINE_FREEDOMS];
    struct why why;
    char balance[200];
    struct result_table *table = begin_part(a, ADVICE_STAGES, names, sizeof names / sizeof names[0],
                                            "Stages: this machine, and one thing free at a time");
    a->kind = POINT_FREE;
    result_table_add(table, TEXT("none"), NUMBER(to_hundredths(speed(a, best))), NUMBER(NAN),
                     NUMBER(1e3 * total_s(a, best)), NUMBER(NAN), TEXT("nothing"));
    for (unsigned i = 0; i < MACHINE_FREEDOMS; i++) {
        const struct machine_freedom *f = &machine_freedoms[i];
        struct hardware machine = a->plan->points[best].hardware;
        points[i] = SIZE_MAX;
        if (!make_free(f, &machine, &why)) {
            result_table_note(table, "%s is left out: there is no such machine: %s", f->stage, why.line);
            continue;
        }
        int status = try_machine(a, &machine, &points[i]);
        if (status)
            return status;
        result_table_add(table, TEXT(f->stage), NUMBER(to_hundredths(speed(a, points[i]))),
                         MARKED(percent_above(speed(a, points[i]), speed(a, best)), '%'),
                         NUMBER(1e3 * total_s(a, points[i])),
                         MARKED(percent_above(total_s(a, points[i]), total_s(a, best)), '%'),
                         TEXT(f->meaning));
        add_machine(a, "free", f->stage, "-", points[i]);
    }
    note_next(a, points, best, table);
    struct bus_balance bus = bus_balance_find(&a->plan->points[best].hardware, number(a, best, "hsps"),
                                              number(a, best, "wmers"), number(a, best, "utilisation_bus"));
    if (bus_balance_say(&bus, balance, sizeof balance))
        result_table_note(table, "bus: %s", balance);
    return 0;
}

static int find_advice(struct adviser *a)
{
    size_t chosen = 0;
    int status = advise_tables(a, &chosen);
    if (status == 0)
        status = advise_fifos(a, chosen);
    if (status)
        return status;
    tell_machine(a, chosen);
    return advise_stages(a);
}

/* The machine without what varies is a candidate as well. @return SIZE_MAX if it is impossible without that */
static size_t add_given(struct sweep_setup *setup)
{
    struct why ignored;
    size_t given;
    return sweep_plan_add(&setup->plan, 0, &setup->request.hardware, &given, &ignored) == 0 ? given
                                                                                            : SIZE_MAX;
}

static int open_store(struct adviser *a)
{
    size_t sweep;
    int status = a->options->report ? sweep_store_open(NULL, true, &a->drawn, a->why) : 0;
    if (status == 0 && a->options->store)
        status = sweep_store_open(a->options->store, true, &a->store, a->why);
    if (status == 0 && a->store)
        status = sweep_store_plan(a->store, a->plan, "advise", &sweep, a->why);
    return command_status_of(status);
}

/* The platform of the command with the numbers of the best machine. */
static int write_platform(const char *path, const struct sweep_setup *setup, const struct hardware *best,
                          struct why *why)
{
    struct output output;
    size_t bytes = 0;
    auto_free char *text = platform_text(setup->request.platform, best, &bytes);
    int status = output_open(&output, path, why) != 0 ? COMMAND_REFUSED : 0;
    if (status == 0) {
        fwrite(text, 1, bytes, output.file);
        status = output_commit(&output, why) != 0 ? COMMAND_REFUSED : 0;
    }
    return status;
}

/* --- text and page --------------------------------------------------------------------------------------- */

enum { NUMBERS_BYTES = (SWEEP_AXES_MAX + BOARD_FIFOS + 1) * 128 };

/* The numbers that the advice is about: what else varied, then the depths of FIFOs. @param at  of the next one, 0 at
 * first; @return the name; NULL after the last */
static const char *next_number(const struct adviser *a, size_t *at, struct shown *value)
{
    const struct sweep_request *r = a->plan->request;
    while (*at < r->axis_count && sweep_view_is_fifo(r->axes[*at].name))
        ++*at;
    const size_t i = (*at)++;
    if (i >= r->axis_count + BOARD_FIFOS)
        return NULL;
    const char *name = i < r->axis_count ? r->axes[i].name : board_fifos[i - r->axis_count].parameter;
    *value =
        hardware_parameter_value(&a->plan->points[a->best].hardware, (size_t)hardware_parameter_find(name));
    return name;
}

/* "table.slots=65536,fifo.ingress=2": all of them, with a sign between two. */
static void join_numbers(const struct adviser *a, char between, char text[NUMBERS_BYTES])
{
    struct shown value;
    const char *name;
    size_t length = 0;
    for (size_t at = 0; (name = next_number(a, &at, &value));) {
        if (length > 0)
            text[length++] = between;
        length += (size_t)snprintf(text + length, 127, "%s=%s", name, value.text);
    }
}

static void write_advice(const void *adviser, FILE *out)
{
    const struct adviser *a = adviser;
    struct shown value;
    const char *name;
    page_put(out, PROSE_ADVISE_ANSWER, 1e3 * total_s(a, a->best), cost(a, a->best, FRONT_RAMB18),
             cost(a, a->best, FRONT_SRAM_CHIPS), cost(a, a->best, FRONT_ENERGY));
    if (a->given != SIZE_MAX)
        page_put(out, PROSE_ADVISE_GIVEN, total_s(a, a->given) / total_s(a, a->best),
                 cost(a, a->given, FRONT_RAMB18), cost(a, a->given, FRONT_SRAM_CHIPS),
                 cost(a, a->given, FRONT_ENERGY));
    fputs("</p>\n<table>\n", out);
    for (size_t at = 0; (name = next_number(a, &at, &value));)
        page_put(out, "<tr><th>%s</th><td>%s</td></tr>\n", name, value.text);
    page_put(out, PROSE_ADVISE_TRIED, a->plan->point_count, a->candidates);
    for (unsigned part = 0; part < ADVICE_PARTS; part++) {
        page_put(out, "<h3>%s</h3>\n", a->headings[part]);
        result_table_write(a->parts[part], RESULT_HTML, out);
    }
}

static void write_text(const struct adviser *a, FILE *out)
{
    char numbers[NUMBERS_BYTES];
    join_numbers(a, ' ', numbers);
    shown_print(out, "Build %s", numbers);
    for (unsigned part = 0; part < ADVICE_PARTS; part++)
        result_table_write(a->parts[part], RESULT_TEXT, out);
}

static int write_page(const struct adviser *a)
{
    const struct page_section first = {"advice", "What to build", write_advice, a};
    struct sweep_ask ask = {.keep = a->options->ask.keep, .marked_count = 1};
    char mark[NUMBERS_BYTES];
    join_numbers(a, ',', mark);
    strcat(mark, ":advised");
    ask.marked[0] = mark;
    return sweep_plot(a->drawn, NULL, a->options->report, NULL, &ask, &first, a->why);
}

/** Simulate what is needed, and write the advice: all of it or nothing.
 *
 * @param setup  with the plan of the candidates, to which points are added
 */
static int advise(const struct sweep_options *options, struct sweep_setup *setup, FILE *out, struct why *why)
{
    const char *names[COLUMNS_MOST];
    struct adviser a = {.options = options,
                        .plan = &setup->plan,
                        .given = add_given(setup),
                        .machine_columns = {"machine", "total ms", "speed", "RAMB18", "chips", "J"},
                        .table = new_table(&setup->request, names),
                        .why = why};
    const struct sweep_run run = {
        .plan = &setup->plan,
        .jobs = run_options_jobs(&options->shared, SIZE_MAX),
        .quiet = options->shared.quiet,
        .kept = options->store ? "are stored" : "were simulated; nothing is kept without --store FILE",
        .take = take,
        .data = &a,
    };
    for (size_t i = 0; i < setup->request.axis_count; i++)
        a.machine_columns[MACHINE_COLUMNS + i] = setup->request.axes[i].name;
    int status = open_store(&a);
    if (status == 0) {
        a.runner = sweep_runner_new(&run);
        status = find_advice(&a);
    }
    if (status == 0 && options->best_platform)
        status = write_platform(options->best_platform, setup, &setup->plan.points[a.best].hardware, why);
    if (status == 0 && options->report)
        status = write_page(&a);
    if (status == 0 && options->answer == RESULT_TEXT)
        write_text(&a, out);
    else if (status == 0)
        result_table_write(a.table, options->answer, out);
    if (a.runner)
        sweep_runner_destroy(a.runner);
    sweep_store_close(a.store);
    sweep_store_close(a.drawn);
    for (unsigned part = 0; part < ADVICE_PARTS; part++)
        result_table_destroy(a.parts[part]);
    result_table_destroy(a.table);
    free(a.results);
    free(a.points);
    return status;
}

/* --- the command ----------------------------------------------------------------------------------------- */

static const struct command_option options[] = COMMAND_OPTIONS(ADVISE_OPTIONS);

static const char *const candidates[] = {"table.slots=2^14..2^18", "table.family=xxh3,displaced",
                                         "bloom.bank_bits=2^14..2^18"};

/* Refuse a file that cannot be written before anything is simulated. */
static int check_outputs(const struct sweep_options *o, const struct sweep_setup *setup, struct why *why)
{
    struct file_uses uses = {0};
    if (o->report && strcmp(o->report, "-") == 0)
        return why_refuse(why, "--report -: the advice is on standard output; name a file for the page");
    file_uses_read(&uses, "the query", o->queries[0]);
    file_uses_read(&uses, "the database", o->databases[0]);
    file_uses_read(&uses, "the platform", setup->platform_path);
    file_uses_write(&uses, "--store", o->store);
    file_uses_write(&uses, "--write-platform", o->best_platform);
    file_uses_write(&uses, "--report", o->report);
    return file_uses_check(&uses, why) != 0 ||
                   (o->best_platform && output_probe(o->best_platform, why) != 0) ||
                   (o->report && output_probe(o->report, why) != 0)
               ? COMMAND_REFUSED
               : 0;
}

static int run_command(int argc, char **argv, struct why *why)
{
    auto_by(sweep_options_destroy) struct sweep_options o = {0};
    auto_by(sweep_setup_destroy) struct sweep_setup setup = {0};
    int status;
    if (rank_link_refuse(
            "advice is found by one process, one question leading to the next; use -j instead of mpirun",
            &status, why))
        return status;
    status = sweep_options_parse("advise", options, argc, argv, &o, why);
    if (status == 0 && (o.query_count > 1 || o.database_count > 1))
        status = why_refuse(why, "advice is for one query and one database; give one -q and one -d");
    for (unsigned i = 0; i < sizeof candidates / sizeof candidates[0] && o.axis_count == i; i++)
        o.axes[o.axis_count++] = candidates[i];
    if (status == 0)
        status = sweep_setup_read(&setup, &o, why);
    if (status == 0)
        status = check_outputs(&o, &setup, why);
    if (status == 0 && sweep_plan_make(&setup.request, &setup.plan, why) != 0)
        status = COMMAND_REFUSED;
    return status ? status : advise(&o, &setup, stdout, why);
}

const struct command command_advise = {options, run_command};
