/* shown.h - numbers as people are shown them: none that is too small to mean anything.
 *
 * Small     A number of less than 1e-12 (in seconds, a picosecond) is "~0", and 0 is "0": 3.9e-273 is what a formula
 *           gives beyond what it is made for, 4e-13 the rounding of a difference. Files for programs keep what was
 *           computed.
 */
#pragma once

#include <stdio.h>

enum { SHOWN_BYTES = 64, SHOWN_COLUMNS = 80 };

/** @param format  of one double, as for printf(); @return `text` */
const char *shown_number(double value, const char *format, char text[SHOWN_BYTES]);

/** A short text by value, which is used where it is made: shown_digits(x, 3).text. */
struct shown {
    char text[SHOWN_BYTES];
};

/** As printf(); what is longer is cut. */
struct shown shown_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** A number of `digits` digits, or all before its point: "99", "1389", not "1.4e+03". */
struct shown shown_digits(double value, int digits);

/** A fraction in whole per cent, with one decimal below `tenths_below` per cent and just below 100: "0.6%", "~0%",
 *  "99.4%"; "-" if it is NaN. */
struct shown shown_percent(double fraction, double tenths_below);

/** Write words in lines of at most 80 columns, then a line end.
 *
 * @param column  where the first word is written
 * @param indent  where the further lines begin
 */
void shown_words(const char *words, int column, int indent, FILE *out);

/** As printf() of one line without its end, in lines of at most 80 columns: the further ones begin two columns after
 *  the blanks with which the first one begins. */
void shown_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
