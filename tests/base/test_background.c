/* test_background.c - calls made by a thread of their own: all of them, in their order, one at a time. */
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
    bool elsewhere; /* every call was made by another thread than `asker` */
    pthread_t asker;
};

static int numbers[CALLS];

static const unsigned at_once[] = {1, 7, BACKGROUND_CALLS};

enum { KINDS = sizeof at_once / sizeof at_once[0] };

static void note(void *subject, void *argument)
{
    struct seen *seen = subject;
    seen->numbers[seen->count++] = *(const int *)argument;
    seen->elsewhere = seen->elsewhere && !pthread_equal(pthread_self(), seen->asker);
}

static void add(struct background *background, struct seen *seen, int first, int last)
{
    for (int i = first; i < last; i++) {
        numbers[i] = i;
        background_add(background, note, seen, &numbers[i]);
    }
}

START_TEST(test_calls_are_made_in_their_order_by_one_thread)
{
    struct background *background = background_new(at_once[_i]);
    struct seen seen = {.elsewhere = true, .asker = pthread_self()};
    add(background, &seen, 0, CALLS / 2);
    background_wait(background);
    ck_assert_uint_eq(seen.count, CALLS / 2);
    add(background, &seen, CALLS / 2, CALLS);
    background_wait(background);
    ck_assert_uint_eq(seen.count, CALLS);
    ck_assert(seen.elsewhere);
    for (int i = 0; i < CALLS; i++)
        ck_assert_int_eq(seen.numbers[i], i);
    background_wait(background); /* for nothing */
    background_destroy(background);
}
END_TEST

START_TEST(test_ending_makes_the_calls_that_wait)
{
    struct background *background = background_new(at_once[_i]);
    struct seen seen = {.asker = pthread_self()};
    add(background, &seen, 0, CALLS - 1);
    background_destroy(background);
    ck_assert_uint_eq(seen.count, CALLS - 1);
    background_destroy(NULL);
}
END_TEST

static void count(void *subject, void *argument)
{
    (void)argument;
    atomic_fetch_add((atomic_uint *)subject, 1);
}

START_TEST(test_thread_wakes_when_enough_calls_wait)
{
    struct background *background = background_new(at_once[_i]);
    atomic_uint made = 0;
    for (unsigned i = 1; i < at_once[_i]; i++)
        background_add(background, count, &made, NULL);
    usleep(10000); /* time in which a thread that is awake would make a call */
    ck_assert_uint_eq(atomic_load(&made), 0);
    background_add(background, count, &made, NULL);
    while (atomic_load(&made) < at_once[_i]) /* forever if they are not made */
        usleep(1000);
    background_destroy(background);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("background");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_calls_are_made_in_their_order_by_one_thread, 0, KINDS);
    tcase_add_loop_test(core, test_ending_makes_the_calls_that_wait, 0, KINDS);
    tcase_add_loop_test(core, test_thread_wakes_when_enough_calls_wait, 0, KINDS);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
