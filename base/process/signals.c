#include "base/process/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/file/output.h"
#include "base/memory.h"

static const int ending[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGALRM, SIGVTALRM,
                             SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU, SIGPIPE};

enum { ENDING = sizeof ending / sizeof ending[0] };

static const char *volatile last_words;

static void end_by_signal(int number)
{
    const char *words = number == SIGPIPE ? NULL : last_words;
    output_remove_partials();
    if (words && write(STDERR_FILENO, words, strlen(words)) < 0)
        words = NULL; /* there is no one to be told */
    signal(number, SIG_DFL);
    raise(number);
}

void signals_watch(void)
{
    for (unsigned i = 0; i < ENDING; i++)
        if (signal(ending[i], SIG_IGN) != SIG_IGN)
            signal(ending[i], end_by_signal);
    signal(SIGXFSZ, SIG_IGN);
}

void signals_set_last_words(const char *words)
{
    last_words = words;
}

/* The child has the parent's handlers at first: no signal may come before it has begun. */
pid_t signals_fork(void)
{
    sigset_t all, before;
    sigemptyset(&all);
    for (unsigned i = 0; i < ENDING; i++)
        sigaddset(&all, ending[i]);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t parent = getpid(), process = fork();
    int error = errno;
    if (process == 0) {
        memory_set_end(NULL);
        for (unsigned i = 0; i < ENDING; i++)
            if (signal(ending[i], SIG_DFL) == SIG_IGN)
                signal(ending[i], SIG_IGN);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return process;
}
