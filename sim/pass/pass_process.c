#include "sim/pass/pass_process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/why.h"
#include "sim/measure/machine_frame.h"

static void unwatch_signal(int number)
{
    if (signal(number, SIG_DFL) == SIG_IGN)
        signal(number, SIG_IGN);
}

void pass_process_enter(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    unwatch_signal(SIGINT);
    unwatch_signal(SIGTERM);
    unwatch_signal(SIGHUP);
}

bool pass_process_read(int file, void *data, size_t bytes)
{
    char *to = data;
    while (bytes > 0) {
        ssize_t got = read(file, to, bytes);
        if (got <= 0)
            return false;
        to += got;
        bytes -= (size_t)got;
    }
    return true;
}

void pass_process_explain_end(size_t pass, int exit_status, struct why *why)
{
    if (WIFSIGNALED(exit_status))
        why_say(why, 0, "pass %zu: its process was ended by signal %d (%s)%s", pass + 1,
                WTERMSIG(exit_status), strsignal(WTERMSIG(exit_status)),
                WTERMSIG(exit_status) == SIGKILL ? "; was there enough memory?" : "");
    else
        why_say(why, 0, "pass %zu: its process failed", pass + 1);
}

bool pass_process_check_frame(size_t pass, const struct frame *frame, struct why *why)
{
    const char *broken = frame_find_inconsistency(frame, &machine_layout);
    const char *law = "Little's law or the histogram's time does not hold for";
    if (!broken) {
        broken = machine_frame_find_loss(frame);
        law = "something is lost among the";
    }
    if (broken)
        why_say(why, 0, "pass %zu: %s %s: a bug of Mercury's, please report it", pass + 1, law, broken);
    return !broken;
}
