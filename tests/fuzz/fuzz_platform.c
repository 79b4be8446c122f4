/* fuzz_platform.c - platforms: any bytes are a machine, and the platform that is written for it is the same machine, or
 * they are refused. SimGrid is not asked: its trial takes a process (platform_prepare()). */
#include <stdlib.h>
#include <string.h>

#include "sim/platform/platform.h"
#include "tests/fuzz/fuzz.h"

static void check_same(const struct hardware *a, const struct hardware *b)
{
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        fuzz_demand(strcmp(hardware_parameter_value(a, i).text, hardware_parameter_value(b, i).text) == 0);
}

static void check_written(const struct platform *platform, const struct hardware *machine)
{
    struct platform *copy = NULL;
    struct hardware read = hardware_default();
    struct why why;
    size_t bytes;
    char *text = platform_text(platform, machine, &bytes);
    fuzz_demand(text != NULL);
    fuzz_demand(fuzz_succeeded(platform_open(fuzz_file(text, bytes), &read, &copy, &why), &why));
    check_same(machine, &read);
    platform_close(copy);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hardware machine = hardware_default();
    struct platform *platform = NULL;
    struct why why;
    if (fuzz_succeeded(platform_open(fuzz_file(data, size), &machine, &platform, &why), &why))
        check_written(platform, &machine);
    platform_close(platform);
    return 0;
}
