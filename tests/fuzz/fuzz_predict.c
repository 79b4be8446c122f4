/* fuzz_predict.c - inputs of a prediction, a table, a run's summary or counts of a program's runs: any bytes are cases
 * or operations, or are refused. */
#include <math.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "validate/run_operations.h"
#include "validate/run_inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct predict_case base = predict_case_default("fuzz");
    struct predict_cases list = {0};
    struct why why;
    fuzz_succeeded(run_inputs_read(fuzz_file(data, size), &base, true, &list, &why), &why);
    for (size_t i = 0; i < list.count; i++) {
        fuzz_demand(memchr(list.cases[i].name, '\0', PREDICT_NAME_BYTES) != NULL);
        fuzz_succeeded(predict_case_complete(&list.cases[i], &why), &why);
    }
    predict_cases_free(&list);
    struct operations counts = {.passes = 0};
    struct operations_forecast forecast;
    if (fuzz_succeeded(counts_file_take(fuzz_file(data, size), true, &counts, &why), &why) &&
        fuzz_succeeded(operations_forecast_make(&counts, &counts, NAN, &forecast, &why), &why))
        fuzz_demand(forecast.server[0].represented_by <= counts.passes);
    run_operations_free(&counts);
    return 0;
}
