#include "model/queue/mmpp_queue.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/model_error.h"

/* A stage: rates in units of the service rate, and shares p of the states. */
struct stage {
    double r[2], q[2], p[2];
};

/* The chances that the state has changed when a level is left downwards. */
struct change {
    double g[2];
};

static struct stage stage_of(const struct duration *arrivals, double rho)
{
    const double *r = arrivals->rate, *q = arrivals->leave, second = duration_second_share(arrivals);
    return (struct stage){{r[0] * rho, r[1] * rho}, {q[0] * rho, q[1] * rho}, {1 - second, second}};
}

/* p R: to the next level. */
static void climb(const struct stage *s, struct change c, double *p)
{
    const double up[2] = {p[0] * s->r[0], p[1] * s->r[1]};
    for (unsigned i = 0; i < 2; i++)
        p[i] = up[i] * (1 - c.g[i]) + up[1 - i] * c.g[1 - i];
}

/* The rates at which the state changes, seen outside of the levels above. */
static struct change changes_below(const struct stage *s, struct change above)
{
    return (struct change){{s->q[0] + s->r[0] * above.g[0], s->q[1] + s->r[1] * above.g[1]}};
}

/* --- MMPP/M/1 -------------------------------------------------------------------------------------------- */

/* The root y above both rates. Halving looks for what it has more than they, or 1, so that no difference cancels.
 * @param c  out: the chances @return y - r_1 */
static double find_change(const struct stage *s, struct change *c)
{
    const double *r = s->r, *q = s->q, base = fmax(1, fmax(r[0], r[1])), off[2] = {base - r[0], base - r[1]};
    double low = 0, high = base + 2 * (q[0] + q[1]);
    for (double more = high / 2; more > low && more < high; more = (low + high) / 2) {
        const double y = base + more;
        *(base - 1 + more > y * (q[0] / (off[0] + more) + q[1] / (off[1] + more)) ? &high : &low) = more;
    }
    *c = (struct change){{q[0] / (off[0] + high), q[1] / (off[1] + high)}};
    return off[0] + high;
}

/* N_G = p R x and N_Q = p R R x, x being (1 - R)^-1 1: the sum over n of p_n is p. Of x = 1 + R x and p_0 x = 1 follow
 * x_1 and the difference to x_2, in which equal rates leave nothing. @param above  y - r_1 */
static void find_means(const struct stage *s, struct change c, double above, double idle,
                       struct queue_result *out)
{
    const double *r = s->r, both = c.g[0] + c.g[1];
    const double apart = above * (r[0] - r[1]) / ((s->q[0] + s->q[1]) * idle * (r[0] + (1 - r[0]) / both));
    const double x = (1 + idle * c.g[0] / both * apart) / idle;
    const double next[2] = {r[0] * (x - c.g[0] * apart), r[1] * (x - apart + c.g[1] * apart)};
    double p[2] = {s->p[0], s->p[1]};
    out->n_g = p[0] * next[0] + p[1] * next[1];
    climb(s, c, p);
    out->n_q = p[0] * next[0] + p[1] * next[1];
    out->w_g_s = out->n_g / out->lambda_per_s;
    out->w_q_s = out->n_q / out->lambda_per_s;
}

int mmppm1_solve(double lambda_per_s, double mu_per_s, const struct duration *arrivals, unsigned k, double *p,
                 size_t count, struct queue_result *out)
{
    int status = queue_result_begin(lambda_per_s, mu_per_s, out);
    if (status)
        return status;
    const struct stage s = stage_of(arrivals, lambda_per_s / mu_per_s);
    struct change c;
    const double above = find_change(&s, &c), both = c.g[0] + c.g[1];
    find_means(&s, c, above, out->p_0, out);
    double level[2] = {out->p_0 * c.g[1] / both, out->p_0 * c.g[0] / both}, rest[2] = {s.p[0], s.p[1]};
    for (size_t n = 0; n < count || n <= k; n++) {
        if (n < count)
            p[n] = level[0] + level[1];
        if (k > 0 && n == k) {
            out->p_k = level[0] + level[1];
            out->p_bp = rest[0] + rest[1];
        }
        climb(&s, c, level);
        climb(&s, c, rest); /* P[N > n] */
    }
    return 0;
}

/* --- MMPP/M/1/K ------------------------------------------------------------------------------------------ */

/* Weights of the levels, in units of a large one. */
struct weights {
    double first, busy, number, queue, before, last; /* of level 0; sums over the others; of the last two */
};

static double weigh(double level[2], double unit)
{
    level[0] /= unit;
    level[1] /= unit;
    return level[0] + level[1];
}

/* @param down  for each level but the top, how it is reached from the one above */
static struct weights climb_all(const struct stage *s, const struct change *down, unsigned levels, double *p,
                                size_t count)
{
    const struct change below = changes_below(s, down[0]);
    double level[2] = {below.g[1], below.g[0]};
    struct weights w = {.first = weigh(level, 1)};
    for (size_t n = 0; n < count; n++)
        p[n] = n == 0 ? w.first : 0;
    for (unsigned n = 1; n <= levels; n++) {
        w.before = n == 1 ? w.first : w.last;
        climb(s, down[n - 1], level);
        w.last = weigh(level, 1);
        w.busy += w.last;
        w.number += n * w.last;
        w.queue += (n - 1) * w.last;
        if (n < count)
            p[n] = w.last;
        if (w.last > 1e200) { /* far above saturation: the first ones are 0 */
            const double unit = w.last;
            w = (struct weights){w.first / unit, w.busy / unit,   w.number / unit,
                                 w.queue / unit, w.before / unit, weigh(level, unit)};
            for (size_t i = 0; i < count; i++)
                p[i] /= unit;
        }
    }
    return w;
}

int mmppm1k_solve(double lambda_offered_per_s, double mu_per_s, const struct duration *arrivals, unsigned k,
                  bool holds, double *p, size_t count, struct queue_result *out)
{
    *out = queue_result_none();
    int status = queue_rates_check(lambda_offered_per_s, mu_per_s);
    if (status == 0 && (k < 1 || k > MMPP_PLACES_MAX))
        status = MODEL_ECAPACITY;
    if (status)
        return status;
    struct change *down = memory_take((k + 1) * sizeof *down), c = {{0, 0}};
    const struct stage s = stage_of(arrivals, lambda_offered_per_s / mu_per_s);
    down[k] = c;
    for (unsigned i = k; i-- > 0; down[i] = c) {
        const struct change below = changes_below(&s, c);
        const double all = 1 + below.g[0] + below.g[1];
        c = (struct change){{below.g[0] / all, below.g[1] / all}};
    }
    const struct weights w = climb_all(&s, down, holds ? k + 1 : k, p, count);
    const double all = w.first + w.busy;
    free(down);
    for (size_t n = 0; n < count; n++)
        p[n] /= all;
    *out = (struct queue_result){.rho = w.busy / all,
                                 .rho_offered = lambda_offered_per_s / mu_per_s,
                                 .p_0 = w.first / all,
                                 .lambda_per_s = mu_per_s * w.busy / all,
                                 .lambda_offered_per_s = lambda_offered_per_s,
                                 .p_k = w.last / all,
                                 .p_bp = (w.last + (holds ? w.before : 0)) / all,
                                 .n_g = w.number / all,
                                 .n_q = w.queue / all};
    out->w_g_s = w.number / w.busy / mu_per_s;
    out->w_q_s = w.queue / w.busy / mu_per_s;
    return 0;
}
