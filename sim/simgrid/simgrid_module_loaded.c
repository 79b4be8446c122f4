#include "sim/simgrid/simgrid_module.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/process/child_words.h"
#include "base/process/module.h"

static const struct simgrid_module *loaded;
static pthread_t loader;
static bool loading;
static struct why problem;

static void *load(void *unused)
{
    loaded = module_load("mercury-simgrid.so", "mercury_simgrid", &problem);
    return unused;
}

/* Where memory is limited, nothing is loaded beside the main thread (base/process/module.h). */
void simgrid_module_begin(void)
{
    loading =
        !loaded && !child_words_addresses_are_limited() && pthread_create(&loader, NULL, load, NULL) == 0;
}

void simgrid_module_wait(void)
{
    if (loading)
        pthread_join(loader, NULL);
    loading = false;
}

const struct simgrid_module *simgrid_module(struct why *why)
{
    simgrid_module_wait();
    if (!loaded)
        load(NULL);
    if (!loaded)
        *why = problem;
    return loaded;
}
