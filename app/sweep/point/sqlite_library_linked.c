#include "app/sweep/point/sqlite_library.h"

const struct sqlite_library *sqlite_library(struct why *why)
{
    (void)why;
    return &mercury_sqlite;
}
