#include "blast/stage3/printed_score.h"

#include <inttypes.h>
#include <stdio.h>

void printed_score_e_value(double e_value, char text[static PRINTED_SCORE_BYTES])
{
    const char *format = "%2.0f";
    if (e_value < 1e-180) {
        snprintf(text, PRINTED_SCORE_BYTES, "0.0");
        return;
    }
    if (e_value < 0.0009)
        format = "%3.2e";
    else if (e_value < 0.1)
        format = "%4.3f";
    else if (e_value < 1.0)
        format = "%3.2f";
    else if (e_value < 10.0)
        format = "%2.1f";
    snprintf(text, PRINTED_SCORE_BYTES, format, e_value);
}

void printed_score_bits(double bits, char text[static PRINTED_SCORE_BYTES])
{
    if (bits > 99999)
        snprintf(text, PRINTED_SCORE_BYTES, "%5.3e", bits);
    else if (bits > 99.9)
        snprintf(text, PRINTED_SCORE_BYTES, "%3" PRId64, (int64_t)bits);
    else
        snprintf(text, PRINTED_SCORE_BYTES, "%4.1f", bits);
}
