/* test_scratch_file.c - files without a name are where TMPDIR says, and nowhere else. */
#include "base/file/scratch_file.h"
#include "tests/run_suite.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64];
static struct why why;

static void make_directory(void)
{
    strcpy(directory, "/tmp/test_scratch_file.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    setenv("TMPDIR", directory, 1);
}

/* Which also finds that nothing is in it. */
static void remove_directory(void)
{
    ck_assert_int_eq(rmdir(directory), 0);
}

/* Whether the kernel says that the file is in the directory. */
static bool is_inside(int file, const char *folder)
{
    char name[40], path[200] = "";
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    return readlink(name, path, sizeof path - 1) > 0 && strncmp(path, folder, strlen(folder)) == 0;
}

START_TEST(test_a_file_is_in_tmpdir)
{
    FILE *file = scratch_file_open();
    char text[10] = "";
    ck_assert_ptr_nonnull(file);
    ck_assert(is_inside(fileno(file), directory));
    ck_assert_int_ne(fcntl(fileno(file), F_GETFD) & FD_CLOEXEC, 0);
    fputs("text", file);
    rewind(file);
    ck_assert_str_eq(fgets(text, sizeof text, file), "text");
    fclose(file);
}
END_TEST

START_TEST(test_without_tmpdir_it_is_in_tmp)
{
    unsetenv("TMPDIR");
    int file = scratch_file_descriptor();
    ck_assert(is_inside(file, "/tmp/"));
    close(file);
    setenv("TMPDIR", "", 1);
    file = scratch_file_descriptor();
    ck_assert(is_inside(file, "/tmp/"));
    close(file);
}
END_TEST

START_TEST(test_a_missing_directory_is_named)
{
    setenv("TMPDIR", "/missing", 1);
    ck_assert_ptr_null(scratch_file_open());
    ck_assert_int_eq(scratch_file_probe(&why), SCRATCH_FILE_EOPEN);
    ck_assert_str_eq(why.line,
                     "/missing: no temporary file can be made there: No such file or directory; set "
                     "TMPDIR to another directory");
}
END_TEST

START_TEST(test_a_file_is_beside_another)
{
    char path[100], again[40];
    int one = scratch_file_descriptor();
    snprintf(again, sizeof again, "/proc/self/fd/%d", one);
    int beside = scratch_file_descriptor_beside(again);
    ck_assert(is_inside(beside, directory));
    close(beside);
    setenv("TMPDIR", "/missing", 1);
    snprintf(path, sizeof path, "%s/name", directory);
    beside = scratch_file_descriptor_beside(path);
    ck_assert(is_inside(beside, directory));
    close(beside);
    close(one);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scratch_file");
    TCase *core = tcase_create("core");
    tcase_add_checked_fixture(core, make_directory, remove_directory);
    tcase_add_test(core, test_a_file_is_in_tmpdir);
    tcase_add_test(core, test_without_tmpdir_it_is_in_tmp);
    tcase_add_test(core, test_a_missing_directory_is_named);
    tcase_add_test(core, test_a_file_is_beside_another);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
