#include "model/sums/no_wait.h"

double no_wait_makespan(const double *times, size_t jobs, size_t machines, double *begins)
{
    double sum = 0;
    if (begins && jobs > 0)
        begins[0] = 0;
    for (size_t i = 0; i + 1 < jobs; i++) {
        const double *job = times + i * machines, *next = job + machines;
        double left = 0, reached = 0,
               latest = 0; /* latest: when the next job begins after this one's begin */
        for (size_t u = 0; u < machines; u++) {
            left += job[u];
            latest = left - reached > latest ? left - reached : latest;
            reached += next[u];
        }
        sum += latest;
        if (begins)
            begins[i + 1] = sum;
    }
    for (size_t u = 0; u < machines && jobs > 0; u++)
        sum += times[(jobs - 1) * machines + u];
    return sum;
}
