#include "base/line_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <htslib/bgzf.h>
#include <htslib/hts_log.h>

#include "base/why.h"

static const char *shown_path(const struct line_reader *r)
{
    return strcmp(r->path, "-") == 0 ? "standard input" : r->path;
}

int line_reader_refuse(const struct line_reader *r, int code, const char *what)
{
    return why_say(r->why, code, "%s: %s", shown_path(r), what);
}

int line_reader_refuse_line(const struct line_reader *r, int code, const char *what)
{
    return why_say(r->why, code, "%s:%llu: %s", shown_path(r), (unsigned long long)r->number, what);
}

int line_reader_open(struct line_reader *r, const char *path, const char *expected, struct why *why)
{
    struct stat status;
    *r = (struct line_reader){.path = path, .why = why};
    hts_set_log_level(HTS_LOG_OFF); /* htslib would print; the caller does */
    if (strcmp(path, "-") != 0) {
        if (stat(path, &status) != 0)
            return line_reader_refuse(r, LINE_READER_EOPEN, strerror(errno));
        if (S_ISDIR(status.st_mode)) {
            char what[100];
            snprintf(what, sizeof what, "is a directory; expected %s", expected);
            return line_reader_refuse(r, LINE_READER_EOPEN, what);
        }
    }
    errno = 0;
    r->file = bgzf_open(path, "r");
    if (!r->file)
        return line_reader_refuse(r, LINE_READER_EOPEN, errno ? strerror(errno) : "cannot be read");
    return 0;
}

int line_reader_next(struct line_reader *r)
{
    int length = bgzf_getline(r->file, '\n', &r->line);
    if (length < 0 && length >= -1 && !r->file->errcode)
        return 0;
    r->number++; /* perhaps one that could not be read */
    if (length >= 0)
        return 1;
    return line_reader_refuse_line(r, LINE_READER_EREAD,
                                   r->file->is_compressed
                                       ? "compressed data is truncated or damaged; get the file again"
                                       : "cannot read on");
}

/* Only bgzip has an end mark, an empty block, to be missed. On a pipe htslib cannot look for it (2), but knows whether
 * the last block it read was one. */
bool line_reader_is_truncated(const struct line_reader *r)
{
    return r->file->is_compressed && !r->file->is_gzip &&
           (bgzf_check_EOF(r->file) == 0 || !r->file->last_block_eof);
}

int line_reader_close(struct line_reader *r, int status)
{
    if (r->file && bgzf_close(r->file) != 0 && status == 0)
        status = line_reader_refuse(r, LINE_READER_EREAD, "cannot be closed without an error");
    ks_free(&r->line);
    r->file = NULL;
    return status;
}
