#include "sim/drawing/arrival_list.h"

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

/* Number of clocks in a block at which elements may come to a FIFO. */
static size_t clocks_of(enum board_fifo fifo, const struct tokens *tokens)
{
    switch (fifo) {
    case FIFO_SRAM:
        return tokens->seed_count;
    case FIFO_STAGE2:
        return tokens->group_count;
    case FIFO_EGRESS:
        return tokens->match_count;
    default:
        return tokens->word_count;
    }
}

/* Number of elements that come at one of these clocks. */
static unsigned elements_at(enum board_fifo fifo, const struct tokens *tokens, size_t i)
{
    switch (fifo) {
    case FIFO_WMER:
        return tokens->words[i];
    case FIFO_STAGE2:
        return tokens->groups[i].matches;
    case FIFO_EGRESS:
        return tokens->matches[i];
    default:
        return 1;
    }
}

void arrival_list_block(struct arrival_list *list, const struct tokens *tokens,
                        const struct board_times *times)
{
    const int64_t *clocks = board_port_times(board_fifos[list->fifo].in, times);
    const size_t count = clocks_of(list->fifo, tokens);
    for (size_t i = 0; i < count; i++)
        for (unsigned n = elements_at(list->fifo, tokens, i); n > 0; n--) {
            if (list->begun)
                fprintf(list->out, "%.12g\n", (double)(clocks[i] - list->last) / list->clock_hz);
            list->last = clocks[i];
            list->begun = true;
        }
}

bool arrival_list_close(struct arrival_list *list)
{
    bool written = !list || (fflush(list->out) == 0 && !ferror(list->out));
    free(list);
    return written;
}
