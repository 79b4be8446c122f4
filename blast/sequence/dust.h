/* dust.h - masks of low-complexity sequence by symmetric DUST, the same as those of blastn -dust and dustmasker.
 *
 * Models    The score of an interval of l triplets is the sum over the 64 triplets of c (c - 1) / 2, where c
 *           counts how often the triplet occurs, divided by l - 1. An interval inside a window is perfect if it
 *           scores more than level / 10 and not less than any interval inside it. The bases of all perfect
 *           intervals are masked, and so is a gap between two of them that is shorter than the linker. The mask of
 *           the reverse complement is the same.
 * Leaves out ambiguous bases: no interval contains one (dustmasker takes them for other bases).
 * Cost      a constant per ordinary base, up to `window` steps per base in regions of low complexity.
 * Errors    WHY_SAID and one line for a text that is no rule.
 * Source    Morgulis, Gertz, Schaffer, Agarwala, J. Comput. Biol. 13 (2006) 1028 (SDUST).
 */
#pragma once

#include "base/why.h"
#include "blast/sequence/mask.h"
#include "blast/sequence/sequence.h"

enum { DUST_WINDOW_MAX = 64 };

struct dust_rule {
    unsigned level;  /* ten times the score that a perfect interval exceeds, 2 .. 64 */
    unsigned window; /* bases, 8 .. DUST_WINDOW_MAX */
    unsigned linker; /* bases, 1 .. 32 */
};

/** The rule of blastn: 20 64 1. */
struct dust_rule dust_rule_default(void);

/** Read a rule: "20 64 1", or "yes" for the default.
 *
 * @return 0 or WHY_SAID
 */
int dust_rule_parse(const char *text, struct dust_rule *rule, struct why *why);

/** Mask the low-complexity bases of all records.
 *
 * @param out  an empty mask, which is filled with positions of the plus strand
 */
void dust_mask_sequences(const struct sequences *sequences, const struct dust_rule *rule, struct mask *out);
