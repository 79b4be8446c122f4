#include "app/replay/replay_signals.h"

bool replay_cell_is_signal(enum replay_cell cell)
{
    return cell == REPLAY_P_BP_1B || cell == REPLAY_P_BP_2;
}

static uint32_t *margin_of(struct hardware *hardware, enum replay_cell cell)
{
    return cell == REPLAY_P_BP_1B ? &hardware->board.wmer_margin : &hardware->board.stage2_margin;
}

/* The replay that is run with every margin. */
struct search {
    struct replay_options options; /* hardware: `machine` */
    struct hardware machine;
    enum replay_cell cell;
    bool too_often; /* with the machine's own margin the cell is above the interval */
    double low, high;
};

static int value_with(struct search *search, uint32_t margin, double *value, struct why *why)
{
    struct replay_result result;
    *margin_of(&search->machine, search->cell) = margin;
    search->options.hardware = &search->machine;
    int status = replay_run(&search->options, &result, why);
    if (status == 0)
        *value = result.cells[search->cell].mean;
    return status;
}

/* A larger margin makes the signal more frequent, so the margin nearest to the machine's own with which the cell
 * reaches the interval is found by halving. */
static int halve(struct search *search, struct replay_signal *out, struct why *why)
{
    const struct board_rules *board = &search->machine.board;
    uint32_t places = search->cell == REPLAY_P_BP_1B ? board->wmer_seeds : board->stage2_matches;
    uint32_t beyond = out->margin, within = search->too_often ? 0 : places;
    double value = out->other_value;
    if (beyond == within)
        return 0;
    int status = value_with(search, within, &out->other_value, why);
    while (status == 0 && (beyond > within ? beyond - within : within - beyond) > 1) {
        uint32_t margin = (beyond + within) / 2;
        status = value_with(search, margin, &value, why);
        if (search->too_often ? value > search->high : value < search->low) {
            beyond = margin;
        } else {
            within = margin;
            out->other_value = value;
        }
    }
    out->other_margin = within;
    return status;
}

int replay_signal_explain(const struct replay_options *options, const struct replay_result *as_is,
                          enum replay_cell cell, double low, double high, struct replay_signal *out,
                          struct why *why)
{
    struct search search = {*options, *options->hardware, cell, as_is->cells[cell].mean > high, low, high};
    search.options.clocks = as_is->steady.clocks;
    search.options.events = false;
    uint32_t own = *margin_of(&search.machine, cell);
    *out = (struct replay_signal){
        .name = cell == REPLAY_P_BP_1B ? "fifo.wmer_margin" : "fifo.stage2_margin",
        .margin = own,
        .other_margin = own,
        .other_value = as_is->cells[cell].mean,
    };
    int status = halve(&search, out, why);
    out->found = out->other_value >= low && out->other_value <= high;
    return status;
}
