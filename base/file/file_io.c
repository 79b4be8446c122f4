#include "base/file/file_io.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

struct stream {
    int file, error; /* of the first write that has failed, or 0 */
    char buffer[1 << 14];
};

static _Atomic int fault = ENOMEM;

int file_io_fault(void)
{
    return fault;
}

bool file_io_fail(int error)
{
    fault = error;
    errno = error;
    return false;
}

/* --- bytes ------------------------------------------------------------------------------------------------- */

bool file_io_write_at(int file, const void *data, size_t bytes, off_t at)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t written = at < 0 ? write(file, from, bytes) : pwrite(file, from, bytes, at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return file_io_fail(errno);
        from += written;
        bytes -= (size_t)written;
        at += at < 0 ? 0 : written;
    }
    return true;
}

static ssize_t read_some(int file, void *data, size_t bytes, off_t at)
{
    ssize_t got = TEMP_FAILURE_RETRY(at < 0 ? read(file, data, bytes) : pread(file, data, bytes, at));
    if (got < 0)
        file_io_fail(errno);
    return got;
}

bool file_io_read_at(int file, void *data, size_t bytes, off_t at)
{
    char *to = data;
    while (bytes > 0) {
        ssize_t got = read_some(file, to, bytes, at);
        if (got <= 0)
            return file_io_fail(got < 0 ? errno : ENODATA);
        to += got;
        bytes -= (size_t)got;
        at += at < 0 ? 0 : got;
    }
    return true;
}

/* --- streams ----------------------------------------------------------------------------------------------- */

static ssize_t read_stream(void *cookie, char *data, size_t bytes)
{
    return read_some(((struct stream *)cookie)->file, data, bytes, -1);
}

/* The C library takes fewer bytes than it wanted to write for an error, and 0 for the only one. */
static ssize_t write_stream(void *cookie, const char *data, size_t bytes)
{
    struct stream *s = cookie;
    if (s->error == 0 && !file_io_write_all(s->file, data, bytes))
        s->error = errno;
    errno = s->error ? s->error : errno;
    return s->error ? 0 : (ssize_t)bytes;
}

static int seek_stream(void *cookie, off_t *at, int from)
{
    *at = lseek(((struct stream *)cookie)->file, *at, from);
    return *at < 0 ? -1 : 0;
}

static int close_stream(void *cookie)
{
    auto_free struct stream *s = cookie;
    int error = close(s->file) != 0 && errno != EINTR ? errno : s->error;
    errno = error ? error : errno;
    return error ? -1 : 0;
}

const char *file_io_path(const char *directory, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.3800s/%s", directory, name);
    return path;
}

struct file_name file_io_name(int file)
{
    struct file_name name;
    snprintf(name.path, sizeof name.path, "/proc/self/fd/%d", file);
    return name;
}

FILE *file_io_stream(int file, const char *mode)
{
    const cookie_io_functions_t calls = {read_stream, write_stream, seek_stream, close_stream};
    if (file < 0)
        return NULL;
    struct stream *s = memory_take(sizeof *s);
    FILE *stream = fopencookie(s, mode, calls);
    if (!stream)
        memory_exhausted();
    s->file = file;
    s->error = 0;
    stream->_fileno = file; /* so that fileno() knows it; the C library goes by the calls alone */
    setvbuf(stream, s->buffer, isatty(file) ? _IOLBF : _IOFBF, sizeof s->buffer);
    return stream;
}

FILE *file_io_open(const char *path, int flags)
{
    static const char *const modes[] = {[O_RDONLY] = "r", [O_WRONLY] = "w", [O_RDWR] = "w+"};
    return file_io_stream(TEMP_FAILURE_RETRY(open(path, flags | O_CLOEXEC, 0666)), modes[flags & O_ACCMODE]);
}

void file_io_end(FILE *stream)
{
    if (stream)
        fclose(stream);
}

void file_io_close(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

bool file_io_flush(FILE *stream)
{
    return fflush(stream) == 0 && (!ferror(stream) || file_io_fail(fault));
}

/* --- copies ------------------------------------------------------------------------------------------------ */

int64_t file_io_bytes(int file)
{
    struct stat facts;
    if (fstat(file, &facts) == 0)
        return (int64_t)facts.st_size;
    file_io_fail(errno);
    return -1;
}

/* Few bytes at a time, since actors of SimGrid have small stacks. */
bool file_io_copy(FILE *stream, bool reads, int file, uint64_t bytes)
{
    char part[1 << 13];
    bool copied = true;
    for (uint64_t at = 0, count; copied && at < bytes; at += count) {
        count = MIN(bytes - at, sizeof part);
        copied =
            reads ? fread(part, 1, count, stream) == count && file_io_write_at(file, part, count, (off_t)at)
                  : file_io_read_at(file, part, count, (off_t)at) && fwrite(part, 1, count, stream) == count;
    }
    return copied;
}
