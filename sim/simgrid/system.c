#include "sim/simgrid/system.h"

#include <math.h>
#include <stdlib.h>

#include <simgrid/link.h>

#include "base/memory.h"
#include "sim/board/machine_part.h"
#include "sim/simgrid/pass_actors.h"
#include "sim/simgrid/simgrid_engine.h"

struct board_actor {
    struct board_place place;
    size_t next;                /* pass whose tables are loaded, or loading */
    double dealt_s;             /* when the board was dealt its last pass */
    struct ready_tables tables; /* of the pass that is at work or comes next */
    bool waits;                 /* until it is known when tables are built that it needs */
    sg_sem_t is_known;          /* released then */
};

/* Cores that build tables. */
struct builders {
    double *built_s; /* when the tables of each pass are built; NULL: in no time */
    size_t known;    /* number of passes of which that is known */
    size_t begun;    /* number of passes whose tables have been loaded, or are being loaded */
    double *free_s;  /* when each core is free */
};

struct system {
    const struct system_run *run;
    struct shared_bus buses[HARDWARE_BOARDS_MAX];
    struct board_actor boards[HARDWARE_BOARDS_MAX];
    struct builders builders;
    size_t dealt; /* number of passes */
    int status;
};

/* --- building tables ------------------------------------------------------------------------------------- */

/* Find when the tables are built that can be built: the core that is free first builds the next. */
static void build(struct system *system)
{
    const struct system_run *run = system->run;
    const struct hardware *hardware = run->hardware;
    struct builders *b = &system->builders;
    while (b->known < run->pass_count && b->known < b->begun + hardware->host_build_ahead) {
        uint32_t core = 0;
        for (uint32_t i = 1; i < hardware->host_cores; i++)
            core = b->free_s[i] < b->free_s[core] ? i : core;
        const uint64_t operations = run->build_operations(run->data, b->known);
        const double begin_s = fmax(simgrid_get_clock(), b->free_s[core]);
        b->free_s[core] = begin_s + host_build_cycles(hardware, operations) / hardware->host_clock_hz;
        b->built_s[b->known++] = b->free_s[core];
    }
}

static void wake_boards(struct system *system)
{
    for (uint32_t i = 0; i < system->run->boards; i++)
        if (system->boards[i].waits) {
            system->boards[i].waits = false;
            sg_sem_release(system->boards[i].is_known);
        }
}

/* Wait until the tables of a pass of a board are built. */
static void wait_for_tables(struct system *system, struct board_actor *board, size_t pass)
{
    struct builders *b = &system->builders;
    while (b->built_s && b->known <= pass && system->status == 0) {
        board->waits = true;
        sg_sem_acquire(board->is_known);
    }
    if (b->built_s && b->known > pass && b->built_s[pass] > simgrid_get_clock())
        sg_actor_sleep_until(b->built_s[pass]);
}

/* The tables of a pass are loaded from now on, so that those of another one can be built. */
static void note_load(struct system *system)
{
    system->builders.begun++;
    if (!system->builders.built_s)
        return;
    build(system);
    wake_boards(system);
}

static void wait_for_next(const struct board_place *place)
{
    struct system *system = place->data;
    struct board_actor *board = &system->boards[place->board];
    wait_for_tables(system, board, board->next);
    note_load(system);
}

/* --- boards ---------------------------------------------------------------------------------------------- */

static size_t deal(struct system *system, uint32_t board)
{
    const struct system_run *run = system->run;
    if (system->status)
        return SYSTEM_NO_PASS;
    system->boards[board].dealt_s = simgrid_get_clock();
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

static int run_pass(struct system *system, struct board_actor *board, size_t pass)
{
    const struct system_run *run = system->run;
    struct system_pass *work = run->only;
    const double dealt_s = board->dealt_s;
    if (!board->tables.are_loaded) {
        const double free_s = simgrid_get_clock();
        wait_for_tables(system, board, pass);
        note_load(system);
        board->tables =
            (struct ready_tables){.begin_s = simgrid_get_clock(), .wait_s = simgrid_get_clock() - free_s};
    }
    if (!work && !run->begin(run->data, pass, &work))
        return SYSTEM_EPASS;
    int status = pass_actors_run(&board->place, work, &board->tables);
    work->host->dealt_s = dealt_s;
    return run->only || run->end(run->data, pass, status) || status ? status : SYSTEM_EPASS;
}

static void board_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct board_actor *board = sg_actor_self_get_data();
    struct system *system = board->place.data;
    for (;;) {
        board->tables.are_loaded = board->next != SYSTEM_NO_PASS;
        size_t pass = board->tables.are_loaded ? board->next : deal(system, board->place.board);
        if (pass == SYSTEM_NO_PASS || system->status)
            return;
        board->next = SYSTEM_NO_PASS;
        int status = run_pass(system, board, pass);
        system->status = system->status ? system->status : status;
        if (status)
            wake_boards(system);
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
                                          .wait_for_next = wait_for_next,
                                          .data = system,
                                      },
                                  .next = SYSTEM_NO_PASS,
                                  .is_known = sg_sem_init(0)};
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
    auto_free struct system *system = memory_new(1, sizeof *system);
    system->run = run;
    simgrid_engine_start(run->platform_file);
    if (machine_part_is_free(run->hardware, PART_BUS))
        free_buses(run->hardware);
    struct builders *b = &system->builders;
    if (run->build_operations && run->hardware->host_build_clocks > 0) {
        b->built_s = memory_new(run->pass_count, sizeof *b->built_s);
        b->free_s = memory_new(run->hardware->host_cores, sizeof *b->free_s);
        build(system);
    }
    for (uint32_t i = 0; i < run->boards; i++)
        set_up_board(system, i);
    simgrid_run();
    const int status = system->status;
    free(b->built_s);
    free(b->free_s);
    return status;
}
