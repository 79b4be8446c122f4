#include "sim/board/board_fifos.h"

/* clang-format off */
#define FIFO_ROW(id, key, title, element, bytes, in, out, places, signal, margin, ...) \
    [FIFO_##id] = {key, key "_fifo", "fifo." key, title, element, in, out, signal, \
                   offsetof(struct board_rules, places), offsetof(struct board_rules, margin)}
/* clang-format on */

const struct board_fifo_row board_fifos[BOARD_QUEUES] = {
    BOARD_FIFO_ROWS(FIFO_ROW),
    [BOARD_SERVER] = {.name = "stage_1bd", .in = PORT_LOOKUP, .out = PORT_DONE, .signal = SIGNAL_NONE},
};

#define STAGE_ROW(id, name, takes, ...)                                                                      \
    [BOARD_STAGE_##id] = {name, FIFO_##takes, ARRIVALS_##id, SERVICES_##id}

const struct board_stage_row board_stages[BOARD_STAGES] = {BOARD_STAGE_ROWS(STAGE_ROW)};

/* clang-format off */
#define PORT_ROW(id, times, clocks, elements, marking) \
    [PORT_##id] = {offsetof(struct board_times, times), LEVEL_##clocks, LEVEL_##elements, MARK_##marking}
/* clang-format on */

const struct board_port_row board_ports[BOARD_PORTS] = {BOARD_PORT_ROWS(PORT_ROW)};

static uint32_t rule_at(const struct board_rules *rules, size_t offset)
{
    return *(const uint32_t *)((const char *)rules + offset);
}

uint32_t board_fifo_places(unsigned fifo, const struct board_rules *rules)
{
    return fifo == BOARD_SERVER ? 1 : rule_at(rules, board_fifos[fifo].places);
}

uint32_t board_fifo_margin(enum board_fifo fifo, const struct board_rules *rules)
{
    return rule_at(rules, board_fifos[fifo].margin);
}

uint32_t *board_fifo_depth(enum board_fifo fifo, struct board_rules *rules)
{
    return (uint32_t *)((char *)rules + board_fifos[fifo].places);
}

uint64_t board_fifo_back_pressure_at(unsigned fifo, const struct board_rules *rules)
{
    const uint64_t places = board_fifo_places(fifo, rules), margin = rule_at(rules, board_fifos[fifo].margin);
    switch (board_fifos[fifo].signal) {
    case SIGNAL_FULL:
        return places;
    case SIGNAL_MARGIN:
        return places >= margin ? places + 1 - margin : 0;
    case SIGNAL_RESERVE:
        return places - margin;
    default:
        return UINT64_MAX;
    }
}
