#include "sim/simgrid/simgrid_module.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static const struct simgrid_module *loaded;
static pthread_t loader;
static bool loading;
static char problem[512];

/* Binds lazily, because few functions of SimGrid's libraries are ever called. */
static void *load(void *unused)
{
    void *library = dlopen("mercury-simgrid.so", RTLD_LAZY | RTLD_LOCAL);
    loaded = library ? dlsym(library, "mercury_simgrid") : NULL;
    if (!loaded)
        snprintf(problem, sizeof problem, "%s", dlerror());
    return unused;
}

void simgrid_module_begin(void)
{
    loading = !loaded && pthread_create(&loader, NULL, load, NULL) == 0;
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
        why_say(why, 0, "Mercury's simulator cannot be loaded; build or install it again: %s", problem);
    return loaded;
}
