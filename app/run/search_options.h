/* search_options.h - options that say what is searched for and kept: query, database, strands of the query, E-value.
 *
 * run and compare take one query and one database, sweep and advise lists of them.
 * Errors    COMMAND_REFUSED and one line that names the option and what it expects.
 */
#ifndef MERCURY_APP_RUN_SEARCH_OPTIONS_H
#define MERCURY_APP_RUN_SEARCH_OPTIONS_H

#include <getopt.h>
#include <stddef.h>

#include "base/why.h"
#include "blast/sequence/segment.h"

struct search_options {
    const char *query, *database; /* files; NULL: not given */
    enum strand_choice strands;   /* of the query */
    double e_value;               /* of an alignment that is kept, at most */
};

/** For struct option tables and getopt's letters. */
#define SEARCH_OPTIONS_LONG                                                                                  \
    {"query", required_argument, NULL, 'q'}, {"database", required_argument, NULL, 'd'},                     \
        {"strand", required_argument, NULL, 's'},                                                            \
    {                                                                                                        \
        "evalue", required_argument, NULL, 'e'                                                               \
    }
#define SEARCH_OPTIONS_LETTERS "q:d:s:e:"

/** Both strands, E-values up to 1e-3. */
struct search_options search_options_default(void);

/** Take an option of the table's.
 *
 * @param option  its letter
 */
int search_options_take(struct search_options *options, int option, const char *argument, struct why *why);

/** plus, minus or both: as --strand takes it and as results name it. */
const char *search_options_strand_name(enum strand_choice strands);

#endif
