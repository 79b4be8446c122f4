/* estimate_units.h - numbers with units, as the texts of an estimate have them: 895 MB/s, 2.4 G/s, 50 us, 2^17.
 *
 * Grammar   that of base/number.h, with the units of a kind; a blank may stand before the unit. A number without a unit
 *           is in the kind's own one.
 */
#ifndef MERCURY_MODEL_ESTIMATE_UNITS_H
#define MERCURY_MODEL_ESTIMATE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/** What a number counts. */
enum estimate_kind {
    ESTIMATE_COUNT,      /* no unit */
    ESTIMATE_BYTES,      /* B */
    ESTIMATE_BYTES_RATE, /* B/s; also bit/s */
    ESTIMATE_RATE,       /* operations: /s, Hz, op/s, flop/s */
    ESTIMATE_TIME,       /* s */
};

/** A number of a kind in words, with an example. */
const char *estimate_units_expected(enum estimate_kind kind);

/** Read a number from a word and, behind it, another one, which may be empty. @return whether they are one number */
bool estimate_units_read(const char *word, size_t length, const char *unit, size_t unit_length,
                         enum estimate_kind kind, double *number);

#endif
