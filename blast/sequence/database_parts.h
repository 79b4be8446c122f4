/* database_parts.h - a database, dealt over hosts: each gets consecutive records, of nearly the same number of bases.
 *
 * Models    hosts that have a part of the database each. The border between two parts is the end of the record that is
 *           nearest to an equal share of the bases; every part has a record.
 * Layout    a part begins at the word that holds its first base, and every base keeps its place in its word. What other
 *           records have in the first and in the last word is separators. So a part finds what its records find in the
 *           whole database, and positions and records of the whole are those of the part plus two constants.
 * Memory    the words of all parts, half a byte per base; names and titles are those of the database, which must
 *           outlive the parts.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "blast/sequence/sequence.h"

struct database_part {
    struct sequences sequences; /* its ambiguous bases are not counted, and it has no digest */
    uint64_t first_position;    /* position of the part's position 0 in the whole database */
    size_t first_record;        /* number of the part's record 0 in the whole database */
};

/** Deal a database. @param count  number of parts, 1 to the number of records */
struct database_part *database_parts_new(const struct sequences *database, size_t count);

/** Free parts; NULL is allowed. */
void database_parts_destroy(struct database_part *parts, size_t count);
