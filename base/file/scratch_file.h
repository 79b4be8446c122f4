/* scratch_file.h - files for what is too large to be kept in memory. They have no name, so that nothing is left of them
 * however the process ends.
 *
 * Where     in the directory that TMPDIR names; in /tmp without TMPDIR.
 * Errors    SCRATCH_FILE_EOPEN and one line, which names the directory.
 */
#pragma once

#include <stdio.h>

#include "base/why.h"

enum { SCRATCH_FILE_EOPEN = -2 };

/** Open a file to read and to write; children inherit it, other programs do not.
 *  @return its descriptor, or -1, with errno */
int scratch_file_descriptor(void);

/** Open a scratch file as a stream. @return NULL, with errno, if it cannot be made */
FILE *scratch_file_open(void);

/** Open one in another directory, where large files are expected, and beside a file, which may be one that
 * /proc/self/fd names. @return its descriptor, or -1, with errno */
int scratch_file_descriptor_in(const char *directory);
int scratch_file_descriptor_beside(const char *path);

/** Check that such files can be made, before hours of work that needs them. */
int scratch_file_probe(struct why *why);

/** Say, from errno, why a file cannot be made. @return `code` */
int scratch_file_refuse(struct why *why, int code);

/** Say that a file cannot be written or read, or memory is exhausted, from file_io_fault().
 *  @param what  does not fit, such as "what a pass measured". @return `code` */
int scratch_file_refuse_bytes(const char *what, struct why *why, int code);
