#include "base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Least time between two lines. */
static const double PERIOD_S = 0.19;

double progress_wall_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_begin(struct progress *p, const char *unit, double total, bool quiet)
{
    *p = (struct progress){.unit = unit,
                           .total = total,
                           .begin_s = progress_wall_s(),
                           .visible = !quiet && isatty(STDERR_FILENO)};
}

void progress_update(struct progress *p, double done)
{
    double now_s = progress_wall_s(), elapsed_s = now_s - p->begin_s;
    if (!p->visible || elapsed_s < 1 || now_s < p->shown_s + PERIOD_S || done <= 0)
        return;
    double left_s = elapsed_s * (p->total - done) / done;
    fprintf(stderr, "\r\033[K%5.1f%%  %.0f of %.0f %s, %.1f a second, %.0f s left", 100 * done / p->total,
            done, p->total, p->unit, done / elapsed_s, left_s);
    fflush(stderr);
    p->shown = true;
    p->shown_s = now_s;
}

void progress_end(struct progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r\033[K");
}
