/* records.h - files with checksums, after a mutation: lengths and checksums are made right again, so that what is in
 * them is looked at. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** Make a token record's sections right (sim/tokens/token_record.h). */
void token_record_seal(uint8_t *bytes, size_t size);

/** Make the passes of an unfinished run right (sim/pass/pass_store.h). */
void pass_store_seal(uint8_t *bytes, size_t size);
