/* test_background.c - a call that a thread of its own makes: it is made once, before the wait for it ends. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "base/background.h"
#include "tests/run_suite.h"

/* No lock: the call owns it until background_wait(). */
struct made {
    unsigned calls;
    pthread_t thread;
};

static void *note(void *data)
{
    struct made *made = data;
    usleep(1000);
    made->calls++;
    made->thread = pthread_self();
    return NULL;
}

START_TEST(test_calls_are_made_before_the_wait_for_them_ends)
{
    struct background background = {0};
    struct made made = {0};
    background_wait(&background); /* for nothing */
    for (unsigned i = 1; i <= 20; i++) {
        background_begin(&background, note, &made);
        background_wait(&background);
        ck_assert_uint_eq(made.calls, i);
        ck_assert(!pthread_equal(made.thread, pthread_self()));
    }
    background_wait(&background); /* once more, for nothing */
    ck_assert_uint_eq(made.calls, 20);
}
END_TEST

static void *raise_flag(void *data)
{
    atomic_store((atomic_bool *)data, true);
    return NULL;
}

START_TEST(test_a_call_is_made_while_nobody_waits)
{
    struct background background = {0};
    atomic_bool made = false;
    background_begin(&background, raise_flag, &made);
    while (!atomic_load(&made)) /* forever if it is not made */
        usleep(1000);
    background_wait(&background);
}
END_TEST

START_TEST(test_without_a_thread_the_caller_makes_the_call)
{
    struct background background = {0};
    struct made made = {0};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 46); /* for which there is no room */
    ck_assert_int_eq(pthread_setattr_default_np(&attributes), 0);
    background_begin(&background, note, &made);
    ck_assert_uint_eq(made.calls, 1);
    ck_assert(pthread_equal(made.thread, pthread_self()));
    background_wait(&background);
    ck_assert_uint_eq(made.calls, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("background");
    TCase *tcase = tcase_create("core");
    tcase_add_test(tcase, test_calls_are_made_before_the_wait_for_them_ends);
    tcase_add_test(tcase, test_a_call_is_made_while_nobody_waits);
    tcase_add_test(tcase, test_without_a_thread_the_caller_makes_the_call);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
