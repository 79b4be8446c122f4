/* fuzz_predict.c - inputs of a prediction, a table or a run's summary: any bytes are cases, or are refused. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
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
    return 0;
}
