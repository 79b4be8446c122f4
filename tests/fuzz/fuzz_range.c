/* fuzz_range.c - the values of --vary: any text is values that the machine takes, or is refused. */
#include <stdlib.h>

#include "sim/board/hardware.h"
#include "app/sweep/point/sweep_plan.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sweep_axis axis = {0};
    struct why why;
    char *text = fuzz_text(data, size);
    if (fuzz_succeeded(sweep_axis_parse(text, &axis, &why), &why)) {
        fuzz_demand(axis.count >= 1 && axis.count <= SWEEP_VALUES_MAX);
        for (size_t i = 0; i < axis.count; i++) {
            struct hardware machine = hardware_default();
            fuzz_demand(hardware_set(&machine, axis.name, axis.values[i], &why) == 0);
        }
        sweep_axis_destroy(&axis);
    }
    free(text);
    return 0;
}
