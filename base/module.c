#include "base/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PLACE_BYTES = 2 * PATH_MAX };

/* @param path  out: where the module is, or the last place that was looked at */
static void find(const char *file, char path[PLACE_BYTES])
{
    static const char *const places[] = {MODULE_DIRECTORY, "app", "sim"};
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

const void *module_load(const char *file, const char *symbol, struct why *why)
{
    char path[PLACE_BYTES];
    find(file, path);
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    const void *address = library ? dlsym(library, symbol) : NULL;
    if (address)
        return address;
    const char *reason = dlerror();
    bool memory = reason && (strstr(reason, "failed to map") || strstr(reason, "annot allocate"));
    why_say(why, 0, "a part of Mercury cannot be loaded; %s: %s",
            memory ? "is there enough memory (ulimit -v)?" : "build or install it again",
            reason ? reason : path);
    return NULL;
}
