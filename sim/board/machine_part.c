#include "sim/board/machine_part.h"

#include <assert.h>

#include "base/words.h"

#define PART_ROW(id, ...)                                     [id] = {__VA_ARGS__}
#define STAGE_ROW(id, name, takes, elements, does, free, ...) [PART_##id] = {name, "stage " name, name, free}

const struct machine_part_row machine_parts[MACHINE_PARTS] = {
    MACHINE_PART_FIRST_ROWS(PART_ROW) BOARD_STAGE_ROWS(STAGE_ROW), MACHINE_PART_LAST_ROWS(PART_ROW)};

int machine_part_find(const char *name, struct why *why)
{
    const struct names names = {machine_parts, sizeof *machine_parts, MACHINE_PARTS, false};
    const int found = names_find(names, word_of(name));
    const char *nearest = found < 0 ? names_nearest(names, word_of(name)) : NULL;
    if (found < 0)
        why_say(
            why, -1,
            "no part of the machine is called '%.100s'; expected host, bus, 1a, 1bp, 1bd, 2, cores, alignment, "
            "tables, build, join or network%s%s%s",
            name, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return found;
}

static_assert(BOARD_FREE_1A == 1 << BOARD_STAGE_1A && BOARD_FREE_2 == 1 << BOARD_STAGE_2,
              "bits of free stages are in the order of the stages");

void machine_part_free(struct hardware *h, enum machine_part part)
{
    h->free_parts |= 1U << part;
    if (part == PART_HOST)
        h->host_supply = 1e15;
    else if (part == PART_BUS)
        h->pcix_bandwidth = 1e15 / h->pcix_efficiency;
    else if (part == PART_CORES || part == PART_TABLES || part == PART_BUILD)
        h->host_build_clocks = 0;
    else if (part >= PART_1A && part < PARTS_OF_STREAM)
        h->board.free_stages |= 1U << (part - PART_1A);
}
