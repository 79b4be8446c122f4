/* nearest.h - the known name closest to a misspelt one, for "did you mean".
 *
 * Distance  optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, each 1 (Damerau,
 *           CACM 7, 1964; a part of a name is edited once at most). Upper and lower case are the same.
 */
#pragma once

#include <stddef.h>

#include "base/why.h"

enum { NEAREST_NAME_MAX = 64 };

/** Number of edits between two names; only the first NEAREST_NAME_MAX bytes of a name count. */
unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/** A search for the name nearest to `wanted`; begin with {.wanted = ..., .length = ...}. */
struct nearest {
    const char *wanted;
    size_t length;
    /* The nearest known name so far, the first of equally near ones; NULL if none is near enough. */
    const char *name;
    unsigned distance;
};

/** Look at one more known name. It is near enough if a third of the wanted name's length, or one edit, suffices;
 *  a third is rounded up from six letters on. */
void nearest_look_at(struct nearest *search, const char *known);

/** Append "; did you mean NAME?" to a line, if there is a nearest name. */
void nearest_suggest(const struct nearest *search, struct why *why);
