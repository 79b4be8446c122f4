/* file_io.h - bytes to and from files, which a signal does not stop.
 *
 * Why       a call that a signal interrupts (EINTR) is made again: a stream of fopen() loses what it had to write then,
 *           and does not keep why a write has failed.
 * Errors    errno; what it means to the user says why_error() (base/why.h).
 */
#pragma once

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** The path of a file in a directory. One that is too long is cut, and then there is no such file. @return `path` */
const char *file_io_path(const char *directory, const char *name, char path[PATH_MAX]);

/** The path by which this process can open a file again that it has open. */
struct file_name {
    char path[32];
};

struct file_name file_io_name(int file);

/** Open a stream on a descriptor, which becomes the stream's. After a write that has failed all others fail for the
 * same reason, so that errno has it when file_io_flush() or fclose() fails.
 *  @return NULL if the descriptor is negative: errno says why, as the call that gave it left it */
FILE *file_io_stream(int file, const char *mode);

/** Open a file as a stream. @param flags  of open(); its mode is 0666 */
FILE *file_io_open(const char *path, int flags);

/** Close a stream; NULL is allowed. */
void file_io_end(FILE *stream);

/** Close a descriptor and set it to -1; one that is negative already is allowed. */
void file_io_close(int *file);

/** Write out what a stream has. @return false, with errno, if any write to it has failed */
bool file_io_flush(FILE *stream);

/** Write all bytes to a file descriptor, or read all.
 *  @param at  place in the file, and where the descriptor stands does not change; negative: where it stands
 *  @return false, with errno, if they cannot be; it is ENODATA if the file is too short */
bool file_io_write_at(int file, const void *data, size_t bytes, off_t at);
bool file_io_read_at(int file, void *data, size_t bytes, off_t at);
static inline bool file_io_write_all(int file, const void *data, size_t bytes)
{
    return file_io_write_at(file, data, bytes, -1);
}

/** Number of bytes of a file, or -1, with errno. */
int64_t file_io_bytes(int file);

/** Copy the first bytes of a file to a stream, or the next ones of a stream to the begin of a file. Where the
 *  descriptor stands does not change.
 *  @param reads  the stream is read
 *  @return false if they cannot be read or written, or are fewer */
bool file_io_copy(FILE *stream, bool reads, int file, uint64_t bytes);

/** The errno of the last of these calls that has failed in this process, or of file_io_fail(). It is for the line that
 * tells of a fault, where much is done before it, or where it may be memory that was exhausted: ENOMEM if none has. */
int file_io_fault(void);

/** Let a call on a file that has failed for this errno be the last. @return false */
bool file_io_fail(int error);
