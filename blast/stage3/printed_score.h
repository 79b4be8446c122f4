/* printed_score.h - E-values and bit scores as BLAST prints them in tables.
 *
 * Source    BLAST+ 2.12: align_format_util.cpp, GetScoreString.
 */
#ifndef MERCURY_BLAST_STAGE3_PRINTED_SCORE_H
#define MERCURY_BLAST_STAGE3_PRINTED_SCORE_H

enum { PRINTED_SCORE_BYTES = 32 };

void printed_score_e_value(double e_value, char text[static PRINTED_SCORE_BYTES]);

void printed_score_bits(double bits, char text[static PRINTED_SCORE_BYTES]);

#endif
