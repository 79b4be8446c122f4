/* test_whole_file.c - files of any length are read whole, and what cannot be read is refused in one line. */
#include "base/file/whole_file.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run_suite.h"

static const size_t lengths[] = {0, 1, 65535, 65536, 65537, 200000};

START_TEST(test_all_bytes_are_read_and_a_nul_follows)
{
    char path[] = "/tmp/test_whole_file_XXXXXX", *text;
    size_t bytes, length = lengths[_i];
    struct why why;
    int file = mkstemp(path);
    char *content = calloc(length + 1, 1);
    for (size_t i = 0; i < length; i++)
        content[i] = (char)(i % 251);
    ck_assert(write(file, content, length) == (ssize_t)length);
    ck_assert_int_eq(whole_file_read(path, length, &text, &bytes, &why), 0);
    ck_assert_uint_eq(bytes, length);
    ck_assert_int_eq(memcmp(text, content, length + 1), 0);
    free(text);
    if (length > 0) {
        ck_assert_int_eq(whole_file_read(path, length - 1, &text, &bytes, &why), WHOLE_FILE_ESIZE);
        ck_assert_ptr_null(text);
        ck_assert_ptr_nonnull(strstr(why.line, "found more than"));
    }
    free(content);
    close(file);
    unlink(path);
}
END_TEST

START_TEST(test_what_cannot_be_read_is_refused)
{
    char *text;
    size_t bytes;
    struct why why;
    ck_assert_int_eq(whole_file_read("/dev/zero", SIZE_MAX, &text, &bytes, &why), WHOLE_FILE_ETEXT);
    ck_assert_int_eq(whole_file_read("/no/such/file", SIZE_MAX, &text, &bytes, &why), WHOLE_FILE_EREAD);
    ck_assert_str_eq(why.line, "/no/such/file: cannot be read: No such file or directory");
    ck_assert_int_eq(whole_file_read("/tmp", SIZE_MAX, &text, &bytes, &why), WHOLE_FILE_EREAD);
    ck_assert_str_eq(why.line, "/tmp: cannot be read: Is a directory");
    ck_assert_str_eq(whole_file_name("-"), "standard input");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("whole_file");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_all_bytes_are_read_and_a_nul_follows, 0,
                        sizeof lengths / sizeof lengths[0]);
    tcase_add_test(core, test_what_cannot_be_read_is_refused);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
