/* search_options.h - options that say what is searched for and kept: query, database, strands of the query, E-value.
 *
 * run and compare take one query and one database, sweep and advise lists of them.
 */
#ifndef MERCURY_APP_RUN_SEARCH_OPTIONS_H
#define MERCURY_APP_RUN_SEARCH_OPTIONS_H

#include "base/command.h"
#include "blast/sequence/segment.h"

struct search_options {
    const char *query, *database; /* files; NULL if not given */
    enum strand_choice strands;   /* of the query */
    double e_value;               /* greatest E-value of an alignment that is kept */
};

/** Tables of options, for COMMAND_TABLE: --query and --database; --strand and --evalue. */
extern const struct command_option search_options_of_files[], search_options_of_limits[];

/** Both strands, E-values up to 1e-3. */
struct search_options search_options_default(void);

/** plus, minus or both: as --strand takes it and as results name it. */
const char *search_options_strand_name(enum strand_choice strands);

#endif
