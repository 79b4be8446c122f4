/* report_page.h - the frame of every page: head, style sheet, title; end.
 *
 * Page      one file that needs nothing else: no network, no script. It follows the reader's light or dark screen, and
 *           prints in light colours on A4. Pictures in it are part of it (base/draw/svg.h).
 */
#ifndef MERCURY_APP_REPORT_REPORT_PAGE_H
#define MERCURY_APP_REPORT_REPORT_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "base/why.h"

/** Begin a page with its title, and a line that says what it is of. */
void report_page_begin(const char *title, const char *what, FILE *out);
void report_page_end(FILE *out);

/** Explain the words of a page: its last section.
 *
 * @param words  `count` words, each with its meaning
 * @param note   a paragraph after them, as HTML
 */
void report_page_write_words(const char *const (*words)[2], size_t count, const char *note, FILE *out);

/** Writes the content of a page. @return 0, or an enum command_status and one line */
typedef int report_page_writer(void *page, FILE *out, struct why *why);

/** Write a page to a file, which is whole or not there. @param path  "-" is standard output */
int report_page_write_file(const char *path, report_page_writer *write, void *page, struct why *why);

#endif
