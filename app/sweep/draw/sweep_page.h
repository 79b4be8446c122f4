/* sweep_page.h - the page of a sweep: one HTML file with its pictures, the best machines, the knee, where the
 * bottleneck changes, the points, and the numbers that all points share (base/draw/page.h).
 *
 * Points    at most the first 200; `mercury sweep export` has all.
 * Errors    an enum command_status and one line. The file is whole or not there.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_PAGE_H
#define MERCURY_APP_SWEEP_SWEEP_PAGE_H

#include "base/why.h"
#include "app/sweep/draw/sweep_picture.h"
#include "app/sweep/point/sweep_store.h"

/** @param name  of the store, for the commands that the page shows
 *  @param path  "-" is standard output */
int sweep_page_write(struct sweep_store *store, const char *name, const char *path,
                     const struct sweep_ask *ask, struct why *why);

#endif
