#include "app/chain/queue_service.h"

bool queue_service_parse(struct word text, struct queue_line_stage *stage)
{
    struct word kind = word_cut(&text, ":"), fraction = word_cut(&text, ":");
    stage->service = word_is(kind, "mixture")         ? SERVICE_MIXTURE
                     : word_is(kind, "deterministic") ? SERVICE_DETERMINISTIC
                                                      : SERVICE_EXPONENTIAL;
    if (stage->service == SERVICE_MIXTURE)
        return word_number_within(fraction, 0, 1, false, &stage->long_fraction) &&
               word_number_within(text, 1, 1e6, false, &stage->long_ratio);
    return !fraction.text && (stage->service == SERVICE_DETERMINISTIC || word_is(kind, "exponential"));
}
