#include "app/run/rank_link.h"

#include <stdio.h>

#include "app/run/rank_environment.h"

/* Without MPI there is never a link, so that only the first four functions are called, and rank_link_dismiss(). */

bool rank_link_open(const char *work, struct rank_link **link, int *status, struct why *why)
{
    char reason[300];
    *link = NULL;
    snprintf(reason, sizeof reason,
             "this mercury was built without MPI, so each of the %d processes would do all of %s; install "
             "libopenmpi-dev and build again",
             rank_environment_size(), work);
    return !rank_environment_refuse(reason, status, why);
}

void rank_link_close(struct rank_link *link, bool together)
{
    (void)link, (void)together;
}

int rank_link_rank(const struct rank_link *link)
{
    (void)link;
    return 0;
}

int rank_link_size(const struct rank_link *link)
{
    (void)link;
    return 1;
}

bool rank_link_dismiss(struct rank_link *link, rank_link_taker *take, void *data)
{
    (void)link, (void)take, (void)data;
    return false;
}

/* The other functions are never called; the linker needs them. */

enum rank_word rank_link_hear(struct rank_link *link, struct rank_letter *letter, struct why *why)
{
    (void)link, (void)letter, (void)why;
    return WORD_NONE;
}

bool rank_link_is_silent(const struct rank_link *link, int rank)
{
    (void)link, (void)rank;
    return false;
}

void rank_link_order(int rank, enum rank_order order, struct rank_job job)
{
    (void)rank, (void)order, (void)job;
}

void rank_link_say(enum rank_word word, const void *bytes, size_t size)
{
    (void)word, (void)bytes, (void)size;
}

void rank_link_report(rank_link_writer *write, const void *outcome)
{
    (void)write, (void)outcome;
}

enum rank_order rank_link_listen(struct rank_link *link, struct rank_job *job)
{
    (void)link, (void)job;
    return ORDER_GIVEN_UP;
}

bool rank_link_leave(struct rank_link *link, enum rank_order order, const char *problem)
{
    (void)link, (void)order, (void)problem;
    return false;
}

void rank_link_sleep(void)
{
}
