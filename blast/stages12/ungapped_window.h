/* ungapped_window.h - stage 2: ungapped extension inside a window of 64 bases.
 *
 * Models    Dor 2010, section 2.4: around a match, the best-scoring ungapped segment that contains the w-mer and
 *           lies inside the window; the match is passed when that score reaches the threshold, or, with the edge
 *           rule, when the best segment touches the window's edge, since the alignment may go on beyond it.
 *           The window has floor((window - 11) / 2) bases before the w-mer and the rest after it; it is cut off
 *           where the query segment or the database ends, and such an end is not the window's edge. A side of the
 *           window without a base (windows of 11 and 12) has no edge to touch.
 *           A base that is not A, C, G or T mismatches everything, as does a separator.
 */
#pragma once

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
    int threshold;   /* the least score that passes */
    bool edge_rule;
};

struct ungapped_result {
    int score;      /* score of the best segment that contains the w-mer; of equally good ones the longest */
    unsigned left;  /* number of its bases before the w-mer */
    unsigned right; /* number of its bases after the w-mer */
    bool passed;
};

/** Extend one match.
 *
 * @param segment            the codes of the query segment, a byte each
 * @param segment_length     bases
 * @param query_position     position of the w-mer's last base in the segment
 * @param database_position  position of the w-mer's last base in the database
 */
struct ungapped_result ungapped_extend(const struct ungapped_rule *rule, const uint8_t *segment,
                                       uint32_t segment_length, uint32_t query_position,
                                       const struct sequences *database, uint64_t database_position);

/** A match in a stretch of the database, by the last base of its w-mer. */
struct match {
    uint32_t query_position; /* in the segment */
    uint32_t offset;         /* from the stretch's first base */
};

/** A match that has passed, by the last base of its w-mer. */
struct hsp {
    uint32_t query_position; /* in the segment */
    uint64_t database_position;
};

/** An extension for many matches, faster: match masks of both arms, several columns per table step, and many
 * matches at a time in vectors. */
struct ungapped_kernel;

/** Prepare a rule for a segment, which must outlive the kernel. */
struct ungapped_kernel *ungapped_kernel_new(const struct ungapped_rule *rule, const uint8_t *segment,
                                            uint32_t segment_length, enum cpu_level level);
void ungapped_kernel_destroy(struct ungapped_kernel *kernel);

/** Find the matches that ungapped_extend() passes.
 *
 * @param passed  receives 1 or 0 for each match
 * @param hsps    receives the matches that pass, in order; it must have room for all matches
 * @return the number of matches that pass
 */
size_t ungapped_kernel_filter(const struct ungapped_kernel *kernel, const struct database_stretch *stretch,
                              const struct match *matches, size_t count, uint8_t *passed, struct hsp *hsps);
