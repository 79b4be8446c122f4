#include "model/forecast/list_schedule.h"

void list_schedule_add(struct list_schedule *s, double job_s)
{
    double *first = s->busy_until_s;
    for (double *core = first + 1; core < s->busy_until_s + s->cores; core++)
        if (*core < *first)
            first = core;
    *first += job_s;
    if (*first > s->last_s)
        s->last_s = *first;
}
