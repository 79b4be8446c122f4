/* alignment.h - local alignments as values, and the list that is culled, evaluated and sorted at the end.
 *
 * Models    what BLASTN does with the alignments of all passes: of those that begin or end at the same pair
 *           of positions the best is kept, those inside a better one on nearly its diagonal are dropped,
 *           E-values and bit scores are those of the query record's length, and the order is that of BLASTN's
 *           report. An alignment that several passes found is kept once.
 * Paths     runs of pairs and gaps from an alignment's begin to its end, as it was found; they stay in the list when
 *           alignments are dropped or sorted. An alignment without a path has no runs.
 * Units     positions are codes: of the query's strand (minus: of the reverse complement of the whole query)
 *           and of the database's plus strand, both counted over the concatenation; ranges are half open.
 * Memory    struct alignment has no pointers and can be written to a pipe; the list owns its arrays.
 * Errors    0 or ALIGNMENT_EMEMORY.
 * Source    NCBI BLAST 2.12, blast_hits.c and blast_itree.c (common end points, containment, order).
 */
#ifndef MERCURY_BLAST_STAGE3_ALIGNMENT_H
#define MERCURY_BLAST_STAGE3_ALIGNMENT_H

#include "blast/stage3/gapped.h"
#include "blast/stage3/scoring.h"
#include "blast/sequence/sequence.h"

enum alignment_error { ALIGNMENT_EMEMORY = -1 };

/* Diagonals nearer than this are one alignment's: BLASTN's minimal diagonal separation. */
enum { ALIGNMENT_DIAGONALS_CLOSE = 50 };

/* The HSP it was extended from, which need not lie on it, and the middle of its longest run of equal bases. */
enum { ALIGNMENT_ORIGIN, ALIGNMENT_MIDDLE, ALIGNMENT_SEEDS };

struct alignment_seed {
    uint64_t query, database;
};

struct alignment {
    uint64_t query_begin, query_end;
    uint64_t database_begin, database_end;
    uint64_t columns; /* identities + mismatches + gaps */
    uint64_t identities;
    uint64_t mismatches;
    uint64_t gaps;         /* columns with a gap */
    uint64_t gap_openings; /* runs of them */
    uint64_t query_record; /* indices into the records of query and database */
    uint64_t database_record;
    int32_t score;
    int32_t strand;                               /* enum strand, of the query */
    struct alignment_seed seeds[ALIGNMENT_SEEDS]; /* to extend it from again */
    uint64_t cut_off; /* 1: it ends near a border beyond which its extension could not look (stage3.h) */
    uint64_t path_begin, path_runs; /* its path: runs [path_begin, path_begin + path_runs) of its list */
    double bits;                    /* this and e_value: set by alignment_list_finish */
    double e_value;
};

struct alignment_list {
    struct alignment *items;
    size_t count;
    size_t capacity;
    struct gapped_run *runs; /* the paths, one behind the other */
    size_t run_count;
    size_t run_capacity;
};

/** Append an alignment as it is; its path, if any, is in the list's runs already. */
int alignment_list_append(struct alignment_list *list, const struct alignment *alignment);

/** Append an alignment with a path, which is copied. */
int alignment_list_append_path(struct alignment_list *list, const struct alignment *alignment,
                               const struct gapped_run *runs, size_t run_count);

/** Append all alignments of another list, with their paths. */
int alignment_list_append_list(struct alignment_list *list, const struct alignment_list *other);

void alignment_list_destroy(struct alignment_list *list);

/** Drop duplicates, the worse of two with a common begin or end, and those contained in better ones. */
int alignment_list_cull(struct alignment_list *list);

/** All that is left to do with the alignments of all passes: cull, bits and E-values, drop those above an
 * E-value, sort by query record, subject (best E-value first, then the later in the database), and score.
 *
 * @param e_value  greatest E-value that is kept
 */
int alignment_list_finish(struct alignment_list *list, const struct scoring_statistics *statistics,
                          const struct sequences *query, const struct sequences *database, double e_value);

struct alignment_box {
    uint64_t query_begin, query_end, database_begin, database_end;
};

static inline int alignment_diagonals_close(uint64_t query_a, uint64_t database_a, uint64_t query_b,
                                            uint64_t database_b)
{
    int64_t apart = (int64_t)(database_a - query_a) - (int64_t)(database_b - query_b);

    return apart > -ALIGNMENT_DIAGONALS_CLOSE && apart < ALIGNMENT_DIAGONALS_CLOSE;
}

/** Whether a box lies inside another and begins or ends close to its first or last diagonal. */
static inline int alignment_box_encloses(const struct alignment_box *a, const struct alignment_box *b)
{
    if (b->query_begin < a->query_begin || b->query_end > a->query_end ||
        b->database_begin < a->database_begin || b->database_end > a->database_end)
        return 0;
    return alignment_diagonals_close(a->query_begin, a->database_begin, b->query_begin, b->database_begin) ||
           alignment_diagonals_close(a->query_end, a->database_end, b->query_end, b->database_end);
}

/** Whether a box lies inside an alignment's and begins or ends close to its first or last diagonal; scores,
 * strands and records are not looked at. */
int alignment_encloses(const struct alignment *alignment, uint64_t query_begin, uint64_t query_end,
                       uint64_t database_begin, uint64_t database_end);

#endif
