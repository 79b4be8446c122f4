#include "model/queue/buffer_block.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "model/model_error.h"

/* --- durations of two moments ---------------------------------------------------------------------------- */

/* @param leave  probabilities with which the duration ends early with a phase */
static void fit_chain(int phases, const double *rate, const double *leave, struct phase_type *out)
{
    *out = (struct phase_type){.phases = phases};
    for (int i = 0; i < phases; i++) {
        double end = i == phases - 1 ? 1 : leave[i];
        out->rate[i] = rate[i];
        out->finish[i] = rate[i] * end;
        out->next[i] = rate[i] * (1 - end);
    }
}

static void fit_erlangs(double mean, double scv, struct phase_type *out)
{
    int k = (int)fmin(ceil(1 / scv), PHASE_TYPE_MAX);
    double least = fmax(scv, 1.0 / k);
    double one_less =
        fmax(0, (k * least - sqrt(fmax(0, k * (1 + least) - (double)k * k * least))) / (1 + least));
    double rate[PHASE_TYPE_MAX], leave[PHASE_TYPE_MAX] = {0};
    for (int i = 0; i < k; i++)
        rate[i] = (k - one_less) / mean;
    leave[k - 2] = one_less;
    fit_chain(k, rate, leave, out);
}

int phase_type_fit(double mean, double scv, struct phase_type *out)
{
    if (!isfinite(mean) || mean <= 0)
        return MODEL_ESERVICE;
    if (!isfinite(scv) || scv < 0)
        return MODEL_ESCV;
    /* scv = 1 is one exponential phase; else the second phase is rarer the longer it is */
    double go_on = 1 / (2 * scv), leave = 1 - go_on;
    double rate[] = {scv == 1 ? 1 / mean : 2 / mean, 2 / mean * go_on};
    if (scv >= 0.5)
        fit_chain(scv == 1 ? 1 : 2, rate, &leave, out);
    else
        fit_erlangs(mean, fmax(scv, PHASE_TYPE_SCV_LEAST), out);
    return 0;
}

/* From the last phase back, E[R_i] = (1 + next_i E[R_i+1]) / rate_i and
 * E[R_i^2] = (2 E[R_i] + next_i E[R_i+1^2]) / rate_i. */
void phase_type_residual(const struct phase_type *duration, const double *in, double *mean, double *second)
{
    double first_of = 0, second_of = 0;
    *mean = *second = 0;
    for (int i = duration->phases - 1; i >= 0; i--) {
        first_of = (1 + duration->next[i] * first_of) / duration->rate[i];
        second_of = (2 * first_of + duration->next[i] * second_of) / duration->rate[i];
        *mean += in[i] * first_of;
        *second += in[i] * second_of;
    }
}

/* Levels, by elements that `up` has made and `down` has not finished:
 *
 *     0                `down` is starved                    states: phases of up, with the first one of down
 *     1 .. places + 1  `down` serves, level - 1 wait        states: phases of up x phases of down, up's outer
 *     places + 2       `up` is blocked                      states: phases of down
 *
 * Eliminating level n + 1 adds to level n the paths that go up and come back. Let U_n be the rates inside level n,
 * these paths included: its rows sum to minus the rate down, so that its diagonal follows from sums of what is not
 * negative, and the matrix V_n = (-U_n)^-1 x (rate down) holds the probabilities of where level n - 1 is entered. */

enum { STATES_MAX = PHASE_TYPE_MAX * PHASE_TYPE_MAX };

#define LEVELS_ALIKE_WITHIN 1e-14

typedef double row_of_states[STATES_MAX];

/* A middle level after its elimination. */
struct level {
    row_of_states factors[STATES_MAX];          /* -U_n, decomposed by eliminate() */
    double down_to[STATES_MAX][PHASE_TYPE_MAX]; /* phase of up at the descent, by state */
};

struct block {
    const struct phase_type *up, *down;
    unsigned places;
    int states;           /* of a middle level */
    struct level *levels; /* from the top down: level places + 1 - i, as long as they differ */
    unsigned level_count; /* the last stands for all below it */
    double *share;        /* (places + 3) rows of `states`: probabilities in a level, which sum to 1 */
    double *log_weight;   /* of a level, from the bottom up, relative to level 0 */
    double *weight;       /* of a level */
};

/* --- elimination ----------------------------------------------------------------------------------------- */

/* -U = L L', Gaussian elimination in place: diagonally dominant with a sign pattern that needs no pivots. `spare` is
 * what a row's diagonal exceeds its other entries by; it is carried along, so that no diagonal is ever a difference
 * (Grassmann, Taksar and Heyman 1985). */
static void eliminate(row_of_states *a, double *spare, int n)
{
    for (int p = 0; p < n; p++) {
        double diagonal = spare[p];
        for (int j = p + 1; j < n; j++)
            diagonal -= a[p][j]; /* off the diagonal all are <= 0 */
        a[p][p] = diagonal;
        for (int i = p + 1; i < n; i++) {
            double factor = a[i][p] / diagonal;
            a[i][p] = factor;
            if (factor == 0)
                continue;
            spare[i] -= factor * spare[p];
            for (int j = p + 1; j < n; j++) /* a row's own diagonal follows from its other entries */
                a[i][j] -= factor * a[p][j];
        }
    }
}

/* y := y - factor x. Most factors are 0: phases follow each other. */
static void subtract(double factor, const double *x, int n, double *y)
{
    if (factor != 0)
        for (int i = 0; i < n; i++)
            y[i] -= factor * x[i];
}

/* x := (-U)^-1 x */
static void solve_columns(const row_of_states *a, int n, double (*x)[PHASE_TYPE_MAX], int columns)
{
    for (int i = 0; i < n; i++)
        for (int p = 0; p < i; p++)
            subtract(a[i][p], x[p], columns, x[i]);
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            subtract(a[i][j], x[j], columns, x[i]);
        for (int c = 0; c < columns; c++)
            x[i][c] /= a[i][i];
    }
}

/* x := x (-U)^-1, a row */
static void solve_row(const row_of_states *a, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] /= a[i][i];
        subtract(x[i], a[i] + i + 1, n - i - 1, x + i + 1);
    }
    for (int i = n - 1; i > 0; i--)
        subtract(x[i], a[i], i, x);
}

static int state_of(const struct block *b, int up, int down)
{
    return up * b->down->phases + down;
}

/* The rates inside a middle level, as entries of -U: one of the servers' phases moves, or a finish of `up` leads to the
 * level above, and `down` begins anew after the return. From the top middle level, the way leads through the blocked
 * level, which ends when `down` finishes. */
static void fill_level(const struct block *b, const struct level *above, row_of_states *a)
{
    for (int u = 0; u < b->up->phases; u++)
        for (int d = 0; d < b->down->phases; d++) {
            double *row = a[state_of(b, u, d)];
            memset(row, 0, (size_t)b->states * sizeof *row);
            if (u + 1 < b->up->phases)
                row[state_of(b, u + 1, d)] -= b->up->next[u];
            if (d + 1 < b->down->phases)
                row[state_of(b, u, d + 1)] -= b->down->next[d];
            for (int next = 0; next < b->up->phases && b->up->finish[u] > 0; next++)
                row[state_of(b, next, 0)] -=
                    (above ? above->down_to[state_of(b, 0, d)][next] : next == 0) * b->up->finish[u];
        }
}

static void eliminate_level(const struct block *b, const struct level *above, struct level *level)
{
    double spare[STATES_MAX] = {0};
    fill_level(b, above, level->factors);
    for (int u = 0; u < b->up->phases; u++)
        for (int d = 0; d < b->down->phases; d++) {
            int state = state_of(b, u, d);
            spare[state] = b->down->finish[d];
            for (int next = 0; next < b->up->phases; next++)
                level->down_to[state][next] = next == u ? b->down->finish[d] : 0;
        }
    eliminate(level->factors, spare, b->states);
    solve_columns((const row_of_states *)level->factors, b->states, level->down_to, b->up->phases);
    for (int i = 0; i < b->states; i++) { /* each row sums to 1, in spite of rounding */
        double sum = 0;
        for (int c = 0; c < b->up->phases; c++)
            sum += level->down_to[i][c];
        for (int c = 0; c < b->up->phases; c++)
            level->down_to[i][c] /= sum;
    }
}

/* Eliminate levels from the top down until two are alike. */
static void eliminate_levels(struct block *b)
{
    size_t room = 0;
    bool alike = false;
    for (unsigned i = 0; i < b->places + 1 && !alike; i++) {
        array_reserve(&b->levels, &room, i, 1, sizeof *b->levels);
        struct level *level = &b->levels[i];
        eliminate_level(b, i ? level - 1 : NULL, level);
        alike = i > 0;
        for (int state = 0; state < b->states; state++)
            for (int c = 0; c < b->up->phases && alike; c++)
                alike = !(fabs(level[-1].down_to[state][c] - level->down_to[state][c]) > LEVELS_ALIKE_WITHIN);
        b->level_count = i + 1;
    }
}

/* --- probabilities, level by level, from the bottom up ---------------------------------------------------- */

static double *share_of(const struct block *b, unsigned level)
{
    return b->share + (size_t)level * (size_t)b->states;
}

static const struct level *level_at(const struct block *b, unsigned level)
{
    unsigned from_top = b->places + 1 - level;
    return &b->levels[from_top < b->level_count ? from_top : b->level_count - 1];
}

static void set_weight(struct block *b, unsigned level, int states)
{
    double *share = share_of(b, level), sum = 0;
    for (int i = 0; i < states; i++)
        sum += share[i];
    for (int i = 0; i < states; i++)
        share[i] /= sum;
    b->log_weight[level] = log(sum) + (level ? b->log_weight[level - 1] : 0);
}

/* Level 0 with all above eliminated is a Markov chain of up's phases. It passes from phase to phase, or up and back to
 * a phase; its probabilities are found by elimination without subtractions. */
static void solve_bottom(struct block *b)
{
    int n = b->up->phases;
    double rate[PHASE_TYPE_MAX][PHASE_TYPE_MAX], share[PHASE_TYPE_MAX];
    const struct level *above = level_at(b, 1);
    for (int u = 0; u < n; u++)
        for (int next = 0; next < n; next++)
            rate[u][next] = (next == u + 1 ? b->up->next[u] : 0) + b->up->finish[u] * above->down_to[0][next];
    for (int p = n - 1; p > 0; p--) {
        double out = 0;
        for (int j = 0; j < p; j++)
            out += rate[p][j];
        for (int i = 0; i < p; i++) {
            rate[i][p] /= out;
            for (int j = 0; j < p; j++)
                rate[i][j] += rate[i][p] * rate[p][j];
        }
    }
    share[0] = 1;
    for (int p = 1; p < n; p++) {
        share[p] = 0;
        for (int i = 0; i < p; i++)
            share[p] += share[i] * rate[i][p];
    }
    for (int u = 0; u < n; u++)
        share_of(b, 0)[state_of(b, u, 0)] = share[u];
    set_weight(b, 0, b->states);
}

static double finishes_of_up(const struct block *b, const double *share, int down)
{
    double rate = 0;
    for (int u = 0; u < b->up->phases; u++)
        rate += share[state_of(b, u, down)] * b->up->finish[u];
    return rate;
}

static void solve_middle(struct block *b, unsigned level)
{
    double *share = share_of(b, level);
    for (int d = 0; d < b->down->phases; d++)
        share[state_of(b, 0, d)] = finishes_of_up(b, share_of(b, level - 1), d);
    solve_row((const row_of_states *)level_at(b, level)->factors, b->states, share);
    set_weight(b, level, b->states);
}

/* Levels 2 .. last are alike: the shares of each are a sum over the phases of `down` in which it is entered. */
static void solve_alike(struct block *b, unsigned last)
{
    row_of_states entered[PHASE_TYPE_MAX] = {0};
    for (int d = 0; d < b->down->phases; d++) {
        entered[d][state_of(b, 0, d)] = 1;
        solve_row((const row_of_states *)level_at(b, last)->factors, b->states, entered[d]);
    }
    for (unsigned n = 2; n <= last; n++) {
        for (int d = 0; d < b->down->phases; d++)
            subtract(-finishes_of_up(b, share_of(b, n - 1), d), entered[d], b->states, share_of(b, n));
        set_weight(b, n, b->states);
    }
}

static void solve_levels(struct block *b)
{
    solve_bottom(b);
    solve_middle(b, 1);
    unsigned alike = b->places + 2 - b->level_count;
    solve_alike(b, alike);
    for (unsigned n = alike + 1; n < b->places + 2; n++)
        solve_middle(b, n);
    /* in the top level `up` is blocked, and `down` alone changes its phase */
    const double *below = share_of(b, b->places + 1);
    double *share = share_of(b, b->places + 2);
    for (int d = 0; d < b->down->phases; d++) {
        share[d] = finishes_of_up(b, below, d) + (d > 0 ? share[d - 1] * b->down->next[d - 1] : 0);
        share[d] /= b->down->rate[d];
    }
    set_weight(b, b->places + 2, b->down->phases);
    /* logarithms, which overflow at no load, become probabilities that sum to 1 */
    double greatest = -INFINITY, sum = 0;
    for (unsigned n = 0; n < b->places + 3; n++)
        greatest = fmax(greatest, b->log_weight[n]);
    for (unsigned n = 0; n < b->places + 3; n++)
        sum += b->weight[n] = exp(b->log_weight[n] - greatest);
    for (unsigned n = 0; n < b->places + 3; n++)
        b->weight[n] /= sum;
}

/* --- measures -------------------------------------------------------------------------------------------- */

static double throughput(const struct block *b)
{
    double sum = 0;
    for (unsigned n = 1; n < b->places + 3; n++) {
        const double *share = share_of(b, n);
        double rate = 0;
        int down = b->down->phases, states = n == b->places + 2 ? down : b->states;
        for (int i = 0; i < states; i += down)
            for (int d = 0; d < down; d++)
                rate += share[i + d] * b->down->finish[d];
        sum += rate * b->weight[n];
    }
    return sum;
}

static struct buffer_delay delay_of(const struct phase_type *other, double *in, double rate, double all)
{
    struct buffer_delay delay = {.fraction = fmin(1, rate / all)};
    double sum = 0;
    for (int i = 0; i < other->phases; i++)
        sum += in[i];
    for (int i = 0; i < other->phases && sum > 0; i++)
        in[i] /= sum;
    phase_type_residual(other, in, &delay.mean, &delay.second);
    return delay;
}

static struct buffer_delay starvation(const struct block *b, double all)
{
    double in[PHASE_TYPE_MAX] = {0}, rate = 0;
    const double *share = share_of(b, 1);
    for (int u = 0; u < b->up->phases; u++) {
        for (int d = 0; d < b->down->phases; d++)
            in[u] += share[state_of(b, u, d)] * b->down->finish[d];
        rate += in[u] * b->weight[1];
    }
    return delay_of(b->up, in, rate, all);
}

static struct buffer_delay blocking(const struct block *b, double all)
{
    double in[PHASE_TYPE_MAX] = {0}, rate = 0;
    for (int d = 0; d < b->down->phases; d++) {
        in[d] = finishes_of_up(b, share_of(b, b->places + 1), d);
        rate += in[d] * b->weight[b->places + 1];
    }
    return delay_of(b->down, in, rate, all);
}

/* Number of elements that wait at a level. */
static unsigned waiting_at(const struct block *b, unsigned level)
{
    return level < 2 ? 0 : level - 1 < b->places ? level - 1 : b->places;
}

static void measure(const struct block *b, unsigned back_pressure_from, struct buffer_result *out)
{
    *out = (struct buffer_result){.throughput = throughput(b)};
    for (unsigned n = 0; n < b->places + 3; n++) {
        unsigned waiting = waiting_at(b, n);
        out->waiting += waiting * b->weight[n];
        if (waiting >= back_pressure_from)
            out->p_back_pressure += b->weight[n];
    }
    out->p_empty = b->weight[0];
    out->p_blocked = b->weight[b->places + 2];
    out->p_full = b->weight[b->places + 1] + out->p_blocked;
    /* in spite of rounding */
    out->waiting = fmin(out->waiting, b->places);
    out->p_full = fmin(1, out->p_full);
    out->p_back_pressure = fmin(1, out->p_back_pressure);
    out->starvation = starvation(b, out->throughput);
    out->blocking = blocking(b, out->throughput);
}

/* --- all of it -------------------------------------------------------------------------------------------- */

int buffer_block_solve(const struct phase_type *up, const struct phase_type *down, unsigned places,
                       unsigned back_pressure_from, struct buffer_result *out, double *waits)
{
    struct block b = {.up = up, .down = down, .places = places, .states = up->phases * down->phases};
    if (places > BUFFER_BLOCK_PLACES_MAX)
        return MODEL_ECAPACITY;
    b.share = memory_new((size_t)(places + 3) * (size_t)b.states, sizeof *b.share);
    b.log_weight = memory_new(places + 3, sizeof *b.log_weight);
    b.weight = memory_new(places + 3, sizeof *b.weight);
    eliminate_levels(&b);
    solve_levels(&b);
    measure(&b, back_pressure_from, out);
    for (unsigned n = 0; waits && n <= places; n++)
        waits[n] = 0;
    for (unsigned level = 0; waits && level < places + 3; level++)
        waits[waiting_at(&b, level)] += b.weight[level];
    free(b.levels);
    free(b.share);
    free(b.log_weight);
    free(b.weight);
    return 0;
}
