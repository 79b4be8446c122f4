/* assumption_picture.h - the shares of assumptions as a section of a page: a waterfall for each queue.
 *
 * Picture   a panel per mean queue that a formula has a number for: a bar per step, from the value before it to the
 *           value after it, and the formulas as lines. Its scale reaches from 0 to its greatest value.
 * Errors    none: who closes the file finds out about a full disk.
 */
#ifndef MERCURY_APP_THEORY_ASSUMPTION_PICTURE_H
#define MERCURY_APP_THEORY_ASSUMPTION_PICTURE_H

#include "base/draw/page.h"
#include "app/why/assumption_shares.h"

/** Writes the section. @param shares  struct assumption_shares */
void assumption_picture_write(struct page *page, const void *shares);

#endif
