/* sweep_link.h - outcomes of a sweep's jobs as messages between ranks (app/rank/rank_link.h).
 *
 * Models    rank 0 hands out jobs and takes their outcomes. It alone writes the store.
 * Messages  an outcome has 36 KB, most of them a frame, and 168 bytes per alignment, 16 per HSP and 8 per cluster of
 *           the pass. They are native structs, so all ranks must be of one build.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_LINK_H
#define MERCURY_APP_SWEEP_SWEEP_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "app/rank/rank_link.h"
#include "app/sweep/point/sweep_work.h"

/** Rank 0: take what a rank has sent. Does not wait.
 *
 * @param rank     out: the rank that speaks
 * @param plan     out, for WORD_ASKS: sweep_plan_digest() of that rank
 * @param outcome  out, for WORD_OUTCOME, for sweep_outcome_destroy()
 * @param why      out, for WORD_FAILED
 */
enum rank_word sweep_link_hear(struct rank_link *link, int *rank, uint64_t *plan,
                               struct sweep_outcome *outcome, struct why *why);

/** Read an outcome that sweep_link_report() has sent. @return false if memory is exhausted */
bool sweep_link_read(const struct rank_letter *letter, struct sweep_outcome *outcome);

/** Another rank: send an outcome to rank 0. */
void sweep_link_report(const struct sweep_outcome *outcome);

#endif
