#include "tests/sim/platform/prepared_platform.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/why.h"

struct platform *prepared_platform(struct hardware *hardware)
{
    char path[4096];
    struct why why;
    const char *source_directory = getenv("MERCURY_SOURCE_DIR");
    struct hardware from_file = hardware_default();
    struct platform *platform;
    snprintf(path, sizeof path, "%s/data/platforms/mercury-2010.xml",
             source_directory ? source_directory : ".");
    ck_assert_msg(hardware_check(hardware, &why) == 0, "%s", why.line);
    ck_assert_msg(platform_open(path, &from_file, &platform, &why) == 0, "%s", why.line);
    ck_assert_msg(platform_prepare(platform, hardware, &why) == 0, "%s", why.line);
    return platform;
}
