/* lines_ahead.h - the lines of a file, read and decompressed many at a time: by a thread ahead of the one that takes
 * them, or without a thread when the next one is taken.
 *
 * Threads   the reading thread alone uses the file until it has come to the file's end or to an error; whoever takes
 *           the lines may use the file after that, and after lines_ahead_destroy(). A read that waits for data cannot
 *           be broken off: for plain files only, no pipes.
 * Memory    LINES_AHEAD_TEXTS texts of whole lines (one without a thread), each of LINES_AHEAD_BYTES, or of one line
 *           that is longer than that.
 */
#ifndef MERCURY_BASE_LINES_AHEAD_H
#define MERCURY_BASE_LINES_AHEAD_H

#include <stdbool.h>

#include <htslib/kstring.h>

enum { LINES_AHEAD_TEXTS = 8, LINES_AHEAD_BYTES = 64 << 10 };

struct BGZF;
struct lines_ahead;

/** Start reading.
 *
 * @param with_thread  false: whoever takes the lines reads them
 * @return NULL if that is not possible
 */
struct lines_ahead *lines_ahead_new(struct BGZF *file, bool with_thread);

/** Stop reading, and free all lines; NULL is allowed. */
void lines_ahead_destroy(struct lines_ahead *lines);

/** Take the next line.
 *
 * @param line  out: its text, which the caller may change but not free, until the next line is taken
 * @return what bgzf_getline() returns: the length, -1 at the file's end, -3 if memory is exhausted, or another number
 *         below -1 after another error; all but lengths again and again
 */
int lines_ahead_next(struct lines_ahead *lines, kstring_t *line);

/** The lines that come next and have been read, with their line ends, of which the file's last one may lack its own.
 *
 * @param bytes  out: their number of bytes; may be 0 when there are more lines
 */
const char *lines_ahead_ready(const struct lines_ahead *lines, size_t *bytes);

/** Take lines that are ready, without a look at them. @param bytes  those of whole lines, with their line ends */
void lines_ahead_skip(struct lines_ahead *lines, size_t bytes);

#endif
