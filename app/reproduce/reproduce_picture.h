/* reproduce_picture.h - pictures of the published runs: printed numbers, what formulas make of them, what is simulated.
 *
 * Machine   a row per measured quantity and run; the axis is value / measured value, so that quantities of any unit
 *           stand below each other. If 0 or about 0 was measured, the row has the numbers as text.
 * Formulas  a row per printed prediction; the axis is the difference in per cent, the band the printed rounding.
 * Ends      What is beyond the ends of an axis stands at the end.
 */
#ifndef MERCURY_APP_THEORY_REPRODUCE_PICTURE_H
#define MERCURY_APP_THEORY_REPRODUCE_PICTURE_H

#include "base/draw/svg.h"
#include "validate/dor2010.h"
#include "app/replay/replay_report.h"

/** A published run: its predictions computed again, and its replay. */
struct reproduced_run {
    struct reproduction inside;     /* with inputs that were searched inside their printed rounding */
    struct reproduction as_printed; /* with the printed digits */
    struct replay_result result;
    struct replay_options options;
    struct replay_report replay; /* of result and options; without the models' validation */
};

struct reproduced_runs {
    struct reproduced_run *runs;
    unsigned count;
};

/** The replayed cell that a row of a figure was measured for; REPLAY_CELLS if it was not measured. */
enum replay_cell reproduce_picture_cell(const struct dor2010_cell *cell);

/** Pictures (picture_draw) of struct reproduced_runs. */
void reproduce_picture_draw_machine(const void *runs, struct svg *svg);
void reproduce_picture_draw_formulas(const void *runs, struct svg *svg);

#endif
