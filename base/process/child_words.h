/* child_words.h - what a child process says on standard error, kept until it is known how the child has ended.
 *
 * Why       libraries such as SimGrid end the process where memory is exhausted, with several lines of their own. The
 *           user is told in one line, so those lines are not shown; whatever else a child has said is.
 * Memory    a file in memory, made by the parent before it forks.
 */
#pragma once

#include <stdbool.h>

/** Make the file.
 *  @return its descriptor; -1 if there cannot be one: the child then speaks to standard error itself */
int child_words_new(void);

/** In the child: let standard error be the file. */
void child_words_keep(int words);

/** In the parent, after the child has ended: write to standard error what it said, unless memory was exhausted, and
 * close the file.
 *
 * Memory was exhausted if the child failed and has said so; or if it died of a bad address, said nothing that tells of
 * another reason, and there is a limit on the addresses that a process may use (ulimit -v): then a stack that cannot
 * grow, or a library that does not ask for what it got, ends it in this way.
 * @param exit_status  of waitpid()
 * @return whether memory was exhausted
 */
bool child_words_end(int words, int exit_status);

/** Whether there is a limit on the addresses that this process may use (ulimit -v). */
bool child_words_addresses_are_limited(void);

/** Where there is such a limit, make a call in a child first: libraries of C++ end the process if memory is exhausted.
 * Until this process has made the same call, no other thread may take memory.
 * @return false if memory was exhausted; true also if the child failed in another way, as this process will then */
bool child_words_try(void (*call)(void *data), void *data);

enum child_end {
    CHILD_ENDED,
    CHILD_NONE,      /* there could be no child: errno says why */
    CHILD_NO_MEMORY, /* child_words_end() tells so */
};

/** Make a call in a child, and wait for its end; what it leaves is in memory that both share.
 *  @param exit_status  out: of waitpid() */
enum child_end child_words_run(void (*call)(void *data), void *data, int *exit_status);

/** Run a program and wait for its end; what it says is not shown.
 *  @param in, out  descriptors that become its standard input and output; -1: as this process's, and none
 *  @return 0, ENOENT if there is no such program, or -1 if it fails */
int child_words_program(char *const *arguments, int in, int out);

/** Close the file of a child whose words are of no interest; -1 is allowed. */
void child_words_drop(int words);
