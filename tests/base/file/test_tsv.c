/* test_tsv.c - tables are read by the names of their columns, and broken ones are refused with file and line. */
#include "base/file/tsv.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run_suite.h"

static char path[] = "/tmp/test_tsv_XXXXXX";
static struct why why;

static void write_table(const char *text)
{
    strcpy(path, "/tmp/test_tsv_XXXXXX");
    int file = mkstemp(path);
    ck_assert(write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
}

static const struct tsv_columns wanted = {{"name", "unit"}, {"value"}};

START_TEST(test_rows_are_read_by_names)
{
    struct tsv table;
    write_table("# a comment\nname\tvalue\tunit\n# another\na\t1.5\tms\nb\tNA\t\n");
    ck_assert_int_eq(tsv_open(&table, path, &wanted, &why), 0);
    ck_assert_int_eq(tsv_next(&table), 1);
    ck_assert_str_eq(table.texts[0], "a");
    ck_assert_double_eq(table.numbers[0], 1.5);
    ck_assert_int_eq(tsv_next(&table), 1);
    ck_assert_double_nan(table.numbers[0]);
    ck_assert_str_eq(table.texts[1], "");
    ck_assert_int_eq(tsv_next(&table), 0);
    ck_assert_int_eq(tsv_next(&table), 0);
    tsv_close(&table);
    unlink(path);
}
END_TEST

static const struct {
    const char *text;
    const char *expected; /* in the line */
} broken[] = {
    {"", ":0: expected a line with the names"},
    {"# only this\n", ":1: expected a line with the names"},
    {"name\tvalue", "ends within a line"},
    {"name\tvalue\na\t1\nb", "ends within a line"},
    {"name\tvalue\na\n", ":2: expected as many fields"},
    {"name\tvalue\na\t1\t2\n", ":2: expected as many fields"},
    {"name\tvalue\na\t1x\n", ":2: expected a number or NA"},
    {"name\tvalue\na\t\n", ":2: expected a number or NA"},
    {"name\tother\na\t1\n", "has no column 'value'"},
};

/* Read all of a table. */
static int read_all(struct tsv *table)
{
    static const struct tsv_columns value = {{NULL}, {"value"}};
    int status = tsv_open(table, path, &value, &why);
    for (int row = 1; status == 0 && row > 0; status = row < 0 ? row : 0)
        row = tsv_next(table);
    return status;
}

START_TEST(test_broken_tables_are_refused)
{
    struct tsv table;
    write_table(broken[_i].text);
    ck_assert_int_eq(read_all(&table), TSV_EFORMAT);
    ck_assert_msg(strstr(why.line, broken[_i].expected) != NULL, "%s", why.line);
    ck_assert_ptr_nonnull(strstr(why.line, path));
    tsv_close(&table);
    unlink(path);
}
END_TEST

START_TEST(test_a_missing_file_is_refused)
{
    struct tsv table;
    ck_assert_int_eq(tsv_open(&table, "/nowhere/x.tsv", &wanted, &why), TSV_EREAD);
    tsv_close(&table);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tsv");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_rows_are_read_by_names);
    tcase_add_loop_test(core, test_broken_tables_are_refused, 0, COUNT_OF(broken));
    tcase_add_test(core, test_a_missing_file_is_refused);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
