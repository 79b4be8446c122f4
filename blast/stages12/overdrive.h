/* overdrive.h - elements that are added to a stage's input, so that it is seen where it saturates.
 *
 * Models    Dor's manual overdrive (lambda_mo, WUCSE-2010-30): elements that no earlier stage has sent. A seed is added
 *           to a word and meets a free slot: a read of the SRAM, and no match. A match is added to a group of matches
 *           of a lookup, and does not pass stage 2. Nothing that is found changes.
 * Room      A word has 16 seeds at most, and a group as many matches as the largest one of the tables; what has no
 *           room waits for the next word or group. What never has room is not added.
 * Counts    are those of a filter that lets more w-mers through, and of lookups that have more matches.
 */
#pragma once

#include "blast/stages12/pass.h"
#include "blast/stages12/tokens.h"

/** A stream of tokens that is overdriven. Start with the first three members, and release it with
 *  tokens_destroy(&overdrive.out). */
struct overdrive {
    double seeds, matches;         /* that are added for each word, on average, >= 0 */
    unsigned group_most;           /* matches of a group */
    double seeds_due, matches_due; /* so far */
    struct tokens out;
};

/** Add elements to the next tokens of the stream, and to their counts. */
void overdrive_add(struct overdrive *overdrive, struct tokens *tokens, struct pass_counts *counts);
