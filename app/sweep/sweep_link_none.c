#include "app/sweep/sweep_link.h"

#include <stdlib.h>

/* Without MPI there is never a link, so only the first four functions are called. */

int sweep_link_open(struct sweep_link **link, struct why *why)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    *link = NULL;
    if (!size || atoi(size) < 2)
        return 0;
    return why_say(
        why, SWEEP_LINK_EMPI,
        "this mercury was built without MPI, so each of the %.10s processes would do all of the sweep; "
        "install libopenmpi-dev and build again",
        size);
}

void sweep_link_close(struct sweep_link *link, bool together)
{
    (void)link, (void)together;
}

int sweep_link_rank(const struct sweep_link *link)
{
    (void)link;
    return 0;
}

int sweep_link_size(const struct sweep_link *link)
{
    (void)link;
    return 1;
}

/* The other functions are never called; the linker needs them. */

enum sweep_word sweep_link_hear(struct sweep_link *link, int *rank, uint64_t *plan,
                                struct sweep_outcome *outcome, struct why *why)
{
    (void)link, (void)rank, (void)plan, (void)outcome, (void)why;
    return WORD_NONE;
}

void sweep_link_order(int rank, enum sweep_order order, struct sweep_job job)
{
    (void)rank, (void)order, (void)job;
}

void sweep_link_say(enum sweep_word word, uint64_t plan, const char *line)
{
    (void)word, (void)plan, (void)line;
}

void sweep_link_report(const struct sweep_outcome *outcome)
{
    (void)outcome;
}

enum sweep_order sweep_link_listen(struct sweep_link *link, struct sweep_job *job)
{
    (void)link, (void)job;
    return ORDER_GIVEN_UP;
}
