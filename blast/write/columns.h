/* columns.h - which columns a table of alignments has.
 *
 * Models    blastn's -outfmt "6 NAME ...": its names, its numbers, `std` for the twelve standard columns; a column
 *           named twice is printed once, in its first place. Identifiers are the names in the header lines, so that
 *           qseqid, qacc and qaccver are the same; the subject's identifiers likewise.
 * Leaves out taxonomy and GI numbers, which need a formatted database; qcovus.
 * Errors    0, or COLUMNS_EUNKNOWN and one line that lists the known names.
 * Source    BLAST+ 2.12, blastn -help and output.
 */
#ifndef MERCURY_BLAST_WRITE_COLUMNS_H
#define MERCURY_BLAST_WRITE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"

enum columns_error { COLUMNS_EUNKNOWN = -2 };

enum column {
    COLUMN_QSEQID,
    COLUMN_QACC,
    COLUMN_QACCVER,
    COLUMN_QLEN,
    COLUMN_SSEQID,
    COLUMN_SALLSEQID,
    COLUMN_SACC,
    COLUMN_SACCVER,
    COLUMN_SALLACC,
    COLUMN_SLEN,
    COLUMN_QSTART,
    COLUMN_QEND,
    COLUMN_SSTART,
    COLUMN_SEND,
    COLUMN_QSEQ,
    COLUMN_SSEQ,
    COLUMN_EVALUE,
    COLUMN_BITSCORE,
    COLUMN_SCORE,
    COLUMN_LENGTH,
    COLUMN_PIDENT,
    COLUMN_NIDENT,
    COLUMN_MISMATCH,
    COLUMN_POSITIVE,
    COLUMN_GAPOPEN,
    COLUMN_GAPS,
    COLUMN_PPOS,
    COLUMN_FRAMES,
    COLUMN_QFRAME,
    COLUMN_SFRAME,
    COLUMN_BTOP,
    COLUMN_STITLE,
    COLUMN_SALLTITLES,
    COLUMN_SSTRAND,
    COLUMN_QCOVS,
    COLUMN_QCOVHSP,
    COLUMN_KINDS
};

struct columns {
    enum column items[COLUMN_KINDS];
    size_t count;
};

/** The twelve standard columns. */
struct columns columns_standard(void);

/** Parse names separated by white space. Without any name, the columns are the standard ones.
 *
 * @param why  on error, one line with the unknown name and all known ones
 */
int columns_parse(const char *names, struct columns *columns, struct why *why);

bool columns_contain(const struct columns *columns, enum column column);

/** Name of the first column that can be printed only from the sequences' bases and the alignments' paths, or NULL. */
const char *columns_first_of_bases(const struct columns *columns);

const char *column_name(enum column column);

/** Name of a column in the comments of format 7. */
const char *column_field(enum column column);

#endif
