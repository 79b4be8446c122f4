/* Links where clang comes with its runtime: libFuzzer and sanitizers. */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    return bytes > 0 && data[0] == 0;
}
