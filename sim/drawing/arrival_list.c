#include "sim/drawing/arrival_list.h"
#include "base/file/file_io.h"
#include "base/memory.h"

#include <stdlib.h>

struct arrival_list {
    FILE *out;
    unsigned kind;
    double clock_hz, trip_s;
    int64_t last; /* clock of the last arrival */
    bool begun;
};

const char *arrival_list_name(unsigned kind)
{
    static const char *const others[] = {"stage_1a.out", "stage_1bd.out", "stage_2.out", "stage_1bd.service"};
    return kind < BOARD_FIFOS ? board_fifos[kind].name : others[kind - BOARD_FIFOS];
}

struct arrival_list *arrival_list_new(FILE *out, unsigned kind, double clock_hz, uint32_t trip_cycles)
{
    struct arrival_list *list = memory_take(sizeof *list);
    *list = (struct arrival_list){
        .out = out, .kind = kind, .clock_hz = clock_hz, .trip_s = trip_cycles / clock_hz};
    return list;
}

static void list_outputs(const struct arrival_list *list, const uint8_t *outputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(list->out, "%u\n", outputs[i]);
}

/* What 1bd does with each lookup. */
static void list_lookups(const struct arrival_list *list, const struct tokens *tokens)
{
    const struct group_token *group = tokens->groups;
    for (const struct seed_token *seed = tokens->seeds; seed < tokens->seeds + tokens->seed_count; seed++) {
        const bool makes_trips = seed->outcome == LOOKUP_DUPLICATE;
        unsigned matches = 0;
        for (const struct group_token *end = group + seed->groups; group < end; group++)
            matches += group->matches;
        if (list->kind == LIST_OUT_1BD)
            fprintf(list->out, "%u\n", matches);
        else
            fprintf(list->out, "%.12g\n", makes_trips ? seed->groups * list->trip_s : 1 / list->clock_hz);
    }
}

static void list_arrivals(struct arrival_list *list, const struct tokens *tokens,
                          const struct board_times *times)
{
    const int64_t *clocks = board_port_times(board_fifos[list->kind].in, times);
    const size_t count = list->kind == FIFO_SRAM     ? tokens->seed_count
                         : list->kind == FIFO_STAGE2 ? tokens->group_count
                         : list->kind == FIFO_EGRESS ? tokens->match_count
                                                     : tokens->word_count; /* clocks at which some may come */
    for (size_t i = 0; i < count; i++) {
        unsigned come = list->kind == FIFO_WMER     ? tokens->words[i]
                        : list->kind == FIFO_STAGE2 ? tokens->groups[i].matches
                        : list->kind == FIFO_EGRESS ? tokens->matches[i]
                                                    : 1;
        for (; come > 0; come--) {
            if (list->begun)
                fprintf(list->out, "%.12g\n", (double)(clocks[i] - list->last) / list->clock_hz);
            list->last = clocks[i];
            list->begun = true;
        }
    }
}

void arrival_list_block(struct arrival_list *list, const struct tokens *tokens,
                        const struct board_times *times)
{
    switch (list->kind) {
    case LIST_OUT_1A:
        list_outputs(list, tokens->words, tokens->word_count);
        break;
    case LIST_OUT_2:
        list_outputs(list, tokens->matches, tokens->match_count);
        break;
    case LIST_OUT_1BD:
    case LIST_SERVICE_1BD:
        list_lookups(list, tokens);
        break;
    default:
        list_arrivals(list, tokens, times);
    }
}

bool arrival_list_close(struct arrival_list *list)
{
    bool written = !list || file_io_flush(list->out);
    free(list);
    return written;
}
