/* estimate_session.h - an estimate, from what is asked for to its rows: of the command, and of the explorer's page.
 *
 * Order     estimate_session_read(), then estimate_session_make().
 * Memory    what the session points to stays with its caller. Start with a struct of zeros, and release it, also after
 *           an error.
 * Errors    an enum command_status and one line, which speaks of the command's options.
 */
#ifndef MERCURY_APP_ESTIMATE_ESTIMATE_SESSION_H
#define MERCURY_APP_ESTIMATE_ESTIMATE_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/command.h"
#include "base/why.h"
#include "app/estimate/estimate_rows.h"
#include "app/estimate/estimate_workload.h"

enum { ESTIMATE_SESSION_FILES = 16, ESTIMATE_SESSION_SETS = 128 };

struct estimate_session {
    /* What is asked for; NULL and 0: not given. */
    const char *files[ESTIMATE_SESSION_FILES + 1], *sets[ESTIMATE_SESSION_SETS];
    size_t file_count, set_count;
    const char *nodes, *from, *record;
    enum estimate_mode mode;
    struct estimate_scale scale;
    bool quiet;
    /* What has come of it. */
    struct estimate_text text;
    struct estimate_workload workload;
    char *workload_text; /* NULL without `from` */
    struct estimate_row rows[ESTIMATE_ROWS_MAX];
    unsigned count;
};

/** The options that say what is asked for, but for the record. */
extern const struct command_option estimate_session_options[];

/** The file that a name of the command line, or in another text, leads to: that file, or one of data/machines.
 *  @param from  the text with the name; NULL: the command line
 *  @return for free(); NULL if memory is exhausted */
char *estimate_session_find_file(const char *name, const char *from);

/** Read the texts and the run, change what is to be changed, and find the numbers of nodes. */
int estimate_session_read(struct estimate_session *session, struct why *why);

/** Make the rows, with the detailed times that are known. */
int estimate_session_make(struct estimate_session *session, struct why *why);

/** What the table and the page are of; it points into the session. */
struct estimate_report estimate_session_report(struct estimate_session *session);

void estimate_session_release(struct estimate_session *session);

#endif
