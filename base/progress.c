#include "base/progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Time before the first line, and least time between two lines on a terminal; likewise the first elsewhere, and the
 * longest time between two lines there. */
static const double FIRST_S = 1, TERMINAL_S = 0.19, FIRST_LOG_S = 5, LOG_S = 30;

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
                           .visible = !quiet,
                           .terminal = isatty(STDERR_FILENO)};
    p->shown_s = p->begin_s;
}

static bool is_due(const struct progress *p, double share, double now_s)
{
    if (!p->visible || now_s < p->begin_s + (p->terminal ? FIRST_S : FIRST_LOG_S) || share <= 0)
        return false;
    if (p->terminal)
        return now_s >= p->shown_s + TERMINAL_S;
    return floor(10 * share) > floor(10 * p->shown) || now_s >= p->shown_s + LOG_S;
}

bool progress_is_due(const struct progress *p, double done)
{
    return is_due(p, done / p->total, progress_wall_s());
}

void progress_expect(struct progress *p, double margin_s)
{
    p->margin_s = margin_s;
}

void progress_update(struct progress *p, double done)
{
    double now_s = progress_wall_s(), elapsed_s = now_s - p->begin_s, share = done / p->total;
    if (!is_due(p, share, now_s))
        return;
    double left_s = elapsed_s * (p->total - done) / done;
    char interval[64] = "";
    if (p->margin_s > 0)
        snprintf(interval, sizeof interval, " (%.0f to %.0f)", fmax(left_s - p->margin_s, 0),
                 left_s + p->margin_s);
    const int digits = p->total < 1 ? 3 : 0; /* of part of a million of w-mers */
    fprintf(stderr, "%s%5.1f%%  %.*f of %.*f %s, %.*f per second, %.0f s left%s%s",
            p->terminal ? "\r\033[K" : "", 100 * share, digits, done, digits, p->total, p->unit, digits + 1,
            done / elapsed_s, left_s, interval, p->terminal ? "" : "\n");
    fflush(stderr);
    p->rewrites = p->terminal;
    p->shown = share;
    p->shown_s = now_s;
}

void progress_say(struct progress *p, const char *line)
{
    if (p->visible)
        fprintf(stderr, "%s%s\n", p->rewrites ? "\r\033[K" : "", line);
    p->rewrites = false;
}

void progress_end(struct progress *p)
{
    if (p->rewrites)
        fprintf(stderr, "\r\033[K");
}
