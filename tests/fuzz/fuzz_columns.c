/* fuzz_columns.c - names of columns: any text is columns, none of them twice, or is refused. */
#include <stdlib.h>

#include "blast/write/columns.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct columns columns;
    struct why why;
    char *text = fuzz_text(data, size);
    if (fuzz_succeeded(columns_parse(text, &columns, &why), &why)) {
        bool taken[COLUMN_KINDS] = {false};
        fuzz_demand(columns.count >= 1 && columns.count <= COLUMN_KINDS);
        for (size_t i = 0; i < columns.count; i++) {
            fuzz_demand(columns.items[i] < COLUMN_KINDS && !taken[columns.items[i]]);
            taken[columns.items[i]] = true;
        }
    }
    free(text);
    return 0;
}
