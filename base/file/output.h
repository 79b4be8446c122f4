/* output.h - output files that are either complete or absent.
 *
 * Whole     a file has no name while it is written (O_TMPFILE), so that not even SIGKILL leaves anything of it; where
 *           the file system knows no such files, or another program is to write it, it has a name of its own beside
 *           its target, .mercury-NUMBER.partial, that no other process uses. When it is complete and on disk it takes
 *           its target's name in one step; until then an older file of that name stays. It takes two steps to replace
 *           an older file, between which it also has such a name. Of two processes that write one name, the last to
 *           finish wins.
 * Links     a link that the user or root has made is followed: the file that it leads to gets the new content. In a
 *           directory that is held (output_hold_directory()) a link is replaced; another user's is refused. Pipes and
 *           everything under /dev or /proc are written to directly; "-" is standard output.
 * Signals   output_remove_partials() may be called from a signal handler.
 * Errors    a negative OUTPUT_E* code and one line. output_commit() finds every fault of writing, such as a full disk.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/why.h"

enum output_error {
    OUTPUT_EOPEN = -2,
    OUTPUT_EWRITE = -3,
    OUTPUT_EBUSY = -4, /* another process writes to the directory */
};

enum { OUTPUT_PATH_MAX = 4096, OUTPUT_NAME_MAX = OUTPUT_PATH_MAX + 40 };

struct output {
    FILE *file; /* to write to */
    char path[OUTPUT_PATH_MAX];
    char partial[OUTPUT_NAME_MAX]; /* the file's name until it is complete; empty if it has none */
    bool unnamed;                  /* it has no name until it is complete; false if it is written directly */
    int slot;                      /* number among the files that a signal removes, from 1; 0 if none */
};

/** A path for a message; that of a temporary file, /proc/self/fd/N, tells the user nothing. */
const char *output_shown(const char *path);

/** Begin a file. */
int output_open(struct output *output, const char *path, struct why *why);

/** Begin a file that has a name from now on, `partial`, because another program is to write it. */
int output_open_named(struct output *output, const char *path, struct why *why);

/** Flush, check and sync a file without giving it its name yet: of several files that belong together, all are settled
 * before the first is committed. After an error nothing of it is left. */
int output_settle(struct output *output, struct why *why);

/** Finish a file: settle it, and give it its name. After an error nothing of it is left. */
int output_commit(struct output *output, struct why *why);

/** Finish a file if `status` is 0, and give it up otherwise. @return `status`, or COMMAND_REFUSED and one line */
int output_end(struct output *output, int status, struct why *why);

/** Give a file up; harmless after output_commit(), and for one that is all zero because it was never begun. */
void output_discard(struct output *output);

/** Remove a file, which need not be there. */
int output_remove(const char *path, struct why *why);

/** Check that a file can be written, before hours are spent on its content. A plain file is begun and discarded; a
 *  pipe or device is not opened, because its reader would take that for the end. */
int output_probe(const char *path, struct why *why);

/** Hold a directory until the process ends, so that no other process that asks for it writes files into it meanwhile;
 * a process may hold a directory once. Where the file system has no locks, nothing is held. A directory that this call
 * has made is guarded (output_guard()): if it is still empty when the program fails, nothing is left of it.
 *  @return 0; or OUTPUT_EBUSY if another process holds it, OUTPUT_EOPEN if it cannot be made or is "-", and one line */
int output_hold_directory(const char *path, struct why *why);

/** Let output_remove_partials() also remove a file, or a directory that is empty by then, that another program makes or
 * fills, for a while.
 *  @return a number for output_guard_end(), or -1 if too many files are open */
int output_guard(const char *path);

/** Remove it, if it is there. */
void output_guard_end(int guard);

/** Remove what is not finished: every file that is open, and what is guarded. For a program that fails, and for its
 *  handlers of signals: async-signal-safe. */
void output_remove_partials(void);
