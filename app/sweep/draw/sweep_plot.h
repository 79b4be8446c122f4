/* sweep_plot.h - the pictures of the points in a store, as files or as a page.
 *
 * Pictures  sweep_picture.h says which. Each is NAME.svg, or NAME.png and NAME.pdf where asked for,
 *           and its points are beside it in NAME.tsv. There are all files of a call, or none is new. Fronts of an
 *           earlier call that these points do not have are removed from the directory.
 * Page      one HTML file with the pictures, the best machines, the knee, where the bottleneck changes, the first 200
 *           points (`mercury sweep export` has all), and the numbers that all points share.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include "base/draw/page.h"
#include "base/why.h"
#include "app/sweep/draw/sweep_picture.h"
#include "app/sweep/point/sweep_store.h"

/** Draw into a directory, which is made if it is missing, or write the page.
 *
 * @param name     of the store's file, which is not overwritten; NULL: it is in memory
 * @param path     of the directory, or of the page; "-" is then standard output
 * @param formats  of svg, png and pdf, separated by commas; NULL: the page
 * @param first    what the page begins with; NULL: the best machines
 */
int sweep_plot(struct sweep_store *store, const char *name, const char *path, const char *formats,
               const struct sweep_ask *ask, const struct page_section *first, struct why *why);
