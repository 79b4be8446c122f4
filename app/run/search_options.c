#include "app/run/search_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file/whole_file.h"
#include "blast/sequence/fasta.h"
#include "blast/stages12/wmer.h"
#include "app/options.inc"

static const char *const strand_names[] = {
    [STRANDS_PLUS] = "plus", [STRANDS_MINUS] = "minus", [STRANDS_BOTH] = "both", NULL};

const struct command_option search_options_of_files[] = COMMAND_OPTIONS(SEARCH_OPTIONS_OF_FILES);

const struct command_option search_options_of_limits[] = COMMAND_OPTIONS(SEARCH_OPTIONS_OF_LIMITS);

struct search_options search_options_default(void)
{
    return (struct search_options){.strands = STRANDS_BOTH, .e_value = 1e-3};
}

const char *search_options_strand_name(enum strand_choice strands)
{
    return strand_names[strands];
}

enum strand_choice search_options_find_strands(const char *name)
{
    enum strand_choice strands = STRANDS_BOTH;
    while (strands > 0 && !(name && strcmp(name, strand_names[strands]) == 0))
        strands--;
    return strands;
}

static const char *name_of(struct search_files *files)
{
    size_t used = 0;
    for (size_t i = 0; files->count > 1 && i < files->count && used < SEARCH_NAME_BYTES; i++) {
        const char *name = basename(files->paths[i]); /* of string.h, which changes nothing */
        used += (size_t)snprintf(files->name + used, SEARCH_NAME_BYTES - used, "%s%.*s", i > 0 ? " + " : "",
                                 (int)strcspn(name, "."), name);
    }
    return files->count > 1 ? files->name : files->paths[0];
}

void search_options_note(const struct search_options *o, struct file_uses *uses)
{
    for (size_t i = 0; i < o->queries.count; i++)
        file_uses_read(uses, "the query", o->queries.paths[i]);
    for (size_t i = 0; i < o->databases.count; i++)
        file_uses_read(uses, "the database", o->databases.paths[i]);
}

static size_t count_standard_inputs(const struct search_files *files)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        count += strcmp(files->paths[i], "-") == 0;
    return count;
}

bool search_options_read_standard_input(const struct search_options *o)
{
    return count_standard_inputs(&o->queries) + count_standard_inputs(&o->databases) > 0;
}

void search_options_set_files(struct search_options *o, const char *query, const char *database)
{
    o->queries = (struct search_files){.paths = {query}, .count = 1};
    o->databases = (struct search_files){.paths = {database}, .count = 1};
    o->query = query;
    o->database = database;
}

int search_options_complete(struct search_options *o, struct why *why)
{
    o->query = name_of(&o->queries);
    o->database = name_of(&o->databases);
    size_t queries = count_standard_inputs(&o->queries), databases = count_standard_inputs(&o->databases);
    if (queries > 0 && databases > 0)
        return why_refuse(why,
                          "query and database cannot both be standard input; give one of them as a file");
    if (queries > 1 || databases > 1)
        return why_refuse(why, "--%s -: standard input can be read only once",
                          queries > 1 ? "query" : "database");
    return COMMAND_OK;
}

/* --- reading --------------------------------------------------------------------------------------------- */

static int check(int status, const char *name, const char *what, const struct sequences *out, struct why *why)
{
    status = command_status_of(status);
    if (status || wmer_in_sequences(out))
        return status;
    return why_refuse(
        why,
        "%s: the %s has no %d consecutive bases of A, C, G and T, which every seed needs; give a longer or "
        "less ambiguous one",
        whole_file_name(name), what, WMER_BASES);
}

int search_options_read(const char *const *paths, size_t count, const char *name, const char *what,
                        unsigned threads, struct sequences *out, struct why *why)
{
    return check(sequences_read_files(threads, paths, count, out, why), name, what, out, why);
}

int search_options_cut(const char *name, struct sequence_range range, struct sequences *query,
                       struct why *why)
{
    if (sequences_cut(query, range) != 0)
        return why_refuse(why,
                          "--query-loc %" PRIu64 "-%" PRIu64 ": no sequence of %.400s has a base %" PRIu64,
                          range.first, range.last, whole_file_name(name), range.first);
    if (check(0, name, "query", query, why) != 0)
        return why_precede(why, COMMAND_REFUSED, "--query-loc %" PRIu64 "-%" PRIu64 ": ", range.first,
                           range.last);
    return 0;
}
