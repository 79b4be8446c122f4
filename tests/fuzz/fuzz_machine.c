/* fuzz_machine.c - the machine's numbers as texts, NAME=VALUE, one a line: each is taken and comes back as it was, or
 * is refused; all together are a machine, or are refused. */
#include <stdlib.h>
#include <string.h>

#include "sim/board/hardware.h"
#include "tests/fuzz/fuzz.h"

static void check_values(const struct hardware *machine)
{
    struct hardware again = hardware_default();
    struct why why;
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        const struct shown value = hardware_parameter_value(machine, i);
        fuzz_demand(hardware_set(&again, hardware_parameter_name(i), value.text, &why) == 0);
        fuzz_demand(strcmp(value.text, hardware_parameter_value(&again, i).text) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hardware machine = hardware_default();
    struct why why;
    char *text = fuzz_text(data, size), *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));)
        fuzz_succeeded(hardware_set_assignment(&machine, line, &why), &why);
    check_values(&machine);
    fuzz_succeeded(hardware_check(&machine, &why), &why);
    free(text);
    return 0;
}
