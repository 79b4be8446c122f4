/* line_reader.h - a text file line by line: plain, gzip or bgzip; "-" is standard input.
 *
 * Left out  line ends, of Unix and of Windows, and the byte-order mark of UTF-8 at the begin of the file.
 * Errors    a negative LINE_READER_E* code, or one of the caller's own, and one line of text that names the file
 *           and, if it is a line that is wrong, its number. Neither this module nor htslib prints anything.
 * Threads   line_reader_read_ahead() lets a thread read and decompress; it ends in line_reader_close().
 * Memory    64 KiB of whole lines, or one line that is longer; with a thread, twice 512 KiB. A line belongs to the
 *           reader until the next one is read; the caller may change it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <htslib/kstring.h>

#include "base/why.h"

enum line_reader_error {
    LINE_READER_EOPEN = -2, /* there is no such file, it is a directory, or permission is denied */
    LINE_READER_EREAD = -3, /* the medium failed, or a compressed file is truncated or damaged */
};

struct line_reader {
    const char *path;
    struct BGZF *file;
    struct line_texts *texts;
    kstring_t line;  /* the present line, without its line end */
    uint64_t number; /* its number, from 1 */
    struct why *why;
};

/** Open a file. Also after an error, the reader must be closed.
 *
 * @param expected  what the file should be, e.g. "a FASTA file", to say if it is a directory
 * @param why       receives the text of every failure
 */
int line_reader_open(struct line_reader *reader, const char *path, const char *expected, struct why *why);

/** Let a thread read ahead, before the first line is taken: if the file is compressed or has 16 MiB or more, and is a
 *  plain one, since a read that waits for data cannot be broken off. The lines and the errors are the same. */
void line_reader_read_ahead(struct line_reader *reader);

/** @return 1 after a line was read, 0 at the end of the file, or LINE_READER_EREAD */
int line_reader_next(struct line_reader *reader);

/** The lines after the present one that have been read, with their line ends, of which the file's last one may lack its
 *  own. @param bytes  out: their number of bytes; may be 0 when there are more lines */
const char *line_reader_ready(const struct line_reader *reader, size_t *bytes);

/** Go on to the last of some lines that are ready, whose text the caller has seen: only its number becomes that of the
 *  present line.
 *
 * @param bytes  those of `lines` whole lines
 */
void line_reader_skip(struct line_reader *reader, size_t bytes, uint64_t lines);

/** Whether the file, which has been read to its end, is of bgzip and lacks the mark that ends such files. */
bool line_reader_is_truncated(const struct line_reader *reader);

/** Close the file. @return `status`, or LINE_READER_EREAD if `status` is 0 and closing fails */
int line_reader_close(struct line_reader *reader, int status);

/* Say what is wrong with the file, or with the present line; the text is formatted as by printf. @return `code` */
int line_reader_refuse(const struct line_reader *reader, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int line_reader_refuse_line(const struct line_reader *reader, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
