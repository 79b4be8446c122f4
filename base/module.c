#include "base/module.h"

#include <dlfcn.h>
#include <stddef.h>

const void *module_load(const char *file, const char *symbol, struct why *why)
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    const void *address = library ? dlsym(library, symbol) : NULL;
    if (!address)
        why_say(why, 0, "a part of Mercury cannot be loaded; build or install it again: %s", dlerror());
    return address;
}
