#include "sim/simgrid/bus_use.h"

#include <math.h>

void bus_use_begin(struct bus_use *u, double now_s)
{
    if (u->transfers++ > 0 || now_s <= u->to_s)
        return; /* the busy period goes on */
    u->moved_s += u->to_s - u->from_s;
    u->from_s = u->to_s = now_s;
}

void bus_use_end(struct bus_use *u, double now_s)
{
    u->transfers--;
    u->to_s = now_s;
}

double bus_use_until(const struct bus_use *u, double time_s)
{
    double to_s = u->transfers > 0 ? time_s : fmin(time_s, u->to_s);
    return u->moved_s + fmax(0, to_s - u->from_s);
}

int64_t bus_use_delay(const struct bus_share *share, uint64_t words, int64_t before, int64_t after)
{
    int64_t more = (int64_t)words - 1;
    int64_t free = later(before, share->begin), first = later(free, share->supply_first);
    int64_t all = (int64_t)words * share->word_ticks;
    int64_t of_bus =
        later(first + all, free + all + share->beside_ticks); /* records cross before the first word */
    int64_t of_host = share->supply_first + more * share->supply_ticks + share->word_ticks;
    return after - later(of_bus, of_host);
}
