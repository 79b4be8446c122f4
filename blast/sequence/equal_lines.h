/* equal_lines.h - lines of one length, of which a text of sequences mostly consists: told apart without a search for
 * the end of each, and joined, so that the letters of many lines are packed at once.
 *
 * Limits    A line is known to end where the first one does, not that it does not end before: the letters may still
 *           hold a line end.
 */
#ifndef MERCURY_BLAST_SEQUENCE_EQUAL_LINES_H
#define MERCURY_BLAST_SEQUENCE_EQUAL_LINES_H

#include <stddef.h>

/* Numbers of bytes of a line. */
struct line_shape {
    size_t letters; /* without its end, which is "\n" or "\r\n" */
    size_t whole;
};

/** The shape of a text's first line; all zeros if it has no end. */
struct line_shape line_shape_of(const char *text, size_t bytes);

/** Join the first lines of a text as long as they have a shape, and room.
 *
 * @param shape   of the first line, which has letters
 * @param joined  out: their letters; room for EQUAL_LINES_SPARE more
 * @return number of lines; the last one of the text is never among them
 */
size_t equal_lines_join(const char *text, size_t bytes, struct line_shape shape, char *joined, size_t room);

enum { EQUAL_LINES_SPARE = 16 };

#endif
