/* search_options.h - options that say what is searched for and kept: query, database, strands of the query, E-value;
 * and their sequences, read and found fit for a run.
 *
 * run and compare take one query and one database, each in one file or several, sweep and advise lists of them.
 */
#pragma once

#include "base/command.h"
#include "base/file/file_uses.h"
#include "base/why.h"
#include "blast/sequence/segment.h"
#include "blast/sequence/sequence_cut.h"

enum { SEARCH_FILES_MAX = 64, SEARCH_NAME_BYTES = 4096 };

/** Files that are searched as if they were one. */
struct search_files {
    const char *paths[SEARCH_FILES_MAX];
    size_t count;
    char name[SEARCH_NAME_BYTES]; /* of all, without directories and endings, if there are several: "a + b" */
};

struct search_options {
    struct search_files queries, databases;
    /* The name of each: its path, if it is one file; NULL if none was given. */
    const char *query, *database;
    enum strand_choice strands; /* of the query */
    double e_value;             /* greatest E-value of an alignment that is kept */
};

/** Tables of options, for COMMAND_TABLE: --query and --database; --strand and --evalue. */
extern const struct command_option search_options_of_files[], search_options_of_limits[];

/** One file for each, as if they had been given. */
void search_options_set_files(struct search_options *options, const char *query, const char *database);

/** Complete the names after the options were parsed; refuse standard input that is given more than once. */
int search_options_complete(struct search_options *options, struct why *why);

/** Note the files that are read. */
void search_options_note(const struct search_options *options, struct file_uses *uses);

/** Whether any of the files is standard input. */
bool search_options_read_standard_input(const struct search_options *options);

/** Both strands, E-values up to 1e-3. */
struct search_options search_options_default(void);

/** plus, minus or both: as --strand takes it and as results name it. */
const char *search_options_strand_name(enum strand_choice strands);

/** The strands of this name; 0 if it is NULL or none of the names. */
enum strand_choice search_options_find_strands(const char *name);

/** Read the sequences of several files as one, in which at least one w-mer can match.
 *  @param name, what  for the message: that of all, and query or database */
int search_options_read(const char *const *paths, size_t count, const char *name, const char *what,
                        unsigned threads, struct sequences *out, struct why *why);

/** Keep a range of every sequence of the query. @param name  of the query, for the message */
int search_options_cut(const char *name, struct sequence_range range, struct sequences *query,
                       struct why *why);
