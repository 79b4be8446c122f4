#include "app/sweep/sweep_link.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/why.h"

int sweep_link_open(struct sweep_link **link, struct why *why)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    *link = NULL;
    if (!size || atoi(size) < 2)
        return 0;
    return why_say(
        why, SWEEP_LINK_EMPI,
        "this mercury was built without MPI, so each of the %.10s processes would do all of it; install "
        "libopenmpi-dev and build again",
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

enum sweep_word sweep_link_hear(struct sweep_link *link, int *rank, uint64_t *plan,
                                struct sweep_outcome *outcome, struct why *why)
{
    (void)link, (void)rank, (void)plan, (void)outcome, (void)why, (void)why_size;
    return WORD_NONE;
}

void sweep_link_order(struct sweep_link *link, int rank, struct sweep_job job)
{
    (void)link, (void)rank, (void)job;
}

void sweep_link_stop(struct sweep_link *link, int rank)
{
    (void)link, (void)rank;
}

void sweep_link_release(struct sweep_link *link, int rank, bool together)
{
    (void)link, (void)rank, (void)together;
}

void sweep_link_ask(struct sweep_link *link, uint64_t plan)
{
    (void)link, (void)plan;
}

void sweep_link_report(struct sweep_link *link, const struct sweep_outcome *outcome)
{
    (void)link, (void)outcome;
}

void sweep_link_fail(struct sweep_link *link, const char *why)
{
    (void)link, (void)why;
}

void sweep_link_say_goodbye(struct sweep_link *link)
{
    (void)link;
}

enum sweep_order sweep_link_listen(struct sweep_link *link, struct sweep_job *job)
{
    (void)link, (void)job;
    return ORDER_STOP;
}
