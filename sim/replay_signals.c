#include "sim/replay_signals.h"

bool replay_cell_is_signal(enum replay_cell cell)
{
    return cell == REPLAY_P_BP_1B || cell == REPLAY_P_BP_2;
}

static uint32_t *margin_of(struct hardware *hardware, enum replay_cell cell)
{
    return cell == REPLAY_P_BP_1B ? &hardware->board.wmer_margin : &hardware->board.stage2_margin;
}

static uint32_t places_of(const struct hardware *hardware, enum replay_cell cell)
{
    return cell == REPLAY_P_BP_1B ? hardware->board.wmer_seeds : hardware->board.stage2_matches;
}

int replay_signal_explain(const struct replay_options *options, const struct replay_result *as_is,
                          enum replay_cell cell, double low, double high, struct replay_signal *out,
                          char *why, size_t why_size)
{
    struct hardware other = *options->hardware;
    struct replay_options again = *options;
    uint32_t *margin = margin_of(&other, cell), last = places_of(&other, cell);
    again.hardware = &other;
    again.clocks = as_is->steady.clocks;
    again.events = false;
    *out = (struct replay_signal){
        .name = cell == REPLAY_P_BP_1B ? "fifo.wmer_margin" : "fifo.stage2_margin",
        .margin = *margin,
        .other_margin = *margin,
        .other_value = as_is->cells[cell].mean,
    };
    bool too_often = out->other_value > high;
    int status = 0;
    while (status == 0 && !out->found && *margin != (too_often ? 0 : last)) {
        struct replay_result result;
        *margin += too_often ? -1u : 1u;
        status = replay_run(&again, &result, why, why_size);
        if (status)
            break;
        double value = result.cells[cell].mean;
        out->found = value >= low && value <= high;
        bool passed = too_often ? value < low : value > high; /* it goes one way */
        out->other_margin = *margin;
        out->other_value = value;
        if (passed)
            break;
    }
    return status;
}
