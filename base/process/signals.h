/* signals.h - what signals do to Mercury, and to the processes that it forks.
 *
 * Ended     a signal that ends a process by default (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF,
 *           SIGUSR1, SIGUSR2, SIGXCPU, SIGPIPE) ends Mercury, too, as its sender expects; but files that are not
 *           finished are removed first (base/file/output.h), and the last words are said, unless it is SIGPIPE, which a
 *           reader such as `head` sends all the time.
 * Ignored   what is ignored when the program starts stays ignored (nohup). SIGXFSZ is ignored, so that a file at its
 *           limit is an error of writing, "File too large", like a full disk.
 * Left      SIGKILL, and the signals of a crash, leave what output.h says.
 */
#pragma once

#include <sys/types.h>

/** Begin to watch signals; main() does. */
void signals_watch(void);

/** Set what a signal that ends the process writes to standard error.
 *  @param words  a text that stays and does not change; NULL for nothing */
void signals_set_last_words(const char *words);

/** Fork a child that dies when its parent does, that a signal ends without words, and that ends as memory.h says of
 * children where memory is exhausted; from its first moment, so that the parent alone answers a signal to all
 * processes, such as that of Ctrl-C. A child whose parent has gone already ends at once.
 *  @return as fork() */
pid_t signals_fork(void);
