/* test_child_words.c - is what a child says shown, unless memory was exhausted? Children end as libraries end them. */
#include "base/process/child_words.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/run_suite.h"

struct end {
    const char *said;
    int signal, status; /* one of them */
    bool limited, memory;
};

static const struct end ends[] = {
    {"terminate called after throwing an instance of 'std::bad_alloc'\n", SIGABRT, 0, false, true},
    {"[root/CRITICAL] Failed to allocate stack.\nBacktrace (displayed in actor maestro):\n", SIGABRT, 0,
     false, true},
    {"libx.so: cannot allocate memory for thread-local data: ABORT\n", 0, 127, false, true},
    {"terminate called: Resource temporarily unavailable\n", SIGABRT, 0, false, true},
    {"", SIGSEGV, 0, true, true},
    {"", SIGSEGV, 0, false, false},
    {"", SIGKILL, 0, true, false},
    {"a warning\n", 0, 0, true, false},
    {"a warning about memory\n", 0, 0, false, false},
    {"assertion failed\n", SIGABRT, 0, false, false},
    {"==1==ERROR: AddressSanitizer: SEGV on unknown address (memory access)\n", 0, 1, true, false},
    {"a.c:1:2: runtime error: memory\n", 0, 1, false, false},
};

static void limit_addresses(void)
{
    const struct rlimit many = {(rlim_t)1 << 60, (rlim_t)1 << 60}, no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (setrlimit(RLIMIT_AS, &many) != 0)
        _exit(1);
}

static void end_as(const struct end *end)
{
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (write(STDERR_FILENO, end->said, strlen(end->said)) < 0)
        _exit(99);
    if (end->signal) {
        signal(end->signal, SIG_DFL);
        raise(end->signal);
    }
    _exit(end->status);
}

/* @return whether memory was exhausted; what the parent says is in the file `shown` */
static bool parent_finds(const struct end *end, int shown)
{
    int status, words = child_words_new();
    if (end->limited)
        limit_addresses();
    dup2(shown, STDERR_FILENO);
    pid_t child = fork();
    if (child == 0) {
        child_words_keep(words);
        end_as(end);
    }
    if (waitpid(child, &status, 0) != child)
        _exit(99);
    return child_words_end(words, status);
}

START_TEST(test_words_are_shown_unless_memory_was_exhausted)
{
    const struct end *end = &ends[_i];
    char text[200] = "";
    int status, shown = memfd_create("shown", 0);
    pid_t parent = fork(); /* a process of its own is limited */
    if (parent == 0)
        _exit(parent_finds(end, shown));
    ck_assert_int_eq(waitpid(parent, &status, 0), parent);
    ck_assert_int_eq(WEXITSTATUS(status), end->memory);
    ck_assert_int_ge(pread(shown, text, sizeof text - 1, 0), 0);
    ck_assert_str_eq(text, end->memory ? "" : end->said);
    close(shown);
}
END_TEST

static void end_as_told(void *end)
{
    end_as(end);
}

/* In a process that is limited or not. @return what child_words_try() says */
static bool try_end(const struct end *end, bool limited, int shown)
{
    int status;
    pid_t parent = fork();
    if (parent == 0) {
        dup2(shown, STDERR_FILENO);
        if (limited)
            limit_addresses();
        _exit(child_words_try(end_as_told, (void *)end));
    }
    ck_assert_int_eq(waitpid(parent, &status, 0), parent);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(test_a_try_finds_whether_memory_suffices_and_says_nothing)
{
    int shown = memfd_create("shown", 0);
    ck_assert(!try_end(&ends[0], true, shown)); /* std::bad_alloc */
    ck_assert(try_end(&ends[7], true, shown));  /* success */
    ck_assert(try_end(&ends[9], true, shown));  /* will happen again */
    ck_assert(try_end(&ends[0], false, shown)); /* nothing is tried without a limit */
    ck_assert_int_eq(lseek(shown, 0, SEEK_END), 0);
    close(shown);
}
END_TEST

static void write_out(void *file)
{
    fflush(file);
}

/* The child has a copy of the buffer, which it must find empty. */
START_TEST(test_what_is_buffered_is_written_once)
{
    char text[20] = "";
    int status;
    FILE *file = tmpfile();
    ck_assert(file && fputs("once", file) >= 0);
    ck_assert_int_eq(child_words_run(write_out, file, &status), CHILD_ENDED);
    ck_assert_int_eq(fflush(file), 0);
    ck_assert_int_eq(pread(fileno(file), text, sizeof text - 1, 0), 4);
    ck_assert_str_eq(text, "once");
    fclose(file);
}
END_TEST

START_TEST(test_a_program_writes_to_a_file_and_says_nothing)
{
    char *copies[] = {"sh", "-c", "cat; echo what is shown >&2", NULL}, *fails[] = {"false", NULL},
         *none[] = {"no-such-program", NULL}, got[16] = "";
    const int in = memfd_create("in", 0), out = memfd_create("out", 0), words = child_words_new();
    const int before = dup(STDERR_FILENO);
    ck_assert_int_eq(write(in, "taken", 5), 5);
    ck_assert_int_eq(lseek(in, 0, SEEK_SET), 0);
    child_words_keep(words);
    const int status = child_words_program(copies, in, out);
    dup2(before, STDERR_FILENO);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(pread(out, got, sizeof got, 0), 5);
    ck_assert_str_eq(got, "taken");
    ck_assert_int_eq(lseek(words, 0, SEEK_END), 0);
    ck_assert_int_eq(child_words_program(fails, -1, -1), -1);
    ck_assert_int_eq(child_words_program(none, -1, -1), ENOENT);
    close(before);
    close(in);
    close(out);
    close(words);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child_words");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_words_are_shown_unless_memory_was_exhausted, 0, COUNT_OF(ends));
    tcase_add_test(core, test_a_try_finds_whether_memory_suffices_and_says_nothing);
    tcase_add_test(core, test_what_is_buffered_is_written_once);
    tcase_add_test(core, test_a_program_writes_to_a_file_and_says_nothing);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
