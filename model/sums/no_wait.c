#include "model/sums/no_wait.h"

double no_wait_lead(const double *job, const double *next, size_t machines)
{
    double left = 0, reached = 0, lead = 0;
    for (size_t u = 0; u < machines; u++) {
        left += job[u];
        lead = left - reached > lead ? left - reached : lead;
        reached += next[u];
    }
    return lead;
}

double no_wait_makespan(const double *times, size_t jobs, size_t machines)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < jobs; i++)
        sum += no_wait_lead(times + i * machines, times + (i + 1) * machines, machines);
    for (size_t u = 0; u < machines && jobs > 0; u++)
        sum += times[(jobs - 1) * machines + u];
    return sum;
}
