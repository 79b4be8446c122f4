/* test_file_uses.c - which names are of one file, in a directory of each test's own: `there` and `other` are files in
 * it, `folder` is a directory. */
#include "base/file/file_uses.h"
#include "tests/run_suite.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64];

static void make_file(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT, 0666);
    ck_assert_int_ge(file, 0);
    close(file);
}

static void enter_directory(void)
{
    strcpy(directory, "/tmp/test_file_uses.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
    make_file("there");
    make_file("other");
    ck_assert_int_eq(mkdir("folder", 0777), 0);
    ck_assert_int_eq(symlink("there", "link"), 0);
    ck_assert_int_eq(symlink("..", "folder/up"), 0);
    ck_assert_int_eq(link("there", "hard"), 0);
}

static void remove_directory(void)
{
    static const char *const names[] = {"there", "other", "link", "hard", "folder/up"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(names[i]);
    rmdir("folder");
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(directory), 0);
}

/* @return the status of a command that reads or writes `one`, and writes `two` */
static int check_two(bool reads, const char *one, const char *two, struct why *why)
{
    struct file_uses uses = {0};
    (reads ? file_uses_read : file_uses_write)(&uses, "--one", one);
    file_uses_write(&uses, "--two", two);
    return file_uses_check(&uses, why);
}

static const struct pair {
    const char *one, *two;
    bool same;
} pairs[] = {
    {"there", "there", true},
    {"there", "./there", true},
    {"there", "link", true},
    {"there", "hard", true},
    {"link", "hard", true},
    {"there", "folder/../there", true},
    {"there", "folder/up/there", true},
    {"there", "other", false},
    {"there", "new", false},
    {"new", "new", true},
    {"new", "./new", true},
    {"new", "folder/up/new", true},
    {"new", "folder/new", false},
    {"new/file", "./new/./file", true},
    {"new/file", "new/other", false},
    {"folder/up/new/file", "new/file", true},
    {"/new", "/./new", true},
    {"/dev/null", "/dev/null", false},
    {"folder", "folder", false},
    {NULL, "there", false},
    {"", "there", false},
};

enum { PAIRS = sizeof pairs / sizeof pairs[0] };

START_TEST(test_names_of_one_file)
{
    const struct pair *p = &pairs[_i];
    const int expected = p->same ? FILE_USES_ECLASH : 0;
    struct why why;
    ck_assert_msg(check_two(true, p->one, p->two, &why) == expected, "%s, %s", p->one ? p->one : "-", p->two);
    ck_assert_msg(check_two(false, p->one, p->two, &why) == expected, "%s, %s", p->one ? p->one : "-",
                  p->two);
}
END_TEST

START_TEST(test_what_is_read_twice_is_no_clash)
{
    struct file_uses uses = {0};
    struct why why;
    file_uses_read(&uses, "--one", "there");
    file_uses_read(&uses, "--two", "there");
    file_uses_write(&uses, "--three", "other");
    ck_assert_int_eq(file_uses_check(&uses, &why), 0);
}
END_TEST

START_TEST(test_the_order_does_not_matter)
{
    struct file_uses uses = {0};
    struct why why;
    file_uses_write(&uses, "--out", "link");
    file_uses_read(&uses, "--in", "there");
    ck_assert_int_eq(file_uses_check(&uses, &why), FILE_USES_ECLASH);
    ck_assert_str_eq(why.line,
                     "--out link: this would overwrite --in (there), which is read; name another file");
}
END_TEST

START_TEST(test_standard_streams_are_files_if_they_lead_to_some)
{
    struct why why;
    int before = dup(STDIN_FILENO), file = open("there", O_RDONLY);
    ck_assert_int_ge(dup2(file, STDIN_FILENO), 0);
    int status = check_two(true, "-", "there", &why), other = check_two(true, "-", "other", &why);
    dup2(before, STDIN_FILENO);
    close(file);
    ck_assert_int_eq(status, FILE_USES_ECLASH);
    ck_assert_int_eq(other, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("file_uses");
    TCase *core = tcase_create("core");
    tcase_add_checked_fixture(core, enter_directory, remove_directory);
    tcase_add_loop_test(core, test_names_of_one_file, 0, PAIRS);
    tcase_add_test(core, test_what_is_read_twice_is_no_clash);
    tcase_add_test(core, test_the_order_does_not_matter);
    tcase_add_test(core, test_standard_streams_are_files_if_they_lead_to_some);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
