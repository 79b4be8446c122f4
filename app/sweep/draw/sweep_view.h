/* sweep_view.h - the points of a table as those who compare them see them: what varies, which points are one search,
 * which are machines, and which differ in one number only.
 *
 * Kinds     Machines are points that a sweep asked for. The others are probes, which nobody builds: machines with a
 *           FIFO of the greatest depth (unbounded), machines with a part made free, and depths that `mercury advise`
 *           tried on its way. Points that the FPGA of fpga.device does not hold are no machines, either.
 * Varied    The inputs and numbers of the machine in which the machines differ. Values have ranks from 0: numbers by
 *           size, texts by the alphabet. Probes have no ranks.
 * Groups    Machines that agree in some varied numbers: lines and panels of pictures.
 * Best      By the time of the run; of equally quick ones the cheapest (front.h).
 * Memory    the table must outlive the view.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_VIEW_H
#define MERCURY_APP_SWEEP_SWEEP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "app/sweep/draw/front.h"
#include "app/sweep/point/sweep_table.h"

enum { SWEEP_VARIED_MAX = 128 };

enum sweep_kind { SWEEP_MACHINE, SWEEP_UNBOUNDED, SWEEP_FREE, SWEEP_TRIED, SWEEP_UNFIT, SWEEP_KINDS };

/** One bit per varied number. */
struct sweep_set {
    bool has[SWEEP_VARIED_MAX];
};

struct sweep_varied {
    size_t column; /* of the table */
    bool is_number;
    size_t value_count;
    size_t *first; /* of each value by rank, a row that has it */
    size_t *ranks; /* of each row; SIZE_MAX if the row is a probe */
};

struct sweep_view {
    const struct sweep_table *table;
    enum sweep_kind *kinds; /* of each row */
    size_t machine_count, unbounded_count, varied_count;
    struct sweep_varied varied[SWEEP_VARIED_MAX];
};

/** Look at a table. @param view  filled on success, for sweep_view_destroy(); @return 0 or -1 if memory is exhausted */
int sweep_view_make(const struct sweep_table *table, struct sweep_view *view, struct why *why);
void sweep_view_destroy(struct sweep_view *view);

/** The index of a varied number by its name, SIZE_MAX if it does not vary. */
size_t sweep_view_find(const struct sweep_view *view, const char *name);

/** The name of a varied number, as --vary has it: "table.slots", "query". */
const char *sweep_view_name(const struct sweep_view *view, size_t varied);

/** A value of a varied number by rank, as text; of a path its last part. */
const char *sweep_view_value(const struct sweep_view *view, size_t varied, size_t rank);

/** A number of a point, NaN if it has none; a field of a point as text. */
double sweep_view_number(const struct sweep_view *view, size_t row, const char *column);
const char *sweep_view_text(const struct sweep_view *view, size_t row, const char *column);

/** Whether a number is the depth of a FIFO. */
bool sweep_view_is_fifo(const char *name);

/** The last part of a path. */
const char *sweep_view_file(const char *path);

/** All varied numbers but those two, which may be SIZE_MAX. */
struct sweep_set sweep_view_others(const struct sweep_view *view, size_t a, size_t b);

/** Machines in groups that agree in `same`; in a group by rising rank of `then` (SIZE_MAX: in the table's order). */
struct sweep_groups {
    size_t *rows;   /* of all groups, one after another */
    size_t *begins; /* of each group; one more at the end */
    size_t count;
};
int sweep_view_group(const struct sweep_view *view, const struct sweep_set *same, size_t then,
                     struct sweep_groups *groups, struct why *why);
void sweep_groups_destroy(struct sweep_groups *groups);

/** Write what sets a point apart: "table.slots = 65536, table.family = xxh3", of a set of varied numbers.
 *  @param values_only  "65536, xxh3"; @return `text` */
const char *sweep_view_describe(const struct sweep_view *view, size_t row, const struct sweep_set *set,
                                bool values_only, char *text, size_t size);

/** Write the names of a set of varied numbers: "table.slots, table.family". @return `text` */
const char *sweep_view_list(const struct sweep_view *view, const struct sweep_set *set, char *text,
                            size_t size);

/** The unbounded machine that a row would be: equal in all but FIFO depths, of which those that differ in the store are
 *  unbounded. @return SIZE_MAX if the store has none */
size_t sweep_view_unbounded(const struct sweep_view *view, size_t row);

/** Whether a cost of machines differs by more than 0.01%. */
bool sweep_view_cost_varies(const struct sweep_view *view, enum front_cost cost);

/** The fronts of all searches: a front compares machines on the same inputs. */
struct sweep_fronts {
    enum sweep_place { SWEEP_BESIDE, SWEEP_ON_FRONT, SWEEP_KNEE } * places; /* of each row */
    struct front_point *points;                                             /* of each row; machines count */
};
int sweep_fronts_make(const struct sweep_view *view, double keep, struct sweep_fronts *fronts,
                      struct why *why);
void sweep_fronts_destroy(struct sweep_fronts *fronts);

/** The inputs, strands and E-values that vary: one search for each combination. */
struct sweep_set sweep_view_searches(const struct sweep_view *view);

/** Whether throughputs of machines differ by more than 0.01%. */
bool sweep_view_throughput_varies(const struct sweep_view *view);

/** Fill `rows` with the best of some machines, the best first. @return their number, at most `most` */
size_t sweep_view_best(const struct sweep_view *view, const size_t *among, size_t among_count, size_t *rows,
                       size_t most);

#endif
