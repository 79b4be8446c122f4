/* number.h - numbers as people write them: 250e6, 250M, 250MHz, 2^17, 64Ki.
 *
 * Grammar   a decimal number, with or without an exponent; or BASE^EXPONENT, a base above 1 to a whole power. After a
 *           decimal number may stand k (or K), M, G or T for powers of 1000, or Ki, Mi, Gi or Ti for powers of 1024.
 *           Where the number's unit is known, it may end the text, with a small prefix (m, u, n) too: "250MHz", "50us",
 *           "1064MB/s". Not a number: nan, inf, 0x10, blanks.
 * Rounding  a number with k, M, G, T, m, u or n is the nearest double to what is written: 1.1M is 1100000.
 */
#pragma once

#include <stdint.h>

struct number {
    double value;
    double base; /* of BASE^EXPONENT; 0 if it is none */
};

/** Read the number with which a text begins.
 *
 * @param unit  what may follow the number: "Hz", "B/s", "bytes" (also as B); NULL or "" if it has none
 * @return the first character after the number and its unit, or NULL if the text does not begin with a finite number
 */
const char *number_read(const char *text, const char *unit, struct number *number);

/** Read a number that is the whole text. @return 0 or -1 */
int number_of(const char *text, const char *unit, double *value);

/** Room for the digits of any whole number. */
enum { NUMBER_DIGITS = 20 };

/** Write the digits of a whole number, without a NUL: files have millions, for which printf() would take most of the
 *  time. @return what follows them */
char *number_put_whole(char *at, uint64_t number);
