/* sweep_view.h - the points of a table as those who compare them see them: what varies, which points are one search,
 * which are machines, and which differ in one number only.
 *
 * Kinds     Machines are points that a sweep asked for. The others are probes, which nobody builds: machines with a
 *           FIFO of the greatest depth (unbounded), machines with a part made free, and depths that `mercury advise`
 *           tried on its way. Points that the FPGA of fpga.device does not hold are no machines, either.
 * Varied    The inputs and numbers of the machine in which the machines differ. Values have ranks from 0: numbers by
 *           size, texts by the alphabet. Probes have no ranks.
 * Groups    Machines that agree in some varied numbers: lines and panels of pictures.
 * Search    Machines on the same inputs, which the front and the knee (front.h) compare.
 * Memory    the table must outlive the view.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/wide.h"
#include "app/sweep/draw/front.h"
#include "app/sweep/point/sweep_store.h"

enum { SWEEP_VARIED_MAX = 128 };

enum sweep_kind { SWEEP_MACHINE, SWEEP_UNBOUNDED, SWEEP_FREE, SWEEP_TRIED, SWEEP_UNFIT, SWEEP_KINDS };

/** Varied numbers, one bit for each. */
typedef wide_uint sweep_set;
#define SWEEP_ALL (~(sweep_set)0)

/** The set of one varied number; SIZE_MAX: of none. */
static inline sweep_set sweep_set_of(size_t varied)
{
    return varied < SWEEP_VARIED_MAX ? (sweep_set)1 << varied : 0;
}

static inline bool sweep_set_has(sweep_set set, size_t varied)
{
    return set >> varied & 1;
}

struct sweep_varied {
    size_t column; /* of the table */
    bool is_number;
    size_t value_count;
    size_t *first; /* of each value by rank, a row that has it */
    size_t *ranks; /* of each row; SIZE_MAX if the row is a probe */
};

struct sweep_groups {
    size_t *rows;   /* of all groups, one after another */
    size_t *begins; /* of each group; one more at the end */
    size_t count;
};

enum sweep_place { SWEEP_BESIDE, SWEEP_ON_FRONT, SWEEP_KNEE };

struct sweep_view {
    const struct sweep_table *table;
    enum sweep_kind *kinds;     /* of each row */
    enum sweep_place *places;   /* of each row, in its search */
    struct front_point *points; /* of each row; machines count */
    size_t *machines;           /* their rows */
    struct sweep_groups searches;
    sweep_set inputs; /* inputs, strands and E-values, of those that vary: what tells searches apart */
    char knee_meaning[120];
    size_t machine_count, unbounded_count, varied_count;
    struct sweep_varied varied[SWEEP_VARIED_MAX];
};

/** Look at a table.
 *
 * @param keep  share of the greatest speed that the knee keeps
 * @param view  out, for sweep_view_destroy()
 */
void sweep_view_make(const struct sweep_table *table, double keep, struct sweep_view *view);
void sweep_view_destroy(struct sweep_view *view);

/* --- points ---------------------------------------------------------------------------------------------- */

/** A number of a point, NaN if it has none; a field of a point as text. */
double sweep_view_number(const struct sweep_view *view, size_t row, const char *column);
const char *sweep_view_text(const struct sweep_view *view, size_t row, const char *column);

/** The rows of machines, to be sorted. @return for free() */
size_t *sweep_view_machines(const struct sweep_view *view);

/** The unbounded machine that a row would be: equal in all but FIFO depths, of which those that differ in the store are
 *  unbounded. @return SIZE_MAX if the store has none */
size_t sweep_view_unbounded(const struct sweep_view *view, size_t row);

/** Whether a measure of machines differs by more than 0.01% (SWEEP_SAME). */
#define SWEEP_SAME 1e-4
bool sweep_view_differs(const struct sweep_view *view, const char *column);

/** The share by which the slowest machine of a search takes longer than the quickest one, where that is the most;
 *  whether that is worth a front: 1% or more. */
double sweep_view_slowness(const struct sweep_view *view);
static inline bool sweep_view_has_front(const struct sweep_view *view)
{
    return sweep_view_slowness(view) >= 0.01;
}

/** How many machines fit, and what the FPGA or the SRAM of the smallest other one lacks; if none fits, what to do.
 *  @return `text`; "" if all fit */
enum { SWEEP_MISFIT_BYTES = 300 };
const char *sweep_view_misfit(const struct sweep_view *view, char text[SWEEP_MISFIT_BYTES]);

/* --- varied numbers -------------------------------------------------------------------------------------- */

/** The index of a varied number by its name, SIZE_MAX if it does not vary. */
size_t sweep_view_find(const struct sweep_view *view, const char *name);

/** The name of a varied number, as --vary has it: "table.slots", "query". */
const char *sweep_view_name(const struct sweep_view *view, size_t varied);

/** A value of a varied number by rank, or that of a row, as text; of a path as many of its last parts as tell it apart
 *  from the other paths. */
const char *sweep_view_value(const struct sweep_view *view, size_t varied, size_t rank);
const char *sweep_view_value_of(const struct sweep_view *view, size_t varied, size_t row);

/** Where a row lies along a varied number: its value, of a text the value's rank; NaN if it has none. */
double sweep_view_place(const struct sweep_view *view, size_t varied, size_t row);

/** Find the number of a set that tells lines or columns apart best: texts before numbers, the most values up to `most`;
 *  if all have more, the fewest. @return SIZE_MAX if nothing in the set varies */
size_t sweep_view_most_suited(const struct sweep_view *view, sweep_set set, size_t most);

/** Whether a number is the depth of a FIFO. */
bool sweep_view_is_fifo(const char *name);

/** The last part of a path. */
const char *sweep_view_file(const char *path);

/** What is written of varied numbers: "table.slots, table.family", "65536, xxh3", "table.slots = 65536, ...", and as
 *  after --set: "table.slots=65536 table.family=xxh3". */
enum sweep_words { SWEEP_NAMES, SWEEP_VALUES, SWEEP_BOTH, SWEEP_SETTINGS };

/** Write what a point has in a set of varied numbers. @param row  ignored for names; @return `text` */
const char *sweep_view_describe(const struct sweep_view *view, size_t row, sweep_set set,
                                enum sweep_words words, char *text, size_t size);

/* --- groups ---------------------------------------------------------------------------------------------- */

/** Machines in groups that agree in `same`; in a group by rising rank of `then` (SIZE_MAX: in the table's order).
 *  @return for sweep_groups_destroy() */
struct sweep_groups sweep_view_group(const struct sweep_view *view, sweep_set same, size_t then);
void sweep_groups_destroy(struct sweep_groups *groups);

/** Whether two machines agree in `same`. */
bool sweep_view_agree(const struct sweep_view *view, sweep_set same, size_t a, size_t b);

static inline size_t sweep_groups_first(const struct sweep_groups *groups, size_t group)
{
    return groups->rows[groups->begins[group]];
}
