/* fuzz.h - what harnesses share. A harness is one function that gives any bytes to a parser and demands what the parser
 * promises: a value within its limits, or a refusal of one line.
 *
 * Engines   fuzz_main.c, in every build: the files of a corpus as they are, and a fixed number of mutations, the same
 *           for the same seed. libFuzzer, in a build with -Dlibfuzzer=true (tests/fuzz/run.sh --hours).
 * Errors    what must not be ends the process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"

/** The harness: give one input to the parser. @return 0 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** End the process, and name the place, unless a promise holds. */
#define fuzz_demand(holds) fuzz_demand_at((holds), #holds, __FILE__, __LINE__)
void fuzz_demand_at(bool holds, const char *promise, const char *file, int line);

/** Demand that a status is one of success, or of a refusal with one line. @return whether it is one of success */
bool fuzz_succeeded(int status, const struct why *why);

/** Put the input into a file, whose name is valid until the next call. */
const char *fuzz_file(const void *data, size_t size);

/** The input as a text of its own, so that reading beyond its end is noticed. @return for free() */
char *fuzz_text(const uint8_t *data, size_t size);

/** Copy the input, for a harness that completes it. @return for free() */
uint8_t *fuzz_copy(const uint8_t *data, size_t size);
