/* token_record_check.h - whether the values in a token record can stand together.
 *
 * Why       a checksum says that a record is as it was written, not by whom. What is read is compared with the rest of
 *           the record before anything is computed from it, so that a record is refused or gives what it says.
 * Source    how a run makes these values: sequence.h, segment.h, pass.h, alignment.h.
 * Errors    true, or false: the record contradicts itself.
 */
#ifndef MERCURY_SIM_TOKENS_TOKEN_RECORD_CHECK_H
#define MERCURY_SIM_TOKENS_TOKEN_RECORD_CHECK_H

#include "sim/tokens/token_record.h"
#include "sim/tokens/token_record_format.h"

/** Sequences, machine and segments. */
bool token_record_facts_agree(const struct token_record_facts *facts);

/** What is said of a pass, with the facts, which agree. */
bool token_record_pass_agrees(const struct token_record_facts *facts, size_t pass,
                              const struct pass_tail *tail);

/** An alignment, with the facts, which agree. */
bool token_record_alignment_agrees(const struct token_record_facts *facts, const struct alignment *alignment);

/** What stage 3 did with an HSP. @param positions  of the query */
bool token_record_work_agrees(const struct stage3_work *work, uint64_t positions);

#endif
