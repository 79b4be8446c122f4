/* json_number.h - numbers in JSON, which has neither NaN nor infinity. */
#ifndef MERCURY_BASE_JSON_NUMBER_H
#define MERCURY_BASE_JSON_NUMBER_H

#include <math.h>

#include <jansson.h>

/** @return a new reference: null for NaN and infinity */
static inline json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

#endif
