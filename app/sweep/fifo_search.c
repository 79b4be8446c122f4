#include "app/sweep/fifo_search.h"

enum { UNBOUNDED = 1000000 };

struct fifo {
    uint32_t *depth; /* in the machine */
    uint32_t least;  /* that makes sense */
    uint32_t most;   /* found in the unbounded run to be enough */
};

/* @return 1 if a depth keeps the throughput, 0 if not, or an error code */
static int is_enough(struct fifo_search *s, const struct hardware *machine, struct fifo *fifo, uint32_t depth,
                     double least_speed)
{
    struct machine_merit merit;
    *fifo->depth = depth;
    int status = s->try_machine(s->data, machine, &merit);
    return status ? status : merit.throughput >= least_speed;
}

/* Raise `most` until it is enough: other FIFOs have become smaller since it was found. */
static int find_enough(struct fifo_search *s, const struct hardware *machine, struct fifo *fifo,
                       double least_speed)
{
    int enough;
    while ((enough = is_enough(s, machine, fifo, fifo->most, least_speed)) == 0 && fifo->most < UNBOUNDED)
        fifo->most = fifo->most < UNBOUNDED / 2 ? 2 * fifo->most : UNBOUNDED;
    return enough < 0 ? enough : 0;
}

static int find_depth(struct fifo_search *s, const struct hardware *machine, struct fifo *fifo,
                      double least_speed)
{
    int status = find_enough(s, machine, fifo, least_speed);
    uint32_t too_few = fifo->least - 1, enough = fifo->most;
    while (status == 0 && enough - too_few > 1) {
        uint32_t depth = too_few + (enough - too_few) / 2;
        int found = is_enough(s, machine, fifo, depth, least_speed);
        status = found < 0 ? found : 0;
        if (found == 1)
            enough = depth;
        else
            too_few = depth;
    }
    *fifo->depth = enough;
    return status;
}

static uint32_t bound_of(const struct fifo_search *s, enum board_fifo number, const struct fifo *fifo)
{
    double most = s->unbounded.fifo_most[number] + fifo->least;
    return most < UNBOUNDED ? (uint32_t)most : UNBOUNDED;
}

int fifo_search_run(struct fifo_search *s, const struct hardware *given)
{
    struct hardware machine = *given;
    struct fifo list[BOARD_FIFOS];
    for (unsigned i = 0; i < BOARD_FIFOS; i++) {
        list[i] = (struct fifo){.depth = board_fifo_depth(i, &machine.board),
                                .least = hardware_fifo_least(&machine, i)};
        s->before[i] = board_fifo_places(i, &machine.board);
    }
    for (unsigned i = 0; i < BOARD_FIFOS; i++)
        *list[i].depth = UNBOUNDED;
    int status = s->try_machine(s->data, &machine, &s->unbounded);
    for (unsigned i = 0; i < BOARD_FIFOS && status == 0; i++) {
        list[i].most = bound_of(s, i, &list[i]);
        status = find_depth(s, &machine, &list[i],
                            (1 - s->loss * (i + 1) / BOARD_FIFOS) * s->unbounded.throughput);
        s->least[i] = *list[i].depth;
    }
    return status ? status : s->try_machine(s->data, &machine, &s->bounded);
}
