/* output.h - files that are whole or not there.
 *
 * A file is written under its name with ".partial" behind it and gets its name when it is complete and on disk;
 * until then an older file of the name stays. A link is followed: what it leads to gets the new content. What is no
 * plain file (a pipe, anything under /dev or /proc) is written to directly, "-" is standard output.
 * Signals   output_remove_partials() may be called from a signal handler.
 * Errors    a negative OUTPUT_E* code and one line; a full disk is found out here at the latest.
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
    FILE *file; /* write here */
    char path[OUTPUT_PATH_MAX];
    char partial[OUTPUT_PATH_MAX + 16]; /* empty when written directly */
    int slot;                           /* among the partial files a signal removes, -1 for none */
};

/** Start a file. */
int output_open(struct output *output, const char *path, struct why *why);

/** Finish it: flush, check, sync, rename. On error nothing of it is left under its name. */
int output_commit(struct output *output, struct why *why);

/** Give it up; harmless after output_commit(). */
void output_discard(struct output *output);

/** Whether a file could be written there, before hours are spent. A plain file is tried and discarded; a pipe or device
 *  is not opened, since its reader would take that for the end. */
int output_probe(const char *path, struct why *why);

/** Make a directory unless it is there. */
int output_make_directory(const char *path, struct why *why);

/** Write all of it to a file descriptor.
 *  @return false when it cannot */
bool output_write_all(int file, const void *data, size_t bytes);

/** Unlink every file that is open and partial. Async-signal-safe. */
void output_remove_partials(void);

#endif
