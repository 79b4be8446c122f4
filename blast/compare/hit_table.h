/* hit_table.h - alignments of any program, as rows of a BLAST table.
 *
 * Input     BLAST's tabular formats 6 and 7: the twelve standard columns (qseqid sseqid pident length mismatch gapopen
 *           qstart qend sstart send evalue bitscore) separated by tabs, first and in this order, unless format 7's
 *           comment "# Fields:" says where they are. Other columns, other comment lines and empty lines are ignored.
 *           Plain, gzip or bgzip; "-" is standard input.
 * Units     positions count within the record, so that both grow along the alignment: of the plus strand [start - 1,
 *           end), of the query's minus strand [-end, 1 - start), the subject's always on its plus strand. Ranges are
 *           half open.
 * Memory    the caller destroys a table; names live as long as the table.
 * Errors    a negative HIT_TABLE_E* code and one line with file, line, what was found and expected; nothing is printed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"
#include "blast/stage3/alignment.h"

enum hit_table_error {
    HIT_TABLE_EOPEN = -2,
    HIT_TABLE_EREAD = -3,   /* the medium failed, or a compressed file is damaged */
    HIT_TABLE_EFORMAT = -4, /* the file is not such a table */
};

struct hit {
    const char *query, *subject; /* names */
    enum strand strand;
    int64_t query_begin, query_end;
    int64_t subject_begin, subject_end;
    uint64_t columns, mismatches, gap_openings;
    double identity; /* per cent */
    double e_value, bits;
    uint64_t line; /* number in its file, from 1; 0 if it is of no file */
};

struct hit_table {
    struct hit *hits;
    size_t count, room;
    char **names; /* the names that the hits point to */
    size_t name_count, name_room;
};

/** Whether a line of BLAST's formats 6 and 7 is a comment. A sequence's name may begin with #, but has no blank. */
static inline bool hit_table_is_comment(const char *line)
{
    return *line == '#' && (line[1] == ' ' || line[1] == '\n' || line[1] == '\0');
}

/** Read a table.
 *
 * @param out  untouched on error
 */
int hit_table_read(const char *path, struct hit_table *out, struct why *why);

/** Make a table of a finished list. Its names are those of the sequences, which must outlive it. */
void hit_table_of_alignments(const struct alignment_list *list, const struct sequences *query,
                             const struct sequences *database, struct hit_table *out);

void hit_table_destroy(struct hit_table *table);
