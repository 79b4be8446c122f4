#include "app/sweep/point/sqlite_library.h"

#include "base/process/module.h"

const struct sqlite_library *sqlite_library(struct why *why)
{
    return module_load("mercury-sqlite.so", "mercury_sqlite", why);
}
