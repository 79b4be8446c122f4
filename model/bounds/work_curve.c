#include "model/bounds/work_curve.h"

uint64_t work_curve_greatest(const uint64_t *ends, size_t count, uint64_t k)
{
    uint64_t most = 0;
    if (k >= count)
        return ends[count];
    for (size_t i = 0; i + k <= count; i++) {
        const uint64_t work = ends[i + k] - ends[i];
        most = work > most ? work : most;
    }
    return most;
}
