/* run_suite.h - the end of every suite's main(). */
#ifndef MERCURY_TESTS_RUN_SUITE_H
#define MERCURY_TESTS_RUN_SUITE_H

#include <check.h>
#include <stdlib.h>

/** Run a suite and free it; the exit status. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
