/* ungapped.h - stage 2: ungapped extension inside a window of 64 bases.
 *
 * Models    Dor 2010, section 2.4: around a match, the best-scoring ungapped segment that contains the w-mer and
 *           lies inside the window; the match is passed when that score reaches the threshold, or, with the edge
 *           rule, when the best segment touches the window's edge, since the alignment may go on beyond it.
 *           The window has floor((window - 11) / 2) bases before the w-mer and the rest after it; it is cut off
 *           where the query segment or the database ends, and such an end is not the window's edge. A side of the
 *           window without a base (windows of 11 and 12) has no edge to touch.
 *           A base that is not A, C, G or T mismatches everything, as does a separator.
 */
#ifndef MERCURY_BLAST_STAGES12_UNGAPPED_H
#define MERCURY_BLAST_STAGES12_UNGAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "blast/sequence/sequence.h"
#include "blast/stages12/database_stretch.h"

enum { UNGAPPED_WINDOW_MAX = 256 };

struct ungapped_rule {
    unsigned window; /* bases, WMER_BASES .. UNGAPPED_WINDOW_MAX */
    int match;       /* > 0 */
    int mismatch;    /* < 0 */
    int threshold;   /* least score that passes */
    bool edge_rule;
};

struct ungapped_result {
    int score;      /* of the best segment that contains the w-mer */
    unsigned left;  /* bases of it before the w-mer; of equally good ones the longest */
    unsigned right; /* bases of it after the w-mer */
    bool passed;
};

/** Extend one match.
 *
 * @param segment            codes of the query segment, a byte each
 * @param segment_length     bases
 * @param query_position     of the w-mer's last base in the segment
 * @param database_position  of the w-mer's last base in the database
 */
struct ungapped_result ungapped_extend(const struct ungapped_rule *rule, const uint8_t *segment,
                                       uint32_t segment_length, uint32_t query_position,
                                       const struct sequences *database, uint64_t database_position);

/** A match of a stretch, by the position of its w-mer's last base in the segment, and behind the stretch's first base. */
struct match {
    uint32_t query_position;
    uint32_t offset;
};

/** A match that has passed, by the positions of its w-mer's last base in the segment and in the database. */
struct hsp {
    uint32_t query_position;
    uint64_t database_position;
};

/** The same answers faster: match masks of both sides, several columns a table step, where vectors allow of many matches at
 * a time. */
struct ungapped_kernel;

/** Prepare a rule for a segment, whose codes are copied; NULL when memory is out. */
struct ungapped_kernel *ungapped_kernel_new(const struct ungapped_rule *rule, const uint8_t *segment,
                                            uint32_t segment_length, const struct sequences *database,
                                            enum cpu_level level);
void ungapped_kernel_destroy(struct ungapped_kernel *kernel);

/** Find the matches that ungapped_extend() passes.
 *
 * @param stretch  of the database
 * @param passed   out, 1 or 0 for each of the matches
 * @param hsps     out, those that pass, in order; room for all
 * @return how many passed
 */
size_t ungapped_kernel_filter(const struct ungapped_kernel *kernel, const struct database_stretch *stretch,
                              const struct match *matches, size_t count, uint8_t *passed, struct hsp *hsps);

#endif
