/* stage3.h - stage 3 of BLASTN: from the HSPs of stage 2 to gapped alignments.
 *
 * Models    for every HSP of one pass, in stream order: is it on an alignment already found, or on a diagonal already
 *           extended? If not, it is extended ungapped (X-drop 20 bits) from its w-mer, coarsely in whole bytes of the
 *           database first. If that scores at least the gap trigger, the segment waits until its cluster is complete:
 *           until the stream has come STAGE3_APART positions past every segment of it. Then, as BLASTN does with a
 *           subject,
 *           1. the best segment first, those that no better extension encloses are extended with gaps (30 bits);
 *           2. of extensions that begin or end together the best stays;
 *           3. the best first, those that no better alignment encloses are aligned (100 bits). Both extensions start at
 *              the segment's first w-mer of equal bases;
 *           4. of alignments that begin or end together the best stays whole; of the others the best part of what
 *              reaches farther is kept, prolonged by equal bases.
 *           An alignment of less than the least identity, unless it is cut off, neither encloses nor cuts another one.
 *           What lies on it would lead to it again and is not extended.
 *           Of extensions that begin or end together only the best encloses others (BLAST's interval tree).
 *           A segment that no better one is near comes out the same wherever its cluster ends.
 * Borders   a pass extends inside its segment and STAGE3_MARGIN bases around it. An alignment that ends within
 *           STAGE3_NEAR of such a border may go on beyond it and is marked as cut off; stitch.h follows it to its ends.
 *           So no two passes compute the same, and what straddles a border by less than the margin is whole.
 * Memory    query and database belong to the caller and must outlive the context; alignments go to the caller's list.
 *           One end position per diagonal (extended_diagonals.h) remembers how far ungapped extensions got, unless HSPs
 *           come in any order; half a byte per query position inside the borders holds the query's bases. Alignments
 *           that end before the stream's position are forgotten.
 * Order     database positions must not decrease from call to call, unless any_order is set. An HSP out of order costs
 *           nothing but may be skipped.
 * Source    NCBI BLAST 2.12: na_ungapped.c, blast_gapalign.c, blast_traceback.c.
 */
#pragma once

#include <stdbool.h>

#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "blast/stage3/alignment.h"
#include "blast/stage3/scoring.h"
#include "blast/stages12/ungapped_window.h"

enum { STAGE3_MARGIN = 2000, STAGE3_NEAR = 1000, STAGE3_APART = 1000 };

/** What an alignment must have to be kept. */
struct stage3_least {
    const int *scores; /* of each query record */
    double identity;   /* per cent of the columns, in the alignment of a pass; 0: any */
};

struct stage3_pass {
    const uint8_t *query;                  /* codes of the strand, all records with their separators */
    const struct sequences *query_records; /* of the query's plus strand; its words are not read */
    enum strand strand;
    const struct sequences *database;
    const struct scoring_statistics *statistics;
    struct stage3_least least;
    bool any_order;                  /* HSPs come in any order, and nothing is forgotten */
    uint64_t query_begin, query_end; /* borders of extensions; query_end 0: none */
    uint64_t hsps_begin, hsps_end; /* the HSPs lie between these positions; hsps_end 0: between the borders */
};

/** What all passes of a query have in common. */
struct stage3_query {
    const struct sequences *query, *database;
    const uint8_t *codes[2]; /* of the query's strands, the whole query; NULL for a strand that has no pass */
    const struct scoring_statistics *statistics;
    struct stage3_least least;
};

/** A pass over the whole of one strand, without borders. */
struct stage3_pass stage3_pass_whole(const struct stage3_query *query, enum strand strand);

/** Set the borders of a segment's pass, STAGE3_MARGIN positions around it, and where its HSPs lie. */
void stage3_pass_bound(struct stage3_pass *pass, const struct query_segment *segment);

/** Whether the pass of a segment finds an alignment of [query_begin, query_end) only as a piece that is cut off, since
 * its ends are beyond the borders or near them. */
bool stage3_cuts_off(const struct query_segment *segment, uint64_t query_begin, uint64_t query_end);

/* What becomes of an HSP. */
enum stage3_outcome {
    STAGE3_CONTAINED, /* its seed lies on an alignment already found: no cell is computed */
    STAGE3_REPEATED,  /* its diagonal has been extended beyond it already: no cell is computed */
    STAGE3_WEAK,      /* its ungapped score is below the trigger */
    STAGE3_ENCLOSED,  /* its ungapped segment lies inside a better alignment, close to its diagonal */
    STAGE3_UNKEPT,    /* its preliminary gapped score is below the least score of its query record */
    STAGE3_ALIGNED,   /* it is extended with traceback */
    STAGE3_OUTCOMES,
};

/* Each HSP is counted once. */
struct stage3_counts {
    uint64_t of[STAGE3_OUTCOMES];
};

struct stage3;

/** Context of one pass.
 *
 * @param out  alignments are appended to it; their bits and E-values are not set
 */
struct stage3 *stage3_new(const struct stage3_pass *pass, struct alignment_list *out);

void stage3_destroy(struct stage3 *s);

/** What an HSP took, and the cluster that was complete when it came. */
struct stage3_work {
    uint64_t cells;         /* ungapped columns of the HSP; 0 if it was recognised: contained or repeated */
    uint64_t cluster_cells; /* DP cells of the segments that had waited for their cluster to be complete */
    bool closes; /* the HSP shows that the stream has passed the cluster of the segments that wait */
    bool waits;  /* the HSP's own segment waits, in the next cluster if this one was closed */
};

/** Take one HSP.
 *
 * @param query_position     position of the last base of its w-mer, in the strand's concatenation
 * @param database_position  position of that base's partner; not less than in the call before, unless any_order is set
 * @param work               out
 */
void stage3_extend(struct stage3 *s, uint64_t query_position, uint64_t database_position,
                   struct stage3_work *work);

/** Take HSPs of a segment, one after the other. Not for HSPs in any order.
 *
 * @param hsps           in stream order
 * @param segment_begin  position of the segment in the strand's concatenation
 * @param work           out: one per HSP
 */
void stage3_extend_all(struct stage3 *s, const struct hsp *hsps, size_t count, uint64_t segment_begin,
                       struct stage3_work *work);

/** Extend the segments that wait for their cluster to be complete. To be called after the last HSP; with any_order,
 * after each.
 *
 * @param cells  out: DP cells
 */
void stage3_flush(struct stage3 *s, uint64_t *cells);

/** Whether a pair lies on the path of an alignment that ends after the last call's position. */
bool stage3_contains(const struct stage3 *s, uint64_t query_position, uint64_t database_position);

struct stage3_counts stage3_counts(const struct stage3 *s);

/** Is told what became of an HSP as soon as that is known: at the latest when its cluster is flushed. */
typedef void stage3_watcher(void *data, uint64_t query_position, uint64_t database_position,
                            enum stage3_outcome outcome);

void stage3_watch(struct stage3 *s, stage3_watcher *watch, void *data);
