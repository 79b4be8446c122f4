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

START_TEST(test_rows_are_read_by_names)
{
    struct tsv table;
    double number;
    write_table("# a comment\nname\tvalue\tunit\n# another\na\t1.5\tms\nb\tNA\t\n");
    ck_assert_int_eq(tsv_open(&table, path, &why), 0);
    int name = tsv_column(&table, "name"), value = tsv_column(&table, "value"),
        unit = tsv_column(&table, "unit");
    ck_assert_int_eq(tsv_next(&table), 1);
    ck_assert_str_eq(table.fields[name], "a");
    ck_assert_int_eq(tsv_number(&table, value, &number), 0);
    ck_assert_double_eq(number, 1.5);
    ck_assert_int_eq(tsv_next(&table), 1);
    ck_assert_int_eq(tsv_number(&table, value, &number), 0);
    ck_assert_double_nan(number);
    ck_assert_str_eq(table.fields[unit], "");
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
    double number;
    int status = tsv_open(table, path, &why), value = 0, row = 1;
    if (status == 0)
        status = value = tsv_column(table, "value");
    while (status >= 0 && (row = tsv_next(table)) > 0)
        status = tsv_number(table, value, &number);
    return status < 0 ? status : row;
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
    ck_assert_int_eq(tsv_open(&table, "/nowhere/x.tsv", &why), TSV_EREAD);
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
