/* output.h - output files that are either complete or absent.
 *
 * A file is written under its name with ".partial" appended, and is renamed when it is complete and on disk; until
 * then an older file of that name stays. A link is followed: the file that it leads to gets the new content. Pipes
 * and everything under /dev or /proc are written to directly; "-" is standard output.
 * Signals   output_remove_partials() may be called from a signal handler.
 * Errors    a negative OUTPUT_E* code and one line. output_commit() finds every fault of writing, such as a full disk.
 */
#ifndef MERCURY_BASE_OUTPUT_H
#define MERCURY_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/why.h"

enum output_error { OUTPUT_EOPEN = -2, OUTPUT_EWRITE = -3 };

enum { OUTPUT_PATH_MAX = 4096 };

struct output {
    FILE *file; /* to write to */
    char path[OUTPUT_PATH_MAX];
    char partial[OUTPUT_PATH_MAX + 16]; /* empty if the file is written directly */
    int slot;                           /* index among the files that a signal removes; -1 if none */
};

/** Begin a file. */
int output_open(struct output *output, const char *path, struct why *why);

/** Finish a file: flush, check, sync, rename. After an error nothing of it is left. */
int output_commit(struct output *output, struct why *why);

/** Give a file up; harmless after output_commit(). */
void output_discard(struct output *output);

/** Check that a file can be written, before hours are spent on its content. A plain file is begun and discarded; a
 *  pipe or device is not opened, because its reader would take that for the end. */
int output_probe(const char *path, struct why *why);

/** Make a directory unless it exists. */
int output_make_directory(const char *path, struct why *why);

/** Write all bytes to a file descriptor.
 *  @return false if they cannot be written */
bool output_write_all(int file, const void *data, size_t bytes);

/** Unlink every file that is open and not finished. Async-signal-safe. */
void output_remove_partials(void);

#endif
