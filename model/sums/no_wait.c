#include "model/sums/no_wait.h"

/* Time after the begin of a job at which the next one begins. */
static double begin_of_next(const double *job, const double *next, size_t machines)
{
    double left = 0, reached = 0, latest = 0;
    for (size_t u = 0; u < machines; u++) {
        left += job[u];
        latest = left - reached > latest ? left - reached : latest;
        reached += next[u];
    }
    return latest;
}

double no_wait_makespan(const double *times, size_t jobs, size_t machines)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < jobs; i++)
        sum += begin_of_next(times + i * machines, times + (i + 1) * machines, machines);
    for (size_t u = 0; u < machines && jobs > 0; u++)
        sum += times[(jobs - 1) * machines + u];
    return sum;
}
