/* test_number.c - which texts are numbers, and which? */
#include "base/number.h"

#include <check.h>
#include <math.h>
#include <stddef.h>

#include "tests/run_suite.h"

static const struct {
    const char *text, *unit;
    double value; /* NaN: it is none */
} numbers[] = {
    {"0", NULL, 0},
    {"-12.5", NULL, -12.5},
    {"+3", NULL, 3},
    {".5", NULL, 0.5},
    {"5.", NULL, 5},
    {"250e6", NULL, 250e6},
    {"1E-3", NULL, 0.001},
    {"9007199254740993", NULL, 9007199254740992.0},
    {"250M", NULL, 250e6},
    {"2k", NULL, 2000},
    {"2K", NULL, 2000},
    {"0.3G", NULL, 0.3e9},
    {"1.1M", NULL, 1100000}, /* 1.1 * 1e6 is 1100000.0000000002 */
    {"64Ki", NULL, 65536},
    {"1.5Gi", NULL, 1610612736},
    {"4Ti", NULL, 4398046511104.0},
    {"2^17", NULL, 131072},
    {"10^3", NULL, 1000},
    {"1.5^2", NULL, 2.25},
    {"1e3k", NULL, 1e6},
    {"1e-3GHz", "Hz", 1e6},
    {"1.1e1us", "s", 11e-6},
    {"1e-99999999999999999999M", NULL, 0},
    {"250MHz", "Hz", 250e6},
    {"133e6Hz", "Hz", 133e6},
    {"250M", "Hz", 250e6},
    {"1064MB/s", "B/s", 1064e6},
    {"4MiB", "bytes", 4194304},
    {"4Mbytes", "bytes", 4e6},
    {"50us", "s", 50e-6},
    {"0.3ms", "s", 0.3e-3},
    {"7s", "s", 7},
    {"", NULL, NAN},
    {"k", NULL, NAN},
    {"-", NULL, NAN},
    {".", NULL, NAN},
    {"nan", NULL, NAN},
    {"inf", NULL, NAN},
    {"0x10", NULL, NAN},
    {" 1", NULL, NAN},
    {"1 ", NULL, NAN},
    {"1 k", NULL, NAN},
    {"1kk", NULL, NAN},
    {"1e99999999999999999999k", NULL, NAN},
    {"1e", NULL, NAN},
    {"1e400", NULL, NAN},
    {"1^2", NULL, NAN},
    {"2^-1", NULL, NAN},
    {"2^", NULL, NAN},
    {"2^1.5", NULL, NAN},
    {"2^17k", NULL, NAN},
    {"2^2000", NULL, NAN},
    {"1m", "s", NAN}, /* it might be meant for a million */
    {"250MHz", "B/s", NAN},
    {"250mhz", "Hz", NAN},
    {"21", "1", 21},
    {"2k1", "1", NAN},
    {"1..2", NULL, NAN},
    {"1111111111111111111111111111111111111111111111111111111111111111", NULL, NAN},
};

START_TEST(a_text_is_the_number_that_it_looks_like)
{
    double value = -1;
    int status = number_of(numbers[_i].text, numbers[_i].unit, &value);
    ck_assert_msg(status == (isnan(numbers[_i].value) ? -1 : 0), "'%s': %d", numbers[_i].text, status);
    if (status == 0)
        ck_assert_msg(value == numbers[_i].value, "'%s': %.17g", numbers[_i].text, value);
}
END_TEST

/* The ends of a range are read one after the other. */
START_TEST(what_follows_is_left)
{
    struct number number;
    ck_assert_str_eq(number_read("2^14..2^20", NULL, &number), "..2^20");
    ck_assert_double_eq(number.value, 16384);
    ck_assert_double_eq(number.base, 2);
    ck_assert_str_eq(number_read("32..512+32", NULL, &number), "..512+32");
    ck_assert_double_eq(number.value, 32);
    ck_assert_double_eq(number.base, 0);
    ck_assert_str_eq(number_read("100MHz..1GHz", "Hz", &number), "..1GHz");
    ck_assert_double_eq(number.value, 100e6);
    ck_assert_str_eq(number_read("12,5", NULL, &number), ",5");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("number");
    TCase *texts = tcase_create("texts");
    tcase_add_loop_test(texts, a_text_is_the_number_that_it_looks_like, 0, COUNT_OF(numbers));
    tcase_add_test(texts, what_follows_is_left);
    suite_add_tcase(suite, texts);
    return run_suite(suite);
}
