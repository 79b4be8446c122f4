#include "base/process/child_words.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file_io.h"
#include "base/process/signals.h"

enum { LOOKED_AT = 1 << 16 }; /* first bytes of the words; a library names its reason first */

int child_words_new(void)
{
    return memfd_create("mercury-words", MFD_CLOEXEC);
}

void child_words_keep(int words)
{
    if (words >= 0)
        dup2(words, STDERR_FILENO);
}

bool child_words_addresses_are_limited(void)
{
    struct rlimit addresses;
    return getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY;
}

/* The reasons are those of C++, SimGrid, its reader of platforms, the loader, and pthread_create(). What a sanitizer
 * reports is a bug. */
static bool tells_of_memory(int words, int exit_status)
{
    static const char *const reasons[] = {"bad_alloc",
                                          "emory",
                                          "llocate",
                                          "mmap",
                                          "failed to map",
                                          "bufferstack",
                                          "Resource temporarily unavailable",
                                          NULL};
    static char said[LOOKED_AT];
    const int number = WIFSIGNALED(exit_status) ? WTERMSIG(exit_status) : 0;
    ssize_t got = words < 0 ? 0 : pread(words, said, sizeof said - 1, 0);
    said[got > 0 ? got : 0] = '\0';
    if (exit_status == 0 || strstr(said, "Sanitizer") || strstr(said, "runtime error: "))
        return false;
    const char *const *reason = reasons;
    while (*reason && !strstr(said, *reason))
        reason++;
    return *reason || ((number == SIGSEGV || number == SIGBUS) && child_words_addresses_are_limited());
}

bool child_words_end(int words, int exit_status)
{
    const bool memory = tells_of_memory(words, exit_status);
    char part[1 << 12];
    ssize_t got = words >= 0 && !memory ? 1 : 0;
    for (off_t at = 0; got > 0 && (got = pread(words, part, sizeof part, at)) > 0; at += got)
        if (!file_io_write_all(STDERR_FILENO, part, (size_t)got))
            break;
    child_words_drop(words);
    return memory;
}

/* @return whether there was a child */
static bool call_in_child(void (*call)(void *data), void *data, int words, int *exit_status)
{
    fflush(NULL);
    pid_t process = signals_fork();
    if (process == 0) {
        child_words_keep(words);
        call(data);
        _exit(0);
    }
    return process > 0 && waitpid(process, exit_status, 0) == process;
}

enum child_end child_words_run(void (*call)(void *data), void *data, int *exit_status)
{
    int words = child_words_new();
    if (call_in_child(call, data, words, exit_status))
        return child_words_end(words, *exit_status) ? CHILD_NO_MEMORY : CHILD_ENDED;
    child_words_drop(words);
    return CHILD_NONE;
}

bool child_words_try(void (*call)(void *data), void *data)
{
    if (!child_words_addresses_are_limited())
        return true;
    int exit_status = 0, words = child_words_new();
    bool ended = words >= 0 && call_in_child(call, data, words, &exit_status);
    bool memory = !ended || tells_of_memory(words, exit_status);
    child_words_drop(words);
    return !memory;
}

void child_words_drop(int words)
{
    file_io_close(&words);
}

int child_words_program(char *const *arguments, int in, int out)
{
    posix_spawn_file_actions_t actions;
    pid_t process;
    int exit_status = 0;
    posix_spawn_file_actions_init(&actions);
    if (in >= 0)
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (out >= 0)
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int error = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        return error == ENOENT ? ENOENT : -1;
    const bool ended = TEMP_FAILURE_RETRY(waitpid(process, &exit_status, 0)) == process;
    return ended && exit_status == 0 ? 0 : -1;
}
