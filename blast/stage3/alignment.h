/* alignment.h - local alignments as values, and the list that is culled, evaluated and sorted at the end.
 *
 * Models    what BLASTN does with the alignments of all passes: of those that begin or end at the same pair
 *           of positions the best is kept, those inside a better one on nearly its diagonal are dropped,
 *           E-values and bit scores are those of the query record's length, and the order is that of BLASTN's
 *           report. An alignment that several passes found is kept once.
 * Paths     a path is a number of runs of pairs and gaps, from an alignment's begin to its end, as it was found. It
 *           stays in the list when its alignment is moved or dropped. An alignment without a path has no runs.
 * Units     positions are codes: of the query's strand (minus: of the reverse complement of the whole query)
 *           and of the database's plus strand, both counted over the concatenation; ranges are half open.
 * Memory    struct alignment has no pointers and can be written to a pipe; the list owns its arrays.
 * Source    NCBI BLAST 2.12, blast_hits.c and blast_itree.c (common end points, containment, order).
 */
#pragma once

#include "blast/sequence/sequence.h"
#include "blast/stage3/gapped.h"
#include "blast/stage3/scoring.h"

/* An alignment can be extended again from the HSP it was found by, which need not lie on it, and from the middle of its
 * longest run of equal bases. */
enum { ALIGNMENT_ORIGIN, ALIGNMENT_MIDDLE, ALIGNMENT_SEEDS };

struct alignment_seed {
    uint64_t query, database;
};

struct alignment {
    union {
        struct gapped_extent extent; /* all of these */
        struct {
            int score;
            uint64_t query_begin, query_end;
            uint64_t database_begin, database_end;
        };
    };
    uint64_t columns; /* identities + mismatches + gaps */
    uint64_t identities;
    uint64_t mismatches;
    uint64_t gaps;         /* columns with a gap */
    uint64_t gap_openings; /* runs of columns with a gap */
    uint64_t query_record; /* index into the query's records */
    uint64_t database_record;
    int32_t strand; /* enum strand, of the query */
    struct alignment_seed seeds[ALIGNMENT_SEEDS];
    uint64_t cut_off; /* 1: it ends near a border beyond which its extension could not look (stage3.h) */
    uint64_t path_begin, path_runs; /* its path: runs [path_begin, path_begin + path_runs) of its list */
    double bits;                    /* set by alignment_list_finish(), like e_value */
    double e_value;
};

struct alignment_list {
    struct alignment *items;
    size_t count, room;
    struct gapped_run *runs; /* all paths, one after the other */
    size_t run_count, run_room;
};

/** Whether an alignment lies within its records and its numbers agree: for one that comes from a file. Bits and E-value
 * are not looked at. */
bool alignment_is_possible(const struct alignment *alignment, const struct sequences *query,
                           const struct sequences *database);

/** Whether all alignments of a list are possible, and have paths of their columns, or none. */
bool alignment_list_is_possible(const struct alignment_list *list, const struct sequences *query,
                                const struct sequences *database);

/** Append an alignment as it is; its path, if any, is in the list's runs already. */
void alignment_list_append(struct alignment_list *list, const struct alignment *alignment);

/** Append an alignment with a path, which is copied. */
void alignment_list_append_path(struct alignment_list *list, const struct alignment *alignment,
                                const struct gapped_run *runs, size_t run_count);

/** Append all alignments of another list, with their paths. */
void alignment_list_append_list(struct alignment_list *list, const struct alignment_list *other);

/** Move all alignments along the database: from a part of it to the whole.
 *
 * @param positions  position of the part's position 0 in the whole database
 * @param records    number of the part's record 0
 */
void alignment_list_move(struct alignment_list *list, uint64_t positions, uint64_t records);

void alignment_list_destroy(struct alignment_list *list);

/** Find the best of alignments that begin or end together: they come first, the others behind them.
 *
 * @return number of those that come first
 */
size_t alignments_purge(struct alignment *items, size_t count);

/** Drop duplicates, the worse of two with a common begin or end, and those contained in better ones. */
void alignment_list_cull(struct alignment_list *list);

/** Finish the list of all passes: cull it, set bits and E-values, drop alignments above an E-value, and sort by query
 * record, subject (best E-value first, then the later in the database), and score.
 *
 * @param e_value  greatest E-value that is kept
 */
void alignment_list_finish(struct alignment_list *list, const struct scoring_statistics *statistics,
                           const struct sequences *query, const struct sequences *database, double e_value);

/** Per cent as blastn prints identities, gaps and coverage: rounded to the nearest whole number below 99, and down from
 * 99 on, so that 100 means all. */
int alignment_per_cent(uint64_t part, uint64_t whole);

/** Whether an alignment has at least so many equal columns, in per cent. */
bool alignment_has_identity(const struct alignment *alignment, double per_cent);

/** Which alignments of a finished list are kept. */
struct alignment_limits {
    double identity; /* least percentage of equal columns; 0: all */
    double coverage; /* likewise of the query record's bases: as with blastn, half a per cent less below 99 */
    uint64_t subjects, alignments; /* most per query record, and alignments per subject; 0: no limit */
};

/** Keep only those, as with blastn: first those of enough identity, of these the best of each subject, of these those
 * of enough coverage, and of the subjects that are left the best. All alignments were evaluated before, so that these
 * are the best. (blastn applies its -max_target_seqs to preliminary scores already, keeping somewhat more than N
 * subjects; one that would be among the best in the end may be lost.) */
void alignment_list_limit(struct alignment_list *list, const struct sequences *query,
                          const struct alignment_limits *limits);
