/* line_reader.h - a text file line by line: plain, gzip or bgzip; "-" is standard input.
 *
 * Errors    a negative LINE_READER_E* code, or the caller's own, and one line of text that names the file, and the line where
 *           there is one; nothing is printed, by htslib neither.
 * Memory    the reader's, one line; line_reader_close() gives it back.
 */
#ifndef MERCURY_BASE_LINE_READER_H
#define MERCURY_BASE_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <htslib/kstring.h>

#include "base/why.h"

enum line_reader_error {
    LINE_READER_EOPEN = -1, /* no such file, a directory, no permission */
    LINE_READER_EREAD = -2, /* the medium failed, or a compressed file is truncated or damaged */
};

struct line_reader {
    const char *path;
    struct BGZF *file;
    kstring_t line;  /* without its end */
    uint64_t number; /* of the line, from 1 */
    struct why *why;
};

/** Open a file; close it, error or not.
 *
 * @param expected  "a FASTA file", where it turns out to be a directory
 * @param why       receives the text of every failure
 */
int line_reader_open(struct line_reader *reader, const char *path, const char *expected, struct why *why);

/** @return 1: a line; 0: the end; or LINE_READER_EREAD */
int line_reader_next(struct line_reader *reader);

/** At the end: whether a bgzip file lacks its end mark. */
bool line_reader_is_truncated(const struct line_reader *reader);

/** Close. @return `status`, or LINE_READER_EREAD where that is 0 and closing fails */
int line_reader_close(struct line_reader *reader, int status);

/* Say what is wrong with the file, or with the line. @return `code` */
int line_reader_refuse(const struct line_reader *reader, int code, const char *what);
int line_reader_refuse_line(const struct line_reader *reader, int code, const char *what);

#endif
