/* explore_files.h - the page's files: those of data/explore/, by a fixed list, and the colours of the report.
 *
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_EXPLORE_EXPLORE_FILES_H
#define MERCURY_APP_EXPLORE_EXPLORE_FILES_H

#include <stddef.h>

#include "base/why.h"

enum { EXPLORE_FILES_MOST = 10 };

struct explore_file {
    const char *path, *type; /* of the URL; media type */
    char *text;
    size_t bytes;
};

struct explore_files {
    struct explore_file items[EXPLORE_FILES_MOST];
    size_t count;
};

/** Read all of them. @param files  out, for explore_files_close() also after an error */
int explore_files_open(struct explore_files *files, struct why *why);
void explore_files_close(struct explore_files *files);

/** @return NULL if there is no file for this path of a URL */
const struct explore_file *explore_files_find(const struct explore_files *files, const char *path);

#endif
