/* assert_close.h - numbers that are to be equal but for rounding. */
#pragma once

#include <check.h>
#include <math.h>

#include "tests/run_suite.h"

/** @param relative  to what is expected: an expected 0 must be met exactly */
static inline void assert_close(double actual, double expected, double relative)
{
    ck_assert_msg(fabs(actual - expected) <= relative * fabs(expected), "%.17g instead of %.17g", actual,
                  expected);
}
