#include "base/file/line_reader.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <htslib/bgzf.h>
#include <htslib/hts_log.h>

#include "base/file/whole_file.h"

int line_reader_refuse(const struct line_reader *r, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    why_say(r->why, code, "%s: ", whole_file_name(r->path));
    why_append_list(r->why, format, arguments);
    va_end(arguments);
    return code;
}

int line_reader_refuse_line(const struct line_reader *r, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    why_say(r->why, code, "%s:%llu: ", whole_file_name(r->path), (unsigned long long)r->number);
    why_append_list(r->why, format, arguments);
    va_end(arguments);
    return code;
}

int line_reader_fail_memory(const struct line_reader *r)
{
    why_no_memory(r->why, WHY_EMEMORY);
    return why_precede(r->why, WHY_EMEMORY, "%s:%llu: ", whole_file_name(r->path),
                       (unsigned long long)r->number);
}

int line_reader_open(struct line_reader *r, const char *path, const char *expected, struct why *why)
{
    struct stat status;
    *r = (struct line_reader){.path = path, .why = why};
    hts_set_log_level(HTS_LOG_OFF); /* htslib prints nothing; the caller says what failed */
    if (strcmp(path, "-") != 0) {
        if (stat(path, &status) != 0)
            return line_reader_refuse(r, LINE_READER_EOPEN, "%s", strerror(errno));
        if (S_ISDIR(status.st_mode))
            return line_reader_refuse(r, LINE_READER_EOPEN, "is a directory; expected %s", expected);
    }
    errno = 0;
    r->file = bgzf_open(path, "r");
    if (!r->file)
        return line_reader_refuse(r, LINE_READER_EOPEN, "%s", errno ? strerror(errno) : "cannot be read");
    return 0;
}

static bool is_plain(const struct line_reader *r, struct stat *status)
{
    return strcmp(r->path, "-") != 0 && stat(r->path, status) == 0 && S_ISREG(status->st_mode);
}

/* Of smaller files that are not compressed, taking the lines from another thread takes longer than reading them. */
enum { BYTES_FOR_A_THREAD = 16 << 20 };

void line_reader_read_ahead(struct line_reader *r, bool with_thread)
{
    struct stat status;
    if (is_plain(r, &status))
        r->ahead = lines_ahead_new(
            r->file, with_thread && (r->file->is_compressed || status.st_size >= BYTES_FOR_A_THREAD));
}

enum { NO_MEMORY = -3 }; /* instead of a length */

/* htslib goes on behind a damaged block: a line with such a gap is none. lines_ahead has ended at the damage. */
static bool is_damaged(const struct line_reader *r, int length)
{
    return length < -1 || ((!r->ahead || length == -1) && r->file->errcode);
}

static int read_line(struct line_reader *r)
{
    if (r->ahead)
        return lines_ahead_next(r->ahead, &r->line);
    errno = 0;
    int length = bgzf_getline(r->file, '\n', &r->line);
    return length < -1 && errno == ENOMEM ? NO_MEMORY : length;
}

int line_reader_next(struct line_reader *r)
{
    int length = read_line(r);
    bool damaged = is_damaged(r, length);
    if (length == -1 && !damaged)
        return 0;
    r->number++; /* also of a line that could not be read */
    if (!damaged)
        return 1;
    if (length == NO_MEMORY)
        return line_reader_fail_memory(r);
    return line_reader_refuse_line(r, LINE_READER_EREAD, "%s",
                                   r->file->is_compressed
                                       ? "compressed data is truncated or damaged; get the file again"
                                       : "cannot read on");
}

const char *line_reader_ready(const struct line_reader *r, size_t *bytes)
{
    *bytes = 0;
    return r->ahead ? lines_ahead_ready(r->ahead, bytes) : NULL;
}

void line_reader_skip(struct line_reader *r, size_t bytes, uint64_t lines)
{
    lines_ahead_skip(r->ahead, bytes);
    r->number += lines;
}

/* The end mark of bgzip is an empty block. In a pipe htslib cannot look for it and returns 2, but it knows whether
 * the last block that it read was empty. */
bool line_reader_is_truncated(const struct line_reader *r)
{
    return r->file->is_compressed && !r->file->is_gzip &&
           (bgzf_check_EOF(r->file) == 0 || !r->file->last_block_eof);
}

int line_reader_close(struct line_reader *r, int status)
{
    if (r->ahead)
        r->line = (kstring_t){0};
    lines_ahead_destroy(r->ahead);
    r->ahead = NULL;
    if (r->file && bgzf_close(r->file) != 0 && status == 0)
        status = line_reader_refuse(r, LINE_READER_EREAD, "cannot be closed without an error");
    ks_free(&r->line);
    r->file = NULL;
    return status;
}
