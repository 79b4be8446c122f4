/* test_background.c - calls made by a thread of their own or by any other: all of them, in their order, one at a
 * time. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "base/background.h"
#include "tests/run_suite.h"

enum { CALLS = 10 * BACKGROUND_CALLS };

/* What the calls were made with. No lock: the calls own it until background_wait(). */
struct seen {
    int numbers[CALLS];
    size_t count;
};

static int numbers[CALLS];

static void note(void *subject, void *argument)
{
    struct seen *seen = subject;
    seen->numbers[seen->count++] = *(const int *)argument;
}

static void add(struct background *background, struct seen *seen, int first, int last)
{
    for (int i = first; i < last; i++) {
        numbers[i] = i;
        background_add(background, note, seen, &numbers[i]);
    }
}

static void check_all(const struct seen *seen)
{
    ck_assert_uint_eq(seen->count, CALLS);
    for (int i = 0; i < CALLS; i++)
        ck_assert_int_eq(seen->numbers[i], i);
}

/* Loop index = whether there is a thread. */
START_TEST(test_calls_are_made_in_their_order)
{
    struct background *background = background_new(_i);
    struct seen seen = {.count = 0};
    add(background, &seen, 0, CALLS / 2);
    background_wait(background);
    ck_assert_uint_eq(seen.count, CALLS / 2);
    add(background, &seen, CALLS / 2, CALLS);
    background_wait(background);
    check_all(&seen);
    background_wait(background); /* for nothing */
    background_destroy(background);
}
END_TEST

START_TEST(test_ending_makes_the_calls_that_wait)
{
    struct background *background = background_new(_i);
    struct seen seen = {.count = 0};
    add(background, &seen, 0, CALLS - 1);
    background_destroy(background);
    ck_assert_uint_eq(seen.count, CALLS - 1);
    background_destroy(NULL);
}
END_TEST

static void raise_flag(void *subject, void *argument)
{
    (void)argument;
    atomic_store((atomic_bool *)subject, true);
}

START_TEST(test_thread_makes_calls_that_nobody_waits_for)
{
    struct background *background = background_new(true);
    for (int i = 0; i < 3; i++) {
        atomic_bool made = false;
        background_add(background, raise_flag, &made, NULL);
        while (!atomic_load(&made)) /* forever if it is not made */
            usleep(1000);
    }
    background_destroy(background);
}
END_TEST

START_TEST(test_without_a_thread_calls_wait_for_help)
{
    struct background *background = background_new(false);
    struct seen seen = {.count = 0};
    ck_assert(!background_help(background));
    add(background, &seen, 0, BACKGROUND_CALLS);
    ck_assert_uint_eq(seen.count, 0);
    ck_assert_uint_eq(background_due(background), BACKGROUND_CALLS);
    ck_assert(background_help(background));
    ck_assert_uint_eq(seen.count, 1);
    ck_assert_uint_eq(background_due(background), BACKGROUND_CALLS - 1);
    add(background, &seen, BACKGROUND_CALLS, BACKGROUND_CALLS + 1);
    ck_assert_uint_eq(seen.count, 1);
    add(background, &seen, BACKGROUND_CALLS + 1, BACKGROUND_CALLS + 3); /* there is no room for two more */
    ck_assert_uint_eq(seen.count, 3);
    background_destroy(background);
}
END_TEST

/* Asks for help from within a call. */
static void ask(void *subject, void *argument)
{
    ck_assert(!background_help(subject));
    ck_assert_uint_eq(background_due(subject), 0);
    atomic_store((atomic_bool *)argument, true);
}

START_TEST(test_one_call_is_made_at_a_time)
{
    struct background *background = background_new(false);
    atomic_bool made[2] = {false, false};
    background_add(background, ask, background, &made[0]);
    background_add(background, ask, background, &made[1]);
    ck_assert(background_help(background));
    ck_assert(atomic_load(&made[0]) && !atomic_load(&made[1]));
    background_destroy(background);
    ck_assert(atomic_load(&made[1]));
}
END_TEST

struct helper {
    struct background *background;
    atomic_bool ends;
};

static void *help(void *data)
{
    struct helper *helper = data;
    while (!atomic_load(&helper->ends))
        background_help(helper->background);
    return NULL;
}

/* Three threads help the one that asks, which makes calls, too. */
START_TEST(test_many_may_help)
{
    enum { HELPERS = 3 };
    struct helper helper = {.background = background_new(_i)};
    struct seen seen = {.count = 0};
    pthread_t threads[HELPERS];
    for (int i = 0; i < HELPERS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, help, &helper), 0);
    add(helper.background, &seen, 0, CALLS);
    background_wait(helper.background);
    check_all(&seen);
    atomic_store(&helper.ends, true);
    for (int i = 0; i < HELPERS; i++)
        pthread_join(threads[i], NULL);
    background_destroy(helper.background);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("background");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_calls_are_made_in_their_order, 0, 2);
    tcase_add_loop_test(core, test_ending_makes_the_calls_that_wait, 0, 2);
    tcase_add_test(core, test_thread_makes_calls_that_nobody_waits_for);
    tcase_add_test(core, test_without_a_thread_calls_wait_for_help);
    tcase_add_test(core, test_one_call_is_made_at_a_time);
    tcase_add_loop_test(core, test_many_may_help, 0, 2);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
