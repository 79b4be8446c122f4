/* test_signals.c - what a signal leaves of a process, in a child of each test's own. */
#include "base/file/output.h"
#include "base/process/signals.h"
#include "tests/run_suite.h"

#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[64];

static void enter_directory(void)
{
    strcpy(directory, "/tmp/test_signals.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
}

/* Which also finds that nothing is left. */
static void remove_directory(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(directory), 0);
}

/* In a child: begin a file that has a name, then take a signal. @return if the child lives on */
static int take_signal(int number)
{
    const struct rlimit no_core = {0, 0};
    struct output output;
    struct why why;
    setrlimit(RLIMIT_CORE, &no_core);
    signals_watch();
    signals_set_last_words("last words\n");
    if (output_open_named(&output, "result", &why) != 0)
        return 2;
    raise(number);
    output_discard(&output);
    return 0;
}

/* @param said  out: what the child wrote to standard error. @return its status */
static int run_child(int number, char said[100])
{
    int ends[2], status;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        _exit(take_signal(number));
    }
    close(ends[1]);
    ssize_t got = read(ends[0], said, 99);
    said[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static const int ending[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGALRM, SIGVTALRM,
                             SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU, SIGPIPE};

START_TEST(test_a_signal_ends_the_process_and_leaves_nothing)
{
    char said[100];
    signal(ending[_i], SIG_DFL); /* who started the suite may ignore it, as nohup does */
    int status = run_child(ending[_i], said);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), ending[_i]);
    ck_assert_str_eq(said, ending[_i] == SIGPIPE ? "" : "last words\n");
}
END_TEST

START_TEST(test_an_ignored_signal_stays_ignored)
{
    char said[100];
    signal(SIGHUP, SIG_IGN);
    int status = run_child(SIGHUP, said);
    signal(SIGHUP, SIG_DFL);
    ck_assert_int_eq(status, 0);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(test_a_limit_of_files_ends_nothing)
{
    char said[100];
    ck_assert_int_eq(run_child(SIGXFSZ, said), 0);
}
END_TEST

/* What happens in a child before fork() returns there. */
static void (*happens_first)(void);

static void happen_first(void)
{
    if (happens_first)
        happens_first();
}

static void take_interrupt(void)
{
    raise(SIGINT);
}

static void lose_parent(void)
{
    pid_t parent = getppid();
    kill(parent, SIGKILL);
    for (int i = 0; getppid() == parent && i < 10000; i++)
        usleep(1000);
}

/* A child watches signals and forks a child, in which something happens first.
 * @param said  out: what both say
 * @return status of the one in between */
static int fork_twice(void (*first)(void), char said[100])
{
    int ends[2], status;
    size_t bytes = 0;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        signals_watch();
        signals_set_last_words("last words\n");
        happens_first = first;
        pid_t process = signals_fork();
        if (process == 0)
            _exit(write(STDERR_FILENO, "lives\n", 6) != 6);
        waitpid(process, &status, 0);
        _exit(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    close(ends[1]);
    for (ssize_t got; bytes < 99 && (got = read(ends[0], said + bytes, 99 - bytes)) > 0;)
        bytes += (size_t)got;
    said[bytes] = '\0';
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

START_TEST(test_a_child_is_ended_without_words_from_its_first_moment)
{
    char said[100];
    ck_assert_int_eq(WEXITSTATUS(fork_twice(NULL, said)), 0);
    ck_assert_str_eq(said, "lives\n");
    ck_assert_int_eq(WEXITSTATUS(fork_twice(take_interrupt, said)), SIGINT);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(test_a_child_whose_parent_has_gone_ends)
{
    char said[100];
    ck_assert(WIFSIGNALED(fork_twice(lose_parent, said)));
    ck_assert_str_eq(said, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("signals");
    TCase *core = tcase_create("core");
    pthread_atfork(NULL, NULL, happen_first);
    tcase_add_checked_fixture(core, enter_directory, remove_directory);
    tcase_add_loop_test(core, test_a_signal_ends_the_process_and_leaves_nothing, 0,
                        sizeof ending / sizeof ending[0]);
    tcase_add_test(core, test_an_ignored_signal_stays_ignored);
    tcase_add_test(core, test_a_limit_of_files_ends_nothing);
    tcase_add_test(core, test_a_child_is_ended_without_words_from_its_first_moment);
    tcase_add_test(core, test_a_child_whose_parent_has_gone_ends);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
