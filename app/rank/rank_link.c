#include "app/rank/rank_link.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/command.h"
#include "base/process/module.h"

struct rank_link_calls rank_link;
static int own_rank, ranks; /* of the link */

static int number_of(const char *name, const char *other_name, int otherwise)
{
    const char *text = getenv(name);
    text = text ? text : getenv(other_name);
    return text ? atoi(text) : otherwise;
}

int rank_link_processes(void)
{
    return number_of("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1);
}

bool rank_link_refuse(const char *reason, int *status, struct why *why)
{
    if (rank_link_processes() < 2)
        return false;
    bool first = number_of("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0) == 0;
    *status = first ? why_refuse(why, "%s", reason) : COMMAND_OK;
    return true;
}

bool rank_link_open(const char *work, struct rank_link **link, int *status, struct why *why)
{
    struct why problem;
    *link = NULL;
    if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMIX_RANK") && !getenv("PMI_RANK"))
        return true;
    const struct rank_link_calls *mpi = module_load("mercury-mpi.so", "mercury_mpi", &problem);
    if (!mpi) {
        char reason[WHY_BYTES];
        snprintf(
            reason, sizeof reason,
            "this mercury was built without MPI, so each of the %d processes would do all of %s; install "
            "libopenmpi-dev and build again (%.300s)",
            rank_link_processes(), work, problem.line);
        return !rank_link_refuse(reason, status, why);
    }
    rank_link = *mpi;
    *link = rank_link.join(&own_rank, &ranks);
    if (!*link)
        *status = why_say(why, COMMAND_FAILED, "MPI cannot be started");
    return *link;
}

void rank_link_close(struct rank_link *link, bool together)
{
    if (link)
        rank_link.close(link, together);
}

int rank_link_rank(const struct rank_link *link)
{
    return link ? own_rank : 0;
}

int rank_link_size(const struct rank_link *link)
{
    return link ? ranks : 1;
}

bool rank_link_dismiss(struct rank_link *link, rank_link_taker *take, void *data)
{
    return link && rank_link.dismiss(link, take, data);
}
