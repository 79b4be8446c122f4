#include "sim/simgrid/system.h"

#include <stdlib.h>

#include <simgrid/link.h>

#include "sim/board/machine_part.h"
#include "sim/simgrid/pass_actors.h"
#include "sim/simgrid/simgrid_engine.h"

struct board_actor {
    struct board_place place;
    size_t next; /* pass whose tables are loaded, or loading */
};

struct system {
    const struct system_run *run;
    struct shared_bus buses[HARDWARE_BOARDS_MAX];
    struct board_actor boards[HARDWARE_BOARDS_MAX];
    size_t dealt; /* number of passes */
    int status;
};

static size_t deal(struct system *system, uint32_t board)
{
    const struct system_run *run = system->run;
    if (system->status)
        return SYSTEM_NO_PASS;
    if (run->next)
        return run->next(run->data, board);
    return system->dealt == run->pass_count ? SYSTEM_NO_PASS : system->dealt++;
}

static uint64_t load_ahead(const struct board_place *place)
{
    struct system *system = place->data;
    struct board_actor *board = &system->boards[place->board];
    board->next = deal(system, place->board);
    return board->next == SYSTEM_NO_PASS ? 0 : system->run->table_bytes(system->run->data, board->next);
}

static int run_pass(struct system *system, const struct board_actor *board, size_t pass,
                    bool tables_are_loaded)
{
    const struct system_run *run = system->run;
    struct system_pass *work;
    if (!run->begin(run->data, pass, &work))
        return SYSTEM_EPASS;
    int status = pass_actors_run(&board->place, work, tables_are_loaded);
    return run->end(run->data, pass, status) || status ? status : SYSTEM_EPASS;
}

static void board_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct board_actor *board = sg_actor_self_get_data();
    struct system *system = board->place.data;
    for (;;) {
        bool tables_are_loaded = board->next != SYSTEM_NO_PASS;
        size_t pass = tables_are_loaded ? board->next : deal(system, board->place.board);
        if (pass == SYSTEM_NO_PASS || system->status)
            return;
        board->next = SYSTEM_NO_PASS;
        int status = run_pass(system, board, pass, tables_are_loaded);
        system->status = system->status ? system->status : status;
    }
}

static void set_up_board(struct system *system, uint32_t number)
{
    const struct hardware *hardware = system->run->hardware;
    struct board_actor *board = &system->boards[number];
    char fpga[HARDWARE_NAME_SIZE], memory[HARDWARE_NAME_SIZE];
    hardware_element_name("fpga", number, fpga);
    hardware_element_name("memory", number, memory);
    *board = (struct board_actor){.place =
                                      {
                                          .hardware = hardware,
                                          .board = number,
                                          .host = sg_host_by_name("host"),
                                          .fpga = sg_host_by_name(fpga),
                                          .bus = &system->buses[number % hardware->buses],
                                          .load_ahead = system->run->table_bytes ? load_ahead : NULL,
                                          .data = system,
                                      },
                                  .next = SYSTEM_NO_PASS};
    board->place.memory = simgrid_engine_disk(board->place.host, memory);
    simgrid_engine_add_actor("passes", board->place.fpga, board_actor, board);
}

/* The platform has the bus of the machine whose part is made free. */
static void free_buses(const struct hardware *hardware)
{
    char name[HARDWARE_NAME_SIZE];
    for (uint32_t i = 0; i < hardware->buses; i++) {
        hardware_element_name("pcix", i, name);
        sg_link_t bus = sg_link_by_name(name);
        sg_link_set_bandwidth(bus, hardware_link_bytes_per_s(hardware));
        sg_link_set_latency(bus, 0);
    }
}

int system_run(const struct system_run *run)
{
    struct system *system = calloc(1, sizeof *system);
    if (!system)
        return SYSTEM_EMEMORY;
    system->run = run;
    simgrid_engine_start(run->platform_file);
    if (machine_part_is_free(run->hardware, PART_BUS))
        free_buses(run->hardware);
    for (uint32_t i = 0; i < run->boards; i++)
        set_up_board(system, i);
    simgrid_run();
    int status = system->status;
    free(system);
    return status;
}

static bool begin_pass(void *data, size_t pass, struct system_pass **work)
{
    (void)pass;
    *work = data;
    return true;
}

static bool end_pass(void *data, size_t pass, int status)
{
    (void)data, (void)pass, (void)status;
    return true;
}

int system_run_pass(const struct hardware *hardware, const char *platform_file, struct system_pass *pass)
{
    return system_run(&(struct system_run){.hardware = hardware,
                                           .platform_file = platform_file,
                                           .boards = 1,
                                           .pass_count = 1,
                                           .begin = begin_pass,
                                           .end = end_pass,
                                           .data = pass});
}
