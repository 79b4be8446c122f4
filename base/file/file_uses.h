/* file_uses.h - which files a command reads and writes, so that it writes neither over its input nor two texts into one
 * file.
 *
 * Same      two names are of one file if they lead to one device and inode; for a file that is not there yet, if their
 *           paths are equal without links and dots. "-" is standard input or standard output. Pipes, devices and
 *           directories are of no concern.
 * Memory    the texts are copied.
 * Errors    FILE_USES_ECLASH and one line that names both.
 */
#pragma once

#include <stddef.h>

#include "base/why.h"

enum { FILE_USES_ECLASH = -2 };

/** Start with {0}. */
struct file_uses {
    struct file_use *items;
    size_t count, room;
};

/** Tell of a file that is read.
 *
 * @param name  what the user calls it, such as "--record" or "the database"; a text that stays
 * @param path  NULL: there is no such file
 */
void file_uses_read(struct file_uses *uses, const char *name, const char *path);

/** Tell of a file that will be written, or removed. */
void file_uses_write(struct file_uses *uses, const char *name, const char *path);

/** Refuse a file that is written and used otherwise, too; then forget all files. */
int file_uses_check(struct file_uses *uses, struct why *why);

/** Check the uses, and that each file that is written can be (output_probe()). */
int file_uses_probe(struct file_uses *uses, struct why *why);

void file_uses_destroy(struct file_uses *uses);
