/* nearest.h - the known name closest to a misspelt one, for "did you mean".
 *
 * Distance  optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, each 1 (Damerau,
 *           CACM 7, 1964; a part of a name is edited once at most). Letters' case counts as nothing.
 */
#ifndef MERCURY_BASE_NEAREST_H
#define MERCURY_BASE_NEAREST_H

#include <stddef.h>

enum { NEAREST_NAME_MAX = 64 };

/** Edits between two names; of longer ones only the first NEAREST_NAME_MAX bytes are looked at. */
unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/** A search under way; start with {.wanted = ..., .length = ...}. */
struct nearest {
    const char *wanted;
    size_t length;
    const char *name; /* the nearest so far, of equally near ones the first; NULL before any is near enough */
    unsigned distance;
};

/** Look at one more known name. Near enough is a third of the wanted name's length, and one edit at least. */
void nearest_look_at(struct nearest *search, const char *known);

#endif
