#include "model/queue/clocked_queue.h"

#include <math.h>
#include <string.h>

enum { LAST = CLOCKED_LENGTH - 1 };

#define MEAN_MOST (1 - 1e-6) /* arrivals per service; above it there is no steady state */
#define NOTHING   1e-12

double clocked_mean(const struct clocked_law *law)
{
    double mean = 0;
    for (unsigned n = 1; n < CLOCKED_LENGTH; n++)
        mean += n * law->p[n];
    return mean;
}

/* The largest number that has a probability. */
static unsigned largest(const struct clocked_law *law)
{
    unsigned n = LAST;
    while (n > 0 && law->p[n] < NOTHING)
        n--;
    return n;
}

void clocked_add(const struct clocked_law *one, const struct clocked_law *other, struct clocked_law *sum)
{
    struct clocked_law result = {0};
    const unsigned most = largest(one), others = largest(other);
    for (unsigned i = 0; i <= most; i++)
        for (unsigned j = 0; j <= others; j++)
            result.p[i + j < LAST ? i + j : LAST] += one->p[i] * other->p[j];
    *sum = result;
}

/* L: what is left in the queue whenever an element is taken out. */
static void find_left(const struct clocked_law *a, struct clocked_law *left)
{
    const unsigned most = largest(a);
    double sum = 1 - clocked_mean(a);
    *left = (struct clocked_law){{sum / a->p[0]}};
    sum = left->p[0];
    /* L' = 0 if L + a <= 1; L' = j + 1 needs L + a = j + 2 */
    left->p[1] = (left->p[0] * (1 - a->p[0] - a->p[1])) / a->p[0];
    for (unsigned j = 1; j < LAST && sum < 1 - NOTHING; j++) {
        double next = left->p[j];
        for (unsigned i = j + 1 > most ? j + 1 - most : 0; i <= j; i++)
            next -= left->p[i] * a->p[j + 1 - i];
        sum += left->p[j];
        left->p[j + 1] = fmax(0, next / a->p[0]);
    }
    double all = 0;
    for (unsigned j = 0; j < CLOCKED_LENGTH; j++)
        all += left->p[j];
    for (unsigned j = 0; j < CLOCKED_LENGTH; j++)
        left->p[j] /= all;
}

void clocked_queue_length(const struct clocked_law *a_clock, const struct clocked_law *a_service,
                          struct clocked_law *length)
{
    const struct clocked_law *a = a_service ? a_service : a_clock;
    struct clocked_law left = {0};
    if (clocked_mean(a) >= MEAN_MOST || a->p[0] <= 0)
        left.p[LAST] = 1;
    else
        find_left(a, &left);
    clocked_add(&left, a_clock, length);
}

void clocked_queue_output(const struct clocked_law *a_clock, const struct clocked_law *length,
                          unsigned clocks, struct clocked_law *output)
{
    /* P[N = n after this clock, and k have left], the lengths above `most` being one state */
    static _Thread_local double state[CLOCKED_OUTPUT_MOST + 1][CLOCKED_LENGTH],
        next[CLOCKED_OUTPUT_MOST + 1][CLOCKED_LENGTH];
    const unsigned batch = largest(a_clock),
                   count = clocks < CLOCKED_OUTPUT_MOST ? clocks : CLOCKED_OUTPUT_MOST,
                   most = largest(length) > count ? largest(length) : count;
    const size_t row = (most + 1) * sizeof **state; /* bytes; after n clocks, n + 1 rows are used */
    memcpy(state[0], length->p, row);
    for (unsigned clock = 0; clock < count; clock++) {
        for (unsigned k = 0; k <= clock + 1; k++)
            memset(next[k], 0, row);
        for (unsigned k = 0; k <= clock; k++)
            for (unsigned n = 0; n <= most; n++) {
                const double p = state[k][n];
                const unsigned left = n > 0 ? n - 1 : 0;
                for (unsigned a = 0; p > NOTHING && a <= batch; a++)
                    next[k + (n > 0)][left + a < most ? left + a : most] += p * a_clock->p[a];
            }
        for (unsigned k = 0; k <= clock + 1; k++)
            memcpy(state[k], next[k], row);
    }
    *output = (struct clocked_law){0};
    for (unsigned k = 0; k <= count; k++)
        for (unsigned n = 0; n <= most; n++)
            output->p[k] += state[k][n];
}

void clocked_sum(const struct clocked_law *number, const struct clocked_law *each, struct clocked_law *sum)
{
    struct clocked_law power = {{1}};
    const unsigned most = largest(number);
    *sum = (struct clocked_law){0};
    for (unsigned n = 0; n <= most; n++) {
        for (unsigned i = 0; i < CLOCKED_LENGTH; i++)
            sum->p[i] += number->p[n] * power.p[i];
        clocked_add(&power, each, &power);
    }
}
