#include "sim/drawing/arrival_list.h"
#include "base/file/file_io.h"

#include <stdlib.h>

struct arrival_list {
    FILE *out;
    enum board_fifo fifo;
    double clock_hz;
    int64_t last; /* clock of the last arrival */
    bool begun;
};

struct arrival_list *arrival_list_new(FILE *out, enum board_fifo fifo, double clock_hz)
{
    struct arrival_list *list = malloc(sizeof *list);
    if (list)
        *list = (struct arrival_list){.out = out, .fifo = fifo, .clock_hz = clock_hz};
    return list;
}

void arrival_list_block(struct arrival_list *list, const struct tokens *tokens,
                        const struct board_times *times)
{
    const int64_t *clocks = board_port_times(board_fifos[list->fifo].in, times);
    const size_t count = list->fifo == FIFO_SRAM     ? tokens->seed_count
                         : list->fifo == FIFO_STAGE2 ? tokens->group_count
                         : list->fifo == FIFO_EGRESS ? tokens->match_count
                                                     : tokens->word_count; /* clocks at which some may come */
    for (size_t i = 0; i < count; i++) {
        unsigned come = list->fifo == FIFO_WMER     ? tokens->words[i]
                        : list->fifo == FIFO_STAGE2 ? tokens->groups[i].matches
                        : list->fifo == FIFO_EGRESS ? tokens->matches[i]
                                                    : 1;
        for (; come > 0; come--) {
            if (list->begun)
                fprintf(list->out, "%.12g\n", (double)(clocks[i] - list->last) / list->clock_hz);
            list->last = clocks[i];
            list->begun = true;
        }
    }
}

bool arrival_list_close(struct arrival_list *list)
{
    bool written = !list || file_io_flush(list->out);
    free(list);
    return written;
}
