#include "base/process/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/process/child_words.h"

enum { PLACE_BYTES = 2 * PATH_MAX };

/* @param path  out: where the module is, or the last place that was looked at */
static void find(const char *file, char path[PLACE_BYTES])
{
    static const char *const places[] = {MODULE_DIRECTORY, "app", "sim/simgrid"};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *before = *places[i] == '/' ? "" : program;
        snprintf(path, PLACE_BYTES, "%s/%s/%s", before, places[i], file);
        if (access(path, F_OK) == 0)
            return;
    }
}

/* Most of the many symbols of a module's libraries are found sooner if they are looked for in these libraries first.
 * But that would part them from a malloc() that takes the place of the C library's: a sanitizer's, or one by
 * LD_PRELOAD. */
static void *open_library(const char *path)
{
    int order = 0;
#ifdef RTLD_DEEPBIND
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (libc && dlsym(libc, "malloc") == dlsym(RTLD_DEFAULT, "malloc"))
        order = RTLD_DEEPBIND;
#endif
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | order);
}

static void try_library(void *path)
{
    open_library(path);
}

static const void *fail(const char *file, const char *reason, struct why *why)
{
    if (!reason || strstr(reason, "failed to map") || strstr(reason, "annot allocate")) {
        why_no_memory(why, WHY_EMEMORY);
        why_precede(why, 0, "%s and its libraries cannot be loaded: ", file);
    } else {
        why_say(why, 0, "a part of Mercury cannot be loaded; build or install it again: %s", reason);
    }
    return NULL;
}

const void *module_load(const char *file, const char *symbol, struct why *why)
{
    char path[PLACE_BYTES];
    find(file, path);
    if (!child_words_try(try_library, path))
        return fail(file, NULL, why);
    void *library = open_library(path);
    const void *address = library ? dlsym(library, symbol) : NULL;
    return address ? address : fail(file, dlerror(), why);
}
