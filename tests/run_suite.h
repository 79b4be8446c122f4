/* run_suite.h - how many cases a suite takes, what assertions cost, and the end of its main(). */
#pragma once

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/** Whether a suite takes few of the cases that are much alike: in Meson's setup `few`, and in builds with sanitizers or
 *  a second compiler. Random cases come out alike in every build, and what such builds are asked, whether the code does
 *  something it must not, some of them answer. */
static inline bool tests_are_few(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
    return true;
#else
    return getenv("MERCURY_TESTS_FEW");
#endif
}

/** The number of cases to ask of `all`: a fifth of them, one at least, where they are to be few. */
static inline int tests_some(int all)
{
    return tests_are_few() ? (all + 4) / 5 : all;
}

/** The exit status by which Meson says that a suite was skipped: an independent tool is missing. */
enum { SUITE_SKIPPED = 77 };

/** How many elements an array has, for loop tests. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

/** Join the lines of a text, in place, by one blank in place of an end and the blanks after it: sentences may go on in
 *  further lines. @return `text` */
static inline char *suite_one_line(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        const bool is_end = *from == '\n';
        while (is_end && from[1] == ' ')
            from++;
        *to++ = is_end ? ' ' : *from;
    }
    *to = '\0';
    return text;
}

/** Tell Check which assertion has held last, in case the test crashes. Check writes to a file for that, which takes
 *  most of the time of a suite with a million assertions: a place that has been passed 100 times is not told again. */
static inline void suite_passes(const char *file, int line)
{
    static unsigned char passed[4096];
    unsigned char *times = &passed[line & 4095];
    if (*times < 100) {
        ++*times;
        _mark_point(file, line);
    }
}

#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                                                             \
    ((expr) ? suite_passes(__FILE__, __LINE__)                                                               \
            : _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", __VA_ARGS__))

/** The exit status of a child that calls a function, or -1 if it dies otherwise. What the child says is not shown. */
static inline int suite_status_of(void (*call)(int how), int how)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        call(how);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/** Run a suite and free it; the exit status. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
