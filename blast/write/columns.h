/* columns.h - BLAST's tables, output formats 6, 7 and 10: which columns there are, and what stands in them.
 *
 * Models    blastn's -outfmt "6 NAME ...": its names, its numbers, `std` for the twelve standard columns; a column
 *           named twice is printed once, in its first place. Identifiers are the names in the header lines, so that
 *           qseqid, qacc and qaccver are the same; the subject's identifiers likewise. Positions count from 1 within
 *           the record; for an alignment of the query's minus strand the query range ascends on the plus strand and
 *           the subject range descends. qcovs is the share of the query's bases that lie in any of the list's
 *           alignments with the subject.
 * Leaves out taxonomy and GI numbers, which need a formatted database; qcovus.
 * Memory    two bytes per column of the alignment being written, if columns show letters.
 * Errors    0, or COLUMNS_EUNKNOWN and one line that lists the known names.
 * Source    BLAST+ 2.12, blastn -help and output.
 */
#pragma once

#include <stddef.h>

#include "base/why.h"

enum columns_error { COLUMNS_EUNKNOWN = -2 };

enum { COLUMN_KINDS = 36 };

struct columns {
    unsigned items[COLUMN_KINDS]; /* numbers of columns, below COLUMN_KINDS */
    size_t count;
};

/** The twelve standard columns. */
struct columns columns_standard(void);

/** Parse names separated by white space. Without any name, the columns are the standard ones.
 *
 * @param why  on error, one line with the unknown name and all known ones
 */
int columns_parse(const char *names, struct columns *columns, struct why *why);

/** Name of the first column that can be printed only from the sequences' bases and the alignments' paths, or NULL. */
const char *columns_first_of_bases(const struct columns *columns);

const char *column_name(unsigned column);

/** What the comments of format 7 call the column of a name. */
const char *column_field(const char *name);
