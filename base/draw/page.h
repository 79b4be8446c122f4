/* page.h - pages of HTML: head, style sheet, links, sections of text, pictures and tables.
 *
 * Page      one file that needs nothing else: no network, no script. It follows the reader's light or dark screen, and
 *           prints in light colours on A4. Pictures in it are part of it (svg.h). It is a table of sections, which the
 *           links at its top follow.
 * Errors    whoever closes the file finds out about a full disk.
 */
#pragma once

#include <stdio.h>

#include "base/draw/picture.h"
#include "base/draw/result_table.h"
#include "base/why.h"

/** A section; a page lacks one with nothing to write or draw. */
struct page_section {
    const char *name;                           /* of its element, for links */
    const char *title;                          /* its heading; NULL: it has neither a heading nor a link */
    void (*write)(const void *data, FILE *out); /* NULL: nothing */
    const void *data;
    const char *link;   /* words of the link; NULL: the title */
    const char *says;   /* HTML before what is written; NULL: none */
    picture_draw *draw; /* the picture after it; NULL: none */
};

/** Write a page to a file, which is whole or not there.
 *
 * @param path  "-" is standard output
 * @param what  a line that says what the page is of
 * @return an enum command_status, and one line if it is not 0
 */
int page_write(const char *path, const char *title, const char *what, const struct page_section *sections,
               size_t count, struct why *why);

/** Write sections without a page around them. */
void page_write_sections(const struct page_section *sections, size_t count, FILE *out);

/* --- for sections ---------------------------------------------------------------------------------------- */

/** Write HTML. @param format  as for printf(), with %s, %d, %u, %e, %f, %g and longer integers; texts are escaped, and
 *  `%.*s` is the only one with a precision */
void page_put(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** A picture. A table is one of result_table.h, as RESULT_HTML. */
void page_picture(picture_draw *draw, const void *picture, FILE *out);

/** Writes a section of words. @param words  a text: a line for each word, with a tab and its meaning, and then a line
 *  of HTML, which becomes a paragraph */
void page_words(const void *words, FILE *out);
