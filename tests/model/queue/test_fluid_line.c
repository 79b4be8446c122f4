/* Fluid lines: by hand, and what must hold in any. */
#include "model/queue/fluid_line.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/assert_close.h"
#include "tests/run_suite.h"

enum { WINDOWS = 60 };

static double work[WINDOWS][FLUID_STAGES_MAX], size[WINDOWS][FLUID_STAGES_MAX];

struct sums {
    const struct fluid_line *line;
    double time, level[FLUID_STAGES_MAX], moved[FLUID_STAGES_MAX], full[FLUID_STAGES_MAX];
    double last[FLUID_STAGES_MAX], shared_most;
};

static void see(void *data, const struct fluid_stretch *s)
{
    struct sums *sums = data;
    const struct fluid_line *line = sums->line;
    double shared = 0;
    sums->time += s->time;
    ck_assert_double_ge(s->time, 0);
    for (unsigned j = 0; j < line->stages; j++) {
        sums->moved[j] += s->speed[j] * s->time;
        if (s->window[j] < line->windows && s->time > 0) {
            ck_assert_double_le(s->speed[j] * work[s->window[j]][j], 1 + 1e-9);
            if (line->shared[1] > 0 && (j == line->shared[0] || j == line->shared[1]))
                shared += s->speed[j] * work[s->window[j]][j];
        }
        if (j == 0)
            continue;
        ck_assert_double_ge(s->first[j], -1e-9);
        ck_assert_double_le(s->last[j], line->places[j] * (1 + 1e-9));
        ck_assert_double_eq_tol(s->first[j], sums->last[j], 1e-6 * line->places[j]);
        sums->last[j] = s->last[j];
        sums->level[j] += s->time * (s->first[j] + s->last[j]) / 2;
        sums->full[j] += s->full[j] ? s->time : 0;
    }
    sums->shared_most = fmax(sums->shared_most, shared);
}

/* Stage 1 needs 3 for window 0 and nothing for window 1, of 2 elements each; the source needs 1 for each; there is one
 * place. Its level rises by 2 - 2/3 per time: it is full at 0.75, and the source goes on at 1/3. At 3 the source has
 * done half of window 1; stage 1 takes what is there at once, and then both go at the source's speed: 3.5. Until 3 the
 * level is 0.75 / 2 + 2.25 in sum. */
START_TEST(test_two_stages_by_hand)
{
    struct fluid_line line = {.stages = 2, .windows = 2, .work = work, .size = size, .places = {0, 1}};
    struct sums sums = {.line = &line};
    work[0][0] = work[1][0] = 1;
    work[0][1] = 3;
    work[1][1] = 0;
    size[0][1] = size[1][1] = 2;
    assert_close(fluid_line_run(&line, see, &sums), 3.5, 1e-4);
    assert_close(sums.level[1], 0.75 / 2 + 2.25, 1e-4);
    assert_close(sums.full[1], 2.25, 1e-4);
}
END_TEST

/* Source and last stage share a server, and need 1 each: each gets half of it. If the last one needs only a quarter,
 * the source gets the rest: 1.25 in all. */
START_TEST(test_shared_server_by_hand)
{
    struct fluid_line line = {
        .stages = 3, .windows = 1, .work = work, .size = size, .places = {0, 10, 10}, .shared = {0, 2}};
    struct sums sums = {.line = &line}, again = {.line = &line};
    work[0][0] = 1;
    work[0][1] = 0;
    work[0][2] = 1;
    size[0][1] = size[0][2] = 1;
    assert_close(fluid_line_run(&line, see, &sums), 2, 1e-4);
    work[0][2] = 0.25;
    assert_close(fluid_line_run(&line, see, &again), 1.25, 1e-4);
}
END_TEST

/* Everything goes through every stage; no stage is faster than its work, no level outside of its FIFO, and two stages
 * take no more than their server has. The time is at least what any stage needs, and at most what all need one
 * after the other. More places never make it longer. */
START_TEST(test_any_line)
{
    srand48(_i);
    const bool shares = _i % 2;
    struct fluid_line line = {
        .stages = 3 + (unsigned)(drand48() * 4), .windows = WINDOWS, .work = work, .size = size};
    double most = 0, all = 0;
    for (unsigned j = 0; j < line.stages; j++) {
        double sum = 0;
        line.places[j] = exp(4 * drand48() - 1);
        for (unsigned i = 0; i < WINDOWS; i++) {
            work[i][j] = drand48() < 0.2 ? 0 : exp(3 * drand48());
            size[i][j] = drand48() < 0.2 ? 0 : exp(3 * drand48());
            sum += work[i][j];
        }
        most = fmax(most, sum);
        all += sum;
    }
    if (shares)
        line.shared[1] = line.stages - 1;
    struct sums sums = {.line = &line}, deeper = {.line = &line};
    const double time = fluid_line_run(&line, see, &sums);
    assert_close(time, sums.time, 1e-9);
    ck_assert_double_ge(time, most * (1 - 1e-9));
    ck_assert_double_le(time, all + 1e-3);
    for (unsigned j = 0; j < line.stages; j++)
        assert_close(sums.moved[j], WINDOWS, 1e-6);
    ck_assert_double_le(sums.shared_most, 1 + 0.02);
    for (unsigned j = 1; j < line.stages && !shares; j++)
        line.places[j] *= 4;
    if (!shares)
        ck_assert_double_le(fluid_line_run(&line, see, &deeper), time * (1 + 1e-9));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fluid_line");
    TCase *cases = tcase_create("fluid_line");
    tcase_add_test(cases, test_two_stages_by_hand);
    tcase_add_test(cases, test_shared_server_by_hand);
    tcase_add_loop_test(cases, test_any_line, 0, 200);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
