#include "base/file/line_reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <htslib/bgzf.h>
#include <htslib/hts_log.h>

#include "base/background.h"
#include "base/memory.h"
#include "base/file/whole_file.h"

enum { END_OF_FILE = -1, FAILED = -2, NO_TEXT = -3 };

/* A thread is started for each text, and its work on one shall take much longer than that. */
enum { TEXT_BYTES = 64 << 10, TEXT_BYTES_AHEAD = 512 << 10 };

/* Whole lines; only the file's last one may have no line end. */
struct text {
    char *bytes;
    size_t count, room; /* room: with one for a NUL */
    int end;            /* 0; after the last line one of these */
};

/* Lines are taken of one text while the thread, if there is one, fills the other. Only who fills a text uses the
 * file. */
struct line_texts {
    bool are_ahead; /* whether a thread fills the other */
    struct background ahead;
    struct text texts[2];
    unsigned present;
    size_t taken;   /* bytes of the present text */
    kstring_t rest; /* of the text filled last: the begin of a line whose end has not been read */
};

/* --- refusing -------------------------------------------------------------------------------------------- */

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

/* --- texts ----------------------------------------------------------------------------------------------- */

static void make_room(struct text *t, size_t room)
{
    if (room <= t->room)
        return;
    t->bytes = memory_grow(t->bytes, room);
    t->room = room;
}

/* Begin a text with the rest of the one before. Memory that a long line has taken is given back. */
static void begin_text(struct text *t, size_t bytes, const kstring_t *rest)
{
    if (t->room > 3 * bytes) {
        free(t->bytes);
        *t = (struct text){0};
    }
    t->count = 0;
    make_room(t, rest->l + bytes + BGZF_MAX_BLOCK_SIZE + 1);
    if (rest->l > 0)
        memcpy(t->bytes, rest->s, rest->l);
    t->count = rest->l;
}

/* Append the rest of a block, or the first byte of the next one: htslib drops what it has read when it comes to a block
 * that is damaged. A file that is not compressed has no blocks, and is read without a copy.
 * @return number of bytes, 0 at the file's end, or FAILED */
static ssize_t append_block(struct text *t, struct BGZF *file)
{
    if (t->room <= t->count + BGZF_MAX_BLOCK_SIZE)
        make_room(t, 2 * t->room);
    const int there = file->block_length - file->block_offset;
    char *end = t->bytes + t->count;
    errno = 0;
    ssize_t got = file->is_compressed ? bgzf_read(file, end, there > 0 ? (size_t)there : 1)
                                      : bgzf_raw_read(file, end, BGZF_MAX_BLOCK_SIZE);
    t->count += got > 0 ? (size_t)got : 0;
    if (got < 0 && errno == ENOMEM)
        memory_exhausted();
    return got >= 0 ? got : FAILED;
}

/* The text's end becomes END_OF_FILE, FAILED, or 0 if there is more to read. */
static void fill_text(struct line_reader *r, struct text *t)
{
    const size_t bytes = r->texts->are_ahead ? TEXT_BYTES_AHEAD : TEXT_BYTES;
    kstring_t *rest = &r->texts->rest;
    size_t whole = 0; /* bytes of whole lines */
    ssize_t got = 1;
    begin_text(t, bytes, rest);
    while (got > 0 && (t->count < bytes || (whole == 0 && *t->bytes))) {
        size_t before = t->count;
        got = append_block(t, r->file);
        const char *last = memrchr(t->bytes + before, '\n', t->count - before);
        whole = last ? (size_t)(last + 1 - t->bytes) : whole;
    }
    t->end = got > 0 ? whole > 0 ? 0 : NO_TEXT : got == 0 ? END_OF_FILE : (int)got;
    if (got == 0)
        return; /* the last line may lack its end */
    rest->l = 0;
    if (kputsn(t->bytes + whole, t->count - whole, rest) < 0)
        memory_exhausted();
    t->count = whole;
}

static void *fill_other(void *reader)
{
    struct line_reader *r = reader;
    fill_text(r, &r->texts->texts[1 - r->texts->present]);
    return NULL;
}

/* Go to a text with more lines. @return 0, or how the file has ended */
static int find_line(struct line_reader *r)
{
    struct line_texts *t = r->texts;
    while (t->taken == t->texts[t->present].count) {
        if (t->texts[t->present].end)
            return t->texts[t->present].end;
        t->taken = 0;
        if (!t->are_ahead) {
            fill_text(r, &t->texts[t->present]);
            continue;
        }
        background_wait(&t->ahead);
        t->present = 1 - t->present;
        if (!t->texts[t->present].end)
            background_begin(&t->ahead, fill_other, r);
    }
    return 0;
}

/* --- the file -------------------------------------------------------------------------------------------- */

int line_reader_open(struct line_reader *r, const char *path, const char *expected, struct why *why)
{
    struct stat status;
    *r = (struct line_reader){.path = path, .why = why};
    hts_set_log_level(HTS_LOG_OFF); /* htslib prints nothing; the caller says what failed */
    if (strcmp(path, "-") != 0) {
        if (stat(path, &status) != 0)
            return line_reader_refuse(r, LINE_READER_EOPEN, "%s", why_error(errno));
        if (S_ISDIR(status.st_mode))
            return line_reader_refuse(r, LINE_READER_EOPEN, "is a directory; expected %s", expected);
    }
    errno = 0;
    r->file = bgzf_open(path, "r");
    if (!r->file)
        return line_reader_refuse(r, LINE_READER_EOPEN, "%s", errno ? why_error(errno) : "cannot be read");
    r->texts = memory_new(1, sizeof *r->texts);
    return 0;
}

/* Taking the lines from another thread takes longer than reading them if files are smaller and not compressed. */
enum { BYTES_FOR_A_THREAD = 16 << 20 };

void line_reader_read_ahead(struct line_reader *r)
{
    struct stat status;
    bool is_plain = strcmp(r->path, "-") != 0 && stat(r->path, &status) == 0 && S_ISREG(status.st_mode);
    if (!is_plain || (!r->file->is_compressed && status.st_size < BYTES_FOR_A_THREAD))
        return;
    r->texts->are_ahead = true;
    background_begin(&r->texts->ahead, fill_other, r);
}

/* htslib tells of some damage only by its code. The number is also that of a line that could not be read. */
int line_reader_next(struct line_reader *r)
{
    int end = find_line(r);
    if (end == END_OF_FILE && !r->file->errcode)
        return 0;
    r->number++;
    if (end)
        return line_reader_refuse_line(r, LINE_READER_EREAD, "%s",
                                       end == NO_TEXT ? "no text: its bytes are 0"
                                       : r->file->is_compressed
                                           ? "compressed data is truncated or damaged; get the file again"
                                           : "cannot read on");
    struct line_texts *t = r->texts;
    struct text *text = &t->texts[t->present];
    char *begin = text->bytes + t->taken;
    size_t left = text->count - t->taken;
    const char *line_end = memchr(begin, '\n', left);
    size_t length = line_end ? (size_t)(line_end - begin) : left;
    t->taken += line_end ? length + 1 : left;
    length -= length > 0 && begin[length - 1] == '\r';
    begin[length] = '\0';
    const size_t mark = r->number == 1 && strncmp(begin, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    r->line = (kstring_t){.s = begin + mark, .l = length - mark, .m = length - mark + 1};
    return 1;
}

const char *line_reader_ready(const struct line_reader *r, size_t *bytes)
{
    const struct text *text = &r->texts->texts[r->texts->present];
    *bytes = text->count - r->texts->taken;
    return *bytes > 0 ? text->bytes + r->texts->taken : NULL;
}

void line_reader_skip(struct line_reader *r, size_t bytes, uint64_t lines)
{
    r->texts->taken += bytes;
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
    if (r->texts) {
        background_wait(&r->texts->ahead);
        free(r->texts->texts[0].bytes);
        free(r->texts->texts[1].bytes);
        ks_free(&r->texts->rest);
    }
    free(r->texts);
    if (r->file && bgzf_close(r->file) != 0 && status == 0)
        status = line_reader_refuse(r, LINE_READER_EREAD, "cannot be closed without an error");
    *r = (struct line_reader){.path = r->path, .why = r->why};
    return status;
}
