#include "app/rank/rank_environment.h"

#include <stdlib.h>

#include "base/command.h"

static int number_of(const char *name, const char *other_name, int otherwise)
{
    const char *text = getenv(name);
    text = text ? text : getenv(other_name);
    return text ? atoi(text) : otherwise;
}

bool rank_environment_is_set(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK") || getenv("PMI_RANK");
}

int rank_environment_size(void)
{
    return number_of("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1);
}

bool rank_environment_refuse(const char *reason, int *status, struct why *why)
{
    if (rank_environment_size() < 2)
        return false;
    bool first = number_of("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0) == 0;
    *status = first ? why_say(why, COMMAND_REFUSED, "%s", reason) : COMMAND_OK;
    return true;
}
